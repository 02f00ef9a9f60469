"""Boards too large for a letter are not drawn, and what a letter draws is counted before it is written."""

import random
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.extent import rectangle
from engine.hex import ascii as board
from engine.hex import notation, variants
from engine.hex.hexes import spiral
from engine.hex.position import Position, apply, replay, walk
from mailbot.core.letters import bulk
from mailbot.core.letters.context import context
from mailbot.core.model import Game, Move, States
from mailbot.shell.console import postman
from mailbot.store import rows
from tests.dialogues.play import Server
from tests.shell.test_reception import ANN, played

FAR = "mambo -size=200 -no_kill -loops=0"
LEGS = {"diagonal": [(1, -1), (-1, 1)], "flat": [(1, 0), (-1, 0)], "corner": [(0, -1), (1, 0)], "column": [(0, 1)]}


@cache
def line(legs: str) -> tuple[str, ...]:
    """A game in which the players lay all tiles along these legs."""
    position, moves = replay(variants.parse(FAR), ()), list[str]()
    while len(moves) < 190:
        k, leg = divmod(len(moves) - 1, len(LEGS[legs]))
        q, r = LEGS[legs][leg]
        cell = spiral(((k + 1) * q, (k + 1) * r)) if moves else 0
        position = next(filter(None, (_tried(position, f"{letter}{cell}") for letter in "abcdef")))
        moves.append(notation.write_move(position.turns[-1].move))
    return tuple(moves)


def _tried(position: Position, text: str) -> Position | None:
    try:
        after = apply(position, text)
    except EngineError:
        return None
    return None if after.outcome else after


def facts(moves: tuple[str, ...], rules: str = FAR) -> dict[str, object]:
    return {
        "board": 12,
        "rules": rules,
        "moves": list(moves),
        "players": ["ann", "bob"],
        "viewer": 1,
        "state": "running",
        "to_move": 1,
    }


@pytest.mark.parametrize("plies", [1, 20, 40, 80, 190])
@pytest.mark.parametrize("legs", LEGS)
def test_no_drawing_is_larger_than_its_bound(legs: str, plies: int) -> None:
    moves = line(legs)[:plies]
    told = context(facts(moves))
    position = replay(variants.parse(FAR), moves)
    size = rectangle(cell for _, cell in position.tiles)
    drawing = board.draw(position)
    lines = drawing.split("\n")
    assert len(lines) * max(map(len, lines)) <= size
    if size > bulk.MAX_DRAWN:
        assert "record 12" in told["picture"]
        assert told["legend"] == []
        assert bulk.estimate(facts(moves)) == bulk.MAX_DRAWN
    else:
        assert len(told["picture"]) <= bulk.MAX_DRAWN
        assert told["picture"].count("\n") == drawing.count("\n")


@pytest.mark.parametrize("rules", ["lambo -size=200", "palago -size=200", "mambo -size=200"])
def test_what_people_play_is_drawn_and_counted(rules: str) -> None:
    """Tiles laid near each other, as many as there are."""
    chance = random.Random(1)
    position, moves = replay(variants.parse(rules), ()), list[str]()
    while len(moves) < 150:
        found = list(islice(walk(position).moves(), 60))
        after = next(
            (one for move in chance.sample(found, len(found)) if (one := _tried(position, notation.write_move(move)))),
            None,
        )
        if after is None:
            break
        position = after
        moves.append(notation.write_move(position.turns[-1].move))
    told = facts(tuple(moves), rules)
    drawn = context(told)["picture"]
    assert "too large" not in drawn
    assert len(drawn) <= bulk.estimate(told)


def test_a_few_words_bring_no_megabytes(tmp_path: Path) -> None:
    """`show` with ten positions of a board that is one long line."""

    async def steps(server: Server) -> None:
        moves = line("diagonal")
        game = Game(2, FAR, 1, 2, States.RUNNING, 3, len(moves), 1, None, "", server.time, server.time)
        server.store.begin()
        rows.put(server.store.db, game)
        for ply, text in enumerate(moves, 1):
            rows.put(server.store.db, Move(2, ply, 2 - ply % 2, text, "", server.time))
        server.store.commit()
        for first in (190, 46):
            wanted = " ".join(f"2#{ply}" for ply in range(first, first - 10, -1))
            await server.accept(server.mail(ANN, f"show {wanted}", ""))
            ((_, _, letter),) = server.new_letters()
            text = postman.text(letter)
            assert len(text) < 1.5 * bulk.MAX_LETTER
            assert "Not shown: this letter is long enough." in text
            (size,) = server.db.execute("SELECT size FROM outbox ORDER BY id DESC LIMIT 1").fetchone()
            assert size > len(text) / 2

    played(steps, tmp_path)
