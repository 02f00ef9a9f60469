"""How mail programs answer a letter: a move as the first line, in the forms that a mail server meets."""

import base64
import quopri
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from mailbot.shell.console import postman
from tests.prove.operating.internet import Person


def reply(one: Person, letter: EmailMessage) -> list[tuple[str, str]]:
    """The headers of a reply."""
    return [
        ("From", one.address),
        ("To", str(letter["Reply-To"])),
        ("Subject", f"Re: {letter['Subject']}"),
        ("Date", format_datetime(datetime.now(UTC))),
        ("Message-ID", make_msgid(domain="laptop.example.com")),
        ("In-Reply-To", str(letter["Message-ID"])),
        ("MIME-Version", "1.0"),
    ]


def send(one: Person, letter: EmailMessage, more: dict[str, str], body: bytes, *options: str) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in [*reply(one, letter), *more.items()])
    one.post(head.encode() + b"\r\n" + body, options, to=str(letter["Reply-To"]))


def _quoted(letter: EmailMessage, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}".rstrip() + "\r\n" for line in postman.text(letter).splitlines())


def plain(one: Person, letter: EmailMessage, move: str) -> None:
    """Above a quotation, as most do."""
    one.answer(letter, move)


def flowed(one: Person, letter: EmailMessage, move: str) -> None:
    """format=flowed: long lines of words are broken with a blank before the break."""
    words = "I am not sure that this is good, but the corner on the other side looked even worse to \r\nme."
    body = f"{move}\r\n\r\n{words}\r\n-- \r\n{one.playing}\r\n\r\n{_quoted(letter, '>')}"
    send(one, letter, {"Content-Type": "text/plain; charset=utf-8; format=flowed"}, body.encode(), "BODY=8BITMIME")


def delsp(one: Person, letter: EmailMessage, move: str) -> None:
    words = "I have looked at it for a whole evening, and I still say: that corner is mi \nne!\n"
    body = quopri.encodestring(f"{move}\n\n{words}".encode()).replace(b"\n", b"\r\n")
    kind = "text/plain; charset=us-ascii; format=flowed; delsp=yes"
    send(one, letter, {"Content-Type": kind, "Content-Transfer-Encoding": "quoted-printable"}, body)


def eight_bits(one: Person, letter: EmailMessage, move: str) -> None:
    body = f"{move}\r\n\r\nGrüße aus Köln: schöner Zug!\r\n\r\nAm Sonntag schrieb mailbot:\r\n{_quoted(letter)}".encode(
        "latin-1", "replace"
    )
    more = {"Content-Type": "text/plain; charset=iso-8859-1", "Content-Transfer-Encoding": "8bit"}
    send(one, letter, more, body, "BODY=8BITMIME")


def utf8_headers(one: Person, letter: EmailMessage, move: str) -> None:
    """SMTPUTF8: the header itself is UTF-8, as modern programs write it where the server offers that."""
    more = {
        "Comments": "Grüße, Ω, 日本",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
    }
    send(one, letter, more, f"{move}\r\n\r\nπ ≈ 3.14\r\n".encode(), "SMTPUTF8", "BODY=8BITMIME")


def in_base64(one: Person, letter: EmailMessage, move: str) -> None:
    body = base64.encodebytes(f"{move}\n\n{_quoted(letter)}".encode())
    send(one, letter, {"Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "base64"}, body)


def with_html(one: Person, letter: EmailMessage, move: str) -> None:
    mail = postman.answer(letter, one.address, move, datetime.now(UTC))
    mail.add_alternative(f"<div dir=ltr>{move}</div><blockquote>{postman.text(letter)}</blockquote>", subtype="html")
    one.post(mail.as_bytes(), to=str(letter["Reply-To"]))


def html_only(one: Person, letter: EmailMessage, move: str) -> None:
    body = f"<html><body><p>{move}</p><br><blockquote>{letter['Subject']}</blockquote></body></html>\r\n"
    send(one, letter, {"Content-Type": "text/html; charset=utf-8"}, body.encode())


def by_swaks(one: Person, letter: EmailMessage, move: str) -> None:
    """swaks, on the machine of the provider."""
    to, subject = str(letter["Reply-To"]), f"Re: {letter['Subject']}"
    envelope = f"--server 127.0.0.1 --ehlo laptop.example.com --from {one.address} --to '{to}'"
    one.internet.machine.run(f"swaks --silent 2 {envelope} --header 'Subject: {subject}' --body '{move}'")


WAYS = (plain, flowed, eight_bits, utf8_headers, in_base64, with_html, delsp, html_only, by_swaks)
