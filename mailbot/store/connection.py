"""Connections to the file, its octets in another file, and the machine's trouble behind an SQLite error."""

import sqlite3
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any

from sqlite_utils import Database


class Displaced(Exception):
    """Another file lies where the database was opened, so what is written now would be lost with the next start."""


class Trouble(Enum):
    """The machine's trouble that SQLite reports: it may pass, or the disk can no longer be trusted."""

    PASSING = "passing"
    LASTING = "lasting"


_TROUBLES = {
    sqlite3.SQLITE_FULL: Trouble.PASSING,
    sqlite3.SQLITE_BUSY: Trouble.PASSING,
    sqlite3.SQLITE_LOCKED: Trouble.PASSING,
    sqlite3.SQLITE_NOMEM: Trouble.PASSING,
    sqlite3.SQLITE_READONLY: Trouble.PASSING,
    sqlite3.SQLITE_CANTOPEN: Trouble.PASSING,
    sqlite3.SQLITE_IOERR: Trouble.LASTING,
    sqlite3.SQLITE_CORRUPT: Trouble.LASTING,
}
Unusable = sqlite3.DatabaseError
"""What a database raises that cannot be read or written."""


def said(error: Exception) -> str:
    """What SQLite says, without the data that it quotes."""
    return str(error).partition(" with text")[0]


def trouble(error: BaseException) -> Trouble | None:
    """The machine's trouble behind an error; None if it is our own bug."""
    if isinstance(error, Displaced):
        return Trouble.LASTING
    return _TROUBLES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF) if isinstance(error, sqlite3.Error) else None


def connect(path: Path, *, readonly: bool = False) -> Database:
    """A connection with the pragmas of T7 and T9. It asserts `synchronous`, because every promise depends on that.

    Raises OSError for a file that is not a database.
    """
    uri = f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rwc'}"
    try:
        conn = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise OSError(f"{path} cannot be used as a database: {said(error)}") from None
    db = Database(conn, execute_plugins=False)
    for pragma in ("busy_timeout = 5000", "foreign_keys = ON", "trusted_schema = OFF", "secure_delete = ON"):
        db.execute(f"PRAGMA {pragma}").fetchall()
    if readonly:
        db.execute("PRAGMA query_only = ON")
        return db
    db.execute("PRAGMA journal_mode = WAL").fetchall()
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA journal_size_limit = 67108864").fetchall()
    if db.execute("PRAGMA synchronous").fetchone()[0] != 2:
        raise RuntimeError("SQLite did not accept synchronous=FULL")
    return db


def in_transaction(db: Database) -> bool:
    """False outside a batch, and after an error that made SQLite end the transaction."""
    return bool(db.conn.in_transaction)


def rows_of(db: Database, sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
    """All rows of a SELECT. It bypasses sqlite_utils, because a mail asks a dozen times."""
    return db.conn.execute(sql, values).fetchall()


def run_all(db: Database, sql: str, values: Iterable[Any]) -> None:
    """Runs a statement for each of many values."""
    db.conn.executemany(sql, values)


def backed_up(db: Database, file: Path, mark: Callable[[sqlite3.Connection], None]) -> None:
    """Fills the file with the database as it is at this moment, or as it was when the transaction of `db` began."""
    copy = sqlite3.connect(file)
    try:
        db.conn.backup(copy)
        mark(copy)
    finally:
        copy.close()


def at_rest(file: Path) -> Database:
    """A connection to a file that nobody has open. It leaves no file beside it."""
    conn = sqlite3.connect(f"{file.absolute().as_uri()}?immutable=1", uri=True)
    return Database(conn, execute_plugins=False)
