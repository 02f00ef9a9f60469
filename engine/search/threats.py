"""Whether a seat can win in one turn, and how. Hot code.

Theory of operation. Where only a closed group wins and nothing fills itself, the winning group is made of groups that
lie there already, joined by the turn's tiles: a corner no tile touches has three empty cells, and a turn fills two. So
each of those groups has at most the turn's two cells left to be filled. One pass over the corners finds the groups with
one or two empty cells round them; laying the tiles there, in every way, tells the truth. In all other games every turn
is tried, or (`exact` false) what such a pass suggests.
"""

from typing import NamedTuple

from engine.board import CELLS, DECIDED, FITTED, FRONTIER, LAID, Board, state
from engine.search.kernel import ANYWHERE, CLOSING, LETTERS, NONE, SIZE, WAYS, drop, lift

_CONTAINS = 2


class Scratch(NamedTuple):
    """Room for the pass. `found`: the winning turn: cell, tile, second cell or -1, tile."""

    found: list[int]
    stamps: list[int]
    one: list[int]
    """Root -> an empty cell round its group."""
    two: list[int]
    """Root -> another one, NONE, or MANY."""
    roots: list[int]


MANY = -2


def turn_win(b: Board, how: list[int], s: Scratch, seat: int, owed: int, first: int, exact: bool) -> bool:
    """Whether a seat that owes so many tiles, the next beside cell `first` if that is not negative, can win by them.

    `exact`: never wrong. Otherwise it may overlook a win, but never sees one that is not there.
    """
    if how[SIZE] - b.n[LAID] <= owed and exact:
        return any_win(b, how, s, seat, owed, first)
    if b.n[FITTED] == 0 and how[CLOSING]:
        return closing_win(b, how, s, seat, owed, first)
    if exact:
        return any_win(b, how, s, seat, owed, first)
    return how[CLOSING] != 0 and likely_win(b, how, s, seat)


def near_closed(b: Board, s: Scratch) -> int:
    """Find the groups with one or two empty cells round them; returns how many roots have been listed in `s.roots`,
    those with MANY included."""
    s.stamps[0] += 1
    stamp = s.stamps[0]
    height = 0
    for i in range(b.n[DECIDED]):
        corner = b.decided[i]
        if b.filled[corner] == 3:
            continue
        root = corner
        while b.parent[root] != root:
            root = b.parent[root]
        if s.stamps[root + 1] != stamp:
            s.stamps[root + 1] = stamp
            s.one[root] = NONE
            s.two[root] = NONE
            s.roots[height] = root
            height += 1
        elif s.two[root] == MANY:
            continue
        for k in range(3 * corner, 3 * corner + 3):
            cell = b.around[k]
            if b.where[cell] >= 0:
                if s.one[root] < 0:
                    s.one[root] = cell
                elif s.one[root] != cell and s.two[root] != cell:
                    s.two[root] = cell if s.two[root] == NONE else MANY
    return height


def adjacent(b: Board, cell: int, other: int) -> bool:
    """Whether two cells share an edge."""
    for k in range(6 * cell, 6 * cell + 6):
        if b.near[k] == other:
            return True
    return False


def closing_win(b: Board, how: list[int], s: Scratch, seat: int, owed: int, first: int) -> bool:
    """`turn_win` where a group has to be closed and tiles fit everywhere."""
    joint = how[WAYS] > 0 and how[WAYS + 1] == _CONTAINS
    for i in range(near_closed(b, s)):
        root = s.roots[i]
        x, y = s.one[root], s.two[root]
        if y == MANY or (b.colour[root] != seat and not joint):
            continue
        if y == NONE:
            if (first < 0 or adjacent(b, first, x)) and one_wins(b, how, s, seat, x):
                return True
            if joint and owed == 2:
                for k in range(6 * x, 6 * x + 6):
                    other = b.near[k]
                    if b.where[other] >= 0 and (
                        two_win(b, how, s, seat, x, other) or two_win(b, how, s, seat, other, x)
                    ):
                        return True
        elif (
            owed == 2
            and (how[ANYWHERE] or adjacent(b, x, y))
            and (two_win(b, how, s, seat, x, y) or two_win(b, how, s, seat, y, x))
        ):
            return True
    return False


def one_wins(b: Board, how: list[int], s: Scratch, seat: int, cell: int) -> bool:
    """Whether some tile on this cell wins."""
    if cell >= b.n[CELLS]:
        return False
    laid = b.n[LAID]
    fits = b.fits[state(b, cell)]
    for tile in range(how[LETTERS]):
        if fits >> tile & 1:
            result = drop(b, how, seat, cell, tile)
            lift(b, laid)
            if result == seat:
                s.found[0], s.found[1], s.found[2], s.found[3] = cell, tile, NONE, NONE
                return True
    return False


def two_win(b: Board, how: list[int], s: Scratch, seat: int, cell: int, other: int) -> bool:
    """Whether some tiles on these two cells win, the first one laid first."""
    if cell >= b.n[CELLS] or other >= b.n[CELLS]:
        return False
    laid = b.n[LAID]
    for tile in range(how[LETTERS]):
        if b.fits[state(b, cell)] >> tile & 1:
            result = drop(b, how, seat, cell, tile)
            wins = result == NONE and b.where[other] >= 0 and one_wins(b, how, s, seat, other)
            lift(b, laid)
            if wins:
                s.found[2], s.found[3] = s.found[0], s.found[1]
                s.found[0], s.found[1] = cell, tile
                return True
    return False


def any_win(b: Board, how: list[int], s: Scratch, seat: int, owed: int, first: int) -> bool:
    """`turn_win` by trying everything."""
    laid = b.n[LAID]
    for i in range(b.n[FRONTIER]):
        cell = b.frontier[i]
        if cell >= b.n[CELLS] or (first >= 0 and not adjacent(b, first, cell)):
            continue
        if one_wins(b, how, s, seat, cell):
            return True
        if owed < 2:
            continue
        for tile in range(how[LETTERS]):
            if b.fits[state(b, cell)] >> tile & 1:
                result = drop(b, how, seat, cell, tile)
                wins = result == NONE and second_wins(b, how, s, seat, cell)
                lift(b, laid)
                if wins:
                    s.found[2], s.found[3] = s.found[0], s.found[1]
                    s.found[0], s.found[1] = cell, tile
                    return True
    return False


def second_wins(b: Board, how: list[int], s: Scratch, seat: int, first: int) -> bool:
    """Whether a second tile wins after a first on this cell."""
    if how[ANYWHERE]:
        for i in range(b.n[FRONTIER]):
            if one_wins(b, how, s, seat, b.frontier[i]):
                return True
        return False
    for k in range(6 * first, 6 * first + 6):
        if b.where[b.near[k]] >= 0 and one_wins(b, how, s, seat, b.near[k]):
            return True
    return False


def likely_win(b: Board, how: list[int], s: Scratch, seat: int) -> bool:
    """Whether a tile wins on a cell that a group with one or two empty cells needs."""
    height = near_closed(b, s)
    for i in range(height):
        root = s.roots[i]
        x, y = s.one[root], s.two[root]
        if y == MANY:
            continue
        if one_wins(b, how, s, seat, x) or (y >= 0 and one_wins(b, how, s, seat, y)):
            return True
    return False
