"""A browser without a screen: asks the page over ASGI, keeps cookies, and fills in forms as they come."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp

from mailbot.shell.web.rooms import Rooms, environment
from mailbot.shell.web.site import site
from tests.dialogues.play import PASSWORDS, Server, _sign_up

URL = "http://games.example.net"


@dataclass
class Form:
    """A form of a page: where it goes and what is filled in."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    """The forms of a page, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.words: list[str] = []
        self._area = self._select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(has.get("action", ""), has.get("method", "get")))
        if not self.forms or "name" not in has:
            if tag == "option" and self._select and "selected" in has:
                self.forms[-1].fields[self._select] = has.get("value", "")
            return
        fields = self.forms[-1].fields
        if tag == "textarea":
            self._area = has["name"]
            fields[self._area] = ""
        elif tag == "select":
            self._select = has["name"]
            fields[self._select] = ""
        elif tag == "input" and (has.get("type") not in ("checkbox", "radio") or "checked" in has):
            fields[has["name"]] = has.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""
        elif tag == "select":
            self._select = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            fields = self.forms[-1].fields
            fields[self._area] += data if fields[self._area] else data.removeprefix("\n")
        self.words.append(data)


@dataclass
class Answer:
    """What the page answered."""

    status: int
    headers: list[tuple[str, str]]
    text: str
    path: str

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")

    @property
    def read(self) -> Forms:
        return Forms(self.text)

    @property
    def words(self) -> str:
        """All that a reader sees, with single blanks."""
        return " ".join(" ".join(self.read.words).split())

    def form(self, action: str) -> Form:
        """The first form that goes to this address."""
        found = [form for form in self.read.forms if (form.action or self.path).partition("?")[0] == action]
        assert found, f"no form {action} in {[form.action for form in self.read.forms]}: {self.words[:300]}"
        return found[0]


async def call(
    app: ASGIApp, method: str, target: str, headers: list[tuple[str, str]], body: bytes = b"", ip: str = "192.0.2.7"
) -> tuple[int, list[tuple[str, str]], bytes]:
    """One request to an ASGI application."""
    path, _, query = target.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": (ip, 40000),
        "server": ("games.example.net", 80),
        "state": {},
    }
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    begun = next(one for one in sent if one["type"] == "http.response.start")
    told = b"".join(one.get("body", b"") for one in sent if one["type"] == "http.response.body")
    return begun["status"], [(name.decode(), value.decode()) for name, value in begun["headers"]], told


class Browser:
    """One browser with its cookies, at this IP address."""

    def __init__(self, app: ASGIApp, ip: str = "192.0.2.7", url: str = URL) -> None:
        self.app = app
        self.ip = ip
        self.url = url
        self.cookies: dict[str, str] = {}

    async def ask(self, method: str, target: str, body: bytes = b"", **headers: str) -> Answer:
        given = {"host": self.url.partition("://")[2]} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        if self.cookies:
            given["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        status, told, content = await call(self.app, method, target, [*given.items()], body, self.ip)
        for name, value in told:
            if name == "set-cookie":
                for morsel in SimpleCookie(value).values():
                    if morsel["max-age"] == "0":
                        self.cookies.pop(morsel.key, None)
                    else:
                        self.cookies[morsel.key] = morsel.value
        return Answer(status, told, content.decode(), target)

    async def get(self, target: str, **headers: str) -> Answer:
        return await self.ask("GET", target, **headers)

    async def post(self, target: str, fields: dict[str, str], **headers: str) -> Answer:
        headers.setdefault("content_type", "application/x-www-form-urlencoded")
        return await self.ask("POST", target, urlencode(fields).encode(), **headers)

    async def fill(self, page: Answer, action: str, **fields: str) -> Answer:
        """Sends the form with these fields filled in; the others stay as they are."""
        form = page.form(action)
        assert {*fields} <= {*form.fields}, (form.fields, fields)
        if form.method.lower() != "post":
            return await self.get(f"{action}?{urlencode(form.fields | fields)}")
        return await self.post(action, form.fields | fields)

    async def log_in(self, who: str) -> "Browser":
        done = await self.fill(await self.get("/login"), "/login", name=who, password=PASSWORDS[who])
        assert done.status == 303, done.words
        return self


class House:
    """A server with its page."""

    def __init__(self, server: Server, url: str = URL) -> None:
        self.server = server
        server.letterbox.page = url
        reception = server.reception
        self.rooms = Rooms(
            server.own,
            reception._reads,
            server.writer,
            server.auth,
            server.budgets,
            server.letterbox,
            server.store.keys(),
            lambda: server.time,
            url,
            reception._reads.catalogue,
            environment(),
            reception.asker,
            server.apart,
            ("127.0.0.0/8",),
            cpu=lambda: 0.0,
        )
        self.app = site(self.rooms)

    def browser(self, ip: str = "192.0.2.7") -> Browser:
        return Browser(self.app, ip, self.rooms.url)

    async def done(self) -> None:
        """All that goes on after an answer."""
        await self.server.reception.settled()
        while await self.server.reception.unproved.step():
            pass

    async def letters(self) -> list[tuple[str, str]]:
        """The new letters: to whom, and their text."""
        await self.done()
        found = []
        for _, _, letter in self.server.new_letters():
            body = letter.get_body(("plain",))  # type: ignore[attr-defined]
            found.append((str(letter["To"]), str(letter["Subject"]) + "\n" + body.get_content()))
        return found


def at_home(folder: Path, story: Callable[[House], Awaitable[None]], *players: str, url: str = URL) -> None:
    """Tells a story with these players, who have signed up by mail."""

    async def run() -> None:
        server = Server(folder)
        server.writer.start()
        try:
            if players:
                await _sign_up(server, [*players])
            server.new_letters()
            await story(House(server, url))
        finally:
            await server.close()

    asyncio.run(run())
