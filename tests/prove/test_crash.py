"""The short version of the crash proof; `make prove` runs the long one."""

from pathlib import Path

from tests.prove.crash import crash


def test_a1_killed_at_random_nothing_acknowledged_is_lost_or_done_twice(tmp_path: Path) -> None:
    report = crash(tmp_path, kills=3)
    assert report.troubles == []
    assert report.kills == 3
    assert report.acknowledged
    assert report.flags == report.kills
