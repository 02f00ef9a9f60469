"""The rules in numbers alone: a placement with all it causes, and games played on at random. Hot code.

`how` is the rules as integers (`rules_in_numbers`): the fields named below, then for each way to win its row in
`goals.WINS` and its two numbers. `g` is the game's state beside the board. `engine.hex.goals`, `engine.hex.endings` and
`engine.hex.board` know what wins, what decides an ending and what an automatic move is. This module only asks them in
the same order as `engine.hex.play`, without words and values; `tests/engine/test_search.py` checks that the two agree.

All of it runs interpreted on lists and compiled on arrays, with the same results. Random numbers come from xorshift32.
"""

from engine.hex import hexes
from engine.hex.board import (
    CELLS,
    CLOSED,
    DECIDED,
    FITTED,
    FRONTIER,
    LAID,
    PENDING,
    STAMP,
    Board,
    due,
    place,
    state,
    undo,
)
from engine.hex.endings import ENDINGS, closed_groups, eaten_groups, largest, nothing, territory
from engine.hex.goals import WINS, closes, contains, eats, kills, rings
from engine.hex.play import Play
from engine.hex.rules import Rules
from engine.hex.tiles import TILESETS

SIZE, PLACEMENTS, ANYWHERE, CLOSING, ENDING, EAT_SIZE, LEAST_WINS, LETTERS, WAYS = range(9)
"""Places in `how`. CLOSING: only closing a group wins. LETTERS: tiles to choose from. WAYS: how many rows follow."""

MOVER, OWED, FIRST, RESULT, RANDOM = range(5)
"""Places in `g`. OWED: placements left in this turn. FIRST: the cell that the next tile must touch, or -1. RESULT:
NONE, or the seat that has won, 0 for a draw. RANDOM: the state of the random numbers, 1 to 2**32 - 1."""

NONE = -1

SCORES = (closes, eats, contains, kills, rings)
COUNTS = (nothing, eaten_groups, closed_groups, territory, largest, largest)
assert tuple(row.score for row in WINS) == SCORES
assert tuple(row.counts for row in ENDINGS) == COUNTS


def rules_in_numbers(rules: Rules) -> list[int]:
    """The vector `how`."""
    rows = [(i, *row.numbers(rules)) for i, row in enumerate(WINS) if row.when(rules)]
    ending = next(i for i, row in enumerate(ENDINGS) if row.when(rules))
    return [
        rules.size,
        rules.placements,
        int(rules.anywhere),
        int(all(WINS[i].by_closing for i, _, _ in rows)),
        ending,
        rules.eat_size,
        int(ENDINGS[ending].least_wins),
        len(TILESETS[rules.tileset]),
        len(rows),
        *(number for row in rows for number in row),
    ]


def state_in_numbers(play: Play, seed: int) -> list[int]:
    """The vector `g` of a game that is not over, at the beginning of a turn."""
    return [play.mover, play.owed, NONE, NONE, (seed * 2654435761 + 362437) % (2**32 - 1) + 1]


def restore_table(rings: int) -> list[int]:
    """The table `reach` of `restore` for a board of so many rings."""
    return [hexes.count(min(ring, rings) + 2) for ring in range(rings + 3) for _ in range(6 * ring or 1)]


def judged(b: Board, how: list[int], laid: int, closed: int, mover: int) -> int:
    """Who has won by the tiles from height `laid`, or NONE: `goals.judge` in numbers."""
    best1, best2 = 0, 0
    for i in range(how[WAYS]):
        row, least, size = how[WAYS + 1 + 3 * i], how[WAYS + 2 + 3 * i], how[WAYS + 3 + 3 * i]
        if row == 0:
            score1, _, score2, _ = closes(b, laid, closed, least, size)
        elif row == 1:
            score1, _, score2, _ = eats(b, laid, closed, least, size)
        elif row == 2:
            score1, _, score2, _ = contains(b, laid, closed, least, size)
        elif row == 3:
            score1, _, score2, _ = kills(b, laid, closed, least, size)
        else:
            score1, _, score2, _ = rings(b, laid, closed, least, size)
        if best1 == 0:
            best1 = score1
        if best2 == 0:
            best2 = score2
    if best1 == best2:
        return 3 - mover if best1 > 0 else NONE
    return 1 if best1 > best2 else 2


