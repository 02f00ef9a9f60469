"""The computer player: it plays by the rules, whatever they are, and sees what an exhaustive search sees."""

import random

import pytest

from engine.errors import EngineError, Forbidden
from engine.hex.board import CLOSED, DECIDED, FRONTIER, LAID, NULLS, PENDING, STAMP, new, place
from engine.hex.hexes import axial, ring
from engine.hex.notation import SWAP, Move, Placement, write_move
from engine.hex.play import Play
from engine.hex.position import Position, apply, legal_moves, replay, start, walk
from engine.hex.variants import parse
from engine.search import LEVELS, Level, affordable, evaluate, level_of, think
from engine.search.compiled import arrays, compiled, longs
from engine.search.kernel import (
    MOVER,
    NONE,
    RANDOM,
    RESULT,
    advance,
    any_cell,
    any_tile,
    drop,
    lift,
    restore_table,
    rolls,
    rules_in_numbers,
    state_in_numbers,
    stuck,
)
from engine.search.thinking import Search

GAMES = [
    "lambo",
    "lambo -anywhere",
    "lambo -size=12",
    "lambo -size=9 -swap",
    "lambo -eat_enemy=1 -size=20",
    "lambo -must_contain -size=20",
    "palago -size=14",
    "mambo",
    "mambo -mamboa",
    "mambo -mamba -size=20",
    "mambo -mambogo -size=16",
    "mambo -auto=none -loops=1 -swap",
    "mambo -auto=full -no_kill -loops=2 -largest=loses",
]


STACKS = {
    "laid": LAID, "frontier": FRONTIER, "decided": DECIDED, "closed": CLOSED, "nulls": NULLS, "null_slots": NULLS,
    "pending": PENDING,
}  # fmt: skip


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where compiled code is kept: beside the tests' caches, so that only a change of the engine compiles anew."""
    return ".pytest_cache/numba"


def some_position(game: str, rng: random.Random) -> tuple[Position, list[str]]:
    """A game played at random for a while, not to the end."""
    at, moves = start(parse(game)), []
    for _ in range(rng.randrange(14)):
        options = list(legal_moves(at))
        if not options:
            break
        move = rng.choice(options)
        after = apply(at, move)
        if after.outcome:
            break
        at = after
        moves.append(write_move(move))
    return at, moves


@pytest.mark.parametrize("game", GAMES)
def test_what_it_plays_is_legal(game: str, folder: str) -> None:
    rng = random.Random(game)
    for seed in range(4):
        at, moves = some_position(game, rng)
        thought = think(at.rules, moves, Level(0, 20), seed, folder=folder)
        for move in thought.line:
            at = apply(at, move)
        assert thought.move == thought.line[0]
        assert 0 <= thought.winning <= 1
        assert thought.proven in (-1, 0, 1)


def test_the_same_seed_gives_the_same_thought(folder: str) -> None:
    rules, moves = parse("lambo"), ["b2", "a1,c7"]
    first, again = (think(rules, moves, Level(0, 200), 7, folder=folder) for _ in range(2))
    assert first == again


def test_it_stops_when_told(folder: str) -> None:
    """After the first slice of each placement, and with a move all the same."""
    thought = think(parse("mambo"), [], Level(0, 100_000), 1, lambda: True, folder)
    assert 0 < thought.playouts <= 10
    apply(start(parse("mambo")), thought.move)


def test_the_first_move_of_a_game_with_a_swap_is_found_in_time(folder: str) -> None:
    """There are eighteen; the first one gets as many playouts as there are before somebody asks."""
    thought = think(parse("lambo -swap"), [], Level(0, 100_000), 1, lambda: True, folder)
    assert 0 < thought.playouts <= 20
    apply(start(parse("lambo -swap")), thought.move)


def test_slices_change_no_thought(folder: str) -> None:
    asked: list[int] = []
    rules, moves = parse("lambo"), ["b2", "a1,c7"]
    whole = think(rules, moves, Level(0, 700), 7, folder=folder)
    assert think(rules, moves, Level(0, 700), 7, lambda: bool(asked.append(1)), folder) == whole
    assert len(asked) >= 4


def test_a_game_that_is_over(folder: str) -> None:
    at, moves = start(parse("lambo -size=4")), ["b2", "a8,a7"]
    at = replay(at.rules, moves)
    while not at.outcome:
        moves.append(write_move(next(iter(legal_moves(at)))))
        at = apply(at, moves[-1])
    with pytest.raises(Forbidden, match="the game is over"):
        think(at.rules, moves, 1, 1, folder=folder)


def test_levels() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5]
    assert level_of(3).number == 3
    with pytest.raises(Forbidden, match="there is no level 6"):
        level_of(6)


