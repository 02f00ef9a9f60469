"""Boards an hour that one and two workers of a fleet think of, and what each board costs the daemon's event loop.

Everything runs on this machine: a scheduler and two workers, as an operator starts them, and beside them the local pool
with one worker as the yardstick. Two workers need two free cores.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mailbot.shell.config.settings import BotsSection
from mailbot.shell.minds import fleet, work
from mailbot.shell.minds.pool import Pool
from mailbot.shell.minds.work import Minds
from tests.shell.minds.machines import certificates, fleet_of, free_port

BOARDS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
PLAYOUTS = 10000
"""Of level 4."""
IDLE = 5.0
"""Seconds in which nobody thinks."""
COMMAND = "from mailbot.shell.console.cli import main; main()"


def program(what: str, bots: BotsSection, folder: Path) -> "subprocess.Popen[bytes]":
    """One of the fleet's programs, with the compiled code of the working tree."""
    papers = [f"--{name}={folder / file}" for name, file in (("ca", "ca.pem"), ("cert", "own.pem"), ("key", "own.key"))]
    return subprocess.Popen([sys.executable, "-c", COMMAND, "fleet", what, str(bots.fleet), *papers], env=os.environ)


async def played(minds: Minds, places: int) -> tuple[float, float]:
    """Seconds, and CPU seconds of this thread, for each board; as many boards at once as there are places."""
    left = list(range(BOARDS))

    async def one_after_another() -> None:
        while left:
            await minds.think(work.evaluate, "lambo", ["b1"], left.pop(), PLAYOUTS, 60)

    await asyncio.gather(*(minds.think(work.evaluate, "lambo", ["b1"], 1, PLAYOUTS, 60) for _ in range(places)))
    began, cpu = time.monotonic(), time.thread_time()
    await asyncio.gather(*(one_after_another() for _ in range(places)))
    return (time.monotonic() - began) / BOARDS, (time.thread_time() - cpu) / BOARDS


async def idle() -> float:
    """CPU seconds of this thread for each second in which nothing is to be done."""
    began, cpu = time.monotonic(), time.thread_time()
    await asyncio.sleep(IDLE)
    return (time.thread_time() - cpu) / (time.monotonic() - began)


async def measured(folder: Path) -> dict[str, float]:
    compiled = work.code_folder(Path("var/compiled"))
    bots, pool = fleet_of(folder, free_port()), Pool(1, compiled, seconds=60)
    pool.warm()
    found: dict[str, float] = {}
    programs = [program("scheduler", bots, folder)]
    changed = asyncio.Event()

    async def tell(said: str) -> None:
        print(said, file=sys.stderr)

    ours = fleet.Fleet(bots, Pool(0, None, seconds=60), changed=changed.set, tell=tell)
    try:
        pace, cost = await played(pool, 1)
        found |= {"pool, boards an hour": 3600 / pace, "pool, loop ms a board": 1000 * cost}
        pool.end()
        found["no fleet, loop % idle"] = 100 * await idle()
        running = asyncio.create_task(ours.run())
        for count in (1, 2):
            programs.append(program("worker", bots, folder))
            while ours.places < count:
                changed.clear()
                await changed.wait()
            pace, cost = await played(ours, count)
            found |= {f"{count} in a fleet, boards an hour": 3600 / pace, f"{count}, loop ms a board": 1000 * cost}
        found["2 in a fleet, loop % idle"] = 100 * await idle()
        running.cancel()
        await asyncio.wait([running])
    finally:
        for one in programs:
            one.terminate()
        for one in programs:
            one.wait()
    one, two = (found[f"{count} in a fleet, boards an hour"] for count in (1, 2))
    found |= {"one in a fleet to the pool": one / found["pool, boards an hour"], "two to one": two / one}
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        certificates(Path(name))
        print(
            json.dumps({name: round(value, 3) for name, value in asyncio.run(measured(Path(name))).items()}, indent=1)
        )
