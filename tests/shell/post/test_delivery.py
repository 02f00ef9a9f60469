"""Delivery: the worker over a real relay double (aiosmtpd, with bad manners on demand) and over Maildirs."""

import asyncio
import logging
import mailbox
import shutil
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult
from aiosmtpd.smtp import Envelope as SmtpEnvelope
from aiosmtpd.smtp import Session as SmtpSession

from mailbot.core import tokens
from mailbot.core.letters.outgoing import Due, Message
from mailbot.core.mail.addresses import Own, owner
from mailbot.shell.post import delivery, relay
from mailbot.shell.post.compose import compose
from mailbot.shell.post.delivery import DELAYS, Parcel, Settled, Worker, delay, return_path
from mailbot.shell.post.handover import (
    AGAIN,
    DOMAINS,
    ILL,
    LONG_PATIENCE,
    PATIENCE,
    SENT,
    Fate,
    Handover,
    Refusals,
    closed,
    failed,
    later,
)
from mailbot.shell.post.maildir import Maildirs, folder, letters
from mailbot.shell.post.relay import Relay
from mailbot.shell.writer import Unwritten

NOW = 1_800_000_000
MINUTE, HOUR, DAY = 60, 3600, 86_400
OWN = Own("games.example")
KEY = bytes(range(32))
ROOM = 10.0
"""Seconds after which a test that waits for something that never comes fails."""


# Doubles


@dataclass
class Waiting:
    """A row of the outbox double."""

    address: str
    state: str = "waiting"
    due: int = 0
    leased: bool = False
    attempts: int = 0
    why: str = ""


@dataclass
class Box:
    """An outbox in memory, to the letter of delivery.Outbox. `settled` is set whenever a letter is."""

    rows: dict[int, Waiting] = field(default_factory=dict)
    looks: int = 0
    claims: int = 0
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    broken: set[str] = field(default_factory=set)
    wordless: list[int] = field(default_factory=list)
    gives_way: set[int] = field(default_factory=set)
    names: dict[str, frozenset[int]] = field(default_factory=dict)
    players: dict[str, int] = field(default_factory=dict)

    async def due(self, now: int) -> bool:
        self.looks += 1
        return any(row.due <= now for row in self.rows.values() if row.state == "waiting" and not row.leased)

    async def claim(self, now: int, limit: int) -> list[Due]:
        self.claims += 1
        if "claim" in self.broken:
            raise RuntimeError("no claim for ann@example.org")
        oldest: dict[str, int] = {}
        for id, row in sorted(self.rows.items()):
            if row.state == "waiting":
                oldest.setdefault(row.address, id)
        found: list[Due] = []
        for id in sorted(oldest.values()):
            row = self.rows[id]
            if row.due <= now and not row.leased and len(found) < limit:
                row.leased, row.attempts = True, row.attempts + 1
                size = delivery.LONG if row.address.startswith("long") else 0
                found.append(Due(id, row.address, self.players.get(row.address, 7), row.attempts, size))
        return found

    async def settle(self, done: Sequence[Settled]) -> None:
        if "settle" in self.broken:
            raise RuntimeError("no settling for ann@example.org")
        if "full" in self.broken:
            raise Unwritten
        for one in done:
            before = self.rows[one.letter]
            if one.wordless and one.letter not in self.wordless:
                self.wordless.append(one.letter)
            if one.gives_way:
                self.gives_way.add(one.letter)
            tries = before.attempts - (not one.counts)
            self.rows[one.letter] = replace(
                before, leased=False, state=one.state, due=one.due, why=one.why, attempts=tries
            )
        self.settled.set()

    def telling(self, letter: int) -> frozenset[int] | None:
        address = self.rows[letter].address
        return self.names.get(address, frozenset()) if address.startswith("ok") else None

    def owners(self, most: int) -> int:
        return min(most, len({owner(row.address) for row in self.rows.values()}))

    def put(self, *addresses: str) -> None:
        for address in addresses:
            self.rows[len(self.rows) + 1] = Waiting(address)

    def states(self) -> list[str]:
        return [row.state for row in self.rows.values()]

    def render(self, id: int) -> Message:
        if self.rows[id].address.startswith("unwritable"):
            raise KeyError(self.rows[id].address)
        return letter(id, self.rows[id].address)


def letter(id: int, to: str) -> Message:
    return Message(
        to=to,
        from_name="Lambo",
        from_addr=OWN.address,
        subject=f"Letter {id}",
        text="  __ \n.\n.dots\n..\nblank \nend\n",
        message_id=f"<{id}@games.example>",
        date=NOW,
        loop=OWN.domain,
    )


class Double:
    """A relay that treats each recipient by the first word of its address (see MANNERS)."""

    def __init__(self) -> None:
        self.stored: list[tuple[str, str, bytes]] = []
        self.senders = "250 OK"
        self.recipients = ""
        """The answer to every RCPT, whatever the address; "" for that of the address."""
        self.texts = ""
        """The same for every text."""
        self.connections = 0
        self.goodbyes = 0
        self.release = asyncio.Event()
        self.live: set[Connection] = set()

    async def handle_MAIL(
        self, server: "Connection", session: SmtpSession, envelope: SmtpEnvelope, address: str, options: list[str]
    ) -> str:
        if self.senders.startswith("250"):
            envelope.mail_from = address
        return self.senders

    async def handle_RCPT(
        self, server: "Connection", session: SmtpSession, envelope: SmtpEnvelope, address: str, options: list[str]
    ) -> str:
        manner = address.partition("-")[0].partition("@")[0]
        if manner == "hang":
            await self.release.wait()
        if manner == "drop":
            server.abort()
        if self.recipients:
            return self.recipients
        envelope.rcpt_tos.append(address)
        return {
            "soft": f"450 4.2.1 <{address}> is on holiday",
            "hard": f"550 5.1.1 <{address}> is unknown",
            "closing": "421 4.3.2 going down",
            "odd": "299 what?",
        }.get(manner, "250 OK")

    async def handle_DATA(self, server: "Connection", session: SmtpSession, envelope: SmtpEnvelope) -> str:
        address = envelope.rcpt_tos[0]
        manner = address.partition("-")[0].partition("@")[0]
        if manner == "dothang":
            await self.release.wait()
        if self.texts:
            return self.texts
        if manner in ("dotsoft", "dothard"):
            return {"dotsoft": "451 4.3.0 try again", "dothard": f"554 5.7.1 {address} wants no such thing"}[manner]
        assert isinstance(envelope.content, bytes)
        self.stored.append((envelope.mail_from or "", address, envelope.content))
        if manner == "dotdrop":
            server.abort()
        return "250 2.0.0 stored"

    async def handle_QUIT(self, server: "Connection", session: SmtpSession, envelope: SmtpEnvelope) -> str:
        self.goodbyes += 1
        return "221 bye"


