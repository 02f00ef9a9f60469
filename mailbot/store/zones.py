"""Time zones, read from the zone files of the machine, or else of the package `tzdata`."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from mailbot.core.model import DAY
from mailbot.core.zones import UTC as NO_ZONE
from mailbot.core.zones import Shift, Zone

SINCE, UNTIL = 1_577_836_800, 2_524_608_000
"""1 January 2020 and 2050: the first and the last moment at which a change is looked for."""

_WEEK = 7 * DAY
"""No zone changes twice within a week."""


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    """The names of all zones by their names in lower case. Old names without an area (`GB`, `EST`) are left out."""
    return {name.lower(): name for name in available_timezones() if "/" in name}


@lru_cache(maxsize=512)
def find(name: str) -> Zone | None:
    """The zone with this name, in whatever case; None if there is none."""
    if name.upper() == NO_ZONE.name:
        return NO_ZONE
    proper = _names().get(name.lower())
    if proper is None:
        return None
    info = ZoneInfo(proper)
    shifts = [_shift(info, SINCE)]
    for week in range(SINCE, UNTIL, _WEEK):
        early, late = week, week + _WEEK
        if _shift(info, late)[1:] == shifts[-1][1:]:
            continue
        while late - early > 1:
            middle = (early + late) // 2
            early, late = (middle, late) if _shift(info, middle)[1:] == shifts[-1][1:] else (early, middle)
        shifts.append(_shift(info, late))
    return Zone(proper, tuple(shifts))


def _shift(info: ZoneInfo, at: int) -> Shift:
    """What the zone has at this moment."""
    local = datetime.fromtimestamp(at, UTC).astimezone(info)
    offset = local.utcoffset()
    assert offset is not None
    return Shift(at, int(offset.total_seconds()), local.tzname() or "")