def counted(b: Board, how: list[int]) -> int:
    """Who wins when the tiles have run out, 0 for a draw: `endings.run_out` in numbers."""
    ending, size = how[ENDING], how[EAT_SIZE]
    if ending == 0:
        return 0
    if ending == 1:
        first1, second1, _ = eaten_groups(b, 1, size)
        first2, second2, _ = eaten_groups(b, 2, size)
    elif ending == 2:
        first1, second1, _ = closed_groups(b, 1, size)
        first2, second2, _ = closed_groups(b, 2, size)
    elif ending == 3:
        first1, second1, _ = territory(b, 1, size)
        first2, second2, _ = territory(b, 2, size)
    else:
        first1, second1, _ = largest(b, 1, size)
        first2, second2, _ = largest(b, 2, size)
    if first1 == first2 and second1 == second2:
        return 0
    more = 1 if first1 > first2 or (first1 == first2 and second1 > second2) else 2
    return 3 - more if how[LEAST_WINS] else more


def drop(b: Board, how: list[int], mover: int, cell: int, tile: int) -> int:
    """Lay a tile with its automatic moves and judge; returns who has won, 0 for a draw, or NONE."""
    n = b.n
    laid, closed, pending = n[LAID], n[CLOSED], n[PENDING]
    place(b, cell, tile)
    if n[PENDING] > pending:
        other = due(b, pending)
        while 0 <= other < n[CELLS] and n[LAID] < how[SIZE]:
            place(b, other, b.forced[state(b, other)])
            other = due(b, pending)
    result = NONE
    if n[CLOSED] > closed or how[CLOSING] == 0:
        result = judged(b, how, laid, closed, mover)
    if result == NONE and n[LAID] == how[SIZE]:
        result = counted(b, how)
    return result


def lift(b: Board, laid: int) -> None:
    """Take tiles off until `laid` are left."""
    while b.n[LAID] > laid:
        undo(b)


def advance(b: Board, how: list[int], g: list[int], cell: int, result: int) -> None:
    """Update the state after `drop`: who is to move, and how many tiles are owed."""
    g[RESULT] = result
    g[OWED] -= 1
    if g[OWED] == 0:
        g[MOVER] = 3 - g[MOVER]
        g[OWED] = min(how[PLACEMENTS], how[SIZE] - b.n[LAID])
        g[FIRST] = NONE
    elif how[ANYWHERE] == 0:
        g[FIRST] = cell


def stuck(b: Board, how: list[int], g: list[int], cell: int) -> bool:
    """Whether a tile just laid on this cell has no empty neighbour for the second tile that is owed next to it."""
    if g[OWED] < 2 or how[ANYWHERE]:
        return False
    for k in range(6 * cell, 6 * cell + 6):
        if b.where[b.near[k]] >= 0:
            return False
    return True


def below(g: list[int], bound: int) -> int:
    """A random number from 0 to bound - 1."""
    x = g[RANDOM]
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    x ^= (x << 5) & 0xFFFFFFFF
    g[RANDOM] = x
    return (x * bound) >> 32


def any_cell(b: Board, g: list[int]) -> int:
    """A random cell for the next placement, -1 if there is none."""
    n = b.n
    if g[FIRST] < 0:
        if n[FRONTIER] == 0:
            return -1
        return b.frontier[below(g, n[FRONTIER])]
    base = 6 * g[FIRST]
    amount = 0
    for k in range(base, base + 6):
        if b.where[b.near[k]] >= 0:
            amount += 1
    if amount == 0:
        return -1
    skip = below(g, amount)
    for k in range(base, base + 6):
        if b.where[b.near[k]] >= 0:
            if skip == 0:
                return b.near[k]
            skip -= 1
    return -1


