"""Servers in front of us that say who their clients are: XCLIENT and XFORWARD (Postfix, nginx), PROXY (HAProxy).

Nothing in here does I/O. The address of the connection decides who may say such a thing, before we read a word of it.
"""

import re
import struct
from collections.abc import Sequence
from ipaddress import ip_address

from mailbot.core.mail.incoming import Ignore, Mail
from mailbot.core.mail.origin import arrived, client, dated, plain
from mailbot.core.model import DAY
from mailbot.shell.smtp.waits import Waits
from mailbot.shell.smtp.wire import Envelope, exemption

LONGEST_WAIT = 5 * DAY
"""Seconds that a mail waits in the queue of a mail server at most (RFC 5321 4.5.4.1)."""


class Front:
    """The servers that hand us the mail of others.

    `peers`: addresses and networks that they connect from; a unix socket is always one of them. `name`: their own name
    in their Received headers, "" if we must not read these. `proxy`: their connections begin with a PROXY header.
    `waits`: how long a mail can have waited there.
    Raises ValueError for a peer that is not a network.
    """

    def __init__(
        self, peers: Sequence[str] = (), name: str = "", *, proxy: bool = False, waits: Waits | None = None
    ) -> None:
        self.trusts = exemption(peers)
        self._name = name
        self.proxy = proxy
        self._waits = waits or Waits()

    def source(self, envelope: Envelope, mail: Mail | Ignore) -> str:
        """The IP address that a mail came from, according to a server that we trust; "" if none says."""
        if envelope.peer:
            return envelope.peer
        told = client(mail.received, self._name)
        return "" if self.trusts(told) else told

    def arrived(self, envelope: Envelope, mail: Mail, now: int) -> int:
        """When the mail came, unix seconds: when the front took it, if a front that we trust has handed it to us and
        says so, else now. A time that lies ahead, or longer ago than a front keeps a mail, does not count. Nor does
        time in which the mail cannot have waited for us."""
        at = None if envelope.peer else arrived(mail.received, self._name)
        if at is None or not now - LONGEST_WAIT <= at <= now:
            return now
        return max(at, self._waits.since(mail.received, now))

    def waited(self, mail: Mail | Ignore, now: int) -> int:
        """Seconds since the last server took the mail, by its topmost Received header; 0 if that has no date. If no
        front wrote that header, the sender did: what depends on it may harm only this mail."""
        return now - (dated(mail.received) or now)

    def put_off_for(self, mail: Mail | Ignore, now: int) -> int:
        """Seconds since we asked for this mail once more; 0 if we have not."""
        return self._waits.put_off_for(mail.received, now)

    def put_off(self, envelope: Envelope, mail: Mail, now: int) -> None:
        """We have asked for this mail once more, later."""
        if not envelope.peer:
            self._waits.put_off(mail.received, now)

    def jumped(self, by: int) -> None:
        """The clock has jumped by so many seconds."""
        self._waits.jumped(by)


# XCLIENT and XFORWARD: `ADDR=192.0.2.1 NAME=host.example PORT=1234 HELO=...`, values in xtext.

_ATTRIBUTE = re.compile(r"([A-Za-z]{1,16})=([!-~]{1,255})")
_UNKNOWN = ("[UNAVAILABLE]", "[TEMPUNAVAIL]")


def named_client(attributes: str) -> str | None:
    """The IP address in the words of XCLIENT or XFORWARD; "" if the front does not know it, None if they name none.

    Raises ValueError for words that are not attributes, and for an invalid address.
    """
    found: str | None = None
    words = attributes.split()
    for word in words:
        attribute = _ATTRIBUTE.fullmatch(word)
        if attribute is None:
            raise ValueError
        if attribute[1].upper() == "ADDR":
            said = attribute[2].upper()
            found = "" if said in _UNKNOWN else plain(said.removeprefix("IPV6:"))
            if not found and said not in _UNKNOWN:
                raise ValueError
    if not words:
        raise ValueError
    return found


# PROXY protocol, versions 1 and 2 (proxy-protocol.txt of HAProxy)

_SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
_LINE = re.compile(
    rb"PROXY (?:(TCP4|TCP6) ([0-9A-Fa-f.:]{2,45}) [0-9A-Fa-f.:]{2,45} \d{1,5} \d{1,5}|UNKNOWN[ -~]*)\r\n"
)
_LONGEST_LINE = 107
LONGEST = 4096
"""Bytes of a header; version 2 can carry certificates, which we do not read."""


def proxied(data: bytes) -> tuple[str, int] | None:
    """The client's IP address and the length of the PROXY header at the start of `data`; None while it is incomplete.

    The address is "" if the proxy speaks for itself (a health check), or for a client without an IP address. Raises
    ValueError if there is no such header.
    """
    if data.startswith(_SIGNATURE):
        return _second_version(data)
    if _SIGNATURE.startswith(data):
        return None
    line, end, _ = data[:_LONGEST_LINE].partition(b"\r\n")
    if not end and len(data) < _LONGEST_LINE and (b"PROXY ".startswith(data) or data.startswith(b"PROXY ")):
        return None
    found = _LINE.fullmatch(line + end)
    if found is None:
        raise ValueError
    ip = ip_address(found[2].decode()) if found[1] else None
    if ip and ip.version != int(found[1][-1:]):
        raise ValueError
    return plain(str(ip)) if ip else "", len(found[0])


def _second_version(data: bytes) -> tuple[str, int] | None:
    if len(data) < 16:
        return None
    command, family, length = struct.unpack_from("!BBH", data, 12)
    size = 16 + length
    if command not in (0x20, 0x21) or size > LONGEST:
        raise ValueError
    if len(data) < size:
        return None
    octets = {0x11: 4, 0x21: 16}.get(family, 0) if command == 0x21 else 0
    if length < (2 * octets + 4 if octets else 0):
        raise ValueError
    return plain(str(ip_address(data[16 : 16 + octets]))) if octets else "", size
