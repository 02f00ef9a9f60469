"""The SMTP listener through real sockets: commands, shutdown, TLS and the rest (S10 to S22)."""

import asyncio
import contextlib
import logging
import shutil
import socket
import ssl
import struct
import subprocess
from pathlib import Path
from typing import Any

import aiosmtpd.smtp
import pytest

from mailbot.shell.smtp.fronts import Front
from mailbot.shell.smtp.listener import Envelope, Limits, Status
from tests.shell.smtp.smtp_house import (
    BOT,
    FREE,
    MAIL,
    TIME,
    Client,
    House,
    deaf_client,
    deaf_house,
    guests,
    house,
    until,
)

pytestmark = pytest.mark.asyncio


# ---- S10 to S17: commands


@pytest.mark.parametrize("null", ["MAIL FROM:<>", "MAIL FROM: <>", "mail from:<> SIZE=10"])
async def test_s10_the_null_sender_is_an_empty_string(null: str) -> None:
    async with house() as h:
        client = await h.client()
        assert await client.say(null) == Status.SENDER_OK.value
        await client.say(f"RCPT TO:<{BOT}>")
        await client.say("DATA")
        assert await client.say(".") == Status.ACCEPTED.value
        assert h.mails[0].mail_from == ""


async def test_s11_the_envelope_is_filled_and_forgotten() -> None:
    async with house() as h:
        client = await h.client(ehlo=False)
        assert (await client.say("MAIL FROM:<a@b.example>"))[:3] == "503"
        await client.say("HELO x")
        assert (await client.say(f"RCPT TO:<{BOT}>"))[:3] == "503"
        assert (await client.say("DATA"))[:3] == "503"
        assert await client.say("MAIL FROM:<a@b.example>") == Status.SENDER_OK.value
        assert (await client.say("MAIL FROM:<c@d.example>"))[:3] == "503"
        assert (await client.say("DATA"))[:3] == "503"
        assert await client.say("RCPT TO:<postmaster>") == Status.RECIPIENT_OK.value
        assert await client.say("RCPT TO:<nobody@else.example>") == Status.NO_SUCH_ADDRESS.value
        assert await client.say("RCPT TO:<>") == Status.NO_SUCH_ADDRESS.value
        assert await client.say(f"RCPT TO:<{BOT}>") == Status.RECIPIENT_OK.value
        assert (await client.say("DATA now"))[:3] == "501"
        assert (await client.say("DATA"))[:3] == "354"
        assert await client.say(".") == Status.ACCEPTED.value
        assert (h.mails[0].mail_from, h.mails[0].rcpt_tos) == ("a@b.example", ("postmaster", BOT))
        assert (await client.say("DATA"))[:3] == "503", "nothing is left of the last mail"
        assert (await client.say(f"RCPT TO:<{BOT}>"))[:3] == "503"
        await client.say("MAIL FROM:<a@b.example>")
        await client.say("RSET")
        assert (await client.say(f"RCPT TO:<{BOT}>"))[:3] == "503"


BAD_LINES = [
    b"MAIL FROM:a@b.example",
    b"MAIL FROM:<a@b.example",
    b"MAIL FROM:<a(c)@b.example>",
    b"MAIL FROM:<a@b.example> SMTPUTF8=yes",
    b"MAIL FROM:<a\xff@b.example> SMTPUTF8",
    b"MAIL FROM:<a\xed\xb3\xbf@b.example> SMTPUTF8",  # a lone surrogate
    b"MAIL FROM:<a\xc0\xae@b.example> SMTPUTF8",  # a full stop in two octets
    "MAIL FROM:<ä@b.example>".encode(),
    "MAIL FROM:<ä@b.example> ſMTPUTF8".encode(),  # whose upper case is SMTPUTF8
    "MAIL FROM:<ä@b.example> SMTPUTF8 SIZE=٣".encode(),
    "MAIL FROM:\u00a0<a@b.example> SMTPUTF8".encode(),
    "MAIL\u00a0FROM:<ä@b.example> SMTPUTF8".encode(),
    b"MAIL FROM:<a@b.example> X=Y",
    b"MAIL FROM:<a@b.example> SIZE=x",
    b"MAIL FROM:",
    b"MAIL",
    b"MAIL TO:<a@b.example>",
    b"RCPT TO:mailbot@play.example",
    b"RCPT TO:<mailbot@play.example> NOTIFY=NEVER",
]


