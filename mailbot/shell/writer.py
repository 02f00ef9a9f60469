"""The one way into the database: jobs share a transaction and a commit, and are answered only after it (T8).

Theory of operation. Jobs queue up while a batch commits. The next batch takes the waiting jobs, up to BATCH, at once
and without a timer. Statements run on the loop's thread (they take microseconds); only COMMIT, which waits for the
disk, runs in another thread. Nothing else touches the connection meanwhile.

A job that raises must leave the others of its batch alone. A savepoint round each job would ensure that, but SQLite
then copies every page before it changes it: 18 us of the 600 us that a move takes. So the jobs run without savepoints.
If one raises, which only a bug of ours can cause, the whole batch is undone and runs a second time with savepoints. So
a job may affect nothing but the store.

The in-flight file holds the digest of a mail's octets while the mail is read, and its dedupe key while its job runs. If
the process dies then, the next start finds the entry and counts the crash; after three the mail is poison (T4).
Both are in the file only while the loop's thread works on this one mail, so no other mail is blamed. The file is
written through a mapping and never synced: it must survive the process, not the machine.
"""

import asyncio
import contextlib
import logging
import mmap
import os
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mailbot.shell.metrics.counts import Counts
from mailbot.store.connection import Displaced, Trouble, trouble
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
    """The job has not changed the database, and never will: the sender may try again (451)."""


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file lies there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def told_of(error: BaseException) -> str:
    """The record of a bug of ours: its kind and place, but never its message, which may quote the mail."""
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

    `committed` is called when something has become durable, but not after a failure, because a caller that then tries
    again would never stop.
    """

    def __init__(
        self,
        store: Store,
        inflight: Path,
        commit: Callable[[], None] | None = None,
        committed: Callable[[], None] = lambda: None,
        counts: Counts | None = None,
        path: Path | None = None,
    ) -> None:
        """`path`: where the database lies. Nothing is written when it is another file than now."""
        self.store = store
        self._path, self._file = path, path and _file_at(path)
        self._counts = counts or Counts()
        self.broken = asyncio.Event()
        self._commit = commit or store.commit
        self._committed = committed
        self._thread = ThreadPoolExecutor(1, "commit")
        self._jobs: deque[_Waiting] = deque()
        self._come = asyncio.Event()
        self._last = False
        file = os.open(inflight, os.O_RDWR | os.O_CREAT, 0o600)
        size = os.fstat(file).st_size
        os.pwrite(file, b" " * (2 * KEY - size), size)  # not a hole: the disk may have no room for it later
        self._inflight = mmap.mmap(file, 2 * KEY)  # the mail whose job runs, the mail that is read
        os.close(file)
        self._marked: str | None = None
        self._task: asyncio.Task[None] | None = None

    def recover(self, now: int) -> None:
        """Counts a crash of the mail in the in-flight file."""
        for place in (0, KEY):
            key = self._inflight[place : place + KEY].decode("ascii", "replace").strip("\0 ")
            if len(key) == KEY and not key.strip("0123456789abcdef"):
                self.store.begin()
                self.store.crashed_with(key, now)
                self.store.commit()
        self._inflight[:] = NOBODY * 2

    def reading(self, digest: str, read: Callable[P, T], *words: P.args, **more: P.kwargs) -> T:
        """Calls `read` while the in-flight file holds this digest of the mail; see the module's docstring."""
        self._inflight[KEY:] = digest.encode("ascii")
        try:
            return read(*words, **more)
        finally:
            self._inflight[KEY:] = NOBODY

    async def do(self, job: Job[T], key: str = "") -> T:
        """Runs the job in the next batch; returns its result once the batch is durable. `key`: the mail it handles.

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
        """Finishes the queued jobs, and ends."""
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
        """Yields to the loop as long as that brings more jobs: they are ready and share the commit. No timer."""
        before = -1
        while before < len(self._jobs) < BATCH:
            before = len(self._jobs)
            await asyncio.sleep(0)

    async def _write(self, batch: list[_Waiting]) -> None:
        try:
            if self._path and (_file_at(self._path) != self._file or self.store.hold.overwritten()):
                raise Displaced("the database is not the file that was opened; was it replaced while the server ran?")
            try:
                self._run_all(batch, fenced=False)
            except Exception:
                self.store.rollback()
                self._run_all(batch, fenced=True)
            self._mark("")
            begun = time.perf_counter()
            await asyncio.get_running_loop().run_in_executor(self._thread, self._commit)
            self._counts.commits.add(time.perf_counter() - begun)
            self._counts.jobs += len(batch)
        except Exception as error:
            log.error("a batch of %d failed: %s", len(batch), type(error).__name__)
            self._counts.unwritten += 1
            with contextlib.suppress(Exception):
                self._mark("")
                self.store.rollback()
            if isinstance(error, Displaced):
                log.critical("%s", error)
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
                    raise  # SQLite has given up the whole batch
                waiting.error = error if trouble(error) is None else Unwritten()

    def _mark(self, key: str) -> None:
        if key != self._marked:
            self._marked = key
            self._inflight[:KEY] = key.ljust(KEY).encode("ascii")
