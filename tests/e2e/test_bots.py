"""Games against the computer over real sockets, with a real worker process."""

import asyncio
import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from engine.search import Thought
from mailbot.core.games import hints
from mailbot.core.model import Game, Preference, States
from mailbot.core.players.bots import COMMENTS, NAMES
from mailbot.shell import bots
from mailbot.shell.config.settings import BotsSection
from mailbot.shell.console import postman
from mailbot.shell.minds import work
from mailbot.store import arrival, lines
from mailbot.store.rows import put
from mailbot.store.store import Store
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
    """Until no board, hint or analysis waits for a computer player, and all letters are out."""
    reads = desk.app.reads
    while reads.for_bots(1) or reads.hints(1) or reads.analyses(1, 1 << 40):
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


def moved_house(desk: Desk, new: Path) -> None:
    """What `mailbot export --secrets` writes of this server, `mailbot import` takes."""
    now, db = int(time.time()), desk.app.reads.db
    said = [json.dumps(line).encode() for line in lines.lines(db, now, secrets=True)]
    store = Store.open(new, now, b"n" * 32)
    assert arrival.arrive(store, said, now, b"m" * 32).games
    store.close()


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
        seen = desk.app.reads.judged(1)
        assert seen
        assert len(seen.chances.split()) == board(desk, 1).ply + 1
        assert seen.chances.endswith(" 100" if board(desk, 1).winner == 1 else " 0")
        moved_house(desk, tmp_path / "new.sqlite")


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
        await desk.command(ANN, f"lambo challenge -unrated ann uct1 {PASSWORDS[ANN]}")
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


def proposes(rules: str, moves: list[str], seed: int, folder: str, level: int, seconds: int) -> Thought:
    """In place of thinking: notes the level, and plays any legal turn."""
    with (Path(folder).parent / "noted").open("a") as file:
        file.write(f"{level}")
    turn = next(iter(legal_moves(replay(variants.parse(rules), moves))))
    return Thought(notation.write_move(turn), 0.5, 0, 1, ())


def likes_it(rules: str, moves: list[str], seed: int, folder: str, playouts: int, seconds: int) -> Thought:
    """In place of evaluating: whoever is to move has good chances, and after two moves better ones."""
    return Thought("", 0.8 if moves else 0.7, 0, playouts, ())


