"""Connections of browsers: how many there may be, and how long each may dawdle.

Theory of operation. uvicorn waits for ever for the headers of a request, and for a client that does not read. Here a
request must be complete up to its body within HEADER_SECONDS, and a client that reads nothing for STALL_SECONDS is cut.
uvicorn keeps headers and trailers of any size, also those that come while an answer is under way, so a connection ends
after HEADER_OCTETS that are not part of a body. It also queues all requests that come before the last one is answered,
and reads more after each answer. Neither browsers nor servers in front send requests ahead, so a connection ends after
more than AHEAD of them. Whoever asks for another protocol (`Upgrade`, CONNECT) is refused: the parser leaves HTTP after
such headers, and uvicorn would read the body as the next request, whose answer a server in front gives to somebody
else. For the same reason a connection ends after an answer that is given before the body has come. When a connection
ends, uvicorn tells only the newest request that the client has gone, so we tell the others.
guard.py limits the body. A server in front holds many connections for many clients, so only the number of all
connections limits it.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mailbot.shell.smtp.wire import Places, plain_ip

HEADER_SECONDS: Final = 10.0
HEADER_OCTETS: Final = 64 * 1024
STALL_SECONDS: Final = 30.0
AHEAD: Final = 2
"""Requests that may wait for an answer to an earlier one of their connection."""


class Door:
    """Counts the connections: `most` of everybody, `per_source` of one network, unless it is `exempt`."""

    def __init__(self, most: int, per_source: int, exempt: Callable[[str], bool]) -> None:
        self._most = most
        self._places = Places(per_source, exempt)
        self.count = 0

    def come(self, ip: str) -> bool:
        """Lets a client in; False if there is no room."""
        if self.count >= self._most or self._places.full(ip):
            return False
        self.count += 1
        self._places.take(ip)
        return True

    def leave(self, ip: str) -> None:
        """The client has gone."""
        self.count -= 1
        self._places.take(ip, -1)


class Connection(HttpToolsProtocol):
    """One connection that came through the door."""

    def __init__(self, door: Door, **given: Any) -> None:
        super().__init__(**given)
        self._door = door
        self._ip: str | None = None
        self._late: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._octets = 0
        self._ahead = False
        self._unanswered: list[Any] = []  # the requests that are not answered yet, oldest first

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        ip = plain_ip(transport.get_extra_info("peername"))
        if self._door.come(ip):
            self._ip = ip
            self._expect()
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expected()
        self._flowing()
        if self._ip is not None:
            self._door.leave(self._ip)
            self._ip = None
        super().connection_lost(exc)
        for cycle in self._unanswered:
            cycle.disconnected = cycle.disconnected or not cycle.response_complete
            cycle.message_event.set()

    def data_received(self, data: bytes) -> None:
        waiting = self.cycle is None or self.cycle.response_complete
        if waiting and self._late is None:
            self._expect()
        self._octets += len(data)
        super().data_received(data)
        if self._octets > HEADER_OCTETS or self._ahead:
            self.transport.abort()

    def on_message_begin(self) -> None:
        self._ahead = len(self.pipeline) >= AHEAD
        if self._ahead:
            raise ValueError  # stops the parser, which has up to 256 KB at a time
        super().on_message_begin()

    def send_400_response(self, msg: str) -> None:
        if not self._ahead:
            super().send_400_response(msg)

    def on_headers_complete(self) -> None:
        self._expected()
        self._octets = 0
        if self.parser.should_upgrade():
            raise ValueError  # the client gets 400, and the connection ends
        super().on_headers_complete()
        self._unanswered = [one for one in self._unanswered if not one.response_complete]
        if self.cycle and self.cycle not in self._unanswered:
            self._unanswered.append(self.cycle)

    def on_response_complete(self) -> None:
        if self.cycle and self.cycle.more_body and not self.pipeline:
            self.transport.close()
        super().on_response_complete()

    def on_body(self, body: bytes) -> None:
        self._octets = max(0, self._octets - len(body))
        super().on_body(body)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._flowing()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing has come for a while, and a client that has not even read its last answer is cut."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        super().timeout_keep_alive_handler()

    def _expect(self) -> None:
        self._late = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _expected(self) -> None:
        if self._late:
            self._late.cancel()
            self._late = None

    def _flowing(self) -> None:
        if self._stalled:
            self._stalled.cancel()
            self._stalled = None
