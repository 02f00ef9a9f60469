"""Looking at boards: as they are, as they were, as they would be; and the help."""

from typing import Any

from mailbot.core import tokens
from mailbot.core.effects import Effect, Forbidden, Kinds, Letter, NotAllowed, Post, Say, Unreadable
from mailbot.core.games import boards, timing
from mailbot.core.language.grammar import Row
from mailbot.core.language.topics import PAGES, found, topics
from mailbot.core.model import Game, States
from mailbot.core.players import names
from mailbot.core.ratings import terms
from mailbot.core.world import Asked, Proofs, Request, World

MAX_BOARDS = 10
"""Boards drawn in one answer."""

MAX_NAMED = 1000
"""Boards of one player that are looked at for an answer."""

MAX_AHEAD = 12
"""Moves a preview may go ahead; the longest line of `core/letters/lessons.py` has 11."""


def help_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A page of help; anyone may ask."""
    from mailbot.core.commands import ROWS

    said = " ".join(asked.args["topic"]).lower() or asked.game or "help"
    page, certain = found(said, topics(ROWS, world.catalogue))
    shown = said[:40] if asked.by and not certain else ""
    return [Say(Letter("help", f"Help: {page}", {"topic": page, "asked": shown, "other": not certain}))]


def show(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Boards as they stand, or as they stood after a ply; or the boards of players."""
    if "userid" not in asked.args:
        named = list(dict.fromkeys(asked.args["board#"]))
        drawn = [_at(word, request, asked, world) for word in named[:MAX_BOARDS]]
        # Without proof a mail must cost the same whoever sent it, and only two players can see an offer.
        offers = [game.id for game, _ in drawn if game.state not in boards.PLAYED]
        if offers and len(drawn) > 1 and asked.proof == Proofs.FROM:
            raise NotAllowed(f"Board {offers[0]} is an offer. To see it beside other boards I need your password.")
        return [*(Say(_shown(game, asked.by, request.now, world, ply)) for game, ply in drawn), *_left_out(named)]
    found: dict[int, Game] = {}
    what = str(asked.args.get("filter", "active")).lower()
    for name in asked.args["userid"][:MAX_BOARDS]:
        player = world.player_named(name)
        games = boards.of_player(player.id, what, asked.game, world, MAX_NAMED, viewer=asked.by)[0] if player else []
        found |= {game.id: game for game in games if game.state in boards.PLAYED}
    if not found:
        of = " or ".join(names.shown(name, asked.by, world)[:20] for name in asked.args["userid"][:MAX_BOARDS])
        facts = {"table": "boards", "rows": [], "of": of, "what": "running" if what == "active" else what}
        return [Say(Letter("list", "Boards", facts))]
    shown = [_shown(game, asked.by, request.now, world) for game in list(found.values())[:MAX_BOARDS]]
    return [*map(Say, shown), *_left_out(list(map(str, found)))]


def _left_out(numbers: list[str]) -> list[Effect]:
    """What to say of boards beyond those that are drawn."""
    left = numbers[MAX_BOARDS:]
    rest = ", ".join(left[:20]) + (f" and {len(left) - 20} more" if len(left) > 20 else "")
    told = f"A mail draws {MAX_BOARDS} boards at most. Not shown: {rest}. Ask for them by number."
    return [Say(Letter("notice", "Boards", {"said": told}))] if rest else []


def _shown(game: Game, viewer: int, now: int, world: World, ply: int | None = None) -> Letter:
    """A board as this player sees it, now or after an earlier ply; an offer as the letter that asks."""
    number, players = game.number_of(viewer), boards.names(game, world)
    if game.state == States.OFFERED:
        return boards.offer(game, players, number, "", 3 - number, **terms.facts(game, now, world))
    moves = world.texts(game.id)
    past = ply if ply is not None and ply < game.ply else None
    shown = moves if past is None else moves[:past]
    more: dict[str, Any] = timing.facts(game, now, world)
    if moves and number and game.to_move == number and past is None:  # the words that came with the last move
        last = world.moves(game.id)[-1]
        said = boards.heard(last.comment, game, 3 - number, world) if last.player != viewer else ""
        more |= {"by": 3 - number, "comment": said}
    return boards.news("show", game, shown, players, number, past=past, **more)


