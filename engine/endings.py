"""Who wins when the tiles have run out and nobody has won: one table row for each way (rules.md 2 and 3).

The first row of `ENDINGS` that the rules ask for decides: it gives each seat a list of numbers, and the first that
differs counts; if none does, it is a draw.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.board import CLOSED, DECIDED, Board, loops
from engine.enclosure import flood, inside
from engine.goals import Names, Verdict
from engine.rules import Rules


class Ending(NamedTuple):
    """What decides when the tiles have run out. `counts`: for a seat, its numbers, as many as `names`, and the root of
    the group the first of them is about, or -1. `names`: two clauses for each number, one for when {owner} has more of
    it, one for when it is equal. `least_wins`: who has more loses."""

    when: Callable[[Rules], bool]
    counts: Callable[[Board, int, Rules], tuple[tuple[int, ...], int]]
    names: tuple[tuple[str, str], ...]
    least_wins: bool = False


def run_out(b: Board, rules: Rules, names: Names) -> Verdict:
    """Who wins when the last tile has been laid and nobody won by it."""
    ending = next(row for row in ENDINGS if row.when(rules))
    counts1, root1 = ending.counts(b, 1, rules)
    counts2, root2 = ending.counts(b, 2, rules)
    level = [f"{both} ({_amount(n)} each)" for (_, both), n in zip(ending.names, counts1, strict=True)]
    for i, (ours, theirs) in enumerate(zip(counts1, counts2, strict=True)):
        if ours == theirs:
            continue
        more = 1 if ours > theirs else 2
        seat = 3 - more if ending.least_wins else more
        clause = ending.names[i][0].format(owner=names[more - 1])
        figures = f"{_amount(max(ours, theirs))} against {_amount(min(ours, theirs))}"
        told = " and ".join([*level[:i], f"{clause} ({figures})"])
        lost = ", and that loses" if ending.least_wins else ""
        root = root1 if more == 1 else root2
        return Verdict(seat, f"the tiles ran out, {told}{lost}", (root,) if root >= 0 else ())
    told = " and ".join(level) or "which is a draw in this game"
    return Verdict(0, f"the tiles ran out, {told}")


def _amount(n: int) -> str:
    return "none" if n < 0 else str(n)


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
