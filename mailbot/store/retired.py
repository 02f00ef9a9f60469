"""Userids that nobody may have for a while: of players who have left, or who were renamed.

We must forget a player who leaves, but nobody may write to the player's friends under that name. So we keep only a mark
of the userid, an HMAC with the server's secret. We can compare a new userid with it, but without the secret nobody can
read a userid out of it. After names.KEPT_DAYS the mark is deleted (sweep.py).
"""

import hmac

from sqlite_utils import Database

from mailbot.core.model import DAY
from mailbot.core.players.names import KEPT_DAYS


def retire(db: Database, userid: str, now: int) -> None:
    """Nobody may take this userid from now on, for KEPT_DAYS."""
    *_, key = _keys(db)
    sql = "INSERT INTO retired (mark, at) VALUES (?, ?) ON CONFLICT (mark) DO UPDATE SET at = excluded.at"
    db.execute(sql, (_mark(key, userid), now))


def is_retired(db: Database, userid: str, now: int) -> bool:
    """Whether nobody may take this userid yet."""
    sql = "SELECT 1 FROM retired WHERE mark = ? AND at > ?"
    return any(db.execute(sql, (_mark(key, userid), now - KEPT_DAYS * DAY)).fetchone() for key in _keys(db))


def _mark(key: bytes, userid: str) -> bytes:
    return hmac.digest(key, f"userid|{userid.casefold()}".encode(), "sha256")


def _keys(db: Database) -> list[bytes]:
    return [key for (key,) in db.execute("SELECT key FROM secret ORDER BY id").fetchall()]
