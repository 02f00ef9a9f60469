"""Lists: whose turn it is on which board, here and everywhere.

How long a list in a letter may be, and how one asks for the rest, is said in core/paging.py.
"""

from typing import Any

from engine.families import family_of
from mailbot.core.effects import Effect, Letter, Say, Unreadable
from mailbot.core.games import boards, timing
from mailbot.core.language import paging
from mailbot.core.language.grammar import Row
from mailbot.core.letters.tables import OFFERED, OVER
from mailbot.core.model import Game, States
from mailbot.core.players import names
from mailbot.core.world import Asked, Proofs, Request, World

MAX_LISTS = 10
"""Players whose boards are listed in one answer."""


def games(request: Request, asked: Asked, world: World) -> list[Effect]:
    """A table for each player named (the asker by default), the boards that wait for the player first."""
    me = world.player(asked.by)
    named = {name.lower(): name for name in asked.args.get("userid") or ((me.userid,) if me else ())}
    left = paging.most(asked, world)
    said: list[Effect] = []
    for name in list(named.values())[:MAX_LISTS]:
        letter = _games(name, left, request, asked, world)
        left -= len(letter.facts["rows"])
        said.append(Say(letter))
    if over := [names.shown(name, asked.by, world)[:20] for name in list(named.values())[MAX_LISTS:]]:
        told = f"An answer lists the boards of {MAX_LISTS} players at most. Left out: {', '.join(over)[:400]}."
        said.append(Say(Letter("notice", "Boards", {"said": told})))
    return said


def _games(name: str, most: int, request: Request, asked: Asked, world: World) -> Letter:
    player = world.player_named(name)
    what = str(asked.args.get("filter", "active")).lower()
    before = paging.start(asked)
    # Without proof a mail must cost the same whoever sent it, so an own list beside others has no offers.
    several = len(asked.args.get("userid") or ()) > 1
    viewer = 0 if several and asked.proof == Proofs.FROM else asked.by
    found, count = (
        boards.of_player(player.id, what, asked.game, world, most, before, viewer=viewer) if player else ([], 0)
    )
    rows = [line(game, request.now, world) for game in found]
    of = names.shown(player.userid if player else name, asked.by, world)[:20]
    more = max(0, count - before - len(rows))
    words = [of, *([what] if "filter" in asked.args else [])]
    facts = {"table": "boards", "rows": rows, "of": of, "what": what, "more": more, "before": min(before, count)}
    return Letter("list", f"Boards of {of}", {**facts, "again": paging.rest(asked, before + len(rows), words)})


def line(game: Game, now: int, world: World) -> dict[str, Any]:
    """A board as a row of a list."""
    players = boards.names(game, world)
    if game.state == States.RUNNING:
        status = f"{players[game.to_move - 1]} to move"
    elif game.state == States.OFFERED:
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
        "order": OVER if game.state == States.OVER else 0,
        **timing.column(game, now, world),
    }


def list_(request: Request, asked: Asked, world: World) -> list[Effect]:
    """All running games, or those of some games or variants: the asker's turns first, then who waits longest."""
    known = world.catalogue.words()
    named = list(dict.fromkeys(known.get(word.lower(), word.lower()) for word in asked.args["game"]))
    before, most = paging.start(asked), paging.most(asked, world)
    found = world.running(tuple(_begins(rules, world) for rules in named), before + most + 1)[before:]
    more, found = len(found) > most, found[:most]
    found.sort(key=lambda game: game.to_move == 0 or game.player(game.to_move) != asked.by)
    rows = [line(game, request.now, world) for game in found]
    again = f"list {' '.join(str(word).lower() for word in asked.args['game'])}".strip() + f" -from={before + most + 1}"
    facts = {"table": "boards", "rows": rows, "games": named, "more": more, "again": again}
    return [Say(Letter("running", "Running games", facts))]


def _begins(said: str, world: World) -> str:
    """How the rules begin of every game that is meant; Unreadable, with the nearest name, where none is."""
    if said not in world.catalogue.words().values():
        raise Unreadable(_no_game(said, world))
    return family_of(said, world.catalogue).read(said, world.catalogue)


def _no_game(word: str, world: World) -> str:
    try:
        world.catalogue.game(word)
    except Unreadable as unknown:
        stop = "" if str(unknown).endswith("?") else "."
        return f"{unknown}{stop} For a player's boards: games {word[:20]}"
    return f"there is no game {word[:20]} here"


ROWS = (
    Row(
        "games",
        ("filter", "userid+ filter", "userid*"),
        games,
        "list a player's boards: active (the default), next, finished or all",
        needs="known",
        game=True,
        options=True,
        long=True,
    ),
    Row(
        "list",
        ("game*",),
        list_,
        "list all running games, of everybody",
        needs="known",
        game=True,
        options=True,
        long=True,
    ),
)
