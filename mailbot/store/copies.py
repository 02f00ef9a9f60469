"""Copies of the database: made while it is in use, read back from the disk, and in place only when they are good."""

import os
import sqlite3
from pathlib import Path

from sqlite_utils import Database

from mailbot.store import restored, versions
from mailbot.store.connection import at_rest, backed_up, in_transaction


def copy_to(db: Database, target: Path, *, replace: bool = False) -> int:
    """Copies the database, also while it is in use, and returns how many rows the copy has. It is written beside the
    target, read back, checked against the source as it was at that moment, and then renamed. It knows that it is a copy
    (`restored`).

    `db`: a connection that nobody else uses meanwhile. Raises OSError, also if the target is there and not to be
    replaced; then nothing new is there.
    """
    if target.exists() and not replace:
        raise FileExistsError(f"{target.name} exists already")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    try:
        db.execute("BEGIN")  # the copy and the counts are of the same moment
        rows = _rows(db)
        backed_up(db, part, restored.mark)
        if why := _wrong(part, rows, versions.names(db)):
            raise OSError(f"the copy is not good: {why}")
        part.replace(target)
        _synced(target.parent)
    except sqlite3.Error as error:
        raise OSError(f"the database could not be copied: {error}") from None
    finally:
        if in_transaction(db):
            db.execute("ROLLBACK")
        part.unlink(missing_ok=True)
    return sum(rows.values())


def size(db: Database) -> int:
    """How many bytes a copy takes."""
    return int(db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0])


def is_copy(file: Path) -> bool:
    """Whether this is a file, and no link, that `copy_to` has made and no server has opened since. Raises OSError. A
    file that this user may not read counts as none: another user has made it."""
    if file.is_symlink() or not file.is_file() or not os.access(file, os.R_OK):
        return False
    with file.open("rb") as opened:
        header = opened.read(100)
    return header.startswith(restored.MAGIC) and restored.marked(header)


def _rows(db: Database) -> dict[str, int]:
    """How many rows each table has."""
    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    return {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}  # noqa: S608


def _wrong(part: Path, rows: dict[str, int], version: list[str]) -> str:
    """What is wrong with the copy, or nothing."""
    with part.open("rb") as written:
        os.fsync(written.fileno())
        os.posix_fadvise(written.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # so that the disk is read, not the memory
    copy = at_rest(part)
    try:
        found = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if found != "ok":
            return f"the database check says {' '.join(found.split())}"
        if copy.execute("PRAGMA foreign_key_check").fetchone():
            return "rows refer to rows that are missing"
        if versions.names(copy) != version:
            return "it has another version than the database"
        counted = _rows(copy)
        return next((f"table {name} has other rows" for name in rows if rows[name] != counted.get(name)), "")
    finally:
        copy.close()


def _synced(folder: Path) -> None:
    """The new name is on the disk, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
