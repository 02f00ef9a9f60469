"""Moves to try on any position. The address holds all of it, so a position can be sent to somebody as a link. Any
number of moves may come before those that are tried, so the pages are made aside."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request as Asking
from starlette.responses import Response
from starlette.routing import Route

from engine.errors import EngineError, Unreadable
from engine.families import family_of
from engine.family import Family, Position, name_of
from mailbot.core.games import boards
from mailbot.core.handle import sentence
from mailbot.core.model import States
from mailbot.shell.web.keeping import aside
from mailbot.shell.web.play import laying
from mailbot.shell.web.play.laying import lay
from mailbot.shell.web.rooms import Rooms

MOST: Final = 60
"""Turns that are tried. Some rules judge all groups after each: 60 turns take a tenth of a second at worst."""
LONGEST: Final = 2000
"""Characters of rules and moves."""
TOO_MANY: Final = f"you can try {MOST} turns at most"


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def on_board(request: Asking) -> Response:
        return await aside(rooms, lambda rooms: of_board(rooms, request))

    async def anywhere(request: Asking) -> Response:
        return await aside(rooms, lambda rooms: of_rules(rooms, request))

    def of_board(rooms: Rooms, request: Asking) -> Response:
        """The position of a board, now or after `ply`, and what is tried on it."""
        query = request.query_params
        game = rooms.reads.game(request.path_params["board"])
        if game is None or game.state not in boards.PLAYED:
            raise HTTPException(404, f"No game is played on board {request.path_params['board']}.")
        moves = rooms.reads.texts(game.id)
        ply = query.get("ply", "")
        if ply.isdecimal() and ply.isascii() and int(ply[:6]) <= len(moves):
            moves = moves[: int(ply[:6])]
        keep = {"ply": ply[:6]} if ply else {}
        title = f"Try moves on board {game.id}"
        shown = {"title": title, "board": game.id, "wanted": "", "seats": boards.names(game, rooms.reads)}
        try:
            return _page(rooms, request, f"/try/{game.id}", keep, game.rules, moves, **shown)
        except EngineError as error:
            raise HTTPException(422, sentence(str(error))) from None

    def of_rules(rooms: Rooms, request: Asking) -> Response:
        """Any position: rules, and the moves from the first one on."""
        said = request.query_params.get("rules", "")[:LONGEST]
        shown: dict[str, Any] = {"title": "Try moves", "board": 0, "wanted": said, "seats": None}
        if not said.strip():
            return rooms.page(request, "try", **_empty(request, shown))
        try:
            rules = family_of(said.lower(), rooms.catalogue).read(said, rooms.catalogue)
            return _page(rooms, request, "/try", {"rules": rules}, rules, (), **shown)
        except EngineError as error:
            return rooms.page(request, "try", 422, **{**_empty(request, shown), "refused": sentence(str(error))})

    return [
        Route("/try", anywhere, name="try"),
        Route("/try/{board:number}", on_board, name="try_board"),
    ]


def _empty(request: Asking, shown: Mapping[str, Any]) -> dict[str, Any]:
    typed = request.query_params.get("moves", "")[:LONGEST]
    return {**shown, "turn": None, "drawing": None, "typed": typed, "refused": ""}


def moves_of(family: Family, rules: str, said: str) -> tuple[str, ...]:
    """The moves of an address: they stand between dots or blanks. Raises Unreadable or Forbidden."""
    words = [word for word in re.split(r"[\s.;]+", said.lower()) if word]
    if len(words) > MOST or len(said) > LONGEST:
        raise Unreadable(TOO_MANY)
    return tuple(family.move(rules, word) for word in words)


@lru_cache(maxsize=256)
def position(family: Family, rules: str, played: tuple[str, ...], tried: tuple[str, ...]) -> Position:
    """The position after the moves that were played and those that are tried. Raises Unreadable or Forbidden."""
    return family.replay(rules, [*played, *tried], len(played))


def _page(
    rooms: Rooms,
    request: Asking,
    here: str,
    keep: Mapping[str, str],
    rules: str,
    played: Sequence[str],
    **shown: Any,
) -> Response:
    query = request.query_params
    family = family_of(rules, rooms.catalogue)
    tried = moves_of(family, rules, query.get("moves", ""))
    now = position(family, rules, tuple(played), tried)
    moves = [turn.move for turn in now.turns]
    tried = tuple(moves[len(played) :])
    seats = shown["seats"] or family.sides(rooms.catalogue.game(name_of(rules)), moves)

    def address(moves: Sequence[str]) -> str:
        said = urlencode({**keep, **({"moves": ".".join(moves)} if moves else {})}, safe=",")
        return f"{here}?{said}" if said else here

    def outcome(move: str) -> list[str]:
        if len(tried) >= MOST:
            raise Unreadable(TOO_MANY)
        turn, _, ended = family.follow(rules, moves, move)
        facts = {
            "board": shown["board"],
            "rules": rules,
            "moves": [*moves, turn.move],
            "players": list(seats),
            "viewer": 0,
            "state": States.RUNNING,
            "move": turn.move,
            "auto": turn.auto,
            "dropped": turn.dropped,
            "ends": ended.reason if ended else "",
        }
        return laying.told(rooms, "submitted", facts)

    laid = None if now.outcome else lay(rooms, rules, moves, query, outcome)
    turn: dict[str, Any] | None = None
    if laid:
        moved = {"moves": ".".join(tried)} if tried else {}
        turn = laying.facts(laid, here=here, keep={**keep, **moved}, shared=True, to_move=now.to_move)
        turn["names"] = shown["seats"] or ("", "")
        if laid.whole:
            turn["onward"] = address([*tried, laid.move])
    return rooms.page(
        request,
        "try",
        **shown,
        turn=turn,
        said=family.describe(rules, moves, hints=False)[:2],
        drawing=None if laid else family.board(rules, moves),
        tried=tried,
        earlier=address(tried[:-1]),
        whole=rooms.url + address(tried),
    )
