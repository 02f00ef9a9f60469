"""What a player may do on a board besides a turn: agree and decline, ask, talk, give time, resign, go on after the end.

Each button asks as an answer to the newest letter about the board does, for the state that its page showed: what has
changed since then is never agreed to unseen. `_board_forms.html` shows the buttons; a page that includes it passes
`side` of `facts`, and what session.facts gives.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core import tokens
from mailbot.core.commands import BY_NAME
from mailbot.core.commands.analyse import may_be_analysed
from mailbot.core.effects import Forbidden
from mailbot.core.games import asks, boards
from mailbot.core.letters.context import context
from mailbot.core.model import Game, Player, States
from mailbot.core.ratings import terms
from mailbot.core.tokens import Token
from mailbot.core.world import Proofs, World
from mailbot.shell.web import asking, seal, session
from mailbot.shell.web.forms import doing, fields
from mailbot.shell.web.forms.entering import must_log_in
from mailbot.shell.web.forms.fields import Field
from mailbot.shell.web.rooms import Rooms

MOVED: Final = "This board has changed since you opened the page. Look at it, and decide again. Nothing has been done."


@dataclass(frozen=True, slots=True)
class Button:
    """One form beside a board. `what`: its command. `said`: the words on its button."""

    what: str
    said: str
    fields: tuple[Field, ...] = ()


_WORDS: Final = replace(fields.WORDS, label="Words to go with it")
_CHAT: Final = Button("chat", "Send words", (replace(fields.WORDS, label="Words to your opponent", required=True),))
_TIME: Final = replace(fields.SLOTS["time"], label="Time for your opponent", required=True)
_WHY: Final = replace(fields.WORDS, label="What the director should know", required=True)


def buttons(game: Game, number: int, world: World) -> list[Button]:
    """What player `number` may do now."""
    if game.state == States.OFFERED:
        if game.agreed & number:
            return [Button("decline", "Take the challenge back", (_WORDS,))]
        return [Button("accept", "Accept", (_WORDS,)), Button("decline", "Decline", (_WORDS,))]
    if game.state == States.OVER:
        found = [_CHAT, Button("rematch", "Offer a rematch", (_WORDS,))]
        if may_be_analysed(game, world):
            found.append(Button("analyse", "Ask for an analysis"))
        return [*found, *([Button("appeal", "Ask for a ruling", (_WHY,))] if game.event else [])]
    if game.state != States.RUNNING:
        return []
    found = [_CHAT]
    if game.asks and game.asks_by != number:
        what = {"draw": "the draw", "undo": "the undo"}[game.asks]
        found = [
            Button("accept", f"Agree to {what}", (_WORDS,)),
            Button("decline", f"Decline {what}", (_WORDS,)),
            _CHAT,
        ]
    if not game.asks:
        found.append(Button("propose", "Offer a draw", (_WORDS,)))
        if asks.may_undo(game, number):
            found.append(Button("undo", "Ask to take your move back", (_WORDS,)))
    if boards.may_have_hint(game, number):
        found.append(Button("hint", "Ask for a hint"))
    if game.flag_at is not None and not game.event:
        found.append(Button("grant", "Give time", (_TIME,)))
    if game.event:
        found.append(Button("appeal", "Ask for a ruling", (_WHY,)))
    return [*found, Button("resign", "Resign", (fields.SURE, _WORDS))]


def facts(rooms: Rooms, game: Game, number: int, **more: Any) -> dict[str, Any]:
    """What `_board_forms.html` needs for player `number`."""
    shown = {
        "board": game.id,
        "stamp": _stamp(game),
        "terms": _terms(rooms, game, number) if game.state == States.OFFERED else [],
        "buttons": buttons(game, number, rooms.reads),
    }
    return {"what": "", "typed": {}, "wrong": {}, **shown, **more}


def _terms(rooms: Rooms, game: Game, number: int) -> list[str]:
    """What a challenge says of the game, as its letter does: nobody agrees to a clock or a rating unseen."""
    players = boards.names(game, rooms.reads)
    rated = terms.facts(game, rooms.now(), rooms.reads)
    told = context(boards.offer(game, players, number, "", 3 - number, **rated).facts, rooms.catalogue, {})
    first = f"{players[0]} ({told['sides'][0]}) moves first."
    lines = [f"Rules: {told['options']}", *told.get("terms", []), *told.get("rating_terms", []), first]
    return [" ".join(line.split()) for line in lines]


def _stamp(game: Game) -> str:
    return f"{game.state} {game.stamp}"


def _token(game: Game, number: int) -> Token:
    """That of the newest letter about the board."""
    if game.state == States.OFFERED:
        return Token(tokens.ANSWER, game.player(number), game.id, 0)
    kind = tokens.PLAY if game.state == States.RUNNING else tokens.AFTER
    return Token(kind, game.player(number), game.id, game.stamp)


def _waits(game: Game, world: World) -> str:
    """Why the board cannot be seen, "" if it can."""
    try:
        boards.require_begun(game, world)
    except Forbidden as why:
        return str(why)
    return ""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    def page(request: Request, mine: session.Visit, game: Game, status: int = 200, **more: Any) -> Response:
        assert mine.player
        number = game.number_of(mine.player.id)
        shown = asking.look(rooms, asking.plain(mine.player, "show", {"board#": (str(game.id),)}))
        waits = _waits(game, rooms.reads)
        told = {
            "title": f"Board {game.id}"
            if waits and not number
            else boards.subject(game, boards.names(game, rooms.reads)),
            "waits": waits,
            "shown": [asking.shown(rooms, one.template, one.facts) for one in shown.letters if not waits],
            "side": facts(rooms, game, number, **more) if number else None,
        }
        return session.page(rooms, request, mine, "board_forms", status, game=game, **told)

    def found(request: Request, viewer: Player) -> Game:
        game = rooms.reads.game(request.path_params["board"])
        if game is None or boards.hidden(game, viewer.id):
            raise HTTPException(404, f"There is no board {request.path_params['board']}.")
        return game

    async def shown(request: Request) -> Response:
        mine = session.visit(rooms, request)
        return page(request, mine, found(request, mine.player)) if mine.player else must_log_in(request)

    async def sent(request: Request) -> Response:
        mine = session.visit(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        if mine.player is None:
            return must_log_in(request)
        game = found(request, mine.player)
        number = game.number_of(mine.player.id)
        what = form.get("what")
        known = {"what": what, "typed": form.fields}
        if form.trouble:
            return page(request, mine, game, 403, what=what, wrong={"": form.trouble})
        button = next((one for one in buttons(game, number, rooms.reads) if one.what == what), None) if number else None
        if button is None or form.get("stamp") != _stamp(game):
            if doing.sent_before(rooms, mine.player, form):
                return doing.answer(rooms, request, mine, asking.Told(again=True), form, what[:20])
            return page(request, mine, game, 409, **known, wrong={"": MOVED})
        if wrong := fields.troubles(button.fields, form.fields):
            return page(request, mine, game, 422, **known, wrong=wrong)
        token = _token(game, number)
        more = {"grant": form.line("time"), "resign": str(game.id)}  # nobody resigns without naming the board
        line = f"{what} {more.get(what, '')}".strip()
        asked = asking.asked(asking.line(rooms, line, mine.player, token), mine.player, Proofs.TOKEN)
        text = asking.words(rooms, form.get("words"), mine.player) if BY_NAME[what].may_have_body else ""
        settles = bool(game.asks) and what in ("accept", "decline")  # earlier letters play no more
        outcome = await doing.asked_once(rooms, mine.player, asked, form, text, token, by_letter=settles)
        if outcome.wrong or outcome.told is None:
            return page(request, mine, game, outcome.status, **known, wrong=outcome.wrong)
        return doing.answer(rooms, request, mine, outcome.told, form, button.said)

    return [
        Route("/board/{board:number}/do", shown),
        Route("/board/{board:number}/do", sent, methods=["POST"]),
    ]
