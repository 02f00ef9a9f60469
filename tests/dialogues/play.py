"""Plays a dialogue: mails in, SMTP answers and letters out, on a server without sockets and with a fixed clock.

A dialogue is a text. Our lines begin with `>`, and the server writes all others:

    > ann: SUBJECT                      a mail from ann@example.org to the server
    > <ann@other.example>: SUBJECT      the same from any address
    > ann answers: TEXT                 a reply to her newest letter with a Reply-To; TEXT is its first line
    > <eve@example.org> answers ann: TEXT    somebody else answers a letter that went to ann
    > ann answers #2: TEXT              a reply to her second letter with a Reply-To
    >| more lines of the body
    > from 198.51.100.9                 from here on, mails come from this IP address
    > clock +14d                        time passes (s, m, h, d), and due things happen
    > down 3d                           time passes while the server is off
    > undelivered bob                   the last three letters to bob come back: there is no such mailbox
    > again                             the last mail once more, byte for byte
    > begin ann bob                     these players sign up; nothing of it is printed
    >> ann: SUBJECT                     any of these, as a part of the scene: nothing of it is printed
    # a remark

Paragraphs that this dialogue has shown before are not printed again if together they have three lines or more. A line
in parentheses shows their first words and four digits of their checksum, so that any change is visible.

A stand-in hashes the passwords, because a dialogue is about words.
"""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email import message_from_bytes
from email.headerregistry import HeaderRegistry
from email.message import Message
from email.policy import default
from functools import lru_cache
from io import BytesIO
from itertools import groupby, takewhile
from pathlib import Path
from zipfile import ZipFile

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core.caps import DEFAULTS, Caps
from mailbot.core.letters.pictures import Wanted
from mailbot.core.mail.addresses import Own
from mailbot.core.mail.quoting import MARKER
from mailbot.core.players.attempts import Attempts
from mailbot.core.players.bounces import HARD, MAX_HARD
from mailbot.core.tokens import Token
from mailbot.shell.console import postman
from mailbot.shell.post.compose import compose
from mailbot.shell.post.letterbox import Letterbox
from mailbot.shell.proof.auth import Auth
from mailbot.shell.proof.budgets import Budgets
from mailbot.shell.proof.operator import Operator
from mailbot.shell.reception import Reception
from mailbot.shell.smtp.fronts import Front
from mailbot.shell.smtp.wire import Envelope
from mailbot.shell.ticker import Ticker
from mailbot.shell.writer import Writer
from mailbot.store import hung, outbox
from mailbot.store.connection import connect
from mailbot.store.reads import Reads
from mailbot.store.remembered import Once
from mailbot.store.returned import came_back
from mailbot.store.store import Store

BEGIN = int(datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp())
OPERATOR = "operator@example.net"
OPERATORS_PASSWORD = "canary-referee-9"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
PASSWORDS = {
    "ann": "correct-horse-1",
    "bob": "battery-staple-2",
    "cat": "dog-and-mouse-3",
    "dan": "lantern-in-fog-4",
    "eva": "seven-red-apples-5",
}
"""Of the players whom `begin` signs up."""

DOMAIN = "games.example.net"
FRONT = "mail.example.net"

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (400).to_bytes(4, "big") * 2
"""As much of a picture as a letter looks at."""

POLICY = default.clone(header_factory=lru_cache(10_000)(HeaderRegistry()))
"""Of letters as they are read here: the same header is parsed once in all of them."""

_MAIL = re.compile(r"> (?:<(?P<from>[^>]+)>|(?P<who>\w+)): ?(?P<subject>.*)")
_ANSWER = re.compile(
    r"> (?:<(?P<from>[^>]+)> answers (?P<whose>\w+)|(?P<who>\w+) answers)(?: #(?P<n>\d+))?: ?(?P<text>.*)"
)
_SOURCE = re.compile(r"> from ([0-9a-f.:]+)")
_BEGIN = re.compile(r"> begin (\w+(?: \w+)*)")
_DOWN = re.compile(r"> down (\d+)([smhd])")
_DIRECTORS = re.compile(r"^# directors: (.*)", re.MULTILINE)
_UNDELIVERED = re.compile(r"> undelivered (\w+)")
_CLOCK = re.compile(r"> clock \+(\d+)([smhd])")


