"""When the server was known to be well: outages follow from it, in which every clock stands.

Theory of operation. The ticker notes every minute that it is there (`alive`), and since when no letter can leave, or no
mail is taken in (`stuck`). If it comes back after an hour or more, the time between was an outage, and so was the time
in which it was stuck. Both begin with the last minute in which all was well.
"""

from dataclasses import replace

from sqlite_utils import Database

from mailbot.core.contests import Tournament
from mailbot.core.games import course, timing, vacations
from mailbot.core.games.clocks import SHORTEST_OUTAGE
from mailbot.core.model import DAY, Game, Outage, Pulse
from mailbot.core.operator import arrivals
from mailbot.core.players.preferences import DIGEST_DUE
from mailbot.store.reads import Reads
from mailbot.store.rows import put, some

RETRY = 1800
"""Within so many seconds most mail servers try again to deliver a mail that found nobody here."""
JUMP = 60
"""Seconds by which the machine's clock may wander before that is a jump."""
_LAPSES = [
    f"{table} SET created = ?2 - max(0, ?1 - created) WHERE {which}"
    for table, which in (("game", "state = 'offered'"), ("player", "state = 'pending'"), ("seek", "true"))
]
"""What lapses some days after it was created. The time from ?1 to ?2 does not count."""
_MOVED = (
    "INSERT INTO moved_entry SELECT ?3, id, until FROM tournament"
    " WHERE stage = 'entry' AND due = until AND until BETWEEN ?1 AND ?2"
)
_ENTRY = (
    "UPDATE tournament SET until = until + ?2 - ?1, due = due + ?2 - ?1"
    " WHERE id IN (SELECT tournament FROM moved_entry WHERE outage = ?3)"
)
"""Entry that would have ended in an outage goes on for as long as there was still time when that began."""
_ENTRY_BACK = (
    "UPDATE tournament SET until = moved.until + iif(moved.until <= ?4, ?4 - ?1, 0),"
    " due = moved.until + iif(moved.until <= ?4, ?4 - ?1, 0) FROM moved_entry AS moved"
    " WHERE moved.outage = ?3 AND tournament.id = moved.tournament AND stage = 'entry' AND due = tournament.until"
    " AND tournament.until = moved.until + ?2 - ?1"
)
"""The outage ?3 from ?1 to ?2 ends at ?4, which is earlier."""


def served(db: Database) -> str:
    """The address of the server that has opened this store last, or its domain alone; "" if none has. An older version
    may have written the store."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'served'").fetchone():
        return ""
    found = db.execute("SELECT * FROM served").fetchone()
    return str(found[0]) if found else ""


def serves(db: Database, address: str) -> None:
    """Notes the address."""
    db.execute("DELETE FROM served")
    db.execute("INSERT INTO served (address) VALUES (?)", (address,))


def begun(db: Database, now: int, patience: int) -> int:
    """The server begins. Returns since when mails may have waited for it: since it was there the last time, or, if it
    has begun within so many seconds before, since they may have waited for that start. Whoever had time when it was
    there the last time has RETRY seconds at least."""
    _spare(db, now)
    before = db.execute("SELECT at, waiting FROM last_start WHERE at BETWEEN ? AND ?", (now - patience, now)).fetchone()
    waiting = int(before[1]) if before else min(Reads(db).pulse().alive, now)
    db.execute("DELETE FROM last_start")
    db.execute("INSERT INTO last_start (at, waiting) VALUES (?, ?)", (now, waiting))
    return waiting


def _spare(db: Database, now: int) -> None:
    reads = Reads(db)
    alive = reads.pulse().alive
    # The flag that is stored may be from before an outage that has ended just now.
    for game in some(db, Game, "flag_at < ?", now + RETRY) if alive else ():
        had = timing.left(game, alive, timing.of(game, alive, reads))[game.to_move - 1]
        stands = timing.of(game, now, reads)
        if had > 0 and timing.left(game, now, stands)[game.to_move - 1] < RETRY:
            put(db, course.given(game, game.to_move, RETRY, now, stands), game)


def beat(db: Database, now: int, *, stuck: bool = False) -> Outage | None:
    """The server is there. `stuck`: no letter can leave, or no mail is taken in. Keeps the outage that ends with this,
    and returns it."""
    pulse = Reads(db).pulse()
    if pulse.alive and now < pulse.alive - JUMP:
        set_back(db, now)
        pulse = Pulse(now, min(pulse.stuck, now))
    away = pulse.alive and now - pulse.alive >= SHORTEST_OUTAGE
    since = pulse.stuck or (pulse.alive if stuck or away else 0)
    over = None
    if since and not stuck and now - since >= SHORTEST_OUTAGE:
        over = keep(db, since, now)
    if away and stuck:
        keep(db, pulse.alive, now)
    _put(db, Pulse(now, (since or now) if stuck else 0))
    return over


def touch(db: Database) -> None:
    """Writes the pulse as it is, to find out whether the database takes writes. Not by an UPDATE: SQLite does not write
    a row that stays as it is."""
    _put(db, Reads(db).pulse())


def keep(db: Database, begin: int, end: int) -> Outage:
    """All clocks stood from `begin` to `end`, and that time does not count for what lapses after some days, nor for a
    tournament whose entry would have ended in it."""
    outage = Outage(Reads(db).fresh("outage"), begin, end)
    put(db, outage)
    for lapses in _LAPSES:
        db.execute(f"UPDATE {lapses} AND created < ?2", (begin, end))
    db.execute(_MOVED, (begin, end, outage.id))
    db.execute(_ENTRY, (begin, end, outage.id))
    return outage


def jumped(db: Database, before: int, now: int) -> Outage | None:
    """The machine's clock has jumped from `before` to `now`. Forward: that time was none. Back: see `set_back`."""
    if now < before:
        set_back(db, now)
    outage = keep(db, before, now) if now > before else None
    pulse = Reads(db).pulse()
    _put(db, Pulse(now, min(pulse.stuck, now)))
    return outage


