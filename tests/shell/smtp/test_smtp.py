"""The SMTP listener through real sockets: ends of mails, answers, hang-ups, limits (S1 to S9)."""

import asyncio
import contextlib
import sqlite3
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from mailbot.core.mail.marks import wanted
from mailbot.shell.smtp.listener import Envelope, Limits, Status
from mailbot.shell.smtp.wire import Disk
from tests.shell.smtp.smtp_house import BOT, FREE, MAIL, Client, deaf_client, deaf_house, guests, house, until

pytestmark = pytest.mark.asyncio


# ---- the plain way


async def test_a_mail_arrives_as_it_was_sent() -> None:
    async with house() as h:
        client = await h.client()
        await client.start_data()
        client.write("Subject: x\r\n\r\n..dot\r\nplain\r\n")
        assert await client.say(".") == Status.ACCEPTED.value
        assert h.mails == [
            Envelope("127.0.0.1", "ann@home.example", (BOT,), b"Subject: x\r\n\r\n.dot\r\nplain\r\n"),
        ]
        assert (await client.say("QUIT"))[:3] == "221"
        assert await client.read() == ""


@pytest.mark.parametrize("status", [Status.ACCEPTED, Status.TEMPORARY, Status.NOT_ACCEPTED])
@pytest.mark.parametrize("front_mta", [False, True])
async def test_the_answer_carries_the_id_of_the_mail(status: Status, front_mta: bool) -> None:
    async def accept(mail: Envelope) -> Status:
        return status

    async with house(accept, front_mta=front_mta) as h:
        client = await h.client()
        said = Status.ACCEPTED if front_mta and status.permanent else status
        assert await client.mail("Message-ID: <move-7@home.example>\r\n\r\na1\r\n") == said.value
        assert client.mark == h.mails[0].mark == wanted("<move-7@home.example>")
        assert await client.say("NOOP") != ""
        assert client.mark == "", "only the answer to a whole mail has one"


# ---- 1.1: nothing but CRLF . CRLF ends a mail, and nothing gets in behind it

SMUGGLED = "MAIL FROM:<admin@play.example>\r\nRCPT TO:<mailbot@play.example>\r\nDATA\r\nSubject: second\r\n\r\nx\r\n"
VARIANTS = ["\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r.\r\n", "\r\n.\r", "\r\n\0.\r\n", "\n\r.\r\n", "\r\n. \r\n"]


@pytest.mark.parametrize("variant", VARIANTS, ids=repr)
@pytest.mark.parametrize("blockwise", [False, True])
async def test_no_other_end_of_data(variant: str, blockwise: bool) -> None:
    async with house() as h:
        client = await h.client()
        await client.start_data()
        sent = f"Subject: first\r\n\r\nx{variant}{SMUGGLED}".encode()
        for at in range(0, len(sent), 1 if blockwise else len(sent)):
            client.write(sent[at : at + 1] if blockwise else sent)
            await client.writer.drain()
        assert await client.say(".") == Status.ACCEPTED.value
        assert await client.say("NOOP") == "250 OK"
        (mail,) = h.mails
        # "\r\n.\n" and the like: RFC 5321 4.5.2 takes one leading dot off a line, whatever else the line is.
        assert mail.content == sent.replace(b"\r\n.", b"\r\n")


@pytest.mark.parametrize("behind", ["QUIT\r\n", SMUGGLED + ".\r\n", "NOOP\r\n", "\0", "\r\n"], ids=repr)
@pytest.mark.parametrize("late", [False, True])
async def test_nothing_behind_the_final_dot_is_read(behind: str, late: bool) -> None:
    """Whether it comes in one packet with the dot, or while the mail is being worked on."""
    release = asyncio.Event()

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        return Status.ACCEPTED

    async with house(accept) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n" + ("" if late else behind))
        await until(lambda: len(h.mails) == 1)
        if late:
            client.write(behind)
        await until(lambda: h.listener.stats.out_of_step == 1)
        release.set()
        assert await client.read() == Status.ACCEPTED.value
        assert await client.read() == Status.OUT_OF_STEP.value
        assert await client.read() == ""
        assert len(h.mails) == 1
        assert h.mails[0].content == MAIL.encode()