def test_affordable() -> None:
    from dataclasses import replace

    affordable(parse("lambo -size=200"))
    with pytest.raises(Forbidden, match="up to 200 tiles, not 201"):
        affordable(replace(parse("lambo"), size=201))
    with pytest.raises(Forbidden, match="-eat_enemy with up to 60 tiles, not 61"):
        affordable(parse("lambo -eat_enemy=1 -size=61"))
    affordable(parse("lambo -eat_enemy=1 -size=60"))
    with pytest.raises(Forbidden, match="-anywhere with -eat_enemy"):
        affordable(parse("lambo -anywhere -eat_enemy=9"))
    for rules in ("palago -anywhere", "lambo -anywhere -must_contain"):
        with pytest.raises(Forbidden, match="-anywhere with up to 32 tiles, not 33"):
            affordable(parse(f"{rules} -size=33"))
        affordable(parse(f"{rules} -size=32"))
    affordable(parse("lambo -anywhere -size=48"))


def test_bad_moves_are_refused_as_everywhere(folder: str) -> None:
    with pytest.raises(EngineError):
        evaluate(parse("lambo"), ["b2", "a1"], 10, 1, folder)


# --- what an exhaustive search sees ----------------------------------------------------------------------------------


def wins(play: Play) -> list[str]:
    """The turns by which the mover wins at once, found by laying the tiles of each."""
    found, mover, laid, owed = [], play.mover, play.board.n[LAID], play.owed
    for cell in play.cells():
        for tile in play.fitting(cell):
            play.lay(cell, tile)
            between = play.board.n[LAID]
            if play.verdict and play.verdict.seat == mover:
                found.append(f"{play.letters[tile]}{cell}")
            elif not play.verdict and owed == 2:
                for other in play.seconds(cell):
                    for second in play.fitting(other):
                        play.lay(other, second)
                        if play.verdict and play.verdict.seat == mover:
                            found.append(f"{play.letters[tile]}{cell},{play.letters[second]}{other}")
                        play.unlay(between)
            play.unlay(laid)
    return found


def survivors(at: Position) -> set[str]:
    """The turns that do not lose, at once or to a win in the opponent's next turn."""
    found = set()
    for move in legal_moves(at):
        after = apply(at, move)
        lost = after.outcome.winner == 3 - at.to_move if after.outcome else wins(walk(after))
        if not lost:
            found.add(write_move(move))
    return found


QUICK = ["lambo -size=30", "lambo -anywhere -size=9", "mambo", "mambo -mamboa", "mambo -loops=1", "lambo -must_contain"]


def sees_wins(game: str, positions: int, folder: str) -> int:
    """In how many of so many random positions there was a win in one turn; every one has to be seen."""
    rng = random.Random(game)
    seen = 0
    for seed in range(positions):
        at, moves = some_position(game, rng)
        winning = wins(walk(at))
        thought = think(at.rules, moves, Level(0, 2), seed, folder=folder)
        if winning:
            seen += 1
            assert (thought.proven, thought.winning) == (1, 1.0)
            assert thought.move in winning
    return seen


@pytest.mark.parametrize("game", QUICK)
def test_it_sees_every_win_in_one_turn(game: str, folder: str) -> None:
    assert sees_wins(game, 12, folder) or "contain" in game, "no such position: the test says nothing"


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES)
def test_it_sees_every_win_in_one_turn_of_many_positions(game: str, folder: str) -> None:
    assert sees_wins(game, 100, folder) >= 10


DEFENCES = [
    ("lambo", 12),
    ("lambo -size=9 -swap", 60),
    ("lambo -eat_enemy=2", 10),
    ("lambo -must_contain -size=20", 15),
    ("palago -size=9", 100),
    *((game, 150) for game in GAMES if game.startswith("mambo")),
]
"""Games and how many random positions; each of the many hundred turns of Lambo has as many answers."""


@pytest.mark.nightly
@pytest.mark.parametrize(("game", "positions"), DEFENCES)
def test_it_sees_every_defence_of_many_positions(game: str, positions: int, folder: str) -> None:
    rng = random.Random(f"{game} defended")
    few = 0
    for seed in range(positions):
        at, moves = some_position(game, rng)
        if wins(walk(at)):
            continue
        alive = survivors(at)
        thought = think(at.rules, moves, Level(0, 2), seed, folder=folder)
        if alive:
            assert thought.move in alive
        else:
            assert thought.proven == -1
        few += 0 < len(alive) < len(list(legal_moves(at)))
    assert few >= 3, "nothing was to be defended"


