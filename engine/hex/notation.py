"""Placements and moves as text (docs/rules.md 1): `a1`, `a1,c12`, `swap`."""

import re
from functools import lru_cache
from typing import NamedTuple

from engine.errors import Unreadable, clip


class Placement(NamedTuple):
    """A tile on a cell: the letter, lower case, and the cell's spiral number."""

    letter: str
    cell: int


Move = tuple[Placement, ...]

SWAP: Move = ()
"""The move that lays nothing and changes the seats, written `swap`."""

MAX_PLACED = 2
"""Placements in a move, at most."""

_PLACEMENT = re.compile(r"\s*([a-zA-Z])([0-9]{1,9})\s*\Z")


@lru_cache(maxsize=4096)
def parse_move(text: str) -> Move:
    """The move in a text; case and blanks round the comma do not matter. The position decides whether it is legal.

    Raises Unreadable.
    """
    if text.strip().lower() == "swap":
        return SWAP
    parts = text.split(",", MAX_PLACED)
    if len(parts) > MAX_PLACED:
        raise Unreadable(f'"{clip(text)}" has too many placements: a move is one, like a1, or two, like a1,c12')
    return tuple(_placement(part, text) for part in parts)


def write_move(move: Move) -> str:
    """The canonical text of a move."""
    return ",".join(f"{letter}{cell}" for letter, cell in move) if move else "swap"


def _placement(part: str, text: str) -> Placement:
    found = _PLACEMENT.match(part)
    if found:
        return Placement(found[1].lower(), int(found[2]))
    if re.fullmatch(r"\s*[a-zA-Z][0-9]{10,}\s*", part):
        raise Unreadable(f'"{clip(part)}" has too long a cell number: cells are numbered on the board')
    said = clip(text) or "nothing"
    raise Unreadable(f'"{said}" is not a move: write a tile letter and a cell number, like a1, or two, like a1,c12')