@pytest.mark.parametrize("line", BAD_LINES, ids=ascii)
async def test_s12_what_is_no_address_is_refused(line: bytes) -> None:
    async with house() as h:
        client = await h.client()
        if line.startswith(b"RCPT"):
            await client.say("MAIL FROM:<a@b.example>")
        assert (await client.say(line))[0] == "5"
        if line.startswith(b"MAIL"):
            assert await client.say("MAIL FROM:<a@b.example>") == Status.SENDER_OK.value


@pytest.mark.parametrize("address", ["ä@b.example", "a@bücher.example", '"ä b"@b.example', "用户@例子.example"])
async def test_s12_smtputf8_a_foreign_sender_is_taken(address: str) -> None:
    """RFC 6531. What an MTA in front could not hand on, it would send back to whoever the sender claims to be."""
    async with house() as h:
        client = await h.client()
        for _ in range(2):
            assert await client.say(f"MAIL FROM:<{address}>") == Status.NOT_ASCII.value
            said = f"MAIL FROM:<{address}> SMTPUTF8 BODY=8BITMIME SIZE=100"
            assert await client.say(said) == Status.SENDER_OK.value
            assert await client.say(f"RCPT TO:<{BOT}>") == Status.RECIPIENT_OK.value
            await client.say("DATA")
            client.write("From: Jürgen <j@b.example>\r\nSubject: Zug für 1\r\n\r\nä\r\n")
            assert await client.say(".") == Status.ACCEPTED.value
        assert [mail.mail_from for mail in h.mails] == [address] * 2
        assert h.mails[0].content.decode().endswith("ä\r\n")


async def test_s12_smtputf8_a_foreign_recipient_is_nobody() -> None:
    asked: list[str] = []
    async with house(mailbox_exists=lambda address: bool(asked.append(address)) or True) as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example> SMTPUTF8")
        for foreign in ("mailböt@play.example", "mailbot@play．example", "poſtmaster"):
            answer = await client.say(f"RCPT TO:<{foreign}>")
            assert answer[:3] in ("501", "550"), answer
        await client.say("RSET")
        await client.say("MAIL FROM:<a@b.example>")
        assert await client.say("RCPT TO:<mailböt@play.example>") == Status.NOT_ASCII.value, "RFC 6531 3.5"
        assert asked == []
        await client.say("RSET")
        assert await client.mail() == Status.ACCEPTED.value


async def test_s12_a_source_route_is_ignored() -> None:
    async with house() as h:
        client = await h.client()
        await client.start_data(sender="@one.example,@two.example:a@b.example")
        await client.say(".")
        assert h.mails[0].mail_from == "a@b.example"


async def test_s12_no_recipient_is_no_mailbox() -> None:
    async with house(mailbox_exists=lambda address: True) as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        assert await client.say("RCPT TO:<>") == Status.NO_SUCH_ADDRESS.value


async def test_s13_no_look_up_of_our_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_dns(*_: object) -> str:
        raise AssertionError("blocking look-up")

    for name in ("getfqdn", "gethostbyaddr", "gethostname"):
        monkeypatch.setattr(socket, name, no_dns)
    async with house() as h:
        client = await h.raw_client()
        assert await client.read() == "220 play.example ESMTP"


EHLO = "250-play.example\r\n250-SIZE 1048576\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 HELP"


