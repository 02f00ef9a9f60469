"""The search tree as flat arrays, and the numbers that tune the search.

A node is a position in the middle or at the beginning of a turn. A position reached in different ways is one node:
`slots` is a hash table from keys to nodes. A node's edges, the placements possible there, are side by side. The first
nodes are ends: node 1 is won by seat 1, node 2 by seat 2, node 3 is drawn.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

NODES, EDGES, ROOT, SIMULATION, DEPTH = range(5)
"""Places in `n`: heights of the two stacks, the root of the search, playouts so far, length of the path."""
SEAT1, SEAT2, DRAW, ENDS = 1, 2, 3, 4
"""The proofs, and the numbers of the nodes they belong to; ENDS: the first number of any other node."""

EXPLORE, RAVE, FIRST_PLAY, EXPAND_AT, THREATS, DECISIVE, BIAS, SHARED, SOLVER, PRIOR = range(10)
"""Places in the tuning numbers: weight of exploration; playouts at which the values of a move itself and of the same
move later weigh the same, 0 for no such values; value of an untried move in addition to its node's mean, where 1 or
more tries all first; visits before a leaf gets edges; whether nodes are searched for wins in one turn, where less than
1 means only the mover's wins at the root; whether playouts are; weight of the bias; whether positions reached in
different ways are one node; whether proofs are backed up; weight of the learned prior."""

PLAIN = (0.7, 0.0, 10.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""UCT as in textbooks, without extras."""
BLIND = (*PLAIN[:4], 0.5, *PLAIN[5:])
"""The same, but it does not overlook a turn with which it wins."""
FULL = (0.2, 200.0, -0.05, 3.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0)
LEARNED = (0.1, FULL[RAVE], -0.2, *FULL[EXPAND_AT:PRIOR], 1.0)
"""With the prior, which knows where to begin, the search explores less. Where a game has no weights, it is FULL."""

MAX_PATH = 1024
DUBIOUS = -1e6
"""The bias of an edge that is tried only when all others are proved lost."""


class Tree(NamedTuple):
    """`wins`: seat 1's; a draw is half a win. `danger`: at twice the node, the turn with which the player not to move
    would win, as two moves, -1 for none. `move`: 8 * cell + tile. `who`, `what`, `when`: cell -> playout, placement
    there and by whom, and its place in the playout's order, for the values of moves played later."""

    n: Any
    key: Any
    first: Any
    count: Any
    visits: Any
    proof: Any
    wins: Any
    danger: Any
    move: Any
    child: Any
    tried: Any
    later_n: Any
    later_w: Any
    bias: Any
    prior: Any
    free: Any
    local: Any
    marks: Any
    table: Any
    slots: Any
    zobrist: Any
    who: Any
    what: Any
    when: Any
    path_node: Any
    path_edge: Any
    path_mover: Any


def new_tree(nodes: int, edges: int, cells: int, table: Any) -> Tree:
    """An empty tree with room for so many nodes and edges, on a board of so many cells. `table`: the weights of the
    prior."""
    import numpy as np

    slots = 1 << (2 * nodes).bit_length()
    n = np.zeros(8, np.int64)
    n[NODES] = ENDS
    proof = np.zeros(nodes, np.int8)
    proof[1:ENDS] = (1, 2, 3)
    return Tree(
        n,
        np.zeros(nodes, np.int64),
        np.full(nodes, -1, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        proof,
        np.zeros(nodes, np.float64),
        np.full(2 * nodes, -1, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.float32),
        np.zeros(edges, np.float32),
        np.zeros(edges, np.float32),
        np.zeros(edges, np.float64),
        np.zeros(2 * cells, np.int64),
        np.zeros(22, np.int64),
        np.zeros(12, np.int32),
        table,
        np.zeros(slots, np.int32),
        zobrist(8 * cells + 8),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(MAX_PATH, np.int32),
        np.zeros(MAX_PATH, np.int32),
        np.zeros(MAX_PATH, np.int32),
    )


def zobrist(count: int) -> Any:
    """`count` fixed numbers of 63 bits without a pattern (splitmix64 of 1, 2, …)."""
    import numpy as np

    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)


def tuning(values: Sequence[float]) -> Any:
    """Tuning numbers in the form that the compiled search takes."""
    import numpy as np

    return np.array(values, np.float64)
