"""What the pages may use of the daemon: one value, handed to each of their modules."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import thread_time
from typing import Any, Final

from jinja2 import Environment, StrictUndefined
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import HTMLResponse

from engine.catalogue import Catalogue
from mailbot.core.letters import pieces
from mailbot.core.letters.pieces import Block
from mailbot.core.mail.addresses import Own
from mailbot.core.players.preferences import without_hints
from mailbot.shell.post.gallery import Gallery
from mailbot.shell.post.layout import loaded
from mailbot.shell.post.letterbox import Letterbox, templates
from mailbot.shell.proof.asker import Asker
from mailbot.shell.proof.auth import Auth
from mailbot.shell.proof.budgets import Budgets
from mailbot.shell.web.watching import Watchers
from mailbot.shell.writer import Writer
from mailbot.store.reads import Reads

STATIC: Final = "static"
"""The folder of style sheet and script, and their place below the page's address."""


class Number(Convertor[int]):
    """The number of a board or a tournament in an address, `{board:number}`: short enough for SQLite."""

    regex = "[0-9]{1,15}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """The number in an address."""
        return str(value)


register_url_convertor("number", Number())


@dataclass(frozen=True, slots=True)
class Rooms:
    """`keys`: the server's secrets by id, the newest signs. `now`: unix seconds. `url`: the page's own address,
    without a slash at its end. `env`: the templates below templates/page. `apart`: reads over a connection of their
    own, for the one thread that makes costly pages; `alone` is held by who uses it, and `waiting` counts who waits.
    `proxies`: networks of the servers in front, which may say for whom they ask. `gallery`: makes pictures; None
    where nobody can. `watchers`: who watches a board; None where nobody can. `cpu`: seconds that the calling thread
    has worked."""

    own: Own
    reads: Reads
    writer: Writer
    auth: Auth
    budgets: Budgets
    letterbox: Letterbox
    keys: Mapping[int, bytes]
    now: Callable[[], int]
    url: str
    catalogue: Catalogue
    env: Environment
    asker: Asker
    apart: Callable[[], Reads]
    proxies: tuple[str, ...] = ()
    gallery: Gallery | None = None
    watchers: Watchers | None = None
    cpu: Callable[[], float] = thread_time
    alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: dict[str, int] = field(default_factory=dict)

    def blocks(self, template: str, facts: Mapping[str, Any]) -> list[Block]:
        """What a letter says, in its parts, without hints: they take long to find, and everybody would have to wait."""
        return pieces.blocks(self.letterbox.marked(template, without_hints(facts), {}, has_token=False))

    def page(self, request: Request, template: str, status: int = 200, **told: object) -> HTMLResponse:
        """A whole page: `templates/page/{template}.html` with these names, and `request`."""
        text = self.env.get_template(f"{template}.html").render(request=request, **told)
        return HTMLResponse(text, status)


def environment(folder: Path | None = None) -> Environment:
    """The templates of pages: everything in them is escaped; a missing name is an error."""
    return Environment(
        loader=loaded((folder or templates()) / "page"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
