"""Flat-top hexagons: axial coordinates, spiral cell numbers, neighbours and corners (docs/rules.md 1).

A cell is an axial pair (q, r): q counts columns to the right, r counts cells down a column. Its number is its
place in a clockwise spiral round cell 0: ring k holds 6k cells and begins k steps north.

A corner belongs to three cells. There are two classes of corners. Every corner is the L (class 1) or the R
(class 2) corner of exactly one cell: that cell and the class are the corner's identity.
"""

from math import isqrt

N, NE, SE, S, SW, NW = range(6)
DIRECTIONS: tuple[tuple[int, int], ...] = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
"""Axial steps, clockwise from the top."""

R, BR, BL, L, TL, TR = range(6)
"""Corners, clockwise from the right. Odd ones are class 1, even ones class 2."""

CORNER_NAMES = ("R", "BR", "BL", "L", "TL", "TR")
CLASS_1 = (BR, L, TR)
CLASS_2 = (R, BL, TL)

OWNER: tuple[int | None, ...] = (None, SE, SW, None, NW, NE)
"""For each corner, the neighbour whose L (class 1) or R (class 2) it is; None: the cell itself."""

ROUND = {1: (NW, SW), 2: (NE, SE)}
"""For each class of corners: where the two other cells lie, from the cell whose L or R the corner is."""

SIDES = ((N, SE), (NE, S), (SE, SW), (S, NW), (SW, N), (NW, NE))
"""The six sides of a ring, clockwise: in which direction the first cell lies, and in which the others follow."""

Cell = tuple[int, int]


def ring(cell: Cell) -> int:
    """Steps from cell 0."""
    q, r = cell
    return max(abs(q), abs(r), abs(q + r))


def count(rings: int) -> int:
    """The number of cells in rings 0 to `rings`."""
    return 3 * rings * (rings + 1) + 1


def axial(number: int) -> Cell:
    """The cell with this spiral number (0 or more)."""
    if number == 0:
        return (0, 0)
    k = (isqrt(12 * number - 3) + 3) // 6  # the ring: count(k - 1) <= number < count(k)
    side, step = divmod(number - count(k - 1), k)
    first, along = SIDES[side]
    q, r = DIRECTIONS[first]
    dq, dr = DIRECTIONS[along]
    return (k * q + step * dq, k * r + step * dr)


def spiral(cell: Cell) -> int:
    """The spiral number of a cell; inverse of `axial`."""
    k = ring(cell)
    if k == 0:
        return 0
    q, r = cell
    for side, (first, on) in enumerate(SIDES):
        cq, cr = DIRECTIONS[first]
        dq, dr = DIRECTIONS[on]
        oq, orr = q - k * cq, r - k * cr
        along = oq * dq if dq else orr * dr
        if 0 <= along < k and (oq, orr) == (along * dq, along * dr):
            return count(k - 1) + side * k + along
    raise AssertionError(cell)


def step(cell: Cell, direction: int) -> Cell:
    """The neighbour in that direction."""
    return (cell[0] + DIRECTIONS[direction][0], cell[1] + DIRECTIONS[direction][1])


def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """All six neighbours, clockwise from the north."""
    return tuple(step(cell, d) for d in range(6))


def corner(cell: Cell, which: int) -> tuple[Cell, int]:
    """A corner's identity: (the cell whose L or R it is, its class 1 or 2)."""
    owner = OWNER[which]
    return (cell if owner is None else step(cell, owner), 1 if which % 2 else 2)


def corner_cells(identity: tuple[Cell, int]) -> tuple[Cell, Cell, Cell]:
    """The three cells round a corner."""
    cell, cls = identity
    second, third = ROUND[cls]
    return (cell, step(cell, second), step(cell, third))
