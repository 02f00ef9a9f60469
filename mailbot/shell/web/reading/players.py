"""The page of a player: the games, the ratings, and how each rating has gone from game to game."""

from collections.abc import Sequence
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.language.grammar import SHORTEST
from mailbot.core.language.masking import HIDDEN
from mailbot.core.ratings import terms
from mailbot.shell.web.reading import seen
from mailbot.shell.web.reading.tables import table
from mailbot.shell.web.rooms import Rooms

UNKNOWN: Final = "{} has no boards."
"""What the command `games` says of a player whom a stranger may not know of, be there such a player or not. As there, a
long name is not repeated (core.players.names)."""

WIDE, HIGH, LEAST = 600, 160, 3
"""A plot in units, and how many games are worth one."""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def player(request: Request) -> Response:
        with rooms.reads.as_one():
            told = _told(rooms, request.path_params["name"], seen.first(request))
        return seen.page(rooms, request, "player", **told)

    return [Route("/player/{name}", player, name="player")]


def _told(rooms: Rooms, name: str, first: int) -> dict[str, Any]:
    """What the page says. `first`: the number of the first finished board in its list, 0 for the last page of it."""
    found = rooms.reads.player_named(name)
    if not rooms.reads.public(found.id if found else 0) or found is None:  # the same work whether or not there is one
        raise HTTPException(404, UNKNOWN.format(name if len(name) < SHORTEST else HIDDEN))
    name = found.userid
    [active] = seen.letters(rooms, "games", userid=[name], filter="active")
    ended, first, last = _ended(rooms, name, first or max(1, rooms.reads.count_over(found.id, "") - 19))
    known = terms.categories(rooms.reads.catalogue)  # the operator may have taken out a variant
    ratings = [one for one in rooms.reads.rankings_of(found.id) if one.category in known]
    changes = []
    for one in ratings:
        [letter] = seen.letters(rooms, "rating", userid=name, category=one.category)
        changed = {"table": "changes", "rows": letter.facts["changes"]}
        changes.append((one.category, table(changed), plot(letter.facts["course"])))
    whole = seen.letters(rooms, "rating", userid=name) if ratings else []
    return {
        "name": name,
        "active": table(active.facts),
        "ended": ended,
        "first": first,
        "last": last,
        "more": rooms.reads.count_over(found.id, ""),
        "ratings": [table(one.facts) for one in whole],
        "changes": changes,
    }


def _ended(rooms: Rooms, name: str, first: int) -> tuple[dict[str, Any], int, int]:
    """Finished boards from this number on, and the numbers of the first and the last one shown."""
    options = [f"-from={first}"]
    [letter] = seen.letters(rooms, "games", userid=[name], filter="finished", options=options)
    return table(letter.facts), first, first + len(letter.facts["rows"]) - 1


def plot(values: Sequence[int]) -> dict[str, Any]:
    """The course of a rating as points of a line, with the lowest and the highest value; nothing for too few games."""
    low, high = min(values, default=0), max(values, default=0)
    if len(values) < LEAST or low == high:
        return {}
    step, rise = WIDE / (len(values) - 1), HIGH / (high - low)
    points = " ".join(f"{at * step:.0f},{(high - value) * rise:.0f}" for at, value in enumerate(values))
    return {"points": points, "low": low, "high": high, "games": len(values), "from": values[0], "to": values[-1]}
