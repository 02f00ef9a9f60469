"""Positions: what may be played, what it does, how games end, and the sentences of refusals."""

import random
from itertools import islice, pairwise

import pytest

from engine.errors import EngineError, Forbidden, Unreadable
from engine.hex import hexes
from engine.hex.notation import SWAP, Placement, parse_move, write_move
from engine.hex.position import Outcome, Position, Turn, apply, fits, go_on, legal_moves, onward, perft, replay, start
from engine.hex.variants import parse


def at(game: str, moves: str = "") -> Position:
    """The position of a game after moves separated by blanks."""
    return replay(parse(game), moves.split())


# --- counting -------------------------------------------------------------------------------------------------------

PERFT = [
    ("lambo", "", [18, 6156]),
    ("palago", "", [18, 6156]),
    ("lambo -swap", "", [18, 6174]),
    ("lambo -size=4", "", [18, 6156, 0]),
    ("mambo", "", [6, 108, 2424]),
    ("mambo -swap", "", [6, 114, 2532]),
    ("lambo -eat_enemy=1", "b2 c3", [0]),
    ("lambo", "", []),
]


@pytest.mark.parametrize(("game", "moves", "counts"), PERFT)
def test_perft(game: str, moves: str, counts: list[int]) -> None:
    assert perft(at(game, moves), len(counts)) == counts


@pytest.mark.parametrize("game", ["lambo -size=6 -swap", "lambo -anywhere -size=5", "mambo -size=4 -auto=full -swap"])
def test_perft_counts_what_legal_moves_lists(game: str) -> None:
    level, counts = [start(parse(game))], []
    for _ in range(2):
        level = [apply(at, move) for at in level for move in legal_moves(at)]
        counts.append(len(level))
    rng = random.Random(game)
    assert perft(start(parse(game)), 3)[:2] == counts
    for at_last in rng.sample(level, 20):
        assert perft(at_last, 1) == [len(list(legal_moves(at_last)))]


# --- the value ------------------------------------------------------------------------------------------------------


def test_the_start() -> None:
    lambo, mambo = at("lambo"), at("mambo")
    assert lambo.tiles == (Placement("a", 0),)
    assert (lambo.to_move, lambo.left, lambo.ply, lambo.owed, lambo.outcome) == (1, 47, 0, 1, None)
    assert fits(lambo) == dict.fromkeys(range(1, 7), "abc")
    assert mambo.tiles == ()
    assert (mambo.to_move, mambo.left, mambo.owed) == (1, 48, 1)
    assert fits(mambo) == {0: "abcdef"}


def test_a_turn() -> None:
    after = at("lambo", "A1 b2,C9")
    assert after.turns == (Turn((Placement("a", 1),)), Turn((Placement("b", 2), Placement("c", 9))))
    assert after.tiles == (Placement("a", 0), Placement("a", 1), Placement("b", 2), Placement("c", 9))
    assert (after.to_move, after.left, after.ply, after.owed) == (1, 44, 2, 2)
    assert apply(at("lambo", "a1"), "b2,c9") == after
    assert apply(at("lambo", "a1"), parse_move("b2,c9")) == after


def test_applying_changes_nothing_before() -> None:
    before = at("mambo", "a0 b1")
    copy = at("mambo", "a0 b1")
    apply(before, next(legal_moves(before)))
    assert before == copy


@pytest.mark.parametrize("game", ["lambo", "lambo -anywhere", "palago -eat_enemy", "mambo -mamba", "mambo -swap"])
def test_move_by_move_is_replay(game: str) -> None:
    rng = random.Random(game)
    now, moves = start(parse(game)), []
    while now.outcome is None and now.ply < 8:
        move = rng.choice(list(legal_moves(now)))
        moves.append(write_move(move))
        now = apply(now, move)
        assert now == replay(now.rules, moves)
        assert now.left + len(now.tiles) == 48
    assert (now.outcome is None) == bool(list(legal_moves(now)))


