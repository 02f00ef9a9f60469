"""How much goes to one mailbox.

A mail server that puts every letter off leaves them all in the relay's queue, where only the disk limits them. A slow
one fills the relay's list of letters to send, which has an end, too. Nothing tells us whether a letter has arrived. So
each mailbox has a portion of MOST octets, which comes back within a day. Beyond PICTURED octets its letters have no
pictures. When the portion is used up, the next letter waits in the outbox until some of it is back; the outbox has
limits of its own (`[limits] waiting_bytes`).

Each kind of letter has its own portion, and no letter waits for one of another kind. Anybody can forge a From and so
cause large answers to somebody (LOOK), who must get the letters of games all the same.

The counts are in memory: a start forgets them.
"""

from typing import Final, NamedTuple

from mailbot.core.mail.addresses import mailbox_key
from mailbot.core.model import DAY

PICTURED: Final = 5_000_000
"""Octets: more than 100 letters with usual pictures."""
MOST: Final = 10_000_000
"""Octets: some hundred letters more without pictures."""
LEAST: Final = 20_000
"""Octets for which a small letter counts, as the relay's list counts letters: 500 are a portion."""
KNOWN: Final = 1000
"""Portions that are whole again are forgotten when there are more than this."""


class _Used(NamedTuple):
    """How many octets of a portion were used at a time (unix seconds)."""

    octets: int
    at: int

    def left(self, now: int) -> int:
        """How many still are. A clock that was set back gives all of them back."""
        passed = now - self.at
        return max(0, self.octets - passed * MOST // DAY) if passed >= 0 else 0


class Portions:
    """The portions of all mailboxes; addresses with different tags are one. Times are unix seconds."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], _Used] = {}
        self._room = KNOWN

    def sent(self, address: str, kind: str, octets: int, now: int) -> None:
        """Counts a letter."""
        if len(self._used) >= self._room:
            self._used = {key: used for key, used in self._used.items() if used.left(now)}
            self._room = max(KNOWN, 2 * len(self._used))
        self._used[mailbox_key(address), kind] = _Used(self._left(address, kind, now) + max(LEAST, octets), now)

    def pictured(self, address: str, kind: str, now: int) -> bool:
        """Whether the next letter may have pictures."""
        return self._left(address, kind, now) < PICTURED

    def wait(self, address: str, kind: str, now: int) -> int:
        """Seconds until the next letter may leave."""
        beyond = self._left(address, kind, now) - MOST
        return beyond * DAY // MOST + 1 if beyond >= 0 else 0

    def _left(self, address: str, kind: str, now: int) -> int:
        used = self._used.get((mailbox_key(address), kind))
        return used.left(now) if used else 0
