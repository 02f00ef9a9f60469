"""How long a mail can have waited at the server in front of us.

Theory of operation. A front hands a mail on as soon as it has all of it, and writes when it began to take it. A client
may take its time between the two: it can begin a mail, think for days about a move, and then send the rest. So the
front's time counts only as far back as the mail can have waited for us. It waits while we are not there, and for the
next try after that. It also waits if we have put it off; then we have seen it before.
"""

from collections import OrderedDict
from hashlib import sha256

LONGEST_RETRY = 4000
"""Seconds after which a mail server has tried again what it could not hand over (Postfix, maximal_backoff_time)."""

SLACK = 600
"""Seconds between a front and us that need no reason. Postfix tries again after five minutes what it could not hand
over (minimal_backoff_time), and a flood may hold it up."""

MOST = 10_000
"""Mails put off that we remember."""


class Waits:
    """`begun`: when we began to take mails; `waiting`: since when mails may have waited for that. Unix seconds."""

    def __init__(self, begun: int = 0, waiting: int = 0) -> None:
        self._begun = begun
        self._waiting = waiting
        self._put_off: OrderedDict[bytes, int] = OrderedDict()

    def put_off(self, received: str, now: int) -> None:
        """The mail with this topmost Received header is to come again. A front writes the header once, with a number of
        its own, so each try has the same one."""
        self._put_off.setdefault(_mark(received), now)
        if len(self._put_off) > MOST:
            self._put_off.popitem(last=False)

    def since(self, received: str, now: int) -> int:
        """The earliest moment since which this mail can have waited for us."""
        seen = self._put_off.get(_mark(received), now)
        away = self._waiting if now - self._begun <= LONGEST_RETRY else now
        return min(seen, away) - SLACK

    def put_off_for(self, received: str, now: int) -> int:
        """Seconds since we put the mail off for the first time; 0 if we have not."""
        return now - self._put_off.get(_mark(received), now)

    def jumped(self, by: int) -> None:
        """The clock has jumped by so many seconds: the moments that we remember are other ones now."""
        self._begun += by
        for mark in self._put_off:
            self._put_off[mark] += by


def _mark(received: str) -> bytes:
    return sha256(" ".join(received.split()).encode(errors="surrogatepass")).digest()
