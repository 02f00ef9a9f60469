"""Looking back: what the computer thinks of a game that is over."""

from engine.families import family_of
from mailbot.core import tokens
from mailbot.core.caps import moment
from mailbot.core.effects import Effect, Forbidden, Letter, Put, Say
from mailbot.core.games import boards
from mailbot.core.hosting import withdrawals
from mailbot.core.language.grammar import Row
from mailbot.core.model import Analysis, Game, States
from mailbot.core.players import bots
from mailbot.core.world import Asked, Request, World

MAX_WAITING = 5
"""Analyses a player may wait for at once."""


def may_be_analysed(game: Game, world: World) -> bool:
    """Whether a computer player is there that can comment on this game."""
    played = game.state == States.OVER and game.ply > 0
    return played and bots.there(world) and family_of(game.rules, world.catalogue).has_computer(game.rules)


def analyse(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Notes the wish; the analysis comes in a letter of its own. Never while the game runs: that would be advice."""
    game = boards.find(request, asked, world)
    boards.require_player(game, asked, world)
    if game.state == States.RUNNING:
        raise Forbidden(f"Board {game.id} is still being played; it can be analysed when it is over.")
    if game.state != States.OVER or not game.ply:
        raise Forbidden(f"On board {game.id} no move was played, so there is nothing to analyse.")
    if not bots.there(world):
        raise Forbidden("There is no computer player on this server at the moment, so nobody can analyse a game.")
    family_of(game.rules, world.catalogue).require_computer(game.rules)
    waiting = world.analyses_of(asked.by)
    if any(one.game == game.id for one in waiting):
        raise Forbidden(f"The analysis of board {game.id} is on its way.")
    if len(waiting) >= MAX_WAITING:
        raise Forbidden(
            f"You are waiting for {len(waiting)} analyses, which is the most; ask again when they are there."
        )
    said = f"The computer is looking at board {game.id}. You will get its comments on every move in a letter."
    if (at := withdrawals.runs_again_until(game, request.now, world)) > request.now:
        said = (
            f"The computer looks at board {game.id} on {moment(at, world.zone(asked.by))}: until then its player may"
            " come back to the tournament, and the game would go on."
        )
    return [
        Put(Analysis(game.id, asked.by, request.now)),
        Say(Letter("notice", f"Analysis of board {game.id}", {"said": said})),
    ]


ROWS = (
    Row(
        "analyse",
        ("board userid password", "board", ""),
        analyse,
        "what the computer thinks of each move of a game that is over",
        game=True,
        tokens=tokens.PLAY + tokens.AFTER,
        aliases=("analyze", "analysis"),
    ),
)
