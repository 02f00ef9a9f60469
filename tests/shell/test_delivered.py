"""Waiting for letters misses none, even if a commit writes one between two polls."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mailbot.shell.app import App
from mailbot.store import outbox, unproved


def test_a_mail_that_becomes_a_letter_between_two_looks_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    states = iter(["mail", "letter", "letter", "sent"])
    state = next(states)

    def look(wanted: str) -> bool:
        """Sees the present state; the next look sees the next one."""
        nonlocal state
        seen, state = state, next(states, "sent")
        return seen == wanted

    monkeypatch.setattr(unproved, "first", lambda db: look("mail") or None)
    monkeypatch.setattr(outbox, "busy", lambda db, now: look("letter"))
    app = cast(Any, SimpleNamespace(reads=SimpleNamespace(db=None), now=lambda: 0))
    asyncio.run(App.delivered(app))
    assert state == "sent"
    assert next(states, None) is None
