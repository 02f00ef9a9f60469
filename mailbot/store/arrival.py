"""Another server's lines into an empty store: all of them in one transaction, or none.

Nothing in a line is believed (core.operator.arrivals). The imported store goes on like a copy that was restored: with a
new key, higher numbers, and a letter to each player with the boards that wait.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Annotated, Any, NamedTuple, get_type_hints

import msgspec
from sqlite_utils import Database

from engine.errors import EngineError, clip
from mailbot.core.contests import Tournament
from mailbot.core.effects import Forbidden
from mailbot.core.games import course, timing
from mailbot.core.model import DAY, Game, Move, Outage, Player
from mailbot.core.operator import arrivals
from mailbot.core.tokens import LARGEST_KEY_ID
from mailbot.core.world import Request
from mailbot.store import ratings, restored
from mailbot.store.lines import COMPUTED, FORMAT, PAST, RAW, TABLE_OF
from mailbot.store.reads import Reads
from mailbot.store.rows import TABLES, add, every, put
from mailbot.store.store import Store

MOST_OCTETS = 8_000_000
"""A longer line is refused, so that none has to be kept."""
BIGGEST = 10**8
"""No number of a row is larger: letters and tokens take nine digits."""

Number = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
Words = Annotated[str, msgspec.Meta(max_length=200_000)]


class BadLine(ValueError):
    """`str(error)` is one sentence that names the line and what is wrong with it. Nothing was changed."""


class Arrived(NamedTuple):
    """What was imported: rows of the file; of them players, games, and rated games; and whether with the secrets."""

    rows: int
    players: int
    games: int
    rated: int
    secrets: bool


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    format: Number
    version: Words
    secrets: bool
    at: Annotated[int, msgspec.Meta(ge=0, le=10**11)]
    numbers: dict[str, Annotated[int, msgspec.Meta(ge=0, le=BIGGEST)]]


class _End(msgspec.Struct, forbid_unknown_fields=True):
    rows: Number


class _Played(msgspec.Struct, forbid_unknown_fields=True):
    player: Number
    text: Words
    comment: Words
    at: Number
    used: Number = 0


_BOUNDED = {int: Number, str: Words}


def _shape(cls: type[Any]) -> type[msgspec.Struct]:
    """What the line of a row must be: its fields with their types and defaults."""
    if is_dataclass(cls):
        defaults = {one.name: one.default for one in fields(cls) if one.default is not MISSING}
    else:
        defaults = dict(cls._field_defaults)
    if cls is Player:
        defaults["password_hash"] = ""  # which is left out of an export without secrets
    wanted: list[Any] = []
    for name, kind in get_type_hints(cls).items():
        bare = getattr(kind, "__supertype__", kind)
        bounded = Number | None if bare == int | None else _BOUNDED.get(bare, bare)
        wanted.append((name, bounded, defaults[name]) if name in defaults else (name, bounded))
    if cls is Game:
        wanted.append(("moves", list[_Played]))
    return msgspec.defstruct(cls.__name__, wanted, forbid_unknown_fields=True, kw_only=True)


_SHAPES = {cls: _shape(cls) for cls in TABLE_OF.values()}


def arrive(
    store: Store, octets: Iterable[bytes], now: int, new_key: bytes, fits: Callable[[str], bool] = lambda hash: True
) -> Arrived:
    """Takes all lines into the store, which must be empty. `fits`: whether a text may be the hash of a password.

    Raises BadLine; then nothing has changed.
    """
    store.begin()
    try:
        arrived = _Arrival(store, now, fits).read(octets, new_key)
        store.commit()
    except BaseException:
        store.rollback()
        raise
    return arrived


_HEX = re.compile(r"(?:[0-9a-f]{2}){16}(?:(?:[0-9a-f]{2}){16})?")


def _octets(value: object) -> bytes:
    """A hash or a key of 32 octets, as hexadecimal digits. Computer players once had keys of 16."""
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise msgspec.ValidationError("Expected 16 or 32 octets, as hexadecimal digits")
    return bytes.fromhex(value)


_RAW: dict[type, Callable[[object], Any]] = {
    bytes: _octets,
    str: lambda value: msgspec.convert(value, Words),
    int: lambda value: msgspec.convert(value, Annotated[int, msgspec.Meta(ge=0, le=10**11)]),
}
"""How the values of tables are read that no row of the core stands for."""


def _value(column: str, kind: type, said: object) -> Any:
    try:
        return _RAW[kind](said)
    except msgspec.ValidationError as error:
        raise Forbidden(f"{column}: {_shapeless(error)}") from None


class _Arrival:
    """One import. `head`: the first line, once it was read."""

    def __init__(self, store: Store, now: int, fits: Callable[[str], bool]) -> None:
        self.store = store
        self.db: Database = store.db
        self.now = now
        self.fits = fits
        self.world = Reads(self.db, store.catalogue, store.caps)
        self.head: _Head | None = None
        self.rows = self.players = self.games = 0

    def read(self, octets: Iterable[bytes], new_key: bytes) -> Arrived:
        if there := [table for table in TABLE_OF if self._has(table)]:
            raise BadLine(f"this server is not empty (it has rows of: {', '.join(there)}); import into a new one")
        self.db.execute("DELETE FROM pulse")
        ended = False
        for number, line in enumerate(octets, 1):
            if ended:
                raise BadLine(f"line {number} stands behind the end")
            try:
                ended = self._line(line)
            except EngineError as error:
                raise BadLine(f"line {number}: {clip(str(error), 300)}") from None
            except sqlite3.IntegrityError as error:
                raise BadLine(f"line {number}: {_constraint(str(error))}") from None
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                raise BadLine(f"line {number}: {_shapeless(error)}") from None
        if not ended or not self.head:
            raise BadLine("the file has no last line that says how many rows it has; it is not whole")
        rated = self._settle(self.head, new_key)
        return Arrived(self.rows, self.players, self.games, rated, self.head.secrets)

    def _has(self, table: str) -> bool:
        where = "id > 0" if table == "player" else "1"
        return self.db.execute(f"SELECT 1 FROM {table} WHERE {where} LIMIT 1").fetchone() is not None  # noqa: S608

    def _line(self, octets: bytes) -> bool:
        """Takes a line in; True for the last one."""
        if len(octets) > MOST_OCTETS:
            raise Forbidden("it is too long")
        said = msgspec.json.decode(octets, type=dict[str, Any])
        what = said.pop("row", None)
        if self.head is None:
            if what != "mailbot":
                raise Forbidden("the first line does not say that this is an export of mailbot")
            if said.get("format") != FORMAT:
                raise Forbidden(f"this mailbot reads the format {FORMAT}, and the file has another one")
            self.head = msgspec.convert(said, _Head)
            if self.head.at > self.now + DAY:
                raise Forbidden("the file is from the future; is the clock of this machine right?")
        elif what == "end":
            end = msgspec.convert(said, _End)
            if end.rows != self.rows:
                raise Forbidden(f"the file should have {end.rows} rows, and has {self.rows}")
            return True
        elif isinstance(what, str) and (what in RAW or what in TABLE_OF):
            self.rows += 1
            if what in RAW:
                self._raw(what, said)
            else:
                self._row(TABLE_OF[what], said)
        else:
            raise Forbidden(f"there are no rows of '{clip(str(what))}'")
        return False

    def _raw(self, table: str, said: dict[str, Any]) -> None:
        columns = RAW[table]
        if set(said) != set(columns):
            raise Forbidden(f"its keys are {', '.join(columns)}")
        row = [_value(column, kind, said[column]) for column, kind in columns.items()]
        names = [*columns]
        if table == "pulse" and max(row) > self.now:
            raise Forbidden("it is from the future")
        if table == "secret":
            if not 1 <= row[0] <= LARGEST_KEY_ID:
                raise Forbidden("the number of a key is not possible")
            self.db.execute("DELETE FROM secret WHERE ended = 0")  # an empty server has signed nothing that counts
            names, row = [*names, "ended"], [*row, self.now]
        places = ", ".join("?" * len(row))
        self.db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", row)  # noqa: S608

    def _row(self, cls: type[Any], said: dict[str, Any]) -> None:
        found = msgspec.convert(said, _SHAPES[cls])
        values = {name: getattr(found, name) for name in cls.__match_args__}
        self._require_bounds(cls, values)
        if cls in COMPUTED:
            return
        row = cls(**values)
        if isinstance(row, Game):
            moves = [
                Move(row.id, ply, one.player, one.text, one.comment, one.at, one.used)
                for ply, one in enumerate(found.moves, 1)  # type: ignore[attr-defined]
            ]
            for move in moves:
                self._require_bounds(Move, move._asdict())
            arrivals.require_game(row, moves, self.world)
            add(self.db, [row])
            add(self.db, moves)
            self.games += 1
            return
        if isinstance(row, Player):
            if row.password_hash and not self.fits(row.password_hash):
                raise Forbidden("password_hash: this is no hash that the server would make")
            self.players += 1
        arrivals.require(row, self.world)
        add(self.db, [row])

    def _require_bounds(self, cls: type[Any], values: dict[str, Any]) -> None:
        """Numbers that rows have in common: ids, times, seconds; and words that can be stored and shown."""
        assert self.head
        for name, value in values.items():
            if isinstance(value, str):
                arrivals.require_text(name, value)
            if name in COUNTED and not 0 <= value <= BIGGEST:
                raise Forbidden(f"{name}: expected a number up to {BIGGEST}")
            past = name in PAST or (cls is Outage and name == "end")
            if past and not 0 <= value <= self.head.at + DAY:
                raise Forbidden(f"{name}: expected a time, in unix seconds, before that of the file")
            if name in SPANS and value is not None and not 0 <= value <= 10**11:
                raise Forbidden(f"{name}: expected a number that is not negative")
        if "id" in values and values["id"] < 1:
            raise Forbidden("id: expected a number from 1 on")

    def _settle(self, head: _Head, new_key: bytes) -> int:
        """What follows from the rows; returns how many games are rated."""
        for tournament in list(every(self.db, Tournament)):
            try:
                arrivals.require_standing(tournament, self.world)
            except EngineError as error:
                raise BadLine(f"tournament {tournament.id} does not add up: {clip(str(error), 300)}") from None
            put(self.db, replace(tournament, due=arrivals.due_at(tournament, self.world, self.now)), tournament)
        rated = ratings.refold(self.db).games
        self.db.execute("UPDATE game SET flag_at = NULL, remind_at = NULL WHERE state <> 'running' OR clock = 'none'")
        for (number,) in self.db.execute("SELECT id FROM game WHERE state = 'running' AND clock <> 'none'").fetchall():
            game = self.world.game(number)
            assert game
            put(self.db, course.timed(game, timing.of(game, self.now, self.world), self.now), game)
        for table, number in head.numbers.items():
            if table in _NUMBERED:
                self.db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
                largest = f"max(?, (SELECT coalesce(max(id), 0) FROM {table}))"  # noqa: S608 - a name of ours
                self.db.execute(f"INSERT INTO sqlite_sequence (name, seq) VALUES (?, {largest})", (table, number))  # noqa: S608
        restored.renew(self.db, new_key, self.now)
        self.store.apply(restored.letters(self.db, self.now, self.world), Request(self.now))
        return rated


COUNTED = ("id", "game", "ply", "tournament", "number", "password_version", "token_epoch", "taken_back")
"""Fields with a number that a token may have to hold."""
SPANS = ("left1", "left2", "began", "flag_at", "remind_at", "used", "taken_back", "until", "due", "end", "told")
"""Fields with a time or a number that is not negative."""

_NUMBERED = frozenset(
    {TABLES[cls][0] for cls in TABLES if TABLES[cls][1] == ("id",)} | {"outbox", "shunt", "operator_mail", "unproved"}
)
"""Tables that number their rows, and never use a number twice."""

_CONSTRAINTS = (
    ("FOREIGN KEY", "it refers to a row that does not stand above it"),
    ("UNIQUE", "another line has the same"),
    ("CHECK", "one of its values is not allowed"),
)


def _constraint(said: str) -> str:
    """The store's refusal of a row, in words. It repeats names of columns only."""
    words = next((words for begin, words in _CONSTRAINTS if said.startswith(begin)), "the store refuses it")
    columns = said.partition(": ")[2] if said.startswith("UNIQUE") else ""
    return f"{words} {columns}".strip()


def _shapeless(error: Exception) -> str:
    """What is wrong with the form of a line."""
    if not isinstance(error, msgspec.ValidationError):
        return "this is not JSON"
    what, _, where = str(error).partition(" - at ")
    key = where.strip("`").removeprefix("$.").removeprefix("$")
    what = clip(f"{what[:1].lower()}{what[1:]}", 200)
    return f"{key}: {what}" if key else what
