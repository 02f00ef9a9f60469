"""Games against the computer over real sockets, with a real worker process."""

import asyncio
import os
import random
import signal
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from engine.search import Thought
from mailbot.core.model import Game, Preference
from mailbot.core.players.bots import COMMENTS, NAMES
from mailbot.shell import bots
from mailbot.shell.config.settings import BotsSection
from mailbot.shell.console import postman
from mailbot.shell.minds import work
from mailbot.store.rows import put
from tests.e2e.test_games import ANN, BOB, PASSWORDS, Desk

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def compiled_before(tmp_path: Path) -> None:
    """The workers find what an earlier test, or an earlier run, has compiled."""
    kept = Path(".pytest_cache/numba").absolute()
    kept.mkdir(parents=True, exist_ok=True)
    (tmp_path / "compiled").symlink_to(kept)


async def test_the_daemon_never_loads_the_compiler() -> None:
    """Nor numpy, which sqlite_utils imports where it is installed; who wants numpy afterwards gets it. Nor Dask."""
    named = "{'numba', 'numpy', 'pandas', 'dask', 'distributed'}"
    said = f"import sys, mailbot.shell.console.cli; print({named} & sys.modules.keys()); import numpy"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", said, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    assert (told.decode().strip(), process.returncode) == ("set()", 0)


async def signed_up(desk: Desk) -> None:
    await desk.command(ANN, f"signup ann {PASSWORDS[ANN]}")
    await desk.answer(ANN, "yes")


def board(desk: Desk, number: int) -> Game:
    game = desk.app.reads.game(number)
    assert game
    return game


async def bots_are_done(desk: Desk) -> None:
    """Until no board and no analysis waits for a computer player, and all letters are out."""
    while desk.app.reads.for_bots(1) or desk.app.reads.analyses(1, 1 << 40):
        await asyncio.sleep(0.01)
    await desk.app.delivered()


def last(desk: Desk, address: str = ANN) -> str:
    return postman.text(desk.letters(address)[-1])


async def my_move(desk: Desk, number: int, chance: random.Random) -> str:
    position = replay(variants.parse(board(desk, number).rules), [move.text for move in desk.app.reads.moves(number)])
    return notation.write_move(chance.choice(list(islice(legal_moves(position), 100))))


async def play(desk: Desk, number: int, chance: random.Random) -> None:
    while board(desk, number).state == "running":
        await desk.answer(ANN, await my_move(desk, number, chance))
        await bots_are_done(desk)