def showas(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The asker's own boards, each in a letter that can be answered, as when it was new."""
    if "board" in asked.args:
        named = dict.fromkeys(asked.args["board"])
        wanted = [boards.find(request, _with_board(asked, word), world) for word in named]
        for game in wanted:
            boards.require_player(game, asked, world)
            if game.state != States.OFFERED:
                boards.require_begun(game, world)
    else:
        what = str(asked.args.get("filter", "active")).lower()
        wanted, _ = boards.of_player(asked.by, what, asked.game, world, MAX_NAMED, viewer=asked.by)
    if len(wanted) == 1:
        return [Say(_shown(wanted[0], asked.by, request.now, world))]
    if not wanted:
        return [Say(Letter("notice", "Boards", {"said": "You have no such boards."}))]
    sent = ", ".join(str(game.id) for game in wanted[:MAX_BOARDS])
    told = f"You will get each of these boards in a letter of its own: {sent}."
    letters = [Post(asked.by, _shown(game, asked.by, request.now, world), Kinds.ANSWER) for game in wanted[:MAX_BOARDS]]
    return [Say(Letter("notice", "Boards", {"said": told})), *letters, *_left_out([str(game.id) for game in wanted])]


def history(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The record of boards, with the time that every ply took."""
    said: list[Effect] = []
    named = list(dict.fromkeys(asked.args["board"]))
    for word in named[:MAX_BOARDS]:
        game = boards.find(request, _with_board(asked, word), world)
        boards.require_begun(game, world)
        moves = world.moves(game.id)
        more: dict[str, Any] = {"times": [move.at for move in moves], **timing.facts(game, request.now, world)}
        more["by_ply"] = [game.number_of(move.player) for move in moves]
        if game.clock != "none":
            more["used"] = [move.used for move in moves]
            more["using"] = timing.used(game, request.now, timing.of(game, request.now, world))
        letter = boards.news(
            "history",
            game,
            [move.text for move in moves],
            boards.names(game, world),
            game.number_of(asked.by),
            began=game.started or game.created,
            now=request.now,
            **more,
        )
        said.append(Say(letter._replace(token=None)))
    return [*said, *_left_out(named)]


def _at(word: str, request: Request, asked: Asked, world: World) -> tuple[Game, int]:
    number, _, ply = word.lstrip("#").partition("#")
    game = boards.find(request, _with_board(asked, number), world)
    if not (game.state == States.OFFERED and game.number_of(asked.by)):
        boards.require_begun(game, world)
    if ply and int(ply) > game.ply:
        plies = "1 ply" if game.ply == 1 else f"{game.ply} plies"
        raise Forbidden(f"Board {game.id} has {plies} so far, so there is no position after ply {ply[:6]}.")
    return game, int(ply) if ply else game.ply


def _with_board(asked: Asked, number: str) -> Asked:
    return Asked(asked.name, asked.game, {"board": number}, asked.by, asked.proof)


def preview(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The position after some more moves, to the asker alone."""
    game = boards.find(request, asked, world)
    boards.require_begun(game, world)
    if len(asked.args["move"]) > MAX_AHEAD:
        raise Unreadable(f"A preview goes {MAX_AHEAD} moves ahead at most; you gave {len(asked.args['move'])}.")
    moves = world.texts(game.id)
    wanted = [boards.move_of(word, game, world) for word in asked.args["move"]]
    for number, (_, guard) in enumerate(wanted):
        boards.require_ply(game, guard, number)
    moves = [*moves, *boards.ahead(game, moves, [move for move, _ in wanted], world.catalogue)]
    letter = boards.news(
        "show",
        game,
        moves,
        boards.names(game, world),
        game.number_of(asked.by),
        preview=moves[game.ply :],
    )
    return [Say(letter)]


ROWS = (
    Row("help", ("topic*",), help_, "explain the server, a game or a command", needs="anyone", game=True, known=PAGES),
    Row(
        "show",
        ("board#+", "userid+ filter", "userid+"),
        show,
        "draw boards, also as they were: 12#4",
        needs="known",
        game=True,
        aliases=("all show",),
    ),
    Row(
        "showas",
        ("userid password board+", "userid password filter", "userid password"),
        showas,
        "get letters about your boards again, to answer them",
        game=True,
        long=True,
    ),
    Row(
        "history", ("board+",), history, "the record of a board, with the time each ply took", needs="known", game=True
    ),
    Row(
        "preview",
        ("board move+", "move+"),
        preview,
        "see a position to come; nothing is played",
        needs="known",
        game=True,
        tokens=tokens.PLAY,
        long=True,
    ),
)
