"""Whether letters leave as fast as moves come in: moves a second into the daemon, letters a second out of it to a sink
on this machine that says yes to everything, over connections that are kept. Each move makes two letters.

    python bench/delivery.py [--moves 3000] [--sessions 32]
"""

import argparse
import asyncio
import sqlite3
import tempfile
import time
from pathlib import Path

import games
from load import drive, running


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


def waiting(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM outbox WHERE state = 'waiting'").fetchone()[0])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--moves", type=int, default=3000)
    options.add_argument("--sessions", type=int, default=32)
    given = options.parse_args()
    if given.serve:
        asyncio.run(sink())
        return
    server = str(Path(__file__).with_name("moves.py"))
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder, "db")
        games.fill(path, given.moves, 0)
        mails = games.moves_from(path, 1, given.moves)
        with running(__file__, "sink") as (port, _), running(server, f"relay:{port}", str(path)) as (ours, _):
            took = asyncio.run(drive(ours, mails, given.sessions, True))
            begun = time.perf_counter()
            db = sqlite3.connect(path)
            left = waiting(db)
            while waiting(db):
                time.sleep(0.05)
            after = time.perf_counter() - begun
            sent = db.execute("SELECT count(*) FROM outbox WHERE state = 'sent'").fetchone()[0]
    both = took.seconds + after
    print(f"in: {took.rate():.0f} moves a second while letters leave; then {left} of {sent} letters still waited")
    print(f"all letters out {both:.1f} s after the first move: {sent / both:.0f} letters a second")
    print(f"letters out to letters in, while moves came: {(sent - left) / sent:.2f}")


if __name__ == "__main__":
    main()