def received(source: str) -> bytes:
    """The header that a front mail server puts on top: the client's HELO is another address than its own."""
    return f"Received: from [198.51.100.77] (unknown [{source}])\r\n\tby {FRONT} (Postfix) with ESMTP\r\n".encode()


class Memory:
    """Failed log-ins, forgotten at the end."""

    def __init__(self) -> None:
        self.rows: dict[str, Attempts] = {}

    def get(self, key: str) -> Attempts | None:
        return self.rows.get(key)

    def put(self, key: str, row: Attempts) -> None:
        self.rows[key] = row


class Server:
    """A whole server but for sockets, delivery and real time."""

    def __init__(
        self,
        folder: Path,
        *,
        front_mta: bool = False,
        caps: Caps = DEFAULTS,
        paint: Callable[[Wanted], bytes | None] | None = None,
        catalogue: Catalogue = CATALOGUE,
        directors: str = "players",
    ) -> None:
        """`paint` makes the pictures of letters; without it none is decided on."""
        self.paint = paint
        self.time = BEGIN
        self.front_mta = front_mta
        self.source = "192.0.2.7"
        path = folder / "test.sqlite"
        self.store = Store.open(path, self.time, b"k" * 32, caps, OPERATOR, catalogue, directors=directors)
        self.db = connect(path, readonly=True)
        self._for_pages = connect(path, readonly=True)
        self.own = Own(DOMAIN)
        keys = self.store.keys()
        self.writer = Writer(self.store, folder / "inflight")
        self.counts = Memory()
        self.auth = Auth(
            self.counts,
            b"k" * 32,
            hashed=lambda p: f"hash of {p[::-1]}",
            matches=lambda h, p: h == f"hash of {p[::-1]}",
            outdated=lambda h: self.old_hashes,
        )
        self.budgets = Budgets(self.counts, b"k" * 32, caps)
        self.nonces = 0
        self.old_hashes = False
        self.reception = Reception(
            self.own,
            Reads(self.db, catalogue),
            self.writer,
            self.auth,
            self.budgets,
            keys,
            now=lambda: self.time,
            nonce=self._nonce,
            front=Front(["127.0.0.0/8"], FRONT),
            front_mta=front_mta,
            operator=Operator(OPERATOR, f"hash of {OPERATORS_PASSWORD[::-1]}"),
        )
        self.ticker = Ticker(Reads(self.db, catalogue), self.writer, lambda: self.time, asyncio.Event())
        self.letterbox = Letterbox(self.own, Reads(self.db, catalogue), keys, catalogue)
        self.told = 0
        self.withheld: dict[str, int] = {}
        self.letters: dict[str, list[Message]] = {}
        self.count = 0

    def _nonce(self) -> str:
        self.nonces += 1
        return f"nonce-{self.nonces}"

    def apart(self) -> Once:
        """Reads for a costly page."""
        return Once(self.letterbox._reads, self._for_pages)

    async def accept(self, envelope: Envelope) -> str:
        status = await self.reception.accept(envelope)
        await self.reception.settled()
        while await self.reception.unproved.step():
            pass
        if self.paint:
            await self.writer.do(self._hang)
        return status.value

    def _hang(self, store: Store) -> None:
        assert self.paint
        for (number,) in store.db.execute("SELECT id FROM outbox WHERE pictures = ''").fetchall():
            row = outbox.entry(store.db, number)
            made = {one.key: self.paint(one) for one in self.letterbox.pictures(row.template, row.facts)}
            hung.hang(store.db, number, made, self.time)

    def mail(self, sender: str, subject: str, body: str, to: str = "") -> Envelope:
        """An ordinary mail."""
        mail = postman.write(sender, to or self.own.address, subject, body, self.at())
        return self.envelope(mail, sender, to or self.own.address)

    def reply(self, sender: str, letter: Message, body: str) -> Envelope:
        """What a mail program makes of a reply."""
        mail = postman.answer(letter, sender, body, self.at())
        return self.envelope(mail, sender, str(letter["Reply-To"] or letter["From"]))

    def envelope(self, mail: Message, sender: str, to: str) -> Envelope:
        self.count += 1
        mail.replace_header("Message-ID", f"<mail-{self.count}@{sender.rpartition('@')[2]}>")
        text = mail.as_bytes()
        if self.front_mta:
            text = received(self.source) + text
        return Envelope("" if self.front_mta else self.source, sender, (to,), text)

    def token_address(self, token: Token) -> str:
        """The reply address with this token, as its player's letters of now have it."""
        holder = self.reception._reads.player(token.player)
        return self.letterbox._token_address(token, holder.token_epoch if holder else 0)

    def at(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)

    def new_letters(self) -> list[tuple[str, str, Message]]:
        """Letters queued since the last call: (state, kind, the message as it would arrive)."""
        rows = self.db.execute("SELECT id, state, kind FROM outbox WHERE id > ? ORDER BY id", (self.told,)).fetchall()
        found = []
        for number, state, kind in rows:
            row = outbox.entry(self.db, number)
            message = message_from_bytes(compose(self.letterbox.letter(row)), policy=POLICY)
            self.told = number
            self.letters.setdefault(row.address, []).append(message)
            found.append((state, kind, message))
        return found

    def newly_withheld(self) -> dict[str, int]:
        """Letters that a cap has kept from being written since the last call, by kind."""
        found = dict(self.db.execute("SELECT kind, sum(count) FROM withheld GROUP BY kind").fetchall())
        new = {kind: count - self.withheld.get(kind, 0) for kind, count in found.items()}
        self.withheld = found
        return {kind: count for kind, count in new.items() if count}

    async def clock(self, seconds: int) -> None:
        self.time += seconds
        await self.ticker.ring()
        await self.writer.do(lambda store: store.clear(self.time))

    async def down(self, seconds: int) -> None:
        await self.ticker.beat()
        self.time += seconds
        await self.ticker.beat()
        await self.writer.do(lambda store: store.db.execute("DELETE FROM pulse"))  # from here on the clock alone counts
        await self.clock(0)

    async def undelivered(self, address: str) -> None:
        sql = "SELECT id FROM outbox WHERE address = ? ORDER BY id DESC LIMIT ?"
        for (letter,) in self.db.execute(sql, (address, MAX_HARD)).fetchall():
            await self.writer.do(lambda store, letter=letter: came_back(store, letter, HARD, self.time))

    async def close(self) -> None:
        await self.writer.stop()
        self.auth.close()
        self.db.close()
        self._for_pages.close()
        self.store.close()


