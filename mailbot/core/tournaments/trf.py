"""The FIDE tournament report (TRF16) of a Swiss, as pairing programs and checkers read it [FIDE C.04, annex 2].

One line a player (`001`) with the result of each round, and the number of rounds (`XXR`, as JaVaFo has it).
"""

from collections.abc import Sequence
from typing import NamedTuple

from mailbot.core.tournaments.field import Entrant

MARKS = {1.0: "1", 0.5: "=", 0.0: "0"}


class Cell(NamedTuple):
    """A round of one player: the opponent's starting number (0 for none), the side (`w` moved first, `b`, `-`), and the
    result (`1`, `=`, `0`; `-` lost by forfeit; `U` a bye; `Z` not there)."""

    opponent: int
    side: str
    result: str


BYE, ABSENT = Cell(0, "-", "U"), Cell(0, "-", "Z")
WORTH = {"1": 1.0, "=": 0.5, "U": 1.0}


def write(entrants: Sequence[Entrant], cells: Sequence[Sequence[Cell]], rounds: int, title: str = "") -> str:
    """The report. Starting numbers are the places in `entrants`, from 1; `cells` holds each player's rounds."""
    points = [sum(WORTH.get(cell.result, 0.0) for cell in row) for row in cells]
    order = sorted(range(len(entrants)), key=lambda index: (-points[index], index))
    ranks = {index: rank for rank, index in enumerate(order, 1)}
    head = [f"012 {_plain(title)}"] if title else []
    lines = [
        f"001 {index + 1:4}      {_plain(entrant.name)[:33]:33} {_rating(entrant.rating):>4} {'':3} {'':11} {'':10}"
        f" {points[index]:4.1f} {ranks[index]:4}" + "".join(f"  {_cell(cell)}" for cell in row)
        for index, (entrant, row) in enumerate(zip(entrants, cells, strict=True))
    ]
    return "\n".join([*head, *lines, f"XXR {rounds}", ""])


def _cell(cell: Cell) -> str:
    return f"{cell.opponent:4} {cell.side} {cell.result}" if cell.opponent else f"0000 {cell.side} {cell.result}"


def _rating(rating: float) -> str:
    return str(min(max(round(rating), 0), 9999))


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)
