"""A browser without a screen: asks the site for a page, with no socket between them."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from mailbot.shell.post.gallery import Gallery
from mailbot.shell.web.rooms import Rooms, environment
from mailbot.shell.web.site import site
from mailbot.shell.web.watching import Watchers
from tests.dialogues import play
from tests.dialogues.play import Server


@dataclass(frozen=True)
class Got:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def html(self) -> str:
        return self.body.decode()

    @property
    def words(self) -> str:
        """What a reader sees: no tags, one blank between words."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.html)).split())


class Reader:
    """Reads the pages of a server."""

    def __init__(self, server: Server, gallery: Gallery | None = None) -> None:
        self.server = server
        self.seconds_each = 0.0
        """What each reading of the clock of the CPU adds to it."""
        self._worked = 0.0
        self.rooms = Rooms(
            own=server.own,
            reads=server.letterbox._reads,
            writer=server.writer,
            auth=server.auth,
            budgets=server.budgets,
            letterbox=server.letterbox,
            keys=server.store.keys(),
            now=lambda: server.time,
            url="http://games.example.net",
            catalogue=server.store.catalogue,
            env=environment(),
            asker=server.reception.asker,
            apart=server.apart,
            gallery=gallery,
            watchers=Watchers(server.letterbox._reads, pause=0),
            cpu=self._cpu,
        )
        server.writer._committed = self.rooms.watchers.committed  # type: ignore[union-attr]
        self.site: ASGIApp = site(self.rooms)

    def _cpu(self) -> float:
        self._worked += self.seconds_each
        return self._worked

    def scope(self, path: str, client: str = "192.0.2.7", **headers: str) -> dict[str, Any]:
        """What a server tells the site of a request. `headers`: with _ for -."""
        address, _, query = path.partition("?")
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": address,
            "raw_path": address.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (b"host", b"games.example.net"),
                *((name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()),
            ],
            "client": (client, 4000),
            "server": ("games.example.net", 80),
        }

    async def get(self, path: str, **headers: str) -> Got:
        """The page at this address."""
        told: list[dict[str, Any]] = []

        asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            return next(asked, {"type": "http.disconnect"})

        async def send(message: dict[str, Any]) -> None:
            told.append(message)

        await self.site(self.scope(path, **headers), receive, send)  # type: ignore[arg-type]
        return Got(
            told[0]["status"],
            {name.decode(): value.decode() for name, value in told[0]["headers"]},
            b"".join(one.get("body", b"") for one in told[1:]),
        )


class Stream:
    """A connection that stays open. `told`: the status, then each piece of the body."""

    def __init__(self, reader: Reader, path: str, client: str = "192.0.2.7", **headers: str) -> None:
        self._told: asyncio.Queue[Any] = asyncio.Queue()
        self._gone = asyncio.Event()
        scope = reader.scope(path, client, **headers)
        self._task = asyncio.ensure_future(reader.site(scope, self._receive, self._send))  # type: ignore[arg-type]

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self._told.put_nowait(message.get("status") or message["body"].decode())

    async def next(self) -> Any:
        """What comes next."""
        async with asyncio.timeout(20):
            return await self._told.get()

    async def close(self) -> None:
        """The browser goes."""
        self._gone.set()
        await self._task


async def said(server: Server, *lines: str) -> None:
    """Lines of a dialogue (tests.dialogues.play) happen: `begin ann bob`, `ann: SUBJECT`, `clock +1d`. A line that
    begins with `|` is the body of the mail before it."""
    for at, line in enumerate(lines):
        if line.startswith("|"):
            continue
        body = [more[1:] for more in takewhile(lambda more: more.startswith("|"), lines[at + 1 :])]
        _, status = await play.happened(server, f"> {line}", body)
        assert status[:4] in ("", "250 "), f"{line}: {status}"
        server.new_letters()


def reading(folder: Path, act: Callable[[Server, Reader], Awaitable[None]]) -> None:
    """Runs `act` on a server of its own, where ann may direct tournaments, and its reader."""

    async def run() -> None:
        server = Server(folder, directors="ann")
        server.writer.start()
        try:
            await act(server, Reader(server))
        finally:
            await server.close()

    asyncio.run(run())
