"""How good a placement looks before it has been tried: the sum of learned weights. Hot code.

Theory of operation. A placement has a dozen marks: for each group that the tile would touch, whose it is, how large it
is, and how many empty cells lie round it before and after; which neighbours of the cell hold tiles; how recent these
are; how many cells it makes null points or leaves to automatic moves. Each mark has a weight in a table, and the sums
of a node's edges become shares of 1 (softmax). No tile is laid: one pass over the frontier finds the empty cells round
each group as a set of bits, and the sets say the rest. `bench/learn.py` learns the weights, `weights` keeps them.
"""

from math import exp

from engine.hex.board import DECIDED, FITTED, FREE, FRONTIER, GONE, LAID, PARTS, SHAPE, Board, find
from engine.hex.hexes import BR, TR, L
from engine.search.kernel import MOVER, OWED
from engine.search.tree import DUBIOUS, Tree

PLACES = 56
"""Bits for the cells of the frontier, by their places; six more are for cells that this tile makes part of it."""
MANY = 8
"""So many empty cells or more are one number."""
RECENT = 4
"""How many of the last tiles count as recent."""

ROOTS, BEFORE, AFTER, FILLED, NEWS, NULLED, FORCED = 0, 6, 12, 18, 19, 20, 21
"""Places in `local`. The first three for each corner of the cell: the root of the group there or -1, how many empty
cells it has, and which it has after a tile on this cell. FILLED: the neighbours with a tile. NEWS: the recent ones.
The last two are about a tile: how many cells it makes null points, and how many it leaves to automatic moves."""

BRIDGE = 0
JOINED = BRIDGE + 2 * 9 * 4 * 5
TIP = JOINED + 2 * 7 * 7 * 7
PAIRS = TIP + 2 * 7 * 7 * 2 * 2
PLACE = PAIRS + 4 * 81
RECENTLY = PLACE + 2 * 64
CAUSED = RECENTLY + 16
BLOCK = CAUSED + 2 * 16
"""Where the weights of each kind of mark begin. A table has one block for the first of two placements, and one for any
other."""
TABLE = 2 * BLOCK


def appraise(b: Board, g: list[int], t: Tree, first: int, end: int) -> None:
    """Give each of these edges of one node its share in `t.prior`; a dubious one gets next to none."""
    liberties(b, t)
    last = -1
    top = -1e30
    for e in range(first, end):
        t.prior[e] = -99.0
        if t.bias[e] > DUBIOUS:
            cell = t.move[e] >> 3
            if cell != last:
                surround(b, t, cell)
                last = cell
            total = 0.0
            for i in range(describe(b, t, g, cell, t.move[e] & 7)):
                total += t.table[t.marks[i]]
            t.prior[e] = total
        top = max(top, t.prior[e])
    total = 0.0
    for e in range(first, end):
        t.prior[e] = exp(t.prior[e] - top)
        total += t.prior[e]
    for e in range(first, end):
        t.prior[e] /= total


def liberties(b: Board, t: Tree) -> None:
    """Find the empty cells round each group: `t.free` at its root."""
    for i in range(b.n[DECIDED]):
        t.free[b.decided[i]] = 0
    for i in range(b.n[FRONTIER]):
        cell = b.frontier[i]
        bit = 1 << (i % PLACES)
        for k in range(6 * cell, 6 * cell + 6):
            if b.colour[b.corner[k]] > 0:
                t.free[find(b, b.corner[k])] |= bit


def amount(bits: int) -> int:
    """How many bits are set, at most MANY."""
    found = 0
    while bits != 0 and found < MANY:
        bits &= bits - 1
        found += 1
    return found


def surround(b: Board, t: Tree, cell: int) -> None:
    """Fill `t.local` for an empty cell. Needs `liberties` first."""
    own = 1 << (b.where[cell] % PLACES)
    filled, news = 0, 0
    for k in range(6):
        corner = b.corner[6 * cell + k]
        root, bits = -1, 0
        if b.colour[corner] > 0:
            root = find(b, corner)
            bits = t.free[root]
        t.local[ROOTS + k] = root
        t.local[BEFORE + k] = amount(bits)
        for side in range(k + 1, k + 3):  # corner k lies between the neighbours in these two directions
            where = b.where[b.near[6 * cell + side % 6]]
            if where >= 0:
                bits |= 1 << (where % PLACES)
            elif where == FREE:
                bits |= 1 << (PLACES + side % 6)
        t.local[AFTER + k] = bits & ~own
        other = b.near[6 * cell + k]
        if b.tile[other] >= 0:
            filled |= 1 << k
            for i in range(min(RECENT, b.n[LAID])):
                if b.laid[b.n[LAID] - 1 - i] == other:
                    news |= 1 << i
    t.local[FILLED] = filled
    t.local[NEWS] = news


