"""What the computer says of a game: a comment on a move, and the letter that looks back at a whole game."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from engine.search import Thought
from mailbot.core.effects import Letter
from mailbot.core.games import boards
from mailbot.core.model import Analysis, Game, Judged, Move

TURNING = 0.2
"""A ply is a turning point when it costs its player more than this of the chance to win."""

TOLD = 3
"""Turning points, those that cost most, that the letter tells in words."""

LINE = 6
"""Moves of the line that goes along with a forced win."""


def comment(thought: Thought, *, counts: bool = False) -> str:
    """How the computer sees its chances, as the words that go along with its move. `counts`: as `boards.counts`. What
    the computer expects of its opponent is a hint, so nothing is said of it then."""
    if thought.proven:
        return "I have found a win." if thought.proven > 0 else "You can win by force."
    line = f" I expect {', then '.join(thought.line[1:3])}." if len(thought.line) > 1 and not counts else ""
    known = f"after {thought.playouts} random games" if thought.playouts else "in my opening book"
    return f"My winning chance: {percent(thought.winning)} {known}.{line}"


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
    thoughts: Sequence[Thought],
    catalogue: Catalogue = CATALOGUE,
) -> Letter:
    """The move list with the computer's view of each ply, and where the game was decided. `thoughts`: what the computer
    thought before each ply, in the place of the player to move."""
    after = [*(1 - thought.winning for thought in thoughts[1:]), _left(game, moves, thoughts, catalogue)]
    rows: list[dict[str, Any]] = []
    turning: list[tuple[float, dict[str, Any]]] = []
    for move, thought, kept in zip(moves, thoughts, after, strict=True):
        lost = thought.winning - kept
        row = {
            "ply": move.ply,
            "by": players[game.number_of(move.player) - 1],
            "played": move.text,
            "chance": percent(thought.winning),
            "best": "" if thought.move == move.text else thought.move,
            "turning": lost > TURNING,
        }
        rows.append(row)
        if row["turning"]:
            turning.append((lost, {**row, "after": percent(kept)}))
    costly = sorted(turning, key=lambda one: -one[0])[:TOLD]
    facts = {
        "table": "analysis",
        "rows": rows,
        "board": game.id,
        "reason": game.reason,
        "points": sorted((row for _, row in costly), key=lambda row: row["ply"]),
        "forced": _forced(game, moves, players, thoughts),
        "winner": players[game.winner - 1] if game.winner else "",
    }
    return Letter("analysis", boards.subject(game, players), facts, thread=f"board-{game.id}")


def judged(game: Game, moves: Sequence[Move], thoughts: Sequence[Thought], catalogue: Catalogue = CATALOGUE) -> Judged:
    """The same for the page, which draws it."""
    movers = [game.number_of(move.player) for move in moves]
    seen = [*(thought.winning for thought in thoughts), _left(game, moves, thoughts, catalogue)]
    of_first = [one if mover == 1 else 1 - one for one, mover in zip(seen, [*movers, movers[-1]], strict=True)]
    return Judged(game.id, " ".join(move.text for move in moves), " ".join(str(round(100 * one)) for one in of_first))


def _left(game: Game, moves: Sequence[Move], thoughts: Sequence[Thought], catalogue: Catalogue) -> float:
    """What the last mover had in the end. A game that was resigned, or agreed to be a draw, tells nothing of its last
    move."""
    if boards.position(game, [move.text for move in moves], catalogue).outcome:
        return float(game.winner == game.number_of(moves[-1].player)) if game.winner else 0.5
    return thoughts[-1].winning


def _forced(
    game: Game, moves: Sequence[Move], players: tuple[str, str], thoughts: Sequence[Thought]
) -> dict[str, Any] | None:
    """The ply after which the computer has proved each position of the game won for one and the same player, and the
    line that it expected then. None if it has not proved the last position."""
    movers = [game.number_of(move.player) for move in moves]
    proved = [
        mover if thought.proven > 0 else 3 - mover if thought.proven else 0
        for mover, thought in zip(movers, thoughts, strict=True)
    ]
    winner = proved[-1]
    if not winner:
        return None
    after = len(proved) - sum(1 for _ in takewhile(lambda number: number == winner, reversed(proved)))
    return {"after": after, "player": players[winner - 1], "line": list(thoughts[after].line[:LINE])}
