"""`play`, `selfplay` and `demo` as a user types them: what goes to which stream, and how much of it."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.hex.record import parse as read_record
from engine.hex.variants import parse
from mailbot.core.pages import SHOWN
from mailbot.shell.console import cli
from mailbot.shell.console.demo import game

KEPT = str(Path(".pytest_cache/numba").absolute())


@pytest.fixture(autouse=True)
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_compiled", lambda config: KEPT)


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(cli.main, list(words), input=typed)


def test_selfplay_that_is_piped_prints_records_and_no_progress() -> None:
    done = run("selfplay", "--games", "2", "--level", "1", "--", "lambo", "-size=8")
    assert (done.exit_code, done.stderr) == (0, "")
    *records, total = done.stdout.splitlines()
    assert [read_record(line.partition("  (")[0])[0] for line in records] == [parse("lambo -size=8")] * 2
    assert total.startswith("won by the first player ")


def test_selfplay_refuses_in_one_line() -> None:
    done = run("selfplay", "chess")
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1


def test_play_prints_the_rules_when_asked() -> None:
    said = run("play", "--level", "1", "--", "lambo", "-size=8", typed="help\nquit\n").stdout
    assert said.index("THE RULES OF LAMBO") > said.index("A move is a letter and a number")
    assert "{{" not in said


def test_play_explains_the_marks_of_the_last_board() -> None:
    """Whoever types all moves there are gets to the end."""
    typed = "".join(f"{letter}{cell}\n" for cell in range(60) for letter in "abcdef")
    said = run("play", "--level", "1", "--", "mambo", "-mamba", "-size=4", typed=typed).stdout
    board = said[said.rindex("Ply ") - 900 :]
    assert "*" in board
    assert "marked '*': " in board
    assert any(ending in said for ending in ("The computer has won: ", "You have won: ", "A draw: "))


def test_play_ends_where_the_input_ends() -> None:
    assert run("play", "lambo", typed="").exit_code == 0


def test_the_demo_is_one_short_game() -> None:
    """Every mail and every letter of four plies, to the end; a random game is many times as long."""
    said = run("demo").stdout
    assert [f"> {move}\n" in said for move in SHOWN["small"][1]] == [True] * 4
    assert said.count("The game is over") == 2
    assert len(said.splitlines()) < 700
    assert len(game(1)) > 2 * len(SHOWN["small"][1])
