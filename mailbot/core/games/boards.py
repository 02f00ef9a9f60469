"""The board that a command is about, and the letters about a board."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.catalogue import Catalogue
from engine.families import family_of
from engine.family import Onward, Position, name_of, unguarded
from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, NotAllowed, Post, Put, Say, Unreadable
from mailbot.core.games import course, timing
from mailbot.core.model import Analysis, Game, Move, States
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request, World

PLAYED = (States.RUNNING, States.OVER)

OFFER_DAYS = 14
"""Days after which an unanswered offer lapses."""


def position(game: Game, moves: Sequence[str], catalogue: Catalogue) -> Position:
    """The position after these moves, which were played in this game."""
    return family_of(game.rules, catalogue).replay(game.rules, moves, len(moves))


def ahead(game: Game, played: Sequence[str], moves: Sequence[str], catalogue: Catalogue) -> list[str]:
    """These moves as they would be played after those of the game. Raises Unreadable or Forbidden."""
    turns = family_of(game.rules, catalogue).replay(game.rules, [*played, *moves], len(played)).turns
    return [turn.move for turn in turns[len(played) :]]


def onward(game: Game, moves: Sequence[str], world: World) -> Onward:
    """Plays on after these moves of the game: a move at each call, which says who is to move next, and how the game
    ended, if it did. It raises Unreadable or Forbidden with one sentence, and must not be called after that."""
    return family_of(game.rules, world.catalogue).onward(game.rules, moves)


def move_of(text: str, game: Game, world: World) -> tuple[str, int | None]:
    """A move in canonical text, and the ply it is meant for, if its player says. Raises Unreadable or Forbidden."""
    move, ply = unguarded(text)
    return family_of(game.rules, world.catalogue).move(game.rules, move), ply


def require_ply(game: Game, guard: int | None, onward: int = 0) -> None:
    """Forbidden if a move is meant for another ply than the next one, or the one so many plies after it."""
    if guard is not None and guard != game.ply + 1 + onward:
        gone = "has moved on" if guard <= game.ply else "is not there yet"
        raise Forbidden(f"Board {game.id} {gone}: the next move is ply {game.ply + 1}, and yours was for {guard}.")


def names(game: Game, world: World) -> tuple[str, str]:
    """The userids of player 1 and 2."""
    one, two = world.player(game.player1), world.player(game.player2)
    return (one.userid if one else "?", two.userid if two else "?")


def hidden(game: Game, viewer: int) -> bool:
    """Whether this player (0: anybody) must not learn that the board is there. Anybody can write a challenge with the
    From of a player, and it has shown nobody that this player exists (P5) until the player agrees."""
    number = game.number_of(viewer)
    return not game.agreed and game.state not in PLAYED and (not number or number == 3 - game.asks_by)


def find(request: Request, asked: Asked, world: World) -> Game:
    """The board that the line names, or the one that the answered letter is about.

    Raises Unreadable if there is none, NotAllowed if a reply token is used for another board than its own, Forbidden if
    the game word in front names another game.
    """
    of_token = request.token[1] if request.token and request.token[0] in tokens.OF_BOARD else 0
    said = str(asked.args.get("board", "")).lstrip("#")
    number = int(said.partition("#")[0]) if said else of_token
    if asked.by_letter and number != of_token:
        raise NotAllowed(f"The letter you answered is about board {of_token}, not about board {number}.")
    if not number:
        raise Unreadable(f"Name the board by its number{_own_boards(asked, world)}.")
    game = world.game(number)
    if game is None or hidden(game, asked.by):
        raise Unreadable(f"There is no board {number}{_own_boards(asked, world)}.")
    if asked.game and asked.game != name_of(game.rules):
        raise Forbidden(f"Board {number} is a game of {name_of(game.rules)}, not of {asked.game}.")
    return game


def _own_boards(asked: Asked, world: World) -> str:
    found = world.games_of(asked.by, (States.OFFERED, States.RUNNING)) if asked.by else []
    own = [str(game.id) for game in found if not hidden(game, asked.by)]
    return f"; your boards: {', '.join(own[:20])}" if own else ""


def require_player(game: Game, asked: Asked, world: World) -> int:
    """The asker's number on the board, 1 or 2; NotAllowed for anybody else."""
    number = game.number_of(asked.by)
    if not number:
        raise NotAllowed(f"Board {game.id} belongs to {' and '.join(names(game, world))}, not to you.")
    return number


def require_begun(game: Game, world: World) -> None:
    """Forbidden, with the reason, unless the game is being played, or was."""
    if game.state in PLAYED:
        return
    if game.state == States.OFFERED:
        waits = [name for bit, name in zip((1, 2), names(game, world), strict=True) if not game.agreed & bit]
        raise Forbidden(f"Board {game.id} has not started: {' and '.join(waits)} has still to accept it.")
    raise Forbidden(f"Board {game.id} was never played: its challenge was {game.state}.")


