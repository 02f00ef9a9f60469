"""Whether mails with a password, which cost one argon2 hash each, hold up mails with a reply token: the token mails'
p99 with and without ten password mails a second beside them, in the same run.

    python bench/passwords.py [--moves 3000] [--rounds 7]
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import games
from load import Mail, Took, drive, running

from mailbot.shell.proof.passwords import hashed

A_SECOND = 10


async def beside(port: int, mails: Sequence[Mail], guarded: Sequence[Mail], sessions: int) -> Took:
    """The token mails' times, while the guarded ones go out one by one, A_SECOND a second."""

    async def one_by_one() -> None:
        for mail in guarded:
            await asyncio.gather(drive(port, [mail], 1, False), asyncio.sleep(1 / A_SECOND))

    load = asyncio.ensure_future(one_by_one())
    try:
        return await drive(port, mails, sessions, True)
    finally:
        load.cancel()
        await asyncio.gather(load, return_exceptions=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--moves", type=int, default=3000, help="token mails a round")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--sessions", type=int, default=8)
    given = options.parse_args()
    server = str(Path(__file__).with_name("moves.py"))
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder, "db")
        games.fill(path, given.moves * (2 * given.rounds + 1), 0, hashed(games.PASSWORD))
        first, late = 1, {"alone": [], "beside": []}
        with running(server, "ours", str(path)) as (port, _):
            for turn in range(given.rounds + 1):
                for name in ("alone", "beside") if turn else ("alone",):
                    mails = games.moves_from(path, first, given.moves)
                    first += given.moves
                    guarded = games.guarded(200, 200 * turn) if name == "beside" else []
                    took = asyncio.run(beside(port, mails, guarded, given.sessions))
                    if turn:
                        late[name].append(took.ms(99))
        alone, both = (statistics.median(late[name]) for name in ("alone", "beside"))
        print(f"p99 of token mails: alone {alone:.1f} ms, beside {A_SECOND} password mails a second {both:.1f} ms,")
        print(f"ratio {both / alone:.2f}")


if __name__ == "__main__":
    main()
