"""The whole store as lines of JSON, for another server: what is written, what is left out, and why.

The first line says what the file is, the last one how many rows it has; between them is a row in each line, in an order
in which a row refers only to rows above it. A board's line has its moves.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

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
from mailbot.store import versions
from mailbot.store.rows import TABLES, every

FORMAT: Final = 1
"""The form of the lines. A new column with a default does not change it."""

Line = dict[str, Any]

WRITTEN: Final[tuple[type[Any], ...]] = (
    *(Player, Outage, Tournament, Game, Preference, Vacation, Seek, Tally, Plan, Submitted, Analysis, Hint, Deferred),
    *(Entry, Fixture, Rung, Overruled, Logged, Later, News, Pool, Ranking, Rated, Judged, Tried),
)
"""Rows that are always written, in this order. The moves (Move) stand in the line of their board (Game)."""

COMPUTED: Final = (Pool, Ranking, Rated)
"""Of these, what follows from the games. It is for readers: an import computes it anew."""

SECRET: Final[tuple[type[Any], ...]] = (AddressChange, Address, Failing, Contact)
"""Rows that are written only with the secrets. So are the hashes of passwords (`password_hash` of a Player)."""

RAW: Final[Mapping[str, Mapping[str, type]]] = {
    "pulse": {"alive": int, "stuck": int},
    "secret": {"id": int, "key": bytes, "created": int},
    "retired": {"mark": bytes, "at": int},
    "left_box": {"mark": str, "player": int, "at": int},
    "seen": {"key": bytes, "at": int, "mark": str, "about": str, "boards": str},
}
"""Tables that no row of the core stands for, with their columns. Only the first is written without the secrets. A line
has octets as hexadecimal digits."""

LEFT_OUT: Final[Mapping[str, str]] = {
    "outbox": "each player gets a new letter with the boards that wait; reply tokens of old letters end",
    "unproved": "mails that wait for their turn are done within seconds: none waits when the server has stopped",
    "picture": "they are made anew",
    "shunt": "mails that broke this version of the program, for its operator",
    "poison": "mails that killed this process",
    "attempts": "wrong passwords count anew; a network that was known for a player's is known after one good password",
    "operator_mail": "mail for this domain's postmaster, which is for a person to read",
    "last_start": "no mail waits for a start of a server that is no more",
    "served": "the new server has a domain of its own",
    "moved_entry": "an outage of this machine is over",
    "withheld": "counts of letters that this server did not write",
    "refold": "an import computes the ratings anew",
    "_sqlite_migrations": "the first line says the version",
    "sqlite_sequence": "the first line has its numbers",
}
"""Tables that are not written, and why."""

PAST: Final = ("created", "changed", "started", "at", "asked", "joined", "left", "since", "last", "ended")
"""Fields with a time that has been."""
_ENDED: Final[Mapping[str, Iterable[str]]] = {"outage": ("begin", "end"), "pulse": RAW["pulse"]}
"""The rows in which other fields have one. An outage that was wholly ahead lasts no time then."""

TABLE_OF: Final[Mapping[str, type[Any]]] = {TABLES[cls][0]: cls for cls in (*WRITTEN, *SECRET)}
"""What the `row` of a line stands for."""


def lines(db: Database, now: int, *, secrets: bool) -> Iterator[Line]:
    """The lines, all of one moment: call it in a transaction."""
    numbers = dict(db.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name").fetchall())
    version = versions.names(db)[-1]
    yield {"row": "mailbot", "format": FORMAT, "version": version, "secrets": secrets, "at": now, "numbers": numbers}
    count = 0
    for line in _rows(db, secrets):
        count += 1
        yield _until(now, line, _ENDED.get(line["row"], PAST))
    yield {"row": "end", "rows": count}


def _until(now: int, line: Line, names: Iterable[str] = PAST) -> Line:
    """The line as if all its past had been by now: an import refuses what is to come, and the machine's clock may have
    been ahead."""
    past = {name: min(line[name], now) for name in names if line.get(name)}
    moves = {"moves": [_until(now, move) for move in line["moves"]]} if line.get("row") == "game" else {}
    return line | past | moves


def left_behind(db: Database) -> int:
    """How many letters and mails are waiting, of which the lines say nothing."""
    waiting = db.execute("SELECT count(*) FROM outbox WHERE state = 'waiting'").fetchone()[0]
    return int(waiting) + int(db.execute("SELECT count(*) FROM unproved").fetchone()[0])


def _rows(db: Database, secrets: bool) -> Iterator[Line]:
    for table in RAW if secrets else ("pulse",):
        yield from _raw(db, table)
    for cls in WRITTEN:
        if cls is Game:
            yield from _games(db)
        else:
            where = "id > 0" if cls is Player else "1"  # the computer players are in every store
            for row in every(db, cls, where):
                yield _line(row, secrets)
    for cls in SECRET if secrets else ():
        for row in every(db, cls):
            yield _line(row, secrets)


def _raw(db: Database, table: str) -> Iterator[Line]:
    columns = RAW[table]
    for row in db.execute(f"SELECT {', '.join(columns)} FROM {table}"):  # noqa: S608 - names of this module
        values = (value.hex() if isinstance(value, bytes) else value for value in row)
        yield {"row": table, **dict(zip(columns, values, strict=True))}


def _line(row: Any, secrets: bool) -> Line:
    cls = type(row)
    line = {"row": TABLES[cls][0]} | {name: getattr(row, name) for name in cls.__match_args__}
    if cls is Player and not secrets:
        del line["password_hash"]
    return line


def _games(db: Database) -> Iterator[Line]:
    """The boards, each with its moves. Both are read in the order of the boards, and side by side."""
    moves = groupby(every(db, Move), key=lambda move: move.game)
    next_moves = next(moves, None)
    for game in every(db, Game):
        played: list[Line] = []
        if next_moves and next_moves[0] == game.id:
            played = [
                {"player": one.player, "text": one.text, "comment": one.comment, "at": one.at, "used": one.used}
                for one in next_moves[1]
            ]
            next_moves = next(moves, None)
        yield _line(game, secrets=False) | {"moves": played}


ELSEWHERE: Final = {Move: "in the line of its board", FoldMark: LEFT_OUT["refold"]}
"""The rows of the core that have no line of their own."""
