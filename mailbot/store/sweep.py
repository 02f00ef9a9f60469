"""What the clock looks at: rows that may have become due, and rows that have served."""

from typing import Any

from sqlite_utils import Database

from mailbot.core.model import DAY, Game, Player, Seek
from mailbot.store.rows import some

AT_ONCE = 500
"""Rows of a kind in one go; the next tick takes the others."""

DUE: tuple[tuple[type[Any], str, int], ...] = (
    (Game, "state = 'offered' AND created <= ? ORDER BY created", DAY),
    (Player, "state = 'pending' AND created <= ? ORDER BY created", DAY),
    (Seek, "created <= ? ORDER BY created", DAY),
    (
        Player,
        "id IN (SELECT player FROM preference WHERE name = 'digest due' AND CAST(value AS INTEGER) <= ?) ORDER BY id",
        0,
    ),
)
"""Rows, which of them, and how old (seconds) they are at least. core/due.py judges."""

CLEARED = (
    "DELETE FROM seen WHERE key IN (SELECT key FROM seen WHERE at < ? LIMIT 1000)",
    "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE created < ? AND state <> 'waiting' LIMIT 1000)",
    "DELETE FROM attempts WHERE key IN (SELECT key FROM attempts WHERE at < ? LIMIT 1000)",
    "DELETE FROM operator_mail WHERE at < ?",
    "DELETE FROM tally WHERE since < ?",
)


def due_entities(db: Database, now: int) -> list[Any]:
    """What the clock has to judge."""
    return [one for of, where, age in DUE for one in some(db, of, f"{where} LIMIT {AT_ONCE}", now - age)]


def clear(db: Database, before: int) -> None:
    """Deletes what is older than this time (unix seconds)."""
    for sql in CLEARED:
        db.execute(sql, (before,))