def describe(b: Board, t: Tree, g: list[int], cell: int, tile: int) -> int:
    """Write the marks of a placement to `t.marks`; returns how many. Needs `surround` first."""
    mover = g[MOVER]
    base = BLOCK if g[OWED] == 1 else 0
    lasting = ~taken(b, t, cell, tile) if b.n[FITTED] else -1
    height = 0
    bridge1, bridge2, tip1, tip2 = MANY, MANY, MANY, MANY
    for part in range(b.n[PARTS]):
        s = SHAPE * tile + 5 * part
        tip, p, q = b.shape[s], b.shape[s + 1], b.shape[s + 2]
        at_tip, at_p, at_q = t.local[ROOTS + tip], t.local[ROOTS + p], t.local[ROOTS + q]
        corners = (b.corners[at_p] if at_p >= 0 else 1) + (b.corners[at_q] if at_q >= 0 else 1)
        size = 0 if corners <= 2 else 1 if corners == 3 else 2 if corners <= 5 else 3 if corners <= 8 else 4
        old = int(at_p >= 0) + int(at_q >= 0)
        if old == 2 and at_p == at_q:
            old = 3
        mine = int(b.shape[s + 4] == mover)
        after = amount((t.local[AFTER + p] | t.local[AFTER + q]) & lasting)
        before1, before2 = min(6, t.local[BEFORE + p]), min(6, t.local[BEFORE + q])
        t.marks[height] = base + BRIDGE + ((mine * 9 + after) * 4 + old) * 5 + size
        t.marks[height + 1] = (
            base + JOINED + ((mine * 7 + max(before1, before2)) * 7 + min(before1, before2)) * 7 + min(6, after)
        )
        if mine:
            bridge1 = min(7, after)
        else:
            bridge2 = min(7, after)
        mine = int(b.shape[s + 3] == mover)
        after = amount(t.local[AFTER + tip] & lasting)
        bridged = int(at_tip >= 0 and b.bridges[at_tip] > 0)
        same = int(at_tip >= 0 and at_tip in (at_p, at_q))
        before = min(6, t.local[BEFORE + tip])
        t.marks[height + 2] = base + TIP + (((mine * 7 + before) * 7 + min(6, after)) * 2 + bridged) * 2 + same
        if mine:
            tip1 = min(7, after)
        else:
            tip2 = min(7, after)
        height += 3
    t.marks[height] = base + PAIRS + 9 * bridge1 + bridge2
    t.marks[height + 1] = base + PAIRS + 81 + 9 * tip1 + tip2
    t.marks[height + 2] = base + PAIRS + 162 + 9 * bridge1 + tip2
    t.marks[height + 3] = base + PAIRS + 243 + 9 * tip1 + bridge2
    turn, filled = b.shape[SHAPE * tile], t.local[FILLED]
    turned = (filled >> turn | filled << (6 - turn)) & 63
    t.marks[height + 4] = base + PLACE + 64 * int(b.shape[SHAPE * tile + 3] == mover) + turned
    t.marks[height + 5] = base + RECENTLY + t.local[NEWS]
    if b.n[FITTED] == 0:
        return height + 6
    mine = int(b.shape[SHAPE * tile + 4] == mover)
    t.marks[height + 6] = base + CAUSED + (mine * 4 + min(3, t.local[NULLED])) * 4 + min(3, t.local[FORCED])
    return height + 7


def taken(b: Board, t: Tree, cell: int, tile: int) -> int:
    """The empty cells, as bits, that a tile makes null points or leaves to automatic moves."""
    bits, nulled, forced = 0, 0, 0
    s = SHAPE * tile
    for k in range(6):
        other = b.near[6 * cell + k]
        if b.where[other] == GONE:
            continue
        state, decided = 0, 0
        for which in (L, TR, BR):
            corner = b.corner[6 * other + which]
            colour = b.colour[corner]
            if colour == 0:
                if corner == b.corner[6 * cell + b.shape[s]]:
                    colour = b.shape[s + 3]
                elif corner in (b.corner[6 * cell + b.shape[s + 1]], b.corner[6 * cell + b.shape[s + 2]]):
                    colour = b.shape[s + 4]
                decided += int(colour > 0)
            state = 3 * state + colour
        if decided and (b.fits[state] == 0 or b.forced[state] >= 0):
            bits |= 1 << (b.where[other] % PLACES if b.where[other] >= 0 else PLACES + k)
            nulled += int(b.fits[state] == 0)
            forced += int(b.fits[state] != 0)
    t.local[NULLED] = nulled
    t.local[FORCED] = forced
    return bits
