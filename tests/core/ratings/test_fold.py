"""Ratings: the published figures, what is not rated, and what the fold promises."""

import random
from math import log, sqrt

import pytest

from mailbot.core.model import Pool
from mailbot.core.ratings.fold import (
    CALM,
    EXCUSE_DAYS,
    EXCUSED,
    EXCUSES,
    PAIR_DAYS,
    SERIAL,
    WEEK,
    Change,
    Finished,
    Fold,
    Past,
    Rating,
    aged,
    expected,
    stepped,
    weekly,
)

DAY = 86_400
NOW = 1_767_225_600


def test_the_example_of_the_paper() -> None:
    """Glickman, "Example of the Glicko-2 system" (2013), page 4: three games in one period."""
    results = [(Rating(1400, 30), 1, 0.0), (Rating(1550, 100), 0, 0.0), (Rating(1700, 300), 0, 0.0)]
    after = stepped(Rating(1500, 200), results)
    assert (round(after.rating, 2), round(after.rd, 2), round(after.volatility, 5)) == (1464.05, 151.52, 0.06)
    assert round(after.volatility, 6) == 0.059996


def game(first: str = "ann", second: str = "bob", score: float = 1, at: int = 0, **more: object) -> Finished[str]:
    said = {"category": "lambo", "plies": 12, **more}
    return Finished(first=first, second=second, score=score, ended=NOW + at, **said)  # type: ignore[arg-type]


def test_the_first_game() -> None:
    after = Fold().add(game()).after
    assert [round(one.rating, 2) for one in after] == [1662.31, 1337.69]
    assert [round(one.rd, 2) for one in after] == [290.32, 290.32]


def test_the_deviation_grows_with_time_and_stays_in_its_bounds() -> None:
    sure = Rating(1500, 50, CALM, last=NOW, rated=9)
    year = aged(sure, NOW + 365 * DAY)
    assert year.rd == pytest.approx(173.7178 * sqrt((50 / 173.7178) ** 2 + 365 * 0.21436 * 0.06**2))
    assert aged(sure, NOW + 10_000 * 365 * DAY).rd == 350
    assert aged(sure, NOW - DAY).rd == 50
    assert stepped(Rating(1500, 46), [(Rating(1500, 45), 1, 0.0)] * 20).rd == 45


OFTEN = "4 games of these two players within 30 days are rated already"

UNRATED = [
    ([game(plies=1)], "fewer than 2 turns"),
    ([game(unrated="the operator ended it")], "the operator ended it"),
    (
        [*(game(at=day * DAY) for day in range(4)), game(at=5 * DAY)],
        OFTEN,
    ),
    (
        [*(game("bob", "ann", at=day * DAY) for day in range(4)), game(at=5 * DAY)],
        OFTEN,
    ),
    (
        [game("ann", "bob", 0, on_time=True), game("carl", "ann", 1, at=SERIAL - 1, on_time=True)],
        "its loser had lost another game on time less than 48 hours before",
    ),
]


@pytest.mark.parametrize(("games", "why"), UNRATED)
def test_what_is_not_rated(games: list[Finished[str]], why: str) -> None:
    fold = Fold[str]()
    change = [fold.add(one) for one in games][-1]
    assert why in change.unrated
    assert [one.rating for one in change.before] == [one.rating for one in change.after]
    last = games[-1]
    ann = fold.ratings[last.category][last.first]
    assert ann.games == sum(last.first in (one.first, one.second) for one in games if one.category == last.category)
    assert ann.rated < ann.games


def gathered(count: int, after: int = 0) -> list[Finished[str]]:
    """That many games, which ann loses on time within an hour."""
    return [game("ann", f"player{i}", 0, at=after + 60 * i, on_time=True) for i in range(count)]


def test_losses_on_time_that_are_gathered_are_excused_three_times_in_90_days() -> None:
    """The trick: hold all lost games until they run out of time together."""
    fold = Fold[str]()
    found = [fold.add(one).unrated for one in gathered(6)]
    assert found == ["", EXCUSED, EXCUSED, EXCUSED, "", ""]
    early = [fold.add(one).unrated for one in gathered(2, EXCUSE_DAYS * DAY - 3600)]
    assert early == ["", ""]
    assert [fold.add(one).unrated for one in gathered(2, EXCUSE_DAYS * DAY + 3600)] == [EXCUSED, EXCUSED]


