"""Reports on our letters: what they say, and when they suspend an address."""

import pytest

from mailbot.core.model import DAY, Failing
from mailbot.core.players.bounces import HARD, SOFT, TEXT, after, of_answer, read, seems_dead


def report(fields: str, media: str = "message/delivery-status") -> bytes:
    """A delivery report in the form of RFC 3464."""
    return (
        "From: MAILER-DAEMON@mx.example\r\nTo: bounce@games.example\r\nSubject: Undelivered\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nStatus: 5.1.1 is only mentioned here. Action: failed\r\n"
        f"--b\r\nContent-Type: {media}\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n{fields}\r\n--b--\r\n"
    ).encode()


REPORTS = [
    ("Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 no such user", HARD),
    ("Final-Recipient: rfc822; x@y.z\r\naction: FAILED\r\nstatus: 5.2.1 (mailbox disabled)", HARD),
    ("Action: failed\r\nStatus: 5.0.0", HARD),
    ("Action: failed\r\nStatus: 5.7.1", TEXT),
    ("Action: failed\r\nStatus: 5.3.4", TEXT),
    ("Action: failed\r\nStatus: 5.2.3", TEXT),
    ("Action: failed\r\nStatus: 5.6.0", TEXT),
    ("Action: failed\r\nStatus: 4.7.1", TEXT),
    ("Action: failed\r\nStatus: 5.2.2", SOFT),
    ("Action: failed\r\nStatus: 4.3.1", SOFT),
    ("Action: failed\r\nStatus: 4.4.7", SOFT),
    ("Action: failed", SOFT),
    ("Action:\r\n failed\r\nStatus: \r\n\t5.1.1", HARD),
    ("Action:\r\n\r\nfailed", None),
    ("Action: delayed\r\nStatus: 4.4.1", None),
    ("Action: delayed\r\nStatus: 5.1.1", None),
    ("Action: delayed\r\nStatus: 4.4.1\r\n\r\nAction: failed\r\nStatus: 5.1.1", HARD),
    ("Action: delivered\r\nStatus: 2.0.0", None),
    ("Action: relayed\r\nStatus: 2.0.0", None),
    ("nothing that could be read", None),
]


@pytest.mark.parametrize(("fields", "says"), REPORTS)
def test_e1_a_report_is_read(fields: str, says: str | None) -> None:
    assert read(report(fields)) == says


def test_a_report_on_an_address_that_is_not_ascii_is_read() -> None:
    assert read(report("Action: failed\r\nStatus: 5.1.1", "message/global-delivery-status")) == HARD


@pytest.mark.parametrize(
    "content",
    [
        report("Action: failed\r\nStatus: 5.1.1", "text/plain"),
        b"From: a@b.example\r\nSubject: Away\r\nAuto-Submitted: auto-replied\r\n\r\n550 5.1.1 Action: failed\r\n",
        b"not a mail at all",
        b"A\n\r\nB",
        b"",
    ],
)
def test_what_is_no_report_says_nothing(content: bytes) -> None:
    assert read(content) is None


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("550 5.1.1", HARD),
        ("550", HARD),
        ("553 5.1.3", HARD),
        ("554 5.7.1", TEXT),
        ("554", TEXT),
        ("552 5.3.4", TEXT),
        ("552 5.2.3", TEXT),
        ("552", TEXT),
        ("552 5.2.2", SOFT),
        ("451 4.7.1", TEXT),
        ("451 4.3.0", SOFT),
        ("450", SOFT),
        ("not an address", None),
        ("TimeoutError", None),
    ],
)
def test_of_answer(why: str, says: str | None) -> None:
    assert of_answer(why) == says


SERIES = [
    ("three hard ones within a week", [(0, HARD), (1, HARD), (2, HARD)], True),
    ("two", [(0, HARD), (1, HARD)], False),
    ("three, the first long ago", [(0, HARD), (6, HARD), (8, HARD)], True),  # together they span a week as well
    ("far between", [(0, HARD), (8, HARD), (16, HARD)], False),
    ("soft ones over a week", [(day, SOFT) for day in range(8)], True),
    ("soft ones for six days", [(day, SOFT) for day in range(7)], False),
    ("soft ones with a gap of a week", [(0, SOFT), (4, SOFT), (12, SOFT), (16, SOFT)], False),
]


@pytest.mark.parametrize(("name", "failures", "dead"), SERIES, ids=[row[0] for row in SERIES])
def test_e1_when_it_is_enough(name: str, failures: list[tuple[int, str]], dead: bool) -> None:
    row: Failing | None = None
    for day, kind in failures:
        row = after(row, 1, kind, 10**9 + day * DAY)
    assert row
    assert seems_dead(row) == dead
