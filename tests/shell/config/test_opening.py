"""Opening the store, where SQLite cannot do it."""

from pathlib import Path

import pytest
from sqlite_utils import Database

from mailbot.shell.config.load import Config
from mailbot.shell.config.opening import opened
from mailbot.store import store as store_module
from mailbot.store.connection import connect
from tests.store.test_arrival import AT


@pytest.mark.parametrize("pages", [0, 1])
def test_an_upgrade_without_room_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """The next start goes on with it."""

    def small(path: Path) -> Database:
        db = connect(path)
        most = db.execute("PRAGMA page_count").fetchone()[0] + pages
        db.execute(f"PRAGMA max_page_count = {most}").fetchone()
        return db

    monkeypatch.setattr(store_module, "connect", small)
    with pytest.raises(RuntimeError, match=r"^db cannot be opened: database or disk is full$"):
        opened(Config(), tmp_path / "db", AT)
    monkeypatch.undo()
    opened(Config(), tmp_path / "db", AT).close()
