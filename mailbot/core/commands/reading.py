"""Looking: help, boards, lists of boards, and what a move would do."""

from difflib import get_close_matches
from typing import Any

from engine import notation, variants
from engine.position import apply
from mailbot.core import boards
from mailbot.core.effects import Effect, Forbidden, Letter, Say, Unreadable
from mailbot.core.grammar import Row
from mailbot.core.model import Game, Move
from mailbot.core.world import Asked, Request, World

MOST_BOARDS = 10
"""Boards drawn in one answer."""

MOST_AHEAD = 6
"""Moves a preview may go ahead."""

MOST_LINES = 200
"""Lines of a list in one answer."""

PAGES = ("help", "commands", "tutorial", "rules")
STATES = {
    "all": ("offered", "running", "over"),
    "active": ("offered", "running"),
    "next": ("running",),
    "finished": ("over",),
}


def topics(catalogue: variants.Catalogue = variants.CATALOGUE) -> dict[str, str]:
    """Everything that can be asked about, and its page: pages, games, their variants, commands."""
    from mailbot.core.commands import ROWS

    named = [*PAGES, *(game.name for game in catalogue.games), *(row.name for row in ROWS if not row.whole)]
    return {**{row.name: row.game for row in catalogue.variants}, **{name: name for name in named}}


def help_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A page of help; anyone may ask."""
    said = " ".join(asked.args["topic"]).lower() or asked.game or "help"
    known = topics(world.catalogue)
    meant = said if said in known else next(iter(get_close_matches(said[:40], known, 1, 0.7)), "commands")
    page = known[meant]
    return [
        Say(
            Letter(
                "help",
                f"Help: {page}",
                {"topic": page, "asked": said[:40] if meant != said and asked.by else "", "other": meant != said},
            )
        )
    ]


def show(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Boards as they stand, or as they stood after a ply; or the running boards of a player."""
    if "userid" in asked.args:
        player = world.player_named(asked.args["userid"])
        games = world.games_of(player.id, ("running",)) if player else []
        wanted: list[tuple[Game, int]] = [(game, game.ply) for game in games if asked.game in ("", _word(game))]
        if not wanted:
            return [Say(Letter("list", "Boards", {"rows": [], "of": asked.args["userid"][:20], "what": "running"}))]
    else:
        wanted = [_at(word, request, asked, world) for word in asked.args["board#"][:MOST_BOARDS]]
    said = []
    for game, ply in wanted[:MOST_BOARDS]:
        moves = world.moves(game.id)[:ply]
        past = ply if ply < game.ply else None
        letter = boards.news("show", game, moves, boards.names(game, world), game.number_of(asked.by), past=past)
        said.append(Say(letter))
    return list(said)


def _word(game: Game) -> str:
    return variants.parse(game.rules).game


def _at(word: str, request: Request, asked: Asked, world: World) -> tuple[Game, int]:
    number, _, ply = word.lstrip("#").partition("#")
    game = boards.find(request, _with_board(asked, number), world)
    if game.state not in boards.PLAYED:
        boards.require_running(game, world)
    if ply and int(ply) > game.ply:
        raise Forbidden(f"Board {game.id} has {game.ply} plies so far, so there is no position after ply {ply[:6]}.")
    return game, int(ply) if ply else game.ply


def _with_board(asked: Asked, number: str) -> Asked:
    return Asked(asked.name, asked.game, {"board": number}, asked.by, asked.proof)


def games(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A table of a player's boards (the asker's own by default), those that wait for the player first."""
    name = asked.args.get("userid", "")
    player = world.player_named(name) if name else world.player(asked.by)
    what = str(asked.args.get("filter", "active")).lower()
    rows = []
    for game in world.games_of(player.id, STATES[what]) if player else []:
        if asked.game and asked.game != _word(game):
            continue
        number = game.number_of(player.id) if player else 0
        if what == "next" and game.to_move != number:
            continue
        rows.append(_line(game, number, request.now, world))
    rows.sort(key=lambda row: (row["order"], -row["waited"], row["board"]))
    of = player.userid if player else name[:20]
    return [Say(Letter("list", f"Boards of {of}", {"rows": rows[:MOST_LINES], "of": of, "what": what}))]


def _line(game: Game, number: int, now: int, world: World) -> dict[str, Any]:
    players = boards.names(game, world)
    if game.state == "running":
        status, order = f"{players[game.to_move - 1]} to move", 0 if game.to_move == number else 1
    elif game.state == "offered":
        status, order = "offered", 2
    else:
        status, order = ("drawn" if not game.winner else f"{players[game.winner - 1]} won"), 3
    return {
        "board": game.id,
        "rules": game.rules,
        "players": list(players),
        "status": status,
        "ply": game.ply,
        "waited": max(0, now - game.changed),
        "order": order,
    }


def preview(request: Request, asked: Asked, world: World) -> list[Effect]:
    """The position after some more moves, to the asker alone."""
    game = boards.find(request, asked, world)
    if game.state not in boards.PLAYED:
        boards.require_running(game, world)
    if len(asked.args["move"]) > MOST_AHEAD:
        raise Unreadable(f"A preview goes {MOST_AHEAD} moves ahead at most; you gave {len(asked.args['move'])}.")
    moves = world.moves(game.id)
    position = boards.position(game, moves)
    for word in asked.args["move"]:
        played, _ = notation.parse_guarded(word)
        position = apply(position, played)
        text = notation.write_move(position.turns[-1].move)
        moves = [*moves, Move(game.id, position.ply, 0, text, "", request.now)]
    letter = boards.news(
        "show",
        game,
        moves,
        boards.names(game, world),
        game.number_of(asked.by),
        preview=[move.text for move in moves[game.ply :]],
    )
    return [Say(letter)]


ROWS = (
    Row("help", ("topic*",), help_, "explain the server, a game or a command", needs="anyone", game=True),
    Row("show", ("board#+", "userid"), show, "draw boards, also as they were: 12#4", needs="known", game=True),
    Row(
        "games",
        ("filter", "userid filter", "userid", ""),
        games,
        "list boards: active (the default), next, finished or all",
        needs="known",
        game=True,
        aliases=("list",),
    ),
    Row("preview", ("board move+",), preview, "see a position to come; nothing is played", needs="known", game=True),
)
