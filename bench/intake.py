"""What it costs to take in a mail: our listener with an empty `accept` against stock aiosmtpd doing nothing.

    python bench/intake.py [--mails 4000] [--rounds 3] [--sessions 32] [--size 1500]

Both servers run at the same time, each in a process of its own, and get load in turn, so that other work on the
machine affects both. It prints the medians of mails a second and of the server's own CPU time a mail. Only the ratios
mean anything on other machines, and on a busy machine the ratio of CPU times is steadier.
Load comes from `smtp-source` (Debian's postfix) if it is installed, else from our own generator, which on two cores is
slower than the faster server and so understates the ratio.
"""

import argparse
import asyncio
import shutil
import statistics
import subprocess
import time

from load import Mail, cpu_seconds, drive, running, stock

TO = "mailbot@play.example"
FROM = "ann@home.example"


# ---- the two servers


async def serve_ours() -> None:
    from mailbot.shell.smtp.listener import Envelope, Limits, Status, start_listener

    async def accept(mail: Envelope) -> Status:
        return Status.ACCEPTED

    open_wide = Limits(
        connections=1000, connections_per_ip=1000, mails_per_minute=0, session_seconds=3600, calls={"*": 10**9}
    )
    listener = await start_listener(
        accept, lambda address: address.lower() == TO, open_wide, hostname="bench.example", port=0
    )
    print(listener.port, flush=True)
    await asyncio.Event().wait()


SERVERS = {"ours": serve_ours, "stock": stock}


# ---- the load


def load(port: int, mails: int, sessions: int, size: int, keep: bool) -> float:
    """Mails a second."""
    start = time.perf_counter()
    if shutil.which("smtp-source"):
        words = ["smtp-source", "-s", str(sessions), "-m", str(mails), "-l", str(size), "-f", FROM, "-t", TO]
        subprocess.run([*words, *(["-d"] if keep else []), f"inet:127.0.0.1:{port}"], check=True)
    else:
        text = (b"Subject: lambo move 1\r\n\r\n" + (b"x" * 70 + b"\r\n") * (size // 72 + 1))[:size] + b"\r\n.\r\n"
        asyncio.run(drive(port, [Mail(FROM, TO, text)] * mails, sessions, keep))
    return mails / (time.perf_counter() - start)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--serve", choices=sorted(SERVERS), help=argparse.SUPPRESS)
    options.add_argument("--mails", type=int, default=4000, help="a round, kept connections; a quarter of it else")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--sessions", type=int, default=32)
    options.add_argument("--size", type=int, default=1500, help="bytes of one mail")
    given = options.parse_args()
    if given.serve:
        asyncio.run(SERVERS[given.serve]())
        return
    print("load from", "smtp-source" if shutil.which("smtp-source") else "a generator of our own")
    with running(__file__, "ours") as ours, running(__file__, "stock") as theirs:
        for title, keep, mails in (
            (f"{given.sessions} kept connections", True, given.mails),
            (f"one connection a mail, {given.sessions} at once", False, given.mails // 4),
        ):
            rates: dict[str, list[float]] = {"ours": [], "stock": []}
            costs: dict[str, list[float]] = {"ours": [], "stock": []}
            for turn in range(given.rounds + 1):
                for name, (port, pid) in (("ours", ours), ("stock", theirs)):
                    before = cpu_seconds(pid)
                    rate = load(port, mails, given.sessions, given.size, keep)
                    if turn:  # the first round warms up
                        rates[name].append(rate)
                        costs[name].append((cpu_seconds(pid) - before) / mails * 1e6)
            speed, cost = ({name: statistics.median(row) for name, row in rows.items()} for rows in (rates, costs))
            print(f"{title}:")
            for what, row, gain in (
                ("mails a second", speed, speed["ours"] / speed["stock"]),
                ("us CPU a mail", cost, cost["stock"] / cost["ours"]),
            ):
                print(f"  {what:15} ours {row['ours']:6.0f}  stock {row['stock']:6.0f}  ratio {gain:.2f}")


if __name__ == "__main__":
    main()
