"""What wins while tiles are left: one function and one table row for each way (docs/rules.md 2 and 3).

After a tile (Lambo) or a turn with its automatic moves (Mambo), every row of `WINS` that the rules ask for scores both
seats. If one seat scores more than 0, it has won. If both do, the higher score wins, and the mover loses a tie.

The score functions are hot code in the sense of `board`. They take the heights of `laid` and `closed` before the move
and the numbers `least` and `size` of their row; they return (score of seat 1, its root, score of seat 2, its root).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from engine.hex.board import CELLS, CLOSED, DECIDED, FRAME, LAID, LOOPS, PARTS, SHAPE, Board, find, loops
from engine.hex.enclosure import flood, inside
from engine.hex.rules import Rules

Score = tuple[int, int, int, int]
Names = tuple[str, str]


class Verdict(NamedTuple):
    """How a game ended: the winning seat, or 0 for a draw; the reason, one clause; the roots of the deciding groups."""

    seat: int
    reason: str
    roots: tuple[int, ...] = ()


class Win(NamedTuple):
    """A way to win while tiles are left. `when`: whether the rules ask for it; `numbers`: `least` and `size` for the
    score function; `said`: makes the reason from board, seat names, winning seat, mover, score and root."""

    when: Callable[[Rules], bool]
    score: Callable[[Board, int, int, int, int], Score]
    numbers: Callable[[Rules], tuple[int, int]]
    said: Callable[[Board, Names, int, int, int, int], str]
    by_closing: bool = True
    """Only a move that closes a group can win this way."""


class Wins(NamedTuple):
    """The rows of `WINS` one game needs, with their numbers."""

    rows: tuple[tuple[Win, int, int], ...]
    by_closing: bool
    """Only a move that closes a group can win at all."""
    names: Names


@lru_cache(maxsize=256)
def picked(rules: Rules, names: Names) -> Wins:
    """The ways to win a game with these rules, between seats with these names."""
    rows = tuple((row, *row.numbers(rules)) for row in WINS if row.when(rules))
    return Wins(rows, all(row.by_closing for row, _, _ in rows), names)


def judge(b: Board, wins: Wins, laid: int, closed: int, mover: int) -> Verdict | None:
    """Who won by the last move, which `mover` made, and why; None if nobody. `laid`, `closed`: heights before it."""
    found: list[tuple[int, int, Win] | None] = [None, None, None]
    for row, least, size in wins.rows:
        score1, root1, score2, root2 = row.score(b, laid, closed, least, size)
        if score1 and not found[1]:
            found[1] = score1, root1, row
        if score2 and not found[2]:
            found[2] = score2, root2, row
    first, second = found[1], found[2]
    if first and second and first[0] == second[0]:
        winner = first if mover == 2 else second
        reason = f"the move won for both at once, so {wins.names[mover - 1]}, who made it, loses"
        return Verdict(3 - mover, reason, (winner[1],))
    if first and (not second or first[0] > second[0]):
        return Verdict(1, first[2].said(b, wins.names, 1, mover, first[0], first[1]), (first[1],))
    if second:
        return Verdict(2, second[2].said(b, wins.names, 2, mover, second[0], second[1]), (second[1],))
    return None


def closes(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """The move closed a group of `least` bridges or more."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    for i in range(closed, b.n[CLOSED]):
        root = b.closed[i]
        if b.bridges[root] >= least:
            if b.colour[root] == 1:
                score1, root1 = 1, root
            else:
                score2, root2 = 1, root
    return score1, root1, score2, root2


