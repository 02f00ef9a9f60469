"""The puzzle of the day: a position in which one turn, or one of a few, forces a win in two turns.

The puzzles are a table (`table`, made by bench/puzzles.py). The day picks one; after the last one they begin
again. Nothing is thought about here: a turn is right if it lays the tiles of a solution, in whatever order.
"""

from functools import cache
from typing import Final, NamedTuple

from mailbot.core.puzzles.table import ROWS

KEPT_DAYS: Final = 30
"""Days for which a puzzle can be seen again, and for which we remember who has solved it."""
FIRST_DAY: Final = 20454
"""The day of puzzle 1 since 1970: 2026-01-01. So a number says when its puzzle was asked, in a year and in ten."""
EASY, MIDDLING = 100, 600
"""Turns to choose from for each that wins, at most, in a puzzle that is easy and in one that is middling."""


class Puzzle(NamedTuple):
    """Rules and moves of the position; the turns that solve it; the answer to the first of them that leaves the fewest
    wins, and a turn that wins then. `turns`: how many turns there are to choose from."""

    rules: str
    moves: tuple[str, ...]
    solutions: tuple[str, ...]
    answer: str
    win: str
    turns: int

    @property
    def difficulty(self) -> str:
        """In a word, by the number of turns for each that wins."""
        share = self.turns / len(self.solutions)
        return "easy" if share <= EASY else "middling" if share <= MIDDLING else "hard"

    @property
    def line(self) -> tuple[str, str, str]:
        """The first solution, the answer and the winning turn."""
        return self.solutions[0], self.answer, self.win

    def solved_by(self, move: str) -> bool:
        """Whether this turn, in canonical text, lays the tiles of a solution."""
        return any(set(move.split(",")) == set(solution.split(",")) for solution in self.solutions)


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """All puzzles, in their order."""
    parted = (line.split("; ") for line in ROWS.strip().split("\n"))
    return tuple(
        Puzzle(rules, tuple(moves.split()), tuple(solutions.split()), answer, win, int(turns))
        for rules, moves, solutions, answer, win, turns in parted
    )


def of_day(day: int) -> Puzzle:
    """The puzzle of a day since 1970."""
    known = puzzles()
    return known[(day - FIRST_DAY) % len(known)]


def number(day: int) -> int:
    """How players call the puzzle of a day."""
    return day - FIRST_DAY + 1


def day_of(number: int) -> int:
    """The day of the puzzle with this number."""
    return number + FIRST_DAY - 1
