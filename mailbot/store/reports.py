"""What the operator asks of the database: plain reads, never an address."""

import sqlite3
from dataclasses import dataclass

from sqlite_utils import Database

__all__ = ["Database", "Health", "health", "shunted"]

LATE = 2 * 3600
"""Seconds after which a waiting letter is a sign of trouble."""

SAFE_SQLITE = (3, 51, 3)
"""Older versions may corrupt a WAL when two connections write at one instant (T9)."""


@dataclass(frozen=True, slots=True)
class Health:
    """What was found: plain lines, and lines somebody should act upon."""

    lines: tuple[str, ...]
    troubles: tuple[str, ...]


def shunted(db: Database) -> list[tuple[int, int, str, int]]:
    """Mails set aside and not yet done: (id, when, error, attempts)."""
    sql = "SELECT id, at, error, attempts FROM shunt WHERE done = 0 ORDER BY id"
    return [(row[0], row[1], row[2], row[3]) for row in db.execute(sql).fetchall()]


def is_ours(db: Database) -> bool:
    """Whether the tables of mailbot are there."""
    sql = "SELECT count(*) FROM sqlite_master WHERE name IN ('player', 'game', 'outbox')"
    return bool(db.execute(sql).fetchone()[0] == 3)


def health(db: Database, now: int, free: int, enough: int) -> Health:
    """Versions, counts and queues. `free`: bytes left where the database lies, `enough`: below which mails wait."""

    def count(what: str) -> int:
        return int(db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])  # noqa: S608 - only texts of this module

    check = str(db.execute("PRAGMA quick_check").fetchone()[0])
    active, locked = (count(f"player WHERE state = '{state}'") for state in ("active", "locked"))
    running, over, offered = (count(f"game WHERE state = '{state}'") for state in ("running", "over", "offered"))
    waiting, failed, stuck, held = (
        count(f"outbox WHERE state = '{state}'") for state in ("waiting", "failed", "stuck", "held")
    )
    aside, kept = count("shunt WHERE done = 0"), count("operator_mail")
    lines = [
        f"SQLite {sqlite3.sqlite_version}, database check: {check}",
        f"players: {active} active, {locked} locked",
        f"games: {running} running, {over} over, {offered} offered",
        f"letters: {waiting} waiting, {failed} failed, {held} held back by a cap",
        f"mail for postmaster and abuse, and bounces: {kept}",
    ]
    troubles = []
    if check != "ok":
        troubles.append("the database is damaged; restore the newest backup")
    oldest = db.execute("SELECT min(created) FROM outbox WHERE state = 'waiting'").fetchone()[0]
    if oldest is not None and now - oldest > LATE:
        troubles.append(f"a letter has been waiting for {(now - oldest) // 3600} hours; is the relay there?")
    if free < enough:
        troubles.append(f"only {free // 1_000_000} MB of disk are free: mails are put off until there is more")
    if stuck:
        troubles.append(f"{stuck} letters cannot be written; the log names them")
    if aside:
        troubles.append(f"{aside} mails are set aside; see: mailbot shunted")
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        lines.append(
            "note: SQLite before 3.51.3 can damage a database that two programs write at once; mailbot never does "
            "that, so do not open it with another program while the server runs"
        )
    return Health(tuple(lines), tuple(troubles))
