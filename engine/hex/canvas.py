r"""Tiles drawn in plain characters (docs/rules.md 4): one picture a tile, laid over each other on a canvas.

Theory of operation. A cell is a stamp of 5 lines by 9 characters. Cell (q, r) has its stamp's top left character at
line 4r + 2q, column 6q, so the stamps of neighbours overlap exactly in what the two cells share:

        line 0   TL at 2        TR at 5, 6
        line 1                               \  at 7
        line 2   L at 0 to 2                 R  at 8
        line 3                               /  at 7
        line 4   BL at 2        BR at 5, 6

A drawing is made in layers, a later one over an earlier one:

1. Outlines. A side is drawn (`--`, `/`, `\`) when just one of its two cells holds a tile. A blank corner (class 2) is
   one character, chosen by which of the three cells round it hold tiles: `_BLANK_CORNER`.
2. Ink. The letters of a tip and of a bridge, by orientation: `_PICTURES`. The parts that stick out of a tile's own
   cell only cover outlines or meet letters of the same corner. So lines 1 to 3, characters 2 to 6 of a stamp belong to
   one tile alone and identify it. The reader (`ascii.read`) relies on that.
3. Marks. A marked group is drawn in capitals; a blank (Light) group is traced with `*` on its corners and along its
   bridges.
4. A `*` in the middle of the tiles that were laid last. No tile has a letter there.
5. Labels in empty cells.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from engine.hex.hexes import BR, DIRECTIONS, NE, NW, SE, SW, TR, Cell, L, N, S, axial, corner, corner_cells, step
from engine.hex.tiles import Tile

Corner = tuple[Cell, int]
"""A corner's identity, as `hexes.corner` returns it."""

Spot = tuple[int, int]
"""A line and a character."""

# A tile by the place of its class-1 tip. T: letters of the tip, B: of the bridge, *: trace of the blank bridge.
_PICTURES = {
    L: (
        "     BB",
        " T * BB",
        "TTT *BB",
        " T * BB",
        "     BB",
    ),
    TR: (
        "     TT",
        "   ** TT",
        "BBBB **",
        "   BBB",
        "     BB",
    ),
    BR: (
        "     BB",
        "   BBB",
        "BBBB **",
        "   ** TT",
        "     TT",
    ),
}

_SIDES: tuple[tuple[int, str, tuple[Spot, ...]], ...] = (
    (N, "-", ((0, 3), (0, 4))),
    (NE, "\\", ((1, 7),)),
    (SE, "/", ((3, 7),)),
    (S, "-", ((4, 3), (4, 4))),
    (SW, "\\", ((3, 1),)),
    (NW, "/", ((1, 1),)),
)
"""Direction, character and places of each side's outline."""

_BLANK_CORNER = {
    (True, False, False): ")",
    (False, True, False): "`",
    (False, False, True): ".",
    (True, True, False): ".",
    (True, False, True): "`",
    (False, True, True): ")",
    (True, True, True): ".",
}
"""A class-2 corner by which of its cells hold tiles: left, above right, below right of it (see corner_cells)."""

_BLANK_SPOT = (2, 8)  # where a class-2 corner is drawn: as the R of the cell that owns it
LABEL_LINE, LABEL_MIDDLE = 2, 4
"""Where in a cell the middle of a label is; a label of even length is one character further to the left."""
_SEAT_LETTERS = " ox"


class _Stamp(NamedTuple):
    """A tile ready to draw: the spots of each part and its letters."""

    tile: Tile
    tip: tuple[Spot, ...]
    bridge: tuple[Spot, ...]
    trace: tuple[Spot, ...]
    tip_letter: str
    bridge_letter: str


def _spots(picture: Sequence[str], part: str) -> tuple[Spot, ...]:
    return tuple((y, x) for y, line in enumerate(picture) for x, c in enumerate(line) if c == part)


def _stamp(tile: Tile) -> _Stamp:
    picture = _PICTURES[tile.tip1]
    tip_letter, bridge_letter = letters(tile)
    return _Stamp(tile, _spots(picture, "T"), _spots(picture, "B"), _spots(picture, "*"), tip_letter, bridge_letter)


@cache
def _stamps(tileset: tuple[Tile, ...]) -> dict[str, _Stamp]:
    return {tile.letter: _stamp(tile) for tile in tileset}


