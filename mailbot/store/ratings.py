"""The ratings computed anew from the games that are over; the tables of ratings are only a cache of that."""

from collections.abc import Collection
from itertools import islice
from typing import NamedTuple

from sqlite_utils import Database

from mailbot.core.model import FoldMark, Pool, Ranking, Rated
from mailbot.core.ratings import ended
from mailbot.core.ratings.ended import Over
from mailbot.core.ratings.fold import Fold
from mailbot.store.connection import rows_of
from mailbot.store.rows import drop, put, put_all, some

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


class Refolding:
    """The fold over all games, a page at a time. `place`: how far it has come."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._fold = Fold[int]()
        self._people: dict[int, int] = {}
        self.place = self.games = self.wrong = 0
        self.named: list[Row] = []

    def page(self) -> bool:
        """Folds the next page of games and repairs what they have done. After the last page it repairs the ratings,
        too, and returns True."""
        found = rows_of(self._db, _PAGE, (self.place,))
        superfluous, missing = list[Row](), list[Row]()
        for number, one, other, *rest in found:
            # The same number object for each game of a player: the fold keeps a pair for each two that have met.
            players = self._people.setdefault(one, one), self._people.setdefault(other, other)
            game = Over(number, *players, *rest[:_REST])
            kept = Rated(*rest[_REST:]) if rest[_REST] is not None else None
            right = None
            if finished := ended.finished(game):
                change = self._fold.add(finished)
                self.games += 1
                right = None if finished.unrated else ended.row(game, finished, change)
            if kept != right:
                superfluous += [kept] if kept else []
                missing += [right] if right else []
            self.place = game.place
        self._repair(superfluous, missing)
        if len(found) < PAGE:
            self._end()
        return len(found) < PAGE

    def _end(self) -> None:
        stray = some(self._db, Rated, "NOT EXISTS (SELECT 1 FROM game WHERE id = rated.game AND place > 0)")
        self._repair(stray, [])
        for before, after in (
            (set[Row](some(self._db, Ranking, "1")), set[Row](ended.rankings(self._fold))),
            (set[Row](some(self._db, Pool, "1")), set[Row](self._fold.pools)),
        ):
            self._repair(before - after, after - before)

    def _repair(self, superfluous: Collection[Row], missing: Collection[Row]) -> None:
        self.wrong += len(superfluous) + len(missing)
        self.named.extend(islice((*superfluous, *missing), NAMED - len(self.named)))
        for row in superfluous:
            drop(self._db, row)
        put_all(self._db, missing)


def refold(db: Database) -> Refolded:
    """Computes all ratings from the games, in the order of their ends, and repairs the tables where they differ."""
    whole = Refolding(db)
    while not whole.page():
        pass
    db.execute("DELETE FROM refold")
    return Refolded(whole.games, whole.wrong, whole.named)


def fold_on(db: Database, so_far: Refolding | None) -> Refolding | None:
    """The next page of a fold over all games; None when it has come to the end. Without `so_far` it begins.

    A row marks that the fold is under way, and how far it has come. So it begins anew after a crash, and when the
    transaction of a page was undone: then the row says another place than `so_far`. Games that end meanwhile come last.
    The ratings stay as they were until the last page sets all of them right at once.
    """
    marked = db.execute("SELECT turn, place FROM refold").fetchone()
    if so_far is None or marked is None or marked[1] != so_far.place:
        so_far = Refolding(db)
    if so_far.page():
        db.execute("DELETE FROM refold")
        return None
    turn = marked[0] + 1 if marked else 1  # the timer of each page is another one
    put(db, FoldMark(1, turn, so_far.place))
    return so_far


_REST = len(Over._fields) - 3
