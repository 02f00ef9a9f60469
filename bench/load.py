"""Servers in processes of their own, and load for them: a client that knows just enough SMTP sends mails."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail: its envelope, and its text with CRLF lines and the final dot."""

    sender: str
    to: str
    text: bytes

    @property
    def script(self) -> list[bytes]:
        """What is said for it, step by step."""
        return [
            f"MAIL FROM:<{self.sender}>\r\n".encode(),
            f"RCPT TO:<{self.to}>\r\n".encode(),
            b"DATA\r\n",
            self.text,
        ]


@dataclass(frozen=True, slots=True)
class Took:
    """Wall-clock `seconds` for all, and those of each mail from its MAIL command to the answer after the dot."""

    seconds: float
    each: list[float]

    def rate(self) -> float:
        """Mails a second."""
        return len(self.each) / self.seconds

    def ms(self, percent: float) -> float:
        """This percentile of the single mails, in milliseconds."""
        return sorted(self.each)[min(len(self.each) - 1, int(len(self.each) * percent / 100))] * 1e3


class _Sender(asyncio.Protocol):
    """Says the next line whenever an answer is complete. Anything but a 2xx or 3xx is an error."""

    def __init__(self, mails: Iterator[Mail], each: list[float], one: bool, done: "asyncio.Future[None]") -> None:
        self._mails, self._each, self._one, self._done = mails, each, one, done
        self._steps: Iterator[bytes] = iter([b"EHLO bench.example\r\n"])
        self._begun = 0.0
        self._over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        line = data.rstrip(b"\r\n").rsplit(b"\n", 1)[-1]
        if line[3:4] == b"-" or self._over:
            return
        if line[:1] not in b"23":
            self._done.set_exception(RuntimeError(line.decode()))
            self._transport.close()
            return
        step = next(self._steps, None)
        if step is None:
            step = self._next()
        self._transport.write(step)  # type: ignore[attr-defined]

    def _next(self) -> bytes:
        now = time.perf_counter()
        if self._begun:
            self._each.append(now - self._begun)
        mail = None if self._begun and self._one else next(self._mails, None)
        if mail is None:
            self._over = True
            return b"QUIT\r\n"
        self._begun = now
        first, *rest = mail.script
        self._steps = iter(rest)
        return first

    def connection_lost(self, error: Exception | None) -> None:
        if not self._done.done():
            self._done.set_result(None)


async def drive(port: int, mails: Sequence[Mail], sessions: int, keep: bool) -> Took:
    """Sends all the mails over so many connections at once; `keep`: each is kept, else it serves one mail."""
    todo = iter(mails)
    each: list[float] = []
    loop = asyncio.get_running_loop()

    async def one_session() -> None:
        while len(each) < len(mails):
            done: asyncio.Future[None] = loop.create_future()
            before = len(each)
            await loop.create_connection(partial(_Sender, todo, each, not keep, done), "127.0.0.1", port)
            await done
            if len(each) == before:
                return

    begun = time.perf_counter()
    await asyncio.gather(*(one_session() for _ in range(sessions)))
    return Took(time.perf_counter() - begun, each)


# ---- the servers


async def stock() -> None:
    """The yardstick: aiosmtpd as it comes, with a handler that does nothing. Prints its port and serves."""
    from aiosmtpd.smtp import SMTP

    class Empty:
        async def handle_DATA(self, server: object, session: object, envelope: object) -> str:  # noqa: N802
            return "250 OK"

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Empty(), hostname="bench.example", loop=loop), "127.0.0.1", 0, backlog=256
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


@contextlib.contextmanager
def running(program: str, name: str, file: str = "") -> Iterator[tuple[int, int]]:
    """Port and process id of a server: a bench run with `--serve NAME --file FILE`, which prints its port first."""
    words = [sys.executable, program, "--serve", name, *(["--file", file] if file else [])]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline()), process.pid
    finally:
        process.kill()
        process.wait()


def cpu_seconds(pid: int) -> float:
    """What a process has used so far (Linux)."""
    parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """The most memory a process has had (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
