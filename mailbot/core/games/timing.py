"""What the clock of a board depends on besides its row: the stretches in which time stands for each of its players.

Theory of operation. A row keeps the time left when the turn began. Everything else is computed here from the stretches
known now, so a stretch that is added later (an outage) needs no row to be written.
"""

from typing import Any, NamedTuple

from mailbot.core.games import clocks
from mailbot.core.games.clocks import Stretch, Terms, Times
from mailbot.core.model import Game, States
from mailbot.core.world import World


class Timing(NamedTuple):
    """`stands`: for player 1 and 2 the stretches in which time stands, in order."""

    stands: tuple[tuple[Stretch, ...], tuple[Stretch, ...]] = ((), ())


STEADY = Timing()
"""Time stands never."""


def of(game: Game, now: int, world: World) -> Timing:
    """The timing of this board. Asks nothing for a game without a clock."""
    return STEADY


def terms(game: Game) -> Terms:
    """What the players have agreed on."""
    return clocks.terms(game.clock)


def times(game: Game) -> Times:
    """The times when the current turn began."""
    return Times((game.left1, game.left2), game.began)


def left(game: Game, now: int, timing: Timing) -> tuple[int, int]:
    """Seconds that player 1 and 2 have now."""
    mover = game.to_move
    if not mover:
        return game.left1, game.left2
    return clocks.left(times(game), mover, now, timing.stands[mover - 1], terms(game).noweekends)


def used(game: Game, now: int, timing: Timing) -> int:
    """Seconds of the clock that the current turn has taken so far; 0 without a clock."""
    if game.clock == "none":
        return 0
    return clocks.used(game.began, now, timing.stands[game.to_move - 1], terms(game).noweekends)


def told(game: Game, now: int, timing: Timing) -> dict[str, Any]:
    """What a letter says of the time, as a part of its facts; nothing without a running clock."""
    if game.flag_at is None or game.state != States.RUNNING:
        return {}
    stands = timing.stands[game.to_move - 1]
    flag_at = clocks.flag_at(times(game), game.to_move, stands, terms(game).noweekends)
    return {"time": {"left": list(left(game, now, timing)), "until": flag_at, "now": now}}


def facts(game: Game, now: int, world: World) -> dict[str, Any]:
    """The same, for whoever has no timing at hand."""
    return told(game, now, of(game, now, world))
