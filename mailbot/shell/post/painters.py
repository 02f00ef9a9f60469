"""Processes that make pictures (`painter`), started with the first picture.

A process that dies or hangs is killed, and its picture is not made; the next picture gets a new process. If several in
a row fail, no picture is made for a while, so that letters do not wait for each of them.
"""

import asyncio
import contextlib
import json
import logging
import os
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from typing import Final

from mailbot.core.letters.pictures import Wanted

log = logging.getLogger("mailbot.pictures")

SECONDS: Final = 8.0
"""For one picture, at most; the first picture of a process includes its start."""
MOST_OCTETS: Final = 2_000_000
FAILURES: Final = 3
"""After this many in a row, no picture is made for a while."""
REST: Final = 60.0
"""How long that while is, in seconds."""
PROGRAM: Final = (sys.executable, "-m", "mailbot.shell.post.painter")
PICTURE, LARGE, ERROR = b"P", b"L", b"E"
"""The kinds of an answer of this program."""
HEAD: Final = struct.Struct(">cI")
"""What every answer begins with: its kind and the length of the rest."""

WHY: Final = {TimeoutError: "it takes too long", asyncio.IncompleteReadError: "its process died"}


class Unmade(Exception):
    """There is no picture. `str(error)` is a word or two about why, for the log."""


class Painters:
    """Makes pictures, up to a number at once. Use it on one event loop."""

    def __init__(self, workers: int, program: Sequence[str] = PROGRAM, seconds: float = SECONDS) -> None:
        self._program = program
        self._seconds = seconds
        self._room = asyncio.Semaphore(workers)
        self._films = asyncio.Semaphore(1)  # one takes as long as a hundred stills, which must not wait for many
        self._idle: list[Process] = []
        self._failures = 0
        self._rest_until = 0.0

    async def paint(self, wanted: Wanted) -> bytes | None:
        """The PNG; None if the board is too large for one. Raises Unmade."""
        async with self._films if wanted.form == "film" else contextlib.nullcontext(), self._room:
            now = asyncio.get_running_loop().time()
            if self._failures >= FAILURES and now < self._rest_until:
                raise Unmade("resting")
            try:
                made = await self._made(wanted)
            except (TimeoutError, EOFError, OSError, Unmade) as error:
                self._failures += not isinstance(error, Unmade)
                self._rest_until = now + REST
                raise Unmade(WHY.get(type(error), str(error) or type(error).__name__)) from None
            self._failures = 0
            return made

    async def close(self) -> None:
        """Ends the processes."""
        while self._idle:
            await _killed(self._idle.pop())

    async def _made(self, wanted: Wanted) -> bytes | None:
        process = self._idle.pop() if self._idle else None
        try:
            async with asyncio.timeout(self._seconds):
                process = process or await self._started()
                assert process.stdin
                assert process.stdout
                process.stdin.write(json.dumps(wanted).encode() + b"\n")
                kind, size = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
                if size > MOST_OCTETS:
                    raise EOFError("it is too large")
                content = await process.stdout.readexactly(size)
        except BaseException:
            if process:
                await _killed(process)
            raise
        self._idle.append(process)
        if kind not in (PICTURE, LARGE):
            raise Unmade(content.decode("ascii", "replace")[:60])
        return content if kind == PICTURE else None

    async def _started(self) -> Process:
        # The environment may hold credentials; a program that makes pictures needs none of it.
        where = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"}
        return await asyncio.create_subprocess_exec(
            *self._program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=where, limit=MOST_OCTETS
        )


async def _killed(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