async def test_s14_s20_what_is_offered_and_what_not() -> None:
    async with house() as h:
        client = await h.client(ehlo=False)
        assert await client.say("EHLO x") == EHLO
        assert (await client.say("AUTH PLAIN AGEAYg=="))[:3] == "500"
        assert "AUTH" not in await client.say("HELP")
        assert await client.say(f"VRFY {BOT}") == Status.CANNOT_VERIFY.value
        assert await client.say("VRFY nobody") == Status.CANNOT_VERIFY.value
        assert (await client.say("EXPN list"))[:3] == "502"
        assert (await client.say("STARTTLS"))[:3] == "454"


async def test_s15_nothing_of_a_mail_or_its_senders_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert logging.getLogger("mail.log").level == logging.WARNING
    caplog.set_level(logging.DEBUG)

    async def accept(mail: Envelope) -> Status:
        raise ValueError("CANARY")

    async with house(accept) as h:
        client = await h.client()
        await client.start_data(sender="canary@home.example", rcpt="mailbot+canary@play.example")
        client.write("Subject: lambo move 1 ann CANARY a1\r\n\r\nCANARY\r\n")
        assert await client.say(".") == Status.TEMPORARY.value
        await client.say("CANARY CANARY")
        await client.say("AUTH LOGIN canary")
        for _ in range(9):
            await client.say("CANARY")
    assert "mailbot.smtp" in {record.name for record in caplog.records}, "that something failed is there"
    assert "canary" not in caplog.text.lower()


async def test_a_recipient_that_is_refused_leaves_a_line_without_the_address(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with house(limits=Limits(recipients=2), front=Front(["127.0.0.1"])) as h:
        client = await h.client()
        await client.say("MAIL FROM:<canary@home.example>")
        for box in ("canary@else.example", "can\u00e4ry@play.example", "a@play.example", "b@play.example"):
            await client.say(f"RCPT TO:<{box}>")
        await client.say("RCPT TO:<canary@play.example>")
        await client.say("RSET")
        await client.say("XFORWARD ADDR=2001:db8:1:2:3::4")
        await client.say("MAIL FROM:<canary@home.example>")
        await client.say("RCPT TO:<canary@else.example>")
    assert [record.getMessage() for record in caplog.records] == [
        "a recipient was refused: NO_SUCH_ADDRESS, from unknown",
        "a recipient was refused: NOT_ASCII, from unknown",
        "a recipient was refused: TOO_MANY_RECIPIENTS, from unknown",
        "a recipient was refused: NO_SUCH_ADDRESS, from 2001:db8:1:2::",
    ]
    assert "can" not in caplog.text


async def test_s15_the_level_holds_for_debug_records() -> None:
    assert not logging.getLogger("mail.log").isEnabledFor(logging.INFO)


@pytest.mark.parametrize("length", [998, 1000, 1001, 10_000, 16_385, 500_000])
async def test_s16_long_lines_are_no_error(length: int) -> None:
    async with house() as h:
        client = await h.client()
        assert await client.mail("x" * length + "\r\nnext\r\n") == Status.ACCEPTED.value
        assert h.mails[0].content == b"x" * length + b"\r\nnext\r\n"


async def test_s16_long_command_lines_are() -> None:
    async with house() as h:
        client = await h.client()
        for length in (1001, 5000, 50_000):
            assert (await client.say("NOOP " + "x" * length))[:3] == "500"
        assert await client.say("NOOP") == "250 OK"


async def test_s17_a3_one_answer_for_all_recipients_and_no_lmtp() -> None:
    async with house() as h:
        client = await h.client(ehlo=False)
        assert (await client.say("LHLO x"))[:3] == "500"
        await client.say("EHLO x")
        await client.say("MAIL FROM:<a@b.example>")
        await client.say(f"RCPT TO:<{BOT}>")
        await client.say("RCPT TO:<mailbot+r1@play.example>")
        await client.say("DATA")
        assert await client.say(".") == Status.ACCEPTED.value
        assert await client.say("NOOP") == "250 OK"
        assert [mail.rcpt_tos for mail in h.mails] == [(BOT, "mailbot+r1@play.example")]


# ---- S18: the end


async def test_s18_stop_tells_idle_clients_and_answers_those_at_work() -> None:
    release = asyncio.Event()

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        return Status.ACCEPTED

    async with house(accept) as h:
        idle, sending, working = [await h.client() for _ in range(3)]
        await sending.start_data()
        sending.write(MAIL)
        await working.start_data()
        working.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 1)
        port = h.listener.port
        stopping = asyncio.create_task(h.listener.stop(TIME))
        assert await idle.read() == Status.SHUTTING_DOWN.value
        assert await idle.read() == ""
        assert await sending.read() == Status.SHUTTING_DOWN.value
        with pytest.raises(ConnectionError):
            await asyncio.open_connection("127.0.0.1", port)
        assert not stopping.done()
        release.set()
        assert await working.read() == Status.ACCEPTED.value
        assert await working.read() == Status.SHUTTING_DOWN.value
        assert await stopping is True
        assert await h.listener.stop(0) is True, "a second time does no harm"
        assert h.listener._intake.refusal("192.0.2.1") is Status.SHUTTING_DOWN, "for one just on its way in"


