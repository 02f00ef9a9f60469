"""What the pages on how to play well claim, checked by trying every answer; and that the pages say it."""

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest

from engine.errors import Forbidden
from engine.hex import hexes, variants
from engine.hex.board import LAID
from engine.hex.canvas import Corner
from engine.hex.groups import groups
from engine.hex.notation import Move, parse_move, write_move
from engine.hex.play import Play
from engine.hex.position import Position, apply, fits, legal_moves, replay, walk, winning
from mailbot.core.commands.reading import MAX_AHEAD
from mailbot.core.language.topics import LESSONS as TOPICS
from mailbot.core.letters.lessons import LESSONS
from tests import naive
from tests.test_help import page


def at(name: str, plies: int, rules: str = "") -> Position:
    game, moves = LESSONS[name]
    return replay(variants.parse(rules or game), moves[:plies])


def texts(moves: list[Move]) -> set[str]:
    return {write_move(move) for move in moves}


def flat(topic: str) -> str:
    return " ".join(page(topic).split())


def _lay(play: Play, move: Move) -> int | None:
    """Lay a turn's tiles as long as they fit; the seat that has won, if one has (0: a draw)."""
    for letter, cell in move:
        if cell not in play.cells() or play.index[letter] not in play.fitting(cell):
            return None
        play.lay(cell, play.index[letter])
        if play.verdict:
            return play.verdict.seat
    return None


def survivors(position: Position, among: Iterable[Move] | None = None) -> list[Move]:
    """The turns, of all or of some, that do not lose at once: they win, or the opponent has no turn that wins."""
    play = walk(position)
    mover = play.mover
    known = winning(position, 3 - mover)
    laid = play.board.n[LAID]
    found = []
    for move in list(play.moves()) if among is None else among:
        play.mover = mover
        won = _lay(play, move)
        if won == mover or (won is None and not _one_wins(play, 3 - mover, known) and not _any_wins(position, move)):
            found.append(move)
        play.unlay(laid)
    return found


def _one_wins(play: Play, seat: int, moves: list[Move]) -> bool:
    """Whether one of these turns wins for the seat; found much faster than by `_any_wins`."""
    play.mover, laid = seat, play.board.n[LAID]
    for move in moves:
        won = _lay(play, move) == seat
        play.unlay(laid)
        if won:
            return True
    return False


def _any_wins(position: Position, move: Move) -> bool:
    after = apply(position, move)
    return bool(winning(after, after.seat_of(after.to_move)))


@pytest.mark.parametrize(
    ("name", "plies", "said"),
    [
        ("three tips", 3, "No answer of Dark stops both."),
        ("triskelion", 3, "and wins whatever Dark answers"),
        ("seki", 8, "so Dark wins next turn whatever Light answers"),
        ("two wedges", 5, "Whatever X plays, O wins at once."),
        ("cold front", 5, "O wins whatever X answers."),
    ],
)
def test_it_wins_whatever_the_answer(name: str, plies: int, said: str) -> None:
    position = at(name, plies)
    assert position.outcome is None
    assert survivors(position) == []
    assert any(said in flat(topic) for topic in TOPICS)
    whole = at(name, len(LESSONS[name][1]))
    assert whole.outcome is not None and whole.outcome.winner == 3 - position.to_move


@pytest.mark.parametrize(("name", "plies"), [("three tips", 2), ("triskelion", 2), ("seki", 7), ("cold front", 4)])
def test_it_was_quiet_before(name: str, plies: int) -> None:
    """Nobody threatens yet, so it is the turn on the page that wins."""
    position = at(name, plies)
    assert winning(position, 1) == winning(position, 2) == []


@pytest.mark.parametrize(
    ("name", "plies", "cells"),
    [
        ("must reply", 2, {6, 18}),
        ("stray wedge", 5, {18}),
        ("ladder", 4, {13}),
        ("ladder", 6, {29}),
        ("ladder", 8, {50}),
        ("ladder", 10, {78}),
    ],
)
def test_it_must_be_answered_there(name: str, plies: int, cells: set[int]) -> None:
    """Every turn without a tile on these cells loses at once, and the group in danger is open nowhere else."""
    position = at(name, plies)
    elsewhere = [move for move in legal_moves(position) if not cells & {cell for _, cell in move}]
    assert elsewhere
    assert survivors(position, elsewhere) == []
    assert cells in [set(group.open) for group in groups(position)]


