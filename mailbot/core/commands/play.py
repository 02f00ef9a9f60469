"""Playing: a move, and giving up."""

from collections.abc import Mapping

from mailbot.core import tokens
from mailbot.core.effects import Effect, Forbidden, Kinds, NotAllowed, Post, Say, Unreadable
from mailbot.core.games import asks, boards, plans, turn
from mailbot.core.language.grammar import Handler, Row
from mailbot.core.world import Asked, Proofs, Request, World


def move(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Plays the asker's move; both players get the new board. Whoever opened a link may be somebody else, so its owner
    gets a letter, even one who wants none about own moves, or only one a day."""
    word = WORDS.get(asked.args["move"].lower())
    by_link = asked.proof == Proofs.LINK
    if by_link and (word or "ask" in asked.args or request.text.strip()):
        raise NotAllowed("The link of a letter plays a move and says nothing; for anything else answer the letter.")
    if word:
        return word(request, asked, world)
    game, played = turn.require_turn(request, asked, world)
    text, left = plans.without_queue(request.text)
    effects = turn.play(game, played, text, str(asked.args.get("ask", "")).lower(), request, world)
    if not by_link:
        return [*effects, *left]
    return [*effects, *(Post(asked.by, effect.letter, Kinds.ACCOUNT) for effect in effects if isinstance(effect, Say))]


def resign(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Ends the game for the asker. By reply token the board must be named, so that no slip ends a game."""
    game, number = boards.require_newest(request, asked, world)
    if asked.proof == Proofs.TOKEN and "board" not in asked.args:
        raise Unreadable(f"To give up, name the board, so that nobody resigns by mistake: resign {game.id}")
    return turn.resign(game, number, request, world)


def propose(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Offers a draw."""
    return asks.ask("draw", request, asked, world)


def undo(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Asks the opponent to let the last move be taken back."""
    return asks.ask("undo", request, asked, world)


def pass_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """No game here has passing."""
    raise Forbidden("A turn cannot be passed in this game: lay a tile.")


WORDS: Mapping[str, Handler] = {
    "propose": propose,
    "undo": undo,
    "accept": asks.agree,
    "reject": asks.refuse,
    "resign": resign,
    "pass": pass_,
}
"""What may stand in the place of a move, as on the old server."""

ROWS = (
    Row(
        "move",
        ("board userid password move ask", "board userid password move", "board move", "move ask", "move"),
        move,
        "play a move; by answering a letter the move alone is enough",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY + tokens.AFTER + tokens.LINK,
        aliases=("mv", "play"),
    ),
    Row(
        "resign",
        ("board userid password", "board", ""),
        resign,
        "give up a game",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY + tokens.AFTER,
        aliases=("concede",),
    ),
    Row(
        "propose",
        ("board userid password", "board", ""),
        propose,
        "offer a draw; it stands until your opponent answers or moves",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY + tokens.AFTER,
    ),
    Row(
        "undo",
        ("board userid password", "board", ""),
        undo,
        "ask to take back your last move; your opponent has to agree",
        game=True,
        may_have_body=True,
        tokens=tokens.PLAY + tokens.AFTER,
    ),
)