def serving(folder: Path, *steps: Callable[[Server], Awaitable[None]], front_mta: bool = False) -> None:
    """Takes these steps one after another with one server, and closes it."""

    async def run() -> None:
        server = Server(folder, front_mta=front_mta)
        server.writer.start()
        try:
            for step in steps:
                await step(server)
        finally:
            await server.close()

    asyncio.run(run())


def _address(who: str) -> str:
    return f"{who}@example.org"


async def _play(text: str, folder: Path, seen: list[Message], catalogue: Catalogue) -> str:
    directors = found[1] if (found := _DIRECTORS.search(text)) else "players"
    mta = "# front: mta" in text
    server = Server(folder, front_mta=mta, paint=lambda wanted: PNG, catalogue=catalogue, directors=directors)
    server.writer.start()
    out: list[str] = []
    known: set[str] = set()
    last: Envelope | None = None
    lines = [line for line in text.split("\n") if line.startswith((">", "#"))]
    try:
        for i, line in enumerate(lines):
            if line.startswith(">|"):
                continue
            remark = line.startswith("#")
            silent = line.startswith(">>")
            closed = not out or (remark and out[-1].startswith("#")) or (silent and out[-1].startswith(">"))
            out += [line] if closed else ["", line]
            if remark:
                continue
            body = list(takewhile(lambda more: more.startswith(">|"), lines[i + 1 :]))
            out += body
            said = [more[2:].removeprefix(" ") for more in body]
            line = line[1:] if silent else line
            if line == "> again":
                assert last
                status = await server.accept(last)
            else:
                last, status = await happened(server, line, said, last)
            assert not silent or status[:4] in ("", "250 "), f"{line}: {status}"
            shown = [*([f"< {status}"] if status else []), *_shown(server, set() if silent else known)]
            out += [] if silent else shown
    finally:
        await server.close()
    seen += [letter for box in server.letters.values() for letter in box]
    return "\n".join(out) + "\n"


