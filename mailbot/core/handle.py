"""The one door: every command, whoever or whatever sends it, is handled here."""

from engine.errors import Forbidden, Unreadable
from mailbot.core.commands import BY_NAME
from mailbot.core.effects import Effect, Letter, NotAllowed, Say
from mailbot.core.games import boards
from mailbot.core.language.grammar import Row
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request, World

REFUSALS = {Unreadable: "unreadable", Forbidden: "forbidden", NotAllowed: "notallowed"}


def handle(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The effects of one command: all that it does, or the one letter that refuses it."""
    row = BY_NAME.get(asked.name)
    try:
        if asked.trouble or row is None:
            raise Unreadable(asked.trouble or "I found no command in your mail.")
        if asked.proof == "wanting":
            raise NotAllowed(f"For '{row.name}' I need your password in the line, or an answer to one of my letters.")
        return row.run(request, asked, world)
    except (Unreadable, Forbidden, NotAllowed) as refused:
        kind = next(name for error, name in REFUSALS.items() if isinstance(refused, error))
        return [Say(_refusal(kind, sentence(str(refused)), row, request, asked, world))]


def sentence(said: str) -> str:
    """A clause as a sentence: a capital in front (not of a placement, `c1`), a full stop behind."""
    capital = said[:1] if said[1:2].isdigit() else said[:1].upper()
    return capital + said[1:] + ("" if said[-1:] in ".!?)" else ".")


def _answered(request: Request, asked: Asked) -> Token | None:
    """The token of the letter that was answered: so the refusal can be answered in its place."""
    if not request.token or asked.proof != "token" or not asked.by:
        return None
    kind, ref, stamp = request.token
    return Token(kind, asked.by, ref, stamp)


def _refusal(kind: str, said: str, row: Row | None, request: Request, asked: Asked, world: World) -> Letter:
    """One sentence, what would be right, and, where a turn still waits, the board to answer again."""
    usage = row.usage if row and kind == "unreadable" and asked.proof != "token" else []
    facts = {"kind": kind, "said": said, "line": asked.line, "usage": usage, "command": row.name if row else ""}
    facts["answering"] = request.token[0] if request.token and asked.proof == "token" else ""
    try:
        game = boards.find(request, asked, world)
    except (Unreadable, Forbidden, NotAllowed, ValueError):
        return Letter("refused", "Not done", facts, _answered(request, asked))
    number = game.number_of(asked.by)
    if not number or game.state != "running" or asked.name not in ("move", "resign", "submit", "confirm", ""):
        return Letter("refused", "Not done", facts, _answered(request, asked))
    return boards.news("refused", game, world.texts(game.id), boards.names(game, world), number, **facts)
