"""Makes the pictures in docs/pictures: letters as a player sees them, in Chromium.

    python -m tests.pictures [--folder DIR] [--all]

Needs the extra `pictures` and Debian's chromium. A server without sockets plays a few games; its letters are opened at
three widths, light and dark, with and without pictures. `--all`: each letter in each view, more than is kept.
"""

import argparse
import asyncio
import base64
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from email.message import EmailMessage, Message
from html import escape
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops

from mailbot.shell.post.painter import paint
from tests.dialogues.play import Server

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDTHS = (360, 600, 1000)
TALLEST, LONGEST = 4000, 1300
"""Pixels down that are looked at, and that are kept."""


class View(NamedTuple):
    """How a letter is looked at. `shown`: whether its pictures are."""

    width: int
    dark: bool = False
    shown: bool = True

    @property
    def name(self) -> str:
        """For a file."""
        return f"{self.width}{'-dark' if self.dark else ''}{'' if self.shown else '-no-pictures'}"


def html(letter: Message, *, shown: bool = True) -> str:
    """The HTML of a letter as a page that stands by itself."""
    assert isinstance(letter, EmailMessage)
    parts = {str(part["Content-ID"]).strip("<>"): part for part in letter.walk() if part["Content-ID"]}

    def data(found: re.Match[str]) -> str:
        content = bytes(parts[found[1]].get_payload(decode=True))
        return f'src="data:image/png;base64,{base64.b64encode(content).decode()}"' if shown else 'src="blocked:"'

    body = next(part for part in letter.walk() if part.get_content_type() == "text/html")
    return re.sub(r'src="cid:([^"]+)"', data, str(body.get_content()))


def photograph(page: str, view: View) -> Image.Image:
    """What Chromium shows of the page. In a frame, for a window has a smallest width."""
    style = f"border:0;width:{view.width}px;height:{TALLEST}px"
    frame = f'<iframe style="{style}" srcdoc="{escape(page)}"></iframe>'
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "page.html"), Path(folder, "out.png")
        source.write_text(
            '<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
            f'<body style="margin:0">{frame}'
        )
        program = shutil.which("chromium") or shutil.which("google-chrome")
        assert program, "apt-get install chromium"
        subprocess.run(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={folder}/profile",
                *(["--force-dark-mode"] if view.dark else []),
                f"--window-size={max(view.width, 600)},{TALLEST}",
                f"--screenshot={out}",
                source.as_uri(),
            ],
            check=True,
            capture_output=True,
        )
        picture = Image.open(BytesIO(out.read_bytes())).convert("RGB").crop((0, 0, view.width, TALLEST))
    ground = Image.new("RGB", picture.size, picture.getpixel((0, TALLEST - 1)))  # type: ignore[arg-type]
    used = ImageChops.difference(picture, ground).getbbox()
    return picture.crop((0, 0, view.width, min(TALLEST, (used[3] if used else 0) + 12)))


def write(picture: Image.Image, path: Path) -> None:
    """Writes a small file."""
    picture = picture.crop((0, 0, picture.width, min(picture.height, LONGEST)))
    picture.quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)


OPENING = ("b6", "a3,a12", "c16,a5")


async def letters(folder: Path) -> dict[str, Message]:
    """The ten commonest letters, by name."""
    server = Server(folder, paint=paint)
    server.writer.start()
    found: dict[str, Message] = {}

    async def say(who: str, subject: str, body: str = "", *, answers: str = "") -> Message:
        sender = f"{who}@example.org"
        if answers:
            letter = next(m for m in reversed(server.letters[sender]) if m["Reply-To"])
            await server.accept(server.reply(sender, letter, answers))
        else:
            await server.accept(server.mail(sender, subject, body))
        server.new_letters()
        return server.letters[sender][-1]

    def newest(who: str) -> Message:
        return server.letters[f"{who}@example.org"][-1]

    try:
        found["confirm"] = await say("anna", "signup anna sesame-street-1")
        found["welcome"] = await say("anna", "", answers="yes")
        await say("ben", "signup ben sesame-street-2")
        await say("ben", "", answers="yes")
        await say("anna", "lambo challenge ben anna sesame-street-1", "Hi Ben, do you dare?\n\nBest from the lake.")
        found["offer"] = newest("ben")
        await say("ben", "", answers="accept")
        for ply, move in enumerate((*OPENING, "a14,b4")):
            await say("anna" if ply % 2 else "ben", "", answers=move + "\n\nYour corner looks lonely. Look left!")
        found["turn"] = newest("ben")
        found["refused"] = await say("ben", "", answers="a0,a1")
        await say("ben", "", answers="c15,b30")
        await say("anna", "", answers="c1,a2\n\nThank you for the game!")
        found["over"] = newest("ben")
        found["help"] = await say("ben", "help lambo")
        found["settings"] = await say("ben", "set ben sesame-street-2")
        found["games"] = await say("ben", "games ben all")
        await say("ben", "mambo challenge ben anna sesame-street-2")
        await say("anna", "", answers="accept")
        for ply, move in enumerate(("f0", "f2", "d1", "d5", "e9", "d10", "c3")):
            await say("anna" if ply % 2 else "ben", "", answers=move)
        found["mambo"] = newest("anna")
        await say("ben", "set ben sesame-street-2 letters html")
        found["html"] = await say("ben", "show 1#4")
        await say("ben", "set ben sesame-street-2 board words")
        found["words"] = await say("ben", "show 1#4")
    finally:
        await server.close()
    return found


def kept(found: dict[str, Message]) -> Iterator[tuple[str, View]]:
    """The pictures that are kept."""
    for name in found:
        yield name, View(360)
    for width in WIDTHS:
        yield "turn", View(width)
        yield "turn", View(width, dark=True)
    yield "turn", View(360, shown=False)
    yield "over", View(600)
    yield "mambo", View(600, dark=True)


def every(found: dict[str, Message]) -> Iterator[tuple[str, View]]:
    """All views of all letters."""
    for name, width, dark, shown in product(found, WIDTHS, (False, True), (True, False)):
        yield name, View(width, dark, shown)


def main() -> None:
    """Writes the pictures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folder", type=Path, default=FOLDER)
    options.add_argument("--all", action="store_true", help="each letter in each view")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        found = asyncio.run(letters(Path(scratch)))
    for name, view in dict.fromkeys((every if given.all else kept)(found)):
        path = given.folder / f"{name}-{view.name}.png"
        write(photograph(html(found[name], shown=view.shown), view), path)
        print(f"{path.name}  {path.stat().st_size} octets")


if __name__ == "__main__":
    main()
