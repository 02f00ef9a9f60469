"""The questions a handler may ask of the store, and the request it is given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NewType, Protocol

from engine.variants import Catalogue
from mailbot.core import tokens
from mailbot.core.caps import Caps
from mailbot.core.model import (
    Address,
    AddressChange,
    Analysis,
    Contact,
    Deferred,
    Failing,
    Game,
    Move,
    Outage,
    Plan,
    Player,
    Preference,
    Pulse,
    Seek,
    State,
    Submitted,
    Tally,
    Vacation,
)

Proof = NewType("Proof", str)
"""How it is known who asks: one of `Proofs`."""


class Proofs:
    """Each proof, the weakest first. They are plain strings, as SQLite takes 1.3 us longer to bind one of an enum."""

    NOTHING: Final = Proof("")
    """Nobody is known to ask."""
    FROM: Final = Proof("from")
    """Only the sender's address is known, and anybody can write one."""
    WANTING: Final = Proof("wanting")
    """The command needs a proof and came without: it is refused, and a registered sender is told why."""
    LETTER: Final = Proof("letter")
    """A letter of ours is answered with a command that it does not ask for, or the password of this player stands in
    another line of the mail."""
    TOKEN: Final = Proof("token")
    """A letter of ours is answered with a command that it asks for."""
    PASSWORD: Final = Proof("password")
    """The line has the password."""
    INSIDE: Final = Proof("inside")
    """No mail: a computer player of ours asks."""


PROVED, UNPROVED = (Proofs.PASSWORD, Proofs.TOKEN, Proofs.LETTER), (Proofs.NOTHING, Proofs.FROM)
"""The proofs of a command that only its player can have sent by mail, and of one that anybody could have sent."""


class Standing(NamedTuple):
    """What a player has got in games that are over."""

    userid: str
    won: int
    lost: int
    drawn: int


class World(Protocol):
    """Reads inside the transaction of the mail being handled. Userids are compared whatever their case.

    `catalogue`: the games and variants that can be played here. `caps`: how many letters one may cause or get.
    `clock`: the terms of time of a new game whose offer says nothing of it.
    """

    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def caps(self) -> Caps: ...
    @property
    def clock(self) -> str: ...

    def player(self, player: int) -> Player | None: ...
    def player_named(self, userid: str) -> Player | None:
        """The player of that userid, whatever the state, but pending ones, who are nobody yet."""
        ...

    def public(self, player: int) -> bool:
        """Whether anybody may see that there is this player: on a board, or in the list of open offers."""
        ...

    def retired(self, userid: str, now: int) -> bool:
        """Whether nobody may have this userid yet, since its player left or was renamed."""
        ...

    def players_at(self, addr: str) -> list[Player]:
        """Players, active or signed off, to whom this address (compared whatever its case) belongs."""
        ...

    def addresses(self, player: int) -> list[Address]: ...
    def address(self, address: int) -> Address | None: ...
    def change(self, change: int) -> AddressChange | None: ...
    def failing(self, address: int) -> Failing | None: ...
    def contact(self, addr: str) -> Contact | None: ...
    def deferred(self, player: int) -> list[Deferred]:
        """What waits for the next digest of the player because it was too much for letters of its own."""
        ...

    def game(self, game: int) -> Game | None: ...
    def moves(self, game: int) -> list[Move]: ...
    def texts(self, game: int) -> list[str]:
        """The same moves as texts alone."""
        ...

    def plan(self, game: int, player: int) -> Plan | None:
        """What the player has queued on this board."""
        ...

    def submitted(self, game: int, player: int) -> Submitted | None: ...
    def games_of(self, player: int, states: tuple[State, ...]) -> list[Game]:
        """The boards of the player in these states, lowest number first."""
        ...

    def preferences(self, player: int) -> dict[str, str]:
        """What the player has set, by name; a name that is not there has its default."""
        ...

    def blocks(self, player: int, other: int) -> bool:
        """Whether `player` has blocked `other`."""
        ...

    def who_prefer(self, name: str, value: str) -> list[Player]:
        """The active players who have set this, lowest id first."""
        ...

    def blocks_of(self, name: str) -> list[Preference]:
        """The blocks of everybody who has blocked this name."""
        ...

    def blocked(self, player: int) -> list[str]:
        """The names the player has blocked."""
        ...

    def tally(self, player: int, what: str) -> Tally | None: ...
    def analyses_of(self, player: int) -> list[Analysis]:
        """What the player has asked to be analysed and has not got yet."""
        ...

    def pulse(self) -> Pulse: ...
    def outages(self, since: int) -> list[Outage]:
        """The outages that ended later than this (unix seconds)."""
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
        """The running games whose rules begin with one of these texts (whole words; none given: all), those that
        have waited longest first."""
        ...

    def standings(self, rules: str) -> list[Standing]:
        """Who has finished games under rules that begin with this text, the most wins first, then the fewest losses."""
        ...

    def fresh(self, kind: str) -> int:
        """A new id for a table: player, address, address_change, game, seek, outage, vacation."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One command of a mail, its password already checked and cut out.

    `by`: the player who asks, 0 for a newcomer. `args`: slot name to words. `secret`: the hash and the nonce of a new
    password, if the command sets one. `line`: the command as written, redacted, for the answer. `trouble`: why it could
    not be read.
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
        """Whether more than the address of the mail says who asks."""
        return self.proof in PROVED


class Timer(NamedTuple):
    """Something happens at `at` (unix seconds) to the row `ref`; `kind` is a key of core.due.TIMERS. Timers sort by
    time."""

    at: int
    kind: str
    ref: int


BOARDS = ("board", "board#")
"""The slots that name boards."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be handled: a mail, the move of a computer player, or a `timer` that rings.

    `player`: whom to answer (0: the sender's own address, a newcomer). `dedupe`: the key under which it is done once;
    without one it is done whenever it comes. `token`: kind, ref and stamp of the reply token the mail came to, already
    verified. `text`: what stood under the commands, and belongs to the last one; `unread`: a sentence on what was not
    read; `undone`: the first line that was read and is not done, as a mail without proof gets one command. `mark`: the
    id of the mail in the log. Plain values only, so that a request set aside can be kept as JSON and tried again.
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

    @property
    def about(self) -> str:
        """The names of the commands."""
        return " ".join(one.name or "unreadable" for one in self.asked)

    @property
    def boards(self) -> set[int]:
        """The boards that are named in a line or by the answered letter, whether or not they exist."""
        found = {self.token[1]} if self.token and self.token[0] in tokens.OF_BOARD else set()
        for one in self.asked:
            for slot in BOARDS:
                if slot in one.args:
                    said = one.args[slot]
                    for word in said if isinstance(said, tuple | list) else (said,):
                        number = str(word).lstrip("#").partition("#")[0]
                        if number.isdecimal() and len(number) < 10:
                            found.add(int(number))
        return found
