"""The listener: opens the port, hands connections to sessions, and shuts down in good order.

`wire` has the values, `intake` what all connections share, `session` the protocol and its theory of operation.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from typing import cast

from mailbot.shell.smtp.fronts import Front, proxied
from mailbot.shell.smtp.intake import Accept, Intake, report
from mailbot.shell.smtp.session import Session
from mailbot.shell.smtp.wire import Envelope, Limits, Stats, Status, plain_ip

__all__ = ["Accept", "Envelope", "Limits", "Listener", "Stats", "Status", "start_listener"]


class _Door(asyncio.Protocol):
    """Sees a connection before anything is built for it (S9), and reads its PROXY header if it must have one."""

    def __init__(self, intake: Intake, pattern: Session) -> None:
        self._intake = intake
        self._pattern = pattern
        self._header = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._stream = cast(asyncio.Transport, transport)
        try:
            self._ip = plain_ip(self._stream.get_extra_info("peername"))
            front = self._intake.front.trusts(self._ip)
            if front and self._intake.front.proxy:
                self._intake.expect(self._stream)
            else:
                self._let_in(self._ip, front=front)
        except Exception as error:
            self._failed(error)

    def data_received(self, data: bytes) -> None:
        self._header += data
        try:
            found = proxied(self._header)
            if found is None:
                return
            named, size = found
            rest = self._header[size:]
            session = self._let_in(named or self._ip, front=not named)
            if session and rest:
                session.data_received(rest)
        except ValueError:
            self._intake.stats.aborted += 1
            self._stream.abort()
        except Exception as error:
            self._failed(error)

    def connection_lost(self, error: Exception | None) -> None:
        self._intake.expected(self._stream)

    def _let_in(self, ip: str, *, front: bool) -> Session | None:
        """Begins a session with the client at `ip`; `front`: it may speak for others. None if we turn it away."""
        self._intake.expected(self._stream)
        refusal = self._intake.refusal(ip)
        if refusal is not None:
            self._intake.stats.turned_away += 1
            self._stream.write(refusal.value.encode() + b"\r\n")
            self._stream.close()
            return None
        session = Session(self._pattern, self._intake, ip, front=front)
        self._intake.welcome(session)
        self._stream.set_protocol(session)
        session.connection_made(self._stream)
        return session

    def _failed(self, error: Exception) -> None:
        self._intake.stats.failures += 1
        report("taking a connection in failed", error)
        self._stream.abort()


class Listener:
    """The running listener; `start_listener` makes it."""

    def __init__(self, intake: Intake, pattern: Session) -> None:
        self._intake = intake
        self._pattern = pattern
        self._servers: list[asyncio.Server] = []

    @property
    def stats(self) -> Stats:
        """Live counters."""
        return self._intake.stats

    @property
    def port(self) -> int:
        """The TCP port of the first address; 0 if there is only a unix socket, or after `stop`."""
        for server in self._servers:
            for sock in server.sockets:
                name = sock.getsockname()
                if isinstance(name, tuple):
                    return int(name[1])
        return 0

    def _door(self) -> _Door:
        return _Door(self._intake, self._pattern)

    async def listen(self, host: str | Sequence[str], port: int) -> None:
        """Listen on `port` of one or several addresses. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._servers.append(await loop.create_server(self._door, host, port, backlog=256))

    async def listen_on(self, sock: socket.socket) -> None:
        """Listen on a bound socket, TCP or unix; `stop` closes it."""
        loop = asyncio.get_running_loop()
        if sock.family == socket.AF_UNIX:
            self._servers.append(await loop.create_unix_server(self._door, sock=sock, backlog=256))
        else:
            self._servers.append(await loop.create_server(self._door, sock=sock, backlog=256))

    async def stop(self, grace_seconds: float = 10.0) -> bool:
        """Close the port, let mails in work be answered for up to `grace_seconds`, then cut.

        Idle clients, and those in the middle of a mail's text, hear a 421 at once. True if nothing had to be cut; False
        if `accept` tasks were cancelled: their senders have no answer and will send again. May be called twice.
        """
        for server in self._servers:
            server.close()  # not `wait_closed`, which waits for the clients from Python 3.12 on (S18)
        return await self._intake.close(grace_seconds)


async def start_listener(
    accept: Accept,
    mailbox_exists: Callable[[str], bool],
    limits: Limits | None = None,
    *,
    hostname: str,
    host: str | Sequence[str] = "127.0.0.1",
    port: int = 25,
    sock: socket.socket | Sequence[socket.socket] | None = None,
    tls_context: ssl.SSLContext | None = None,
    full: Callable[[], bool] = lambda: False,
    exempt: Sequence[str] = (),
    front_mta: bool = False,
    unknown: Status = Status.NO_SUCH_ADDRESS,
    front: Front | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Listener:
    """Start taking mails in, on the running loop.

    `accept` decides about a whole mail and returns the answer; its effect must be durable before it returns a 250, and
    it must have no effect if it returns anything else. `mailbox_exists` gets an address as the client wrote it and must
    be quick; it is not asked about `postmaster` without a domain. `sock`, one or several bound sockets (systemd's
    LISTEN_FDS), replaces `host` and `port`; port 0 takes a free one, see `Listener.port`.
    `full`: whether the disk is too full to take anything (`Disk`).
    `exempt`: addresses or networks that the per-IP limits do not count, besides those of servers in front.
    `front_mta`: a queueing MTA is in front; a permanently refused mail is then dropped with a 250.
    `unknown`: the answer to a recipient that is no mailbox of ours.
    `front` says who may speak for other clients (XCLIENT, XFORWARD, PROXY); without it nobody may.
    `clock` (seconds) is for `Limits.mails_per_minute`. Raises OSError if the address cannot be used, ValueError for an
    `exempt` that is not a network.
    """
    limits = limits or Limits()
    intake = Intake(
        accept,
        mailbox_exists,
        limits,
        full=full,
        exempt=exempt,
        front_mta=front_mta,
        unknown=unknown,
        front=front or Front(),
        clock=clock,
    )
    listener = Listener(intake, Session.pattern(limits, hostname, tls_context))
    if sock is None:
        await listener.listen(host, port)
    else:
        for one in [sock] if isinstance(sock, socket.socket) else sock:
            await listener.listen_on(one)
    return listener
