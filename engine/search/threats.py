"""Whether a seat can win in one turn, and how. Hot code.

Theory of operation. Where only a closed group wins and there are no automatic moves, the winning group consists of
groups that are already on the board, joined by the turn's tiles: a corner that no tile touches has three empty cells,
and a turn fills two. So each of those groups lacks at most the turn's two cells. One pass over the corners (`survey`)
finds the groups with one or two empty cells round them. Where any closed group with a bridge wins, such a cell is worth
trying if a tile there could join two of these groups, or leave alone one that already has a bridge. Laying the tiles,
in every way, then decides; this also covers moves that would win for both. In all other games every turn is tried, or,
without `exact`, only what the survey suggests.
"""

from typing import NamedTuple

from engine.hex.board import CELLS, DECIDED, FITTED, FRONTIER, LAID, LOOPS, Board, find, loops, state
from engine.hex.goals import closes, contains, kills, lies_outside
from engine.search.kernel import (
    ANYWHERE,
    CLOSING,
    LETTERS,
    MOVER,
    NONE,
    OWED,
    PLACEMENTS,
    SCORES,
    SIZE,
    WAYS,
    drop,
    lift,
)


class Scratch(NamedTuple):
    """Memory for the survey. `found`: the winning turn (cell, tile, second cell or NONE, tile) and the number of roots.
    `stamps`: at 0 the latest stamp; at root + 1 the stamp with which that root was listed."""

    found: list[int]
    stamps: list[int]
    one: list[int]
    """Root -> an empty cell round its group."""
    two: list[int]
    """Root -> another one, NONE, or MANY."""
    roots: list[int]


MANY = -2
_ROOTS = 4
_CLOSES, _CONTAINS, _KILLS = (SCORES.index(score) for score in (closes, contains, kills))
"""Rows of `goals.WINS`."""
NOBODY, WINS, THREAT = range(3)


def look(b: Board, how: list[int], s: Scratch, mover: int, owed: int, first: int, exact: bool) -> int:
    """WINS if the mover can win with the placements owed, the next one beside cell `first` unless that is negative;
    THREAT if the opponent could win with a turn of his own from here. `s.found` says how.

    `exact`: never misses WINS. Without it, the search may miss one, but what it returns is always true.
    """
    survey(b, s)
    if turn_win(b, how, s, mover, owed, first, exact):
        return WINS
    full = min(how[PLACEMENTS], how[SIZE] - b.n[LAID])
    if full > 0 and turn_win(b, how, s, 3 - mover, full, NONE, exact and full == 1):
        return THREAT
    return NOBODY


def turn_win(b: Board, how: list[int], s: Scratch, seat: int, owed: int, first: int, exact: bool) -> bool:
    """Whether a seat that owes so many tiles can win with them. Needs a `survey` first."""
    if how[SIZE] - b.n[LAID] <= owed:
        return exact and any_win(b, how, s, seat, owed, first)
    if how[WAYS] == 0:  # a turn wins only if automatic moves after it use up the tiles
        return exact and b.n[FITTED] != 0 and any_win(b, how, s, seat, owed, first)
    if b.n[FITTED] == 0 and how[CLOSING]:
        return closing_win(b, how, s, seat, owed, first, exact)
    if exact:
        return any_win(b, how, s, seat, owed, first)
    return how[CLOSING] != 0 and likely_win(b, how, s, seat)


def survey(b: Board, s: Scratch) -> None:
    """List the groups that are not closed, with their empty cells where they have one or two."""
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
    s.found[_ROOTS] = height


def adjacent(b: Board, cell: int, other: int) -> bool:
    """Whether two cells share an edge."""
    for k in range(6 * cell, 6 * cell + 6):
        if b.near[k] == other:
            return True
    return False


def promising(b: Board, s: Scratch, part: int, x: int, y: int) -> int:
    """How many corners of class `part` (0, 1) of cell x belong to groups that only x and y keep open; at least 2 if one
    of those groups has a bridge."""
    amount = 0
    for k in range(6 * x, 6 * x + 6):
        corner = b.corner[k]
        if corner & 1 == part and b.filled[corner] > 0:
            root = corner
            while b.parent[root] != root:
                root = b.parent[root]
            one, two = s.one[root], s.two[root]
            if one in (x, y) and two in (NONE, x, y):
                amount += 1
                if b.bridges[root] > 0:
                    return 2
    return amount


def closing_win(b: Board, how: list[int], s: Scratch, seat: int, owed: int, first: int, exact: bool) -> bool:
    """`turn_win` in games where only closing a group wins and every tile fits everywhere."""
    plain = how[WAYS] == 1 and how[WAYS + 1] == _CLOSES
    joint = how[WAYS] > 0 and how[WAYS + 1] == _CONTAINS
    if joint and not exact and b.n[LOOPS] == 0:
        return False
    for i in range(s.found[_ROOTS]):
        root = s.roots[i]
        x, y = s.one[root], s.two[root]
        if y == MANY or (plain and b.colour[root] != seat):
            continue
        if (
            joint
            and not exact
            and not (_may_ring(b, seat, x, y) or (b.colour[root] != seat and not lies_outside(b, x)))
        ):
            continue
        if y == NONE:
            if (
                (first < 0 or adjacent(b, first, x))
                and (not plain or promising(b, s, root & 1, x, x) > 1)
                and one_wins(b, how, s, seat, x)
            ):
                return True
            if joint and exact and owed == 2:
                for k in range(6 * x, 6 * x + 6):
                    other = b.near[k]
                    if b.where[other] >= 0 and (
                        two_win(b, how, s, seat, x, other) or two_win(b, how, s, seat, other, x)
                    ):
                        return True
        elif (
            owed == 2
            and (how[ANYWHERE] or adjacent(b, x, y))
            and (not plain or promising(b, s, root & 1, x, y) > 1 or promising(b, s, root & 1, y, x) > 1)
            and (two_win(b, how, s, seat, x, y) or ((exact or not joint) and two_win(b, how, s, seat, y, x)))
        ):
            return True
    return False