class Connection(SMTP):
    """One connection to the double; counted, and closable from the relay's side."""

    def abort(self) -> None:
        assert isinstance(self.transport, asyncio.WriteTransport)
        self.transport.abort()

    def connection_made(self, transport: Any) -> None:
        self.event_handler.connections += 1
        self.event_handler.live.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.event_handler.live.discard(self)
        super().connection_lost(error)


@asynccontextmanager
async def double(**options: Any) -> AsyncIterator[tuple[Double, int]]:
    handler = Double()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(handler, hostname="relay.example", ident="double", loop=loop, **options), "127.0.0.1", 0
    )
    try:
        yield handler, server.sockets[0].getsockname()[1]
    finally:
        handler.release.set()
        server.close()
        for connection in list(handler.live):
            connection.abort()


def relay_to(port: int, **options: Any) -> Relay:
    return Relay("127.0.0.1", port, hostname="bot.example", **({"timeout": ROOM} | options))


def worker_for(box: Box, transport: delivery.Transport, at_once: int = 4) -> Worker:
    return Worker(box, box.render, transport, return_path(OWN, KEY, 1), lambda: NOW, at_once)


def drained(*addresses: str, **options: Any) -> tuple[Box, Double]:
    """All letters tried once, each over a relay double."""

    async def run() -> tuple[Box, Double]:
        box = Box()
        box.put(*addresses)
        async with double() as (handler, port):
            transport = relay_to(port, **options)
            assert await worker_for(box, transport).drain(NOW) == len(addresses)
            await transport.close()
            return box, handler

    return asyncio.run(run())


# What becomes of a letter

MANNERS = [
    # (recipient, state, seconds to the next try, why)
    ("ok@example.org", "sent", 0, ""),
    ("soft@example.org", "waiting", 60, "450 4.2.1"),
    ("hard@example.org", "waiting", 60, "550 5.1.1"),
    ("closing@example.org", "waiting", 60, "421 4.3.2"),
    ("odd@example.org", "waiting", 60, "299"),
    ("dotsoft@example.org", "waiting", 60, "451 4.3.0"),
    ("dothard@example.org", "waiting", 60, "554 5.7.1"),
    ("drop@example.org", "waiting", 60, "SMTPServerDisconnected"),
    ("dotdrop@example.org", "waiting", 60, "SMTPServerDisconnected"),
]


@pytest.mark.parametrize(("address", "state", "wait", "why"), MANNERS)
def test_what_becomes_of_a_letter(address: str, state: str, wait: int, why: str) -> None:
    box, handler = drained(address, "ok-other@example.org")
    row = box.rows[1]
    assert (row.state, row.why, row.attempts, row.due) == (state, why, 1, NOW + wait)
    assert box.rows[2].state == "sent"
    assert len(handler.stored) == 1 + (address.startswith(("ok", "dotdrop")))


@pytest.mark.parametrize("address", ["hard@example.org", "dothard@example.org"])
def test_a_refusal_for_good_counts_once_the_relay_has_taken_another_letter(address: str) -> None:
    async def run() -> None:
        box = Box()
        box.put(address)
        async with double() as (_, port):
            worker = worker_for(box, relay_to(port))
            for number, wait in enumerate((60, 300, 900)):
                await worker.drain(now := box.rows[1].due if number else NOW)
                assert (box.rows[1].state, box.rows[1].due) == ("waiting", now + wait)
            box.put("ok@example.org")
            await worker.drain(box.rows[1].due - 1)
            assert box.states() == ["waiting", "sent"]
            await worker.drain(box.rows[1].due)
            assert box.states() == ["failed", "sent"]

    asyncio.run(run())


@pytest.mark.parametrize("stage", ["senders", "recipients"])
def test_a_letter_is_not_given_up_for_tries_while_the_relay_was_ill(stage: str) -> None:
    """After days of that, one mailbox puts its letter off: it comes again, for five days."""

    async def run() -> None:
        box = Box()
        box.players = {f"ok-{n}@example.org": 1 + n for n in range(4)}
        box.put(*box.players)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            setattr(handler, stage, "452 4.3.1 queue full")
            now = NOW
            for _ in range(200):
                await worker.drain(now)
                now = max(row.due for row in box.rows.values())
            setattr(handler, stage, "250 OK" if stage == "senders" else "")
            box.rows[1] = replace(box.rows[1], address="soft@example.org")
            await worker.drain(now)
            assert box.states() == ["waiting", "sent", "sent", "sent"]
            tries = 0
            while box.states()[0] == "waiting":
                tries, before = tries + 1, box.rows[1].due
                await worker.drain(before)
            assert tries >= 29 and before - now >= 4.5 * 86_400

    asyncio.run(run())


def test_clocks_stand_on_after_a_start_until_a_letter_has_left() -> None:
    """A start during the relay's illness must not charge the time before it to anybody."""

    async def run() -> None:
        box = Box()
        async with double() as (handler, port):
            worker = Worker(box, box.render, relay_to(port), lambda due: "bot@example.net", lambda: NOW, stuck=True)
            assert worker.stuck
            handler.senders = "452 4.3.1 queue full"
            box.put("ok@example.org")
            await worker.drain(NOW)
            assert worker.stuck
            handler.senders = "250 OK"
            await worker.drain(box.rows[1].due)
            assert box.states() == ["sent"] and not worker.stuck

    asyncio.run(run())


