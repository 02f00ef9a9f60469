"""Moves as text: what is read, what is written, what is refused."""

import pytest

from engine.errors import EngineError, Unreadable, clip
from engine.family import unguarded
from engine.hex.notation import SWAP, Move, Placement, parse_move, write_move

READ: list[tuple[str, Move, str]] = [
    ("a1", (Placement("a", 1),), "a1"),
    ("A1", (Placement("a", 1),), "a1"),
    ("a0", (Placement("a", 0),), "a0"),
    ("a007", (Placement("a", 7),), "a7"),
    ("z999999999", (Placement("z", 999999999),), "z999999999"),
    ("a1,c12", (Placement("a", 1), Placement("c", 12)), "a1,c12"),
    ("  A1 ,\tC12 ", (Placement("a", 1), Placement("c", 12)), "a1,c12"),
    ("swap", SWAP, "swap"),
    (" SWAP ", SWAP, "swap"),
]


@pytest.mark.parametrize(("text", "move", "canonical"), READ)
def test_read_and_write(text: str, move: Move, canonical: str) -> None:
    assert parse_move(text) == move
    assert write_move(move) == canonical
    assert unguarded(text) == (text, None)
    assert unguarded(f"{text}#12") == (text, 12)
    assert unguarded(f"{text} # 0 ") == (f"{text} ", 0)


UNREADABLE = [
    ("", "not a move"),
    (" ", "not a move"),
    ("a", "not a move"),
    ("1", "not a move"),
    ("1a", "not a move"),
    ("aa1", "not a move"),
    ("a1,", "not a move"),
    (",a1", "not a move"),
    ("a1 c12", "not a move"),
    ("a-1", "not a move"),
    ("a1.5", "not a move"),
    ("é1", "not a move"),
    ("a١", "not a move"),
    ("swap,a1", "not a move"),
    ("a1,b2,c3", "too many placements"),
    ("a1,b2,c3,a4,,,", "too many placements"),
    ("a1234567890", "too long a cell number"),
    ("a" + "9" * 100_000, "too long a cell number"),
    ("x" * 100_000, "not a move"),
]


@pytest.mark.parametrize(("text", "says"), UNREADABLE, ids=lambda value: value[:20])
def test_refused(text: str, says: str) -> None:
    with pytest.raises(Unreadable) as refused:
        parse_move(text)
    assert says in str(refused.value)
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize("text", ["a1#", "a1#x", "a1#-1", "a1#1#2", "a1#1234567"])
def test_a_broken_guard(text: str) -> None:
    with pytest.raises(Unreadable):
        unguarded(text)


CLIPPED = [("abc", "abc"), ("a\nb\x00\x1b  c", "a b c"), ("x" * 24, "x" * 24), ("x" * 25, "x" * 23 + "…"), ("", "")]


@pytest.mark.parametrize(("text", "line"), CLIPPED)
def test_clip(text: str, line: str) -> None:
    assert clip(text) == line


def test_errors_are_of_one_family() -> None:
    with pytest.raises(EngineError) as refused:
        parse_move("?")
    assert refused.value.index is None
