"""Time zones: which moment has a date and time of day, and the days on which clocks change."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mailbot.core import zones
from mailbot.core.letters import times
from mailbot.core.players.digest import next_due
from mailbot.core.zones import Zone
from mailbot.store.zones import find


def zone(name: str) -> Zone:
    found = find(name)
    assert found
    return found


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


MOMENTS = [
    # zone, date and time of day there, the same in UTC, how a letter writes it
    ("UTC", "2026-12-01 14:00", "2026-12-01 14:00", "Tue 1 Dec, 14:00 UTC"),
    ("Europe/Berlin", "2026-12-01 14:00", "2026-12-01 13:00", "Tue 1 Dec, 14:00 CET"),
    ("Europe/Berlin", "2026-06-02 14:00", "2026-06-02 12:00", "Tue 2 Jun, 14:00 CEST"),
    ("Europe/Berlin", "2026-03-29 01:59", "2026-03-29 00:59", "Sun 29 Mar, 01:59 CET"),
    ("Europe/Berlin", "2026-03-29 03:00", "2026-03-29 01:00", "Sun 29 Mar, 03:00 CEST"),
    ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25 00:30", "Sun 25 Oct, 02:30 CEST"),  # the first of two
    ("Europe/Berlin", "2026-10-25 03:00", "2026-10-25 02:00", "Sun 25 Oct, 03:00 CET"),
    ("America/New_York", "2026-03-08 03:00", "2026-03-08 07:00", "Sun 8 Mar, 03:00 EDT"),
    ("Asia/Kolkata", "2026-03-08 03:00", "2026-03-07 21:30", "Sun 8 Mar, 03:00 IST"),
    ("America/Sao_Paulo", "2026-03-08 03:00", "2026-03-08 06:00", "Sun 8 Mar, 03:00 UTC-03"),
    ("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04 14:45", "Sun 5 Apr, 01:45 UTC+11"),  # half an hour back
]


@pytest.mark.parametrize(("name", "there", "here", "written"), MOMENTS)
def test_a_time_of_day_and_its_moment(name: str, there: str, here: str, written: str) -> None:
    at = zone(name)
    assert at.moment(datetime.fromisoformat(there)) == utc(here)
    assert at.local(utc(here)) == datetime.fromisoformat(there)
    assert times.moment(utc(here), utc("2026-06-01 00:00"), at) == written


SKIPPED = [
    ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29 03:30"),
    ("Africa/Cairo", "2026-04-24 00:00", "2026-04-24 01:00"),  # that day has no midnight
]


@pytest.mark.parametrize(("name", "there", "instead"), SKIPPED)
def test_a_time_of_day_that_clocks_skip(name: str, there: str, instead: str) -> None:
    at = zone(name)
    assert at.local(at.moment(datetime.fromisoformat(there))) == datetime.fromisoformat(instead)


DIGESTS = [
    # zone, hour, now in UTC, the next digest in UTC
    ("UTC", 7, "2026-03-28 06:59", "2026-03-28 07:00"),
    ("UTC", 7, "2026-03-28 07:00", "2026-03-29 07:00"),
    ("Europe/Berlin", 7, "2026-03-28 05:59", "2026-03-28 06:00"),
    ("Europe/Berlin", 7, "2026-03-28 06:00", "2026-03-29 05:00"),
    ("Europe/Berlin", 2, "2026-03-28 01:00", "2026-03-29 01:00"),  # there is no 2 o'clock: at 3
    ("Europe/Berlin", 2, "2026-10-25 00:00", "2026-10-26 01:00"),  # 2 o'clock comes twice, the digest once
    ("Pacific/Auckland", 0, "2026-03-28 10:59", "2026-03-28 11:00"),
]


@pytest.mark.parametrize(("name", "hour", "now", "due"), DIGESTS)
def test_the_hour_of_a_digest_when_clocks_change(name: str, hour: int, now: str, due: str) -> None:
    assert next_due(hour, utc(now), zone(name)) == utc(due)


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Africa/Casablanca", "Australia/Lord_Howe"])
def test_each_hour_is_that_of_zoneinfo(name: str) -> None:
    at, info = zone(name), ZoneInfo(name)
    for moment in range(utc("2025-01-01 00:00"), utc("2029-01-01 00:00"), 1800):
        assert at.local(moment) == datetime.fromtimestamp(moment, info).replace(tzinfo=None)


@pytest.mark.parametrize(
    "name", ["Europe/Berlni", "Berlin", "", "..", "../etc/passwd", "/etc/passwd", "Europe/", "a\0b/c"]
)
def test_there_is_no_such_zone(name: str) -> None:
    assert find(name) is None


def test_case_does_not_matter() -> None:
    assert zone("europe/BERLIN").name == "Europe/Berlin"
    assert zone("utc") is zones.UTC


def test_a_letter_keeps_the_zone_of_its_reader() -> None:
    berlin, now = zone("Europe/Berlin"), utc("2026-03-01 12:00")
    kept = zones.of({zones.FACT: zones.kept(berlin, now)})
    for moment in range(now - 3 * 365 * 86_400, now + 3 * 365 * 86_400, 86_400):
        assert (kept.at(moment), kept.name) == (berlin.at(moment), berlin.name)
    assert zones.of({}) is zones.UTC
