"""What is remembered of players who have left: userids that nobody may have for a while (also of who was renamed), how
often a mailbox was asked for its consent, and who has read there (also of who has another one now).

We must forget a player who leaves, but nobody may write to the player's friends under that name, nor sign up again and
again, nor lose rated games under one name after the other. So we keep only marks of the userid and the mailboxes, each
an HMAC with the server's secret. We can compare a new one with it, but without the secret nobody can read anything out
of it. A userid's mark is deleted after names.KEPT_DAYS, that of a mailbox with its count, or after fold.PAIR_DAYS
(sweep.py).
"""

import hmac
import json
from collections.abc import Iterable

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


def leave(db: Database, player: int, mailbox: str, now: int) -> None:
    """The player reads there no more."""
    sql = "INSERT INTO left_box (mark, player, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at"
    db.execute(sql, (marks(db, mailbox)[-1], player, now))


def have_left(db: Database, mailboxes: Iterable[str], since: int) -> set[int]:
    """The players who have left these mailboxes after this time."""
    found = json.dumps([mark for mailbox in mailboxes for mark in marks(db, mailbox)])
    sql = "SELECT player FROM left_box WHERE mark IN (SELECT value FROM json_each(?)) AND at > ?"
    return {player for (player,) in db.execute(sql, (found, since)).fetchall()}


def marks(db: Database, mailbox: str) -> list[str]:
    """What stands for a mailbox that a player has left (also as the key of a core.model.Contact), the newest last."""
    return [f"gone:{_mark(key, 'address', mailbox).hex()}" for key in _keys(db)]


def _mark(key: bytes, what: str, text: str) -> bytes:
    return hmac.digest(key, f"{what}|{text.casefold()}".encode(), "sha256")


def _keys(db: Database) -> list[bytes]:
    return [key for (key,) in db.execute("SELECT key FROM secret ORDER BY id").fetchall()]
