"""The machine misbehaves: real errors of SQLite and of a full disk, clocks that jump, a backup while mails come in.

docs/proof.md says what each fault looks like from outside, and names the tests of faults that are tried elsewhere.
"""

import asyncio
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mailbot.store import outbox
from mailbot.store.connection import connect
from mailbot.store.copies import copy_to
from tests.dialogues.play import Server
from tests.shell.test_reception import ANN, BOB, PASSWORDS, everything, played

TEMPORARY = "451 "


def full(server: Server) -> Callable[[], object]:
    """SQLite may not make the file larger than it is."""
    pages = server.store.db.execute("PRAGMA page_count").fetchone()[0]
    server.store.db.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    return lambda: server.store.db.execute("PRAGMA max_page_count = 1073741823").fetchall()


def readonly(server: Server) -> Callable[[], object]:
    server.store.db.execute("PRAGMA query_only = ON").fetchall()
    return lambda: server.store.db.execute("PRAGMA query_only = OFF").fetchall()


@pytest.mark.parametrize("breaks", [full, readonly], ids=["disk full", "read-only"])
def test_a2_sqlites_own_errors(breaks: Callable[[Server], Callable[[], object]], tmp_path: Path) -> None:
    """The sender is asked to try again, nothing has changed; mended, the same mail is done, once."""

    async def test(server: Server) -> None:
        mends = breaks(server)
        before = everything(server)
        refused = 0
        mails = [server.mail(ANN, f"show 1{' ' * n}", "") for n in range(40)]
        move = server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", "x" * 3000)
        for mail in [*mails, move]:
            status = await server.accept(mail)
            refused += status.startswith(TEMPORARY)
            if status.startswith(TEMPORARY):
                break
        assert refused, "the fault was never felt"
        if not server.db.execute("SELECT 1 FROM move").fetchone():
            mends()
            assert (await server.accept(move)).startswith("250 ")
        assert (await server.accept(move)).startswith("250 ")
        assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]
        assert breaks is full or before != everything(server)

    played(test, tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """On a file system of its own of three megabytes: 451 while it is full, and it goes on when there is room again."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)], check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:

        async def test(server: Server) -> None:
            ballast = disk / "ballast"
            with ballast.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
            statuses = set()
            for n in range(30):
                statuses.add((await server.accept(server.mail(ANN, "help", f"{n}")))[:3])
            assert "451" in statuses
            move = server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", "")
            assert (await server.accept(move)).startswith(TEMPORARY)
            ballast.unlink()
            assert (await server.accept(move)).startswith("250 ")
            assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]
            assert server.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

        played(test, disk)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("jump", [-86_400 * 400, -3600, 86_400 * 2, 86_400 * 40], ids=str)
def test_a_clock_that_jumps(jump: int, tmp_path: Path) -> None:
    """Games go on, letters leave at once, nothing lapses that was accepted, a mail is still done only once."""

    async def test(server: Server) -> None:
        move = server.reply(ANN, server.letters[ANN][-1], "b1")
        await server.accept(move)
        await server.clock(jump)
        await server.accept(move)
        assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]
        server.new_letters()
        assert (await server.accept(server.reply(BOB, server.letters[BOB][-1], "a2,c3"))).startswith("250 ")
        assert server.db.execute("SELECT state, ply FROM game").fetchall() == [("running", 2)]
        newest = server.db.execute("SELECT max(id) FROM outbox").fetchone()[0]
        for _ in range(20):
            claimed = await server.writer.do(lambda store: outbox.claim(store.db, server.time, 10))
            for letter, *_ in claimed:
                await server.writer.do(lambda store, id=letter: outbox.settle(store.db, id, "sent", server.time, ""))
        assert server.db.execute("SELECT state FROM outbox WHERE id = ?", (newest,)).fetchone() == ("sent",)

    played(test, tmp_path)


def test_a_backup_while_mails_come_in_can_be_played_on(tmp_path: Path) -> None:
    copies: list[Path] = []

    async def test(server: Server) -> None:
        stop = threading.Event()
        own = connect(tmp_path / "first" / "test.sqlite", readonly=True)

        def copy() -> None:
            while not stop.is_set() or not copies:
                copies.append(tmp_path / f"copy{len(copies)}" / "test.sqlite")
                copies[-1].parent.mkdir()
                copy_to(own, copies[-1])

        async def load() -> None:
            for n in range(150):
                await server.accept(server.mail(ANN, f"chat 1 ann {PASSWORDS['ann']}", f"word {n}"))
            stop.set()

        await asyncio.gather(asyncio.to_thread(copy), load())

    played(test, tmp_path / "first")
    assert copies

    async def played_on() -> None:
        server = Server(copies[-1].parent)
        server.writer.start()
        assert server.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert (await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))).startswith("250 ")
        assert server.db.execute("SELECT text FROM move").fetchall() == [("b1",)]
        await server.close()

    asyncio.run(played_on())
