"""Answers for one SMTP connection: aiosmtpd's protocol with its sharp edges taken off (mail.md 1.2, the S numbers).

How it works. A session is in one of three phases:

    COMMANDS  aiosmtpd reads lines and calls smtp_*; what sits in its reader is commands, nothing else
    TEXT      between our 354 and the final dot: blocks go to `wire.Text`, past aiosmtpd's reader
    WORK      between the final dot and our answer: `accept` runs as a task of its own

Nothing behind the final dot is ever read as a command: what comes during WORK is dropped, the mail is answered on its
own merits, and the session is closed with a 421. We offer no PIPELINING (RFC 2920), so an honest client waits and loses
nothing, and one that did not wait comes back with its next mail. Text sent before our 354 ends the session with 554.

A mail gets one answer for all its recipients. Whether the client is still there when `accept` is done makes no
difference to `accept`; a sender that has not seen the 250 sends again, and the dedupe key of the mail catches that.
"""

import asyncio
import enum
import logging
import ssl
from typing import Any, cast

import aiosmtpd.smtp as base

from mailbot.shell.intake import Intake, report
from mailbot.shell.wire import Envelope, Limits, Status, Text, read_path


def _drop_particulars(record: logging.LogRecord) -> bool:
    record.args = None
    record.exc_info = None
    return True


def _not_logged(*_: object, **__: object) -> None:
    pass


def _quiet_aiosmtpd() -> None:
    """At DEBUG its log repeats every line of a mail, passwords too; its warnings still repeat a client's words (S15).

    So: warnings only, and of them the message without what would be filled in.
    """
    logger = logging.getLogger("mail.log")
    logger.setLevel(logging.WARNING)
    logger.addFilter(_drop_particulars)
    base.sanitized_log = _not_logged  # it would take every line apart for a log that is not kept


_quiet_aiosmtpd()


class _Phase(enum.Enum):
    COMMANDS = enum.auto()
    TEXT = enum.auto()
    WORK = enum.auto()


class _SameForAll(dict[str, int]):
    """aiosmtpd keeps one dictionary for all connections, adds every word it is sent, and lets EHLO raise it (S19)."""

    def __missing__(self, command: str) -> int:
        return 1000

    def __setitem__(self, command: str, size: int) -> None:
        pass


