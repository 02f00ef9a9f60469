"""The news, and the feeds of the server, of a board and of a tournament (Atom, RFC 4287)."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mailbot.core.caps import moment
from mailbot.core.commands.lists import line
from mailbot.core.contests import LOGGED
from mailbot.core.games.boards import subject
from mailbot.core.handle import sentence
from mailbot.core.hosting.standing import userid
from mailbot.core.letters import history
from mailbot.core.model import Game, States
from mailbot.shell.web import keeping
from mailbot.shell.web.reading import boards, seen
from mailbot.shell.web.rooms import Rooms

SHOWN: Final = 100
"""News on their page."""
RESULTS: Final = 30
"""Games that have ended in the feed of the server."""
LINES: Final = 60
"""Entries of a feed."""
LONGEST: Final = 4000
"""Characters of one piece of news."""
TOLD: Final = ("created", "began", "over", "cancelled")
"""What is told of every tournament (contests.LOGGED)."""
ATOM: Final = "application/atom+xml; charset=utf-8"
_UNSENDABLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""


class Item(NamedTuple):
    """One piece of news. `path`: the page about it; `mark`: what tells it from others about the same page."""

    at: int
    title: str
    path: str
    words: str = ""
    mark: str = ""


def routes(rooms: Rooms) -> list[Route]:
    """The addresses of this module."""

    async def news(request: Request) -> Response:
        with rooms.reads.as_one():
            items = _news(rooms)
        return seen.page(rooms, request, "news", items=[(one, moment(one.at)) for one in items])

    async def feed(request: Request) -> Response:
        with rooms.reads.as_one():
            items = [*_news(rooms), *(_result(rooms, game) for game in rooms.reads.ended(RESULTS))]
        return keeping.news(request, _feed(rooms, f"News of {rooms.own.domain}", "/news", items))

    async def of_board(request: Request) -> Response:
        board = request.path_params["board"]
        with rooms.reads.as_one():
            [letter] = seen.letters(rooms, "history", board=[str(board)])
            game = rooms.reads.game(board)
            assert game
            turns = boards.turns_of(rooms, letter.facts)
            ended = [_result(rooms, game)] if game.state == States.OVER else []
        moves = [
            Item(at, f"{by} played {move} (ply {ply})", f"/board/{board}/{ply}", mark=str(at))
            for at, (ply, by, _, _, move) in zip(letter.facts["times"], history.rows(letter.facts, turns), strict=True)
        ]
        return keeping.news(request, _feed(rooms, letter.subject, f"/board/{board}", [*moves, *ended]))

    return [
        Route("/news", news, name="news"),
        Route("/feed.atom", feed, name="feed"),
        Route("/board/{board:number}/feed.atom", of_board),
    ]


def of_tournament(rooms: Rooms, request: Request, number: int) -> Response:
    """The feed of a tournament: what was done in it, and the results that came last. Raises HTTPException."""
    [letter] = seen.letters(rooms, "tournament", n=str(number), part="log")
    log = letter.facts["log"]
    acts = rooms.reads.log(number, rooms.reads.log_length(number) - len(log), len(log))
    over = (game for game in rooms.reads.games_in(number) if game.state == States.OVER)
    last = sorted(over, key=lambda game: game.changed, reverse=True)[:LINES]
    done = [
        Item(act.at, said.partition("  ")[2], f"/tournament/{number}", mark=str(act.id))
        for act, said in zip(acts, log, strict=True)
    ]
    items = [*done, *(_result(rooms, game) for game in last)]
    return _feed(rooms, letter.facts["title"], f"/tournament/{number}", items)


def _news(rooms: Rooms) -> list[Item]:
    """What was broadcast, and what tournaments began or ended, the latest first."""
    reads = rooms.reads
    said = [
        Item(one.at, f"{userid(one.player, reads)} to everybody", "/news", one.words.strip()[:LONGEST], f"n{one.id}")
        for one in reads.news(SHOWN)
    ]
    for act in reads.acts(TOLD, SHOWN):
        contest = reads.tournament(act.tournament)
        title = f"Tournament {act.tournament}, {contest.title if contest else '?'}: {LOGGED[act.what]}"
        said.append(Item(act.at, title, f"/tournament/{act.tournament}", mark=f"t{act.id}"))
    return sorted(said, key=lambda one: one.at, reverse=True)[:SHOWN]


def _result(rooms: Rooms, game: Game) -> Item:
    """How a game has ended."""
    row = line(game, rooms.now(), rooms.reads)
    title = f"{subject(game, row['players'])}: {row['status']}"
    return Item(game.changed, title, f"/board/{game.id}", sentence(game.reason), f"over-{game.changed}")


def _feed(rooms: Rooms, title: str, path: str, items: Iterable[Item]) -> Response:
    """The items as a feed, the latest first. It is kept for everybody, so nothing in it comes from the request."""
    latest = sorted(items, key=lambda one: one.at, reverse=True)[:LINES]
    told = {"title": title, "url": rooms.url, "path": path, "self_path": f"{path.removeprefix('/news')}/feed.atom"}
    made = rooms.env.get_template("feed.xml").render(
        items=[(one, _date(one.at)) for one in latest], updated=_date(latest[0].at if latest else 0), **told
    )
    return seen.file(_UNSENDABLE.sub("", made).encode(), ATOM, "feed.atom")


def _date(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
