"""How long the drawing of a board may get in a letter, and how long a letter will be.

Two players can lay their tiles in a line as long as the game has tiles. Drawn, that is a rectangle of a million
characters, mostly blanks, and anybody may ask for it in a few words. So a board is measured before it is drawn.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from engine.hexes import axial, ring

MAX_DRAWN = 24_000
"""Characters of the rectangle that a drawn board may fill; a board of 200 tiles that lie together takes 17,000."""

MAX_LETTER = 100_000
"""Characters that the boards of one answer may fill, by estimate; the first one is shown in any case."""

_NUMBER = re.compile(r"[0-9]+")


def rectangle(cells: Iterable[int]) -> int:
    """Characters of the rectangle round these tiles and their neighbours (engine/canvas.py: a cell is 5 lines by 9)."""
    found = [axial(cell) for cell in cells]
    if not found:
        return 0
    tops, lefts = [4 * r + 2 * q for q, r in found], [6 * q for q, _ in found]
    return (max(tops) - min(tops) + 13) * (max(lefts) - min(lefts) + 21)


def estimate(facts: Mapping[str, Any]) -> int:
    """Characters of all boards that a letter with these facts may draw. The outbox counts them before the letter is
    written."""
    found = [facts, *(part["facts"] for part in facts.get("parts", ()))]
    return sum(_estimate(tuple(one["moves"])) for one in found if one.get("moves"))


@lru_cache(maxsize=256)
def _estimate(moves: tuple[str, ...]) -> int:
    """The rectangle round the ring of the farthest cell and the free cells outside it, and so never too little."""
    far = ring(axial(max(map(int, _NUMBER.findall(" ".join(moves))), default=0))) + 1
    return min(MAX_DRAWN, (8 * far + 5) * (12 * far + 10))
