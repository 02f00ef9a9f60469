"""What a handler may want: rows put or dropped, an answer, a letter to somebody else; or it refuses.

Facts of a letter are plain JSON values and never hold a password or a token: what must be secret is named
(`Token`, a nonce) and worked out again when the letter is sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NewType

from engine.errors import Forbidden, Unreadable
from mailbot.core.model import Kept
from mailbot.core.tokens import Token

__all__ = ["Drop", "Effect", "Erase", "Forbidden", "NotAllowed", "Post", "Put", "Retire", "Say", "Unreadable"]

Facts = Mapping[str, Any]


Kind = NewType("Kind", str)
"""Under what a letter is counted: one of `Kinds`."""


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
    """Nobody asked for it; at most one a day of each template."""
    ANSWER: Final = Kind("answer")
    REFUSAL: Final = Kind("refusal")
    """An answer that refuses all that was asked for."""
    LOOK: Final = Kind("look")
    """The answer to a mail of a player that proves nothing."""
    NEWCOMER: Final = Kind("newcomer")
    """The answer to somebody who is no player."""
    SIGNUP: Final = Kind("signup")
    """Asks an address for its consent: three an address, for ever."""
    ACCOUNT: Final = Kind("account")
    """About a player's account or addresses. Never capped."""
    OPERATOR: Final = Kind("operator")
    """Tells the operator of trouble."""


class NotAllowed(Exception):
    """The third refusal: understood, legal, and not yours to ask. `str(error)` is one sentence for the asker."""


@dataclass(frozen=True, slots=True)
class Put:
    """Insert this row, or replace the one with its key."""

    row: Kept


@dataclass(frozen=True, slots=True)
class Drop:
    """Delete the row with this row's key."""

    row: Kept


@dataclass(frozen=True, slots=True)
class Erase:
    """Everything that is known of this player goes, but for the row itself and the games; `userid` is the old name."""

    player: int
    userid: str


@dataclass(frozen=True, slots=True)
class Retire:
    """Nobody may take this userid for a year: its player has left or has another one."""

    userid: str


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter to be. `template` names a file in templates/letters; `token` becomes its Reply-To when it is sent.

    `thread`: letters with the same thread and reader hang together in a mail program.
    """

    template: str
    subject: str
    facts: Facts = field(default_factory=dict)
    token: Token | None = None
    thread: str = ""

    @property
    def templates(self) -> set[str]:
        """Its template, and those of the letters that it joins."""
        return {self.template, *(part["template"] for part in self.facts.get("parts", ()))}


@dataclass(frozen=True, slots=True)
class Say:
    """The answer to whoever sent the mail: joined with the answers to its other commands."""

    letter: Letter


@dataclass(frozen=True, slots=True)
class Post:
    """A letter to a player (all current addresses), or to one `address` when that is given."""

    player: int
    letter: Letter
    kind: Kind = Kinds.GAME
    address: str = ""


Effect = Put | Drop | Erase | Retire | Say | Post
