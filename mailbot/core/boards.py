"""The board a command speaks of, and the letters that tell of it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from engine import variants
from engine.position import Position, replay
from mailbot.core.effects import Forbidden, Letter, NotAllowed, Unreadable
from mailbot.core.model import Game, Move
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request, World

PLAYED = ("running", "over")


def position(game: Game, moves: Sequence[Move]) -> Position:
    """The position after these moves of the game."""
    return _replayed(game.rules, tuple(move.text for move in moves))


@lru_cache(maxsize=256)
def _replayed(rules: str, moves: tuple[str, ...]) -> Position:
    """A position is a value, and a mail with several commands asks for the same one several times."""
    return replay(variants.parse(rules), moves)


def names(game: Game, world: World) -> tuple[str, str]:
    """The userids of player 1 and 2."""
    one, two = world.player(game.player1), world.player(game.player2)
    return (one.userid if one else "?", two.userid if two else "?")


def find(request: Request, asked: Asked, world: World) -> Game:
    """The board named in the line, or the one the answered letter is about.

    Raises Unreadable when there is none, NotAllowed when a reply token is used for another board than its own,
    Forbidden when the game word in front is another game.
    """
    of_token = request.token[1] if request.token and request.token[0] in "pa" else 0
    said = str(asked.args.get("board", "")).lstrip("#")
    number = int(said.partition("#")[0]) if said else of_token
    if asked.proof == "token" and number != of_token:
        raise NotAllowed(f"The letter you answered is about board {of_token}, so it cannot speak for board {number}.")
    game = world.game(number)
    if game is None:
        raise Unreadable(f"There is no board {number}{_own_boards(asked, world)}.")
    if asked.game and asked.game != variants.parse(game.rules).game:
        raise Forbidden(f"Board {number} is a game of {variants.parse(game.rules).game}, not of {asked.game}.")
    return game


def _own_boards(asked: Asked, world: World) -> str:
    own = world.games_of(asked.by, ("offered", "running")) if asked.by else []
    return f"; your boards: {', '.join(str(game.id) for game in own[:20])}" if own else ""


def require_player(game: Game, asked: Asked, world: World) -> int:
    """1 or 2: which player of the board asks; NotAllowed for anybody else."""
    number = game.number_of(asked.by)
    if not number:
        raise NotAllowed(f"Board {game.id} belongs to {' and '.join(names(game, world))}, not to you.")
    return number


def require_running(game: Game, world: World) -> None:
    """Forbidden, with the reason, unless the game is being played."""
    if game.state == "running":
        return
    if game.state == "over":
        raise Forbidden(f"Board {game.id} is over: {game.reason}.")
    if game.state == "offered":
        waits = [name for bit, name in zip((1, 2), names(game, world), strict=True) if not game.agreed & bit]
        raise Forbidden(f"Board {game.id} has not started: {' and '.join(waits)} has still to accept it.")
    raise Forbidden(f"Board {game.id} was never played: its challenge was {game.state}.")


def subject(game: Game, players: tuple[str, str]) -> str:
    """The same for every letter of a board, so that mail programs keep them together."""
    return f"{variants.parse(game.rules).game.capitalize()} {game.id}: {players[0]} - {players[1]}"


def news(
    template: str, game: Game, moves: Sequence[Move], players: tuple[str, str], viewer: int, **more: Any
) -> Letter:
    """A letter about a board as player `viewer` (1 or 2; 0 an onlooker) sees it.

    It carries all that drawing the board later needs, so that what happens meanwhile cannot change it.
    """
    facts: dict[str, Any] = {
        "board": game.id,
        "rules": game.rules,
        "moves": [move.text for move in moves],
        "players": list(players),
        "viewer": viewer,
        "state": game.state,
        "to_move": game.to_move,
        "winner": game.winner,
        "reason": game.reason,
        "asks": game.asks,
        "asks_by": game.asks_by,
        "started": game.created,
        "changed": game.changed,
        **more,
    }
    token = None
    if viewer and game.state == "running":
        token = Token("p", game.player(viewer), game.id, game.ply + 1)
    return Letter(template, subject(game, players), facts, token, thread=f"board-{game.id}")
