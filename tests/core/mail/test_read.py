"""The one door (C1, C2): what a mail becomes, that nothing raises, the dedupe key, dates, and what may be stored."""

import quopri
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailbot.core.mail import incoming
from mailbot.core.mail.incoming import Ignore, Mail, Malformed, read, redact
from tests.core.mail.mailrows import ALICE, OWN, PLAIN, build, got


def test_a_plain_mail() -> None:
    content = build({"From": "Alice <Alice@EXAMPLE.org>", "Subject": "Re: =?utf-8?Q?Z=C3=BCge?="}, "b4,c11\n\n> a1\n")
    result = got(content)
    assert isinstance(result, Mail)
    assert result.sender == "Alice@example.org"
    assert result.subject == "Re: Züge"
    assert result.text == "b4,c11"
    assert result.message_id == "<1@example.org>"
    assert result.date == 1762938000  # date -u -d '2025-11-12 09:00' +%s
    assert result.recipients == (OWN.address,)


def test_a_mail_without_what_may_be_missing() -> None:
    result = got(build({"To": None, "Subject": None, "Date": None, "Message-ID": None}, ""))
    assert isinstance(result, Mail)
    assert (result.subject, result.text, result.message_id, result.date) == ("", "", None, None)


REFUSED = [
    ("from", {"From": None}, ()),
    ("from", {"From": ""}, ()),
    ("from", {"From": "a@example.org, b@example.org"}, ()),
    ("from", {"From": "alice@example.org)bob@evil.org"}, ()),
    ("from", {"From": "a@b.org <c@d.org>"}, ()),
    ("from", {"From": '"""""""""""""'}, ()),
    ("from", {"From": "," * 5000}, ()),
    ("from", {"From": "=?UTF-8?Q?=0AX?= <a@b>"}, ()),
    ("from", {"From": "((((((((" * 500}, ()),
    ("duplicate-header", {}, ("From: bob@example.org",)),
    ("duplicate-header", {}, (f"from: {PLAIN['From']}",)),
    ("duplicate-header", {}, ("Subject: x",)),
    ("duplicate-header", {"Sender": "a@example.org"}, ("SENDER : b@example.org",)),
]


@pytest.mark.parametrize(("reason", "headers", "more"), REFUSED)
def test_c2_who_wrote_it_must_be_certain(reason: str, headers: dict[str, str | None], more: tuple[str, ...]) -> None:
    assert got(build(headers, "b4,c11", *more)) == Malformed(reason)


HARMLESS = [
    ("To: (c):",), ('To: "',), ("Message-ID: <[x@y]>",), ("Message-ID: <>",), ("Content-Type: text/plain; name*",),
    ("Date: Mon, 1 Jan 2025 00:00:00 +99999999999",), ("Date: 99999999999999999",), ("Date: " + "a" * 8000,),
    ("Date: Mon, 32 Foo 99999 99:99:99 +9999",), ("Date: \u00e9",), ("To: " + "," * 8000,), ("To: " + '"' * 8000,),
    ("References: " + "<a@b>" * 1500,), ("References: " + "<a@b> " * 1000,),
    ("Content-Type: text/plain; charset=\x01",),
    ("Content-Disposition: inline; x*0*=a; x*1=b",), ("Content-Transfer-Encoding: " + "x" * 4000,),
    ("Cc: " + "a.a." * 2000,), ("Received: " + ";" * 8000,), ("X-Auto-Response-Suppress: " + "," * 8000,),
]  # fmt: skip


