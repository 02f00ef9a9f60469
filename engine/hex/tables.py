"""The constant tables of a board: which cells are neighbours, and which tiles fit where.

They are plain lists that all boards of a size share; `board.Board` says how each is indexed.
"""

from functools import cache

from engine.hex import hexes
from engine.hex.tiles import Tile

MAX_RINGS = 200
"""A pool of 200 tiles cannot reach further."""


@cache
def geometry(rings: int) -> tuple[list[int], list[int], list[int]]:
    """The tables `near`, `corner` and `around` of a board. They are shared; do not change them.

    They cover two rings more than tiles may lie in: the frontier, and the cells that share a corner with it. Entries
    for anything further out are 0.
    """
    if not 0 < rings <= MAX_RINGS:
        raise ValueError(rings)
    known = hexes.count(rings + 2)
    cells = [hexes.axial(number) for number in range(hexes.count(rings + 4))]
    number = {cell: i for i, cell in enumerate(cells)}
    steps = [(*step, i) for i, step in enumerate(hexes.DIRECTIONS)]
    near, corner, around = [0] * (6 * known), [0] * (6 * known), [0] * (6 * known)
    for i in range(hexes.count(rings + 1)):
        q, r = cells[i]
        for dq, dr, d in steps:
            near[6 * i + d] = number[q + dq, r + dr]
        for which in range(6):
            owner = hexes.OWNER[which]
            whose = i if owner is None else near[6 * i + owner]
            corner[6 * i + which] = 2 * whose + (1 - which % 2)
    for c in set(corner[: 6 * hexes.count(rings + 1)]):
        for k, (x, y) in enumerate(hexes.corner_cells((cells[c // 2], c % 2 + 1))):
            around[3 * c + k] = number[x, y]
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
