"""Clocks: how much time a player has, when it runs, and when it ends. All times are unix seconds (int).

Theory of operation. A clock is text: `10d+2d/14d` gives each player 10 days, 2 more for each turn played, and never
more than 14; `21d` gives 21 days for every move; `none` sets no limit. Nobody holds more than 365 days. A game keeps
for each player the time left when the current turn began (`Times`). Everything else follows from that and from the
stretches in which the clock stops: vacations of the player to move, outages, and weekends if the game says so. Two
functions count: `used` says how many seconds ran between two moments, `ends` says at which moment a number of seconds
has run. So the moment when the mover's time ends (`flag_at`) is computed in one place, and again whenever a stretch is
added.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from mailbot.core.effects import Forbidden, Unreadable
from mailbot.core.model import DAY

HOUR = 3600
SHORTEST, LONGEST = HOUR, 365 * DAY
"""The least and the most of every time in a clock."""

PRESETS = {"fast": "3d+12h/5d", "normal": "10d+2d/14d", "slow": "21d", "none": "none"}
"""Clocks that a challenge may name."""

SHORTEST_OUTAGE = HOUR
"""An outage shorter than this stops no clock."""

_TIME = r"([0-9]{1,6})([dh])"
_CLOCK = re.compile(rf"{_TIME}(?:\+{_TIME}(?:/{_TIME})?)?")
_LIKE = "write a clock like 10d+2d/14d (time at the start, more for each turn, the most) or 21d (for every move)"


class Stretch(NamedTuple):
    """From `begin` up to but not including `end`."""

    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Clock:
    """`start`: seconds at the start, or for every move if `increment` is 0. `cap`: the most a player holds, 0 if the
    clock does not say."""

    start: int
    increment: int = 0
    cap: int = 0

    @property
    def most(self) -> int:
        """The most a player holds. Without a bound, grants could make a game last for ever."""
        return self.cap or LONGEST


@dataclass(frozen=True, slots=True)
class Times:
    """`left`: seconds of player 1 and 2 when the current turn began, at `began`."""

    left: tuple[int, int]
    began: int


def parse(text: str) -> Clock | None:
    """The clock with this text, or with the name of a preset; None for `none`.

    Raises Unreadable if it is not a clock, Forbidden if the clock makes no sense.
    """
    said = text.strip().lower()
    said = PRESETS.get(said, said)
    if said == "none":
        return None
    found = _CLOCK.fullmatch(said)
    if found is None:
        names = ", ".join(PRESETS)
        raise Unreadable(f"'{text[:20]}' is no clock: {_LIKE}, or one of {names}")
    start, increment, cap = (
        int(found[group]) * (DAY if found[group + 1] == "d" else HOUR) if found[group] else None for group in (1, 3, 5)
    )
    for seconds in (start, increment, cap):
        if seconds is not None and not SHORTEST <= seconds <= LONGEST:
            raise Forbidden(f"The clock {said} is out of range: each of its times is 1h to 365d")
    assert start is not None
    if cap is not None and cap < start:
        raise Forbidden(f"The clock {said} begins with more than its most: {_LIKE}")
    return Clock(start, increment or 0, cap or 0)


def write(clock: Clock | None) -> str:
    """The canonical text; `parse` reads it back."""
    if clock is None:
        return "none"
    more = f"+{span(clock.increment)}" if clock.increment else ""
    return f"{span(clock.start)}{more}{f'/{span(clock.cap)}' if clock.cap else ''}"


def span(seconds: int) -> str:
    """Whole hours as `12h`, whole days as `2d`."""
    return f"{seconds // DAY}d" if seconds % DAY == 0 else f"{seconds // HOUR}h"


class Terms(NamedTuple):
    """The terms of time of a game. `noweekends`: nobody's time runs on Saturday and Sunday, UTC. `vacation`: whether a
    player's time stands on vacation."""

    clock: Clock | None
    noweekends: bool = False
    vacation: bool = True


_NOWEEKENDS = "-noweekends"
NO_VACATION = "-vacation=no"
"""What stands behind the other terms of a game whose clock a vacation does not stop; only a tournament has such."""


@lru_cache(maxsize=256)
def terms(text: str) -> Terms:
    """The terms with this text, which `chosen` has written, `10d+2d/14d -noweekends`, with or without NO_VACATION."""
    clock, *more = text.split()
    return Terms(parse(clock), _NOWEEKENDS in more, NO_VACATION not in more)


