"""What the interpreted engine does in a second: uniform random Lambo games, the win looked for after every tile.

Figures depend on the machine, so each is printed as a ratio to a yardstick run beside it: adding numbers in a list.
`python bench/playouts.py [GAMES]`, from the top folder with PYTHONPATH=. where the engine is not installed.
"""

import random
import sys
import time
from collections.abc import Callable
from statistics import median

from engine import board as hot
from engine.board import CELLS, CLOSED, FRONTIER, LAID
from engine.goals import closes
from engine.notation import write_move
from engine.play import Play
from engine.position import replay
from engine.tiles import LAMBO
from engine.variants import parse

SIZE = 48


def yardstick() -> int:
    """A million additions into a list of small numbers."""
    sums = [0] * 64
    for i in range(1_000_000):
        sums[i & 63] += 1
    return sum(sums)


def playouts(games: int, rng: random.Random) -> int:
    """Placements in so many random games."""
    placements = 0
    draw = rng.random
    for _ in range(games):
        b = hot.new(LAMBO, rings=12)
        n, frontier, where, near = b.n, b.frontier, b.where, b.near
        hot.place(b, 0, 0)
        owed, around = 1, -1
        while n[LAID] < SIZE:
            cells = frontier[: n[FRONTIER]] if around < 0 else [c for c in near[around : around + 6] if where[c] >= 0]
            if not cells:  # a hole: the second tile goes nowhere, so random play leaves it at one
                owed, around = 2, -1
                continue
            cell = cells[int(draw() * len(cells))]
            if cell >= n[CELLS]:
                break
            laid, closed = n[LAID], n[CLOSED]
            hot.place(b, cell, int(draw() * 3))
            if n[CLOSED] > closed:
                score1, _, score2, _ = closes(b, laid, closed, 1, 0)
                if score1 or score2:
                    break
            owed -= 1
            around = 6 * cell if owed else -1
            owed = owed or 2
        placements += n[LAID]
    return placements


def replays(games: list[list[str]]) -> int:
    """Tiles in games replayed from their moves."""
    rules = parse("lambo")
    return sum(len(replay(rules, moves).tiles) for moves in games)


def some_games(count: int, rng: random.Random) -> list[list[str]]:
    """Random legal games as move texts."""
    games = []
    for _ in range(count):
        play, moves = Play(parse("lambo")), []
        while not play.verdict:
            move = rng.choice(list(play.moves()))
            play.move(move)
            moves.append(write_move(move))
        games.append(moves)
    return games


def timed(work: Callable[[], int]) -> float:
    """Median amount of work a second of CPU, of five runs."""
    rates = []
    for _ in range(5):
        begun = time.process_time()
        amount = work()
        rates.append(amount / (time.process_time() - begun))
    return median(rates)


def main() -> None:
    """Print one line a measurement."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    unit = timed(lambda: 1_000_000 if yardstick() else 0)
    recorded = some_games(6, random.Random(1))
    print(f"yardstick: {unit / 1e6:.1f} M additions a second")
    for name, work in (
        ("random placements", lambda: playouts(games, random.Random(2))),
        ("tiles replayed from moves", lambda: replays(recorded)),
    ):
        rate = timed(work)
        print(f"{name}: {rate / 1e6:.3f} M a second, ratio to the yardstick {rate / unit:.4f}")


if __name__ == "__main__":
    main()
