"""SMTP sessions of the hostile corpus, against the real listener over a socket: all octets at once, as a smuggler sends
them; then the number of mails taken in, and the last answer."""

import pytest

from mailbot.core.mail.addresses import Own
from mailbot.core.mail.incoming import Malformed, read
from mailbot.shell.smtp.listener import Envelope, Status
from tests.shell.smtp.smtp_house import BOT, house

EHLO, FROM, TO, DATA, QUIT = (
    "EHLO x.example\r\n",
    "MAIL FROM:<a@b.example>\r\n",
    f"RCPT TO:<{BOT}>\r\n",
    "DATA\r\n",
    "QUIT\r\n",
)
OPEN = EHLO + FROM + TO + DATA
TEXT = "From: a@b.example\r\nSubject: help\r\n\r\n"
SECOND = (
    f"MAIL FROM:<evil@b.example>\r\nRCPT TO:<{BOT}>\r\nDATA\r\nFrom: victim@b.example\r\nSubject: signup x\r\n\r\n.\r\n"
)

# Ends of the data that are none, for a bare CR or LF, or a NUL, is in them: the whole mail is refused.
BARE = (
    *("\n.\n", "\n.\r\n", "\r\n.\n", "\r\n.\r", "\r.\r\n", "\r.\r", "\n.\r", "\r\r\n.\r\r\n", "\r\n.\r\r\n"),
    *("\r\n \r\n.\n\r\n", "\r\n\x00.\r\n", "\r\n.\x00\r\n"),
)
# Lines that are lines of the text: one mail, with the other one in it as text.
LINES = (
    *("\r\n.\x0b\r\n", "\r\n..\r\n", "\r\n. \r\n", "\r\n.\t\r\n"),
    *("\u2028.\u2028", "\x85.\x85", "\r\n\ufeff.\r\n", "\r\n.=\r\n"),
)

