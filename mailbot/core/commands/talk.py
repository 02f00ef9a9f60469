"""Talking: words to an opponent, to players by name, to everybody who likes to hear; and who is not to be heard.

Theory of operation. Whoever writes is never told whether the words arrived: not there, locked, and not willing to hear
get one answer (P5). So the limits that a writer is told of count what was sent to a name, be there such
a player or not; what one reader gets from all writers together is capped silently, in the outbox. For the same reason
it is names that are blocked, not players.
"""

from collections.abc import Sequence

from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, Letter, NotAllowed, Post, Put, Say, Unreadable
from mailbot.core.games import boards
from mailbot.core.language.grammar import Row
from mailbot.core.language.masking import HIDDEN
from mailbot.core.model import BLOCKED, DAY, USERID, News, Player, Preference, Tally
from mailbot.core.players import names as userids
from mailbot.core.players.limits import one_more
from mailbot.core.tokens import AFTER, Token
from mailbot.core.world import Asked, Request, World

READERS = 10
"""Players one message may name."""

TO_ONE, TO_ALL = 20, 100
"""Letters of words from one player within a day: to one name, and to all names together."""

MAX_BLOCKS = 200
ANSWER_DAYS = 30
"""Days for which a message can be answered by a reply."""

WILLING = ("broadcast", "yes")
"""The preference of those who hear broadcasts."""


