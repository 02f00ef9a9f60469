"""Failed log-ins, by hashed key (mailbot.core.players.attempts)."""

import json
from dataclasses import astuple

from sqlite_utils import Database

from mailbot.core.players.attempts import Attempts


def get(db: Database, key: str) -> Attempts | None:
    """The count under this key."""
    row = db.execute("SELECT value FROM attempts WHERE key = ?", (key,)).fetchone()
    return Attempts(*json.loads(row[0])) if row else None


def put(db: Database, key: str, row: Attempts, now: int) -> None:
    """Stores the count."""
    db.execute(
        "INSERT INTO attempts (key, value, at) VALUES (?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value, at = excluded.at",
        (key, json.dumps(astuple(row)), now),
    )
