"""Worker processes on this machine.

A worker is a process of its own, because numba needs memory and a compiler, and the daemon needs neither. A worker that
dies breaks the pool, and a new pool is made.
"""

import asyncio
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from engine import search
from engine.search import Thought
from mailbot.shell.minds.work import LATE, Died, Work
from mailbot.shell.niceness import begin_worker, end_workers


class Pool:
    """So many processes, which start with the first thought. `folder`: where they keep compiled code."""

    def __init__(self, workers: int, folder: str | None, *, seconds: int) -> None:
        """`workers`: 0 means that nobody thinks. `seconds`: at most for a thought."""
        self.places = workers
        self.trouble = ""
        self._folder = folder
        self._limit = 3 * seconds + LATE
        self._processes: ProcessPoolExecutor | None = None

    async def think(self, work: Work, rules: str, moves: list[str], seed: int, *more: int) -> Thought:
        loop = asyncio.get_running_loop()
        try:  # a pool whose worker died while it was idle may say so at once
            thought = loop.run_in_executor(self._started(), work, rules, moves, seed, self._folder, *more)
            return await asyncio.wait_for(thought, self._limit)
        except BrokenProcessPool:
            self.end()
            raise Died from None
        except TimeoutError:
            self.end()  # the others are taken up again
            raise

    async def run(self) -> None:
        """Nothing is to be done meanwhile."""

    def warm(self) -> None:
        for _ in range(self.places):
            self._started().submit(search.warm, self._folder)

    def end(self) -> None:
        if self._processes:
            end_workers(self._processes)
            self._processes = None

    def _started(self) -> ProcessPoolExecutor:
        if self._processes is None:
            # spawn: a forked copy of the daemon would hold its sockets and its database.
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(self.places, context, initializer=_begin)
        return self._processes


def _begin() -> None:
    """Runs in a worker."""
    begin_worker("computer players")
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # numpy starts one for each core, which may be more than TasksMax
