"""What it costs to be asked by Prometheus: a store with a million games and a million letters, and a busy event loop.

    python bench/metrics.py [--rows 1000000] [--rounds 5]

It prints how long the rows take to count, in their thread, and the longest that the loop was late meanwhile, beside the
longest without anybody asking.
"""

import argparse
import asyncio
import sqlite3
import tempfile
import time
from pathlib import Path

import games

from mailbot.shell.metrics import scrape
from mailbot.shell.metrics.counts import Counts, Moment
from mailbot.store import gauges
from mailbot.store.connection import connect


def fill(path: Path, rows: int) -> None:
    games.fill(path, 10, 10)
    db = sqlite3.connect(path)
    for table, first in (("game", 100), ("outbox", 1)):
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] not in ("id", "place")]
        made = {
            "player1": "1 + n % 999",
            "player2": "1000 + n % 999",
            "state": "'over'" if table == "game" else "'sent'",
        }
        made |= {"winner": "1", "asks": "''", "flag_at": "NULL", "remind_at": "NULL", "address": "'a' || n % 999"}
        values = ", ".join(made.get(column, "'0'" if _is_text(db, table, column) else "0") for column in columns)
        db.execute(
            f"WITH RECURSIVE k (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM k WHERE n < {first + rows})"
            f" INSERT INTO {table} (id, {', '.join(columns)}) SELECT n, {values} FROM k"
        )
    db.commit()
    db.close()


def _is_text(db: sqlite3.Connection, table: str, column: str) -> bool:
    return any(row[1] == column and row[2] == "TEXT" for row in db.execute(f"PRAGMA table_info({table})"))


async def latest(seconds: float) -> float:
    """By how many milliseconds the loop was late, at most."""
    end, worst = time.perf_counter() + seconds, 0.0
    while (begun := time.perf_counter()) < end:
        await asyncio.sleep(0.001)
        worst = max(worst, time.perf_counter() - begun - 0.001)
    return worst * 1000


async def measure(path: Path, rounds: int, seconds: float) -> tuple[float, float]:
    """The longest delays without anybody asking, and with; the median of the rounds."""
    moment = Moment(False, 0, 64, {"workers": 0, "thinking": 0, "given_up": 0}, 0)
    quiet, asked = [], []
    for _ in range(rounds):
        quiet.append(await latest(seconds))
        told = scrape.Scrape(Counts(), path, 0, lambda: moment, lambda: games.NOW)
        work = asyncio.create_task(told.text())
        asked.append(await latest(seconds))
        await work
    return sorted(quiet)[rounds // 2], sorted(asked)[rounds // 2]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder, "db")
        fill(path, given.rows)
        db = connect(path, readonly=True)
        gauges.read(db, games.NOW)
        begun, cpu = time.perf_counter(), time.process_time()
        gauges.read(db, games.NOW)
        took, cpu = time.perf_counter() - begun, time.process_time() - cpu
        db.close()
        print(
            f"{path.stat().st_size / 1e6:.0f} MB; the rows take {took:.2f} s to count, {cpu:.2f} s of CPU, in a thread"
        )
        quiet, asked = asyncio.run(measure(path, given.rounds, took + 0.5))
        print(f"the loop was late by {quiet:.1f} ms at most when nobody asked, by {asked:.1f} ms when somebody did")


if __name__ == "__main__":
    main()
