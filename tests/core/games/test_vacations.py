"""How many days in a row: whatever the order, and however short the time between them."""

import pytest

from mailbot.core.commands.timekeeping import wanted
from mailbot.core.effects import Forbidden
from mailbot.core.games.vacations import AT_ONCE, require_room
from mailbot.core.model import DAY, Vacation
from mailbot.core.zones import UTC, Shift, Zone

BEGIN = 20_000 * DAY  # 2024-10-04

# (vacations that stand already, as first day and number of days; those wanted; days in a row, 0 if there is room)
ROWS: list[tuple[list[tuple[float, int]], tuple[float, int], int]] = [
    ([], (0, 21), 0),
    ([], (0, 22), 22),
    ([(0, 10)], (10, 11), 0),
    ([(0, 10)], (10, 12), 22),
    ([(0, 7), (7, 7), (14, 7)], (21, 1), 22),
    ([(0, 7), (14, 8)], (7, 7), 22),
    ([(0, 21)], (21 + 1 / 86_400, 1), 22),
    ([(0, 21)], (21.99, 1), 23),
    ([(0, 21)], (22, 1), 0),
    ([(22, 5)], (0, 21), 0),
    ([(21.5, 5)], (0, 21), 27),
]


@pytest.mark.parametrize(("taken", "wanted", "joined"), ROWS)
def test_days_in_a_row(taken: list[tuple[float, int]], wanted: tuple[float, int], joined: int) -> None:
    rows = [
        Vacation(number, 1, (begin := BEGIN + round(first * DAY)), begin + days * DAY, days)
        for number, (first, days) in enumerate(taken, 1)
    ]
    begin, days = BEGIN + round(wanted[0] * DAY), wanted[1]
    more = Vacation(99, 1, begin, begin + days * DAY, days)
    if not joined:
        require_room(rows, more, UTC)
        return
    with pytest.raises(Forbidden, match=f"{AT_ONCE} days at most, and yours would be {joined} in a row"):
        require_room(rows, more, UTC)


@pytest.mark.parametrize("offset", [3600, -3600])
def test_three_weeks_are_21_days_also_when_clocks_change(offset: int) -> None:
    zone = Zone("Test/Zone", (Shift(0, 0, "A"), Shift(BEGIN + 7 * DAY, offset, "B")))
    require_room([], Vacation(1, 1, BEGIN, BEGIN + 21 * DAY - offset, 21), zone)
    require_room([], Vacation(1, 1, BEGIN, BEGIN + 21 * DAY, 21), zone)  # `vacation ann 21`, from now on
    with pytest.raises(Forbidden, match="yours would be 22 in a row"):
        require_room([], Vacation(1, 1, BEGIN, BEGIN + 22 * DAY - offset, 22), zone)


def test_a_vacation_of_today_gives_no_time_back() -> None:
    now = BEGIN + DAY // 2
    assert wanted(["2024-10-04", "2024-10-04"], now, UTC) == (now, BEGIN + DAY, 1)
    assert wanted(["2024-10-05", "2024-10-06"], now, UTC) == (BEGIN + DAY, BEGIN + 3 * DAY, 2)
