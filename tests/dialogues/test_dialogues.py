"""Golden dialogues: every command, every refusal, every letter, as a player reads them. `make golden` rewrites them."""

from pathlib import Path

import pytest

from tests.dialogues.play import play

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_dialogue(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    golden = path.read_text()
    said = play(golden, tmp_path)
    if request.config.getoption("--rewrite"):
        path.write_text(said)
    else:
        assert said == golden, f"{path.name} has changed; if that is right: make golden"
