"""Mails that are never answered (A10, B1, B2), and those kept for somebody (A7, B5). One row for each rule."""

import email.utils

import pytest

from mailbot.core.mail.incoming import IGNORED, LOOP_HEADER, Ignore, Mail, read
from mailbot.core.mail.phrases import LANGUAGES
from tests.core.mail.mailrows import ALICE, OWN, build, got

BOUNCE = OWN.bounce_address("b1-3-12-0-abcdefghijklmnopqrst")
HOP = "Received: from a by b"
RULES = [
    # reason, the header that makes it so, the same header when it does not
    ("auto-submitted", {"Auto-Submitted": "auto-replied"}, {"Auto-Submitted": "no"}),
    ("auto-submitted", {"Auto-Submitted": "auto-generated; x=no"}, {"Auto-Submitted": "No"}),
    ("auto-submitted", {"Auto-Submitted": "auto-notified (no)"}, {"Auto-Submitted": "no (a person)"}),
    ("auto-submitted", {"AUTO-SUBMITTED": ""}, {"X-Auto-Submitted-Not": "yes"}),
    ("loop", {LOOP_HEADER: "games.example.org"}, {"X-Loop": "games.example.org"}),
    ("loop", {LOOP_HEADER.upper(): "other.example.org"}, {}),
    ("own-message-id", {"Message-ID": f"<1@{OWN.message_domain}>"}, {"Message-ID": "<1@games.example.org>"}),
    ("own-message-id", {"Message-ID": f"<1@{OWN.message_domain.upper()}> "}, {"Message-ID": "<1@example.org>"}),
    ("own-sender", {"From": OWN.address}, {"From": "mailbot@other.example.org"}),
    ("own-sender", {"From": OWN.token_address("a1").upper()}, {"From": "mailbot+a1@other.example.org"}),
    ("own-sender", {"From": f"Games <{BOUNCE}>"}, {"From": "Games <bounce@other.example.org>"}),
    ("own-sender", {"From": "abuse@games.example.org"}, {"From": "alice@games.example.org"}),
    ("own-sender", {"Sender": OWN.address}, {"Sender": "secretary@example.org"}),
    ("precedence", {"Precedence": "bulk"}, {"Precedence": "first-class"}),
    ("precedence", {"Precedence": "list"}, {"Precedence": "normal"}),
    ("precedence", {"Precedence": "junk"}, {"Precedence": ""}),
    ("precedence", {"Precedence": "Auto_Reply"}, {}),
    ("list", {"List-Id": "<chess.example.org>"}, {"X-List-Id": "<chess.example.org>"}),
    ("list", {"List-Unsubscribe": "<mailto:x@example.org>"}, {"Listener": "x"}),
    ("list", {"list-post": "NO"}, {}),
    ("suppress", {"X-Auto-Response-Suppress": "All"}, {"X-Auto-Response-Suppress": "None"}),
    ("suppress", {"X-Auto-Response-Suppress": "DR, all"}, {"X-Auto-Response-Suppress": "DR, RN, NRN, OOF, AutoReply"}),
    ("autoreply", {"X-Autoreply": "yes"}, {"X-Reply": "yes"}),
    ("autoreply", {"X-Autorespond": ""}, {}),
    ("report", {"Content-Type": "multipart/report; boundary=x; report-type=delivery-status"},
     {"Content-Type": "text/plain"}),
    ("role", {"From": "owner-chess@example.org"}, {"From": "owner@example.org"}),
    ("role", {"From": "chess-request@example.org"}, {"From": "request@example.org"}),
    ("role", {"From": "chess-bounces@example.org"}, {"From": "trampoline@example.org"}),
    ("role", {"From": "MAILER-DAEMON@example.org"}, {"From": "daemon@example.org"}),
    ("role", {"From": "Postmaster@example.org"}, {"From": "master@example.org"}),
    ("role", {"From": "no-reply@example.org"}, {"From": "noah-reply@example.org"}),
    ("role", {"From": "NoReply+123@example.org"}, {"From": "nora@example.org"}),
    ("role", {"From": "do-not-reply@example.org"}, {"From": "donna@example.org"}),
    ("role", {"From": "do_not_reply@example.org"}, {"From": "don@example.org"}),
    ("role", {"From": "donotreply@example.org"}, {}),
    *[("automatic-subject", {"Subject": f"{text.title()} x: lambo"}, {"Subject": f"Re: {text} lambo"})
      for row in LANGUAGES.values() for text in row.away.split("|")],
    ("automatic-subject", {"Subject": "=?utf-8?Q?R=C3=A9ponse_automatique_:_Lambo?="},
     {"Subject": "=?utf-8?Q?R=C3=A9ponse?="}),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "headers", "harmless"), RULES)
def test_a10_b2_the_mail_is_ignored_and_without_the_header_it_is_read(
    reason: str, headers: dict[str, str], harmless: dict[str, str]
) -> None:
    result = got(build(headers))
    assert isinstance(result, Ignore)
    assert (result.reason, result.kind) == (reason, "drop")
    assert isinstance(got(build(harmless)), Mail), "another value of it does no harm"
    assert isinstance(got(build()), Mail), "nor does its absence"


