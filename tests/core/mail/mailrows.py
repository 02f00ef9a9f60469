"""Builds mails for the tests of this folder, and measures work without a clock."""

import sys
from collections.abc import Callable
from typing import Any

from mailbot.core.mail.addresses import Own
from mailbot.core.mail.incoming import Ignore, Mail, Malformed, read

OWN = Own(domain="games.example.org")
ALICE = "alice@example.org"
PLAIN = {
    "From": "Alice <alice@example.org>",
    "To": "mailbot@games.example.org",
    "Subject": "lambo move 1",
    "Date": "Wed, 12 Nov 2025 10:00:00 +0100",
    "Message-ID": "<1@example.org>",
}


def build(changes: dict[str, str | None] | None = None, body: str = "b4,c11\n", *more: str) -> bytes:
    """A human's mail with some headers changed, or left out (None); `more` are whole header lines put behind."""
    headers = {**PLAIN, **(changes or {})}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([*lines, *more, "", body.replace("\n", "\r\n")]).encode("utf-8")


def got(
    content: bytes, *, mail_from: str = ALICE, recipients: tuple[str, ...] = (OWN.address,)
) -> Mail | Ignore | Malformed:
    return read(content, mail_from=mail_from, recipients=recipients, own=OWN)


def text_of(content: bytes) -> str:
    result = got(content)
    assert isinstance(result, Mail), result
    return result.text


def work(call: Callable[[], Any]) -> int:
    """How many function calls, Python's and C's, `call()` makes."""
    count = 0

    def note(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count