def chat(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Words to the opponent, without a move; also when the game is over, and by an old letter of the board."""
    game = boards.find(request, asked, world)
    number = boards.require_player(game, asked, world)
    boards.require_begun(game, world)
    _require_words(request)
    players = boards.names(game, world)
    moves = world.texts(game.id)
    told = {"event": "chat", "by": number, "comment": request.text}
    effects: list[Effect] = [
        *_counted(request, asked, [players[2 - number]], world),
        Say(boards.news("chat", game, moves, players, number, **told)),
    ]
    other = world.player(game.player(3 - number))
    if other and _hears(other, asked.by, world):
        effects.append(Post(other.id, boards.news("chat", game, moves, players, 3 - number, **told), Kinds.MESSAGE))
    return effects


def message(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Words to players by their userids."""
    said = [word.rstrip(",") for word in asked.args["toUserid"]]
    once = {word.lower(): word for word in reversed(said) if word != HIDDEN}
    named = [word for word in said if word == HIDDEN or once.pop(word.lower(), None)]
    if len(named) > READERS:
        raise Unreadable(f"A message goes to {READERS} players at most; you named {len(named)}.")
    return _send(request, asked, named, world)


def reply(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Words back to the player whose message was answered, or to the opponent of a finished game."""
    if request.token and request.token[0] == AFTER:
        return chat(request, asked, world)
    _, writer, day = request.token or ("", 0, 0)
    player = world.player(writer)
    if player is None or request.now // DAY - day > ANSWER_DAYS:
        raise NotAllowed(
            f"A message can be answered like this for {ANSWER_DAYS} days; write: message YOU PASSWORD NAME"
        )
    return _send(request, asked, [player.userid], world)


def _send(request: Request, asked: Asked, names: Sequence[str], world: World) -> list[Effect]:
    me = world.player(asked.by)
    if me is None or me.userid.lower() in [name.lower() for name in names]:
        raise Forbidden("That would be a message to yourself.")
    _require_words(request)
    shown = [userids.shown(name, asked.by, world)[:20] for name in names]
    effects: list[Effect] = [*_counted(request, asked, shown, world), Say(_sent(shown, request))]
    for player in map(world.player_named, names):
        if player and _hears(player, asked.by, world):
            effects.append(
                Post(player.id, _letter("message", f"A message from {me.userid}", me, player, request), Kinds.MESSAGE)
            )
    return effects


def broadcast(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Words to all who like to hear and onto the page, once a day; or (yes, no) whether the asker is one of them."""
    me = world.player(asked.by)
    if me is None:
        raise NotAllowed("There is no player of that name.")
    if choice := str(asked.args.get("choice", "")).lower():
        return _subscribe(me, choice)
    _require_words(request)
    tally = _spent(asked.by, "broadcast", 1, request.now, world)
    if tally is None:
        raise Forbidden("You have sent a broadcast within the last 24 hours; you may send one a day.")
    said = Letter("sent", "Your broadcast", {"names": [], "comment": request.text})
    news = News(world.fresh("news"), asked.by, request.now, request.text)
    effects: list[Effect] = [Put(tally), Put(news), Say(said)]
    for player in world.who_prefer(*WILLING):
        if player.id != asked.by and _hears(player, asked.by, world):
            letter = _letter("broadcast", f"From {me.userid} to everybody", me, player, request)
            effects.append(Post(player.id, letter, Kinds.BROADCAST))
    return effects


def _subscribe(me: Player, choice: str) -> list[Effect]:
    row = Preference(me.id, WILLING[0], choice)
    said = "You will get the broadcasts of other players." if choice == WILLING[1] else "You will get no broadcasts."
    return [Put(row) if choice == WILLING[1] else Drop(row), Say(Letter("notice", "Broadcasts", {"said": said}))]


def block(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Nothing the other one writes reaches the asker any more. Without a name: who is blocked."""
    names = world.blocked(asked.by)
    if "otherUserid" not in asked.args:
        return [_say(f"You have blocked: {', '.join(names)}." if names else "You have blocked nobody.")]
    name = userids.shown(asked.args["otherUserid"], asked.by, world)[:20]
    if name == HIDDEN:
        raise NotAllowed(
            "I know nobody of that name who has a board here or has written to you, so there is nobody to block."
        )
    if not USERID.match(name):
        raise Unreadable(f"'{name}' is no name that a player can have.")
    me = world.player(asked.by)
    if me and me.userid.lower() == name.lower():
        raise Forbidden("You cannot block yourself.")
    if len(names) >= MAX_BLOCKS:
        raise Forbidden(f"You have blocked {MAX_BLOCKS} players, which is the most; unblock some first.")
    said = (
        f"From now on no words and no challenges of {name} reach you, and {name} is not told. Moves of games you play"
        f" together still do. To undo it: unblock {me.userid if me else 'YOU'} PASSWORD {name}"
    )
    return [Put(_blocked(asked.by, name)), _say(said)]


def unblock(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Takes a block back."""
    name = asked.args["otherUserid"][:20]
    known = name.lower() in map(str.lower, world.blocked(asked.by))
    shown = name if known else userids.shown(name, asked.by, world)
    return [Drop(_blocked(asked.by, name)), _say(f"{shown} is not blocked by you any more.")]


def _blocked(player: int, name: str) -> Preference:
    return Preference(player, f"{BLOCKED}{name.lower()}", name)


def _say(said: str) -> Say:
    return Say(Letter("notice", "Blocked players", {"said": said}))


def _hears(player: Player, writer: int, world: World) -> bool:
    return player.state == "active" and not world.blocks(player.id, writer)


def _require_words(request: Request) -> None:
    """What is left of the text when all that does not travel (core/language/courtesy.py) is gone must be something."""
    if not request.text.strip():
        raise Unreadable(
            "There are no words to pass on. Write them below the command, in a mail of its own (quoted"
            " lines, boards and signatures do not count)."
        )


def _letter(template: str, subject: str, writer: Player, reader: Player, request: Request) -> Letter:
    facts = {"writer": writer.userid, "you": reader.userid, "comment": request.text}
    token = Token(tokens.MESSAGE, reader.id, writer.id, request.now // DAY)
    return Letter(template, subject, facts, token, thread=f"words-{writer.id}")


def _sent(shown: Sequence[str], request: Request) -> Letter:
    return Letter("sent", "Your message", {"names": shown, "comment": request.text})


def _counted(request: Request, asked: Asked, names: Sequence[str], world: World) -> list[Put]:
    """The asker's tallies with one letter more to each of the names; Forbidden when one of them is full."""
    counted = []
    total = world.tally(asked.by, "words")
    for name in names:
        tally = _spent(asked.by, userids.tally(name), TO_ONE, request.now, world)
        if tally is None:
            raise Forbidden(f"You have written to {name[:20]} {TO_ONE} times within a day, which is the most.")
        total = one_more(total, asked.by, "words", TO_ALL, DAY, request.now)
        if total is None:
            raise Forbidden(f"You have written {TO_ALL} letters to other players within a day, which is the most.")
        counted.append(Put(tally))
    return [*counted, *([Put(total)] if total else [])]


def _spent(player: int, what: str, most: int, now: int, world: World) -> Tally | None:
    """The tally with one more, or None if there were `most` within the day that it counts."""
    return one_more(world.tally(player, what), player, what, most, DAY, now)


ROWS = (
    Row(
        "chat",
        ("board userid password", "board", ""),
        chat,
        "send words to your opponent, without a move",
        game=True,
        may_have_body=True,
        needs_body=True,
        tokens=tokens.PLAY + tokens.AFTER,
        aliases=("say",),
    ),
    Row(
        "message",
        ("userid password toUserid+",),
        message,
        "send words to one or several players",
        may_have_body=True,
        needs_body=True,
    ),
    Row(
        "reply",
        ("",),
        reply,
        "answer a message",
        may_have_body=True,
        needs_body=True,
        tokens=tokens.MESSAGE + tokens.AFTER,
        takes_over=tokens.MESSAGE + tokens.AFTER,
    ),
    Row(
        "broadcast",
        ("userid password", "userid password choice"),
        broadcast,
        "send words to all who hear broadcasts; hear them or not: yes, no",
        may_have_body=True,
        needs_body=True,
    ),
    Row("block", ("userid password otherUserid", "userid password"), block, "get no words of a player any more"),
    Row("unblock", ("userid password otherUserid",), unblock, "hear a blocked player again"),
)