def kills(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has died, that is, it is closed, where null points count as filled; its enemy scores."""
    score1, root1, score2, root2 = closes(b, laid, closed, least, size)
    return score2, root2, score1, root1


def rings(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has `least` loops or more. Checks only groups that got a bridge in the move."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    if b.n[LOOPS] >= least:
        for i in range(laid, b.n[LAID]):
            cell = b.laid[i]
            for part in range(0, SHAPE, SHAPE // 2):
                root = find(b, b.corner[6 * cell + b.shape[SHAPE * b.tile[cell] + part + 1]])
                if b.colour[root] and loops(b, root) >= least:
                    if b.colour[root] == 1:
                        score1, root1 = 1, root
                    else:
                        score2, root2 = 1, root
    return score1, root1, score2, root2


def eats(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has eaten at least `least` enemy groups of `size` bridges or more; the score is how many."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    if b.n[LOOPS] > 0 and not _eating_unchanged(b, laid):
        for i in range(b.n[DECIDED]):
            eater = b.decided[i]
            if b.parent[eater] == eater and loops(b, eater) > 0:
                stamp = flood(b, eater)
                eaten = 0
                for k in range(b.n[DECIDED]):
                    other = b.decided[k]
                    if (
                        b.parent[other] == other
                        and b.colour[other] != b.colour[eater]
                        and b.bridges[other] >= size
                        and inside(b, other, eater, stamp)
                    ):
                        eaten += 1
                if eaten >= least:
                    if b.colour[eater] == 1 and eaten > score1:
                        score1, root1 = eaten, eater
                    elif b.colour[eater] == 2 and eaten > score2:
                        score2, root2 = eaten, eater
    return score1, root1, score2, root2


def _eating_unchanged(b: Board, laid: int) -> bool:
    """Whether the tiles from height `laid` cannot have changed what any group has eaten; True is always right.

    They cannot if they closed no loop, joined no two groups with loops, and all lie outside every loop: then they only
    made or joined groups outside.
    """
    for i in range(laid, b.n[LAID]):
        for part in range(b.n[PARTS]):
            child = b.trail[FRAME * i + 4 + part]
            if child < 0:
                return False
            inner = loops(b, child)
            if inner > 0 and loops(b, find(b, child)) > inner:
                return False
    return _lie_outside(b, laid)


def _lie_outside(b: Board, laid: int) -> bool:
    """Whether the tiles from height `laid` all lie outside every loop that they have no part in; False may be wrong."""
    for i in range(laid, b.n[LAID]):
        if not lies_outside(b, b.laid[i]):
            return False
    return True


def lies_outside(b: Board, cell: int) -> bool:
    """Whether a straight line of empty cells leads out from the cell, so that no loop can be round it; False may be
    wrong."""
    for direction in range(6):
        other = b.near[6 * cell + direction]
        while other < b.n[CELLS] and b.tile[other] < 0:
            other = b.near[6 * other + direction]
        if other >= b.n[CELLS]:
            return True
    return False


def contains(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A closed group has a closed enemy group inside, and the move closed one of the two.

    A group that was closed before has no part in the move's tiles. If these lie outside, so do the groups they closed.
    """
    score1, root1, score2, root2 = 0, -1, 0, -1
    if b.n[CLOSED] > closed and b.n[LOOPS] > 0:
        first = closed if _lie_outside(b, laid) else 0
        for i in range(first, b.n[CLOSED]):
            outer = b.closed[i]
            if loops(b, outer) > 0:
                stamp = -1
                for k in range(0 if i >= closed else closed, b.n[CLOSED]):
                    other = b.closed[k]
                    if b.colour[other] != b.colour[outer]:
                        if stamp < 0:
                            stamp = flood(b, outer)
                        if inside(b, other, outer, stamp):
                            if b.colour[outer] == 1:
                                score1, root1 = 1, outer
                            else:
                                score2, root2 = 1, outer
    return score1, root1, score2, root2


def _bridges(n: int) -> str:
    return f"{n} bridge" if n == 1 else f"{n} bridges"


def _said_closed(b: Board, names: Names, seat: int, mover: int, score: int, root: int) -> str:
    whose = "a" if seat == mover else f"{names[seat - 1]}'s"
    return f"{names[mover - 1]} closed {whose} group of {_bridges(b.bridges[root])}"


def _said_dead(b: Board, names: Names, seat: int, mover: int, score: int, root: int) -> str:
    size = b.bridges[root]
    return f"{names[2 - seat]}'s {f'group of {_bridges(size)}' if size else 'lone tip'} is dead"


def _said_loops(b: Board, names: Names, seat: int, mover: int, score: int, root: int) -> str:
    n = loops(b, root)
    return f"{names[seat - 1]} has a group with {n} loop{'s' if n > 1 else ''}"


def _said_eaten(b: Board, names: Names, seat: int, mover: int, score: int, root: int) -> str:
    return f"{names[seat - 1]} has a group that has eaten {score} enemy group{'s' if score > 1 else ''}"


def _said_contains(b: Board, names: Names, seat: int, mover: int, score: int, root: int) -> str:
    return f"{names[seat - 1]} has a closed group of {_bridges(b.bridges[root])} round a closed enemy group"


WINS: tuple[Win, ...] = (
    Win(
        when=lambda rules: rules.close and not rules.eat_enemy and not rules.must_contain,
        score=closes,
        numbers=lambda rules: (1, 0),
        said=_said_closed,
    ),
    Win(
        when=lambda rules: rules.eat_enemy > 0,
        score=eats,
        numbers=lambda rules: (rules.eat_enemy, rules.eat_size),
        said=_said_eaten,
        by_closing=False,
    ),
    Win(
        when=lambda rules: rules.must_contain,
        score=contains,
        numbers=lambda rules: (0, 0),
        said=_said_contains,
    ),
    Win(
        when=lambda rules: rules.kill,
        score=kills,
        numbers=lambda rules: (0, 0),
        said=_said_dead,
    ),
    Win(
        when=lambda rules: rules.loops > 0,
        score=rings,
        numbers=lambda rules: (rules.loops, 0),
        said=_said_loops,
        by_closing=False,
    ),
)
