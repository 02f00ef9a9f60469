"""The computer players: ordinary players in the database, with negative ids, whose moves are computed elsewhere.

A computer player's id is minus its level. It has no address and no password, so no letter goes to it and no mail can
act for it. It is always free, and accepts every challenge at once.
"""

import re
from collections.abc import Mapping

from mailbot.core.effects import Forbidden
from mailbot.core.model import Game, Player
from mailbot.core.world import World

LEVELS = 5
NAMES: Mapping[str, int] = {f"uct{level}": -level for level in range(1, LEVELS + 1)}
"""Userid to id."""

RESERVED = re.compile(r"uct[0-9]*\Z")
"""Userids, in lower case and without signs, that nobody can sign up with."""

MAX_BOARDS = 20
"""Running games with computer players that one player may have."""

COMMENTS = "uct comments"
"""The preference of players who want to be told what the computer thinks of its chances."""


def is_bot(player: int) -> bool:
    """Whether this is the id of a computer player."""
    return player < 0


def level(player: int) -> int:
    """1 to LEVELS."""
    return -player


def rows(now: int) -> list[Player]:
    """All computer players, as rows of the database."""
    return [Player(id, name, "active", "", 1, 1, now) for name, id in NAMES.items()]


def there(world: World, bot: int = 0) -> bool:
    """Whether this computer player plays here. Without `bot`: whether any does."""
    found = (world.player(id) for id in ([bot] if bot else NAMES.values()))
    return any(one is not None and one.state == "active" for one in found)


def bot_of(game: Game) -> int:
    """The id of the computer player on this board, 0 if both players are people."""
    return min(game.player1, game.player2, 0)


def require_known(name: str, world: World) -> None:
    """Forbidden for a reserved name without a computer player, or with one that does not play now."""
    if name.lower() != "me" and RESERVED.match(name) and name.lower() not in NAMES:
        raise Forbidden(f"There is no computer player '{name[:20]}': they are uct1, the easiest, to uct{LEVELS}.")
    if name.lower() in NAMES and not there(world, NAMES[name.lower()]):
        raise Forbidden(f"The computer player {name.lower()} does not play at the moment.")
