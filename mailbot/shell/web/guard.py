"""Stands in front of every page: who may ask, how much and how often, and the headers of every answer.

Theory of operation. Pure ASGI. A request must name our host; it is GET, HEAD or POST; its body is small and comes soon,
and is complete before a page sees the request. One network gets so many requests a minute and so many at once; a stream
of news counts as one for as long as it lasts. Mails share the event loop with pages, and some pages are costly; so a
network gets only a part of the loop's time, too, and pages take turns (turns.py). Nothing here logs an address of the
page, because it may hold a token. connections.py does the same for connections whose request is not complete.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network
from time import thread_time
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mailbot.shell.metrics.counts import Counts
from mailbot.shell.smtp.intake import report
from mailbot.shell.smtp.wire import Pace, Places, exemption, plain_ip, sources_of
from mailbot.shell.web.turns import Turns

LONGEST_TARGET: Final = 4000
MOST_HEADERS: Final = 100
"""A browser sends some twenty, and servers in front add a few. Ten thousand empty ones take a megabyte of memory."""
BODY: Final = 64 * 1024
"""Octets of a form."""
BODY_SECONDS: Final = 10.0

POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),  # also of a page that is not there yet
)
TLS_ONLY: Final = (b"strict-transport-security", b"max-age=31536000")


METHODS: Final = ("GET", "HEAD", "POST")
ELSEWHERE: Final = (b"cross-site", b"same-site")
"""What a browser says of a form that another site has sent (Sec-Fetch-Site)."""

CROWDED: Final = 5
"""By this the places of a network are divided when three quarters of all are taken."""

REFUSALS: Final = {
    400: "This request cannot be read.",
    403: "Another site has sent this form. Nothing has been done.",
    405: "The page knows GET, HEAD and POST.",
    408: "The form did not come in time. Nothing has been done.",
    413: "This form is too long. Nothing has been done.",
    414: "This address is too long.",
    421: "No such page is served here.",
    429: "Your network has asked for too much within a minute. Try again in a minute.",
    431: "This request has too many headers.",
    500: "Something broke here. It has been logged.",
    503: "Too many requests from your network at once. Try again in a moment.",
    507: "The server's disk is nearly full. Nothing has been done; try again later.",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """`per_minute`: requests of one network (0: any number); `at_once`: of one network; `all_at_once`: of everybody.
    `work`: seconds of the loop's time for one network within a minute."""

    per_minute: int = 300
    at_once: int = 50
    all_at_once: int = 1000
    work: float = 6.0


