"""Group commit: answers come after the commit, a job fails alone, a batch as a whole, poison is counted (T4, T8)."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path

import pytest

from mailbot.shell.writer import Unwritten, Writer
from mailbot.store.copies import copy_to
from mailbot.store.store import Store

NOW = 1_770_000_000


def run(
    tmp_path: Path, play: Callable[[Writer], Awaitable[None]], commit: Callable[[Store], None] | None = None
) -> Store:
    """Plays with a writer on a new database, and leaves the store open."""

    async def go() -> Store:
        store = Store.open(tmp_path / "db", NOW, b"k" * 32)
        writer = Writer(store, tmp_path / "inflight", (lambda: commit(store)) if commit else None)
        writer.start()
        await play(writer)
        await writer.stop()
        return store

    return asyncio.run(go())


def note(text: str) -> Callable[[Store], bool]:
    return lambda store: store.keep_for_operator("test", text, sha256(text.encode()).hexdigest(), NOW)


def notes(store: Store) -> list[str]:
    return [row[0] for row in store.db.execute("SELECT content FROM operator_mail ORDER BY id").fetchall()]


def test_jobs_share_a_commit(tmp_path: Path) -> None:
    commits = []

    def commit(store: Store) -> None:
        commits.append(1)
        store.commit()

    async def play(writer: Writer) -> None:
        await asyncio.gather(*(writer.do(note(str(i))) for i in range(20)))

    store = run(tmp_path, play, commit)
    assert notes(store) == [str(i) for i in range(20)]
    assert len(commits) < 20
    store.close()


def test_a1_no_answer_before_the_commit(tmp_path: Path) -> None:
    order = []

    def commit(store: Store) -> None:
        store.commit()
        order.append("commit")

    async def play(writer: Writer) -> None:
        await writer.do(note("x"))
        order.append("answer")

    run(tmp_path, play, commit).close()
    assert order == ["commit", "answer"]


def test_a_job_fails_alone(tmp_path: Path) -> None:
    def breaks(store: Store) -> None:
        note("half")(store)
        raise ZeroDivisionError

    async def play(writer: Writer) -> None:
        done = await asyncio.gather(
            writer.do(note("a")), writer.do(breaks), writer.do(note("b")), return_exceptions=True
        )
        assert [one if one is True else type(one) for one in done] == [True, ZeroDivisionError, True]

    store = run(tmp_path, play)
    assert notes(store) == ["a", "b"]
    store.close()


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR])
def test_a2_a_commit_that_fails_fails_all(tmp_path: Path, code: int) -> None:
    failing = [True]

    def commit(store: Store) -> None:
        if failing:
            failing.clear()
            error = sqlite3.OperationalError("disk trouble")
            error.sqlite_errorcode = code  # type: ignore[misc]
            raise error
        store.commit()

    async def play(writer: Writer) -> None:
        done = await asyncio.gather(writer.do(note("a")), writer.do(note("b")), return_exceptions=True)
        assert [type(one) for one in done] == [Unwritten, Unwritten]
        assert writer.broken.is_set() is (code == sqlite3.SQLITE_IOERR)
        await writer.do(note("later"))

    store = run(tmp_path, play, commit)
    assert notes(store) == ["later"]
    store.close()


def test_nothing_is_written_to_a_database_that_has_been_replaced(tmp_path: Path) -> None:
    """Whoever restores a backup under a running server: what came later would be lost with the next start."""

    async def go() -> None:
        store = Store.open(tmp_path / "db", NOW, b"k" * 32)
        writer = Writer(store, tmp_path / "inflight", path=tmp_path / "db")
        writer.start()
        await writer.do(note("before"))
        (tmp_path / "db").rename(tmp_path / "old")
        (tmp_path / "db").write_bytes((tmp_path / "old").read_bytes())
        with pytest.raises(Unwritten):
            await writer.do(note("lost"))
        assert writer.broken.is_set() and notes(store) == ["before"]
        await writer.stop()
        store.close()

    asyncio.run(go())


def test_nothing_is_written_to_a_database_that_has_been_written_over(tmp_path: Path) -> None:
    """By `cp`, which keeps the file and puts other octets into it."""

    async def go() -> None:
        store = Store.open(tmp_path / "db", NOW, b"k" * 32)
        copy_to(store.db, tmp_path / "copy")
        writer = Writer(store, tmp_path / "inflight", path=tmp_path / "db")
        writer.start()
        await writer.do(note("before"))
        former = (tmp_path / "db").read_bytes()
        for octets in ((tmp_path / "copy").read_bytes(), b"", b"no database"):
            writer.broken.clear()
            (tmp_path / "db").write_bytes(octets)
            with pytest.raises(Unwritten):
                await writer.do(note("lost"))
            assert writer.broken.is_set()
        (tmp_path / "db").write_bytes(former)
        await writer.do(note("again"))
        await writer.stop()
        assert notes(store) == ["before", "again"]
        store.close()

    asyncio.run(go())


def test_only_what_is_durable_is_told(tmp_path: Path) -> None:
    """Else a disk that is full has the postman try again two thousand times a second."""
    told: list[str] = []

    def breaks(store: Store) -> None:
        raise ZeroDivisionError

    def full() -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL  # type: ignore[misc]
        raise error

    async def go() -> None:
        store = Store.open(tmp_path / "db", NOW, b"k" * 32)
        commits = [store.commit, full, store.commit]
        writer = Writer(
            store,
            tmp_path / "inflight",
            lambda: commits.pop()(),
            committed=lambda: told.append("done"),
        )
        writer.start()
        for job in (breaks, note("a"), note("b")):
            await asyncio.gather(writer.do(job), return_exceptions=True)
        await writer.stop()
        store.close()

    asyncio.run(go())
    assert told == ["done"]


def test_a_mail_that_kills_the_process_is_counted(tmp_path: Path) -> None:
    key = "ab" * 32
    (tmp_path / "inflight").write_text(key)

    async def play(writer: Writer) -> None:
        writer.recover(NOW)
        counted = await writer.do(lambda store: store.db.execute("SELECT crashes FROM poison").fetchall())
        assert counted == [(1,)]
        writer.recover(NOW)
        assert await writer.do(lambda store: store.db.execute("SELECT crashes FROM poison").fetchall()) == [(1,)]

    run(tmp_path, play).close()


def test_the_key_stands_in_the_file_only_while_its_job_runs(tmp_path: Path) -> None:
    seen = []

    async def play(writer: Writer) -> None:
        await writer.do(lambda store: seen.append((tmp_path / "inflight").read_text().strip()), "cd" * 32)

    run(tmp_path, play).close()
    assert seen == ["cd" * 32]
    assert (tmp_path / "inflight").read_text().strip() == ""


def test_a_mail_that_is_read_when_the_process_dies_is_counted_by_its_octets(tmp_path: Path) -> None:
    (tmp_path / "inflight").write_text("ab" * 32)  # as an older mailbot left it, with one place

    async def play(writer: Writer) -> None:
        writer.recover(NOW)
        with pytest.raises(ZeroDivisionError):
            writer.reading("ef" * 32, lambda: 1 // 0)
        writer.recover(NOW)
        for _ in range(3):
            writer.reading("cd" * 32, writer.recover, NOW)  # what the next process does if this one dies in there
        assert writer.store.poisonous("cd" * 32)

    store = run(tmp_path, play)
    crashes = store.db.execute("SELECT lower(hex(key)), crashes FROM poison ORDER BY key").fetchall()
    assert crashes == [("ab" * 32, 1), ("cd" * 32, 3)]
    store.close()