ROWS: list[tuple[str, str, int]] = [
    *((f"end {end!r}", f"{OPEN}{TEXT}a{end}{SECOND}", 0) for end in BARE),
    *((f"end {end!r}, twice", f"{OPEN}{TEXT}a{end}b{end}{SECOND}", 0) for end in BARE),
    *((f"no end {end!r}", f"{OPEN}{TEXT}a{end}{SECOND}", 1) for end in LINES),
    ("an honest mail", f"{OPEN}{TEXT}help\r\n.\r\n{QUIT}", 1),
    ("two in one stream before the answer", f"{OPEN}{TEXT}help\r\n.\r\n{SECOND}{QUIT}", 1),
    ("dots are unstuffed", f"{OPEN}{TEXT}..\r\n...\r\n.\r\n{QUIT}", 1),
    ("a bare LF in the text", f"{OPEN}{TEXT}a\nb\r\n.\r\n{QUIT}", 0),
    ("a bare CR in the text", f"{OPEN}{TEXT}a\rb\r\n.\r\n{QUIT}", 0),
    ("commands with bare LF", OPEN.replace("\r\n", "\n") + TEXT + ".\r\n", 0),
    ("an HTTP request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0),
    ("an HTTP request with mail in its body", f"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{OPEN}{TEXT}.\r\n", 0),
    ("no greeting", FROM + TO + DATA + TEXT + ".\r\n", 0),
    ("two senders", EHLO + FROM + "MAIL FROM:<c@d.example>\r\n" + DATA, 0),
    ("DATA without a recipient", EHLO + FROM + DATA + TEXT + ".\r\n", 0),
    ("a recipient that is not ours", EHLO + FROM + "RCPT TO:<x@victim.example>\r\n" + DATA + TEXT + ".\r\n", 0),
    *(
        (f"relaying: {to}", f"{EHLO}{FROM}RCPT TO:<{to}>\r\n{DATA}{TEXT}.\r\n", 0)
        for to in (
            "x%victim.example@else.example", "@play.example:x@victim.example", "x@victim.example@else.example",
            "victim.example!x@else.example", "\"x@victim.example\"@else.example", "x@[127.0.0.1]", "x@[IPv6:::1]",
            "x@localhost", "| /bin/sh", "../../etc/passwd", "x@else.example\x00@play.example",
            "x@else.example> SIZE=1 <y@play.example",
            "\u00fcx@else.example", "x@else.example,y@play.example", "<x@play.example>>", "x@play.example.else.example",
        )
    ),
    *(
        (f"sender {sender!r}", f"{EHLO}MAIL FROM:{sender}\r\n{TO}{DATA}{TEXT}.\r\n", 0)
        for sender in (
            "a@b.example", "<a@b.example", "<a@b.example> X=Y", "<a@b.example>\x00", "<a b@c.example>",
            "<\u00e4@b.example>", "<a@b.example> SIZE=99999999999", "<a@b.example> BODY=8BITMIME BODY=8BITMIME Z", "",
        )
    ),
    *(
        (f"SMTPUTF8 sender {sender!r}", f"{EHLO}MAIL FROM:{sender} SMTPUTF8\r\n{TO}{DATA}{TEXT}.\r\n", 0)
        for sender in (
            "<a\udcff@b.example>", "<a\udced\udcb3\udcbf@b.example>", "<\u00e4@b.example> X=\u00e4", "\u00e4@b.example",
            "<\u00e4@b.example>\u2028RCPT TO:<x@else.example>", "\u00a0<a@b.example>", "<\u00e4@b.example>\x85",
        )
    ),
    (
        "SMTPUTF8 recipient",
        f"{EHLO}MAIL FROM:<a@b.example> SMTPUTF8\r\nRCPT TO:<\u00fc@play.example>\r\n{DATA}{TEXT}.\r\n",
        0,
    ),
    *((f"command {word}", f"{EHLO}{word}\r\n{QUIT}", 0) for word in (
        "VRFY ann", "EXPN people", "HELP", "TURN", "ETRN x", "SEND FROM:<a@b.example>", "AUTH PLAIN AGEAYg==",
        "AUTH LOGIN", "XCLIENT ADDR=1.2.3.4", "XFORWARD ADDR=1.2.3.4", "BDAT 100 LAST", "STARTTLS now",
        "NOOP " + "x" * 400, "\x00", "\xff\xfe", "DEBUG", "WIZ", "PROXY TCP4 1.2.3.4 1.2.3.4 1 1",
    )),
    ("a line of a megabyte", "EHLO " + "x" * 1_000_000 + "\r\n", 0),
    ("a line without an end", "x" * 500_000, 0),
    ("a thousand empty lines", "\r\n" * 1000, 0),
    ("a thousand NOOPs", EHLO + "NOOP\r\n" * 1000, 0),
    ("a thousand RSETs", EHLO + "RSET\r\n" * 1000, 0),
    ("a thousand recipients that are not", EHLO + FROM + "RCPT TO:<x@else.example>\r\n" * 1000 + DATA, 0),
    ("a thousand of ours", EHLO + FROM + TO * 1000 + DATA + TEXT + ".\r\n", 0),
    ("a text line of two megabytes", f"{OPEN}{TEXT}{'x' * 2_000_000}\r\n.\r\n", 0),
    ("too many text lines", f"{OPEN}{TEXT}{'x' * 10}\r\n" + "\r\n" * 2_000_000 + ".\r\n", 0),
    ("hanging up within the text", f"{OPEN}{TEXT}lambo resign 1", 0),
    ("hanging up at the dot", f"{OPEN}{TEXT}help\r\n.", 0),
]  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(("name", "said", "mails"), ROWS, ids=[row[0][:40] for row in ROWS])
async def test_hostile_sessions(name: str, said: str, mails: int) -> None:
    taken = []

    async def accept(mail: Envelope) -> Status:
        """As the reception does: what cannot be read with certainty is refused."""
        found = read(mail.content, mail_from=mail.mail_from, recipients=mail.rcpt_tos, own=Own("play.example"))
        if isinstance(found, Malformed):
            return Status.MALFORMED
        taken.append(mail)
        return Status.ACCEPTED

    async with house(accept) as h:
        client = await h.raw_client()
        await client.read()
        octets = said.encode("utf-8", "surrogateescape")
        try:
            if said.startswith(OPEN):  # up to DATA as it should be, or nothing of the text would be looked at
                for line in OPEN.splitlines():
                    await client.say(line)
                octets = octets.removeprefix(OPEN.encode())
            client.write(octets)
            client.writer.write_eof()
        except ConnectionError:
            pass
        await client.closed()
        assert len(taken) == mails
        assert all(mail.content.startswith(TEXT.encode()) for mail in taken), "the mail inside is not one"
        after = await h.client()
        assert (await after.mail(f"{TEXT}help\r\n")).startswith("250"), "others are served as if nothing had been"


def test_how_many_there_are() -> None:
    assert len({said for _, said, _ in ROWS}) == len(ROWS) >= 80