@pytest.mark.parametrize("lines", HARMLESS, ids=[lines[0][:40] for lines in HARMLESS])
def test_c1_headers_that_make_the_standard_library_raise_or_stall(lines: tuple[str, ...]) -> None:
    names = {line.partition(":")[0] for line in lines}
    result = got(build({name: None for name in names if name in PLAIN}, "b4,c11", *lines))
    assert isinstance(result, Mail)
    assert result.text == "b4,c11"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Wed, 12 Nov 2025 10:00:00 +0100", 1762938000),
        ("12 Nov 2025 09:00:00 GMT", 1762938000),
        ("Wed, 12 Nov 2025 10:00:00 +0100 (CET)", 1762938000),
        ("Thu, 1 Jan 1970 00:00:00 +0000", 0),
        ("Wed, 31 Dec 1969 00:00:00 +0000", None),
        ("yesterday", None),
        ("", None),
        ("Wed, 12 Nov 99999 10:00:00 +0100", None),
    ],
)
def test_date(value: str, expected: int | None) -> None:
    result = got(build({"Date": value}))
    assert isinstance(result, Mail)
    assert result.date == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<a@b>", "<a@b>"),
        ("<" + "a" * 250 + ">", "<" + "a" * 250 + ">"),
        ("<" + "a" * 251 + ">", None),
        ("<a b@c>", None),
        ("<a>b>", None),
        ("a@b", None),
        ("<>", None),
        ("<a@b> x", None),
        ("<\u00e9@b>", None),
    ],
)
def test_b4_only_ids_that_are_safe_to_repeat(value: str, expected: str | None) -> None:
    result = got(build({"Message-ID": value, "References": f"{value} <x@y>"}))
    assert isinstance(result, Mail)
    assert result.message_id == expected


SAME = [
    build({}, "b4,c11\n", "Received: from mx2"),
    build({"To": "other@games.example.org"}),
    build({"From": "A. <alice@EXAMPLE.org>"}),
    build({"X-Spam": "no", "Subject": " lambo move 1 "}),
]
OTHER = [
    build({"Message-ID": "<2@example.org>"}),
    build({"Message-ID": None}),
    build({"From": "bob@example.org"}),
    build({"Date": "Wed, 12 Nov 2025 10:00:01 +0100"}),
    build({"Subject": "lambo move 2"}),
    build({}, "b4,c12\n"),
    build({}, "b4,c11\n\n> a1\n"),
    build({"Date": None, "Subject": f"{PLAIN['Date']}{PLAIN['Subject']}"}),
]


def test_a10_the_dedupe_key_is_the_same_for_a_copy_by_another_route() -> None:
    first = got(build()).dedupe
    assert len(first) == 64
    assert {got(copy).dedupe for copy in SAME} == {first}


def test_a10_the_dedupe_key_differs_for_another_mail() -> None:
    keys = [got(content).dedupe for content in [build(), *OTHER]]
    assert len(set(keys)) == len(keys)


def test_ignored_mails_have_a_dedupe_key_too() -> None:
    result = got(build({"Auto-Submitted": "auto-replied"}))
    assert isinstance(result, Ignore)
    assert result.dedupe == got(build()).dedupe


ODD = st.sampled_from([
    b"\r\n", b"\r\n\r\n", b":", b";", b'"', b"--B\r\n", b"--B--\r\n", b"Content-Type: ", b"multipart/mixed; boundary=B",
    b"multipart/alternative", b"text/html", b"text/plain; charset=", b"utf-7", b"iso-2022-jp\r\n", b"format=flowed",
    b"From: ", b"a@b.org", b"<", b">", b"Subject: ", b"=?utf-8?Q?", b"?=", b"Date: ", b"Message-ID: ", b"base64",
    b"Content-Transfer-Encoding: ", b"quoted-printable", b"=", b"\x1b$B", b"\xff", b"\x00", b"\r", b"\n", b"<p>",
    b"<!--", b"> ", b"On 1 Jan 2025, x wrote:\r\n", b"name*0*=''", b"message/rfc822\r\n", b"b4,c11", b" ", b"\t",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(ODD | st.binary(max_size=6), max_size=40).map(b"".join), st.booleans())
def test_c1_fuzz_nothing_raises_and_nothing_is_unreadable(tail: bytes, tame: bool) -> None:
    head = b"From: alice@example.org\r\nContent-Type: multipart/mixed; boundary=B\r\n" if tame else b""
    if tame:
        tail = tail.replace(b"\0", b"").replace(b"\r\n", b"\n").replace(b"\r", b"").replace(b"\n", b"\r\n")
    result = got(head + tail)
    assert isinstance(result, (Mail, Ignore, Malformed))
    assert result != Malformed("unreadable"), "the last fence must not be what holds"
    if isinstance(result, Mail):
        f"{result.subject}{result.text}{result.sender}".encode()
    redact(head + tail, ["x"])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_c1_fuzz_mutated_mails(data: st.DataObject) -> None:
    content = bytearray(
        build({"Content-Type": 'multipart/alternative; boundary="B"; charset*=utf-8\'\'x'},
              "--B\nContent-Type: text/plain; format=flowed\n\nb4,c11\n--B\nContent-Type: text/html\n\n<p>x\n--B--\n")
    )  # fmt: skip
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(ODD)
    assert got(bytes(content)) != Malformed("unreadable")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=20), st.lists(st.text(max_size=20), max_size=3))
