"""How large a drawing of the board is, in characters, before it is drawn.

A cell is 5 lines by 9 (engine/hex/canvas.py).
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.hex.hexes import axial, ring

_NUMBER = re.compile(r"[0-9]+")


def rectangle(cells: Iterable[int]) -> int:
    """Characters of the rectangle round these tiles and their neighbours."""
    found = [axial(cell) for cell in cells]
    if not found:
        return 0
    tops, lefts = [4 * r + 2 * q for q, r in found], [6 * q for q, _ in found]
    return (max(tops) - min(tops) + 13) * (max(lefts) - min(lefts) + 21)


def most(moves: Sequence[str]) -> int:
    """The rectangle round the ring of the farthest cell and the free cells outside it, and so never too little."""
    far = ring(axial(max(map(_farthest, moves), default=0))) + 1
    return (8 * far + 5) * (12 * far + 10)


@lru_cache(maxsize=10_000)
def _farthest(move: str) -> int:
    """The greatest number in the move's text. Remembered, because each letter about a game measures all its moves."""
    return max(map(int, _NUMBER.findall(move)), default=0)
