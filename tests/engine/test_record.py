"""Whole games as one line of text: canonical, and read back to the same position."""

import random
from itertools import islice

import pytest

from engine.errors import EngineError, Forbidden, Unreadable
from engine.hex import record
from engine.hex.notation import SWAP, write_move
from engine.hex.position import Position, apply, legal_moves, replay, start
from engine.hex.variants import Variant, parse, with_variants

CANONICAL = [
    ("lambo:", "lambo:"),
    ("lambo: a1 b2,c9", "lambo: a1 b2,c9"),
    ("LAMBO -size=48 : A1\n B2 , C9 ", "lambo: a1 b2,c9"),
    ("lambo -size=40 -adjacent: a1", "lambo -size=40: a1"),
    ("mambo -swap: a0 swap b1", "mambo -swap: a0 swap b1"),
    ("mambo -loops=2: a0", "mambo -mamboa: a0"),
]


@pytest.mark.parametrize(("text", "canonical"), CANONICAL)
def test_read_and_write(text: str, canonical: str) -> None:
    rules, moves = record.parse(text)
    assert record.write(rules, moves) == canonical
    assert record.parse(canonical) == (rules, moves)


REFUSED: list[tuple[str, type[EngineError], str, int | None]] = [
    ("", Unreadable, "not a record", None),
    ("lambo a1", Unreadable, "not a record", None),
    (": a1", Unreadable, "name a game", None),
    ("chess: e4", Unreadable, "no game", None),
    ("lambo -size=3: a1", Forbidden, "4 to 200", None),
    ("lambo: a1 b2,c9 ?", Unreadable, "not a move", 2),
    ("lambo: a1,", Unreadable, "not a move", 0),
]


@pytest.mark.parametrize(("text", "kind", "says", "index"), REFUSED)
def test_refused(text: str, kind: type[EngineError], says: str, index: int | None) -> None:
    with pytest.raises(kind) as refused:
        record.parse(text)
    assert says in str(refused.value)
    assert refused.value.index == index


def finished(game: str, seed: int) -> Position:
    """A game that takes one of the first thirty legal moves each turn, and swaps if it may."""
    rng = random.Random(f"{game} {seed}")
    now = start(parse(game))
    while now.outcome is None:
        now = apply(now, SWAP if now.may_swap else rng.choice(list(islice(legal_moves(now), 30))))
    return now


GAMES = ["lambo", "lambo -size=20 -anywhere", "palago -eat_enemy=1 -swap", "mambo -swap", "mambo -mamba -size=30"]


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(game: str) -> None:
    for seed in range(3):
        end = finished(game, seed)
        text = record.write(end.rules, end.turns)
        rules, moves = record.parse(text)
        assert replay(rules, moves) == end
        assert replay(rules, [write_move(move) for move in moves]) == end
        assert record.write(rules, moves) == text
        assert text.startswith(f"{game}: ")


def test_a_swap_is_a_move_of_the_record() -> None:
    end = replay(parse("lambo -swap"), ["a1", "swap", "a2,b9"])
    text = record.write(end.rules, end.turns)
    assert text == "lambo -swap: a1 swap a2,b9"
    assert record.parse(text)[1][1] == SWAP


def test_an_operators_variant() -> None:
    catalogue = with_variants([Variant("quick", "lambo", "-size=20", "a short game")])
    rules, moves = record.parse("lambo -quick: a1", catalogue)
    assert rules.size == 20
    assert record.write(rules, moves, catalogue) == "lambo -quick: a1"
    assert record.write(rules, moves) == "lambo -size=20: a1"
