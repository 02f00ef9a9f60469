"""What an analysis calls a turning point."""

import pytest

from mailbot.core.letters import analysis
from mailbot.core.model import Game, Move


def turning(winner: int | None, reason: str, *moves: str, chances: list[float]) -> list[int]:
    """The turning points of a game of ann (1), who moves first, and bob (2)."""
    game = Game(1, "lambo -size=4", 1, 2, "over", 3, len(moves), 0, winner, reason, 0, 0)
    played = [Move(1, ply, 2 - ply % 2, text, "", 0) for ply, text in enumerate(moves, 1)]
    seen = [(chance, "b1") for chance in chances]
    return list(analysis.letter(game, played, ("ann", "bob"), seen).facts["turning"])


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
