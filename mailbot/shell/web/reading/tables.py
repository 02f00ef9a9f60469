"""The tables of letters for a page: the same heads and cells, with links where a cell names a board or a player."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from mailbot.core.letters import tables

Cell = list[tuple[str, str]]
"""Parts of text, each with the address that it links to, or nothing."""

PLAYER, BOARD, TOURNAMENT = "/player/{}", "/board/{}", "/tournament/{}"
LINKS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "board": (BOARD, ("board",)),
    "players": (PLAYER, ("players",)),
    "player": (PLAYER, ("player", "userid")),
    "opponent": (PLAYER, ("opponent",)),
    "offered by": (PLAYER, ("by",)),
    "name": (TOURNAMENT, ("tournament",)),
}
"""By the head of a column: where its cells lead, and which facts of the row stand there."""


def table(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a letter: `heads`, each with whether it is a column of numbers, and `rows` of cells."""
    columns, found = tables.cells(facts)
    return {
        "heads": [(column.head, column.number) for column in columns],
        "rows": [
            [_cell(column.head, text, row) for column, text in zip(columns, cells, strict=True)]
            for row, cells in zip(facts["rows"], found, strict=True)
        ],
    }


def _cell(head: str, text: str, row: Mapping[str, Any]) -> Cell:
    where, names = LINKS.get(head, ("", ()))
    named = next((row[name] for name in names if name in row), "")
    if head == "name":
        return [(text, where.format(named))]
    many = head == "players"  # of a board; in a list of tournaments it is how many there are
    parts = [str(one) for one in named] if isinstance(named, list) else [] if many else [str(named)]
    return list(_linked(text, [part for part in parts if part not in ("", "?", "0")], where))


def _linked(text: str, parts: Sequence[str], where: str) -> Iterator[tuple[str, str]]:
    """The text with a link at each of the parts, which stand in it in this order."""
    for part in parts:
        before, found, text = text.partition(part)
        if before:
            yield before, ""
        if found:
            yield found, where.format(quote(found))
    if text:
        yield text, ""
