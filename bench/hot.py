"""Where the time of a move goes: py-spy samples the daemon under load; prints microseconds a mail for each function,
including all that it calls.

    python bench/hot.py [--moves 12000] [--rows 40]

py-spy (PyPI) must be on the PATH; it needs the right to look into another process.
"""

import argparse
import asyncio
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import games
from load import cpu_seconds, drive, running

RATE = 500
"""Samples a second."""


def inclusive(stacks: str) -> tuple[int, Counter[str]]:
    """All samples, and for each function those in whose stack it stands; from lines of `outer;inner;... count`."""
    samples, found = 0, Counter[str]()
    for line in stacks.splitlines():
        stack, _, count = line.rpartition(" ")
        samples += int(count)
        for function in {frame.rpartition(":")[0] for frame in stack.split(";")}:
            found[function] += int(count)
    return samples, found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--moves", type=int, default=12_000)
    options.add_argument("--rows", type=int, default=40)
    given = options.parse_args()
    if not shutil.which("py-spy"):
        sys.exit("py-spy is not on the PATH")
    server = str(Path(__file__).with_name("moves.py"))
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path, stacks = Path(folder, "db"), Path(folder, "stacks")
        games.fill(path, given.moves + 2000, 0)
        with running(server, "ours", str(path)) as (port, pid):
            asyncio.run(drive(port, games.moves_from(path, 1, 2000), 32, True))
            mails = games.moves_from(path, 2001, given.moves)
            words = ["py-spy", "record", "-p", str(pid), "-r", str(RATE), "-f", "raw", "-o", str(stacks), "-d", "600"]
            spy = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            before = cpu_seconds(pid)
            asyncio.run(drive(port, mails, 32, True))
            each = (cpu_seconds(pid) - before) / given.moves * 1e6
            spy.send_signal(signal.SIGINT)
            spy.wait()
        samples, found = inclusive(stacks.read_text())
    print(f"{each:.0f} us of CPU a mail (sampling slows it down a little), of which with all they call:")
    for function, count in found.most_common(given.rows):
        print(f"{each * count / samples:6.0f}  {function}")


if __name__ == "__main__":
    main()
