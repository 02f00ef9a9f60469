"""A mail that kills the process while it is read: counted by its octets, refused unread after three crashes (T4)."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mailbot.core.operator import orders
from mailbot.shell import reception
from mailbot.shell.smtp.wire import Envelope
from tests.dialogues.play import DOMAIN, OPERATOR, PASSWORDS, Server, happened

PASSWORD = "canary-horse-1"
CONTENT = (
    f"From: ann@example.org\r\nSubject: games ann {PASSWORD}\r\nMessage-ID: <1@example.org>\r\n"
    "Date: Fri, 20 Nov 2026 12:00:00 +0000\r\n\r\nhello\r\n"
).encode()
MAIL = Envelope("192.0.2.7", "ann@example.org", (f"mailbot@{DOMAIN}",), CONTENT)

# A server whose parser ends the process, as a watchdog or the kernel would.
DIES = """
import asyncio, os, signal, sys
from pathlib import Path
from mailbot.shell import reception
from tests.dialogues.play import Server
from tests.shell.test_poison import MAIL

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

async def go():
    server = Server(Path(sys.argv[1]))
    server.writer.recover(server.time)
    server.writer.start()
    await server.accept(MAIL)

setattr(*{"mail": (reception.mails, "read"), "words": (reception, "read")}[sys.argv[2]], die)
asyncio.run(go())
"""


@pytest.mark.parametrize("where", ["mail", "words"])
def test_a_mail_that_kills_the_process_while_it_is_read_is_refused_unread(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(Server(tmp_path).close())
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", DIES, str(tmp_path), where], timeout=60)
        assert ended.returncode == -signal.SIGKILL
    touched: list[object] = []

    async def go() -> None:
        server = Server(tmp_path)
        server.writer.recover(server.time)
        server.writer.start()
        with monkeypatch.context() as patch:
            patch.setattr(reception.mails, "read", lambda *words: touched.append(words))
            for _ in range(2):
                assert (await server.accept(MAIL)).startswith("550 "), "nothing was done, so nothing is acknowledged"
        told = [(kind, str(letter["To"])) for _, kind, letter in server.new_letters()]
        assert told == [("operator", OPERATOR)], "once"
        kept = str(server.db.execute("SELECT kind, content FROM operator_mail").fetchall())
        assert MAIL.digest in kept
        assert str(len(CONTENT)) in kept
        assert (await server.accept(server.mail("ann@example.org", "help", ""))).startswith("250 "), "others are read"
        await server.close()

    asyncio.run(go())
    assert touched == []
    for path in tmp_path.iterdir():
        assert PASSWORD.encode() not in path.read_bytes(), path.name
    assert PASSWORD not in caplog.text


WATCHED = [(reception.mails, "read"), (reception, "read"), (reception, "passed_on"), (orders, "redact")]


def test_whatever_reads_a_mail_reads_it_in_flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reader finds the digest of its mail in the file, and nothing stands there afterwards."""
    seen: dict[str, set[str]] = {}

    def watched(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def watch(*words: object, **more: object) -> object:
            seen.setdefault(name, set()).add((tmp_path / "inflight").read_text()[64:])
            return call(*words, **more)

        return watch

    async def go() -> None:
        server = Server(tmp_path)
        server.writer.start()
        await happened(server, "> begin ann bob", [])
        for module, name in WATCHED:
            monkeypatch.setattr(module, name, watched(f"{module.__name__}.{name}", getattr(module, name)))
        mail = server.mail("ann@example.org", f"set ann {PASSWORDS['ann']}", "")
        for to in (server.own.address, server.own.postmaster):
            await server.accept(replace(mail, rcpt_tos=(to,)))
            assert (tmp_path / "inflight").read_text().strip() == ""
        await server.close()
        assert seen == {f"{module.__name__}.{name}": {mail.digest} for module, name in WATCHED}

    asyncio.run(go())
