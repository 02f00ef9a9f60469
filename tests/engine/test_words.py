"""The position in words: golden texts, and a recount of every fact in them."""

import random
import re
from itertools import islice

import pytest

from engine.hex import play
from engine.hex.groups import groups
from engine.hex.notation import SWAP, Move
from engine.hex.play import Play
from engine.hex.position import Position, apply, fits, legal_moves, replay, start, winning
from engine.hex.variants import parse
from engine.hex.words import describe, fitting
from tests.engine.drawn import VARIANTS, played


def at(rules: str, moves: str) -> Position:
    return replay(parse(rules), moves.split())


GOLDEN = [
    (
        "mambo",
        "",
        """
        Mambo, ply 1: O is to lay 1 tile.
        No turn has been played.
        O has no group.
        X has no group.
        a, b, c, d, e and f fit: 0.
        48 tiles are left in the pool.
        """,
    ),
    (
        "lambo -swap",
        "a1",
        """
        Lambo, ply 2: Dark is to lay 2 tiles, or swap.
        The last turn was Light's: a1.
        Light has a group of 2 bridges on a0 and a1, open at 4, 5, 6, 7 and 18.
        Light has 2 tips without a bridge: 0, open at 2 and 3; 1, open at 2 and 8.
        Dark has a group of 2 bridges on a0 and a1, open at 2, 3, 4, 7 and 8.
        Dark has 2 tips without a bridge: 0, open at 5 and 6; 1, open at 6 and 18.
        a, b and c fit: 2, 3, 4, 5, 6, 7, 8, 18.
        46 tiles are left in the pool.
        """,
    ),
    ("lambo -swap", "a1 swap", "The last turn was a swap: the players changed seats."),
    (
        "lambo",
        "c1 a2,a3 b8,c20",
        """
        Lambo, ply 4: Dark is to lay 2 tiles.
        The last turn was Light's: b8 and c20.
        Dark can win this turn: b4.
        """,
    ),
    (
        "lambo",
        "c1 a2,a3 b8,c20 b4",
        """
        Lambo, after 4 turns: Dark wins: Dark closed a group of 1 bridge.
        The last turn was Dark's: b4.
        Dark's group of 1 bridge decided the game: cells 0, 1, 2, 3 and 4.
        Dark has a group of 1 bridge on a0, c1, a2, a3 and b4, open nowhere.
        41 tiles are left in the pool.
        """,
    ),
    (
        "mambo",
        "c0 d2 a6 c8",
        """
        Mambo, ply 5: O is to lay 1 tile.
        The last turn was X's: c8.
        O has a group of 2 bridges on c0, d2 and a6, open at 5 and 18.
        O has a group of 1 bridge on c8, open at 7, 20 and 21.
        X has a group of 1 bridge on d2 and c8, open at 3, 9 and 10.
        X has 2 tips without a bridge: 0, open at 3 and 4; 6, open at 16 and 17.
        a, b and f fit: 7, 18, 20.
        a, c and e fit: 5.
        a, e and f fit: 9, 10.
        b, c and d fit: 21.
        b, d and f fit: 4, 16.
        c, d and e fit: 17.
        f fits: 3.
        Null points, where nothing fits: 1.
        44 tiles are left in the pool.
        """,
    ),
    ("palago -size=4", "b2 c3,b10", "The pool is empty."),
    (
        "palago -size=4",
        "b2 c3,b10",
        "Palago, after 2 turns: a draw: the tiles ran out, which is a draw in this game.",
    ),
]


@pytest.mark.parametrize(("rules", "moves", "text"), GOLDEN)
def test_golden(rules: str, moves: str, text: str) -> None:
    wanted = [line.strip() for line in text.strip().splitlines()]
    told = describe(at(rules, moves), hints=True)
    assert [line for line in told if line in wanted] == wanted
    if len(wanted) > 5:
        assert told == wanted


@pytest.mark.parametrize("rules", VARIANTS)
def test_every_group_is_told_once(rules: str) -> None:
    """Each bridge, tip, tile and open end of the groups is in the lines, and nothing else."""
    for turns in (5, 200):
        position = played(rules, 2, turns)
        told = describe(position)
        found: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
        for line in told:
            if match := re.fullmatch(r"\w+ has a group of (\d+) bridges? on (.*), open (?:at (.*)|nowhere)\.", line):
                found.append((int(match[1]), cells(match[2]), cells(match[3] or "")))
            elif match := re.fullmatch(r"\w+ has \d+ tips? without a bridge: (.*)\.", line):
                for one in match[1].split("; "):
                    where, _, open_at = one.partition(", open ")
                    found.append((0, cells(where), cells(open_at)))
        assert sorted(found) == sorted((group.bridges, group.cells, group.open) for group in groups(position))
        assert told[-1].startswith(str(position.left)) or not position.left


