"""Monte Carlo tree search with a solver, placement by placement. Hot code.

Theory of operation. Each playout walks from the root along the most promising edges, lays their tiles, plays on at
random from the leaf, and adds the result to all nodes it passed. All ways to a node share its mean (`tree`), but each
edge counts its own tries, as UCT on a graph requires. Ends and wins in one turn are proofs, and proofs are backed up:
a node is won for its mover when one edge is won, and lost when all are. A placement that does not touch a cell on
which the opponent threatens to win gets a bias so low that it is tried only when all others are proved lost. So a
proof never leaves out a move.
"""

from math import log, sqrt

from engine.hex.board import CELLS, FRONTIER, LAID, Board, state
from engine.search.kernel import (
    ANYWHERE,
    FIRST,
    LETTERS,
    MOVER,
    NONE,
    OWED,
    PLACEMENTS,
    RANDOM,
    RESULT,
    SIZE,
    advance,
    any_cell,
    any_tile,
    below,
    drop,
    lift,
    restore,
    stuck,
)
from engine.search.prior import appraise
from engine.search.threats import THREAT, WINS, Scratch, adjacent, look, refuted
from engine.search.tree import (
    BIAS,
    DECISIVE,
    DRAW,
    DUBIOUS,
    EDGES,
    ENDS,
    EXPAND_AT,
    EXPLORE,
    FIRST_PLAY,
    NODES,
    PRIOR,
    RAVE,
    ROOT,
    SHARED,
    SIMULATION,
    SOLVER,
    THREATS,
    Tree,
)

_REGRETS = 2
"""How often a playout takes back a tile that loses at once."""
_SEAT2_MOVES = 7
"""The index in `zobrist` for seat 2 to move; cell * 8 + 7 means that a second tile is owed beside that cell."""


def prepare(b: Board, how: list[int], g: list[int], t: Tree, s: Scratch, p: list[float]) -> bool:
    """Make the position on the board the root. True if the mover wins in this turn; `s.found` says how. With THREATS,
    it looks at every turn and proves each one that loses to a win in one turn."""
    if 2 * t.n[EDGES] > t.move.size or 2 * t.n[NODES] > t.key.size:
        forget(t)
    key = 0
    for i in range(b.n[LAID]):
        key ^= t.zobrist[8 * b.laid[i] + b.tile[b.laid[i]]]
    root = node_for(b, how, g, t, s, p, key, True)
    t.n[ROOT] = root
    if p[THREATS] > 0 and look(b, how, s, g[MOVER], g[OWED], g[FIRST], True) == WINS:
        t.proof[root] = g[MOVER]
        return True
    if t.first[root] < 0:
        expand(b, how, g, t, root, p)
    if p[THREATS] >= 1 and t.proof[root] == 0:
        sweep(b, how, g, t, s, p, root, key)
    return False


def forget(t: Tree) -> None:
    """Empty a tree that is too full for another search."""
    t.n[NODES] = ENDS
    t.n[EDGES] = 0
    t.slots[:] = 0
    t.first[ENDS:] = -1
    t.proof[ENDS:] = 0
    t.visits[ENDS:] = 0
    t.wins[ENDS:] = 0
    t.danger[:] = -1


def follow(b: Board, how: list[int], g: list[int], move: int) -> None:
    """Lay the tile of an edge, not to be undone."""
    advance(b, how, g, move >> 3, drop(b, how, g[MOVER], move >> 3, move & 7))


