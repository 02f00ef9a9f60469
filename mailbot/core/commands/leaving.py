"""Leaving for good: the person is erased, the games that were finished stay under a pseudonym."""

from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Erase, Kinds, Letter, NotAllowed, Post, Put, Retire, Say, Unreadable
from mailbot.core.games import boards, course, plans, timing
from mailbot.core.hosting import withdrawals
from mailbot.core.language.grammar import Row
from mailbot.core.model import Game, Player, States
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request, World

ASK_HOURS = 24
"""Hours for which the question whether one is sure can be answered."""


def pseudonym(player: int) -> str:
    """What a player is called who is gone."""
    return f"gone-{player}"


def delete(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Asks back: nothing is deleted before the letter is answered."""
    player = _player(asked, world)
    running = len(world.games_of(player.id, (States.RUNNING,)))
    token = Token(tokens.DELETE, player.id, request.now // 3600, player.password_version)
    facts = {"userid": player.userid, "running": running, "pseudonym": pseudonym(player.id), "hours": ASK_HOURS}
    return [Say(Letter("delete", "Do you want to leave?", facts, token))]


def erase(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The answer to that letter, if it is `delete`: running games are given up, offers withdrawn, the person erased."""
    player = _player(asked, world)
    _, hour, version = request.token or ("", 0, 0)
    if request.now // 3600 - hour > ASK_HOURS or version != player.password_version:
        raise NotAllowed("This letter is too old. To delete your account, send: delete NAME PASSWORD")
    if asked.line.strip().lower().rstrip(".!") not in ("delete", "delete me", f"delete {player.userid.lower()}"):
        raise Unreadable("To delete your account, answer with the word delete. Otherwise ignore this letter.")
    effects = withdrawals.gone(player.id, request.now, world)
    ended = {effect.row.id for effect in effects if isinstance(effect, Put) and isinstance(effect.row, Game)}
    for game in world.games_of(player.id, (States.OFFERED, States.RUNNING)):
        effects += [] if game.id in ended else _withdrawn(game, player, request, world)
    effects += [Drop(seek) for seek in world.seeks() if seek.player == player.id]
    epoch = player.token_epoch + 1
    gone = player._replace(userid=pseudonym(player.id), state="gone", password_hash="", token_epoch=epoch)
    addresses = [address.addr for address in world.addresses(player.id) if address.state == "current"]
    farewell = Letter("goodbye", "Your account is deleted", {"userid": player.userid, "pseudonym": gone.userid})
    effects += [Drop(block) for block in world.blocks_of(player.userid)]
    effects += [Put(gone), Erase(player.id, player.userid), Retire(player.userid)]
    return [*effects, *(Post(0, farewell, Kinds.ACCOUNT, a) for a in addresses)]


def _withdrawn(game: Game, player: Player, request: Request, world: World) -> list[Effect]:
    """A board without the player: a challenge that is taken back, or a game that is lost; the opponent is told."""
    number = game.number_of(player.id)
    names = [*boards.names(game, world)]
    names[number - 1] = pseudonym(player.id)
    players = (names[0], names[1])
    other = game.player(3 - number)
    if game.state == States.OFFERED:
        return boards.without(game, number, players, request.now)
    reason = f"{players[number - 1]} has left the server"
    game = course.over(game, 3 - number, reason, request.now, timing.of(game, request.now, world))
    drops, notes = plans.cleared(game, reason, world)
    more = {"event": "left", "by": number, "comment": "", "notes": notes[3 - number]}
    told = boards.news("board", game, world.texts(game.id), players, 3 - number, **more)
    return [*drops, Put(game), Post(other, told)]


def _player(asked: Asked, world: World) -> Player:
    player = world.player(asked.by)
    if player is None or player.state == "gone":
        raise NotAllowed("This account cannot be deleted.")
    return player


ROWS = (
    Row(
        "delete", ("userid password",), delete, "delete your account; you are asked first", aliases=("delete account",)
    ),
    Row("erase", ("",), erase, "delete the account", tokens=tokens.DELETE, takes_over=tokens.DELETE),
)