@pytest.mark.parametrize("game", ["lambo", "mambo"])
def test_it_sees_every_defence_in_one_turn(game: str, folder: str) -> None:
    """Positions of a few tiles, since each of many hundred turns has as many answers."""
    rng = random.Random(game)
    few = 0
    for seed in range(2 if game == "lambo" else 20):
        at, moves = start(parse(game)), []
        for _ in range(2 if game == "lambo" else rng.randrange(8, 14)):
            move = rng.choice(list(legal_moves(at)))
            if apply(at, move).outcome:
                break
            at = apply(at, move)
            moves.append(write_move(move))
        alive = survivors(at)
        few += len(alive) < len(list(legal_moves(at)))
        thought = think(at.rules, moves, Level(0, 2), seed, folder=folder)
        assert thought.move in alive or not alive or thought.proven == 1
        if not alive and not wins(walk(at)):
            assert thought.proven == -1
    assert few, "nothing was to be defended"


def test_proofs_are_right(folder: str) -> None:
    """A game so small that everything can be tried: what is said to be proved is so."""
    rng = random.Random(5)

    def value(at: Position) -> int:
        """1 if the mover wins, -1 if he loses, 0 for a draw."""
        best = -1
        for move in legal_moves(at):
            after = apply(at, move)
            if after.outcome:
                here = 0 if after.outcome.winner == 0 else 1 if after.outcome.winner == at.to_move else -1
            else:
                here = -value(after)
            best = max(best, here)
            if best == 1:
                break
        return best

    proved = 0
    for seed in range(8):
        at, moves = start(parse(f"mambo -size={rng.choice((5, 6))}")), []
        for _ in range(3):
            moves.append(write_move(rng.choice(list(legal_moves(at)))))
            at = apply(at, moves[-1])
        thought = think(at.rules, moves, Level(0, 3000), seed, folder=folder)
        if thought.proven:
            proved += 1
            assert thought.proven == value(at)
    assert proved


@pytest.mark.parametrize(
    "moves", ["c5 b16,b6 b14,c30", "c4 c12,a11 b13,a14 b24,c43", "c6 b18,a17 c7,a19 c5,a4", "c4 a14,a5 c30,c29"]
)
def test_a_turn_that_a_second_look_refutes_is_not_played(folder: str, moves: str) -> None:
    """Three hundred playouts choose a turn after which 3,000 prove the opponent's win."""
    rules, before = parse("lambo"), moves.split()

    def refuted(level: Level) -> bool:
        thought = think(rules, before, level, 1, folder=folder)
        return evaluate(rules, [*before, thought.move], 3000, 1, folder).proven == 1

    assert refuted(Level(0, 300))
    assert not refuted(Level(0, 300, checked=3000))


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        ("lambo", "a1 c4,a13"),
        ("lambo", "c4 b6,a18 a5,b15 a31,b32 a52,b51 a55,c83"),
        ("palago", "b1 b6,a18 a16,b33 a7,b20 c5,c14 a21,a9"),
    ],
)
def test_a_win_that_the_second_look_proves_is_told(folder: str, game: str, moves: str) -> None:
    """Four hundred playouts choose a turn; looking at it again proves that it wins."""
    rules, before = parse(game), moves.split()
    level = Level(0, 400)
    assert think(rules, before, level, 1, folder=folder).proven == 0
    thought = think(rules, before, level._replace(checked=4000), 1, folder=folder)
    assert (thought.proven, thought.winning) == (1, 1.0)


def test_the_kernel_interpreted_and_compiled(folder: str) -> None:
    """The same games, tile by tile, and each ends as `engine.hex.play` says."""
    for game in ("lambo -size=20", "mambo", "mambo -mambogo -size=20", "lambo -eat_enemy=1"):
        play = Play(parse(game))
        answers = []
        for fast in (False, True):
            fresh = [new(play.tiles, play.rules.auto, 8) for _ in range(2)]
            for b in fresh:
                for letter, cell in play.placements():
                    place(b, cell, play.index[letter])
            begin = [*state_in_numbers(play, 9), 0, 0, 0]
            vectors = (rules_in_numbers(play.rules), list(begin), restore_table(8), begin)
            if fast:
                how, g, reach, first = (longs(vector) for vector in vectors)
                check = compiled(folder)["rolls"](*map(arrays, fresh), how, g, reach, 60, first)
            else:
                how, g, reach, first = vectors
                check = rolls(*fresh, how, g, reach, 60, first)
            answers.append((check, *map(int, g)))
        assert answers[0] == answers[1]


