"""One server and one Chromium for each module of browser tests. Without a Chromium, or Playwright, they are skipped.

Playwright keeps an event loop running in its thread, so both end with the last test of a module: `asyncio.run` of
another test would fail beside it.
"""

import asyncio
import re
import shutil
import threading
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import pytest

from mailbot.shell.app import App
from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import (
    BotsSection,
    ListenSection,
    PicturesSection,
    RelaySection,
    StoreSection,
    WebSection,
)
from mailbot.shell.console import postman

sync_api = pytest.importorskip("playwright.sync_api")

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD: Final = "quiet-river-42"
LINK: Final = re.compile(r"Open the board: (\S+)")


def chromium() -> str:
    """The program; "" if there is none."""
    found = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    return next(filter(None, found), "")


class Served:
    """A daemon with its page, in a thread of its own, and the mail programs of its players."""

    def __init__(self, folder: Path) -> None:
        self.config = Config(
            listen=ListenSection(port=0),
            store=StoreSection(path=folder / "db.sqlite"),
            relay=RelaySection(maildir=folder / "mail"),
            web=WebSection(enabled=True, port=0),
            pictures=PicturesSection(workers=0),
            bots=BotsSection(workers=0),
        )
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self._boards = 0
        self.app = self.done(self._started())

    async def _started(self) -> App:
        app = App(self.config, {})
        await app.start()
        return app

    def done(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def stop(self) -> None:
        self.done(self.app.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()

    @property
    def url(self) -> str:
        assert self.app.page
        return self.app.page.url

    def _send(self, mail: EmailMessage) -> None:
        assert self.app.listener
        postman.send(mail, "127.0.0.1", self.app.listener.port)
        self.done(self.app.delivered())

    def mail(self, who: str, subject: str, body: str = "") -> None:
        """A mail with a command as its Subject."""
        self._send(postman.write(f"{who}@example.org", self.app.own.address, subject, body, datetime.now(UTC)))

    def answer(self, who: str, text: str) -> None:
        """An answer to the newest letter that can be answered."""
        letter = [letter for letter in self.letters(who) if letter["Reply-To"]][-1]
        self._send(postman.answer(letter, f"{who}@example.org", text, datetime.now(UTC)))

    def letters(self, who: str) -> list[EmailMessage]:
        self.done(self.app.delivered())
        return postman.letters(self.config.relay.maildir, f"{who}@example.org")

    def link(self, who: str) -> str:
        """The link in the player's newest letter about a board."""
        found = [found for letter in self.letters(who) if (found := LINK.search(postman.text(letter)))]
        return found[-1][1]

    def sign_up(self, *players: str) -> None:
        for who in players:
            self.mail(who, f"signup {who} {PASSWORD}")
            self.answer(who, "yes")

    def game(self, first: str, second: str, rules: str = "lambo") -> int:
        """A game that has begun; its board."""
        name, _, options = rules.partition(" ")
        self.mail(first, f"{name} challenge {options} {first} {second} {PASSWORD}")
        self.answer(second, "accept")
        self._boards += 1
        return self._boards

    def moves(self, board: int) -> list[str]:
        async def texts() -> list[str]:
            return self.app.reads.texts(board)

        return self.done(texts())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    program = chromium()
    if not program:
        pytest.skip("there is no Chromium here")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=[*FLAGS])
        yield found
        found.close()


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With ann and bob, and board 1 between them, where ann is to move."""
    house = Served(tmp_path_factory.mktemp("served"))
    house.sign_up("ann", "bob")
    house.game("ann", "bob")
    yield house
    house.stop()


@pytest.fixture
def tab(browser: Any, served: Served) -> Iterator[Callable[..., Any]]:
    """Opens a window of this width and scheme. A dialog, an error of a script, or anything that the security policy
    forbids, fails the test."""
    wrong: list[str] = []
    windows = []

    def opened(width: int = 1280, scheme: str = "light", scripts: bool = True) -> Any:
        window = browser.new_context(
            viewport={"width": width, "height": 780}, color_scheme=scheme, java_script_enabled=scripts
        )
        windows.append(window)
        page = window.new_page()
        page.set_default_timeout(10_000)
        page.on("dialog", lambda dialog: (wrong.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: wrong.append(f"an error: {error}"))
        page.on("console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None)
        page.on(
            "request", lambda asked: None if asked.url.startswith((served.url, "data:")) else wrong.append(asked.url)
        )
        return page

    yield opened
    for window in windows:
        window.close()
    assert not wrong
