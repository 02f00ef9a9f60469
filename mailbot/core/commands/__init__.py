"""The command table: every command, one row each, gathered from the families."""

from mailbot.core.commands import (
    account,
    analyse,
    directing,
    hint,
    later,
    leaving,
    lists,
    offers,
    play,
    puzzle,
    rankings,
    reading,
    records,
    seeks,
    settings,
    talk,
    timekeeping,
    tournaments,
)
from mailbot.core.language.grammar import Row

FAMILIES = (
    *(
        play,
        later,
        offers,
        seeks,
        reading,
        lists,
        rankings,
        records,
        analyse,
        hint,
        puzzle,
        talk,
        timekeeping,
        tournaments,
        directing,
    ),
    settings,
    account,
    leaving,
)
ROWS: tuple[Row, ...] = tuple(row for family in FAMILIES for row in family.ROWS)
BY_NAME = {row.name: row for row in ROWS}
