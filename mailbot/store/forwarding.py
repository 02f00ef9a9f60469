"""Mail for postmaster and abuse goes on to the operator, in letters of our own: a mail server that passed it on itself
would write a bounce to whoever the mail claims to be from."""

from sqlite_utils import Database

from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.model import DAY

FORWARDED, FROM_ONE, SHOWN = 20, 5, 4_000
"""Letters in a day, those with mails from one network, and characters of a mail in one. The store keeps more."""


def forwarded(db: Database, content: str, source: str, now: int) -> Post | None:
    """The letter with the beginning of a mail that has just been kept; None beyond so many a day. `source`: a mark of
    the network that it came from, if known. What is kept from one network and not sent on takes no room from the
    others."""
    sql = "SELECT source, count(*) FROM operator_mail WHERE kind = 'operator' AND at > ? GROUP BY source"
    kept = dict(db.execute(sql, (now - DAY,)).fetchall())
    sent = sum(min(number, FROM_ONE) if network else number for network, number in kept.items())
    here = kept.get(source, 0) if source else 0
    if here > FROM_ONE or sent > FORWARDED:
        return None
    ended = "today" if sent == FORWARDED else "here" if here == FROM_ONE else ""
    facts = {"lines": content[:SHOWN].split("\n"), "cut": len(content) > SHOWN, "ended": ended}
    return Post(0, Letter("forwarded", "Mail for postmaster", facts), Kinds.APPEAL)
