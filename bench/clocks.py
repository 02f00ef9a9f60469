"""What clocks cost.

    python bench/clocks.py [--boards 100000] [--moves 2000] [--rounds 3] [--flags 1000]

In one run, with a file of so many running games with clocks:

    idle    the ticker while nothing is due: a poll of the timers each second, a beat and a clearing each minute
    flags   so many flags in the same second, beside moves as fast as they go: until the last one has fallen, and the
            p99 of the moves
    move    the CPU of a move on a board with a clock against one without, by turns

Exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import games
from load import Took, drive, running
from moves import measure, serve_ours

from mailbot.core.games import clocks, course
from mailbot.core.games.flags import GRACE
from mailbot.core.games.timing import Timing
from mailbot.core.model import Game
from mailbot.store import pulse, sweep
from mailbot.store.store import Store

CLOCK = "10d+2d/14d"
REMINDERS = Timing(reminders=(clocks.reminders(clocks.REMINDERS), clocks.reminders(clocks.REMINDERS)))
SOON = 8
"""Seconds after its start until the flags fall."""

GOALS = {"idle": 0.01, "flags": 5.0, "p99": 100.0, "move": 1.05}
"""A share of a core, seconds, milliseconds, and a ratio."""


def timed(game: Game, before: int = 0, ago: int = 0) -> Game:
    """The game with a clock, whose turn began so many seconds ago. In games up to `before` the time ends SOON, the
    grace of the ticker included."""
    clock = clocks.parse(CLOCK)
    assert clock
    left = SOON - GRACE + 1 if game.id <= before else clock.start
    began = games.NOW - ago if left > 0 else games.NOW + left - clock.start
    kept = game._replace(clock=CLOCK, left1=clock.start, left2=clock.start, began=began)
    return course.timed(kept, REMINDERS, games.NOW)


def idle(path: Path) -> float:
    """The share of a core that the ticker takes while nothing is due."""
    store = Store.open(path, games.NOW, b"k" * 32)

    def cost(work: Callable[[], object], times: int) -> float:
        work()
        begun = time.process_time()
        for _ in range(times):
            work()
        return (time.process_time() - begun) / times

    def beat() -> None:
        store.begin()
        pulse.beat(store.db, games.NOW)
        store.commit()

    def clear() -> None:
        store.begin()
        store.clear(games.NOW)
        store.commit()

    poll = cost(lambda: (sweep.timers(store.db), sweep.next_at(store.db)), 500)
    share = poll + (cost(beat, 20) + cost(clear, 20)) / 60
    store.close()
    return share


def fallen(path: Path, flags: int, seen: list[float]) -> None:
    """Notes when the first flag and when the last one has fallen."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    sql = "SELECT count(*) FROM game WHERE id <= ? AND state = 'over'"
    until = time.perf_counter() + 120
    while len(seen) < 2 and time.perf_counter() < until:
        (count,) = db.execute(sql, (flags,)).fetchone()
        if count > 0 and not seen:
            seen.append(time.perf_counter())
        if count >= flags:
            seen.append(time.perf_counter())
        time.sleep(0.05)
    db.close()


def at_once(path: Path, flags: int, moves: int, sessions: int) -> tuple[float, float, float]:
    """Seconds from the first flag to the last, and the p99 of the moves meanwhile and without flags, in ms."""
    db = sqlite3.connect(path)
    db.execute("INSERT INTO preference (player, name, value) SELECT id, 'autovacation', 'off' FROM player WHERE id > 0")
    db.commit()
    db.close()
    first = flags + 1
    seen: list[float] = []
    with running(__file__, "ours", str(path)) as (port, _):
        watch = threading.Thread(target=fallen, args=(path, flags, seen))
        watch.start()
        took: list[tuple[bool, Took]] = []
        while len(seen) < 2 and watch.is_alive():
            begun = not seen
            mails = games.moves_from(path, first, moves // 10)
            first += moves // 10
            round_ = asyncio.run(drive(port, mails, sessions, True))
            took.append((begun and not seen, round_))
        watch.join()
    quiet = [one for calm, round_ in took[1:] if calm for one in round_.each]  # the first round warms up
    beside = [one for calm, round_ in took[1:] if not calm for one in round_.each]
    if len(seen) < 2 or not beside:
        raise RuntimeError("the flags did not fall")
    return seen[1] - seen[0], Took(1, beside).ms(99), Took(1, quiet or beside).ms(99)


def against(folder: Path, moves: int, rounds: int, sessions: int) -> tuple[float, float]:
    """Microseconds of CPU of a move without and with a clock."""
    paths = {"without": folder / "without", "with": folder / "with"}
    games.fill(paths["without"], moves * (rounds + 1), 0)
    games.fill(paths["with"], moves * (rounds + 1), 0, timed=timed)
    todo = {
        name: [games.moves(path, 1 + turn * moves, moves) for turn in range(rounds + 1)] for name, path in paths.items()
    }
    costs: dict[str, list[float]] = {name: [] for name in paths}
    with (
        running(__file__, "ours", str(paths["without"])) as one,
        running(__file__, "ours", str(paths["with"])) as other,
    ):
        for turn in range(rounds + 1):
            for name, (port, pid) in (("without", one), ("with", other)):
                _, cost = measure(port, pid, todo[name][turn], sessions, True)
                if turn:  # the first round warms up
                    costs[name].append(cost)
    return statistics.median(costs["without"]), statistics.median(costs["with"])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--file", default="", help=argparse.SUPPRESS)
    options.add_argument("--boards", type=int, default=100_000)
    options.add_argument("--moves", type=int, default=2000, help="a round")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--flags", type=int, default=1000)
    options.add_argument("--sessions", type=int, default=32)
    given = options.parse_args()
    if given.serve:
        asyncio.run(serve_ours(given.file))
        return
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as name:
        folder = Path(name)
        path = folder / "db"
        games.fill(path, given.boards, 0, timed=partial(timed, before=given.flags))
        found["idle"] = idle(path)
        print(f"idle   {found['idle']:.2%} of a core with {given.boards} clocks and nothing due", flush=True)
        found["flags"], found["p99"], calm = at_once(path, given.flags, given.moves, given.sessions)
        ratio = found["p99"] / calm
        told = f"p99 of the moves beside them {found['p99']:.0f} ms, before them {calm:.0f}: ratio {ratio:.2f}"
        print(f"flags  {given.flags} in {found['flags']:.1f} s; {told}", flush=True)
        without, having = against(folder, given.moves, given.rounds, given.sessions)
        found["move"] = having / without
        print(f"move   {having:.0f} us of CPU with a clock, {without:.0f} without: ratio {found['move']:.3f}")
    missed = [name for name, goal in GOALS.items() if found[name] > goal]
    if missed:
        print("missed:", ", ".join(missed))
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
