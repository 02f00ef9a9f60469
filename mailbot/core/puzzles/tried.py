"""What is kept of a player's tries, and what may be asked of it."""

from typing import NamedTuple, Protocol


class Tried(NamedTuple):
    """A player's tries at the puzzle of a day since 1970. `solved`: when, 0 if it is not solved."""

    player: int
    day: int
    tries: int
    solved: int


class Tries(Protocol):
    """The reads about puzzles, inside the same transaction."""

    def tries_of(self, player: int) -> list[Tried]:
        """The player's tries at the puzzles of the last days, earliest day first."""
        ...

    def solvers(self, day: int) -> int:
        """How many players have solved the puzzle of this day."""
        ...
