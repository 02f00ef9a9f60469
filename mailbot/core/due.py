"""What happens by itself when it is due: offers lapse, signups and open offers end, digests are written, flags fall,
players are reminded of their time, vacations begin and end, tournaments go on."""

from collections.abc import Callable, Mapping

from mailbot.core.commands import account, offers, seeks
from mailbot.core.effects import Effect, Refold
from mailbot.core.games import flags, vacations
from mailbot.core.hosting import daily, steps
from mailbot.core.hosting.steps import Decided
from mailbot.core.players import digest, reminders
from mailbot.core.world import Timer, World


def _offer(board: int, now: int, world: World) -> list[Effect]:
    game = world.game(board)
    return offers.lapse(game, now, world) if game else []


def _signup(player: int, now: int, world: World) -> list[Effect]:
    found = world.player(player)
    return account.expire(found, now) if found else []


def _seek(seek: int, now: int, world: World) -> list[Effect]:
    found = world.seek(seek)
    return seeks.expire(found, now) if found else []


def _digest(player: int, now: int, world: World) -> list[Effect]:
    found = world.player(player)
    return digest.due(found, now, world) if found else []


def _flag(board: int, now: int, world: World) -> list[Effect]:
    game = world.game(board)
    return flags.due(game, now, world) if game else []


def _away(vacation: int, now: int, world: World) -> list[Effect]:
    found = world.vacation(vacation)
    if found is None:
        return []
    begun = vacations.begun(found, now, world)
    return [*begun, *vacations.reminded(found, world)] if begun else []


def _back(vacation: int, now: int, world: World) -> list[Effect]:
    found = world.vacation(vacation)
    return vacations.over(found, now, world) if found else []


def _remind(board: int, now: int, world: World) -> list[Effect]:
    game = world.game(board)
    return reminders.due(game, now, world) if game else []


def _told(later: int, now: int, world: World) -> list[Effect]:
    found = world.later(later)
    return daily.due(found, world) if found else []


def _refold(place: int, now: int, world: World) -> list[Effect]:
    return [Refold(goes_on=True)]


TOURNAMENT = "tournament"

TIMERS: Mapping[str, Callable[[int, int, World], list[Effect]]] = {
    "offer": _offer,
    "signup": _signup,
    "seek": _seek,
    "digest": _digest,
    "flag": _flag,
    "away": _away,
    "back": _back,
    "remind": _remind,
    "refold": _refold,
    "entry": steps.due,
    TOURNAMENT: steps.due,
    "told": _told,
}
"""What each kind of timer does to its row. It checks again whether the row is due: the row may have changed since."""


def ring(timer: Timer, now: int, world: World, found: Decided | None = None) -> list[Effect]:
    """The effects of a timer; none if its row is not due, or no longer due. `found`: what was decided beforehand of a
    tournament."""
    if found:
        return steps.due(timer.ref, now, world, found)
    return TIMERS[timer.kind](timer.ref, now, world)
