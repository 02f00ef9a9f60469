"""For the tests of the SMTP listener: a running one, and a client that sends exactly what it is told.

Nothing sleeps: a test waits for what it expects (an answer, the end of a connection), and `TIME` only keeps a broken
listener from hanging the run.
"""

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mailbot.shell.smtp.listener import Envelope, Limits, Listener, Status, start_listener

TIME = 20.0
BOT = "mailbot@play.example"
FREE = {"*": 1_000_000}  # calls of a command, for tests that are about something else
MARKED = re.compile(r"([245]\d\d \d\.\d\.\d [^\r\n]*) ([0-9a-f]{12})")
MAIL = "Subject: lambo move 1\r\n\r\na1\r\n"


@dataclass
class House:
    """A running listener and what it was handed."""

    listener: Listener
    mails: list[Envelope]
    clients: list["Client"] = field(default_factory=list)
    source: str = "127.0.0.1"

    async def raw_client(self, source: str | None = None) -> "Client":
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.listener.port, local_addr=(source or self.source, 0)
        )
        client = Client(reader, writer)
        self.clients.append(client)
        return client

    async def client(self, source: str | None = None, ehlo: bool = True) -> "Client":
        client = await self.raw_client(source)
        assert (await client.read()).startswith("220 ")
        if ehlo:
            assert (await client.say("EHLO client.example")).startswith("250")
        return client


@dataclass
class Client:
    """`mark`: the id that stood behind the last answer, "" if there was none."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    mark: str = ""

    async def read(self) -> str:
        """One answer, all its lines, without the id of a mail; "" when the server has closed."""
        lines = []
        while True:
            try:
                line = (await self.reader.readline()).decode()
            except ConnectionError:
                return ""
            lines.append(line)
            if line[3:4] != "-":
                break
        assert not lines[-1] or lines[-1].endswith("\r\n")
        answer, self.mark = "".join(lines).removesuffix("\r\n"), ""
        if marked := MARKED.fullmatch(answer):
            answer, self.mark = marked[1], marked[2]
        return answer

    def write(self, data: str | bytes) -> None:
        self.writer.write(data.encode() if isinstance(data, str) else data)

    async def say(self, line: str | bytes) -> str:
        self.write(line)
        self.write(b"\r\n")
        return await self.read()

    async def start_data(self, rcpt: str = BOT, sender: str = "ann@home.example") -> None:
        assert await self.say(f"MAIL FROM:<{sender}>") == Status.SENDER_OK.value
        assert await self.say(f"RCPT TO:<{rcpt}>") == Status.RECIPIENT_OK.value
        assert (await self.say("DATA"))[:3] == "354"

    async def mail(self, text: str | bytes = MAIL) -> str:
        """One whole mail; `text` as it goes over the wire, ending in CRLF."""
        await self.start_data()
        self.write(text)
        return await self.say(b".")

    async def closed(self) -> None:
        """Waits until the server has closed, whatever it says before."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass


Accept = Callable[[Envelope], Awaitable[Status]]


@contextlib.asynccontextmanager
async def house(accept: Accept | None = None, limits: Limits | None = None, **more: Any) -> AsyncIterator[House]:
    mails: list[Envelope] = []

    async def keep(mail: Envelope) -> Status:
        mails.append(mail)
        return Status.ACCEPTED if accept is None else await accept(mail)

    more = {"mailbox_exists": lambda address: address.endswith("@play.example"), "hostname": "play.example"} | more
    listener = await start_listener(keep, limits=limits, port=0, **more)
    built = House(listener, mails)
    async with asyncio.timeout(TIME):
        try:
            yield built
        finally:
            for client in built.clients:
                client.writer.close()
            await listener.stop(0)


async def until(happened: Callable[[], bool]) -> None:
    while not happened():
        await asyncio.sleep(0)


def guests(house: House) -> int:
    return len(house.listener._intake.guests)


async def deaf_house(limits: Limits) -> tuple[Any, socket.socket]:
    """A house whose send buffer is small, so that a client that does not read is noticed soon."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    sock.bind(("127.0.0.1", 0))
    return house(limits=limits, sock=sock), sock


async def deaf_client(house: House, said: bytes) -> socket.socket:
    """Says all this, and has not read anything; what it gets piles up soon."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(deaf, ("127.0.0.1", house.listener.port))
    await loop.sock_sendall(deaf, said)
    return deaf
