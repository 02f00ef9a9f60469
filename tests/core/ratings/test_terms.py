"""Categories, and the terms on which a game is offered."""

from types import SimpleNamespace
from typing import cast

import pytest

from engine.families import family_of
from engine.hex import variants
from mailbot.core.effects import Unreadable
from mailbot.core.ratings import terms
from mailbot.core.world import World

TINY = variants.Variant("tiny", "mambo", "-mamba -size=12", "for lunch", rated=True)
CASUAL = variants.Variant("casual", "mambo", "-size=14", "for fun")
OURS = variants.with_variants([TINY, CASUAL])

ROWS = [
    ("lambo", "lambo"),
    ("lambo -size=48", "lambo"),
    ("lambo -size=40", ""),
    ("lambo -swap", ""),
    ("lambo -anywhere", ""),
    ("palago", "palago"),
    ("mambo -mamba", "mamba"),
    ("mambo -loops=2", "mamboa"),
    ("mambo -mambogo -size=40", ""),
    ("mambo -tiny", "tiny"),
    ("mambo -casual", ""),
]


@pytest.mark.parametrize(("said", "category"), ROWS)
def test_the_category_of_rules(said: str, category: str) -> None:
    rules = family_of(said, OURS).read(said, OURS)
    assert terms.category(rules, OURS) == category


def test_a_name_for_each_category() -> None:
    assert list(terms.categories(variants.CATALOGUE)) == ["lambo", "palago", "mambo", "mamboa", "mamba", "mambogo"]
    assert list(terms.categories(OURS))[-1] == "tiny"


def test_the_option_of_an_offer() -> None:
    assert terms.chosen(("-size=20", "-UNRATED")) == (["-size=20"], True)
    assert terms.chosen(("-size=20",)) == (["-size=20"], False)
    with pytest.raises(Unreadable, match="takes no value"):
        terms.chosen(("-unrated=no",))


@pytest.mark.parametrize("said", ["1400", "1400-", "1800-1400", "14000-15000", "-5-10", "a-b", "1400-1800x"])
def test_no_range(said: str) -> None:
    with pytest.raises(Unreadable, match="no range of ratings"):
        terms.span(said)


def test_a_range() -> None:
    assert terms.span("1400-1800") == (1400, 1800)
    assert terms.span("0-9999") == (0, 9999)


@pytest.mark.parametrize(
    ("default", "clock", "rated"),
    [
        ("10d+2d/14d", "10d+2d/14d", True),
        ("10d+2d/14d", "none", False),
        ("10d+2d/14d", "60d -noweekends", True),
        ("10d+2d/14d", "61d", False),
        ("10d+2d/14d", "365d -noweekends", False),
        ("10d+2d/14d", "10d+2d", False),
        ("10d+2d/14d", "1h+60d/60d", True),
        ("10d+2d/14d", "60d+2d/61d", False),
        ("10d+2d", "10d+2d", True),
        ("none", "none", True),
        ("90d", "90d", True),
        ("none", "365d", False),
    ],
)
def test_a_game_that_may_last_for_ever_is_not_rated(default: str, clock: str, rated: bool) -> None:
    """Whoever has lost it would leave it standing."""
    world = cast(World, SimpleNamespace(catalogue=variants.CATALOGUE, clock=default))
    assert terms.agreed("lambo", clock, world, unrated=False) == ("lambo", "" if rated else terms.ENDLESS)
    assert terms.agreed("lambo", clock, world, unrated=True) == ("lambo", terms.OFFERED_SO)