@pytest.mark.parametrize(
    ("name", "plies", "saving"),
    [
        ("stray wedge", 5, {"d18", "e18"}),
        ("ladder", 4, {"a13", "c13"}),
        ("ladder", 6, {"a29", "c29"}),
        ("ladder", 8, {"a50", "c50"}),
        ("ladder", 10, {"a78", "c78"}),
    ],
)
def test_these_answers_save(name: str, plies: int, saving: set[str]) -> None:
    assert texts(survivors(at(name, plies))) == saving


def test_of_36_turns_two_save_the_wedge() -> None:
    position = at("stray wedge", 5)
    assert len(list(legal_moves(position))) == 36
    assert texts(winning(position, 1)) == {"c18"}
    (wedge,) = (group for group in groups(position) if group.seat == 2 and group.open == (18,))
    assert wedge.bridges == 0 and fits(position)[6] == "" and 6 in cells_round(wedge.corners)
    assert "of 36 turns only d18 and e18" in flat("wedges")


def cells_round(corners: Iterable[Corner]) -> set[int]:
    return {hexes.spiral(cell) for corner in corners for cell in hexes.corner_cells(corner)}


@pytest.mark.nightly
def test_of_450_turns_39_survive() -> None:
    position = at("must reply", 2)
    assert len(list(legal_moves(position))) == 450
    assert len(survivors(position)) == 39
    assert "Of Light's 450 turns only 39" in flat("threats")


def test_a_reply_that_joins_saves_and_one_elsewhere_loses() -> None:
    before, after = at("reply", 2), at("reply", 3)
    assert winning(after, 2) == []
    weak = next(group for group in groups(before) if group.seat == 2 and group.open == (6, 18))
    grown = next(group for group in groups(after) if group.seat == 2 and weak.corners < group.corners)
    assert grown.bridges > weak.bridges and len(grown.open) > 2
    ended = at("must reply", 4).outcome
    assert ended is not None and ended.winner == 2


@pytest.mark.parametrize(("name", "places"), [("three tips", [{3, 12}, {8, 9}]), ("triskelion", [{4, 5}, {7, 20}])])
def test_the_two_threats_are_where_the_page_says(name: str, places: list[set[int]]) -> None:
    found = {frozenset(cell for _, cell in move) for move in winning(at(name, 3), 1)}
    assert found == {frozenset(place) for place in places}


def test_three_tips_serve_both_players() -> None:
    """Had it been Dark's turn, a pair at the other side would win."""
    position = replace(at("three tips", 2), to_move=2)
    assert survivors(apply(position, "c6,b16")) == []


def test_two_threats_can_be_stopped_anywhere() -> None:
    assert survivors(at("anywhere", 3), [parse_move(LESSONS["anywhere"][1][3])])


def test_the_triskelion_turns_into_itself() -> None:
    """Turned clockwise by a third of a circle, cell 1 comes to 2, 2 to 0, 0 to 1, and a becomes b, b c, c a."""
    tiles = {cell: letter for letter, cell in at("triskelion", 2).tiles}
    assert all("bca"["abc".index(tiles[cell])] == tiles[to] for cell, to in ((0, 1), (1, 2), (2, 0)))


def test_the_mutual_loss() -> None:
    """Each player's b2 wins for the other; no tile on the hole can be played otherwise."""
    position = at("seki", 7)
    for mover in (1, 2):
        mine = replace(position, to_move=mover)
        ended = apply(mine, "b2").outcome
        assert ended is not None and ended.winner == 3 - mover
        for refused in ("a2,a6", "c2,c6"):
            with pytest.raises(Forbidden, match="is a hole"):
                apply(mine, refused)
    only = sorted((group.seat, group.bridges) for group in groups(position) if group.open == (2,))
    assert only == [(1, 1), (2, 4)]


