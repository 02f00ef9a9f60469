"""The stored things: players, addresses, games, moves. Frozen rows, one table each.

Times are unix seconds (int). Ids are positive ints and never used twice; computer players have negative ids.
"""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple, NewType

from mailbot.core.contests import Entry, Fixture, Later, Logged, Overruled, Rung, Tournament
from mailbot.core.puzzles.tried import Tried

USERID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,18}[A-Za-z0-9]\Z")

DAY = 86_400


class Player(NamedTuple):
    """A person. `state`: pending (nothing confirmed yet), active, off (signed off: no letters until a command comes),
    locked (by the operator), gone (deleted: the row stays under a pseudonym for the games that were played).

    `password_version` grows with every new password, `token_epoch` when all outstanding reply tokens must stop working.
    """

    id: int
    userid: str
    state: str
    password_hash: str
    password_version: int
    token_epoch: int
    created: int


class Address(NamedTuple):
    """An address of a player. `state`: pending (unproved), ready (proved, waits for its change), current, suspended
    (letters came back), old. `change`: the address change it belongs to, 0 for a signup.
    """

    id: int
    player: int
    addr: str
    state: str
    change: int
    created: int


class Failing(NamedTuple):
    """Letters to an address have come back: the first and the last time, and when with a hard failure (`hards`: times
    within a week, separated by blanks)."""

    address: int
    since: int
    last: int
    hards: str


class AddressChange(NamedTuple):
    """A request to change addresses; takes effect when an old and a new address have both agreed."""

    id: int
    player: int
    approved: int
    created: int


State = NewType("State", str)
"""The state of a game: one of `States`."""


class States:
    """Each state of a game; core/games/course.py says which follows which."""

    OFFERED: Final = State("offered")
    RUNNING: Final = State("running")
    OVER: Final = State("over")
    DECLINED: Final = State("declined")
    LAPSED: Final = State("lapsed")
    ALL: Final = (OFFERED, RUNNING, OVER, DECLINED, LAPSED)


class Game(NamedTuple):
    """A board, from the challenge on; its id is the board number.

    `agreed`: bit 1 and bit 2, who has said yes to the offer. `ply`: turns played. `to_move`: 1 or 2 while running, else
    0. `winner`: 1, 2, 0 (draw), None while not over. `changed`: when the turn began, or the last event. `asks`: what
    player `asks_by` (1 or 2) has asked the other to agree to: draw, undo, or nothing. In an offer without consent
    `asks_by` is its maker. `started`: when it began to run, 0 before. `seek`: the open offer it came from, or 0.
    `taken_back`: what `stamp` adds to the ply; it grows when moves are taken back or a question is refused or replaced.

    `clock`: its terms of time, as core/games/clocks.py writes them; `none`: there is no clock. `left1`, `left2`: the
    seconds that player 1 and 2 had when the current turn began, at `began`. `flag_at`: when the time of who is to
    move ends; None without a clock or a turn. `remind_at`: when the player to move is reminded next, or None. Stretches
    in which time stands may have been added since: the two are too early then, never too late.

    `category`: that of its ratings, "" for rules that have none. `unrated`: why the game will not be rated, as agreed
    with the offer, or nothing. `place`: 1 for the first game with a category that ended on this server, 2 for the next
    one, and so on; 0 while it is not over. `event`: the tournament that it belongs to, or 0; `occasion`: the
    tournament's name, `round` of it (0: it has none).
    """

    id: int
    rules: str
    player1: int
    player2: int
    state: State
    agreed: int
    ply: int
    to_move: int
    winner: int | None
    reason: str
    created: int
    changed: int
    asks: str = ""
    asks_by: int = 0
    started: int = 0
    seek: int = 0
    taken_back: int = 0
    clock: str = "none"
    left1: int = 0
    left2: int = 0
    began: int = 0
    flag_at: int | None = None
    remind_at: int | None = None
    category: str = ""
    unrated: str = ""
    place: int = 0
    event: int = 0
    occasion: str = ""
    round: int = 0

    @property
    def stamp(self) -> int:
        """The stamp in the reply token that plays the next turn: two for each turn, and one more while a question is
        open. It only ever grows, so that no token works twice, not even for a ply that was played, taken back and is
        to be played again."""
        return 2 * (self.ply + 1 + self.taken_back) + bool(self.asks)

    def is_next(self, stamp: int) -> bool:
        """Whether a letter with this stamp was about the turn that comes next; the open question may be newer."""
        return stamp // 2 == self.stamp // 2

    def number_of(self, player: int) -> int:
        """1 or 2 for the two players, 0 for everybody else."""
        return 1 if player == self.player1 else 2 if player == self.player2 else 0

    def player(self, number: int) -> int:
        """The id of player 1 or 2."""
        return self.player1 if number == 1 else self.player2


class Move(NamedTuple):
    """One turn as played (canonical text, `a1,c12`), with the words that its player sent along. A tuple takes a third
    of the time to make, and a game has many. `used`: the seconds of the clock that the turn took, 0 without a clock."""

    game: int
    ply: int
    player: int
    text: str
    comment: str
    at: int
    used: int = 0


