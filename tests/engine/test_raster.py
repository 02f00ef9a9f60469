"""Loops, territory and enclosure against a picture: paint the tiles, pour paint in, and see what stays dry.

Nothing here knows a rule or a graph. A tile is painted into a bitmap as it is drawn (dots at its corners, bends for its
bridges, one colour a seat). A group is a blot of one colour. A loop is a patch that paint from the rim does not reach
without crossing the blot. An enemy group is eaten if its blot lies in such a patch.
"""

import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

import pytest

from engine.hex import ascii, variants
from engine.hex import position as engine
from engine.hex.notation import Placement
from engine.hex.tiles import TILESETS
from tests import naive

ACROSS, DOWN = 6, 10
"""Dots to one step of the corner coordinates (naive.CORNERS): a cell is 24 dots wide and 20 high."""


def pour(start: int, ways: Iterable[int], may: Callable[[int], bool]) -> set[int]:
    wet, todo = {start}, [start]
    while todo:
        dot = todo.pop()
        for way in ways:
            if dot + way not in wet and may(dot + way):
                wet.add(dot + way)
                todo.append(dot + way)
    return wet


class Bitmap:
    """Rows of dots with an empty rim. `dots[i]`: 0 nothing, 1 or 2 a seat's colour."""

    def __init__(self, game: str, tiles: Iterable[naive.Placed]) -> None:
        middles = {naive.middle(n): letter for letter, n in tiles}
        self.left = (min(x for x, _ in middles) - 3) * ACROSS
        self.top = (min(y for _, y in middles) - 2) * DOWN
        self.width = (max(x for x, _ in middles) + 3) * ACROSS - self.left + 1
        height = (max(y for _, y in middles) + 2) * DOWN - self.top + 1
        self.dots = bytearray(self.width * height)
        for at, letter in middles.items():
            self.paint(game, letter, at)

    def dot(self, x: float, y: float) -> int:
        return (round(y * DOWN) - self.top) * self.width + round(x * ACROSS) - self.left

    def dab(self, x: float, y: float, colour: int) -> None:
        """A square of 3 by 3 dots."""
        middle = self.dot(x, y)
        for row in (-self.width, 0, self.width):
            self.dots[middle + row - 1 : middle + row + 2] = bytes([colour]) * 3

    def paint(self, game: str, letter: str, at: naive.Point) -> None:
        corners, bridges = naive.parts(game, letter, at)
        for (x, y), colour in corners:
            self.dab(x, y, colour)
        for bridge in bridges:  # from corner to corner, bent a little towards the middle of the cell
            (x0, y0), (x2, y2) = bridge.ends
            x1, y1 = 0.35 * (x0 + x2) + 0.3 * at[0], 0.35 * (y0 + y2) + 0.3 * at[1]
            for i in range(41):
                t, u = i / 40, 1 - i / 40
                self.dab(
                    u * u * x0 + 2 * t * u * x1 + t * t * x2, u * u * y0 + 2 * t * u * y1 + t * t * y2, bridge.colour
                )

    def blot(self, start: int) -> set[int]:
        """All dots of one colour that hang together."""
        w, colour = self.width, self.dots[start]
        return pour(start, (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1), lambda dot: self.dots[dot] == colour)

    def patches(self, blot: set[int]) -> list[set[int]]:
        """What paint from outside does not reach when it cannot cross the blot."""
        w = self.width
        rows, columns = [dot // w for dot in blot], [dot % w for dot in blot]
        top, bottom, left, right = min(rows) - 1, max(rows) + 1, min(columns) - 1, max(columns) + 1
        free = {row * w + x for row in range(top, bottom + 1) for x in range(left, right + 1)} - blot
        free -= pour(top * w + left, (-w, -1, 1, w), frozenset(free).__contains__)
        patches = []
        while free:
            patches.append(pour(min(free), (-w, -1, 1, w), free.__contains__))
            free -= patches[-1]
        return patches


class Seen(NamedTuple):
    """A group as the picture shows it. Groups are named by their corners."""

    colour: int
    corners: frozenset[naive.Point]
    territory: tuple[int, ...]
    """Of each loop, sorted."""
    eaten: frozenset[frozenset[naive.Point]]

    @property
    def size(self) -> int:
        """Bridges: docs/rules.md 2, loops = bridges - corners + 1."""
        return len(self.territory) + len(self.corners) - 1


def painted(game: str, tiles: Iterable[naive.Placed]) -> set[Seen]:
    """The groups of the picture of these tiles."""
    tiles = list(tiles)
    bitmap = Bitmap(game, tiles)
    corners = {c for letter, n in tiles for c, _ in naive.parts(game, letter, naive.middle(n))[0]}
    blots: list[tuple[set[int], frozenset[naive.Point]]] = []
    left = set(corners)
    while left:
        blot = bitmap.blot(bitmap.dot(*min(left)))
        own = frozenset(c for c in left if bitmap.dot(*c) in blot)
        blots.append((blot, own))
        left -= own
    seen = set()
    for blot, own in blots:
        colour = bitmap.dots[min(blot)]
        territory, eaten = [], set()
        for patch in bitmap.patches(blot):
            enemies = [c for c in corners if bitmap.dots[bitmap.dot(*c)] == 3 - colour and bitmap.dot(*c) in patch]
            territory.append(3 * len(enemies) + 1)
            eaten |= {other for _, other in blots for c in enemies if c in other}
        seen.add(Seen(colour, own, tuple(sorted(territory)), frozenset(eaten)))
    return seen


def recounted(game: str, tiles: Iterable[naive.Placed]) -> set[Seen]:
    """The same from the naive judge."""
    picture = naive.look(game, list(tiles))
    return {
        Seen(
            group.colour,
            group.corners,
            tuple(sorted(picture.loops(group))),
            frozenset(g.corners for g in picture.eaten(group)),
        )
        for group in picture.groups
    }


LOOPS = {
    0: r"""
        .--oo
       /    oo
  .--xxxxx    )
 o   xx  xxx /
ooo  xx .  xx
 o   xx  xxx \
  `--xxxxx    )
       \    oo
        `--oo
""",
    1: r"""
              .--xx
             /    xx
        .--ooooo    )
       / ooo   ooo /
  .--ooooo    .  oo
 x   oo     xx   oo\
xxx  oo .  xxxx  oo )
 x   oo     xx   oo/
  `--ooooo    .  oo
       \ ooo   ooo \
        `--ooooo    )
             \    xx
              `--xx
""",
    2: r"""
                    .--oo
                   /    oo
              .--xxxxx    )
             / xxx   xxx /
        .--xxxxx    .  xx
       / xxx      oo   xx\
  .--xxxxx    .--oooo  xx )
 o   xx     oo     o   xx/
ooo  xx .  oo       )  xx
 o   xx     oo     / xxx \
  `--xxxxx    `--xxxxx    )
       \ xxx   xxx      oo
        `--xxxxx    .--oo
             \    oo
              `--oo
""",
    3: r"""
              .--oo
             /    oo
            xxxx    `--oo
             \ xxx      oo
              )  xxxxx    `--oo
             / xxx   xxx      oo
        .--xxxxx    .  xxxxx    )
       / xxx      oo    xx xxx /
  .--xxxxx    .  ooooo    .  xx
 o   xx     oo ooo   ooo o   xx\
ooo  xx .  ooooo    .  oooo  xx )
 o   xx     oo    xx    oo   xx/
  `--xxxxx    .  xxxxx    .  xx
       \ xxx   xxx   xxx   xxx \
        `--xxxxx    .--xxxxx    )
             \    oo     \    oo
              `--oo       `--oo
""",
}
"""Drawn boards with one loop, by the number of enemy corners in it."""


@pytest.mark.parametrize("inside", LOOPS)
def test_the_territory_of_a_loop(inside: int) -> None:
    """docs/rules.md 3: 3n + 1."""
    tiles = ascii.read(LOOPS[inside], TILESETS["mambo"])
    seen = painted("mambo", tiles)
    assert [group.territory for group in seen if group.territory] == [(3 * inside + 1,)]
    assert recounted("mambo", tiles) == seen


@pytest.mark.parametrize("game", ["lambo", "mambo"])
@pytest.mark.parametrize("seed", range(40))
def test_random_boards(game: str, seed: int) -> None:
    rng = random.Random(seed)
    tiles = naive.blob(game, rng.randint(6, 40), rng)
    assert recounted(game, tiles) == painted(game, tiles)


# --- the engine: games in which nothing but loops, territory or eating counts, so the outcome tells what it saw ------


def better(one: tuple[int, ...], two: tuple[int, ...]) -> int:
    """The seat that has more, 0 for none."""
    return 0 if one == two else 1 if one > two else 2


@pytest.mark.parametrize("seed", range(25))
def test_territory_of_the_engine(seed: int) -> None:
    rng = random.Random(seed)
    tiles = naive.blob("mambo", rng.randint(12, 40), rng)
    rules = variants.parse(f"mambo -auto=none -no_kill -territory -size={len(tiles)}")
    outcome = engine.replay(rules, [(Placement(*tile),) for tile in tiles]).outcome
    seen = painted("mambo", tiles)
    each = {seat: [sum(g.territory) for g in seen if g.colour == seat] for seat in (1, 2)}
    scores = [(max(each[seat], default=0), sum(each[seat])) for seat in (1, 2)]
    assert outcome is not None
    assert outcome.winner == better(*scores)


@pytest.mark.parametrize("seed", range(25))
def test_loops_of_the_engine(seed: int) -> None:
    """The game ends with the first tile that makes the picture show so many loops in one group."""
    rng = random.Random(seed)
    tiles = naive.blob("mambo", 36, rng)
    most = max(len(group.territory) for group in painted("mambo", tiles))
    loops = rng.randint(1, max(most, 1))
    rules = variants.parse(f"mambo -auto=none -no_kill -loops={loops} -size=200")
    position = engine.start(rules)
    for i, tile in enumerate(tiles):
        position = engine.apply(position, (Placement(*tile),))
        winners = {g.colour for g in painted("mambo", tiles[: i + 1]) if len(g.territory) >= loops}
        assert (position.outcome is not None) == bool(winners)
        if position.outcome:
            assert {position.outcome.winner} == winners
            return
    assert most < loops


def lambo_turns(tiles: list[naive.Placed]) -> list[tuple[Placement, ...]]:
    """The tiles behind the start tile as turns of one, two, two, ..."""
    laid = [Placement(*tile) for tile in tiles[1:]]
    return [(laid[0],), *(tuple(laid[i : i + 2]) for i in range(1, len(laid), 2))]


@pytest.mark.parametrize("seed", range(25))
def test_eating_of_the_engine(seed: int) -> None:
    """When the tiles run out: the largest enemy group eaten, then how many."""
    rng = random.Random(seed)
    tiles = naive.blob("lambo", rng.randint(12, 40), rng)
    tiles[0] = ("a", 0)
    rules = variants.parse(f"lambo -anywhere -eat_enemy=200 -size={len(tiles)}")
    outcome = engine.replay(rules, lambo_turns(tiles)).outcome
    seen = painted("lambo", tiles)
    size = {group.corners: group.size for group in seen}
    eaten = [{corners for g in seen if g.colour == seat for corners in g.eaten} for seat in (1, 2)]
    scores = [(max((size[corners] for corners in each), default=-1), len(each)) for each in eaten]
    assert outcome is not None
    assert outcome.winner == better(*scores)


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(more, marks=pytest.mark.nightly) for more in range(8, 40))])
def test_eating_in_play_of_the_engine(seed: int) -> None:
    """The game ends with the first tile that makes the picture show so many eaten."""
    rng = random.Random(seed)
    tiles = naive.blob("lambo", 38, rng)
    tiles[0] = ("a", 0)
    enough = rng.choice([1, 1, 2, 3])
    position = engine.start(variants.parse(f"lambo -anywhere -eat_enemy={enough} -size=200"))
    for turn in lambo_turns(tiles):
        before, mover = len(position.tiles), position.to_move
        position = engine.apply(position, turn)
        for laid in range(before + 1, len(position.tiles) + 1):
            seen = painted("lambo", tiles[:laid])
            most = [max(len(g.eaten) for g in seen if g.colour == seat) for seat in (1, 2)]
            assert (position.outcome is not None and laid == len(position.tiles)) == (max(most) >= enough)
        if position.outcome:
            assert position.outcome.winner == (better((most[0],), (most[1],)) or 3 - mover)
            return
