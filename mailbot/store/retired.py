"""What is remembered of players who have left: userids that nobody may have for a while (also of who was renamed), and
how often an address was asked for its consent.

We must forget a player who leaves, but nobody may write to the player's friends under that name, nor sign up again and
again. So we keep only a mark of the userid and of each address, an HMAC with the server's secret. We can compare a new
one with it, but without the secret nobody can read anything out of it. A userid's mark is deleted after
names.KEPT_DAYS, an address's with its count (sweep.py).
"""

import hmac

from sqlite_utils import Database

from mailbot.core.model import DAY
from mailbot.core.players.names import KEPT_DAYS


def retire(db: Database, userid: str, now: int) -> None:
    """Nobody may take this userid from now on, for KEPT_DAYS."""
    *_, key = _keys(db)
    sql = "INSERT INTO retired (mark, at) VALUES (?, ?) ON CONFLICT (mark) DO UPDATE SET at = excluded.at"
    db.execute(sql, (_mark(key, "userid", userid), now))


def is_retired(db: Database, userid: str, now: int) -> bool:
    """Whether nobody may take this userid yet."""
    sql = "SELECT 1 FROM retired WHERE mark = ? AND at > ?"
    return any(db.execute(sql, (_mark(key, "userid", userid), now - KEPT_DAYS * DAY)).fetchone() for key in _keys(db))


def marks(db: Database, mailbox: str) -> list[str]:
    """What the count of an address (core.model.Contact) may be kept under when its player has left, the newest last."""
    return [f"gone:{_mark(key, 'address', mailbox).hex()}" for key in _keys(db)]


def _mark(key: bytes, what: str, text: str) -> bytes:
    return hmac.digest(key, f"{what}|{text.casefold()}".encode(), "sha256")


def _keys(db: Database) -> list[bytes]:
    return [key for (key,) in db.execute("SELECT key FROM secret ORDER BY id").fetchall()]
