"""The fleet over loopback, its scheduler and its workers in this process: who thinks, and who does instead."""

import asyncio
import contextlib
import logging
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from engine.search import Thought
from mailbot.shell.config.settings import BotsSection
from mailbot.shell.minds.pool import Pool
from mailbot.shell.minds.work import Interrupted
from tests.shell.minds.machines import certificates, fleet_of, free_port

fleet = pytest.importorskip("mailbot.shell.minds.fleet", reason="the extra fleet is not installed")
pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificates with openssl"),
]


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the certificates."""
    folder = tmp_path_factory.mktemp("papers")
    certificates(folder)
    return folder


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "BEAT", 0.01)
    monkeypatch.setattr(fleet, "CONNECT", 1.0)


@pytest_asyncio.fixture(autouse=True)
async def ended() -> AsyncIterator[None]:
    """When its loop ends, a worker of dask waits for the end of its own closing, which never comes if that was
    cancelled."""
    yield
    for worker in fleet.Worker._instances:
        worker._event_finished.set()


class Here(Pool):
    """This machine, whose thoughts say so."""

    async def think(self, work: Any, rules: str, moves: list[str], seed: int, *more: int) -> Thought:
        return said("here")


def said(text: str) -> Thought:
    return Thought(text, 0.5, 0, 1, ())


BOTH, BEGUN = threading.Barrier(2), threading.Event()
"""The workers are threads of this process, so the functions that they run share these."""


def together(rules: str, moves: list[str], seed: int, folder: str | None) -> Thought:
    """In place of thinking: two at once, or never."""
    BOTH.wait()
    return said(f"{folder} {seed}")


def waits(rules: str, moves: list[str], seed: int, folder: str | None) -> Thought:
    """In place of thinking: takes as long as there is a scheduler."""
    BEGUN.set()
    worker = fleet.get_worker()
    while worker.status == fleet.Status.running:
        os.sched_yield()
    return said("late")


def quickly(rules: str, moves: list[str], seed: int, folder: str | None) -> Thought:
    """In place of thinking."""
    return said("there")


class Daemon:
    """A fleet's client, and what it has told."""

    def __init__(self, bots: BotsSection, workers: int = 1) -> None:
        self.told: list[str] = []
        self._changed = asyncio.Event()
        self.fleet = fleet.Fleet(bots, Here(workers, None, seconds=1), changed=self._changed.set, tell=self._tell)

    async def _tell(self, what: str) -> None:
        self.told.append(what)

    async def has(self, places: int) -> None:
        while self.fleet.places != places:
            self._changed.clear()
            await self._changed.wait()

    async def think(self, work: Callable[..., Thought], seed: int = 0) -> str:
        return str((await self.fleet.think(work, "lambo", [], seed)).move)


@contextlib.asynccontextmanager
async def doing(*tasks: Coroutine[Any, Any, None]) -> AsyncIterator[list["asyncio.Task[None]"]]:
    """These run meanwhile."""
    running = [asyncio.create_task(task) for task in tasks]
    try:
        yield running
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)


async def test_a_board_has_a_worker_of_its_own_and_an_old_worker_gets_none(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = fleet_of(papers, free_port())
    daemon = Daemon(bots)
    async with doing(fleet.schedule(bots), fleet.serve(bots, "one"), fleet.serve(bots, "two"), daemon.fleet.run()):
        await daemon.has(2)
        with monkeypatch.context() as patch:
            patch.setattr(fleet, "own_code", lambda: "code 0123456789abcdef, Dask 1")
            with pytest.raises(
                fleet.Old, match="this worker is not as the daemon is, and gets no boards: here is code 0"
            ):
                await fleet.serve(bots, "old")
        thoughts = await asyncio.gather(*(daemon.think(together, seed) for seed in range(6)))
        assert [thought.split()[1] for thought in thoughts] == list("012345")
        assert {thought.split()[0] for thought in thoughts} == {"one", "two"}
    assert daemon.told == []


async def test_this_machine_thinks_while_the_scheduler_is_away(
    papers: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bots = fleet_of(papers, free_port())
    daemon = Daemon(bots)
    async with doing(fleet.serve(bots, None), daemon.fleet.run()):
        async with doing(fleet.schedule(bots)):
            await daemon.has(1)
            thought = asyncio.create_task(daemon.think(waits))
            await asyncio.to_thread(BEGUN.wait)
        with pytest.raises(Interrupted):
            await thought
        await daemon.has(0)
        with pytest.raises(Interrupted):  # not a minute yet
            await daemon.think(waits)
        monkeypatch.setattr(fleet, "AWAY", 0.0)
        await daemon.has(1)
        assert await daemon.think(quickly) == "here"
        (told,) = daemon.told
        assert told.startswith("There is no answer from the fleet's scheduler (")
        assert told.endswith(") ([bots] fleet): this machine thinks until there is.")
        monkeypatch.setattr(fleet, "AWAY", 60.0)  # the end of the next scheduler is not told at once
        async with doing(fleet.schedule(bots)):
            while daemon.fleet.trouble:
                await asyncio.sleep(0)
            assert await daemon.think(quickly) == "there"
    assert len(daemon.told) == 1
    assert not any("127.0.0.1" in record.getMessage() for record in caplog.records)


async def test_nobody_is_let_in_without_a_certificate_of_the_fleet(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither as the daemon, nor as a worker."""
    monkeypatch.setattr(fleet, "AWAY", 0.0)
    bots = fleet_of(papers, free_port())
    strange = replace(bots, fleet_cert=papers / "other.pem", fleet_key=papers / "other.key")
    stranger, daemon = Daemon(strange, 0), Daemon(bots, 0)
    async with doing(fleet.schedule(bots), fleet.serve(strange, None), daemon.fleet.run(), stranger.fleet.run()):
        while not (stranger.told and daemon.told):
            await asyncio.sleep(0)
        assert "no answer from the fleet's scheduler" in stranger.told[0]
        assert daemon.told == ["There is no worker in the fleet ([bots] fleet): computer players wait until there is."]
        assert daemon.fleet.places == 0


async def test_no_port_is_open_but_those_of_the_fleet(papers: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No page that shows what is done, and no line with an address."""
    caplog.set_level(logging.DEBUG)
    bots = fleet_of(papers, free_port())
    before = listening()
    daemon, port = Daemon(bots), free_port()
    async with doing(fleet.schedule(bots), fleet.serve(bots, None, port), daemon.fleet.run()):
        await daemon.has(1)
        assert listening() - before == {int(str(bots.fleet).rpartition(":")[2]), port}
    assert not any("127.0.0.1" in record.getMessage() for record in caplog.records)


def listening() -> set[int]:
    """The TCP ports at which this process and its children listen (Linux)."""
    ours: set[str] = set()
    for pid in family(os.getpid()):
        for opened in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # it has been closed meanwhile
                ours.add(str(opened.readlink()))
    lines = "".join(Path(f"/proc/self/net/{name}").read_text() for name in ("tcp", "tcp6")).splitlines()
    found = [line.split() for line in lines if line.split()[3] == "0A"]
    return {int(one[1].rpartition(":")[2], 16) for one in found if f"socket:[{one[9]}]" in ours}


def family(pid: int) -> list[int]:
    """The process with its children and theirs."""
    started = [task.joinpath("children").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    return [pid, *(one for child in " ".join(started).split() for one in family(int(child)))]
