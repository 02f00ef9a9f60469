"""How long the drawing of a board may get in a letter, and how long a letter will be.

Two players can lay their tiles in a line as long as the game has tiles. Drawn, that is a rectangle of a million
characters, mostly blanks, and anybody may ask for it in a few words. So a board is measured before it is drawn.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine import extent

MAX_DRAWN = 24_000
"""Characters of the rectangle that a drawn board may fill; a board of 200 tiles that lie together takes 17,000."""

MAX_LETTER = 100_000
"""Characters that the boards of one answer may fill, by estimate; the first one is shown in any case."""


def estimate(facts: Mapping[str, Any]) -> int:
    """Characters of all boards that a letter with these facts may draw. The outbox counts them before the letter is
    written."""
    size = _estimate(tuple(facts["moves"])) if facts.get("moves") else 0
    for part in facts.get("parts", ()):
        size += estimate(part["facts"])
    return size


@lru_cache(maxsize=256)
def _estimate(moves: tuple[str, ...]) -> int:
    return min(MAX_DRAWN, extent.most(moves))
