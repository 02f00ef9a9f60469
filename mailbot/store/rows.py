"""Frozen rows to and from SQL: one table per class of mailbot.core.model, columns named as the fields."""

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

from sqlite_utils import Database

from mailbot.core.model import (
    Address,
    AddressChange,
    Analysis,
    Contact,
    Failing,
    Game,
    Kept,
    Move,
    Plan,
    Player,
    Preference,
    Seek,
    Submitted,
    Tally,
)

T = TypeVar("T", bound=Kept)

TABLES: dict[type[Any], tuple[str, tuple[str, ...]]] = {
    Player: ("player", ("id",)),
    Address: ("address", ("id",)),
    AddressChange: ("address_change", ("id",)),
    Failing: ("failing", ("address",)),
    Contact: ("contact", ("addr",)),
    Game: ("game", ("id",)),
    Move: ("move", ("game", "ply")),
    Preference: ("preference", ("player", "name")),
    Seek: ("seek", ("id",)),
    Tally: ("tally", ("player", "what")),
    Plan: ("plan", ("game", "player")),
    Submitted: ("submitted", ("game", "player")),
    Analysis: ("analysis", ("game", "player")),
}
COLUMNS = {cls: ", ".join(field.name for field in fields(cls)) for cls in TABLES}


def _put(cls: type[Any]) -> str:
    """Insert or update; a Move is only ever inserted: (game, ply) is the second fence against playing twice."""
    table, key = TABLES[cls]
    names = [field.name for field in fields(cls)]
    sql = f"INSERT INTO {table} ({COLUMNS[cls]}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608
    if cls is Move:
        return sql
    sets = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{sql} ON CONFLICT ({', '.join(key)}) DO {'UPDATE SET ' + sets if sets else 'NOTHING'}"


_PUT = {cls: (_put(cls), attrgetter(*(field.name for field in fields(cls)))) for cls in TABLES}


def put(db: Database, row: Kept) -> None:
    """Keeps the row."""
    sql, values = _PUT[type(row)]
    db.execute(sql, values(row))


def drop(db: Database, row: Kept) -> None:
    """Deletes the row with this row's key, and what hangs on it."""
    table, key = TABLES[type(row)]
    where = " AND ".join(f"{name} = ?" for name in key)
    db.execute(f"DELETE FROM {table} WHERE {where}", [getattr(row, name) for name in key])  # noqa: S608


def some(db: Database, cls: type[T], where: str, *values: object) -> list[T]:
    """The rows of the class for which `where` (SQL of this package, never of a mail) holds."""
    sql = f"SELECT {COLUMNS[cls]} FROM {TABLES[cls][0]} WHERE {where}"  # noqa: S608
    return [cls(*row) for row in db.execute(sql, values).fetchall()]


def one(db: Database, cls: type[T], where: str, *values: object) -> T | None:
    """The only such row, or None."""
    found = some(db, cls, where, *values)
    return found[0] if found else None
