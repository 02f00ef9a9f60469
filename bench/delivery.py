"""Whether letters leave as fast as moves come in: moves a second into the daemon, letters a second out of it, over kept
connections, to a sink on this machine that accepts everything. Each move makes two letters.

    python bench/delivery.py [--moves 3000] [--sessions 32] [--pace 250]

It runs once with as many moves as the daemon takes, and once with a given number of moves a second.
"""

import argparse
import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import games
from load import Mail, Took, drive, running


async def sink() -> None:
    """Takes letters and forgets them. Prints its port and serves."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 sink\r\n")
        try:
            while line := await reader.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    writer.write(b"354 go on\r\n")
                    await reader.readuntil(b"\r\n.\r\n")
                writer.write(b"221 bye\r\n" if word == b"QUIT" else b"250 yes\r\n")
                if word == b"QUIT":
                    break
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


def choose(db: sqlite3.Connection, form: str) -> None:
    """What all players want their letters to be: text, html or picture."""
    db.execute("INSERT INTO preference (player, name, value) SELECT id, 'letters', ? FROM player WHERE id > 0", (form,))
    db.commit()


def waiting(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM outbox WHERE state = 'waiting'").fetchone()[0])


async def paced(port: int, mails: Sequence[Mail], sessions: int, pace: int) -> Took:
    """Sends so many mails a second, in ten bursts."""
    each: list[float] = []
    begun = time.perf_counter()
    burst = max(1, pace // 10)
    for first in range(0, len(mails), burst):
        took, _ = await asyncio.gather(
            drive(port, mails[first : first + burst], sessions, True), asyncio.sleep(burst / pace)
        )
        each += took.each
    return Took(time.perf_counter() - begun, each)


def measure(moves: int, sessions: int, pace: int) -> None:
    """One line. `pace` 0: as fast as they go."""
    server = str(Path(__file__).with_name("moves.py"))
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder, "db")
        games.fill(path, moves, 0)
        mails = games.moves_from(path, 1, moves)
        with closing(sqlite3.connect(path)) as db:
            choose(db, "text")  # see pictures.py for the others
        with running(__file__, "sink") as (port, _), running(server, f"relay:{port}", str(path)) as (ours, _):
            load = paced(ours, mails, sessions, pace) if pace else drive(ours, mails, sessions, True)
            took = asyncio.run(load)
            begun = time.perf_counter()
            db = sqlite3.connect(path)
            left = waiting(db)
            while waiting(db):
                time.sleep(0.05)
            both = took.seconds + time.perf_counter() - begun
    print(
        f"in {took.rate():.0f} moves a second; of {2 * moves} letters {left} still waited, ratio"
        f" {1 - left / moves / 2:.2f}; all out after {both:.1f} s, {2 * moves / both:.0f} letters a second"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--moves", type=int, default=3000)
    options.add_argument("--sessions", type=int, default=32)
    options.add_argument("--pace", type=int, default=250, help="moves a second")
    given = options.parse_args()
    if given.serve:
        asyncio.run(sink())
        return
    measure(given.moves, given.sessions, 0)
    measure(given.moves, given.sessions, given.pace)


if __name__ == "__main__":
    main()