class Contact(NamedTuple):
    """How many letters have asked an address (its consent_key, or a mark of it) and were not refused; when the last."""

    addr: str
    signups: int
    last: int = 0


BLOCKED = "block "
"""The beginning of a preference that names, in lower case, a blocked player."""


class Preference(NamedTuple):
    """A setting of a player that differs from its default."""

    player: int
    name: str
    value: str


class Analysis(NamedTuple):
    """A player's request for the computer's analysis of a finished game."""

    game: int
    player: int
    asked: int


class Judged(NamedTuple):
    """How the computer saw a finished game: seat 1's chances to win, in percent, before each ply and at the end."""

    game: int
    moves: str
    chances: str


class Hint(NamedTuple):
    """A turn that the computer proposes to a player, after these moves. `move`: "" until the computer has thought."""

    game: int
    player: int
    after: str
    asked: int
    move: str = ""


class Seek(NamedTuple):
    """An open offer. `keep`: how many games from it the seeker wants at once; 0: the offer ends when it is taken.

    `first`: who moves first: `me` (the seeker), `you` (the taker), or nothing if the seeker did not say.
    `clock`: as that of a game. `unrated`: 1 if the games from it are not rated.
    """

    id: int
    player: int
    rules: str
    keep: int
    created: int
    first: str = ""
    clock: str = "none"
    unrated: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How often (`count`) a player has done something (`what`) since a time."""

    player: int
    what: str
    since: int
    count: int


@dataclass(frozen=True, slots=True)
class Deferred:
    """Letters to `player` that player `by` (0: nobody) caused beyond a cap: they join the next digest.

    `count` of them since `since`. `boards`: the numbers of their boards, a few at most, separated by blanks. `words`:
    what `by` wrote in them, as far as it is kept.
    """

    player: int
    by: int
    since: int
    count: int
    boards: str
    words: str


class Plan(NamedTuple):
    """A move or a tree of moves (`text`, see core/games/plans.py) that waits for the opponent's move of ply `ply`."""

    game: int
    player: int
    ply: int
    text: str
    created: int


class Submitted(NamedTuple):
    """A move, with its words, that its player has seen but not yet confirmed; then it is played as ply `ply`."""

    game: int
    player: int
    ply: int
    text: str
    comment: str


class Outage(NamedTuple):
    """All clocks stood from `begin` up to `end`: the server was down, or no letter could leave."""

    id: int
    begin: int
    end: int


class Pulse(NamedTuple):
    """When the server was known to be there the last time (`alive`, 0: never), and since when no letter can leave,
    or no mail is taken in (`stuck`, 0: all is well)."""

    alive: int = 0
    stuck: int = 0


class Vacation(NamedTuple):
    """The clocks of a player stand from `begin` up to `end`, `days` days. `automatic`: 1 if it was taken to save a
    flag. `told`: how many of its two letters have gone out, at the beginning and at the end."""

    id: int
    player: int
    begin: int
    end: int
    days: int
    automatic: int = 0
    told: int = 0


class Pool(NamedTuple):
    """The rated games of a category between people, for the first mover's advantage: how many, and the sum of the first
    movers' scores. `advantage`: a logit, computed at the first game of the week with the number `week`."""

    category: str
    games: int = 0
    score: float = 0.0
    week: int = -1
    advantage: float = 0.0


class Ranking(NamedTuple):
    """The rating of a player in a category, with the fields of core.ratings.fold.Rating."""

    player: int
    category: str
    rating: float
    rd: float
    volatility: float
    last: int
    games: int
    rated: int
    best: float


class Rated(NamedTuple):
    """What a finished game has done to the ratings of its players: rating and deviation before and after. `unrated`:
    why they did not change, because of other games or because it was too short. `place`: that of the game. `ended`:
    unix seconds. `flagged`: the player who lost on time, 0 for nobody. `score`: player 1's."""

    game: int
    place: int
    category: str
    player1: int
    player2: int
    score: float
    ended: int
    flagged: int
    unrated: str
    before1: float
    before_rd1: float
    before2: float
    before_rd2: float
    after1: float
    after_rd1: float
    after2: float
    after_rd2: float


class News(NamedTuple):
    """What `player` has broadcast. It stays, as the news of the page."""

    id: int
    player: int
    at: int
    words: str


class FoldMark(NamedTuple):
    """All ratings are being computed anew, as far as the game with this place. `turn` counts the parts; `one` is 1."""

    one: int
    turn: int
    place: int


Kept = (
    Player
    | Address
    | AddressChange
    | Failing
    | Game
    | Move
    | Contact
    | Preference
    | Seek
    | Tally
    | Plan
    | Submitted
    | Analysis
    | Judged
    | Hint
    | Tried
    | Deferred
    | Outage
    | Vacation
    | Pool
    | FoldMark
    | Ranking
    | Rated
    | Tournament
    | Entry
    | Fixture
    | Rung
    | Overruled
    | Logged
    | News
    | Later
)
