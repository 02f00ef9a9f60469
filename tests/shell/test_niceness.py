"""A lower priority is nice to have, but not required."""

import errno
import os

import pytest

from mailbot.shell.niceness import step_behind


@pytest.mark.parametrize(("now", "asked"), [(0, [10]), (9, [10]), (10, [10]), (19, [19])])
def test_it_is_lowered_and_never_raised(monkeypatch: pytest.MonkeyPatch, now: int, asked: list[int]) -> None:
    done: list[int] = []
    monkeypatch.setattr(os, "getpriority", lambda which, who: now)
    monkeypatch.setattr(os, "setpriority", lambda which, who, to: done.append(to))
    step_behind("x")
    assert done == asked


def test_refused_it_is_a_line_in_the_log(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def refused(*_: int) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "getpriority", lambda which, who: 0)
    monkeypatch.setattr(os, "setpriority", refused)
    step_behind("password checks")
    [record] = caplog.records
    said = "password checks: the system refuses a lower priority (Operation not permitted)"
    assert (record.levelname, record.message) == ("WARNING", said)
