"""The puzzles: each has one solution or a few, and the day picks one."""

from collections.abc import Iterator

import pytest

from engine.families import family_of
from engine.hex.notation import Placement, parse_move
from engine.hex.play import Play
from engine.hex.position import replay
from engine.hex.variants import parse
from engine.search.compiled import longs
from engine.search.kernel import MOVER
from engine.search.thinking import LEVELS, Search
from mailbot.core.letters.lessons import LESSONS
from mailbot.core.puzzles import days
from mailbot.core.puzzles.days import Puzzle
from tests.test_strategy import survivors

FOLDER = ".pytest_cache/numba"
FEW = 3


def played(puzzle: Puzzle, *more: str) -> Play:
    play = Play(parse(puzzle.rules))
    for move in (*puzzle.moves, *more):
        play.move(parse_move(move))
    return play


def test_there_are_puzzles_for_months_of_each_game() -> None:
    known = days.puzzles()
    assert len(known) >= 120 and len({(one.rules, one.moves) for one in known}) == len(known)
    for game in ("lambo", "palago", "mambo"):
        assert sum(one.rules == game for one in known) >= 30


def test_every_puzzle_can_be_played_and_its_line_wins() -> None:
    for one in days.puzzles():
        family = family_of(one.rules)
        now = family.replay(one.rules, one.moves)
        assert now.outcome is None
        after = one.moves
        for move in one.line[:2]:
            turn, _, outcome = family.follow(one.rules, after, move)
            assert outcome is None and family.move(one.rules, move) == move == turn.move
            after = (*after, move)
        turn, _, outcome = family.follow(one.rules, after, one.win)
        assert outcome and outcome.winner == now.to_move and turn.move == one.win, one


def turns(play: Play) -> Iterator[int | None]:
    """Lays every tile that is a whole turn in Mambo, in turn; yields the seat that wins by it, None if nobody does."""
    laid = play.board.n[0]
    for cell in play.cells():
        for tile in play.fitting(cell):
            play.lay(cell, tile)
            yield play.verdict.seat if play.verdict else None
            play.unlay(laid)


def wins_next(play: Play, seat: int) -> bool:
    play.mover = seat
    laid = play.board.n[0]
    found = any(winner == seat for winner in turns(play))
    play.unlay(laid)
    return found


def forces(puzzle: Puzzle, move: str) -> bool:
    play = played(puzzle, move)
    if play.verdict:
        return False
    seat, laid = 3 - play.mover, play.board.n[0]
    for cell in play.cells():
        for tile in play.fitting(cell):
            play.mover = 3 - seat
            play.lay(cell, tile)
            good = play.verdict.seat == seat if play.verdict else wins_next(play, seat)
            play.unlay(laid)
            if not good:
                return False
    return True


@pytest.mark.parametrize("puzzle", [one for one in days.puzzles() if one.rules == "mambo"][:FEW])
def test_one_turn_alone_forces_a_win_by_the_plain_rules(puzzle: Puzzle) -> None:
    play = played(puzzle)
    moves = [f"{play.letters[tile]}{cell}" for cell in play.cells() for tile in play.fitting(cell)]
    assert len(moves) == puzzle.turns and not wins_next(played(puzzle), play.mover)
    assert [move for move in moves if forces(puzzle, move)] == [*puzzle.solutions]


@pytest.mark.nightly
@pytest.mark.parametrize("puzzle", days.puzzles()[2:], ids=lambda one: one.solutions[0])
def test_the_search_finds_the_same_one_solution(puzzle: Puzzle) -> None:
    play = played(puzzle)
    search, found = Search(play, LEVELS[0], 1, FOLDER), longs([-1] * 4)
    assert search.run["forcing"](search.board, search.how, search.scratch, int(search.begin[MOVER]), found) == 1
    tile, cell, second, other = map(int, found)
    laid = {Placement(play.letters[tile], cell)} | ({Placement(play.letters[second], other)} if other >= 0 else set())
    assert laid == set(parse_move(puzzle.solutions[0]))


def test_the_danger_patterns_come_first_and_each_side_of_them_is_a_solution() -> None:
    first = [days.of_day(days.FIRST_DAY + day) for day in range(3)]
    assert [one.moves for one in first[:2]] == [LESSONS[name][1][:2] for name in ("three tips", "triskelion")]
    assert [len(one.solutions) for one in first] == [2, 3, 1]
    assert first[0].solved_by("c10,b2") and first[0].solved_by("c3,b10") and not first[0].solved_by("b2,b10")
    assert [one.difficulty for one in first[:2]] == ["middling", "middling"]
    for one in first[:2]:
        for solution in one.solutions:
            assert survivors(replay(parse(one.rules), [*one.moves, solution])) == []


def test_the_days_take_the_puzzles_in_turn_and_begin_again() -> None:
    amount = len(days.puzzles())
    assert {days.of_day(20_000 + day) for day in range(amount)} == set(days.puzzles())
    assert days.of_day(20_000) == days.of_day(20_000 + amount)
    assert days.number(days.FIRST_DAY) == 1 and days.day_of(days.number(20_780)) == 20_780


@pytest.mark.parametrize(
    ("turn", "right"), [("a1,b2", True), ("b2,a1", True), ("a1", False), ("a2,b1", False), ("swap", False)]
)
def test_the_order_of_tiles_does_not_matter(turn: str, right: bool) -> None:
    assert Puzzle("lambo", (), ("a1,b2",), "", "", 9).solved_by(turn) == right


@pytest.mark.parametrize(
    ("turns", "wins", "word"),
    [(100, 1, "easy"), (101, 1, "middling"), (600, 1, "middling"), (601, 1, "hard"), (1200, 2, "middling")],
)
def test_the_difficulty_is_how_few_turns_win(turns: int, wins: int, word: str) -> None:
    assert Puzzle("lambo", (), ("a1",) * wins, "", "", turns).difficulty == word
