"""One SMTP session: reads commands, hands the mail on, answers. aiosmtpd without its sharp edges (S1 to S23).

How it works. A session is in one of these phases:

    COMMANDS   aiosmtpd's smtp_* methods obey whole lines, one after the other
    TEXT       between our 354 and the final dot: blocks go to `wire.Text`
    WORK       between the final dot and our answer: `accept` runs as a task of its own
    HANDSHAKE  between our answer to STARTTLS and the end of the handshake: input in clear is dropped

aiosmtpd reads its lines in a task for each connection, which wakes up for each line. Here a line is obeyed as soon as
it comes: the methods are coroutines but never wait, because `push` does not (only STARTTLS waits, and gets a task). So
there is no task to cancel, and no await in which the world may change. If a client does not read its answers, we do not
read from it either.

Input after the final dot is never read as a command. Input during WORK is dropped, the mail is answered on its own
merits, and the session is closed with a 421. We offer no PIPELINING (RFC 2920), so an honest client waits and loses
nothing; one that did not wait comes back with its next mail. Text sent before our 354 ends the session with 554.

A mail gets one answer for all its recipients. It makes no difference to `accept` whether the client is still there when
it is done; a sender that has not seen the 250 sends again, and the dedupe key of the mail catches that.
"""

import asyncio
import enum
import logging
from collections.abc import Callable
from functools import partial
from typing import cast

import aiosmtpd.smtp as base

from mailbot.shell.smtp.intake import Intake, report
from mailbot.shell.smtp.verbs import Verbs
from mailbot.shell.smtp.wire import WITH_ADDRESS, Envelope, Status, Text, command_text

log = logging.getLogger("mailbot.smtp")


class _Phase(enum.Enum):
    COMMANDS = enum.auto()
    TEXT = enum.auto()
    WORK = enum.auto()
    HANDSHAKE = enum.auto()