def sweep(b: Board, how: list[int], g: list[int], t: Tree, s: Scratch, p: list[float], root: int, key: int) -> None:
    """Make the nodes of a whole turn, and so prove what can be proved about them."""
    mover, owed, near = g[MOVER], g[OWED], g[FIRST]
    laid = b.n[LAID]
    for e in range(t.first[root], t.first[root] + t.count[root]):
        child, key1 = step(b, how, g, t, s, p, e, key, True)
        if owed == 2 and t.proof[child] == 0 and t.first[child] < 0:
            expand(b, how, g, t, child, p)
        if owed == 2 and t.proof[child] == 0 and t.first[child] >= 0:
            between, middle = b.n[LAID], g[FIRST]
            for f in range(t.first[child], t.first[child] + t.count[child]):
                step(b, how, g, t, s, p, f, key1, True)
                lift(b, between)
                g[MOVER], g[OWED], g[FIRST], g[RESULT] = mover, 1, middle, NONE
            settle(t, child, mover)
        lift(b, laid)
        g[MOVER], g[OWED], g[FIRST], g[RESULT] = mover, owed, near, NONE
    settle(t, root, mover)


def step(b: Board, how: list[int], g: list[int], t: Tree, s: Scratch, p: list[float], e: int, key: int,
         exact: bool) -> tuple[int, int]:  # fmt: skip
    """Lay the tile of an edge; returns the node it leads to and the key of the tiles."""
    cell, tile = t.move[e] >> 3, t.move[e] & 7
    laid = b.n[LAID]
    result = drop(b, how, g[MOVER], cell, tile)
    advance(b, how, g, cell, result)
    for i in range(laid, b.n[LAID]):
        key ^= t.zobrist[8 * b.laid[i] + b.tile[b.laid[i]]]
    if result != NONE:
        t.child[e] = result if result > 0 else DRAW
    elif t.child[e] == 0:
        t.child[e] = node_for(b, how, g, t, s, p, key, exact)
    child: int = t.child[e]
    return child, key


def node_for(b: Board, how: list[int], g: list[int], t: Tree, s: Scratch, p: list[float], key: int,
             exact: bool) -> int:  # fmt: skip
    """The node of the position on the board, a new one if there is none; 0 if there is no room for it."""
    if g[MOVER] == 2:
        key ^= t.zobrist[_SEAT2_MOVES]
    if g[FIRST] >= 0:
        key ^= t.zobrist[8 * g[FIRST] + 15]
    mask = t.slots.size - 1
    slot = key & mask
    if p[SHARED] > 0:
        while t.slots[slot] and t.key[t.slots[slot]] != key:
            slot = (slot + 1) & mask
        known: int = t.slots[slot]
        if known:
            return known
    node: int = t.n[NODES]
    if node >= t.key.size:
        return 0
    t.n[NODES] += 1
    if p[SHARED] > 0:
        t.slots[slot] = node
    t.key[node] = key
    if p[THREATS] >= 1:
        # Where a turn is one tile, trying every tile costs less than a playout that overlooks the win.
        seen = look(b, how, s, g[MOVER], g[OWED], g[FIRST], exact or how[PLACEMENTS] == 1)
        if seen == WINS:
            t.proof[node] = g[MOVER]
        elif seen == THREAT:
            t.danger[2 * node] = 8 * s.found[0] + s.found[1]
            t.danger[2 * node + 1] = 8 * s.found[2] + s.found[3] if s.found[2] >= 0 else NONE
    return node


