"""A drawing board for Mambo art: any tiles that fit, by either hand. The tiles stand in the address, nothing is
kept. 200 tiles in a line take some tenths of a second, so the pages are made aside."""

import re
from typing import Any, Final
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request as Asking
from starlette.responses import Response
from starlette.routing import Route

from engine.errors import EngineError, Unreadable
from engine.families import family_of
from mailbot.core.handle import sentence
from mailbot.shell.web.keeping import aside
from mailbot.shell.web.play import laying
from mailbot.shell.web.play.laying import Hit, Laying
from mailbot.shell.web.rooms import Rooms

RULES: Final = "mambo -auto=none -no_kill -size=200"
"""With these rules a game is nothing but tiles that fit, until the pool is empty."""
MOST: Final = 200
"""Tiles of a drawing."""
TOO_MANY: Final = f"a drawing has {MOST} tiles at most"


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""
    family = family_of(RULES)

    def tiles_of(said: str) -> list[str]:
        words = [word for word in re.split(r"[\s.;]+", said.lower()[:4000]) if word]
        if len(words) > MOST:
            raise Unreadable(TOO_MANY)
        tiles = [family.move(RULES, word) for word in words]
        family.replay(RULES, tiles)
        return tiles

    def laid(tiles: list[str]) -> Laying:
        """The drawing so far; the newest tile can still be turned."""
        said = ".".join(tiles)
        board = family.board(RULES, tiles)
        assert board
        hits = [Hit(place.name, place.x, place.y, place.fits, "", said, "") for place in board.places]
        before = family.board(RULES, tiles[:-1]) if tiles else None
        for place in before.places if before else ():
            if place.name == tiles[-1][1:]:
                hits.insert(0, Hit(place.name, place.x, place.y, place.fits, tiles[-1][0], ".".join(tiles[:-1]), ""))
        return Laying(said, False, board, "", hits=hits)

    def drawn(rooms: Rooms, request: Asking, tiles: list[str], status: int = 200, refused: str = "") -> Response:
        turn: dict[str, Any] = laying.facts(laid(tiles), here="/draw", field="tiles", sep=".", shared=True)
        turn["todo"] = f"Lay any tile that fits. {len(tiles)} of {MOST} tiles lie."
        said = urlencode({"tiles": ".".join(tiles)})
        return rooms.page(
            request, "draw", status, turn=turn, refused=refused, query=said, link=f"{rooms.url}/draw?{said}"
        )

    async def draw(request: Asking) -> Response:
        return await aside(rooms, lambda rooms: made(rooms, request))

    def made(rooms: Rooms, request: Asking) -> Response:
        query = request.query_params
        do, tiles = query.get("do", ""), []
        try:
            tiles = tiles_of(query.get("tiles", ""))
            if do == "back":
                return drawn(rooms, request, tiles[:-1])
            cell, tile = query.get("cell", "")[:10], query.get("tile", "")[:2]
            if do == "lay" and not (cell and tile):
                raise Unreadable("choose a tile and a cell for it")
            more = [f"{tile}{cell}"] if cell and tile else []
            return drawn(rooms, request, tiles_of(".".join([*tiles, *more])))
        except EngineError as error:
            return drawn(rooms, request, tiles, 422, sentence(str(error)))

    async def picture(request: Asking) -> Response:
        """The drawing as a file."""
        return await aside(rooms, lambda rooms: filed(request))

    def filed(request: Asking) -> Response:
        try:
            tiles = tiles_of(request.query_params.get("tiles", ""))
        except EngineError as error:
            raise HTTPException(422, sentence(str(error))) from None
        named = {"Content-Disposition": 'attachment; filename="mambo.svg"'}
        return Response(family.art(RULES, tiles), media_type="image/svg+xml", headers=named)

    return [Route("/draw", draw, name="draw"), Route("/draw.svg", picture, name="draw_svg")]