@pytest.mark.parametrize("lacks", [MemoryError(), OSError(24, "Too many open files")])
def test_a_letter_waits_while_the_machine_lacks_something(lacks: Exception) -> None:
    async def run() -> None:
        box = Box()
        async with double() as (_, port):
            lacking = [lacks]

            def render(number: int) -> Message:
                if lacking:
                    raise lacking.pop()
                return box.render(number)

            worker = Worker(box, render, relay_to(port), lambda due: "bot@example.net", lambda: NOW)
            box.put("ok@example.org")
            await worker.drain(NOW)
            assert box.states() == ["waiting"]
            await worker.drain(box.rows[1].due)
            assert box.states() == ["sent"]

    asyncio.run(run())


REFUSING = ["450 4.7.1 quota exceeded", "550 relay not permitted", "554 5.7.1 relay access denied"]
WITHOUT_STATUS = "550 relay not permitted"


@pytest.mark.parametrize("stage", ["senders", "recipients", "texts"])
@pytest.mark.parametrize("answer", REFUSING)
def test_a_relay_that_refuses_everything_is_ill(answer: str, stage: str, caplog: pytest.LogCaptureFixture) -> None:
    """No letter fails, however long it takes, and each leaves soon after the relay is well again."""

    async def run() -> None:
        caplog.set_level(logging.INFO, logger="mailbot")
        box = Box()
        domains = DOMAINS if stage == "recipients" and answer == WITHOUT_STATUS else 1
        box.players = {f"ok-{n}@domain{n % domains}.example": 1 + n for n in range(5)}
        box.put(*box.players)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            setattr(handler, stage, answer)
            now = NOW
            for _ in range(60):
                await worker.drain(now)
                assert box.states() == ["waiting"] * 5
                assert worker.trouble.startswith(answer[:3]) and worker.stuck
                before, now = now, max(row.due for row in box.rows.values())
                assert now - before <= AGAIN
            setattr(handler, stage, "250 OK" if stage == "senders" else "")
            await worker.drain(now)
            assert box.states() == ["sent"] * 5
            assert worker.trouble == "" and not worker.stuck
        said = [record.getMessage() for record in caplog.records if "letters" in record.getMessage()]
        assert [one.partition(",")[0] for one in said] == ["letters wait", "letters leave again"]

    asyncio.run(run())


@pytest.mark.parametrize("answer", ["450 4.1.2 domain not found", "550 5.1.2 bad destination system"])
def test_a_relay_that_finds_no_domain_at_all_is_ill(answer: str) -> None:
    async def run() -> None:
        box = Box()
        box.put(*(f"ok-{n}@mail.domain{n}.example" for n in range(DOMAINS - 1)), "ok-x@domain0.example")
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            handler.recipients = answer
            await worker.drain(NOW)
            assert (worker.trouble, worker.stuck) == ("", False)
            box.put("soft@domain9.example")
            await worker.drain(NOW + 60)
            assert (worker.trouble, worker.stuck) == ("", False), "whoever signs up chooses an address"
            box.put("ok-9@domain9.example")
            await worker.drain(NOW + 120)
            assert (worker.trouble, worker.stuck) == (answer[:9], True)
            handler.recipients = ""
            await worker.drain(NOW + 120 + AGAIN)
            assert (worker.trouble, worker.stuck) == ("", False)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("players", "answer"),
    [
        ((3, 3, 3, 3), "554 5.7.1 spam"),  # one player's addresses
        ((0, 0, 0, 0), "554 5.7.1 spam"),  # strangers who were to sign up
        ((1, 2, 3, 4), "450 4.1.2 domain not found"),  # mailboxes
    ],
)
def test_nobody_makes_the_server_believe_that_its_relay_is_ill(players: tuple[int, ...], answer: str) -> None:
    async def run() -> None:
        box = Box()
        box.players = {f"ok-{n}@example.org": player for n, player in enumerate(players)}
        box.put(*box.players)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            handler.recipients = answer
            for row in range(3):
                await worker.drain(NOW + row * 86_400)
            assert box.states() == ["waiting"] * 4
            assert worker.trouble == "" and not worker.stuck

    asyncio.run(run())


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_relay_with_a_list_of_domains_stops_no_clocks(others: int) -> None:
    """Three players of one domain are refused, with a status of the relay's rules, in a quiet hour. It is ill only if
    nobody else plays, or the others are refused, too."""

    async def run() -> None:
        box = Box()
        listed = {f"ok-{n}@listed.example": 1 + n for n in range(4)}
        fair = {f"ok-{n}@fair{n}.example": 9 + n for n in range(others)}
        box.players = listed | fair
        box.put(*listed)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            box.put(*fair)
            for number in range(len(listed) + 1, len(listed) + others + 1):
                box.rows[number].due = NOW + 3600  # no letter to them is due
            handler.recipients = "554 5.7.1 Recipient address blocked using a list"
            await worker.drain(NOW)
            assert worker.stuck is (others == 0)
            await worker.drain(NOW + 3600)
            assert worker.stuck, "now it has refused everybody"

    asyncio.run(run())


def test_connections_that_end_at_the_recipient_tell_of_the_relay() -> None:
    refusals = Refusals()
    for number in range(3):
        due = Due(number + 1, f"ok-{number}@example.org", number + 1, 1, 0)
        refusals.weigh(due, later("SMTPServerDisconnected"), frozenset())
    assert refusals.ill and refusals.stuck


