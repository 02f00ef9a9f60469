"""What becomes due by itself: offers and signups nobody answered."""

from mailbot.core.commands import account, offers
from mailbot.core.effects import Effect
from mailbot.core.model import Game, Player
from mailbot.core.world import World


def due(entity: Game | Player, now: int, world: World) -> list[Effect]:
    """The effects that time has on the entity; none if it is not yet time."""
    if isinstance(entity, Game):
        return offers.lapse(entity, now, world)
    return account.expire(entity, now)
