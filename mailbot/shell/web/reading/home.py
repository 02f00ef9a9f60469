"""The first page: what runs here, who wants a game, the tournaments, and how the latest games ended."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.commands.lists import line
from mailbot.shell.web.reading import seen
from mailbot.shell.web.reading.tables import table
from mailbot.shell.web.rooms import Rooms

RESULTS: Final = 15
"""Games that have ended on the first page."""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def home(request: Request) -> Response:
        with rooms.reads.as_one():
            [running] = seen.letters(rooms, "list", game=[])
            [offers] = seen.letters(rooms, "seeks")
            [contests] = seen.letters(rooms, "tournaments")
            ended = [line(game, rooms.now(), rooms.reads) for game in rooms.reads.ended(RESULTS)]
        return seen.page(
            rooms,
            request,
            "home",
            address=rooms.own.address,
            running=table(running.facts),
            more=running.facts["more"],
            offers=table(offers.facts),
            tournaments=table(contests.facts),
            ended=table({"table": "boards", "rows": ended}),
        )

    return [Route("/", home, name="home")]