def expand(b: Board, how: list[int], g: list[int], t: Tree, node: int, p: list[float]) -> None:
    """Give a node its edges, all legal placements; if there is no room for them, leave it as it is."""
    n = b.n
    if t.n[EDGES] + n[FRONTIER] * how[LETTERS] > t.move.size:
        return
    start = t.n[EDGES]
    edge = start
    near = g[FIRST]
    danger1, danger2 = t.danger[2 * node] >> 3, t.danger[2 * node + 1] >> 3
    last = b.laid[n[LAID] - 1] if n[LAID] > 0 else 0
    for i in range(n[FRONTIER]):
        cell = b.frontier[i]
        if cell >= n[CELLS] or (near >= 0 and not adjacent(b, near, cell)):
            continue
        fits = b.fits[state(b, cell)]
        hole = stuck(b, how, g, cell)
        dubious = False
        if danger1 >= 0:
            dubious = cell != danger1 and cell != danger2
            if dubious and g[OWED] == 2:
                dubious = how[ANYWHERE] == 0 and not (
                    adjacent(b, cell, danger1) or (danger2 >= 0 and adjacent(b, cell, danger2))
                )
        bias = p[BIAS] if adjacent(b, cell, last) else 0.0
        for tile in range(how[LETTERS]):
            if fits >> tile & 1:
                if hole:
                    laid = n[LAID]
                    result = drop(b, how, g[MOVER], cell, tile)
                    lift(b, laid)
                    if result == NONE:
                        continue
                t.move[edge] = 8 * cell + tile
                t.child[edge] = 0
                t.tried[edge] = 0
                t.later_n[edge] = 0
                t.later_w[edge] = 0
                t.bias[edge] = DUBIOUS if dubious else bias
                t.prior[edge] = 0.0
                edge += 1
    if p[PRIOR] > 0:
        appraise(b, g, t, start, edge)
    t.first[node] = start
    t.count[node] = edge - start
    t.n[EDGES] = edge


def settle(t: Tree, node: int, mover: int) -> None:
    """Prove a node if its edges prove it."""
    if t.proof[node] or t.first[node] < 0:
        return
    best = 3 - mover
    for e in range(t.first[node], t.first[node] + t.count[node]):
        proof = t.proof[t.child[e]]
        if proof == mover:
            t.proof[node] = mover
            return
        if proof == 0:
            best = 0
        elif proof == DRAW and best != 0:
            best = DRAW
    t.proof[node] = best


def select(t: Tree, node: int, mover: int, p: list[float]) -> int:
    """The most promising edge that is not proved lost; -1 if there is none."""
    visits = t.visits[node]
    mean = t.wins[node] / visits if visits else 0.5
    if mover == 2:
        mean = 1 - mean
    pull = p[PRIOR] * sqrt(visits + 1.0)
    spread = p[EXPLORE] * sqrt(log(visits + 1.0))
    best, best_value = -1, -1e30
    for e in range(t.first[node], t.first[node] + t.count[node]):
        child = t.child[e]
        proof = t.proof[child]
        if proof == 3 - mover:
            continue
        tried = t.tried[e]
        if proof == DRAW:
            value = 0.5
        elif child and t.visits[child] and tried:
            value = t.wins[child] / t.visits[child]
            if mover == 2:
                value = 1 - value
        else:
            value = mean + p[FIRST_PLAY]
        if p[RAVE] > 0 and t.later_n[e] > 0:
            later = t.later_w[e] / t.later_n[e]
            beta = sqrt(p[RAVE] / (3 * tried + p[RAVE]))
            sure = t.later_n[e] / (t.later_n[e] + 4)
            value += beta * sure * (later - value)
        value += spread / sqrt(tried + 1.0) + (t.bias[e] + pull * t.prior[e]) / (tried + 1)
        if value > best_value:
            best, best_value = e, value
    return best


def play_out(b: Board, how: list[int], g: list[int], t: Tree, s: Scratch, p: list[float], order: int) -> int:
    """Play on to the end at random, except that a win in one turn is played or prevented; returns the result."""
    n = b.n
    clever = p[DECISIVE] > 0
    simulation = t.n[SIMULATION]
    again = 0
    while g[RESULT] == NONE:
        cell = -1
        if clever and again == 0 and g[FIRST] < 0 and g[OWED] == min(how[PLACEMENTS], how[SIZE] - n[LAID]):
            seen = look(b, how, s, g[MOVER], g[OWED], NONE, False)
            if seen == WINS:
                g[RESULT] = g[MOVER]
                break
            if seen == THREAT:
                cell = s.found[0]
                if s.found[2] >= 0 and below(g, 2):
                    cell = s.found[2]
        if cell < 0:
            cell = any_cell(b, g)
        if cell < 0 or cell >= n[CELLS]:
            g[RESULT] = 0
            break
        laid, mover = n[LAID], g[MOVER]
        tile = any_tile(b, how, g, cell)
        result = drop(b, how, mover, cell, tile)
        lost = clever and result == 3 - mover and again < _REGRETS
        if lost or (result == NONE and g[OWED] == 2 and stuck(b, how, g, cell)):
            lift(b, laid)
            again += 1
            continue
        again = 0
        t.who[cell] = simulation
        t.what[cell] = 16 * tile + mover
        t.when[cell] = order
        order += 1
        advance(b, how, g, cell, result)
    return g[RESULT]


