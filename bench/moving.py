"""Moving house: how long export and import of many games take, how much memory, and how large the file is.

    python bench/moving.py [--games 100000]

Each game has 8 moves, a tenth of the games run. Both programs run in processes of their own.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import games

CODE = "from mailbot.shell.console.cli import main; main()"


def run(folder: Path, name: str, *words: str) -> tuple[float, float, float]:
    """Seconds, seconds of CPU, and megabytes of a command whose store has this name."""
    config = folder / f"{name}.toml"
    config.write_text(f'[store]\npath = "{folder}/{name}"\n[relay]\nmaildir = "{folder}/mail"\n')
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", CODE, "--config", str(config), *words])
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=100_000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as name:
        folder = Path(name)
        hash_ = "$argon2id$v=19$m=7168,t=5,p=1$" + "A" * 22 + "$" + "A" * 43
        games.fill(folder / "old", given.games // 10, given.games - given.games // 10, hash_)
        with sqlite3.connect(folder / "old") as db:  # the other benches have names and rules that no server writes
            db.execute("UPDATE player SET userid = 'runner-' || id WHERE id > 0")
            db.execute("UPDATE game SET rules = 'lambo' WHERE rules = 'lambo -size=48'")
        db.close()
        out = folder / "all.jsonl"
        for what, words in {
            "export": ("old", "export", "--secrets", str(out)),
            "import": ("new", "import", str(out)),
        }.items():
            seconds, cpu, megabytes = run(folder, *words)
            each = cpu / given.games * 1e6
            print(
                f"{what}  {seconds:5.1f} s, {cpu:5.1f} s of CPU, {each:4.0f} us a game, {megabytes:4.0f} MB of memory"
            )
        sizes = [path.stat().st_size / 1e6 for path in (folder / "old", out, folder / "new")]
        print("the old store has {:.0f} MB, the file {:.0f}, the new store {:.0f}".format(*sizes))


if __name__ == "__main__":
    main()
