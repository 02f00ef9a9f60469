"""Doors for other programs: the deciding functions on JSON, for directors who try something out and for our checkers.

    mailbot clock FILE|-      a game a line; answers what its clock says, a line each
    mailbot ratings FILE|-    a game a line; answers every player's rating in one object
    mailbot pairings FILE|-   a tournament in one object; answers who plays next, and the table

Their forms are stable (docs/doors.md). Bad input gets one sentence that names the line or the key, and nothing else.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TextIO, TypeVar

import click
import msgspec

from engine.errors import EngineError, clip
from mailbot.core import tournaments
from mailbot.core.games import clocks
from mailbot.core.games.clocks import Event, Stretch
from mailbot.core.ratings.fold import Finished, Fold
from mailbot.core.tournaments.field import MOST, UNRATED, Entrant, Pairing, Result, Row, gather

T = TypeVar("T")
Moment = Annotated[int, msgspec.Meta(ge=0, le=10**11)]
Seat = Literal[1, 2]
MANY = 100_000
Round = Annotated[int, msgspec.Meta(ge=0, le=MANY)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class BadInput(Exception):
    """`str(error)` is one sentence that names the line and the key."""


class _Kept(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A JSON object with these keys and no others."""


class _Away(_Kept, frozen=True):
    begin: Moment = msgspec.field(name="from")
    end: Moment = msgspec.field(name="to")


class _Vacation(_Away, frozen=True):
    seat: Seat


class _Move(_Kept, tag_field="kind", tag="move", frozen=True):
    at: Moment
    queued: bool = False


class _Grant(_Kept, tag_field="kind", tag="grant", frozen=True):
    at: Moment
    seat: Seat
    seconds: Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class _Clocked(_Kept, frozen=True):
    clock: str
    start: Moment
    until: Moment
    noweekends: bool = False
    events: list[_Move | _Grant] = []
    vacations: list[_Vacation] = []
    outages: list[_Away] = []


class _Rated(_Kept, frozen=True):
    category: Name
    first: Name
    second: Name
    score: float
    ended: Moment
    plies: Annotated[int, msgspec.Meta(ge=0)]
    reason: str = ""


class _Entrant(_Kept, frozen=True):
    name: Name
    rating: Annotated[float, msgspec.Meta(ge=-10_000, le=10_000)] = UNRATED


class _Result(_Kept, frozen=True):
    round: Round
    first: Name
    second: Name | None
    score: float
    group: Annotated[int, msgspec.Meta(ge=0, le=MOST)] = 0


class _Tournament(_Kept, frozen=True):
    format: str
    entrants: list[_Entrant]
    options: dict[str, Any] = {}
    results: list[_Result] = []
    withdrawn: dict[str, Any] = {}
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0


def clock(lines: Sequence[str]) -> list[str]:
    """What each game's clock says: `{"flag": ..., "left": [...], "flag_at": ...}`. Raises BadInput."""
    return [json.dumps(_clocked(number, one)) for number, one in _read(lines, _Clocked)]


def _clocked(number: int, one: _Clocked) -> dict[str, Any]:
    try:
        terms = clocks.parse(one.clock)
    except EngineError as error:
        raise BadInput(f"line {number}, clock: {error}") from None
    if one.until < one.start:
        raise BadInput(f"line {number}, until: it is before the start")
    for key, stretches in (("vacations", one.vacations), ("outages", one.outages)):
        if any(stretch.end < stretch.begin for stretch in stretches):
            raise BadInput(f"line {number}, {key}: a stretch ends before it begins")
    if [one.start, *(event.at for event in one.events)] != sorted([one.start, *(event.at for event in one.events)]):
        raise BadInput(f"line {number}, events: they are not in the order of their times, or begin before the start")
    if terms is None:
        return {"flag": None, "left": [None, None], "flag_at": None}
    told = clocks.follow(
        terms,
        one.start,
        [
            Event(event.at, queued=event.queued)
            if isinstance(event, _Move)
            else Event(event.at, "grant", seat=event.seat, seconds=event.seconds)
            for event in one.events
        ],
        [[Stretch(row.begin, row.end) for row in one.vacations if row.seat == seat] for seat in (1, 2)],
        [Stretch(row.begin, row.end) for row in one.outages],
        one.until,
        one.noweekends,
    )
    flag = {"seat": told.flag[0], "at": told.flag[1]} if told.flag else None
    return {"flag": flag, "left": list(told.left), "flag_at": told.flag_at}