async def test_s18_stop_ends_though_a_mail_does_not() -> None:
    cancelled: list[bool] = []

    async def accept(mail: Envelope) -> Status:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return Status.ACCEPTED

    async with house(accept) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 1)
        assert await h.listener.stop(0.05) is False
        assert cancelled == [True]
        assert await client.read() == ""
        assert guests(h) == 0


async def test_s18_stop_waits_for_the_work_of_a_client_that_left() -> None:
    release = asyncio.Event()
    done: list[bool] = []

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        done.append(True)
        return Status.ACCEPTED

    async with house(accept) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 1)
        client.writer.close()
        await until(lambda: guests(h) == 0)
        stopping = asyncio.create_task(h.listener.stop(TIME))
        await asyncio.sleep(0)
        release.set()
        assert await stopping is True
        assert done == [True]


async def test_s18_stop_does_not_wait_for_a_client_that_does_not_read() -> None:
    built, _ = await deaf_house(Limits(calls=FREE))
    async with built as h:
        deaf = await deaf_client(h, b"EHLO x\r\n" * 5000)

        def stuck() -> bool:
            return any(guest.transport.get_write_buffer_size() for guest in h.listener._intake.guests)

        await until(stuck)
        assert await h.listener.stop(TIME) is True
        deaf.close()


async def test_who_reads_late_is_answered_late(caplog: pytest.LogCaptureFixture) -> None:
    built, _ = await deaf_house(Limits(calls=FREE))
    async with built as h:
        slow = await deaf_client(h, b"HELP\r\n" * 5000 + b"QUIT\r\n")
        await until(lambda: any(guest._deaf for guest in h.listener._intake.guests))
        answers = b""
        with contextlib.suppress(ConnectionError):
            while block := await asyncio.get_running_loop().sock_recv(slow, 65536):
                answers += block
        slow.close()
        await until(lambda: guests(h) == 0)
        assert answers.count(b"\n214 ") > 4000
    assert caplog.text == ""


async def test_nothing_is_obeyed_for_a_client_that_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[str] = []

    def exists(address: str) -> bool:
        asked.append(address)
        return True

    async with house(mailbox_exists=exists) as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        sock = client.writer.get_extra_info("socket")
        client.write(f"RCPT TO:<{BOT}>\r\n" * 50)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.writer.transport.abort()
        await until(lambda: guests(h) == 0)
        assert len(asked) < 50
        assert "socket.send() raised exception" not in caplog.text