class Session(Verbs):
    """One connection."""

    def __init__(self, pattern: "Session", intake: Intake, ip: str, *, front: bool = False) -> None:
        # aiosmtpd's constructor looks at every attribute of the object, 90 us a connection. The pattern did that once;
        # we take over its result, and make only the parts that belong to one connection.
        self.__dict__.update(vars(pattern))
        self.intake = intake
        self.ip = ip
        self.exempt = intake.exempt(ip)
        self.front = front
        if front:
            self._smtp_methods = self._front_methods
        self._limits = intake.limits
        self._stats = intake.stats
        self._phase = _Phase.COMMANDS
        self._lines = bytearray()  # commands, the last one perhaps incomplete
        self._deaf = False  # the client does not read our answers
        self._calls: dict[str, int] = {}
        self._unknown = 0  # commands
        self._text: Text | None = None
        self._handshake: asyncio.Task[None] | None = None
        self._command_bytes = 0  # since the last mail
        self._errors = 0
        self._farewell: Status | None = None  # sent after the answer to the mail in work
        self._gone = False
        self._deadline: asyncio.TimerHandle | None = None
        self.heard = 0.0  # when the client last said something, by the loop's clock
        self.since = self.loop.time()

    # ---- the transport's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        stream = cast(asyncio.Transport, transport)
        stream.set_write_buffer_limits(high=16384)
        self.transport = stream
        self.envelope = base.Envelope()
        self.session = base.Session(self.loop)
        self._reset_timeout()
        if self._tls_protocol is not None:  # STARTTLS calls this a second time; everything said before is forgotten
            self.session.ssl = self._tls_protocol._extra
            self._lines.clear()
            self._phase = _Phase.COMMANDS
            return
        self._deadline = self.loop.call_later(self._limits.session_seconds, self._deadline_cb)
        stream.write(f"220 {self.hostname} ESMTP\r\n".encode())

    def connection_lost(self, error: Exception | None) -> None:
        for timer in (self._deadline, self._timeout_handle):
            if timer is not None:
                timer.cancel()
        if self.intake.forget(self) and self._phase is _Phase.WORK:
            self._stats.hung_up += 1
        self._gone = True
        self._text = None
        self.transport = None
        if self._original_transport is not None:
            self._original_transport.close()

    def eof_received(self) -> bool:
        return False  # a client that sends no more has left

    def pause_writing(self) -> None:
        self._deaf = True
        cast(asyncio.Transport, self.transport).pause_reading()

    def resume_writing(self) -> None:
        self._deaf = False
        cast(asyncio.Transport, self.transport).resume_reading()
        self.loop.call_soon(self._guarded, self._obey_all)  # the transport is still busy and must not be closed now

    def data_received(self, data: bytes) -> None:
        if not self._gone:
            self._guarded(self._hear, data)

    def _guarded(self, do: Callable[..., object], *words: object) -> None:
        """Turns any exception into one constant 451, and resets the session (S1, S20)."""
        try:
            do(*words)
        except StopIteration:
            pass  # the end of a coroutine
        except Exception as error:
            self._stats.failures += 1
            report("SMTP session failed", error)
            self._forget_mail()
            self.say(Status.TEMPORARY.value)

    def _hear(self, data: bytes) -> None:
        if self._phase is _Phase.COMMANDS:
            self._command_bytes += len(data)
            if self._command_bytes > self._limits.command_bytes:
                self._cut()
            else:
                self._lines += data
                self._obey_all()
        elif self._phase is _Phase.TEXT:
            self._take(data)
        elif self._phase is _Phase.WORK:
            self._say_farewell_later(Status.OUT_OF_STEP)

    def _take(self, block: bytes) -> None:
        assert self._text is not None
        rest = self._text.feed(block)
        self._reset_timeout()  # idle is measured from the last block; the session's deadline bounds a slow drip
        if rest is None:
            if self._text.received > self._limits.drain_bytes:
                self._cut()
            return
        self._phase = _Phase.WORK
        if rest:
            self._say_farewell_later(Status.OUT_OF_STEP)
        self._work(self._text)

    # ---- commands

    def _obey_all(self) -> None:
        """Obeys the complete lines, until one begins something else or the client no longer listens."""
        lines = self._lines
        while self._phase is _Phase.COMMANDS and not self._gone and not self._deaf and not self._is_closing():
            end = lines.find(b"\n")
            if end < 0:
                return
            line = bytes(lines[:end])
            del lines[: end + 1]
            self._obey(line.rstrip(b"\r\n"))

    def _is_closing(self) -> bool:
        """True also if an answer could not be written: the transport reports that late, and logs each until then."""
        return cast(asyncio.Transport, self.transport).is_closing()

    def _obey(self, line: bytes) -> None:
        text = command_text(line)
        if text is None and self.intake.front_mta and line[:5].upper() in WITH_ADDRESS:
            text = line[:5].decode("ascii")  # names nobody; the MTA would bounce a refusal
        if text is None:
            self.say("500 5.5.2 Command line too long, or not ASCII")
            return
        verb, _, rest = text.partition(" ")
        command = verb.upper()
        method = self._smtp_methods.get(command)
        if method is None:
            self._unknown += bool(line)
            self.say("500 5.5.1 Command not recognised")
            if self._unknown >= base.BOGUS_LIMIT:
                self._too_many_errors()
            return
        if not self._may_call(command):
            self.hang_up(Status.TOO_MANY_COMMANDS)
            return
        self._reset_timeout()
        arg = rest.strip(" \t") or None
        if command == "STARTTLS":
            self._begin_tls(arg)
        else:
            self._guarded(method(self, arg).send, None)

    def _may_call(self, command: str) -> bool:
        """Counts one call (S8). The mail server in front may keep its connection for any number of mails."""
        if self.front and self.intake.front_mta:
            return True
        calls = self._calls[command] = self._calls.get(command, 0) + 1
        limits = self._limits.calls
        return calls <= limits.get(command, limits["*"])

    # ---- ends of a session

    def hang_up(self, status: Status) -> None:
        """Say `status` and close; at once if the client does not read even that (S7)."""
        transport = cast(asyncio.Transport | None, self.transport)
        if transport is None:
            return
        if self._in_handshake():
            self.abort()  # the client can receive nothing now
            return
        self._gone = True
        if not transport.is_closing():
            transport.write(status.value.encode() + b"\r\n")
        if transport.get_write_buffer_size():
            transport.abort()
        else:
            transport.close()

    @property
    def under_way(self) -> bool:
        return bool(self.envelope and self.envelope.mail_from) or self._phase in (_Phase.TEXT, _Phase.WORK)

    @property
    def at_work(self) -> bool:
        return self._phase is _Phase.WORK

    def make_room(self) -> None:
        self.hang_up(Status.TOO_MANY_CONNECTIONS)
        if self._tls_protocol is not None and self.transport is not None:
            cast(asyncio.Transport, self.transport).abort()  # without waiting until the client ends TLS, too

    def shut_down(self) -> None:
        """Tell the client that we go; a mail in work gets its answer first (S18)."""
        if self._phase is _Phase.WORK:
            self._farewell = Status.SHUTTING_DOWN
        else:
            self.hang_up(Status.SHUTTING_DOWN)

    def abort(self) -> None:
        """Drops the connection without a word."""
        self._gone = True
        if self.transport is None:
            return
        cast(asyncio.Transport, self.transport).abort()
        if self._in_handshake():
            self.connection_lost(None)  # asyncio's TLS layer does not report it before the handshake is done

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
        self.heard = self.loop.time()
        if self._timeout_handle is None:
            self._timeout_handle = self.loop.call_later(self._timeout_duration, self._timeout_cb)

    def _timeout_cb(self) -> None:
        rest = self.heard + self._timeout_duration - self.loop.time()
        if rest > 0:
            self._timeout_handle = self.loop.call_later(rest, self._timeout_cb)
            return
        self._stats.timed_out += 1
        if self._phase is _Phase.WORK:  # our own fault; the work itself goes on
            self.abort()
        else:
            self.hang_up(Status.TIMED_OUT)

    # ---- answers

    def _begin_tls(self, arg: str | None) -> None:
        if self._tls_protocol is not None:  # a second time would put TLS into TLS, and nobody would tell us of its end
            self.say("503 5.5.1 TLS is there already")
        elif cast(asyncio.Transport, self.transport).get_write_buffer_size():
            self._cut()  # asyncio's TLS layer does not know that we wait for the client to read
        else:
            self._phase = _Phase.HANDSHAKE
            self._handshake = self.loop.create_task(self._start_tls(arg))

    async def _start_tls(self, arg: str | None) -> None:
        if self._gone:
            return  # asyncio would report the lost connection only to its TLS layer
        try:
            await super().smtp_STARTTLS(arg)
        except asyncio.CancelledError:
            self.abort()
            raise
        except Exception as error:
            if not isinstance(error, base.TLSSetupException | ConnectionError):
                self._stats.failures += 1
                report("STARTTLS failed", error)
            self.abort()
            return
        if self._phase is _Phase.HANDSHAKE and self._tls_protocol is None:  # it was refused
            self._phase = _Phase.COMMANDS
            self._guarded(self._obey_all)

    def say(self, text: str) -> None:
        """The one way out for answers: a line of plain ASCII without any words of the client (S2, S3)."""
        if not text.isascii() or not text.isprintable() or not text[:3].isdigit():
            text = Status.TEMPORARY.value
        self.write(text.encode() + b"\r\n")
        if text[0] == "5":
            self._errors += 1
            if self._errors >= self._limits.errors and not self._gone:
                self._too_many_errors()

    def _too_many_errors(self) -> None:
        self._stats.too_many_errors += 1
        self.hang_up(Status.TOO_MANY_ERRORS)

    def write(self, lines: bytes) -> None:
        if not self._gone:
            cast(asyncio.Transport, self.transport).write(lines)

    def move_to(self, ip: str) -> bool:
        return self.intake.move(self, ip)

    def begin_text(self) -> None:
        """After DATA: the text of a mail comes now."""
        if self._lines:
            self._stats.out_of_step += 1
            self.hang_up(Status.TALKED_EARLY)
            return
        self._text = Text(self._limits.data_bytes, self._limits.data_lines)
        self._phase = _Phase.TEXT
        self.say("354 End data with <CR><LF>.<CR><LF>")

    def _forget_mail(self) -> None:
        self.envelope = base.Envelope()
        self._text = None
        self._command_bytes = 0
        self._phase = _Phase.COMMANDS

    # ---- a mail

    def _work(self, text: Text) -> None:
        """Starts the work on the mail; it goes on even if the client hangs up (S4)."""
        self._stats.mails += 1
        if text.over:
            self._stats.too_big += 1
            log.info("a mail was %s unread: too big", "dropped" if self.intake.front_mta else "refused")
            self._answer(Status.TOO_BIG)
            return
        assert self.envelope is not None
        sender = self.envelope.mail_from or ""
        mail = Envelope(self.client(), "" if sender == "<>" else sender, tuple(self.envelope.rcpt_tos), text.content())
        task = self.intake.start_work(mail)
        if task is None:
            self._stats.busy += 1
            log.warning("mail %s: put off: too many mails are in work", mail.mark)
            self._answer(Status.BUSY, mail.mark)
        else:
            task.add_done_callback(partial(self._worked, mail.mark))

    def _worked(self, mark: str, task: asyncio.Task[Status]) -> None:
        self._guarded(self._answer, Status.TEMPORARY if task.cancelled() else task.result(), mark)

    def _answer(self, status: Status, mark: str = "") -> None:
        self._stats.count(status)
        if self._gone:
            return
        if status.permanent and self.intake.front_mta:
            status = Status.ACCEPTED  # the MTA would send a bounce to whoever the sender claims to be (B9)
        self._forget_mail()
        self.since = self.loop.time()
        self.say(f"{status.value} {mark}".rstrip())
        if self._farewell is not None or status.value.startswith("421"):
            self.hang_up(self._farewell or Status.SHUTTING_DOWN)
