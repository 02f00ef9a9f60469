"""A small mail program: sends a player's mail by SMTP, and reads a player's letters from the local Maildir.

It serves to try out the server without any other mail program; the demo and the command line use it.
"""

import email
import smtplib
from datetime import datetime
from email.message import EmailMessage, Message
from email.policy import SMTP, default
from email.utils import format_datetime, make_msgid
from pathlib import Path

from mailbot.shell.post import maildir


def write(sender: str, to: str, subject: str, body: str, at: datetime, answers: Message | None = None) -> EmailMessage:
    """A mail as an ordinary mail program writes it. `answers`: the letter that it replies to, quoted below."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["To"] = to
    mail["Subject"] = subject
    mail["Date"] = format_datetime(at)
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    if answers is not None:
        mail["In-Reply-To"] = str(answers["Message-ID"])
        quoted = "\n".join(f"> {line}".rstrip() for line in text(answers).splitlines())
        body = f"{body}\n\nOn {answers['Date']} mailbot wrote:\n{quoted}\n"
    mail.set_content(body)
    return mail


def send(mail: EmailMessage, host: str, port: int) -> str:
    """Hands the mail to the server. Raises OSError, or smtplib.SMTPException with the server's refusal."""
    with smtplib.SMTP(host, port, timeout=30) as client:
        client.send_message(mail)
    return "accepted"


def answer(letter: Message, sender: str, body: str, at: datetime) -> EmailMessage:
    """A mail program's reply to this letter."""
    to = str(letter["Reply-To"] or letter["From"])
    subject = str(letter["Subject"])
    return write(sender, to, subject if subject.startswith("Re: ") else f"Re: {subject}", body, at, letter)


def letters(root: Path, address: str) -> list[EmailMessage]:
    """The letters to an address, oldest first."""
    return [email.message_from_bytes(path.read_bytes(), policy=default) for path in maildir.letters(root, address)]


def text(letter: Message) -> str:
    """The text of a letter of ours."""
    body = letter.get_body(("plain",)) if isinstance(letter, EmailMessage) else None
    content = body.get_content() if isinstance(body, EmailMessage) else letter.get_payload()
    return str(content).replace("\r\n", "\n")


def files(letter: Message) -> dict[str, bytes]:
    """The files attached to a letter of ours, by name."""
    parts = letter.iter_attachments() if isinstance(letter, EmailMessage) else ()
    return {str(part.get_filename()): bytes(part.get_payload(decode=True)) for part in parts}


def shown(letter: Message) -> str:
    """A letter as a person reads it: the important headers, and the text."""
    head = [f"{name}: {letter[name]}" for name in ("From", "To", "Reply-To", "Date", "Subject") if letter[name]]
    attached = [f"[attached: {name}, {len(content)} octets]" for name, content in files(letter).items()]
    return "\n".join([*head, "", text(letter).rstrip("\n"), *attached])
