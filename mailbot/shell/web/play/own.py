"""The turns and the queue of somebody who is logged in, on the board's own pages.

The turn is played by the command `move`, and the queue is kept by `queue`, each as a mail would ask for it. Before that
both are shown: what the turn would do, and how the queue was read. Nothing is kept for it.
"""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request as Asking
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mailbot.core.games import boards, plans
from mailbot.core.letters.pieces import Block
from mailbot.core.model import Game, Player, States
from mailbot.core.world import Asked
from mailbot.shell.web import asking, seal, session
from mailbot.shell.web.asking import Told
from mailbot.shell.web.forms import boardside
from mailbot.shell.web.forms.entering import UNWRITTEN, must_log_in
from mailbot.shell.web.play import laying, turn
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.web.seal import Sent
from mailbot.shell.web.session import Visit
from mailbot.shell.writer import Unwritten
from mailbot.store import seen

WORDS = 6000
"""Characters of the words that go along."""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def show_turn(request: Asking) -> Response:
        mine, game = _whose(rooms, request)
        if mine.player is None:
            return must_log_in(request)
        return _turn_page(rooms, request, mine, game, mine.player)

    async def play(request: Asking) -> Response:
        mine, game = _whose(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        if mine.player is None:
            return must_log_in(request)
        said = form.line("move")[: laying.LONGEST] or "nothing"
        command = asking.line(rooms, f"move {game.id} {{me}} {{proof}} {said}#{form.line('ply')[:6]}", mine.player)
        what = asking.asked(command, mine.player)
        moved = form.line("stamp") not in ("", str(game.stamp))  # a page of an older version has none
        if moved and not form.trouble and not _done(rooms, what, mine.player, form):
            return _turn_page(rooms, request, mine, game, mine.player, form, boardside.MOVED)
        told = await _asked(rooms, what, mine.player, form)
        if isinstance(told, str):
            return _turn_page(rooms, request, mine, game, mine.player, form, told)
        return RedirectResponse(f"/board/{game.id}", 303, turn.PRIVATE)

    async def show_queue(request: Asking) -> Response:
        mine, game = _whose(rooms, request)
        if mine.player is None:
            return must_log_in(request)
        kept = rooms.reads.plan(game.id, mine.player.id)
        return _queue_page(rooms, request, mine, game, mine.player, kept.text if kept else "")

    async def queue(request: Asking) -> Response:
        mine, game = _whose(rooms, request)
        form = await seal.sent(rooms, request, mine.cookie)
        if mine.player is None:
            return must_log_in(request)
        plan = form.get("plan")[: plans.MAX_CHARACTERS + 1]
        if form.line("do") == "read" and not form.trouble:
            return _queue_page(rooms, request, mine, game, mine.player, plan, read=True)
        word = "none" if form.line("do") == "none" else ""
        command = asking.line(rooms, f"queue {game.id} {{me}} {{proof}} {word}".strip(), mine.player)
        what = asking.asked(command, mine.player)
        moved = form.line("stamp") not in ("", str(game.stamp))  # a move alone would answer another turn
        if moved and not (word or form.trouble or _done(rooms, what, mine.player, form, plan)):
            return _queue_page(rooms, request, mine, game, mine.player, plan, refused=boardside.MOVED)
        told = await _asked(rooms, what, mine.player, form, "" if word else plan)
        if isinstance(told, str):
            return _queue_page(rooms, request, mine, game, mine.player, plan, refused=told)
        return RedirectResponse(f"/queue/{game.id}", 303, turn.PRIVATE)

    return [
        Route("/board/{board:number}/turn", show_turn, name="board_turn"),
        Route("/board/{board:number}/turn", play, methods=["POST"]),
        Route("/queue/{board:number}", show_queue, name="queue"),
        Route("/queue/{board:number}", queue, methods=["POST"]),
    ]


def _whose(rooms: Rooms, request: Asking) -> tuple[Visit, Game]:
    """Who asks, and the board. Raises HTTPException unless the board runs or has run."""
    game = rooms.reads.game(request.path_params["board"])
    if game is None or game.state not in boards.PLAYED:
        raise HTTPException(404, f"No game is played on board {request.path_params['board']}.")
    return session.visit(rooms, request), game


async def _asked(rooms: Rooms, what: Asked, player: Player, form: Sent, text: str | None = None) -> Told | str:
    """The answers, or the sentence that says why nothing was done. `text`: what belongs to the command, if that is not
    the words of the form. Whoever goes back to a page and sends it with something else asks for something else; the
    ply in it keeps a turn from being played twice."""
    if form.trouble:
        return form.trouble
    words = _words(rooms, player, form) if text is None else text
    try:
        told = await asking.ask(rooms, what, once=_once(what, player, form, words), text=words)
    except Unwritten:
        return UNWRITTEN
    return asking.BROKEN if told.broken else told.refusal or told


def _words(rooms: Rooms, player: Player, form: Sent) -> str:
    return asking.words(rooms, form.get("words")[:WORDS], player)


def _once(what: Asked, player: Player, form: Sent, words: str) -> str:
    return f"{player.id}|{form.once}|{what.args}|{words}"


def _done(rooms: Rooms, what: Asked, player: Player, form: Sent, text: str | None = None) -> bool:
    """Whether this very form has been done: two taps, or an answer that was lost. `text`: as in `_asked`."""
    once = _once(what, player, form, _words(rooms, player, form) if text is None else text)
    return seen.of(rooms.reads.db, asking.key_of(once)) is not None


def _turn_page(
    rooms: Rooms, request: Asking, mine: Visit, game: Game, player: Player, form: Sent | None = None, refused: str = ""
) -> Response:
    facts: dict[str, Any] = {
        "subject": boards.subject(game, boards.names(game, rooms.reads)),
        "board": game.id,
        "news": turn.state(rooms, game, player),
        "turn": turn_facts(rooms, request, mine, game, form, refused),
    }
    if refused and not facts["turn"]:
        facts["news"] = [Block("prose", (refused,)), *facts["news"]]
    return session.page(rooms, request, mine, "board_turn", 422 if refused else 200, **facts)


def beside(rooms: Rooms, request: Asking, mine: Visit, board: int) -> dict[str, Any]:
    """What the page of a board has for one of its players: the turn, and what else may be done. Nothing for others."""
    game = rooms.reads.game(board) if mine.player else None
    number = game.number_of(mine.player.id) if game and mine.player else 0
    if game is None or mine.player is None or not number:
        return {}
    return {
        "turn": turn_facts(rooms, request, mine, game),
        "side": boardside.facts(rooms, game, number),
        "own_news": turn.state(rooms, game, mine.player),
    }


def turn_facts(
    rooms: Rooms, request: Asking, mine: Visit, game: Game, form: Sent | None = None, refused: str = ""
) -> dict[str, Any] | None:
    """What `_turn_form.html` needs for this board; None unless it is the turn of who is logged in."""
    player = mine.player
    if player is None or game.state != States.RUNNING or game.number_of(player.id) != game.to_move:
        return None
    fields = form.fields if form else request.query_params
    laid = turn.laid_on(rooms, game, rooms.reads.texts(game.id), player, fields, refused)
    here, names = f"/board/{game.id}/turn", boards.names(game, rooms.reads)
    return laying.facts(
        laid,
        here=here,
        play=here,
        ply=game.ply + 1,
        stamp=game.stamp,
        seal=seal.hidden(rooms, mine.cookie),
        names=names,
        to_move=game.to_move,
        opponent=names[2 - game.to_move],
        words=form.get("words")[:WORDS] if form else "",
    )


def _queue_page(
    rooms: Rooms,
    request: Asking,
    mine: Visit,
    game: Game,
    player: Player,
    plan: str,
    *,
    read: bool = False,
    refused: str = "",
) -> Response:
    """The queue as text, and beside it how it was read."""
    tree, after = [], False
    if not refused and plan.strip():
        letter = turn.tried(rooms, player, "queue", {"board": str(game.id)}, plan)
        refused = str(letter.facts["said"]) if letter.template == "refused" else ""
        tree, after = letter.facts.get("tree", []), bool(letter.facts.get("after"))
    kept = rooms.reads.plan(game.id, player.id)
    return session.page(
        rooms,
        request,
        mine,
        "queue",
        422 if refused else 200,
        subject=boards.subject(game, boards.names(game, rooms.reads)),
        board=game.id,
        stamp=game.stamp,
        opponent=boards.names(game, rooms.reads)[1 if game.number_of(player.id) == 1 else 0],
        plan=plan,
        tree=tree,
        after=after,
        kept=kept is not None,
        queued=kept is not None and not refused and (not read or plan.split() == kept.text.split()),
        running=game.state == States.RUNNING,
        playing=game.number_of(player.id) > 0,
        refused=refused,
    )
