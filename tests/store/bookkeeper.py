"""A second, naive bookkeeper of time, written from the rules alone; it shares no code with mailbot.core.games.

It cuts time at every edge of a weekend, a vacation or an outage, and counts the pieces in which a clock runs.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

DAY = 86_400


@dataclass
class Person:
    """`away`: stretches of vacation. `in_a_row`: days that were taken without a command."""

    automatic: bool = True
    zone: str = "UTC"
    away: list[tuple[int, int]] = field(default_factory=list)
    in_a_row: int = 0

    def left(self, year: int) -> int:
        taken = 0
        for begin, end in self.away:
            for at in range(begin, begin + round((end - begin) / DAY) * DAY, DAY):
                taken += datetime.fromtimestamp(at, UTC).year == year
        return 30 - taken

    def dates(self, at: int, days: int) -> tuple[tuple[str, str], int, int]:
        """So many days of the calendar: the first and the last one, and the moments of the midnights round them."""
        zone = ZoneInfo(self.zone)
        first = datetime.fromtimestamp(at, zone).date()
        last, behind = first + timedelta(days=days - 1), first + timedelta(days=days)
        begin, end = (int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()) for day in (first, behind))
        return (first.isoformat(), last.isoformat()), begin, end


@dataclass
class Board:
    """`clock`: start, increment, cap (0: none). `flag`: who ran out of time, and when."""

    people: tuple[int, int]
    clock: tuple[int, int, int]
    weekends: bool
    began: int
    left: list[int]
    mover: int = 0
    turns: int = 0
    flag: tuple[int, int] | None = None
    ended: bool = False


class Bookkeeper:
    def __init__(self) -> None:
        self.people: dict[int, Person] = {}
        self.boards: dict[int, Board] = {}
        self.outages: list[tuple[int, int]] = []

    def stands(self, board: Board, at: int) -> bool:
        """Whether the mover's clock stands in the second that begins at `at`."""
        if board.weekends and datetime.fromtimestamp(at, UTC).weekday() >= 5:
            return True
        person = self.people[board.people[board.mover]]
        return any(begin <= at < end for begin, end in [*self.outages, *person.away])

    def edges(self, board: Board, begin: int, end: int) -> list[int]:
        person = self.people[board.people[board.mover]]
        cuts = {edge for stretch in [*self.outages, *person.away] for edge in stretch}
        cuts |= set(range(begin - begin % DAY, end + DAY, DAY))
        return [begin, *sorted(cut for cut in cuts if begin < cut < end), end]

    def used(self, board: Board, now: int) -> int:
        cuts = self.edges(board, board.began, now)
        return sum(b - a for a, b in pairwise(cuts) if not self.stands(board, a))

    def falls(self, board: Board, before: int) -> int | None:
        """When the mover's time ends, if that is not later than `before`."""
        rest = board.left[board.mover]
        cuts = self.edges(board, board.began, before)
        for a, b in pairwise(cuts):
            if not self.stands(board, a):
                if rest <= b - a:
                    return a + rest
                rest -= b - a
        return None

    def until(self, now: int) -> None:
        """Lets every flag fall that falls up to now, the first one first; or takes a day for it."""
        while True:
            due = [
                (at, number)
                for number, board in self.boards.items()
                if not board.ended and (at := self.falls(board, now)) is not None
            ]
            if not due:
                return
            at, number = min(due)
            board = self.boards[number]
            person = self.people[board.people[board.mover]]
            year = datetime.fromtimestamp(at - 1, UTC).year
            counts = board.turns >= 2  # else the game is annulled, and no day is taken for it
            if counts and person.automatic and person.in_a_row < 5 and person.left(year) > 0:
                person.in_a_row += 1
                person.away.append((at - 1, at - 1 + DAY))
            else:
                board.flag, board.ended = (board.mover, at), True
                board.left[board.mover] = 0

    def moves(self, number: int, now: int) -> None:
        board = self.boards[number]
        start, increment, cap = board.clock
        left = board.left[board.mover] - self.used(board, now)
        if increment:
            left += increment
            board.left[board.mover] = min(left, cap) if cap else left
        else:
            board.left[board.mover] = start
        board.mover, board.began, board.turns = 1 - board.mover, now, board.turns + 1
