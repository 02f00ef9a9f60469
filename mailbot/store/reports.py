"""The operator's reports on the database: plain reads, never an address."""

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from sqlite_utils import Database

from mailbot.core.model import DAY, States
from mailbot.store.reads import Reads
from mailbot.store.store import OPERATOR_MAILS

__all__ = ["Database", "Health", "Trouble", "has_arrived", "health", "shunted"]

LATE = 2 * 3600
"""Seconds after which a waiting letter is a sign of trouble."""

BOT_LATE = 3600
"""Seconds after which a board that waits for a computer player is a sign of trouble, too."""

SAFE_SQLITE = (3, 51, 3)
"""Older versions may corrupt a WAL when two connections write at the same instant (T9)."""

_LAST_TO_OPERATOR = (
    "SELECT returned OR state = 'failed' FROM outbox"
    " WHERE kind IN ('operator', 'appeal') AND state IN ('sent', 'failed') ORDER BY id DESC LIMIT 1"
)
"""Whether the last letter to the operator that has left has come back or was refused."""

_OF_TODAY = """
SELECT count(*), coalesce(sum(returned), 0), count(DISTINCT address) FILTER (WHERE returned) FROM outbox
WHERE created > ?1 AND state IN ('sent', 'failed') AND (?2 OR (player > 0 AND kind NOT IN ('signup', 'newcomer')))
"""
"""Letters to players, or to anybody (?2), that have left within the last day, those that came back, and from how many
addresses. People mistype their address when they sign up."""
_MANY = 3
"""So many of them must have come back, from two addresses or more, to tell of the server and not of a mailbox."""
TODAY = ("letters_left_today", "letters_returned_today", "addresses_returned_today")


class Trouble(NamedTuple):
    """Something to act on. `what`: one constant word, for programs; `said`: a clause for people."""

    what: str
    said: str


@dataclass(frozen=True, slots=True)
class Health:
    """The findings. `facts`: counts, seconds and words by name; `lines`: the same for people."""

    facts: dict[str, int | str | None]
    lines: tuple[str, ...]
    troubles: tuple[Trouble, ...]


def shunted(db: Database) -> list[tuple[int, int, str, int]]:
    """Mails set aside and not yet done: (id, when, error, attempts)."""
    sql = "SELECT id, at, error, attempts FROM shunt WHERE done = 0 ORDER BY id"
    return [(row[0], row[1], row[2], row[3]) for row in db.execute(sql).fetchall()]


def has_arrived(db: Database) -> bool:
    """Whether any player has ever answered a letter, so that letters have arrived."""
    return db.execute("SELECT 1 FROM address WHERE state <> 'pending' LIMIT 1").fetchone() is not None


def is_ours(db: Database) -> bool:
    """Whether the file has the tables of mailbot."""
    sql = "SELECT count(*) FROM sqlite_master WHERE name IN ('player', 'game', 'outbox')"
    return bool(db.execute(sql).fetchone()[0] == 3)


def health(db: Database, now: int) -> Health:
    """Versions, counts and queues."""
    try:
        return _health(db, now)
    except sqlite3.Error as error:
        said = f"the database cannot be read ({type(error).__name__}); restore the newest backup if that stays so"
        return Health({}, (), (Trouble("database", said),))


def _health(db: Database, now: int) -> Health:
    def one(sql: str) -> int | None:
        found = db.execute(sql).fetchone()[0]
        return None if found is None else int(found)

    def count(what: str) -> int:
        return one(f"SELECT count(*) FROM {what}") or 0  # noqa: S608 - only texts of this module

    def since(at: int | None) -> int | None:
        return None if at is None else max(0, now - at)

    waits_for_bots = [game.changed for game in Reads(db).for_bots(1_000_000)]
    facts: dict[str, int | str | None] = {
        "sqlite": sqlite3.sqlite_version,
        "check": str(db.execute("PRAGMA quick_check").fetchone()[0]),
        **{f"players_{state}": count(f"player WHERE id > 0 AND state = '{state}'") for state in ("active", "locked")},
        **{
            f"games_{state}": count(f"game WHERE state = '{state}'")
            for state in (States.RUNNING, States.OVER, States.OFFERED)
        },
        **{f"letters_{state}": count(f"outbox WHERE state = '{state}'") for state in ("waiting", "failed", "stuck")},
        "letters_held": one("SELECT coalesce(sum(count), 0) FROM withheld"),
        "oldest_letter_seconds": since(one("SELECT min(created) FROM outbox WHERE state = 'waiting'")),
        "boards_for_computer": len(waits_for_bots),
        "oldest_board_for_computer_seconds": since(min(waits_for_bots, default=None)),
        "mails_set_aside": count("shunt WHERE done = 0"),
        "operator_mails": count("operator_mail"),
        "operator_mails_today": count(f"operator_mail WHERE kind = 'operator' AND at > {now - DAY}"),
        "operator_unreached": one(f"SELECT coalesce(({_LAST_TO_OPERATOR}), 0)"),
        **dict(zip(TODAY, db.execute(_OF_TODAY, (now - DAY, not has_arrived(db))).fetchone(), strict=True)),
        "age_seconds": since(one("SELECT min(created) FROM secret")),
    }
    return Health(facts, tuple(_lines(facts)), tuple(_troubles(facts)))


def _lines(facts: dict[str, int | str | None]) -> list[str]:
    lines = [
        "SQLite {sqlite}, database check: {check}",
        "players: {players_active} active, {players_locked} locked",
        "games: {games_running} running, {games_over} over, {games_offered} offered",
        "letters: {letters_waiting} waiting, {letters_failed} failed, {letters_held} held back by a cap",
        "mail for postmaster and abuse, and bounces: {operator_mails}",
    ]
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        lines.append(
            "note: SQLite before 3.51.3 can damage a database that two programs write at once; mailbot never does "
            "that, so do not open it with another program while the server runs"
        )
    return [line.format(**facts) for line in lines]


def _troubles(facts: dict[str, int | str | None]) -> list[Trouble]:
    letter, board = (int(facts[f"oldest_{what}_seconds"] or 0) for what in ("letter", "board_for_computer"))
    left, back, addresses = (int(facts[name] or 0) for name in TODAY)
    rows = (
        (
            back >= _MANY and addresses > 1 and back * 2 > left,
            "letters",
            f"{back} of {left} letters of the last day came back: do other servers take mail from here (SPF, DKIM,"
            " block lists)?",
        ),
        (facts["check"] != "ok", "database", "the database is damaged; restore the newest backup"),
        (letter > LATE, "letters", f"a letter has been waiting for {letter // 3600} hours; is the relay there?"),
        (facts["letters_stuck"], "letters", f"{facts['letters_stuck']} letters cannot be written; the log names them"),
        (
            facts["operator_unreached"],
            "letters",
            "the last letter to the operator came back; is [operator] address right?",
        ),
        (
            int(facts["operator_mails_today"] or 0) >= OPERATOR_MAILS,
            "limits",
            f"{OPERATOR_MAILS} mails for postmaster and abuse came within a day: no more are taken for now",
        ),
        (facts["mails_set_aside"], "aside", f"{facts['mails_set_aside']} mails are set aside; see: mailbot shunted"),
        (
            board > BOT_LATE,
            "computer",
            f"a board has been waiting for a computer player for {board // 3600} hours; the log may say why",
        ),
    )
    return [Trouble(what, said) for there, what, said in rows if there]
