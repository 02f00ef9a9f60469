"""The engine on standard input and output, one JSON line in, one answer out: replay, show, perft, draw.

    {"game": "lambo -eat_enemy=2", "moves": ["a1", "b2,c9"]}

`replay` answers {"ok": true, ...} or {"ok": false, "move": index or null, "error": sentence}. `perft DEPTH` adds
"perft": [n1, ...] to that. `show` prints the board, and the error line where there is no board. `draw` is described in
docs/drawing.md.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from engine.errors import EngineError, Unreadable, clip
from engine.hex import svg
from engine.hex.ascii import draw
from engine.hex.position import Position, perft, replay
from engine.hex.scene import PLAIN, Look
from engine.hex.variants import parse
from engine.hex.words import describe

USAGE = """usage: python -m engine replay | show | perft DEPTH   (JSON lines on standard input)
       python -m engine draw svg DIR [--plain] | draw png DIR [--plain] | draw words [--hints]"""
_LIKE = 'a line is like {"game": "lambo", "moves": ["a1", "b2,c9"]}'
_LOOKS: dict[tuple[str, ...], Look] = {(): Look(), ("--plain",): PLAIN}

Answer = Callable[[Position, int], str]
"""Takes a position and the number of its line, from 1; returns what is printed."""


class _Unusable(Exception):
    """The program cannot do what the command line asks, whatever its input says."""


def main(args: list[str]) -> int:
    """Run one of the tools; returns the exit status."""
    try:
        answer = _tool(args)
        lines = (line for line in sys.stdin.buffer if line.strip())
        for number, line in enumerate(lines, 1):
            print(answered(line.decode(errors="replace"), answer, number), flush=True)
    except _Unusable as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _tool(args: list[str]) -> Answer:
    """The tool that the command line asks for. Raises _Unusable."""
    match args:
        case ["replay"]:
            return lambda position, _: json.dumps(facts(position))
        case ["show"]:
            return lambda position, _: draw(position)
        case ["perft", depth] if depth.isascii() and depth.isdigit() and len(depth) < 4:
            return lambda position, _: json.dumps(facts(position) | {"perft": perft(position, int(depth))})
        case ["draw", "words", *hints] if hints in ([], ["--hints"]):
            return lambda position, _: json.dumps({"ok": True, "words": describe(position, hints=bool(hints))})
        case ["draw", "svg" | "png" as kind, folder, *plain] if tuple(plain) in _LOOKS:
            return _drawing(kind, folder, _LOOKS[tuple(plain)])
    raise _Unusable(USAGE)


def _drawing(kind: str, folder: str, look: Look) -> Answer:
    """A tool that draws each position into a file named after its line's number. Raises _Unusable."""
    picture = _picture() if kind == "png" else lambda position, look: svg.draw(position, look).encode()
    if not _is_folder(folder):
        raise _Unusable(f"{clip(folder, 60)} is not a folder; create it first")

    def answer(position: Position, number: int) -> str:
        name = f"{number}.{kind}"
        try:
            with open(f"{folder}/{name}", "wb") as file:
                file.write(picture(position, look))
        except OSError as error:
            raise _Unusable(f"{name} cannot be written to {clip(folder, 60)}: {error.strerror}") from None
        return json.dumps({"ok": True, "file": name})

    return answer


def _picture() -> Callable[[Position, Look], bytes]:
    try:
        from engine.hex.png import picture
    except ImportError:
        raise _Unusable("pictures need Pillow and resvg-py: install mailbot-games[pictures]") from None
    return picture


def _is_folder(name: str) -> bool:
    """Whether opening `name` fails because it is a folder; the engine may not import a module that looks at files."""
    try:
        with open(name, "rb"):
            return False
    except IsADirectoryError:
        return True
    except (OSError, ValueError):
        return False


def answered(line: str, answer: Answer, number: int = 1) -> str:
    """The output of `answer` for the position that a line describes, or the error as a JSON line."""
    try:
        return answer(read(line), number)
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