@pytest.mark.parametrize("mail_from", ["", "<>", " "])
def test_b1_a_null_return_path_is_never_answered(mail_from: str) -> None:
    result = got(build(), mail_from=mail_from)
    assert isinstance(result, Ignore)
    assert result.reason == "null-sender"


@pytest.mark.parametrize("mail_from", [OWN.address, BOUNCE, OWN.token_address("a1")])
def test_a10_a_letter_of_our_own_that_came_back(mail_from: str) -> None:
    result = got(build(), mail_from=mail_from)
    assert isinstance(result, Ignore)
    assert result.reason == "own-sender"


def test_a10_more_than_fifty_hops() -> None:
    assert isinstance(got(build({}, "b4,c11", *[HOP] * 50)), Mail)
    result = got(build({}, "b4,c11", *[HOP] * 51))
    assert isinstance(result, Ignore)
    assert result.reason == "hops"


def test_every_reason_has_a_row_here() -> None:
    assert {reason for reason, _ in IGNORED} == {reason for reason, *_ in RULES} | {"null-sender", "hops"}


REPORT = {"Content-Type": "multipart/report; boundary=x", "From": "Mail Delivery System <MAILER-DAEMON>"}
TO_BOUNCE = [
    ("null sender", "<>", build({"From": "MAILER-DAEMON (Mail Delivery System)"}), "bounce", "bounce"),
    ("report from a person's address", ALICE, build(REPORT), "bounce", "bounce"),
    ("notice of absence", ALICE, build({"Auto-Submitted": "auto-replied"}), "auto-submitted", "drop"),
    ("a person", ALICE, build(), "bounce-address", "drop"),
]


@pytest.mark.parametrize(("name", "mail_from", "content", "reason", "kind"), TO_BOUNCE, ids=[r[0] for r in TO_BOUNCE])
@pytest.mark.parametrize("recipients", [(BOUNCE,), (OWN.bounce_address(),), (OWN.address, BOUNCE.upper())])
def test_b5_mail_to_the_bounce_address_is_only_ever_a_bounce(
    name: str, mail_from: str, content: bytes, reason: str, kind: str, recipients: tuple[str, ...]
) -> None:
    result = got(content, mail_from=mail_from, recipients=recipients)
    assert isinstance(result, Ignore)
    assert (result.reason, result.kind) == (reason, kind)


def test_b2_a_report_to_the_server_is_dropped() -> None:
    result = got(build(REPORT))
    assert isinstance(result, Ignore)
    assert (result.reason, result.kind) == ("report", "drop")


@pytest.mark.parametrize(
    "recipients", [("postmaster",), ("Postmaster@games.example.org",), ("abuse@games.example.org", "postmaster")]
)
@pytest.mark.parametrize("headers", [{}, {"Auto-Submitted": "auto-replied"}, {"From": None}, {"From": "x, y"}])
@pytest.mark.parametrize("mail_from", ["<>", ALICE])
def test_a7_mail_for_the_operator_is_kept_and_never_a_command(
    recipients: tuple[str, ...], headers: dict[str, str | None], mail_from: str
) -> None:
    result = got(build(headers), mail_from=mail_from, recipients=recipients)
    assert isinstance(result, Ignore)
    assert (result.reason, result.kind) == ("operator", "operator")


def test_a7_a_mail_to_operator_and_server_is_a_mail() -> None:
    both = ("postmaster", OWN.address)
    result = got(build(), recipients=both)
    assert isinstance(result, Mail)
    assert result.recipients == both


def letter(headers: dict[str, str | None]) -> bytes:
    """One of our own letters as B4 wants them, with some of the signs that it is one removed."""
    return build({
        "From": f"Games <{OWN.address}>", "Message-ID": f"<7@{OWN.message_domain}>", "Subject": "[lambo 12] your move",
        "Auto-Submitted": "auto-replied", LOOP_HEADER: OWN.domain, "X-Auto-Response-Suppress": "All", **headers,
    })  # fmt: skip


@pytest.mark.parametrize(
    "kept", ["From", "Message-ID", "Auto-Submitted", LOOP_HEADER, "X-Auto-Response-Suppress"]
)  # fmt: skip
def test_a10_each_sign_of_our_own_letters_stops_a_loop_alone(kept: str) -> None:
    signs = {"From": "Eve <eve@example.org>", "Message-ID": email.utils.make_msgid(domain="example.org"),
             "Auto-Submitted": None, LOOP_HEADER: None, "X-Auto-Response-Suppress": None}  # fmt: skip
    assert isinstance(got(letter({name: value for name, value in signs.items() if name != kept})), Ignore)
    assert isinstance(got(letter(signs)), Mail)


def test_a10_two_servers_wired_to_each_other_fall_silent() -> None:
    from mailbot.core.mail.addresses import Own

    other = Own(domain="other.example.org", local="games")
    result = read(letter({}), mail_from=OWN.bounce_address("a1"), recipients=(other.address,), own=other)
    assert isinstance(result, Ignore)
