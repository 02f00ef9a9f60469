"""The flat board against a plain recount of its tiles, and `undo` against the state before."""

import random
from collections.abc import Iterator

import pytest

from engine.hex import board as hot
from engine.hex import hexes
from engine.hex.board import CELLS, CLOSED, DECIDED, FRONTIER, LAID, LOOPS, NULL, NULLS, PENDING, Board
from engine.hex.tables import geometry, tile_tables
from engine.hex.tiles import TILESETS

CASES = [("lambo", "none"), ("mambo", "none"), ("mambo", "limited"), ("mambo", "full")]
STACKS = {
    "frontier": FRONTIER,
    "laid": LAID,
    "decided": DECIDED,
    "closed": CLOSED,
    "nulls": NULLS,
    "null_slots": NULLS,
    "pending": PENDING,
}
NOT_STATE = {"near", "corner", "around", "shape", "fits", "forced", "trail", "seen", "queue"}


def state(b: Board) -> dict[str, list[int]]:
    """What must be the same again: every array, of a stack the part in use."""
    return {
        name: values[: b.n[STACKS[name]]] if name in STACKS else values[:]
        for name, values in b._asdict().items()
        if name not in NOT_STATE
    }


def choices(b: Board, tileset: str) -> list[tuple[int, int]]:
    """Every placement that fits."""
    letters = range(len(TILESETS[tileset]))
    return [(c, t) for c in b.frontier[: b.n[FRONTIER]] for t in letters if b.fits[hot.state(b, c)] >> t & 1]


def walk(tileset: str, auto: str, seed: int, size: int = 60) -> Iterator[Board]:
    """A board after each of `size` random placements, automatic moves in between."""
    rng = random.Random(f"{tileset} {auto} {seed}")
    b = hot.new(TILESETS[tileset], auto)
    while b.n[LAID] < size:
        pending = b.n[PENDING]
        cell, tile = rng.choice(choices(b, tileset))
        while cell >= 0 and b.n[LAID] < size:
            if cell >= b.n[CELLS]:
                b = hot.grown(b, TILESETS[tileset], auto, cell)
            hot.place(b, cell, tile)
            yield b
            cell = hot.due(b, pending)
            tile = b.forced[hot.state(b, cell)] if cell >= 0 else -1


@pytest.mark.parametrize("rings", [1, 4, 9])
def test_geometry(rings: int) -> None:
    near, corner, around = geometry(rings)
    for number in range(hexes.count(rings + 1)):
        cell = hexes.axial(number)
        assert near[6 * number : 6 * number + 6] == [hexes.spiral(other) for other in hexes.neighbours(cell)]
        for which in range(6):
            owner, cls = hexes.corner(cell, which)
            at = corner[6 * number + which]
            assert at == 2 * hexes.spiral(owner) + cls - 1
            assert set(around[3 * at : 3 * at + 3]) == {hexes.spiral(c) for c in hexes.corner_cells((owner, cls))}


def test_numbers_do_not_depend_on_the_size() -> None:
    for small, large in zip(geometry(3), geometry(7), strict=True):
        part = 6 * hexes.count(4) if small is not geometry(3)[2] else 3 * 2 * hexes.count(3)
        assert small[:part] == large[:part]


FIT = [
    ((0, 0, 0), 6),
    ((1, 0, 0), 3),
    ((0, 0, 2), 3),
    ((1, 2, 0), 2),
    ((0, 2, 1), 2),
    ((1, 1, 0), 1),
    ((0, 2, 2), 1),
    ((1, 1, 2), 1),
    ((2, 1, 2), 1),
    ((1, 1, 1), 0),
    ((2, 2, 2), 0),
]
"""Seats decided at L, TR and BR, and how many of the six Mambo letters fit (docs/rules.md 3)."""


@pytest.mark.parametrize(("seats", "letters"), FIT)
def test_how_many_letters_fit(seats: tuple[int, int, int], letters: int) -> None:
    colours = 9 * seats[0] + 3 * seats[1] + seats[2]
    for auto in ("none", "limited", "full"):
        _, fits, forced, _ = tile_tables(TILESETS["mambo"], auto)
        assert fits[colours].bit_count() == letters
        decided = 3 - seats.count(0)
        sure = letters == 1 and ((auto != "none" and decided == 3) or (auto == "full" and decided == 2))
        assert (forced[colours] >= 0) == sure
        assert not sure or fits[colours] == 1 << forced[colours]


def test_every_lambo_tile_fits_everywhere() -> None:
    _, fits, forced, parts = tile_tables(TILESETS["lambo"], "none")
    assert set(fits) == {7}
    assert set(forced) == {-1}
    assert parts == 2


@pytest.mark.parametrize(("tileset", "auto"), CASES)
def test_undo_restores_everything(tileset: str, auto: str) -> None:
    for seed in range(3):
        b = hot.new(TILESETS[tileset], auto, 12)
        rng = random.Random(seed)
        before = [state(b)]
        while b.n[LAID] < 50:
            options = [(cell, tile) for cell, tile in choices(b, tileset) if cell < b.n[CELLS]]
            if len(before) > 1 and rng.random() < 0.3:
                for _ in range(min(rng.randrange(1, 4), len(before) - 1)):
                    hot.undo(b)
                    before.pop()
                    assert state(b) == before[-1]
            else:
                hot.place(b, *rng.choice(options))
                before.append(state(b))
        for old in reversed(before[:-1]):
            hot.undo(b)
            assert state(b) == old
        assert b.n[LAID] == 0
        fresh = hot.new(TILESETS[tileset], auto, 12)
        assert state(b) == state(fresh)


