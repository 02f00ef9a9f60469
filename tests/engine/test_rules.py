"""Every row of the option table sets a field to a possible value, and every default can be written or left out."""

from dataclasses import fields

import pytest

from engine.hex.rules import OPTIONS, Option, Rules, options
from engine.hex.variants import GAMES

FIELDS = {field.name for field in fields(Rules)}
OF_THE_GAME = {"game", "tileset", "placements", "started", "close"}


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row.word)
def test_row(row: Option) -> None:
    assert row.field in FIELDS
    assert row.help and not row.help.endswith(".")
    assert set(row.games) <= set(GAMES)
    kinds = [row.value is not None, bool(row.choices), row.high > row.low]
    assert sum(kinds) == 1
    assert row.implies is None or row.implies[0] in FIELDS


def test_every_field_is_of_the_game_or_an_option() -> None:
    assert {row.field for row in OPTIONS} | OF_THE_GAME == FIELDS


@pytest.mark.parametrize("game", GAMES)
def test_words_are_unique_in_a_game(game: str) -> None:
    words = [row.word for row in options(game)]
    assert len(words) == len(set(words))


OF = [
    ("lambo", "size adjacent anywhere eat_enemy eat_size must_contain no_contain swap"),
    ("palago", "size adjacent anywhere eat_enemy eat_size must_contain no_contain swap"),
    ("mambo", "size auto kill no_kill loops largest territory no_territory swap"),
]


@pytest.mark.parametrize(("game", "words"), OF)
def test_which_game_has_which(game: str, words: str) -> None:
    assert [row.word for row in options(game)] == words.split()
