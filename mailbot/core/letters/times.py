"""Time in words: the terms that an offer states, and how much time the players of a board have."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from mailbot.core import zones
from mailbot.core.games import clocks
from mailbot.core.model import DAY
from mailbot.core.zones import UTC, Zone

WIDTH = 78
HOUR = 3600
_UNITS = ((DAY, "day"), (HOUR, "hour"), (60, "minute"))
_FAR = 300 * DAY
"""A moment so far away is written with its year."""


def duration(seconds: int) -> str:
    """How long, in the two largest units that say something: `9 days 4 hours`, `20 minutes`."""
    for at, (size, unit) in enumerate(_UNITS):
        if seconds >= size:
            smaller, name = _UNITS[min(at + 1, len(_UNITS) - 1)]
            rest = seconds % size // smaller
            return f"{_count(seconds // size, unit)}{f' {_count(rest, name)}' if rest else ''}"
    return "less than a minute"


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'s' if number != 1 else ''}"


def short(seconds: int) -> str:
    """The same in a narrow column: `9 d 4 h`, `3 h 20 m`, `20 min`."""
    if seconds >= DAY:
        return f"{seconds // DAY} d {seconds % DAY // HOUR} h"
    return f"{seconds // HOUR} h {seconds % HOUR // 60} m" if seconds >= HOUR else f"{seconds // 60} min"


def moment(at: int, now: int, zone: Zone = UTC) -> str:
    """A time of day as letters write it: `Tue 1 Dec, 14:00 UTC`, with the year if that is far away."""
    then = zone.local(at)
    year = then.strftime(" %Y") if abs(at - now) > _FAR else ""
    return f"{then:%a} {then.day} {then:%b}{year}, {then:%H:%M} {zone.label(at)}"


def terms(text: str) -> list[str]:
    """What an offer says of the time; nothing for a game without a clock."""
    clock, noweekends, vacation = clocks.terms(text)
    if clock is None:
        return []
    said = f"Time: {duration(clock.start)} for each move"
    if clock.increment:
        cap = f", but never more than {duration(clock.cap)}" if clock.cap else ""
        said = f"Time: {duration(clock.start)} at the start, {duration(clock.increment)} more for each turn{cap}"
    said += f" ({clocks.write(clock)}). Whoever runs out of time loses."
    if noweekends:
        said += " No time runs on Saturday and Sunday (UTC)."
    if not vacation:
        said += " A vacation stops no clock here."
    return wrap(said, WIDTH, break_on_hyphens=False)


def left(facts: Mapping[str, Any], viewer: int, players: Sequence[str]) -> list[str]:
    """How much time there is, from the facts `time`, `clock` and `to_move` of a board letter."""
    time, mover, zone = facts["time"], int(facts["to_move"]), zones.of(facts)
    clock = clocks.terms(facts["clock"]).clock

    def has(number: int) -> str:
        return (
            f"{'you have' if number == viewer else players[number - 1] + ' has'} {duration(time['left'][number - 1])}"
        )

    said = f"{has(mover)} (until {moment(time['until'], time['now'], zone)})"
    if clock and clock.increment:
        said += f"; {has(3 - mover)}"
    if mover == viewer:
        said = said[:1].upper() + said[1:]
    lines = wrap(f"{said}.", WIDTH, break_on_hyphens=False)
    for number, end in enumerate(time.get("away", ()), 1):
        if end:
            until = moment(end, time["now"], zone)
            text = f"{players[number - 1]} is on vacation until {until}. Until then that clock stands."
            if number == viewer:
                text = f"You are on vacation until {until}. Until then your clock stands."
            lines += wrap(text, WIDTH, break_on_hyphens=False)
    if "outage" in facts:
        begin, end = (moment(at, time["now"], zone) for at in facts["outage"])
        lines += wrap(f"All clocks stood from {begin} to {end}: the server could not be reached.", WIDTH)
    return lines


def away(facts: Mapping[str, Any]) -> list[str]:
    """Which opponents are or were on vacation, from the facts `away` (userid, end) and `now` of a digest."""
    now, zone = facts["now"], zones.of(facts)
    said = [
        f"{who} {'is' if now < end else 'was'} on vacation until {moment(end, now, zone)}."
        for who, end in facts["away"]
    ]
    return [line for one in said for line in wrap(one, WIDTH, break_on_hyphens=False)]


def flag(facts: Mapping[str, Any], viewer: int, players: Sequence[str]) -> list[str]:
    """That time has run out, and what each player has used."""
    by = int(facts["by"])
    said = "Your time has run out." if by == viewer else f"{players[by - 1]}'s time has run out."
    for number in (viewer, 3 - viewer) if viewer else (1, 2):
        seconds, turns = facts["spent"][number - 1]
        who = "You" if number == viewer else players[number - 1]
        played = _count(turns, "turn") if turns else "no turn"
        said += f" {who} used {duration(seconds)} and played {played}." if seconds or turns else f" {who} had no turn."
    return wrap(said, WIDTH, break_on_hyphens=False)
