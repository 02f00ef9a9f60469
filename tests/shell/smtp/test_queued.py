"""Postfix's queue as the doctor reads it: what concerns this server, and what Postfix has not reached."""

import json
from typing import Any

import pytest

from mailbot.shell.smtp.queued import Queued, read

NOW = 1_772_366_400
DOMAIN = "games.example.org"
SHUT = "connect to mx.far.example[192.0.2.9]:25: Connection timed out"
REFUSED = "connect to 127.0.0.1[127.0.0.1]:2525: Connection refused"
FULL = (
    "host 127.0.0.1[127.0.0.1] said: 452 4.2.2 Mailbox full, please try again later (in reply to end of DATA command)"
)
LATER = "host mx.far.example[192.0.2.9] said: 450 4.2.0 Greylisted (in reply to RCPT TO command)"

STUCK = (
    "conversation with mx.far.example[192.0.2.9] timed out while receiving the initial server greeting",
    "SASL authentication failed; server relay.example[192.0.2.9] said: 535 5.7.8 Error: authentication failed",
    "TLS is required, but was not offered by host mx.far.example[192.0.2.9]",
    "Cannot start TLS: handshake failure",
    "deferred transport",
)
"""More reasons of Postfix 3.7 for letters that do not leave it."""


def waiting(sender: str, *recipients: tuple[str, str], age: int = 7200) -> str:
    """A line of `postqueue -j` as Postfix 3.7 writes it."""
    rows = [{"address": address, **({"delay_reason": why} if why else {})} for address, why in recipients]
    return json.dumps({
        "queue_name": "deferred",
        "queue_id": "5F2A91C0A2",
        "arrival_time": NOW - age,
        "message_size": 4210,
        "forced_expire": False,
        "sender": sender,
        "recipients": rows,
    })  # fmt: skip


OURS = f"mailbot+b1-2-3-1-abcdefghijklmnopqrst@{DOMAIN}"
ROWS: list[tuple[str, list[str], Queued]] = [
    ("nothing", [], Queued()),
    ("a port that is shut", [waiting(OURS, ("a@far.example", SHUT))], Queued(1, 0, 7200, 7200, 1, 0, 7200, 1, 0, 1)),
    ("not tried again", [waiting(OURS, ("a@far.example", f"delivery temporarily suspended: {SHUT}"))],
     Queued(1, 0, 7200, 7200, 1, 0, 7200, 1, 0, 1)),
    ("two domains, three letters",
     [waiting(OURS, ("a@x.far.example", SHUT)), waiting(OURS, ("b@y.far.example", SHUT), age=9000),
      waiting(OURS, ("c@near.example", SHUT))], Queued(3, 0, 9000, 9000, 2, 0, 9000, 2, 0, 2)),
    ("greylisted", [waiting(OURS, ("a@far.example", LATER))], Queued(1, 0, 7200, 0, 0, 0, 7200, 1, 0, 1)),
    ("on its way", [waiting(OURS, ("a@far.example", ""), age=1)], Queued(1, 0, 1, 0, 0, 0, 1, 1, 0, 1)),
    *(
        (why[:20], [waiting(OURS, ("a@far.example", why))], Queued(1, 0, 7200, 7200, 1, 0, 7200, 1, 0, 1))
        for why in STUCK
    ),
    ("a mail that does not reach us", [waiting("ann@far.example", (f"MAILBOT@{DOMAIN.upper()}", REFUSED))],
     Queued(0, 1, 7200, 0, 0, 7200, 0, 0, 7200)),
    ("a mail that we put off", [waiting("ann@far.example", (f"mailbot@{DOMAIN}", "host said: 451 4.7.1 later"))],
     Queued(0, 1, 7200, 0, 0, 0, 0, 0, 7200)),
    ("too much mail for the operator", [waiting("eve@far.example", (f"postmaster@{DOMAIN}", FULL))],
     Queued(0, 1, 7200)),
    ("of others", [waiting("x@other.example", ("y@far.example", SHUT)), waiting("", ("y@far.example", SHUT))],
     Queued()),
    ("no JSON, or of another form", ["mail system is down", "[]", "{}", '{"arrival_time": "x"}', "null",
     waiting(OURS).replace('"recipients": []', '"recipients": [7]')], Queued()),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "found"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_concerns_this_server(lines: list[Any], found: Queued) -> None:
    assert read(lines, DOMAIN, NOW) == found
