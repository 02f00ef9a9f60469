"""The daemon's own clock: it runs as steadily as the monotonic one, whatever happens to the machine's clock.

Theory of operation. A machine's clock can be set back or forward, by an hour or by a year. If everything read it
directly, flags would fall that should not. So the daemon reads a wall time that goes on steadily from where it began.
The ticker asks every minute whether the machine's clock has jumped, keeps that in the database, and adopts it.

A machine without a battery starts with a time of the past, and learns the right one soon after. So a machine that says
at the start that it is earlier than when the server was there the last time is not believed for DOUBT seconds.
"""

import time
from collections.abc import Callable
from pathlib import Path

from mailbot.store.pulse import JUMP

DOUBT = 600
"""Seconds for which a machine is not believed that says an earlier time than was known before. If it is right, because
the clock was ahead, the server lives in the future for so long."""
SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
"""Is there when systemd-timesyncd has set the machine's clock since its start."""


class Timepiece:
    """Calling it gives unix seconds. `wall` and `steady`: the machine's two clocks, in seconds."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._offset = wall() - steady()
        self._doubts_until = steady()

    def begins(self, known: int) -> None:
        """It was `known` before, in unix seconds. If the machine says an earlier time, this clock goes on from `known`
        until the machine says a later time than this one does, for DOUBT seconds at most. A machine that has asked a
        server for the time is believed."""
        if SYNCHRONIZED.exists():
            return
        behind = known - self()
        if behind >= JUMP:
            self._offset += behind
            self._doubts_until = self._steady() + DOUBT

    @property
    def doubts(self) -> bool:
        """Whether the machine says an earlier time and is not believed yet."""
        return self._steady() < self._doubts_until and self._wall() < self()

    def __call__(self) -> int:
        return int(self._steady() + self._offset)

    def adopt(self) -> tuple[int, int]:
        """Goes on from what the machine's clock says now: what this one said before, and what it says now."""
        before = self()
        if self.doubts:
            return before, before
        self._doubts_until = self._steady()
        self._offset = self._wall() - self._steady()
        return before, self()


def goes_on(now: Callable[[], int], known: int) -> None:
    """If it is a Timepiece, it was `known` before."""
    if isinstance(now, Timepiece):
        now.begins(known)


def doubts(now: Callable[[], int]) -> bool:
    """Whether it is a Timepiece that does not believe its machine."""
    return isinstance(now, Timepiece) and now.doubts
