"""In front of every page: hosts, methods, sizes, rates, proxies, and the headers of every answer."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from mailbot.shell.smtp.wire import Disk
from mailbot.shell.web import connections, guard
from mailbot.shell.web.connections import Connection, Door
from mailbot.shell.web.guard import BODY, Guard, Limits
from tests.shell.web.visitor import Browser, House, at_home, call

URL = "https://games.example.net"
HOST = ("host", "games.example.net")
FORM = ("content-type", "application/x-www-form-urlencoded")


LEFT: list[str] = []
"""Requests whose clients have gone."""


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with who asks and how long the body is."""
    if scope["path"] == "/break":
        raise RuntimeError("a secret")
    body = (await receive())["body"] if scope["method"] == "POST" else b""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
    if scope["path"] == "/watch":
        while (await receive())["type"] != "http.disconnect":
            pass
        LEFT.append(scope["path"])
    await send({"type": "http.response.body", "body": f"{scope['client'][0]} {len(body)}".encode()})


def guarded(url: str = URL, **more: Any) -> Guard:
    return Guard(echo, url, **{"clock": lambda: 0.0, "proxies": ["127.0.0.0/8", "10.0.0.0/8"], **more})


REQUESTS = [
    ("GET", "/", [HOST], b"", 200),
    ("HEAD", "/", [HOST], b"", 200),
    ("POST", "/", [HOST, FORM], b"a=b", 200),
    ("GET", "/", [], b"", 421),
    ("GET", "/", [("host", "evil.example")], b"", 421),
    ("GET", "/", [("host", "games.example.net:8025")], b"", 421),
    ("GET", "/", [("host", "GAMES.example.net")], b"", 200),
    ("GET", "/", [HOST, ("host", "evil.example")], b"", 421),
    ("GET", "/", [HOST, ("x-forwarded-host", "evil.example")], b"", 200),
    *((method, "/", [HOST], b"", 405) for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get")),
    ("GET", "/static/../secret", [HOST], b"", 400),
    ("GET", "/static/..", [HOST], b"", 400),
    ("GET", "/./static", [HOST], b"", 400),
    ("GET", "/static\\..\\secret", [HOST], b"", 400),
    ("GET", "/a\x00b", [HOST], b"", 400),
    ("GET", "/a\nb", [HOST], b"", 400),
    ("GET", "*", [HOST], b"", 400),
    ("GET", "/" + "a" * 5000, [HOST], b"", 414),
    ("GET", "/?" + "a" * 5000, [HOST], b"", 414),
    ("GET", "/", [HOST, *[("a", "")] * 99], b"", 200),
    ("POST", "/", [HOST, *[("a", "")] * 100], b"", 431),
    ("POST", "/", [HOST, FORM], b"a" * BODY, 200),
    ("POST", "/", [HOST, FORM], b"a" * (BODY + 1), 413),
    ("POST", "/", [HOST, FORM, ("content-length", str(BODY + 1))], b"", 413),
    ("POST", "/", [HOST, FORM, ("content-length", "-1")], b"", 413),
    ("POST", "/", [HOST, FORM, ("content-length", "9" * 400)], b"", 413),
    ("POST", "/", [HOST, FORM, ("sec-fetch-site", "cross-site")], b"", 403),
    ("POST", "/", [HOST, FORM, ("sec-fetch-site", "same-site")], b"", 403),
    ("POST", "/", [HOST, FORM, ("sec-fetch-site", "same-origin")], b"", 200),
    ("GET", "/", [HOST, ("sec-fetch-site", "cross-site")], b"", 200),
    ("GET", "/break", [HOST], b"", 500),
]


@pytest.mark.parametrize(("method", "target", "headers", "body", "status"), REQUESTS)
def test_requests(method: str, target: str, headers: list[tuple[str, str]], body: bytes, status: int) -> None:
    got, told, content = asyncio.run(call(guarded(), method, target, headers, body))
    assert got == status
    known = dict(told)
    assert known["content-security-policy"] == guard.POLICY and "unsafe" not in guard.POLICY
    assert "frame-ancestors 'none'" in guard.POLICY and "default-src 'none'" in guard.POLICY
    assert known["x-content-type-options"] == "nosniff" and known["referrer-policy"] == "no-referrer"
    assert known["strict-transport-security"] and b"secret" not in content
    assert len(known) == len(told), "no header twice"


def test_forms_wait_while_the_disk_is_full() -> None:
    """As mails do; pages can be read."""
    free, now = [999], [0.0]
    app = guarded(full=Disk(1000, lambda: free[0], lambda: now[0]).full)

    def status(method: str) -> int:
        got, told, content = asyncio.run(call(app, method, "/", [HOST, FORM], b"a=b" if method == "POST" else b""))
        assert (got == 507) is (b"disk is nearly full" in content) is ("retry-after" in dict(told))
        return got

    assert [status(method) for method in ("GET", "HEAD", "POST")] == [200, 200, 507]
    free[0] = 1000
    assert status("POST") == 507, "looked up once a second"
    now[0] = 1.0
    assert status("POST") == 200


def test_links_to_the_page_itself_have_its_own_scheme(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        app = Guard(house.app, house.rooms.url, clock=lambda: 0.0, cpu=lambda: 0.0)
        moved = await Browser(app, url=house.rooms.url).get("/login/")
        assert (moved.status, moved.header("location")) == (307, "https://games.example.net/login")

    at_home(tmp_path, story, url=URL)


def test_without_tls_nothing_is_promised_about_it() -> None:
    app = guarded("http://127.0.0.1:8025", hosts=("localhost:8025",))
    for host, status in (("127.0.0.1:8025", 200), ("localhost:8025", 200), ("127.0.0.1", 421)):
        got, told, _ = asyncio.run(call(app, "GET", "/", [("host", host)]))
        assert got == status and "strict-transport-security" not in dict(told)


def test_what_breaks_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(call(guarded(), "GET", "/break?token=p1-1-1-1-secret", [HOST]))
    (line,) = [record.getMessage() for record in caplog.records]
    assert "RuntimeError at" in line and "secret" not in line and "token" not in line and "/break" not in line


FORWARDED = [
    ("192.0.2.7", [], "192.0.2.7"),
    ("192.0.2.7", ["203.0.113.5"], "192.0.2.7"),
    ("127.0.0.1", [], "127.0.0.1"),
    ("127.0.0.1", ["203.0.113.5"], "203.0.113.5"),
    ("127.0.0.1", ["198.51.100.1, 203.0.113.5"], "203.0.113.5"),
    ("127.0.0.1", ["198.51.100.1", "203.0.113.5"], "203.0.113.5"),
    ("127.0.0.1", ["203.0.113.5, 10.1.1.1"], "203.0.113.5"),
    ("127.0.0.1", ["203.0.113.5, evil, 10.1.1.1"], "10.1.1.1"),
    ("127.0.0.1", ["evil"], "127.0.0.1"),
    ("127.0.0.1", ["2001:db8::5"], "2001:db8::5"),
    ("127.0.0.1", ["::ffff:203.0.113.5"], "203.0.113.5"),
    ("127.0.0.1", [""], "127.0.0.1"),
]


@pytest.mark.parametrize(("peer", "said", "client"), FORWARDED)
def test_only_a_proxy_is_believed_about_its_client(peer: str, said: list[str], client: str) -> None:
    headers = [HOST, *(("x-forwarded-for", one) for one in said)]
    _, _, content = asyncio.run(call(guarded(), "GET", "/", headers, ip=peer))
    assert content.decode() == f"{client} 0"


def test_the_work_for_one_network_within_a_minute() -> None:
    """What a page costs is counted step by step, and not what the loop does meanwhile."""
    time, cpu, seen = [0.0], [0.0], []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        cpu[0] += 1.0
        others = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(lambda: (cpu.__setitem__(0, cpu[0] + 50.0), others.set_result(7)))
        seen.append(await others)
        cpu[0] += 1.0
        if scope["path"] == "/break":
            raise RuntimeError
        await echo(scope, receive, send)

    app = Guard(page, URL, clock=lambda: time[0], cpu=lambda: cpu[0], limits=Limits(work=6.0), exempt=["127.0.0.1"])

    def statuses(ip: str, path: str = "/") -> list[int]:
        return [asyncio.run(call(app, "GET", path, [HOST], ip=ip))[0] for _ in range(4)]

    assert statuses("192.0.2.7") == [200, 200, 200, 429]
    assert statuses("192.0.2.8", "/break") == [500, 500, 500, 429]
    assert statuses("192.0.2.9") == [200, 200, 200, 429]
    assert statuses("192.0.2.10") == [429] * 4, "the /24 around them"
    assert statuses("127.0.0.1") == [200] * 4
    time[0] = 60.0
    assert statuses("192.0.2.7") == [200, 200, 200, 429]
    assert {*seen} == {7}


def test_work_that_is_cancelled_is_counted_and_ends() -> None:
    cpu, ended = [0.0], []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        cpu[0] += 6.0
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append(True)
            raise

    app = Guard(page, URL, clock=lambda: 0.0, cpu=lambda: cpu[0])

    async def story() -> None:
        task = asyncio.ensure_future(call(app, "GET", "/", [HOST]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(story())
    assert ended
    assert asyncio.run(call(app, "GET", "/", [HOST]))[0] == 429


def test_requests_of_one_network_within_a_minute() -> None:
    time = [0.0]
    app = guarded(limits=Limits(per_minute=3), exempt=["127.0.0.0/8"], clock=lambda: time[0])

    def statuses(ip: str, *more: tuple[str, str]) -> list[int]:
        return [asyncio.run(call(app, "GET", "/", [HOST, *more], ip=ip))[0] for _ in range(4)]

    assert statuses("192.0.2.7") == [200, 200, 200, 429]
    assert statuses("192.0.2.8") == [200, 200, 200, 429]
    assert statuses("2001:db8::1") == [200, 200, 200, 429]
    assert statuses("2001:db8::2") == [429] * 4
    assert statuses("127.0.0.1") == [200] * 4
    assert statuses("127.0.0.1", ("x-forwarded-for", "192.0.2.7")) == [429] * 4
    time[0] = 60
    assert statuses("192.0.2.7")[0] == 200


def test_requests_at_once() -> None:
    async def story() -> None:
        go = asyncio.Event()

        async def waits(scope: Scope, receive: Receive, send: Send) -> None:
            await go.wait()
            await echo(scope, receive, send)

        app = Guard(waits, URL, limits=Limits(0, 2, 3), clock=lambda: 0.0)
        running = [asyncio.create_task(call(app, "GET", "/", [HOST])) for _ in range(2)]
        await asyncio.sleep(0)
        assert (await call(app, "GET", "/", [HOST]))[0] == 503
        running.append(asyncio.create_task(call(app, "GET", "/", [HOST], ip="192.0.2.9")))
        await asyncio.sleep(0)
        assert (await call(app, "GET", "/", [HOST], ip="198.51.100.1"))[0] == 503, "the house is full"
        go.set()
        assert [status for status, _, _ in await asyncio.gather(*running)] == [200] * 3
        assert (await call(app, "GET", "/", [HOST]))[0] == 200

    asyncio.run(story())


def test_requests_that_have_waited_together_go_on_one_by_one() -> None:
    """As the forms in one commit do. Mails are served in between."""

    async def story() -> None:
        go, done, passes = asyncio.Event(), list[str](), list[int]()

        async def waits(scope: Scope, receive: Receive, send: Send) -> None:
            await go.wait()
            done.append(scope["client"][0])
            await echo(scope, receive, send)

        async def mails() -> None:
            while len(done) < 8:
                passes.append(len(done))
                await asyncio.sleep(0)

        app = Guard(waits, URL, limits=Limits(0, 50, 100), clock=lambda: 0.0)
        running = [asyncio.create_task(call(app, "GET", "/", [HOST], ip=f"10.0.{n}.1")) for n in range(8)]
        for _ in range(20):
            await asyncio.sleep(0)
        assert not done
        go.set()
        await asyncio.gather(mails(), *running)
        assert {*passes} >= {*range(1, 8)}

    asyncio.run(story())


def test_the_last_quarter_of_the_places_is_for_networks_that_hold_few() -> None:
    async def story() -> None:
        go = asyncio.Event()

        async def waits(scope: Scope, receive: Receive, send: Send) -> None:
            await go.wait()
            await echo(scope, receive, send)

        app = Guard(waits, URL, limits=Limits(0, 10, 40), clock=lambda: 0.0)

        def ask(network: str) -> "asyncio.Task[Any]":
            return asyncio.create_task(call(app, "GET", "/", [HOST], ip=f"{network}.1"))

        running = [ask(f"10.0.{number}") for number in range(3) for _ in range(10)]
        others = [ask(f"10.1.{number}") for number in range(4) for _ in range(3)]
        more = ask("10.0.0")
        await asyncio.sleep(0)
        go.set()
        assert [one[0] for one in await asyncio.gather(*running)] == [200] * 30
        assert [one[0] for one in await asyncio.gather(*others)] == [200, 200, 503] * 4
        assert (await more)[0] == 503

    asyncio.run(story())


@pytest.mark.parametrize("method", ["POST", "GET", "HEAD"])
def test_no_page_answers_before_the_body_has_come(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a server in front may give the connection to somebody else, whose request would be taken for the body
    (CVE-2024-24791). A body that never comes is not waited for."""

    async def story() -> None:
        monkeypatch.setattr(guard, "BODY_SECONDS", 0.0)
        scope = {"type": "http", "method": method, "path": "/", "raw_path": b"/", "query_string": b"",
                 "headers": [(b"host", b"games.example.net")], "client": ("192.0.2.7", 1)}  # fmt: skip
        sent: list[Any] = []

        async def silent() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        await guarded()(scope, silent, send)
        assert sent[0]["status"] == 408

        async def gone() -> Any:
            return {"type": "http.disconnect"}

        sent.clear()
        await guarded()(scope, gone, send)
        assert sent[0]["status"] == 400

    asyncio.run(story())


def test_requests_whose_bodies_end_together_share_the_work() -> None:
    cpu = [0.0]

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        cpu[0] += 3.0
        await echo(scope, receive, send)

    async def story() -> None:
        app, go = Guard(page, URL, clock=lambda: 0.0, cpu=lambda: cpu[0], limits=Limits(work=6.0)), asyncio.Event()
        statuses: list[int] = []

        async def late() -> Any:
            await go.wait()
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if message["type"] == "http.response.start" else [])

        scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"",
                 "headers": [(b"host", b"games.example.net")], "client": ("192.0.2.7", 1)}  # fmt: skip
        running = [asyncio.create_task(app(scope, late, send)) for _ in range(5)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*running)
        assert sorted(statuses) == [200, 200, 429, 429, 429]

    asyncio.run(story())


# ---- connections


class Timers:
    """A loop whose timers run when we say so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], object]]] = []

    def call_later(self, seconds: float, act: Callable[[], object]) -> "Handle":
        self.waiting.append((seconds, act))
        return Handle(self, (seconds, act))

    def create_task(self, work: Coroutine[Any, Any, Any], **more: Any) -> "asyncio.Task[Any]":
        return asyncio.get_running_loop().create_task(work, **more)

    def ring(self) -> None:
        for _, act in self.waiting:
            act()
        self.waiting.clear()


class Handle:
    def __init__(self, timers: Timers, row: tuple[float, Callable[[], object]]) -> None:
        self.timers, self.row = timers, row

    def cancel(self) -> None:
        if self.row in self.timers.waiting:
            self.timers.waiting.remove(self.row)


class Wire(asyncio.Transport):
    """The other end of a connection."""

    def __init__(self, ip: str) -> None:
        super().__init__({"peername": (ip, 4000), "sockname": ("127.0.0.1", 8025)})
        self.sent = b""
        self.unread = 0
        self.gone = ""

    def write(self, data: Any) -> None:
        self.sent += bytes(data)

    def abort(self) -> None:
        self.gone = self.gone or "aborted"

    def close(self) -> None:
        self.gone = self.gone or "closed"

    def is_closing(self) -> bool:
        return bool(self.gone)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


class Client:
    def __init__(self, door: Door, ip: str = "192.0.2.7") -> None:
        self.timers = Timers()
        config = uvicorn.Config(echo, http="httptools", lifespan="off", log_config=None, access_log=False)
        config.load()
        state = uvicorn.server.ServerState()
        self.end = Connection(door, config=config, server_state=state, app_state={}, _loop=self.timers)
        self.wire = Wire(ip)
        self.end.connection_made(self.wire)

    async def say(self, octets: bytes) -> None:
        self.end.data_received(octets)
        for _ in range(5):
            await asyncio.sleep(0)


GET = b"GET / HTTP/1.1\r\nHost: games.example.net\r\n\r\n"


def open_door(most: int = 9, per_source: int = 9) -> Door:
    return Door(most, per_source, lambda ip: ip.startswith("127."))


def test_headers_that_do_not_come_end_the_connection() -> None:
    async def story() -> None:
        for first in (b"", b"GET / HT", GET + b"GET / HT", GET[:-2]):
            client = Client(open_door())
            await client.say(first)
            wanted = connections.HEADER_SECONDS if first[:-8] != GET else 5  # the next request has hardly begun
            assert wanted in [seconds for seconds, _ in client.timers.waiting], first
            client.timers.ring()
            assert client.wire.gone, first
        client = Client(open_door())
        await client.say(GET)
        assert b"200 OK" in client.wire.sent and b"192.0.2.7 0" in client.wire.sent
        assert connections.HEADER_SECONDS not in [seconds for seconds, _ in client.timers.waiting]
        await client.say(GET)
        assert client.wire.sent.count(b"200 OK") == 2
        client.timers.ring()
        assert client.wire.gone == "closed", "idle, as uvicorn does it"

    asyncio.run(story())


WATCH = GET.replace(b"/", b"/watch", 1)
CHUNKED = WATCH[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = WATCH[:-2] + b"Content-Length: 1000000\r\n\r\n"

ENDLESS: list[tuple[str, bytes, bytes, str]] = [
    ("headers", GET[:-2], b"x: " + b"a" * 2000 + b"\r\n", "aborted"),
    ("one header", GET[:-2] + b"x: ", b"a" * 2000, "aborted"),
    ("headers of the next request", WATCH + GET[:-2], b"x: y\r\n" * 400, "aborted"),
    ("a header of the next request", WATCH + GET[:-2] + b"x: ", b"a" * 2000, "aborted"),
    ("the address of the next request", WATCH + b"GET /", b"a" * 2000, "aborted"),
    ("trailers", CHUNKED + b"0\r\n", b"x: y\r\n" * 400, "aborted"),
    ("chunks of one octet", CHUNKED, b"1\r\na\r\n" * 400, "aborted"),
    ("the parameter of a chunk", CHUNKED + b"1;", b"a" * 2000, "aborted"),
    ("a body in chunks, for the guard", CHUNKED, b"7d0\r\n" + b"a" * 2000 + b"\r\n", ""),
    ("a body, for the guard", LENGTH, b"a" * 2000, ""),
]


@pytest.mark.parametrize(("first", "more", "gone"), [row[1:] for row in ENDLESS], ids=[row[0] for row in ENDLESS])
def test_only_a_body_may_be_long(first: bytes, more: bytes, gone: str) -> None:
    async def story() -> None:
        client = Client(open_door())
        await client.say(first)
        for _ in range(60):
            if not client.wire.gone:
                await client.say(more)
        assert client.wire.gone == gone

    asyncio.run(story())


OTHER_PROTOCOLS = ("foo", "websocket", "h2c", "WebSocket, foo", "")


@pytest.mark.parametrize("protocol", OTHER_PROTOCOLS)
@pytest.mark.parametrize("method", [b"GET", b"POST", b"CONNECT"])
def test_a_body_is_never_read_as_a_request(method: bytes, protocol: str) -> None:
    """A server in front would give the answer to the next one who asks."""

    async def story() -> None:
        head = GET[:-2].replace(b"GET /", method + b" " + (b"a:1" if method == b"CONNECT" else b"/"))
        head += f"Content-Length: {len(GET)}\r\n".encode()
        head += f"Connection: Upgrade\r\nUpgrade: {protocol}\r\n\r\n".encode() if protocol else b"\r\n"
        for segments in ([head, GET], [head + GET], [head[:-4], head[-4:], GET]):
            client = Client(open_door())
            for segment in segments:
                if not client.wire.gone:
                    await client.say(segment)
            assert client.wire.sent.count(b"HTTP/1.1 ") == 1, client.wire.sent
            refused = protocol or method == b"CONNECT"
            assert (b"400 Bad Request" in client.wire.sent) is bool(refused)
            early = method == b"GET" and not segments[0].endswith(GET)  # this page answers a GET before its body
            assert client.wire.gone == ("closed" if refused or early else "")

    asyncio.run(story())


def test_so_many_requests_ahead_and_no_more() -> None:
    async def story() -> None:
        client = Client(open_door())
        await client.say(GET * (1 + connections.AHEAD))
        assert client.wire.sent.count(b"200 OK") == 3 and not client.wire.gone
        await client.say(GET * (1 + connections.AHEAD))
        assert client.wire.sent.count(b"200 OK") == 6 and not client.wire.gone
        for octets in (GET * 1000, WATCH + GET * 1000, WATCH + LENGTH + b"a" * 1_000_000 + GET * 1000):
            client = Client(open_door())
            await client.say(octets)
            assert client.wire.gone == "aborted"
            assert len(client.end.pipeline) <= connections.AHEAD
            assert b"400" not in client.wire.sent

    asyncio.run(story())


@pytest.mark.parametrize("ahead", range(connections.AHEAD + 1))
def test_a_request_hears_that_its_client_has_gone_whatever_came_after_it(ahead: int) -> None:
    async def story() -> None:
        LEFT.clear()
        client = Client(open_door())
        await client.say(WATCH + GET * ahead)
        assert not LEFT
        client.end.connection_lost(None)
        for _ in range(5):
            await asyncio.sleep(0)
        assert LEFT == ["/watch"]

    asyncio.run(story())


def test_a_client_that_does_not_read_is_cut() -> None:
    async def story() -> None:
        client = Client(open_door())
        client.end.pause_writing()
        client.end.resume_writing()
        assert connections.STALL_SECONDS not in [seconds for seconds, _ in client.timers.waiting]
        client.end.pause_writing()
        assert connections.STALL_SECONDS in [seconds for seconds, _ in client.timers.waiting]
        client.timers.ring()
        assert client.wire.gone == "aborted"
        client = Client(open_door())
        await client.say(GET)
        client.wire.unread = 10
        client.timers.ring()
        assert client.wire.gone == "aborted", "its last answer still waits"

    asyncio.run(story())


def test_so_many_connections_and_no_more() -> None:
    async def story() -> None:
        door = open_door(4, 2)
        here = [Client(door) for _ in range(3)]
        assert [client.wire.gone for client in here] == ["", "", "aborted"]
        here[2].end.connection_lost(None)
        others = [Client(door, ip) for ip in ("127.0.0.1", "127.0.0.1", "127.0.0.1")]
        assert [client.wire.gone for client in others] == ["", "", "aborted"] and door.count == 4
        others[2].end.connection_lost(None)
        for client in (*here[:2], *others[:2]):
            client.end.connection_lost(None)
        assert door.count == 0 and not door._places._held
        assert not Client(door).wire.gone

    asyncio.run(story())


# ---- the whole site behind its guard


def test_the_guarded_site(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def story(house: House) -> None:
        app = Guard(house.app, house.rooms.url, clock=lambda: 0.0, cpu=lambda: 0.0)
        browser = Browser(app, "203.0.113.5")
        assert (await browser.get("/")).status == 200
        style = await browser.get("/static/page.css")
        assert (style.status, style.header("cache-control")) == (200, "no-cache")
        for path in ("/static/%2e%2e/page/base.html", "/static/../../mailbot.toml", "/static//etc/passwd", "/nothing"):
            assert (await browser.get(path)).status in (400, 404), path
        for path in ("/do/move", "/login", "/logout", "/enter/x", "/join"):
            got = await browser.ask("PUT", path)
            assert got.status == 405
        assert (await browser.get("/logout")).status == 405
        assert not [record for record in caplog.records if "203.0.113" in record.getMessage()]

    at_home(tmp_path, story, "ann")
