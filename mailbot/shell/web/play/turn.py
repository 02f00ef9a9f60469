"""A turn by the link of a letter.

Theory of operation. Whoever has the link may look at the board and play that one turn, and do nothing else: a letter
may be forwarded. Mail programs open links, so opening one changes nothing; the move is sent by a button. The link
serves once, as an answer by mail does: its stamp is of that turn. When it is old, it says what has happened since, but
not what the opponent has written since.
What was played is told to the player by letter (core/commands/play.py).
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request as Asking
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mailbot.core import tokens
from mailbot.core.effects import Letter
from mailbot.core.games import boards
from mailbot.core.games.since import since
from mailbot.core.letters.pieces import Block
from mailbot.core.model import Game, Player
from mailbot.core.tokens import Token
from mailbot.core.world import Proofs
from mailbot.shell.proof import answers
from mailbot.shell.web import asking, seal
from mailbot.shell.web.forms.boardside import MOVED
from mailbot.shell.web.forms.entering import UNWRITTEN
from mailbot.shell.web.play import laying
from mailbot.shell.web.play.laying import Laying, Refused, lay
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.writer import Unwritten

PRIVATE: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}
"""For pages that were opened with a token."""
LOST: Final = "This link is damaged or no longer good. The newest letter about the board has one that is."
WRITTEN: Final = "Write only the move: the link itself says whose it is."


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def open_(request: Asking) -> Response:
        token, player, game = _opened(rooms, request)
        return _page(rooms, request, token, player, game, request.query_params)

    async def play(request: Asking) -> Response:
        token, player, game = _opened(rooms, request)
        fields = await seal.fields_of(request)
        if not game.is_next(token.stamp):
            return _page(rooms, request, token, player, game, {})
        said = " ".join(fields.get("move", "").split())[: laying.LONGEST]
        if fields.get("stamp", "") not in ("", str(game.stamp)):  # playing would answer a question that came meanwhile
            return _page(rooms, request, token, player, game, {"move": said}, 422, MOVED)
        command = asking.line(rooms, said or "nothing", player, token)
        if command.password:
            return _page(rooms, request, token, player, game, {}, 422, WRITTEN)
        what = asking.asked(command, player, Proofs.LINK)
        once = f"{request.path_params['token'].lower()} {fields.get('once', '')[:64]}"
        try:
            told = await asking.ask(rooms, what, once=once, token=token)
        except Unwritten:
            return _page(rooms, request, token, player, game, fields, 503, UNWRITTEN)
        if told.broken:
            return _page(rooms, request, token, player, game, {}, 500, asking.BROKEN)
        if told.refused:
            refused = next((str(one.facts["said"]) for one in told.letters if "said" in one.facts), asking.BROKEN)
            return _page(rooms, request, *_opened(rooms, request), {}, 422, refused)  # the board may have moved on
        return RedirectResponse(f"/turn/{request.path_params['token']}", 303, PRIVATE)

    return [
        Route("/turn/{token}", open_, name="turn"),
        Route("/turn/{token}", play, methods=["POST"], name="play"),
    ]


def _opened(rooms: Rooms, request: Asking) -> tuple[Token, Player, Game]:
    """What the link says. Raises HTTPException for one that says nothing good."""
    unverified = tokens.read(request.path_params["token"])
    holder = rooms.reads.player(unverified.token.player) if unverified else None
    if unverified is None or holder is None or not answers.linked(unverified, rooms.keys, holder):
        raise HTTPException(403, LOST, PRIVATE)
    game = rooms.reads.game(unverified.token.ref)
    if game is None or not game.number_of(holder.id):
        raise HTTPException(403, LOST, PRIVATE)
    return unverified.token, holder, game


def _page(
    rooms: Rooms,
    request: Asking,
    token: Token,
    player: Player,
    game: Game,
    fields: Mapping[str, str],
    status: int = 200,
    refused: str = "",
) -> Response:
    number = game.number_of(player.id)
    players, moves = boards.names(game, rooms.reads), rooms.reads.moves(game.id)
    happened = since(game, moves, players, number, token.stamp)
    here = f"/turn/{request.path_params['token']}"
    facts: dict[str, Any] = {
        "subject": boards.subject(game, players),
        "board": game.id,
        "news": state(rooms, game, player, words=not happened),
        "happened": happened,
        "turn": None,
    }
    if not happened:
        laid = laid_on(rooms, game, [move.text for move in moves], player, fields, refused)
        facts["turn"] = laying.facts(laid, here=here, play=here, names=players, to_move=number, stamp=game.stamp)
    response = rooms.page(request, "turn", status, **facts, once=secrets.token_hex(16))
    response.headers.update(PRIVATE)
    return response


def laid_on(
    rooms: Rooms, game: Game, moves: Sequence[str], player: Player, fields: Mapping[str, str], refused: str = ""
) -> Laying:
    """The turn on this board as the fields say; its result is that of the command `submit`, which is not kept."""

    def outcome(move: str) -> list[str]:
        letter = tried(rooms, player, "submit", {"board": str(game.id), "move": move})
        if letter.template == "refused":
            raise Refused(str(letter.facts["said"]))
        return laying.told(rooms, "submitted", letter.facts)

    return lay(rooms, game.rules, moves, fields, outcome, refused=refused)


def tried(rooms: Rooms, player: Player, command: str, args: Mapping[str, Any], text: str = "") -> Letter:
    """What the player would be answered to this command. Nothing is done."""
    return asking.look(rooms, asking.plain(player, command, args), text).letters[0]


def state(rooms: Rooms, game: Game, player: Player, *, words: bool = True) -> list[Block]:
    """Whose turn it is, or how the game ended, and the time left. `words`: with those of the opponent to the player."""
    letter = tried(rooms, player, "show", {"board#": [str(game.id)]})
    return laying.news(rooms, letter.template, letter.facts if words else {**letter.facts, "comment": ""})
