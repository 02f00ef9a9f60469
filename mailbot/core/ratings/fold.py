"""Ratings: Glicko-2, one step a game, as a fold over the finished games in the order of their end.

Theory of operation. A rating is an estimate of a player's strength (1500 to begin with), with a deviation (RD: how
uncertain the estimate is) and a volatility (how steady the player is). After each rated game both ratings change by the
surprise in its result, as Mark Glickman's paper "Example of the Glicko-2 system" (2013) computes it with a period of
one game; before that, the deviation grows with the days since the last rated game. `Fold` takes one game after another,
so the ratings depend on the games alone: the same games in the same order give the same numbers to the last bit. A fold
begins with no games, or goes on where earlier games have left the ratings: it asks `Past` only for what it needs.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import exp, log, pi, sqrt
from typing import Generic, NamedTuple, TypeVar

from mailbot.core.model import DAY, Pool

Player = TypeVar("Player", bound=Hashable)
"""What names a player: an id, or a name."""

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
"""For this many seconds after a rated loss on time, a player's next ones in the same category are excused."""
EXCUSE_DAYS, EXCUSES = 90, 3
"""Within this many days, at most this many losses of a player in a category are excused. Without this limit a player
could gather the lost games, and lose all of them on time at once."""
EXCUSED = f"its loser had lost another game on time less than {SERIAL // 3600} hours before"
"""Why a loss is excused, and so not rated."""
PAIR_DAYS, PAIR_GAMES = 30, 4
"""Within this many days, at most this many games of the same two players are rated."""
PAIR_WINS = 10
"""Wins against the same opponent that count for the order of the table of games won, which asks for no rating. Else a
player with a second account would lead it."""
SETTLED = 200
"""Rated games between people that a category needs before the first mover's advantage counts."""
WEEK, MONDAY = 7 * DAY, 4 * DAY
"""The advantage is computed again each Monday, 00:00 UTC; 1 January 1970 was a Thursday."""


class Rating(NamedTuple):
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


class Finished(NamedTuple, Generic[Player]):
    """A finished game. `score`: the first mover's, 1, 0.5 or 0. `ended`: unix seconds. `on_time`: lost on time.
    `unrated`: why the game is not rated, whatever other games there are, or nothing. `with_computer`: whether one of
    the two is a computer player."""

    category: str
    first: Player
    second: Player
    score: float
    ended: int
    plies: int
    on_time: bool = False
    unrated: str = ""
    with_computer: bool = False

    @property
    def flagged(self) -> Player | None:
        """Who has lost on time, if anybody."""
        if not self.on_time or self.score == 0.5:
            return None
        return self.second if self.score == 1 else self.first


class Change(NamedTuple):
    """The effect of a game: its players' ratings before (aged to the day) and after, or why it is not rated. A sentence
    says the reason as `This game is not rated: it has fewer than 2 turns.`"""

    before: tuple[Rating, Rating]
    after: tuple[Rating, Rating]
    unrated: str = ""


def aged(one: Rating, now: int) -> Rating:
    """The rating at `now`: the deviation has grown with the days since the last rated game."""
    return Rating(one.rating, _widened(one, now), *one[2:]) if one.rated and now > one.last else one


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

    known, surplus = phi2 + v, delta2 - phi2 - v

    def f(x: float) -> float:
        e = exp(x)
        total = known + e
        return e * (surplus - e) / (2 * total * total) - (x - a) / tau2

    low, high = a, 0.0
    if surplus > 0:
        high = log(surplus)
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


def weekly(pool: Pool, now: int) -> Pool:
    """The pool with the advantage of the week of `now`, from the games of earlier weeks."""
    week = (now - MONDAY) // WEEK
    if week == pool.week:
        return pool
    # A category in which the first mover always wins or always loses has no finite advantage.
    share = min(max(pool.score / pool.games, 0.01), 0.99) if pool.games >= SETTLED else 0.5
    return pool._replace(week=week, advantage=log(share / (1 - share)))


