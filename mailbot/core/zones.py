"""Time zones as values: which date and time of day people have at a moment.

The core may not read zone files. The store reads them (store/zones.py), and a letter keeps the zone of its reader among
its facts, so that a letter that is sent again says the same.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC as _UTC
from datetime import datetime
from typing import Any, NamedTuple

from mailbot.core.model import DAY

AHEAD = 3 * 365 * DAY
"""Seconds ahead of a letter for which it must know the changes of its zone."""

FACT = "zone"
"""The fact of a letter that has its reader's zone; without it the letter is in UTC."""


class Shift(NamedTuple):
    """From `since` (unix seconds) on it is `offset` seconds later than in UTC. `name`: such as CET, or +03."""

    since: int
    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class Zone:
    """`name`: such as Europe/Berlin. `shifts`: in the order of their times; the first one holds before it, too."""

    name: str
    shifts: tuple[Shift, ...]

    def at(self, moment: int) -> Shift:
        """What holds at this moment."""
        return self.shifts[max(0, bisect_right(self.shifts, moment, key=lambda shift: shift.since) - 1)]

    def label(self, moment: int) -> str:
        """What stands behind a time of day: `UTC`, `CET`, `UTC+03`."""
        name = self.at(moment).name
        return f"UTC{name}" if name[:1] in "+-" else name

    def local(self, moment: int) -> datetime:
        """The date and time of day at this moment, as a datetime without a zone."""
        return datetime.fromtimestamp(moment + self.at(moment).offset, _UTC).replace(tzinfo=None)

    def moment(self, local: datetime) -> int:
        """The first moment with this date and time of day. For a time that clocks skip: as long after the change as the
        time lies after the skipped hour's beginning."""
        wall = int(local.replace(tzinfo=_UTC).timestamp())
        before, after = (wall - self.at(wall + side).offset for side in (-DAY, DAY))
        found = [at for at in (before, after) if at + self.at(at).offset == wall]
        return min(found) if found else before

    def midnight(self, local: datetime) -> int:
        """The first moment of this day."""
        return self.moment(local.replace(hour=0, minute=0, second=0, microsecond=0))


UTC = Zone("UTC", (Shift(0, 0, "UTC"),))


def kept(zone: Zone, now: int) -> list[Any]:
    """The zone as plain JSON values for a letter of now; `of` reads it back."""
    return [zone.name, [list(shift) for shift in zone.shifts if shift.since < now + AHEAD]]


def of(facts: Mapping[str, Any]) -> Zone:
    """The zone in which a letter with these facts tells times."""
    if FACT not in facts:
        return UTC
    name, shifts = facts[FACT]
    return Zone(str(name), tuple(Shift(*shift) for shift in shifts))
