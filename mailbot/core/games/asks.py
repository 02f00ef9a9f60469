"""Asking the opponent on a running board: for a draw, or to take moves back; and what the answer does.

A draw offer stands until the opponent answers or moves, an undo request until anybody moves. A board has one question
at a time: its asker cannot ask anything else meanwhile, but a question of the opponent replaces it. A declined question
cannot be asked again on that board for a day.
"""

from collections.abc import Mapping
from typing import Any

from mailbot.core.caps import moment
from mailbot.core.effects import Drop, Effect, Forbidden, Post, Put, Say
from mailbot.core.games import boards, course, plans, timing
from mailbot.core.model import DAY, Game, Tally
from mailbot.core.world import Asked, Proofs, Request, World

WISHES = {"draw": "draw offer", "undo": "wish to undo"}
"""The name of each question."""

AGREED_DRAW = "the players agreed on a draw"


def ask(what: str, request: Request, asked: Asked, world: World) -> list[Effect]:
    """Asks the opponent. To offer a draw is an agreement if the opponent has offered one. An undo request is never an
    agreement to that of the opponent, because the two would take back different moves."""
    game, number = _require_seen(request, asked, world)
    if game.asks == what and game.asks_by != number:
        if what == "draw":
            return agree(request, asked, world)
        raise Forbidden(f"Your opponent has asked for an undo on board {game.id}: first answer accept or reject.")
    if game.asks == what:
        raise Forbidden(f"You have asked that already on board {game.id}; your opponent has not answered yet.")
    require_free(game, number, what, world)
    if until := declined(game, number, what, request.now, world):
        raise Forbidden(
            f"Your opponent has declined that on board {game.id} within the last day; ask again after"
            f" {moment(until, world.zone(asked.by))}."
        )
    if what == "undo" and back_to(game.ply, game.to_move, number) < 0:
        raise Forbidden(f"There is no move of yours on board {game.id} to take back.")
    noted = [Put(Tally(asked.by, _undo(game), request.now, 1))] if what == "undo" else []
    return [*noted, *_tell(course.asked(game, what, number), number, f"asks_{what}", request, world)]


