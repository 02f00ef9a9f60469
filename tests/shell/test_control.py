"""The operator's way into a running daemon, and the command line on top of it."""

import asyncio
import contextlib
import json
import resource
import socket
import stat
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from mailbot.core.world import Asked, Request
from mailbot.shell.console import line
from mailbot.shell.console.cli import main
from mailbot.shell.control import Control
from mailbot.shell.writer import Writer
from mailbot.store.store import Store

NOW = 1_770_000_000
REQUEST = Request(NOW, (Asked("help", args={"topic": ()}),), sender="eve@example.org", dedupe="ab" * 32)


def run(folder: Path, play: Callable[[Path], Awaitable[None]]) -> None:
    """Plays against a control socket whose store has one mail set aside."""

    async def go() -> None:
        store = Store.open(folder / "db", NOW, b"k" * 32)
        store.begin()
        store.set_aside(REQUEST, "ZeroDivisionError")
        store.commit()
        writer = Writer(store, folder / "inflight")
        writer.start()
        control = Control(folder / "db.sock", writer, lambda: NOW)
        await control.start()
        await play(folder / "db.sock")
        await control.stop()
        await writer.stop()
        store.close()

    asyncio.run(go())


async def ask(path: Path, line: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(line)
    writer.write_eof()
    said = await reader.read()
    writer.close()
    return said


def test_the_state_is_told_where_the_disk_takes_writes(tmp_path: Path) -> None:
    async def play(path: Path) -> None:
        line = b'{"do": "state"}\n'
        assert json.loads(await ask(path, line)) == {"said": "{}"}
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # like a full disk: no file grows
        try:
            said = json.loads(await ask(path, line))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert said == {"error": "the database could not be written; try again"}
        assert json.loads(await ask(path, line)) == {"said": "{}"}

    run(tmp_path, play)


def test_a_mail_is_tried_again_once(tmp_path: Path) -> None:
    async def play(path: Path) -> None:
        line = json.dumps({"do": "retry", "id": 1}).encode() + b"\n"
        assert json.loads(await ask(path, line)) == {"said": "mail 1 has been done"}
        assert json.loads(await ask(path, line)) == {"error": "there is no such mail set aside"}

    run(tmp_path, play)


@pytest.mark.parametrize("line", [b"", b"[]\n", b"nonsense\n", b'{"do": "evil"}\n', b'{"do": "retry", "id": 1e30}\n'])
def test_whatever_else_is_said_is_not_answered_and_harms_nothing(line: bytes, tmp_path: Path) -> None:
    async def play(path: Path) -> None:
        assert await ask(path, line) == b""
        good = json.dumps({"do": "retry", "id": 7}).encode() + b"\n"
        assert json.loads(await ask(path, good)) == {"error": "there is no such mail set aside"}

    run(tmp_path, play)


def test_only_the_servers_own_user_may_speak(tmp_path: Path) -> None:
    async def play(path: Path) -> None:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    run(tmp_path, play)


def cli(folder: Path, *words: str) -> tuple[int, str]:
    """The command line on a configuration whose database lies in the folder."""
    (folder / "mailbot.toml").write_text(f'[store]\npath = "{folder}/db"\n[relay]\nmaildir = "{folder}/mail"\n')
    result = CliRunner().invoke(main, ["--config", str(folder / "mailbot.toml"), *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_the_operators_commands_without_a_daemon(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "db", NOW, b"k" * 32)
    store.begin()
    store.set_aside(REQUEST, "ZeroDivisionError")
    store.commit()
    store.close()
    assert "ZeroDivisionError" in cli(tmp_path, "shunted")[1]
    code, said = cli(tmp_path, "doctor")
    assert (code, "1 mails are set aside" in said, "not running" in said) == (1, True, True)
    assert cli(tmp_path, "retry", "1") == (0, "mail 1 has been done\n")
    assert cli(tmp_path, "retry", "1")[0] == 1
    assert cli(tmp_path, "shunted") == (0, "None.\n")
    assert cli(tmp_path, "shunted", "--drop", "1")[0] == 1
    assert cli(tmp_path, "backup", str(tmp_path / "copy"))[0] == 0
    assert cli(tmp_path, "backup", str(tmp_path / "copy"))[0] == 1


@pytest.mark.parametrize("command", [["shunted"], ["retry", "1"], ["backup", "x"]])
@pytest.mark.parametrize("content", [None, b"", b"this is no database, not at all" * 100])
def test_a_missing_or_foreign_database_is_one_sentence(
    command: list[str], content: bytes | None, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "db").write_bytes(content)
    code, said = cli(tmp_path, *command)
    assert code == 1
    assert said.startswith(("Error: ", "error"))
    assert len(said.splitlines()) == 1


WRITING = [["retry", "1"], ["shunted", "--drop", "1"], ["admin", "forgive", "a@b.example"]]


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize(
    ("daemon", "said"),
    [
        ("hangs", "the server has not answered within 0.05 seconds; perhaps it does this later"),
        ("is full", "the server has not answered within 0.05 seconds; perhaps it does this later"),
        ("ends", "the server ended before it answered; perhaps it does this later"),
    ],
)
def test_a_daemon_that_does_not_answer_is_not_waited_for(
    command: list[str], daemon: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "TIME", 0.05 if daemon != "ends" else 20)
    with socket.socket(socket.AF_UNIX) as listening, contextlib.ExitStack() as others:
        listening.bind(str(tmp_path / "db.sock"))
        listening.listen(0)
        if daemon == "is full":
            with contextlib.suppress(BlockingIOError):
                while True:
                    waiting = others.enter_context(socket.socket(socket.AF_UNIX))
                    waiting.setblocking(False)
                    waiting.connect(str(tmp_path / "db.sock"))

        def end() -> None:
            with listening.accept()[0] as there:
                there.recv(1)  # what it has not read resets the connection

        thread = threading.Thread(target=end) if daemon == "ends" else None
        if thread:
            thread.start()
        code, told = cli(tmp_path, *command)
        if thread:
            thread.join()
    assert (code, told.startswith(f"Error: {said}"), len(told.splitlines())) == (1, True, 1), told
