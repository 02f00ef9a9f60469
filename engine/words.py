"""A position in words, for a reader who cannot see the drawing: the tiles, and which letters fit where."""

from collections.abc import Mapping
from textwrap import fill

from engine.position import Position, fits


def describe(position: Position, columns: int = 78) -> str:
    """One paragraph of tiles, then those of `fitting`. Lines of at most `columns` characters, no newline at the end."""
    tiles = ", ".join(f"{letter}{cell}" for letter, cell in sorted(position.tiles, key=lambda tile: tile[1])) or "none"
    return "\n".join([fill(f"Tiles by cell: {tiles}.", columns, subsequent_indent="  "), *fitting(position, columns)])


def fitting(position: Position, columns: int = 78, found: Mapping[int, str] | None = None) -> list[str]:
    """A paragraph for each set of letters that fits the same cells, then the null points; nothing when it is over.
    `found`: the position's `fits`."""
    if position.outcome:
        return []
    by_letters: dict[str, list[int]] = {}
    for cell, letters in (fits(position) if found is None else found).items():
        by_letters.setdefault(letters, []).append(cell)
    told = []
    for letters, cells in sorted(by_letters.items(), key=lambda row: (-len(row[0]), row[0])):
        who = f"{_spoken(letters)} {'fits' if len(letters) == 1 else 'fit'}"
        who = who if letters else "Null points, where nothing fits"
        told.append(fill(f"{who}: {', '.join(map(str, cells))}.", columns, subsequent_indent="  "))
    return told


def _spoken(letters: str) -> str:
    return letters if len(letters) < 2 else f"{', '.join(letters[:-1])} and {letters[-1]}"
