"""Pages of tournaments, which may take a second to make: made beside the mails and other pages, and kept.

Theory of operation. A thread with a connection of its own makes one page at a time, so the event loop goes on. A page
is kept under what decides it (`seen_as`). While many games are played, that changes all the time; so a page that took
long to make is shown for SHOWN times as long before anybody asks again whether it has changed. Hence such a page takes
a twentieth of a core at most, however often it is asked for; a page of a small tournament is always as it is now.
"""

import asyncio
from collections.abc import Callable, Hashable
from dataclasses import replace
from time import thread_time
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from mailbot.shell.web.reading.seen import Kept
from mailbot.shell.web.rooms import Rooms

SHOWN: Final = 20
"""How many times as long a page is shown as it took, in whole seconds."""


class Aside:
    """The pages of tournaments that were asked for last."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._kept = Kept()
        self._alone = asyncio.Lock()
        self._shown: dict[int, tuple[int, Hashable]] = {}

    async def page(self, request: Request, number: int, what: Hashable, made: Callable[[Rooms], Response]) -> Response:
        """The page about this tournament that is called `what`. `made` makes it whole with the rooms that it is given,
        at one moment; it may raise HTTPException."""
        now = self._rooms.now()
        until, state = self._shown.get(number, (0, None))
        if now >= until:
            state = self._rooms.reads.seen_as(number)
        key = (number, what, state)
        if key not in self._kept:
            async with self._alone:
                if key not in self._kept:
                    whole, seconds = await asyncio.to_thread(self._timed, made)
                    if more := int(SHOWN * seconds):
                        self._shown[number] = now + more, state
                    return self._kept.page(request, key, lambda: whole)
        return self._kept.page(request, key, _never)

    def _timed(self, made: Callable[[Rooms], Response]) -> tuple[Response, float]:
        """The page, and the seconds of CPU that it took."""
        begun = thread_time()
        rooms = self._rooms
        reads = rooms.apart()
        with reads.as_one():
            whole = made(replace(rooms, reads=reads))
        return whole, thread_time() - begun


def _never() -> Response:
    raise AssertionError("it is kept")
