"""Answers for the SMTP commands: aiosmtpd's methods for them, with their sharp edges taken off (mail.md 1.2).

They are coroutines, but none waits (STARTTLS alone does): `push` writes, and the hooks ask nobody who is far.
"""

import asyncio
import logging
import ssl
from typing import Any, Self

import aiosmtpd.smtp as base

from mailbot.shell.intake import Intake, report
from mailbot.shell.wire import Limits, Status, read_path


def _drop_particulars(record: logging.LogRecord) -> bool:
    record.args = None
    record.exc_info = None
    return True


def _quiet_aiosmtpd() -> None:
    """At DEBUG its log repeats every line of a mail, passwords too; its warnings still repeat a client's words (S15).

    So: warnings only, and of them the message without what would be filled in.
    """
    logger = logging.getLogger("mail.log")
    logger.setLevel(logging.WARNING)
    logger.addFilter(_drop_particulars)


_quiet_aiosmtpd()


class Verbs(base.SMTP):
    """What `session.Session` obeys; how it answers and ends is for that to say."""

    intake: Intake
    ip: str
    exempt: bool
    smtp_AUTH: Any = None  # nobody can log in here, so the command does not exist (S14)  # noqa: N815

    @classmethod
    def pattern(cls, limits: Limits, hostname: str, tls_context: ssl.SSLContext | None) -> Self:
        """What all sessions of a listener start from; never connected itself. Needs a running loop."""
        pattern = cls.__new__(cls)
        base.SMTP.__init__(
            pattern,
            _Hooks(),
            hostname=hostname,  # without it, a blocking look-up in the DNS for every connection (S13)
            ident="ESMTP",
            data_size_limit=limits.data_bytes,
            enable_SMTPUTF8=False,  # S12
            tls_context=tls_context,
            timeout=limits.idle_seconds,
            loop=asyncio.get_running_loop(),
        )
        methods = {name: getattr(cls, f"smtp_{name}") for name in pattern._smtp_methods}
        pattern._smtp_methods = {name: method for name, method in methods.items() if method}
        return pattern

    def say(self, text: str) -> None:
        """Answers with this line."""
        raise NotImplementedError

    def write(self, lines: bytes) -> None:
        """Answers with these lines."""
        raise NotImplementedError

    def hang_up(self, status: Status) -> None:
        """Says `status` and ends the session."""
        raise NotImplementedError

    def begin_text(self) -> None:
        """The client may send the text of its mail."""
        raise NotImplementedError

    async def push(self, status: str | bytes) -> None:
        """How aiosmtpd's methods answer; never waits."""
        self.say(status if isinstance(status, str) else "")

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        # Ours is stricter (S12), and aiosmtpd's builds a typing.Protocol class each time it is called.
        return read_path(arg) or (None, None)

    async def smtp_EHLO(self, hostname: str) -> None:  # noqa: N802
        if not hostname:
            await self.push("501 Syntax: EHLO hostname")
            return
        self.envelope = base.Envelope()
        assert self.session is not None
        self.session.extended_smtp = True
        self.session.host_name = hostname
        words = [self.hostname, f"SIZE {self.data_size_limit}", "8BITMIME", "HELP"]
        if self.tls_context and not self._tls_protocol:
            words.insert(3, "STARTTLS")
        self.write("".join(f"250-{word}\r\n" for word in words[:-1]).encode() + f"250 {words[-1]}\r\n".encode())

    async def smtp_VRFY(self, arg: str) -> None:  # noqa: N802
        await self.push(Status.CANNOT_VERIFY.value)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        if await self.check_helo_needed():
            return
        assert self.envelope is not None
        if not self.envelope.rcpt_tos:
            await self.push("503 Error: need RCPT command")
            return
        if arg:
            await self.push("501 Syntax: DATA")
            return
        self.begin_text()

    async def smtp_QUIT(self, arg: str | None) -> None:  # noqa: N802
        if arg:
            await self.push("501 Syntax: QUIT")
        else:
            self.hang_up(Status.BYE)


class _Hooks:
    """What aiosmtpd asks about senders and recipients; a hook must fill in the envelope itself (S11)."""

    async def handle_MAIL(  # noqa: N802
        self, session: Verbs, _: base.Session, envelope: base.Envelope, address: str, options: list[str]
    ) -> str:
        refusal = session.intake.mail_refusal(session.ip, session.exempt)
        if refusal is not None:
            return refusal.value
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return Status.SENDER_OK.value

    async def handle_RCPT(  # noqa: N802
        self, session: Verbs, _: base.Session, envelope: base.Envelope, address: str, options: list[str]
    ) -> str:
        intake = session.intake
        if len(envelope.rcpt_tos) >= intake.limits.recipients:
            return Status.TOO_MANY_RECIPIENTS.value
        try:
            known = address.lower() == "postmaster" or (address != "<>" and intake.mailbox_exists(address))
        except Exception as error:  # the mail's other recipients stand
            intake.stats.failures += 1
            report("looking up a mailbox failed", error)
            return Status.TEMPORARY.value
        if not known:
            return Status.NO_SUCH_ADDRESS.value
        envelope.rcpt_tos.append(address)
        return Status.RECIPIENT_OK.value
