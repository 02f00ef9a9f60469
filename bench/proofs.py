"""How many random positions the search proves, beside that of another checkout.

    python bench/proofs.py FOLDER 0.6 200 lambo
    python bench/proofs.py FOLDER 0.6 200 --even lambo

A position comes from 2 to 10 random turns; one in which a turn wins or loses at once is left out. With `--even`, so is
one that 500 playouts do not find even (`arena.FIRST_LOOK`). Both sides get the same positions and the same CPU time,
and print what they proved: won or lost for the mover. A contradiction stops it.
"""

import random
import sys
from pathlib import Path

from bench.arena import FIRST_LOOK, FOLDER, LOOK, asked, mover
from engine.hex.notation import write_move
from engine.hex.position import apply, legal_moves, start
from engine.hex.variants import parse
from engine.search import evaluate

PLIES = (2, 10)


def position(game: str, index: int, even: bool) -> list[str]:
    """The random position with this number, as moves; where `even`, one in which both sides seem to have a chance."""
    rng = random.Random(index)
    while True:
        at, moves = start(parse(game)), list[str]()
        for _ in range(rng.randint(*PLIES)):
            turn = rng.choice(list(legal_moves(at)))
            moves.append(write_move(turn))
            at = apply(at, turn)
            if at.outcome:
                break
        else:
            seen = evaluate(at.rules, moves, FIRST_LOOK if even else LOOK.playouts, 1, FOLDER)
            if seen.proven == 0 and (not even or 0.4 < seen.winning < 0.6):
                return moves


def main() -> None:
    folder, seconds, count = Path(sys.argv[1]).resolve(), float(sys.argv[2]), int(sys.argv[3])
    even = "--even" in sys.argv
    players = [mover(Path(__file__).parents[1]), mover(folder)]
    for game in [word for word in sys.argv[4:] if word != "--even"] or ["lambo"]:
        proved = [0, 0]
        for index in range(count):
            moves = position(game, index, even)
            found = []
            for player in players:
                said = asked(player, game=game, moves=moves, playouts=240_000, seconds=seconds, seed=index)
                found.append(int(said["proven"]))
            assert found[0] * found[1] >= 0, moves
            proved = [proved[side] + (found[side] != 0) for side in (0, 1)]
            print(f"{game}: {proved[0]} and {proved[1]} of {index + 1} proved", end="\r", flush=True)
        print()
    for player in players:
        player.communicate()


if __name__ == "__main__":
    main()
