"""The course of a game: every change of a board's state, from the offer to the end. Pure functions from Game to Game.

    offered -> running -> over
            -> declined, lapsed

Nothing else writes `state`, `winner` or `reason` of a Game, except that a new userid gets into `reason` by the effect
Rename; tests/core/games/test_course.py reads the source for that. Code that must run whenever a game begins, moves,
ends or goes back (clocks, tournaments) belongs here; the ratings see each end in `core.ratings.ended`.
`timing` says when time stands.
"""

from typing import Any

from engine.family import Outcome
from mailbot.core.games import clocks
from mailbot.core.games.clocks import Times
from mailbot.core.games.timing import STEADY, Timing, left, terms, times, used
from mailbot.core.model import DAY, Game, States

BOTH = 3
"""The bits of `agreed` when both players have said yes."""

OUT_OF_TIME = "ran out of time"
WITHDRAWN = "is out of the tournament after two losses on time"
"""How the reason ends when a player has lost on time, on this board or on others of the tournament."""

DECIDED = "the operator decided so"
"""The reason when the operator has ended a game."""

LEAST = DAY
"""Seconds that each player has at least when a game that was over runs again."""


def offered(
    board: int,
    rules: str,
    players: tuple[int, int],
    now: int,
    agreed: int = 0,
    seek: int = 0,
    clock: str = "none",
    rated: tuple[str, str] = ("", ""),
) -> Game:
    """A new board that waits for consent. `players`: ids of player 1 and 2; `agreed`: bits of those who said yes.
    `rated`: category and why not, as core/ratings/terms.py has them."""
    fresh = Game(board, rules, *players, States.OFFERED, agreed, 0, 0, None, "", now, now)
    return fresh._replace(seek=seek, clock=clock, category=rated[0], unrated=rated[1])


def goes_on(before: Game | None, after: Game) -> bool:
    """Whether a game has begun, gone on, gone back or ended, or somebody else plays it. Then a clock may run for
    somebody who must hear so. How often that happens is bounded by the games and the moves."""
    if after.state not in (States.RUNNING, States.OVER):
        return False
    return before is None or before.ply != after.ply or _stands(before) != _stands(after)


def _stands(game: Game) -> tuple[object, ...]:
    return game.state, game.ply, game.to_move, game.winner, game.player1, game.player2


def begun(game: Game, to_move: int, now: int, timing: Timing = STEADY) -> Game:
    """Both players have agreed, and the game runs: each has the whole time, and the first turn begins."""
    game = game._replace(state=States.RUNNING, agreed=BOTH, to_move=to_move, started=now, changed=now, asks_by=0)
    clock = terms(game).clock
    if clock is None:
        return game
    return timed(game._replace(left1=clock.start, left2=clock.start, began=now), timing, now)


def timed(game: Game, timing: Timing, after: int) -> Game:
    """The same game with `flag_at` computed anew, and `remind_at`, the first reminder later than `after`."""
    if game.state != States.RUNNING or game.clock == "none":
        return game
    flag_at, remind_at = _due(times(game), game.to_move, terms(game).noweekends, timing, after)
    return game._replace(flag_at=flag_at, remind_at=remind_at)


def _due(kept: Times, mover: int, noweekends: bool, timing: Timing, after: int) -> tuple[int, int | None]:
    """When the mover's time ends, and the first reminder later than `after`."""
    stands, values = timing.stands[mover - 1], timing.reminders[mover - 1]
    remind_at = clocks.remind_at(kept, mover, values, after, stands, noweekends) if values else None
    return clocks.flag_at(kept, mover, stands, noweekends), remind_at


def declined(game: Game, now: int) -> Game:
    """A player has refused the offer or withdrawn it."""
    return game._replace(state=States.DECLINED, changed=now)


def lapsed(game: Game, now: int) -> Game:
    """Nobody has answered the offer in time."""
    return game._replace(state=States.LAPSED, changed=now)


