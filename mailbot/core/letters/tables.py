"""Tables in letters: rows of facts as lines of at most 78 columns. Cells too long for their column go on below it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any, NamedTuple

from mailbot.core import zones
from mailbot.core.letters import pieces, times
from mailbot.core.zones import Zone

GAP = 2


class Column(NamedTuple):
    """A column: its head and its width; numbers stand to the right."""

    head: str
    width: int
    number: bool = False


def draw(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, marked: bool = False) -> list[str]:
    """The head and the rows as lines. `marked`: with the marks of `pieces`, from which HTML gets its cells."""
    found = []
    for cells in ([column.head for column in columns], *rows):
        first, *below = _row(columns, cells, marked=marked)
        found += [f"{pieces.ROW if marked else ''}{first}", *below]
    return found


def _row(columns: Sequence[Column], cells: Sequence[str], *, marked: bool) -> list[str]:
    folded = [wrap(cell, column.width, break_on_hyphens=False) for column, cell in zip(columns, cells, strict=True)]
    lines = []
    for parts in zip_longest(*folded, fillvalue=""):
        padded = [
            f"{part:>{column.width}}" if column.number else f"{part:{column.width}}"
            for column, part in zip(columns, parts, strict=True)
        ]
        while padded and not padded[-1].strip():
            padded.pop()
        if marked:
            padded = [
                f"{pieces.NUMBER if column.number else pieces.CELL}{part}"
                for column, part in zip(columns, padded, strict=False)
            ]
        lines.append((" " * GAP).join(padded).rstrip())
    return lines


def span(seconds: int) -> str:
    """How long, in the largest unit that says something: `5 min`, `3 h`, `12 days`."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit[:-1] if unit == 'days' and count == 1 else unit}"
    return "now"


def exact(seconds: int) -> str:
    """How long, in two units: `2 d 03 h`, `3 h 05 min`, `5 min`, `40 s`."""
    if seconds >= 86_400:
        return f"{seconds // 86_400} d {seconds % 86_400 // 3600:02} h"
    if seconds >= 3600:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"
    return f"{seconds // 60} min" if seconds >= 60 else f"{seconds} s"


def _boards(row: Mapping[str, Any]) -> Sequence[str]:
    running = row["order"] < OVER and row["status"] != OFFERED
    ply = row["ply"] + running  # of a running game the ply to be played, as its letters number it
    waits = span(row["waited"]) if row["order"] < OVER else ""
    return str(row["board"]), row["rules"], " - ".join(row["players"]), row["status"], str(ply or ""), waits


def _timed(row: Mapping[str, Any]) -> Sequence[str]:
    left = row.get("left")
    *cells, status, ply, _ = _boards(row)
    if "away" in row:
        then = row["zone"].local(row["away"])
        status += f" (away until {then.day} {then:%b})"
    return *cells, status, ply, times.short(left) if left is not None else ""


def _seeks(row: Mapping[str, Any]) -> Sequence[str]:
    keep = f"{row['running']} of {row['keep']}" if row["keep"] else "one"
    by = f"{row['by']} ({row['rating']})" if row.get("rating") else row["by"]
    return str(row["seek"]), row["rules"], by, row["first"] or "by turns", keep, row["note"]


def _ratings(row: Mapping[str, Any]) -> Sequence[str]:
    last = _day(row["last"], row["zone"]) if row["last"] else "never"
    return row["category"], *_rating(row), str(row["games"]), row["change"], last


def _rating(row: Mapping[str, Any]) -> Sequence[str]:
    best = str(row["best"]) if row["best"] else ""
    return row["rating"], f"{row['sure']:.0f} points", best, str(row["rated"])


def _ranked(row: Mapping[str, Any]) -> Sequence[str]:
    name = f"{row['userid']} (computer)" if row["computer"] else row["userid"]
    return str(row["place"]), name, *_rating(row)


def _changes(row: Mapping[str, Any]) -> Sequence[str]:
    return _day(row["ended"], row["zone"]), str(row["board"]), row["opponent"], row["result"], row["change"]


def _day(at: int, zone: Zone) -> str:
    return f"{zone.local(at):%Y-%m-%d}"


def _standings(row: Mapping[str, Any]) -> Sequence[str]:
    won, lost, drawn = row["won"], row["lost"], row["drawn"]
    return str(row["place"]), row["userid"], str(won + lost + drawn), str(won), str(lost), str(drawn)


def _waiting(row: Mapping[str, Any]) -> Sequence[str]:
    if row["offered"]:
        wants = "yes or no?"
    elif row["asks"]:
        wants = f"{row['asks']}?"
    else:
        wants = "your move"
    return str(row["board"]), row["title"], row["opponent"], wants, span(row["waited"])


def _waiting_timed(row: Mapping[str, Any]) -> Sequence[str]:
    left = row.get("left")
    return *_waiting(row), times.short(left) if left is not None else ""


def _analysis(row: Mapping[str, Any]) -> Sequence[str]:
    mark = "*" if row["turning"] else ""
    return (
        str(row["ply"]),
        row["by"],
        row["played"].replace(",", ", "),
        row["chance"],
        mark,
        row["best"].replace(",", ", "),
    )


def _tournaments(row: Mapping[str, Any]) -> Sequence[str]:
    return str(row["tournament"]), row["title"], row["game"], row["format"], row["stage"], row["players"]


def _entrants(row: Mapping[str, Any]) -> Sequence[str]:
    return str(row["number"]), row["player"]


def _places(row: Mapping[str, Any]) -> Sequence[str]:
    return str(row["place"]), row["player"] + (" (withdrawn)" if row["gone"] else ""), row["points"], row["parted"]


