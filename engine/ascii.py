r"""The board in plain characters: writer and reader (rules.md 4).

Theory of operation. A cell is a stamp of 5 lines by 9 characters. Cell (q, r) has its stamp's top left character at
line 4r + 2q, column 6q, so the stamps of neighbours overlap exactly in what the two cells share:

        line 0   TL at 2        TR at 5, 6
        line 1                               \  at 7
        line 2   L at 0 to 2                 R  at 8
        line 3                               /  at 7
        line 4   BL at 2        BR at 5, 6

A drawing is three layers on one canvas, a later layer over an earlier one:

1. Outlines. A side is drawn (`--`, `/`, `\`) when just one of its two cells holds a tile. The blank corners (class 2)
   are one character, chosen by which of the three cells round it hold tiles: `_BLANK_CORNER`.
2. Tiles. The letters of a tip and of a bridge, by orientation: `_PICTURES`. What sticks out of a tile's own cell only
   ever covers outlines or meets letters of the same corner, so lines 1 to 3, characters 2 to 6 of a stamp belong to
   one tile alone and tell which tile it is.
3. Labels in empty cells.

The reader finds tiles and labels by those inner characters, draws what it found, and believes it only if the drawing
is the text. So what it accepts is exactly what the writer can write, give or take indentation, blank lines round the
board, blanks at line ends, and marks.

A marked group (the one that decided a game) is drawn in capitals; a blank (Light) group is traced with `*` along its
bridges and on its corners. The reader takes capitals for small letters and a `*` for whatever belongs under it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import dedent
from typing import NamedTuple

from engine.errors import Unreadable
from engine.hexes import BR, DIRECTIONS, NE, NW, SE, SW, TR, Cell, L, N, S, axial, corner, corner_cells, spiral, step
from engine.position import Position, fits
from engine.tiles import TILESETS, Tile

Corner = tuple[Cell, int]
"""As hexes.corner names it."""

_Spot = tuple[int, int]
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

_SIDES: tuple[tuple[int, str, tuple[_Spot, ...]], ...] = (
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
_LABEL_LINE, _LABEL_MIDDLE = 2, 4
_SEAT_LETTERS = " ox"


class _Stamp(NamedTuple):
    """A tile ready to draw: the spots of each part, and whose corner each part hangs on."""

    tip: tuple[_Spot, ...]
    bridge: tuple[_Spot, ...]
    trace: tuple[_Spot, ...]
    tip_letter: str
    bridge_letter: str


def _spots(picture: Sequence[str], part: str) -> tuple[_Spot, ...]:
    return tuple((y, x) for y, line in enumerate(picture) for x, c in enumerate(line) if c == part)


def _stamp(tile: Tile) -> _Stamp:
    picture = _PICTURES[tile.tip1]
    tip_letter, bridge_letter = _letters(tile)
    return _Stamp(_spots(picture, "T"), _spots(picture, "B"), _spots(picture, "*"), tip_letter, bridge_letter)


def _letters(tile: Tile) -> tuple[str, str]:
    """The letters of the class-1 tip and bridge: `o` alone where class 2 is a player's colour, else one each."""
    if tile.bridge2:
        return "o", "o"
    return _SEAT_LETTERS[tile.colours[tile.tip1]], _SEAT_LETTERS[tile.bridge1]


def _origin(cell: Cell) -> _Spot:
    q, r = cell
    return 4 * r + 2 * q, 6 * q


def _bridge_ends(cell: Cell, tip: int) -> tuple[Corner, Corner]:
    """The corners joined by the bridge of the class that has this tip."""
    return corner(cell, (tip + 2) % 6), corner(cell, (tip + 4) % 6)


