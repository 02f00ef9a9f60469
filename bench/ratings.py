"""What ratings cost: all of them computed anew, and the end of a rated game beside that of an unrated one.

    python bench/ratings.py [--games 1000000] [--players 20000] [--ends 1000]

The games take five years. All times are seconds or microseconds of CPU.
"""

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from games import NOW, insert

from mailbot.core.caps import Caps
from mailbot.core.model import DAY, Address, Game, Player
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store import ratings
from mailbot.store.store import Store

CATEGORIES = {"lambo": "lambo", "palago": "palago", "mambo": "mambo", "mamba": "mambo -mamba"}
CAPS = Caps(
    waiting_bytes=10**12,
    letters_per_hour=10**9,
    letters_per_day=10**9,
    pair_letters_per_hour=10**9,
    pair_letters_per_day=10**9,
)


def over(games: int, players: int) -> Iterator[Game]:
    """Finished games between players of random strength."""
    chance = random.Random(1)
    strengths = [chance.gauss(0, 1) for _ in range(players + 1)]
    for number in range(1, games + 1):
        one, two = chance.sample(range(1, players + 1), 2)
        category = chance.choice(list(CATEGORIES))
        won = chance.gauss(strengths[one] - strengths[two], 1) > 0
        flagged = chance.random() < 0.05
        yield Game(
            id=number,
            rules=CATEGORIES[category],
            player1=one,
            player2=two,
            state="over",
            agreed=3,
            ply=20,
            to_move=0,
            winner=1 if won else 2,
            reason=f"player{two if won else one} {'ran out of time' if flagged else 'resigned'}",
            created=NOW,
            changed=NOW + number * 5 * 365 * DAY // games,
            category=category,
            place=number,
        )


def running(first: int, games: int, players: int) -> Iterator[Game]:
    """Games that wait to be resigned, rated and unrated by turns."""
    chance = random.Random(2)
    for number in range(first, first + games):
        one, two = chance.sample(range(1, players + 1), 2)
        unrated = "it was offered with -unrated" if number % 2 else ""
        category = "" if number % 2 else "lambo"
        yield Game(
            number,
            *("lambo", one, two, "running", 3, 2, 1, None, "", NOW, NOW),
            category=category,
            unrated=unrated,
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--games", type=int, default=1_000_000)
    options.add_argument("--players", type=int, default=20_000)
    options.add_argument("--ends", type=int, default=1000, help="of each kind")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        store = Store.open(Path(folder, "db"), NOW, b"k" * 32, CAPS)
        store.begin()
        people = range(1, given.players + 1)
        insert(store, (Player(p, f"player{p}", "active", "", 1, 1, NOW) for p in people), Player)
        insert(store, (Address(p, p, f"player{p}@home.example", "current", 0, NOW) for p in people), Address)
        insert(store, over(given.games, given.players), Game)
        for said in ("computed and stored", "computed and compared"):
            begun = time.process_time()
            games, wrong, _ = ratings.refold(store.db)
            took = time.process_time() - begun
            print(f"{games} games {said}: {took:.1f} s, {wrong} rows written")
        print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
        insert(store, running(given.games + 1, 2 * given.ends, given.players), Game)
        costs: dict[int, list[float]] = {0: [], 1: []}
        for number in range(given.games + 1, given.games + 2 * given.ends + 1):
            (player,) = store.db.execute("SELECT player1 FROM game WHERE id = ?", (number,)).fetchone()
            asked = Asked("resign", args={"board": str(number)}, by=player, proof=Proofs.PASSWORD)
            begun = time.process_time()
            store.enter(Request(NOW + 5 * 365 * DAY, (asked,), player))
            costs[number % 2].append((time.process_time() - begun) * 1e6)
        rated, unrated = (statistics.median(costs[kind]) for kind in (0, 1))
        print(f"an end: rated {rated:.0f} us, unrated {unrated:.0f} us, {rated - unrated:.0f} us more")
        store.rollback()
        store.close()


if __name__ == "__main__":
    main()
