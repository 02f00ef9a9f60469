"""Puts letters into a Maildir for each address: the post office of a server without a relay.

A letter is written to tmp/, synced and renamed into new/, as Maildir requires. Its file name consists of its date, its
place in the outbox and its Message-ID. So a second try of the same letter finds the file and leaves it alone, and names
sort in the order of sending.
"""

import asyncio
import os
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from mailbot.core.mail.addresses import key, parse_addr
from mailbot.shell.post.delivery import Parcel
from mailbot.shell.post.handover import SENT, Handover, failed, later

LONGEST = 200
"""Characters of a folder's name; file systems allow 255."""


def folder(root: Path, address: str) -> Path:
    """The Maildir of an address in any case: the address itself, with `/` and other odd characters as %XX."""
    name = quote(key(address), safe="@+=")
    if len(name) > LONGEST:
        name = name[: LONGEST - 33] + "." + sha256(name.encode()).hexdigest()[:32]
    return root / name


def letters(root: Path, address: str) -> list[Path]:
    """The files of the letters to an address, read and unread, oldest first; none if it is not an address."""
    if parse_addr(address) is None:
        return []
    box = folder(root, address)
    return sorted((path for part in ("cur", "new") for path in (box / part).glob("*.mailbot*")), key=lambda p: p.name)


class Maildirs:
    """A transport into Maildirs under `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.trouble = ""

    async def ready(self) -> bool:
        """Whether `root` exists or can be created."""
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            self.trouble = type(error).__name__
            return False
        return True

    async def send(self, parcel: Parcel) -> Handover:
        """Delivers the letter; it is on the disk when this returns."""
        if parse_addr(parcel.address) is None:
            return failed("not an address")
        try:
            await asyncio.to_thread(self._put, parcel)
        except OSError as error:
            return later(type(error).__name__)
        return SENT

    async def close(self) -> None:
        """Does nothing, because nothing is kept open."""

    def _put(self, parcel: Parcel) -> None:
        box = folder(self._root, parcel.address)
        for part in ("tmp", "new", "cur"):
            (box / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{parcel.date:010d}.{parcel.id:09d}.{sha256(parcel.message_id.encode()).hexdigest()[:24]}.mailbot"
        if (box / "new" / name).exists() or any((box / "cur").glob(f"{name}*")):
            return
        with (box / "tmp" / name).open("wb") as file:
            file.write(parcel.raw.replace(b"\r\n", b"\n"))
            file.flush()
            os.fsync(file.fileno())
        (box / "tmp" / name).rename(box / "new" / name)
        handle = os.open(box / "new", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
