"""Ratings: Glicko-2, one step a game, as a fold over the finished games in the order of their end.

Theory of operation. A rating is an estimate of a player's strength (1500 to begin with), with a deviation (RD: how
uncertain the estimate is) and a volatility (how steady the player is). After each rated game both ratings change by the
surprise in its result, as Mark Glickman's paper "Example of the Glicko-2 system" (2013) computes it with a period of
one game; before that, the deviation grows with the days since the last rated game. `Fold` takes one game after another,
so the ratings depend on the games alone: the same games in the same order give the same numbers to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, pi, sqrt
from typing import NamedTuple

from mailbot.core.model import DAY

SCALE = 173.7178
START, WIDEST, NARROWEST = 1500.0, 350.0, 45.0
"""The first rating, and the bounds of its deviation, in points."""
CALM, WILDEST, TAU = 0.06, 0.1, 0.5
"""The first volatility and the largest; tau, which bounds its changes."""
PERIODS_A_DAY = 0.21436
"""Rating periods that pass in a day without a game."""
CLOSE = 1e-6
"""The volatility is computed to this precision, as in the paper."""

PROVISIONAL = 110.0
"""A rating with a larger deviation is shown with a question mark and not ranked."""
FEWEST_PLIES = 2
SERIAL = 48 * 3600
"""For this many seconds after a rated loss on time, the same player's next loss on time is not rated."""
PAIR_DAYS, PAIR_GAMES = 30, 4
"""Within this many days, at most this many games of the same two players are rated."""
SETTLED = 200
"""Rated games that a category needs before the first mover's advantage counts."""
WEEK, MONDAY = 7 * DAY, 4 * DAY
"""The advantage is computed again each Monday, 00:00 UTC; 1 January 1970 was a Thursday."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One player in one category. `last`: when the last rated game ended, 0 before the first. `games`: finished games,
    `rated` of them rated. `best`: the highest ranked rating so far, 0 before the first."""

    rating: float = START
    rd: float = WIDEST
    volatility: float = CALM
    last: int = 0
    games: int = 0
    rated: int = 0
    best: float = 0.0

    @property
    def provisional(self) -> bool:
        """Whether the rating is too unsure to be ranked."""
        return self.rd > PROVISIONAL


class Finished(NamedTuple):
    """A finished game. `score`: the first mover's, 1, 0.5 or 0. `ended`: unix seconds. `on_time`: lost on time.
    `unrated`: why the game is not rated, whatever other games there are, or nothing."""

    category: str
    first: str
    second: str
    score: float
    ended: int
    plies: int
    on_time: bool = False
    unrated: str = ""


class Change(NamedTuple):
    """The effect of a game: its players' ratings before (aged to the day) and after, or why it is not rated."""

    before: tuple[Rating, Rating]
    after: tuple[Rating, Rating]
    unrated: str = ""


def aged(one: Rating, now: int) -> Rating:
    """The rating at `now`: the deviation has grown with the days since the last rated game."""
    if not one.rated or now <= one.last:
        return one
    return Rating(one.rating, _widened(one, now), one.volatility, one.last, one.games, one.rated, one.best)


def _widened(one: Rating, now: int) -> float:
    periods = (now - one.last) / DAY * PERIODS_A_DAY
    phi = one.rd / SCALE
    return min(WIDEST, SCALE * sqrt(phi * phi + periods * one.volatility * one.volatility))


def _g(phi: float) -> float:
    """The weight of a game against an opponent with this deviation: 1 for an exactly known opponent."""
    return 1 / sqrt(1 + 3 * phi * phi / (pi * pi))


def expected(one: Rating, other: Rating, advantage: float = 0.0) -> float:
    """The expected score of `one`. `advantage`: a logit, positive for the first mover."""
    return 1 / (1 + exp(-(_g(other.rd / SCALE) * (one.rating - other.rating) / SCALE + advantage)))


