"""A whole game between two scripted players, over real SMTP, on a temporary server of its own."""

import asyncio
import random
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

from engine.hex import notation, variants
from engine.hex.position import Position, apply, legal_moves, start
from mailbot.shell.app import App
from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import ListenSection, RelaySection, StoreSection
from mailbot.shell.console import postman

PLAYERS = {"ann": "ann@example.org", "bob": "bob@example.org"}
PASSWORD = "quiet-river-42"  # noqa: S105 - of a server that lives for a second


def game(seed: int) -> list[str]:
    """The moves of a random game; the same seed gives the same game."""
    chance = random.Random(seed)  # noqa: S311
    position: Position = start(variants.parse("lambo"))
    while position.outcome is None:
        position = apply(position, chance.choice(list(legal_moves(position))))
    return [notation.write_move(turn.move) for turn in position.turns]


class Table:
    """The two players with their mail programs, and their output."""

    def __init__(self, app: App, show: Callable[[str], None]) -> None:
        self._app = app
        self._show = show
        self._read: dict[str, int] = {}
        self._newest: dict[str, EmailMessage] = {}

    async def send(self, mail: EmailMessage) -> None:
        """Sends the mail; prints it and every letter that it causes."""
        body = postman.text(mail).partition("\n\nOn ")[0].strip()
        self._show(f"{'>' * 78}\n> From: {mail['From']}\n> To: {mail['To']}\n> Subject: {mail['Subject']}")
        self._show("".join(f"> {line}\n" for line in body.splitlines()))
        assert self._app.listener
        await asyncio.to_thread(postman.send, mail, "127.0.0.1", self._app.listener.port)
        await self._app.delivered()
        for address in PLAYERS.values():
            found = postman.letters(self._app.config.relay.maildir, address)
            for letter in found[self._read.get(address, 0) :]:
                self._show(f"{'<' * 78}\n{postman.shown(letter)}\n")
                if letter["Reply-To"]:
                    self._newest[address] = letter
            self._read[address] = len(found)

    async def command(self, address: str, subject: str) -> None:
        """A new mail with the command in its Subject."""
        await self.send(postman.write(address, self._app.own.address, subject, "", datetime.now(UTC)))

    async def answer(self, address: str, text: str) -> None:
        """A reply to the newest letter."""
        await self.send(postman.answer(self._newest[address], address, text, datetime.now(UTC)))


async def play(moves: Sequence[str], show: Callable[[str], None]) -> None:
    """Signup, challenge, all these moves of Lambo, and the end."""
    with tempfile.TemporaryDirectory(prefix="mailbot-demo-") as folder:
        config = Config(
            listen=ListenSection(port=0),
            store=StoreSection(path=Path(folder, "demo.sqlite")),
            relay=RelaySection(maildir=Path(folder, "mail")),
        )
        app = App(config, {})
        await app.start()
        try:
            await _game(Table(app, show), moves)
        finally:
            await app.stop()


async def _game(table: Table, moves: Sequence[str]) -> None:
    ann, bob = PLAYERS.values()
    for userid, address in PLAYERS.items():
        await table.command(address, f"signup {userid} {PASSWORD}")
        await table.answer(address, "yes")
    await table.command(ann, f"lambo challenge ann bob {PASSWORD}")
    await table.answer(bob, "accept")
    for ply, move in enumerate(moves):
        await table.answer((ann, bob)[ply % 2], move)
