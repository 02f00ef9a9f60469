"""The shapes on a tile, as paths of a drawing (docs/drawing.md).

Theory of operation. All points of a tile lie on a lattice: a cell's middle is at (12q, 8r + 4q), a step to the right is
an eighth of an edge, a step down the height of the equilateral triangle with that side. So neighbours have the same
coordinates for the points they share, and their shapes meet without a gap. Every line crosses an edge at a right angle:
the border of a shape in the middle of the edge, the inlay half way to the corner.

Each class of corners that has colours has two shapes on a tile. Its tip is a sector of half an edge round the corner.
Its bridge is the half of the tile away from the tip, less the same sector round the corner opposite the tip. Where both
classes have colours, the four shapes fill the tile.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from math import sqrt
from typing import NamedTuple

from engine.hex.canvas import Corner, bridge_ends
from engine.hex.glyphs import short
from engine.hex.hexes import Cell, corner
from engine.hex.tiles import TILESETS, Tile

EDGE = 40
"""Units of the drawing to an edge of a cell."""
_ACROSS, _DOWN = EDGE / 8, EDGE / 8 * sqrt(3)
"""Units to a step of the lattice."""
TALL = 4 * _DOWN
"""Units from the middle of a cell to its upper and lower side."""
_CORNERS = ((8, 0), (4, 4), (-4, 4), (-8, 0), (-4, -4), (4, -4))
_MIDDLES = ((6, 2), (0, 4), (-6, 2), (-6, -2), (0, -4), (6, -2))
"""The middle of the edge from corner i to corner i + 1."""

Spot = tuple[int, int]
"""A point of the lattice."""


def middle(cell: Cell) -> Spot:
    """The lattice point in the middle of a cell."""
    q, r = cell
    return 12 * q, 8 * r + 4 * q


def point(spot: tuple[float, float]) -> tuple[float, float]:
    """A lattice point in units of the drawing."""
    return _ACROSS * spot[0], _DOWN * spot[1]


def number(value: float) -> str:
    """A coordinate; with two decimals the ground would show between two tiles."""
    return short(value, 3)


Step = tuple[str, Spot]
"""A command of a path, and where it leads: `M`, `L`, or `A` with what an arc needs."""


def _arc(eighths: int, sweep: int) -> str:
    radius = number(eighths * EDGE / 8)
    return f"A{radius} {radius} 0 0 {sweep} "


def _quarter(which: int, other: int) -> Spot:
    """The point on an edge, a quarter of the way from corner `which`; `other` is the edge's other end."""
    (x, y), (i, j) = _CORNERS[which % 6], _CORNERS[other % 6]
    return (3 * x + i) // 4, (3 * y + j) // 4


_HEXAGON: tuple[Step, ...] = tuple(("L" if i else "M", corner) for i, corner in enumerate(_CORNERS))


@cache
def _tip(which: int) -> tuple[Step, ...]:
    before, behind = _MIDDLES[which - 1], _MIDDLES[which]
    return ("M", _CORNERS[which]), ("L", before), (_arc(4, 0), behind)


@cache
def _bridge(which: int) -> tuple[Step, ...]:
    near, mid, far = (which + 2) % 6, (which + 3) % 6, (which + 4) % 6
    return (
        ("M", _MIDDLES[far]),
        ("L", _CORNERS[far]),
        ("L", _MIDDLES[mid]),
        (_arc(4, 1), _MIDDLES[near]),
        ("L", _CORNERS[near]),
        ("L", _MIDDLES[near - 1]),
    )


@cache
def _tip_inlay(which: int) -> tuple[Step, ...]:
    """Half way between the border and the corner."""
    return ("M", _quarter(which, which - 1)), (_arc(2, 0), _quarter(which, which + 1))


@cache
def _bridge_inlay(which: int) -> tuple[Step, ...]:
    """Two lines half way between the borders and the corners; they touch in the middle."""
    near, mid, far = which + 2, which + 3, which + 4
    return (
        ("M", _quarter(near, near - 1)),
        ("L", _quarter(far, far + 1)),
        ("M", _quarter(near, mid)),
        (_arc(6, 0), _quarter(far, mid)),
    )


@cache
def _relative(steps: tuple[Step, ...], size: float) -> str:
    """A path after its first point, in relative steps."""
    out, (x, y), before = "", steps[0][1], ""
    for command, (to_x, to_y) in steps[1:]:
        across, down = (number(step) for step in point((size * (to_x - x), size * (to_y - y))))
        if command == "L" and down == "0":
            out, before = f"{out}h{across}", ""
        else:
            again = " " if command == before == "L" else f"{command[0].lower()}{command[1:]}"
            out, before = f"{out}{again}{across} {down}", command
        x, y = to_x, to_y
    return out.replace(" -", "-")


def _path(at: Spot, steps: tuple[Step, ...], size: float = 1) -> str:
    x, y = point((at[0] + size * steps[0][1][0], at[1] + size * steps[0][1][1]))
    return f"M{number(x)} {number(y)}{_relative(steps, size)}"


def hexagon(at: Spot, size: float = 1) -> str:
    """The outline of a cell, `size` times as large."""
    return f"{_path(at, _HEXAGON, size)}z"


def corners(cells: Iterable[Spot]) -> Iterator[str]:
    """The corners of cells, each as the beginning of a path."""
    return (_path((x + i, y + j), (("M", (0, 0)),)) for x, y in cells for i, j in _CORNERS)


class Part(NamedTuple):
    """A tip or a bridge of a tile. `which`: the corner with the tip of its class."""

    seat: int
    which: int
    is_bridge: bool

    def shape(self, at: Spot) -> str:
        """Its area on the cell with this middle."""
        return f"{_path(at, (_bridge if self.is_bridge else _tip)(self.which))}z"

    def inlay(self, at: Spot) -> str:
        """Its inlay there."""
        return _path(at, (_bridge_inlay if self.is_bridge else _tip_inlay)(self.which))

    def corner(self, cell: Cell) -> Corner:
        """A corner of its group."""
        return bridge_ends(cell, self.which)[0] if self.is_bridge else corner(cell, self.which)


@cache
def parts(tile: Tile) -> tuple[Part, ...]:
    """The tips and bridges of a tile that belong to a seat."""
    found = (
        (Part(tile.colours[tile.tip1], tile.tip1, False), Part(tile.bridge1, tile.tip1, True)),
        (Part(tile.colours[tile.tip2], tile.tip2, False), Part(tile.bridge2, tile.tip2, True)),
    )
    return tuple(part for pair in found for part in pair if part.seat)


@cache
def tile_of(tileset: str, letter: str) -> Tile:
    """A tile by its letter."""
    return next(tile for tile in TILESETS[tileset] if tile.letter == letter)
