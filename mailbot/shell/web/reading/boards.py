"""The page of a board: the drawing, the moves with their times, and each earlier position."""

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.families import family_of
from engine.family import Family, Turn
from mailbot.core.games.boards import names
from mailbot.core.letters import history, pieces
from mailbot.core.letters.context import told_in_words
from mailbot.core.model import States
from mailbot.shell.web import keeping, session
from mailbot.shell.web.play import own
from mailbot.shell.web.reading import charts, seen
from mailbot.shell.web.rooms import Rooms
from mailbot.shell.web.watching import stamp

SAID: Final = ("head", "news", "prose", "told")
"""The blocks of the letter `show` that the page shows; it has the drawing, the moves and the record in its own way."""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    kept = keeping.Kept()

    async def board(request: Request) -> Response:
        asked = request.path_params
        mine = session.visit(rooms, request)
        if "ply" not in asked and (more := own.beside(rooms, request, mine, asked["board"])):
            # what its players may do is on the page, so it is theirs alone
            return session.page(rooms, request, mine, "board", **told(rooms, **asked) | more)
        return kept.page(
            request,
            (_state(rooms, asked["board"]), asked.get("ply")),
            lambda: seen.whole(rooms, request, "board", **told(rooms, **asked)),
        )

    return [
        Route("/board/{board:number}", board, name="board"),
        Route("/board/{board:number}/{ply:number}", board, name="ply"),
    ]


def _state(rooms: Rooms, board: int) -> Hashable:
    """Decides what the page of a board says. A clock is shown in minutes."""
    with rooms.reads.as_one():
        game = rooms.reads.game(board)
        if game is None:
            return None
        minute = rooms.now() // 60 if game.flag_at is not None else 0
        return game, names(game, rooms.reads), minute, rooms.reads.judged(board)


def told(rooms: Rooms, board: int, ply: int | None = None) -> dict[str, Any]:
    """What the page of this board says; as it was after `ply`, if that is given. Raises HTTPException."""
    with rooms.reads.as_one():
        word = str(board) if ply is None else f"{board}#{ply}"
        [shown] = seen.letters(rooms, "show", **{"board#": [word]})
        [whole] = seen.letters(rooms, "history", board=[str(board)])
        game, judged = rooms.reads.game(board), rooms.reads.judged(board)
    assert game
    facts, players = shown.facts, shown.facts["players"]
    rules, moves = facts["rules"], tuple(facts["moves"])
    family = family_of(rules, rooms.catalogue)
    blocks = rooms.blocks("show", facts)
    turns = turns_of(rooms, whole.facts)
    rows = history.rows(whole.facts, turns)
    over = game.state == States.OVER
    return {
        "board": board,
        "subject": shown.subject,
        "event": game.event,
        "players": players,
        "said": [(one.kind, _lines(one)) for one in blocks if one.kind in SAID],
        "news": " ".join([*_last(turns, [row[1] for row in rows]), *_of_kind(blocks, "news")]),
        "drawing": Markup(drawing(family, rules, moves, (players[0], players[1]))),  # noqa: S704 - engine.hex.svg escapes
        "text": next(("\n".join(one.lines) for one in blocks if one.kind == "board"), ""),
        "words_of": told_in_words(family, rules, moves, hints=False),
        "ply": len(moves),
        "last": game.ply,
        "now": ply is None or ply == game.ply,
        "stamp": stamp(game),
        "over": over,
        "columns": [column.head for column in history.HISTORY],
        "moves": rows,
        "used": history.used(whole.facts) if over else [],
        "plot": charts.plot(judged, whole.facts["moves"], len(moves)) if over else None,
        "pictured": rooms.gallery is not None and family.pictures,
        "scored": over and game.winner is not None,
        "turn": None,
        "side": None,
        "own_news": [],
    }


def turns_of(rooms: Rooms, facts: Mapping[str, Any]) -> Sequence[Turn]:
    """The turns of the game that these facts tell of, with what followed from each."""
    family, moves = family_of(facts["rules"], rooms.catalogue), facts["moves"]
    return family.replay(facts["rules"], moves, len(moves)).turns


def _last(turns: Sequence[Turn], by: Sequence[str]) -> list[str]:
    """Who played the last turn, and what."""
    return [f"{by[-1]} has played {turns[-1].move}."] if turns else []


def _of_kind(blocks: Sequence[pieces.Block], kind: str) -> list[str]:
    return [line for one in blocks if one.kind == kind for line in _lines(one)]


def _lines(block: pieces.Block) -> tuple[str, ...]:
    """Its lines as their writer ended them, not as a letter folds them."""
    return tuple(line for one in block.inside for line in one.lines) or block.lines


@lru_cache(maxsize=64)
def drawing(family: Family, rules: str, moves: tuple[str, ...], names: tuple[str, str]) -> str:
    """The drawing for a page: it takes some milliseconds, and a position is asked for again and again."""
    return family.svg(rules, moves, names)
