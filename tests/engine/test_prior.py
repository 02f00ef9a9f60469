"""The learned prior: its marks are what the board says, and it changes the order in which moves are tried, no more."""

import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from engine.hex.board import (
    DECIDED,
    EMPTY,
    FITTED,
    FRONTIER,
    LAID,
    NULLS,
    PARTS,
    PENDING,
    SHAPE,
    Board,
    find,
    place,
    state,
    undo,
)
from engine.hex.play import Play
from engine.hex.variants import parse
from engine.search import LEVELS, Level, learned, prior, think, tree, uct, weights
from engine.search.kernel import rules_in_numbers
from engine.search.thinking import Search

FOLDER = ".pytest_cache/numba"
GAMES = ["lambo", "mambo"]


@pytest.fixture
def weighted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives weights to games that have none: Mambo is the one with null points and automatic moves."""
    chance, table = random.Random(1), weights.table
    some = tuple(chance.gauss(0, 1) for _ in range(prior.TABLE))
    monkeypatch.setattr(weights, "table", lambda how: table(how) or some)


def searches(game: str, tuning: tuple[float, ...], count: int) -> list[Search]:
    """Searches of random positions that nobody wins at once."""
    rng, found = random.Random(game), list[Search]()
    while len(found) < count:
        play = Play(parse(game))
        for _ in range(rng.randrange(1, 8)):
            if not play.verdict:
                play.move(rng.choice(list(play.moves())))
        if not play.verdict:
            found.append(Search(play, Level(0, 60, tuning), 5, FOLDER))
    return found


def lists(board: Board) -> Board:
    """The board as interpreted functions want it."""
    return Board(*(field.tolist() for field in board))  # type: ignore[attr-defined]


@pytest.mark.usefixtures("weighted")
@pytest.mark.parametrize("game", GAMES)
def test_interpreted_and_compiled(game: str) -> None:
    def edges(search: Search) -> list[Any]:
        search.grow(None, 60)
        t = search.tree
        return [field[: t.n[tree.EDGES]].tolist() for field in (t.move, t.tried, t.prior)]

    for fast, slow in zip(*(searches(game, tree.LEARNED, 3) for _ in range(2)), strict=True):
        slow.run = {"search": uct.search, "follow": uct.follow}
        slow.board, slow.saved = lists(slow.board), lists(slow.saved)
        assert edges(fast) == edges(slow)


@pytest.mark.usefixtures("weighted")
@pytest.mark.parametrize("game", GAMES)
def test_it_leaves_out_no_move(game: str) -> None:
    """The same edges as without it, and each with a share of the whole."""
    shares = 0
    for with_it, without in zip(*(searches(game, tuning, 8) for tuning in (tree.LEARNED, tree.FULL)), strict=True):
        roots = []
        for search in (with_it, without):
            search.grow(None, 1)
            t, root = search.tree, int(search.tree.n[tree.ROOT])
            first = max(int(t.first[root]), 0)  # a root that is won has no edges
            roots.append([field[first : first + int(t.count[root])] for field in (t.move, t.prior)])
        (moves, prior_shares), (plain, nothing) = roots
        assert moves.tolist() == plain.tolist()
        assert not nothing.any()
        if len(moves):
            assert prior_shares.min() > 0
            assert prior_shares.sum() == pytest.approx(1)
            shares += len(moves) > 1 and prior_shares.max() > 2 / len(moves)
    assert shares >= 3, "the weights say nothing"


def test_only_level_5_uses_it() -> None:
    assert [level.tuning[tree.PRIOR] > 0 for level in LEVELS] == [False, False, False, False, True]


def test_games_without_weights_are_searched_as_before() -> None:
    for game in ("lambo -must_contain", "mambo -mamboa"):
        rules = parse(game)
        plain, learned_too = (
            think(rules, [], Level(0, 100, tuning), 3, folder=FOLDER) for tuning in (tree.FULL, tree.LEARNED)
        )
        assert plain == learned_too


def test_each_table_fits_the_marks() -> None:
    for numbers in learned.TABLES.values():
        table = [int(word) for word in numbers.split()]
        assert len(table) == prior.TABLE
        assert max(map(abs, table)) < 1000
        assert any(table)
    assert len(Path(str(learned.__file__)).read_bytes()) < 200_000


def test_which_games_have_weights() -> None:
    tables = [weights.table(rules_in_numbers(parse(game))) for game in ("lambo", "palago", "lambo -size=30", "mambo")]
    assert tables[0] == tables[1] == tables[2] != tables[3]
    assert all(tables)
    for game in ("lambo -anywhere", "lambo -must_contain", "lambo -eat_enemy", "mambo -mamboa", "mambo -mamba"):
        assert not weights.table(rules_in_numbers(parse(game)))


def around(b: Board, root: int, but: Collection[int] = ()) -> int:
    """The number of empty cells round a group, but for some, counted corner by corner."""
    corners = [c for c in b.decided[: b.n[DECIDED]] if find(b, c) == root]
    return len(
        {cell for c in corners for cell in b.around[3 * c : 3 * c + 3] if b.tile[cell] == EMPTY and cell not in but}
    )


@pytest.mark.parametrize("game", GAMES)
def test_what_a_tile_does_to_the_cells(game: str) -> None:
    """Empty cells round groups before and after, null points, automatic moves: for each place and tile."""
    compared = 0
    for search in searches(game, tree.FULL, 6):
        b, t = lists(search.board), search.tree
        prior.liberties(b, t)
        for corner in b.decided[: b.n[DECIDED]]:
            root = find(b, corner)
            assert int(t.free[root]).bit_count() == around(b, root)
        for cell in b.frontier[: b.n[FRONTIER]]:
            prior.surround(b, t, cell)
            for tile in range(len(search.letters)):
                if not b.fits[state(b, cell)] >> tile & 1:
                    continue
                nulls, pending, s = b.n[NULLS], b.n[PENDING], SHAPE * tile
                gone = int(prior.taken(b, t, cell, tile)) if b.n[FITTED] else 0
                place(b, cell, tile)
                waiting = {other for other in b.pending[pending : b.n[PENDING]] if b.where[other] >= 0}
                if b.n[FITTED]:
                    assert t.local[prior.NULLED] == b.n[NULLS] - nulls
                    assert t.local[prior.FORCED] == len(waiting)
                for part in range(b.n[PARTS]):
                    _, p, q = b.shape[s + 5 * part : s + 5 * part + 3]
                    bits = int(t.local[prior.AFTER + p] | t.local[prior.AFTER + q]) & ~gone
                    assert bits.bit_count() == around(b, find(b, b.corner[6 * cell + p]), waiting)
                    compared += 1
                undo(b)
        assert b.n[LAID] == search.board.n[LAID]
    assert compared > 150
