"""Workers on other machines: a Dask cluster thinks, and the pool of this machine while there is none.

The daemon is a client of the scheduler, and reaches nothing but that. A worker is one process with one thread. It
offers the scheduler one place, named after its code. A board asks for a place with the name of the daemon's code, so
that an old worker never gets one. If a worker dies, Dask gives its board to another one.

The scheduler also keeps the daemon's code for everybody to read. Who reads that it is not his own says so and ends.

All of Dask is imported here. It opens no port that is not asked for, and logs nothing, because its lines are full of
addresses. All connections are TLS with the operator's certificates, on both sides.
"""

import asyncio
import contextlib
import faulthandler
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import dask

dask.config.set(
    {
        "distributed.scheduler.http.routes": [],
        "distributed.worker.http.routes": [],
        "distributed.worker.profile.enabled": False,
    }
)

from distributed import Client, Scheduler, Security, Worker, __version__, get_worker  # noqa: E402
from distributed.client import FutureCancelledError  # noqa: E402
from distributed.core import Status  # noqa: E402
from distributed.versions import VersionMismatchWarning  # noqa: E402

from engine.search import Thought  # noqa: E402
from mailbot.shell.config.settings import BotsSection  # noqa: E402
from mailbot.shell.minds import work as working  # noqa: E402
from mailbot.shell.minds.pool import Pool  # noqa: E402
from mailbot.shell.minds.work import DEATHS, LATE, Interrupted, Work  # noqa: E402

warnings.filterwarnings("ignore", category=VersionMismatchWarning)
for name in ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application"):
    logging.getLogger(name).setLevel(logging.CRITICAL + 1)

log = logging.getLogger("mailbot.fleet")

BEAT = 2.0
"""Seconds between two looks: of the daemon at the workers, of the others at the daemon's code."""
CONNECT = 5.0
"""Seconds for a try to reach the scheduler."""
PATIENCE = 10.0
"""Seconds within which it must answer."""
AWAY = 60.0
"""Seconds without any worker after which this machine thinks for itself."""
CODE = ["mailbot-code"]
"""Where the scheduler keeps the daemon's code."""


class Old(Exception):
    """This program's code is not the daemon's; `str(error)` is the sentence to say."""


def own_code() -> str:
    """What must be the same on all machines."""
    return f"code {working.code(sys.modules[__name__])}, Dask {__version__}"


def security(bots: BotsSection) -> Security:
    """Encryption with the certificates of [bots], whatever part this program plays. Both sides must show one."""
    roles = ("client", "scheduler", "worker")
    cert = {f"tls_{role}_cert": str(bots.fleet_cert) for role in roles}
    key = {f"tls_{role}_key": str(bots.fleet_key) for role in roles}
    return Security(require_encryption=True, tls_ca_file=str(bots.fleet_ca), **cert, **key)