def chosen(options: Sequence[str], default: str) -> tuple[list[str], str]:
    """The options that say nothing of time, and the text of the terms that the others choose; `default` says what
    holds otherwise. Raises Unreadable, Forbidden."""
    rest, clocks, weekends = [], [], False
    for option in options:
        name, equals, value = option.lower().partition("=")
        if name == "-clock":
            clocks.append(write(parse(value)) if value else _bare())
        elif name.replace("_", "-") in (_NOWEEKENDS, "-no-weekends"):
            if equals:
                raise Unreadable("-noweekends takes no value: write just -noweekends")
            weekends = True
        else:
            rest.append(option)
    if len(set(clocks)) > 1:
        raise Forbidden(f"-clock={clocks[0]} and -clock={clocks[1]} contradict each other: choose one of them")
    clock, _, more = default.partition(" ")
    clock = clocks[0] if clocks else clock
    if clock == "none":
        if weekends:
            raise Forbidden("-noweekends needs a clock, for example: -clock=normal -noweekends")
        return rest, clock
    return rest, f"{clock} {_NOWEEKENDS}" if weekends or more else clock


def _bare() -> str:
    raise Unreadable(f"-clock needs a value, such as -clock=normal: {_LIKE}, or one of {', '.join(PRESETS)}")


# -- when time stands -----------------------------------------------------------------------------------------------

_THURSDAY_TO_SATURDAY = 2 * DAY
"""1 January 1970 was a Thursday."""


def weekend(moment: int) -> Stretch:
    """The weekend (Saturday and Sunday, UTC) that contains this moment, or else the next one."""
    week = 7 * DAY
    begin = moment - (moment - _THURSDAY_TO_SATURDAY) % week
    return (
        Stretch(begin, begin + 2 * DAY) if moment < begin + 2 * DAY else Stretch(begin + week, begin + week + 2 * DAY)
    )


