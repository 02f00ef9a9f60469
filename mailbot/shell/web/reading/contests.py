"""The page of a tournament or a ladder: its table, who has beaten whom, what can still happen, games and log."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.contests import Stages
from mailbot.core.effects import Letter
from mailbot.core.hosting import standing
from mailbot.shell.web.keeping import Aside
from mailbot.shell.web.reading import charts, news, seen
from mailbot.shell.web.reading.tables import table
from mailbot.shell.web.rooms import Rooms

CAN: Final = "'can reach' is the best and the worst place that a player can still end in if nobody withdraws."


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    aside = Aside(rooms)

    async def tournament(request: Request) -> Response:
        return await shown(request, "tournament")

    async def ladder(request: Request) -> Response:
        return await shown(request, "ladder")

    async def shown(request: Request, command: str) -> Response:
        number, lines = request.path_params["number"], rooms.reads.caps.list_lines
        first = seen.first(request)
        # There are few parts, so each is made once.
        begin = first and min(first - 1, rooms.reads.last_fixture(number)) // lines * lines + 1

        def made(rooms: Rooms) -> Response:
            return seen.whole(rooms, request, "tournament", **_told(rooms, command, number, begin))

        return await aside.page(request, number, (command, begin), made)

    async def feed(request: Request) -> Response:
        number = request.path_params["number"]
        return await aside.page(request, number, "feed", lambda rooms: news.of_tournament(rooms, request, number))

    return [
        Route("/tournament/{number:number}/feed.atom", feed),
        Route("/tournament/{number:number}", tournament, name="tournament"),
        Route("/ladder/{number:number}", ladder, name="ladder"),
    ]


def _told(rooms: Rooms, command: str, number: int, begin: int) -> dict[str, Any]:
    """What the page tells. `begin`: the first game that it lists, 0 for the last ones."""
    more = {"options": (f"-from={begin}",)} if begin else {}
    [main] = seen.letters(rooms, command, n=str(number))
    [games] = seen.letters(rooms, "tournament", n=str(number), part="games", **more)
    [log] = seen.letters(rooms, "tournament", n=str(number), part="log")
    one = rooms.reads.tournament(number)
    assert one
    state = standing.whole(one, rooms.reads)
    return {
        "number": number,
        "title": one.title,
        "said": main.facts["said"],
        "words_of": str(main.facts.get("comment", "")),
        "places": _table(main),
        "can": CAN if main.facts.get("table") == "tournament open" and one.stage == Stages.RUNNING else "",
        "explained": main.facts["explained"],
        "crosses": charts.crosses(state, rooms.reads),
        "bracket": charts.bracket(state, rooms.reads),
        "games": _table(games),
        "cut": games.facts.get("cut", ""),
        "others": games.facts.get("others", 0),
        "log": log.facts["log"],
    }


def _table(letter: Letter) -> dict[str, Any]:
    return table(letter.facts) if letter.facts.get("rows") else {}
