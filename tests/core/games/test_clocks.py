"""Clocks: their text, when they stop, and whole games compared with a bookkeeper who counts every second."""

import random
from collections.abc import Sequence

import pytest

from engine.errors import EngineError, Forbidden, Unreadable
from mailbot.core.games import clocks
from mailbot.core.games.clocks import DAY, HOUR, Clock, Event, Stretch, Times

TEXTS = [
    ("10d+2d/14d", Clock(10 * DAY, 2 * DAY, 14 * DAY), "10d+2d/14d"),
    ("normal", Clock(10 * DAY, 2 * DAY, 14 * DAY), "10d+2d/14d"),
    (" FAST ", Clock(3 * DAY, 12 * HOUR, 5 * DAY), "3d+12h/5d"),
    ("slow", Clock(21 * DAY), "21d"),
    ("48h+24h", Clock(2 * DAY, DAY), "2d+1d"),
    ("1h", Clock(HOUR), "1h"),
    ("365d", Clock(365 * DAY), "365d"),
    ("25h", Clock(25 * HOUR), "25h"),
    ("none", None, "none"),
]


@pytest.mark.parametrize(("text", "clock", "canonical"), TEXTS)
def test_text(text: str, clock: Clock | None, canonical: str) -> None:
    assert clocks.parse(text) == clock
    assert clocks.write(clock) == canonical
    assert clocks.parse(canonical) == clock


REFUSED: list[tuple[str, type[EngineError]]] = [
    ("", Unreadable),
    ("+1d", Unreadable),
    ("10", Unreadable),
    ("10m", Unreadable),
    ("10d/14d", Unreadable),
    ("-3d", Unreadable),
    ("1d+", Unreadable),
    ("10d+2d/14d/20d", Unreadable),
    ("٣d", Unreadable),
    ("0d", Forbidden),
    ("10d+0d", Forbidden),
    ("366d", Forbidden),
    ("10d+2d/9d", Forbidden),
    ("999999d", Forbidden),
]


@pytest.mark.parametrize(("text", "error"), REFUSED)
def test_what_is_no_clock(text: str, error: type[EngineError]) -> None:
    with pytest.raises(error) as caught:
        clocks.parse(text)
    assert "clock" in str(caught.value) and "\n" not in str(caught.value)


MONDAY = 1_767_571_200
"""2026-01-05 00:00 UTC."""
SATURDAY = MONDAY + 5 * DAY


@pytest.mark.parametrize(
    ("moment", "begin"),
    [
        (MONDAY, SATURDAY),
        (SATURDAY - 1, SATURDAY),
        (SATURDAY, SATURDAY),
        (SATURDAY + 2 * DAY - 1, SATURDAY),
        (SATURDAY + 2 * DAY, SATURDAY + 7 * DAY),
    ],
)
def test_the_weekend(moment: int, begin: int) -> None:
    assert clocks.weekend(moment) == (begin, begin + 2 * DAY)


def test_stretches_that_touch_are_joined() -> None:
    rows = [Stretch(5, 9), Stretch(1, 3), Stretch(3, 4), Stretch(7, 8), Stretch(20, 20)]
    assert clocks.standing(rows, [Stretch(30, 31)]) == ((1, 4), (5, 9), (30, 31))


def test_a_turn() -> None:
    fischer = Clock(10 * DAY, 2 * DAY, 14 * DAY)
    times = clocks.begun(fischer, 0)
    assert clocks.moved(fischer, times, 1, 3 * DAY, ()) == Times((9 * DAY, 10 * DAY), 3 * DAY)
    assert clocks.moved(fischer, times, 1, HOUR, (), queued=True) == Times((12 * DAY, 10 * DAY), HOUR)
    full = Times((13 * DAY, 10 * DAY), 0)
    assert clocks.moved(fischer, full, 1, HOUR, ()).left[0] == 14 * DAY, "never more than the cap"
    every = Clock(21 * DAY)
    assert clocks.moved(every, Times((DAY, DAY), 0), 2, HOUR, ()) == Times((DAY, 21 * DAY), HOUR)


@pytest.mark.parametrize("text", ["slow", "10d+365d", "365d+1h", "10d+2d/14d"])
def test_nobody_ever_holds_more_than_the_most(text: str) -> None:
    clock = clocks.parse(text)
    assert clock is not None
    most = clock.cap or 365 * DAY
    times = clocks.begun(clock, 0)
    for _ in range(400):
        times = clocks.granted(clock, times, 1, 300 * DAY, 1, 0, ())
        assert times.left[0] <= most
    assert times.left[0] == most
    for turn in range(4):
        times = clocks.moved(clock, times, 1 + turn % 2, 0, ())
    assert max(times.left) <= most


def test_a_move_at_the_very_second_is_too_late() -> None:
    clock = Clock(DAY)
    late = clocks.follow(clock, 0, [Event(DAY)], ((), ()), (), 2 * DAY)
    assert late.flag == (1, DAY) and late.left == (0, DAY) and late.flag_at is None
    early = clocks.follow(clock, 0, [Event(DAY - 1)], ((), ()), (), DAY)
    assert early.flag is None and early.flag_at == 2 * DAY - 1


