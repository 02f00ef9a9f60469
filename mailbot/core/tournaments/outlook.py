"""The places a player can still reach. Never leaves out a place that can come about if nobody withdraws."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

WAYS = 13_500
"""Every way in which the open games can end is tried if these ways times the players are no more than this: 6 games of
12 players, 3 games of 200. All of them take a quarter of a second, once after each game (hosting.standing)."""
SCORES = (1.0, 0.5, 0.0)

Outlook = dict[str, tuple[int, int]]
Places = Mapping[str, int]


def of(
    places: Places,
    reach: Mapping[str, tuple[float, float]],
    games: int,
    after: Callable[[Sequence[float]], Places] | None,
) -> Outlook:
    """Each player's best and worst place. `places`: as they are now. `reach`: the fewest and the most points each can
    end with. `games`: how many are open; `after`: the places for each first mover's score in them, None if there will
    be games that are not known yet."""
    if not games and after is not None:
        return {name: (place, place) for name, place in places.items()}
    if after is None or not exact(games, len(places)):
        return bounded(reach)
    found: Outlook = {}
    for scores in product(SCORES, repeat=games):
        for name, place in after(scores).items():
            best, worst = found.get(name, (place, place))
            found[name] = (min(best, place), max(worst, place))
    return found


def exact(games: int, players: int) -> bool:
    """Whether every way is tried."""
    ways: int = len(SCORES) ** min(games, 20)
    return ways * players <= WAYS


def bounded(reach: Mapping[str, tuple[float, float]]) -> Outlook:
    """From points alone: before a player stand at least those who cannot end with as few, and at most all who can end
    with as many."""
    return {
        name: (
            1 + sum(fewest > most_ for fewest, _ in reach.values()),
            sum(most >= fewest_ for _, most in reach.values()),
        )
        for name, (fewest_, most_) in reach.items()
    }
