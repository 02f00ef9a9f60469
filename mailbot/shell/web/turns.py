"""Pages take turns: one begins or goes on in each pass of the event loop, and mails are served in between.

Theory of operation. A page is made on the thread that also takes the mails in. If all requests that are ready began in
the same pass, a mail would wait for every one of them at each step of its dialogue. So the others wait here, also those
that go on after a wait for the writer, and the network that has used least of the loop's time goes first: whoever asks
for a single page does not wait for the hundreds of somebody else. What a network has used grows while its requests
wait; so it is asked again when the turn of one comes. It must never shrink, or a request would keep a rank that is too
low; therefore it is counted anew in each minute, and those of an earlier minute go first.
"""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

Rank = tuple[float, float]
"""A minute, and the seconds of work that a network has had in it."""


class Turns:
    """Use it on one event loop."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Rank, int, Callable[[], Rank], asyncio.Future[None]]] = []
        self._number = count()
        self._taken = False  # in this pass

    async def turn(self, used: Callable[[], Rank]) -> None:
        """Returns when a page may begin or go on. `used` gives the rank of its network."""
        loop = asyncio.get_running_loop()
        if self._taken:
            waiting: asyncio.Future[None] = loop.create_future()
            heapq.heappush(self._waiting, (used(), next(self._number), used, waiting))
            await waiting
        else:
            self._taken = True
            loop.call_soon(self._next)

    def _next(self) -> None:
        while self._waiting:
            before, number, used, waiting = heapq.heappop(self._waiting)
            if waiting.done():  # the request has been given up
                continue
            if self._waiting and (now := used()) > before and now > self._waiting[0][0]:
                heapq.heappush(self._waiting, (now, number, used, waiting))
            else:
                waiting.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._taken = False
