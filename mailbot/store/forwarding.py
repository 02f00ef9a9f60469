"""Mail for postmaster and abuse goes on to the operator, in letters of our own: a mail server that passed it on itself
would write a bounce to whoever the mail claims to be from."""

from sqlite_utils import Database

from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.model import DAY

FORWARDED, SHOWN = 20, 4_000
"""Letters in a day, and characters of a mail in one. The store keeps more."""


def forwarded(db: Database, content: str, now: int) -> Post | None:
    """The letter with the beginning of a mail that has just been kept; None beyond so many a day."""
    sql = "SELECT count(*) FROM operator_mail WHERE kind = 'operator' AND at > ?"
    (count,) = db.execute(sql, (now - DAY,)).fetchone()
    if count > FORWARDED:
        return None
    facts = {"lines": content[:SHOWN].split("\n"), "cut": len(content) > SHOWN, "last_today": count == FORWARDED}
    return Post(0, Letter("forwarded", "Mail for postmaster", facts), Kinds.APPEAL)
