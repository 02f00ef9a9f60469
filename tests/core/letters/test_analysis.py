"""Where an analysis says that a game was decided."""

from typing import Any

import pytest

from engine.search import Thought
from mailbot.core.letters import analysis
from mailbot.core.mail.addresses import Own
from mailbot.core.model import Game, Move, States
from mailbot.shell.post.letterbox import Letterbox

PLAYED = ("c3", "b4,b5", "a2,a1", "c8,a9", "a11,b12", "a13,c14")


def played(
    winner: int | None, reason: str, *moves: str, chances: list[float], proved: bool = True
) -> tuple[Game, list[Move], list[Thought]]:
    """A game of ann, who moves first, and bob, and how the computer sees it. A chance of 1 or 0 is `proved`."""
    game = Game(1, "lambo -size=48", 1, 2, States.OVER, 3, len(moves), 0, winner, reason, 0, 0)
    if reason == "the tiles ran out":
        game = game._replace(rules="lambo -size=4")
    turns = [Move(1, ply, 2 - ply % 2, text, "", 0) for ply, text in enumerate(moves, 1)]
    proofs = {1: 1, 0: -1} if proved else {}
    seen = [Thought("b1", chance, proofs.get(chance, 0), 9, ("b1", f"a{ply}")) for ply, chance in enumerate(chances)]
    return game, turns, seen


def facts(*args: Any, **options: Any) -> dict[str, Any]:
    game, moves, seen = played(*args, **options)
    return dict(analysis.letter(game, moves, ("ann", "bob"), seen).facts)


def turning(*args: Any, chances: list[float]) -> list[int]:
    return [point["ply"] for point in facts(*args, chances=chances)["points"]]


def told(facts: dict[str, Any]) -> str:
    """What the letter says under its table."""
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32})  # type: ignore[arg-type]  # asks the store nothing
    text = box.text("analysis", facts, has_token=False)
    assert max(map(len, text.split("\n"))) <= 78
    return " ".join(text.partition("The computer estimates")[0].split("\n\n", 2)[2].split())


@pytest.mark.parametrize(
    ("winner", "reason"), [(2, "ann resigned"), (0, "the players agreed on a draw"), (None, "annulled by the operator")]
)
def test_the_last_move_of_a_game_that_did_not_end_on_the_board_is_no_turning_point(
    winner: int | None, reason: str
) -> None:
    assert turning(winner, reason, "b1", chances=[0.9]) == []


def test_a_move_that_ended_the_game_may_be_one() -> None:
    assert turning(1, "the tiles ran out", "b1", "a2,a3", chances=[0.1, 0.9]) == [2]
    assert turning(2, "the tiles ran out", "b1", "a2,a3", chances=[0.9, 0.9]) == [1]


def test_the_three_moves_that_cost_most_are_told_in_the_order_of_the_game() -> None:
    resigned = (1, "bob resigned", *PLAYED[:6])
    lost = facts(*resigned, chances=[0.7, 0.6, 0.9, 0.8, 0.6, 0.5])  # 30 %, 50 %, 70 %, 40 %, 10 %
    assert [row["ply"] for row in lost["rows"] if row["turning"]] == [1, 2, 3, 4]
    said = told(lost)
    two, three, four = (
        "- Ply 2, b4,b5 by bob: the chance of bob fell from 60 % to 10 %.",
        "- Ply 3, a2,a1 by ann: the chance of ann fell from 90 % to 20 %.",
        "- Ply 4, c8,a9 by bob: the chance of bob fell from 80 % to 40 %.",
    )
    assert f"The costliest: {two} {three} {four}" in said
    assert "Ply 1," not in said
    assert "No single move threw the game away." in told(facts(*resigned, chances=[0.5] * 6))


@pytest.mark.parametrize(
    ("winner", "reason", "chances", "of_ann"),
    [
        (1, "bob resigned", [0.7, 0.6, 0.9, 0.8], "70 40 90 20 20"),
        (1, "the tiles ran out", [0.1, 0.904], "10 10 100"),
        (2, "the tiles ran out", [0.1, 0.904], "10 10 0"),
        (0, "the players agreed on a draw", [0.5], "50 50"),
        (2, "ann resigned", [0.999, 0.001, 0], "100 100 0 0"),
    ],
)
def test_the_chances_for_the_page_are_those_of_the_first_player(
    winner: int, reason: str, chances: list[float], of_ann: str
) -> None:
    moves = ("b1", "a2,a3")[: len(chances)] if "tiles" in reason else PLAYED[: len(chances)]
    kept = analysis.judged(*played(winner, reason, *moves, chances=chances))
    assert kept == (1, " ".join(moves), of_ann)


@pytest.mark.parametrize(
    ("winner", "chances", "said"),
    [
        (1, [0.5, 0.4, 0.7, 0, 1], "After ply 3 the win was forced: the computer proved that ann wins"),
        (2, [0.5, 0.4, 0, 1, 0], "After ply 2 the win was forced: the computer proved that bob wins"),
        (1, [1, 0, 1, 0, 1], "From the first move on the win was forced: the computer proved that ann wins"),
        (1, [0.5, 0, 0.5, 0, 1], "After ply 3 the win was forced"),
        (1, [0.5, 1, 0.5, 0.1, 1], "After ply 4 the win was forced"),
        (1, [0.5, 0.4, 0.7, 0.2, 0], "After ply 4 bob could have forced the win: the computer proved it"),
        (0, [0.5, 0.4, 0.7, 0.2, 1], "After ply 4 ann could have forced the win: the computer proved it"),
    ],
)
def test_a_proved_win_is_said_from_the_ply_on_that_nobody_lost_it_again(
    winner: int, chances: list[float], said: str
) -> None:
    reason = "the players agreed on a draw" if winner == 0 else f"{('bob', 'ann')[winner - 1]} resigned"
    shown = told(facts(winner, reason, *PLAYED[:5], chances=chances))
    assert said in shown
    assert "the line it expected: b1, then a" in shown


def test_nothing_is_forced_without_a_proof_of_the_last_position() -> None:
    resigned = (1, "bob resigned", *PLAYED[:5])
    assert "forced" not in told(facts(*resigned, chances=[1, 0, 1, 0, 0.9]))
    assert "forced" not in told(facts(*resigned, chances=[0.5, 0.4, 0.7, 0, 1], proved=False))


def test_a_letter_with_the_longest_names_and_moves_fits() -> None:
    found = facts(1, "bob resigned", *PLAYED[:5], chances=[0.5, 0.4, 0.7, 0, 1])
    name = "n" * 20
    long = {"ply": 9999, "by": name, "played": "a1234,b1235", "chance": "100 %", "after": "100 %"}
    forced = {"after": 9999, "player": name, "line": ["a1234,b1235"] * analysis.LINE}
    for winner in (name, "bob"):
        assert told({**found, "points": [long], "forced": forced, "winner": winner})


def test_a_letter_of_an_earlier_version_is_still_written() -> None:
    found = facts(1, "bob resigned", *PLAYED[:5], chances=[0.5, 0.4, 0.7, 0, 1])
    assert told({key: found[key] for key in ("table", "rows", "board", "reason", "winner")} | {"turning": [3]}) == ""


def test_a_comment_is_no_hint_in_a_game_that_counts() -> None:
    thought = Thought("b1", 0.56, 0, 900, ("b1", "a2,a3", "c4"))
    said = "My winning chance: 56 % after 900 random games."
    assert analysis.comment(thought) == f"{said} I expect a2,a3, then c4."
    assert analysis.comment(thought, counts=True) == said
