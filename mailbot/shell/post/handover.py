"""How the handover of a letter has ended, and whether a refusal speaks of that letter or the relay refuses everything.

Theory of operation. A relay that is ill (its disk is full, it no longer knows us) often greets well and refuses every
letter. If we believed it, letters would be lost and living addresses would count as dead. So a refusal for good is
believed only when the relay has taken another letter since it first refused this one; until then the letter waits. The
relay counts as ill when it takes no sender, or when it has refused letters to `ILL` players and taken none in
between. A refusal with a status that speaks of one mailbox counts by its domain, and only in the news of which the next
paragraph tells: a relay that finds no domain is ill, and hardly anybody owns `DOMAINS` of them. While the relay is ill,
no letter fails, and each is tried again every quarter of an hour; such tries do not count.

The clocks of games stand only if nobody can have brought that about. A relay refuses an address that somebody has
signed up with, and words or films that somebody has sent. So for the clocks only letters count that tell of the relay:
news of a board, without a player's words, to an address that has proved to be its player's (`Outbox.telling`). And
many relays refuse the recipients of one dead domain without a status, or with an odd one: a refused recipient counts by
its domain, unless the status speaks of the relay. But a relay may also refuse by a list of domains, with a status that
speaks of its rules. So the players who were refused must be at `ILL` domains, or at as many as all who play.

A text that is put off again and again, or ends the connection, while other letters leave, is put off for its words:
it goes without them. Without them it may still have names that a relay dislikes: those of players and tournaments. So a
letter whose text was not taken holds up no others, and refused texts that all have one name in them do not stop the
clocks.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from mailbot.core.letters.outgoing import Due
from mailbot.core.mail.addresses import owner


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
    """`why`: a code or the name of an error, never a text from outside. `of_text`: the text was not taken, after sender
    and recipient were; `of_recipient`: the recipient was not, after the sender was. `wordless`: the next try is to be
    without the words of a player."""

    fate: Fate
    why: str = ""
    of_text: bool = False
    wordless: bool = False
    of_recipient: bool = False


SENT: Final = Handover(Fate.SENT)


def later(why: str, *, of_text: bool = False, of_recipient: bool = False) -> Handover:
    """Not now."""
    return Handover(Fate.LATER, why, of_text, of_recipient=of_recipient)


def refused(why: str, *, of_text: bool = False, of_recipient: bool = False) -> Handover:
    """Never, says the other side."""
    return Handover(Fate.REFUSED, why, of_text, of_recipient=of_recipient)


def failed(why: str) -> Handover:
    """Never."""
    return Handover(Fate.FAILED, why)


def closed(why: str) -> Handover:
    """Not now, nor any other letter."""
    return Handover(Fate.CLOSED, why)


ILL: Final = 3
"""Players refused in a row."""
DOMAINS: Final = 5
"""Domains in a row whose mailboxes were refused."""
_OF_MAILBOX: Final = re.compile(r"\d{3} [45]\.[12]\.")
"""A status that speaks of one mailbox (RFC 3463 3.2, 3.3)."""
_OF_RELAY: Final = re.compile(r"\d{3} [45]\.[3567]\.")
"""A status that speaks of the relay, even where it has refused a recipient: its system, its dialogue with us, its rules
(RFC 3463 3.4, 3.6 to 3.8)."""
AGAIN: Final = 900
"""Seconds between the tries of a letter, at most, while the relay is ill."""


PATIENCE, LONG_PATIENCE = 3, 7
"""Tries of a letter with words, before it goes without them: while other letters leave, and while none is there to tell
whether the relay takes any (nine hours)."""


class Refusals:
    """What the relay has refused and taken. `ill`: why it is ill, in a word; "" while it is not. `stuck`: whether it is
    so ill that clocks stand."""

    def __init__(self) -> None:
        self.ill = ""
        self.stuck = False
        self._taken = 0
        self._before: dict[int, int] = {}  # letter -> how many were taken before it was refused for the first time
        self._players: set[int] = set()  # refused since the last letter was taken
        self._told: dict[int, frozenset[int]] = {}  # of them, those with a letter that tells of the relay; its names
        self._owners: set[str] = set()  # of these letters, the domains
        self._domains: set[str] = set()  # in such letters, those whose mailboxes were refused

    def weigh(
        self,
        due: Due,
        outcome: Handover,
        telling: frozenset[int] | None = None,
        owners: Callable[[int], int] = lambda most: 1,
    ) -> Handover:
        """The outcome as it counts. `telling`: if a refusal of this letter tells of the relay, the players and the
        tournament whose names are in it (`Outbox.telling`). `owners`: the number of domains at which people play, at
        most the one given (`Outbox.owners`)."""
        if outcome.fate is Fate.SENT:
            self._taken += 1
            self.ill, self.stuck = "", False
            self._players.clear()
            self._told.clear()
            self._owners.clear()
            self._domains.clear()
        elif outcome.fate is not Fate.FAILED:
            of_mailbox = _OF_MAILBOX.match(outcome.why)
            by_domain = of_mailbox or (outcome.of_recipient and not _OF_RELAY.match(outcome.why))
            if telling is not None and by_domain:
                self._domains.add(owner(due.address))
            if due.player and not of_mailbox:
                self._players.add(due.player)
                if telling is not None and not by_domain:
                    names = telling if outcome.of_text else frozenset[int]()
                    self._told[due.player] = self._told.get(due.player, names) & names
                    self._owners.add(owner(due.address))
            nothing = outcome.fate is Fate.CLOSED or len(self._domains) >= DOMAINS
            if nothing or len(self._players) >= ILL:
                self.ill = outcome.why
            self.stuck = self.stuck or nothing or self._refuses_everybody(owners)
            before = self._before.setdefault(due.id, self._taken)
            doubted = bool(self.ill) or before == self._taken
            if outcome.fate is not Fate.REFUSED or doubted:
                tries = LONG_PATIENCE if doubted else PATIENCE
                wordless = outcome.of_text and not self.ill and due.attempts >= tries
                return Handover(Fate.LATER, outcome.why, outcome.of_text, wordless)
        self._before.pop(due.id, None)
        return outcome

    def _refuses_everybody(self, owners: Callable[[int], int]) -> bool:
        """Whether the refused letters that tell of the relay are to several players, at several domains, and have no
        name in common."""
        if len(self._told) < ILL or frozenset.intersection(*self._told.values()):
            return False
        return len(self._owners) >= owners(ILL)
