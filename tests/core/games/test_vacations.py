"""How many days in a row: whatever the order, and however short the time between them."""

import pytest

from mailbot.core.effects import Forbidden
from mailbot.core.games.vacations import AT_ONCE, require_room
from mailbot.core.model import DAY, Vacation

BEGIN = 20_000 * DAY  # 2024-10-04

# (vacations that stand already, as first day and number of days; those wanted; days in a row, 0 if there is room)
ROWS: list[tuple[list[tuple[float, int]], tuple[float, int], int]] = [
    ([], (0, 21), 0),
    ([], (0, 22), 22),
    ([(0, 10)], (10, 11), 0),
    ([(0, 10)], (10, 12), 22),
    ([(0, 7), (7, 7), (14, 7)], (21, 1), 22),
    ([(0, 7), (14, 8)], (7, 7), 22),
    ([(0, 21)], (21 + 1 / 86_400, 1), 23),
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
    if not joined:
        require_room(rows, begin, days)
        return
    with pytest.raises(Forbidden, match=f"{AT_ONCE} days at most, and yours would be {joined} in a row"):
        require_room(rows, begin, days)
