"""The ratings computed anew from the games that are over; the tables of ratings are only a cache of that."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from sqlite_utils import Database

from mailbot.core.model import Game, Pool, Ranking, Rated
from mailbot.core.ratings import ended
from mailbot.core.ratings.fold import Fold
from mailbot.store.rows import drop, put, some

Row = TypeVar("Row", Pool, Rated, Ranking)

PAGE = 2_000
"""Games that are read at a time."""


class Refolded(NamedTuple):
    """`games`: how many were folded. `wrong`: the rows that were missing, superfluous or different, now repaired."""

    games: int
    wrong: list[Pool | Rated | Ranking]


def refold(db: Database) -> Refolded:
    """Computes all ratings from the games, in the order of their ends, and repairs the tables where they differ."""
    fold = Fold[int]()
    wrong: list[Pool | Rated | Ranking] = []
    games = place = 0
    while page := some(db, Game, "place > ? ORDER BY place LIMIT ?", place, PAGE):
        last = page[-1].place
        kept = some(db, Rated, "game IN (SELECT id FROM game WHERE place > ? AND place <= ?)", place, last)
        right = []
        for game in page:
            if one := ended.finished(game):
                change = fold.add(one)
                games += 1
                if not one.unrated:
                    right.append(ended.row(game, one, change))
        wrong += _repaired(db, kept, right)
        place = last
    stray = some(db, Rated, "NOT EXISTS (SELECT 1 FROM game WHERE id = rated.game AND place > 0)")
    wrong += _repaired(db, stray, [])
    wrong += _repaired(db, some(db, Ranking, "1"), ended.rankings(fold))
    wrong += _repaired(db, some(db, Pool, "1"), fold.pools)
    return Refolded(games, wrong)


def _repaired(db: Database, kept: Iterable[Row], right: Iterable[Row]) -> list[Row]:
    """Puts the right rows in the place of the kept ones. Returns those that were not right or missing."""
    before, after = set(kept), set(right)
    superfluous, missing = before - after, after - before
    for row in superfluous:
        drop(db, row)
    for row in missing:
        put(db, row)
    return sorted(superfluous | missing)
