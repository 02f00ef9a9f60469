"""The program that makes pictures, in a process of its own: `python -m mailbot.shell.post.painter`.

It reads lines of JSON, each a `Wanted` of mailbot.core.letters.pictures. It answers each with one letter, the length of
the rest in four octets, and the rest: P, a PNG; L, nothing, because the board would be too small to read; E, the name
of an error. It ends with its input, so it does not survive the daemon.
"""

import json
import sys
from dataclasses import replace
from typing import Final

from engine.hex import png, scene, variants
from engine.hex.position import Position, replay
from engine.hex.scene import EDGES, WIDEST, Look
from engine.hex.shapes import EDGE
from mailbot.core.letters.pictures import Wanted
from mailbot.shell.niceness import FAR_BEHIND, step_behind
from mailbot.shell.post.painters import ERROR, HEAD, LARGE, PICTURE

MOST_TILES: Final = 300
"""A position with up to this many tiles is drawn as large as fits, a larger one in the smallest scale or not at all."""


def paint(wanted: Wanted) -> bytes | None:
    """The PNG; None if the board is too large. Raises Unreadable or Forbidden, and whatever a library may raise."""
    rules = variants.parse(wanted.rules)
    if wanted.form == "film":
        return png.film(rules, wanted.moves, Look(names=wanted.names))
    position = replay(rules, wanted.moves)
    look = look_of(position, wanted.names)
    return png.picture(position, look) if look else None


def look_of(position: Position, names: tuple[str, str]) -> Look | None:
    """The look of the position in a letter; None if it does not fit even in the smallest scale."""
    look = scene.fitted(position, Look(names=names if any(names) else None))
    if len(position.tiles) > MOST_TILES:
        look = replace(look, edge=EDGES[-1])
    elif look.edge > EDGES[-1]:
        return look
    _, _, width, height = scene.scene(position, look).box
    return look if look.edge / EDGE * max(width, height) <= 2 * WIDEST else None


def main() -> None:
    """Works until its input ends."""
    step_behind("pictures", FAR_BEHIND)
    for line in sys.stdin.buffer:
        kind, content = PICTURE, b""
        try:
            form, rules, moves, names = json.loads(line)
            made = paint(Wanted(form, rules, tuple(moves), tuple(names)))
            kind, content = (PICTURE, made) if made else (LARGE, b"")
        except Exception as error:
            kind, content = ERROR, type(error).__name__.encode()
        sys.stdout.buffer.write(HEAD.pack(kind, len(content)) + content)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