async def happened(
    server: Server, line: str, said: list[str], last: Envelope | None = None
) -> tuple[Envelope | None, str]:
    """A line of a dialogue happens, with the body `said`. Returns the last mail, and what SMTP said if this was one."""
    if found := _BEGIN.fullmatch(line):
        await _sign_up(server, found[1].split())
    elif found := _CLOCK.fullmatch(line):
        await server.clock(int(found[1]) * UNITS[found[2]])
    elif found := _DOWN.fullmatch(line):
        await server.down(int(found[1]) * UNITS[found[2]])
    elif found := _UNDELIVERED.fullmatch(line):
        await server.undelivered(_address(found[1]))
    elif found := _SOURCE.fullmatch(line):
        server.source = found[1]
    else:
        last = _envelope(server, line, said)
        return last, await server.accept(last)
    return last, ""


async def _sign_up(server: Server, players: list[str]) -> None:
    """Each of them sends a sign-up and confirms it. Their letters count as seen."""
    for who in players:
        for line in (f"> {who}: signup {who} {PASSWORDS[who]}", f"> {who} answers: yes"):
            status = await server.accept(_envelope(server, line, []))
            assert status.startswith("250 "), f"{line}: {status}"
            server.new_letters()
    server.newly_withheld()


def _envelope(server: Server, line: str, body: list[str]) -> Envelope:
    if found := _ANSWER.fullmatch(line):
        box = server.letters[_address(found["whose"] or found["who"])]
        answerable = [letter for letter in box if letter["Reply-To"]]
        letter = answerable[int(found["n"]) - 1 if found["n"] else -1]
        return server.reply(found["from"] or _address(found["who"]), letter, "\n".join([found["text"], *body]))
    found = _MAIL.fullmatch(line)
    assert found, f"not a line of a dialogue: {line}"
    return server.mail(found["from"] or _address(found["who"]), found["subject"], "\n".join(body))


def _shown(server: Server, known: set[str]) -> list[str]:
    """What has arrived since the last call. `known`: the paragraphs that have been printed."""
    out = []
    for _, kind, letter in server.new_letters():
        asks = " (can be answered)" if letter["Reply-To"] else ""
        out.append(f"< {kind} to {letter['To']}{asks}: {letter['Subject']}")
        out += [f"< | {part}".rstrip() for part in _new(postman.text(letter).strip("\n"), known).split("\n")]
        out += [f"< + {name}{_inside(name, content)}" for name, content in postman.files(letter).items()]
    out += [f"< withheld: {count} {kind}" for kind, count in server.newly_withheld().items()]
    return out


def _new(text: str, known: set[str]) -> str:
    """The text. Known paragraphs one below the other become one line, if they have three lines or more."""
    paragraphs = text.split("\n\n")
    shown: list[str] = []
    for again, group in groupby(paragraphs, key=known.__contains__):
        block = "\n\n".join(group)
        if again and block.count("\n") >= 2:
            begins = " ".join(block.removeprefix(MARKER).split())[:50].strip()
            block = f"({begins} ... {hashlib.sha256(block.encode()).hexdigest()[:4]})"
        shown.append(block)
    known.update(paragraphs)
    return "\n\n".join(shown)


def _inside(name: str, content: bytes) -> str:
    """What an archive holds."""
    return f": {', '.join(ZipFile(BytesIO(content)).namelist())}" if name.endswith(".zip") else ""


def play(text: str, folder: Path, seen: list[Message] | None = None, catalogue: Catalogue = CATALOGUE) -> str:
    """The dialogue with everything the server says. All letters are added to `seen`."""
    return asyncio.run(_play(text, folder, [] if seen is None else seen, catalogue))