def draw_tiles(
    tileset: Sequence[Tile],
    tiles: Iterable[tuple[str, int]],
    labels: Mapping[int, str] | None = None,
    marked: Collection[Corner] = (),
) -> str:
    """The drawing of (letter, cell number) pairs, its left-most character in column 0, without a newline at the end.

    `labels`: texts for the middle of empty cells, at most 7 characters. `marked`: corners of a group to draw as marked,
    with its bridges.
    """
    by_letter = {tile.letter: (tile, _stamp(tile)) for tile in tileset}
    filled = {axial(number): by_letter[letter] for letter, number in tiles}
    canvas: dict[_Spot, str] = {}

    for cell in filled:
        top, left = _origin(cell)
        q, r = cell
        for direction, char, spots in _SIDES:
            dq, dr = DIRECTIONS[direction]
            if (q + dq, r + dr) not in filled:
                for y, x in spots:
                    canvas[top + y, left + x] = char
        for owner in (cell, step(cell, NW), step(cell, SW)):  # its R, TL and BL
            above, right = _origin(owner)
            y, x = above + _BLANK_SPOT[0], right + _BLANK_SPOT[1]
            if (y, x) not in canvas:
                beside, up, down = corner_cells((owner, 2))
                canvas[y, x] = _BLANK_CORNER[beside in filled, up in filled, down in filled]

    for cell, (tile, stamp) in filled.items():
        top, left = _origin(cell)
        tip_letter, bridge_letter = stamp.tip_letter, stamp.bridge_letter
        if marked:
            if corner(cell, tile.tip1) in marked:
                tip_letter = tip_letter.upper()
            if _bridge_ends(cell, tile.tip1)[0] in marked:
                bridge_letter = bridge_letter.upper()
            if _bridge_ends(cell, tile.tip2)[0] in marked:
                for y, x in stamp.trace:
                    canvas[top + y, left + x] = "*"
        for y, x in stamp.tip:
            canvas[top + y, left + x] = tip_letter
        for y, x in stamp.bridge:
            canvas[top + y, left + x] = bridge_letter
    for owner, cls in marked:
        if cls == 2:
            top, left = _origin(owner)
            canvas[top + _BLANK_SPOT[0], left + _BLANK_SPOT[1]] = "*"

    for number, text in (labels or {}).items():
        top, left = _origin(axial(number))
        start = left + _LABEL_MIDDLE - len(text) // 2
        for i, char in enumerate(text):
            canvas[top + _LABEL_LINE, start + i] = char
    return _lines(canvas)


def _lines(canvas: Mapping[_Spot, str]) -> str:
    if not canvas:
        return ""
    left = min(x for _, x in canvas)
    rows: dict[int, list[str]] = {}
    for (y, x), char in sorted(canvas.items()):
        row = rows.setdefault(y, [])
        row.extend(" " * (x - left - len(row)))
        row.append(char)
    return "\n".join("".join(rows.get(y, ())) for y in range(min(rows), max(rows) + 1))


def width(drawing: str) -> int:
    """Characters in its longest line."""
    return max(map(len, drawing.split("\n")))


_LABEL = re.compile(r"[0-9]+|(?<!-)-(?!-)")
_LONGEST_LABEL = 7


class _Found(NamedTuple):
    """What seems to stand at a spot (the top left of a cell's stamp): a tile's letter, or a label."""

    spot: _Spot
    letter: str
    label: str


def read(text: str, tileset: Sequence[Tile]) -> tuple[tuple[str, int], ...]:
    """The (letter, cell number) pairs of a drawing, by cell number.

    The numbers drawn in empty cells say where cell 0 is. A drawing without any is read as if the top tile of its
    left-most column lay on cell 0. Raises Unreadable for what `draw_tiles` could not have drawn.
    """
    lines = _tidy(text)
    found = [*_find_tiles(lines, tileset), *_find_labels(lines)]
    lattices: dict[_Spot, list[_Found]] = {}
    for item in found:
        lattices.setdefault(_lattice(item.spot), []).append(item)
    complaint = "this is no board: it shows no tiles"
    for items in sorted(lattices.values(), key=len, reverse=True):
        tiles = {_cell(item.spot): item.letter for item in items if item.letter}
        labels = {_cell(item.spot): item.label for item in items if item.label}
        if not tiles and set(labels.values()) != {"0"}:
            continue
        drawing = draw_tiles(
            tileset,
            [(letter, spiral(cell)) for cell, letter in tiles.items()],
            {spiral(cell): label for cell, label in labels.items()},
        ).split("\n")
        wrong = _first_difference(lines, drawing)
        if wrong is None:
            dq, dr = _shift(tiles, labels)
            return tuple(sorted(((letter, spiral((q + dq, r + dr))) for (q, r), letter in tiles.items()), key=_number))
        if complaint.startswith("this"):
            complaint = f"the drawing does not fit together at line {wrong + 1} of the board"
    raise Unreadable(complaint)


def _number(tile: tuple[str, int]) -> int:
    return tile[1]


