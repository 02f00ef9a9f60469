"""Reminders: one letter when a player's time on a board falls below a value that the player has chosen.

Boards that are due within the next hour come in one letter. A single board comes as it is, so that it can be answered.
"""

from mailbot.core.effects import Effect, Letter, Post, Put
from mailbot.core.games import boards, clocks, course, timing
from mailbot.core.games.timing import Timing
from mailbot.core.model import Game, Preference, States
from mailbot.core.players import digest
from mailbot.core.world import World

HOUR = 3600


def due(game: Game, now: int, world: World) -> list[Effect]:
    """The reminder of this board, and of the player's other boards that are due soon."""
    if game.remind_at is None or now < game.remind_at or game.state != States.RUNNING:
        return []
    player = world.player(game.player(game.to_move))
    fresh = course.timed(game, timing.of(game, now, world), game.remind_at - 1)
    if player is None or fresh.remind_at is None or fresh.remind_at > now + HOUR:
        return [Put(fresh)]
    soon: list[tuple[int, Game]] = []
    effects: list[Effect] = []
    for one in world.games_of(player.id, (States.RUNNING,)):
        if one.remind_at is None or one.remind_at > now + HOUR or one.player(one.to_move) != player.id:
            continue
        stands = timing.of(one, now, world)
        effects.append(Put(course.timed(one, stands, max(now, one.remind_at))))
        soon.append((timing.left(one, now, stands)[one.to_move - 1], one))
    soon.sort(key=lambda found: (found[0], found[1].id))
    if len(soon) == 1:
        ((seconds, one),) = soon
        number = one.number_of(player.id)
        told = {"event": "reminder", "by": number, "seconds": seconds, "comment": "", **timing.facts(one, now, world)}
        letter = boards.news("board", one, world.texts(one.id), boards.names(one, world), number, **told)
        return [*effects, Post(player.id, letter)]
    rows = [digest.row(one, player, now, world) for _, one in soon]
    facts = {"table": "waiting", "rows": rows, "userid": player.userid, "reminder": True}
    return [*effects, Post(player.id, Letter("waiting", "Your time runs", facts))]


def retimed(setting: Preference, now: int, world: World) -> list[Effect]:
    """The boards on which the player is to move, their reminders as the setting has them."""
    values = clocks.reminders(setting.value)
    effects: list[Effect] = []
    for game in world.games_of(setting.player, (States.RUNNING,)):
        if game.flag_at is not None and game.player(game.to_move) == setting.player:
            stands = timing.of(game, now, world)
            effects.append(Put(course.timed(game, _with(stands, game.to_move, values), now)))
    return effects


def _with(stands: Timing, number: int, values: tuple[int, ...]) -> Timing:
    """The timing with other reminders for this player of the board."""
    one, two = stands.reminders
    return stands._replace(reminders=(values, two) if number == 1 else (one, values))
