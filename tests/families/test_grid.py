"""A game of another family is played by mail to its end; nothing in core, store and shell knows of it."""

from pathlib import Path

import pytest

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
