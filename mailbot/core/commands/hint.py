"""A hint: the computer proposes a turn against the computer."""

from mailbot.core import tokens
from mailbot.core.effects import Effect, Forbidden, Letter, Put, Say
from mailbot.core.games import boards, hints, turn
from mailbot.core.language.grammar import Row
from mailbot.core.model import Hint
from mailbot.core.players import bots
from mailbot.core.world import Asked, Request, World


def hint(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Notes the wish; the proposal comes in a letter of its own. In the same position it is later the answer."""
    game = boards.find(request, asked, world)
    boards.require_player(game, asked, world)
    if not bots.bot_of(game):
        raise Forbidden(f"Your opponent on board {game.id} is a person, so the computer gives no hint there.")
    if boards.counts(game):
        what = "belongs to a tournament" if game.event else "is rated"
        raise Forbidden(
            f"Board {game.id} {what}, so the computer gives no hint there; hints are for games with -unrated."
        )
    turn.require_turn(request, asked, world)
    after = hints.position(world.texts(game.id))
    known = world.hints_of(game.id, asked.by)
    here = next((one for one in known if one.after == after), None)
    if here and here.move:
        return [Say(hints.letter(game, here, known, world))]
    if here:
        raise Forbidden(f"The hint for board {game.id} is on its way.")
    if not hints.left(known):
        raise Forbidden(f"You have had {hints.MOST} hints on board {game.id}, which is the most for a game.")
    if not bots.there(world):
        raise Forbidden("There is no computer player on this server at the moment, so nobody can give a hint.")
    said = f"The computer is thinking about board {game.id}. Its hint comes in a letter, unless you move first."
    return [
        Put(Hint(game.id, asked.by, after, request.now)),
        Say(Letter("notice", f"A hint for board {game.id}", {"said": said, "board": game.id})),
    ]


ROWS = (
    Row(
        "hint",
        ("board userid password", "board", ""),
        hint,
        "a turn that the computer proposes, in unrated games against it",
        game=True,
        tokens=tokens.PLAY + tokens.AFTER,
    ),
)
