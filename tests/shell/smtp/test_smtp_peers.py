"""The SMTP listener with programs that we did not write: stock aiosmtpd, smtplib, swaks, smtp-source."""

import asyncio
import email.message
import email.policy
import os
import random
import shutil
import smtplib

import aiosmtpd.smtp
import pytest

from mailbot.shell.smtp.listener import Limits, Status
from tests.shell.smtp.smtp_house import BOT, FREE, TIME, Client, house

pytestmark = pytest.mark.asyncio


async def test_stock_aiosmtpd_reads_the_same_content() -> None:
    """Texts of CR, LF, dots and letters, the same bytes to both; stock aiosmtpd reads by the line, we by the block."""

    class Keep:
        contents: list[bytes]

        async def handle_DATA(self, server: object, session: object, envelope: aiosmtpd.smtp.Envelope) -> str:
            assert isinstance(envelope.content, bytes)
            self.contents.append(envelope.content)
            return "250 OK"

    stock = Keep()
    stock.contents = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: aiosmtpd.smtp.SMTP(stock, hostname="x", loop=loop), "127.0.0.1", 0)
    rng = random.Random(7)
    texts = [
        b"".join(rng.choice([b"\r\n", b".", b"\r", b"\n", b"a", b".\r\n", b"\n.\n"]) for _ in range(rng.randrange(40)))
        for _ in range(150)
    ]
    texts = [text for text in texts if b"\r\n.\r\n" not in b"\r\n" + text + b"\r\n"]
    assert len(texts) > 50
    async with house(limits=Limits(mails_per_minute=0, calls=FREE)) as h:
        ours = await h.client()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
        theirs = Client(reader, writer)
        await theirs.read()
        await theirs.say("EHLO x")
        for text in texts:
            assert await ours.mail(text + b"\r\n") == Status.ACCEPTED.value
            for line in (f"MAIL FROM:<{BOT}>", f"RCPT TO:<{BOT}>", "DATA"):
                await theirs.say(line)
            theirs.write(text + b"\r\n")
            assert await theirs.say(b".") == "250 OK"
        assert [mail.content for mail in h.mails] == stock.contents
        writer.close()
        server.close()


HARD = [
    "",
    "one line",
    ".",
    "..",
    ".leading\n..two\n.\n.\nafter a lone dot",
    "\n\n\n",
    "x" * 5000,
    "\n".join(str(number) for number in range(5000)),
    "MAIL FROM:<a@b.example>\nRCPT TO:<c@d.example>\nDATA\n.\nQUIT",
]


@pytest.mark.parametrize("body", HARD, ids=lambda body: repr(body[:20]))
async def test_smtplib_is_understood(body: str) -> None:
    message = email.message.EmailMessage(policy=email.policy.SMTP.clone(max_line_length=None))
    message["From"], message["To"], message["Subject"] = "ann@home.example", BOT, "lambo move 1"
    message.set_payload(body.replace("\n", "\r\n"))

    def send(port: int) -> dict[str, tuple[int, bytes]]:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="client.example", timeout=TIME) as client:
            return client.send_message(message, to_addrs=[BOT, "nobody@else.example"])

    async with house() as h:
        refused = await asyncio.to_thread(send, h.listener.port)
        assert refused == {"nobody@else.example": (550, b"5.1.1 No such address here")}
        (mail,) = h.mails
        assert (mail.mail_from, mail.rcpt_tos) == ("ann@home.example", (BOT,))
        expected = message.as_bytes()
        assert mail.content == (expected if expected.endswith(b"\r\n") else expected + b"\r\n")


async def test_smtplib_hears_the_codes() -> None:
    def send(port: int) -> tuple[int, bytes | str]:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="client.example", timeout=TIME) as client:
            with pytest.raises(smtplib.SMTPSenderRefused, match="552"):
                client.sendmail("a@b.example", BOT, "x" * 2000)
            with pytest.raises(smtplib.SMTPDataError) as caught:
                client.sendmail("a@b.example", BOT, "\r\n" * 20)
            assert client.noop()[0] == 250, "the session goes on"
            return caught.value.smtp_code, caught.value.smtp_error

    async with house(limits=Limits(data_bytes=1000, data_lines=10)) as h:
        assert await asyncio.to_thread(send, h.listener.port) == (552, b"5.3.4 Mail too big")


async def run(*words: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=dict(os.environ),
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


@pytest.mark.skipif(shutil.which("swaks") is None, reason="swaks (Debian) is not installed")
@pytest.mark.parametrize("extra", [[], ["--pipeline"]], ids=["plain", "pipelining asked for"])
async def test_swaks_is_understood(extra: list[str]) -> None:
    async with house() as h:
        code, output = await run(
            *("swaks", "--server", f"127.0.0.1:{h.listener.port}", "--helo", "client.example", "--from", "a@b.example"),
            *("--to", BOT, "--header", "Subject: lambo move 1", "--body", ".dot\n..\n.\nend\n", *extra),
        )
        assert code == 0, output
        assert Status.ACCEPTED.value in output
        (mail,) = h.mails
        assert b"Subject: lambo move 1\r\n" in mail.content
        assert b"\r\n\r\n.dot\r\n..\r\n.\r\nend\r\n" in mail.content


@pytest.mark.skipif(shutil.which("smtp-source") is None, reason="smtp-source (Debian's postfix) is not installed")
async def test_smtp_source_is_understood() -> None:
    async with house(limits=Limits(mails_per_minute=0)) as h:
        for keep in ([], ["-d"]):
            code, output = await run(
                *("smtp-source", "-s", "4", "-m", "40", "-l", "3000", "-f", "a@b.example", "-t", BOT, *keep),
                f"inet:127.0.0.1:{h.listener.port}",
            )
            assert code == 0, output
        assert len(h.mails) == 80
