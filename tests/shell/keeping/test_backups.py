"""`mailbot backup --keep`: which files it makes and deletes, what it finds wrong, and a server that plays on."""

import asyncio
import fcntl
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mailbot.shell.config.settings import (
    BotsSection,
    Config,
    ListenSection,
    PicturesSection,
    RelaySection,
    StoreSection,
)
from mailbot.shell.console import postman
from mailbot.shell.keeping.backups import Kept, keep
from mailbot.store import copies, restored
from mailbot.store.connection import at_rest, backed_up, connect
from mailbot.store.store import Store
from tests.e2e.test_games import ANN, BOB, Desk
from tests.shell.test_control import cli

NOW = 1_770_000_000
DAY = 86_400
FILE = re.compile(r"mailbot-\d{8}-\d{6}\.sqlite")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a store and a folder for backups."""
    Store.open(tmp_path / "db", NOW, b"k" * 32).close()
    (tmp_path / "kept").mkdir()
    return tmp_path


def kept(folder: Path, most: int = 3, now: int = NOW, spare: int = 0) -> Kept:
    with closing(connect(folder / "db", readonly=True)) as db:
        return keep(db, folder / "kept", most, now, spare)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "kept").iterdir())


def test_the_newest_are_kept(folder: Path) -> None:
    done = [kept(folder, now=NOW + day * DAY) for day in range(5)]
    assert [(one.kept, one.deleted) for one in done] == [(1, 0), (2, 0), (3, 0), (3, 1), (3, 1)]
    assert names(folder) == [one.file.name for one in done[2:]]
    assert done[0].file.name == "mailbot-20260202-024000.sqlite"
    assert kept(folder, most=1, now=NOW + 9 * DAY).deleted == 3
    assert len(names(folder)) == 1
    assert {path.stat().st_mode & 0o777 for path in (folder / "kept").iterdir()} == {0o600}


def test_only_our_own_older_backups_are_deleted(folder: Path) -> None:
    """Not what has another name, is no copy, is a link, or is a store that somebody has played on."""
    there = folder / "kept"
    first = kept(folder).file
    played_on = there / "mailbot-20200101-000000.sqlite"
    shutil.copy(first, played_on)
    Store.open(played_on, NOW, b"n" * 32).close()
    (there / "mailbot-20200101-000001.sqlite").write_bytes(b"SQLite format 3\0" + bytes(200))
    (there / "mailbot-20200101-000002.sqlite").symlink_to(first)
    (there / "mailbot-20200101-000003.sqlite").mkdir()
    shutil.copy(first, there / "before-upgrade.sqlite")
    shutil.copy(first, there / "mailbot-20200101-000004.sqlite.old")
    before = names(folder)
    last = kept(folder, most=1, now=NOW + DAY)
    assert last.deleted == 1
    assert names(folder) == sorted({*before, last.file.name} - {first.name})


def test_the_new_one_stays_also_when_the_clock_was_set_back(folder: Path) -> None:
    later = kept(folder, most=1, now=NOW + DAY).file
    assert kept(folder, most=1).file.exists()
    assert not later.exists()


def test_names_of_a_clock_that_was_ahead_go_first(folder: Path) -> None:
    for day in range(3):
        kept(folder, now=NOW + (300 + day) * DAY)
    done = [kept(folder, now=NOW + day * DAY).file for day in range(3)]
    assert names(folder) == [file.name for file in done]


def test_what_a_killed_run_has_left_is_removed(folder: Path) -> None:
    for name in ("mailbot-20200101-000000.sqlite.part", "mailbot-20200101-000000.sqlite.part-wal", "mine.part"):
        (folder / "kept" / name).write_bytes(b"x")
    assert names(folder)[2:] == ["mine.part"]
    file = kept(folder).file
    assert names(folder) == [file.name, "mine.part"]


def damage_rows(conn: sqlite3.Connection) -> None:
    conn.execute("DELETE FROM secret")
    conn.commit()


def damage_version(conn: sqlite3.Connection) -> None:
    conn.execute("UPDATE _sqlite_migrations SET name = 'x' WHERE name = '0001_first'")
    conn.commit()


def damage_reference(conn: sqlite3.Connection) -> None:
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute("INSERT INTO preference VALUES (77, 'board', 'none')")
    conn.commit()


def damage_structure(conn: sqlite3.Connection) -> None:
    file = conn.execute("PRAGMA database_list").fetchone()[2]
    (root,) = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'player'").fetchone()
    (page,) = conn.execute("PRAGMA page_size").fetchone()
    with Path(file).open("r+b") as opened:
        opened.seek((root - 1) * page)
        opened.write(b"\xff" * 200)


WRONG = [
    (damage_rows, "the copy is not good: table secret has other rows"),
    (damage_version, "the copy is not good: it has another version than the database"),
    (damage_reference, "the copy is not good: rows refer to rows that are missing"),
    (damage_structure, "the copy is not good: the database check says"),
]


@pytest.mark.parametrize(("damage", "said"), WRONG)
def test_a_copy_that_is_not_good_is_no_backup(
    damage: Callable[[sqlite3.Connection], None], said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk writes something else than it was told. Nothing is deleted, and the doctor hears of no backup."""
    kept(folder, now=NOW - DAY)
    before = names(folder)
    monkeypatch.setattr(restored, "mark", damage)
    code, out = cli(folder, "backup", "--keep", "1", str(folder / "kept"))
    assert (code, out.startswith(f"Error: {said}"), len(out.splitlines())) == (1, True, 1)
    assert names(folder) == before
    assert not (folder / "db.backup").exists()