async def test_sockets_handed_over() -> None:
    """As systemd does with LISTEN_FDS; one of them a unix socket, whose clients have no address."""
    tcp = socket.socket()
    tcp.bind(("127.0.0.1", 0))
    unix = socket.socket(socket.AF_UNIX)
    unix.bind("\0mailbot-test-" + str(tcp.getsockname()[1]))
    async with house(sock=[unix, tcp], limits=Limits(mails_per_minute=1, connections_per_ip=1)) as h:
        assert h.listener.port == tcp.getsockname()[1]
        assert await (await h.client()).mail() == Status.ACCEPTED.value
        for _ in range(2):
            client = Client(*await asyncio.open_unix_connection(unix.getsockname()))
            h.clients.append(client)
            await client.read()
            await client.say("EHLO x")
            assert await client.mail() == Status.ACCEPTED.value
        assert [mail.peer for mail in h.mails] == ["127.0.0.1", "", ""]


async def test_several_addresses() -> None:
    async with house(host=["127.0.0.1", "127.0.0.2"]) as h:
        ports = {sock.getsockname()[:2] for server in h.listener._servers for sock in server.sockets}
        assert {host for host, _ in ports} == {"127.0.0.1", "127.0.0.2"}


async def test_front_mta_gets_no_refusal_to_bounce() -> None:
    verdicts = [Status.MALFORMED, Status.BUSY, Status.ACCEPTED]

    async def accept(mail: Envelope) -> Status:
        return verdicts.pop(0)

    async with house(accept, front_mta=True, exempt=["127.0.0.1"], limits=Limits(data_bytes=100)) as h:
        client = await h.client()
        answers = [await client.mail() for _ in range(3)]
        assert answers == [Status.ACCEPTED.value, Status.BUSY.value, Status.ACCEPTED.value]
        assert await client.mail("x" * 200 + "\r\n") == Status.ACCEPTED.value
        stats = h.listener.stats
        assert (stats.mails, stats.accepted, stats.refused, stats.put_off, stats.too_big) == (4, 1, 2, 1, 1)


@pytest.mark.parametrize(
    ("sender", "recipient"),
    [
        ("ann@home.example", "mailbot+1@play.example"),
        ("ann@home.example", "mailbot+a--b@play.example"),
        ("ann@home.example", f"mailbot+{'x' * 80}@play.example"),
        ("ann@home.example", "nobody here"),
        ("victim+" + "x" * 300 + "@home.example", BOT),
        ("vic,tim@home.example", BOT),
        ("préy@prey.example", BOT),
        ("ann@home.example", "mailböt@play.example"),
        ("\udc80@home.example", BOT),
        ("ann@home.example", "\udcff@play.example"),
        (f"{'x' * 9000}@home.example", BOT),
        ("ann@home.example> SIZE=99999999 RET=HDRS <x", BOT),
        ("ann@home.example", f"{BOT}> NOTIFY=NEVER <x"),
    ],
)
async def test_front_mta_need_not_bounce_what_names_nobody(sender: str, recipient: str) -> None:
    """Neither at MAIL nor at RCPT: the MTA in front would write to whoever the mail claims to come from (B9)."""
    async with house(front_mta=True) as h:
        client = await h.client()
        assert (await client.say(f"MAIL FROM:<{sender}>".encode(errors="surrogateescape")))[:3] == "250"
        assert (await client.say(f"RCPT TO:<{recipient}>".encode(errors="surrogateescape")))[:3] == "250"
        assert (await client.say("DATA"))[:3] == "354"
        client.write("Subject: help\r\n\r\n")
        assert (await client.say("."))[:3] == "250"
        (mail,) = h.mails
        assert mail.mail_from in ("", "ann@home.example")
        assert mail.rcpt_tos in ((recipient.partition(">")[0],), ("nobody@invalid",))


# ---- S19 to S22: the rest


async def test_s19_words_of_clients_do_not_pile_up() -> None:
    async with house() as h:
        before = [len(kind.command_size_limits) for kind in (aiosmtpd.smtp.SMTP, type(await _session(h)))]
        client = await h.client()
        for number in range(4):
            await client.say(f"WORD{number}")
        for _ in range(50):
            await client.say("EHLO x")
        assert (await client.say("MAIL FROM:<a@b.example> " + "X" * 990))[:3] == "500"
        assert [len(kind.command_size_limits) for kind in (aiosmtpd.smtp.SMTP, type(await _session(h)))] == before


