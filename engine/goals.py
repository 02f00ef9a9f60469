"""What wins: one function and one table row for each way, picked by fields of the rules (rules.md 2 and 3).

While tiles are left, every row of `WINS` that the rules ask for scores both seats after a tile (Lambo) or a turn with
its automatic moves (Mambo); 0 is nothing. One seat with a score has won; with both, the higher score wins and the
mover loses a tie. When the pool is empty the first row of `ENDINGS` that fits decides: it compares the seats by a list
of counts, the first that differs counting.

The score functions are hot code in the sense of `board`: they take the heights of `laid` and `closed` before the
move and the numbers `least` and `size` of their row, and answer (score of seat 1, its root, score of seat 2, its root).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.board import CLOSED, DECIDED, LAID, LOOPS, SHAPE, Board, find, flood, inside, loops
from engine.rules import Rules

Score = tuple[int, int, int, int]
Names = tuple[str, str]
NOTHING = (0, -1, 0, -1)


class Verdict(NamedTuple):
    """How a game ended: the winning seat, 0 for a draw; why, in one clause; the roots of the deciding groups."""

    seat: int
    reason: str
    roots: tuple[int, ...] = ()


class Win(NamedTuple):
    """A way to win while tiles are left. `when`: whether the rules ask for it; `numbers`: `least` and `size` for the
    score function; `said`: the clause, from board, seat names, winning seat, its score and the root that did it."""

    when: Callable[[Rules], bool]
    score: Callable[[Board, int, int, int, int], Score]
    numbers: Callable[[Rules], tuple[int, int]]
    said: Callable[[Board, Names, int, int, int], str]


class Ending(NamedTuple):
    """What decides when the tiles have run out. `counts`: for a seat, its numbers, as many as `names`, and the root of
    the group the first of them is about, or -1. `names`: two clauses for each number, of the seat that has more of it
    and of nobody, with {winner}, {more}, {less}, {both} in them. `least_wins`: the lower first number wins."""

    when: Callable[[Rules], bool]
    counts: Callable[[Board, int, Rules], tuple[tuple[int, ...], int]]
    names: tuple[tuple[str, str], ...]
    least_wins: bool = False


class Wins(NamedTuple):
    """The rows of `WINS` one game needs, with their numbers."""

    rows: tuple[tuple[Win, int, int], ...]
    ending: Ending
    rules: Rules
    names: Names


def picked(rules: Rules, names: Names) -> Wins:
    """What decides a game with these rules between seats of these names."""
    rows = tuple((row, *row.numbers(rules)) for row in WINS if row.when(rules))
    return Wins(rows, next(row for row in ENDINGS if row.when(rules)), rules, names)


def judge(b: Board, wins: Wins, laid: int, closed: int, mover: int) -> Verdict | None:
    """Whether the last move of seat `mover` won, for whom and why. `laid`, `closed`: heights before it."""
    found: list[tuple[int, int, Win] | None] = [None, None, None]
    for row, least, size in wins.rows:
        score1, root1, score2, root2 = row.score(b, laid, closed, least, size)
        if score1 and not found[1]:
            found[1] = score1, root1, row
        if score2 and not found[2]:
            found[2] = score2, root2, row
    first, second = found[1], found[2]
    if first and second and first[0] == second[0]:
        winner = first if mover == 2 else second
        reason = f"the move won for both at once, so {wins.names[mover - 1]}, who made it, loses"
        return Verdict(3 - mover, reason, (winner[1],))
    if first and (not second or first[0] > second[0]):
        return Verdict(1, first[2].said(b, wins.names, 1, first[0], first[1]), (first[1],))
    if second:
        return Verdict(2, second[2].said(b, wins.names, 2, second[0], second[1]), (second[1],))
    return None


def run_out(b: Board, wins: Wins) -> Verdict:
    """Who wins when the last tile has been laid and nobody won by it."""
    ending = wins.ending
    counts1, root1 = ending.counts(b, 1, wins.rules)
    counts2, root2 = ending.counts(b, 2, wins.rules)
    level = [f"{both} ({_amount(n)} each)" for (_, both), n in zip(ending.names, counts1, strict=True)]
    for i, (ours, theirs) in enumerate(zip(counts1, counts2, strict=True)):
        if ours == theirs:
            continue
        more = 1 if ours > theirs else 2
        seat = 3 - more if ending.least_wins else more
        clause = ending.names[i][0].format(owner=wins.names[more - 1])
        figures = f"{_amount(max(ours, theirs))} against {_amount(min(ours, theirs))}"
        told = " and ".join([*level[:i], f"{clause} ({figures})"])
        lost = ", and that loses" if ending.least_wins else ""
        root = root1 if more == 1 else root2
        return Verdict(seat, f"the tiles ran out, {told}{lost}", (root,) if root >= 0 else ())
    return Verdict(0, f"the tiles ran out, {' and '.join(level)}" if level else "the tiles ran out, a draw in this game")


# --- while tiles are left -------------------------------------------------------------------------------------------


def closes(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has been closed that has `least` bridges or more."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    for i in range(closed, b.n[CLOSED]):
        root = b.closed[i]
        if b.bridges[root] >= least:
            if b.colour[root] == 1:
                score1, root1 = 1, root
            else:
                score2, root2 = 1, root
    return score1, root1, score2, root2


def kills(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has died, whose enemy scores: closed, null points counting as filled."""
    score1, root1, score2, root2 = closes(b, laid, closed, least, size)
    return score2, root2, score1, root1


