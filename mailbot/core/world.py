"""The questions a handler may ask of the store, and the request it is given."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NewType, Protocol

from engine.catalogue import Catalogue
from mailbot.core import tokens
from mailbot.core.caps import Caps
from mailbot.core.contests import Entry, Fixture, Later, Logged, Overruled, Rung, Stage, Tournament
from mailbot.core.model import (
    Address,
    AddressChange,
    Analysis,
    Contact,
    Deferred,
    Failing,
    Game,
    Hint,
    Move,
    Plan,
    Player,
    Pool,
    Preference,
    Pulse,
    Ranking,
    Rated,
    Seek,
    State,
    Submitted,
    Tally,
    Vacation,
)
from mailbot.core.puzzles.tried import Tries
from mailbot.core.zones import Zone

Proof = NewType("Proof", str)
"""How we know who asks: one of `Proofs`."""


class Proofs:
    """The proofs, weakest first. Plain strings, because SQLite takes 1.3 us longer to bind a member of an enum."""

    NOTHING: Final = Proof("")
    """We do not know who asks."""
    FROM: Final = Proof("from")
    """We know only the sender's address, which anybody can write."""
    WANTING: Final = Proof("wanting")
    """The command needs a proof and came without: it is refused, and a registered sender is told why."""
    LETTER: Final = Proof("letter")
    """The mail answers a letter of ours with a command that the letter does not ask for, or another line of the mail
    has this player's password."""
    TOKEN: Final = Proof("token")
    """The mail answers a letter of ours with a command that the letter asks for."""
    PASSWORD: Final = Proof("password")
    """The line has the password."""
    LINK: Final = Proof("link")
    """The page was opened by the link in a letter of this player, which others may have. It plays that turn only."""
    INSIDE: Final = Proof("inside")
    """Not a mail: one of our computer players asks."""


PROVED, UNPROVED = (Proofs.PASSWORD, Proofs.TOKEN, Proofs.LETTER), (Proofs.NOTHING, Proofs.FROM)
"""The proofs of a command that only its player can have sent by mail, and of one that anybody could have sent."""


class Standing(NamedTuple):
    """A player's results in finished games. `counted`: the wins, as `ratings.fold.PAIR_WINS` counts them."""

    userid: str
    won: int
    lost: int
    drawn: int
    counted: int


class Contests(Protocol):
    """The reads about tournaments, inside the same transaction."""

    def tournament(self, tournament: int) -> Tournament | None: ...
    def tournaments(self, stages: tuple[Stage, ...], most: int) -> list[Tournament]:
        """The tournaments in these stages, the newest first."""

    def entry(self, tournament: int, player: int) -> Entry | None: ...
    def entries(self, tournament: int) -> list[Entry]:
        """Everybody who has entered, in the order of the seats, before these are given in the order of entry."""

    def entered(self, player: int) -> list[Entry]:
        """The player's entries in tournaments that are not over."""

    def directed(self, player: int) -> list[Tournament]:
        """The tournaments that the player directs and that are not over."""

    def fixtures(self, tournament: int) -> list[Fixture]:
        """The games that were paired, in their order."""

    def games_in(self, tournament: int) -> list[Game]:
        """The boards of a tournament."""

    def playing(self, tournament: int) -> bool:
        """Whether a game of the tournament runs."""

    def running_in(self, tournament: int) -> list[Game]: ...
    def fixture_of(self, game: int) -> Fixture | None: ...
    def last_fixture(self, tournament: int) -> int:
        """The number of the tournament's last fixture, 0 if it has none."""

    def paired(self, tournament: int, one: int, other: int) -> list[Fixture]:
        """The fixtures of these two seats, in no order."""

    def overruled(self, game: int) -> Overruled | None: ...
    def rungs(self, tournament: int) -> list[Rung]:
        """Where the seats of a ladder stand, from the top."""

    def logged(self, tournament: int, what: str, *, player: int = 0, board: int = 0) -> list[Logged]:
        """The latest hundred lines of this kind, the oldest first. With a player or a board, only those about it."""

    def log_length(self, tournament: int) -> int: ...
    def log(self, tournament: int, begin: int, most: int) -> list[Logged]:
        """So many lines of the log, after the first `begin`."""

    def later(self, later: int) -> Later | None: ...
    def waiting(self, tournament: int) -> list[Later]:
        """The letters of a tournament that wait, the oldest first."""

    def last_letter(self, thread: str, player: int, since: int) -> int:
        """When the player's last letter of this thread, answers apart, was written, if after `since`; else 0."""


