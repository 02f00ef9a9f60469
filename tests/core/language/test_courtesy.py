"""Which of a player's words go on to another player."""

import pytest

from engine.hex import ascii as board
from engine.hex.position import apply, legal_moves, replay, start
from engine.hex.variants import parse
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
    ("my password is hunter-two", "my password is ********"),
    ("Passwort: geheimnis!", "Passwort: ********"),
    ("pw correct-horse", "pw ********"),
    ("pwd: correct-horse", "pwd: ********"),
    ("kennwort: correct-horse", "kennwort: ********"),
    ("mein Passwort lautet correct-horse", "mein Passwort lautet ********"),
    ("password is: correct-horse", "password is: ********"),
    ("password was correct1horse", "password was ********"),
    ("PASSWORD=correct-horse", "PASSWORD=********"),
    ("my password was rejected", "my password was rejected"),
    ("password is: https://example.org/reset", "password is: https://example.org/reset"),
    ("it is lusab-babad-gutih-tugad now", "it is ******** now"),
    ("(lusab-babad-gutih-tugad).", "(********)."),
    ("my password is wrong", "my password is wrong"),
    (
        "password: see https://example.org/lusab-babad-gutih-tugad",
        "password: see https://example.org/lusab-babad-gutih-tugad",
    ),
    ("Password: https://example.org/reset", "Password: https://example.org/reset"),
    ("See you tomorrow: https://example.org/a-long-path?q=1", "See you tomorrow: https://example.org/a-long-path?q=1"),
    (
        "See you <b>soon</b>, or write to ann.other@example.org",
        "See you <b>soon</b>, or write to ann.other@example.org",
    ),
    ("*b14,a33* was _beautifully_ played", "*b14,a33* was _beautifully_ played"),
    ("never-never-never-land", "never-never-never-land"),
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
