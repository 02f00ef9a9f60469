"""The port that Prometheus asks: HTTP/1.1 with one page, `/metrics`, and one answer a connection."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger("mailbot.metrics")

SECONDS = 5.0
"""For a request to come, and for its answer to leave."""
AT_ONCE = 8
"""Connections; one more is closed at once."""
HEAD = 8192
"""Octets of a request, at most."""


class Port:
    """`text`: the page; `kind`: its content type."""

    def __init__(self, text: Callable[[], Awaitable[bytes]], kind: str) -> None:
        self._text = text
        self._kind = kind
        self._open: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self, host: str, port: int) -> None:
        """Listens from now on. Raises OSError."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=HEAD)
        self.port = self._server.sockets[0].getsockname()[1]
        log.info("metrics are at port %d", self.port)

    async def stop(self) -> None:
        """Listens no longer, and closes what is open."""
        if self._server:
            self._server.close()
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            if len(self._open) <= AT_ONCE:
                async with asyncio.timeout(SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(await self._answer(head))
                    await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # nobody to tell
        finally:
            self._open.discard(task)
            writer.close()

    async def _answer(self, head: bytes) -> bytes:
        method, _, rest = head.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method not in (b"GET", b"HEAD") or path != b"/metrics":
            return _said("404 Not Found", "text/plain", b"The metrics are at /metrics.\n")
        try:
            text = await self._text()
        except OSError as error:
            log.warning("the metrics could not be collected: %s", type(error).__name__)
            return _said("503 Service Unavailable", "text/plain", b"The store cannot be read now.\n")
        return _said("200 OK", self._kind, text, bodiless=method == b"HEAD")


def _said(status: str, kind: str, body: bytes, *, bodiless: bool = False) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode("ascii") + (b"" if bodiless else body)
