"""The daemon's own clock: it runs as steadily as the monotonic one, whatever happens to the machine's clock.

Theory of operation. A machine's clock can be set back or forward, by an hour or by a year. If everything read it
directly, flags would fall that should not. So the daemon reads a wall time that goes on steadily from where it began.
The ticker asks every minute whether the machine's clock has jumped, keeps that in the database, and adopts it.
"""

import time
from collections.abc import Callable


class Timepiece:
    """Calling it gives unix seconds. `wall` and `steady`: the machine's two clocks, in seconds."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._offset = wall() - steady()

    def __call__(self) -> int:
        return int(self._steady() + self._offset)

    def adopt(self) -> tuple[int, int]:
        """Goes on from what the machine's clock says now: what this one said before, and what it says now."""
        before = self()
        self._offset = self._wall() - self._steady()
        return before, self()
