"""Answers for taking mails in: opens the door, hands connections to sessions, and closes the door in good order.

`wire` has the values, `intake` what all connections share, `session` the protocol and its theory of operation.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from typing import cast

from mailbot.shell.smtp.intake import Accept, Intake, report
from mailbot.shell.smtp.session import Session
from mailbot.shell.smtp.wire import Envelope, Limits, Stats, Status, plain_ip

__all__ = ["Accept", "Envelope", "Limits", "Listener", "Stats", "Status", "start_listener"]


class _Door(asyncio.Protocol):
    """Sees a connection before anything is built for it (S9)."""

    def __init__(self, intake: Intake, pattern: Session) -> None:
        self._intake = intake
        self._pattern = pattern

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        stream = cast(asyncio.Transport, transport)
        try:
            ip = plain_ip(stream.get_extra_info("peername"))
            refusal = self._intake.refusal(ip)
            if refusal is not None:
                self._intake.stats.turned_away += 1
                stream.write(refusal.value.encode() + b"\r\n")
                stream.close()
                return
            session = Session(self._pattern, self._intake, ip)
            self._intake.welcome(session)
            stream.set_protocol(session)
            session.connection_made(stream)
        except Exception as error:
            self._intake.stats.failures += 1
            report("taking a connection in failed", error)
            stream.abort()


class Listener:
    """The running listener; made by `start_listener`."""

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
        """Close the door, let mails in work be answered for up to `grace_seconds`, then cut.

        Idle clients, and those in the middle of a mail's text, hear a 421 at once. True if nothing had to be cut; False
        if `accept` tasks were cancelled: their senders have no answer and will send again. May be called twice.
        """
        for server in self._servers:
            server.close()  # and not `wait_closed`, which waits for the clients from Python 3.12 on (S18)
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
    free_disk: Callable[[], int] | None = None,
    exempt: Sequence[str] = (),
    front_mta: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Listener:
    """Start taking mails in, on the running loop.

    `accept` decides about a whole mail and returns the answer; its effect must be durable before it returns a 250, and
    there must be none when it returns anything else. `mailbox_exists` gets an address as the client wrote it and must
    be quick; `postmaster` without a domain is not asked about. `sock`, one or several bound sockets (systemd's
    LISTEN_FDS), replaces `host` and `port`; port 0 takes a free one, see `Listener.port`.
    `free_disk` gives the bytes left where mails are stored (`Limits.min_free_bytes`).
    `exempt` are addresses or networks the per-IP limits do not count; the MTA in front must be among them.
    `front_mta` says that a queueing MTA stands in front: a mail refused for good is then dropped with a 250.
    `clock` (seconds) is for `Limits.mails_per_minute` and `min_free_bytes`. Raises OSError if the address
    cannot be had, ValueError for an `exempt` that is no network.
    """
    limits = limits or Limits()
    intake = Intake(
        accept,
        mailbox_exists,
        limits,
        free_disk=free_disk or (lambda: 1 << 62),
        exempt=exempt,
        front_mta=front_mta,
        clock=clock,
    )
    listener = Listener(intake, Session.pattern(limits, hostname, tls_context))
    if sock is None:
        await listener.listen(host, port)
    else:
        for one in [sock] if isinstance(sock, socket.socket) else sock:
            await listener.listen_on(one)
    return listener
