"""What a handler may return: rows to put or drop, an answer, a letter to somebody else. Or it refuses.

The facts of a letter are plain JSON values and never hold a password or a token. They name a secret (`Token`, a nonce),
and it is computed again when the letter is sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NewType

from engine.errors import Forbidden, Unreadable
from mailbot.core.model import Kept
from mailbot.core.tokens import Token

__all__ = ["Drop", "Effect", "Erase", "Forbidden", "NotAllowed", "Post", "Put", "Refold", "Rename"]
__all__ += ["Retire", "Say", "Unreadable"]

Facts = Mapping[str, Any]


Kind = NewType("Kind", str)
"""What a letter is counted as: one of `Kinds`."""


class Kinds:
    """Each kind of letter. core/caps.py says how many of them one address gets."""

    GAME: Final = Kind("game")
    """News of a board, and answers that must arrive. Never capped."""
    OFFER: Final = Kind("offer")
    MESSAGE: Final = Kind("message")
    """The words of another player."""
    BROADCAST: Final = Kind("broadcast")
    DIGEST: Final = Kind("digest")
    NOTICE: Final = Kind("notice")
    """A letter that nobody asked for and that no other player causes."""
    ANSWER: Final = Kind("answer")
    REFUSAL: Final = Kind("refusal")
    """An answer that refuses all that was asked for."""
    LOOK: Final = Kind("look")
    """The answer to a player's mail that proves nothing."""
    NEWCOMER: Final = Kind("newcomer")
    """The answer to somebody who is not a player."""
    SIGNUP: Final = Kind("signup")
    """Asks an address for its consent. Counted for each address (commands/account.py)."""
    ACCOUNT: Final = Kind("account")
    """About a player's account or addresses. Never capped."""
    EVENT: Final = Kind("event")
    """News of a tournament that the reader plays in or directs, or of an opponent. Who is quiet does not get them."""
    OPERATOR: Final = Kind("operator")
    """Reports trouble to the operator; without an address it goes to the one of the configuration."""
    APPEAL: Final = Kind("appeal")
    """The words of a player for the operator, who gets them at the same address. What a player may cause has no part in
    the count of alarms; the command says how many there can be."""


class NotAllowed(Exception):
    """The third refusal: clear and legal, but not allowed to this asker. `str(error)` is one sentence for the asker."""


@dataclass(frozen=True, slots=True)
class Put:
    """Insert this row, or replace the row with the same key."""

    row: Kept


@dataclass(frozen=True, slots=True)
class Drop:
    """Delete the row with the same key."""

    row: Kept


@dataclass(frozen=True, slots=True)
class Erase:
    """Delete all that we know of this player except the row itself and the games; `userid` is the old name."""

    player: int
    userid: str


@dataclass(frozen=True, slots=True)
class Rename:
    """The ends of games that name this player by the userid `old` say the userid of the stored row."""

    player: int
    old: str


@dataclass(frozen=True, slots=True)
class Retire:
    """Nobody may take this userid for a year: its player has left or has another one."""

    userid: str


@dataclass(frozen=True, slots=True)
class Refold:
    """Compute all ratings anew from the games: something has changed that had ended before. The store does the first
    part at once, and marks that it is to go on. `goes_on`: do the next part."""

    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """Send the player the boards that wait for this player, when the other commands of the mail are done: else a board
    would be sent that its next line moves on."""

    player: int


_NONE: Facts = {}


class Letter(NamedTuple):
    """A letter to write. `template` names a file in templates/letters; `token` becomes its Reply-To when it is sent.

    `thread`: mail programs show letters with the same thread and reader together.
    """

    template: str
    subject: str
    facts: Facts = _NONE
    token: Token | None = None
    thread: str = ""

    @property
    def templates(self) -> set[str]:
        """Its template, and those of the letters that are joined in it."""
        return {self.template, *(part["template"] for part in self.facts.get("parts", ()))}


class Say(NamedTuple):
    """An answer to the sender of the mail, joined with the answers to its other commands."""

    letter: Letter


class Post(NamedTuple):
    """A letter to a player (all current addresses), or to one `address` if that is given. `held`: a cap that the
    command itself counts holds it back, so it is only counted as such."""

    player: int
    letter: Letter
    kind: Kind = Kinds.GAME
    address: str = ""
    held: bool = False


Effect = Put | Drop | Erase | Rename | Retire | Refold | Waiting | Say | Post