def recount(b: Board, tileset: str) -> tuple[dict[frozenset[int], tuple[int, int, bool]], set[int], set[int]]:
    """From the tiles alone: corners of each group -> (seat, bridges, closed); the null points; the frontier."""
    tiles = {hexes.axial(c): TILESETS[tileset][b.tile[c]] for c in b.laid[: b.n[LAID]]}
    seat, joins = {}, []
    for cell, tile in tiles.items():
        for which in range(6):
            if tile.colours[which]:
                seat[hexes.corner(cell, which)] = tile.colours[which]
        for ends, tip in ((hexes.CLASS_1, tile.tip1), (hexes.CLASS_2, tile.tip2)):
            one, two = (hexes.corner(cell, which) for which in ends if which != tip)
            if one in seat:
                joins.append((one, two))
    beside = {other for cell in tiles for other in hexes.neighbours(cell)} - set(tiles)
    nulls = set()
    if tileset == "mambo":
        for cell in beside:
            seats = {seat.get(hexes.corner(cell, which), 0) for which in hexes.CLASS_1}
            if seats in ({1}, {2}):
                nulls.add(cell)
    groups, left = {}, set(seat)
    while left:
        group, edge = set(), {left.pop()}
        while edge:
            at = edge.pop()
            group.add(at)
            edge |= {b for a, b in joins if a == at} | {a for a, b in joins if b == at}
            edge -= group
        left -= group
        bridges = sum(a in group for a, _ in joins)
        closed = all(c in tiles or c in nulls for at in group for c in hexes.corner_cells(at))
        key = frozenset(2 * hexes.spiral(cell) + cls - 1 for cell, cls in group)
        groups[key] = (seat[next(iter(group))], bridges, closed)
    return groups, {hexes.spiral(c) for c in nulls}, {hexes.spiral(c) for c in beside - nulls}


@pytest.mark.parametrize(("tileset", "auto"), CASES)
def test_groups_against_a_recount(tileset: str, auto: str) -> None:
    for seed in range(3):
        for b in walk(tileset, auto, seed):
            if b.n[LAID] % 5 and b.n[LAID] < 55:
                continue
            groups, nulls, frontier = recount(b, tileset)
            mine: dict[int, set[int]] = {}
            for corner in b.decided[: b.n[DECIDED]]:
                mine.setdefault(hot.find(b, corner), set()).add(corner)
            closed = b.closed[: b.n[CLOSED]]
            assert len(set(closed)) == len(closed)
            assert groups == {
                frozenset(corners): (b.colour[root], b.bridges[root], root in closed) for root, corners in mine.items()
            }
            assert all(b.corners[root] == len(corners) for root, corners in mine.items())
            assert b.n[LOOPS] == sum(hot.loops(b, root) for root in mine)
            assert set(b.nulls[: b.n[NULLS]]) == nulls
            assert {cell for cell, tile in enumerate(b.tile) if tile == NULL} == nulls
            assert set(b.frontier[: b.n[FRONTIER]]) == frontier
            assert all(b.where[cell] == i for i, cell in enumerate(b.frontier[: b.n[FRONTIER]]))


def test_automatic_moves_leave_nothing_to_do() -> None:
    filled = 0
    for b in walk("mambo", "full", 1, 100):
        filled += hot.due(b, 0) < 0
    assert filled > 10


@pytest.mark.parametrize("tileset", TILESETS)
def test_growing_changes_nothing(tileset: str) -> None:
    """A straight arm of 60 tiles on a board that grows, and on one that has room from the start."""
    for direction in range(6):
        dq, dr = hexes.DIRECTIONS[direction]
        cells = [hexes.spiral((i * dq, i * dr)) for i in range(60)]
        grows, large = hot.new(TILESETS[tileset]), hot.new(TILESETS[tileset], "none", 120)
        rings = grows.n[CELLS]
        for cell in cells:
            if cell >= grows.n[CELLS]:
                grows = hot.grown(grows, TILESETS[tileset], "none", cell)
            tile = next(t for t in range(6) if grows.fits[hot.state(grows, cell)] >> t & 1)
            hot.place(grows, cell, tile)
            hot.place(large, cell, tile)
        assert grows.n[CELLS] > rings
        for name in ("laid", "frontier", "decided", "closed", "nulls"):
            n = large.n[STACKS[name]]
            assert getattr(grows, name)[:n] == getattr(large, name)[:n]
        while grows.n[LAID]:
            hot.undo(grows)
        used = grows.n[CELLS]
        fresh = hot.new(TILESETS[tileset], "none", 120)
        assert grows.tile[:used] == fresh.tile[:used]
        assert grows.where[:used] == fresh.where[:used]