class Fleet:
    """The daemon's side. `trouble`: a sentence while nobody in the fleet can think, and this machine thinks instead."""

    def __init__(
        self,
        bots: BotsSection,
        here: Pool,
        *,
        changed: Callable[[], object],
        tell: Callable[[str], Awaitable[object]],
    ) -> None:
        """`here`: who thinks while the fleet is away. `changed`: called when there are more places or fewer. `tell`:
        tells the operator."""
        self.trouble = ""
        self._address = bots.fleet
        self._security = security(bots)
        self._here = here
        self._limit = 3 * bots.seconds + LATE
        self._changed = changed
        self._tell = tell
        self._code = own_code()
        self._client: Client | None = None
        self._workers = 0
        self._why = ""
        self._lost = time.monotonic()

    @property
    def places(self) -> int:
        return self._workers or (self._here.places if self.trouble else 0)

    async def think(self, work: Work, rules: str, moves: list[str], seed: int, *more: int) -> Thought:
        if not self._workers and self.trouble:
            return await self._here.think(work, rules, moves, seed, *more)
        if not self._workers or not self._client:
            raise Interrupted
        place = {self._code: 1}
        words = (self._limit, work, rules, moves, seed, *more)
        future = self._client.submit(thought, *words, resources=place, pure=False)
        try:
            # A worker ends itself at the limit, and the next one tries: this is for the case that all this fails.
            return await asyncio.wait_for(_result(future), (DEATHS + 1) * self._limit)
        except FutureCancelledError:
            raise Interrupted from None
        finally:
            future.release()

    async def run(self) -> None:
        while True:
            try:
                await self._connected()
            except Exception as error:  # whatever it is, the daemon does other things, too
                self._why = f" ({_kind(error)})"
            await self._has(0)
            await asyncio.sleep(BEAT)

    def warm(self) -> None:
        """The workers do so when they start."""

    def end(self) -> None:
        self._here.end()

    async def _connected(self) -> None:
        """For as long as the scheduler answers."""
        client = Client(
            self._address,
            asynchronous=True,
            security=self._security,
            set_as_default=False,
            direct_to_workers=False,
            timeout=CONNECT,
        )
        try:
            await client
            async with asyncio.timeout(PATIENCE):
                await client.set_metadata(CODE, self._code)
            self._client = client
            known, ours = set[str](), 0
            while client.status == "running":
                async with asyncio.timeout(PATIENCE):
                    there = set(await client.scheduler.ncores())
                    if there != known:  # what all of them are is a long answer
                        all_of_them = (await client.scheduler.identity(n_workers=-1))["workers"].values()
                        ours = sum(self._code in one["resources"] for one in all_of_them)
                        known = there
                await self._has(ours)
                await asyncio.sleep(BEAT)
        finally:
            self._client = None
            closing = asyncio.ensure_future(client._close(fast=True))
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:  # the daemon stops meanwhile
                await closing
                raise

    async def _has(self, workers: int) -> None:
        """Notes how many workers there are, and what follows from that."""
        before = self.places
        if workers:
            if self.trouble:
                log.info("the fleet is back: it thinks for the computer players")
            self._lost, self.trouble = time.monotonic(), ""
        self._workers = workers
        if not workers and not self.trouble and time.monotonic() - self._lost >= AWAY:
            what = "no worker in the fleet" if self._client else f"no answer from the fleet's scheduler{self._why}"
            instead = "this machine thinks" if self._here.places else "computer players wait"
            self.trouble = f"there is {what} ([bots] fleet): {instead} until there is"
            log.warning("%s", self.trouble)
            try:
                await self._tell(self.trouble[0].upper() + self.trouble[1:] + ".")
            except Exception as error:  # the log and `mailbot doctor` say it all the same
                log.error("the operator could not be told: %s", type(error).__name__)
        if self.places != before:
            self._changed()


def _kind(error: BaseException) -> str:
    """The kind of the first cause; its text would have an address."""
    return _kind(error.__cause__) if error.__cause__ else type(error).__name__


async def _result(future: Any) -> Thought:
    found: Thought = await future
    return found


def thought(limit: float, work: Work, rules: str, moves: list[str], seed: int, *more: int) -> Thought:
    """Runs in a worker, which ends at the limit, even if it no longer obeys."""
    faulthandler.dump_traceback_later(limit, exit=True)
    try:
        return work(rules, moves, seed, get_worker().extensions["compiled"], *more)
    finally:
        faulthandler.cancel_dump_traceback_later()


# ---- the programs of the other machines


async def schedule(bots: BotsSection) -> None:
    """Is the scheduler. Raises Old."""
    async with Scheduler(
        host=bots.fleet,
        security=security(bots),
        allowed_failures=DEATHS - 1,
        dashboard=False,
        dashboard_address="127.0.0.1:0",
    ) as scheduler:
        scheduler.http_server.stop()
        code = own_code()
        while scheduler.status == Status.running:
            _compare("scheduler", code, scheduler.get_metadata(keys=CODE, default=None))
            await asyncio.sleep(BEAT)


async def serve(bots: BotsSection, folder: str | None, port: int = 0) -> None:
    """Is a worker, also for a scheduler that is still to come or comes back. `folder`: where it keeps compiled code.
    Raises Old."""
    code = own_code()
    while True:
        with tempfile.TemporaryDirectory(prefix="mailbot-") as scratch, contextlib.suppress(OSError):
            async with Worker(
                bots.fleet,
                port=port,
                security=security(bots),
                nthreads=1,
                resources={code: 1},
                memory_limit=0,
                local_directory=scratch,
                dashboard=False,
                dashboard_address="127.0.0.1:0",
                extensions={"compiled": lambda worker: folder},
            ) as worker:
                worker.http_server.stop()
                while worker.status == Status.running:
                    _compare("worker", code, await worker.scheduler.get_metadata(keys=CODE, default=None))
                    await asyncio.sleep(BEAT)


def _compare(who: str, own: str, daemons: str | None) -> None:
    if daemons not in (None, own):
        said = f"this {who} is not as the daemon is, and gets no boards: here is {own}, and there is {daemons}"
        raise Old(f"{said}; install the daemon's version of mailbot here, and start the {who} again")
