"""A database that was restored from a copy: nothing that was handed out since the copy was made is handed out again.

A copy says of itself that it is one (`mark`). When the server opens it, ids and reply tokens of the time between must
not come back: they stand in letters that have arrived, some of them in the letters of other people. So there is a new
key, which ends every earlier token and changes every Message-ID, and each table that numbers its rows goes on a long
way further. One letter tells each player which boards wait.
"""

import logging
import sqlite3
from pathlib import Path

from sqlite_utils import Database

from mailbot.core.effects import Effect
from mailbot.core.players import waiting
from mailbot.core.tokens import LARGEST_KEY_ID
from mailbot.core.world import World
from mailbot.store import outbox

IS_COPY = 1
"""What `PRAGMA user_version` says of a copy."""

MAGIC = b"SQLite format 3\0"
"""How a database begins."""

MARGINS = {"outbox": 1_000_000}
MARGIN = 1_000
"""By how much the numbers of a table go on: more rows than a day brings. Letters and tokens take nine digits."""


def mark(copy: sqlite3.Connection) -> None:
    """Notes in a copy that it is one."""
    copy.execute(f"PRAGMA user_version = {IS_COPY}")


def marked(header: bytes) -> bool:
    """Whether the first bytes of the file say that it is a copy. Offsets: the SQLite file format, section 1.3."""
    return header[60:64] == IS_COPY.to_bytes(4, "big")


def is_foreign(header: bytes) -> bool:
    """Whether the first bytes of a file are those of a copy, or of no database."""
    return marked(header) or not header.startswith(MAGIC)


def without_former_log(path: Path) -> None:
    """If the file is a copy that nobody has opened, moves a write-ahead log beside it aside, to `-wal.former`: it is
    that of the store in whose place the copy was put, and SQLite would apply it to the copy."""
    log = path.with_name(f"{path.name}-wal")
    with path.open("rb") as file:
        header = file.read(100)
    if not marked(header) or not log.exists():
        return
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    if not log.stat().st_size:  # a start that has failed leaves an empty one
        log.unlink()
        return
    log.replace(path.with_name(f"{log.name}.former"))
    logging.getLogger("mailbot.store").warning("the store is a copy; the log of the former store was moved aside")


def is_copy(db: Database) -> bool:
    """Whether this was a copy, and nobody has worked on it since."""
    return bool(db.execute("PRAGMA user_version").fetchone()[0] == IS_COPY)


def renew(db: Database, new_key: bytes, now: int) -> None:
    """Begins to work on a copy. Old keys are kept for the marks of userids only (`retired`)."""
    db.execute("UPDATE secret SET ended = ? WHERE ended = 0", (now,))
    db.execute("INSERT INTO secret (id, key, created) VALUES (?, ?, ?)", (_free_key_id(db), new_key, now))
    db.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_schema WHERE type = 'table'"
        " AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)"
    )  # SQLite itself writes this with a table's first row
    for (table,) in db.execute("SELECT name FROM sqlite_sequence").fetchall():
        db.execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?", (MARGINS.get(table, MARGIN), table))
    outbox.give_up_passwords(db)
    db.execute("PRAGMA user_version = 0")


def _free_key_id(db: Database) -> int:
    """The next number for a key. A token has room for two digits; when all are used, the key that ended first goes."""
    used = {key_id for (key_id,) in db.execute("SELECT id FROM secret").fetchall()}
    free = [key_id for key_id in range(1, LARGEST_KEY_ID + 1) if key_id not in used]
    if free:
        return next((key_id for key_id in free if key_id > max(used, default=0)), free[0])
    oldest: int = db.execute("SELECT id FROM secret ORDER BY ended, id LIMIT 1").fetchone()[0]
    db.execute("DELETE FROM secret WHERE id = ?", (oldest,))
    return oldest


def letters(db: Database, now: int, world: World) -> list[Effect]:
    """What tells the players that only newer letters can be answered: to each the boards that wait."""
    players = db.execute("SELECT id FROM player WHERE id > 0 AND state IN ('active', 'off') ORDER BY id").fetchall()
    return [effect for (player,) in players for effect in waiting.letters(player, now, world)]
