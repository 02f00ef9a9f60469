"""Time has run out: the server ends the game by itself, and tells both players what each of them has used.

Theory of operation. There is one judge of time, `due`. The ticker asks it some time after `flag_at` has come, and every
mail of the player who is to move asks it first, so that a move is either in time or too late and never both. Mails of
the opponent do not ask it: the move may wait in a server in front of us, and the ticker leaves it the time to come. The
judge computes `flag_at` anew, since time may have stood still meanwhile. A command can end boards that it does not name
(`withdraw`); those where its player is to move are judged first, too. Boards are judged one after the other, each after
all that follows from the one before: a loss can withdraw a player from a tournament, and a day of vacation saves all
boards at once. No computer player that plays here loses on time: it waits for a worker, and players could keep all
workers busy to win rated games.
"""

from collections.abc import Iterable

from mailbot.core.effects import Effect, Post, Put
from mailbot.core.games import boards, course, plans, timing, vacations
from mailbot.core.model import Game, States
from mailbot.core.world import Proofs, Request, World

GRACE = 60
"""Seconds that the ticker waits, so that a move that has arrived in time is handled before it."""

BOTH_MOVED = 2
"""Turns after which a game counts. Who runs out of time before has lost nothing: the game is annulled, except in
a tournament."""


def due(game: Game, now: int, world: World, came: int = 0) -> list[Effect]:
    """The end of the game, if the time of whoever is to move has run out; or nothing. `came`: when the mail came that
    is judged, if that was before now."""
    at = came or now
    if game.flag_at is None or at < game.flag_at or game.state != States.RUNNING:
        return []
    if world.pulse().stuck:  # decided when letters can leave again
        return []
    stands = timing.of(game, now, world)
    game = course.timed(game, stands, now)
    assert game.flag_at is not None
    if at < game.flag_at:
        return [Put(game)]
    mover = world.player(game.player(game.to_move))
    computer = game.player(game.to_move) < 0
    if computer and mover and mover.state == "active":
        return [Put(course.given(game, game.to_move, course.LEAST, now, stands))]
    early = game.ply < BOTH_MOVED
    annulled = (early and not game.event) or computer  # it is switched off: nobody wins by waiting for that
    if not annulled and (saved := vacations.saved(game, now, world)):
        return saved
    players = boards.names(game, world)
    loser = game.to_move
    spent = _spent(game, world)
    reason = f"{players[loser - 1]} {course.OUT_OF_TIME}{' before both had moved' if early else ''}"
    over = course.flagged(game, None if annulled else 3 - loser, reason, now)
    drops, notes = plans.cleared(game, "the game is over", world)
    told = {"event": "flag", "by": loser, "spent": spent, "comment": ""}
    moves = world.texts(game.id)
    letters = [
        Post(game.player(number), boards.news("board", over, moves, players, number, **told, notes=notes[number]))
        for number in (1, 2)
    ]
    return [*drops, Put(over), *letters]


def first(request: Request, world: World) -> list[int]:
    """The boards of a request that are judged before it is done: those with a clock, if the player to move asks."""
    askers = _askers(request)
    games = [game for board in request.boards if (game := world.game(board))] if askers else []
    return _in_order([game for game in games if game.flag_at is not None and game.player(game.to_move) in askers])


def overtaken(effects: Iterable[Effect], request: Request, world: World) -> list[int]:
    """The boards among these effects whose time seems to have run out. They are judged, and the effects asked for anew,
    before anything is done."""
    rows = [effect.row for effect in effects if isinstance(effect, Put) and isinstance(effect.row, Game)]
    games = [game for row in rows if (game := world.game(row.id))]
    at, askers = request.at or request.now, _askers(request)
    late = [game for game in games if game.flag_at is not None and game.flag_at <= at]
    return _in_order([game for game in late if not request.asked or game.player(game.to_move) in askers])


def _askers(request: Request) -> set[int]:
    return {asked.by for asked in request.asked if asked.proved or asked.proof == Proofs.LINK or asked.by < 0}


def _in_order(games: list[Game]) -> list[int]:
    """The boards in the order in which their time runs out."""
    return [game.id for game in sorted(games, key=lambda game: (game.flag_at or 0, game.id))] if games else []


def _spent(game: Game, world: World) -> list[list[int]]:
    """Seconds and turns of player 1 and 2. The last turn of the loser, who has used all that was left, counts too."""
    spent = [[0, 0], [0, 0]]
    for move in world.moves(game.id):
        mine = spent[game.number_of(move.player) - 1]
        mine[0] += move.used
        mine[1] += 1
    spent[game.to_move - 1][0] += (game.left1, game.left2)[game.to_move - 1]
    return spent
