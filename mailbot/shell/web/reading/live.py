"""A board that is watched: a new move appears in the browser without loading the page again.

The connection is an EventSource. A browser opens a closed one again by itself and says what it has seen last, so no
move is missed.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mailbot.core.games.boards import PLAYED
from mailbot.core.model import Game, States
from mailbot.shell.web.reading import boards
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.web.watching import Watcher, Watchers, stamp

BEAT: Final = 25.0
"""Seconds after which a silent connection gets a blank comment, so that no server in front takes it for dead."""
LASTS: Final = 3600.0
"""Seconds after which a connection ends; the browser opens a new one."""
RETRY: Final = 5000
"""Milliseconds after which a browser opens a closed connection again."""
BLANK: Final = b":\n\n"
TOO_MANY: Final = "Too many are watching just now. To see new moves, load the page again."


class Stream(Response):
    """The connection of one watcher."""

    def __init__(self, watchers: Watchers, watcher: Watcher, render: Callable[[int], str]) -> None:
        super().__init__(None, 200, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}, "text/event-stream")
        del self.headers["content-length"]
        self._watchers = watchers
        self._watcher = watcher
        self._render = render

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends each newer board until the browser goes."""
        leaving = asyncio.ensure_future(self._until_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._tell(send)
        finally:
            self._watchers.leave(self._watcher)
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await leaving

    async def _tell(self, send: Send) -> None:
        watcher, loop = self._watcher, asyncio.get_running_loop()
        until = loop.time() + LASTS
        message = f"retry: {RETRY}\n\n".encode()
        while not watcher.gone and loop.time() < until:
            await send({"type": "http.response.body", "body": message, "more_body": True})
            try:
                async with asyncio.timeout(BEAT):
                    await watcher.fresh.wait()
            except TimeoutError:
                message = BLANK
                continue
            watcher.fresh.clear()
            message = self._watchers.newest(watcher, self._render) or BLANK
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._watcher.gone = True
        self._watcher.fresh.set()


def _is_done(game: Game, seen: str) -> bool:
    """Whether nothing will come after what the browser has seen."""
    return game.state == States.OVER and seen == stamp(game)


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    def render(board: int) -> str:
        return rooms.env.get_template("_board.html").render(**boards.told(rooms, board))

    async def live(request: Request) -> Response:
        game = rooms.reads.game(request.path_params["board"])
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
        if rooms.watchers is None or game is None or game.state not in PLAYED or _is_done(game, seen):
            return Response(status_code=204)  # a browser does not ask again
        watcher = Watcher(game.id, request.client.host if request.client else "", seen[:40])
        if not rooms.watchers.welcome(watcher, stamp(game)):
            raise HTTPException(503, TOO_MANY)
        return Stream(rooms.watchers, watcher, render)

    # To HEAD, which Starlette adds to GET, the answer would be complete after its headers, while we go on with it: a
    # server in front would send the next request of anybody after it, and that one would wait.
    route = Route("/board/{board:number}/live", live)
    route.methods = {"GET"}
    return [route]
