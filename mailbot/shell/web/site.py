"""The table of addresses: every page, and who answers it."""

from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from mailbot.shell.post.letterbox import templates
from mailbot.shell.web import reading
from mailbot.shell.web.forms import boardside, doing, entering, gathered, joining, mine
from mailbot.shell.web.play import art, own, puzzles, trying, turn
from mailbot.shell.web.rooms import STATIC, Rooms


class _Asked(StaticFiles):
    """Browsers ask each time whether their copy is still good: after an upgrade a page needs its own script."""

    def file_response(self, *told: Any, **more: Any) -> Response:
        response = super().file_response(*told, **more)
        response.headers["Cache-Control"] = "no-cache"
        return response


def site(rooms: Rooms) -> Starlette:
    """The whole page."""

    async def refused(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = error.detail if isinstance(error, HTTPException) else "Something broke here. It has been logged."
        response = rooms.page(request, "error", status, said=said)
        response.headers.update((error.headers if isinstance(error, HTTPException) else None) or {})
        return response

    routes: list[BaseRoute] = [
        *reading.routes(rooms),
        *entering.routes(rooms),
        *doing.routes(rooms),
        *joining.routes(rooms),
        *boardside.routes(rooms),
        *mine.routes(rooms),
        *gathered.routes(rooms),
        *turn.routes(rooms),
        *own.routes(rooms),
        *trying.routes(rooms),
        *art.routes(rooms),
        *puzzles.routes(rooms),
        Mount(f"/{STATIC}", _Asked(directory=templates() / STATIC)),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: refused, 500: refused})
