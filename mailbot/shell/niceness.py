"""Work that can wait runs at a lower priority than mails, if the system allows it."""

import logging
import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Final

log = logging.getLogger("mailbot.niceness")

BEHIND: Final = 10
"""The niceness of computer players and of password checks; mails are handled at 0."""
FAR_BEHIND: Final = 15
"""The niceness of pictures: a letter may wait for them, a mail may not."""


def step_behind(who: str, niceness: int = BEHIND) -> None:
    """Lowers the priority of the calling thread (Linux; elsewhere of its process), but never raises it.

    A sandbox may refuse that. Then `who` works at the usual priority, and the log says so once for each thread.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, 0, max(niceness, os.getpriority(os.PRIO_PROCESS, 0)))
    except OSError as error:
        log.warning("%s: the system refuses a lower priority (%s)", who, error.strerror)


def begin_worker(who: str) -> None:
    """Runs in a worker process, which works at a lower priority than mails. It also watches the daemon: a killed daemon
    cannot tell its workers to end, and they would wait for ever."""
    step_behind(who)

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def end_workers(pool: ProcessPoolExecutor) -> None:
    """Ends the pool and its processes at once. With `shutdown` alone, a process ends only when its work does (a thought
    of 8 seconds: 8.5 s instead of 1.8), and so does the daemon. Python 3.14 has `terminate_workers` for this."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)  # first: the pool's thread fails on cancelled work of a dead process
    for process in processes:
        process.terminate()