async def test_text_before_the_go_ahead_ends_the_session() -> None:
    async with house() as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        await client.say(f"RCPT TO:<{BOT}>")
        client.write("DATA\r\n" + MAIL + ".\r\n" + SMUGGLED)
        assert await client.read() == Status.TALKED_EARLY.value
        assert await client.read() == ""
        assert h.mails == []


async def test_commands_sent_together_before_data_are_fine() -> None:
    async with house() as h:
        client = await h.client()
        client.write(f"MAIL FROM:<a@b.example>\r\nRCPT TO:<{BOT}>\r\nDATA\r\n")
        assert [(await client.read())[:3] for _ in range(3)] == ["250", "250", "354"]
        client.write(MAIL)
        assert await client.say(".") == Status.ACCEPTED.value
        assert len(h.mails) == 1


# ---- S1 to S3: answers

SECRET = "disk is full: INSERT secret"
BROKEN = [
    sqlite3.OperationalError(SECRET),
    ValueError(SECRET),
    UnicodeEncodeError("ascii", SECRET, 0, 1, SECRET),
    RecursionError(SECRET),
    MemoryError(SECRET),
    ConnectionResetError(SECRET),
    TimeoutError(SECRET),
    asyncio.CancelledError(SECRET),
]


@pytest.mark.parametrize("error", BROKEN, ids=lambda error: type(error).__name__)
async def test_s1_an_exception_is_a_constant_451(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    broken = [True]

    async def accept(mail: Envelope) -> Status:
        if broken.pop() if broken else False:
            raise error
        return Status.ACCEPTED

    async with house(accept) as h:
        client = await h.client()
        assert await client.mail() == Status.TEMPORARY.value
        assert await client.mail() == Status.ACCEPTED.value, "the session lives on (S20)"
    assert "secret" not in caplog.text


async def test_s1_an_exception_before_the_first_await() -> None:
    def accept(mail: Envelope) -> Awaitable[Status]:
        raise OSError(SECRET)

    async with house(accept) as h:
        assert await (await h.client()).mail() == Status.TEMPORARY.value
        assert h.listener.stats.failures == 1


async def test_s1_a_broken_mailbox_lookup_costs_one_recipient() -> None:
    def exists(address: str) -> bool:
        if address.startswith("x"):
            raise sqlite3.OperationalError(SECRET)
        return True

    async with house(mailbox_exists=exists) as h:
        client = await h.client()
        assert await client.say("MAIL FROM:<a@b.example>") == Status.SENDER_OK.value
        assert await client.say("RCPT TO:<x@play.example>") == Status.TEMPORARY.value
        assert await client.say("RCPT TO:<y@play.example>") == Status.RECIPIENT_OK.value
        assert (await client.say("DATA"))[:3] == "354"
        assert await client.say(".") == Status.ACCEPTED.value
        assert h.mails[0].rcpt_tos == ("y@play.example",)
        assert h.mails[0].content == b""


async def test_s1_a_broken_disk_check_is_temporary() -> None:
    def full() -> bool:
        raise OSError(SECRET)

    async with house(full=full) as h:
        client = await h.client()
        assert await client.say("MAIL FROM:<a@b.example>") == Status.TEMPORARY.value
        assert await client.say("MAIL FROM:<a@b.example>") == Status.TEMPORARY.value


@pytest.mark.parametrize("answer", [None, "250 OK", "250 OK\r\n550 no", "250 über", b"250 OK", 250, True], ids=ascii)
async def test_s2_s3_only_a_status_is_an_answer(answer: Any) -> None:
    async def accept(mail: Envelope) -> Status:
        return answer  # type: ignore[no-any-return]

    async with house(accept) as h:
        client = await h.client()
        assert await client.mail() == Status.TEMPORARY.value
        assert await client.say("NOOP") == "250 OK"


@pytest.mark.parametrize("status", list(Status), ids=lambda status: status.name)
async def test_a5_every_status_goes_out_as_it_is(status: Status) -> None:
    async def accept(mail: Envelope) -> Status:
        return status

    async with house(accept) as h:
        client = await h.client()
        assert await client.mail() == status.value
        counted = h.listener.stats
        tally = {"2": (1, 0, 0), "4": (0, 1, 0), "5": (0, 0, 1)}[status.value[0]]
        assert (counted.accepted, counted.put_off, counted.refused) == tally
        if status.value.startswith("421"):
            assert (await client.read())[:3] == "421"
            assert await client.read() == ""


WORDS = [
    b"HACK\rX",
    b"VRFY a\rb",
    b"HELP x\ry",
    b"\x1b[2J",
    b"\xff\xfe",
    b"MAIL FROM:<a\rb@c>",
    b"EHLO a\rb",
    b"SECRET x",
]


@pytest.mark.parametrize("line", WORDS, ids=ascii)
async def test_s3_no_word_of_the_client_comes_back(line: bytes) -> None:
    async with house() as h:
        client = await h.client()
        answer = await client.say(line)
        assert answer[:3].isdigit()
        assert answer.replace("\r\n", "").isprintable()
        assert "SECRET" not in answer and "HACK" not in answer
        assert await client.say("NOOP") == "250 OK"


@pytest.mark.parametrize("answer", ["250 a\r\n550 b", "250 über", b"250 bytes", "", "hello", "250 \x7f"], ids=ascii)
async def test_s3_the_way_out_is_narrow(answer: str | bytes) -> None:
    """Whatever aiosmtpd itself may one day want to say."""
    async with house() as h:
        client = await h.client()
        (session,) = h.listener._intake.guests
        await session.push(answer)  # type: ignore[attr-defined]
        assert await client.read() == Status.TEMPORARY.value


async def test_s1_s20_a_fault_of_our_own_in_data_is_a_451_and_the_session_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: object) -> bytes:
        raise ValueError(SECRET)

    async with house() as h:
        client = await h.client()
        with monkeypatch.context() as patch:
            patch.setattr("mailbot.shell.smtp.wire.Text.content", broken)
            assert await client.mail() == Status.TEMPORARY.value
        assert await client.mail() == Status.ACCEPTED.value
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text