@pytest.mark.parametrize("answer", ["550 Unrouteable address", "550 5.4.1 access denied", "451 try later", "421"])
def test_a_domain_that_its_owner_lets_die_stops_no_clocks(answer: str) -> None:
    """Not with many players, nor with names below a short one."""

    async def run() -> None:
        box = Box()
        box.players = {f"ok-{n}@x{n}.abc.example": 1 + n for n in range(2 * DOMAINS)}
        box.put(*box.players)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            handler.recipients = answer
            for row in range(3):
                await worker.drain(NOW + row * 86_400)
                assert worker.trouble and not worker.stuck
            assert box.states() == ["waiting"] * 2 * DOMAINS

    asyncio.run(run())


@pytest.mark.parametrize(
    ("stage", "answer"),
    [
        ("recipients", "550 Unrouteable address"),  # strangers sign up with such addresses
        ("recipients", "450 4.7.1 greylisted"),
        ("texts", "552 5.3.4 too large"),  # films, asked for by three players
        ("texts", "451 4.7.1 words"),  # what three players have written
    ],
)
def test_letters_that_somebody_has_chosen_stop_no_clocks(stage: str, answer: str) -> None:
    async def run() -> None:
        box = Box()
        box.players = {f"chosen-{n}@example.org": 1 + n for n in range(4)}
        box.put(*box.players)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            setattr(handler, stage, answer)
            for row in range(3):
                await worker.drain(NOW + row * 86_400)
                assert (worker.trouble, worker.stuck) == (" ".join(answer.split()[: 1 + (answer[4].isdigit())]), False)
            assert box.states() == ["waiting"] * 4
            setattr(handler, stage, "")
            box.put("ok-1@example.org")
            await worker.drain(NOW + 4 * 86_400)
            assert box.states() == ["sent"] * 5

    asyncio.run(run())


@pytest.mark.parametrize(
    ("stage", "others", "stuck"),
    [("texts", (5, 6, 7), True), ("texts", (9, 9, 9), False), ("recipients", (9, 9, 9), True)],
)
def test_texts_that_all_name_one_player_stop_no_clocks(stage: str, others: tuple[int, ...], stuck: bool) -> None:
    """A player's name may be what the relay refuses, but not before it has seen the text."""

    async def run() -> None:
        box = Box()
        box.players = {f"ok-{n}@example.org": 1 + n for n in range(3)}
        box.names = {f"ok-{n}@example.org": frozenset({1 + n, other}) for n, other in enumerate(others)}
        box.put(*box.players)
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            setattr(handler, stage, "554 5.7.1 no")
            for row in range(3):
                await worker.drain(NOW + row * 86_400)
            assert box.states() == ["waiting"] * 3
            assert worker.stuck == stuck
            assert box.gives_way == ({1, 2, 3} if stage == "texts" else set())

    asyncio.run(run())


def test_words_that_are_put_off_are_left_out_while_other_letters_leave() -> None:
    """A letter to bob with such words would hold up all later ones to him, for five days."""

    async def run() -> None:
        box = Box()
        async with double() as (_handler, port):
            worker = worker_for(box, relay_to(port))
            box.put("dotsoft@example.org", "dotdrop@example.org", "soft@example.org", "drop@example.org")
            for number in range(PATIENCE + 1):
                box.put(f"ok-{number}@example.org")
                await worker.drain(max(row.due for row in box.rows.values() if row.state == "waiting"))
            assert box.states()[:4] == ["waiting"] * 4
            assert sorted(box.wordless) == [1, 2]

    asyncio.run(run())


@pytest.mark.parametrize(("players", "wordless"), [(1, [1]), (ILL, [])])
def test_words_are_kept_longer_while_nothing_tells_that_the_relay_takes_a_text(
    players: int, wordless: list[int]
) -> None:
    """And for good, if it is known to take none."""

    async def run() -> None:
        box = Box()
        async with double() as (_handler, port):
            worker = worker_for(box, relay_to(port))
            box.players = {f"dotsoft-{n}@example.org": 1 + n for n in range(players)}
            box.put(*box.players)
            for _ in range(LONG_PATIENCE - 1):
                await worker.drain(max(row.due for row in box.rows.values()))
            assert box.wordless == []
            assert box.rows[1].attempts == (LONG_PATIENCE - 1 if players == 1 else 2), "while it is ill, none counts"
            await worker.drain(max(row.due for row in box.rows.values()))
            assert (box.wordless, box.states()) == (wordless, ["waiting"] * players)

    asyncio.run(run())


@pytest.mark.parametrize("address", ["hang@example.org", "dothang@example.org"])
def test_a_relay_that_hangs_is_left(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "FINAL_DOT", 1)
    box, _ = drained(address, timeout=0.2)
    assert (box.rows[1].state, box.rows[1].due, box.rows[1].why) == ("waiting", NOW + 60, "SMTPReadTimeoutError")


def test_the_text_arrives_as_it_was_written() -> None:
    box, handler = drained("ok@example.org")
    [(sender, address, content)] = handler.stored
    assert content == compose(box.render(1))
    assert address == "ok@example.org"
    mailbox_ = OWN.classify(sender)
    assert mailbox_ is not None
    assert mailbox_.kind == "bounce"
    found = tokens.read(mailbox_.token)
    assert found is not None
    assert found.token == tokens.Token(tokens.BOUNCE, 7, tokens.veiled(1, KEY), 1)
    assert tokens.verify(found, {1: KEY}, tokens.BOUNCE_EPOCH)
    assert len(sender.partition("@")[0]) <= 64


def test_a_letter_lost_behind_the_dot_is_repeated_byte_for_byte() -> None:
    async def run() -> None:
        box = Box()
        box.put("dotdrop@example.org")
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            await worker.drain(NOW)
            await worker.drain(NOW + 59)
            assert len(handler.stored) == 1
            await worker.drain(NOW + 60)
            assert handler.stored[0] == handler.stored[1]

    asyncio.run(run())


def test_delays() -> None:
    assert [delay(n) for n in (1, 2, 3, 4, 5, 6)] == [60, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 4 * HOUR]
    assert [delay(n) for n in (33, 34)] == [4 * HOUR, None]
    assert 5 * DAY - 4 * HOUR < sum(DELAYS) <= 5 * DAY


