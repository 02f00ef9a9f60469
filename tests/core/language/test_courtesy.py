"""What of a player's words goes on to another player."""

import pytest

from engine import ascii as board
from engine.position import apply, legal_moves, replay, start
from engine.variants import parse
from mailbot.core.language.courtesy import passed_on

BOARD = board.draw(replay(parse("lambo"), ["b1", "a2,c3", "b4,c5"]))
MAMBO = board.draw(replay(parse("mambo"), ["a0"]))

ROWS = [
    ("Good luck!", "Good luck!"),
    ("Two\n\n\n\nlines", "Two\n\nlines"),
    ("> quoted\nmine\n  > quoted too", "mine"),
    ("-- reply above this line --\nmine", "mine"),
    (f"Look:\n{BOARD}\nnice?", "Look:\nnice?"),
    (f"Look:\n{MAMBO}\nnice?", "Look:\nnice?"),
    ("12\n34\n1/2-1/2", "12\n34\n1/2-1/2"),
    ("3 - 4\n5 - 6\n7 - 8", "3 - 4\n5 - 6\n7 - 8"),
    ("my password is hunter2", "my password is ********"),
    ("Passwort: geheim!", "Passwort: ********"),
    ("it is lusab-babad-gutih-tugad now", "it is ******** now"),
    ("a well-known half-way house", "a well-known half-way house"),
    ("passwords are a nuisance", "passwords are a nuisance"),
]


@pytest.mark.parametrize(("said", "goes_on"), ROWS)
def test_passed_on(said: str, goes_on: str) -> None:
    assert passed_on(said) == goes_on


@pytest.mark.parametrize("game", ["lambo", "palago", "mambo", "mambo -mamba"])
def test_every_board_we_draw_stays_here(game: str) -> None:
    position = start(parse(game))
    for _ in range(3):
        position = apply(position, next(legal_moves(position)))
    drawn = board.draw(position)
    assert passed_on(f"above\n\n{drawn}\n\nbelow").split() == ["above", "below"]
