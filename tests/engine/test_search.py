"""The computer player: it plays by the rules, whatever they are, and sees what an exhaustive search sees."""

import random

import pytest

from engine.errors import EngineError, Forbidden
from engine.notation import write_move
from engine.position import Position, apply, legal_moves, replay, start
from engine.search import LEVELS, Level, affordable, evaluate, level_of, think
from engine.variants import parse

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
    assert 0 < thought.playouts < 1000
    apply(start(parse("mambo")), thought.move)


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


def test_bad_moves_are_refused_as_everywhere(folder: str) -> None:
    with pytest.raises(EngineError):
        evaluate(parse("lambo"), ["b2", "a1"], 10, 1, folder)
