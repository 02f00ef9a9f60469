"""The one way into the database: jobs share a transaction and a commit, and are answered only after it (T8).

Theory of operation. Jobs queue up while a batch commits; the next batch takes what is there, up to BATCH, at once
and without a timer. Statements run on the loop's thread (they take microseconds), only COMMIT, which waits for the
disk, runs in a thread. Nothing else touches the connection meanwhile.

A job that raises must leave the others of its batch alone. A savepoint round each job would see to that, but SQLite
then copies every page before it changes it: 18 us of the 600 us that a move takes. So the jobs run without. If one
raises, which takes a mistake of ours, the whole batch is undone and runs a second time with savepoints. So a job has no
effect but on the store.

While a mail is read, the digest of its octets stands in the in-flight file, and while its job runs, its dedupe key. A
process that dies then finds it at its next start and counts the crash; after three the mail is poison (T4).
Both stand there only while the loop's thread works on this one mail, so no other is blamed. The file is written through
a mapping, and never synced: it has to survive the process, not the machine.
"""

import asyncio
import contextlib
import logging
import mmap
import os
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mailbot.store.connection import Trouble, trouble
from mailbot.store.store import Store

P = ParamSpec("P")
T = TypeVar("T")
Job = Callable[[Store], T]
BATCH = 64
KEY = 64
"""Characters of a dedupe key, and of a digest."""
NOBODY = b" " * KEY
log = logging.getLogger("mailbot.writer")


class Unwritten(Exception):
    """Nothing of the job is in the database and nothing will be: the sender may try again (451)."""


def told_of(error: BaseException) -> str:
    """What is kept of a mistake of ours: what and where it was, and never its message, which may quote the mail."""
    return f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"


@dataclass(slots=True)
class _Waiting:
    job: Callable[[Store], Any]
    done: asyncio.Future[Any]
    key: str
    result: Any = None
    error: BaseException | None = None


class Writer:
    """Owns the store while it runs. `broken` is set when the disk can no longer be trusted: the process must end.

    `committed` is called when something has been made durable, and not after a failure: whoever tries again when called
    would do so without end.
    """

    def __init__(
        self,
        store: Store,
        inflight: Path,
        commit: Callable[[], None] | None = None,
        committed: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store
        self.broken = asyncio.Event()
        self._commit = commit or store.commit
        self._committed = committed
        self._thread = ThreadPoolExecutor(1, "commit")
        self._jobs: deque[_Waiting] = deque()
        self._come = asyncio.Event()
        self._last = False
        file = os.open(inflight, os.O_RDWR | os.O_CREAT, 0o600)
        size = os.fstat(file).st_size
        os.pwrite(file, b" " * (2 * KEY - size), size)  # and not a hole, for which there might be no room later
        self._inflight = mmap.mmap(file, 2 * KEY)  # the mail whose job runs, the mail that is read
        os.close(file)
        self._marked: str | None = None
        self._task: asyncio.Task[None] | None = None

    def recover(self, now: int) -> None:
        """Counts the crash of the mail that stood in the in-flight file."""
        for place in (0, KEY):
            key = self._inflight[place : place + KEY].decode("ascii", "replace").strip("\0 ")
            if len(key) == KEY:
                self.store.begin()
                self.store.crashed_with(key, now)
                self.store.commit()
        self._inflight[:] = NOBODY * 2

    def reading(self, digest: str, read: Callable[P, T], *words: P.args, **more: P.kwargs) -> T:
        """What `read` makes of the octets or words of the mail with this digest; see the module's own text."""
        self._inflight[KEY:] = digest.encode("ascii")
        try:
            return read(*words, **more)
        finally:
            self._inflight[KEY:] = NOBODY

    async def do(self, job: Job[T], key: str = "") -> T:
        """Runs the job in the next batch; returns its result once that is durable. `key`: the mail it handles.

        Raises what the job raised (its changes are undone), or Unwritten.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.append(_Waiting(job, done, key))
        self._come.set()
        return await done

    def start(self) -> None:
        """Begins to take jobs."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Finishes what is queued, and ends."""
        self._last = True
        self._come.set()
        if self._task:
            await self._task
        self._thread.shutdown()
        self._inflight.close()

    async def _run(self) -> None:
        jobs = self._jobs
        while jobs or not self._last:
            if not jobs:
                self._come.clear()
                await self._come.wait()
            await self._let_others_in()
            if batch := [jobs.popleft() for _ in range(min(BATCH, len(jobs)))]:
                await self._write(batch)

    async def _let_others_in(self) -> None:
        """Turns the loop as long as that brings more jobs: they are there already and share the commit. No timer."""
        before = -1
        while before < len(self._jobs) < BATCH:
            before = len(self._jobs)
            await asyncio.sleep(0)

    async def _write(self, batch: list[_Waiting]) -> None:
        try:
            try:
                self._run_all(batch, fenced=False)
            except Exception:
                self.store.rollback()
                self._run_all(batch, fenced=True)
            self._mark("")
            await asyncio.get_running_loop().run_in_executor(self._thread, self._commit)
        except Exception as error:
            log.error("a batch of %d failed: %s", len(batch), type(error).__name__)
            with contextlib.suppress(Exception):
                self._mark("")
                self.store.rollback()
            if trouble(error) is Trouble.LASTING:
                self.broken.set()
            for waiting in batch:
                waiting.error = Unwritten()
        if any(waiting.error is None for waiting in batch):
            self._committed()
        for waiting in batch:
            if waiting.done.cancelled():
                continue
            if waiting.error:
                waiting.done.set_exception(waiting.error)
            else:
                waiting.done.set_result(waiting.result)

    def _run_all(self, batch: list[_Waiting], *, fenced: bool) -> None:
        self.store.begin()
        for waiting in batch:
            self._mark(waiting.key)
            if not fenced:
                waiting.result = waiting.job(self.store)
                continue
            try:
                waiting.result = self.store.attempt(waiting.job)
            except Exception as error:
                if not self.store.in_transaction:
                    raise  # SQLite has given the whole batch up
                waiting.error = error if trouble(error) is None else Unwritten()

    def _mark(self, key: str) -> None:
        if key != self._marked:
            self._marked = key
            self._inflight[:KEY] = key.ljust(KEY).encode("ascii")