def cells(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def test_the_last_turn_is_of_the_seat_that_played_it() -> None:
    """Also after a swap, when the players sit on each other's seats."""
    position = at("mambo -swap", "a0")
    assert "The last turn was O's: a0." in describe(position)
    position = apply(position, "swap")
    for seat in "XOX":
        position = apply(position, next(move for move in legal_moves(position) if move != SWAP))
        assert describe(position)[1].startswith(f"The last turn was {seat}'s: ")


def test_automatic_tiles_are_told() -> None:
    position = played("mambo -mamba", 1, 30)
    while not position.turns[-1].auto:
        position = replay(position.rules, [turn.move for turn in position.turns[:-1]])
    auto = position.turns[-1].auto
    assert " followed." in describe(position)[1]
    assert all(f"{letter}{cell}" in describe(position)[1] for letter, cell in auto)


def brute(position: Position, seat: int) -> set[frozenset[object]]:
    """The turns that win at once, each once whatever its order, and none that holds another one."""
    wins: set[frozenset[object]] = set()
    for move in legal_moves(position):
        after = apply(position, move)
        if after.outcome and after.outcome.winner and after.seat_of(after.outcome.winner) == seat:
            wins.add(frozenset(move))
    return {win for win in wins if not any(other < win for other in wins)}


@pytest.mark.parametrize("rules", ["lambo -size=9", "mambo", "mambo -loops=1 -auto=none", "lambo -eat_enemy=1"])
def test_the_turns_that_win(rules: str) -> None:
    """For the seat to move they are those among all legal moves that end the game for it."""
    some = 0
    for seed in range(6):
        position = played(rules, seed)
        moves: list[Move] = [turn.move for turn in position.turns[:-1]]
        position = replay(position.rules, moves[: 5 + seed % 3] if rules.startswith("lambo") else moves)
        seat = position.seat_of(position.to_move)
        found = winning(position, seat)
        assert found is not None
        assert {frozenset(move) for move in found} == brute(position, seat)
        assert len(found) == len({frozenset(move) for move in found})
        some += bool(found)
    assert some


TERRITORY = "mambo -territory -auto=none -no_kill -size=100"
EATING = "lambo -size=120 -anywhere -eat_enemy=200"


@pytest.mark.parametrize(
    ("rules", "plies", "too_many", "most"),
    [
        ("lambo -size=120", 55, False, 3000),
        (EATING, 55, True, 400),
        (EATING, 59, True, 60),
        (TERRITORY, 98, False, 1000),
        (TERRITORY, 99, True, 40),
    ],
)
def test_threats_on_a_large_board_are_not_looked_for_without_end(
    rules: str, plies: int, too_many: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter must not take minutes. Under rules of eating a tile costs more. A turn that empties the pool costs most
    where territory or what was eaten counts then; automatic tiles can do that, too."""
    position, chance = start(parse(rules)), random.Random(5)
    while len(position.turns) < plies:
        moves = list(islice(legal_moves(position), 200))
        position = next(
            after for move in chance.sample(moves, min(9, len(moves))) if not (after := apply(position, move)).outcome
        )
    laid: list[int] = []
    lay = Play.lay
    monkeypatch.setattr(Play, "lay", lambda self, cell, tile: laid.append(cell) or lay(self, cell, tile))
    assert (winning(position, 1) is None) == too_many
    assert len(laid) < most
    said = "There are too many turns to say which of them win."
    assert (said in describe(position, hints=True)) == too_many


LINE = (
    "b0 d3 a11 c25 a45 c71 e103 e141 f185 c235 a291 b353 c421 a495 c575 e661 f753 b851 d955 e1065 e1181 f1303 b1431"
    " d1565 a1705 c1851 a2003 b2161 b2325 d2495 f2671 b2853 c3041 f3235 b3435 c3641 f3853 b4071 d4295 a4525 c4761"
    " e5003 f5251 b5505 c5765 a6031"
)


def test_automatic_tiles_that_empty_the_pool_cost_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of tiles under Mambogo, which answers a tile with a row of others."""
    position = at("mambo -mambogo -size=100", LINE)
    ends: list[int] = []
    end = play.run_out
    monkeypatch.setattr(play, "run_out", lambda *given: ends.append(1) or end(*given))
    assert winning(position, 1) is None
    assert 5 < len(ends) < 50


def test_threats_are_told_only_when_asked_for() -> None:
    position = at("lambo", "c1 a2,a3 b8,c20")
    hinted, told = describe(position, hints=True), describe(position)
    assert [line for line in hinted if line not in told] == ["Dark can win this turn: b4."]
    other = at("lambo", "c1 a2,a3")
    assert any(line.startswith("Dark could win if the turn were Dark's: ") for line in describe(other, hints=True))


def test_cells_and_letters_are_told_as_they_fit() -> None:
    position = at("mambo", "c0 d2 a6 c8")
    said = " ".join(fitting(position))
    for cell, letters in fits(position).items():
        assert re.search(rf"[ :]{cell}[,.]", said), (cell, letters)
    assert fitting(at("palago -size=4", "b2 c3,b10")) == []
    assert all(len(line) <= 30 for text in fitting(position, 30) for line in text.split("\n"))
