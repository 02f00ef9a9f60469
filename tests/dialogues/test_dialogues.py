"""Golden dialogues: every command, every refusal, every letter, as a player reads them. `make golden` rewrites them."""

from email.message import Message
from pathlib import Path

import pytest

from tests.dialogues import pages
from tests.dialogues.play import play

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_dialogue(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    golden = path.read_text()
    seen: list[Message] = []
    said = play(golden, tmp_path, seen)
    assert {letter["Subject"]: found for letter in seen if (found := pages.faults(letter))} == {}
    if request.config.getoption("--rewrite"):
        path.write_text(said)
    else:
        assert said == golden, f"{path.name} has changed; if that is right: make golden"


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_letters_are_78_columns_wide(path: Path) -> None:
    """Only a board may be wider; the boards of these dialogues are not."""
    wide = [line for line in path.read_text().split("\n") if line.startswith("< | ") and len(line) > len("< | ") + 78]
    assert wide == []


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_letters_have_no_two_blank_lines_in_a_row(path: Path) -> None:
    assert "\n< |\n< |\n" not in path.read_text()
