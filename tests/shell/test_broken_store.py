"""What the operator's commands say of a database that does not work: one sentence."""

from pathlib import Path

import pytest
from sqlite_utils import Database

from mailbot.core.model import Address, Player
from mailbot.store import store
from mailbot.store.connection import connect
from mailbot.store.rows import put
from mailbot.store.store import Store
from tests.shell.test_control import cli
from tests.store.test_arrival import AT


@pytest.mark.parametrize("pages", [0, 1, 9])
def test_an_upgrade_without_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """The next start goes on with it."""

    def small(path: Path) -> Database:
        db = connect(path)
        most = db.execute("PRAGMA page_count").fetchone()[0] + pages
        db.execute(f"PRAGMA max_page_count = {most}").fetchone()
        return db

    (tmp_path / "db").touch()
    monkeypatch.setattr(store, "connect", small)
    code, said = cli(tmp_path, "retry", "1")
    assert (code, said.startswith("Error: the database does not work: database or disk is full.")) == (1, True)
    monkeypatch.undo()
    (tmp_path / "db.lock").unlink()  # the process has ended
    assert cli(tmp_path, "retry", "1")[1] == "Error: there is no such mail set aside\n"


@pytest.mark.parametrize(
    "words", [["admin", "players"], ["retry", "1"], ["doctor"], ["backup", "copy"], ["export", "-"]]
)
def test_a_list_of_tables_that_is_no_text(tmp_path: Path, words: list[str]) -> None:
    Store.open(tmp_path / "db", AT, b"k" * 32).close()
    for name in (tmp_path / "db", tmp_path / "db-wal"):
        if name.exists():
            name.write_bytes(
                name.read_bytes().replace(b"CREATE TABLE player", b"CREATE TABLE \xff\xfe\xff\xfe\xff\xfe")
            )
    code, said = cli(tmp_path, *words)
    assert code == 1
    assert "cannot be used as a database" in said


@pytest.mark.parametrize("words", [["admin", "players", "--addresses"], ["export", "--secrets", "-"]])
def test_a_text_that_is_none_is_not_shown(tmp_path: Path, words: list[str]) -> None:
    made = Store.open(tmp_path / "db", AT, b"k" * 32)
    put(made.db, Player(1, "ann", "active", "", 0, 0, AT))
    put(made.db, Address(1, 1, "ann@example.org", "current", 0, AT))
    made.db.execute("UPDATE address SET addr = CAST(CAST(addr AS BLOB) || x'fffe' AS TEXT)")
    made.close()
    code, said = cli(tmp_path, *words)
    assert (code, "@example.org" in said) == (1, False)
    assert "Could not decode to UTF-8 column 'addr'" in said


def test_words_and_numbers_that_nobody_means(tmp_path: Path) -> None:
    Store.open(tmp_path / "db", AT, b"k" * 32).close()
    said = "Error: the command has octets that are not UTF-8\n"
    assert cli(tmp_path, "admin", "games", "--player", "\udcff") == (1, said)
    assert cli(tmp_path, "retry", "9" * 20) == (1, "Error: there is no such mail set aside\n")