# ---- S4: a client that leaves


def leave_by_close(client: Client) -> None:
    client.writer.close()


def leave_by_half_close(client: Client) -> None:
    client.writer.write_eof()


def leave_by_reset(client: Client) -> None:
    client.writer.transport.abort()


@pytest.mark.parametrize("leave", [leave_by_close, leave_by_half_close, leave_by_reset])
async def test_s4_work_goes_on_when_the_client_hangs_up(leave: Callable[[Client], None]) -> None:
    release = asyncio.Event()
    done: list[str] = []

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        done.append("committed")
        return Status.ACCEPTED

    async with house(accept) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 1)
        leave(client)
        await until(lambda: h.listener.stats.hung_up == 1)
        assert guests(h) == 0
        release.set()
        await until(lambda: done == ["committed"])


@pytest.mark.parametrize("leave", [leave_by_close, leave_by_half_close, leave_by_reset])
async def test_s4_half_a_mail_is_no_mail(leave: Callable[[Client], None]) -> None:
    async with house() as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL)
        leave(client)
        await until(lambda: guests(h) == 0)
        assert h.mails == []


# ---- S5, S6: memory


FLOODS = [
    # block, inside a mail's text?, the counter that tells why it ended
    (b"x" * 65536, True, "aborted"),
    (b"\r\n" * 32768, True, "aborted"),
    (b".\n" * 32768, True, "aborted"),
    (b"x" * 65536, False, "aborted"),
    (b"\r\n" * 32768, False, "too_many_errors"),
    (b"MAIL FROM:x\r\n" * 1000, False, "too_many_errors"),
]


@pytest.mark.parametrize(("block", "in_text", "reason"), FLOODS, ids=lambda value: repr(value)[:12])
async def test_s5_s6_floods_are_cut(block: bytes, in_text: bool, reason: str) -> None:
    async with house(limits=Limits(drain_bytes=1_000_000, data_bytes=50_000)) as h:
        client = await h.client()
        if in_text:
            await client.start_data()
        with contextlib.suppress(ConnectionError):
            while guests(h):
                client.write(block)
                await client.writer.drain()
        await until(lambda: guests(h) == 0)
        assert getattr(h.listener.stats, reason) == 1
        assert h.mails == []


