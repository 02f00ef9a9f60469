"""What the page costs: a board's page against a bare Starlette page, reading beside the mails, and 500 who watch.

    python bench/page.py [--pages 2000] [--moves 1000] [--rounds 3]

The yardstick, in the same run, is a Starlette application with one route that answers with a page of 25 KB, which is
the length of ours, on the same uvicorn. Each server runs in a process of its own. No letters are sent meanwhile.
"""

import argparse
import asyncio
import contextlib
import itertools
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import games
from delivery import paced
from load import Mail, Took, cpu_seconds, drive, megabytes, running
from moves import serve_ours

CONNECTIONS = 8
WATCHERS, CROWD = 500, 300
"""All who watch, and those of them who watch the same board."""
PACE, BESIDE = 100, 50
"""Mails a second in the runs beside pages; pages a second in the runs beside mails."""

_sources = itertools.count()


class Browser:
    """One kept connection. Each request says that it comes from another network."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        self._reader, self._writer, self._port = reader, writer, port

    @classmethod
    async def open(cls, port: int) -> "Browser":
        """Connects."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=2**20), port)

    async def head(self, path: str, more: str = "") -> dict[str, str]:
        """Asks, and reads the head of the answer."""
        number = next(_sources)
        source = f"10.{number >> 8 & 255}.{number & 255}.1"
        asked = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nX-Forwarded-For: {source}\r\n{more}\r\n"
        self._writer.write(asked.encode())
        status, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        if status.split()[1] not in ("200", "304"):
            raise RuntimeError(f"{path}: {status}")
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}

    async def get(self, path: str, more: str = "") -> dict[str, str]:
        """Reads a whole page."""
        head = await self.head(path, more)
        await self._reader.readexactly(int(head.get("content-length", "0")))
        return head

    async def event(self) -> bytes:
        """The next event of a stream that is not a comment."""
        found = b""
        while b"event: " not in found:
            size = int(await self._reader.readuntil(b"\r\n"), 16)
            found = (await self._reader.readexactly(size + 2))[:size]
        return found

    def close(self) -> None:
        """Goes."""
        self._writer.close()


