"""How often level 5 leaves its opponent a win that a much longer search proves.

`python bench/overlooked.py POSITIONS [GAME]` plays games of level 4 against itself from undecided openings, and lets
level 5 think about one turn in three of them. A million playouts then look at the position after its turn. A turn is
overlooked if they prove the opponent's win while level 5 thought that nothing was proved. If a million playouts prove
that the position before was lost already, no turn was better, and it is counted apart.
"""

import random
import sys

from bench.arena import FOLDER, opening, wilson
from engine.hex.position import replay
from engine.hex.variants import parse
from engine.search import LEVELS, evaluate, think

MUCH = 1_000_000
"""Playouts for each placement."""
EVERY = 3


def main() -> None:
    """Print a line after each position: how many turns, overlooked ones, positions lost before."""
    wanted, game = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "lambo"
    rules = parse(game)
    turns = overlooked = lost = proved = number = 0
    while turns < wanted:
        number += 1
        moves = list(opening(game, number))
        rng = random.Random(number)
        while turns < wanted and not replay(rules, moves).outcome:
            if not rng.randrange(EVERY):
                choice = think(rules, moves, LEVELS[4], number, folder=FOLDER)
                after = replay(rules, [*moves, choice.move])
                if choice.proven or after.outcome:
                    proved += 1
                else:
                    turns += 1
                    if evaluate(rules, [*moves, choice.move], MUCH, 1, FOLDER).proven > 0:
                        before = evaluate(rules, moves, MUCH, 1, FOLDER).proven < 0
                        lost += before
                        overlooked += not before
                        print("left:", " ".join([*moves, "->", choice.move]), f"{choice.winning:.2f}", before)
                    low, high = wilson(overlooked / turns, turns)
                    print(
                        f"{game}: {overlooked} of {turns} unproved turns leave a win, {100 * overlooked / turns:.1f} %"
                        f" [{100 * low:.1f}, {100 * high:.1f}]; {lost} more positions were lost before; {proved} turns"
                        " were proved",
                        flush=True,
                    )
            moves.append(think(rules, moves, LEVELS[3], number, folder=FOLDER).move)


if __name__ == "__main__":
    main()