def ratings(lines: Sequence[str]) -> list[str]:
    """One object: category, player, rating. The lines may come in any order; games that ended at the same time count in
    the order of their lines. Raises BadInput."""
    games = []
    for number, one in _read(lines, _Rated):
        if one.score not in (0, 0.5, 1):
            raise BadInput(f"line {number}, score: it is 1, 0.5 or 0")
        if one.first == one.second:
            raise BadInput(f"line {number}, second: a player cannot meet himself")
        games.append(one)
    fold = Fold[str]()
    for game in sorted(games, key=lambda game: game.ended):
        fold.add(
            Finished(game.category, game.first, game.second, game.score, game.ended, game.plies, game.reason == "time")
        )
    keys = ("rating", "rd", "volatility", "games", "rated")
    told = {
        category: {name: {key: getattr(players[name], key) for key in keys} for name in sorted(players)}
        for category, players in sorted(fold.ratings.items())
    }
    return [json.dumps(told, ensure_ascii=False)]


def pairings(lines: Sequence[str]) -> list[str]:
    """One object: what happens now (`wait`, `pair` or `done`), the games that begin, and the table. Raises BadInput."""
    one = _whole("\n".join(lines), _Tournament)
    try:
        row = tournaments.find(one.format)
    except EngineError as error:
        raise BadInput(f"format: {error}") from None
    try:
        field = gather(
            row.options,
            [Entrant(entrant.name, entrant.rating) for entrant in one.entrants],
            [Result(game.round, game.first, game.second, game.score, game.group) for game in one.results],
            _numbers("withdrawn", one.withdrawn),
            _numbers("options", one.options),
            one.seed,
        )
        decision = row.pairings(field)
        table = row.table(field)
    except EngineError as error:
        where = "" if error.index is None else f"results[{error.index}]: "
        raise BadInput(f"{where}{error}") from None
    told = {
        "state": decision.state,
        "pairings": [_pairing(game) for game in decision.pairings],
        "table": [_row(line) for line in table],
    }
    return [json.dumps(told, ensure_ascii=False)]


def _numbers(key: str, said: dict[str, Any]) -> dict[str, int]:
    """The whole numbers under the names of this key; a switch may be true or false."""
    for name, value in said.items():
        if not isinstance(value, int) or not -MANY <= value <= MANY:
            raise BadInput(f"{key}.{name}: expected a whole number up to {MANY}")
    return {name: int(value) for name, value in said.items()}


def _pairing(game: Pairing) -> dict[str, Any]:
    return {key: value for key, value in game._asdict().items() if key != "group" or value}


def _row(line: Row) -> dict[str, Any]:
    breaks = {name: _number(value) for name, value in line.tiebreaks.items()}
    return {**line._asdict(), "points": _number(line.points), "tiebreaks": breaks}


def _number(value: float | None) -> float | None:
    """A whole number without a decimal point."""
    return int(value) if value is not None and value == int(value) else value


def _whole(text: str, kind: type[T]) -> T:
    """The one object of the text, which may stand in several lines."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise BadInput(_sentence(str(error))) from None
    except (msgspec.DecodeError, RecursionError) as error:
        at = re.search(r"\(byte (\d+)\)", str(error))
        octets = text.rstrip().encode("utf-8", "surrogatepass")
        line = octets[: int(at[1]) if at else None].count(b"\n") + 1
        raise BadInput(f"line {line}: this is not JSON") from None


def _read(lines: Sequence[str], kind: type[T]) -> list[tuple[int, T]]:
    """The objects in the lines that are not blank, with their line numbers."""
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append((number, msgspec.json.decode(line, type=kind)))
        except msgspec.ValidationError as error:
            raise BadInput(f"line {number}: {_sentence(str(error))}") from None
        except (msgspec.DecodeError, RecursionError):
            raise BadInput(f"line {number}: this is not JSON") from None
    return found


def _sentence(said: str) -> str:
    """msgspec's `Expected ..., got ... - at `$.key``, with the key in front."""
    what, _, where = said.partition(" - at ")
    key = where.strip("`").removeprefix("$.")
    return f"{key}: {what[:1].lower()}{what[1:]}" if key else f"{what[:1].lower()}{what[1:]}"


def _door(name: str, answer: Callable[[Sequence[str]], list[str]], summary: str) -> click.Command:
    @click.command(name, help=summary)
    @click.argument("file", type=click.File("r", encoding="utf-8"))
    def command(file: TextIO) -> None:
        try:
            told = answer(file.read().split("\n"))
        except BadInput as error:
            click.echo(clip(str(error), 500), err=True)
            raise SystemExit(2) from None
        except UnicodeDecodeError:
            click.echo("the input is not UTF-8", err=True)
            raise SystemExit(2) from None
        for line in told:
            click.echo(line)

    return command


DOORS = (
    _door("clock", clock, "Say what the clocks of games say: JSON lines from FILE (- is standard input)."),
    _door("ratings", ratings, "Compute ratings from finished games: JSON lines from FILE (- is standard input)."),
    _door(
        "pairings", pairings, "Pair a tournament and make its table: one JSON object from FILE (- is standard input)."
    ),
)