def test_five_days_of_refusals_and_it_has_failed() -> None:
    async def run() -> None:
        box = Box()
        box.put("soft@example.org")
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            tries = []
            now = NOW
            while box.rows[1].state == "waiting":
                tries.append(now - NOW)
                assert await worker.drain(now) == 1
                now = box.rows[1].due
            assert tries[:6] == [0, 60, 360, 1260, 4860, 19_260]
            assert 4 * DAY < tries[-1] < 5 * DAY
            assert len(tries) == len(DELAYS) + 1
            assert box.rows[1].state == "failed"
            assert box.rows[1].why == "450 4.2.1"
            assert handler.connections == 1

    asyncio.run(run())


def test_order_is_kept_for_each_recipient() -> None:
    async def run() -> None:
        box = Box()
        box.put("soft@example.org", "soft@example.org", "ok@example.org", "ok@example.org", "ok@example.org")
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            await worker.drain(NOW)
            assert box.states() == ["waiting", "waiting", "sent", "sent", "sent"]
            assert box.rows[2].attempts == 0
            assert [b"Subject: Letter %d\r\n" % n in raw for n, (_, _, raw) in enumerate(handler.stored, 3)] == [
                True
            ] * 3
            box.rows[1].address = box.rows[2].address = "ok-now@example.org"
            await worker.drain(NOW + 60)
            assert [b"Letter 1\r" in raw for _, _, raw in handler.stored[3:]] == [True, False]

    asyncio.run(run())


def test_what_cannot_be_written_is_set_aside_and_holds_nobody_up(caplog: pytest.LogCaptureFixture) -> None:
    box, handler = drained("unwritable@example.org", "ok@example.org", "unwritable-2@example.org")
    assert box.states() == ["stuck", "sent", "stuck"]
    assert box.rows[1].why.startswith("KeyError at test_delivery.py:")
    assert len(handler.stored) == 1


WRONG_LETTERS: list[tuple[str, Callable[[Message], Message]]] = [
    ("for another address", lambda one: replace(one, to="eve@example.org")),
    ("a header that breaks the line", lambda one: replace(one, subject="a\r\nBcc: eve@example.org")),
]


@pytest.mark.parametrize(("_what", "change"), WRONG_LETTERS)
def test_a_wrong_letter_is_set_aside(_what: str, change: Callable[[Message], Message]) -> None:
    async def run() -> None:
        box = Box()
        box.put("ok@example.org")
        async with double() as (handler, port):
            transport = relay_to(port)
            render = box.render
            worker = Worker(box, lambda id: change(render(id)), transport, return_path(OWN, KEY, 1), lambda: NOW)
            await worker.drain(NOW)
            assert box.states() == ["stuck"]
            assert handler.stored == []

    asyncio.run(run())


def test_addresses_stay_out_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="mailbot")
    addresses = [row[0] for row in MANNERS] + ["unwritable@example.org"]
    box, _ = drained(*addresses)
    lines = [record.getMessage() for record in caplog.records if record.name == "mailbot.delivery"]
    assert len([line for line in lines if line.startswith("letter ")]) == len(addresses)
    said = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("mailbot"))
    assert "letter 3 again in 60 s: 550 5.1.1" in said
    assert "example.org" not in said
    assert not any("example" in row.why for row in box.rows.values())
    assert not any(record.exc_info for record in caplog.records if record.name.startswith("mailbot"))


# Connections


def test_connections_are_kept_and_bounded() -> None:
    box, handler = drained(*(f"ok-{n}@example.org" for n in range(delivery.BATCH + 8)))
    assert box.states() == ["sent"] * (delivery.BATCH + 8)
    assert 1 <= handler.connections <= 4
    assert handler.goodbyes == handler.connections
    assert box.claims == 2


def test_a_refusal_keeps_the_connection() -> None:
    async def run() -> None:
        async with double() as (handler, port):
            transport = relay_to(port)
            for address in ("hard@example.org", "soft@example.org", "dothard@example.org", "ok@example.org"):
                await transport.send(parcel(address))
            assert len(handler.stored) == 1
            assert handler.connections == 1

    asyncio.run(run())


def parcel(address: str, sender: str = "bounce@games.example") -> Parcel:
    return Parcel(1, sender, address, "<1@games.example>", NOW, compose(letter(1, "ann@example.org")))


def test_a_connection_the_relay_has_closed_is_replaced() -> None:
    async def run() -> None:
        async with double() as (handler, port):
            transport = relay_to(port)
            assert await transport.send(parcel("ok@example.org")) == SENT
            for connection in list(handler.live):
                connection.abort()
            assert await transport.send(parcel("ok@example.org")) == SENT
            assert handler.connections == 2

    asyncio.run(run())


def test_a_kept_connection_that_refuses_the_sender_is_replaced() -> None:
    async def run() -> None:
        async with double() as (handler, port):
            transport = relay_to(port)
            assert await transport.send(parcel("ok@example.org")) == SENT
            handler.senders = "421 4.4.2 you have been here long enough"
            assert await transport.send(parcel("ok@example.org")) == closed("421 4.4.2")
            handler.senders = "250 OK"
            assert await transport.send(parcel("ok@example.org")) == SENT
            assert handler.connections == 3

    asyncio.run(run())


SENDERS = [
    ("450 4.7.1 not you", closed("450 4.7.1")),
    ("550 5.7.1 not you", closed("550 5.7.1")),
    ("552 5.2.2 over quota", closed("552 5.2.2")),
]


@pytest.mark.parametrize(("answer", "outcome"), SENDERS)
def test_a_refused_sender_is_not_the_recipients_fault(answer: str, outcome: Handover) -> None:
    async def run() -> None:
        async with double() as (handler, port):
            handler.senders = answer
            assert await relay_to(port).send(parcel("ok@example.org")) == outcome
            assert handler.stored == []

    asyncio.run(run())


