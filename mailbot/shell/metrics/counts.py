"""Plain counters that the daemon's parts increase; nobody reads them until Prometheus asks.

No key is ever a word from outside: each counter counts the words of one table here.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

OUTCOMES: Final = (
    "taken",
    "not_done",
    "kept",
    "seen_before",
    "set_aside",
    "for_operator",
    "bounce",
    "ignored",
    "refused",
    "dropped",
    "put_off",
)
"""What becomes of a mail; each mail counts once. `not_done`: understood, and refused by letter. `kept`: without a
proof, done a moment later."""

FATES: Final = ("sent", "again", "failed", "stuck")
"""What becomes of a try to send a letter. `again`: there will be another one."""

CLASSES: Final = ("1xx", "2xx", "3xx", "4xx", "5xx")
"""How the page answers."""

BOUNDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds, in seconds, of the classes of durations."""


@dataclass(slots=True)
class Durations:
    """How long something took: how often up to each of BOUNDS or longer, and all together."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """It took so long once more."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds


@dataclass(slots=True)
class Counts:
    """All counters since the start. `jobs`: what the batches of the store were made of; `unwritten`: failed batches."""

    mails: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    letters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FATES, 0))
    requests: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CLASSES, 0))
    commits: Durations = field(default_factory=Durations)
    jobs: int = 0
    unwritten: int = 0


class Moment(NamedTuple):
    """What the daemon's parts know of this moment, without looking at the disk. `bots`: as `Bots.state` says it."""

    relay_trouble: bool
    hash_queue: int
    hash_places: int
    bots: Mapping[str, int]
    watchers: int
