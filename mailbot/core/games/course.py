"""The course of a game: every change of a board's state, from the offer to the end. Pure functions from Game to Game.

    offered -> running -> over
            -> declined, lapsed

Nothing else writes `state`, `winner` or `reason` of a Game; tests/core/games/test_course.py reads the source for that.
Code that must run whenever a game begins, moves, ends or goes back (clocks, ratings, tournaments) belongs here.
"""

from dataclasses import replace

from engine.family import Outcome
from mailbot.core.model import Game, States

BOTH = 3
"""The bits of `agreed` when both players have said yes."""


def offered(board: int, rules: str, players: tuple[int, int], now: int, agreed: int = 0, seek: int = 0) -> Game:
    """A new board that waits for consent. `players`: ids of player 1 and 2; `agreed`: bits of those who said yes."""
    return Game(board, rules, *players, States.OFFERED, agreed, 0, 0, None, "", now, now, seek=seek)


def begun(game: Game, to_move: int, now: int) -> Game:
    """Both players have agreed, and the game runs."""
    return replace(game, state=States.RUNNING, agreed=BOTH, to_move=to_move, started=now, changed=now)


def declined(game: Game, now: int) -> Game:
    """A player has refused the offer or withdrawn it."""
    return replace(game, state=States.DECLINED, changed=now)


def lapsed(game: Game, now: int) -> Game:
    """Nobody has answered the offer in time."""
    return replace(game, state=States.LAPSED, changed=now)


def moved(game: Game, to_move: int, outcome: Outcome | None, now: int) -> Game:
    """One turn has been played; `outcome` says how it ended the game, if it did."""
    after = replace(game, ply=game.ply + 1, to_move=to_move, changed=now)
    return over(after, outcome.winner, outcome.reason, now) if outcome else after


def over(game: Game, winner: int | None, reason: str, now: int) -> Game:
    """The end of a game, whatever ended it. `winner`: 1, 2, 0 for a draw, None for an annulled game."""
    return replace(game, state=States.OVER, to_move=0, winner=winner, reason=reason, changed=now, asks="", asks_by=0)


def rewound(game: Game, ply: int, to_move: int, now: int) -> Game:
    """The board is at `ply` again and runs, even if it was over; no question is open. Letters already sent can
    no longer be answered (`Game.stamp`)."""
    taken_back = game.taken_back + game.ply - ply + 1
    back = replace(game, state=States.RUNNING, ply=ply, to_move=to_move, winner=None, reason="", taken_back=taken_back)
    return replace(back, changed=now, asks="", asks_by=0)


def asked(game: Game, what: str, by: int) -> Game:
    """Player `by` has asked the other for `what`. If both are empty, the question was refused. A letter with an earlier
    question can no longer be answered, so that no answer meets a question that its letter did not show."""
    return replace(game, asks=what, asks_by=by, taken_back=game.taken_back + bool(game.asks))


def reworded(game: Game, reason: str) -> Game:
    """The same end in other words, because a player named in it has a new name."""
    return replace(game, reason=reason)
