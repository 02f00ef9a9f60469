"""Pages for everybody: what runs here, boards, players, tournaments, help, news, and the feeds of these.

They show what a registered stranger can ask for by mail, and no more. `seen` asks for it and answers a browser that has
it already; each other module is one kind of page.
"""

from starlette.routing import Route

from mailbot.shell.web.reading import boards, contests, files, helping, home, live, news, players
from mailbot.shell.web.rooms import Rooms


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of these pages."""
    kinds = (home, files, boards, live, players, contests, helping, news)
    return [route for kind in kinds for route in kind.routes(rooms)]
