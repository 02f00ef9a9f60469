"""The engine and the naive judge, ply by ply: what is legal, what is laid, whose turn it is, who wins.

First the naive judge itself is checked against the numbers and figures of docs/rules.md. Then random games are played
in every variant and in random mixtures of options.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from engine.errors import EngineError
from engine.hex import position as engine
from engine.hex import variants
from engine.hex.notation import SWAP, Placement, parse_move, write_move
from tests import naive

# --- the naive judge against docs/rules.md ---------------------------------------------------------------------------


def offset(column: int, row: int) -> int:
    """The cell (column, row): odd columns are half a cell lower."""
    return naive.number((3 * column, 2 * row + column % 2))


def test_spiral() -> None:
    """docs/rules.md 1: 1 N, 2 NE, 3 SE, 4 S, 5 SW, 6 NW, 7 two steps north, 8 next clockwise."""
    steps = [(0, -2), (3, -1), (3, 1), (0, 2), (-3, 1), (-3, -1)]
    assert [naive.middle(n) for n in range(1, 7)] == steps
    assert naive.middle(7) == (0, -4)
    assert naive.middle(8) == (3, -3)
    assert naive.middle(19) == (0, -6)
    assert all(naive.number(naive.middle(n)) == n for n in range(300))


@pytest.mark.parametrize(("game", "depth", "counts"), [("lambo", 2, [18, 6156]), ("mambo", 3, [6, 108, 2424])])
def test_perft(game: str, depth: int, counts: list[int]) -> None:
    """The first numbers of issues 2 and 3, by both."""
    assert naive.perft(naive.Game(naive.Options(game=game)), depth) == counts
    assert engine.perft(engine.start(variants.parse(game)), depth) == counts


class Dead(NamedTuple):
    tiles: str
    size: int
    loops: int
    closed: bool
    nulls: set[int]


@pytest.mark.parametrize("row", [
    Dead("00c 01d 02b 10e 11f 21a", 3, 1, True, set()),
    Dead("00c 01d 02b 11f 20f 21a", 2, 0, False, {offset(1, 0)}),
], ids=["closed", "null point"])  # fmt: skip
def test_the_dead_groups(row: Dead) -> None:
    """The figures of docs/rules.md 3: one dead X group, and no other dead group."""
    picture = naive.look("mambo", [(t[2], offset(int(t[0]), int(t[1]))) for t in row.tiles.split()])
    (dead,) = (group for group in picture.groups if picture.dead(group))
    assert (dead.colour, dead.size, len(picture.loops(dead))) == (2, row.size, row.loops)
    assert picture.closed(dead) == row.closed
    assert {naive.number(at) for at in picture.nulls} >= row.nulls


@pytest.mark.parametrize(("colours", "letters"), [
    ([None, None, None], 6), ([1, None, None], 3), ([1, 2, None], 2), ([1, 1, None], 1), ([1, 1, 2], 1), ([1, 1, 1], 0),
])  # fmt: skip
def test_how_many_letters_fit(colours: list[int | None], letters: int) -> None:
    """The table of docs/rules.md 3, wherever the colours stand."""
    for turn in range(3):
        decided = dict(zip(naive.DARK, colours[turn:] + colours[:turn], strict=True))
        fitting = [
            letter
            for letter in "abcdef"
            if all(decided[corner] in (None, colour) for corner, colour in naive.parts("mambo", letter, (0, 0))[0])
        ]
        assert len(fitting) == letters


# --- the engine against the naive judge ------------------------------------------------------------------------------

VARIANTS = {
    "lambo": "lambo",
    "anywhere": "lambo -anywhere",
    "eat one": "lambo -eat_enemy=1",
    "eat two": "lambo -eat_enemy",
    "eat size": "lambo -eat_enemy=1 -eat_size=1",
    "contain": "lambo -must_contain",
    "palago": "palago",
    "mambo": "mambo",
    "mamboa": "mambo -mamboa",
    "mamba": "mambo -mamba",
    "snake eyes": "mambo -mamba -loops=2",
    "mambogo": "mambo -mambogo",
    "lambo mixture": "lambo {} {} -swap",
    "mambo mixture": "mambo {} {} {} {} {} -swap",
}
MIXTURES = {
    "lambo mixture": [
        ["", "-anywhere", "-adjacent"],
        ["", "-must_contain", "-eat_enemy=1", "-eat_enemy=3", "-eat_size=0", "-eat_size=1", "-eat_enemy=1 -eat_size=2"],
    ],
    "mambo mixture": [
        ["-auto=none", "-auto=limited", "-auto=full"],
        ["-kill", "-no_kill"],
        ["-loops=0", "-loops=1", "-loops=2", "-loops=3"],
        ["-largest=wins", "-largest=loses"],
        ["-territory", "-no_territory"],
    ],
}  # fmt: skip
SIZES = (4, 5, 8, 12, 16, 16, 20, 20, 24, 24, 30, 48)


def rules_text(name: str, rng: random.Random) -> str:
    words = [rng.choice(choices) for choices in MIXTURES.get(name, [])]
    return VARIANTS[name].format(*words) + f" -size={rng.choice(SIZES)}"


def sample_turn(game: naive.Game, rng: random.Random, reach: int | None) -> list[naive.Placed]:
    """A turn, legal but for a first tile in a hole; `reach`: choose among so many of the innermost placements."""
    if game.mambo:
        return [rng.choice(naive.inmost(naive.mambo_placements(game.tiles))[:reach])]
    first = rng.choice(naive.inmost(naive.lambo_placements(game.tiles))[:reach])
    if game.owed() == 1:
        return [first]
    near = None if game.options.anywhere else first[1]
    seconds = naive.inmost(naive.lambo_placements([*game.tiles, first], near))[:reach]
    return [first, rng.choice(seconds)] if seconds else [first]


def attempts(game: naive.Game, rng: random.Random) -> Iterator[list[naive.Placed]]:
    """Moves that are mostly illegal: a cell that is taken or far, a colour that clashes, one too few or too many."""
    cells = [n for _, n in game.tiles] + [rng.randrange(60), rng.randrange(9)]
    letters = "abcdef" if game.mambo else "abc"

    def any_placement() -> naive.Placed:
        near = naive.neighbours(naive.middle(rng.choice(cells)))
        return rng.choice(letters), rng.choice([naive.number(rng.choice(near)), rng.choice(cells), rng.randrange(200)])

    yield [any_placement()]
    yield [any_placement(), any_placement()]
    turn = sample_turn(game, rng, 6)
    yield turn[:1]
    yield turn[::-1]
    yield [turn[0], any_placement()]
    yield [turn[0], turn[0]]


def as_move(move: list[naive.Placed] | str) -> tuple[Placement, ...]:
    return SWAP if isinstance(move, str) else tuple(Placement(*p) for p in move)


def naive_fits(game: naive.Game) -> dict[int, str]:
    """What a board shows: the letters for every empty cell a first tile may be laid on, none for a null point."""
    placements = naive.mambo_placements(game.tiles) if game.mambo else naive.lambo_placements(game.tiles)
    fits: dict[int, str] = {}
    for letter, cell in sorted(placements):
        fits[cell] = fits.get(cell, "") + letter
    if game.mambo and game.tiles:
        fits |= {naive.number(at): "" for at in naive.look("mambo", game.tiles).nulls}
    return fits


def agree(position: engine.Position, game: naive.Game) -> None:
    assert list(position.tiles) == game.tiles
    assert position.ply == game.ply
    assert position.left == game.left
    assert (position.outcome and position.outcome.winner) == game.winner
    if position.outcome is None:
        assert position.to_move == game.to_move
    else:
        assert position.outcome.reason
        if game.deciding:
            assert frozenset(position.outcome.cells) in game.deciding


def agree_on(
    move: list[naive.Placed] | str, position: engine.Position, game: naive.Game
) -> tuple[engine.Position, naive.Game]:
    """Both play it or both refuse it (then nothing changes)."""
    mine = game.copy()
    try:
        mine.play(move)
    except naive.IllegalError:
        with pytest.raises(EngineError):
            engine.apply(position, as_move(move))
        return position, game
    position = engine.apply(position, as_move(move))
    agree(position, mine)
    turn = position.turns[-1]
    assert list(turn.auto) == mine.last_auto
    assert list(turn.dropped) == mine.last_dropped
    assert list(turn.move) + list(turn.dropped) == list(as_move(move))
    return position, mine


def play(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    text = rules_text(name, rng)
    rules = variants.parse(text)
    position, game = engine.start(rules), naive.Game(naive.options(rules))
    agree(position, game)
    reach = rng.choice([4, 8, 16, None])
    record = []
    while game.winner is None:
        assert dict(engine.fits(position)) == naive_fits(game)
        if rng.random() < 0.2:
            for attempt in attempts(game, rng):
                agree_on(attempt, position, game)
            agree_on("swap", position, game)
        if rng.random() < (0.3 if len(game.tiles) < 6 else 0.01):
            moves = list(engine.legal_moves(position))
            assert len(moves) == len(set(moves))
            assert {m for m in moves if m != SWAP} == game.legal_moves()
            assert (SWAP in moves) == (rules.swap and game.ply == 1)
        swap = rules.swap and game.ply == 1 and rng.random() < 0.5
        move: list[naive.Placed] | str = "swap" if swap else sample_turn(game, rng, reach)
        before = game.ply
        position, game = agree_on(move, position, game)
        if game.ply > before:
            record.append(write_move(as_move(move)))
    refused = naive.mambo_placements(game.tiles) if game.mambo else naive.lambo_placements(game.tiles)
    with pytest.raises(EngineError):
        engine.apply(position, as_move([min(refused)]))
    assert list(engine.legal_moves(position)) == []
    assert engine.replay(rules, record) == position
    assert [parse_move(text) for text in record] == [turn.move + turn.dropped for turn in position.turns]


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("name", VARIANTS)
def test_random_games(name: str, part: int) -> None:
    """100 games of each, in two parts for the sake of parallel runs."""
    for seed in range(part * 50, part * 50 + 50):
        play(name, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("name", VARIANTS)
def test_many_random_games(name: str, part: int) -> None:
    """2,000 games of each."""
    for seed in range(1000 + part * 200, 1200 + part * 200):
        play(name, seed)


# Found by searching random games with the naive judge: the last turn wins for both colours at once.
class Both(NamedTuple):
    rules: str
    mover_wins: bool
    moves: str


BOTH = {
    "close": Both(
        "lambo",
        False,
        "c2 a3,c4 c11,a12 b24,b43 b13,a14 b5,a6 b8,a9 a1,b7 c19,a38 a22,b21 a10,b23 c25,a46 a30,c31 a16,b15 a17,c18",
    ),
    "close, by Dark": Both(
        "lambo -anywhere",
        False,
        "c3 b1,b2 c11,c24 b18,b4 a12,b10 a5,c6 a8,c7 b14,a16 c15,c23 c19,c17 a13,a20 c9,b21 a22,a26 a31,c28 b25,c27 "
        "c35,a32 a36,a38 b29,b30",
    ),
    "eat": Both("lambo -eat_enemy=1", False, "a1 c8,b20 c2,b3 a6,c5 c17,a18 c12,b26 a11,b24 b14,a4"),
    "eat, and one has eaten more": Both(
        "lambo -eat_enemy=1",
        True,
        "a2 a1,b6 a4,b12 c10,b11 a9,c8 b5,b15 c16,a32 a20,b21 a13,a14 c19,b60 b23,b42 a17,b18 c22,a40 c26,c25 a7,a36 "
        "a24,a43",
    ),
    "kill": Both("mambo", False, "a0 b2 b5 c3 f1 d6 f9 c7 e8 a11 b12"),
    "kill, by X": Both("mambo", False, "b0 c3 b12 a5 c1 a6 d8 a9 a7 c17 e13 e11 e14 d15 b19 c22 b26 a21 b23 a25"),
}


@pytest.mark.parametrize("row", BOTH.values(), ids=BOTH)
def test_won_for_both_at_once(row: Both) -> None:
    """The mover loses, unless it is about eating and one has eaten more."""
    rules, moves = variants.parse(row.rules), row.moves.split()
    game = naive.Game(naive.options(rules))
    for move in moves:
        mover = game.to_move
        game.play([(p.letter, p.cell) for p in parse_move(move)])
    assert game.winner == (mover if row.mover_wins else 3 - mover)
    assert row.mover_wins or len(game.deciding) > 1
    position = engine.replay(rules, moves)
    agree(position, game)
