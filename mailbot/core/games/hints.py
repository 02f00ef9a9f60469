"""A turn that the computer proposes to a player: for which turn it may do so, and the letters about it.

Theory of operation. A hint is of a position, not of a number of a turn. So a question that is asked and answered
meanwhile changes nothing, and a player who takes a move back and comes to the same position gets the same hint.
"""

from collections.abc import Sequence
from typing import Final

from mailbot.core.effects import Letter
from mailbot.core.games import boards
from mailbot.core.model import Game, Hint
from mailbot.core.world import World

MOST: Final = 3
"""Hints that a player gets in a game."""

LEVEL: Final = 4
"""How well the computer thinks about a hint: it takes seconds."""


def position(moves: Sequence[str]) -> str:
    """The moves of a board as a hint names the position after them."""
    return " ".join(moves)


def stands(hint: Hint, world: World) -> bool:
    """Whether the turn for which the hint was asked is still to be played."""
    game = world.game(hint.game)
    if game is None or not boards.may_have_hint(game, game.number_of(hint.player)):
        return False
    return hint.after == position(world.texts(game.id))


def left(hints: Sequence[Hint]) -> int:
    """How many more hints the player gets, who has asked for these in one game."""
    return MOST - sum(bool(hint.move) for hint in hints)


def letter(game: Game, hint: Hint, known: Sequence[Hint], world: World) -> Letter:
    """The board as it would be after the proposed turn. Its answer plays. `known`: all hints of the player in this
    game, with this one."""
    moves, players = [*hint.after.split(), hint.move], boards.names(game, world)
    number = game.number_of(hint.player)
    return boards.news("show", game, moves, players, number, preview=[hint.move], hints_left=left(known))


def failed(hint: Hint) -> Letter:
    """What is said when there will be no hint after all."""
    said = (
        f"The computer has no hint for board {hint.game}: something is wrong with the server. The operator can see that"
        " in the log; you may ask again."
    )
    return Letter("notice", f"A hint for board {hint.game}", {"said": said})
