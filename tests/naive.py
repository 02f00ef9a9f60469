"""A second judge of the games, deliberately naive: everything is recounted from the list of tiles, every time.

It shares nothing with the engine but the `Rules` value, and uses different methods on purpose:

- A corner is a point of the plane with whole coordinates. Cell (q, r) has its middle at (3q, q + 2r), its corners at
  the offsets of `CORNERS`; a corner's three cells are the three whose middles lie at such an offset from it.
- Spiral numbers come from walking the spiral.
- Groups are found by search over bridges.
- To find what a group encloses, water floods the plane from outside. A bridge of the group cuts its cell in two: the
  wedge at the one corner that it goes round, and the rest. Water crosses every side of every cell, but no bridge of the
  group. Whatever stays dry is enclosed; each dry pool is a loop.

Players are seats here, 1 and 2, except in `Game.winner` and `Game.to_move`: these are players, which differ after a
swap.
"""

import random
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from engine.hex.rules import Rules

Point = tuple[int, int]

R, BR, BL, L, TL, TR = (2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1)
CORNERS: tuple[Point, ...] = (R, BR, BL, L, TL, TR)
DARK, LIGHT = (L, TR, BR), (R, BL, TL)  # class 1, class 2
N, NE, SE, S, SW, NW = (0, -2), (3, -1), (3, 1), (0, 2), (-3, 1), (-3, -1)
STEPS: tuple[Point, ...] = (N, NE, SE, S, SW, NW)  # to the neighbours

# Lambo: Dark's tip, Light's tip. Mambo: the tip and its colour.
LAMBO_TIPS = {"a": (L, R), "b": (TR, BL), "c": (BR, TL)}
MAMBO_TIPS = {"a": (L, 2), "b": (TR, 2), "c": (BR, 2), "d": (L, 1), "e": (TR, 1), "f": (BR, 1)}


def add(a: Point, b: Point) -> Point:
    return a[0] + b[0], a[1] + b[1]


def minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1]


def walk() -> Iterator[Point]:
    """The middles of the cells along the spiral."""
    at = (0, 0)
    yield at
    ring = 0
    while True:
        ring += 1
        at = (0, -2 * ring)
        for way in (SE, S, SW, NW, N, NE):
            for _ in range(ring):
                yield at
                at = add(at, way)


_walk = walk()
_middles: list[Point] = []
_numbers: dict[Point, int] = {}


def middle(number: int) -> Point:
    """Where a cell's middle is."""
    while len(_middles) <= number:
        at = next(_walk)
        _numbers[at] = len(_middles)
        _middles.append(at)
    return _middles[number]


def number(at: Point) -> int:
    """The number of the cell with this middle."""
    while at not in _numbers:
        middle(len(_middles))
    return _numbers[at]


@cache
def neighbours(at: Point) -> tuple[Point, ...]:
    return tuple(add(at, way) for way in STEPS)