BAD_ADDRESSES = ["a\r\nRCPT TO:<z@z.org>", "", "ann", "<ann@example.org>", "Ann <ann@example.org>", "a b@example.org"]


@pytest.mark.parametrize("bad", BAD_ADDRESSES)
def test_addresses_that_are_none_never_reach_the_relay(bad: str) -> None:
    async def run() -> None:
        async with double() as (handler, port):
            transport = relay_to(port)
            assert await transport.send(parcel(bad)) == failed("not an address")
            assert await transport.send(parcel("ok@example.org", sender=bad)) == failed("not an address")
            assert handler.connections == 0

    asyncio.run(run())


def test_while_the_relay_is_away_letters_wait_and_no_try_is_used_up(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        caplog.set_level(logging.INFO, logger="mailbot")
        box = Box()
        box.put("ok@example.org")
        async with double() as (_, port):
            pass
        transport = relay_to(port)
        worker = worker_for(box, transport)
        assert await worker.drain(NOW) == 0
        assert await worker.drain(NOW + DAY) == 0
        assert (box.claims, box.rows[1].attempts) == (0, 0)
        async with double() as (_, port):
            transport._port = port
            assert await worker.drain(NOW + 9 * DAY) == 1
            assert box.states() == ["sent"]
        said = [record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG]
        assert said == [
            "letters wait, the way out is closed: SMTPConnectError",
            "letters leave again",
            "letter 1 sent as 1",
        ]

    asyncio.run(run())


def test_nothing_due_and_nothing_is_connected() -> None:
    async def run() -> None:
        box = Box()
        box.put("ok@example.org")
        box.rows[1].due = NOW + 1
        async with double() as (handler, port):
            assert await worker_for(box, relay_to(port)).drain(NOW) == 0
            assert handler.connections == 0

    asyncio.run(run())


def test_without_tls_nothing_leaves_when_tls_is_wanted() -> None:
    async def run() -> None:
        async with double() as (handler, port):
            transport = relay_to(port, starttls=True)
            assert not await transport.ready()
            assert transport.trouble == "SMTPException"
            assert (await transport.send(parcel("ok@example.org"))).fate is Fate.CLOSED
            assert handler.stored == []

    asyncio.run(run())


@pytest.mark.skipif(not shutil.which("openssl"), reason="makes its certificate with openssl")
def test_starttls(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=relay.example"
            f" -addext subjectAltName=IP:127.0.0.1 -keyout {key.name} -out {cert.name}"
        ).split(),
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(cert, key)

    async def run() -> None:
        async with double(tls_context=served, require_starttls=True) as (handler, port):
            trusting = relay_to(port, starttls=True, tls_context=ssl.create_default_context(cafile=str(cert)))
            assert await trusting.send(parcel("ok@example.org")) == SENT
            assert len(handler.stored) == 1
            stranger = relay_to(port, starttls=True)
            assert not await stranger.ready()
            assert len(handler.stored) == 1
            await trusting.close()

    asyncio.run(run())


def test_the_relays_password() -> None:
    def check(_server: object, _session: object, _envelope: object, _mechanism: str, data: Any) -> AuthResult:
        return AuthResult(success=data.password == b"right", handled=False)

    async def run() -> None:
        async with double(authenticator=check, auth_require_tls=False) as (handler, port):
            wrong = relay_to(port, username="bot", password="wrong")
            assert not await wrong.ready()
            assert wrong.trouble == "535 5.7.8"
            right = relay_to(port, username="bot", password="right")
            assert await right.send(parcel("ok@example.org")) == SENT
            assert len(handler.stored) == 1

    asyncio.run(run())


# The worker's loop


def running(body: Callable[[Box, Worker, asyncio.Event, asyncio.Event, Double], Coroutine[Any, Any, None]]) -> None:
    """`body` with a worker's loop running over a relay double; then the loop is stopped and must end."""

    async def run() -> None:
        box, wake, stop = Box(), asyncio.Event(), asyncio.Event()
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port), at_once=2)
            loop = asyncio.create_task(worker.run(wake, stop))
            try:
                await asyncio.wait_for(body(box, worker, wake, stop, handler), ROOM)
            finally:
                stop.set()
                await asyncio.wait_for(loop, ROOM)

    asyncio.run(run())


async def until_settled(box: Box, wake: asyncio.Event) -> None:
    box.settled.clear()
    wake.set()
    await box.settled.wait()


def test_the_loop_is_woken_and_stopped() -> None:
    async def body(box: Box, _worker: Worker, wake: asyncio.Event, _stop: asyncio.Event, _handler: Double) -> None:
        for n in range(1, 4):
            box.put(f"ok-{n}@example.org")
            await until_settled(box, wake)
            assert box.states() == ["sent"] * n
        for _ in range(200):
            await asyncio.sleep(0)
        assert box.looks < 20  # it rests when there is nothing to do

    running(body)


def test_a_letter_that_hangs_does_not_hold_up_the_others() -> None:
    async def body(box: Box, _worker: Worker, wake: asyncio.Event, _stop: asyncio.Event, handler: Double) -> None:
        box.put("hang@example.org")
        for n in range(2, 8):
            box.put(f"ok-{n}@example.org")
            await until_settled(box, wake)
            assert box.states() == ["waiting"] + ["sent"] * (n - 1)
        box.settled.clear()
        handler.release.set()
        await box.settled.wait()
        assert box.states() == ["sent"] * 7

    running(body)


def test_a_lease_that_ran_out_does_not_send_twice() -> None:
    async def body(box: Box, _worker: Worker, wake: asyncio.Event, _stop: asyncio.Event, handler: Double) -> None:
        box.put("dothang@example.org", "ok-1@example.org")
        await until_settled(box, wake)
        box.rows[1].leased = False
        box.put("ok-2@example.org")
        await until_settled(box, wake)
        box.settled.clear()
        handler.release.set()
        await box.settled.wait()
        assert box.states() == ["sent"] * 3
        assert [address for _, address, _ in handler.stored].count("dothang@example.org") == 1

    running(body)


