"""Whole games over real sockets: the daemon as it is, a mail program on one side, a relay or Maildirs on the other."""

import asyncio
import shutil
import smtplib
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP

from engine.hex import record
from mailbot.core.pages import SHOWN
from mailbot.shell.app import App
from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import ListenSection, RelaySection, StoreSection
from mailbot.shell.console import demo, postman

ANN, BOB = "ann@example.org", "bob@example.org"
PASSWORDS = {ANN: "correct-horse-1", BOB: "battery-staple-2"}


class Desk:
    """A server in a folder, and what its players have got so far."""

    def __init__(self, folder: Path, relay: RelaySection | None = None, config: Config | None = None) -> None:
        self.config = config or Config(
            listen=ListenSection(port=0),
            store=StoreSection(path=folder / "db.sqlite"),
            relay=relay or RelaySection(maildir=folder / "mail"),
        )
        self.app = App(self.config, {})

    async def __aenter__(self) -> "Desk":
        await self.app.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.app.stop()

    @property
    def port(self) -> int:
        assert self.app.listener
        return self.app.listener.port

    async def send(self, mail: EmailMessage) -> None:
        await asyncio.to_thread(postman.send, mail, "127.0.0.1", self.port)
        await self.app.delivered()

    async def command(self, sender: str, subject: str, body: str = "") -> None:
        await self.send(postman.write(sender, self.app.own.address, subject, body, datetime.now(UTC)))

    async def answer(self, sender: str, text: str) -> None:
        await self.send(postman.answer(self.newest(sender), sender, text, datetime.now(UTC)))

    def letters(self, address: str) -> list[EmailMessage]:
        return postman.letters(self.config.relay.maildir, address)

    def newest(self, address: str) -> EmailMessage:
        return [letter for letter in self.letters(address) if letter["Reply-To"]][-1]

    async def two_players(self) -> None:
        for address, userid in ((ANN, "ann"), (BOB, "bob")):
            await self.command(address, f"signup {userid} {PASSWORDS[address]}")
            await self.answer(address, "yes")


def check_end(letters: list[EmailMessage], moves: list[str]) -> None:
    """The last letter ends the game that was played, and its record reads back as that game."""
    text = postman.text(letters[-1])
    assert "The game is over" in text
    folded = text.split("The record of the game:")[1].split("[Game")[0].split()
    rules, played = record.parse(" ".join(folded))
    assert rules.game == "lambo"
    assert [f"{move}" for move in moves] == [" ".join(folded).split(": ")[1].split()[i] for i in range(len(played))]


def test_a_whole_game_by_answering_letters(tmp_path: Path) -> None:
    """No password after the signup."""
    moves = demo.game(3)

    async def play() -> None:
        async with Desk(tmp_path) as desk:
            await desk.two_players()
            await desk.command(ANN, "lambo challenge ann bob")
            await desk.answer(ANN, "accept")
            await desk.answer(BOB, "accept")
            for ply, move in enumerate(moves):
                await desk.answer((ANN, BOB)[ply % 2], f"{move}\n\nwith greetings")
            for address in (ANN, BOB):
                check_end(desk.letters(address), moves)
            threads = {
                letter["References"].split()[0] for letter in desk.letters(ANN) if "Lambo 1" in letter["Subject"]
            }
            assert len(threads) == 1

    asyncio.run(play())


def test_clocks_stand_while_the_disk_is_too_full_for_mails(tmp_path: Path) -> None:
    async def full() -> None:
        async with Desk(tmp_path) as desk:
            await desk.app.ticker.beat()
            assert not desk.app.reads.pulse().stuck
            desk.app.disk._least = 2**50
            desk.app.disk._looked = 0
            with pytest.raises(smtplib.SMTPException, match="452"):
                await desk.command(ANN, "help")
            await desk.app.ticker.beat()
            assert desk.app.reads.pulse().stuck

    asyncio.run(full())


