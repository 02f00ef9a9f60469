"""What becomes due by itself: challenges and signups nobody answered, open offers that have got old, digests."""

from mailbot.core.commands import account, offers, seeks
from mailbot.core.effects import Effect
from mailbot.core.model import Game, Player, Seek
from mailbot.core.players import digest
from mailbot.core.world import World


def due(entity: Game | Player | Seek, now: int, world: World) -> list[Effect]:
    """The effects that time has on the entity; none if it is not yet time."""
    if isinstance(entity, Game):
        return offers.lapse(entity, now, world)
    if isinstance(entity, Seek):
        return seeks.expire(entity, now)
    return [*account.expire(entity, now), *digest.due(entity, now, world)]