def _places_open(row: Mapping[str, Any]) -> Sequence[str]:
    return *_places(row)[:3], row["reach"], row["parted"]


def _fixtures(row: Mapping[str, Any]) -> Sequence[str]:
    group = f" ({row['pool']})" if row["pool"] else ""
    return f"{row['round']}{group}", str(row["board"] or ""), " - ".join(row["players"]), row["outcome"]


OVER = 3
"""The order of a board that is over: nobody waits."""
OFFERED = "offered"
"""The status of a board that has not started."""

TABLES: dict[str, tuple[Sequence[Column], Callable[[Mapping[str, Any]], Sequence[str]]]] = {
    "boards": (
        (
            Column("board", 6, number=True),
            Column("game", 16),
            Column("players", 21),
            Column("status", 13),
            Column("ply", 4, number=True),
            Column("waits", 8),
        ),
        _boards,
    ),
    "timed": (
        (
            Column("board", 6, number=True),
            Column("game", 16),
            Column("players", 20),
            Column("status", 12),
            Column("ply", 4, number=True),
            Column("time left", 10),
        ),
        _timed,
    ),
    "seeks": (
        (
            Column("n", 6, number=True),
            Column("game", 20),
            Column("offered by", 20),
            Column("moves first", 11),
            Column("games", 8),
            Column("", 3),
        ),
        _seeks,
    ),
    "ratings": (
        (
            Column("category", 12),
            Column("rating", 7, number=True),
            Column("sure to", 10, number=True),
            Column("best", 5, number=True),
            Column("rated", 6, number=True),
            Column("games", 6, number=True),
            Column("change", 6, number=True),
            Column("last rated", 10),
        ),
        _ratings,
    ),
    "ranked": (
        (
            Column("place", 5, number=True),
            Column("player", 20),
            Column("rating", 7, number=True),
            Column("sure to", 10, number=True),
            Column("best", 5, number=True),
            Column("rated", 6, number=True),
        ),
        _ranked,
    ),
    "changes": (
        (
            Column("day (UTC)", 10),
            Column("board", 6, number=True),
            Column("opponent", 20),
            Column("result", 6),
            Column("rating", 24),
        ),
        _changes,
    ),
    "standings": (
        (
            Column("place", 5, number=True),
            Column("player", 20),
            Column("games", 6, number=True),
            Column("won", 6, number=True),
            Column("lost", 6, number=True),
            Column("drawn", 6, number=True),
        ),
        _standings,
    ),
    "waiting": (
        (
            Column("board", 6, number=True),
            Column("game", 8),
            Column("opponent", 20),
            Column("waits for", 12),
            Column("since", 8),
        ),
        _waiting,
    ),
    "waiting timed": (
        (
            Column("board", 6, number=True),
            Column("game", 8),
            Column("opponent", 20),
            Column("waits for", 12),
            Column("since", 8),
            Column("time left", 10),
        ),
        _waiting_timed,
    ),
    "analysis": (
        (
            Column("ply", 4, number=True),
            Column("player", 18),
            Column("played", 14),
            Column("chance", 6, number=True),
            Column("", 1),
            Column("better", 14),
        ),
        _analysis,
    ),
    "tournaments": (
        (
            Column("n", 4, number=True),
            Column("name", 18),
            Column("game", 16),
            Column("format", 13),
            Column("stage", 9),
            Column("players", 8),
        ),
        _tournaments,
    ),
    "entrants": ((Column("", 5, number=True), Column("player", 32)), _entrants),
    "tournament": (
        (
            Column("place", 5, number=True),
            Column("player", 32),
            Column("points", 6, number=True),
            Column("before the next by", 29),
        ),
        _places,
    ),
    "tournament open": (
        (
            Column("place", 5, number=True),
            Column("player", 22),
            Column("points", 6, number=True),
            Column("can reach", 9),
            Column("before the next by", 28),
        ),
        _places_open,
    ),
    "fixtures": (
        (Column("round", 7), Column("board", 6, number=True), Column("players", 45), Column("result", 12)),
        _fixtures,
    ),
}
"""By the fact `table` of a letter: the columns, and the cells of one of its `rows`."""

TIMED = {"boards": "timed", "waiting": "waiting timed"}
"""The tables that take the place of others when a row has a clock: a `left`, in seconds."""


def lines(facts: Mapping[str, Any]) -> list[str]:
    """The table of a letter whose facts hold `table` and `rows`, marked."""
    return draw(*cells(facts), marked=True)


def cells(facts: Mapping[str, Any]) -> tuple[Sequence[Column], list[Sequence[str]]]:
    """The columns of that table, and the cells of each row."""
    name = facts["table"]
    if name in TIMED and any(row.get("left") is not None for row in facts["rows"]):
        name = TIMED[name]
    columns, of = TABLES[name]
    zone = zones.of(facts)
    return columns, [of({**row, "zone": zone}) for row in facts["rows"]]


PLOT_ROWS, PLOT_LEAST = 8, 3
"""The height of a plot, and how many values are worth one."""


def plot(values: Sequence[int]) -> list[str]:
    """The course of a rating as a drawing, a column for each game; nothing for too few games."""
    low, high = min(values, default=0), max(values, default=0)
    if len(values) < PLOT_LEAST or low == high:
        return []
    step = (high - low) / (PLOT_ROWS - 1)
    at = [round((value - low) / step) for value in values]
    return [
        f"{round(low + step * row):6} |{''.join('*' if one == row else ' ' for one in at)}".rstrip()
        for row in reversed(range(PLOT_ROWS))
    ]
