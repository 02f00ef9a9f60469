"""The one way into the database: jobs share a transaction and a commit, and are answered only after it (mail.md 3.2).

Theory of operation. Jobs queue up while a batch commits; the next batch takes what is there, up to BATCH, at once
and without a timer. Statements run on the loop's thread (they take microseconds), only COMMIT, which waits for the
disk, runs in a thread (perf.md measured the other arrangements). Nothing else touches the connection meanwhile.

While a mail's job runs, its dedupe key stands in the in-flight file. A process that dies then finds it at its next
start and counts the crash; after three the mail is poison (mail.md 3.1). The file needs no fsync: it has to survive
the process, not the machine.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mailbot.store.connection import Trouble, trouble
from mailbot.store.store import Store

T = TypeVar("T")
Job = Callable[[Store], T]
BATCH = 64
log = logging.getLogger("mailbot.writer")


class Unwritten(Exception):
    """Nothing of the job is in the database and nothing will be: the sender may try again (451)."""


@dataclass(slots=True)
class _Waiting:
    job: Callable[[Store], Any]
    done: asyncio.Future[Any]
    key: str
    result: Any = None
    error: BaseException | None = None


class Writer:
    """Owns the store while it runs. `broken` is set when the disk can no longer be trusted: the process must end."""

    def __init__(self, store: Store, inflight: Path, commit: Callable[[], None] | None = None) -> None:
        self.store = store
        self.broken = asyncio.Event()
        self._commit = commit or store.commit
        self._queue: asyncio.Queue[_Waiting | None] = asyncio.Queue()
        self._inflight = os.open(inflight, os.O_RDWR | os.O_CREAT, 0o600)
        self._marked: str | None = None
        self._task: asyncio.Task[None] | None = None

    def recover(self, now: int) -> None:
        """Counts the crash of the mail that stood in the in-flight file."""
        key = os.pread(self._inflight, 64, 0).decode("ascii", "replace").strip("\0 ")
        if len(key) == 64:
            self.store.begin()
            self.store.crashed_with(key, now)
            self.store.commit()
        self._mark("")

    async def do(self, job: Job[T], key: str = "") -> T:
        """Runs the job in the next batch; returns its result once that is durable. `key`: the mail it handles.

        Raises what the job raised (its changes are undone), or Unwritten.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Waiting(job, done, key))
        return await done

    def start(self) -> None:
        """Begins to take jobs."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Finishes what is queued, and ends."""
        self._queue.put_nowait(None)
        if self._task:
            await self._task
        os.close(self._inflight)

    async def _run(self) -> None:
        last = False
        while not last:
            batch: list[_Waiting] = []
            waiting = await self._queue.get()
            await self._let_others_in()
            while waiting is not None:
                batch.append(waiting)
                if len(batch) == BATCH or self._queue.empty():
                    break
                waiting = self._queue.get_nowait()
            last = waiting is None
            if batch:
                await self._write(batch)

    async def _let_others_in(self) -> None:
        """Turns the loop as long as that brings more jobs: they are there already and share the commit. No timer."""
        before = -1
        while before < self._queue.qsize() < BATCH:
            before = self._queue.qsize()
            await asyncio.sleep(0)

    async def _write(self, batch: list[_Waiting]) -> None:
        try:
            self.store.begin()
            for waiting in batch:
                self._one(waiting)
            self._mark("")
            await asyncio.to_thread(self._commit)
        except Exception as error:
            log.error("a batch of %d failed: %s", len(batch), type(error).__name__)
            with contextlib.suppress(Exception):
                self._mark("")
                self.store.rollback()
            if trouble(error) is Trouble.LASTING:
                self.broken.set()
            for waiting in batch:
                waiting.error = Unwritten()
        for waiting in batch:
            if waiting.done.cancelled():
                continue
            if waiting.error:
                waiting.done.set_exception(waiting.error)
            else:
                waiting.done.set_result(waiting.result)

    def _one(self, waiting: _Waiting) -> None:
        self._mark(waiting.key)
        try:
            waiting.result = self.store.attempt(waiting.job)
        except Exception as error:
            if not self.store.in_transaction:
                raise  # SQLite has given the whole batch up
            waiting.error = error if trouble(error) is None else Unwritten()

    def _mark(self, key: str) -> None:
        if key != self._marked:
            self._marked = key
            os.pwrite(self._inflight, key.ljust(64).encode("ascii"), 0)
