"""A challenge on a ladder: the game begins at once, as nobody can refuse it."""

from mailbot.core.caps import moment
from mailbot.core.contests import Fixture, Stages, Tournament
from mailbot.core.effects import Effect, Forbidden, NotAllowed, Put
from mailbot.core.hosting import entries, standing, steps
from mailbot.core.hosting.standing import Standing, userid
from mailbot.core.model import States
from mailbot.core.players import names
from mailbot.core.tournaments import ladder
from mailbot.core.world import World


def challenged(tournament: Tournament, player: int, name: str, now: int, world: World) -> list[Effect]:
    """The player challenges the one with this name. Raises NotAllowed; Forbidden with the rule, and until when."""
    state = standing.load(tournament, world)
    if not state.format.endless:
        raise Forbidden(f"In {tournament.title} the server pairs the games; only on a ladder players challenge others")
    if tournament.stage != Stages.RUNNING:
        raise Forbidden(f"{tournament.title} is {tournament.stage}: it has no games now")
    mine = entries.require_entry(tournament, player, world)
    other = world.player_named(name)
    theirs = world.entry(tournament.id, other.id) if other else None
    if theirs is None:
        raise NotAllowed(f"'{names.shown(name, player, world)[:20]}' is not on this ladder")
    if other and other.state != "active":
        raise Forbidden(f"At the moment {other.userid} cannot play")
    order = [entry.player for _, entry in state.table]
    last = world.last_met(tournament.id, mine.seat, theirs.seat)
    found = {one.number: one for one in (*state.fixtures, *([last] if last else []))}
    games = [_met(one, state, world) for one in found.values()]
    away = {userid(theirs.player, world): row.end for row in world.vacations(theirs.player, now) if row.begin <= now}
    names_ = [userid(one, world) for one in order]
    try:
        ladder.challenge(names_, games, userid(player, world), userid(theirs.player, world), now, away)
    except ladder.Waits as waits:
        raise Forbidden(f"{waits}; you can challenge again from {moment(waits.until)} on") from None
    game, effects = steps.board_of(state, mine.seat, theirs.seat, 0, now, world, by=1)
    number = world.last_fixture(tournament.id) + 1
    return [Put(Fixture(tournament.id, number, number, mine.seat, theirs.seat, game.id, now)), *effects]


def _met(fixture: Fixture, state: Standing, world: World) -> ladder.Met:
    game = world.game(fixture.game)
    first, second = (userid(state.by_seat[seat].player, world) for seat in (fixture.first, fixture.second))
    return ladder.Met(first, second, game.changed if game and game.state == States.OVER else None)
