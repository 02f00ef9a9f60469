"""How many failed log-ins are too many (P4): counts and locks as pure functions over rows.

A row counts the failures of one subject within a window. When there are too many, the subject is locked, twice as long
each time, and the count starts again. The caller decides what the subjects are (an account seen from one network, an
account, a network) and how their keys are spelled; each of them has a row of `LIMITS`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

MINUTE: Final = 60
DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Limit:
    """`failures` within `window` seconds lock for `lock` seconds, doubling up to `longest`."""

    failures: int
    window: int
    lock: int
    longest: int


_ONE_NETWORK: Final[Mapping[str, Limit]] = {
    # One account tried from one network: strangers elsewhere do not lock its owner out.
    "pair": Limit(failures=5, window=15 * MINUTE, lock=15 * MINUTE, longest=DAY),
    # One network, whatever the account.
    "network": Limit(failures=30, window=15 * MINUTE, lock=15 * MINUTE, longest=DAY),
}

WIDER: Final = {56: 2, 48: 4}
"""An IPv6 network is a /64. Its owner often has the /56 or /48 around it, with up to 65,536 of them, so we count these,
too. But a provider may also give each customer a single /64, so wider networks may fail this many times as often."""

LIMITS: Final[Mapping[str, Limit]] = {
    **_ONE_NETWORK,
    **{
        f"{name}/{bits}": replace(limit, failures=limit.failures * times)
        for name, limit in _ONE_NETWORK.items()
        for bits, times in WIDER.items()
    },
    # One account, from anywhere: then tokens only, for a day.
    "account": Limit(failures=50, window=DAY, lock=DAY, longest=DAY),
    # One account in mails from an address of its owner, from a network known to be the owner's. Nothing else counts
    # there, so strangers elsewhere cannot lock it.
    "home": Limit(failures=5, window=15 * MINUTE, lock=15 * MINUTE, longest=DAY),
}

HOME_SECONDS: Final = 90 * DAY
"""How long after a correct password a network counts as the owner's."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """A row. `failures` since `since`; locked before `until`; `locks`: locks in a row. Times are unix seconds."""

    failures: int = 0
    since: int = 0
    locks: int = 0
    until: int = 0


def allowed(row: Attempts | None, now: int, limit: Limit) -> bool:
    """Whether the subject may try. A lock longer than the longest means that the clock was set back, and is ignored."""
    return row is None or now >= row.until or row.until - now > limit.longest


def after_failure(row: Attempts | None, now: int, limit: Limit) -> Attempts:
    """The row after another failure. A day and a half without a failure erases old locks."""
    row = row or Attempts()
    fresh = not 0 <= now - row.since < limit.window
    failures = 1 if fresh else row.failures + 1
    since = now if fresh else row.since
    locks = 0 if forgotten(row, now) else row.locks
    if failures < limit.failures:
        return Attempts(failures, since, locks, row.until)
    locks = min(locks + 1, 20)
    return Attempts(0, now, locks, now + min(limit.lock << locks - 1, limit.longest))


def begins(before: Attempts | None, after: Attempts, now: int, limit: Limit) -> bool:
    """Whether the failure between these two rows began a lock."""
    return allowed(before, now, limit) and not allowed(after, now, limit)


def at_home(row: Attempts | None, now: int) -> bool:
    """Whether a network counts as the owner's; `row.since`: when it was last proved."""
    return row is not None and 0 <= now - row.since < HOME_SECONDS


def forgotten(row: Attempts, now: int) -> bool:
    """Whether the row no longer matters and may be deleted."""
    return now - max(row.since, row.until) > DAY + DAY // 2