def require_running(game: Game, world: World) -> None:
    """Forbidden, with the reason, unless the game is being played."""
    require_begun(game, world)
    if game.state == States.OVER:
        raise Forbidden(f"Board {game.id} is over: {game.reason}.")


def counts(game: Game) -> bool:
    """Whether more than this game depends on it, so that advice would be unfair to others."""
    return bool(game.event or (game.category and not game.unrated))


def moves_stand(game: Game) -> str:
    """Why no move is taken back on this board, or "" where it is if both agree. In a tournament two friends could take
    back and move for years, and all others would wait for them. A computer player always agrees, so in a rated game
    with one a player could try moves until one wins."""
    if game.event:
        return "In a tournament no move is taken back."
    if counts(game) and _against_computer(game):
        return f"Board {game.id} is rated, and in a rated game with a computer player no move is taken back."
    return ""


def may_have_hint(game: Game, number: int) -> bool:
    """Whether player `number` may ask for a hint now, as far as the board says: it is this player's turn against the
    computer, and nothing is rated."""
    to_move = game.state == States.RUNNING and game.to_move == number
    return to_move and _against_computer(game) and not counts(game)


def _against_computer(game: Game) -> bool:
    """Whether a computer player plays here: their numbers are negative (core.players.bots)."""
    return min(game.player1, game.player2) < 0


def heard(words: str, game: Game, number: int, world: World) -> str:
    """The words of player `number` as the other player gets them: none if the other player has blocked the writer."""
    return "" if world.blocks(game.player(3 - number), game.player(number)) else words


def require_newest(request: Request, asked: Asked, world: World) -> tuple[Game, int]:
    """A running board of the asker, and the asker's number on it; Forbidden if the answered letter is about an earlier
    turn."""
    game = find(request, asked, world)
    number = require_player(game, asked, world)
    require_running(game, world)
    if asked.by_letter and request.token and not game.is_next(request.token[2]):
        raise Forbidden(f"Board {game.id} has moved on since the letter you answered; answer the newest one.")
    return game, number


STATES = {
    "all": (States.OFFERED, States.RUNNING, States.OVER),
    "active": (States.OFFERED, States.RUNNING),
    "next": (States.RUNNING,),
    "inactive": (States.OVER,),
    "finished": (States.OVER,),
}
"""The states of boards by the word that asks for them; `next` means boards where the player is to move."""


def of_player(
    player: int, what: str, game: str, world: World, most: int, before: int = 0, *, viewer: int
) -> tuple[list[Game], int]:
    """The player's boards that `what` asks for, as far as `viewer` may know of them, of one game or, if `game` is
    empty, of all: first those where the player is to move, then by how long they have waited, then the finished ones.
    Returns at most `most` after the first `before`, and how many there are. There may be very many finished ones, so
    only those returned are read."""
    states = tuple(state for state in STATES[what] if state != States.OVER)
    open_ = [
        one
        for one in world.games_of(player, states)
        if game in ("", name_of(one.rules)) and (what != "next" or one.to_move == one.number_of(player))
        if not hidden(one, viewer)
    ]
    open_.sort(key=lambda one: (one.state != States.RUNNING, one.to_move != one.number_of(player), one.changed, one.id))
    page = open_[before : before + most]
    if States.OVER not in STATES[what]:
        return page, len(open_)
    page += world.over(player, game, most - len(page), max(0, before - len(open_)))
    return page, len(open_) + world.count_over(player, game)


def rewound(
    game: Game,
    moves: Sequence[Move],
    ply: int,
    now: int,
    world: World,
    least: tuple[int, int] = (course.LEAST, course.LEAST),
) -> tuple[Game, list[Effect]]:
    """The board as it was after `ply` turns, running and with no open question, and the effects that drop the later
    turns. `least`: see `course.rewound`."""
    to_move = position(game, [move.text for move in moves[:ply]], world.catalogue).to_move
    back = course.rewound(game, ply, to_move, now, timing.of(game, now, world), least)
    ruled = [one] if (one := world.overruled(game.id)) else []  # how it ended before a ruling is no matter any more
    return back, [*(Drop(move) for move in moves[ply:]), *map(Drop, ruled), *map(Drop, wishes(game, world))]


def wishes(game: Game, world: World) -> list[Analysis]:
    """The analyses of this game that its players wait for. In a game that goes on they would be advice."""
    found = [wish for number in (1, 2) for wish in world.analyses_of(game.player(number)) if wish.game == game.id]
    return found if game.state == States.OVER else []