# --- the figures of docs/rules.md -----------------------------------------------------------------------------------


def axial(column: int, row: int) -> hexes.Cell:
    """Columns go right, rows down, odd columns half a cell lower."""
    return column, row - column // 2


def numbered(tiles: dict[hexes.Cell, str], first: hexes.Cell) -> dict[int, str]:
    """The same tiles by cell number, `first` being cell 0."""
    q, r = first
    return {hexes.spiral((cell[0] - q, cell[1] - r)): letter for cell, letter in tiles.items()}


def turns(tiles: dict[int, str], last: int, pair: int) -> list[str] | None:
    """Moves that lay these tiles, cell 0 already there, `last` last; `pair`: tiles a turn after the first."""
    order, left = [0], set(tiles) - {0, last}
    while left:
        beside = [c for o in order for c in map(hexes.spiral, hexes.neighbours(hexes.axial(o))) if c in left]
        if not beside:
            return None
        order.append(beside[0])
        left.remove(beside[0])
    words = [f"{tiles[cell]}{cell}" for cell in [*order[1:], last]]
    return [words[0], *(",".join(words[i : i + pair]) for i in range(1, len(words), pair))]


WON = [(4, "aa"), (2, "cbc"), (0, "bbc"), (2, "cab"), (4, "aa"), (6, "b")]
"""docs/rules.md 4, the won game: each column from the left, with the line of the figure on which it begins."""


