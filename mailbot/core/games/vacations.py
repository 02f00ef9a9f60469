"""Vacations: days on which a player's clocks stand, taken by hand or, to save a flag, by themselves.

A day is a day of the calendar in UTC, or 24 hours from now. docs/clocks.md has the rules.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, Post, Put
from mailbot.core.games import course, timing
from mailbot.core.games.clocks import Stretch, standing
from mailbot.core.model import DAY, Game, Player, Preference, States, Vacation
from mailbot.core.world import World

A_YEAR, AT_ONCE, BY_ITSELF = 30, 21, 5
"""Days that a player has in a calendar year; at most in a row; and taken by themselves without a command between."""

AHEAD = 366 * DAY
"""How far ahead a vacation may begin, in seconds."""

AUTOMATIC_DAYS = "automatic days"
"""Kept beside the settings, and none of them: how many days in a row were taken without a command of the player."""


def year(at: int) -> int:
    """The calendar year of a moment, UTC."""
    return datetime.fromtimestamp(at, UTC).year


def day(at: int) -> str:
    """A moment as `2026-12-20 14:00 UTC`, without the time of day at midnight."""
    then = datetime.fromtimestamp(at, UTC)
    return f"{then:%Y-%m-%d}" if at % DAY == 0 else f"{then:%Y-%m-%d %H:%M} UTC"


def left(rows: Sequence[Vacation], of: int) -> int:
    """Days that are left in a year (`of`)."""
    return A_YEAR - sum(year(row.begin + number * DAY) == of for row in rows for number in range(row.days))


def require_room(rows: Sequence[Vacation], begin: int, days: int) -> None:
    """Forbidden where so many days from `begin` on are too many, or are taken already."""
    end = begin + days * DAY
    for row in rows:
        if row.begin < end and begin < row.end:
            raise Forbidden(f"You have a vacation at that time already: {day(row.begin)} to {day(row.end)}")
    # Vacations with less than a day between them are days in a row.
    near = standing(
        Stretch(one, last + DAY - 1) for one, last in [(begin, end), *((row.begin, row.end) for row in rows)]
    )
    around = next(one for one in near if one.begin <= begin < one.end)
    joined = -(-(around.end - DAY + 1 - around.begin) // DAY)
    if joined > AT_ONCE:
        raise Forbidden(f"A vacation lasts {AT_ONCE} days at most, and yours would be {joined} in a row")
    for of in {year(begin), year(end - 1)}:
        wanted = sum(year(begin + number * DAY) == of for number in range(days))
        if wanted > left(rows, of):
            raise Forbidden(f"You have {left(rows, of)} days of vacation left in {of}, and this would take {wanted}")


def clocked(player: int, world: World) -> list[Game]:
    """The running games of the player that have a clock."""
    return [game for game in world.games_of(player, (States.RUNNING,)) if game.flag_at is not None]


def retimed(player: int, rows: list[Vacation], now: int, world: World) -> list[Effect]:
    """The games of the player, their flags as these vacations have them."""
    effects: list[Effect] = []
    for game in clocked(player, world):
        after = course.timed(game, timing.of(game, now, world, {player: rows}), now)
        if after != game:
            effects.append(Put(after))
    return effects


def told_opponents(player: Player, said: str, world: World) -> list[Effect]:
    """One notice to each opponent in a running game with a clock, whatever the number of boards."""
    others = sorted({game.player(3 - game.number_of(player.id)) for game in clocked(player.id, world)})
    letter = Letter("notice", f"The vacation of {player.userid}", {"said": said})
    return [Post(other, letter, Kinds.NOTICE) for other in others if other > 0]


def begun(row: Vacation, now: int, world: World) -> list[Effect]:
    """The vacation begins: the opponents hear of it."""
    player = world.player(row.player)
    if player is None or row.told or now < row.begin:
        return []
    said = f"{player.userid} is on vacation until {day(row.end)}. Until then the clocks of {player.userid} stand."
    return [Put(replace(row, told=1)), *told_opponents(player, said, world)]


def over(row: Vacation, now: int, world: World) -> list[Effect]:
    """The vacation is over: the player and the opponents hear of it."""
    player = world.player(row.player)
    if player is None or row.told != 1 or now < row.end:
        return []
    said = "Your vacation is over, and your clocks run again."
    letter = Letter("notice", "Your vacation is over", {"said": f"{said} To see your boards: games"})
    others = f"The vacation of {player.userid} is over; the clocks of {player.userid} run again."
    return [Put(replace(row, told=2)), Post(player.id, letter, Kinds.NOTICE), *told_opponents(player, others, world)]


def saved(game: Game, now: int, world: World) -> list[Effect] | None:
    """A day that is taken by itself, so that the player to move does not run out of time; None if there is none."""
    player = world.player(game.player(game.to_move))
    assert game.flag_at is not None
    if player is None or player.id < 0 or player.state not in ("active", "off"):
        return None
    likes = world.preferences(player.id)
    in_a_row = int(likes.get(AUTOMATIC_DAYS, "0"))
    rows = world.vacations(player.id, 0)
    begin = game.flag_at - 1  # time that has run out could not stand: with the last second left there is a whole day
    if likes.get("autovacation") == "off" or in_a_row >= BY_ITSELF or left(rows, year(begin)) < 1:
        return None
    taken = Vacation(world.fresh("vacation"), player.id, begin, begin + DAY, 1, automatic=1, told=2)
    rest = left([*rows, taken], year(begin))
    own = (
        f"Your time on board {game.id} has run out. So that you do not lose, you are on vacation for a day, until"
        f" {day(taken.end + 1)}: until then all your clocks stand. You have {rest} days left in {year(begin)}. This"
        f" happens {BY_ITSELF} times in a row at most; any command of yours begins the count anew."
    )
    others = f"{player.userid} is on vacation for a day, until {day(taken.end + 1)}: the time on a board had run out."
    return [
        Put(taken),
        Put(Preference(player.id, AUTOMATIC_DAYS, str(in_a_row + 1))),
        *retimed(player.id, [*rows, taken], now, world),
        Post(player.id, Letter("notice", f"Your time on board {game.id}", {"said": own}), Kinds.NOTICE),
        *told_opponents(player, others, world),
    ]


def returned(player: int, world: World) -> list[Effect]:
    """A command of the player has come: automatic days are counted anew."""
    counted = world.preferences(player).get(AUTOMATIC_DAYS)
    return [Drop(Preference(player, AUTOMATIC_DAYS, ""))] if counted else []