def rings(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has `least` loops or more. Only groups that got a bridge in the move are looked at."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    if b.n[LOOPS] >= least:
        for i in range(laid, b.n[LAID]):
            cell = b.laid[i]
            for part in range(0, SHAPE, SHAPE // 2):
                root = find(b, b.corner[6 * cell + b.shape[SHAPE * b.tile[cell] + part + 1]])
                if b.colour[root] and loops(b, root) >= least:
                    if b.colour[root] == 1:
                        score1, root1 = 1, root
                    else:
                        score2, root2 = 1, root
    return score1, root1, score2, root2


def eats(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A group has eaten `least` enemy groups or more that have `size` bridges or more; the score is how many."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    if b.n[LOOPS] > 0:
        for i in range(b.n[DECIDED]):
            eater = b.decided[i]
            if b.parent[eater] == eater and loops(b, eater) > 0:
                stamp = flood(b, eater)
                eaten = 0
                for k in range(b.n[DECIDED]):
                    other = b.decided[k]
                    if (
                        b.parent[other] == other
                        and b.colour[other] != b.colour[eater]
                        and b.bridges[other] >= size
                        and inside(b, other, eater, stamp)
                    ):
                        eaten += 1
                if eaten >= least:
                    if b.colour[eater] == 1 and eaten > score1:
                        score1, root1 = eaten, eater
                    elif b.colour[eater] == 2 and eaten > score2:
                        score2, root2 = eaten, eater
    return score1, root1, score2, root2


def contains(b: Board, laid: int, closed: int, least: int, size: int) -> Score:
    """A closed group has a closed enemy group inside, one of the two having been closed by the move."""
    score1, root1, score2, root2 = 0, -1, 0, -1
    if b.n[CLOSED] > closed and b.n[LOOPS] > 0:
        for i in range(b.n[CLOSED]):
            outer = b.closed[i]
            if loops(b, outer) > 0:
                stamp = flood(b, outer)
                for k in range(b.n[CLOSED]):
                    other = b.closed[k]
                    if b.colour[other] != b.colour[outer] and inside(b, other, outer, stamp):
                        if b.colour[outer] == 1:
                            score1, root1 = 1, outer
                        else:
                            score2, root2 = 1, outer
    return score1, root1, score2, root2


# --- when the tiles have run out ------------------------------------------------------------------------------------


def roots(b: Board, seat: int) -> Iterator[int]:
    """The roots of a seat's groups."""
    for i in range(b.n[DECIDED]):
        corner = b.decided[i]
        if b.parent[corner] == corner and b.colour[corner] == seat:
            yield corner


def largest(b: Board, seat: int, rules: Rules) -> tuple[tuple[int, ...], int]:
    """Bridges of the seat's largest group."""
    size, root = max(((b.bridges[root], root) for root in roots(b, seat)), default=(-1, -1))
    return (size,), root


def closed_groups(b: Board, seat: int, rules: Rules) -> tuple[tuple[int, ...], int]:
    """Bridges of the seat's largest closed group, -1 for none; how many closed groups it has."""
    mine = [b.closed[i] for i in range(b.n[CLOSED]) if b.colour[b.closed[i]] == seat]
    size, root = max(((b.bridges[root], root) for root in mine), default=(-1, -1))
    return (size, len(mine)), root


def eaten_groups(b: Board, seat: int, rules: Rules) -> tuple[tuple[int, ...], int]:
    """Bridges of the largest enemy group the seat has eaten, -1 for none; how many it has eaten. The root is the
    eater's. Groups smaller than `-eat_size` do not count."""
    size, eater, eaten = -1, -1, set()
    for root in roots(b, seat):
        if loops(b, root) > 0:
            stamp = flood(b, root)
            for other in roots(b, 3 - seat):
                if b.bridges[other] >= rules.eat_size and inside(b, other, root, stamp):
                    eaten.add(other)
                    if b.bridges[other] > size:
                        size, eater = b.bridges[other], root
    return (size, len(eaten)), eater


def territory(b: Board, seat: int, rules: Rules) -> tuple[tuple[int, ...], int]:
    """The most territory in one of the seat's groups, and in all of them. A loop counts 3n + 1 for n enemy corners in
    it, so a group counts its loops and three times the enemy corners in any of them: its loops do not overlap."""
    best, best_root, total = 0, -1, 0
    for root in roots(b, seat):
        if loops(b, root) > 0:
            stamp = flood(b, root)
            enemy = (b.decided[i] for i in range(b.n[DECIDED]) if b.colour[b.decided[i]] == 3 - seat)
            score = loops(b, root) + 3 * sum(inside(b, corner, root, stamp) for corner in enemy)
            total += score
            if score > best:
                best, best_root = score, root
    return (best, total), best_root


def nothing(b: Board, seat: int, rules: Rules) -> tuple[tuple[int, ...], int]:
    """No number at all: a draw."""
    return (), -1


# --- the tables -----------------------------------------------------------------------------------------------------


def _amount(n: int) -> str:
    return "none" if n < 0 else str(n)


def _bridges(n: int) -> str:
    return f"{n} bridge" if n == 1 else f"{n} bridges"


def _said_closed(b: Board, names: Names, seat: int, score: int, root: int) -> str:
    return f"{names[seat - 1]} closed a group of {_bridges(b.bridges[root])}"


def _said_dead(b: Board, names: Names, seat: int, score: int, root: int) -> str:
    return f"{names[2 - seat]}'s group of {_bridges(b.bridges[root])} is dead"


def _said_loops(b: Board, names: Names, seat: int, score: int, root: int) -> str:
    n = loops(b, root)
    return f"{names[seat - 1]} has a group with {n} loop{'s' if n > 1 else ''}"


def _said_eaten(b: Board, names: Names, seat: int, score: int, root: int) -> str:
    return f"{names[seat - 1]} has a group that has eaten {score} enemy group{'s' if score > 1 else ''}"


def _said_contains(b: Board, names: Names, seat: int, score: int, root: int) -> str:
    return f"{names[seat - 1]} closed a group of {_bridges(b.bridges[root])} round a closed enemy group"


WINS: tuple[Win, ...] = (
    Win(
        when=lambda rules: rules.close and not rules.eat_enemy and not rules.must_contain,
        score=closes,
        numbers=lambda rules: (1, 0),
        said=_said_closed,
    ),
    Win(
        when=lambda rules: rules.eat_enemy > 0,
        score=eats,
        numbers=lambda rules: (rules.eat_enemy, rules.eat_size),
        said=_said_eaten,
    ),
    Win(
        when=lambda rules: rules.must_contain,
        score=contains,
        numbers=lambda rules: (0, 0),
        said=_said_contains,
    ),
    Win(
        when=lambda rules: rules.kill,
        score=kills,
        numbers=lambda rules: (0, 0),
        said=_said_dead,
    ),
    Win(
        when=lambda rules: rules.loops > 0,
        score=rings,
        numbers=lambda rules: (rules.loops, 0),
        said=_said_loops,
    ),
)

_LARGEST = (("{owner} has the largest group", "the largest groups are equal"),)

ENDINGS: tuple[Ending, ...] = (
    Ending(lambda rules: rules.largest == "draws", nothing, ()),
    Ending(
        lambda rules: rules.eat_enemy > 0,
        eaten_groups,
        (
            ("{owner} has eaten the largest enemy group", "the largest groups eaten are equal"),
            ("{owner} has eaten more enemy groups", "equally many groups have been eaten"),
        ),
    ),
    Ending(
        lambda rules: rules.must_contain,
        closed_groups,
        (
            ("{owner} has the largest closed group", "the largest closed groups are equal"),
            ("{owner} has more closed groups", "there are equally many of them"),
        ),
    ),
    Ending(
        lambda rules: rules.territory,
        territory,
        (
            ("{owner} has the group with the most territory", "the best groups have equal territory"),
            ("{owner} has more territory in all", "there is equal territory in all"),
        ),
    ),
    Ending(lambda rules: rules.largest == "loses", largest, _LARGEST, least_wins=True),
    Ending(lambda rules: True, largest, _LARGEST),
)