async def test_s5_a_flood_leaves_nothing_in_memory() -> None:
    async with house(limits=Limits(data_bytes=100_000)) as h:
        client = await h.client()
        await client.start_data()
        tracemalloc.start()
        for _ in range(200):
            client.write(b"x" * 65536)
            await client.writer.drain()
        (session,) = h.listener._intake.guests
        await until(lambda: session._text.received == 200 * 65536)  # type: ignore[attr-defined]
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 3_000_000, "13 MB went through"
        client.write("\r\n")
        assert await client.say(".") == Status.TOO_BIG.value


async def test_s8_nothing_is_read_behind_a_farewell() -> None:
    asked: list[bool] = []

    def full() -> bool:
        asked.append(True)
        return False

    async with house(full=full) as h:
        client = await h.client()
        client.write("\r\n" * 100 + "MAIL FROM:<a@b.example>\r\n")
        for _ in range(100):
            assert (await client.read())[:3] == "500"
        assert await client.read() == Status.TOO_MANY_ERRORS.value
        assert await client.read() == ""
        assert asked == []


async def test_s8_an_mta_with_many_wrong_recipients_gets_an_answer_for_each() -> None:
    async with house() as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        for number in range(99):
            assert await client.say(f"RCPT TO:<{number}@else.example>") == Status.NO_SUCH_ADDRESS.value
        assert await client.say(f"RCPT TO:<{BOT}>") == Status.RECIPIENT_OK.value
        assert await client.say("RCPT TO:<x@else.example>") == Status.NO_SUCH_ADDRESS.value
        assert await client.read() == Status.TOO_MANY_ERRORS.value
        assert await client.read() == ""


TOO_BIG = [
    # limits, text, answer
    (Limits(data_bytes=100), "x" * 98 + "\r\n", Status.ACCEPTED),
    (Limits(data_bytes=100), "x" * 99 + "\r\n", Status.TOO_BIG),
    (Limits(data_bytes=100), "x" * 100_000 + "\r\n", Status.TOO_BIG),
    (Limits(data_lines=10), "\r\n" * 10, Status.ACCEPTED),
    (Limits(data_lines=10), "\r\n" * 11, Status.TOO_BIG),
    (Limits(), "\r\n" * 40_001, Status.TOO_BIG),
    (Limits(), "x" * 1024 * 1024 + "\r\n", Status.TOO_BIG),
    (Limits(), ("x" * 78 + "\r\n") * 13_000, Status.ACCEPTED),
]


@pytest.mark.parametrize(("limits", "text", "answer"), TOO_BIG)
async def test_s6_too_big_is_answered_at_the_dot(limits: Limits, text: str, answer: Status) -> None:
    async with house(limits=limits) as h:
        client = await h.client()
        assert await client.mail(text) == answer.value
        assert len(h.mails) == (answer is Status.ACCEPTED)
        assert await client.mail("y\r\n") == Status.ACCEPTED.value
        assert h.mails[-1].content == b"y\r\n"


async def test_a8_size_is_told_and_kept_at_mail_already() -> None:
    async with house(limits=Limits(data_bytes=70_000)) as h:
        client = await h.client(ehlo=False)
        assert "250-SIZE 70000" in await client.say("EHLO x")
        assert (await client.say("MAIL FROM:<a@b.example> SIZE=70001"))[:3] == "552"
        assert await client.say("MAIL FROM:<a@b.example> SIZE=70000 BODY=8BITMIME") == Status.SENDER_OK.value
    assert Limits().data_bytes >= 64 * 1024


async def test_b9_front_mta_is_told_of_no_size_that_it_would_bounce() -> None:
    async with house(front_mta=True, limits=Limits(data_bytes=70_000)) as h:
        client = await h.client(ehlo=False)
        assert "250-SIZE 0\r\n" in await client.say("EHLO x") + "\r\n"
        assert (
            await client.mail(
                "x" * 60 + "\r\n",
            )
            == Status.ACCEPTED.value
        )
        assert await client.mail(("x" * 60 + "\r\n") * 20_000) == Status.ACCEPTED.value
        assert len(h.mails) == 1, "the big one is dropped"


# ---- S7, S8: time


@pytest.mark.parametrize("limit", [Limits(idle_seconds=0.1, calls=FREE), Limits(session_seconds=0.2, calls=FREE)])
async def test_s7_a_client_that_does_not_read_is_dropped(limit: Limits) -> None:
    built, _ = await deaf_house(limit)
    async with built as h:
        deaf = await deaf_client(h, b"EHLO x\r\n" * 5000)
        await until(lambda: h.listener.stats.timed_out == 1)
        await until(lambda: guests(h) == 0)
        deaf.close()