def stepped(one: Rating, results: Sequence[tuple[Rating, float, float]], now: int = 0) -> Rating:
    """The rating after these results, which ended at `now`: opponent (as before the games), score, and advantage as in
    `expected`."""
    mu, phi, sigma = (one.rating - START) / SCALE, one.rd / SCALE, one.volatility
    information = surprise = 0.0
    for other, score, advantage in results:
        g = _g(other.rd / SCALE)
        e = 1 / (1 + exp(-(g * (one.rating - other.rating) / SCALE + advantage)))
        information += g * g * e * (1 - e)
        surprise += g * (score - e)
    v = 1 / information
    sigma = min(WILDEST, _volatility(phi, sigma, v, v * surprise))
    phi = 1 / sqrt(1 / (phi * phi + sigma * sigma) + information)
    rating, rd = START + SCALE * (mu + phi * phi * surprise), min(WIDEST, max(NARROWEST, SCALE * phi))
    best = max(one.best, rating) if rd <= PROVISIONAL else one.best
    count = len(results)
    return Rating(rating, rd, sigma, now, one.games + count, one.rated + count, best)


def _volatility(phi: float, sigma: float, v: float, delta: float) -> float:
    """The new volatility: the root of the paper's f, found by the Illinois variant of regula falsi (its step 5)."""
    a = log(sigma * sigma)
    phi2, delta2, tau2 = phi * phi, delta * delta, TAU * TAU

    def f(x: float) -> float:
        e = exp(x)
        total = phi2 + v + e
        return e * (delta2 - total) / (2 * total * total) - (x - a) / tau2

    low, high = a, 0.0
    if delta2 > phi2 + v:
        high = log(delta2 - phi2 - v)
    else:
        high = a - TAU
        while f(high) < 0:
            high -= TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > CLOSE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)


# -- the fold -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Category:
    """The rated games of a category, for the first mover's advantage."""

    players: dict[str, Rating] = field(default_factory=dict)
    games: int = 0
    score: float = 0.0
    week: int = -1
    advantage: float = 0.0


class Fold:
    """The ratings after the games so far. `ratings[category][player]` is as of the player's last rated game."""

    def __init__(self) -> None:
        self._categories: dict[str, _Category] = {}
        self._lost_on_time: dict[str, int] = {}
        self._met: dict[tuple[str, str], tuple[int, ...]] = {}

    @property
    def ratings(self) -> dict[str, dict[str, Rating]]:
        """Every player of every category."""
        return {name: category.players for name, category in self._categories.items()}

    def advantage(self, category: str, now: int) -> float:
        """The first mover's advantage in the week of `now`, as a logit, from the games of earlier weeks."""
        found = self._categories.get(category)
        if found is None:
            return 0.0
        week = (now - MONDAY) // WEEK
        if week != found.week:
            found.week = week
            # A category in which the first mover always wins or always loses has no finite advantage.
            share = min(max(found.score / found.games, 0.01), 0.99) if found.games >= SETTLED else 0.5
            found.advantage = log(share / (1 - share))
        return found.advantage

    def add(self, game: Finished) -> Change:
        """Adds a game, which must not have ended before those already added."""
        category = self._categories.setdefault(game.category, _Category())
        players = category.players
        known = players.get(game.first) or Rating(), players.get(game.second) or Rating()
        advantage = self.advantage(game.category, game.ended)
        before = aged(known[0], game.ended), aged(known[1], game.ended)
        if why := game.unrated or self._unrated(game):
            after = replace(known[0], games=known[0].games + 1), replace(known[1], games=known[1].games + 1)
        else:
            after = (
                stepped(before[0], [(before[1], game.score, advantage)], game.ended),
                stepped(before[1], [(before[0], 1 - game.score, -advantage)], game.ended),
            )
            category.games += 1
            category.score += game.score
        players[game.first], players[game.second] = after
        return Change(before, after, why)

    def _unrated(self, game: Finished) -> str:
        """Why this game is not rated, if so; also records the facts that later games depend on."""
        pair = (min(game.first, game.second), max(game.first, game.second))
        met = tuple(at for at in self._met.get(pair, ()) if at > game.ended - PAIR_DAYS * DAY)
        self._met[pair] = (*met, game.ended)[-PAIR_GAMES:]
        if game.plies < FEWEST_PLIES:
            return f"it has fewer than {FEWEST_PLIES} turns"
        if len(met) >= PAIR_GAMES:
            return f"these two players have finished {PAIR_GAMES} other games within {PAIR_DAYS} days"
        if game.on_time and game.score != 0.5:
            loser = game.second if game.score == 1 else game.first
            before = self._lost_on_time.get(loser)
            if before is not None and game.ended - before < SERIAL:
                return f"{loser} lost another game on time less than {SERIAL // 3600} hours before"
            self._lost_on_time[loser] = game.ended
        return ""