async def _session(h: House) -> Any:
    if not guests(h):
        await h.client()
    return next(iter(h.listener._intake.guests))


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    place: Path = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "2", "-subj", "/CN=play.example", "-keyout", "key.pem", "-out", "cert.pem"),
        ],
        cwd=place,
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(place / "cert.pem", place / "key.pem")
    return context


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def test_s21_a_mail_over_tls(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls) as h:
        client = await h.client(ehlo=False)
        assert "250-STARTTLS" in await client.say("EHLO x")
        assert (await client.say("STARTTLS"))[:3] == "220"
        await client.writer.start_tls(trusting())
        assert (await client.say("MAIL FROM:<a@b.example>"))[:3] == "503", "all is forgotten (RFC 3207 4.2)"
        assert await client.say("EHLO x") == EHLO, "neither STARTTLS again nor AUTH (S14)"
        for _ in range(2):
            assert await client.mail("x" * 100_000 + "\r\n") == Status.ACCEPTED.value
        assert [len(mail.content) for mail in h.mails] == [100_002] * 2
        assert (await client.say("QUIT"))[:3] == "221"
        await client.closed()
        await until(lambda: guests(h) == 0)


async def test_s21_the_limits_hold_over_tls(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls, limits=Limits(idle_seconds=1.5, drain_bytes=1_000_000)) as h:
        clients = [await h.client() for _ in range(2)]
        for client in clients:
            await client.say("STARTTLS")
            await client.writer.start_tls(trusting())
            await client.say("EHLO x")
        idle, flood = clients
        await flood.start_data()
        with contextlib.suppress(ConnectionError):
            while guests(h) == 2:
                flood.write(b"x" * 65536)
                await flood.writer.drain()
                await asyncio.sleep(0)  # drain() need not wait when the connection is gone
        assert await idle.read() == Status.TIMED_OUT.value
        await until(lambda: guests(h) == 0)
        assert h.listener.stats.aborted == 1


async def test_s21_stop_over_tls(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls) as h:
        client = await h.client()
        await client.say("STARTTLS")
        await client.writer.start_tls(trusting())
        await client.say("EHLO x")
        stopping = asyncio.create_task(h.listener.stop(TIME))
        assert await client.read() == Status.SHUTTING_DOWN.value
        client.writer.close()
        assert await stopping is True


async def test_s21_nothing_is_read_behind_a_farewell_over_tls(tls: ssl.SSLContext) -> None:
    """Whatever the TLS layer may still hand on while it says goodbye."""
    asked: list[bool] = []

    def full() -> bool:
        asked.append(True)
        return False

    async with house(tls_context=tls, full=full) as h:
        client = await h.client()
        await client.say("STARTTLS")
        await client.writer.start_tls(trusting())
        await client.say("EHLO x")
        client.write("MAIL FROM:<a@b.example>\r\n")
        (session,) = h.listener._intake.guests
        session.shut_down()
        assert await client.read() == Status.SHUTTING_DOWN.value
        await client.closed()
        client.writer.close()
        await until(lambda: guests(h) == 0)
        assert asked == []


async def test_s21_commands_in_front_of_the_handshake_are_dropped(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls) as h:
        client = await h.client()
        client.write(f"STARTTLS\r\nMAIL FROM:<evil@b.example>\r\nRCPT TO:<{BOT}>\r\n")
        assert (await client.read())[:3] == "220"
        await client.writer.start_tls(trusting())
        await client.say("EHLO x")
        assert (await client.say(f"RCPT TO:<{BOT}>"))[:3] == "503"
        assert (await client.say("DATA"))[:3] == "503"
        assert await client.mail() == Status.ACCEPTED.value
        assert [mail.mail_from for mail in h.mails] == ["ann@home.example"]


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b""], ids=ascii)
async def test_s21_a_failed_handshake_frees_its_place(tls: ssl.SSLContext, noise: bytes) -> None:
    async with house(tls_context=tls) as h:
        client = await h.client()
        assert (await client.say("STARTTLS"))[:3] == "220"
        client.write(noise)
        client.writer.write_eof()
        await client.closed()
        await until(lambda: guests(h) == 0)
        assert h.listener._intake._places._held == {}
        assert await (await h.client()).mail() == Status.ACCEPTED.value
        assert h.listener.stats.failures == 0


