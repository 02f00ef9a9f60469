"""Hang detection only: a test that hangs stops the run with a traceback instead of holding it for ever."""

import faulthandler
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