def letters(tile: Tile) -> tuple[str, str]:
    """The letters of the class-1 tip and bridge: `o` alone where class 2 is a player's colour, else one each."""
    if tile.bridge2:
        return "o", "o"
    return _SEAT_LETTERS[tile.colours[tile.tip1]], _SEAT_LETTERS[tile.bridge1]


def _origin(cell: Cell) -> Spot:
    q, r = cell
    return 4 * r + 2 * q, 6 * q


def bridge_ends(cell: Cell, tip: int) -> tuple[Corner, Corner]:
    """The corners joined by the bridge of the class that has this tip."""
    return corner(cell, (tip + 2) % 6), corner(cell, (tip + 4) % 6)


def draw_tiles(
    tileset: Sequence[Tile],
    tiles: Iterable[tuple[str, int]],
    labels: Mapping[int, str] | None = None,
    marked: Collection[Corner] = (),
    newest: Iterable[int] = (),
) -> str:
    """The drawing of (letter, cell number) pairs, its left-most character in column 0, without a newline at the end.

    `labels`: texts for the middle of empty cells, at most 7 characters. `marked`: corners of a group to draw as marked,
    with its bridges. `newest`: filled cells to mark with a `*` in the middle.
    """
    stamps = _stamps(tuple(tileset))
    filled = {axial(number): stamps[letter] for letter, number in tiles}
    canvas: dict[Spot, str] = {}
    _outline(canvas, filled)
    _ink(canvas, filled)
    if marked:
        _mark(canvas, filled, marked)
    for number in newest:
        top, left = _origin(axial(number))
        canvas[top + LABEL_LINE, left + LABEL_MIDDLE] = "*"
    for number, text in (labels or {}).items():
        top, left = _origin(axial(number))
        for i, char in enumerate(text):
            canvas[top + LABEL_LINE, left + LABEL_MIDDLE - len(text) // 2 + i] = char
    return _lines(canvas)


def _put(canvas: dict[Spot, str], top: int, left: int, spots: Iterable[Spot], char: str) -> None:
    for y, x in spots:
        canvas[top + y, left + x] = char


def _outline(canvas: dict[Spot, str], filled: Collection[Cell]) -> None:
    for cell in filled:
        top, left = _origin(cell)
        q, r = cell
        for direction, char, spots in _SIDES:
            dq, dr = DIRECTIONS[direction]
            if (q + dq, r + dr) not in filled:
                _put(canvas, top, left, spots, char)
        for owner in (cell, step(cell, NW), step(cell, SW)):  # the cells whose R is its R, TL and BL
            above, right = _origin(owner)
            beside, up, down = corner_cells((owner, 2))
            char = _BLANK_CORNER[beside in filled, up in filled, down in filled]
            _put(canvas, above, right, (_BLANK_SPOT,), char)


def _ink(canvas: dict[Spot, str], filled: Mapping[Cell, _Stamp]) -> None:
    for cell, stamp in filled.items():
        top, left = _origin(cell)
        _put(canvas, top, left, stamp.tip, stamp.tip_letter)
        _put(canvas, top, left, stamp.bridge, stamp.bridge_letter)


def _mark(canvas: dict[Spot, str], filled: Mapping[Cell, _Stamp], marked: Collection[Corner]) -> None:
    for cell, stamp in filled.items():
        top, left = _origin(cell)
        tip1, tip2 = stamp.tile.tip1, stamp.tile.tip2
        if corner(cell, tip1) in marked:
            _put(canvas, top, left, stamp.tip, stamp.tip_letter.upper())
        if bridge_ends(cell, tip1)[0] in marked:
            _put(canvas, top, left, stamp.bridge, stamp.bridge_letter.upper())
        if bridge_ends(cell, tip2)[0] in marked:
            _put(canvas, top, left, stamp.trace, "*")
    for owner, cls in marked:
        if cls == 2:
            _put(canvas, *_origin(owner), (_BLANK_SPOT,), "*")


def _lines(canvas: Mapping[Spot, str]) -> str:
    if not canvas:
        return ""
    ys, xs = zip(*canvas, strict=True)
    top, left = min(ys), min(xs)
    width = max(xs) - left + 1
    rows = [[" "] * width for _ in range(max(ys) - top + 1)]
    for (y, x), char in canvas.items():
        rows[y - top][x - left] = char
    return "\n".join("".join(row).rstrip() for row in rows)
