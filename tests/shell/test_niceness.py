"""A lower priority is nice to have, but not required."""

import errno
import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import SpawnProcess

import pytest

from mailbot.shell.niceness import end_workers, step_behind


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


def test_a_pool_with_work_that_nobody_wants_any_more_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda what: said.append(what.exc_type.__name__))
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    wanted = [pool.submit(time.sleep, 60) for _ in range(4)]
    assert wanted[-1].cancel()
    thread = pool._executor_manager_thread  # type: ignore[attr-defined]
    kill = SpawnProcess.terminate

    def seen_at_once(process: SpawnProcess) -> None:
        kill(process)
        if threading.current_thread() is not thread:
            thread.join()

    monkeypatch.setattr(SpawnProcess, "terminate", seen_at_once)
    end_workers(pool)
    assert said == []
