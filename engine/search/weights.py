"""Which learned weights a game has."""

from functools import cache

from engine.search.kernel import ANYWHERE, LETTERS, PLACEMENTS, WAYS
from engine.search.learned import TABLES


def table(how: list[int]) -> tuple[float, ...]:
    """The weights for a game's rules in numbers, in the order that `prior` says; empty if there are none."""
    return _weights(kind(how))


def kind(how: list[int]) -> tuple[int, ...]:
    """What games with the same weights share: the tiles to choose from, the placements, whether a second tile may lie
    anywhere, and the ways to win."""
    return (how[LETTERS], how[PLACEMENTS], how[ANYWHERE], *how[WAYS + 1 :])


@cache
def _weights(wanted: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(int(word) / 100 for word in TABLES.get(wanted, "").split())
