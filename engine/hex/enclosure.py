"""What lies inside the loops of a group (docs/rules.md 2, Enclosure). Hot code in the sense of `board`.

Theory of operation. The bridges and corners of a group draw walls in the plane; its loops are the bounded regions.
Together the loops are everything that cannot be reached from far away without crossing a wall, so one flood is enough
for a group. The flood walks over the corners of the class that the group is not in. Every region has such a corner,
and the group's drawing touches none. Within a cell they are all connected, unless a bridge of the group runs through
the cell: the bridge separates the corner between its ends, which is the tile's tip of the other class, from the other
two. Arcs are not walls. The flood walks empty cells only along the frontier. That is enough: the tiles are connected,
so the frontier cells of one empty region are, too.
"""

from engine.hex.board import FREE, LAID, SHAPE, STAMP, Board
from engine.hex.hexes import TL, TR


def flood(b: Board, root: int) -> int:
    """Mark in `seen`, with the stamp returned, the corners outside all loops of the group with this root."""
    near, corner, around, shape, tiles, where = b.near, b.corner, b.around, b.shape, b.tile, b.where
    parent, seen, queue, n = b.parent, b.seen, b.queue, b.n
    n[STAMP] += 1
    stamp = n[STAMP]
    own = root & 1
    # The highest-numbered neighbour of the outermost tile is in a ring without tiles.
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
    """Whether a corner of another group is in a loop of the flooded group."""
    if (corner ^ root) & 1 == 0:
        # Same class: test the other end of an edge from here; no drawing crosses an edge.
        corner = b.corner[6 * (corner >> 1) + (TL if corner & 1 == 0 else TR)]
    return b.seen[corner] != stamp