def test_the_won_game() -> None:
    """Laid in one order after another, whatever tile comes last, Dark's group of one bridge ends the game, and the
    closed Light group of no bridges does not."""
    tiles = {(q, (top + 4 * i - 2 * q) // 4): c for q, (top, column) in enumerate(WON) for i, c in enumerate(column)}
    deciding, ended = set(), 0
    for first in (cell for cell, letter in tiles.items() if letter == "a"):
        board = numbered(tiles, first)
        for last in board:
            moves = turns(board, last, 2) if last else None
            if moves is None:
                continue
            for cut in range(len(moves) + 1):
                reached = replay(parse("lambo -anywhere"), moves[:cut])
                if reached.outcome:
                    break
            assert reached.outcome is not None
            assert reached.outcome.winner == 2
            assert "group of 1 bridge" in reached.outcome.reason
            q, r = first
            moved = [hexes.axial(cell) for cell in reached.outcome.cells]
            deciding.add(frozenset((x + q, y + r) for x, y in moved))
            ended += cut == len(moves)
    assert len(deciding) == 1
    assert ended  # some order wins with the very last tile
    # Light's closed group: its three corner tiles lie there long before the end of some of those orders.


DEAD = [
    ([(0, 0, "c"), (0, 1, "d"), (0, 2, "b"), (1, 0, "e"), (1, 1, "f"), (2, 1, "a")], 3, "closed"),
    ([(0, 0, "c"), (0, 1, "d"), (0, 2, "b"), (1, 1, "f"), (2, 0, "f"), (2, 1, "a")], None, "by a null point"),
]
"""Column, row, letter; bridges of the dead X group."""


@pytest.mark.parametrize(("tiles", "bridges", "how"), DEAD)
def test_the_dead_groups(tiles: list[tuple[int, int, str]], bridges: int | None, how: str) -> None:
    cells = {axial(column, row): letter for column, row, letter in tiles}
    board = numbered(cells, next(iter(cells)))
    finished = 0
    for last in board:
        moves = turns(board, last, 1) if last else None
        if moves is None:
            continue
        dead = replay(parse("mambo -auto=none"), [f"{board[0]}0", *moves])
        assert dead.outcome is not None
        assert dead.outcome.winner == 1
        assert dead.outcome.reason.startswith("X's group of ")
        assert bridges is None or f"of {bridges} bridges is dead" in dead.outcome.reason
        assert ("" in fits(dead).values()) == (how == "by a null point")
        finished += 1
    assert finished


# --- endings --------------------------------------------------------------------------------------------------------

ENDINGS = [
    # (game, moves, winner, reason, deciding cells, dropped)
    ("lambo -eat_enemy=1", "b2 c3,a4", 2, "Dark has a group that has eaten 1 enemy group", (0, 2, 3), "a4"),
    ("lambo -eat_enemy=1", "b2 c3", 2, "Dark has a group that has eaten 1 enemy group", (0, 2, 3), ""),
    ("lambo -eat_enemy=1 -swap", "b2 swap c3", 1, "Dark has a group that has eaten 1 enemy group", (0, 2, 3), ""),
    ("lambo -eat_enemy=1 -eat_size=1", "b2 c3,a4", None, "", (), ""),
    ("lambo -size=4", "b2 c3,a10", 0, "the tiles ran out, the largest groups are equal (3 each)", (), ""),
    (
        "lambo -size=4",
        "b2 c3,b10",
        2,
        "the tiles ran out, Dark has the largest group (4 against 2)",
        (0, 2, 3, 10),
        "",
    ),
    ("palago -size=4", "b2 c3,a10", 0, "the tiles ran out, which is a draw in this game", (), ""),
    (
        "lambo -size=4 -eat_enemy",
        "b2 c3,a10",
        2,
        "the tiles ran out, Dark has eaten the largest enemy group (0 against none)",
        (0, 2, 3, 10),
        "",
    ),
    (
        "lambo -size=4 -eat_size=1",
        "b2 c3,a10",
        0,
        "the tiles ran out, the largest groups eaten are equal (none each) and equally many groups have been eaten "
        "(0 each)",
        (),
        "",
    ),
    (
        "lambo -size=4 -must_contain",
        "b2 c3,a10",
        1,
        "the tiles ran out, Light has the largest closed group (0 against none)",
        (0, 2, 3),
        "",
    ),
    ("palago -size=4 -must_contain", "b2 c3,a10", 0, "the tiles ran out, which is a draw in this game", (), ""),
    ("lambo -size=5", "b2 c3,a10 a1,b7", 2, "the tiles ran out, Dark has the largest group (4 against 3)", None, "b7"),
    ("lambo", "a2 a8,c7 c18,b6 c1", 2, "Dark closed a group of 1 bridge", (1, 6, 7, 8, 18), ""),
    ("lambo", "c2 b8,b7 a18,a6 b1", 1, "Dark closed Light's group of 1 bridge", (1, 2, 7, 8, 18), ""),
    (
        "mambo -size=4 -no_kill -auto=none",
        "a0 a1 c3 d10",
        1,
        "the tiles ran out, O has the largest group (3 against 1)",
        None,
        "",
    ),
    (
        "mambo -size=4 -no_kill -auto=none -largest=loses",
        "a0 a1 c3 d10",
        2,
        "the tiles ran out, O has the largest group (3 against 1), and that loses",
        None,
        "",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("game", "moves", "winner", "reason", "cells", "dropped"), ENDINGS)
def test_ending(
    game: str, moves: str, winner: int | None, reason: str, cells: tuple[int, ...] | None, dropped: str
) -> None:
    end = at(game, moves)
    if winner is None:
        assert end.outcome is None
        return
    assert end.outcome is not None
    assert (end.outcome.winner, end.outcome.reason) == (winner, reason)
    assert cells is None or end.outcome.cells == cells
    assert end.owed == 0
    assert list(legal_moves(end)) == []
    assert set(fits(end).values()) <= {""}
    assert (write_move(end.turns[-1].dropped) if end.turns[-1].dropped else "") == dropped
    with pytest.raises(Forbidden, match="the game is over"):
        apply(end, "a99")


TERRITORY = [
    # Three bridges of one colour round a blank corner: a loop with nothing in it.
    ("a0 b2 c3 b10", 1, "O has the group with the most territory (1 against 0)"),
    ("d0 e2 f3 e10", 2, "X has the group with the most territory (1 against 0)"),
    (
        "a0 b1 c2 d3",
        0,
        "the best groups have equal territory (0 each) and there is equal territory in all (0 each)",
    ),
]


@pytest.mark.parametrize(("moves", "winner", "reason"), TERRITORY)
def test_territory(moves: str, winner: int, reason: str) -> None:
    end = at("mambo -mambogo -auto=none -size=4", moves)
    assert end.outcome is not None
    assert end.outcome.winner == winner
    assert end.outcome.reason == f"the tiles ran out, {reason}"


def test_a_loop_wins() -> None:
    end = at("mambo -loops=1 -auto=none", "d0 e2 f3")
    assert end.outcome == Outcome(2, "X has a group with 1 loop", (0, 2, 3))
    assert at("mambo -loops=2 -auto=none -no_kill", "d0 e2 f3").outcome is None


# --- swap -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["lambo -swap", "palago -swap", "mambo -swap"])
def test_swap(game: str) -> None:
    first = write_move(next(legal_moves(start(parse(game)))))
    before, after = at(game, first), at(game, f"{first} SWAP")
    assert before.may_swap and not after.may_swap
    assert after.swapped and after.turns[-1] == Turn(SWAP)
    assert (after.to_move, after.ply, after.tiles, after.left) == (1, 2, before.tiles, before.left)
    assert [after.seat_of(player) for player in (1, 2)] == [2, 1]
    assert [before.seat_of(player) for player in (1, 2)] == [1, 2]
    assert after.owed == after.rules.placements
    assert list(legal_moves(before))[-1] == SWAP
    assert SWAP not in list(legal_moves(after)) and SWAP not in list(legal_moves(start(parse(game))))
    then = apply(after, next(legal_moves(after)))
    assert then.to_move == 2


# --- automatic moves ------------------------------------------------------------------------------------------------


def test_automatic_moves_are_part_of_the_turn() -> None:
    rng = random.Random(5)
    seen = 0
    for _ in range(10):
        now = start(parse("mambo -mamba"))
        while now.outcome is None:
            before = now
            now = apply(now, rng.choice(list(legal_moves(now))))
            turn = now.turns[-1]
            assert now.tiles == before.tiles + turn.move + turn.auto
            seen += len(turn.auto) > 1
            if now.outcome is None:
                assert all(len(letters) > 1 or letters == "" for letters in fits(now).values())
    assert seen


# --- refusals -------------------------------------------------------------------------------------------------------

HOLE = "a2 a8,c7 c18,b6"
REFUSED: list[tuple[str, str, str, type[EngineError], str]] = [
    ("lambo", "", "a0", Forbidden, "cell 0 is taken"),
    ("lambo", "", "a7", Forbidden, "cell 7 is not next to any tile"),
    ("lambo", "", "a99999999", Forbidden, "cell 99999999 is not next to any tile"),
    ("lambo", "", "d1", Unreadable, "Lambo has no tile d; its letters are a, b and c"),
    ("lambo", "", "a1,b2", Forbidden, "the first turn is one tile"),
    ("lambo", "", "a1,b2,c3", Unreadable, "too many placements"),
    ("lambo", "", "hello", Unreadable, "not a move"),
    ("lambo", "", "swap", Forbidden, "without -swap"),
    ("lambo -swap", "", "swap", Forbidden, "only as the answer to the first move"),
    ("lambo -swap", "a1 swap", "swap", Forbidden, "only as the answer to the first move"),
    ("lambo -swap", "a1 a2,a9", "swap", Forbidden, "only as the answer to the first move"),
    ("lambo", "a1", "b2", Forbidden, "must play two tiles, as b2 does not end the game; add a second one, like b2,a3"),
    ("lambo", "a1", "b2,c11", Forbidden, "cell 11 is not next to cell 2; the second tile can go on cell 3, 8, 9 or 10"),
    ("lambo", "a1", "b2,c99999999", Forbidden, "cell 99999999 is not next to cell 2"),
    ("lambo", "a1", "b2,c2", Forbidden, "both tiles cannot go on cell 2"),
    ("lambo", "a1", "b2,c1", Forbidden, "cell 1 is taken"),
    ("lambo", "a1", "b1,c2", Forbidden, "cell 1 is taken"),
    ("lambo", "a1", "b2,d9", Unreadable, "no tile d"),
    ("lambo -anywhere", "a1", "b2,c99999999", Forbidden, "cell 99999999 is not next to any tile"),
    ("lambo -anywhere", "a1", "b2,c2", Forbidden, "both tiles cannot go on cell 2"),
    ("lambo", HOLE, "a1,b5", Forbidden, "cell 1 is a hole"),
    ("lambo", HOLE, "a1", Forbidden, "cell 1 is a hole"),
    ("lambo", HOLE, "b1,a2", Forbidden, "cell 1 is a hole"),
    ("mambo", "", "a5", Forbidden, "the first tile goes on cell 0, like a0"),
    ("mambo", "", "a99999999", Forbidden, "the first tile goes on cell 0"),
    ("mambo", "", "g0", Unreadable, "Mambo has no tile g; its letters are a, b, c, d, e and f"),
    ("mambo", "a0", "a1,b2", Forbidden, "a turn of Mambo is one tile"),
    ("mambo", "a0", "a0", Forbidden, "cell 0 is taken"),
    ("mambo", "a0", "a40", Forbidden, "cell 40 is not next to any tile"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "moves", "move", "kind", "says"), REFUSED)
def test_refused(game: str, moves: str, move: str, kind: type[EngineError], says: str) -> None:
    before = at(game, moves)
    with pytest.raises(kind) as refused:
        apply(before, move)
    assert says in str(refused.value)
    assert len(str(refused.value)) < 160
    with pytest.raises(kind) as refused:
        replay(before.rules, [*moves.split(), move, "a1"])
    assert refused.value.index == before.ply
    assert says in str(refused.value)


def test_a_hole_may_be_filled_where_the_rules_let_it() -> None:
    assert at("lambo -anywhere", f"{HOLE} a1,b5").outcome is None
    assert at("lambo", f"{HOLE} c1").outcome is not None
    assert at("lambo -size=7", f"{HOLE} a1").outcome is not None
    assert at("lambo", "a2 a8,c7 c18,b17 b6,a1").outcome is None


def clashing() -> tuple[Position, int, str, list[str]]:
    """A Mambo cell with two unlike corners decided, a letter that does not fit and those that do."""
    rng = random.Random(11)
    while True:
        now = start(parse("mambo"))
        for _ in range(6):
            now = apply(now, rng.choice(list(legal_moves(now))))
            if now.outcome:
                break
            for cell, letters in fits(now).items():
                if len(letters) == 2:
                    return now, cell, next(c for c in "abcdef" if c not in letters), list(letters)


def test_colours_that_do_not_fit() -> None:
    now, cell, letter, letters = clashing()
    with pytest.raises(Forbidden) as refused:
        apply(now, f"{letter}{cell}")
    sentence = str(refused.value)
    assert sentence.startswith(f"{letter}{cell} does not fit: the ")
    assert "corner would be " in sentence and " has to be " in sentence
    assert sentence.endswith(f"; {' or '.join(letters)} would fit there")
    with pytest.raises(Forbidden) as refused:
        at("mambo", "b0 a1")  # b has an X tip at its upper right, which is the lower right corner of cell 1
    assert str(refused.value) == (
        "a1 does not fit: the lower right corner would be O and has to be X; c or d or e would fit there"
    )


def test_a_null_point() -> None:
    rng = random.Random(2)
    for _ in range(200):
        now = start(parse("mambo -auto=none -no_kill -size=30"))
        while now.outcome is None:
            nulls = [cell for cell, letters in fits(now).items() if not letters]
            if nulls:
                with pytest.raises(Forbidden, match=f"cell {nulls[0]} is a null point"):
                    apply(now, f"a{nulls[0]}")
                return
            now = apply(now, rng.choice(list(legal_moves(now))))
    pytest.fail("no null point came up")


def test_a_long_arm() -> None:
    """A straight game of 200 tiles goes far beyond the first board."""
    arm = [hexes.spiral((0, -i)) for i in range(200)]
    assert all(hexes.ring(hexes.axial(b)) == hexes.ring(hexes.axial(a)) + 1 for a, b in pairwise(arm))
    moves = [f"a{arm[1]}", *(f"a{arm[i]},a{arm[i + 1]}" for i in range(2, 199, 2))]
    end = replay(parse("lambo -size=200"), moves)
    assert end.outcome is None or end.left == 0
    assert len(end.tiles) >= 199
    assert fits(end) == dict(sorted(fits(end).items()))


# --- following a game that was judged move by move ----------------------------------------------------------------

FOLLOWED = [
    "lambo",
    "lambo -swap -size=20",
    "palago",
    "lambo -anywhere",
    "mambo -swap",
    "mambo -mamba -size=20",
    "mambo -mambogo",
]


@pytest.mark.parametrize("game", FOLLOWED)
def test_following_is_replaying(game: str) -> None:
    rules, chance = parse(game), random.Random(game)
    position, moves = start(rules), []
    whole = onward(rules, [])
    while position.outcome is None:
        move = chance.choice(list(islice(legal_moves(position), 300)))
        position = apply(position, move)
        seen = (position.turns[-1], position.to_move, position.outcome)
        assert onward(rules, moves)(move) == whole(move) == seen
        moves.append(write_move(move))
        assert replay(rules, moves, chance.randrange(len(moves) + 1)) == position
    assert replay(rules, moves) == position
    for at in {*range(min(4, len(moves))), chance.randrange(len(moves))}:
        assert go_on(replay(rules, moves[:at]), moves[at:]) == position
    assert go_on(position, []) is position
    with pytest.raises(Forbidden, match="the game is over") as over:
        go_on(position, moves[-1:])
    assert over.value.index == len(moves)
    with pytest.raises(Forbidden) as early:
        go_on(replay(rules, moves[:1]), [moves[1], moves[0]])
    assert early.value.index == 2


def test_tiles_in_a_line_have_room() -> None:
    """The largest pool, as far out as it can reach: cells 0, 3, 11, ... go straight to one side."""
    rules = parse("mambo -auto=none -no_kill -size=200")
    line = [f"b{3 * ring * ring - ring + 1 if ring else 0}" for ring in range(199)]
    far = replay(rules, line)
    assert (far.left, far.outcome) == (1, None)
    assert go_on(replay(rules, line[:120], 120), line[120:]) == far
    end = next(move for move in legal_moves(far) if move[0].cell > 3 * 198 * 198)
    assert apply(far, end).left == 0


def test_moves_that_are_known_are_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rules look at every group of the board for each tile, so a long game would take long to draw."""
    judged = []
    monkeypatch.setattr("engine.hex.play.judge", lambda *_: judged.append(1))
    rules = parse("lambo -eat_enemy=9")
    moves = ["a1", "a2,a3", "b4,b5", "a6,a18"]
    replay(rules, moves)
    assert len(judged) == 7
    judged.clear()
    replay(rules, moves, 4)
    assert len(judged) == 2


def test_following_judges_the_last_move() -> None:
    with pytest.raises(Forbidden):
        onward(parse("lambo"), ["a1"])(parse_move("a1,b2"))
    with pytest.raises(Unreadable):
        onward(parse("lambo"), ["a1"])(parse_move("z1,b2"))