LONG_ONES = 20  # more than may be under way


def test_long_letters_hold_up_no_short_ones() -> None:
    """One thread writes them all. Here it takes as long as it likes with the first."""
    box, written, begun = Box(), threading.Event(), []

    def slowly(id: int) -> Message:
        begun.append(id)
        assert written.wait(ROOM)
        return box.render(id)

    async def run() -> None:
        wake, stop = asyncio.Event(), asyncio.Event()
        box.put(*(f"long-{n}@example.org" for n in range(LONG_ONES)), "ok-1@example.org")
        async with double() as (handler, port):
            worker = Worker(box, box.render, relay_to(port), lambda due: OWN.address, lambda: NOW, render_long=slowly)
            loop = asyncio.create_task(worker.run(wake, stop))
            try:
                for n in range(2, 5):
                    await asyncio.wait_for(until_settled(box, wake), ROOM)
                    assert box.states() == ["waiting"] * LONG_ONES + ["sent"] * (n - 1)
                    box.rows[LONG_ONES].leased = False  # its lease has run out while it waits for a place
                    box.put(f"ok-{n}@example.org")
                written.set()
                while "waiting" in box.states():
                    await asyncio.wait_for(until_settled(box, wake), ROOM)
                assert sorted(address for _, address, _ in handler.stored) == sorted(
                    row.address for row in box.rows.values()
                )
                assert begun == list(range(1, LONG_ONES + 1))
            finally:
                written.set()
                stop.set()
                await asyncio.wait_for(loop, ROOM)

    asyncio.run(run())


def test_the_loop_survives_an_outbox_in_trouble(caplog: pytest.LogCaptureFixture) -> None:
    async def body(box: Box, _worker: Worker, wake: asyncio.Event, _stop: asyncio.Event, _handler: Double) -> None:
        box.broken = {"claim"}
        box.put("ok-1@example.org")
        wake.set()
        while not box.claims:
            await asyncio.sleep(0)
        box.broken = set()
        await until_settled(box, wake)
        assert box.states() == ["sent"]

    running(body)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] != []
    assert "example.org" not in caplog.text


def test_an_outcome_that_cannot_be_kept_is_left_to_the_lease() -> None:
    box = Box()
    box.put("ok@example.org", "hard@example.org")
    box.broken = {"settle"}

    async def run() -> None:
        async with double() as (handler, port):
            assert await worker_for(box, relay_to(port)).drain(NOW) == 2
            assert len(handler.stored) == 1

    asyncio.run(run())
    assert [(row.state, row.leased) for row in box.rows.values()] == [("waiting", True)] * 2


def test_an_outcome_that_the_disk_does_not_take_is_recorded_later() -> None:
    """Else later letters to these addresses would wait for the end of the lease, and these be sent twice."""
    box = Box()
    box.put("ok-1@example.org", "ok-2@example.org", "ok-1@example.org")

    async def run() -> None:
        async with double() as (handler, port):
            worker = worker_for(box, relay_to(port))
            box.broken = {"full"}
            assert await worker.drain(NOW) == 2
            assert [row.state for row in box.rows.values()] == ["waiting"] * 3
            for row in box.rows.values():
                row.leased = False  # the leases have run out
            assert await worker.drain(NOW) == 0
            box.broken = set()
            assert await worker.drain(NOW) == 1
            assert [address for _, address, _ in handler.stored] == [row.address for row in box.rows.values()]

    asyncio.run(run())
    assert box.states() == ["sent"] * 3


def test_a_transport_that_raises_means_later() -> None:
    class Broken:
        trouble = ""

        async def ready(self) -> bool:
            return True

        async def send(self, parcel: Parcel) -> Handover:
            raise ZeroDivisionError(parcel.address)

        async def close(self) -> None: ...

    box = Box()
    box.put("ok@example.org")
    asyncio.run(worker_for(box, Broken()).drain(NOW))
    assert (box.rows[1].state, box.rows[1].due) == ("waiting", NOW + 60)
    assert box.rows[1].why.startswith("ZeroDivisionError at")
    assert "example" not in box.rows[1].why


# Maildirs


def test_a_letter_that_leaves_while_the_next_is_asked_for_lets_it_go(tmp_path: Path) -> None:
    """The second letter of an address becomes due between the question for letters and its answer."""

    class Slow(Maildirs):
        async def send(self, parcel: delivery.Parcel) -> Handover:
            if parcel.id == 1:
                await asked.wait()
            return await super().send(parcel)

    class Asked(Box):
        async def claim(self, now: int, limit: int) -> list[Due]:
            found = await super().claim(now, limit)
            if self.claims == 3:  # bob's letter has left, and ann's first one holds the second one up
                asked.set()
                while running := {task for task in asyncio.all_tasks() if task.get_name() == "letter 1"}:
                    await asyncio.wait(running)
            return found

    async def run() -> list[str]:
        box = Asked()
        box.put("ann@example.org", "bob@example.org", "ann@example.org")
        assert await worker_for(box, Slow(tmp_path)).drain(NOW) == 3
        return box.states()

    asked = asyncio.Event()
    assert asyncio.run(run()) == ["sent"] * 3


def into_maildirs(root: Path, *addresses: str) -> Box:
    async def run() -> Box:
        box = Box()
        box.put(*addresses)
        await worker_for(box, Maildirs(root)).drain(NOW)
        return box

    return asyncio.run(run())


