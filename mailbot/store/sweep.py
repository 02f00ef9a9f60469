"""The clock's queries: when each kind of timer rings next, and which rows are too old."""

from collections.abc import Mapping

from sqlite_utils import Database

from mailbot.core.commands.account import PENDING_DAYS
from mailbot.core.commands.seeks import SEEK_DAYS
from mailbot.core.games.boards import OFFER_DAYS
from mailbot.core.games.flags import GRACE
from mailbot.core.model import DAY
from mailbot.core.players.names import KEPT_DAYS
from mailbot.core.ratings.fold import PAIR_DAYS
from mailbot.core.world import Timer
from mailbot.store import hung

AT_ONCE = 64
"""Timers of a kind that are read at a time."""

TIMES: Mapping[str, tuple[int, str]] = {
    "offer": (OFFER_DAYS * DAY, "SELECT created, id FROM game WHERE state = 'offered' ORDER BY created"),
    "signup": (PENDING_DAYS * DAY, "SELECT created, id FROM player WHERE state = 'pending' ORDER BY created"),
    "seek": (SEEK_DAYS * DAY, "SELECT created, id FROM seek ORDER BY created"),
    "digest": (
        0,
        "SELECT CAST(value AS INTEGER), player FROM preference INDEXED BY preference_digest WHERE name = 'digest due'"
        " ORDER BY CAST(value AS INTEGER)",
    ),
    "flag": (GRACE, "SELECT flag_at, id FROM game WHERE flag_at IS NOT NULL ORDER BY flag_at"),
    "away": (0, "SELECT begin, id FROM vacation WHERE told = 0 ORDER BY begin"),
    "back": (0, "SELECT end, id FROM vacation WHERE told = 1 ORDER BY end"),
    "entry": (
        0,
        "SELECT due, id FROM tournament INDEXED BY tournament_due WHERE due IS NOT NULL AND stage = 'entry'"
        " AND due = until ORDER BY due",
    ),
    "tournament": (  # also when enough have entered
        0,
        "SELECT due, id FROM tournament INDEXED BY tournament_due WHERE due IS NOT NULL AND NOT (stage = 'entry'"
        " AND due = until) ORDER BY due",
    ),
    "told": (0, "SELECT due, id FROM later ORDER BY due"),
    "refold": (0, "SELECT turn, place FROM refold ORDER BY turn"),
    "remind": (0, "SELECT remind_at, id FROM game WHERE remind_at IS NOT NULL ORDER BY remind_at"),
}
"""For each kind of core.due.TIMERS: the seconds to add, and the times and ids of its rows. An index serves each."""

STAND = ("offer", "signup", "seek", "flag", "entry", "remind")
"""These wait while no letter can leave or no mail is taken in. Nobody loses anything meanwhile. Time stands, so a
reminder that is due in a minute would stay due in a minute, and ring every minute."""

# Networks that are known to be a player's stay 60 days (5,184,000 s) longer: core/players/attempts.py, HOME_SECONDS.
CLEARED = (
    "DELETE FROM seen WHERE key IN (SELECT key FROM seen WHERE at < ? LIMIT 10000)",
    "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE created < ? AND state <> 'waiting' LIMIT 1000)",
    "DELETE FROM attempts WHERE key IN (SELECT key FROM attempts WHERE at < ? AND key NOT GLOB 'known:*' LIMIT 1000)",
    "DELETE FROM attempts WHERE key IN (SELECT key FROM attempts WHERE at < ? - 5184000 LIMIT 1000)",
    "DELETE FROM operator_mail WHERE at < ?",
    "DELETE FROM poison WHERE at < ?",
    "DELETE FROM shunt WHERE at < ?",
    "DELETE FROM tally WHERE since < ?",
)


def timers(db: Database, most: int = AT_ONCE) -> list[Timer]:
    """The next timers, at most `most` of each kind, in the order of their times."""
    stand = STAND if db.execute("SELECT 1 FROM pulse WHERE stuck > 0").fetchone() else ()
    found = [
        Timer(since + age, kind, ref)
        for kind, (age, sql) in TIMES.items()
        if kind not in stand
        for since, ref in db.execute(f"{sql} LIMIT {most}").fetchall()
    ]
    return sorted(found)


def next_at(db: Database) -> int | None:
    """When the next timer rings (unix seconds); None if there is none."""
    return next((timer.at for timer in timers(db, 1)), None)


def pardon(db: Database, before: int) -> None:
    """Forgets the addresses that were last asked for their consent before this time (unix seconds)."""
    db.execute("DELETE FROM contact WHERE last <= ?", (before,))


def clear(db: Database, before: int, now: int) -> None:
    """Deletes rows older than `before`, and expired marks of userids (unix seconds)."""
    for sql in CLEARED:
        db.execute(sql, (before,))
    db.execute("DELETE FROM retired WHERE at <= ?", (now - KEPT_DAYS * DAY,))
    db.execute("DELETE FROM left_box WHERE at <= ?", (now - PAIR_DAYS * DAY,))
    db.execute("DELETE FROM withheld WHERE day < ?", (before // DAY,))
    hung.clear(db, now - DAY)
