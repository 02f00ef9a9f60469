"""Pages for everybody: what runs here, boards, players, tournaments, help, news, and the feeds of these.

They show what a registered stranger can ask for by mail, and no more. `seen` asks for it and answers a browser that has
it already; each other module is one kind of page.
"""

from starlette.routing import Route

from mailbot.shell.web.reading import boards, files, home, live
from mailbot.shell.web.rooms import Rooms


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of these pages."""
    return [route for module in (home, files, boards, live) for route in module.routes(rooms)]