def without_offers(player: int, now: int, world: World, *, others: bool = False) -> list[Effect]:
    """The player's open offers and challenges end; with `others` also the challenges of others to the player."""
    effects: list[Effect] = [Drop(seek) for seek in world.seeks() if seek.player == player]
    for game in world.games_of(player, (States.OFFERED,)):
        if others or game.agreed & game.number_of(player):
            effects += without(game, game.number_of(player), names(game, world), now)
    return effects


def without(game: Game, number: int, players: tuple[str, str], now: int, comment: str = "") -> list[Effect]:
    """A challenge without player `number`, who has made it or got it: there will be no game, and an opponent who has
    agreed is told. `comment`: words for the opponent."""
    game, other = course.declined(game, now), 3 - number
    more = {"by": number, "comment": comment, "taken_back": bool(game.agreed & number)}
    told = news("declined", game, (), players, other, **more)
    return [Put(game), *([Post(game.player(other), told, Kinds.OFFER)] if game.agreed else [])]


def subject(game: Game, players: tuple[str, str]) -> str:
    """The Subject, the same for every letter of a board, so that mail programs keep them together."""
    return f"{name_of(game.rules).capitalize()} {game.id}: {players[0]} - {players[1]}"


SHOW_QUESTIONS = ("board", "refused", "show")
"""Templates whose letters show the open question, beside the board as it is now. A reply to any other letter answers no
question."""


def news(template: str, game: Game, moves: Sequence[str], players: tuple[str, str], viewer: int, **more: Any) -> Letter:
    """A letter about a board as player `viewer` (1 or 2; 0 an onlooker) sees it.

    It carries all that is needed to draw the board later, so that nothing in between can change it.
    """
    facts: dict[str, Any] = {
        "board": game.id,
        "rules": game.rules,
        "moves": list(moves),
        "players": list(players),
        "viewer": viewer,
        "state": game.state,
        "to_move": game.to_move,
        "winner": game.winner,
        "reason": game.reason,
        "asks": game.asks,
        "asks_by": game.asks_by,
        "started": game.started or game.created,
        "changed": game.changed,
    }
    if game.clock != "none":
        facts["clock"] = game.clock
    if game.event:
        facts["occasion"] = [game.occasion, game.round]
    if may_have_hint(game, viewer):
        facts["hint"] = True
    facts |= more
    token = None
    if viewer and game.state in PLAYED:
        kind = tokens.PLAY if game.state == States.RUNNING else tokens.AFTER
        as_it_is = "preview" not in more and more.get("past") is None
        unseen = bool(game.asks) and not (template in SHOW_QUESTIONS and as_it_is)
        token = Token(kind, game.player(viewer), game.id, game.stamp - unseen)
    return Letter(template, subject(game, players), facts, token, thread=f"board-{game.id}")


def offer(game: Game, players: tuple[str, str], viewer: int, comment: str, by: int, **more: Any) -> Letter:
    """The letter about an offer; a player who has not agreed can answer it."""
    letter = news(
        "offer", game, (), players, viewer, agreed=game.agreed, comment=comment, by=by, days=OFFER_DAYS, **more
    )
    asks = not game.agreed & viewer
    return letter._replace(token=Token(tokens.ANSWER, game.player(viewer), game.id, 0) if asks else None)


def paired(
    game: Game, now: int, world: World, by: int = 0, notes: Mapping[int, Sequence[str]] | None = None, **more: Any
) -> list[Effect]:
    """The game of a tournament runs from now on; both players get its first board. `by`: who has challenged the other
    on a ladder, 0 if the server has paired them. `notes`: for player 1 and 2 alone."""
    stands = timing.of(game, now, world)
    game = course.begun(game, position(game, (), world.catalogue).to_move, now, stands)
    told = {"event": "paired", "by": by, "comment": "", **timing.told(game, now, stands), **more}
    players = names(game, world)

    def first(number: int) -> Letter:
        return news("board", game, (), players, number, **told, notes=notes[number] if notes else [])

    return [Put(game), *(Post(game.player(number), first(number)) for number in (1, 2))]


def begin(game: Game, by: int, request: Request, world: World, event: str = "start", **more: Any) -> list[Effect]:
    """The game runs from now on; its first board, with the words of the request, goes to player `by`, as the answer,
    and to the other player."""
    stands = timing.of(game, request.now, world)
    game = course.begun(game, position(game, (), world.catalogue).to_move, request.now, stands)
    more |= timing.told(game, request.now, stands)
    players = names(game, world)
    words = {by: request.text, 3 - by: heard(request.text, game, by, world)}
    own, other = (
        news("board", game, (), players, number, event=event, by=by, comment=words[number], **more)
        for number in (by, 3 - by)
    )
    return [Put(game), Say(own), Post(game.player(3 - by), other)]
