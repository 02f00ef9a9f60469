"""The first page, and the lists that it is the beginning of: what runs, who wants a game, results, who is strongest."""

from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.commands.lists import line
from mailbot.core.effects import Letter
from mailbot.core.ratings import terms
from mailbot.shell.web.reading import seen
from mailbot.shell.web.reading.tables import table
from mailbot.shell.web.rooms import Rooms

RESULTS: Final = 15
"""Games that have ended on the first page."""
UNKNOWN: Final = "There is no such category; the categories are {}."


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def home(request: Request) -> Response:
        return seen.page(rooms, request, "home", **_home(rooms))

    async def running(request: Request) -> Response:
        with rooms.reads.as_one():
            [letter] = seen.letters(rooms, "list", game=[], options=_from(request))
        return _list(rooms, request, letter)

    async def standings(request: Request) -> Response:
        with rooms.reads.as_one():
            [letter] = seen.letters(rooms, "standings", options=_from(request))
        return _list(rooms, request, letter, categories=[*terms.categories(rooms.catalogue)])

    async def ranked(request: Request) -> Response:
        known = terms.categories(rooms.catalogue)
        game, *options = known.get(request.path_params["category"], "").split() or [""]
        if not game:
            raise HTTPException(404, UNKNOWN.format(", ".join(known)))
        with rooms.reads.as_one():
            [letter] = seen.letters(rooms, "standings", game, options=[*options, *_from(request)])
        return _list(rooms, request, letter, categories=[*known])

    return [
        Route("/", home, name="home"),
        Route("/boards", running, name="boards"),
        Route("/standings", standings, name="standings"),
        Route("/standings/{category}", ranked, name="category"),
    ]


def _home(rooms: Rooms) -> dict[str, Any]:
    with rooms.reads.as_one():
        [running] = seen.letters(rooms, "list", game=[])
        [offers] = seen.letters(rooms, "seeks")
        [contests] = seen.letters(rooms, "tournaments")
        ended = [line(game, rooms.now(), rooms.reads) for game in rooms.reads.ended(RESULTS)]
    return {
        "address": rooms.own.address,
        "running": table(running.facts),
        "more": running.facts["more"],
        "offers": table(offers.facts),
        "tournaments": table(contests.facts),
        "ended": table({"table": "boards", "rows": ended}),
    }


def _list(rooms: Rooms, request: Request, letter: Letter, categories: list[str] | None = None) -> Response:
    """A part of a list. `categories`: those whose standings are linked."""
    first, shown = max(1, seen.first(request)), table(letter.facts)
    following = first + len(shown["rows"]) if letter.facts["more"] else 0
    told: dict[str, Any] = {"title": letter.subject, "table_of": shown, "first": first, "following": following}
    return seen.page(rooms, request, "list", links=categories or [], **told)


def _from(request: Request) -> list[str]:
    first = seen.first(request)
    return [f"-from={first}"] if first else []
