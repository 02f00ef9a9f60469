"""What was done in a tournament, by whom and why: a line for each act that somebody may want explained."""

from collections.abc import Mapping

from mailbot.core.contests import Logged, Tournament
from mailbot.core.effects import Put
from mailbot.core.world import World

SAID: Mapping[str, str] = {
    "created": "created",
    "opened": "opened for entry",
    "announced": "announced",
    "closed": "closed for entry",
    "joined": "{player} entered",
    "dropped": "{player} left before the start",
    "skipped": "{player} was not entered again",
    "began": "begun",
    "paired": "next games paired",
    "unpaired": "no pairing was left",  # only in logs from before 2026-11-27
    "withdrew": "{player} withdrew",
    "late": "{player} was withdrawn after two losses on time",
    "idle": "{player} lost a place for want of games",
    "hidden": "{player}, who had signed off, lost a place",
    "returned": "{player} returned",
    "ruled": "result of board {board} decided",
    "time": "{player} got more time",
    "replaced": "{player} came in for another player",
    "note": "note to the players",
    "appeal": "{player} asked for a ruling on board {board}",
    "director": "{player} directs it now",
    "over": "over",
    "cancelled": "cancelled",
    "resumed": "it goes on",
}
"""What each line says."""


def noted(
    tournament: Tournament,
    what: str,
    now: int,
    world: World,
    *,
    by: int = 0,
    player: int = 0,
    board: int = 0,
    why: str = "",
) -> Put:
    """A line of the log. `what`: a key of SAID."""
    return Put(Logged(world.fresh("logged"), tournament.id, now, what, by, player, board, why))