def _tidy(text: str) -> list[str]:
    lines = [line.rstrip() for line in dedent(text.expandtabs()).splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return [line.translate(_SMALL) for line in lines]


_SMALL = str.maketrans("OX", "ox")


def _lattice(spot: _Spot) -> _Spot:
    """The same for spots whose cells can stand on one board: one of 24."""
    column, x = divmod(spot[1], 6)
    return (spot[0] - 2 * column) % 4, x


def _cell(spot: _Spot) -> Cell:
    """The cell of a spot, the origin being anywhere on its lattice."""
    column = spot[1] // 6
    return column, (spot[0] - 2 * column) // 4


def _find_tiles(lines: Sequence[str], tileset: Sequence[Tile]) -> Iterator[_Found]:
    letters = {_inside(_tidy(draw_tiles(tileset, [(tile.letter, 0)])), 0, 0): tile.letter for tile in tileset}
    middles = {inside[1] for inside in letters}
    unmarked = [line.replace("*", " ") for line in lines]
    for y, line in enumerate(unmarked):
        for middle in middles:
            x = line.find(middle)
            while x >= 0:
                spot = (y - 2, x - 2)
                letter = letters.get(_inside(unmarked, *spot))
                if letter:
                    yield _Found(spot, letter, "")
                x = line.find(middle, x + 1)


def _inside(lines: Sequence[str], top: int, left: int) -> tuple[str, ...]:
    """Lines 1 to 3, characters 2 to 6 of the cell drawn at this spot."""
    if top < -1 or left < 0:
        return ()
    return tuple(line[left + 2 : left + 7].ljust(5) for line in lines[top + 1 : top + 4])


def _find_labels(lines: Sequence[str]) -> Iterator[_Found]:
    for y, line in enumerate(lines):
        for match in _LABEL.finditer(line):
            label = match[0]
            if len(label) > _LONGEST_LABEL:
                raise Unreadable(f"a cell number on a board has at most {_LONGEST_LABEL} digits")
            yield _Found((y - _LABEL_LINE, match.start() + len(label) // 2 - _LABEL_MIDDLE), "", label)


def _first_difference(text: Sequence[str], drawing: Sequence[str]) -> int | None:
    """The index of the first line that differs; a `*` in the text agrees with anything, and with nothing drawn."""
    for i, (ours, theirs) in enumerate(zip_longest(text, drawing, fillvalue="")):
        if ours != theirs and any(a not in (b, "*") for a, b in zip_longest(ours, theirs, fillvalue=" ")):
            return i
    return None


def _shift(tiles: Iterable[Cell], labels: Mapping[Cell, str]) -> Cell:
    """What to add to a cell as found to get the cell it is."""
    shifts = set()
    for (q, r), label in labels.items():
        if label != "-":
            real_q, real_r = axial(int(label))
            shifts.add((real_q - q, real_r - r))
    if len(shifts) > 1:
        raise Unreadable("the cell numbers on the board do not agree with each other")
    if shifts:
        return shifts.pop()
    q, r = min(tiles)
    return -q, -r


def draw(position: Position, mark: bool = False) -> str:
    """The board: the number of every playable cell in its middle, `-` in a null point.

    A finished game has no playable cells, so it shows no numbers. `mark`: draw the group that decided it as marked.
    """
    labels = {cell: str(cell) if letters else "-" for cell, letters in fits(position).items()}
    if position.outcome is not None:
        labels = {cell: label for cell, label in labels.items() if label == "-"}
    marked = [corner for _, corners in _deciding(position) for corner in corners] if mark else ()
    return draw_tiles(_tileset(position), position.tiles, labels, frozenset(marked))


def legend(position: Position) -> str:
    """One line on what the marks of `draw(position, mark=True)` mean; empty when there are none."""
    signs = sorted({sign for sign, _ in _deciding(position)})
    return f"{' and '.join(signs)} marks the group that decided the game." if signs else ""


def _tileset(position: Position) -> Sequence[Tile]:
    return TILESETS[position.rules.tileset]


def _deciding(position: Position) -> list[tuple[str, set[Corner]]]:
    """The sign and the corners of each group that touches exactly the tiles the outcome names."""
    if position.outcome is None or not position.outcome.cells:
        return []
    named = {axial(cell) for cell in position.outcome.cells}
    filled = {axial(cell) for _, cell in position.tiles}
    return [
        (sign, corners)
        for sign, corners in _groups(_tileset(position), position.tiles)
        if {cell for one in corners for cell in corner_cells(one)} & filled == named
    ]


def _groups(tileset: Sequence[Tile], tiles: Iterable[tuple[str, int]]) -> list[tuple[str, set[Corner]]]:
    """The coloured groups as (sign, corners)."""
    by_letter = {tile.letter: tile for tile in tileset}
    group_of: dict[Corner, tuple[str, set[Corner]]] = {}
    for letter, number in tiles:
        tile, cell = by_letter[letter], axial(number)
        tip_letter, bridge_letter = _letters(tile)
        parts = [
            (tip_letter.upper(), (corner(cell, tile.tip1),)),
            (bridge_letter.upper(), _bridge_ends(cell, tile.tip1)),
        ]
        if tile.bridge2:
            parts += [("*", (corner(cell, tile.tip2),)), ("*", _bridge_ends(cell, tile.tip2))]
        for sign, ends in parts:
            first, *others = (group_of.setdefault(end, (sign, {end})) for end in ends)
            for other in others:
                if other is not first:
                    first[1].update(other[1])
                    group_of.update(dict.fromkeys(other[1], first))
    return list({id(group): group for group in group_of.values()}.values())
