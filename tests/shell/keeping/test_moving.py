"""`mailbot export` and `mailbot import`: who can read the file, and what is refused."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mailbot.shell.keeping import moving
from mailbot.shell.proof import passwords
from mailbot.store import lines
from mailbot.store.connection import Unusable
from mailbot.store.store import Store
from tests.shell.test_control import cli
from tests.store.test_arrival import AT, HASH, LINES, whole


@pytest.fixture(scope="module")
def good() -> str:
    """A hash as the server makes it."""
    return passwords.hashed("correct-horse-1")


@pytest.fixture
def old(tmp_path: Path, good: str) -> Path:
    """A server in a folder of its own, into which LINES were imported."""
    folder = tmp_path / "old"
    folder.mkdir()
    lines = b"\n".join(whole(LINES)).replace(HASH.encode(), good.encode())
    (folder / "lines").write_bytes(lines)
    code, said = cli(folder, "import", str(folder / "lines"))
    assert (code, said) == (
        0,
        f"{len(LINES) - 1} rows are imported: 3 players, 3 games. The ratings were computed from 1 games. Letters go"
        " out when the server starts.\n",
    )
    return folder


def test_a_store_moves_through_a_file_that_only_its_owner_can_read(old: Path, tmp_path: Path, good: str) -> None:
    file = tmp_path / "all.jsonl"
    code, said = cli(old, "export", "--secrets", str(file))
    assert (code, "1 letters or mails are waiting" in said) == (0, True)
    assert file.stat().st_mode & 0o777 == 0o600
    assert good in file.read_text()
    assert cli(old, "export", str(file))[1] == "Error: all.jsonl exists already\n"
    (tmp_path / "new").mkdir()
    assert cli(tmp_path / "new", "import", str(file))[0] == 0
    code, said = cli(tmp_path / "new", "import", str(file))
    assert (code, said.startswith("Error: this server is not empty")) == (1, True)
    assert "ann" in cli(tmp_path / "new", "admin", "players")[1]


def test_by_default_there_are_no_secrets(old: Path, tmp_path: Path, good: str) -> None:
    code, said = cli(old, "export", "-")
    assert (code, good in said, "@example.org" in said) == (0, False, False)
    rows = [line for line in said.splitlines() if line.startswith("{")]
    assert json.loads(rows[-1]) == {"row": "end", "rows": len(rows) - 2}
    (tmp_path / "new").mkdir()
    (tmp_path / "lines").write_text("\n".join(rows))
    assert cli(tmp_path / "new", "import", str(tmp_path / "lines"))[1].endswith(
        "note: the file has no addresses and no passwords, so nobody can play on here\n"
    )


@pytest.mark.parametrize(("mode", "others"), [(0o644, True), (0o640, True), (0o600, False)])
def test_secrets_are_not_written_where_others_can_read_them(mode: int, others: bool, tmp_path: Path) -> None:
    with os.fdopen(os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT, mode), "wb") as out:
        assert moving.is_open_to_others(out) is others


def test_secrets_are_not_written_on_a_terminal(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli(old, "export", "--secrets", "-")[0] == 0, "a pipe is nobody else's"
    monkeypatch.setattr(moving, "is_open_to_others", lambda out: True)
    code, said = cli(old, "export", "--secrets", "-")
    assert (code, said.startswith("Error: standard output is a terminal or a file that others can read")) == (1, True)


def test_an_export_that_fails_leaves_nothing(old: Path, tmp_path: Path) -> None:
    assert cli(old, "export", str(tmp_path / "no" / "folder"))[0] == 1
    assert not list(tmp_path.glob("*.part"))


def test_an_export_of_a_damaged_store_is_one_sentence(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(*_: object, **__: object) -> Iterator[lines.Line]:
        yield {"row": "mailbot"}
        raise Unusable("database disk image is malformed")

    monkeypatch.setattr(lines, "lines", torn)
    said = "the database cannot be read to its end (database disk image is malformed), so nothing is written"
    assert cli(old, "export", str(tmp_path / "out")) == (1, f"Error: {said}: see mailbot doctor\n")
    assert not list(tmp_path.glob("out*"))


def test_a_running_server_takes_no_import(old: Path, tmp_path: Path) -> None:
    held = Store.open(old / "db", AT, b"k" * 32)
    assert cli(old, "import", str(old / "lines")) == (1, "Error: db is in use by a running mailbot\n")
    held.close()
    code, said = cli(old, "import", str(tmp_path / "nowhere"))
    assert (code, len(said.splitlines())) == (1, 1)


def test_a_file_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"\n".join(whole(LINES)))
    assert cli(tmp_path, "import", str(tmp_path / "lines")) == (
        1,
        "Error: line 6: password_hash: this is no hash that the server would make\n",
    )
    assert cli(tmp_path, "admin", "players")[1].count("\n") < 10
    assert "ann" not in cli(tmp_path, "admin", "players")[1]


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ("", True),
        ("m=7168>m=65536", True),
        ("m=7168>m=99999999", False),
        ("t=5>t=9999", False),
        ("p=1>p=64", False),
        ("argon2id>argon2i", False),
        ("$argon2id>", False),
        ("$argon2id$v=19>plain", False),
    ],
)
def test_only_a_hash_that_is_cheap_to_check_is_taken(change: str, fits: bool, good: str) -> None:
    before, _, after = change.partition(">")
    assert passwords.foreign(good.replace(before, after) if change else good) is fits
