"""The answer to Prometheus: the counters, and what is looked up when it asks.

Rows are counted in a thread, over a connection of its own, so that no mail waits for it; and at most every FRESH
seconds, however often somebody asks. The format comes from prometheus_client (extra `metrics`).
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from prometheus_client import ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import CollectorRegistry

from mailbot.shell.metrics.counts import BOUNDS, Counts, Durations, Moment
from mailbot.shell.metrics.table import METRICS
from mailbot.store import gauges
from mailbot.store.connection import connect

CONTENT_TYPE = CONTENT_TYPE_LATEST
FRESH = 10.0
"""Seconds for which counted rows are told again."""

Value = float | Mapping[str, float] | Durations


class Scrape:
    """`at`: what the parts say now. `clock`: unix seconds."""

    def __init__(
        self, counts: Counts, store: Path, least: int, at: Callable[[], Moment], clock: Callable[[], int]
    ) -> None:
        self._counts = counts
        self._store = store
        self._least = least
        self._at = at
        self._clock = clock
        self._turn = asyncio.Lock()
        self._found: tuple[float, gauges.Gauges, dict[str, float]] | None = None

    async def text(self) -> bytes:
        """All metrics. Raises OSError where the store cannot be read."""
        async with self._turn:
            if self._found is None or time.monotonic() - self._found[0] >= FRESH:
                found = await asyncio.to_thread(_looked_up, self._store, self._clock())
                self._found = (time.monotonic(), *found)
        return _written(self._values(*self._found[1:]))

    def _values(self, rows: gauges.Gauges, files: Mapping[str, float]) -> dict[str, Value]:
        now, counts = self._at(), self._counts
        return {
            "mailbot_mails_total": counts.mails,
            "mailbot_letters_total": counts.letters,
            "mailbot_letters": rows.letters,
            "mailbot_oldest_letter_seconds": max(0, self._clock() - rows.oldest) if rows.oldest else 0,
            "mailbot_relay_trouble": now.relay_trouble,
            "mailbot_commit_seconds": counts.commits,
            "mailbot_jobs_total": counts.jobs,
            "mailbot_unwritten_total": counts.unwritten,
            "mailbot_unproved_mails": rows.unproved,
            "mailbot_mails_set_aside": rows.aside,
            "mailbot_hash_queue": now.hash_queue,
            "mailbot_hash_places": now.hash_places,
            "mailbot_bots_workers": now.bots["workers"],
            "mailbot_bots_thinking": now.bots["thinking"],
            "mailbot_bots_waiting": rows.bots,
            "mailbot_bots_given_up": now.bots["given_up"],
            "mailbot_games": rows.games,
            "mailbot_players": rows.players,
            "mailbot_tournament_boards_waiting": rows.boards,
            "mailbot_tournament_steps_due": rows.steps,
            "mailbot_page_requests_total": counts.requests,
            "mailbot_page_watchers": now.watchers,
            "mailbot_disk_least_bytes": self._least,
            **files,
        }


def _looked_up(store: Path, now: int) -> tuple[gauges.Gauges, dict[str, float]]:
    """Runs in a thread: the rows, and the files."""
    db = connect(store, readonly=True)
    try:
        rows = gauges.read(db, now)
    finally:
        db.close()
    sizes = [_stat(store.with_name(store.name + end), "st_size") for end in ("", "-wal")]
    return rows, {
        "mailbot_disk_free_bytes": shutil.disk_usage(store.parent).free,
        "mailbot_store_bytes": sum(sizes),
        "mailbot_backup_timestamp_seconds": _stat(store.with_name(store.name + ".backup"), "st_mtime"),
    }


def _stat(path: Path, what: str) -> float:
    try:
        return float(getattr(path.stat(), what))
    except OSError:
        return 0.0


class _Told:
    """Values for the registry of one answer."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

    def collect(self) -> Iterable[Metric]:
        for row in METRICS:
            yield _family(row.name, row.kind, row.help, row.label, self._values[row.name])


def _family(name: str, kind: str, told: str, label: str, value: Value) -> Metric:
    if isinstance(value, Durations):
        sums = [sum(value.counts[: at + 1]) for at in range(len(value.counts))]
        buckets = [(str(bound), count) for bound, count in zip([*BOUNDS, "+Inf"], sums, strict=True)]
        return HistogramMetricFamily(name, told, buckets=buckets, sum_value=value.seconds)
    made = (CounterMetricFamily if kind == "counter" else GaugeMetricFamily)(
        name, told, labels=[label] if label else []
    )
    if isinstance(value, Mapping):
        for word, number in value.items():
            made.add_metric([word], number)
    else:
        made.add_metric([], value)
    return made


def _written(values: Mapping[str, Value]) -> bytes:
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_Told(values))
    return generate_latest(registry)
