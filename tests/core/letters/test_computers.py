"""What letters say about computer players depends on whether any plays here."""

import pytest

from mailbot.core.games import boards
from mailbot.core.mail.addresses import Own
from mailbot.core.model import Game, States
from mailbot.shell.post.letterbox import Letterbox


def text(template: str, facts: dict[str, object], *, computers: bool) -> str:
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32}, computers=computers)  # type: ignore[arg-type]
    return box.text(template, facts, has_token=True)


@pytest.mark.parametrize("computers", [True, False])
def test_the_welcome(computers: bool) -> None:
    assert ("uct1" in text("welcome", {"userid": "ann"}, computers=computers)) == computers


@pytest.mark.parametrize("computers", [True, False])
def test_the_help(computers: bool) -> None:
    said = text("help", {"topic": "computer", "asked": "", "other": False}, computers=computers)
    assert ("On this server no computer player plays at the moment." in said) != computers


@pytest.mark.parametrize(
    ("rules", "moves", "computers", "offered"),
    [
        ("lambo", ["b1"], True, True),
        ("lambo", ["b1"], False, False),
        ("lambo", [], True, False),
        ("lambo -eat_enemy=1 -size=90", ["b1"], True, False),
    ],
)
def test_the_last_letter_offers_an_analysis_where_one_can_be_made(
    rules: str, moves: list[str], computers: bool, offered: bool
) -> None:
    game = Game(3, rules, 1, 2, States.OVER, 3, len(moves), 0, 1, "bob resigned", 0, 0)
    letter = boards.news("board", game, moves, ("ann", "bob"), 1, event="resigned", by=2, comment="")
    said = text("board", dict(letter.facts), computers=computers)
    assert "rematch    offers" in said
    assert ("analyse    the computer" in said) == offered
