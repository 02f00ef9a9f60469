"""The stored rows of tournaments that run here. mailbot.core.tournaments decides from them who meets whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NewType

Stage = NewType("Stage", str)
"""The stage of a tournament: one of `Stages`."""


class Stages:
    """Each stage of a tournament: draft -> entry -> running -> over; and cancelled from each of the first three."""

    DRAFT: Final = Stage("draft")
    """Announced, but nobody can enter (yet, or any more)."""
    ENTRY: Final = Stage("entry")
    RUNNING: Final = Stage("running")
    OVER: Final = Stage("over")
    CANCELLED: Final = Stage("cancelled")
    AHEAD: Final = (DRAFT, ENTRY)
    OPEN: Final = (DRAFT, ENTRY, RUNNING)
    SAID: Final = {
        DRAFT: "is not open yet",
        ENTRY: "has not begun",
        RUNNING: "has begun",
        OVER: "is over",
        CANCELLED: "is cancelled",
    }
    """What a tournament of this stage does, in words."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. `director`: a player, 0 for the operator. `format`: with its options, `swiss,rounds=5`.

    `least`, `most`: entrants. `until`: when entry ends by itself, 0 for never. `seed`: decides where lots are drawn.
    `rating`: which one a player needs to enter, `1400-1800`, or nothing; `unrated`: 1 if its games are not rated.
    `words`: what the director says of it. `every`: how often there is another edition (hosting/editions.py), or
    nothing; `edition`: from 1; `previous`: the tournament that was the edition before, 0 for none. `due`: when
    something happens by itself next (hosting/steps.py), or None.
    """

    id: int
    name: str
    director: int
    stage: Stage
    format: str
    rules: str
    clock: str
    least: int
    most: int
    until: int
    created: int
    seed: int
    words: str = ""
    every: str = ""
    edition: int = 1
    due: int | None = None
    previous: int = 0
    rating: str = ""
    unrated: int = 0

    @property
    def title(self) -> str:
        """The name, and which edition it is if there are more."""
        return f"{self.name} {self.edition}" if self.every or self.edition > 1 else self.name

    @property
    def not_before(self) -> int:
        """When it begins at the earliest, 0 for at any time. An edition that the server has opened waits for its month:
        else a director could begin one after the other on one day, with all who want to be in each."""
        return self.until if self.edition > 1 else 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A player takes part. `seat`: the place in the seeding, from 1 once the tournament has begun; it names the player
    wherever places are decided. `stopped`: the round after which the player withdrew, None while there; `left`: when.
    `always`: 1 if the player wants to be in the next edition, too. `told`: when a player who idles on a ladder was last
    told what is to come, 0 for never."""

    tournament: int
    player: int
    joined: int
    seat: int = 0
    stopped: int | None = None
    left: int = 0
    always: int = 0
    told: int = 0


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game that a tournament has paired, and its board. `number`: from 1 in each tournament. `first`, `second`:
    seats; `second` and `game` are 0 for a bye. `pool`: the group, 0 without groups.
    `at`: when it was paired, the same for all of a step, later than that of the step before. `void`: 1 if the game
    ended because a player withdrew; the format says what it is worth. `stake`: the seat whose place on a ladder `first`
    takes by winning, if it is higher than that of `second`; 0 for none.

    The result is that of the board.
    """

    tournament: int
    number: int
    round: int
    first: int
    second: int
    game: int
    at: int
    pool: int = 0
    void: int = 0
    stake: int = 0

    @property
    def waits(self) -> bool:
        """Whether its board is still to be made: a large step is made in parts (hosting/steps.py)."""
        return bool(self.second and not self.game and not self.void)


@dataclass(frozen=True, slots=True)
class Rung:
    """Where the player of a seat stands on a ladder that has begun. `place`: whoever has a smaller one stands higher;
    numbers may be missing. `wins`: games won. `played`: when the last game ended, `dropped`: when the player last lost
    a place for want of games, `late`: when the player last lost on time; 0 for never.

    Each game moves rungs when it ends. So what a ladder costs does not grow with the games that it has seen."""

    tournament: int
    seat: int
    place: int
    wins: int = 0
    played: int = 0
    dropped: int = 0
    late: int = 0


@dataclass(frozen=True, slots=True)
class Overruled:
    """How a game had ended, at `at`, before its director decided otherwise."""

    game: int
    winner: int | None
    reason: str
    unrated: str
    at: int


LOGGED: Mapping[str, str] = {
    "created": "created",
    "opened": "opened for entry",
    "announced": "announced",
    "closed": "closed for entry",
    "joined": "{player} entered",
    "dropped": "{player} left before the start",
    "skipped": "{player} was not entered again",
    "began": "begun",
    "paired": "next games paired",
    "unpaired": "no pairing was left",  # only in logs from before 2026-11-27
    "withdrew": "{player} withdrew",
    "late": "{player} was withdrawn after two losses on time",
    "idle": "{player} lost a place for want of games",
    "hidden": "{player}, who had signed off, lost a place",
    "returned": "{player} returned",
    "ruled": "result of board {board} decided",
    "time": "{player} got more time",
    "replaced": "{player} came in for another player",
    "note": "note to the players",
    "appeal": "{player} asked for a ruling on board {board}",
    "director": "{player} directs it now",
    "over": "over",
    "cancelled": "cancelled",
    "resumed": "it goes on",
}
"""What each line of a tournament's log says."""


@dataclass(frozen=True, slots=True)
class Logged:
    """Something that was done in a tournament. `what`: a key of LOGGED. `by`: a player, 0 for the server or
    the operator. `player`, `board`: whom and which game it is about, or 0. `why`: the reason that was given."""

    id: int
    tournament: int
    at: int
    what: str
    by: int = 0
    player: int = 0
    board: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Later:
    """A letter of a tournament that waits until `due`, with its facts as JSON (hosting/daily.py). `by`: whose words are
    in it, 0 for nobody's."""

    id: int
    tournament: int
    player: int
    due: int
    subject: str
    facts: str
    by: int = 0
