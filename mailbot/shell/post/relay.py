"""Hands letters to an SMTP relay over kept connections, and reports each outcome.

The cause of a failure decides what happens next. A refusal of the recipient or of the text is about the letter: with
5xx it has failed, with 4xx we try later. Trouble before a recipient was named is the relay's or our own, and the letter
just waits. If the connection is lost after the final dot, nobody knows whether the relay has the letter: we try later,
with the same bytes (T5). We keep only the relay's codes, because its words may hold an address.
"""

import re
import ssl
from contextlib import suppress

from aiosmtplib import (
    SMTP,
    SMTPDataError,
    SMTPException,
    SMTPHeloError,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPSenderRefused,
    SMTPStatus,
)

from mailbot.core.mail.addresses import parse_addr
from mailbot.shell.post.delivery import Parcel
from mailbot.shell.post.handover import SENT, Handover, closed, failed, later, refused

FINAL_DOT = 10
"""The answer to the text may take this many times the time-out of a command: giving up early makes duplicates
(RFC 5321 4.5.3.2.6: ten minutes)."""
IMPLICIT_TLS = 465

_STATUS = re.compile(r"\s*([245]\.\d{1,3}\.\d{1,3})\b")


class Relay:
    """A transport. Use it on one event loop."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        hostname: str,
        starttls: bool = False,
        username: str | None = None,
        password: str | None = None,
        timeout: float = 60,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        """`hostname`: our name for EHLO. `starttls`: without TLS, no mail. `timeout`: seconds for one command."""
        self._host, self._port, self._hostname = host, port, hostname
        self._starttls, self._tls_context = starttls, tls_context
        self._username, self._password = username, password
        self._timeout = timeout
        self._idle: list[SMTP] = []
        self._busy = 0
        self.trouble = ""

    async def ready(self) -> bool:
        """Whether there is a connection, or one can be made. If not, `trouble` says why."""
        if self._busy or any(client.is_connected for client in self._idle):
            return True
        try:
            self._idle.append(await self._connected())
        except (SMTPException, OSError, ValueError) as error:
            self.trouble = _why(error)
            return False
        return True

    async def takes(self, sender: str, address: str = "") -> bool:
        """Whether the relay begins to take a mail of this sender, to this address if one is given. No mail is sent. If
        not, `trouble` says why."""
        try:
            client = await self._begun(sender)
        except (SMTPException, OSError, ValueError) as error:
            self.trouble = _why(error)
            return False
        try:
            if address:
                await _rcpt(client, address)
        except (SMTPException, OSError) as error:
            self.trouble = _why(error)
            return False
        finally:
            await self._reset(client)
        return True

    @property
    def name(self) -> str:
        """The relay's own name, once `ready`; "" before."""
        said = self._idle[-1].last_ehlo_response if self._idle else None
        return said.message.split(maxsplit=1)[0].lower() if said and said.message.strip() else ""

    async def send(self, parcel: Parcel) -> Handover:
        """Sends one letter to one address. Does not raise, whatever the relay does."""
        # aiosmtplib reads addresses with parseaddr, which takes from a text what it likes (H6): plain ones only.
        if parse_addr(parcel.address) is None or parse_addr(parcel.sender) is None:
            return failed("not an address")
        self._busy += 1
        try:
            return await self._sent(parcel)
        finally:
            self._busy -= 1

    async def close(self) -> None:
        """Says QUIT on idle connections."""
        while self._idle:
            client = self._idle.pop()
            with suppress(SMTPException, OSError):
                await client.quit()
            client.close()

    async def _sent(self, parcel: Parcel) -> Handover:
        try:
            client = await self._begun(parcel.sender)
        except (SMTPException, OSError, ValueError) as error:
            return closed(_why(error))
        of_text = False
        try:
            await _rcpt(client, parcel.address)
            of_text = True
            await client.data(parcel.raw, timeout=self._timeout * FINAL_DOT)
        except (SMTPRecipientRefused, SMTPDataError) as error:
            await self._reset(client)
            how = refused if 500 <= error.code <= 599 else later
            return how(_why(error), of_text=of_text, of_recipient=not of_text)
        except (SMTPException, OSError) as error:
            client.close()
            return later(_why(error), of_text=of_text)
        except BaseException:
            client.close()
            raise
        self._idle.append(client)
        return SENT

    async def _begun(self, sender: str) -> SMTP:
        """A connection that has accepted MAIL: a kept one, or, because those may be dead or used up, a new one."""
        while self._idle:
            client = self._idle.pop()
            with suppress(SMTPException, OSError):
                await _mail(client, sender)
                return client
            client.close()
        client = await self._connected()
        try:
            await _mail(client, sender)
        except BaseException:
            client.close()
            raise
        return client

    async def _connected(self) -> SMTP:
        client = SMTP(
            hostname=self._host,
            port=self._port,
            local_hostname=self._hostname,
            use_tls=self._port == IMPLICIT_TLS,
            start_tls=self._starttls and self._port != IMPLICIT_TLS,
            tls_context=self._tls_context,
            username=self._username,
            password=self._password,
            timeout=self._timeout,
        )
        try:
            await client.connect()
            if client.is_ehlo_or_helo_needed:
                await _greet(client)
        except BaseException:
            client.close()
            raise
        return client

    async def _reset(self, client: SMTP) -> None:
        """Resets the connection after a refusal and keeps it, if it still works."""
        try:
            await client.rset()
        except (SMTPException, OSError):
            client.close()
        else:
            self._idle.append(client)


async def _greet(client: SMTP) -> None:
    try:
        await client.ehlo()
    except SMTPHeloError:
        await client.helo()


# aiosmtplib's own methods for these two parse their address with parseaddr, which costs 100 us a letter; `send` has
# already checked that it is a plain one.


async def _mail(client: SMTP, sender: str) -> None:
    code, message = await client.execute_command(b"MAIL", b"FROM:<%b>" % sender.encode("ascii"))
    if code != SMTPStatus.completed:
        raise SMTPSenderRefused(code, message, sender)


async def _rcpt(client: SMTP, address: str) -> None:
    code, message = await client.execute_command(b"RCPT", b"TO:<%b>" % address.encode("ascii"))
    if code not in (SMTPStatus.completed, SMTPStatus.will_forward):
        raise SMTPRecipientRefused(code, message, address)


def _why(error: Exception) -> str:
    """The codes, as in `550 5.1.1`, or the name of the error; never the relay's words."""
    if not isinstance(error, SMTPResponseException):
        return type(error).__name__
    status = _STATUS.match(error.message)
    return f"{error.code} {status[1]}" if status else str(error.code)
