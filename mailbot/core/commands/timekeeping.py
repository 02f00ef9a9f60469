"""Time: days on which the own clocks stand, and time given to an opponent."""

from datetime import datetime, timedelta
from typing import Any

from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Forbidden, Letter, NotAllowed, Post, Put, Say, Unreadable
from mailbot.core.games import boards, clocks, course, timing, turn, vacations
from mailbot.core.language.grammar import Row
from mailbot.core.model import DAY, Player, Vacation
from mailbot.core.players import limits
from mailbot.core.world import Asked, Request, World
from mailbot.core.zones import Zone

_LIKE = "vacation NAME PASSWORD 14, or with a first and a last day: vacation NAME PASSWORD 2026-12-20 2027-01-03"


def vacation(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Takes days of vacation, ends them, or shows them."""
    player = world.player(asked.by)
    if player is None:
        raise NotAllowed("There is no player of that name.")
    words = [str(word).lower() for word in asked.args.get("when", ())]
    rows = world.vacations(player.id, 0)
    if not words:
        return [_shown(player, rows, request.now, world)]
    if words == ["off"]:
        return _off(player, rows, request.now, world)
    zone = world.zone(player.id)
    row = Vacation(world.fresh("vacation"), player.id, *wanted(words, request.at, zone))
    vacations.require_room(rows, row, zone)
    told = vacations.begun(row, request.now, world) or [Put(row)]
    games = vacations.retimed(player.id, [*rows, row], request.now, world)
    return [*told, *games, _shown(player, [*rows, row], request.now, world)]


def wanted(words: list[str], now: int, zone: Zone) -> tuple[int, int, int]:
    """When the vacation begins and ends, and how many days it takes. Raises Unreadable, Forbidden."""
    if len(words) == 1 and words[0].isdigit():
        if not 1 <= int(words[0]) <= vacations.AT_ONCE:
            raise Forbidden(f"A vacation lasts 1 to {vacations.AT_ONCE} days")
        return now, now + int(words[0]) * DAY, int(words[0])
    if len(words) != 2 or any(word.isdigit() or word == "off" for word in words):
        raise Unreadable(f"Say how many days: {_LIKE}")
    first, last = (_day(word) for word in words)
    if first.date() < zone.local(now).date():
        raise Forbidden("A vacation cannot begin in the past")
    if last < first:
        raise Forbidden("The last day of a vacation cannot be before its first one")
    if first > zone.local(now + vacations.AHEAD):
        raise Forbidden("A vacation begins within a year")
    days = (last - first).days + 1
    if days > vacations.AT_ONCE:
        raise Forbidden(f"A vacation lasts {vacations.AT_ONCE} days at most, and yours would last {days}")
    return max(now, zone.midnight(first)), zone.midnight(last + timedelta(days=1)), days


def _day(word: str) -> datetime:
    try:
        return datetime.strptime(word, "%Y-%m-%d")
    except ValueError:
        raise Unreadable(f"There is no day {word}: write a day like 2026-12-20") from None


def _off(player: Player, rows: list[Vacation], now: int, world: World) -> list[Effect]:
    """Ends the vacation of now after the days that have begun, one at least; if there is none, forgets the next one.
    Whoever has heard of its beginning hears of its end: else a vacation that is taken back at once would be a false
    letter."""
    kept: list[Vacation] = []
    effects: list[Effect] = []
    lasts = any(row.end > now and (row.begin < now or row.told) for row in rows)
    to_come = [row for row in rows if row.begin >= now and not row.told]
    following = min(to_come, key=lambda row: row.begin, default=None)
    for row in rows:
        ahead = row in to_come
        if row.end <= now or (ahead and (lasts or row != following)):
            kept.append(row)
        elif ahead:
            effects.append(Drop(row))
        else:
            begun = min(row.begin, now)  # the machine's clock may have been set back since
            used = min(row.days, max(1, -(-(now - begun) // DAY)))  # a day of the calendar may have 25 hours
            cut = Vacation(row.id, row.player, begun, now, used, row.automatic, 2)
            kept.append(cut)
            effects.append(Put(cut))
            said = "{who} is back from vacation; the clocks of {who} run again."
            effects += vacations.told_opponents(player, said, world)
    if not effects:
        raise Forbidden("You have no vacation that could end")
    return [*effects, *vacations.retimed(player.id, kept, now, world), _shown(player, kept, now, world)]


def _shown(player: Player, rows: list[Vacation], now: int, world: World) -> Say:
    """The vacations that are not over, and the days that are left."""
    zone = world.zone(player.id)
    year = zone.local(now).year
    facts: dict[str, Any] = {
        "userid": player.userid,
        "rows": [[vacations.day(row.begin, zone), vacations.day(row.end, zone)] for row in rows if row.end > now],
        "goes_on": vacations.goes_on(player.id, world),
        "years": [[of, vacations.left(rows, of, zone)] for of in (year, year + 1)],
    }
    return Say(Letter("vacation", "Your vacation", facts))


def grant(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Gives the opponent time on a board. The opponent gets a letter of its own about the first time within a day, and
    about one with words, but none from a player who is blocked. Each letter about the board shows the clocks."""
    game, number = boards.require_newest(request, asked, world)
    said = str(asked.args["time"])
    if said[0] == "-":
        raise Forbidden("You can give time and not take it: write 3d or 12h")
    seconds = clocks.time(said)
    if game.flag_at is None:
        raise Forbidden(f"Board {game.id} has no clock")
    if game.event:
        raise Forbidden(f"Board {game.id} belongs to a tournament, where only its director or the operator gives time")
    players = boards.names(game, world)
    stands = timing.of(game, request.now, world)
    before = timing.left(game, request.now, stands)[2 - number]
    after = course.granted(game, 3 - number, seconds, request.now, stands)
    more = timing.left(after, request.now, stands)[2 - number] - before
    if more < 1:
        raise Forbidden(f"On board {game.id} {players[2 - number]} has as much time as this clock allows")
    told = {"event": "grant", "by": number, "seconds": more, "comment": request.text}
    told |= timing.told(after, request.now, stands)
    what = f"grant {game.id}"
    first = limits.one_more(world.tally(asked.by, what), asked.by, what, 1, DAY, request.now)
    notes: dict[int, list[str]] = {1: [], 2: []}
    if silent := first is None and not request.text:
        seldom = "One letter a day tells of time that is given on a board"
        notes[number].append(f"{seldom}. The next letter about it says how much {players[2 - number]} has.")
    silent = silent or world.blocks(game.player(3 - number), asked.by)  # the answer does not tell of a block
    effects = turn.tell(after, world.texts(game.id), number, told, notes, world)
    counted = [Put(first)] if first else []
    return [*counted, *(one for one in effects if not (silent and isinstance(one, Post)))]


ROWS = (
    Row(
        "vacation",
        ("userid password when*",),
        vacation,
        "take days on which your clocks stand, end them, or see them",
        aliases=("holiday",),
        known=("off",),
        long=True,
    ),
    Row(
        "grant",
        ("board userid password time", "board time", "time"),
        grant,
        "give your opponent time on a board",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY,
    ),
)
