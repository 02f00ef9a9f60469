"""The files of a board: drawing and picture of a position, and the record in the forms that letters have, too."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.families import family_of
from mailbot.core.letters import formats, pictures
from mailbot.core.letters.pictures import Wanted
from mailbot.shell.post.painters import Unmade
from mailbot.shell.web import keeping
from mailbot.shell.web.guard import queued
from mailbot.shell.web.reading import seen
from mailbot.shell.web.rooms import Rooms

WAITING: Final = 8
"""Browsers that may wait for a picture at the same time: letters need the painters, too."""
OF_ONE: Final = 2
"""Those of one network."""
FORMS: Final = {form.ending: form for form in formats.FORMS}
TYPES: Final = {"sgf": "application/x-go-sgf; charset=utf-8"}
"""The type of a file where a browser wants another one than a mail program."""

NO_PICTURE: Final = "There is no picture of the board: {}."
UNSCORED: Final = "The JSON form is only for games that have a result."


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""
    waiting: set[Request] = set()
    painting: dict[str, int] = {}

    async def record(request: Request) -> Response:
        board, ending = request.path_params["board"], request.url.path.rpartition(".")[2]
        with rooms.reads.as_one():
            [letter] = seen.letters(rooms, "record", board=[str(board)])
        game, form = formats.played(letter.facts, rooms.catalogue), FORMS[ending]
        text = form.write(game, rooms.own.domain)
        if text is None:
            raise HTTPException(404, UNSCORED)
        media_type = TYPES.get(ending, form.media_type)
        return keeping.news(request, seen.file(text.encode(), media_type, f"{game.name}.{ending}"))

    async def drawing(request: Request) -> Response:
        wanted, name = _wanted(rooms, **request.path_params)
        family = family_of(wanted.rules, rooms.catalogue)
        drawn = family.svg(wanted.rules, wanted.moves, wanted.names, style=True)
        if not drawn:
            raise HTTPException(404, NO_PICTURE.format("it is too large"))
        return keeping.news(request, seen.file(drawn.encode(), "image/svg+xml", f"{name}.svg"))

    async def picture(request: Request) -> Response:
        wanted, name = _wanted(rooms, **request.path_params)
        if rooms.gallery is None or not family_of(wanted.rules, rooms.catalogue).pictures:
            raise HTTPException(404, NO_PICTURE.format("the server could not make it"))
        tag = seen.tag(wanted.key)
        if keeping.is_known(request, tag):
            return keeping.unchanged(tag)
        if len(waiting) >= WAITING:
            raise HTTPException(503, "Many pictures are being made. Try again in a minute.", {"Retry-After": "60"})
        waiting.add(request)
        try:
            with queued(painting, OF_ONE):
                made = await rooms.gallery.picture(wanted)
        except Unmade:
            raise HTTPException(503, NO_PICTURE.format("the server could not make it")) from None
        finally:
            waiting.discard(request)
        if made is None:
            raise HTTPException(404, NO_PICTURE.format("it is too large"))
        return keeping.news(request, seen.file(made, pictures.MEDIA_TYPE, f"{name}.png", tag))

    return [
        *(
            Route(f"/board/{{board:number}}{at}.{ending}", answer)
            for ending, answer in (("svg", drawing), ("png", picture))
            for at in ("", "/{ply:number}")
        ),
        *(Route(f"/board/{{board:number}}.{ending}", record) for ending in FORMS),
    ]


def _wanted(rooms: Rooms, board: int, ply: int | None = None) -> tuple[Wanted, str]:
    """The picture of this position, and what its file is called. Raises HTTPException."""
    word = str(board) if ply is None else f"{board}#{ply}"
    with rooms.reads.as_one():
        [shown] = seen.letters(rooms, "show", **{"board#": [word]})
    name = formats.played(shown.facts, rooms.catalogue).name
    return pictures.board(shown.facts), name if ply is None else f"{name}-{ply}"
