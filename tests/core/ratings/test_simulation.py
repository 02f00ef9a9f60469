"""Clubs of players with known strengths: how well the ratings predict, and what players gain who try to cheat them.

A strength is a rating that never changes. Who wins follows from the strengths and the first mover's advantage. The
bounds below hold what the rules of the fold give (docs/ratings.md says where that is less than one might wish).
"""

import random
from collections.abc import Callable
from math import exp, log, pi, sqrt
from statistics import mean
from typing import NamedTuple

import pytest

from mailbot.core.ratings.fold import SCALE, Finished, Fold, Rating, aged

DAY = 86_400
BEGIN = 1_767_225_600
DAYS = 120
ADVANTAGE, SPREAD = 60, 200
"""The first mover's advantage, and the standard deviation of the strengths, in points."""


class Predicted(NamedTuple):
    """The true chance of the first mover, and the one that the ratings give."""

    true: float
    said: float


class Club:
    """`players`, numbered from 0. `predicted`: one for each game so far. `held`: lost games that a cheat has not yet
    lost (gathers)."""

    def __init__(self, players: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.strengths = [self.chance.gauss(1500, SPREAD) for _ in range(players)]
        self.fold = Fold[object]()
        self.now = BEGIN
        self.predicted: list[Predicted] = []
        self.held: dict[int, list[tuple[int, int, bool]]] = {}

    def rating(self, player: object) -> Rating:
        players = self.fold.ratings.get("lambo", {})
        return aged(players.get(player, Rating()), self.now)

    def wins(self, first: int, second: int) -> bool:
        """Draws the result of a game that the first of these two begins."""
        lead = (self.strengths[first] - self.strengths[second] + ADVANTAGE) / SCALE
        true = 1 / (1 + exp(-lead))
        self.predicted.append(Predicted(true, self.chance_of(first, second)))
        return self.chance.random() < true

    def chance_of(self, first: int, second: int) -> float:
        """What the ratings predict, with the deviations of both (Glickman, "The Glicko system", 1999, formula 16)."""
        one, other = self.rating(first), self.rating(second)
        pools = self.fold.pools
        phi2 = (one.rd**2 + other.rd**2) / SCALE**2
        lead = (one.rating - other.rating) / SCALE / sqrt(1 + 3 * phi2 / pi**2)
        return 1 / (1 + exp(-lead - (pools[0].advantage if pools else 0)))

    def ends(self, first: object, second: object, won: bool, *, on_time: bool = False) -> None:
        self.fold.add(Finished("lambo", first, second, float(won), self.now, 12, on_time=on_time))

    def play(self, games: int) -> None:
        for _ in range(games):
            self.now += DAYS * DAY // games
            first, second = self.chance.sample(range(len(self.strengths)), 2)
            self.ends(first, second, self.wins(first, second))


def loss(games: list[Predicted], said: Callable[[Predicted], float]) -> float:
    """The expected log loss of these predictions."""
    return -mean(one.true * log(said(one)) + (1 - one.true) * log(1 - said(one)) for one in games)


def check(players: int, games: int, seed: int) -> None:
    club = Club(players, seed)
    club.play(games)
    later = club.predicted[games // 2 :]
    assert loss(later, lambda one: one.said) < 1.05 * loss(later, lambda one: one.true)
    for tenth in range(10):
        near = [one for one in later if tenth <= one.said * 10 < tenth + 1]
        if len(near) > games / 50:
            assert mean(one.said for one in near) == pytest.approx(mean(one.true for one in near), abs=0.065), tenth
    inside = [
        abs(strength - club.rating(player).rating) <= club.rating(player).rd
        for player, strength in enumerate(club.strengths)
    ]
    assert 0.62 < mean(inside) < 0.88, "two thirds, or more: strengths that never change are easier than real ones"
    assert 0.5 * ADVANTAGE < club.fold.pools[0].advantage * SCALE < ADVANTAGE


@pytest.mark.parametrize("seed", range(2))
def test_a_small_club(seed: int) -> None:
    check(100, 4_000, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(5))
def test_a_club_of_500(seed: int) -> None:
    check(500, 20_000, seed)


# -- players who try to gain. The first ten do it; their strength is 1500, and so would be their ratings.

CHEATS = range(10)


def club_of_cheats(seed: int) -> Club:
    club = Club(100, seed)
    club.strengths[: len(CHEATS)] = [1500.0] * len(CHEATS)
    return club


def gained(seed: int, play: Callable[[Club, int, int], None], games: int = 4_000) -> float:
    """How much higher the ten are rated at the end than in a club where everybody is honest."""
    honest, club = club_of_cheats(seed), club_of_cheats(seed)
    honest.play(games)
    for _ in range(games):
        club.now += DAYS * DAY // games
        play(club, *club.chance.sample(range(len(club.strengths)), 2))
    return mean(club.rating(cheat).rating - honest.rating(cheat).rating for cheat in CHEATS)


def chooses(key: Callable[[Rating], float]) -> Callable[[Club, int, int], None]:
    """A cheat plays against whoever of ten others has the least key."""

    def play(club: Club, first: int, second: int) -> None:
        if first in CHEATS or second in CHEATS:
            me = first if first in CHEATS else second
            ten = club.chance.sample(range(len(CHEATS), len(club.strengths)), 10)
            other = min(ten, key=lambda one: key(club.rating(one)))
            first, second = (me, other) if me == first else (other, me)
        club.ends(first, second, club.wins(first, second))

    return play


def flags(club: Club, first: int, second: int) -> None:
    """A cheat lets each lost game run out of time, so that some of them are not rated."""
    won = club.wins(first, second)
    loser = second if won else first
    club.ends(first, second, won, on_time=loser in CHEATS)


GATHERED = 10
"""So many lost games a cheat loses at once."""


def gathers(club: Club, first: int, second: int) -> None:
    """A cheat holds the games that it is losing, loses one on time to an account of its own, and then all of them."""
    won = club.wins(first, second)
    loser = second if won else first
    if loser not in CHEATS:
        club.ends(first, second, won)
        return
    held = club.held.setdefault(loser, [])
    held.append((first, second, won))
    if len(held) == GATHERED:
        club.ends(loser, f"account of {loser}", won=False, on_time=True)
        for game in club.held.pop(loser):
            club.ends(*game, on_time=True)


def feeds(club: Club, first: int, second: int) -> None:
    """After each game a cheat wins one against the next of five accounts of its own."""
    won = club.wins(first, second)
    club.ends(first, second, won)
    for cheat in {first, second} & {*CHEATS}:
        club.ends(cheat, f"account {len(club.predicted) % 5} of {cheat}", won=True)


GAINS: dict[str, tuple[Callable[[Club, int, int], None], float]] = {
    "plays the weakest": (chooses(lambda rating: rating.rating), 0),
    "plays the strongest": (chooses(lambda rating: -rating.rating), 60),
    "plays the most provisional": (chooses(lambda rating: -rating.rd), 15),
    "plays the surest": (chooses(lambda rating: rating.rd), 15),
    "plays equals": (chooses(lambda rating: abs(rating.rating - 1500)), 15),
    "loses on time": (flags, 35),
    "gathers lost games": (gathers, 35),
    "has five accounts": (feeds, 125),
}
"""What a cheat does, and the most it gains, in points. A rating is sure to about 70 points here."""


@pytest.mark.parametrize("trick", GAINS)
def test_what_a_trick_gains(trick: str) -> None:
    play, most = GAINS[trick]
    found = mean(gained(seed, play) for seed in range(2))
    assert found <= most
