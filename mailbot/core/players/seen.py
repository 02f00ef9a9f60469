"""When a player was last here: the day of the last mail that proved to be the player's."""

from mailbot.core.effects import Effect, Put
from mailbot.core.model import DAY, Player, Preference
from mailbot.core.world import World

SEEN = "seen"
"""Kept beside the settings, and none of them: unix seconds, written once a day at most."""


def last(player: Player, world: World) -> int:
    """When the player was last here, never more than a day too early."""
    return max(player.created, int(world.preferences(player.id).get(SEEN, "0")))


def noted(player: Player, now: int, world: World) -> list[Effect]:
    """The player is here now."""
    return [Put(Preference(player.id, SEEN, str(now)))] if now - last(player, world) >= DAY else []
