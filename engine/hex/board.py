"""The board as flat integer arrays: place, undo, and the groups that result. The hot code.

Theory of operation. Every corner is the L (class 1) or R (class 2) corner of one cell; its number is
2 * cell + class - 1, so corners of class 1 are even. In each tracked class a tile draws a tip at one corner and a
bridge between two. A group is a union-find tree over corners, which bridges join: by size, without path compression,
so that `undo` only cuts the last tree off again. Each root knows how many corners and bridges its group has, and how
many of the corners are `full`: all three cells round them are filled or null points. A group whose corners are all
full is closed for good, and its root goes on the stack `closed`. A group has bridges - corners + 1 loops.

`n` holds the heights of the stacks (`laid`, `frontier`, `decided`, `closed`, `nulls`, `pending`); entries above the
height are stale. `trail` keeps for each tile what `undo` needs. The frontier holds the empty cells next to a tile, in
no order and without null points; on an empty board it holds cell 0. A cell is a null point when its three class-1
corners are decided so that no letter fits; it counts as filled for the corners round it. When the corners of a cell
change so that automatic filling may apply, the cell is pushed on `pending`; `due` checks whether it still applies.

All functions keep to what numba compiles: no object but this tuple of arrays, no dict, no exception. The caller
ensures that a cell is on the frontier, that the letter fits, and that the cell is below `n[CELLS]` (else: `grown`).
"""

from typing import NamedTuple

from engine.hex import hexes
from engine.hex.tables import MAX_RINGS, MAX_TILES, geometry, tile_tables
from engine.hex.tiles import Tile

EMPTY, NULL = -1, -2
"""In `tile`: the cell is empty; no tile ever fits."""
FREE, GONE = -1, -2
"""In `where`: not next to a tile; filled or null. Otherwise the cell's place in `frontier`."""

LAID, FRONTIER, DECIDED, CLOSED, NULLS, PENDING, LOOPS, PARTS, FITTED, CELLS, STAMP = range(11)
"""Places in `n`. The first six are heights of stacks. LOOPS: loops on the board. PARTS: corner classes with colours.
FITTED: whether colours can disagree. CELLS: tiles may lie on cells below this. STAMP: for `seen`."""

FRAME = 8
"""Integers in `trail` for each tile: its cell's slot in the frontier; the earlier heights of frontier (less that cell),
decided and closed; for each class the root joined to another, or -1 if the bridge closed a loop; and, where colours
can disagree, the earlier heights of nulls and pending."""
SHAPE = 10
"""Integers in `shape` for each tile: for class 1, then 2: tip, both bridge ends, colour of the tip, of the bridge."""

_BR, _L, _TR = hexes.BR, hexes.L, hexes.TR
_FIRST_RINGS = 4


class Board(NamedTuple):
    """One board. Lists when interpreted; the compiled twin holds the same fields as arrays."""

    near: list[int]
    """6 * cell + direction -> cell. This and the next five never change."""
    corner: list[int]
    """6 * cell + which corner -> corner."""
    around: list[int]
    """3 * corner + 0, 1, 2 -> cell."""
    shape: list[int]
    fits: list[int]
    """Colours of the L, TR and BR corners as digits to base 3 -> set of tiles that fit, tile i as bit 1 << i."""
    forced: list[int]
    """The same -> the tile an automatic move puts there, or -1."""
    tile: list[int]
    """Cell -> tile, EMPTY or NULL."""
    where: list[int]
    """Cell -> place in the frontier, FREE or GONE."""
    frontier: list[int]
    filled: list[int]
    """Corner -> how many of its cells are filled or null."""
    colour: list[int]
    """Corner -> the seat it belongs to, 0 while no tile touches it."""
    parent: list[int]
    corners: list[int]
    bridges: list[int]
    full: list[int]
    laid: list[int]
    """Cells in the order they were filled."""
    decided: list[int]
    """Coloured corners in the order they were first touched."""
    closed: list[int]
    nulls: list[int]
    null_slots: list[int]
    pending: list[int]
    trail: list[int]
    n: list[int]
    seen: list[int]
    """Scratch of `flood`, not restored by `undo`."""
    queue: list[int]
    marked: list[int]
    """Scratch of `endings`, not restored either."""


