"""What lies inside the loops of a group (docs/rules.md 2, Enclosure). Hot code in the sense of `board`.

Theory of operation. The bridges and corners of a group draw walls in the plane; its loops are the bounded regions.
All of them together are what cannot be reached from far away without crossing a wall, so one flood answers for a group.
It walks over the corners of the class the group is not in. Every region has such a corner, no drawing of the group
touches one, and within a cell they are all connected, unless a bridge of the group runs through the cell: that parts
the corner between its ends, which is the tile's tip of the other class, from the other two. Arcs are no walls. Empty
cells are walked only along the frontier, which is enough: tiles hang together, so the frontier cells of one empty
region do too.
"""

from engine.board import FREE, LAID, SHAPE, STAMP, Board
from engine.hexes import TL, TR


def flood(b: Board, root: int) -> int:
    """Mark in `seen`, with the stamp returned, what is outside all loops of the group with this root."""
    near, corner, around, shape, tiles, where = b.near, b.corner, b.around, b.shape, b.tile, b.where
    parent, seen, queue, n = b.parent, b.seen, b.queue, b.n
    n[STAMP] += 1
    stamp = n[STAMP]
    own = root & 1
    # The outermost tile has a neighbour in a ring without tiles: its highest.
    outer = 0
    for i in range(n[LAID]):
        outer = max(outer, b.laid[i])
    start = 0
    for k in range(6 * outer, 6 * outer + 6):
        start = max(start, near[k])
    height = 1
    queue[0] = corner[6 * start + own]
    seen[queue[0]] = stamp
    while height:
        height -= 1
        at = queue[height]
        for k in range(3 * at, 3 * at + 3):
            cell = around[k]
            base = 6 * cell
            lonely = -1
            tile = tiles[cell]
            if tile >= 0:
                end = corner[base + shape[SHAPE * tile + 5 * own + 1]]
                while parent[end] != end:
                    end = parent[end]
                if end == root:
                    lonely = corner[base + shape[SHAPE * tile + 5 * (1 - own)]]
                    if lonely == at:
                        continue
            elif where[cell] == FREE:
                continue
            for c in range(base + own, base + 6, 2):
                to = corner[c]
                if seen[to] != stamp and to != lonely:
                    seen[to] = stamp
                    queue[height] = to
                    height += 1
    return stamp


def inside(b: Board, corner: int, root: int, stamp: int) -> bool:
    """Whether a corner of another group lies in a loop of the group that was flooded."""
    if (corner ^ root) & 1 == 0:
        # Same class: ask the other end of an edge from here; no drawing crosses an edge.
        corner = b.corner[6 * (corner >> 1) + (TL if corner & 1 == 0 else TR)]
    return b.seen[corner] != stamp
