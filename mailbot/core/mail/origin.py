"""Reads from a Received header which address our front mail server got a mail from, and when.

The client chooses most of such a header: its HELO, which may hold brackets, the name of its host, the subject of its
certificate. The front itself writes one address, at a fixed place, and we read only that. The header must say that the
front wrote it (`by NAME`). A client can forge such a header, but a forged one is below the front's, and only the
topmost one counts.

A HELO may hold octets beyond ASCII (SMTPUTF8). In the header as we read it, octet by octet, one of them may be a
character that Python takes for a blank, such as U+00A0 or U+0085. So only blanks of ASCII count here.
"""

import re
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Final

_IP: Final = r"\[(?:IPv6:)?(?P<ip>[0-9A-Fa-f.:]{2,45})\]"

POSTFIX: Final = re.compile(r"from [^()]+\((?P<host>[^()]{1,400})\)(?= )", re.IGNORECASE | re.ASCII)
"""Postfix and OpenSMTPD: from HELO (NAME [IP]) by FRONT (Postfix). HELO has no parenthesis. Neither HELO nor NAME has a
blank, but Postfix puts one where a line has more than 998 characters, which may be anywhere."""

_HOST: Final = re.compile(rf"[^\[\]=]+{_IP}", re.IGNORECASE | re.ASCII)
"""NAME[IP]."""

EXIM: Final = re.compile(
    rf"from (?:[^ ()\[\]]+ \({_IP}(?::\d+)?[ )]|{_IP.replace('<ip>', '<bare>')} (?:\((?:port|helo|ident)=|by ))",
    re.IGNORECASE | re.ASCII,
)
"""Exim: from NAME ([IP]:PORT helo=HELO) by FRONT with esmtp; a host without a verified name is from [IP] (helo=HELO),
or just from [IP]."""

_DATE: Final = re.compile(
    r" ?(?:[a-z]{3}, ?)?[0-9]{1,2} [a-z]{3} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4}(?: \([^()]{1,20}\))?",
    re.IGNORECASE | re.ASCII,
)

_BLANKS: Final = re.compile(r"[ \t\r\n]+")


def _unfolded(received: str) -> str:
    return _BLANKS.sub(" ", received).strip(" ")


def client(received: str, front_name: str) -> str:
    """The IP address that the front named `front_name` got the mail from, by the topmost Received header.

    "" if the front did not write the header, or does not give the address. `received`: the value, unfolded or not.
    """
    text = _unfolded(received)
    by = _by(text, front_name)
    if not by:
        return ""
    # Postfix and OpenSMTPD always name themselves after their host name, Exim writes `with`. A client of Exim can put
    # the other spelling into its HELO or its return path. A client of the others can make neither a header that begins
    # like Exim's nor one that says `with` there: HELO and NAME have no blank.
    if " with" in by and (found := EXIM.match(text)):
        return plain(found["ip"] or found["bare"])
    found = POSTFIX.match(text) if " (" in by else None
    host = _HOST.fullmatch(found["host"].replace(" ", "")) if found else None
    return plain(host["ip"]) if host else ""


def _by(text: str, front_name: str) -> list[str]:
    """A text for each place that says that the front wrote this header: ` (`, ` with` or nothing."""
    if not front_name:
        return []
    return re.findall(rf" by {re.escape(front_name)}(?=[ ;]|$)( \(| with(?= ))?", text, re.IGNORECASE | re.ASCII)


def arrived(received: str, front_name: str) -> int | None:
    """When the front named `front_name` took the mail, unix seconds, by the topmost Received header.

    None if the front did not write the header, or it has no date.
    """
    text = f" {_unfolded(received)}"  # a mail that the front made itself has a header that begins with `by`
    return dated(received) if _by(text.rpartition(";")[0], front_name) else None


def dated(received: str) -> int | None:
    """The date of a Received header, unix seconds, whoever wrote it; None if it has none. A server writes it last,
    behind everything that its client chooses."""
    date = _unfolded(received).rpartition(";")[2]
    if not _DATE.fullmatch(date):
        return None
    try:
        return int(parsedate_to_datetime(date).timestamp())
    except ValueError:
        return None


def plain(address: str) -> str:
    """An IP address in its usual spelling, an IPv4 address in IPv6 as IPv4; "" if it is not an address."""
    try:
        ip = ip_address(address)
    except ValueError:
        return ""
    return str(ip.ipv4_mapped or ip) if ip.version == 6 else str(ip)
