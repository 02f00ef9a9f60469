"""A computer player as a process: one request a line on standard input, one answer a line on standard output.

`arena.py` starts it with PYTHONPATH naming a checkout, so two states of the code can play each other. Thinking ends
after `seconds` of this process's own CPU time, so what else the machine does costs neither side anything.

    {"game": "lambo", "moves": ["a1"], "playouts": 240000, "seconds": 0.5, "seed": 1}
    {"move": "b2,c3", "winning": 0.52, "proven": 0, "playouts": 31250, "cpu": 0.51}
"""

import json
import sys
import time
from inspect import signature

from engine.search import LEVELS, think

try:
    from engine.hex.variants import parse
except ImportError:  # a checkout from before engine/hex
    from engine.variants import parse  # type: ignore[import-not-found,no-redef]


def answer(ask: dict[str, object], folder: str) -> dict[str, object]:
    """One thought; without `seconds` it ends after its playouts."""
    begun = time.process_time()
    seconds = float(str(ask.get("seconds") or 1e9))
    level = LEVELS[-1]._replace(playouts=int(str(ask["playouts"])))
    stop = lambda: time.process_time() - begun >= seconds  # noqa: E731
    soon = lambda: time.process_time() - begun >= 0.8 * seconds  # noqa: E731
    more = {"soon": soon} if "soon" in signature(think).parameters else {}
    moves = ask["moves"]
    assert isinstance(moves, list)
    thought = think(parse(str(ask["game"])), moves, level, int(str(ask["seed"])), stop, folder, **more)
    return {
        "move": thought.move,
        "winning": thought.winning,
        "proven": thought.proven,
        "playouts": thought.playouts,
        "cpu": time.process_time() - begun,
    }


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), sys.argv[1])), flush=True)
