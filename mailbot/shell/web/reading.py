"""Pages for everybody: what runs here, boards, players, tournaments, help."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.shell.web.rooms import Rooms

RUNNING = 50
"""Boards on the first page."""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def home(request: Request) -> Response:
        games = rooms.reads.running((), RUNNING)
        return rooms.page(request, "home", games=games, address=rooms.own.address)

    return [Route("/", home, name="home")]