@pytest.mark.parametrize("limits", [Limits(idle_seconds=0.05), Limits(session_seconds=0.05)])
async def test_s21_silence_after_starttls_is_an_idle_session(tls: ssl.SSLContext, limits: Limits) -> None:
    """asyncio does not report the end of a connection whose handshake is not through; its place must be freed."""
    async with house(tls_context=tls, limits=limits) as h:
        client = await h.client()
        assert (await client.say("STARTTLS"))[:3] == "220"
        await client.closed()
        assert guests(h) == 0
        assert h.listener.stats.timed_out == 1


async def test_s21_stop_in_the_middle_of_a_handshake(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls) as h:
        client = await h.client()
        assert (await client.say("STARTTLS"))[:3] == "220"
        assert await h.listener.stop(TIME) is True
        assert guests(h) == 0
        await client.closed()


@pytest.mark.parametrize("proxy", [b"PROXY TCP4 192.0.2.9 192.0.2.1 5 25", b"\r\n\r\n\0\r\nQUIT\n\x21\x11"], ids=ascii)
async def test_s22_nobody_may_name_another_peer(proxy: bytes) -> None:
    async with house() as h:
        client = await h.raw_client()
        await client.read()
        assert (await client.say(proxy))[:3] in ("500", "501")
        other = await h.client()
        assert await other.mail() == Status.ACCEPTED.value
        assert [mail.peer for mail in h.mails] == ["127.0.0.1"]


async def test_no_reference_keeps_a_session_alive() -> None:
    """What 300 connections leave behind, in kilobytes of text and in sessions."""
    import gc

    async with house(limits=Limits(mails_per_minute=0)) as h:
        kind = type(await _session(h))
        for _ in range(30):
            client = await h.client()
            await client.mail()
            await client.say("QUIT")
            client.writer.close()
        await until(lambda: guests(h) == 1)
        gc.collect()
        assert sum(isinstance(thing, kind) for thing in gc.get_objects()) <= 3


async def test_s21_no_tls_inside_tls(tls: ssl.SSLContext) -> None:
    """asyncio tells nobody when the inner handshake fails: the place would be taken for ever."""
    async with house(tls_context=tls) as h:
        client = await h.client()
        await client.say("STARTTLS")
        await client.writer.start_tls(trusting())
        await client.say("EHLO x")
        for again in ("STARTTLS", "STARTTLS x"):
            assert (await client.say(again))[:3] == "503"
            assert (await client.say("RSET"))[:3] == "250", "it goes on"
        client.writer.close()
        await until(lambda: guests(h) == 0)


async def test_s21_starttls_of_a_client_that_does_not_read(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls) as h:
        client = await h.client()
        session = await _session(h)
        session.transport.set_write_buffer_limits(high=1 << 30)
        session.transport.write(b"x" * 16_000_000)
        client.write("STARTTLS\r\n")
        await until(lambda: guests(h) == 0)


async def test_s21_an_end_between_starttls_and_the_handshake(tls: ssl.SSLContext) -> None:
    async with house(tls_context=tls) as h:
        session = await _session(h)
        session.data_received(b"STARTTLS\r\n")
        assert await h.listener.stop(TIME) is True
        assert h.listener.stats.failures == 0


async def test_a_server_without_a_domain_lets_mail_for_others_wait() -> None:
    """Its settings may be missing for the moment: a refusal for good would bounce the mail of players."""
    async with house(unknown=Status.NOT_SET_UP) as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        assert await client.say("RCPT TO:<nobody@else.example>") == Status.NOT_SET_UP.value
