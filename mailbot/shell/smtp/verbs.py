"""The SMTP commands: aiosmtpd's methods without their sharp edges (S1 to S23).

They are coroutines, but only STARTTLS waits: `push` writes at once, and `mailbox_exists` needs no I/O.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import Any, Self

import aiosmtpd.smtp as base

from mailbot.shell.smtp.fronts import named_client
from mailbot.shell.smtp.intake import Intake, report
from mailbot.shell.smtp.wire import Limits, Status, read_path


def _drop_particulars(record: logging.LogRecord) -> bool:
    record.args = None
    record.exc_info = None
    return True


def _quiet_aiosmtpd() -> None:
    """At DEBUG its log repeats every line of a mail, passwords too; its warnings still repeat a client's words (S15).

    So it logs only warnings, and only their messages without the arguments.
    """
    logger = logging.getLogger("mail.log")
    logger.setLevel(logging.WARNING)
    logger.addFilter(_drop_particulars)


_quiet_aiosmtpd()


FRONT_ONLY = ("XCLIENT", "XFORWARD")
"""Commands that exist only for the servers in front of us."""

NOBODY = "nobody@invalid"
"""Replaces a recipient that does not exist but cannot be refused."""


class Verbs(base.SMTP):
    """The commands that `session.Session` obeys; Session defines how it answers and ends."""

    intake: Intake
    ip: str
    exempt: bool
    front: bool
    """Whether the other side may speak for other clients. Not after XCLIENT: then it passes on a client's words."""
    _front_methods: dict[str, Any]
    _forwarded: tuple[base.Envelope | None, str] = (None, "")
    """What XFORWARD has said about the mail of this envelope."""
    smtp_AUTH: Any = None  # nobody can log in here, so the command does not exist (S14)  # noqa: N815

    @classmethod
    def pattern(cls, limits: Limits, hostname: str, tls_context: ssl.SSLContext | None) -> Self:
        """The pattern for all sessions of a listener; never connected itself. Needs a running loop."""
        pattern = cls.__new__(cls)
        base.SMTP.__init__(
            pattern,
            None,  # no hooks
            hostname=hostname,  # without it, a blocking look-up in the DNS for every connection (S13)
            ident="ESMTP",
            data_size_limit=limits.data_bytes,
            enable_SMTPUTF8=False,  # S12: the methods here read such addresses, aiosmtpd never does
            tls_context=tls_context,
            timeout=limits.idle_seconds,
            loop=asyncio.get_running_loop(),
        )
        methods = {name: getattr(cls, f"smtp_{name}") for name in pattern._smtp_methods}
        pattern._front_methods = {name: method for name, method in methods.items() if method}
        pattern._smtp_methods = {name: m for name, m in pattern._front_methods.items() if name not in FRONT_ONLY}
        return pattern

    def client(self) -> str:
        """The IP address that the mail comes from; "" if it comes from a front that has not named its client."""
        forwarded = self._forwarded[1] if self._forwarded[0] is self.envelope else ""
        told = forwarded if self.front else self.ip
        return "" if self.intake.front.trusts(told) else told

    def say(self, text: str) -> None:
        """Answers with this line."""
        raise NotImplementedError

    def write(self, lines: bytes) -> None:
        """Answers with these lines."""
        raise NotImplementedError

    def hang_up(self, status: Status) -> None:
        """Says `status` and ends the session."""
        raise NotImplementedError

    def move_to(self, ip: str) -> bool:
        """The client is now the one at this address; False if it has too many connections."""
        raise NotImplementedError

    def begin_text(self) -> None:
        """The client may send the text of its mail."""
        raise NotImplementedError

    async def push(self, status: str | bytes) -> None:
        """Answers for aiosmtpd's methods; never waits."""
        self.say(status if isinstance(status, str) else "")

    def _greeted(self) -> bool:
        """Whether the client has said EHLO or HELO; if not, it hears so."""
        assert self.session is not None
        if not self.session.host_name:
            self.say("503 Error: send HELO first")
            return False
        return True

    async def smtp_EHLO(self, hostname: str) -> None:  # noqa: N802
        if not hostname:
            await self.push("501 Syntax: EHLO hostname")
            return
        self.envelope = base.Envelope()
        assert self.session is not None
        self.session.extended_smtp = True
        self.session.host_name = hostname
        # A queueing MTA would bounce what is too big to whoever it claims to be from, so it is told of no limit (B9).
        most = 0 if self.intake.front_mta else self.data_size_limit
        words = [self.hostname, f"SIZE {most}", "8BITMIME", "SMTPUTF8", "HELP"]
        if self.front:
            words[3:3] = ["XCLIENT ADDR", "XFORWARD ADDR"]
        if self.tls_context and not self._tls_protocol:
            words.insert(3, "STARTTLS")
        self.write("".join(f"250-{word}\r\n" for word in words[:-1]).encode() + f"250 {words[-1]}\r\n".encode())

    async def smtp_XCLIENT(self, arg: str | None) -> None:  # noqa: N802
        """A proxy names its client; from now on that client speaks."""
        answer = self._named(arg, self._xclient)
        if answer == Status.TOO_MANY_CONNECTIONS.value:
            self.hang_up(Status.TOO_MANY_CONNECTIONS)
        else:
            await self.push(answer)

    def _xclient(self, ip: str | None) -> str:
        self.front = False
        self._smtp_methods = {name: m for name, m in self._smtp_methods.items() if name not in FRONT_ONLY}
        if ip:
            if not self.move_to(ip):
                return Status.TOO_MANY_CONNECTIONS.value
            self.exempt = self.intake.exempt(ip)
        assert self.session is not None
        self.session.host_name = None
        self.envelope = base.Envelope()
        return f"220 {self.hostname} ESMTP"

    async def smtp_XFORWARD(self, arg: str | None) -> None:  # noqa: N802
        """A mail server names the client from which it got the next mail."""
        await self.push(self._named(arg, self._xforward))

    def _xforward(self, ip: str | None) -> str:
        if ip is not None:
            self._forwarded = (self.envelope, ip)
        return "250 2.0.0 Noted"

    def _named(self, arg: str | None, take: Callable[[str | None], str]) -> str:
        assert self.envelope is not None
        if self.envelope.mail_from:
            return "503 5.5.1 There is a sender already"
        try:
            return take(named_client(arg or ""))
        except ValueError:
            return "501 5.5.4 Syntax: attributes such as ADDR=192.0.2.1"

    async def smtp_MAIL(self, arg: str | None) -> None:  # noqa: N802
        # aiosmtpd's method accepts texts that are not addresses (S12), and builds a typing.Protocol class each time.
        if self._greeted():
            self.say(self._mail(arg or ""))

    def _mail(self, arg: str) -> str:
        assert self.envelope is not None
        found, front_mta = _path("FROM:", arg), self.intake.front_mta
        if found is None and front_mta:
            found = _NO_SENDER
        if found is None:
            return "501 5.1.7 Syntax: MAIL FROM:<address>"
        if self.envelope.mail_from:
            return "503 5.5.1 There is a sender already"
        utf8 = False
        for word in found[1].upper().split():
            name, _, value = word.partition("=")
            if name == "SIZE" and value.isdigit():
                if int(value) > (self.data_size_limit or 0) and not front_mta:
                    return Status.TOO_BIG.value
            elif word == "SMTPUTF8":
                utf8 = True
            elif word not in ("BODY=7BIT", "BODY=8BITMIME") and not front_mta:
                return "555 5.5.4 Parameter not recognised"
        if not utf8 and not found[0].isascii():
            if not front_mta:
                return Status.NOT_ASCII.value
            found = _NO_SENDER
        refusal = self.intake.mail_refusal(self.ip, self.exempt)
        if refusal is not None:
            return refusal.value
        self.envelope.mail_from = found[0]
        self.envelope.smtp_utf8 = utf8
        return Status.SENDER_OK.value

    async def smtp_RCPT(self, arg: str | None) -> None:  # noqa: N802
        if self._greeted():
            self.say(self._rcpt(arg or ""))

    def _rcpt(self, arg: str) -> str:
        assert self.envelope is not None
        if not self.envelope.mail_from:
            return "503 5.5.1 Say MAIL first"
        found = _path("TO:", arg)
        if found is None and self.intake.front_mta:
            found = NOBODY, ""
        if found is None:
            return "501 5.1.3 Syntax: RCPT TO:<address>"
        address, words = found
        if words.strip() and not self.intake.front_mta:
            return "555 5.5.4 Parameter not recognised"
        if len(self.envelope.rcpt_tos) >= self.intake.limits.recipients:
            return self._refused(Status.TOO_MANY_RECIPIENTS)
        if not address.isascii():  # no mailbox of ours is spelt like that
            return self._refused(Status.NO_SUCH_ADDRESS if self.envelope.smtp_utf8 else Status.NOT_ASCII)
        try:
            known = address.lower() == "postmaster" or (address != "<>" and self.intake.mailbox_exists(address))
        except Exception as error:  # the mail's other recipients stay valid
            self.intake.stats.failures += 1
            report("looking up a mailbox failed", error)
            return Status.TEMPORARY.value
        if not known:
            self.intake.stats.astray += 1
            return self._refused(self.intake.unknown)
        self.intake.stats.ours += 1
        self.envelope.rcpt_tos.append(address)
        return Status.RECIPIENT_OK.value

    def _refused(self, status: Status) -> str:
        """Refuses a recipient. Behind an MTA a permanent refusal would cause a bounce (B9), so it is accepted there,
        and mail that goes to nobody else is dropped."""
        self.intake.recipient_refused(status, self.client())
        if not (status.permanent and self.intake.front_mta):
            return status.value
        assert self.envelope is not None
        self.envelope.rcpt_tos.append(NOBODY)
        return Status.RECIPIENT_OK.value

    async def smtp_HELP(self, arg: str | None) -> None:  # noqa: N802
        await self.push(f"214 2.0.0 Commands: {' '.join(sorted(self._smtp_methods))}")

    async def smtp_VRFY(self, arg: str) -> None:  # noqa: N802
        await self.push(Status.CANNOT_VERIFY.value)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        if not self._greeted():
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


_NO_SENDER = "<>", ""
"""The sender of a mail from an MTA that names nobody: that gets no answer of ours, nor a bounce of the MTA."""


def _path(keyword: str, arg: str) -> tuple[str, str] | None:
    """What `read_path` finds after the keyword, which may be in any case."""
    size = len(keyword)
    return read_path(arg[size:].strip(" \t")) if arg[:size].upper() == keyword else None