def new(tileset: tuple[Tile, ...], auto: str = "none", rings: int = _FIRST_RINGS) -> Board:
    """An empty board on which tiles may lie in the first `rings` rings round cell 0.

    `auto`: none, limited or full, the automatic moves (docs/rules.md 3).
    """
    near, corner, around = geometry(rings)
    shape, fits, forced, parts = tile_tables(tileset, auto)
    cells, corners = len(near) // 6, len(near) // 3
    tiles = min(hexes.count(rings), MAX_TILES)
    beside = min(cells, 6 * tiles + 1)  # cells next to a tile; twice as many corners are decided
    where = [FREE] * cells
    where[0] = 0
    n = [0] * (STAMP + 1)
    n[FRONTIER] = 1
    n[PARTS] = parts
    n[FITTED] = int(0 in fits)
    n[CELLS] = hexes.count(rings)
    return Board(
        near,
        corner,
        around,
        shape,
        fits,
        forced,
        tile=[EMPTY] * cells,
        where=where,
        frontier=[0] * beside,
        filled=[0] * corners,
        colour=[0] * corners,
        parent=list(range(corners)),
        corners=[1] * corners,
        bridges=[0] * corners,
        full=[0] * corners,
        laid=[0] * tiles,
        decided=[0] * (2 * beside),
        closed=[0] * (2 * beside),
        nulls=[0] * beside,
        null_slots=[0] * beside,
        pending=[0] * (2 * beside),
        trail=[0] * (FRAME * tiles),
        n=n,
        seen=[0] * corners,
        queue=[0] * corners,
        marked=[0] * corners,
    )


def grown(b: Board, tileset: tuple[Tile, ...], auto: str, cell: int) -> Board:
    """A board in the same state with room for a tile on `cell`. Cells and corners keep their numbers."""
    rings = _FIRST_RINGS
    while hexes.count(rings) <= cell:
        rings = min(2 * rings, MAX_RINGS)
    more = new(tileset, auto, rings)
    cells = more.n[CELLS]
    for name, old, fresh in zip(Board._fields, b, more, strict=True):
        if name in _STATE:
            fresh[: len(old)] = old
    more.n[CELLS] = cells
    return more


_STATE = frozenset(Board._fields[Board._fields.index("tile") :])


def place(b: Board, cell: int, tile: int) -> None:
    """Lay a tile on a frontier cell where it fits, and keep groups, frontier and null points up to date."""
    (near, corner, around, shape, fits, forced, tiles, where, frontier, filled, colour, parent, corners, bridges, full,
     laid, decided, closed, _nulls, _slots, pending, trail, n, _seen, _queue, _marked) = b  # fmt: skip
    count = n[LAID]
    laid[count] = cell
    n[LAID] = count + 1
    tiles[cell] = tile
    slot = where[cell]
    height = n[FRONTIER] - 1
    last = frontier[height]
    frontier[slot] = last
    where[last] = slot
    where[cell] = GONE
    d = first_new = n[DECIDED]
    frame = FRAME * count
    trail[frame] = slot
    trail[frame + 1] = height
    trail[frame + 2] = d
    trail[frame + 3] = n[CLOSED]
    base = 6 * cell
    for k in range(base, base + 6):
        other = near[k]
        if where[other] == FREE:
            where[other] = height
            frontier[height] = other
            height += 1
    n[FRONTIER] = height
    s = SHAPE * tile
    for part in range(n[PARTS]):
        tip = corner[base + shape[s]]
        before = filled[tip]
        filled[tip] = before + 1
        if before == 0:
            colour[tip] = shape[s + 3]
            decided[d] = tip
            d += 1
        elif before == 2:
            up = parent[tip]
            while up != tip:
                tip = up
                up = parent[tip]
            full[tip] += 1
        p = corner[base + shape[s + 1]]
        touched = filled[p]
        filled[p] = touched + 1
        if touched == 0:
            colour[p] = shape[s + 4]
            decided[d] = p
            d += 1
        else:
            up = parent[p]
            while up != p:
                p = up
                up = parent[p]
            if touched == 2:
                full[p] += 1
        q = corner[base + shape[s + 2]]
        touched = filled[q]
        filled[q] = touched + 1
        if touched == 0:
            colour[q] = shape[s + 4]
            decided[d] = q
            d += 1
        else:
            up = parent[q]
            while up != q:
                q = up
                up = parent[q]
            if touched == 2:
                full[q] += 1
        if p == q:
            bridges[p] += 1
            n[LOOPS] += 1
            trail[frame + 4 + part] = -1
        else:
            if corners[p] < corners[q]:
                p, q = q, p
            parent[q] = p
            corners[p] += corners[q]
            bridges[p] += bridges[q] + 1
            full[p] += full[q]
            trail[frame + 4 + part] = q
        if full[p] == corners[p]:
            closed[n[CLOSED]] = p
            n[CLOSED] += 1
        if before == 2 and full[tip] == corners[tip] and tip != p and parent[tip] == tip:
            closed[n[CLOSED]] = tip
            n[CLOSED] += 1
        s += 5
    n[DECIDED] = d
    if n[FITTED]:
        trail[frame + 6] = n[NULLS]
        trail[frame + 7] = n[PENDING]
        for i in range(first_new, d):
            for k in range(3 * decided[i], 3 * decided[i] + 3):
                other = around[k]
                if where[other] >= 0:
                    state = 9 * colour[corner[6 * other + _L]] + 3 * colour[corner[6 * other + _TR]]
                    state += colour[corner[6 * other + _BR]]
                    if fits[state] == 0:
                        _nullify(b, other)
                    elif forced[state] >= 0:
                        pending[n[PENDING]] = other
                        n[PENDING] += 1


