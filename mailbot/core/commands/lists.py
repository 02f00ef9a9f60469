"""Lists: whose turn it is on which board, here and everywhere, and who has won how often."""

from typing import Any

from engine import variants
from mailbot.core.effects import Effect, Letter, Say, Unreadable
from mailbot.core.games import boards
from mailbot.core.language.grammar import Row
from mailbot.core.letters.tables import OFFERED, OVER
from mailbot.core.model import Game
from mailbot.core.players import names
from mailbot.core.world import Asked, Request, World

MOST_LINES = 200
"""Lines of a list in one answer."""

MOST_LISTS = 10
"""Players whose boards are listed in one answer."""


def games(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A table for each player named (the asker by default), the boards that wait for the player first."""
    me = world.player(asked.by)
    wanted = asked.args.get("userid") or ((me.userid,) if me else ())
    return [Say(_games(name, request, asked, world)) for name in wanted[:MOST_LISTS]]


def _games(name: str, request: Request, asked: Asked, world: World) -> Letter:
    player = world.player_named(name)
    what = str(asked.args.get("filter", "active")).lower()
    found = boards.of_player(player.id, what, asked.game, world) if player else []
    rows = [_line(game, request.now, world) for game in found]
    of = names.shown(player.userid if player else name, asked.by, world)[:20]
    facts = {"table": "boards", "rows": rows[:MOST_LINES], "of": of, "what": what}
    return Letter("list", f"Boards of {of}", facts)


def _line(game: Game, now: int, world: World) -> dict[str, Any]:
    players = boards.names(game, world)
    if game.state == "running":
        status = f"{players[game.to_move - 1]} to move"
    elif game.state == "offered":
        status = OFFERED
    else:
        status = "drawn" if game.winner == 0 else f"{players[game.winner - 1]} won" if game.winner else "ended"
    return {
        "board": game.id,
        "rules": game.rules,
        "players": list(players),
        "status": status,
        "ply": game.ply,
        "waited": max(0, now - game.changed),
        "order": OVER if game.state == "over" else 0,
    }


def list_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """All running games, or those of some games or variants: the asker's turns first, then who waits longest."""
    known = world.catalogue.words()
    named = list(dict.fromkeys(known.get(word.lower(), word.lower()) for word in asked.args["game"]))
    found = world.running(tuple(_begins(rules, world) for rules in named), MOST_LINES + 1)
    more, found = len(found) > MOST_LINES, found[:MOST_LINES]
    found.sort(key=lambda game: game.to_move == 0 or game.player(game.to_move) != asked.by)
    rows = [_line(game, request.now, world) for game in found]
    return [Say(Letter("running", "Running games", {"table": "boards", "rows": rows, "games": named, "more": more}))]


def _begins(said: str, world: World) -> str:
    """How the rules begin of every game that is meant; Unreadable, with the nearest name, where none is."""
    if said not in world.catalogue.words().values():
        raise Unreadable(_no_game(said, world))
    return variants.write(variants.parse(said, world.catalogue))


def _no_game(word: str, world: World) -> str:
    try:
        world.catalogue.game(word)
    except Unreadable as unknown:
        stop = "" if str(unknown).endswith("?") else "."
        return f"{unknown}{stop} For a player's boards: games {word[:20]}"
    return f"there is no game {word[:20]} here"


def standings(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Wins, losses and draws of everybody who has finished a game; equal results share a place."""
    me = world.player(asked.by)
    rows: list[dict[str, Any]] = []
    for at, standing in enumerate(world.standings(asked.game), 1):
        before = rows[-1] if rows else None
        equal = before and (before["won"], before["lost"]) == (standing.won, standing.lost)
        rows.append({"place": before["place"] if before and equal else at, **standing._asdict()})
    shown = [row for at, row in enumerate(rows) if at < MOST_LINES or (me and row["userid"] == me.userid)]
    title = world.catalogue.game(asked.game).title if asked.game else ""
    facts = {"table": "standings", "rows": shown, "game": title, "more": len(rows) - len(shown)}
    return [Say(Letter("standings", f"Standings {title}".strip(), facts))]


ROWS = (
    Row(
        "games",
        ("filter", "userid+ filter", "userid*"),
        games,
        "list a player's boards: active (the default), next, finished or all",
        needs="known",
        game=True,
    ),
    Row("list", ("game*",), list_, "list all running games, of everybody", needs="known", game=True),
    Row("standings", ("",), standings, "who has won, lost and drawn how often", needs="known", game=True),
)
