"""Tables in letters: rows of facts as lines of at most 78 columns. Cells too long for their column go on below it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from textwrap import wrap
from typing import Any, NamedTuple

from engine.family import Turn
from mailbot.core.letters import pieces, times
from mailbot.core.model import States

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
    return *_boards(row)[:-1], times.short(left) if left is not None else ""


def _seeks(row: Mapping[str, Any]) -> Sequence[str]:
    keep = f"{row['running']} of {row['keep']}" if row["keep"] else "one"
    return str(row["seek"]), row["rules"], row["by"], row["first"] or "by turns", keep, row["note"]


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
    name = facts["table"]
    if name in TIMED and any(row.get("left") is not None for row in facts["rows"]):
        name = TIMED[name]
    columns, cells = TABLES[name]
    return draw(columns, [cells(row) for row in facts["rows"]], marked=True)


HISTORY = (
    Column("ply", 4, number=True),
    Column("player", 20),
    Column("played (UTC)", 16),
    Column("time used", 11),
    Column("move", 19),
)


def history(facts: Mapping[str, Any], turns: Sequence[Turn]) -> list[str]:
    """Every ply with its time. `times`: when each was played, `began`: when the game began to run, unix seconds."""
    played_at, players, by = facts["times"], facts["players"], facts["by_ply"]
    rows = []
    for ply, (turn, used) in enumerate(zip(turns, _used(facts), strict=True), 1):
        auto = f" +{turn.auto}" if turn.auto else ""
        at = datetime.fromtimestamp(played_at[ply - 1], UTC).strftime("%Y-%m-%d %H:%M")
        text = f"{turn.move}{auto}".replace(",", ", ") if turn.auto else turn.move
        rows.append((str(ply), players[by[ply - 1] - 1], at, exact(used), text))
    return draw(HISTORY, rows, marked=True) if rows else []


def used(facts: Mapping[str, Any]) -> list[str]:
    """A sentence a player: how long all turns took together, on average, and the longest."""
    said = []
    for number, name in enumerate(facts["players"], 1):
        own = [(used, ply) for ply, used in enumerate(_used(facts), 1) if facts["by_ply"][ply - 1] == number]
        if own:
            longest, ply = max(own, key=lambda one: one[0])
            total = sum(used for used, _ in own)
            turns = f"{len(own)} turns" if len(own) > 1 else "1 turn"
            average = f", {exact(total // len(own))} on average, the longest {exact(longest)} (ply {ply})"
            said.append(f"{name}: {exact(total)} for {turns}{average if len(own) > 1 else ''}.")
        else:
            said.append(f"{name}: no turn yet.")
    if facts["state"] == States.RUNNING:
        last = facts["times"][-1] if facts["times"] else facts["began"]
        mover = facts["players"][facts["to_move"] - 1]
        using = facts.get("using", facts["now"] - last)
        said.append(f"{mover} has had the turn for {exact(max(0, using))}.")
    return [line for text in said for line in wrap(text, 78, subsequent_indent="  ", break_on_hyphens=False)]


def _used(facts: Mapping[str, Any]) -> list[int]:
    """Seconds for each ply: as the clock has counted them, or, without a clock, from the ply before, the first from the
    beginning of the game."""
    if "used" in facts:
        return list(facts["used"])
    played_at = facts["times"]
    return [max(0, at - before) for at, before in zip(played_at, [facts["began"], *played_at], strict=False)]
