"""What wins: one function and one table row for each way, picked by fields of the rules (rules.md 2 and 3).

While tiles are left, every row of `WINS` that the rules ask for scores both seats after a tile (Lambo) or a turn with
its automatic moves (Mambo); 0 is nothing. One seat with a score has won; with both, the higher score wins and the
mover loses a tie. When the pool is empty the first row of `ENDINGS` that fits decides: it compares the seats by a list
of counts, the first that differs counting.

The score functions are hot code in the sense of `board`: they take the heights of `laid` and `closed` before the
move, the numbers `least` and `size` from the row, and answer (score 1, root 1, score 2, root 2).
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.board import (
    CLOSED,
    DECIDED,
    LAID,
    LOOPS,
    SHAPE,
    Board,
    find,
    flood,
    inside,
    loops,
)
from engine.rules import Rules

Score = tuple[int, int, int, int]


class Verdict(NamedTuple):
    """How a game ended: the winning seat, 0 for a draw; why, in one clause; the roots of the deciding groups."""

    seat: int
    reason: str
    roots: tuple[int, ...]


class Win(NamedTuple):
    """A way to win before the tiles run out. `when`: whether the rules ask for it; `least` and `size`: the numbers it
    needs from them; `said`: the clause, from board, seat names, winning seat and the root that did it."""

    when: Callable[[Rules], bool]
    score: Callable[[Board, int, int, int, int], Score]
    least: Callable[[Rules], int]
    size: Callable[[Rules], int]
    said: Callable[[Board, tuple[str, str], int, int], str]


class Ending(NamedTuple):
    """What decides when the tiles have run out. `counts`: for a seat, the numbers to compare, the first that differs
    decides, and the root of its best group or -1; `names`: what each number counts, for the reason."""

    when: Callable[[Rules], bool]
    counts: Callable[[Board, int, Rules], tuple[list[int], int]]
    names: tuple[str, ...]
    sign: int = 1
    """-1: the greater number loses."""


def wins(rules: Rules) -> tuple[Win, ...]:
    """The rows of `WINS` these rules ask for."""
    return tuple(row for row in WINS if row.when(rules))


def judge(b: Board, rows: tuple[Win, ...], rules: Rules, before: tuple[int, int], mover: int, names: tuple[str, str]) -> Verdict | None:
    """Whether the last move won, for whom and why. `before`: heights of `laid` and `closed` before it; `mover`: a seat."""
    best = [0, 0, 0]
    roots = [-1, -1, -1]
    said: list[Win] = []
    for row in rows:
        score1, root1, score2, root2 = row.score(b, before[0], before[1], row.least(rules), row.size(rules))
        if not (score1 or score2):
            continue
        said.append(row)
        for seat, score, root in ((1, score1, root1), (2, score2, root2)):
            if score > best[seat]:
                best[seat], roots[seat] = score, root
    return None


