"""A store in which ann and bob play."""

from pathlib import Path

import pytest

from mailbot.core.model import Address, Player
from mailbot.store import rows
from mailbot.store.store import Store

NOW = 1_770_000_000


@pytest.fixture
def store(tmp_path: Path):  # type: ignore[no-untyped-def]
    opened = Store.open(tmp_path / "db", NOW, b"k" * 32)
    opened.begin()
    for number, name in ((1, "ann"), (2, "bob")):
        rows.put(opened.db, Player(number, name, "active", "hash", 1, 1, NOW))
        rows.put(opened.db, Address(number, number, f"{name}@example.org", "current", 0, NOW))
    yield opened
    opened.rollback()
    opened.close()