@cache
def cells_of(corner: Point) -> tuple[Point, ...]:
    """The middles of the three cells round a corner."""
    middles = (minus(corner, offset) for offset in CORNERS)
    return tuple((x, y) for x, y in middles if x % 3 == 0 and (y - x // 3) % 2 == 0)


class Bridge(NamedTuple):
    cell: Point
    round: Point
    """The corner it separates from the rest of its cell."""
    ends: tuple[Point, Point]
    colour: int


class Group(NamedTuple):
    colour: int
    corners: frozenset[Point]
    bridges: frozenset[Bridge]

    @property
    def size(self) -> int:
        return len(self.bridges)


@cache
def parts(game: str, letter: str, at: Point) -> tuple[tuple[tuple[Point, int], ...], tuple[Bridge, ...]]:
    """A tile's coloured corners and bridges."""
    corners: list[tuple[Point, int]] = []
    bridges = []

    def lay(kind: tuple[Point, ...], tip: Point, tip_colour: int, colour: int) -> None:
        ends = [add(at, c) for c in kind if c != tip]
        corners.extend([(add(at, tip), tip_colour), (ends[0], colour), (ends[1], colour)])
        bridges.append(Bridge(at, minus(at, tip), (ends[0], ends[1]), colour))

    if game == "mambo":
        tip, colour = MAMBO_TIPS[letter]
        lay(DARK, tip, colour, 3 - colour)
    else:
        dark, light = LAMBO_TIPS[letter]
        lay(DARK, dark, 2, 2)
        lay(LIGHT, light, 1, 1)
    return tuple(corners), tuple(bridges)


class Picture(NamedTuple):
    """Everything there is to know of some tiles."""

    filled: dict[Point, str]
    colours: dict[Point, int]
    groups: list[Group]
    nulls: set[Point]
    """Empty cells with three decided corners of one colour (never in Lambo)."""

    def closed(self, group: Group) -> bool:
        return all(at in self.filled for c in group.corners for at in cells_of(c))

    def dead(self, group: Group) -> bool:
        return all(at in self.filled or at in self.nulls for c in group.corners for at in cells_of(c))

    def cells(self, group: Group) -> frozenset[int]:
        """The numbers of the tiles that touch a group."""
        return frozenset(number(at) for c in group.corners for at in cells_of(c) if at in self.filled)

    def eaten(self, group: Group) -> list[Group]:
        """The enemy groups inside the loops of a group."""
        pools = dry(group.bridges)
        if not pools:
            return []
        return [g for g in self.groups if g.colour != group.colour and pool_of(min(g.corners), group) is not None]

    def loops(self, group: Group) -> list[int]:
        """The territory of each loop of a group."""
        pools = dry(group.bridges)
        enemies = [0] * len(pools)
        for corner, colour in self.colours.items():
            if pools and colour != group.colour and (pool := pool_of(corner, group)) is not None:
                enemies[pool] += 1
        return [3 * n + 1 for n in enemies]

    def territory(self, group: Group) -> int:
        return sum(self.loops(group))


def look(game: str, tiles: list[tuple[str, int]]) -> Picture:
    """Recount everything."""
    return _look(game, tuple(tiles))


@lru_cache(maxsize=64)
def _look(game: str, tiles: tuple[tuple[str, int], ...]) -> Picture:
    filled = {middle(n): letter for letter, n in tiles}
    colours: dict[Point, int] = {}
    joined: dict[Point, list[Bridge]] = {}
    for at, letter in filled.items():
        corners, bridges = parts(game, letter, at)
        for corner, colour in corners:
            assert colours.setdefault(corner, colour) == colour, "two colours on one corner"
        for bridge in bridges:
            for end in bridge.ends:
                joined.setdefault(end, []).append(bridge)
    groups = []
    seen: set[Point] = set()
    for start, colour in colours.items():
        if start in seen:
            continue
        seen.add(start)
        corners_, bridges_, todo = {start}, set(), [start]
        while todo:
            for bridge in joined.get(todo.pop(), ()):
                bridges_.add(bridge)
                for end in bridge.ends:
                    if end not in corners_:
                        corners_.add(end)
                        todo.append(end)
        seen |= corners_
        groups.append(Group(colour, frozenset(corners_), frozenset(bridges_)))
    nulls = set()
    if game == "mambo":
        for at in around(filled):
            around_it = [colours.get(add(at, c)) for c in DARK]
            if around_it in ([1, 1, 1], [2, 2, 2]):
                nulls.add(at)
    return Picture(filled, colours, groups, nulls)


def around(filled: dict[Point, str]) -> set[Point]:
    """The empty cells next to tiles."""
    return {n for at in filled for n in neighbours(at) if n not in filled}


# Water: a drop is in a cell, in the wedge behind the group's bridge (True) or in the rest of the cell (False).
Drop = tuple[Point, bool]


def _sides(at: Point) -> list[tuple[Point, Point, Point]]:
    """Two corners of each side, and the neighbour behind it."""
    corners = {add(at, c) for c in CORNERS}
    sides = []
    for neighbour in neighbours(at):
        a, b = corners & {add(neighbour, c) for c in CORNERS}
        sides.append((a, b, neighbour))
    return sides


sides_of = lru_cache(maxsize=None)(_sides)


@lru_cache(maxsize=200_000)
def dry(bridges: frozenset[Bridge]) -> tuple[frozenset[Drop], ...]:
    """The pools that water from outside does not reach when it may not cross these bridges."""
    if len(bridges) < 3:
        return ()  # nothing smaller goes round anything
    cut = {bridge.cell: bridge.round for bridge in bridges}
    assert len(cut) == len(bridges), "two bridges of one group in a cell"
    xs, ys = [x for x, _ in cut], [y for _, y in cut]
    left, right, top, bottom = min(xs) - 3, max(xs) + 3, min(ys) - 3, max(ys) + 3

    def spread(start: Drop) -> set[Drop]:
        wet, todo = {start}, [start]
        while todo:
            at, behind = todo.pop()
            wedge = cut.get(at)
            for a, b, to in sides_of(at):
                if (wedge is not None and wedge in (a, b)) != behind:
                    continue  # this side belongs to the other part of the cell
                if not (left <= to[0] <= right and top <= to[1] <= bottom):
                    continue
                drop = (to, cut.get(to) in (a, b))
                if drop not in wet:
                    wet.add(drop)
                    todo.append(drop)
        return wet

    shore = next((left, y) for y in (top, top + 1) if (y - left // 3) % 2 == 0)
    wet = spread((shore, False))
    pools = []
    for at, behind in product(cut, (False, True)):
        if (at, behind) not in wet:
            pool = spread((at, behind))
            wet |= pool
            pools.append(frozenset(pool))
    return tuple(pools)


def pool_of(corner: Point, group: Group) -> int | None:
    """Which pool of a group a corner that is not its own lies in."""
    at = cells_of(corner)[0]
    behind = any(bridge.cell == at and bridge.round == corner for bridge in group.bridges)
    for i, pool in enumerate(dry(group.bridges)):
        if (at, behind) in pool:
            return i
    return None


class IllegalError(Exception):
    """The naive judge refuses a move."""


Placed = tuple[str, int]
SWAP = "swap"


class Options(NamedTuple):
    """The rules in the naive judge's own words; the test translates the engine's Rules into them."""

    game: str = "lambo"
    size: int = 48
    swap: bool = False
    anywhere: bool = False
    eat_enemy: int = 0
    eat_size: int = 0
    must_contain: bool = False
    end_draws: bool = False
    auto: str = "limited"
    kill: bool = True
    loops: int = 0
    largest: str = "wins"
    territory: bool = False


def options(rules: Rules) -> Options:
    """The engine's rules in these words."""
    return Options(
        game="mambo" if rules.game == "mambo" else "lambo",
        size=rules.size,
        swap=rules.swap,
        anywhere=rules.anywhere,
        eat_enemy=rules.eat_enemy,
        eat_size=rules.eat_size,
        must_contain=rules.must_contain,
        end_draws=rules.game == "palago",
        auto=rules.auto,
        kill=rules.kill,
        loops=rules.loops,
        largest=rules.largest,
        territory=rules.territory,
    )


def fitting(picture: Picture, at: Point) -> list[str]:
    """The Mambo letters whose colours agree with the corners already decided."""
    return [
        letter
        for letter in "abcdef"
        if all(picture.colours.get(c, colour) == colour for c, colour in parts("mambo", letter, at)[0])
    ]


def mambo_placements(tiles: list[Placed]) -> set[Placed]:
    """All placements whose colours agree, next to a tile (cell 0 on the empty board)."""
    return set(_mambo_placements(tuple(tiles)))


@lru_cache(maxsize=64)
def _mambo_placements(tiles: tuple[Placed, ...]) -> frozenset[Placed]:
    picture = look("mambo", list(tiles))
    spots = around(picture.filled) if tiles else {(0, 0)}
    return frozenset((letter, number(at)) for at in spots for letter in fitting(picture, at))


def lambo_placements(tiles: list[Placed], near: int | None = None) -> set[Placed]:
    """All placements next to a tile, or next to the cell `near`."""
    filled = {middle(n): letter for letter, n in tiles}
    spots = around(filled) if near is None else set(neighbours(middle(near))) - set(filled)
    return {(letter, number(at)) for at in spots for letter in "abc"}


def auto_move(auto: str, tiles: list[Placed]) -> Placed | None:
    """The next auto move."""
    if auto == "none":
        return None
    picture = look("mambo", tiles)
    due = []
    for at in around(picture.filled):
        colours = [picture.colours.get(add(at, c)) for c in DARK]
        known = [c for c in colours if c is not None]
        mixed = len(known) == 3 and len(set(known)) == 2
        alike = len(known) == 2 and len(set(known)) == 1
        if mixed or (auto == "full" and alike):
            (letter,) = fitting(picture, at)
            due.append((number(at), letter))
    if not due:
        return None
    cell, letter = min(due)
    return letter, cell


class Game:
    """A game in progress. `winner`: 1, 2, 0 for a draw, None while it goes on; `deciding`: what may have decided it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.mambo = options.game == "mambo"
        self.tiles: list[Placed] = [] if self.mambo else [("a", 0)]
        self.ply = 0
        self.seat = 1
        self.swapped = False
        self.winner: int | None = None
        self.last_auto: list[Placed] = []
        self.last_dropped: list[Placed] = []
        self.deciding: set[frozenset[int]] = set()

    def copy(self) -> "Game":
        other = copy(self)
        other.tiles = list(self.tiles)
        return other

    @property
    def left(self) -> int:
        return self.options.size - len(self.tiles)

    def player(self, seat: int) -> int:
        return 3 - seat if self.swapped else seat

    @property
    def to_move(self) -> int:
        return self.player(self.seat)

    def play(self, move: list[Placed] | str) -> None:
        """Play a whole turn, or raise IllegalError and change nothing."""
        if self.winner is not None:
            raise IllegalError("over")
        if move == SWAP:
            if not self.options.swap or self.ply != 1:
                raise IllegalError("no swap now")
            self.swapped = True
            self.ply += 1
            self.last_auto, self.last_dropped = [], []
            return
        assert isinstance(move, list)
        before = list(self.tiles)
        try:
            (self._mambo_turn if self.mambo else self._lambo_turn)(move)
        except IllegalError:
            self.tiles, self.winner = before, None
            raise
        self.ply += 1
        self.seat = 3 - self.seat

    def _mambo_turn(self, move: list[Placed]) -> None:
        if len(move) != 1 or move[0] not in mambo_placements(self.tiles):
            raise IllegalError("no such placement")
        self.tiles.append(move[0])
        self.last_auto, self.last_dropped = [], []
        while self.left and (extra := auto_move(self.options.auto, self.tiles)):
            self.tiles.append(extra)
            self.last_auto.append(extra)
        self._judge()

    def owed(self) -> int:
        """Placements in this Lambo turn."""
        return 1 if self.ply == 0 or self.left == 1 else 2

    def _lambo_turn(self, move: list[Placed]) -> None:
        owed = self.owed()
        if len(move) not in (1, 2) or move[0] not in lambo_placements(self.tiles):
            raise IllegalError("no such first placement")
        self.tiles.append(move[0])
        self._judge()
        dropped: list[Placed] = []
        if self.winner is not None:
            dropped = move[1:]
        elif len(move) != owed:
            raise IllegalError("too few or too many")
        elif owed == 2:
            near = None if self.options.anywhere else move[0][1]
            if move[1] not in lambo_placements(self.tiles, near):
                raise IllegalError("no such second placement")
            self.tiles.append(move[1])
            self._judge()
        self.last_auto, self.last_dropped = [], dropped

    def legal_moves(self) -> set[tuple[Placed, ...]]:
        """Every legal turn (without swap), by trying."""
        if self.winner is not None:
            return set()
        if self.mambo:
            return {(p,) for p in mambo_placements(self.tiles)}
        moves: set[tuple[Placed, ...]] = set()
        owed = self.owed()
        for first in lambo_placements(self.tiles):
            self.tiles.append(first)
            self._judge()
            if self.winner is not None or owed == 1:
                moves.add((first,))
            else:
                near = None if self.options.anywhere else first[1]
                moves |= {(first, second) for second in lambo_placements(self.tiles, near)}
            self.winner = None
            self.deciding = set()
            self.tiles.pop()
        return moves

    # judging

    def _judge(self) -> None:
        picture = look(self.options.game, self.tiles)
        self.deciding = set()
        seats = self._winning_seats(picture)
        if len(seats) == 1:
            self.winner = self.player(seats.pop())
        elif len(seats) == 2:
            self.winner = self.player(3 - self.seat)  # the mover loses
        elif not self.left:
            seat = 0 if self.options.end_draws else self._end(picture)
            self.winner = self.player(seat) if seat else 0

    def _winning_seats(self, picture: Picture) -> set[int]:
        o, winning = self.options, []
        if self.mambo:
            for group in picture.groups:
                if o.kill and picture.dead(group):
                    winning.append((3 - group.colour, group))
                if o.loops and len(dry(group.bridges)) >= o.loops:
                    winning.append((group.colour, group))
        elif o.eat_enemy:
            best: dict[int, int] = {}
            for group in picture.groups:
                eaten = sum(g.size >= o.eat_size for g in picture.eaten(group))
                if eaten >= o.eat_enemy:
                    winning.append((group.colour, group))
                    best[group.colour] = max(eaten, best.get(group.colour, 0))
            if len(best) == 2 and best[1] != best[2]:
                more = 1 if best[1] > best[2] else 2
                winning = [(seat, group) for seat, group in winning if seat == more]
        elif o.must_contain:
            for group in picture.groups:
                if picture.closed(group) and any(picture.closed(g) for g in picture.eaten(group)):
                    winning.append((group.colour, group))
        else:
            for group in picture.groups:
                if group.size >= 1 and picture.closed(group):
                    winning.append((group.colour, group))
        self.deciding = {picture.cells(group) for _, group in winning}
        return {seat for seat, _ in winning}

    def _end(self, picture: Picture) -> int:
        """The seat that wins when the tiles have run out, or 0."""
        o = self.options
        score: dict[int, tuple[int, ...]] = {}
        for seat in (1, 2):
            own = [g for g in picture.groups if g.colour == seat]
            if self.mambo and o.territory:
                each = [picture.territory(g) for g in own]
                score[seat] = (max(each, default=0), sum(each))
            elif self.mambo or not (o.eat_enemy or o.must_contain):
                largest = max((g.size for g in own), default=0)
                score[seat] = (-largest if self.mambo and o.largest == "loses" else largest,)
            elif o.eat_enemy:
                eaten = {g for group in own for g in picture.eaten(group) if g.size >= o.eat_size}
                score[seat] = (max((g.size for g in eaten), default=-1), len(eaten))
            else:
                closed = [g.size for g in own if picture.closed(g)]
                score[seat] = (max(closed, default=-1), len(closed))
        if score[1] == score[2]:
            return 0
        return 1 if score[1] > score[2] else 2


def inmost(placements: Iterable[Placed]) -> list[Placed]:
    """By cell number, so the first ones make compact boards, with loops and holes."""
    return sorted(placements, key=lambda p: (p[1], p[0]))


def blob(game: str, size: int, rng: random.Random) -> list[Placed]:
    """Tiles laid at random where they fit, without any game going on: half the boards scattered, half compact."""
    tiles = [(rng.choice("abcdef" if game == "mambo" else "abc"), 0)]
    compact = rng.random() < 0.5
    while len(tiles) < size:
        choices = mambo_placements(tiles) if game == "mambo" else lambo_placements(tiles)
        tiles.append(rng.choice(inmost(choices)[: 4 if compact else None]))
    return tiles


def perft(game: Game, depth: int) -> list[int]:
    """How many legal sequences of 1 to `depth` turns there are."""
    counts = [0] * depth

    def descend(tiles: list[Placed], ply: int, seat: int, deep: int) -> None:
        game.tiles, game.ply, game.seat, game.winner = tiles, ply, seat, None
        moves = game.legal_moves()
        counts[deep] += len(moves)
        if deep + 1 == depth:
            return
        for move in moves:
            game.tiles, game.ply, game.seat, game.winner = list(tiles), ply, seat, None
            game.play(list(move))
            if game.winner is None:
                descend(game.tiles, game.ply, game.seat, deep + 1)

    descend(list(game.tiles), game.ply, game.seat, 0)
    return counts
