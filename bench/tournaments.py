"""Tournaments: pairing and the table of a large one, and what idle ones cost.

    python bench/tournaments.py [--players 200] [--idle 100]

    pairing  the ninth round of a Swiss; and by the clock, in a process of its own, as the daemon does it
    table    the table of that tournament from its rows
    idle     a look at all timers with so many tournaments in which games run, against none
    step     the longest of the transactions that make the boards of a large step (groups of 37, 4,554 games), and all
             of them as one

Times are those of the CPU, since neighbours change all others. Exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mailbot.core.contests import Entry, Fixture, Stages, Tournament
from mailbot.core.due import TOURNAMENT
from mailbot.core.hosting import standing, steps
from mailbot.core.hosting.standing import Standing
from mailbot.core.model import Address, Game, Player, States
from mailbot.core.tournaments import dutch
from mailbot.core.world import Request, Timer
from mailbot.shell import pairer
from mailbot.store import sweep
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store

NOW = 1_770_000_000
PAIRING, TABLE, IDLE, STEP = 2.0, 0.05, 1.05, 0.5


def tournament(number: int, due: int | None = None) -> Tournament:
    return Tournament(
        number,
        f"Cup {number}",
        1,
        Stages.RUNNING,
        "swiss,rounds=9,match=1",
        "lambo",
        "10d",
        2,
        256,
        NOW,
        NOW,
        7,
        due=due,
    )


def fill(store: Store, players: int, rounds: int) -> None:
    """A tournament of so many players with so many rounds played at random."""
    chance = random.Random(1)
    store.begin()
    put(store.db, tournament(1, due=NOW))
    for number in range(1, players + 1):
        put(store.db, Player(number, f"player{number}", "active", "", 1, 1, NOW))
        put(store.db, Entry(1, number, NOW, number))
    board = 0
    for _ in range(rounds):
        state = standing.load(tournament(1), Reads(store.db))
        decided = steps.decide(state)
        assert decided
        for place, pairing in enumerate(decided.decision.pairings, len(state.fixtures) + 1):
            first, second = int(pairing.first), int(pairing.second or 0)
            if second:
                board += 1
                over = Game(
                    board, "lambo", first, second, States.OVER, 3, 9, 0, chance.choice([0, 1, 2]), "x", NOW, NOW
                )
                put(store.db, over._replace(event=1))
            put(store.db, Fixture(1, place, pairing.round, first, second, board if second else 0, NOW))
    store.commit()


def idle(store: Store, count: int) -> None:
    """So many tournaments in which a game runs."""
    store.begin()
    for number in range(2, count + 2):
        put(store.db, tournament(number))
    store.commit()


def step(path: Path, players: int, part: int) -> tuple[int, list[float]]:
    """How many games the first step of a tournament in large groups has, and the CPU time of each transaction that
    makes boards for so many of them."""
    store = Store.open(path, NOW, b"k" * 32)
    store.begin()
    put(store.db, replace(tournament(1, due=NOW), format="groups,of=40"))
    for number in range(1, players + 1):
        put(store.db, Player(number, f"player{number}", "active", "", 1, 1, NOW))
        put(store.db, Address(number, number, f"player{number}@example.org", "current", 0, NOW))
        put(store.db, Entry(1, number, NOW, number))
    store.commit()
    steps.PART = part
    times: list[float] = []
    reads = Reads(store.db)
    while not times or any(fixture.waits for fixture in reads.fixtures(1)):
        begin = time.process_time()
        store.begin()
        store.enter(Request(NOW + len(times), timer=Timer(NOW + len(times), TOURNAMENT, 1)))
        store.commit()
        times.append(time.process_time() - begin)
    games = len(reads.games_in(1))
    store.close()
    return games, times


def fresh_table(state: Standing) -> object:
    """The table from the rows, although it was computed before."""
    field = Standing(state.tournament, state.entries, state.fixtures, state.games).field
    assert field
    return state.format.table(field)


def best(run: Callable[[], object], times: int) -> float:
    """The least CPU time of several runs, in seconds."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        run()
        found.append(time.process_time() - begin)
    return min(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--idle", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "db", NOW, b"k" * 32)
        fill(store, asked.players, 8)
        reads = Reads(store.db)
        begin = time.perf_counter()
        asyncio.run(pairer.decided(Timer(NOW, TOURNAMENT, 1), reads))
        waited = time.perf_counter() - begin
        state = standing.load(tournament(1), reads)
        dutch.pair.cache_clear()
        pairing = best(lambda: steps.decide(state), 1)
        table = best(lambda: fresh_table(state), 5)
        store.db.execute("UPDATE tournament SET due = NULL")
        none = best(lambda: sweep.timers(store.db), 500)
        idle(store, asked.idle)
        some = best(lambda: sweep.timers(store.db), 500)
        store.close()
        games, parts = step(Path(folder) / "parts", 256, steps.PART)
        _, (whole,) = step(Path(folder) / "whole", 256, 10**6)
    print(f"pairing {asked.players} players in round 9: {pairing:.2f} s of CPU (goal {PAIRING} s)")
    print(f"    in a process of its own, from its start to the answer: {waited:.2f} s by the clock")
    print(f"the table of {asked.players} players: {table * 1000:.0f} ms (goal {TABLE * 1000:.0f} ms)")
    print(f"{asked.idle} idle tournaments, a look at the timers against none: {some / none:.2f} (goal {IDLE})")
    print(f"a step of {games} games, the longest of {len(parts)} transactions: {max(parts):.2f} s (goal {STEP} s)")
    print(f"    all of them in one: {whole:.2f} s")
    return int(pairing > PAIRING or table > TABLE or some / none > IDLE or max(parts) > STEP)


if __name__ == "__main__":
    sys.exit(main())
