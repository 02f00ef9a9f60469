"""The way for the operator's commands into the running daemon: a unix socket beside the database, a JSON line each way.

Only commands that write go this way; the command line reads everything else for itself.
"""

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mailbot.shell.writer import Unwritten, Writer
from mailbot.store import admin, pulse
from mailbot.store.store import Store

log = logging.getLogger("mailbot.control")


def socket_beside(store: Path) -> Path:
    """The path of the socket of the server with this database."""
    return store.with_name(store.name + ".sock")


def _retry(store: Store, asked: dict[str, Any], now: int) -> str:
    """Tries a mail that was set aside again."""
    store.retry(int(asked["id"]), now)
    return f"mail {asked['id']} has been done"


def _drop(store: Store, asked: dict[str, Any], now: int) -> str:
    """Gives a mail up that was set aside."""
    store.drop_aside(int(asked["id"]), now)
    return f"mail {asked['id']} has been dropped"


def _admin(store: Store, asked: dict[str, Any], now: int) -> str:
    """Carries out a command of `mailbot admin`."""
    said, about = admin.do(store, asked["name"], asked["words"], now)
    log.info("the operator: %s, %s", asked["name"], about)
    return said


STATE = "state"
"""The question of `mailbot doctor`; it changes nothing, so only a running daemon is asked."""

DOINGS: dict[str, Callable[[Store, dict[str, Any], int], str]] = {"retry": _retry, "drop": _drop, "admin": _admin}


def _asked(line: bytes) -> dict[str, Any]:
    """A request from the command line; ValueError for anything else."""
    asked = json.loads(line)
    if (
        not isinstance(asked, dict)
        or asked.get("do") not in (*DOINGS, STATE)
        or not 0 <= int(asked.get("id", 0)) < 1 << 62
    ):
        raise ValueError("not a request")
    words = asked.get("words")
    strings = isinstance(words, dict) and all(isinstance(word, str) for word in words.values())
    if asked["do"] == "admin" and not (asked.get("name") in admin.DOINGS and strings):
        raise ValueError("not a request")
    return asked


def do(store: Store, asked: dict[str, Any], now: int) -> str:
    """Carries out one request inside a job of the writer. `why_not` puts what it raises into words."""
    return DOINGS[asked["do"]](store, asked, now)


def why_not(asked: dict[str, Any], error: Exception) -> str:
    """The sentence about a request that failed."""
    if isinstance(error, admin.REFUSALS):
        return str(error)
    if isinstance(error, Unwritten):
        return "the database could not be written; try again"
    if asked["do"] in ("retry", "drop"):
        return (
            "there is no such mail set aside"
            if isinstance(error, (KeyError, OverflowError))  # a number that no row can have
            else f"it failed again: {type(error).__name__}"
        )
    return f"the program failed ({type(error).__name__}); nothing was changed"


class Control:
    """Listens for the operator while the daemon runs."""

    def __init__(
        self,
        path: Path,
        writer: Writer,
        now: Callable[[], int],
        state: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        """`state`: what the daemon knows about itself, plain JSON values, for `mailbot doctor`."""
        self._path = path
        self._writer = writer
        self._now = now
        self._state = state
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Opens the socket, for this user only."""
        self._path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)  # of the whole process, so nothing is awaited meanwhile
        try:
            listening.bind(str(self._path))
        finally:
            os.umask(before)
        self._server = await asyncio.start_unix_server(self._serve, sock=listening)

    async def stop(self) -> None:
        """Closes it."""
        if self._server:
            self._server.close()
        self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readline(), 10)
            if line:  # an empty line only asks whether a daemon answers
                said = await self._carry_out(_asked(line))
                writer.write(json.dumps(said).encode() + b"\n")
                await writer.drain()
        except (ValueError, TypeError, OSError, TimeoutError) as error:
            log.warning("a request of the command line failed: %s", type(error).__name__)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _carry_out(self, asked: dict[str, Any]) -> dict[str, str]:
        now = self._now()
        try:
            if asked["do"] == STATE:
                await self._writer.do(lambda store: pulse.touch(store.db))
                return {"said": json.dumps(self._state())}
            return {"said": await self._writer.do(lambda store: do(store, asked, now))}
        except Exception as error:
            if asked["do"] == "retry" and not isinstance(error, KeyError | Unwritten):
                await self._writer.do(lambda store: store.retry_failed(int(asked["id"])))
            return {"error": why_not(asked, error)}