def agree(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Agrees to the opponent's question, and does it."""
    game, number = _asked(request, asked, world)
    stands = timing.of(game, request.now, world)
    if game.asks == "draw":
        over = course.over(game, 0, AGREED_DRAW, request.now, stands)
        drops, notes = plans.cleared(game, "the game is over", world)
        return [*drops, *_tell(over, number, "agreed", request, world, notes)]
    moves = world.moves(game.id)
    back, drops_moves = boards.rewound(game, moves, back_to(game.ply, game.to_move, game.asks_by), request.now, world)
    drops, notes = plans.cleared(game, "moves were taken back", world)
    gone = [move.text for move in moves[back.ply :]]
    return [
        *_answered(game, world),
        *drops,
        *drops_moves,
        *_tell(back, number, "undone", request, world, notes, gone=gone),
    ]


def refuse(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Says no; the game goes on as it was."""
    game, number = _asked(request, asked, world)
    no = Tally(game.player(game.asks_by), _refused(game.asks, game), request.now, 1)
    kept = [Put(no)] if asked.by > 0 else []  # a computer player does not mind being asked again
    return [
        *kept,
        *_answered(game, world),
        *_tell(course.asked(game, "", 0), number, f"refused_{game.asks}", request, world),
    ]


def require_free(game: Game, number: int, what: str, world: World) -> None:
    """Forbidden where this is never asked, and while an answer to another question of player `number` may be on its
    way: it would meet the new question."""
    if what == "undo" and (why := boards.moves_stand(game)):
        raise Forbidden(why)
    if game.asks not in ("", what) and game.asks_by == number:
        settles = "it stands until your opponent answers or moves"
        if game.asks == "undo":
            settles = "it stands until your opponent answers or either of you moves"
        raise Forbidden(f"Your {WISHES[game.asks]} on board {game.id} is still open; {settles}, and cannot be changed.")
    if _may_be_answered(game, number, world):
        raise Forbidden(
            f"You have asked for an undo on board {game.id} since your opponent's last move. The answer may be on its"
            " way, so you can ask for something else when your opponent has moved."
        )


def may_undo(game: Game, number: int) -> bool:
    """Whether player `number` has a turn that an undo could take back."""
    return back_to(game.ply, game.to_move, number) >= 0 and not boards.moves_stand(game)


def declined(game: Game, number: int, what: str, now: int, world: World) -> int:
    """Until when (unix seconds) player `number` may not ask this again because the opponent declined; 0 if the player
    may ask."""
    no = world.tally(game.player(number), _refused(what, game))
    return no.since + DAY if no and 0 <= now - no.since < DAY else 0


def _undo(game: Game) -> str:
    """The tally of an undo request that has got no answer yet."""
    return f"undo {game.id}"


def _answered(game: Game, world: World) -> list[Effect]:
    """Forgets the question that is open, if it is an undo request."""
    asked = world.tally(game.player(game.asks_by), _undo(game)) if game.asks == "undo" else None
    return [Drop(asked)] if asked else []


def _may_be_answered(game: Game, number: int, world: World) -> bool:
    """Whether an answer to an undo request of player `number` may be on its way, though a move has closed the request:
    the opponent has neither answered nor moved by hand since. A queued move has the time of the move before it."""
    asked = world.tally(game.player(number), _undo(game))
    if asked is None:
        return False
    last = 0
    for move in world.moves(game.id):
        if move.player == game.player(3 - number) and move.at > max(last, asked.since):
            return False
        last = move.at
    return True


def _refused(what: str, game: Game) -> str:
    return f"refused {what} {game.id}"


def after_move(game: Game, number: int) -> Game:
    """The board without the question that a move of this player settles."""
    stands = game.asks == "draw" and game.asks_by == number
    return game if stands or not game.asks else game._replace(asks="", asks_by=0)


def _asked(request: Request, asked: Asked, world: World) -> tuple[Game, int]:
    game, number = _require_seen(request, asked, world)
    if not game.asks or game.asks_by == number:
        raise Forbidden(f"Your opponent has not asked you anything on board {game.id}.")
    return game, number


def _require_seen(request: Request, asked: Asked, world: World) -> tuple[Game, int]:
    """A running board of the asker, and the asker's number on it. Forbidden if the answered letter does not show the
    opponent's question: nobody can answer a question without having seen it."""
    game, number = boards.require_newest(request, asked, world)
    unseen = asked.proof == Proofs.TOKEN and request.token and request.token[2] != game.stamp
    if unseen and game.asks_by == 3 - number:
        opponent = boards.names(game, world)[2 - number]
        raise Forbidden(
            f"The letter you answered does not show the {WISHES[game.asks]} of {opponent}; answer this one."
        )
    return game, number


def back_to(ply: int, to_move: int, number: int) -> int:
    """The ply to which an undo takes the board back: two plies if it is this player's turn, else one."""
    return ply - (2 if to_move == number else 1)


def _tell(
    game: Game,
    number: int,
    event: str,
    request: Request,
    world: World,
    notes: Mapping[int, list[str]] | None = None,
    **more: Any,
) -> list[Effect]:
    """The board as it is now, to both players, each with that player's own notes."""
    players = boards.names(game, world)
    moves = world.texts(game.id)[: game.ply]
    more |= {"event": event, "by": number, **timing.facts(game, request.now, world)}
    words = {number: request.text, 3 - number: boards.heard(request.text, game, number, world)}
    own, other = (
        boards.news("board", game, moves, players, n, **more, comment=words[n], notes=notes[n] if notes else [])
        for n in (number, 3 - number)
    )
    return [Put(game), Say(own), Post(game.player(3 - number), other)]
