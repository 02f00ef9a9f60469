"""How many random positions the search proves, beside that of another checkout.

    python bench/proofs.py FOLDER 0.6 200 lambo

A position comes from 2 to 10 random turns; one in which a turn wins or loses at once is left out. Both sides get the
same positions and the same CPU time, and print what they proved: won or lost for the mover. A contradiction stops it.
"""

import random
import sys
from pathlib import Path

from bench.arena import FOLDER, LOOK, asked, mover
from engine.hex.notation import write_move
from engine.hex.position import apply, legal_moves, start
from engine.hex.variants import parse
from engine.search import evaluate

PLIES = (2, 10)


def position(game: str, index: int) -> list[str]:
    """The random position with this number, as moves."""
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
            if evaluate(at.rules, moves, LOOK.playouts, 1, FOLDER).proven == 0:
                return moves


def main() -> None:
    folder, seconds, count = Path(sys.argv[1]).resolve(), float(sys.argv[2]), int(sys.argv[3])
    players = [mover(Path(__file__).parents[1]), mover(folder)]
    for game in sys.argv[4:] or ["lambo"]:
        proved = [0, 0]
        for index in range(count):
            found = []
            for player in players:
                said = asked(
                    player, game=game, moves=position(game, index), playouts=240_000, seconds=seconds, seed=index
                )
                found.append(int(said["proven"]))
            assert found[0] * found[1] >= 0, position(game, index)
            proved = [proved[side] + (found[side] != 0) for side in (0, 1)]
            print(f"{game}: {proved[0]} and {proved[1]} of {index + 1} proved", end="\r", flush=True)
        print()
    for player in players:
        player.communicate()


if __name__ == "__main__":
    main()
