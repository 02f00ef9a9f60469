"""A fleet over loopback: the daemon, a real scheduler and real workers, processes as an operator starts them."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.search import Thought
from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import ListenSection, OperatorSection, RelaySection, StoreSection
from mailbot.shell.console import postman
from mailbot.shell.minds import work
from mailbot.shell.minds.work import DEATHS
from tests.e2e.test_games import ANN, PASSWORDS, Desk
from tests.shell.minds.machines import certificates, fleet_of, free_port

fleet = pytest.importorskip("mailbot.shell.minds.fleet", reason="the extra fleet is not installed")
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.asyncio,
    pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificates with openssl"),
]
ROOT = Path(__file__).parents[2]
OPERATOR = "operator@example.net"
COMMAND = "from mailbot.shell.console.cli import main; main()"


class Machines:
    """The fleet's processes, and the daemon's configuration for it."""

    def __init__(self, folder: Path) -> None:
        certificates(folder)
        kept = Path(".pytest_cache/numba").absolute()  # compiled by earlier tests
        kept.mkdir(parents=True, exist_ok=True)
        (folder / "compiled").symlink_to(kept)
        self.folder = folder
        bots = fleet_of(folder, free_port())
        (folder / "machine.toml").write_text(
            f'[store]\npath = "{folder}/db"\n[bots]\nfleet = "{bots.fleet}"\nfleet_ca = "{folder}/ca.pem"\n'
            f'fleet_cert = "{folder}/own.pem"\nfleet_key = "{folder}/own.key"\n'
        )
        self.config = Config(
            listen=ListenSection(port=0),
            store=StoreSection(path=folder / "db.sqlite"),
            relay=RelaySection(maildir=folder / "mail"),
            operator=OperatorSection(address=OPERATOR),
            bots=bots,
        )
        self.running: list[asyncio.subprocess.Process] = []

    async def start(self, what: str, root: Path = ROOT, **how: int) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", COMMAND, "--config", str(self.folder / "machine.toml"), "fleet", what),
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            **how,
        )
        self.running.append(process)
        return process

    async def end(self) -> None:
        for process in self.running:
            if process.returncode is None:
                process.kill()
                await process.wait()


@asynccontextmanager
async def a_fleet(folder: Path, workers: int) -> AsyncIterator[Machines]:
    machines = Machines(folder)
    try:
        for what in ("scheduler", *["worker"] * workers):
            await machines.start(what)
        yield machines
    finally:
        await machines.end()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "BEAT", 0.02)


async def until(what: Callable[[], object]) -> None:
    while not what():
        await asyncio.sleep(0.01)


# ---- in place of thinking; the scheduler and the workers import these from here


def note(folder: str, rules: str) -> Path:
    """Notes which process thinks of which board; returns the folder of the notes."""
    notes = Path(folder).parent
    with (notes / "thinking").open("a") as file:
        file.write(f"{rules.partition('=')[2]} {os.getpid()}\n")
    return notes


def waits(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """Until it is told to go on."""
    notes = note(folder, rules)
    while not (notes / "go").exists():
        os.sched_yield()
    return Thought("b1", 0.5, 0, 1, ())


def one_waits(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """On the board of 11 tiles only."""
    return (waits if "11" in rules else at_once)(rules, moves, seed, folder, level, seconds)


def at_once(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    note(folder, rules)
    return Thought("b1", 0.5, 0, 1, ())


def deadly(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """On the board of 11 tiles."""
    if "11" in rules:
        note(folder, rules)
        os.kill(os.getpid(), signal.SIGKILL)
    return at_once(rules, moves, seed, folder, level, seconds)


def thinking(folder: Path) -> list[tuple[int, int]]:
    """What has been noted: tiles of the board, process."""
    noted = folder / "thinking"
    return [(int(a), int(b)) for a, b in map(str.split, noted.read_text().splitlines())] if noted.exists() else []


# ---- the tests


async def boards(desk: Desk, sizes: range) -> None:
    """One for each size, on which the computer begins."""
    if not desk.app.reads.player_named("ann"):
        await desk.command(ANN, f"signup ann {PASSWORDS[ANN]}")
        await desk.answer(ANN, "yes")
    for size in sizes:
        await desk.command(ANN, f"lambo challenge uct1 ann -size={size} {PASSWORDS[ANN]}")


def plies(desk: Desk, count: int) -> list[int]:
    """How many moves were made on each board."""
    return [len(desk.app.reads.moves(number)) for number in range(1, count + 1)]


async def test_a_board_of_a_killed_worker_is_answered_by_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "think", waits)
    async with a_fleet(tmp_path, 3) as machines, Desk(tmp_path, config=machines.config) as desk:
        await until(lambda: desk.app.minds.places == 3)
        await boards(desk, range(11, 17))
        await until(lambda: len(thinking(tmp_path)) == 3)
        assert desk.app.bots.state()["thinking"] == 3, "no more boards are handed out than there are workers"
        size, victim = thinking(tmp_path)[0]
        os.kill(victim, signal.SIGKILL)
        await until(lambda: desk.app.minds.places == 2)
        (tmp_path / "go").touch()
        await until(lambda: not desk.app.reads.for_bots(1))
        assert plies(desk, 6) == [1] * 6
        assert len([process for board, process in thinking(tmp_path) if board == size]) == 2
        assert len(thinking(tmp_path)) == 7


async def test_a_slow_worker_keeps_one_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "think", one_waits)
    async with a_fleet(tmp_path, 3) as machines, Desk(tmp_path, config=machines.config) as desk:
        await until(lambda: desk.app.minds.places == 3)
        await boards(desk, range(11, 17))
        await until(lambda: plies(desk, 6) == [0, 1, 1, 1, 1, 1])
        (tmp_path / "go").touch()
        await until(lambda: not desk.app.reads.for_bots(1))
        assert plies(desk, 6) == [1] * 6
        assert sorted(board for board, _ in thinking(tmp_path)) == list(range(11, 17))


async def test_a_board_that_kills_workers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "think", deadly)
    async with a_fleet(tmp_path, 4) as machines, Desk(tmp_path, config=machines.config) as desk:
        await until(lambda: desk.app.minds.places == 4)
        await boards(desk, range(11, 14))
        await until(lambda: desk.app.bots.state()["given_up"] and plies(desk, 3) == [0, 1, 1])
        assert len([board for board, _ in thinking(tmp_path) if board == 11]) == DEATHS
        await desk.app.delivered()
        assert "cannot go on with board 1;" in postman.text(desk.letters(OPERATOR)[-1]).replace("\n", " ")


async def test_when_the_scheduler_is_killed_this_machine_thinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(work, "think", waits)
    async with a_fleet(tmp_path, 3) as machines:
        config = replace(machines.config, bots=replace(machines.config.bots, workers=1))
        async with Desk(tmp_path, config=config) as desk:
            await until(lambda: desk.app.minds.places == 3)
            there = {process.pid for process in machines.running}
            await boards(desk, range(11, 14))
            await until(lambda: len(thinking(tmp_path)) == 3)
            monkeypatch.setattr(fleet, "AWAY", 0.0)
            machines.running[0].kill()
            await until(lambda: desk.app.minds.trouble and desk.app.minds.places == 1)
            (tmp_path / "go").touch()
            await until(lambda: not desk.app.reads.for_bots(1))
            assert plies(desk, 3) == [1] * 3
            again = [process for _, process in thinking(tmp_path)[3:]]
            assert len(again) == 3 and not there & set(again)
            await machines.start("scheduler")
            await until(lambda: desk.app.minds.places == 3)
            await boards(desk, range(14, 15))
            await until(lambda: not desk.app.reads.for_bots(1))
            assert thinking(tmp_path)[-1][1] in there
            told = [one for one in map(postman.text, desk.letters(OPERATOR)) if "no answer from the fleet" in one]
            assert len(told) == 1
    assert "127.0.0.1" not in capfd.readouterr().err


async def test_an_old_worker_is_told_and_gets_no_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line of the engine is another: it compiles nothing at its start, which would take a minute."""
    old = tmp_path / "old"
    for part in ("engine", "mailbot", "templates"):
        shutil.copytree(ROOT / part, old / part, ignore=shutil.ignore_patterns("__pycache__"))
    with (old / "engine/search/__init__.py").open("a") as file:
        file.write("warm = str\n")
    monkeypatch.setattr(work, "think", at_once)
    async with a_fleet(tmp_path, 1) as machines, Desk(tmp_path, config=machines.config) as desk:
        await until(lambda: desk.app.minds.places == 1)
        worker = await machines.start("worker", old, stderr=asyncio.subprocess.PIPE)
        _, said = await worker.communicate()
        assert worker.returncode == 1
        assert "this worker is not as the daemon is, and gets no boards" in said.decode()
        assert len(said.splitlines()) == 1
        await boards(desk, range(11, 13))
        await until(lambda: not desk.app.reads.for_bots(1))
        assert {process for _, process in thinking(tmp_path)} == {machines.running[1].pid}
