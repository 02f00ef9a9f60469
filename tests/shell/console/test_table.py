"""The computer in the terminal: what it shows, what it refuses, how a game ends."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.errors import EngineError
from engine.hex.position import Position, apply, legal_moves, replay, start
from engine.hex.record import parse as read_record
from engine.hex.variants import CATALOGUE, parse
from engine.search.compiled import digest
from mailbot.shell.console import cli
from mailbot.shell.console.table import Table, named, selfplay
from mailbot.shell.minds.work import code_folder

KEPT = ".pytest_cache/numba"


def played(game: str, *lines: str, person: int = 1) -> str:
    """What is printed when these lines are typed."""
    said: list[str] = []
    typed = iter(lines)
    Table(
        parse(game),
        1,
        person,
        say=said.append,
        ask=lambda prompt: next(typed, None),
        seconds=60,
        folder=KEPT,
        seed=1,
    ).play()
    return "\n".join(said)


def test_a_move_is_answered_and_nonsense_gets_a_sentence() -> None:
    said = played("lambo -size=20", "help", "z1", "b1", "record")
    assert "Lambo has no tile z" in said
    assert "The computer plays " in said
    (written,) = [line for line in said.splitlines() if line.startswith("lambo -size=20:")]
    rules, moves = read_record(written)
    assert len(moves) == 2
    assert rules == parse("lambo -size=20")


def test_undo_takes_back_both_moves() -> None:
    said = played("lambo -size=20", "b1", "undo", "record")
    assert "lambo -size=20:" in [line.rstrip() for line in said.splitlines()]


def test_it_may_begin_and_a_game_ends_with_its_record() -> None:
    typed = [f"{letter}{cell}" for cell in range(40) for letter in "abcdef"]
    said = played("mambo -mamba -size=4", *typed, person=2)
    assert "The computer plays " in "\n".join(said.splitlines()[:8])
    assert any(ending in said for ending in ("The computer has won: ", "You have won: ", "A draw: "))


def test_selfplay_gives_whole_games_the_same_for_a_seed() -> None:
    rules = parse("lambo -size=8")
    games = [list(selfplay(rules, 1, 2, 5, 60, KEPT)) for _ in range(2)]
    assert games[0] == games[1]
    assert all(at.outcome and replay(rules, [turn.move for turn in at.turns]) == at for at in games[0])


@pytest.mark.parametrize(
    ("said", "meant"), [("lambo", "lambo"), ("mamba", "mambo -mamba"), ("Mambo -size=20", "mambo -size=20")]
)
def test_named(said: str, meant: str) -> None:
    assert named(said, CATALOGUE) == parse(meant)


def test_named_refuses() -> None:
    with pytest.raises(EngineError):
        named("chess", CATALOGUE)


def test_selfplay_that_is_interrupted_prints_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Iterator[Position]:
        at = start(parse("lambo -size=4"))
        while at.outcome is None:
            at = apply(at, next(legal_moves(at)))
        yield at
        raise KeyboardInterrupt

    monkeypatch.setattr("mailbot.shell.console.table.selfplay", interrupted)
    ended = CliRunner().invoke(cli.main, ["selfplay", "lambo", "--games", "2"])
    assert "won by the first player" in ended.stdout


def test_where_nothing_can_be_written_compiled_code_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert code_folder(tmp_path / "compiled") == str(tmp_path / "compiled")
    (tmp_path / "file").touch()
    assert code_folder(tmp_path / "file") is None
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        assert code_folder(tmp_path / "compiled") is None, "somebody else's code"
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / digest()).touch()
    assert code_folder(tmp_path / "others") is None


def test_what_other_versions_have_compiled_is_deleted(tmp_path: Path) -> None:
    for name in ("0123456789abcdef", digest(), "kept", "0123456789abcdef0"):
        (tmp_path / name / "more").mkdir(parents=True)
    code_folder(tmp_path)
    assert {one.name for one in tmp_path.iterdir()} == {digest(), "kept", "0123456789abcdef0"}
    assert (tmp_path / digest() / "more").exists()