@pytest.mark.parametrize("game", GAMES)
def test_a_board_is_as_before_after_each_random_game(game: str) -> None:
    """Also where its tiles lie in a line, so that cells far out change their places, and roots of groups lie there."""
    for seed in range(25):
        rng, play, moves = random.Random(f"{game} {seed}"), Play(parse(game)), list[Move]()
        for _ in range(rng.randrange(12)):
            options = [move for move in play.moves() if move != SWAP]
            moves.append(max(rng.choices(options, k=1 + seed % 9), key=lambda move: move[0].cell))
            play.move(moves[-1])
            if play.verdict:
                play = Play(play.rules)
                for move in moves[:-1]:
                    play.move(move)
                break
        begin = [*state_in_numbers(play, 1 + seed), 0, 0, 0]
        rings = 12 + max((ring(axial(cell)) for _, cell in play.placements()), default=0)
        boards = [new(play.tiles, play.rules.auto, rings) for _ in range(2)]
        for b in boards:
            for letter, cell in play.placements():
                place(b, cell, play.index[letter])
        b, saved = boards
        for _ in range(4):
            rolls(b, saved, rules_in_numbers(play.rules), list(begin), restore_table(rings), 1, list(begin))
            begin[RANDOM] += 1000
            assert b.n[:STAMP] == saved.n[:STAMP]
            for name in ("tile", "where", "filled", "colour", "parent", "corners", "bridges", "full"):
                assert getattr(b, name) == getattr(saved, name), name
            for name, height in STACKS.items():
                assert getattr(b, name)[: b.n[height]] == getattr(saved, name)[: b.n[height]], name


def test_random_games_end_as_the_engine_says() -> None:
    """The kernel's games, played again by `engine.hex.play` turn by turn."""
    for game in GAMES:
        for seed in range(6):
            play = Play(parse(game))
            b = new(play.tiles, play.rules.auto, 12)
            for letter, cell in play.placements():
                place(b, cell, play.index[letter])
            how, g = rules_in_numbers(play.rules), state_in_numbers(play, seed)
            laid = b.n[LAID]
            while g[RESULT] == NONE:
                mover, turn = g[MOVER], []
                while g[RESULT] == NONE and g[MOVER] == mover:
                    cell = any_cell(b, g)
                    before = b.n[LAID]
                    tile = any_tile(b, how, g, cell)
                    result = drop(b, how, mover, cell, tile)
                    if result == NONE and stuck(b, how, g, cell):
                        lift(b, before)
                        continue
                    advance(b, how, g, cell, result)
                    turn.append(Placement(play.letters[tile], cell))
                play.move(tuple(turn))
                assert play.placements(laid) == tuple(
                    Placement(play.letters[b.tile[cell]], cell) for cell in b.laid[laid : b.n[LAID]]
                )
            assert play.verdict is not None
            assert play.verdict.seat == g[RESULT]


# --- the danger patterns of the Lambo page ----------------------------------------------------------------------------

PATTERNS = [
    ("three tips in a row, for Light", "a1 a4", 1),
    ("three tips in a row, for Dark", "a1 a4", 2),
    ("the triskelion, for Light", "b1 c2", 1),
]
"""Tiles beside the first, a0, and the seat whose turn it is: all of them are won by threatening two things at once."""


@pytest.mark.parametrize(("name", "tiles", "mover"), PATTERNS, ids=[row[0] for row in PATTERNS])
def test_danger_patterns_are_wins_for_the_mover(name: str, tiles: str, mover: int, folder: str) -> None:
    play = Play(parse("lambo"))
    play.load([Placement("a", 0), *(Placement(word[0], int(word[1:])) for word in tiles.split())], 2, mover, False)
    thought = Search(play, Level(0, 5000), 1, folder).turn(None)
    assert thought.proven == 1
    assert len(thought.line) >= 1


HOLE = ["a6", "b17,c16", "c35,b34", "c58,b59", "c3,b2", "c32,a15", "a14,b4", "b18,a36", "c29,a30", "a1,c7"]


def test_it_never_fills_a_hole_that_loses(folder: str) -> None:
    """A tile b on cell 5 would close groups of both, so whoever lays it loses; the others may not be laid there."""
    at = replay(parse("lambo"), HOLE)
    assert apply(at, "b5").outcome.winner == 3 - at.to_move  # type: ignore[union-attr]
    for seed in range(10):
        assert think(at.rules, HOLE, Level(0, 30), seed, folder=folder).move != "b5"


def test_level_1_beats_chance(folder: str) -> None:
    for seed in range(4):
        rng, at, moves = random.Random(seed), start(parse("lambo")), list[str]()
        while not at.outcome:
            ours = at.to_move == 1 + seed % 2
            move = think(at.rules, moves, 1, seed, folder=folder).move if ours else ""
            moves.append(move or write_move(rng.choice(list(legal_moves(at)))))
            at = apply(at, moves[-1])
        assert at.outcome.winner == 1 + seed % 2