def moved(
    game: Game,
    to_move: int,
    outcome: Outcome | None,
    now: int,
    timing: Timing = STEADY,
    *,
    queued: bool = False,
    came: int | None = None,
) -> Game:
    """One turn has been played; `outcome` says how it ended the game, if it did. A turn from the queue uses no time,
    others as much as had run when they `came`."""
    turn: dict[str, Any] = {"ply": game.ply + 1, "to_move": to_move, "changed": now}
    clock, noweekends, _ = terms(game)
    if clock:
        mover = game.to_move
        stands = timing.stands[mover - 1]
        kept = clocks.moved(clock, times(game), mover, now, stands, noweekends, queued=queued, came=came)
        turn |= {"left1": kept.left[0], "left2": kept.left[1], "began": now}
        if not outcome:
            turn["flag_at"], turn["remind_at"] = _due(kept, to_move, noweekends, timing, now)
    after = game._replace(**turn)
    return over(after, outcome.winner, outcome.reason, now) if outcome else after


def over(game: Game, winner: int | None, reason: str, now: int, timing: Timing = STEADY) -> Game:
    """The end of a game, whatever ended it. `winner`: 1, 2, 0 for a draw, None for an annulled game."""
    if game.flag_at is not None:
        one, two = left(game, now, timing)
        game = game._replace(left1=one, left2=two, began=now, flag_at=None, remind_at=None)
    return game._replace(state=States.OVER, to_move=0, winner=winner, reason=reason, changed=now, asks="", asks_by=0)


def flagged(game: Game, winner: int | None, reason: str, now: int) -> Game:
    """The player to move has run out of time, at `flag_at`, which is when the clocks have stopped (`began`)."""
    assert game.flag_at is not None
    one, two = (0, game.left2) if game.to_move == 1 else (game.left1, 0)
    stopped = game._replace(left1=one, left2=two, began=game.flag_at, flag_at=None, remind_at=None)
    return over(stopped, winner, reason, now)


def rewound(
    game: Game, ply: int, to_move: int, now: int, timing: Timing = STEADY, least: tuple[int, int] = (LEAST, LEAST)
) -> Game:
    """The board is at `ply` again and runs, even if it was over; no question is open. Letters already sent can
    no longer be answered (`Game.stamp`). Nobody's time changes, but in a game that was over each player has at least
    the seconds of `least`, and where moves are taken back each has the whole time of a clock for every move."""
    taken_back = game.taken_back + game.ply - ply + 1
    if clock := terms(game).clock:
        one, two = left(game, now, timing)
        given = clock.start if game.ply > ply and not clock.increment else 0
        # No time at all can never run out.
        given1, given2 = (max(given, floor, 1) if game.state == States.OVER else given for floor in least)
        game = game._replace(left1=max(one, given1), left2=max(two, given2), began=now)
    back = game._replace(state=States.RUNNING, ply=ply, to_move=to_move, winner=None, reason="", taken_back=taken_back)
    return timed(back._replace(changed=now, asks="", asks_by=0), timing, now)


def given(game: Game, number: int, seconds: int, now: int, timing: Timing) -> Game:
    """Player `number` has exactly so many seconds from now on. The turn that is being played began when it did, so that
    its time is still told as a whole."""
    kept = seconds + used(game, now, timing) if number == game.to_move else seconds
    one, two = (kept, game.left2) if number == 1 else (game.left1, kept)
    return timed(game._replace(left1=one, left2=two), timing, now)


def granted(game: Game, number: int, seconds: int, now: int, timing: Timing) -> Game:
    """Player `number` has so many seconds more, as far as the cap of the clock allows."""
    clock, noweekends, _ = terms(game)
    if clock is None:
        return game
    mover = game.to_move
    kept = clocks.granted(clock, times(game), number, seconds, mover, now, timing.stands[mover - 1], noweekends)
    return timed(game._replace(left1=kept.left[0], left2=kept.left[1]), timing, now)


def asked(game: Game, what: str, by: int) -> Game:
    """Player `by` has asked the other for `what`. If both are empty, the question was refused. A letter with an earlier
    question can no longer be answered, so that no answer meets a question that its letter did not show."""
    return game._replace(asks=what, asks_by=by, taken_back=game.taken_back + bool(game.asks))
