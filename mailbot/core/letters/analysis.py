"""What the computer says of a game: a comment on a move, and the letter that looks back at a whole game."""

from collections.abc import Sequence
from typing import Any

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from engine.search import Thought
from mailbot.core.effects import Letter
from mailbot.core.games import boards
from mailbot.core.model import Analysis, Game, Move

TURNING = 0.2
"""A ply is a turning point when it costs its player more than this of the chance to win."""


def comment(thought: Thought) -> str:
    """How the computer sees its chances, as the words that go along with its move."""
    if thought.proven:
        return "I have found a win." if thought.proven > 0 else "You can win by force."
    line = f" I expect {', then '.join(thought.line[1:3])}." if len(thought.line) > 1 else ""
    return f"My winning chance: {percent(thought.winning)} after {thought.playouts} random games.{line}"


def percent(chance: float) -> str:
    """A chance as people read it."""
    return f"{round(100 * chance)} %"


def failed(wish: Analysis) -> Letter:
    """What is said when there will be no analysis after all."""
    said = (
        f"The computer cannot look at board {wish.game}: something is wrong with the server. The operator can see that"
        " in the log; you may ask again."
    )
    return Letter("notice", f"Analysis of board {wish.game}", {"said": said})


def letter(
    game: Game,
    moves: Sequence[Move],
    players: tuple[str, str],
    chances: Sequence[tuple[float, str]],
    catalogue: Catalogue = CATALOGUE,
) -> Letter:
    """The move list with the computer's view of each ply. `chances`: for each ply, before it was played, the chance of
    the player to move and the move the computer would have played."""
    rows: list[dict[str, Any]] = []
    # A game that was resigned, or agreed to be a draw, tells nothing of its last move.
    left = chances[-1][0]
    if boards.position(game, [move.text for move in moves], catalogue).outcome:
        left = float(game.winner == game.number_of(moves[-1].player)) if game.winner else 0.5
    after = [*(1 - chance for chance, _ in chances[1:]), left]
    for move, (before, best), kept in zip(moves, chances, after, strict=True):
        rows.append(
            {
                "ply": move.ply,
                "by": players[game.number_of(move.player) - 1],
                "played": move.text,
                "chance": percent(before),
                "best": "" if best == move.text else best,
                "turning": before - kept > TURNING,
            }
        )
    facts = {
        "table": "analysis",
        "rows": rows,
        "board": game.id,
        "reason": game.reason,
        "turning": [row["ply"] for row in rows if row["turning"]],
        "winner": players[game.winner - 1] if game.winner else "",
    }
    return Letter("analysis", boards.subject(game, players), facts, thread=f"board-{game.id}")