class Session(base.SMTP):
    """One connection."""

    command_size_limits = _SameForAll()
    smtp_AUTH: Any = None  # nobody can log in here, so the command does not exist (S14)  # noqa: N815

    def __init__(self, pattern: "Session", intake: Intake, ip: str) -> None:
        # aiosmtpd's constructor looks at every attribute of the object, 90 us a connection. The pattern has been
        # through that once; what it found is taken over, and only what belongs to one connection is made anew.
        self.__dict__.update(vars(pattern))
        asyncio.StreamReaderProtocol.__init__(
            self,
            asyncio.StreamReader(limit=self.line_length_limit, loop=self.loop),
            client_connected_cb=self._cb_client_connected,
            loop=self.loop,
        )
        self._smtp_methods = {name: getattr(self, f"smtp_{name}") for name in pattern._smtp_methods}
        self.intake = intake
        self.ip = ip
        self.exempt = intake.exempt(ip)
        self._limits = intake.limits
        self._stats = intake.stats
        self._phase = _Phase.COMMANDS
        self._text: Text | None = None
        self._text_done: asyncio.Future[None] | None = None
        self._command_bytes = 0  # since the last mail
        self._errors = 0
        self._farewell: Status | None = None  # said after the answer that is being worked on
        self._gone = False
        self._deadline: asyncio.TimerHandle | None = None
        self._heard = 0.0  # when the client last said something, by the loop's clock

    @classmethod
    def pattern(cls, limits: Limits, hostname: str, tls_context: ssl.SSLContext | None) -> "Session":
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
            command_call_limit={"*": 100, **limits.calls},  # S8
            loop=asyncio.get_running_loop(),
        )
        return pattern

    # ---- the transport's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).set_write_buffer_limits(high=16384)
        if self._deadline is None:  # STARTTLS calls this a second time
            self._deadline = self.loop.call_later(self._limits.session_seconds, self._deadline_cb)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if self.intake.forget(self) and self._phase is _Phase.WORK:
            self._stats.hung_up += 1
        self._gone = True
        self._text = None
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        if self._gone:
            return
        if self._phase is _Phase.COMMANDS:
            self._command_bytes += len(data)
            if self._command_bytes > self._limits.command_bytes:
                self._cut()
            else:
                super().data_received(data)
        elif self._phase is _Phase.TEXT:
            self._take(data)
        else:
            self._say_farewell_later(Status.OUT_OF_STEP)

    def _take(self, block: bytes) -> None:
        assert self._text is not None and self._text_done is not None
        rest = self._text.feed(block)
        self._reset_timeout()  # idle is measured from the last block; the session's deadline bounds a slow drip
        if rest is None:
            if self._text.received > self._limits.drain_bytes:
                self._cut()
            return
        self._phase = _Phase.WORK
        if not self._text_done.done():  # a half-close may have cancelled it
            self._text_done.set_result(None)
        if rest:
            self._say_farewell_later(Status.OUT_OF_STEP)

    # ---- ends of a session

    def hang_up(self, status: Status) -> None:
        """Say `status` and close; at once if the client does not read even that (S7)."""
        transport = cast(asyncio.Transport | None, self.transport)
        if transport is None:
            return
        if self._in_handshake():
            self.abort()  # no words reach the client now
            return
        self._gone = True
        self._reader._buffer.clear()  # type: ignore[attr-defined]  # no command out of it may run any more
        if not transport.is_closing():
            transport.write(status.value.encode() + b"\r\n")
        if transport.get_write_buffer_size():
            transport.abort()
        else:
            transport.close()

    def shut_down(self) -> None:
        """Tell the client that we go; a mail in work gets its answer first (S18)."""
        if self._phase is _Phase.WORK:
            self._farewell = Status.SHUTTING_DOWN
        else:
            self.hang_up(Status.SHUTTING_DOWN)

    def abort(self) -> None:
        """Drop the connection without a word."""
        self._gone = True
        if self.transport is None:
            return
        cast(asyncio.Transport, self.transport).abort()
        if self._in_handshake():
            self.connection_lost(None)  # asyncio's TLS layer does not tell before the handshake is through

    def _in_handshake(self) -> bool:
        assert self.session is not None
        return self._original_transport is not None and self.session.ssl is None

    def _cut(self) -> None:
        self._stats.aborted += 1
        self.abort()

    def _say_farewell_later(self, status: Status) -> None:
        if self._farewell is None:
            self._stats.out_of_step += status is Status.OUT_OF_STEP
            self._farewell = status

    def _deadline_cb(self) -> None:
        if self._phase is _Phase.WORK:
            self._say_farewell_later(Status.TIMED_OUT)
        else:
            self._stats.timed_out += 1
            self.hang_up(Status.TIMED_OUT)

    def _reset_timeout(self, duration: float | None = None) -> None:
        # aiosmtpd makes a new timer for each line; here one timer looks, when it rings, at when that was.
        self._heard = self.loop.time()
        if self._timeout_handle is None:
            self._timeout_handle = self.loop.call_later(self._timeout_duration, self._timeout_cb)

    def _timeout_cb(self) -> None:
        rest = self._heard + self._timeout_duration - self.loop.time()
        if rest > 0:
            self._timeout_handle = self.loop.call_later(rest, self._timeout_cb)
            return
        self._stats.timed_out += 1
        if self._phase is _Phase.WORK:  # our own fault; the work itself goes on
            self.abort()
        else:
            self.hang_up(Status.TIMED_OUT)

    # ---- aiosmtpd's own parts, made safe

    async def _handle_client(self) -> None:
        try:
            await super()._handle_client()
        except ConnectionError:
            self.abort()  # the client went while being answered
        except Exception as error:
            self._stats.failures += 1
            report("SMTP session broke", error)
            self.abort()

    async def handle_exception(self, error: Exception) -> str:
        """Any exception becomes one constant 451, and the session starts afresh (S1, S20)."""
        if not isinstance(error, base.TLSSetupException | ConnectionError):
            self._stats.failures += 1
            report("SMTP command failed", error)
        self._forget_mail()
        return Status.TEMPORARY.value

    async def push(self, status: str | bytes) -> None:
        """The one way out for answers: a line of plain ASCII without anything the client made up (S2, S3)."""
        text = status if isinstance(status, str) else ""
        if text.startswith("500 Error: command"):
            text = "500 5.5.1 Command not recognised"
        if not text.isascii() or not text.isprintable() or not text[:3].isdigit():
            text = Status.TEMPORARY.value
        await self._send(text.encode() + b"\r\n")
        if text[0] == "5":
            self._errors += 1
            if self._errors >= self._limits.errors and not self._gone:
                self._stats.too_many_errors += 1
                self.hang_up(Status.TOO_MANY_ERRORS)

    async def _send(self, lines: bytes) -> None:
        self._writer.write(lines)
        if self._writer.transport.get_write_buffer_size() or self._writer.is_closing():
            await self._writer.drain()

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
        await self._send("".join(f"250-{word}\r\n" for word in words[:-1]).encode() + f"250 {words[-1]}\r\n".encode())

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
        if self._reader._buffer:  # type: ignore[attr-defined]
            self._stats.out_of_step += 1
            self.hang_up(Status.TALKED_EARLY)
            return
        text = self._text = Text(self._limits.data_bytes, self._limits.data_lines)
        done = self._text_done = self.loop.create_future()
        self._phase = _Phase.TEXT
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        await done  # a hang-up cancels us here
        status = await self._work(text, self.envelope)
        self._count(status)
        if status.permanent and self.intake.front_mta:
            status = Status.ACCEPTED  # the MTA would write a bounce to whoever the sender claims to be (mail.md 1.4)
        self._forget_mail()  # no `await` between this and the write: what comes in next was sent after it
        await self.push(status.value)
        if self._farewell is not None or status.value.startswith("421"):
            self.hang_up(self._farewell or Status.SHUTTING_DOWN)

    def _forget_mail(self) -> None:
        self.envelope = base.Envelope()
        self._text = self._text_done = None
        self._command_bytes = 0
        self._phase = _Phase.COMMANDS

    async def _work(self, text: Text, envelope: base.Envelope) -> Status:
        """The answer for one mail; `accept` is not disturbed when this is cancelled by a hang-up (S4)."""
        self._stats.mails += 1
        if text.over:
            self._stats.too_big += 1
            return Status.TOO_BIG
        sender = envelope.mail_from or ""
        mail = Envelope(self.ip, "" if sender == "<>" else sender, tuple(envelope.rcpt_tos), text.content())
        task = self.intake.start_work(mail)
        if task is None:
            self._stats.busy += 1
            return Status.BUSY
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            return Status.TEMPORARY

    def _count(self, status: Status) -> None:
        if status.permanent:
            self._stats.refused += 1
        elif status.value[0] == "4":
            self._stats.put_off += 1
        else:
            self._stats.accepted += 1


class _Hooks:
    """What aiosmtpd asks about senders and recipients; a hook must fill in the envelope itself (S11)."""

    async def handle_MAIL(  # noqa: N802
        self, session: Session, _: base.Session, envelope: base.Envelope, address: str, options: list[str]
    ) -> str:
        refusal = session.intake.mail_refusal(session.ip, session.exempt)
        if refusal is not None:
            return refusal.value
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return Status.SENDER_OK.value

    async def handle_RCPT(  # noqa: N802
        self, session: Session, _: base.Session, envelope: base.Envelope, address: str, options: list[str]
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
