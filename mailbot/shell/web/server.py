"""uvicorn on the daemon's own event loop. The daemon owns the signals, the log and the order of start and stop."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp

from mailbot.shell.web.connections import Connection, Door

GRACE: Final = 2
"""Seconds that open connections have when the daemon stops."""
BACKLOG: Final = 128


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals to the daemon."""
        yield


class Page:
    """The running page. `url`: where players find it; "" stands for the address that it listens on, which then has
    further names, `hosts`."""

    def __init__(self, host: str, port: int, url: str) -> None:
        """Binds the address, so that the port is known. Raises OSError."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=BACKLOG)
        self._socket.setblocking(False)
        # asyncio does this only for sockets that name their protocol; without it each page waits 40 ms for an ACK
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        named = f"[{host}]" if ":" in host else host
        self.port: int = self._socket.getsockname()[1]
        self.url = url or f"http://{named}:{self.port}"
        self.hosts = () if url else tuple(f"{name}:{self.port}" for name in ("localhost", "127.0.0.1", "[::1]"))
        self._server: _Server | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, site: ASGIApp, door: Door) -> None:
        """Answers from now on whoever comes through the door."""
        config = uvicorn.Config(
            site,
            loop="none",
            http=cast(Any, partial(Connection, door)),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=True,
            timeout_graceful_shutdown=GRACE,
        )
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # it warns of each broken request
        self._server = _Server(config)
        self._task = asyncio.get_running_loop().create_task(self._server.serve([self._socket]))

    async def stop(self) -> None:
        """Answers what is under way, and closes."""
        if self._server and self._task:
            self._server.should_exit = True
            await asyncio.gather(self._task, return_exceptions=True)
        self._socket.close()