async def test_s8_idle_and_half_sent_mails_end_with_a_421() -> None:
    for start in (False, True):
        async with house(limits=Limits(idle_seconds=0.05)) as h:
            client = await h.client()
            if start:
                await client.start_data()
                client.write(MAIL)
            assert await client.read() == Status.TIMED_OUT.value
            assert await client.read() == ""
            assert h.mails == []


async def test_a9_a_slow_mail_is_not_idle() -> None:
    async with house() as h:
        client = await h.client()
        await client.start_data()
        session: Any = next(iter(h.listener._intake.guests))
        session.heard -= session._timeout_duration  # as if all the time that may be idle had passed
        client.write("x")
        await until(lambda: session._text.received == 1)
        session._timeout_cb()
        assert not session.transport.is_closing()
        assert session._timeout_handle.when() > session.heard
        session.heard -= session._timeout_duration
        session._timeout_cb()
        assert await client.read() == Status.TIMED_OUT.value


async def test_s8_noop_does_not_hold_a_session_past_its_deadline() -> None:
    async with house(limits=Limits(session_seconds=0.1, calls=FREE)) as h:
        client = await h.client()
        answers = []
        with contextlib.suppress(ConnectionError):
            while (answer := await client.say("NOOP")) == "250 OK":
                answers.append(answer)
        assert answer in (Status.TIMED_OUT.value, "")
        assert h.listener.stats.timed_out == 1
        assert guests(h) == 0


async def test_s8_a_drip_in_a_mail_does_not_hold_a_session_past_its_deadline() -> None:
    async with house(limits=Limits(session_seconds=0.1)) as h:
        client = await h.client()
        await client.start_data()
        with contextlib.suppress(ConnectionError):
            while guests(h):
                client.write("x")
                await client.writer.drain()
                await asyncio.sleep(0)
        assert h.listener.stats.timed_out == 1


async def test_s8_the_deadline_waits_for_the_answer_of_a_mail_in_work() -> None:
    release = asyncio.Event()

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        return Status.ACCEPTED

    async with house(accept, limits=Limits(session_seconds=0.05)) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 1)
        (session,) = h.listener._intake.guests
        await until(lambda: session._farewell is not None)  # type: ignore[attr-defined]
        release.set()
        assert await client.read() == Status.ACCEPTED.value
        assert await client.read() == Status.TIMED_OUT.value


async def test_s8_work_that_never_ends_frees_its_connection() -> None:
    never = asyncio.Event()

    async def accept(mail: Envelope) -> Status:
        await never.wait()
        return Status.ACCEPTED

    async with house(accept, limits=Limits(idle_seconds=0.05)) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n")
        assert await client.read() == "", "no answer, for none is known"
        assert guests(h) == 0


CALLS = [("NOOP", 10), ("RSET", 1000), ("VRFY a", 100), ("HELP", 100), ("EHLO x", 99)]


@pytest.mark.parametrize(("command", "allowed"), CALLS)
async def test_s8_commands_are_counted(command: str, allowed: int) -> None:
    async with house() as h:
        client = await h.client()
        for _ in range(allowed):
            assert (await client.say(command))[0] == "2"
        assert (await client.say(command))[:9] == "421 4.7.0"
        assert await client.read() == ""


async def test_s8_an_mta_that_keeps_its_connection_is_not_cut() -> None:
    async with house(limits=Limits(mails_per_minute=0, command_bytes=1000)) as h:
        client = await h.client()
        for _ in range(300):
            assert await client.mail() == Status.ACCEPTED.value
        assert len(h.mails) == 300


# ---- S9: how many


async def test_s9_connections_of_one_address_and_of_all() -> None:
    async with house(limits=Limits(connections=5, connections_per_ip=2)) as h:
        for source in ("127.0.0.1", "127.0.0.2"):
            first = await h.client(source)
            await h.client(source)
            third = await h.raw_client(source)
            assert await third.read() == Status.TOO_MANY_CONNECTIONS.value
            assert await third.read() == ""
        await h.client("127.0.0.3")
        assert await (await h.raw_client("127.0.0.4")).read() == Status.TOO_MANY_CONNECTIONS.value
        stats = h.listener.stats
        assert (stats.connections, stats.turned_away) == (5, 3)
        first.writer.close()
        await until(lambda: guests(h) == 4)
        await h.client("127.0.0.2")