def set_back(db: Database, now: int) -> None:
    """It is earlier than we thought. Turns and vacations that began later than now begin now. Such a vacation ends when
    its player was told, but as soon as the longest one could. Outages end now at the latest, and entry that they made
    longer ends as much earlier. A digest or a letter that is due later than in a day is due now; what lapses after some
    days lapses so many days from now; a tournament is looked after when its state asks for that; and what counts
    towards a limit counts from now."""
    late = "SELECT id, begin, end FROM outage WHERE end > ? ORDER BY id DESC"
    for number, begin, end in db.execute(late, (now,)).fetchall():
        db.execute(_ENTRY_BACK, (begin, end, number, max(begin, now)))
        db.execute("DELETE FROM moved_entry WHERE outage = ?", (number,))
    db.execute("DELETE FROM outage WHERE begin >= ?", (now,))
    db.execute("UPDATE outage SET end = ? WHERE end > ?", (now, now))
    db.execute("UPDATE game SET began = ? WHERE flag_at IS NOT NULL AND began > ?", (now, now))
    sql = "UPDATE vacation SET begin = ?1, end = min(end, ?2) WHERE (told = 1 OR automatic = 1) AND begin > ?1"
    db.execute(sql, (now, now + vacations.AT_ONCE * DAY))
    sql = "UPDATE preference SET value = ? WHERE name = ? AND CAST(value AS INTEGER) > ?"
    db.execute(sql, (str(now), DIGEST_DUE, now + DAY))
    db.execute("UPDATE last_start SET at = min(at, ?1), waiting = min(waiting, ?1)", (now,))
    db.execute("UPDATE outbox SET created = ?1 WHERE created > ?1", (now,))
    db.execute("UPDATE operator_mail SET at = ?1 WHERE at > ?1", (now,))
    db.execute("UPDATE later SET due = ? WHERE due > ?", (now, now + DAY))
    db.execute("UPDATE entry SET told = ?1 WHERE told > ?1", (now,))
    db.execute("UPDATE rung SET played = min(played, ?1), dropped = min(dropped, ?1), late = min(late, ?1)", (now,))
    for lapses in _LAPSES:
        db.execute(f"UPDATE {lapses} AND created > ?2", (now, now))
    reads = Reads(db)
    for tournament in some(db, Tournament, "due > ?", now):
        put(db, replace(tournament, due=arrivals.due_at(tournament, reads, now)), tournament)
    for game in some(db, Game, "flag_at IS NOT NULL"):
        put(db, course.timed(game, timing.of(game, now, reads), now), game)


def _put(db: Database, pulse: Pulse) -> None:
    db.execute("DELETE FROM pulse")
    db.execute("INSERT INTO pulse (alive, stuck) VALUES (?, ?)", (pulse.alive, pulse.stuck))
