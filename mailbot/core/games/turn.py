"""Plays a turn, by hand or from the queue, and whatever follows from it; writes the letters to both players.

Theory of operation. One mail plays one move by hand. The opponent may have an answer queued, and the mover may have
one queued to that: so turns follow one another until no queued answer fits. `_step` plays each of them as if it had
come by mail. Each uses up a step of a plan, and plans are short, so this ends. To the players it is all one event: each
gets one letter that shows every turn.
"""

from dataclasses import dataclass, field
from typing import Any

from engine.errors import EngineError
from engine.family import Onward
from mailbot.core.caps import moment
from mailbot.core.effects import Drop, Effect, Forbidden, Post, Put, Say
from mailbot.core.games import asks, boards, course, plans, timing
from mailbot.core.games.timing import Timing
from mailbot.core.model import Game, Move, Plan, States
from mailbot.core.world import Asked, Request, World

ASKS = {"propose": "draw", "undo": "undo"}
"""The questions that may go along with a move; the letter with the new board asks them."""

OVER = "the game is over"


def require_turn(request: Request, asked: Asked, world: World) -> tuple[Game, str]:
    """The board, and the move in the line, or nothing. The asker must be to move there, and the next ply must be the
    one that the move (or else the answered letter) is meant for. Raises Unreadable, NotAllowed or Forbidden."""
    game = boards.find(request, asked, world)
    number = boards.require_player(game, asked, world)
    boards.require_running(game, world)
    played, ply = boards.move_of(asked.args["move"], game, world) if "move" in asked.args else ("", None)
    if asked.by_letter and request.token and not game.is_next(request.token[2]):
        raise Forbidden(
            f"Board {game.id} has moved on since the letter you answered: the next move is ply {game.ply + 1}. Answer"
            " the newest letter."
        )
    boards.require_ply(game, ply)
    if game.to_move != number:
        mover = boards.names(game, world)[game.to_move - 1]
        raise Forbidden(f"It is not your turn on board {game.id}: {mover} is to move.")
    return game, played


@dataclass(slots=True)
class _Chain:
    """The board while turns follow one another. `events`: the facts of each turn; `notes`: for player 1 and 2 alone."""

    game: Game
    moves: list[str]
    onward: Onward
    plans: dict[int, Plan | None]
    timing: Timing
    effects: list[Effect] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[int, list[str]] = field(default_factory=lambda: {1: [], 2: []})


def play(game: Game, played: str, comment: str, along: str, request: Request, world: World) -> list[Effect]:
    """Plays the mover's move, and the queued answers that follow. Raises Unreadable, Forbidden.

    `along`: a word of ASKS or nothing.
    """
    number = game.to_move
    submitted = world.submitted(game.id, game.player(number))
    if submitted and (submitted.ply, submitted.text) == (game.ply + 1, played) and not comment.strip():
        comment = submitted.comment  # these words were to go with this move
    stands = timing.of(game, request.now, world)
    texts, queues = world.texts(game.id), {n: world.plan(game.id, game.player(n)) for n in (1, 2)}
    if along:
        asks.require_free(game, number, ASKS[along], world)
    chain = _Chain(game, texts, boards.onward(game, texts, world), queues, stands)
    _step(chain, played, comment, request.now, world, came=request.at)
    if along and (until := asks.declined(game, number, ASKS[along], request.now, world)):
        chain.notes[number].append(
            f"Your {asks.WISHES[ASKS[along]]} was left out, as your opponent declined one within the last day; ask"
            f" again after {moment(until, world.zone(game.player(number)))}."
        )
    elif along and chain.game.state == States.RUNNING:
        chain.game = course.asked(chain.game, ASKS[along], number)
    if submitted:
        chain.effects.append(Drop(submitted))
    while chain.game.state == States.RUNNING and _queued(chain, request.now, world):
        pass
    chain.effects += _left(chain)
    first, *more = chain.events
    told = {**first, "comment": comment, "then": more}
    told |= timing.told(chain.game, request.now, stands)
    return [*chain.effects, *tell(chain.game, chain.moves, number, told, chain.notes, world)]