class World(Contests, Tries, Protocol):
    """Reads inside the transaction of the mail being handled. Userids are compared without regard to case.

    `catalogue`: the games and variants that can be played here. `caps`: how many letters a player may cause or get.
    `clock`: the terms of time of a new game whose offer says nothing of it. `directors`: who may create tournaments:
    `operator`, `players`, or userids separated by blanks.
    """

    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def caps(self) -> Caps: ...
    @property
    def clock(self) -> str: ...
    @property
    def directors(self) -> str: ...

    def player(self, player: int) -> Player | None: ...
    def player_named(self, userid: str) -> Player | None:
        """The player with that userid, in any state except pending."""

    def asked(self, userid: str) -> list[Player]:
        """The sign-ups under that userid that wait."""

    def public(self, player: int) -> bool:
        """Whether anybody may see that this player exists: on a board, or in the list of open offers."""

    def retired(self, userid: str, now: int) -> bool:
        """Whether nobody may take this userid yet, because its player left or was renamed."""

    def players_at(self, addr: str) -> list[Player]:
        """The players, active or signed off, with this address (compared without regard to case)."""

    def addresses(self, player: int) -> list[Address]: ...
    def address(self, address: int) -> Address | None: ...
    def change(self, change: int) -> AddressChange | None: ...
    def changes(self, player: int) -> list[AddressChange]: ...
    def failing(self, address: int) -> Failing | None: ...
    def mates(self, player: int, now: int) -> set[int]:
        """The players who read at a mailbox of this player, or have done so within PAIR_DAYS; this one among them."""

    def domains_beside(self, addr: str) -> int:
        """How many domains below the same bought one have addresses of players; 0 for one of them, and that one."""

    def contact(self, counted: str) -> Contact | None:
        """The count of letters to an address, by its consent_key."""

    def deferred(self, player: int) -> list[Deferred]: ...

    def game(self, game: int) -> Game | None: ...
    def moves(self, game: int) -> list[Move]: ...
    def texts(self, game: int) -> list[str]:
        """The same moves, as texts only."""

    def plan(self, game: int, player: int) -> Plan | None:
        """The player's queue on this board."""

    def submitted(self, game: int, player: int) -> Submitted | None: ...
    def games_of(self, player: int, states: tuple[State, ...], *, since: int = 0, other: int = 0) -> list[Game]:
        """The boards of the player in these states, lowest number first. `since`: only those that have changed since
        then; `other`: only those against this player."""
        ...

    def over(self, player: int, game: str, most: int, before: int) -> list[Game]:
        """The finished boards of the player, of one game or ("") of all, earliest end first: at most `most` after the
        first `before`."""
        ...

    def count_over(self, player: int, game: str) -> int:
        """The number of these boards."""
        ...

    def preferences(self, player: int) -> dict[str, str]:
        """The player's settings by name; a missing name has its default."""
        ...

    def zone(self, player: int) -> Zone:
        """The player's time zone; UTC if none is set."""
        ...

    def zone_named(self, name: str) -> Zone | None:
        """The time zone with this name, in whatever case; None if there is none."""
        ...

    def blocks(self, player: int, other: int) -> bool:
        """Whether `player` has blocked `other`."""
        ...

    def who_prefer(self, name: str, value: str) -> list[Player]:
        """The active players with this setting, lowest id first."""
        ...

    def blocks_of(self, name: str) -> list[Preference]:
        """All players' blocks of this name."""
        ...

    def blocked(self, player: int) -> list[str]:
        """The names the player has blocked."""
        ...

    def tally(self, player: int, what: str) -> Tally | None: ...
    def analyses_of(self, player: int) -> list[Analysis]:
        """The analyses that the player has asked for and not yet got."""
        ...

    def hints_of(self, game: int, player: int) -> list[Hint]: ...
    def pulse(self) -> Pulse: ...
    def stretches(self, players: tuple[int, int], since: int) -> list[tuple[int, int, int]]:
        """The outages, and the vacations of these players, that end later than this (unix seconds): for each the player
        (0 for an outage), its begin and its end. One question, because each move on a board with a clock asks it."""
        ...

    def vacations(self, player: int, since: int) -> list[Vacation]:
        """The vacations of the player that end later than this, the first one first."""
        ...

    def vacation(self, vacation: int) -> Vacation | None: ...
    def seek(self, seek: int) -> Seek | None: ...
    def seeks(self) -> list[Seek]:
        """All open offers, oldest first."""
        ...

    def running(self, rules: tuple[str, ...], most: int) -> list[Game]:
        """The running games whose rules begin with one of these texts (whole words; none given: all), longest waiting
        first."""
        ...

    def standings(self, rules: str) -> list[Standing]:
        """Players with finished games under rules that begin with this text: most wins, then fewest losses first."""
        ...

    def last_place(self) -> int:
        """The place of the game that ended last (Game.place), 0 if there is none."""
        ...

    def pool(self, category: str) -> Pool | None: ...
    def ranking(self, player: int, category: str) -> Ranking | None: ...
    def rankings_of(self, player: int) -> list[Ranking]: ...

    def rankings(self, category: str) -> list[Ranking]:
        """All ratings of a category, the highest first."""
        ...

    def rated(self, game: int) -> Rated | None: ...
    def revocable(self, player: int, category: str, now: int) -> list[Rated]: ...
    def rated_of(self, player: int, category: str, most: int) -> list[Rated]:
        """What the latest games of a player have done to this rating, the latest first."""
        ...

    def rated_between(self, ones: Collection[int], others: Collection[int], since: int, most: int) -> int:
        """How many rated games between one of these players and one of the others are being played or have ended after
        this time (unix seconds); counted up to `most`."""
        ...

    def met(self, one: int, other: int, most: int) -> list[int]:
        """When the last rated games of these two ended, in the order of their ends."""
        ...

    def lost_on_time(self, category: str, player: int) -> int | None:
        """When the player's last rated loss on time in a category was."""
        ...

    def excused(self, category: str, player: int, most: int) -> list[int]:
        """When the player's last losses in a category were that fold.EXCUSED, in the order of their ends."""
        ...

    def fresh(self, kind: str) -> int:
        """A new id for a table: player, address, address_change, game, seek, outage, vacation, tournament, logged,
        news."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One command of a mail, its password already checked and cut out.

    `by`: the player who asks, 0 for a newcomer. `args`: slot name to words. `secret`: the hash and the nonce of a new
    password, if the command sets one. `line`: the command as written, redacted, for the answer. `trouble`: why we could
    not read it.
    """

    name: str
    game: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    by: int = 0
    proof: Proof = Proofs.NOTHING
    secret: tuple[str, str] | None = None
    line: str = ""
    trouble: str = ""

    @property
    def proved(self) -> bool:
        """Whether more than the mail's address shows who asks."""
        return self.proof in PROVED

    @property
    def sure(self) -> bool:
        """Whether the player wants just this: the line has the password, or answers a letter that asks for it. Others
        may have seen an old letter, so that alone does not bind its reader."""
        return self.proof in (Proofs.PASSWORD, Proofs.TOKEN)

    @property
    def by_letter(self) -> bool:
        """Whether the proof comes from one letter, and so holds for the board and the turn of that letter only."""
        return self.proof in (Proofs.TOKEN, Proofs.LINK)