RATED = [
    [*(game(at=day * DAY) for day in range(4)), game(at=PAIR_DAYS * DAY)],
    [game("ann", "bob", 0, on_time=True), game("carl", "ann", 1, at=SERIAL, on_time=True)],
    [game("ann", "bob", 0, on_time=True), game("carl", "ann", 0, at=60, on_time=True)],
    [game("ann", "bob", 0, on_time=True), game("carl", "ann", 1, at=60)],
    [game("ann", "bob", 0, on_time=True, category="mamboa"), game("carl", "ann", 1, at=60, on_time=True)],
    [*(game(plies=1) for _ in range(4)), game(at=60)],
    [*(game(unrated="the operator ended it") for _ in range(4)), game(at=60)],
    [game("ann", "bob", 0, plies=1, on_time=True), game("carl", "ann", 1, at=60, on_time=True)],
]


@pytest.mark.parametrize("games", RATED)
def test_what_is_rated_all_the_same(games: list[Finished[str]]) -> None:
    fold = Fold[str]()
    assert [fold.add(one) for one in games][-1].unrated == ""


def test_the_first_movers_advantage_counts_from_the_week_after_200_games() -> None:
    fold = Fold[str]()
    monday = 1_767_571_200

    def advantage(now: int) -> float:
        return weekly(fold.pools[0], now).advantage

    for number in range(199):
        fold.add(game(f"a{number}", f"b{number}", float(number % 4 > 0), at=number))
    assert advantage(monday + WEEK) == 0
    fold.add(game("x", "y", 1, at=300))
    assert advantage(monday - 1) == 0, "not within the week"
    share = (sum(number % 4 > 0 for number in range(199)) + 1) / 200
    assert advantage(monday + 2 * WEEK) == pytest.approx(log(share / (1 - share)))
    even = expected(Rating(), Rating(), advantage(monday + 2 * WEEK))
    assert even == pytest.approx(share)
    for number in range(99):
        assert not fold.add(game(f"c{number}", "uct5", 0, at=400 + number, with_computer=True)).unrated
    assert advantage(monday + 2 * WEEK) == pytest.approx(log(share / (1 - share)))


def history(seed: int, count: int = 400, players: int = 10) -> list[Finished[str]]:
    chance = random.Random(seed)
    games = []
    for number in range(count):
        first, second = chance.sample([f"player{number}" for number in range(players)], 2)
        games.append(
            game(
                first,
                second,
                chance.choice((0, 0.5, 1)),
                at=number * 3 * 3600,
                category=chance.choice(("lambo", "mambo")),
                plies=chance.randrange(4) * 5,
                on_time=chance.random() < 0.2,
            )
        )
    return games


@pytest.mark.parametrize("seed", range(3))
def test_the_same_games_give_the_same_numbers_to_the_last_bit(seed: int) -> None:
    one, two = Fold[str](), Fold[str]()
    for played in history(seed):
        assert one.add(played) == two.add(played)
    assert one.ratings == two.ratings
    assert any(rating.rated < rating.games for rating in one.ratings["lambo"].values())


@pytest.mark.parametrize("seed", range(3))
def test_a_fold_goes_on_where_another_has_stopped(seed: int) -> None:
    """Each game by a fold of its own, which asks for what earlier games have left."""
    whole, kept = Fold[str](), _Kept()
    for played in history(seed, 1200, 60):
        one = Fold(kept)
        change = one.add(played)
        assert change == whole.add(played)
        kept.keep(one, played, change)
    assert kept.ratings == {(name, who): r for name, players in whole.ratings.items() for who, r in players.items()}
    assert any(pool.advantage for pool in kept.pools.values()), "so many games that the first move counts"


class _Kept(Past[str]):
    """What a store would keep."""

    def __init__(self) -> None:
        self.pools: dict[str, Pool] = {}
        self.ratings: dict[tuple[str, str], Rating] = {}
        self.games: list[tuple[Finished[str], Change]] = []

    def keep(self, fold: Fold[str], played: Finished[str], change: Change) -> None:
        self.pools |= {pool.category: pool for pool in fold.pools}
        self.ratings |= {(name, who): r for name, players in fold.ratings.items() for who, r in players.items()}
        self.games.append((played, change))

    def pool(self, category: str) -> Pool:
        return self.pools.get(category, Pool(category))

    def rating(self, category: str, player: str) -> Rating:
        return self.ratings.get((category, player), Rating())

    def lost_on_time(self, category: str, player: str) -> int | None:
        lost = self._lost(category, player, "")
        return lost[-1] if lost else None

    def excused(self, category: str, player: str) -> tuple[int, ...]:
        return tuple(self._lost(category, player, EXCUSED)[-EXCUSES:])

    def _lost(self, category: str, player: str, unrated: str) -> list[int]:
        of_it = [game for game, change in self.games if game.category == category and change.unrated == unrated]
        return [game.ended for game in of_it if game.flagged == player]

    def met(self, one: str, other: str) -> tuple[int, ...]:
        rated = [game for game, change in self.games if not change.unrated]
        both = [game.ended for game in rated if {game.first, game.second} == {one, other}]
        return tuple(both[-4:])