async def test_a_draw_is_judged_by_an_evaluation_and_not_by_the_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turns of the book vary, and some of them say little for whoever plays them."""
    monkeypatch.setattr(work, "evaluate", likes_it)
    propose = f"propose 1 ann {PASSWORDS[ANN]}"
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge ann uct4 {PASSWORDS[ANN]}")
        await desk.command(ANN, propose)
        await bots_are_done(desk)
        assert (board(desk, 1).state, board(desk, 1).asks) == (States.RUNNING, "")
        await desk.answer(ANN, "b1")
        await bots_are_done(desk)
        await desk.command(ANN, propose)
        await bots_are_done(desk)
        assert (board(desk, 1).state, board(desk, 1).winner) == (States.OVER, 0)


async def test_a_hint_is_thought_once_and_its_letter_plays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "think", proposes)
    asks = f"hint 1 ann {PASSWORDS[ANN]}"
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge -unrated ann uct1 {PASSWORDS[ANN]}")
        for left in ("You can get 2 more hints in", "You can get 1 more hint in", "It was your last hint in"):
            for _ in (1, 2):  # the second time, the answer shows it at once
                await desk.command(ANN, asks)
                await bots_are_done(desk)
                letter = last(desk)
                move = letter.partition("A HINT: the computer proposes ")[2].partition(".")[0]
                assert f"To play it, answer this letter with:\n  {move}\n" in letter and left in letter
            ply = board(desk, 1).ply
            await desk.answer(ANN, move)
            await bots_are_done(desk)
            assert [one.text for one in desk.app.reads.moves(1)][ply] == move and board(desk, 1).ply == ply + 2
        assert (tmp_path / "noted").read_text() == "41" * 3
        await desk.command(ANN, asks)
        assert "You have had 3 hints on board 1" in last(desk)


def hinted(desk: Desk, address: str = ANN) -> list[str]:
    """The letters with a hint, or about one that there will not be."""
    texts = [postman.text(one) for one in desk.letters(address)]
    return [text for text in texts if "A HINT" in text or "has no hint" in text]


async def thinks_again(desk: Desk) -> None:
    """The computer players, who were kept from thinking, do it now."""
    desk.app.minds.places = 1
    desk.app.bots.wake.set()
    await bots_are_done(desk)


@pytest.mark.parametrize(
    ("meanwhile", "thought"),
    [
        (("move 1 ann {} b1",), "1"),  # of the computer's own turn
        (("resign 1 ann {}",), ""),
    ],
)
async def test_a_hint_for_a_turn_that_is_not_to_be_played_any_more_is_not_sent(
    meanwhile: tuple[str, ...], thought: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "think", proposes)
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge -unrated ann uct1 {PASSWORDS[ANN]}")
        desk.app.minds.places = 0
        await desk.command(ANN, f"hint 1 ann {PASSWORDS[ANN]}")
        (asked,) = desk.app.reads.hints(1)
        for said in meanwhile:
            await desk.command(ANN, said.format(PASSWORDS[ANN]))
        await thinks_again(desk)
        noted = tmp_path / "noted"
        assert (noted.read_text() if noted.exists() else "") == thought, "nobody thinks about the hint"
        for found in ("c1", ""):  # the thought was under way, and came to an end or failed
            await desk.app.writer.do(lambda store: put(store.db, asked))
            await desk.app.writer.do(partial(bots._hinted, hint=asked, found=found, now=1))
        await desk.app.delivered()
        assert hinted(desk) == []
        assert desk.app.reads.hints_of(1, asked.player) == []


async def test_a_hint_outlives_a_refused_draw_and_a_killed_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its letter can be answered, though the draw was refused after the hint was asked for."""
    monkeypatch.setattr(work, "think", proposes)
    monkeypatch.setattr(bots, "ACCEPTS_DRAW", -1)
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge -unrated ann uct1 {PASSWORDS[ANN]}")
        desk.app.minds.places = 0
        await desk.command(ANN, f"propose 1 ann {PASSWORDS[ANN]}")
        await desk.command(ANN, f"hint 1 ann {PASSWORDS[ANN]}")
    async with Desk(tmp_path) as desk:
        await bots_are_done(desk)
        assert board(desk, 1).taken_back and len(hinted(desk)) == 1
        (letter,) = [one for one in desk.letters(ANN) if "A HINT" in postman.text(one)]
        move = postman.text(letter).partition("A HINT: the computer proposes ")[2].partition(".")[0]
        await desk.send(postman.answer(letter, ANN, move, datetime.now(UTC)))
        assert [one.text for one in desk.app.reads.moves(1)][:1] == [move]


async def test_who_has_left_gets_no_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "think", proposes)
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge -unrated ann uct1 {PASSWORDS[ANN]}")
        desk.app.minds.places = 0
        await desk.command(ANN, f"hint 1 ann {PASSWORDS[ANN]}")
        (asked,) = desk.app.reads.hints(1)
        await desk.command(ANN, f"delete ann {PASSWORDS[ANN]}")
        await desk.answer(ANN, "delete")
        assert desk.app.reads.hints(1) == []
        await desk.app.writer.do(partial(bots._hinted, hint=asked, found="b1", now=1))  # the thought was under way
        await thinks_again(desk)
        assert hinted(desk) == [] and desk.app.reads.hints_of(1, asked.player) == []


async def test_a_hint_that_fails_is_said_to_fail_and_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "LEVEL", "high")
    async with Desk(tmp_path) as desk:
        await signed_up(desk)
        await desk.command(ANN, f"lambo challenge -unrated ann uct1 {PASSWORDS[ANN]}")
        await desk.command(ANN, f"hint 1 ann {PASSWORDS[ANN]}")
        await bots_are_done(desk)
        assert "The computer has no hint for board 1" in last(desk)
        assert desk.app.reads.hints_of(1, board(desk, 1).player1) == []


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
        text = postman.text(told[0]).replace("\n", " ")
        assert "cannot go on with board 1, through no fault of yours" in text
        assert "It does not lose on time." in text


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


@pytest.mark.parametrize("what", ["board", "hint"])
async def test_much_that_one_player_waits_for_does_not_stand_before_what_another_waits_for(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "think", sizes)
    async with Desk(tmp_path) as desk:
        await desk.two_players()
        desk.app.minds.places = 0
        for number, (who, name, size) in enumerate(
            ((ANN, "ann", 11), (ANN, "ann", 12), (ANN, "ann", 13), (BOB, "bob", 21)), 1
        ):
            seats = f"uct1 {name}" if what == "board" else f"{name} uct1"
            await desk.command(who, f"lambo challenge -unrated {seats} -size={size} {PASSWORDS[who]}")
            if what == "hint":
                await desk.command(who, f"hint {number} {name} {PASSWORDS[who]}")
        await thinks_again(desk)
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
