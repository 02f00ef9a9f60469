"""The ratings computed anew from the games that are over; the tables of ratings are only a cache of that."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from sqlite_utils import Database

from mailbot.core.model import Pool, Ranking, Rated
from mailbot.core.ratings import ended
from mailbot.core.ratings.ended import Over
from mailbot.core.ratings.fold import Fold
from mailbot.store.connection import rows_of
from mailbot.store.rows import drop, put, some

Row = Pool | Rated | Ranking

PAGE = 2_000
"""Games that are read at a time."""

NAMED = 10
"""Rows that were wrong are named up to this number."""

_PAGE = f"SELECT {', '.join(Over._fields)} FROM game WHERE place > ? ORDER BY place LIMIT {PAGE}"  # noqa: S608


class Refolded(NamedTuple):
    """`games`: how many were folded. `wrong`: how many rows were missing, superfluous or different, and have been
    repaired; `named`: some of them."""

    games: int
    wrong: int
    named: list[Row]


def refold(db: Database) -> Refolded:
    """Computes all ratings from the games, in the order of their ends, and repairs the tables where they differ."""
    fold = Fold[int]()
    people: dict[int, int] = {}
    wrong, named = 0, list[Row]()
    games = place = 0

    def repaired(kept: Iterable[Row], right: Iterable[Row]) -> None:
        nonlocal wrong
        before, after = set(kept), set(right)
        if before != after:
            wrong += len(before ^ after)
            named.extend(islice(sorted(before ^ after), NAMED - len(named)))
            for row in before - after:
                drop(db, row)
            for row in after - before:
                put(db, row)

    while page := [Over(*row) for row in rows_of(db, _PAGE, (place,))]:
        kept = some(db, Rated, "game IN (SELECT id FROM game WHERE place > ? AND place <= ?)", place, page[-1].place)
        right = []
        for game in page:
            if one := ended.finished(game):
                # The same number object for each game of a player: the fold keeps a pair for each two that have met.
                one = one._replace(
                    first=people.setdefault(one.first, one.first), second=people.setdefault(one.second, one.second)
                )
                change = fold.add(one)
                games += 1
                if not one.unrated:
                    right.append(ended.row(game, one, change))
        repaired(kept, right)
        place = page[-1].place
    repaired(some(db, Rated, "NOT EXISTS (SELECT 1 FROM game WHERE id = rated.game AND place > 0)"), [])
    repaired(some(db, Ranking, "1"), ended.rankings(fold))
    repaired(some(db, Pool, "1"), fold.pools)
    return Refolded(games, wrong, named)