def test_no_clock_stands_for_a_relay_to_which_no_letter_waits_to_go(tmp_path: Path) -> None:
    async def ill() -> None:
        async with Desk(tmp_path) as desk:
            await desk.command(ANN, f"signup ann {PASSWORDS[ANN]}")
            desk.app.worker._refusals.stuck = True
            await desk.app.ticker.beat()
            assert not desk.app.reads.pulse().stuck
            later = "UPDATE outbox SET state = 'waiting', due = due + 3600"
            await desk.app.writer.do(lambda store: store.db.execute(later))
            await desk.app.ticker.beat()
            assert desk.app.reads.pulse().stuck

    asyncio.run(ill())


def test_a_whole_game_by_old_style_subjects(tmp_path: Path) -> None:
    moves = demo.game(4)

    async def play() -> None:
        async with Desk(tmp_path) as desk:
            await desk.two_players()
            await desk.command(ANN, f"lambo challenge ann bob {PASSWORDS[ANN]}")
            await desk.command(BOB, f"accept 1 bob {PASSWORDS[BOB]}")
            for ply, move in enumerate(moves):
                address, userid = ((ANN, "ann"), (BOB, "bob"))[ply % 2]
                await desk.command(address, f"lambo move 1 {userid} {PASSWORDS[address]} {move}")
            for address in (ANN, BOB):
                check_end(desk.letters(address), moves)

    asyncio.run(play())


def test_the_demo_ends_a_game() -> None:
    said: list[str] = []
    asyncio.run(demo.play(SHOWN["first"][1], said.append))
    assert any("you have won" in part for part in said)


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    """Stopped between two moves, the server goes on where it was; old letters can still be answered."""
    moves = demo.game(3)

    async def first() -> None:
        async with Desk(tmp_path) as desk:
            await desk.two_players()
            await desk.command(ANN, f"lambo challenge ann bob {PASSWORDS[ANN]}")
            await desk.answer(BOB, "accept")
            await desk.answer(ANN, moves[0])

    async def second() -> None:
        async with Desk(tmp_path) as desk:
            await desk.answer(BOB, moves[1])
            assert "Moves so far" in postman.text(desk.newest(ANN))
            assert moves[1] in postman.text(desk.newest(ANN))

    asyncio.run(first())
    asyncio.run(second())


class _RelayDouble:
    """A relay that is not ours: stock aiosmtpd."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, Message]] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        message = message_from_bytes(envelope.content, policy=default)
        self.got.append((envelope.mail_from, envelope.rcpt_tos[0], message))
        return "250 OK"


@pytest.mark.skipif(not shutil.which("swaks"), reason="swaks (a Debian package) is not installed")
def test_swaks_sends_and_a_relay_receives(tmp_path: Path) -> None:
    """Neither end of the wire is ours: swaks speaks to the daemon, the daemon to a stock aiosmtpd."""

    async def swaks(desk: Desk, sender: str, to: str, subject: str, body: str) -> None:
        process = await asyncio.create_subprocess_exec(
            *("swaks", "--server", "127.0.0.1", "--port", str(desk.port), "--from", sender, "--to", to),
            *("--header", f"Subject: {subject}", "--body", body, "--silent", "2"),
            stdin=asyncio.subprocess.DEVNULL,
        )
        assert await process.wait() == 0
        await desk.app.delivered()

    async def play() -> None:
        relay = _RelayDouble()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(relay, hostname="relay.example"), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with Desk(tmp_path, RelaySection(host="127.0.0.1", port=port, starttls=False)) as desk:
            own = desk.app.own.address
            await swaks(desk, ANN, own, f"signup ann {PASSWORDS[ANN]}", "Hello!")
            sender, to, letter = relay.got[-1]
            assert to == ANN
            assert sender.startswith("bounce+b")
            await swaks(desk, ANN, str(letter["Reply-To"]), f"Re: {letter['Subject']}", "yes")
            assert relay.got[-1][2]["Subject"] == "Welcome, ann"
            assert relay.got[-1][2]["Auto-Submitted"].startswith("auto-")
        server.close()

    asyncio.run(play())


def test_a_refusal_is_an_smtp_code(tmp_path: Path) -> None:
    async def play() -> None:
        async with Desk(tmp_path) as desk:
            await desk.two_players()
            with pytest.raises(smtplib.SMTPDataError) as wrong:
                await desk.command(ANN, "lambo move 1 ann wrong-password a1")
            assert wrong.value.smtp_code == 550
            assert b"5.7.8" in wrong.value.smtp_error

    asyncio.run(play())
