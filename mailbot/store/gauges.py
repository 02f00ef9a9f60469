"""Numbers of the store for Prometheus. They count rows, so ask them over a connection and in a thread of their own."""

import sqlite3
from typing import Final, NamedTuple

from sqlite_utils import Database

from mailbot.core.model import States
from mailbot.store.reads import FOR_BOTS, Reads

LETTERS: Final = ("waiting", "sent", "failed", "stuck")
PLAYERS: Final = ("pending", "active", "off", "locked", "gone")


class Gauges(NamedTuple):
    """`oldest`: since when the letter has waited that waits longest, 0 for none; unix seconds. `boards`: of
    tournaments, paired and not yet made; `steps`: tournaments whose next step is overdue."""

    letters: dict[str, int]
    oldest: int
    unproved: int
    aside: int
    games: dict[str, int]
    players: dict[str, int]
    bots: int
    boards: int
    steps: int


def read(db: Database, now: int) -> Gauges:
    """The numbers, all of one moment. Raises OSError where the file cannot be read."""
    try:
        return _read(db, now)
    except sqlite3.Error as error:
        raise OSError(f"the store cannot be read: {type(error).__name__}") from None


def _read(db: Database, now: int) -> Gauges:

    def one(sql: str, *values: int) -> int:
        return int(db.execute(sql, values).fetchone()[0] or 0)

    def by_state(table: str, states: tuple[str, ...], where: str = "1") -> dict[str, int]:
        found = db.execute(f"SELECT state, count(*) FROM {table} WHERE {where} GROUP BY state").fetchall()  # noqa: S608
        return {state: dict(found).get(state, 0) for state in states}

    with Reads(db).as_one():
        return Gauges(
            letters=by_state("outbox", LETTERS),
            oldest=one("SELECT min(created) FROM outbox WHERE state = 'waiting'"),
            unproved=one("SELECT count(*) FROM unproved"),
            aside=one("SELECT count(*) FROM shunt WHERE done = 0"),
            games=by_state("game", States.ALL),
            players=by_state("player", PLAYERS, "id > 0"),
            bots=one(f"SELECT count(*) FROM game WHERE {FOR_BOTS}"),  # noqa: S608
            boards=one("SELECT count(*) FROM fixture WHERE second > 0 AND game = 0 AND void = 0"),
            steps=one("SELECT count(*) FROM tournament WHERE due <= ?", now),
        )
