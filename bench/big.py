"""What a file full of games costs: moves a second, start-up and memory, against an empty file in the same run.

    python bench/big.py [--finished 1000000] [--running 100000] [--moves 2000] [--rounds 3]

Filling the big file takes some minutes and two gigabytes in the folder for temporary files.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import games
from load import megabytes, running
from moves import measure


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--finished", type=int, default=1_000_000)
    options.add_argument("--running", type=int, default=100_000)
    options.add_argument("--moves", type=int, default=2000, help="a round")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--sessions", type=int, default=32)
    given = options.parse_args()
    server = str(Path(__file__).with_name("moves.py"))
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        files = {"empty": Path(folder, "empty", "db"), "full": Path(folder, "full", "db")}
        wanted = given.moves * (given.rounds + 1)
        games.fill(files["empty"], wanted, 0)
        games.fill(files["full"], max(given.running, wanted), given.finished)
        first = {"empty": 1, "full": given.finished + 1}
        print(f"the full file has {files['full'].stat().st_size / 1e6:.0f} MB")
        starts, rates, costs, memory = {}, {}, {}, {}
        todo = {
            name: [games.moves(path, first[name] + turn * given.moves, given.moves) for turn in range(given.rounds + 1)]
            for name, path in files.items()
        }
        begun = time.perf_counter()
        with running(server, "ours", str(files["empty"])) as empty:
            starts["empty"] = time.perf_counter() - begun
            begun = time.perf_counter()
            with running(server, "ours", str(files["full"])) as full:
                starts["full"] = time.perf_counter() - begun
                for turn in range(given.rounds + 1):
                    for name, (port, pid) in (("empty", empty), ("full", full)):
                        took, cost = measure(port, pid, todo[name][turn], given.sessions, keep=True)
                        if turn:
                            rates.setdefault(name, []).append(took.rate())
                            costs.setdefault(name, []).append(cost)
                        memory[name] = megabytes(pid)
        rate, cost = ({name: statistics.median(row) for name, row in rows.items()} for rows in (rates, costs))
        ratio = rate["full"] / rate["empty"]
        print(f"moves a second   full {rate['full']:6.0f}  empty {rate['empty']:6.0f}  ratio {ratio:.2f}")
        print(f"us CPU a move    full {cost['full']:6.0f}  empty {cost['empty']:6.0f}")
        print(f"seconds to start full {starts['full']:6.2f}  empty {starts['empty']:6.2f}")
        print(f"most memory, MB  full {memory['full']:6.0f}  empty {memory['empty']:6.0f}")


if __name__ == "__main__":
    main()
