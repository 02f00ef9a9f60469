"""Frozen rows to and from SQL: one table per class of mailbot.core.model, columns named as the fields."""

from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import compress, count
from operator import attrgetter, ne
from typing import Any, TypeVar

from sqlite_utils import Database

from mailbot.core.contests import Entry, Fixture, Later, Logged, Overruled, Rung, Tournament
from mailbot.core.model import (
    Address,
    AddressChange,
    Analysis,
    Contact,
    Deferred,
    Failing,
    FoldMark,
    Game,
    Hint,
    Judged,
    Kept,
    Move,
    News,
    Outage,
    Plan,
    Player,
    Pool,
    Preference,
    Ranking,
    Rated,
    Seek,
    Submitted,
    Tally,
    Vacation,
)
from mailbot.core.puzzles.tried import Tried
from mailbot.store.connection import rows_of, run_all

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
    Judged: ("judged", ("game",)),
    Hint: ("hint", ("game", "player", "after")),
    Tried: ("tried", ("player", "day")),
    Deferred: ("deferred", ("player", "by")),
    Outage: ("outage", ("id",)),
    Vacation: ("vacation", ("id",)),
    Tournament: ("tournament", ("id",)),
    Entry: ("entry", ("tournament", "player")),
    Fixture: ("fixture", ("tournament", "number")),
    Rung: ("rung", ("tournament", "seat")),
    Overruled: ("overruled", ("game",)),
    Logged: ("logged", ("id",)),
    Later: ("later", ("id",)),
    Pool: ("pool", ("category",)),
    Ranking: ("ranking", ("category", "player")),
    Rated: ("rated", ("game",)),
    FoldMark: ("refold", ("one",)),
    News: ("news", ("id",)),
}
_NAMES: dict[type[Any], tuple[str, ...]] = {cls: cls.__match_args__ for cls in TABLES}
COLUMNS = {cls: ", ".join(names) for cls, names in _NAMES.items()}


def _put(cls: type[Any]) -> str:
    """Insert or update; a Move is only ever inserted: (game, ply) is the second fence against playing twice."""
    table, key = TABLES[cls]
    names = _NAMES[cls]
    sql = f"INSERT INTO {table} ({COLUMNS[cls]}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608
    if cls is Move:
        return sql
    sets = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{sql} ON CONFLICT ({', '.join(key)}) DO {'UPDATE SET ' + sets if sets else 'NOTHING'}"


_PUT: dict[type[Any], tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    cls: (_put(cls), tuple if issubclass(cls, tuple) else attrgetter(*names)) for cls, names in _NAMES.items()
}


def put(db: Database, row: Kept, before: Kept | None = None) -> None:
    """Stores the row. `before`: the stored row, if known; then only the changes are written."""
    if before is not None:
        columns = _PUT[type(row)][1]
        now = columns(row)
        changed = tuple(compress(count(), map(ne, now, columns(before))))
        if changed:
            db.execute(_update(TABLES[type(row)], _NAMES[type(row)], changed), [*(now[i] for i in changed), *_key(row)])
        return
    sql, values = _PUT[type(row)]
    db.execute(sql, values(row))


def add(db: Database, rows: Collection[Kept]) -> None:
    """Stores new rows of one class. Raises sqlite3.IntegrityError if one is there already."""
    for cls in {type(row) for row in rows}:
        values = _PUT[cls][1]
        run_all(db, _PUT[cls][0].partition(" ON CONFLICT ")[0], map(values, rows))


def put_all(db: Database, rows: Collection[Kept]) -> None:
    """Stores many rows of one class, in a third of the time that `put` takes for each."""
    for sql, values in {_PUT[type(row)] for row in rows}:
        run_all(db, sql, map(values, rows))


def drop(db: Database, row: Kept) -> None:
    """Deletes the row with this row's key, and the rows that depend on it."""
    table, key = TABLES[type(row)]
    db.execute(f"DELETE FROM {table} WHERE {_where(key)}", _key(row))  # noqa: S608


def _key(row: Kept) -> list[object]:
    return [getattr(row, name) for name in TABLES[type(row)][1]]


def _where(key: tuple[str, ...]) -> str:
    return " AND ".join(f"{name} = ?" for name in key)


@cache
def _update(kept: tuple[str, tuple[str, ...]], names: tuple[str, ...], changed: tuple[int, ...]) -> str:
    """An UPDATE of these columns (by their places). A column that is not named costs no index anything."""
    table, key = kept
    sets = ", ".join(f"{names[i]} = ?" for i in changed)
    return f"UPDATE {table} SET {sets} WHERE {_where(key)}"  # noqa: S608


def some(db: Database, cls: type[T], where: str, *values: object) -> list[T]:
    """The rows of the class for which `where` holds (SQL from this package, never from a mail)."""
    return [cls(*row) for row in rows_of(db, _select(TABLES[cls][0], COLUMNS[cls], where), values)]


@cache
def _select(table: str, columns: str, where: str) -> str:
    return f"SELECT {columns} FROM {table} WHERE {where}"  # noqa: S608


def of_two(db: Database, cls: type[T], column: str, values: tuple[int, int]) -> list[T]:
    """The rows of the class with one of two different numbers in this column. Not `IN (?, ?)`, because for that SQLite
    makes a table each time."""
    where = f"{column} = ?1 UNION ALL SELECT {COLUMNS[cls]} FROM {TABLES[cls][0]} WHERE {column} = ?2"  # noqa: S608
    return some(db, cls, where, *values)


def every(db: Database, cls: type[T], where: str = "1") -> Iterator[T]:
    """The rows of the class in the order of their keys, one after another, however many there are."""
    table, key = TABLES[cls]
    sql = f"SELECT {COLUMNS[cls]} FROM {table} WHERE {where} ORDER BY {', '.join(key)}"  # noqa: S608
    for row in db.execute(sql):
        yield cls(*row)


def one(db: Database, cls: type[T], where: str, *values: object) -> T | None:
    """The only such row, or None."""
    found = some(db, cls, where, *values)
    return found[0] if found else None