def test_two_within_a_second_are_two(folder: Path) -> None:
    files = [kept(folder).file.name for _ in range(2)]
    assert sorted(files) == files
    assert names(folder) == files


def test_where_it_cannot_be_done_a_sentence_says_so(folder: Path) -> None:
    kept(folder)
    with pytest.raises(OSError, match=r"there is no room in .*: 1000000000000 MB are needed"):
        kept(folder, now=NOW + 1, spare=10**18)
    holder = os.open(folder / "kept", os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with pytest.raises(OSError, match="another backup is being made in"):
        kept(folder, now=NOW + 1)
    os.close(holder)
    assert len(names(folder)) == 1
    (folder / "file").touch()
    code, out = cli(folder, "backup", "--keep", "3", str(folder / "file"))
    assert (code, len(out.splitlines())) == (1, 1)


def test_the_command_says_what_it_did(folder: Path) -> None:
    code, out = cli(folder, "backup", "--keep", "2", str(folder / "kept"))
    assert code == 0
    assert FILE.search(out)
    assert out.endswith("Kept: 1, deleted: 0.\n")
    assert "last backup: 0 days ago" in cli(folder, "doctor")[1]


def test_a_copy_is_of_one_moment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is committed after the rows were counted is not in the copy, and does not make it wrong."""
    store = Store.open(folder / "db", NOW, b"k" * 32)

    def meanwhile(*told: Any) -> None:
        store.begin()
        store.db.execute("INSERT INTO news (player, at, words) VALUES (-1, 0, 'x')")
        store.commit()
        backed_up(*told)

    monkeypatch.setattr(copies, "backed_up", meanwhile)
    with closing(at_rest(kept(folder).file)) as copy:
        assert copy.execute("SELECT count(*) FROM news").fetchone() == (0,)
    with closing(at_rest(kept(folder, now=NOW + 1).file)) as copy:
        assert copy.execute("SELECT count(*) FROM news").fetchone() == (1,)
    store.close()


def test_a_restored_backup_is_served_and_played_on(tmp_path: Path) -> None:
    """As docs/install.md says it: play, back up by the timer's command, play on, lose the disk, restore, play on."""
    config = Config(
        listen=ListenSection(port=0),
        store=StoreSection(path=tmp_path / "db"),
        relay=RelaySection(maildir=tmp_path / "mail"),
        bots=BotsSection(workers=0),
        pictures=PicturesSection(workers=0),
    )

    async def before() -> None:
        async with Desk(tmp_path, config=config) as desk:
            await desk.two_players()
            await desk.command(ANN, "lambo challenge ann bob")
            await desk.answer(ANN, "accept")
            await desk.answer(BOB, "accept")
            await desk.answer(ANN, "b1")
            code, out = await asyncio.to_thread(cli, tmp_path, "backup", "--keep", "14", str(tmp_path / "backups"))
            assert code == 0, out
            await desk.answer(BOB, "a2,c3")
            assert desk.app.reads.texts(1) == ["b1", "a2,c3"]

    async def after() -> None:
        async with Desk(tmp_path, config=config) as desk:
            await desk.app.delivered()
            assert desk.app.reads.texts(1) == ["b1"], "what came after the backup is lost, and nothing else"
            assert "This board waits for you" in postman.text(desk.newest(BOB))
            await desk.answer(BOB, "a2,c3")
            await desk.answer(ANN, "c8,b21")
            assert desk.app.reads.texts(1) == ["b1", "a2,c3", "c8,b21"]

    asyncio.run(before())
    for name in ("db", "db-wal", "db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    [backup] = (tmp_path / "backups").iterdir()
    shutil.copy(backup, tmp_path / "db")
    asyncio.run(after())