async def read(port: int, paths: Sequence[str], more: str = "", pace: int = 0) -> Took:
    """Reads all these pages over a few connections: as fast as it goes, or so many a second."""
    todo, each = iter(enumerate(paths)), list[float]()
    begun = time.perf_counter()

    async def one() -> None:
        browser = await Browser.open(port)
        for number, path in todo:
            if pace and (early := begun + number / pace - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            before = time.perf_counter()
            await browser.get(path, more)
            each.append(time.perf_counter() - before)
        browser.close()

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return Took(time.perf_counter() - begun, each)


def cost(port: int, pid: int, paths: Sequence[str], more: str = "") -> tuple[float, float]:
    """Milliseconds of CPU a page, and pages a second."""
    before = cpu_seconds(pid)
    took = asyncio.run(read(port, paths, more))
    return (cpu_seconds(pid) - before) / len(paths) * 1e3, took.rate()


async def bare(page: int, octets: int) -> None:
    """The yardstick."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    text = "x" * octets

    async def answer(request: Request) -> HTMLResponse:
        return HTMLResponse(text)

    print(page, flush=True)
    app = Starlette(routes=[Route("/board/{board:int}", answer)])
    config = uvicorn.Config(app, port=page, loop="none", http="httptools", lifespan="off", log_config=None)
    config.access_log = False
    await uvicorn.Server(config).serve()


def free_port() -> int:
    """A port that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextlib.contextmanager
def serving(what: str, path: Path) -> Iterator[tuple[int, int, int]]:
    """The mail port, the page's port and the process id of a server."""
    page = free_port()
    with running(__file__, f"{what}:{page}", str(path)) as (port, pid):
        asyncio.run(answering(page))
        yield port, page, pid


async def answering(page: int) -> None:
    """Waits until somebody answers."""
    for _ in range(200):
        with contextlib.suppress(OSError):
            (await Browser.open(page)).close()
            return
        await asyncio.sleep(0.05)


def compare(ours: tuple[int, int, int], theirs: tuple[int, int, int], pages: int, rounds: int) -> None:
    """A page alone: one that nobody has asked for, one again and again, one that the browser has."""
    page = ours[1]
    rows: dict[str, list[tuple[float, float]]] = {}
    tag = asyncio.run(tag_of(page, "/board/1"))
    for turn in range(rounds + 1):
        fresh = [f"/board/{1 + (turn * pages + number) % 4000}/{8 - turn % 2}" for number in range(pages)]
        for title, server, paths, more in (
            ("a page nobody has asked for", ours, fresh, ""),
            ("the same page again", ours, ["/board/1"] * pages, ""),
            ("word that it is unchanged", ours, ["/board/1"] * pages, f"If-None-Match: {tag}\r\n"),
            ("a bare page", theirs, ["/board/1"] * pages, ""),
        ):
            measured = cost(server[1], server[2], paths, more)
            if turn:  # the first round warms up
                rows.setdefault(title, []).append(measured)
    middle = {title: [statistics.median(row) for row in zip(*found, strict=True)] for title, found in rows.items()}
    cpu, rate = middle["a bare page"]
    for title, (ms, per_second) in middle.items():
        print(
            f"{title:28} {ms:5.2f} ms CPU, {ms / cpu:4.1f} of bare  {per_second:6.0f} a second, {per_second / rate:.2f}"
        )


async def tag_of(page: int, path: str) -> str:
    browser = await Browser.open(page)
    head = await browser.get(path)
    browser.close()
    return head["etag"]


async def beside(port: int, page: int, mails: Sequence[Mail], pace: int, pages: int) -> tuple[Took, Took | None]:
    """So many mails a second, with pages beside them: so many a second, or (0) none."""
    if not pages:
        return await paced(port, mails, 8, pace), None
    paths = [f"/board/{1 + number % 400}" for number in range(int(len(mails) / pace * pages))]
    mail, read_ = await asyncio.gather(paced(port, mails, 8, pace), read(page, paths, pace=pages))
    return mail, read_


def together(ours: tuple[int, int, int], mails: Callable[[int], Sequence[Mail]], count: int, rounds: int) -> None:
    """The p99 of mails with and without readers, and how many pages go beside the mails."""
    port, page, _ = ours
    late: dict[int, list[float]] = {0: [], BESIDE: []}
    for turn in range(rounds + 1):
        for pages, row in late.items():
            took, _ = asyncio.run(beside(port, page, mails(count), PACE, pages))
            if turn:
                row.append(took.ms(99))
    alone, read_by = (statistics.median(row) for row in late.values())
    print(f"p99 of {PACE} mails a second {alone:.1f} ms", end=", ")
    print(f"beside {BESIDE} pages a second {read_by:.1f} ms, ratio {read_by / alone:.2f}")
    rates = []
    for _ in range(rounds):
        batch = mails(count)
        rates.append(asyncio.run(flooded(port, page, batch)))
    print(f"pages a second, as fast as they go, beside {PACE} mails a second: {statistics.median(rates):.0f}")


async def flooded(port: int, page: int, mails: Sequence[Mail]) -> float:
    """Pages a second while so many mails come."""
    sending = asyncio.ensure_future(paced(port, mails, 8, PACE))
    browsers, done, begun = [await Browser.open(page) for _ in range(CONNECTIONS)], [0], time.perf_counter()

    async def one(browser: Browser) -> None:
        while not sending.done():
            done[0] += 1
            await browser.get(f"/board/{1 + done[0] % 400}")
        browser.close()

    await asyncio.gather(*map(one, browsers), sending)
    return done[0] / (time.perf_counter() - begun)


async def watched(port: int, page: int, first: int, mails: Sequence[Mail]) -> float:
    """Opens all the streams, plays a move on each watched board, and returns the seconds until all have seen theirs."""
    boards = [first] * CROWD + [first + number % len(mails) for number in range(WATCHERS - CROWD)]
    browsers = [await Browser.open(page) for _ in boards]
    for browser, board in zip(browsers, boards, strict=True):
        await browser.head(f"/board/{board}/live?seen=9")
    begun = time.perf_counter()
    await drive(port, mails, 8, True)
    await asyncio.gather(*(browser.event() for browser in browsers))
    seconds = time.perf_counter() - begun
    for browser in browsers:
        browser.close()
    return seconds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--file", default="", help=argparse.SUPPRESS)
    options.add_argument("--pages", type=int, default=2000, help="a round")
    options.add_argument("--moves", type=int, default=1000, help="a round beside pages")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    if given.serve:
        what, _, page = given.serve.partition(":")
        asyncio.run(bare(int(page), 25_000) if what == "bare" else serve_ours(given.file, page=int(page)))
        return
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder) / "page.sqlite"
        total = given.moves * (3 * given.rounds + 3)
        games.fill(path, 4100 + total, 0)
        numbers = itertools.count(4101, given.moves)
        with serving("ours", path) as ours, serving("bare", path) as theirs:
            compare(ours, theirs, given.pages, given.rounds)
            together(ours, lambda count: games.moves_from(path, next(numbers), count), given.moves, given.rounds)
        with serving("ours", path) as ours:
            before = megabytes(ours[2])
            took = asyncio.run(watched(ours[0], ours[1], 1, games.moves_from(path, 1, 100)))
            print(
                f"{WATCHERS} who watch 100 boards: {megabytes(ours[2]):.0f} MB at most, {before:.0f} before them;"
                f" 100 moves, and all have seen theirs after {took:.1f} s"
            )


if __name__ == "__main__":
    main()
