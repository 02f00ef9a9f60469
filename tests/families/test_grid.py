"""A game of another family is played by mail to its end; nothing in core, store and shell knows of it."""

import re
from pathlib import Path

import pytest

from engine.errors import Unreadable
from engine.families import CATALOGUE, family_of
from engine.family import NOTATION
from mailbot.core.letters import pictures
from tests.dialogues.play import play
from tests.families.grid import WITH_GRID

GOLDEN = Path(__file__).with_name("grid.txt")


def test_a_game_on_a_grid(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    golden = GOLDEN.read_text()
    said = play(golden, tmp_path, catalogue=WITH_GRID)
    if request.config.getoption("--rewrite"):
        GOLDEN.write_text(said)
    else:
        assert said == golden, "grid.txt has changed; if that is right: make golden"


@pytest.mark.parametrize(("rules", "moves"), [("grid", ("a1", "b2")), ("lambo", ("c1", "a2,a3"))])
def test_only_a_family_that_can_be_painted_is_painted(rules: str, moves: tuple[str, ...]) -> None:
    facts = {"rules": rules, "moves": moves, "players": ("ann", "bob"), "state": "running"}
    found = pictures.wanted("board", facts, WITH_GRID)
    assert [one.moves for one in found] == ([moves] if rules == "lambo" else [])


@pytest.mark.parametrize("rules", ["grid", "lambo", "mambo -size=12 -swap"])
def test_moves_are_written_in_the_common_notation(rules: str) -> None:
    family, moves = family_of(rules, WITH_GRID), list[str]()
    while example := family.draw(rules, moves, 10_000).example:
        assert re.fullmatch(NOTATION, example)
        assert family.move(rules, f" {example.upper()} ") == example
        turn, to_move, outcome = family.follow(rules, moves, example)
        moves.append(turn.move)
        now = family.replay(rules, moves)
        assert (now.turns[-1], now.to_move, now.outcome) == (turn, to_move, outcome)
    assert family.replay(rules, moves).outcome


def test_the_built_in_family_knows_no_grid() -> None:
    with pytest.raises(Unreadable, match='no game "grid" here'):
        family_of("grid").read("grid", CATALOGUE)
