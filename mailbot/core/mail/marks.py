"""The id of a mail in our log and in our SMTP answer, and so in the log of the server that sent it.

It is a hash of the Message-ID, so the operator can compute it from what a player or another log shows
(`mailbot admin find`). It does not reveal who wrote to whom, and it has a fixed form whatever the mail holds.
"""

import re
from hashlib import sha256

LENGTH = 12
"""Hex digits: among a month's ten million mails, two share an id with a chance of one in six."""

_HEADERS = 65_536
_FIELD = b"message-id:"
_ID = re.compile(rb"[ \t]*(?:\r?\n[ \t]+)?([!-~]+)")
_MARK = re.compile(rf"[0-9a-f]{{{LENGTH}}}\Z")


def mark(content: bytes) -> str:
    """The id of a mail as it came over the wire, however broken; without a Message-ID, a hash of the whole mail."""
    end = content.find(b"\r\n\r\n", 0, _HEADERS)
    end = end if end >= 0 else _HEADERS
    head = content[:end].lower()
    at = 0 if head.startswith(_FIELD) else head.find(b"\n" + _FIELD) + 1
    found = _ID.match(content, at + len(_FIELD), end) if at or head.startswith(_FIELD) else None
    return sha256(found[1].strip(b"<>") if found else content).hexdigest()[:LENGTH]


def wanted(text: str) -> str:
    """The id that the operator asks for, by the id itself or by a Message-ID with or without angle brackets."""
    said = text.strip().removeprefix("#")
    return said if _MARK.match(said) else mark(b"Message-ID: " + said.encode("utf-8", "replace"))