class Refused(Exception):
    """The request gets this answer, and no page sees it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Budget(NamedTuple):
    """The time that the network of a request may use. `spend` takes seconds of work; `sources`: see `sources_of`."""

    spend: Callable[[float], None]
    is_spent: Callable[[], bool]
    sources: Mapping[str, int]


_BUDGET: ContextVar[Budget | None] = ContextVar("_BUDGET", default=None)
"""That of the request at hand."""


def charge(seconds: float) -> None:
    """Somebody else has worked so long for the request at hand: the writer, or another thread."""
    if budget := _BUDGET.get():
        budget.spend(seconds)


def require_budget() -> None:
    """Raises HTTPException if the network has used up its time while the request at hand was waiting."""
    if (budget := _BUDGET.get()) and budget.is_spent():
        raise HTTPException(429, REFUSALS[429])


@contextmanager
def queued(waiting: dict[str, int], most: int) -> Iterator[None]:
    """While the request at hand waits in a queue. Raises HTTPException if so many of its network wait there already."""
    budget = _BUDGET.get()
    sources = budget.sources if budget else {}
    if any(waiting.get(source, 0) >= times * most for source, times in sources.items()):
        raise HTTPException(503, REFUSALS[503])
    for source in sources:
        waiting[source] = waiting.get(source, 0) + 1
    try:
        yield
    finally:
        for source in sources:
            waiting[source] -= 1
            if not waiting[source]:
                del waiting[source]


class _Metered:
    """Awaits something, and says after each step how many seconds it cost this thread, without the time in between.
    After each wait it takes a `turn`: one commit wakes all the forms in it at once."""

    def __init__(
        self,
        work: Awaitable[None],
        cpu: Callable[[], float],
        spent: Callable[[float], None],
        turn: Callable[[], Awaitable[None]],
    ) -> None:
        self._work = work
        self._cpu = cpu
        self._spent = spent
        self._turn = turn

    def __await__(self) -> Generator[Any, Any, None]:
        steps = self._work.__await__()
        step = partial(steps.send, None)
        while True:
            begun = self._cpu()
            try:
                wanted = step()
            except StopIteration:
                return
            finally:
                self._spent(self._cpu() - begun)
            try:
                step = partial(steps.send, (yield wanted))
                yield from self._turn().__await__()
            except BaseException as error:  # a cancellation is for the work
                step = partial(steps.throw, error)


class Guard:
    """The site behind its guard. `url`: where browsers find it; `hosts`: other names of it. `clock`: seconds; `cpu`:
    seconds that this thread has worked; `full`: whether forms must wait for room on the disk, as mails do."""

    def __init__(
        self,
        app: ASGIApp,
        url: str,
        *,
        hosts: Iterable[str] = (),
        proxies: Iterable[str] = (),
        exempt: Iterable[str] = (),
        limits: Limits = Limits(),
        clock: Callable[[], float],
        cpu: Callable[[], float] = thread_time,
        counts: Counts | None = None,
        full: Callable[[], bool] = lambda: False,
    ) -> None:
        self._app = app
        self._counts = counts or Counts()
        parts = urlsplit(url)
        self._hosts = {parts.netloc.encode(), *(host.encode() for host in hosts)}
        self._scheme = parts.scheme
        self._headers = [*HEADERS, *([TLS_ONLY] if parts.scheme == "https" else [])]
        self._proxies = [ip_network(one) for one in proxies]
        self._exempt = exemption([*exempt])
        self._limits = limits
        self._pace = Pace(limits.per_minute)
        self._work = Pace(limits.work)
        self._cpu = cpu
        self._clock = clock
        self._places = Places(limits.at_once, self._exempt)
        self._turns = Turns()
        self._running = 0
        self._full = full

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._counts.requests[f"{message['status'] // 100}xx"] += 1
                known = {name for name, _ in message.get("headers", ())}
                extra = [(name, value) for name, value in self._headers if name not in known]
                message = {**message, "headers": [*message.get("headers", ()), *extra]}
            await send(message)

        try:
            await self._let_in(scope, receive, answer)
        except Refused as refused:
            await _say(refused.status, answer)
        except Exception as error:
            report("a page failed", error)
            if not begun:
                await _say(500, answer)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope["headers"]
        if len(headers) > MOST_HEADERS:
            raise Refused(431)
        hosts = [value.lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            raise Refused(421)
        if scope["method"] not in METHODS:
            raise Refused(405)
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_TARGET:
            raise Refused(414)
        if not _plain(scope["path"]):
            raise Refused(400)
        if scope["method"] == "POST" and any(
            name == b"sec-fetch-site" and value in ELSEWHERE for name, value in headers
        ):
            raise Refused(403)
        ip = self._client(scope)
        sources = {} if self._exempt(ip) else sources_of(ip)
        if self._work.over(sources, self._clock()) or not self._pace.spend(sources, self._clock()):
            raise Refused(429)
        if scope["method"] == "POST" and self._full():
            raise Refused(507)
        crowded = self._running * 4 >= self._limits.all_at_once * 3  # what is left is for networks that hold few
        if self._running >= self._limits.all_at_once or self._places.full(ip, CROWDED if crowded else 1):
            raise Refused(503)
        self._running += 1
        self._places.take(ip)

        async def turn() -> None:
            await self._turns.turn(lambda: (self._work.begun, self._work.used(sources)))

        try:
            receive = await _complete(scope, receive)  # a GET may have a body, too
            await turn()
            if self._work.over(sources, self._clock()):  # many may have waited for their last octet together
                raise Refused(429)
            budget = Budget(partial(self._work.add, sources), lambda: self._work.over(sources, self._clock()), sources)
            _BUDGET.set(budget)  # each request is a task of its own
            page = self._app({**scope, "client": (ip, 0), "scheme": self._scheme}, receive, send)
            await _Metered(page, self._cpu, budget.spend, turn)
        finally:
            self._running -= 1
            self._places.take(ip, -1)

    def _client(self, scope: Scope) -> str:
        """The IP address of the browser. A server in front says whose request it passes on: the last address that is
        not a proxy's itself, because everything left of it may be made up."""
        ip = plain_ip(scope.get("client"))
        if not self._is_proxy(ip):
            return ip
        said = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        for word in reversed(said.decode("latin-1").split(",")):
            try:
                address = ip_address(word.strip())
            except ValueError:
                break
            ip = plain_ip((str(getattr(address, "ipv4_mapped", None) or address),))
            if not self._is_proxy(ip):
                break
        return ip

    def _is_proxy(self, ip: str) -> bool:
        try:
            address = ip_address(ip)
        except ValueError:
            return False
        return any(address in network for network in self._proxies)


def _plain(path: str) -> bool:
    """Whether this is a path of a page, not one that climbs out of a folder or hides something."""
    return path.startswith("/") and path.isprintable() and "\\" not in path and not {"..", "."} & {*path.split("/")}


async def _complete(scope: Scope, receive: Receive) -> Receive:
    """Reads the whole body; a page gets it at once. Raises Refused.

    No page may answer earlier. If it does, and the request says `Expect: 100-continue`, Caddy 2.6 never sends the body
    and uses the connection for somebody else (CVE-2024-24791). We would take that other request for the body.
    """
    said = [value for name, value in scope["headers"] if name == b"content-length"]
    if said and (not said[0].isdigit() or int(said[0]) > BODY):
        raise Refused(413)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refused(400)
                body += message.get("body", b"")
                if len(body) > BODY:
                    raise Refused(413)
                if not message.get("more_body"):
                    break
    except TimeoutError:
        raise Refused(408) from None
    whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def again() -> Message:
        return whole.pop() if whole else await receive()

    return again


async def _say(status: int, send: Send) -> None:
    said = REFUSALS[status].encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(said)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    if status in (429, 503, 507):
        headers.append((b"retry-after", b"60"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": said})
