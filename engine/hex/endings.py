"""Who wins when the tiles have run out and nobody has won: one table row for each way (docs/rules.md 2 and 3).

The first row of `ENDINGS` that the rules ask for decides. It gives each seat a list of numbers; the first number that
differs decides, and if all are equal, the game is a draw.
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.hex.board import CLOSED, DECIDED, STAMP, Board, loops
from engine.hex.enclosure import flood, inside
from engine.hex.goals import Names, Verdict
from engine.hex.rules import Rules


class Ending(NamedTuple):
    """What decides when the tiles have run out. `counts`: takes board, seat and `eat_size`, returns two numbers and the
    root of the group that the first number is about, or -1; hot code in the sense of `board`. `names`: two clauses for
    each number that counts, one for when {owner} has more of it, one for when it is equal. `least_wins`: the seat with
    more loses."""

    when: Callable[[Rules], bool]
    counts: Callable[[Board, int, int], tuple[int, int, int]]
    names: tuple[tuple[str, str], ...]
    least_wins: bool = False


def run_out(b: Board, rules: Rules, names: Names) -> Verdict:
    """Who wins when the last tile has been laid and did not win."""
    ending = next(row for row in ENDINGS if row.when(rules))
    *counts1, root1 = ending.counts(b, 1, rules.eat_size)
    *counts2, root2 = ending.counts(b, 2, rules.eat_size)
    level = [f"{both} ({_amount(n)} each)" for (_, both), n in zip(ending.names, counts1, strict=False)]
    for i, (ours, theirs) in enumerate(zip(counts1[: len(level)], counts2, strict=False)):
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


def largest(b: Board, seat: int, eat_size: int) -> tuple[int, int, int]:
    """Bridges of the seat's largest group."""
    size, root = -1, -1
    for i in range(b.n[DECIDED]):
        corner = b.decided[i]
        if b.parent[corner] == corner and b.colour[corner] == seat and (b.bridges[corner], corner) > (size, root):
            size, root = b.bridges[corner], corner
    return size, 0, root


def closed_groups(b: Board, seat: int, eat_size: int) -> tuple[int, int, int]:
    """Bridges of the seat's largest closed group, -1 for none; the number of its closed groups."""
    size, amount, root = -1, 0, -1
    for i in range(b.n[CLOSED]):
        closed = b.closed[i]
        if b.colour[closed] == seat:
            amount += 1
            if (b.bridges[closed], closed) > (size, root):
                size, root = b.bridges[closed], closed
    return size, amount, root


def eaten_groups(b: Board, seat: int, eat_size: int) -> tuple[int, int, int]:
    """Bridges of the largest enemy group that the seat has eaten, -1 for none; how many it has eaten. The root is the
    eater's. Groups smaller than `eat_size` do not count."""
    b.n[STAMP] += 1
    counted = b.n[STAMP]
    size, amount, eater = -1, 0, -1
    for i in range(b.n[DECIDED]):
        root = b.decided[i]
        if b.parent[root] == root and b.colour[root] == seat and loops(b, root) > 0:
            stamp = flood(b, root)
            for k in range(b.n[DECIDED]):
                other = b.decided[k]
                if (
                    b.parent[other] == other
                    and b.colour[other] == 3 - seat
                    and b.bridges[other] >= eat_size
                    and inside(b, other, root, stamp)
                ):
                    if b.marked[other] != counted:
                        b.marked[other] = counted
                        amount += 1
                    if b.bridges[other] > size:
                        size, eater = b.bridges[other], root
    return size, amount, eater


def territory(b: Board, seat: int, eat_size: int) -> tuple[int, int, int]:
    """The most territory of one of the seat's groups, and of all of them. A loop with n enemy corners in it counts
    3n + 1. A group's loops do not overlap, so a group counts its loops plus three times the enemy corners in them."""
    best, total, best_root = 0, 0, -1
    for i in range(b.n[DECIDED]):
        root = b.decided[i]
        if b.parent[root] == root and b.colour[root] == seat and loops(b, root) > 0:
            stamp = flood(b, root)
            score = loops(b, root)
            for k in range(b.n[DECIDED]):
                corner = b.decided[k]
                if b.colour[corner] == 3 - seat and inside(b, corner, root, stamp):
                    score += 3
            total += score
            if score > best:
                best, best_root = score, root
    return best, total, best_root


def nothing(b: Board, seat: int, eat_size: int) -> tuple[int, int, int]:
    """Always equal, so the game is a draw."""
    return 0, 0, -1


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