def test_c1_fuzz_envelopes(content: bytes, mail_from: str, recipients: list[str]) -> None:
    assert read(content, mail_from=mail_from, recipients=tuple(recipients), own=OWN) is not None
    assert read(build(), mail_from=mail_from, recipients=tuple(recipients), own=OWN) is not None


def test_c1_whatever_breaks_inside_is_one_more_malformed_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (RecursionError(), ValueError("secret"), LookupError()):

        def broken(_text: str, error: Exception = error) -> str:
            raise error

        monkeypatch.setattr("mailbot.core.mail.quoting.top", broken)
        assert got(build()) == Malformed("unreadable")
        assert redact(build(), []) == b"(a mail that could not be read)\n"


PASSWORD = "Tr0ub4dor-étoile"
COMMAND = f"lambo move 12 alice {PASSWORD} b4,c11"
SECRET_MAILS = [
    ("plain", build({}, COMMAND)),
    ("subject", build({"Subject": COMMAND}, "hello")),
    ("subject, encoded", build({"Subject": f"=?utf-8?B?{b64encode(COMMAND.encode()).decode()}?="}, "hello")),
    ("upper case", build({}, COMMAND.upper())),
    ("base64", build({"Content-Transfer-Encoding": "base64", "Content-Type": "text/plain; charset=utf-8"},
                     b64encode(COMMAND.encode()).decode())),
    ("quoted-printable", build({"Content-Transfer-Encoding": "quoted-printable"},
                               quopri.encodestring(COMMAND.encode()).decode().replace("-", "=2D"))),
    ("html", build({"Content-Type": "text/html"}, COMMAND.replace("Tr0", "<b>Tr</b>0"))),
    ("zero-width", build({}, COMMAND.replace("dor", "d\u200bo\u00adr"))),
    ("full-width", build({}, COMMAND.replace("dor", "ｄｏｒ"))),
    ("in an address", build({"To": f"{PASSWORD} <mailbot@games.example.org>"})),
    ("in the name", build({"From": f"{PASSWORD} <{ALICE}>"})),
    ("quoted", build({}, f"hello\n> {COMMAND}")),
    ("attached", build({"Content-Disposition": "attachment"}, COMMAND)),
    ("in another header", build({"X-Old-Subject": COMMAND})),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content"), SECRET_MAILS, ids=[name for name, _ in SECRET_MAILS])
def test_p1_no_password_is_left_in_what_is_stored(name: str, content: bytes) -> None:
    stored = redact(content, ["", PASSWORD]).decode()
    for form in (PASSWORD, PASSWORD.casefold(), "Tr0ub4dor", "tr0ub4dor", "TR0UB4DOR"):
        assert form not in stored
    assert f"From: {ALICE}\n" in stored
    assert "Message-ID: <1@example.org>\n" in stored
    assert "Subject" not in stored


def test_p1_the_rest_of_the_mail_is_kept() -> None:
    stored = redact(build({"To": OWN.token_address("p1-3-12-7-abc")}, f"{COMMAND}\nGood luck, Bob\n> old"), [PASSWORD])
    assert stored.decode() == (
        f"From: {ALICE}\nMessage-ID: <1@example.org>\nDate: {PLAIN['Date']}\n"
        "To: mailbot+********@games.example.org\n\nlambo move 12 alice ******** b4,c11\nGood luck, Bob\n"
    )


def test_p1_long_secrets_go_before_their_parts() -> None:
    stored = redact(build({}, "one onetwo"), ["one", "onetwo"]).decode()
    assert stored.endswith("\n******** ********\n")


def test_a_mail_that_cannot_be_read_is_stored_as_one_line() -> None:
    assert redact(build() + b"\0", ["x"]) == b"(a mail that could not be read)\n"


def test_nothing_of_a_mail_shows_in_its_refusal() -> None:
    """Reasons are constants: whatever is wrong, they come from a closed set."""
    assert incoming.Malformed.__doc__
    for _, headers, more in REFUSED:
        result = got(build(headers, PASSWORD, *more))
        assert isinstance(result, Malformed)
        assert result.reason.replace("-", "").isalpha()