def test_the_resolution() -> None:
    before, after = at("seki", 7), at("seki", 8)
    assert [group.bridges for group in groups(before) if group.open == (2, 6, 18)] == [3]
    assert {group.seat for group in groups(before) if group.open == (2, 6, 18)} == {2}
    assert texts(winning(after, 2)) == {"a2", "c2"}
    ends = [apply(after, move).outcome for move in legal_moves(after) if 2 in {cell for _, cell in move}]
    assert [end.winner for end in ends if end] == [2, 2, 2]
    last = at("seki", 10).outcome
    assert last is not None and last.winner == 2


def test_two_holes_make_safe() -> None:
    """A closing group would need both holes filled, and neither can be the first: for nobody."""
    position = at("two holes", 5)
    assert [(group.seat, group.bridges) for group in groups(position) if group.open == (2, 4)] == [(2, 2)]
    for mover in (1, 2):
        used = {cell for move in legal_moves(replace(position, to_move=mover)) for _, cell in move}
        assert not used & {2, 4}
    anywhere = at("two holes", 5, "lambo -anywhere")
    assert {2, 4} in [{cell for _, cell in move} for move in winning(anywhere, 2)]


def test_the_known_point() -> None:
    before, after = at("known point", 5), at("known point", 6)
    assert len(fits(before)[14]) == 1
    assert winning(before, 1) == [] and fits(after)[14] == ""
    assert after.outcome is not None
    assert (after.outcome.winner, after.outcome.reason) == (2, "O's group of 1 bridge is dead")


def test_the_two_wedges() -> None:
    open_at = [group.open for group in groups(at("two wedges", 5)) if group.seat == 2 and group.bridges == 0]
    assert (1,) in open_at and (17,) in open_at


def test_the_cold_front() -> None:
    before, after = at("cold front", 4), at("cold front", 5)
    assert len(fits(before)[4]) == 1
    tips = [group for group in groups(before) if group.seat == 2 and group.bridges == 0 and 4 in group.open]
    assert len(tips) == 2
    assert (4,) in [group.open for group in groups(after) if group.seat == 2]
    kills = winning(after, 1)
    assert {cell for move in kills for _, cell in move} == {12}
    assert all(fits(apply(replace(after, to_move=1), move))[4] == "" for move in kills)


def test_the_ladder_feeds_the_hunted() -> None:
    def largest(plies: int) -> list[int]:
        own = groups(at("ladder", plies))
        return [max(group.bridges for group in own if group.seat == seat) for seat in (1, 2)]

    assert largest(4) == [1, 2]
    assert [largest(plies)[0] for plies in (5, 7, 9, 11)] == [2, 3, 4, 5]
    assert largest(11) == [5, 2]


def test_limited_and_full_filling() -> None:
    assert write_move(at("limited", 5).turns[-1].auto) == "b3"
    assert write_move(at("full", 5).turns[-1].auto) == "b3,c11"
    assert "The last turn fills cell 3 in both. With full filling cell 11 follows." in flat("territory")


@pytest.mark.parametrize(("name", "loops"), [("one loop", [7]), ("two loops", [4, 4])])
def test_the_loops(name: str, loops: list[int]) -> None:
    """Counted by the naive judge."""
    picture = naive.look("mambo", [(letter, cell) for letter, cell in at(name, len(LESSONS[name][1])).tiles])
    assert [picture.loops(group) for group in picture.groups if group.colour == 1 and picture.loops(group)] == [loops]


@pytest.mark.parametrize("topic", ["strategy lambo", "strategy mambo"])
def test_five_positions_to_try(topic: str) -> None:
    """Each line is a position of a lesson, short enough for `preview`, and its answer is on a page that shows it."""
    lines = re.findall(r"^[A-E]\. .*\(help (\w+)\)\n\n  preview 12 (.+)$", page(topic), re.MULTILINE)
    assert len(lines) == 5
    known = {moves[:plies] for _, moves in LESSONS.values() for plies in range(1, len(moves) + 1)}
    for answer, moves in lines:
        assert tuple(moves.split()) in known
        assert moves in flat(answer)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_can_be_previewed(name: str) -> None:
    assert len(LESSONS[name][1]) <= MAX_AHEAD
    at(name, len(LESSONS[name][1]))