class Timer(NamedTuple):
    """At `at` (unix seconds) something happens to the row `ref`; `kind` is a key of core.due.TIMERS. Timers sort by
    time."""

    at: int
    kind: str
    ref: int


BOARDS = ("board", "board#")
"""The slots that name boards."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to handle: a mail, the move of a computer player, or a `timer` that rings.

    `player`: whom to answer (0: the sender's own address, a newcomer). `dedupe`: a request with this key is done once;
    without one, every time. `token`: kind, ref and stamp of the reply token that the mail came to, verified. `text`:
    the text under the commands, of the last one; `unread`: a sentence on what was not read; `undone`: the first line
    that was read but not done, as a mail without proof gets one command. `mark`: the id of the mail in the log. `came`:
    when the mail came, if before `now`. `found`: what was computed beforehand for the timer (core.due.ring). `looks`:
    nothing will be written. The others are plain values, so that a request can be kept as JSON and tried again.
    """

    now: int
    asked: tuple[Asked, ...] = ()
    player: int = 0
    sender: str = ""
    text: str = ""
    unread: str = ""
    message_id: str = ""
    dedupe: str = ""
    token: tuple[tokens.Kind, int, int] | None = None
    undone: str = ""
    mark: str = ""
    timer: Timer | None = None
    found: Any = None
    came: int = 0
    looks: bool = False

    @property
    def at(self) -> int:
        """When the clocks of games say that it came."""
        return self.came or self.now

    @property
    def about(self) -> str:
        """The names of the commands."""
        return " ".join(one.name or "unreadable" for one in self.asked)

    @property
    def boards(self) -> set[int]:
        """The boards that the answered letter and the lines name, at most ten a line: they are stored and logged."""
        found = {self.token[1]} if self.token and self.token[0] in tokens.OF_BOARD else set()
        for one in self.asked:
            for slot in BOARDS:
                if slot in one.args:
                    said = one.args[slot]
                    for word in said[:10] if isinstance(said, tuple | list) else (said,):
                        number = str(word).lstrip("#").partition("#")[0]
                        if number.isdecimal() and len(number) < 10:
                            found.add(int(number))
        return found
