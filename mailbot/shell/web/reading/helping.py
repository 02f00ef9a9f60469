"""The help: the same pages as by mail, with the boards drawn."""

from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.families import family_of
from mailbot.core.commands import ROWS
from mailbot.core.language.topics import topics
from mailbot.shell.web.reading import boards, seen
from mailbot.shell.web.rooms import Rooms

NOBODY: Final = ("", "")


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""
    pages = tuple(dict.fromkeys(topics(ROWS, rooms.catalogue).values()))

    def draw(rules: str, moves: str) -> Markup:
        family = family_of(rules, rooms.catalogue)
        return Markup(boards.drawing(family, rules, tuple(moves.split()), NOBODY))  # noqa: S704 - engine.hex.svg escapes

    @lru_cache(maxsize=256)
    def text(topic: str, *, other: bool) -> Markup:
        facts: dict[str, Any] = {"topic": topic, "asked": "", "other": other}
        shown = rooms.env.get_template("_letter.html").render(blocks=rooms.blocks("help", facts), draw=draw)
        return Markup(shown)  # noqa: S704 - the template escapes

    async def help_(request: Request) -> Response:
        said = request.path_params.get("topic", "help").replace("_", " ")
        [letter] = seen.letters(rooms, "help", topic=said.split())
        topic, other = letter.facts["topic"], letter.facts["other"]
        told = {"topic": topic, "text": text(topic, other=other), "pages": pages}
        return seen.page(rooms, request, "help", 404 if other else 200, **told)

    return [Route("/help", help_, name="help"), Route("/help/{topic}", help_, name="topic")]
