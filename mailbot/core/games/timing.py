"""What the clock of a board depends on besides its row: the stretches in which time stands for each of its players.

Theory of operation. A row keeps the time left when the turn began. Everything else is computed here from the stretches
known now, so a stretch that is added later (an outage) needs no row to be written.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mailbot.core.games import clocks
from mailbot.core.games.clocks import SHORTEST_OUTAGE, Stretch, Terms, Times, standing
from mailbot.core.model import DAY, Game, States, Vacation
from mailbot.core.world import World


class Timing(NamedTuple):
    """`stands`: for player 1 and 2 the stretches in which time stands, in order. `outages`: those of them that are
    nobody's vacation. `away`: when the vacation of player 1 and 2 ends, 0 for who is there.
    `reminders`: at how many seconds left player 1 and 2 are reminded."""

    stands: tuple[tuple[Stretch, ...], tuple[Stretch, ...]] = ((), ())
    outages: tuple[Stretch, ...] = ()
    away: tuple[int, int] = (0, 0)
    reminders: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


STEADY = Timing()
"""Time stands never."""


def of(game: Game, now: int, world: World, instead: Mapping[int, Sequence[Vacation]] = MappingProxyType({})) -> Timing:
    """The timing of this board since its turn began. Asks nothing for a game without a clock. `instead`: the vacations
    of some players as they will be."""
    if game.clock == "none":
        return STEADY
    since = game.began or now
    players = (game.player1, game.player2)
    known = world.stretches(players, since)
    if not terms(game).vacation:
        known, instead = [one for one in known if not one[0]], {}
    outages = standing([Stretch(begin, end) for whose, begin, end in known if not whose], _lasting(now, world))
    one, two = (
        [Stretch(row.begin, row.end) for row in instead[player]]
        if player in instead
        else [Stretch(begin, end) for whose, begin, end in known if whose == player]
        for player in players
    )
    reminders = (_reminders(game.player1, world), _reminders(game.player2, world))
    if not (outages or one or two):
        return Timing(reminders=reminders)
    stands = tuple(standing(outages, rows) for rows in (one, two))
    away = tuple(max((row.end for row in rows if row.begin <= now < row.end), default=0) for rows in (one, two))
    return Timing((stands[0], stands[1]), outages, (away[0], away[1]), reminders)


def _reminders(player: int, world: World) -> tuple[int, ...]:
    """At how many seconds left the player is reminded. A digest has the times anyway, so there of the last day only."""
    if player < 0:
        return ()
    likes = world.preferences(player)
    values = clocks.reminders(likes.get("reminders", clocks.REMINDERS))
    return tuple(one for one in values if one <= DAY or likes.get("digest", "off") == "off")


def _lasting(now: int, world: World) -> list[Stretch]:
    """The outage that lasts still or is not kept yet, up to now."""
    pulse = world.pulse()
    well = min(pulse.alive, pulse.stuck) if pulse.stuck else pulse.alive
    return [Stretch(well, now)] if well and now - well >= SHORTEST_OUTAGE else []


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
    time = {"left": list(left(game, now, timing)), "until": flag_at, "now": now}
    if any(timing.away):
        time["away"] = list(timing.away)
    stood = [list(one) for one in timing.outages if one.begin < now]
    return {"time": time, **({"outage": stood[-1]} if stood else {})}


def column(game: Game, now: int, world: World) -> dict[str, int]:
    """The time left of the player to move, and when the vacation of that player ends, as a part of a row in a list of
    boards; nothing without a running clock."""
    if game.flag_at is None:
        return {}
    timing, mover = of(game, now, world), game.to_move - 1
    found = {"left": left(game, now, timing)[mover]}
    return found | {"away": timing.away[mover]} if timing.away[mover] else found


def facts(game: Game, now: int, world: World) -> dict[str, Any]:
    """The same, for whoever has no timing at hand."""
    return told(game, now, of(game, now, world))