def standing(*stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """All these stretches in order, those that touch or overlap joined."""
    joined: list[Stretch] = []
    for one in sorted(stretch for some in stretches for stretch in some if stretch.begin < stretch.end):
        if joined and one.begin <= joined[-1].end:
            joined[-1] = Stretch(joined[-1].begin, max(joined[-1].end, one.end))
        else:
            joined.append(one)
    return tuple(joined)


def outages(rows: Iterable[Stretch]) -> list[Stretch]:
    """Those that are long enough to stop the clocks."""
    return [row for row in rows if row.end - row.begin >= SHORTEST_OUTAGE]


def _pieces(since: int, stands: Sequence[Stretch], noweekends: bool) -> Iterable[tuple[int, int | None]]:
    """The pieces of time from `since` on in which a clock runs, in order; the last one may have no end (None)."""
    at, rest = since, [one for one in stands if one.end > since]
    while True:
        ahead = [*rest[:1], *([weekend(at)] if noweekends else [])]
        if not ahead:
            yield at, None
            return
        nearest = min(ahead)
        if at < nearest.begin:
            yield at, nearest.begin
        at = max(at, nearest.end)
        rest = [one for one in rest if one.end > at]


def used(since: int, until: int, stands: Sequence[Stretch], noweekends: bool = False) -> int:
    """Seconds that run between two moments. `stands`: as `standing` gives them."""
    if not (stands or noweekends):
        return max(0, until - since)
    total = 0
    for begin, end in _pieces(since, stands, noweekends):
        if begin >= until:
            break
        total += (until if end is None else min(end, until)) - begin
        if end is None or end >= until:
            break
    return total


def ends(since: int, seconds: int, stands: Sequence[Stretch], noweekends: bool = False) -> int:
    """The first moment at which so many seconds have run since `since`."""
    if not (stands or noweekends):
        return since + max(0, seconds)
    at = since
    for begin, end in _pieces(since, stands, noweekends):
        if seconds <= 0:
            break
        at = begin + seconds if end is None else min(end, begin + seconds)
        seconds -= at - begin
    return at


# -- a turn ---------------------------------------------------------------------------------------------------------


def begun(clock: Clock, now: int) -> Times:
    """Both players have the whole time, and the first turn begins."""
    return Times((clock.start, clock.start), now)


def left(times: Times, mover: int, now: int, stands: Sequence[Stretch], noweekends: bool = False) -> tuple[int, int]:
    """The seconds that both players have at `now`; `mover` is 1 or 2, and never has less than 0."""
    spent = used(times.began, now, stands, noweekends)
    one, two = times.left
    return (max(0, one - spent), two) if mover == 1 else (one, max(0, two - spent))


def flag_at(times: Times, mover: int, stands: Sequence[Stretch], noweekends: bool = False) -> int:
    """The moment at which the mover's time ends, if nothing but the known stretches happens."""
    return ends(times.began, times.left[mover - 1], stands, noweekends)


def moved(
    clock: Clock,
    times: Times,
    mover: int,
    now: int,
    stands: Sequence[Stretch],
    noweekends: bool = False,
    *,
    queued: bool = False,
    came: int | None = None,
) -> Times:
    """The mover has played a turn at `now`, and the other player's turn begins. Queued turns use no time, and a move
    that came earlier (`came`) uses none after that."""
    at = times.began if queued else now if came is None else came
    have = left(times, mover, at, stands, noweekends)
    mine = clock.start
    if clock.increment:
        mine = min(clock.most, have[mover - 1] + clock.increment)
    return Times((mine, have[1]) if mover == 1 else (have[0], mine), now)


def granted(
    clock: Clock,
    times: Times,
    seat: int,
    seconds: int,
    mover: int,
    now: int,
    stands: Sequence[Stretch],
    noweekends: bool = False,
) -> Times:
    """The player on `seat` has so many seconds more, as far as the clock allows."""
    have = left(times, mover, now, stands, noweekends)[seat - 1]
    more = max(0, min(seconds, clock.most - have))
    one, two = times.left
    return replace(times, left=(one + more, two) if seat == 1 else (one, two + more))


# -- a whole game ---------------------------------------------------------------------------------------------------


def time(text: str) -> int:
    """The seconds of `3d` or `12h`, perhaps behind a `+`. Raises Unreadable; Forbidden if it is out of range."""
    found = re.fullmatch(rf"([+-]?){_TIME}", text.lower())
    if found is None:
        raise Unreadable("Say how much time, in days or hours: 3d or 12h")
    seconds = int(found[2]) * (DAY if found[3] == "d" else HOUR)
    if found[1] == "-" or not SHORTEST <= seconds <= LONGEST:
        raise Forbidden("A time is 1h to 365d")
    return seconds


REMINDERS = "2d,8h"
"""When a player is reminded who has said nothing of it."""

MAX_REMINDERS = 5


@lru_cache(maxsize=256)
def reminders(text: str) -> tuple[int, ...]:
    """The times left, in seconds, the longest first, of a text such as `2d,8h`; none for `off`. Raises Unreadable."""
    if text == "off":
        return ()
    words = text.split(",")
    found = [re.fullmatch(_TIME, word) for word in words]
    if not 1 <= len(words) <= MAX_REMINDERS or None in found:
        raise Unreadable(f"Write off, or up to {MAX_REMINDERS} times left with commas between, such as 2d,8h")
    seconds = {int(one[1]) * (DAY if one[2] == "d" else HOUR) for one in found if one}
    if not all(SHORTEST <= one <= LONGEST for one in seconds):
        raise Unreadable("Each time of a reminder is 1h to 365d")
    return tuple(sorted(seconds, reverse=True))


def remind_at(
    times: Times,
    mover: int,
    values: Sequence[int],
    after: int,
    stands: Sequence[Stretch],
    noweekends: bool = False,
) -> int | None:
    """The first moment later than `after` at which the mover's time left falls to one of these values; or None."""
    have = times.left[mover - 1]
    moments = (ends(times.began, have - value, stands, noweekends) for value in values if value < have)
    return min((at for at in moments if at > after), default=None)


class Event(NamedTuple):
    """At `at` the mover plays (`kind` "move", perhaps from the queue), or `seat` is given `seconds` ("grant")."""

    at: int
    kind: str = "move"
    queued: bool = False
    seat: int = 0
    seconds: int = 0


class Told(NamedTuple):
    """What the clock of a game shows. `flag`: whose time has ended, and when. `left`: seconds of seat 1 and 2, then or
    at the end of the story. `flag_at`: when the mover's time would end."""

    flag: tuple[int, int] | None
    left: tuple[int, int]
    flag_at: int | None


def follow(
    clock: Clock,
    start: int,
    events: Iterable[Event],
    vacations: Sequence[Sequence[Stretch]],
    breaks: Iterable[Stretch],
    until: int,
    noweekends: bool = False,
) -> Told:
    """The story of a game up to and including `until`. Seat 1 moves first, from `start` on, then they take turns.

    `vacations`: those of seat 1 and of seat 2. `events`: in the order of their times; an event after the mover's time
    has ended is too late.
    """
    stop = outages(breaks)
    stands = {seat: standing(vacations[seat - 1], stop) for seat in (1, 2)}
    times, mover = begun(clock, start), 1
    for event in events:
        if event.at > until or event.at >= flag_at(times, mover, stands[mover], noweekends):
            break
        if event.kind == "grant":
            more = (event.seat, event.seconds, mover, event.at)
            times = granted(clock, times, *more, stands[mover], noweekends)
        else:
            times = moved(clock, times, mover, event.at, stands[mover], noweekends, queued=event.queued)
            mover = 3 - mover
    falls = flag_at(times, mover, stands[mover], noweekends)
    fallen = falls <= until
    have = left(times, mover, min(falls, until), stands[mover], noweekends)
    return Told((mover, falls) if fallen else None, have, None if fallen else falls)