def _may_ring(b: Board, seat: int, x: int, y: int) -> bool:
    """Whether a group of the seat that touches empty cell x or, if there is one, y has a loop, or may get one by tiles
    there: two of its corners lie at one cell, or two groups lie at both."""
    if _rings_at(b, seat, x):
        return True
    if y < 0:
        return False
    both = 0  # no group has two corners at x
    for k in range(6 * x, 6 * x + 6):
        if b.colour[b.corner[k]] == seat and _touches(b, find(b, b.corner[k]), 6 * y, 6 * y + 6):
            both += 1
    return both > 1 or _rings_at(b, seat, y)


def _rings_at(b: Board, seat: int, cell: int) -> bool:
    """Whether a group of the seat that touches the cell has a loop, or two corners there."""
    for k in range(6 * cell, 6 * cell + 6):
        if b.colour[b.corner[k]] == seat:
            root = find(b, b.corner[k])
            if loops(b, root) > 0 or _touches(b, root, k + 1, 6 * cell + 6):
                return True
    return False


def _touches(b: Board, root: int, begin: int, end: int) -> bool:
    """Whether one of these places in `corner` has a corner of the group."""
    for k in range(begin, end):
        if find(b, b.corner[k]) == root:
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
    fits = b.fits[state(b, cell)]
    for tile in range(how[LETTERS]):
        if fits >> tile & 1:
            result = drop(b, how, seat, cell, tile)
            wins = result == NONE and b.where[other] >= 0 and one_wins(b, how, s, seat, other)
            lift(b, laid)
            if wins:
                s.found[2], s.found[3] = s.found[0], s.found[1]
                s.found[0], s.found[1] = cell, tile
                return True
    return False


def still_wins(b: Board, how: list[int], seat: int, move1: int, move2: int) -> bool:
    """Whether this turn, found in an earlier position, wins for a seat here. A move is 8 * cell + tile, the second one
    perhaps NONE."""
    laid, cell, other = b.n[LAID], move1 >> 3, move2 >> 3
    if not _fits(b, cell, move1 & 7):
        return False
    result = drop(b, how, seat, cell, move1 & 7)
    if result == NONE and move2 >= 0 and _fits(b, other, move2 & 7):
        result = drop(b, how, seat, other, move2 & 7)
    lift(b, laid)
    return result == seat


def _fits(b: Board, cell: int, tile: int) -> bool:
    return b.where[cell] >= 0 and cell < b.n[CELLS] and b.fits[state(b, cell)] >> tile & 1 == 1


def refuted(b: Board, how: list[int], g: list[int], move: int, turn1: int, turn2: int) -> bool:
    """Whether this turn of the opponent wins after a move, whatever the mover lays as a second tile, if one is owed."""
    mover, laid, cell = g[MOVER], b.n[LAID], move >> 3
    result = drop(b, how, mover, cell, move & 7)
    lost = result == 3 - mover
    if result == NONE and g[OWED] == 1:
        lost = still_wins(b, how, 3 - mover, turn1, turn2)
    elif result == NONE and how[ANYWHERE] == 0:
        between, tried, saved = b.n[LAID], 0, 0
        for k in range(6 * cell, 6 * cell + 6):
            other = b.near[k]
            if saved == 0 and b.where[other] >= 0:
                for tile in range(how[LETTERS]):
                    if saved == 0 and b.fits[state(b, other)] >> tile & 1:
                        tried += 1
                        result = drop(b, how, mover, other, tile) if other < b.n[CELLS] else mover
                        if result != 3 - mover and not (result == NONE and still_wins(b, how, 3 - mover, turn1, turn2)):
                            saved += 1
                        lift(b, between)
        lost = tried > 0 and saved == 0
    lift(b, laid)
    return lost


def any_win(b: Board, how: list[int], s: Scratch, seat: int, owed: int, first: int) -> bool:
    """`turn_win` by trying everything."""
    for i in range(b.n[FRONTIER]):
        cell = b.frontier[i]
        if first < 0 or adjacent(b, first, cell):
            if one_wins(b, how, s, seat, cell):
                return True
            if owed == 2 and how[ANYWHERE] == 0:
                for k in range(6 * cell, 6 * cell + 6):
                    if two_win(b, how, s, seat, cell, b.near[k]):
                        return True
            elif owed == 2:
                for k in range(b.n[FRONTIER]):
                    if k != i and two_win(b, how, s, seat, cell, b.frontier[k]):
                        return True
                for k in range(6 * cell, 6 * cell + 6):
                    if b.where[b.near[k]] < 0 and two_win(b, how, s, seat, cell, b.near[k]):
                        return True
    return False


def likely_win(b: Board, how: list[int], s: Scratch, seat: int) -> bool:
    """Whether a tile wins on a cell that a group with one or two empty cells needs."""
    kill = how[WAYS] == 1 and how[WAYS + 1] == _KILLS
    for i in range(s.found[_ROOTS]):
        root = s.roots[i]
        x, y = s.one[root], s.two[root]
        if (
            (b.colour[root] != seat or not kill)
            and y != MANY
            and (one_wins(b, how, s, seat, x) or (y >= 0 and one_wins(b, how, s, seat, y)))
        ):
            return True
    return False
