"""Vacations: days on which a player's clocks stand, taken by hand or, to save a flag, by themselves.

A day is a day of the calendar in the player's time zone, or 24 hours from now. docs/clocks.md has the rules.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from mailbot.core.caps import moment
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, Post, Put
from mailbot.core.games import course, timing
from mailbot.core.games.clocks import Stretch, standing
from mailbot.core.model import DAY, Game, Player, Preference, States, Vacation
from mailbot.core.world import World
from mailbot.core.zones import Zone

A_YEAR, AT_ONCE, BY_ITSELF = 30, 21, 5
"""Days that a player has in a calendar year; at most in a row; and taken by themselves without a command between."""

AHEAD = 366 * DAY
"""How far ahead a vacation may begin, in seconds."""

CHANGE = 3600
"""Seconds by which a change of clocks makes 21 days longer by the clocks of a zone."""

EVENT = "vacation"
"""The event of a letter about the vacation of an opponent."""

AUTOMATIC_DAYS = "automatic days"
"""Kept beside the settings, and none of them: how many days in a row were taken without a command of the player."""


def day(at: int, zone: Zone) -> str:
    """A moment as `2026-12-20 14:00 UTC`, without the time of day at midnight."""
    return f"{zone.local(at):%Y-%m-%d}" if zone.midnight(zone.local(at)) == at else moment(at, zone)


def taken(rows: Sequence[Vacation], zone: Zone) -> Counter[int]:
    """How many days of each calendar year these vacations take."""
    return Counter((zone.local(row.begin) + timedelta(days=number)).year for row in rows for number in range(row.days))


def left(rows: Sequence[Vacation], of: int, zone: Zone) -> int:
    """Days that are left in a year (`of`)."""
    return A_YEAR - taken(rows, zone)[of]


def require_room(rows: Sequence[Vacation], wanted: Vacation, zone: Zone) -> None:
    """Forbidden where the days wanted are too many, or are taken already."""
    begin, end = wanted.begin, wanted.end
    for row in rows:
        if row.begin < end and begin < row.end:
            said = f"{day(row.begin, zone)} to {day(row.end, zone)}"
            raise Forbidden(f"You have a vacation at that time already: {said}. To end it: vacation NAME PASSWORD off")
    # Vacations with less than a day between them are days in a row, counted by the clocks of the zone.
    wall = [tuple(at + zone.at(at).offset for at in (row.begin, row.end)) for row in (wanted, *rows)]
    near = standing(Stretch(first, last + DAY - 1) for first, last in wall)
    around = next(one for one in near if one.begin <= wall[0][0] < one.end)
    joined = -(-(around.end - DAY + 1 - around.begin - CHANGE) // DAY)
    if joined > AT_ONCE:
        raise Forbidden(f"A vacation lasts {AT_ONCE} days at most, and yours would be {joined} in a row")
    for of, days in taken([wanted], zone).items():
        if days > (have := left(rows, of, zone)):
            raise Forbidden(f"Your days of vacation left in {of}: {have}. This would take {days}")


def clocked(player: int, world: World, *, stops: bool = True) -> list[Game]:
    """The running games of the player whose clock a vacation stops; or (`stops`) those whose clock goes on."""
    found = [game for game in world.games_of(player, (States.RUNNING,)) if game.flag_at is not None]
    return [game for game in found if timing.terms(game).vacation == stops]


def goes_on(player: int, world: World, other: int = 0) -> list[str]:
    """The boards (`other`: those with this opponent) on which the player's time runs on a vacation, too, a line
    each."""
    games = clocked(player, world, stops=False)
    return [f"board {game.id} ({game.occasion})" for game in games if not other or game.number_of(other)]


def reminded(row: Vacation, world: World) -> list[Effect]:
    """The player whose vacation begins hears on which boards the clock goes on."""
    boards_ = goes_on(row.player, world)
    said = f"Your vacation has begun, but on these boards your clock goes on: {', '.join(boards_)}."
    letter = Letter("notice", "Your vacation has begun", {"said": said})
    return [Post(row.player, letter, Kinds.NOTICE)] if boards_ else []


def retimed(player: int, rows: list[Vacation], now: int, world: World) -> list[Effect]:
    """The games of the player, their flags as these vacations have them."""
    effects: list[Effect] = []
    for game in clocked(player, world):
        after = course.timed(game, timing.of(game, now, world, {player: rows}), now)
        if after != game:
            effects.append(Put(after))
    return effects


def told_opponents(player: Player, said: str, world: World, until: int = 0) -> list[Effect]:
    """One letter to each opponent in a running game with a clock, whatever the number of boards. `said`: the text, with
    `{who}` for the player, and `{until}` for that moment in the reader's time zone; with that, the letter names the
    boards between the two on which the clock goes on."""
    others = sorted({game.player(3 - game.number_of(player.id)) for game in clocked(player.id, world)})

    def letter(other: int) -> Letter:
        text = said.format(who=player.userid, until=day(until, world.zone(other)))
        if until and (boards_ := goes_on(player.id, world, other)):
            text += f" But on these boards the clock of {player.userid} goes on: {', '.join(boards_)}."
        return Letter("notice", f"The vacation of {player.userid}", {"said": text, "event": EVENT})

    return [Post(other, letter(other), Kinds.EVENT) for other in others if other > 0]


def between(player: int, since: int, until: int, world: World) -> list[tuple[str, int]]:
    """Which opponents' vacations have begun or ended after `since` and not later than `until`: the userid, and when the
    vacation ends."""
    games = clocked(player, world)
    told = []
    for other in sorted({game.player(3 - game.number_of(player)) for game in games} - {player}):
        opponent = world.player(other)
        for row in world.vacations(other, since):
            if opponent and (since < row.begin <= until or since < row.end <= until):
                told.append((opponent.userid, row.end))
    return told


def begun(row: Vacation, now: int, world: World) -> list[Effect]:
    """The vacation begins: the opponents hear of it."""
    player = world.player(row.player)
    if player is None or row.told or now < row.begin:
        return []
    said = "{who} is on vacation until {until}. Until then the clocks of {who} stand."
    return [Put(row._replace(told=1)), *told_opponents(player, said, world, row.end)]


def over(row: Vacation, now: int, world: World) -> list[Effect]:
    """The vacation is over: the player and the opponents hear of it."""
    player = world.player(row.player)
    if player is None or row.told != 1 or now < row.end:
        return []
    said = "Your vacation is over, and your clocks run again."
    letter = Letter("notice", "Your vacation is over", {"said": f"{said} To see your boards: games"})
    others = "The vacation of {who} is over; the clocks of {who} run again."
    return [
        Put(row._replace(told=2)),
        Post(player.id, letter, Kinds.NOTICE),
        *told_opponents(player, others, world),
    ]


def saved(game: Game, now: int, world: World) -> list[Effect] | None:
    """A day that is taken by itself, so that the player to move does not run out of time; None if there is none, or if
    it would not help."""
    player = world.player(game.player(game.to_move))
    assert game.flag_at is not None
    if player is None or player.id < 0 or player.state not in ("active", "off") or not timing.terms(game).vacation:
        return None
    likes = world.preferences(player.id)
    in_a_row = int(likes.get(AUTOMATIC_DAYS, "0"))
    rows = world.vacations(player.id, 0)
    begin = game.flag_at - 1  # time that has run out could not stand: with the last second left there is a whole day
    zone = world.zone(player.id)
    year = zone.local(begin).year
    if likes.get("autovacation") == "off" or in_a_row >= BY_ITSELF or left(rows, year, zone) < 1:
        return None
    row = Vacation(world.fresh("vacation"), player.id, begin, begin + DAY, 1, automatic=1, told=2)
    after = course.timed(game, timing.of(game, now, world, {player.id: [*rows, row]}), now)
    if not after.flag_at or after.flag_at <= game.flag_at:
        return None
    rest = left([*rows, row], year, zone)
    days = "1 day" if rest == 1 else f"{rest} days"
    boards_ = goes_on(player.id, world)
    but = f", but not in tournaments that know no vacation: {', '.join(boards_)}" if boards_ else ""
    own = (
        f"Your time on board {game.id} has run out. So that you do not lose, you are on vacation for a day, until"
        f" {day(row.end + 1, zone)}: until then all your clocks stand{but}. You have {days}"
        f" left in {year}. This happens {BY_ITSELF} times in a row at most; any command of yours begins the count anew."
    )
    others = "{who} is on vacation for a day, until {until}: the time on a board had run out."
    return [
        Put(row),
        Put(Preference(player.id, AUTOMATIC_DAYS, str(in_a_row + 1))),
        *retimed(player.id, [*rows, row], now, world),
        Post(player.id, Letter("notice", f"Your time on board {game.id}", {"said": own}), Kinds.NOTICE),
        *told_opponents(player, others, world, row.end + 1),
    ]


def returned(player: int, world: World) -> list[Effect]:
    """A command of the player has come: automatic days are counted anew."""
    counted = world.preferences(player).get(AUTOMATIC_DAYS)
    return [Drop(Preference(player, AUTOMATIC_DAYS, ""))] if counted else []