def test_letters_arrive_in_a_maildir_that_others_can_read(tmp_path: Path) -> None:
    box = into_maildirs(tmp_path / "post", "ann@example.org", "bob@example.org", "ann@example.org")
    assert box.states() == ["sent"] * 3
    read = mailbox.Maildir(folder(tmp_path / "post", "ann@example.org"), create=False)
    assert sorted(str(message["Subject"]) for message in read) == ["Letter 1", "Letter 3"]
    files = letters(tmp_path / "post", "ANN@example.org")
    assert [b"Letter 1\n" in files[0].read_bytes(), b"Letter 3\n" in files[1].read_bytes()] == [True, True]
    assert files[0].read_bytes() == compose(box.render(1)).replace(b"\r\n", b"\n")
    assert list((folder(tmp_path / "post", "ann@example.org") / "tmp").iterdir()) == []
    assert len(letters(tmp_path / "post", "bob@example.org")) == 1
    assert letters(tmp_path / "post", "eve@example.org") == []


@pytest.mark.parametrize("place", ["new/{}", "cur/{}", "cur/{}:2,S"])
def test_a_second_try_finds_the_letter_there(tmp_path: Path, place: str) -> None:
    into_maildirs(tmp_path, "ann@example.org")
    [path] = letters(tmp_path, "ann@example.org")
    moved = path.parent.parent / place.format(path.name)
    path.rename(moved)
    into_maildirs(tmp_path, "ann@example.org")
    assert letters(tmp_path, "ann@example.org") == [moved]


def test_a_half_written_letter_is_written_again(tmp_path: Path) -> None:
    into_maildirs(tmp_path, "ann@example.org")
    [path] = letters(tmp_path, "ann@example.org")
    whole = path.read_bytes()
    path.unlink()
    (path.parent.parent / "tmp" / path.name).write_bytes(b"half" * 1000)
    into_maildirs(tmp_path, "ann@example.org")
    assert [path.read_bytes() for path in letters(tmp_path, "ann@example.org")] == [whole]


def test_two_letters_are_two_files_though_all_but_their_id_is_equal(tmp_path: Path) -> None:
    async def run() -> None:
        for message_id in ("<1@games.example>", "<2@games.example>", "<1@games.example>"):
            assert await Maildirs(tmp_path).send(replace(parcel("ann@example.org"), message_id=message_id)) == SENT

    asyncio.run(run())
    assert len(letters(tmp_path, "ann@example.org")) == 2


ODD = [
    ("a/b@example.org", "a%2Fb@example.org"),
    ("Ann+Tag@Example.org", "ann+tag@example.org"),
    ("o'neil@example.org", "o%27neil@example.org"),
    ("a*b?@example.org", "a%2Ab%3F@example.org"),
    ("../x@example.org", "..%2Fx@example.org"),
]


@pytest.mark.parametrize(("address", "name"), ODD)
def test_folders_stay_under_the_root(address: str, name: str) -> None:
    assert folder(Path("root"), address) == Path("root") / name


def test_long_addresses_have_folders_of_their_own(tmp_path: Path) -> None:
    long = ["/" * 60 + f"{n}@" + "a." * 90 + "org" for n in range(2)]
    assert into_maildirs(tmp_path, *long).states() == ["sent", "sent"]
    assert [len(letters(tmp_path, address)) for address in long] == [1, 1]


@pytest.mark.parametrize("bad", ["../x@example.org", "..", "ann", "", "a@b@c.org"])
def test_no_folder_for_what_is_no_address(tmp_path: Path, bad: str) -> None:
    assert asyncio.run(Maildirs(tmp_path).send(parcel(bad))) == failed("not an address")
    assert letters(tmp_path, bad) == []
    assert list(tmp_path.iterdir()) == []


def test_a_disk_in_trouble_means_later(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    transport = Maildirs(tmp_path / "file")
    assert not asyncio.run(transport.ready())
    assert transport.trouble == "FileExistsError"
    assert asyncio.run(Maildirs(tmp_path / "file").send(parcel("ann@example.org"))) == later("NotADirectoryError")


# Mails wait for letters


class Gate:
    """A transport that holds letters until it is opened."""

    def __init__(self) -> None:
        self.trouble = "shut"
        self.up = True
        self.held = 0
        self.opened = asyncio.Event()

    async def ready(self) -> bool:
        return self.up

    async def send(self, parcel: Parcel) -> Handover:
        self.held += 1
        await self.opened.wait()
        return SENT

    async def close(self) -> None: ...


async def piled_up(letters: int) -> tuple[Box, Gate, Worker, asyncio.Task[int]]:
    """So many letters are due, the first are on their way, and the gate is shut."""
    box, gate = Box(), Gate()
    box.put(*(f"ok{n}@example.org" for n in range(letters)))
    worker = worker_for(box, gate)
    await worker.caught_up()
    draining = asyncio.create_task(worker.drain(NOW))
    while not gate.held:
        await asyncio.sleep(0)
    return box, gate, worker, draining


FLOWS = [
    # (letters that are due, whether a mail waits until they are gone)
    (delivery.BATCH - 1, False),
    (delivery.BATCH, True),
    (2 * delivery.BATCH + 1, True),
]


@pytest.mark.parametrize(("letters", "waits"), FLOWS)
def test_a_mail_waits_while_letters_pile_up(letters: int, waits: bool) -> None:
    async def run() -> None:
        box, gate, worker, draining = await piled_up(letters)
        mail = asyncio.create_task(worker.caught_up())
        for _ in range(10):
            await asyncio.sleep(0)
        assert mail.done() is not waits
        gate.opened.set()
        await asyncio.gather(draining, mail)
        assert set(box.states()) == {"sent"}

    asyncio.run(run())


def test_a_mail_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        _, gate, worker, draining = await piled_up(delivery.BATCH)
        monkeypatch.setattr(delivery, "FLOW", 0.01)
        await worker.caught_up()
        assert not draining.done()
        gate.opened.set()
        await draining

    asyncio.run(run())


def test_a_mail_does_not_wait_for_a_relay_that_is_away() -> None:
    async def run() -> None:
        box, gate, worker, draining = await piled_up(3 * delivery.BATCH)
        mail = asyncio.create_task(worker.caught_up())
        gate.up = False
        gate.opened.set()
        await asyncio.gather(draining, mail)
        assert box.states().count("waiting") == 2 * delivery.BATCH

    asyncio.run(run())
