"""How the handover of a letter has ended, and whether a refusal speaks of that letter or the relay refuses everything.

Theory of operation. A relay that is ill (its disk is full, it no longer knows us) often greets well and refuses every
letter. If we believed it, letters would be lost and living addresses would count as dead. So a refusal for good is
believed only when the relay has taken another letter since it first refused this one; until then the letter waits. The
relay counts as ill when it takes no sender, or when it has refused letters to `ILL` players and taken none in
between. Then no letter fails, each is tried again at least every quarter of an hour, and the clocks of games stand. One
player with several addresses cannot bring that about, nor can a stranger, nor what speaks of a mailbox.
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from mailbot.core.letters.outgoing import Due


class Fate(Enum):
    """The outcome of a try. REFUSED: the other side says never, and may be wrong (`Refusals`). FAILED: we know that it
    is never. CLOSED: no letter at all can be handed over at present."""

    SENT = "sent"
    LATER = "later"
    REFUSED = "refused"
    FAILED = "failed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Handover:
    """`why`: a code or the name of an error, never a text from outside."""

    fate: Fate
    why: str = ""


SENT: Final = Handover(Fate.SENT)


def later(why: str) -> Handover:
    """Not now."""
    return Handover(Fate.LATER, why)


def refused(why: str) -> Handover:
    """Never, says the other side."""
    return Handover(Fate.REFUSED, why)


def failed(why: str) -> Handover:
    """Never."""
    return Handover(Fate.FAILED, why)


def closed(why: str) -> Handover:
    """Not now, nor any other letter."""
    return Handover(Fate.CLOSED, why)


ILL: Final = 3
"""Players refused in a row."""
_OF_MAILBOX: Final = re.compile(r"\d{3} [45]\.[12]\.")
"""A status that speaks of one mailbox (RFC 3463 3.2, 3.3)."""
AGAIN: Final = 900
"""Seconds between the tries of a letter, at most, while the relay is ill."""


class Refusals:
    """What the relay has refused and taken. `ill`: why it is ill, in a word; "" while it is not."""

    def __init__(self) -> None:
        self.ill = ""
        self._taken = 0
        self._before: dict[int, int] = {}  # letter -> how many were taken before it was refused for the first time
        self._players: set[int] = set()  # refused since the last letter was taken

    def weigh(self, due: Due, outcome: Handover) -> Handover:
        """The outcome as it counts."""
        if outcome.fate is Fate.SENT:
            self._taken += 1
            self.ill = ""
            self._players.clear()
        elif outcome.fate is not Fate.FAILED:
            if due.player and not _OF_MAILBOX.match(outcome.why):
                self._players.add(due.player)
            if outcome.fate is Fate.CLOSED or len(self._players) >= ILL:
                self.ill = outcome.why
            before = self._before.setdefault(due.id, self._taken)
            if outcome.fate is not Fate.REFUSED or self.ill or before == self._taken:
                return later(outcome.why)
        self._before.pop(due.id, None)
        return outcome
