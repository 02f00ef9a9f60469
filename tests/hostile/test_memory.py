"""The real daemon stays small when it takes the whole corpus, and a megabyte from each client that it lets in."""

import smtplib
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from signal import SIGTERM

import pytest

from tests.hostile.rows import DOMAIN, EVE, ROWS, SERVER, TOKEN, Row
from tests.prove.crash import Daemon

HERE = "mailbot.localhost"
CLIENTS = 60
LIMIT = 150
"""Megabytes."""


def said(row: Row) -> bytes:
    return row.content("memory", "Fri, 20 Nov 2026 12:00:00 +0000").replace(DOMAIN.encode(), HERE.encode())


def sent(port: int, sender: str, to: str, content: bytes) -> int:
    """The code of the last answer; 0 if the connection was cut."""
    lost = (smtplib.SMTPServerDisconnected, ConnectionError)
    with suppress(*lost), smtplib.SMTP("127.0.0.1", port, "evil.example") as client:
        client.ehlo()
        for command in (f"MAIL FROM:<{sender}>", f"RCPT TO:<{to}>", "DATA"):
            code, _ = client.docmd(command)
            if code >= 400:
                return code
        client.send(content.replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\n")
        return client.getreply()[0]
    return 0


def big(number: int) -> bytes:
    """A megabyte: every other one as a text that is too long, the others as a file behind a short text."""
    head = (
        f"From: eve{number}@evil.example\r\nTo: {SERVER}\r\nSubject: help\r\nMessage-ID: <big{number}@evil.example>\r\n"
    )
    lines = "b1,c2 and many words more, line after line of them\r\n" * 19_000
    if number % 2:
        return f"{head}\r\n{lines}".encode()
    parts = f"--x\r\n\r\nhelp\r\n--x\r\nContent-Disposition: attachment\r\n\r\n{lines}--x--\r\n"
    return f'{head}Content-Type: multipart/mixed; boundary="x"\r\n\r\n{parts}'.encode()


def megabytes(pid: int) -> float:
    """The most memory the process has had."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_memory_stays_small_whatever_comes(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    daemon.start()
    try:
        codes = [
            sent(daemon.port, row.mail_from, row.to.replace(DOMAIN, HERE), said(row))
            for row in ROWS
            if not row.to.startswith(TOKEN)
        ]
        assert {250, 550} <= set(codes)
        with ThreadPoolExecutor(CLIENTS) as clients:
            ends = list(clients.map(lambda n: sent(daemon.port, EVE, f"mailbot@{HERE}", big(n)), range(2 * CLIENTS)))
        assert set(ends) <= {250, 421, 451, 550, 0}
        assert ends.count(250) >= 10
        assert ends.count(550) == 0, "of a long text the beginning is read"
        assert daemon.process
        assert megabytes(daemon.process.pid) < LIMIT
    finally:
        daemon.end(SIGTERM)
