"""A tournament to keep: its table and, where the format has one, its report, as files by name."""

from collections.abc import Mapping

from mailbot.core.hosting import letters
from mailbot.core.hosting.standing import Standing, seated, userid
from mailbot.core.letters import tables
from mailbot.core.world import World


def files(state: Standing, world: World) -> dict[str, str]:
    """The files of a tournament that has begun, besides those of its games."""
    found = {"table.txt": _text(state, world), "table.csv": _csv(state, world)}
    if state.format.report and state.field:
        called = {seated(seat): userid(entry.player, world) for seat, entry in state.by_seat.items()}
        found[f"tournament-{state.tournament.id}.trf"] = state.format.report(
            state.field, state.tournament.title, called
        )
    return found


def _text(state: Standing, world: World) -> str:
    one, shown = state.tournament, letters.places(state, world)
    columns, cells = tables.TABLES[shown["table"]]
    head = [one.title, letters.format_said(one), letters.terms(one), f"{one.stage}, round {state.round}"]
    drawn = tables.draw(columns, [cells(row) for row in shown["rows"]])
    return "\n".join([*head, "", *drawn, "", *shown["explained"]]).rstrip("\n") + "\n"


def _csv(state: Standing, world: World) -> str:
    """A line for each player. No cell holds a comma: each is a number, a name or a word of ours."""
    rules = list(dict.fromkeys(rule for row, _ in state.table for rule in row.tiebreaks))
    lines = [["place", "player", "points", *rules, "parted_by", "withdrawn"]]
    for row, entry in state.table:
        values = [_number(row.tiebreaks, rule) for rule in rules]
        gone = "yes" if entry.stopped is not None else "no"
        lines.append(
            [str(row.place), userid(entry.player, world), f"{row.points:g}", *values, row.parted_by or "", gone]
        )
    return "".join(f"{','.join(line)}\n" for line in lines)


def _number(values: Mapping[str, float | None], rule: str) -> str:
    value = values.get(rule)
    return "" if value is None else f"{value:g}"