async def test_a_whole_game_and_its_analysis(tmp_path: Path) -> None:
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge ann uct1 -size=12 {PASSWORDS[ANN]}")
        assert board(desk, 1).state == "running", "a computer player needs no asking"
        await play(desk, 1, random.Random(1))
        assert "The game is over" in last(desk)
        await desk.command(ANN, f"analyse 1 ann {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        letter = last(desk)
        assert "The computer has looked at every move of board 1" in letter
        assert letter.count("uct1") >= board(desk, 1).ply // 2


async def test_the_computer_moves_first_and_tells_its_chances_if_asked(tmp_path: Path) -> None:
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        ann = desk.app.reads.player_named("ann")
        assert ann
        await desk.app.writer.do(lambda store: put(store.db, Preference(ann.id, COMMENTS, "on")))
        await desk.command(ANN, f"lambo challenge uct2 ann -size=12 {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        letter = last(desk)
        assert board(desk, 1).ply == 1
        assert "uct2 says:" in letter


async def test_a_dead_worker_and_a_restart_lose_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    chance = random.Random(2)
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge uct1 ann -eat_enemy=9 {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        for process in desk.app.minds._processes._processes.values():  # type: ignore[union-attr]
            process.kill()
        await desk.answer(ANN, await my_move(desk, 1, chance))
        await bots_are_done(desk)
        assert board(desk, 1).ply == 3
        desk.app.minds.places = 0  # it stops before the computer has answered
        await desk.answer(ANN, await my_move(desk, 1, chance))
        assert board(desk, 1).ply == 4
    without = replace(desk.config, bots=BotsSection(workers=0))
    async with Desk(tmp_path, config=without):
        assert "games that wait for a computer player, and there is none" in caplog.text
    caplog.clear()
    async with Desk(tmp_path) as desk:
        assert "wait for a computer player" not in caplog.text
        await bots_are_done(desk)
        assert [move.ply for move in desk.app.reads.moves(1)] == [1, 2, 3, 4, 5]


async def test_a_database_that_cannot_be_read_for_once_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        reads, failed = desk.app.bots._reads, []
        asked = reads.for_bots

        def broken(most: int) -> list[Game]:
            if most == 1:  # asked by this test
                return asked(most)
            failed.append(most)
            monkeypatch.undo()
            raise OSError("no")

        monkeypatch.setattr(reads, "for_bots", broken)
        await desk.command(ANN, f"lambo challenge uct1 ann {PASSWORDS[ANN]}")
        desk.app.bots.wake.set()
        await bots_are_done(desk)
        assert (len(failed), board(desk, 1).ply) == (1, 1)


async def test_what_the_computer_is_asked(tmp_path: Path) -> None:
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge ann uct1 {PASSWORDS[ANN]}")
        await desk.answer(ANN, "b1")
        await bots_are_done(desk)
        assert board(desk, 1).ply == 2
        await desk.command(ANN, f"undo 1 ann {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        assert board(desk, 1).ply == 0
        await desk.command(ANN, f"propose 1 ann {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        assert board(desk, 1).asks == ""


async def test_what_is_asked_again_is_answered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a board that stands as it stood when the same was asked before."""
    monkeypatch.setattr(bots, "ACCEPTS_DRAW", -1)
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge ann uct1 {PASSWORDS[ANN]}")
        for times in (1, 2):
            await desk.command(ANN, f"propose 1 ann {PASSWORDS[ANN]}")
            await bots_are_done(desk)
            declined = [one for one in desk.letters(ANN) if "uct1 declined the draw" in postman.text(one)]
            assert (len(declined), board(desk, 1).asks) == (times, "")


def deadly(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """In place of thinking: a game of 13 tiles kills its worker."""
    if "13" in rules:
        os.kill(os.getpid(), signal.SIGKILL)
    return Thought("b1", 0.5, 0, 1, ())


async def test_a_board_that_kills_workers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has waited longest, and all the same the others get their turn."""
    monkeypatch.setattr(work, "think", deadly)
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        for size in (13, 12, 14):
            await desk.command(ANN, f"lambo challenge uct1 ann -size={size} {PASSWORDS[ANN]}")
        while [board(desk, number).ply for number in (1, 2, 3)] != [0, 1, 1]:
            await asyncio.sleep(0.01)
        while not (told := [one for one in desk.letters(ANN) if one["Subject"] == "Board 1 waits"]):
            await asyncio.sleep(0.01)
        assert "cannot go on with board 1, through no fault of yours" in postman.text(told[0]).replace("\n", " ")


def sizes(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """In place of thinking: tells of which game."""
    with (Path(folder).parent / "noted").open("a") as file:
        file.write(f"{rules.partition('=')[2]} ")
    return Thought("b1", 0.5, 0, 1, ())


def waits(rules: str, moves: list[str], seed: int, folder: str, playouts: int, seconds: int) -> Thought:
    """In place of looking at a ply: the first takes until it is told to go on."""
    noted = Path(folder).parent / "noted"
    with noted.open("a") as file:
        file.write(f"{len(moves)}")
    while not noted.with_name("go").exists():
        time.sleep(0.01)
    return Thought("b1", 0.5, 0, 1, ())


def notes(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """In place of thinking."""
    with (Path(folder).parent / "noted").open("a") as file:
        file.write("B")
    return Thought("b1", 0.5, 0, 1, ())


async def test_many_boards_of_one_player_do_not_stand_before_one_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "think", sizes)
    async with Desk(tmp_path) as desk:
        await desk.two_players()
        desk.app.minds.places = 0
        for size in (11, 12, 13):
            await desk.command(ANN, f"lambo challenge uct1 ann -size={size} {PASSWORDS[ANN]}")
        await desk.command(BOB, f"lambo challenge uct1 bob -size=21 {PASSWORDS[BOB]}")
        desk.app.minds.places = 1
        desk.app.bots.wake.set()
        await bots_are_done(desk)
        assert (tmp_path / "noted").read_text().split() == ["11", "21", "12", "13"]


async def test_a_board_does_not_wait_for_a_whole_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, noted = random.Random(1), tmp_path / "noted"
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge uct1 ann -size=12 {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        await desk.answer(ANN, await my_move(desk, 1, chance))
        await bots_are_done(desk)
        await desk.command(ANN, f"resign 1 ann {PASSWORDS[ANN]}")
        monkeypatch.setattr(work, "evaluate", waits)
        monkeypatch.setattr(work, "think", notes)
        await desk.command(ANN, f"analyse 1 ann {PASSWORDS[ANN]}")
        while not noted.exists():
            await asyncio.sleep(0.01)
        await desk.command(ANN, f"lambo challenge uct1 ann {PASSWORDS[ANN]}")
        while 2 not in desk.app.bots._thinking:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.01)
        (tmp_path / "go").touch()
        await bots_are_done(desk)
        assert noted.read_text() == "0B12"


async def test_an_analysis_that_fails_is_said_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge uct1 ann -size=12 {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        await desk.command(ANN, f"resign 1 ann {PASSWORDS[ANN]}")
        monkeypatch.setattr(bots, "ANALYSED", "many")
        await desk.command(ANN, f"analyse 1 ann {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        assert "The computer cannot look at board 1" in last(desk)


async def test_who_the_computer_players_are(tmp_path: Path) -> None:
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        for name, id in NAMES.items():
            player = desk.app.reads.player_named(name.upper())
            assert player and player.id == id and player.state == "active"
        await desk.command(ANN, f"lambo challenge ann uct9 {PASSWORDS[ANN]}")
        assert "There is no computer player 'uct9'" in last(desk)
        await desk.command("eve@example.org", "signup uct7 pass-word-123")
        assert "is taken" in last(desk, "eve@example.org")


async def test_a_killed_daemon_takes_its_workers_along(tmp_path: Path) -> None:
    (tmp_path / "mailbot.toml").write_text(
        f'[listen]\nport = 0\n[store]\npath = "{tmp_path}/db"\n[relay]\nmaildir = "{tmp_path}/mail"\n'
    )
    said = f"from mailbot.shell.console.cli import main; main(['--config', '{tmp_path}/mailbot.toml', 'serve'])"
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-c", said, stdout=asyncio.subprocess.PIPE)
    assert daemon.stdout
    await daemon.stdout.readline()
    while not (workers := children(daemon.pid)):
        await asyncio.sleep(0.01)
    daemon.kill()
    await daemon.wait()
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        await asyncio.sleep(0.01)


def children(pid: int) -> list[int]:
    """The processes that this one has started (Linux)."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.nightly
@pytest.mark.parametrize("level", range(1, 6))
async def test_a_game_by_mail_against_each_level(level: int, tmp_path: Path) -> None:
    """Through real sockets and a real worker, to the end; nobody wins against chance but the computer."""
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge ann uct{level} {PASSWORDS[ANN]}")
        await play(desk, 1, random.Random(level))
        game = board(desk, 1)
        assert (game.state, game.winner) == ("over", 2)
        assert "The game is over" in last(desk)
