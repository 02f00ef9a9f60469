"""Pairs large tournaments in a process of its own, so that mails do not wait: 200 players take seconds.

The answer goes along with the timer that rings. If the tournament has changed meanwhile, or the process died
or takes too long, the transaction pairs for itself.
"""

import asyncio
import logging
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from mailbot.core.due import TOURNAMENT
from mailbot.core.hosting import standing, steps
from mailbot.core.hosting.steps import Decided
from mailbot.core.world import Timer
from mailbot.shell.niceness import begin_worker, end_workers
from mailbot.store.reads import Reads

SECONDS = 30.0
"""For the answer, at most: meanwhile no other timer rings."""
LARGE = 24
"""Entrants from which on a tournament is paired in the process; fewer take less time than its start."""

log = logging.getLogger("mailbot.pairer")


async def decided(timer: Timer, reads: Reads) -> Decided | None:
    """What happens next in the tournament of the timer; None for any other timer, and for a small tournament."""
    tournament = reads.tournament(timer.ref) if timer.kind == TOURNAMENT else None
    if tournament is None or any(fixture.waits for fixture in reads.fixtures(tournament.id)):
        return None  # in the last step boards are still to be made
    state = standing.load(tournament, reads)
    if len(state.by_seat) < LARGE or state.format.endless or state.playing():
        return None
    # spawn: a forked copy of the daemon would hold its sockets and its database.
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), begin_worker, ("pairing",))
    try:
        work = asyncio.get_running_loop().run_in_executor(pool, steps.decide, state)
        return await asyncio.wait_for(work, SECONDS)
    except (BrokenProcessPool, TimeoutError) as error:
        log.warning("tournament %d is paired between the mails: %s", timer.ref, type(error).__name__)
        return None
    finally:
        end_workers(pool)
