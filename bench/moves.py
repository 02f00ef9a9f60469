"""What a move costs on its whole way: received, its token checked, judged, durably committed, two letters queued.

    python bench/moves.py [--moves 4000] [--rounds 3] [--sessions 32]

The yardstick, in the same run and under the same load, is stock aiosmtpd with an empty handler, which does none of
that. Each server runs in a process of its own. Only the ratios mean anything on other machines. Rates suffer when the
load generator, the disk or a neighbour keeps a server waiting; the server's own CPU time a mail does not.
Letters are not sent meanwhile (see delivery.py).
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import games
from load import Mail, Took, cpu_seconds, drive, megabytes, running, stock


async def serve_ours(
    path: str, relay: int = 0, prepare: Callable[[Any], object] = lambda app: None, page: int = 0, speed: int = 1
) -> None:
    """The daemon. Without a relay's port it sends no letters. `prepare` may change the App before it starts. `page`:
    the port of its page, 0 for none. `speed`: how many times as fast its clock runs."""
    from mailbot.shell.app import App
    from mailbot.shell.config.load import Config
    from mailbot.shell.config.settings import (
        BotsSection,
        LimitsSection,
        ListenSection,
        LogSection,
        MailSection,
        RelaySection,
        StoreSection,
        WebSection,
    )

    config = Config(
        mail=MailSection(domain=games.OWN.domain),
        listen=ListenSection(port=0),
        store=StoreSection(path=Path(path)),
        relay=RelaySection(
            host="127.0.0.1" if relay else None, port=relay or 25, starttls=False, maildir=Path(path).with_name("mail")
        ),
        bots=BotsSection(workers=0),
        limits=LimitsSection(connections=1000, per_ip=1000, mails_per_minute=0),
        web=WebSection(enabled=bool(page), port=page),
        log=LogSection(level="error"),
    )
    begun = time.time()
    app = App(config, {}, now=lambda: games.NOW + int((time.time() - begun) * speed))

    async def idle(wake: asyncio.Event, stop: asyncio.Event) -> None:
        await stop.wait()

    if not relay:
        app.worker.run = idle  # type: ignore[method-assign]
    prepare(app)
    await app.serve(asyncio.Event(), ready=lambda port: print(port, flush=True))


def measure(port: int, pid: int, mails: Sequence[Mail], sessions: int, keep: bool) -> tuple[Took, float]:
    """What the load took, and the server's microseconds of CPU a mail."""
    before = cpu_seconds(pid)
    took = asyncio.run(drive(port, mails, sessions, keep))
    return took, (cpu_seconds(pid) - before) / len(mails) * 1e6


def compare(folder: Path, moves: int, rounds: int, sessions: int) -> None:
    """Kept connections, then one a mail, against the stock server."""
    path = folder / "moves.sqlite"
    plans = (
        (f"{sessions} kept connections", True, moves),
        (f"one connection a mail, {sessions} at once", False, moves // 4),
    )
    games.fill(path, sum(count for _, _, count in plans) * (rounds + 1), 0)
    first = 1
    todo = {}
    for title, _, count in plans:
        todo[title] = [games.moves(path, first + turn * count, count) for turn in range(rounds + 1)]
        first += count * (rounds + 1)
    with running(__file__, "ours", str(path)) as ours, running(__file__, "stock") as theirs:
        for title, keep, _ in plans:
            rates: dict[str, list[float]] = {"ours": [], "stock": []}
            costs: dict[str, list[float]] = {"ours": [], "stock": []}
            late: list[float] = []
            for turn, mails in enumerate(todo[title]):
                for name, (port, pid) in (("ours", ours), ("stock", theirs)):
                    took, cost = measure(port, pid, mails, sessions, keep)
                    if turn:  # the first round warms up
                        rates[name].append(took.rate())
                        costs[name].append(cost)
                    if turn and name == "ours":
                        late.append(took.ms(99))
            speed, cpu = ({name: statistics.median(row) for name, row in rows.items()} for rows in (rates, costs))
            print(f"{title}:")
            for what, row, ratio in (
                ("mails a second", speed, speed["ours"] / speed["stock"]),
                ("us CPU a mail", cpu, cpu["stock"] / cpu["ours"]),
            ):
                print(f"  {what:15} ours {row['ours']:6.0f}  stock {row['stock']:6.0f}  ratio {ratio:.2f}")
            print(f"  p99 of ours     {statistics.median(late):6.1f} ms")
        print(f"memory of ours at most {megabytes(ours[1]):.0f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--file", default="", help=argparse.SUPPRESS)
    options.add_argument("--moves", type=int, default=4000, help="a round, kept connections; a quarter of it else")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--sessions", type=int, default=32)
    given = options.parse_args()
    if given.serve:
        _, _, relay = given.serve.partition(":")
        asyncio.run(stock() if given.serve == "stock" else serve_ours(given.file, int(relay or 0)))
        return
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        compare(Path(folder), given.moves, given.rounds, given.sessions)


if __name__ == "__main__":
    main()
