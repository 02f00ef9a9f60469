"""Playing: a move, and giving up."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine import notation
from mailbot.core import asks, boards
from mailbot.core.effects import Effect, Forbidden, Post, Put, Say, Unreadable
from mailbot.core.grammar import Handler, Row
from mailbot.core.model import Game, Move
from mailbot.core.world import Asked, Request, World


def move(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Plays the asker's move; both players get the new board."""
    if word := WORDS.get(asked.args["move"].lower()):
        return word(request, asked, world)
    game = boards.find(request, asked, world)
    number = boards.require_player(game, asked, world)
    boards.require_running(game, world)
    played, ply = notation.parse_guarded(asked.args["move"])
    if asked.proof == "token" and request.token:
        ply = ply or request.token[2]
    if ply is not None and ply != game.ply + 1:
        gone = "has moved on" if ply <= game.ply else "is not there yet"
        raise Forbidden(f"Board {game.id} {gone}: the next move is ply {game.ply + 1}, and yours was for {ply}.")
    players = boards.names(game, world)
    if game.to_move != number:
        raise Forbidden(f"It is not your turn on board {game.id}: {players[game.to_move - 1]} is to move.")
    moves = world.moves(game.id)
    position = boards.after(game, moves, played)
    turn = position.turns[-1]
    over = position.outcome
    game = replace(
        game,
        ply=game.ply + 1,
        to_move=0 if over else position.to_move,
        state="over" if over else "running",
        winner=over.winner if over else None,
        reason=over.reason if over else "",
        changed=request.now,
    )
    game = replace(game, asks="", asks_by=0) if over else asks.after_move(game, number)
    if (along := str(asked.args.get("ask", "")).lower()) and not over:
        game = replace(game, asks=ASKS[along], asks_by=number)
    done = Move(game.id, game.ply, asked.by, notation.write_move(turn.move), request.text, request.now)
    moves = [*moves, done]
    dropped = notation.write_move(turn.dropped) if turn.dropped else ""
    told = {
        "event": "move",
        "by": number,
        "comment": request.text,
        "played": done.text,
        "auto": notation.write_move(turn.auto) if turn.auto else "",
        "dropped": dropped,
    }
    return [Put(game), Put(done), *_tell(game, moves, players, number, told, world)]


def resign(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Ends the game for the asker. By reply token the board must be named, so that no slip ends a game."""
    game = boards.find(request, asked, world)
    number = boards.require_player(game, asked, world)
    boards.require_running(game, world)
    if asked.proof == "token":
        if request.token and request.token[2] != game.ply + 1:
            raise Forbidden(f"Board {game.id} has moved on since the letter you answered; answer the newest one.")
        if "board" not in asked.args:
            raise Unreadable(f"To give up, name the board so that it is no slip: resign {game.id}")
    players = boards.names(game, world)
    reason = f"{players[number - 1]} resigned"
    game = replace(game, state="over", to_move=0, winner=3 - number, reason=reason, changed=request.now)
    told = {"event": "resign", "by": number, "comment": request.text}
    return [Put(game), *_tell(game, world.moves(game.id), players, number, told, world)]


def _tell(
    game: Game, moves: list[Move], players: tuple[str, str], number: int, told: dict[str, Any], world: World
) -> list[Effect]:
    """The board to the asker, as the answer, and to the opponent."""
    heard = {**told, "comment": boards.heard(str(told["comment"]), game, number, world)}
    return [
        Say(boards.news("board", game, moves, players, number, **told)),
        Post(game.player(3 - number), boards.news("board", game, moves, players, 3 - number, **heard)),
    ]


def propose(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Offers a draw."""
    return asks.ask("draw", request, asked, world)


def undo(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Asks the opponent to let the last move be taken back."""
    return asks.ask("undo", request, asked, world)


def pass_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """No game here has passing."""
    raise Forbidden("A turn cannot be passed in this game: lay a tile.")


ASKS = {"propose": "draw", "undo": "undo"}
"""What may go along with a move: the question is put with the new board."""

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
        text=True,
        tokens="p",
        aliases=("mv", "play"),
    ),
    Row(
        "resign",
        ("board userid password", "board", ""),
        resign,
        "give up a game",
        game=True,
        text=True,
        tokens="p",
        aliases=("concede",),
    ),
    Row(
        "propose",
        ("board userid password", "board", ""),
        propose,
        "offer a draw; it stands until your opponent answers or moves",
        game=True,
        text=True,
        tokens="p",
    ),
    Row(
        "undo",
        ("board userid password", "board", ""),
        undo,
        "ask to take back your last move; your opponent has to agree",
        game=True,
        text=True,
        tokens="p",
    ),
)
