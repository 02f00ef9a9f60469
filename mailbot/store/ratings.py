"""The ratings computed anew from the games that are over; the tables of ratings are only a cache of that."""

from collections.abc import Collection
from itertools import islice
from typing import NamedTuple

from sqlite_utils import Database

from mailbot.core.model import Pool, Ranking, Rated
from mailbot.core.ratings import ended
from mailbot.core.ratings.ended import Over
from mailbot.core.ratings.fold import Fold
from mailbot.store.connection import rows_of
from mailbot.store.rows import drop, put_all, some

Row = Pool | Rated | Ranking

PAGE = 2_000
"""Games that are read at a time."""

NAMED = 10
"""Rows that were wrong are named up to this number."""

_COLUMNS = ", ".join([f"game.{name}" for name in Over._fields] + [f"rated.{name}" for name in Rated._fields])
_PAGE = (
    f"SELECT {_COLUMNS} FROM game LEFT JOIN rated ON rated.game = game.id"  # noqa: S608 - only names
    f" WHERE game.place > 0 AND game.place > ? ORDER BY game.place LIMIT {PAGE}"
)


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

    def repair(superfluous: Collection[Row], missing: Collection[Row]) -> None:
        nonlocal wrong
        wrong += len(superfluous) + len(missing)
        named.extend(islice((*superfluous, *missing), NAMED - len(named)))
        for row in superfluous:
            drop(db, row)
        put_all(db, missing)

    while page := rows_of(db, _PAGE, (place,)):
        superfluous, missing = list[Row](), list[Row]()
        for number, one, other, *rest in page:
            # The same number object for each game of a player: the fold keeps a pair for each two that have met.
            game = Over(number, people.setdefault(one, one), people.setdefault(other, other), *rest[:_REST])
            kept = Rated(*rest[_REST:]) if rest[_REST] is not None else None
            right = None
            if finished := ended.finished(game):
                change = fold.add(finished)
                games += 1
                right = None if finished.unrated else ended.row(game, finished, change)
            if kept != right:
                superfluous += [kept] if kept else []
                missing += [right] if right else []
            place = game.place
        repair(superfluous, missing)
    stray = some(db, Rated, "NOT EXISTS (SELECT 1 FROM game WHERE id = rated.game AND place > 0)")
    repair(stray, [])
    for before, after in (
        (set[Row](some(db, Ranking, "1")), set[Row](ended.rankings(fold))),
        (set[Row](some(db, Pool, "1")), set[Row](fold.pools)),
    ):
        repair(before - after, after - before)
    return Refolded(games, wrong, named)


_REST = len(Over._fields) - 3
