"""How many failed log-ins are too many (P4): counts and locks as pure functions over rows.

A row counts the failures of one subject within a window. When there are too many the subject is locked, twice as long
each time, and the count starts again. What the subjects are (an account seen from one network, an account, a network)
and how their keys are spelled is the caller's; every one of them has a row of `LIMITS`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MINUTE: Final = 60
DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Limit:
    """So many `failures` within `window` seconds lock for `lock` seconds, doubling up to `longest`."""

    failures: int
    window: int
    lock: int
    longest: int


LIMITS: Final[Mapping[str, Limit]] = {
    # One account tried from one network: strangers elsewhere do not lock its owner out.
    "pair": Limit(failures=5, window=15 * MINUTE, lock=15 * MINUTE, longest=DAY),
    # One account, from anywhere: then tokens only, for a day.
    "account": Limit(failures=50, window=DAY, lock=DAY, longest=DAY),
    # One network, whatever the account.
    # Sign-ups from one network, right ones too: each costs a hash and a letter to a stranger.
    "newcomer": Limit(failures=30, window=60 * MINUTE, lock=60 * MINUTE, longest=DAY),
    "network": Limit(failures=30, window=15 * MINUTE, lock=15 * MINUTE, longest=DAY),
}


@dataclass(frozen=True, slots=True)
class Attempts:
    """A row. `failures` since `since`; locked before `until`; `locks` of them in a row. Times are unix seconds."""

    failures: int = 0
    since: int = 0
    locks: int = 0
    until: int = 0


def allowed(row: Attempts | None, now: int, limit: Limit) -> bool:
    """May it try? A lock that ends further off than the longest one is a clock that was set back: it does not hold."""
    return row is None or now >= row.until or row.until - now > limit.longest


def after_failure(row: Attempts | None, now: int, limit: Limit) -> Attempts:
    """The row once one more try has failed. A day and a half without failing and old locks are forgotten."""
    row = row or Attempts()
    fresh = not 0 <= now - row.since < limit.window
    failures = 1 if fresh else row.failures + 1
    since = now if fresh else row.since
    locks = 0 if forgotten(row, now) else row.locks
    if failures < limit.failures:
        return Attempts(failures, since, locks, row.until)
    locks = min(locks + 1, 20)
    return Attempts(0, now, locks, now + min(limit.lock << locks - 1, limit.longest))


def forgotten(row: Attempts, now: int) -> bool:
    """Does the row no longer say anything? Then it may be deleted."""
    return now - max(row.since, row.until) > DAY + DAY // 2