def any_tile(b: Board, how: list[int], g: list[int], cell: int) -> int:
    """A random tile that fits a cell."""
    if b.n[FITTED] == 0:
        return below(g, how[LETTERS])
    fits = b.fits[state(b, cell)]
    amount = 0
    for tile in range(how[LETTERS]):
        amount += fits >> tile & 1
    skip = below(g, amount)
    for tile in range(how[LETTERS]):
        if fits >> tile & 1:
            if skip == 0:
                return tile
            skip -= 1
    return 0


def roll(b: Board, how: list[int], g: list[int]) -> int:
    """Play on at random to the end: a cell uniformly, then a tile that fits. Returns the result.

    A tile laid in a hole that does not end the game is taken back. A game that leaves the board is a draw.
    """
    n = b.n
    while g[RESULT] == NONE:
        cell = any_cell(b, g)
        if cell < 0 or cell >= n[CELLS]:
            g[RESULT] = 0
            break
        laid = n[LAID]
        result = drop(b, how, g[MOVER], cell, any_tile(b, how, g, cell))
        if result == NONE and g[OWED] == 2 and stuck(b, how, g, cell):
            lift(b, laid)
            continue
        advance(b, how, g, cell, result)
    return g[RESULT]


def restore(b: Board, saved: Board, reach: list[int]) -> None:
    """Reset a board to `saved`, its earlier copy; `reach`: cell -> how many cells a tile there can touch.

    Cells are numbered from the middle outwards, so the tiles since then have changed only the beginning of each array,
    with two exceptions, which may lie anywhere: the places of cells that have moved within the frontier, and what the
    root of a group knows of it.
    """
    laid = saved.n[LAID]
    outer = 0
    for i in range(laid, b.n[LAID]):
        outer = max(outer, b.laid[i])
    cells = reach[outer]
    height = saved.n[FRONTIER]
    # Loops, because numba needs a second and a half to compile these lines as slices.
    for i in range(STAMP):
        b.n[i] = saved.n[i]
    for i in range(height):
        b.frontier[i] = saved.frontier[i]
    for i in range(cells):
        b.tile[i] = saved.tile[i]
        b.where[i] = saved.where[i]
    for i in range(2 * cells):
        b.filled[i] = saved.filled[i]
        b.colour[i] = saved.colour[i]
        b.parent[i] = saved.parent[i]
        b.corners[i] = saved.corners[i]
        b.bridges[i] = saved.bridges[i]
        b.full[i] = saved.full[i]
    for i in range(height):
        b.where[b.frontier[i]] = i
    for i in range(saved.n[DECIDED]):
        corner = b.decided[i]
        if corner >= 2 * cells:
            b.parent[corner] = saved.parent[corner]
            b.corners[corner] = saved.corners[corner]
            b.bridges[corner] = saved.bridges[corner]
            b.full[corner] = saved.full[corner]


def rolls(b: Board, saved: Board, how: list[int], g: list[int], reach: list[int], count: int, begin: list[int]) -> int:
    """Play `count` random games from the position of `saved` and `begin`; returns a checksum of all of them. Adds the
    placements, automatic moves included, to g[5], and the games that each seat won to g[6] and g[7]."""
    check = 0
    for _ in range(count):
        for i in range(RANDOM):
            g[i] = begin[i]
        result = roll(b, how, g)
        for i in range(saved.n[LAID], b.n[LAID]):
            check = (check * 31 + b.laid[i] * 8 + b.tile[b.laid[i]]) & 0xFFFFFFFF
        g[5] += b.n[LAID] - saved.n[LAID]
        if result > 0:
            g[5 + result] += 1
        restore(b, saved, reach)
    return check
