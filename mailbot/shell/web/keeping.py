"""Pages that are kept: those that were asked for last, and those of tournaments, which take long to make.

Theory of operation. A thread with a connection of its own makes one costly page at a time (`aside`), so the event loop
goes on. What it works counts for the network that asked (guard.py). `Aside` keeps such pages of tournaments, each
under what decides it (`seen_as`). While many games are played, that changes all the time; so a page that took long to
make is shown for SHOWN times as long before anybody asks again whether it has changed. Hence each part of such a page
takes a twentieth of a core at most, however often it is asked for; a page of a small tournament is always as it is now.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from mailbot.shell.web.guard import charge, queued, require_budget
from mailbot.shell.web.rooms import Rooms

WAITING: Final = 6
"""Requests of one address that may wait for the thread; of the networks around it, some times as many (`sources_of`).
"""
KEPT: Final = 16_000_000
"""Octets of pages in memory: some 500 boards."""
OK: Final = 200
CACHED: Final = {"Cache-Control": "no-cache", "Vary": "Cookie"}
"""A copy may be kept, and must be asked about before each use."""
SHOWN: Final = 20
"""How many times as long a page is shown as it took, in whole seconds."""


class Kept:
    """The pages that were asked for last, by what decides them: whole ones. `most`: octets of all together."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._pages: OrderedDict[Hashable, Response] = OrderedDict()
        self.octets = 0

    def page(self, request: Request, key: Hashable, made: Callable[[], Response]) -> Response:
        """The page with this key; `made` makes it, if it is not here."""
        found = self._pages.get(key)
        if found is None:
            found = made()
            if found.status_code != OK:
                return found
            self._pages[key] = found
            self.octets += len(found.body)
            while self.octets > self._most:
                self.octets -= len(self._pages.popitem(last=False)[1].body)
        else:
            self._pages.move_to_end(key)
        return news(request, found)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._pages


def news(request: Request, found: Response) -> Response:
    """What the browser needs of this page or file: all of it, or word that its copy is still good."""
    own = found.headers["etag"]
    return unchanged(own) if is_known(request, own) else found


def is_known(request: Request, own: str) -> bool:
    """Whether the browser has the version with this tag."""
    had = request.headers.get("if-none-match", "")
    return own in {one.strip().removeprefix("W/") for one in had.split(",")}


def unchanged(own: str) -> Response:
    """Word that the browser's copy is still good."""
    return Response(status_code=304, headers={**CACHED, "ETag": own})


async def aside(rooms: Rooms, made: Callable[[Rooms], Response]) -> Response:
    """The page that the thread makes. `made` makes it whole with the rooms that it is given, at one moment.

    It may raise HTTPException.
    """
    async with _turn(rooms):
        return (await _timed(rooms, made))[0]


@asynccontextmanager
async def _turn(rooms: Rooms) -> AsyncIterator[None]:
    """Alone with the thread. One network has few places in the queue, so that others need not wait for all of its
    requests. Raises HTTPException if they are taken."""
    with queued(rooms.waiting, WAITING):
        async with rooms.alone:
            yield


async def _timed(rooms: Rooms, made: Callable[[Rooms], Response]) -> tuple[Response, float]:
    """The page, and the seconds of CPU that the thread worked for it. They are charged even if it is refused."""
    require_budget()
    seconds = 0.0

    def work() -> Response:
        nonlocal seconds
        begun = rooms.cpu()
        try:
            reads = rooms.apart()
            with reads.as_one():
                return made(replace(rooms, reads=reads))
        finally:
            seconds = rooms.cpu() - begun

    try:
        return await asyncio.to_thread(work), seconds
    finally:
        charge(seconds)


class Aside:
    """The pages of tournaments that were asked for last."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._kept = Kept()
        self._shown: dict[int, tuple[int, int, Hashable]] = {}

    async def page(self, request: Request, number: int, what: Hashable, made: Callable[[Rooms], Response]) -> Response:
        """The page about this tournament that is called `what`. `made`: as in `aside`."""
        now = self._rooms.now()
        since, until, state = self._shown.get(number, (0, 0, None))
        if is_old := not since <= now < until:  # the clock may have been set back
            state = self._rooms.reads.seen_as(number)
        key = (number, what, state)
        if key not in self._kept:
            async with _turn(self._rooms):
                if key not in self._kept:
                    whole, seconds = await _timed(self._rooms, made)
                    # Another part of an old state does not make it last longer.
                    if is_old and (more := int(SHOWN * seconds)):
                        self._shown[number] = now, now + more, state
                    return self._kept.page(request, key, lambda: whole)
        return self._kept.page(request, key, _never)


def _never() -> Response:
    raise AssertionError("it is kept")
