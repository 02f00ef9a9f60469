"""Who watches which board, and what is new for them.

Theory of operation. Nobody asks the database on behalf of a single watcher. When the writer has committed something,
one statement reads all boards that are watched, at most once each `PAUSE` and not at all while nothing is committed.
The new board of each that has changed is rendered once, and goes to all who watch it. A watcher who is slow gets the
newest board only, so a connection holds one board at most.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mailbot.core.model import Game, States
from mailbot.shell.smtp.wire import Places
from mailbot.store.reads import Reads

MOST: Final = 500
"""Watchers at once."""
EACH: Final = 20
"""Of them, watchers from one IPv4 address or IPv6 /64."""
PAUSE: Final = 0.25
"""Seconds between two looks at the boards that are watched."""

log = logging.getLogger("mailbot.web")


def stamp(game: Game) -> str:
    """Tells what the page shows of a board from what it showed before."""
    return f"{game.stamp // 2}{'-over' if game.state == States.OVER else ''}"


@dataclass(eq=False, slots=True)
class Watcher:
    """Who watches. `board`: the board, `seen`: the stamp of what the browser has; `fresh` is set when there may be
    something newer, or the browser has gone (`gone`)."""

    board: int
    address: str
    seen: str
    fresh: asyncio.Event = field(default_factory=asyncio.Event)
    gone: bool = False


@dataclass(slots=True)
class Newest:
    """The newest board for its watchers: its stamp, and the message that shows it."""

    stamp: str
    message: bytes = b""


class Watchers:
    """All who watch, on one event loop. `pause`: seconds between two looks."""

    def __init__(self, reads: Reads, pause: float = PAUSE) -> None:
        self._reads = reads
        self._pause = pause
        self._come = asyncio.Event()
        self._all: set[Watcher] = set()
        self._places = Places(EACH, lambda ip: not ip)
        self._boards: dict[int, Newest] = {}
        self.closed = False

    @property
    def count(self) -> int:
        """How many watch."""
        return len(self._all)

    def committed(self) -> None:
        """Something has become durable."""
        if self._all:
            self._come.set()

    def welcome(self, watcher: Watcher, now: str) -> bool:
        """Takes the watcher in; False if there are too many. `now`: the stamp of the board as it is."""
        if len(self._all) >= MOST or self._places.full(watcher.address):
            return False
        self._all.add(watcher)
        self._places.take(watcher.address)
        if watcher.board not in self._boards:
            self._boards[watcher.board] = Newest(now)
        if watcher.seen != now:  # a move came after the page was rendered
            watcher.fresh.set()
        return True

    def leave(self, watcher: Watcher) -> None:
        """The watcher has gone."""
        self._all.remove(watcher)
        self._places.take(watcher.address, -1)
        if not any(one.board == watcher.board for one in self._all):
            self._boards.pop(watcher.board, None)

    def newest(self, watcher: Watcher, render: Callable[[int], str]) -> bytes:
        """The message that the watcher has not had; empty if there is none. `render`: the HTML of a board, as anybody
        sees it now."""
        newest = self._boards[watcher.board]
        if newest.stamp == watcher.seen:
            return b""
        watcher.seen = newest.stamp
        newest.message = newest.message or _message(newest.stamp, render(watcher.board))
        return newest.message

    async def run(self) -> None:
        """Looks at the boards after each commit, until `close`."""
        while not self.closed:
            await self._come.wait()
            self._come.clear()
            try:
                self._look()
            except Exception as error:
                log.error("the boards that are watched could not be read: %s", type(error).__name__)
            await asyncio.sleep(self._pause)

    def close(self) -> None:
        """Ends all connections."""
        self.closed = True
        self._come.set()
        for watcher in self._all:
            watcher.gone = True
            watcher.fresh.set()

    def _look(self) -> None:
        changed = set()
        for game in self._reads.boards(self._boards):
            now = stamp(game)
            if now != self._boards[game.id].stamp:
                self._boards[game.id] = Newest(now)
                changed.add(game.id)
        for watcher in self._all:
            if watcher.board in changed:
                watcher.fresh.set()


def _message(stamp: str, html: str) -> bytes:
    """A board as an event, with its stamp as the id."""
    data = "\n".join(f"data: {line}" for line in html.splitlines() if line)
    return f"id: {stamp}\nevent: board\n{data}\n\n".encode()