def test_time_stands_in_vacations_outages_and_weekends() -> None:
    clock = Clock(DAY)
    away = clocks.follow(clock, MONDAY, [], ([Stretch(MONDAY + HOUR, MONDAY + 3 * DAY)], ()), (), MONDAY + DAY)
    assert away.left == (DAY - HOUR, DAY) and away.flag_at == MONDAY + 4 * DAY - HOUR
    theirs = clocks.follow(clock, MONDAY, [], ((), [Stretch(MONDAY, MONDAY + 3 * DAY)]), (), MONDAY + HOUR)
    assert theirs.flag_at == MONDAY + DAY, "the vacation of the other player stops nothing"
    short = clocks.follow(clock, MONDAY, [], ((), ()), [Stretch(MONDAY, MONDAY + HOUR - 1)], MONDAY)
    assert short.flag_at == MONDAY + DAY, "shorter than an hour"
    weekend = clocks.follow(clock, SATURDAY - HOUR, [], ((), ()), (), SATURDAY, noweekends=True)
    assert weekend.flag_at == SATURDAY + 2 * DAY + DAY - HOUR


# -- beside a bookkeeper who knows nothing but one half hour after another ------------------------------------------


class Bookkeeper:
    """Counts in steps of `STEP` seconds, to which all times of a story are rounded."""

    STEP = 1800

    def __init__(self, clock: Clock, start: int, vacations: Sequence[Sequence[Stretch]], breaks: list[Stretch]) -> None:
        self.clock, self.now, self.vacations = clock, start, vacations
        self.breaks = [one for one in breaks if one.end - one.begin >= 3600]
        self.left, self.mover, self.flag = [clock.start, clock.start], 1, None

    def stands(self, noweekends: bool) -> bool:
        away = any(one.begin <= self.now < one.end for one in self.vacations[self.mover - 1])
        down = any(one.begin <= self.now < one.end for one in self.breaks)
        return away or down or (noweekends and (self.now // DAY + 3) % 7 >= 5)

    def pass_to(self, moment: int, noweekends: bool) -> None:
        while self.now < moment and self.flag is None:
            if not self.stands(noweekends):
                self.left[self.mover - 1] -= self.STEP
            self.now += self.STEP
            if self.left[self.mover - 1] <= 0:
                self.flag = (self.mover, self.now)

    def event(self, event: Event) -> None:
        if event.kind == "grant":
            self.left[event.seat - 1] += event.seconds
            if self.clock.cap:
                self.left[event.seat - 1] = min(self.clock.cap, self.left[event.seat - 1])
            return
        if self.clock.increment:
            self.left[self.mover - 1] += self.clock.increment
            if self.clock.cap:
                self.left[self.mover - 1] = min(self.clock.cap, self.left[self.mover - 1])
        else:
            self.left[self.mover - 1] = self.clock.start
        self.mover = 3 - self.mover


def story(seed: int) -> tuple[Clock, int, list[Event], list[list[Stretch]], list[Stretch], int, bool]:
    chance = random.Random(seed)
    clock = clocks.parse(chance.choice(["1d", "2d+12h/3d", "3d+1d", "6h", "fast"]))
    assert clock
    start = MONDAY + chance.randrange(0, 14 * 48) * 1800

    def stretch() -> Stretch:
        begin = start + chance.randrange(-48, 48 * 12) * 1800
        return Stretch(begin, begin + chance.randrange(0, 48 * 3) * 1800)

    vacations = [[stretch() for _ in range(chance.randrange(3))] for _ in (1, 2)]
    events, at = [], start
    for _ in range(chance.randrange(12)):
        if chance.random() < 0.2:
            # A queued turn follows at once on the turn before it.
            events.append(Event(at, queued=not events or events[-1].kind == "move"))
            continue
        at += chance.randrange(0, 60) * 1800
        if chance.random() < 0.15:
            events.append(Event(at, "grant", seat=chance.choice((1, 2)), seconds=chance.randrange(1, 48) * 1800))
        else:
            events.append(Event(at))
    until = at + chance.randrange(0, 200) * 1800
    return clock, start, events, vacations, [stretch() for _ in range(2)], until, chance.random() < 0.3


@pytest.mark.parametrize("seed", range(300))
def test_a_bookkeeper_agrees(seed: int) -> None:
    clock, start, events, vacations, breaks, until, noweekends = story(seed)
    keeper = Bookkeeper(clock, start, vacations, breaks)
    for event in events:
        keeper.pass_to(event.at, noweekends)
        if keeper.flag is None:
            keeper.event(event)
    keeper.pass_to(until, noweekends)
    told = clocks.follow(clock, start, events, vacations, breaks, until, noweekends)
    assert told.flag == keeper.flag
    assert list(told.left) == keeper.left
    if told.flag_at is not None:
        later = clocks.follow(clock, start, events, vacations, breaks, told.flag_at, noweekends)
        assert later.flag and later.flag[1] == told.flag_at
