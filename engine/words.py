"""A position in words, for a reader who cannot see the drawing: the tiles, and which letters fit where."""

from textwrap import fill

from engine.position import Position, fits


def describe(position: Position, columns: int = 78) -> str:
    """One paragraph of tiles, then one for each set of letters that fits the same cells, then the null points.

    Lines of at most `columns` characters, without a newline at the end.
    """
    tiles = ", ".join(f"{letter}{cell}" for letter, cell in sorted(position.tiles, key=lambda tile: tile[1])) or "none"
    paragraphs = [f"Tiles by cell: {tiles}."]
    if position.outcome is None:
        by_letters: dict[str, list[int]] = {}
        for cell, letters in sorted(fits(position).items()):
            by_letters.setdefault(letters, []).append(cell)
        for letters, cells in sorted(by_letters.items(), key=lambda row: (-len(row[0]), row[0])):
            where = ", ".join(map(str, cells))
            if letters:
                paragraphs.append(f"{_spoken(letters)} {'fits' if len(letters) == 1 else 'fit'}: {where}.")
            else:
                paragraphs.append(f"Null points, where nothing fits: {where}.")
    return "\n".join(fill(p, columns, subsequent_indent="  ", break_on_hyphens=False) for p in paragraphs)


def _spoken(letters: str) -> str:
    return letters if len(letters) == 1 else f"{', '.join(letters[:-1])} and {letters[-1]}"
