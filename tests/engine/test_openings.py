"""The opening book: each of its turns is legal, and positions that it takes for the same are the same."""

import random
from collections import defaultdict

import pytest

from engine.hex.notation import Placement, parse_move, write_move
from engine.hex.play import Play
from engine.hex.variants import GAMES, parse
from engine.search import LEVELS, Level, openings, think
from engine.search.book import BOOK
from engine.search.openings import PLIES, WAYS, formed, positions, turns


def played(name: str, moves: list[str]) -> Play:
    play = Play(parse(name))
    for move in moves:
        play.move(parse_move(move))
    return play


@pytest.mark.parametrize("name", BOOK)
def test_each_turn_of_the_book_is_legal(name: str) -> None:
    known = [moves for game, moves, _ in positions() if game == name]
    assert len(known) > 40 and [] in known
    for moves in known:
        assert len(moves) <= PLIES
        for turn in turns(played(name, moves)):
            after = played(name, moves)
            after.move(turn.move)
            assert 0 < turn.chance < 1


def test_the_book_is_no_larger_than_one_can_carry() -> None:
    assert sum(map(len, BOOK.values())) < 200_000


@pytest.mark.parametrize("name", BOOK)
def test_positions_of_one_form_have_the_same_turns(name: str) -> None:
    """Found by trying: each way to play on leads to the same forms, and to the same winners."""
    chance, same = random.Random(name), defaultdict(dict)
    for _ in range(400):
        play = Play(parse(name))
        moves = []
        for _ in range(chance.randrange(1, 4)):
            moves.append(write_move(chance.choice(list(play.moves()))))
            play.move(parse_move(moves[-1]))
        same[play.mover, formed(play.placements())[0]][tuple(moves)] = None
    pairs = [list(alike)[:2] for alike in same.values() if len(alike) > 1]
    assert len(pairs) > 3
    for pair in pairs[:12]:
        found = []
        for moves in pair:
            after = set()
            for move in played(name, list(moves)).moves():
                play = played(name, [*moves, write_move(move)])
                after.add((formed(play.placements())[0], play.verdict.seat if play.verdict else None))
            found.append(after)
        assert found[0] == found[1]


@pytest.mark.parametrize("way", WAYS)
def test_a_way_leads_back(way: openings.Way) -> None:
    moved = way._replace(q=3, r=-5)
    for cell in (0, 1, 9, 33):
        for letter in "abcdef":
            assert moved.back(moved.there(Placement(letter, cell))) == (letter, cell)


def test_levels_4_and_5_know_the_book_and_choose_by_the_seed() -> None:
    chosen = {think(GAMES["lambo"].rules, [], 5, seed).move for seed in range(20)}
    assert chosen == {write_move(turn.move) for turn in turns(Play(GAMES["lambo"].rules))}
    assert {level.number for level in LEVELS if level.book} == {4, 5}
    thought = think(GAMES["lambo"].rules, [], 4, 1)
    assert (thought.playouts, thought.proven, thought.line) == (0, 0, (thought.move,))


@pytest.mark.parametrize("said", ["lambo -size=20", "lambo -swap", "mambo -mamba"])
def test_other_rules_have_no_book(said: str) -> None:
    assert turns(Play(parse(said))) == []
    assert not Level(4, 10).book