def resign(game: Game, number: int, request: Request, world: World) -> list[Effect]:
    """Player `number` resigns: ends the game and cancels the queues."""
    players = boards.names(game, world)
    drops, notes = plans.cleared(game, OVER, world)
    told = {"event": "resign", "by": number, "comment": request.text}
    over = _resigned(game, number, players, request.now, timing.of(game, request.now, world))
    return [*drops, *tell(over, world.texts(game.id), number, told, notes, world)]


def tell(
    game: Game,
    moves: list[str],
    number: int,
    told: dict[str, Any],
    notes: dict[int, list[str]],
    world: World,
) -> list[Effect]:
    """Stores the game, and sends the board to the asker `number`, as the answer, and to the opponent."""
    players = boards.names(game, world)
    heard = {**told, "comment": boards.heard(str(told["comment"]), game, number, world)}
    other = 3 - number
    return [
        Put(game),
        Say(boards.news("board", game, moves, players, number, **told, notes=notes[number])),
        Post(game.player(other), boards.news("board", game, moves, players, other, **heard, notes=notes[other])),
    ]


def _step(
    chain: _Chain, played: str, comment: str, now: int, world: World, *, queued: bool = False, came: int | None = None
) -> None:
    """Plays one turn of the player to move. `came`: when it came, if that was before now."""
    game, number = chain.game, chain.game.to_move
    turn, to_move, over = chain.onward(played)
    used = 0 if queued else timing.used(game, now if came is None else came, chain.timing)
    game = course.moved(game, to_move, over, now, chain.timing, queued=queued, came=came)
    chain.game = game if over else asks.after_move(game, number)
    done = Move(game.id, game.ply, game.player(number), turn.move, comment, now, used)
    chain.moves = [*chain.moves, done.text]
    chain.effects.append(Put(done))
    chain.events.append(
        {
            "event": "move",
            "by": number,
            "played": done.text,
            "auto": turn.auto,
            "dropped": turn.dropped,
        }
    )


def _queued(chain: _Chain, now: int, world: World) -> bool:
    """Plays the queued answer of the player to move, if there is one; False if nothing was played."""
    game, number = chain.game, chain.game.to_move
    plan, played = chain.plans[number], chain.moves[-1]
    if plan is None or plan.ply != game.ply:
        return False
    chain.plans[number] = None
    notes = chain.notes[number]
    found = plans.answer(plans.read(plan.text), played)
    if found is None or game.asks:
        chain.effects.append(Drop(plan))
        what = f"Your queue has no answer to {played}, so it was cancelled."
        if found:
            what = f"Your queued answer {found[0]} was cancelled: your opponent asks you something."
        notes.append(what)
        return False
    answer, rest = found
    if answer == plans.RESIGN:
        chain.effects.append(Drop(plan))
        chain.game = _resigned(game, number, boards.names(game, world), now, chain.timing)
        chain.events.append({"event": "resign", "by": number, "queued": True})
        return False
    try:
        _step(chain, answer, "", now, world, queued=True)
    except EngineError as error:
        hung = ", and so was what followed from it" if rest else ""
        notes.append(f"Your queued move {answer} was cancelled{hung}. It is not legal now: {str(error).rstrip('.')}.")
        chain.effects.append(Drop(plan))
        return False
    chain.events[-1]["queued"] = True
    if rest:
        chain.plans[number] = plan._replace(ply=plan.ply + 2, text=plans.write(rest))
    left = chain.plans[number]
    chain.effects.append(Put(left) if left else Drop(plan))
    return True


def _left(chain: _Chain) -> list[Effect]:
    """The rest of the queues at the end: mentioned if a queue was begun, cancelled if the game is over."""
    over = chain.game.state == States.OVER
    for number, plan in chain.plans.items():
        if plan and over:
            chain.notes[number].append(f"Your queue was cancelled: {OVER}.")
        elif plan and any(event.get("queued") and event["by"] == number for event in chain.events):
            chain.notes[number].append("You have more queued, for the move that comes now.")
    return [Drop(plan) for plan in chain.plans.values() if plan and over]


def _resigned(game: Game, number: int, players: tuple[str, str], now: int, stands: Timing) -> Game:
    return course.over(game, 3 - number, f"{players[number - 1]} resigned", now, stands)