def search(b: Board, saved: Board, how: list[int], g: list[int], begin: list[int], reach: list[int], t: Tree,
           s: Scratch, p: list[float], budget: int,
           fresh: bool) -> int:  # fmt: skip
    """Do so many playouts from the root, or fewer if it is proved earlier; returns how many. `fresh`: call `prepare`
    first, and return -1 if the mover wins in this turn; `s.found` says how."""
    if fresh and prepare(b, how, g, t, s, p):
        return -1
    root = t.n[ROOT]
    start = 0
    for i in range(b.n[LAID]):
        start ^= t.zobrist[8 * b.laid[i] + b.tile[b.laid[i]]]
    for done in range(budget):
        if t.proof[root]:
            return done
        t.n[SIMULATION] += 1
        simulation = t.n[SIMULATION]
        for i in range(RANDOM):
            g[i] = begin[i]
        node, key, depth = root, start, 0
        while True:
            t.path_node[depth] = node
            t.path_mover[depth] = g[MOVER]
            proof = t.proof[node]
            if proof:
                result = proof if proof < DRAW else 0
                break
            if t.first[node] < 0 and (t.visits[node] + 1 >= p[EXPAND_AT] or node == root):
                expand(b, how, g, t, node, p)
            if t.first[node] < 0:
                result = play_out(b, how, g, t, s, p, depth)
                break
            e = select(t, node, g[MOVER], p)
            if e < 0:
                settle(t, node, g[MOVER])
                continue
            if (
                t.bias[e] == DUBIOUS
                and t.child[e] == 0
                and refuted(b, how, g, t.move[e], t.danger[2 * node], t.danger[2 * node + 1])
            ):
                t.child[e] = 3 - g[MOVER]
                continue
            t.path_edge[depth] = e
            cell = t.move[e] >> 3
            t.who[cell] = simulation
            t.what[cell] = 16 * (t.move[e] & 7) + g[MOVER]
            t.when[cell] = depth
            depth += 1
            node, key = step(b, how, g, t, s, p, e, key, False)
            if node == 0:
                result = play_out(b, how, g, t, s, p, depth)
                depth -= 1
                break
        back_up(t, p, depth, result)
        restore(b, saved, reach)
    return budget


def back_up(t: Tree, p: list[float], depth: int, result: int) -> None:
    """Add a result to the nodes and edges of the path, from its end to the root."""
    won1 = 0.5 if result == 0 else 1.0 if result == 1 else 0.0
    simulation = t.n[SIMULATION]
    for d in range(depth, -1, -1):
        node, mover = t.path_node[d], t.path_mover[d]
        t.visits[node] += 1
        t.wins[node] += won1
        first = t.first[node]
        if first < 0 or t.proof[node]:
            continue
        if d < depth:
            e = t.path_edge[d]
            t.tried[e] += 1
            if p[SOLVER] > 0 and t.proof[t.child[e]]:
                settle(t, node, mover)
        if p[RAVE] > 0:
            won = won1 if mover == 1 else 1 - won1
            for e in range(first, first + t.count[node]):
                cell = t.move[e] >> 3
                if t.who[cell] == simulation and t.what[cell] == 16 * (t.move[e] & 7) + mover and t.when[cell] >= d:
                    t.later_n[e] += 1
                    t.later_w[e] += won
