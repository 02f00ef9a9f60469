"""The constant tables of a board: which cells are neighbours, and which tiles fit where.

They are plain lists that all boards of a size share; `board.Board` says how each is indexed.
"""

from functools import cache

from engine.hex import hexes
from engine.hex.rules import SIZES
from engine.hex.tiles import Tile

MAX_TILES = SIZES[1]
"""In the largest pool."""
MAX_RINGS = MAX_TILES
"""So many tiles cannot reach further."""


@cache
def geometry(rings: int) -> tuple[list[int], list[int], list[int]]:
    """The tables `near`, `corner` and `around` of a board. They are shared; do not change them.

    They cover two rings more than tiles may lie in: the frontier, and the cells that share a corner with it. Entries
    for anything further out are 0.
    """
    if not 0 < rings <= MAX_RINGS:
        raise ValueError(rings)
    known, inner = hexes.count(rings + 2), hexes.count(rings + 1)
    # All cells of a rhombus of axial coordinates, one column after the other: a step is a constant difference.
    width = 2 * (rings + 3) + 1
    step = [width * dq + dr for dq, dr in hexes.DIRECTIONS]
    number = [0] * (width * width)
    place = [width * width // 2]  # cell -> its place in `number`; cell 0 is in the middle
    for k in range(1, rings + 4):
        for first, along in hexes.SIDES:
            begin = place[0] + k * step[first]
            place += range(begin, begin + k * step[along], step[along])
    for cell, at in enumerate(place):
        number[at] = cell
    near, corner, around = [0] * (6 * known), [0] * (6 * known), [0] * (6 * known)
    for d in range(6):
        near[d : 6 * inner : 6] = [number[at + step[d]] for at in place[:inner]]
    for which, owner in enumerate(hexes.OWNER):
        whose = range(inner) if owner is None else near[owner : 6 * inner : 6]
        corner[which : 6 * inner : 6] = [2 * cell + (1 - which % 2) for cell in whose]
    for cls, (second, third) in hexes.ROUND.items():
        around[3 * cls - 3 :: 6] = range(known)
        around[3 * cls - 2 :: 6] = [number[at + step[second]] for at in place[:known]]
        around[3 * cls - 1 :: 6] = [number[at + step[third]] for at in place[:known]]
    return near, corner, around


@cache
def tile_tables(tileset: tuple[Tile, ...], auto: str) -> tuple[list[int], list[int], list[int], int]:
    """The tables `shape`, `fits` and `forced` of a board, and how many corner classes carry colours.

    `auto`: none, limited or full. A cell is forced when just one letter fits it and all its corners are decided, or
    (full) two of them are.
    """
    shape: list[int] = []
    for t in tileset:
        for tip, bridge, ends in ((t.tip1, t.bridge1, hexes.CLASS_1), (t.tip2, t.bridge2, hexes.CLASS_2)):
            shape += [tip, *(c for c in ends if c != tip), t.colours[tip], bridge]
    seats = {t.colours[c] for t in tileset for c in hexes.CLASS_1}
    fits, forced = [], []
    for colours in range(27):
        corners = ((hexes.L, colours // 9), (hexes.TR, colours // 3 % 3), (hexes.BR, colours % 3))
        decided = [(c, seat) for c, seat in corners if seat in seats]  # a colour that cannot occur excludes no tile
        matching = [i for i, t in enumerate(tileset) if all(t.colours[c] == seat for c, seat in decided)]
        fits.append(sum(1 << i for i in matching))
        known = len(decided)
        sure = len(matching) == 1 and ((known == 3 and auto != "none") or (known == 2 and auto == "full"))
        forced.append(matching[0] if sure else -1)
    return shape, fits, forced, 2 if any(t.bridge2 for t in tileset) else 1