async def test_s9_the_front_mta_is_not_counted_as_one_client() -> None:
    limits = Limits(connections_per_ip=1, mails_per_minute=1)
    async with house(limits=limits, exempt=["127.0.0.1"], clock=lambda: 7.0) as h:
        for _ in range(3):
            client = await h.client("127.0.0.1")
            assert await client.mail() == Status.ACCEPTED.value
        other = await h.client("127.0.0.2")
        assert await other.mail() == Status.ACCEPTED.value
        assert await other.say("MAIL FROM:<a@b.example>") == Status.RATE_LIMIT.value
        assert await (await h.raw_client("127.0.0.2")).read() == Status.TOO_MANY_CONNECTIONS.value


async def test_s9_mails_a_minute() -> None:
    now = [600.0]
    async with house(clock=lambda: now[0]) as h:
        client = await h.client()
        for _ in range(30):
            assert await client.mail() == Status.ACCEPTED.value
        assert await client.say("MAIL FROM:<a@b.example>") == Status.RATE_LIMIT.value
        assert await (await h.client("127.0.0.2")).mail() == Status.ACCEPTED.value
        now[0] = 660.0
        assert await client.mail() == Status.ACCEPTED.value
        assert h.listener.stats.rate_limited == 1


async def test_s9_recipients() -> None:
    async with house() as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        for number in range(100):
            assert await client.say(f"RCPT TO:<mailbot+{number}@play.example>") == Status.RECIPIENT_OK.value
        assert await client.say(f"RCPT TO:<{BOT}>") == Status.TOO_MANY_RECIPIENTS.value
        await client.say("DATA")
        assert await client.say(".") == Status.ACCEPTED.value
        (mail,) = h.mails
        assert len(mail.rcpt_tos) == 100


async def test_backpressure_when_too_many_mails_are_in_work() -> None:
    release = asyncio.Event()

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        return Status.ACCEPTED

    async with house(accept, limits=Limits(accepts=2)) as h:
        waiting = [await h.client() for _ in range(2)]
        for client in waiting:
            await client.start_data()
            client.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 2)
        waiting[0].writer.close()  # one that has left still counts
        third = await h.client()
        assert await third.mail() == Status.BUSY.value
        release.set()
        assert await waiting[1].read() == Status.ACCEPTED.value
        assert await third.mail() == Status.ACCEPTED.value
        assert h.listener.stats.busy == 1


async def test_a6_low_disk_is_told_at_mail() -> None:
    free, now = [999], [0.0]
    async with house(full=Disk(1000, lambda: free[0], lambda: now[0]).full) as h:
        client = await h.client()
        assert await client.say("MAIL FROM:<a@b.example>") == Status.DISK_FULL.value
        free[0] = 1000
        assert await client.say("MAIL FROM:<a@b.example>") == Status.DISK_FULL.value  # looked up once a second
        now[0] = 1.0
        assert await client.mail() == Status.ACCEPTED.value


# ---- a full house


def aged(h: Any, *seconds: float) -> None:
    """As if the sessions, oldest first, had been without a mail for so long."""
    for session, age in zip(sorted(h.listener._intake.guests, key=lambda guest: guest.since), seconds, strict=True):
        session.since = session.loop.time() - age


async def test_s9_sixty_four_idle_connections_shut_nobody_out() -> None:
    """The finding: eight addresses hold all places, keep them alive, and nobody else is greeted."""
    async with house() as h:
        idle = [await h.client(f"127.0.{2 + number // 8}.1") for number in range(64)]
        aged(h, *range(64, 0, -1))
        for client in idle:
            assert await client.say("RSET") == "250 OK", "a word is no mail: it does not make one younger"
        honest = await h.client("127.0.0.99")
        assert await idle[0].read() == Status.TOO_MANY_CONNECTIONS.value, "the oldest goes"
        assert await idle[0].read() == ""
        assert await honest.mail() == Status.ACCEPTED.value
        assert await idle[1].say("NOOP") == "250 OK"
        assert (h.listener.stats.made_room, h.listener.stats.turned_away) == (1, 0)
        assert guests(h) == 64