def undo(b: Board) -> None:
    """Take the last tile off again and restore everything but scratch."""
    (_near, corner, _around, shape, _fits, _forced, tiles, where, frontier, filled, colour, parent, corners, bridges,
     full, laid, _decided, _closed, _nulls, _slots, _pending, trail, n, _seen, _queue, _marked) = b  # fmt: skip
    n[LAID] -= 1
    cell = laid[n[LAID]]
    frame = FRAME * n[LAID]
    n[CLOSED] = trail[frame + 3]
    if n[FITTED]:
        n[PENDING] = trail[frame + 7]
        while n[NULLS] > trail[frame + 6]:
            _revive(b)
    base = 6 * cell
    for part in range(n[PARTS] - 1, -1, -1):
        s = SHAPE * tiles[cell] + 5 * part
        child = trail[frame + 4 + part]
        if child < 0:
            root = find(b, corner[base + shape[s + 1]])
            bridges[root] -= 1
            n[LOOPS] -= 1
        else:
            root = parent[child]
            parent[child] = child
            corners[root] -= corners[child]
            bridges[root] -= bridges[child] + 1
            full[root] -= full[child]
        for k in range(s, s + 3):
            c = corner[base + shape[k]]
            filled[c] -= 1
            if filled[c] == 0:
                colour[c] = 0
            elif filled[c] == 2:
                full[find(b, c)] -= 1
    n[DECIDED] = trail[frame + 2]
    height = n[FRONTIER]
    while height > trail[frame + 1]:
        height -= 1
        where[frontier[height]] = FREE
    tiles[cell] = EMPTY
    _back(b, cell, trail[frame], height)


def find(b: Board, corner: int) -> int:
    """The root of a corner's group; a corner that no tile touches is its own root."""
    parent = b.parent
    while parent[corner] != corner:
        corner = parent[corner]
    return corner


def loops(b: Board, root: int) -> int:
    """How many bounded regions a group's drawing encloses."""
    return b.bridges[root] - b.corners[root] + 1


def state(b: Board, cell: int) -> int:
    """Index into `fits` and `forced`: the colours decided at the cell's class-1 corners."""
    colour, corner = b.colour, b.corner
    return 9 * colour[corner[6 * cell + _L]] + 3 * colour[corner[6 * cell + _TR]] + colour[corner[6 * cell + _BR]]


def due(b: Board, since: int) -> int:
    """The lowest cell, pending from height `since`, that an automatic move must fill; -1 if there is none."""
    lowest = -1
    for i in range(since, b.n[PENDING]):
        cell = b.pending[i]
        if b.where[cell] >= 0 and (lowest < 0 or cell < lowest) and b.forced[state(b, cell)] >= 0:
            lowest = cell
    return lowest


def _nullify(b: Board, cell: int) -> None:
    n, where, frontier = b.n, b.where, b.frontier
    n[FRONTIER] -= 1
    last = frontier[n[FRONTIER]]
    b.nulls[n[NULLS]] = cell
    b.null_slots[n[NULLS]] = where[cell]
    n[NULLS] += 1
    frontier[where[cell]] = last
    where[last] = where[cell]
    where[cell] = GONE
    b.tile[cell] = NULL
    for k in range(6 * cell + 1, 6 * cell + 6, 2):
        c = b.corner[k]
        b.filled[c] += 1
        if b.filled[c] == 3:
            root = find(b, c)
            b.full[root] += 1
            if b.full[root] == b.corners[root]:
                b.closed[n[CLOSED]] = root
                n[CLOSED] += 1


def _revive(b: Board) -> None:
    n = b.n
    n[NULLS] -= 1
    cell = b.nulls[n[NULLS]]
    for k in range(6 * cell + 1, 6 * cell + 6, 2):
        c = b.corner[k]
        b.filled[c] -= 1
        if b.filled[c] == 2:
            b.full[find(b, c)] -= 1
    b.tile[cell] = EMPTY
    _back(b, cell, b.null_slots[n[NULLS]], n[FRONTIER])


def _back(b: Board, cell: int, slot: int, height: int) -> None:
    """Put a cell back at its old place in the frontier; the cell that took that place returns to the top."""
    if slot < height:
        moved = b.frontier[slot]
        b.frontier[height] = moved
        b.where[moved] = height
    b.frontier[slot] = cell
    b.where[cell] = slot
    b.n[FRONTIER] = height + 1
