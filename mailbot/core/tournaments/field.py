"""What a tournament is decided from: its entrants, the results so far, who has withdrawn, its options and its seed.

Theory of operation. A tournament proceeds in steps: the games of a step begin together, and the next step is paired
when they are all over. So a format needs no memory: from the field alone it says which games begin (`PAIR`), that games
are still in play (`WAIT`), or that nothing more is to be played (`DONE`). The same field always gives the same answer,
whatever the order of its entrants and results. `docs/tournaments.md` states the rules.
"""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

from mailbot.core.effects import Forbidden

State = Literal["pair", "wait", "done"]
PAIR: State = "pair"
WAIT: State = "wait"
DONE: State = "done"

UNRATED = 1500.0
"""The rating an entrant without one is seeded by."""
FEWEST, MOST = 2, 256
"""Entrants of a tournament."""
EVER = 2000
"""Players who have ever entered a tournament without an end, those included who have left it."""


class Entrant(NamedTuple):
    """A player who takes part, and the rating that the seeding goes by."""

    name: str
    rating: float = UNRATED


class Pairing(NamedTuple):
    """A game to be played: `first` moves first. `second` is None for a bye. `group`: from 1, or 0 without groups."""

    round: int
    first: str
    second: str | None
    group: int = 0


class Result(NamedTuple):
    """A game that is over, or a bye (`second` is None). `score`: the first mover's, 1, 0.5 or 0."""

    round: int
    first: str
    second: str | None
    score: float
    group: int = 0

    @property
    def pairing(self) -> Pairing:
        """What was to be played."""
        return Pairing(self.round, self.first, self.second, self.group)


class Decision(NamedTuple):
    """What happens now. `pairings`: the games that begin, for PAIR; empty for WAIT and DONE."""

    state: State
    pairings: tuple[Pairing, ...] = ()


class Row(NamedTuple):
    """A line of a table. Players who share a place have the same `place`. `parted_by`: the rule that puts this player
    before the next one, `shared` where none does, nothing in the last row. `best` and `worst`: the places still
    possible if nobody withdraws."""

    place: int
    name: str
    points: float
    tiebreaks: Mapping[str, float | None]
    parted_by: str | None
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Field:
    """`entrants` in the order of their seeding. `results` in any order. `withdrawn`: after which round a player
    stopped; 0 is before the first. `options`: every option of the format, with its default where nothing was said.
    `begun`: games known to have begun, over or not; without them, the round in play is paired anew to find them."""

    entrants: tuple[Entrant, ...]
    results: tuple[Result, ...]
    withdrawn: Mapping[str, int] = dataclasses.field(hash=False)
    options: Mapping[str, int] = dataclasses.field(hash=False)
    seed: int
    begun: tuple[Pairing, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The players in the order of their seeding."""
        return tuple(entrant.name for entrant in self.entrants)

    def plays(self, name: str, round_: int) -> bool:
        """Whether this player is still there to be paired for this round."""
        return self.withdrawn.get(name, round_) >= round_

    def lot(self, *about: object) -> bool:
        """A draw of lots that anybody can repeat: decided by the seed and by what it is about."""
        return bool(sha256(repr((self.seed, *about)).encode("utf-8", "surrogatepass")).digest()[0] & 1)

    def refusal(self, result: Result, sentence: str) -> Forbidden:
        """The refusal of a result; `index` says which it is."""
        error = Forbidden(sentence)
        error.index = next(index for index, one in enumerate(self.results) if one is result)
        return error


class Option(NamedTuple):
    """What an option of a format may be. Switches are 0 or 1."""

    default: int
    least: int
    most: int


def gather(
    allowed: Mapping[str, Option],
    entrants: Iterable[Entrant],
    results: Iterable[Result] = (),
    withdrawn: Mapping[str, int] | None = None,
    options: Mapping[str, int] | None = None,
    seed: int = 0,
    begun: Iterable[Pairing] = (),
) -> Field:
    """A field whose names, numbers and options are in order. Raises Forbidden; `index` names the result at fault."""
    seeded = tuple(sorted(entrants, key=lambda entrant: (-entrant.rating, entrant.name)))
    names = [entrant.name for entrant in seeded]
    if not FEWEST <= len(names) <= MOST:
        raise Forbidden(f"entrants: a tournament has {FEWEST} to {MOST} of them, and here are {len(names)}")
    if twice := next((name for name, count in Counter(names).items() if count > 1), None):
        raise Forbidden(f"entrants: {twice} is entered twice")
    field = Field(seeded, tuple(results), dict(withdrawn or {}), checked(allowed, options or {}), seed, tuple(begun))
    known = set(names)
    for result in field.results:
        _check(field, result, known)
    for name, round_ in field.withdrawn.items():
        if name not in known:
            raise Forbidden(f"withdrawn: there is no entrant {name}")
        if round_ < 0:
            raise Forbidden(f"withdrawn: {name} cannot stop after round {round_}")
    return field


def checked(allowed: Mapping[str, Option], said: Mapping[str, int]) -> dict[str, int]:
    """Every option of a format, with its default where nothing was said. Raises Forbidden."""
    for name, value in said.items():
        option = allowed.get(name)
        if option is None:
            has = ", ".join(allowed) or "none"
            raise Forbidden(f"options: this format has no option {name}; its options: {has}")
        if not option.least <= value <= option.most:
            raise Forbidden(f"options: {name} is {option.least} to {option.most}, not {int(value)}")
    return {name: int(said.get(name, option.default)) for name, option in allowed.items()}


def _check(field: Field, result: Result, known: set[str]) -> None:
    for name in (result.first, result.second):
        if name is not None and name not in known:
            raise field.refusal(result, f"there is no entrant {name}")
    if result.first == result.second:
        raise field.refusal(result, f"{result.first} cannot meet himself")
    if result.round < 1:
        raise field.refusal(result, "rounds are counted from 1")
    if result.score not in (0, 0.5, 1):
        raise field.refusal(result, "a score is 1, 0.5 or 0")
    if result.second is None and result.score != 1:
        raise field.refusal(result, "a bye scores 1")


def said(pairing: Pairing) -> str:
    """A game in words, for a refusal."""
    if pairing.second is None:
        return f"a bye of {pairing.first}"
    return f"{pairing.first} against {pairing.second}" + (f" in group {pairing.group}" if pairing.group else "")