async def test_s9_slow_talkers_of_a_few_networks_keep_no_other_out() -> None:
    """The finding: 64 connections from twelve addresses, each with a mail under way to which a line is added now and
    then, and which begins anew before it has taken a minute."""
    async with house() as h:
        drips = [await h.client(f"127.0.{2 + number // 16}.{1 + number % 4}") for number in range(64)]
        for client in drips:
            await client.start_data()
        honest = await h.client("127.0.99.1")
        assert await honest.mail() == Status.ACCEPTED.value
        assert (h.listener.stats.made_room, h.listener.stats.turned_away, guests(h)) == (1, 0, 64)
        assert await (await h.raw_client("127.0.3.9")).read() == Status.TOO_MANY_CONNECTIONS.value, "they have theirs"


async def test_s9_who_has_just_come_is_not_sent_away_for_another() -> None:
    async with house(limits=Limits(connections=2)) as h:
        first, second = [await h.client() for _ in range(2)]
        assert await (await h.raw_client()).read() == Status.TOO_MANY_CONNECTIONS.value
        assert [await client.mail() for client in (first, second)] == [Status.ACCEPTED.value] * 2


async def test_s9_a_mail_under_way_stays_before_an_idle_connection() -> None:
    async with house(limits=Limits(connections=3)) as h:
        begun, texting, idle = [await h.client() for _ in range(3)]
        assert await begun.say("MAIL FROM:<a@b.example>") == Status.SENDER_OK.value
        await texting.start_data()
        aged(h, 70, 61, 4)
        new = await h.client()
        assert await idle.read() == Status.TOO_MANY_CONNECTIONS.value
        assert await new.say("MAIL FROM:<a@b.example>") == Status.SENDER_OK.value
        newer = await h.client()  # none is idle; the slowest mail goes
        assert await begun.read() == Status.TOO_MANY_CONNECTIONS.value
        await newer.start_data()
        texting.write(MAIL)
        assert await texting.say(".") == Status.ACCEPTED.value
        assert guests(h) == 3


async def test_s9_who_falls_silent_within_a_mail_makes_room() -> None:
    """The finding: MAIL alone held a place for a minute."""
    async with house(limits=Limits(connections=3)) as h:
        silent, talking, texting = [await h.client() for _ in range(3)]
        for client in (silent, talking):
            assert await client.say("MAIL FROM:<a@b.example>") == Status.SENDER_OK.value
        await texting.start_data()
        sessions = sorted(h.listener._intake.guests, key=lambda guest: guest.since)
        for session, quiet in zip(sessions, (11, 3, 3), strict=True):
            session.heard -= quiet
        await h.client()
        assert await silent.read() == Status.TOO_MANY_CONNECTIONS.value
        assert await talking.say("RSET") == "250 OK"
        assert guests(h) == 3


async def test_s9_a_mail_in_work_keeps_its_place() -> None:
    release = asyncio.Event()

    async def accept(mail: Envelope) -> Status:
        await release.wait()
        return Status.ACCEPTED

    async with house(accept, limits=Limits(connections=1)) as h:
        client = await h.client()
        await client.start_data()
        client.write(MAIL + ".\r\n")
        await until(lambda: len(h.mails) == 1)
        aged(h, 1000)
        assert await (await h.raw_client()).read() == Status.TOO_MANY_CONNECTIONS.value
        release.set()
        assert await client.read() == Status.ACCEPTED.value


@pytest.mark.parametrize(("here", "left"), [(3, 3), (5, 5), (8, 5), (9, 3), (10, 9)])
async def test_s9_the_fuller_the_house_the_shorter_its_patience(here: int, left: int) -> None:
    """Of connections idle for 0, 25, 50 ... seconds those leave for which patience has run out: 300 s while half of
    the places are free, 3 s when none is."""
    async with house(limits=Limits(connections=10, connections_per_ip=99)) as h:
        for _ in range(here):
            await h.client()
        aged(h, *(25.0 * number for number in reversed(range(here))))
        await h.client()
        await until(lambda: guests(h) == left + 1)
