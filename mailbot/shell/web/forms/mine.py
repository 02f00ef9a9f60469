"""My games: what waits for me, by the time that is left; challenges, open offers, moves for later, tournaments."""

from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.contests import Tournament
from mailbot.core.games import boards, timing
from mailbot.core.letters import times
from mailbot.core.model import Game, Player, States
from mailbot.shell.web import session
from mailbot.shell.web.forms import boardside
from mailbot.shell.web.forms.entering import must_log_in
from mailbot.shell.web.rooms import Rooms

NEVER: Final = 2**40
"""Sorts a board without a clock behind all others."""


@dataclass(frozen=True, slots=True)
class Line:
    """One of my boards. `left`: the time of whoever is to move; `asks`: what the opponent asks; `queue`: my moves for
    later."""

    game: Game
    opponent: str
    terms: str
    mine: bool
    left: str
    seconds: int
    asks: str
    queue: str
    away: bool


def lines(rooms: Rooms, player: Player, now: int) -> list[Line]:
    """The running boards, those where I am to move first, and among these those with the least time left."""
    found = []
    for game in rooms.reads.games_of(player.id, (States.RUNNING,)):
        number = game.number_of(player.id)
        time = timing.column(game, now, rooms.reads)
        plan = rooms.reads.plan(game.id, player.id)
        found.append(
            Line(
                game,
                boards.names(game, rooms.reads)[2 - number],
                game.rules,
                game.to_move == number,
                times.short(time["left"]) if "left" in time else "",
                time.get("left", NEVER),
                game.asks if game.asks_by == 3 - number else "",
                plan.text if plan else "",
                "away" in time and game.to_move != number,  # the one to move is
            )
        )
    return sorted(found, key=lambda one: (not one.mine, one.seconds, one.game.changed, one.game.id))


def tournaments(rooms: Rooms, player: Player) -> list[tuple[Tournament, str]]:
    """The tournaments that I am in or direct, and as what."""
    entered = [rooms.reads.tournament(entry.tournament) for entry in rooms.reads.entered(player.id)]
    directed = rooms.reads.directed(player.id)
    return [*((one, "player") for one in entered if one), *((one, "director") for one in directed)]


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def me(request: Request) -> Response:
        mine = session.visit(rooms, request)
        if mine.player is None:
            return must_log_in(request)
        player, now = mine.player, rooms.now()
        offered = [
            (game, boards.names(game, rooms.reads), boardside.facts(rooms, game, game.number_of(player.id)))
            for game in rooms.reads.games_of(player.id, (States.OFFERED,))
            if not boards.hidden(game, player.id)
        ]
        facts: dict[str, Any] = {
            "lines": lines(rooms, player, now),
            "offered": offered,
            "seeks": [one for one in rooms.reads.seeks() if one.player == player.id],
            "tournaments": tournaments(rooms, player),
            "over": rooms.reads.count_over(player.id, ""),
        }
        return session.page(rooms, request, mine, "me", **facts)

    return [Route("/me", me, name="me")]
