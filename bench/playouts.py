"""What the engine does in a second, interpreted and compiled: random games that check for a win after every tile.

Figures depend on the machine, so each is printed as a ratio to a yardstick in the same run. For the interpreted engine
the yardstick adds numbers in a list; for the compiled engine it plays the same games of Lambo and Mambo in plain C
(bench/playouts.c, compiled here by gcc -O3), which must give the same checksum. The program also measures how long a
worker takes to start, with a warm cache and with an empty one.
`python bench/playouts.py [GAMES]`, from the top folder, with PYTHONPATH=. if the engine is not installed.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from engine.hex import board as hot
from engine.hex.board import CELLS, CLOSED, FRONTIER, LAID
from engine.hex.goals import closes
from engine.hex.notation import write_move
from engine.hex.play import Play
from engine.hex.position import replay
from engine.hex.tiles import LAMBO
from engine.hex.variants import parse
from engine.search.compiled import arrays, compiled, longs
from engine.search.kernel import RANDOM, restore_table, rules_in_numbers, state_in_numbers

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


RINGS, START, FAST_GAMES, RUNS = 12, 12345, 200_000, 3
HERE = Path(__file__).parent


def compiled_games(game: str, folder: str) -> tuple[float, int, list[int]]:
    """Placements a second, checksum, and placements and wins of both seats, of the compiled kernel."""
    play = Play(parse(game))
    boards = [hot.new(play.tiles, play.rules.auto, RINGS) for _ in range(2)]
    for b in boards:
        for letter, cell in play.placements():
            hot.place(b, cell, play.index[letter])
    board, saved = map(arrays, boards)
    begin = longs([*state_in_numbers(play, 1), 0, 0, 0])
    begin[RANDOM] = START
    how, reach = longs(rules_in_numbers(play.rules)), longs(restore_table(RINGS))
    rolls = compiled(folder)["rolls"]
    rolls(board, saved, how, begin.copy(), reach, 1, begin)
    rates = []
    for _ in range(RUNS):
        g = begin.copy()
        begun = time.process_time()
        check = rolls(board, saved, how, g, reach, FAST_GAMES, begin)
        rates.append(float(g[5]) / (time.process_time() - begun))
    return median(rates), int(check), [int(number) for number in g[5:8]]


def c_games(game: str, folder: str) -> tuple[float, int, list[int]]:
    """The same of the C program."""
    program = str(Path(folder) / game)
    subprocess.run(["gcc", "-O3", f"-D{game.upper()}", "-o", program, str(HERE / "playouts.c")], check=True)
    rates = []
    for _ in range(RUNS):
        command = [program, str(RINGS), str(SIZE), str(START), str(FAST_GAMES)]
        *counts, check, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        rates.append(int(counts[0]) / float(seconds))
    return median(rates), int(check), [int(number) for number in counts]


def beside_c(game: str, folder: str) -> tuple[float, float, float]:
    """The median ratio of the compiled kernel to C, of five, and the placements a second of both."""
    pairs = []
    for _ in range(5):  # in turn, so that what else the machine does meets both
        ours, check, counts = compiled_games(game, folder)
        theirs, *answer = c_games(game, folder)
        assert [check, counts] == answer, "C and compiled play different games"
        pairs.append((ours / theirs, ours, theirs))
    return sorted(pairs)[2]


def started(folder: str) -> float:
    """Seconds from the start of a process to its being able to think."""
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", f"from engine.search import warm; warm({folder!r})"], check=True)
    return time.monotonic() - begun


def fast() -> None:
    """The compiled engine."""
    with tempfile.TemporaryDirectory() as folder:
        cold, again = started(folder), started(folder)
        rates = {game: beside_c(game, folder) for game in ("lambo", "mambo")}
    for game, (ratio, ours, theirs) in rates.items():
        print(
            f"{game}, random placements: C -O3 {theirs / 1e6:.2f} M a second, compiled, the same games, "
            f"{ours / 1e6:.2f} M, ratio {ratio:.2f} (wanted 0.85)"
        )
    print(f"start of a worker: {again:.2f} s from a warm cache (wanted 1 s), {cold:.1f} s from none (wanted 20 s)")


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
    fast()


if __name__ == "__main__":
    main()
