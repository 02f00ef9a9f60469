"""Tournaments: who meets whom next, and who stands where. Each format is a row of two pure functions.

Whatever runs tournaments asks a row and never its name. Nothing here knows a board, a clock or a letter: a tournament
is its entrants, its results, its options and a seed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from engine.errors import clip
from mailbot.core.effects import Unreadable
from mailbot.core.tournaments import groups, knockout, ladder, roundrobin, swiss
from mailbot.core.tournaments.field import MOST, Decision, Field, Option, Row
from mailbot.core.tournaments.places import ROUND_ROBIN, Rule

_OPTION = re.compile(r"[a-z]{1,20}(=[0-9]{1,6})?", re.ASCII)


Report = Callable[[Field, str, Mapping[str, str]], str]
"""A field, the title, and what the players are called."""


def _none(options: Mapping[str, int]) -> Sequence[Rule]:
    return ()


def _of_round_robins(options: Mapping[str, int]) -> Sequence[Rule]:
    return ROUND_ROBIN[1:]


class Format(NamedTuple):
    """`pairings`: which games begin now. `table`: the places so far. Both raise Forbidden for results that are not of
    the tournament. `most`: entrants. `endless`: players challenge each other, and enter at any time. `report`: the
    tournament as other programs read it, where there is a layout for that. `rules`: what parts players with equal
    points, in order, with these options. `weekly`: its steps last so long that players get the table every week."""

    name: str
    summary: str
    options: Mapping[str, Option]
    pairings: Callable[[Field], Decision]
    table: Callable[[Field], list[Row]]
    most: int = MOST
    endless: bool = False
    report: Report | None = None
    rules: Callable[[Mapping[str, int]], Sequence[Rule]] = _none
    weekly: bool = False


FORMATS = (
    Format(
        "roundrobin",
        "everybody meets everybody",
        roundrobin.OPTIONS,
        roundrobin.pairings,
        roundrobin.table,
        32,
        rules=_of_round_robins,
        weekly=True,
    ),
    Format(
        "groups",
        "round-robins in groups, then a final",
        groups.OPTIONS,
        groups.pairings,
        groups.table,
        rules=_of_round_robins,
        weekly=True,
    ),
    Format(
        "swiss",
        "rounds among players with equal points",
        swiss.OPTIONS,
        swiss.pairings,
        swiss.table,
        report=swiss.report,
        rules=swiss.parting,
    ),
    Format("knockout", "who loses a match is out", knockout.OPTIONS, knockout.pairings, knockout.table),
    Format("ladder", "challenges without an end", ladder.OPTIONS, ladder.pairings, ladder.table, endless=True),
)


def find(name: str) -> Format:
    """The format of this name. Raises Unreadable."""
    found = next((row for row in FORMATS if row.name == name), None)
    if found is None:
        raise Unreadable(f"'{clip(name)}' is no format; there are {', '.join(row.name for row in FORMATS)}")
    return found


def parse(text: str) -> tuple[Format, dict[str, int]]:
    """A format with its options, written `swiss,rounds=5` or `roundrobin,double`. Raises Unreadable."""
    name, *said = text.strip().split(",")
    row = find(name)
    options: dict[str, int] = {}
    for part in said:
        option, sign, value = part.partition("=")
        if not _OPTION.fullmatch(part):
            raise Unreadable(f"'{clip(part)}' is no option; write for example swiss,rounds=5 or roundrobin,double")
        if option in options:
            raise Unreadable(f"{option} is said twice")
        options[option] = int(value) if sign else 1
    return row, options
