"""What pictures in letters cost.

    python bench/pictures.py [--moves 600] [--sessions 32] [--rounds 3]

One run measures: letters a second out of the daemon to a sink as text, as HTML and with pictures (each move makes two
letters, which share a picture); moves a second into it while its painter is busy and while it is idle (no letters leave
meanwhile); the size of a picture of a whole board and its CPU once warm; the memory of daemon and painter together.
"""

import argparse
import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import games
from delivery import choose, sink, waiting
from load import Mail, cpu_seconds, drive, megabytes, running
from moves import serve_ours

from engine.hex import notation, variants
from engine.hex.position import apply, legal_moves, start
from mailbot.core.letters.pictures import Wanted
from mailbot.shell.post.painter import paint

FORMS = ("text", "html", "picture")


def boards(rules: str, count: int, seed: int = 1) -> list[Wanted]:
    """Random boards with nearly all their 48 tiles."""
    chance = random.Random(seed)
    found: list[Wanted] = []
    while len(found) < count:
        position = start(variants.parse(rules))
        while position.outcome is None and len(position.tiles) < 44:
            moves = list(islice(legal_moves(position), 200))
            position = next(
                (
                    after
                    for move in chance.sample(moves, min(8, len(moves)))
                    if not (after := apply(position, move)).outcome
                ),
                apply(position, moves[0]),
            )
        if position.outcome is None:
            moves_made = tuple(notation.write_move(turn.move) for turn in position.turns)
            found.append(Wanted("still", rules, moves_made, ("ann", "bob")))
    return found


def busy(app: Any) -> None:
    """Keeps the painter at work for as long as the daemon runs."""
    queue = boards("lambo", 40)

    async def paint_on(wake: asyncio.Event, stop: asyncio.Event) -> None:
        while True:
            for one in queue:
                await app.gallery._painters.paint(one)

    app.worker.run = paint_on


def children(pid: int) -> list[int]:
    """The processes that a process has started (Linux)."""
    return [int(one) for path in Path(f"/proc/{pid}/task").glob("*/children") for one in path.read_text().split()]


def warm() -> None:
    """Size and CPU of a picture, once the small pictures that it is made of are there."""
    for rules in ("lambo", "mambo"):
        todo = boards(rules, 12)
        paint(todo[0])
        sizes, times = [], []
        for one in todo * 2:
            begun = time.process_time()
            made = paint(one)
            times.append((time.process_time() - begun) * 1e3)
            sizes.append(len(made or b""))
        half = times[len(todo) :]
        print(f"a picture of {rules}: at most {max(sizes)} octets, {statistics.median(half):.1f} ms of CPU once warm")


def out(form: str, moves: int, sessions: int, text: float | None) -> float:
    """Moves as fast as they go, and how long until all letters have left. Returns letters a second; `text`: the same of
    text letters."""
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder, "db")
        games.fill(path, moves, 0)
        db = sqlite3.connect(path)
        choose(db, form)
        mails = games.moves_from(path, 1, moves)
        with running(__file__, "sink") as (port, _), running(__file__, f"relay:{port}", str(path)) as (ours, pid):
            begun = time.perf_counter()
            asyncio.run(drive(ours, mails, sessions, True))
            while waiting(db):
                time.sleep(0.05)
            took = time.perf_counter() - begun
            painters = children(pid)
            memory = sum(map(megabytes, [pid, *painters]))
            cpu = cpu_seconds(pid) / (2 * moves) * 1e3
        known = db.execute("SELECT count(*), max(length(content)) FROM picture").fetchone()
        db.close()
    pictures = f", {known[0]} pictures of at most {known[1]} octets" if known[0] else ""
    rate = 2 * moves / took
    print(
        f"{form:8} {rate:5.0f} letters a second, ratio {rate / (text or rate):.2f},"
        f" {cpu:.1f} ms of the daemon's CPU each{pictures};"
        f" memory of daemon and {len(painters)} painters {memory:.0f} MB"
    )
    return rate


def into(moves: int, sessions: int, rounds: int) -> None:
    """Moves a second with an idle painter and with a busy one, by turns."""
    rates: dict[str, list[float]] = {"idle": [], "busy": []}
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        for name in rates:
            games.fill(Path(folder, name), moves * (rounds + 1), 0)
        todo: dict[str, list[Sequence[Mail]]] = {
            name: [games.moves(Path(folder, name), 1 + turn * moves, moves) for turn in range(rounds + 1)]
            for name in rates
        }
        with (
            running(__file__, "idle", str(Path(folder, "idle"))) as one,
            running(__file__, "busy", str(Path(folder, "busy"))) as other,
        ):
            servers = {"idle": one, "busy": other}
            for turn in range(rounds + 1):
                for name, (port, _) in servers.items():
                    rate = asyncio.run(drive(port, todo[name][turn], sessions, True)).rate()
                    rates[name] += [rate] if turn else []
    idle, loaded = (statistics.median(rates[name]) for name in ("idle", "busy"))
    print(f"moves a second in: {idle:.0f} without, {loaded:.0f} with a picture queue behind, ratio {loaded / idle:.2f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--file", default="", help=argparse.SUPPRESS)
    options.add_argument("--moves", type=int, default=600)
    options.add_argument("--sessions", type=int, default=32)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    if given.serve:
        kind, _, relay = given.serve.partition(":")
        if kind == "sink":
            asyncio.run(sink())
        else:
            prepare = busy if kind == "busy" else lambda app: None
            asyncio.run(serve_ours(given.file, int(relay or 0), prepare))
        return
    warm()
    text = None
    for form in FORMS:
        rate = out(form, given.moves, given.sessions, text)
        text = text or rate
    into(given.moves, given.sessions, given.rounds)


if __name__ == "__main__":
    main()
