"""The board of a page offers exactly the legal moves, tile by tile, and its drawing stays in its place meanwhile."""

import random
import re

import pytest

from engine.errors import Forbidden, Unreadable
from engine.families import family_of
from engine.family import Board
from engine.hex.notation import SWAP, write_move
from engine.hex.position import apply, legal_moves, start, winning
from engine.hex.variants import parse

RULES = [
    "lambo",
    "lambo -swap -size=12",
    "lambo -anywhere -eat_enemy -size=10",
    "palago -must_contain",
    "mambo",
    "mambo -mamba -size=20",
    "mambo -mambogo -swap",
    "mambo -auto=none -no_kill",
]


def board(rules: str, moves: list[str], turn: str = "") -> Board:
    found = family_of(rules).board(rules, moves, turn)
    assert found
    return found


@pytest.mark.parametrize("rules", RULES)
def test_the_places_and_their_letters_are_the_legal_moves(rules: str) -> None:
    chance = random.Random(rules)
    position = start(parse(rules))
    while position.outcome is None and position.ply < 9:
        legal = set(map(write_move, legal_moves(position)))
        moves = [write_move(turn.move) for turn in position.turns]
        now = board(rules, moves)
        offered = {"swap"} if now.swap else set()
        firsts = [f"{letter}{place.name}" for place in now.places for letter in place.fits]
        for first in chance.sample(firsts, min(len(firsts), 8)):
            try:
                then = board(rules, moves, first)
            except Forbidden as refused:
                assert "is a hole" in str(refused)
                continue
            assert then.box == now.box, "a board that jumps under the pointer"
            assert then.owed == (1 if then.places else 0)
            assert [f"{place.letter}{place.name}" for place in then.laid] == [first]
            seconds = {f"{first},{letter}{place.name}" for place in then.places for letter in place.fits}
            assert {move for move in legal if move.split(",")[0] == first} == (seconds or {first})
        whole = chance.choice(sorted(legal - {"swap"}))
        done = board(rules, moves, whole)
        assert ([f"{place.letter}{place.name}" for place in done.laid], done.places) == (whole.split(","), [])
        assert all(place.letter in place.fits for place in done.laid)
        assert {move.split(",")[0] for move in legal} - {"swap"} <= set(firsts)
        assert offered == {move for move in legal if move == "swap"}
        position = apply(position, chance.choice([move for move in legal_moves(position) if move != SWAP]))
    if position.outcome:
        ended = board(rules, [write_move(turn.move) for turn in position.turns])
        assert (ended.places, ended.owed, ended.swap) == ([], 0, False)


def test_a_drawing_needs_no_style_and_shows_every_place() -> None:
    found = board("lambo", ["a1"], "b5")
    assert "<style" not in found.svg
    assert "style=" not in found.svg
    assert set(re.findall(r'class="c(\d+)"', found.svg)) == {place.name for place in found.places}
    left, top, width, height = found.box
    assert all(left < place.x < left + width and top < place.y < top + height for place in found.places)
    assert "Lambo, ply 2: Dark tries b5 and is to lay another tile." in found.svg
    assert set(found.pieces) == set("abc")


@pytest.mark.parametrize(
    ("turn", "kind", "said"),
    [
        ("z5", Unreadable, "no tile z"),
        ("a5,b5", Forbidden, "both tiles cannot go on cell 5"),
        ("a5,b18,c3", Unreadable, "too many placements"),
        ("swap", Forbidden, "without -swap"),
        ("a99", Forbidden, "not next to any tile"),
        ("a1", Forbidden, "taken"),
        ("<b>", Unreadable, "not a move"),
    ],
)
def test_a_turn_that_cannot_be_laid(turn: str, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        board("lambo", ["a1"], turn)


def test_a_swap_and_a_turn_whose_first_tile_ends_the_game() -> None:
    assert board("lambo -swap", ["a1"], "swap").owed == 0
    chance = random.Random(3)
    position = start(parse("lambo"))
    while not (wins := winning(position, 1 + position.ply % 2)) or len(wins[0]) > 1:
        position = apply(position, chance.choice([*legal_moves(position)]))
    moves, ends = [write_move(turn.move) for turn in position.turns], write_move(wins[0])
    done = board("lambo", moves, f"{ends},a77")
    assert ([f"{place.letter}{place.name}" for place in done.laid], done.owed) == ([ends], 0)
