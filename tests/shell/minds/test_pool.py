"""Worker processes on this machine."""

import asyncio
import os
import time

import pytest

from mailbot.shell.minds.pool import Pool
from mailbot.shell.minds.work import Died


@pytest.mark.asyncio
async def test_a_worker_that_dies_while_it_is_idle_is_replaced() -> None:
    pool = Pool(1, None, seconds=60)
    try:
        executor = pool._started()
        assert executor.submit(os.getpid).result() > 0
        for process in executor._processes.values():
            process.kill()
            process.join()
        while not executor._broken:  # type: ignore[attr-defined]
            await asyncio.sleep(0.01)
        with pytest.raises(Died):
            await pool.think(time.sleep, "lambo", [], 0)  # type: ignore[arg-type]
        assert pool._processes is None
    finally:
        pool.end()