class Past(Generic[Player]):
    """What earlier games have left, as far as later games depend on it. Here: there were none."""

    def pool(self, category: str) -> Pool:
        """The rated games of a category."""
        return Pool(category)

    def rating(self, category: str, player: Player) -> Rating:
        """A player's rating as of the last rated game."""
        return Rating()

    def lost_on_time(self, category: str, player: Player) -> int | None:
        """When the player's last rated loss on time in a category was."""
        return None

    def excused(self, category: str, player: Player) -> tuple[int, ...]:
        """When the last EXCUSES losses of the player in a category were that were excused, the latest last."""
        return ()

    def met(self, one: Player, other: Player) -> tuple[int, ...]:
        """When the last PAIR_GAMES rated games of these two ended, the latest last."""
        return ()


@dataclass(slots=True)
class _Category(Generic[Player]):
    pool: Pool
    players: dict[Player, Rating] = field(default_factory=dict)


class Fold(Generic[Player]):
    """The ratings after the games so far."""

    def __init__(self, past: Past[Player] | None = None) -> None:
        self._past = past or Past()
        self._categories: dict[str, _Category[Player]] = {}
        self._lost_on_time: dict[tuple[str, Player], int | None] = {}
        self._excused: dict[tuple[str, Player], tuple[int, ...]] = {}
        self._met: dict[Player, dict[Player, tuple[int, ...]]] = {}

    @property
    def ratings(self) -> dict[str, dict[Player, Rating]]:
        """By category and player, each as of the player's last rated game: all whom the games so far concern."""
        return {name: category.players for name, category in self._categories.items()}

    @property
    def pools(self) -> list[Pool]:
        """Those of the categories of the games so far."""
        return [category.pool for category in self._categories.values()]

    def add(self, game: Finished[Player]) -> Change:
        """Adds the game that ended next."""
        category = self._categories.get(game.category)
        if category is None:
            category = self._categories[game.category] = _Category(self._past.pool(game.category))
        players = category.players
        for player in (game.first, game.second):
            if player not in players:
                players[player] = self._past.rating(game.category, player)
        known = players[game.first], players[game.second]
        before = aged(known[0], game.ended), aged(known[1], game.ended)
        if why := game.unrated or self._unrated(game):
            after = known[0]._replace(games=known[0].games + 1), known[1]._replace(games=known[1].games + 1)
        else:
            pool = weekly(category.pool, game.ended)
            after = (
                stepped(before[0], [(before[1], game.score, pool.advantage)], game.ended),
                stepped(before[1], [(before[0], 1 - game.score, -pool.advantage)], game.ended),
            )
            # People challenge the computer and so move first, most of them against a stronger player.
            counts = not game.with_computer
            category.pool = pool._replace(games=pool.games + counts, score=pool.score + counts * game.score)
        players[game.first], players[game.second] = after
        return Change(before, after, why)

    def _unrated(self, game: Finished[Player]) -> str:
        """Why this game is not rated, if so; also records the facts that later games depend on."""
        one, other = game.first, game.second
        if one in self._met.get(other, ()):
            one, other = other, one
        with_one = self._met.setdefault(one, {})
        if other not in with_one:
            with_one[other] = self._past.met(one, other)
        met = with_one[other]
        if game.plies < FEWEST_PLIES:
            return f"it has fewer than {FEWEST_PLIES} turns"
        if sum(at > game.ended - PAIR_DAYS * DAY for at in met) >= PAIR_GAMES:
            return f"{PAIR_GAMES} games of these two players within {PAIR_DAYS} days are rated already"
        if game.flagged is not None:
            loser = game.category, game.flagged
            if loser not in self._lost_on_time:
                self._lost_on_time[loser] = self._past.lost_on_time(*loser)
            before = self._lost_on_time[loser]
            if before is not None and game.ended - before < SERIAL and self._excuses(loser, game.ended):
                return EXCUSED
            self._lost_on_time[loser] = game.ended
        with_one[other] = (*met, game.ended)[-PAIR_GAMES:]
        return ""

    def _excuses(self, loser: tuple[str, Player], now: int) -> bool:
        """Whether one more loss is excused; then it counts as such."""
        if loser not in self._excused:
            self._excused[loser] = self._past.excused(*loser)
        before = self._excused[loser]
        if sum(at > now - EXCUSE_DAYS * DAY for at in before) >= EXCUSES:
            return False
        self._excused[loser] = (*before, now)[-EXCUSES:]
        return True
