"""How much goes to one address in a day.

A mail server that puts every letter off leaves them all in the relay's queue, where only the disk limits them, and
nothing tells us whether a letter has arrived. So beyond PICTURED octets the letters of an address have no pictures, and
beyond MOST one leaves every PAUSE seconds. The others wait in the outbox, which has limits (`[limits] waiting_bytes`).

The counts are in memory: a start forgets them.
"""

from typing import Final, NamedTuple

from mailbot.core.mail.addresses import mailbox_key
from mailbot.core.model import DAY

PICTURED: Final = 5_000_000
"""Octets: more than 100 letters with usual pictures."""
MOST: Final = 10_000_000
"""Octets: some hundred letters more without pictures."""
PAUSE: Final = 600
"""Seconds."""
KNOWN: Final = 1000
"""Mailboxes with an older count are forgotten when there are more of them than this."""


class _Sent(NamedTuple):
    """What a mailbox has been sent since a time (unix seconds), and when it was sent the last letter."""

    since: int
    octets: int
    last: int


class Portions:
    """The day's letters, for each mailbox: addresses with different tags are one. Times are unix seconds."""

    def __init__(self) -> None:
        self._sent: dict[str, _Sent] = {}
        self._room = KNOWN

    def sent(self, address: str, octets: int, now: int) -> None:
        """Counts a letter."""
        before = self._of(address, now)
        if before is None and len(self._sent) >= self._room:
            self._sent = {one: sent for one, sent in self._sent.items() if 0 <= now - sent.since < DAY}
            self._room = max(KNOWN, 2 * len(self._sent))
        since, so_far, _ = before or _Sent(now, 0, now)
        self._sent[mailbox_key(address)] = _Sent(since, so_far + octets, now)

    def pictured(self, address: str, now: int) -> bool:
        """Whether the next letter may have pictures."""
        sent = self._of(address, now)
        return sent is None or sent.octets < PICTURED

    def wait(self, address: str, now: int) -> int:
        """Seconds until the next letter may leave."""
        sent = self._of(address, now)
        return max(0, sent.last + PAUSE - now) if sent and sent.octets >= MOST else 0

    def _of(self, address: str, now: int) -> _Sent | None:
        """What the mailbox has been sent in the day that began with its first letter."""
        sent = self._sent.get(mailbox_key(address))
        return sent if sent and 0 <= now - sent.since < DAY else None
