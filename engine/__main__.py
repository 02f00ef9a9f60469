"""The engine on standard input and output, one JSON line in, one answer out: replay, show, perft.

    {"game": "lambo -eat_enemy=2", "moves": ["a1", "b2,c9"]}

`replay` answers {"ok": true, ...} or {"ok": false, "move": index or null, "error": sentence}. `perft DEPTH` adds
"perft": [n1, ...] to that. `show` prints the board, and the error line where there is no board.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from engine.ascii import draw
from engine.errors import EngineError, Unreadable
from engine.position import Position, perft, replay
from engine.variants import parse

USAGE = "usage: python -m engine replay | show | perft DEPTH   (JSON lines on standard input)"
_LIKE = 'a line is like {"game": "lambo", "moves": ["a1", "b2,c9"]}'


def main(args: list[str]) -> int:
    """Run one of the three tools; returns the exit status."""
    match args:
        case ["replay"]:
            answer: Callable[[Position], str] = lambda position: json.dumps(facts(position))  # noqa: E731
        case ["show"]:
            answer = draw
        case ["perft", depth] if depth.isascii() and depth.isdigit() and len(depth) < 4:
            answer = lambda position: json.dumps(facts(position) | {"perft": perft(position, int(depth))})  # noqa: E731
        case _:
            print(USAGE, file=sys.stderr)
            return 2
    for line in sys.stdin.buffer:
        if line.strip():
            print(answered(line.decode(errors="replace"), answer), flush=True)
    return 0


def answered(line: str, answer: Callable[[Position], str]) -> str:
    """What `answer` makes of the position a line describes, or the error as a JSON line."""
    try:
        return answer(read(line))
    except EngineError as error:
        return json.dumps({"ok": False, "move": error.index, "error": str(error)})


def read(line: str) -> Position:
    """The position a JSON line describes. Raises Unreadable or Forbidden."""
    try:
        asked: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise Unreadable(f"this is not JSON; {_LIKE}") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("game"), str):
        raise Unreadable(f"there is no game in this; {_LIKE}")
    moves = asked.get("moves", [])
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise Unreadable(f"the moves are not a list of texts; {_LIKE}")
    return replay(parse(asked["game"]), moves)


def facts(position: Position) -> dict[str, Any]:
    """The answer of `replay` as JSON values. Nobody is to move when the game is over."""
    over = position.outcome
    return {
        "ok": True,
        "over": over is not None,
        "winner": over.winner if over else None,
        "reason": over.reason if over else None,
        "to_move": None if over else position.to_move,
        "tiles": [[letter, cell] for letter, cell in position.tiles],
        "left": position.left,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
