"""Letters: the stdlib's parsers read back what was put in, and no line can upset a relay."""

import quopri
import re
from dataclasses import replace
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mailbot.core.letters.outgoing import Message
from mailbot.shell.post.compose import Unfit, compose

LETTER = Message(
    to="ann@example.org",
    from_name="Lambo",
    from_addr="mailbot@games.example",
    subject="Lambo board 12: your move (ply 7)",
    text="Your move.\n\n  __    __\n /a \\__/  \\\n",
    message_id="<m12.7.ann@games.example>",
    date=1_795_230_000,
    loop="games.example",
)


def but(letter: Message = LETTER, /, **fields: Any) -> Message:
    return replace(letter, **fields)


def parsed(raw: bytes) -> EmailMessage:
    message = BytesParser(policy=policy.default).parsebytes(raw)
    assert isinstance(message, EmailMessage)
    return message


def body(raw: bytes) -> bytes:
    """The body as a reader sees it, without the stdlib parser's habit of translating line ends."""
    head, _, coded = raw.partition(b"\r\n\r\n")
    assert coded.endswith(b"\r\n")
    coded = coded[:-2]
    return quopri.decodestring(coded) if b"quoted-printable" in head else coded


def test_a_plain_letter_to_the_byte() -> None:
    letter = replace(
        LETTER,
        reply_to="mailbot+p1-3-12-7-abcdefghijklmnopqrst@games.example",
        in_reply_to="<q@ann.example>",
        references=("<m12.6.ann@games.example>", "<q@ann.example>"),
        auto="auto-replied",
        list_id="lambo.games.example",
        list_unsubscribe="mailto:mailbot+u1-3-0-0-abcdefghijklmnopqrst@games.example",
        list_help="mailto:mailbot@games.example?subject=help",
    )
    assert compose(letter).decode().split("\r\n") == [
        "Date: Sat, 21 Nov 2026 03:00:00 +0000",
        "From: Lambo <mailbot@games.example>",
        "To: ann@example.org",
        "Subject: Lambo board 12: your move (ply 7)",
        "Message-ID: <m12.7.ann@games.example>",
        "Reply-To: mailbot+p1-3-12-7-abcdefghijklmnopqrst@games.example",
        "In-Reply-To: <q@ann.example>",
        "References: <m12.6.ann@games.example>",
        " <q@ann.example>",
        "Auto-Submitted: auto-replied",
        "X-Auto-Response-Suppress: All",
        "X-Mailbot-Loop: games.example",
        "List-Id: <lambo.games.example>",
        "List-Unsubscribe: <mailto:mailbot+u1-3-0-0-abcdefghijklmnopqrst@games.example>",
        "List-Help: <mailto:mailbot@games.example?subject=help>",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=us-ascii; format=fixed",
        "Content-Transfer-Encoding: 7bit",
        "",
        "Your move.",
        "",
        "  __    __",
        " /a \\__/  \\",
        "",
    ]


CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
header_text = st.text(max_size=200).map(lambda text: CONTROL.sub("", text).strip())
ascii_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=300).map(str.strip)
wordy = st.lists(
    st.sampled_from(["a", "bc", "Lambo", "=?utf-8?q?x?=", "x" * 90, "é", "🐝", "", '"', "<b@c>"]), max_size=40
)
line_of_text = header_text | ascii_text | wordy.map(" ".join).map(str.strip)


@given(line_of_text, line_of_text)
@example("x" * 69, "x" * 66)
@example("x" * 70, "x" * 67)
@example("é" * 200, "é" * 200)
@example("a  b" * 30, "a  b" * 16)
@example("=?utf-8?q?ab?=", "=?utf-8?q?ab?=")
@example("=?", '\\"')
def test_headers_come_back(subject: str, name: str) -> None:
    raw = compose(but(subject=subject, from_name=name))
    head = raw.partition(b"\r\n\r\n")[0].decode("ascii")
    assert all(0 < len(line) <= 78 and not line.isspace() for line in head.split("\r\n"))
    assert all(len(line) <= 76 for line in head.split("\r\n") if "=?utf-8?b?" in line)

    old = message_from_bytes(raw)  # compat32
    assert str(make_header(decode_header(re.sub("\r?\n", "", old["Subject"])))) == subject
    phrase, address = parseaddr(re.sub("\r?\n", "", old["From"]))
    assert address == LETTER.from_addr
    assert str(make_header(decode_header(phrase))) == name

    new = parsed(raw)
    assert new["Subject"] == subject
    assert new["From"].addresses[0].addr_spec == LETTER.from_addr
    # The newer parser joins the encoded words of a name with a blank and makes one blank of two: not ours to fix.
    assert "".join(new["From"].addresses[0].display_name.split()) == "".join(name.split())
    assert len(new["From"].addresses) == 1
    assert not new.defects


NASTY = [
    "From me",
    " From me",
    ".",
    "..",
    ".x",
    "",
    " ",
    "x ",
    "x\t",
    "=",
    "=41",
    "é",
    "\x0c",
    "\x1b[2J",
    "a\tb",
    "-- ",
]
LONG_LINES = ["x" * 76, "x" * 77, "x" * 78, "x" * 79, "🐝" * 30, "y" * 75 + "From z", "y" * 74 + "From z" + "é"]
nasty = st.lists(st.sampled_from(NASTY + LONG_LINES), max_size=8).map("\n".join)


@given(nasty | st.text(max_size=400) | ascii_text)
@example("a\r\nb\rc\nd")
@example("\ud800")
@example("a\0b")
@example("x" * 3000)
@example("ü" * 3000)
def test_text_comes_back(text: str) -> None:
    raw = compose(but(text=text))
    assert raw.isascii()
    assert not re.search(rb"[^\r]\n|\r[^\n]|\0", raw)
    lines = raw.split(b"\r\n")
    assert all(len(line) <= 78 for line in lines)
    assert not any(line.startswith(b"From ") or line.endswith((b" ", b"\t")) for line in lines)
    want = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    octets = want.encode("utf-8", "replace")
    assert body(raw).replace(b"\r\n", b"\n") == octets
    payload = parsed(raw).get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert payload.replace(b"\r\n", b"\n") == octets + b"\n"


@given(st.text(max_size=200), st.sampled_from(["subject", "from_name", "to", "from_addr", "reply_to", "loop"]))
@settings(max_examples=300)
def test_no_text_makes_another_header(text: str, field: str) -> None:
    """Whatever a field holds, the letter is refused or has exactly the headers of a letter."""
    letter = replace(LETTER, reply_to="r@games.example")
    try:
        raw = compose(but(letter, **{field: f"a{text}"}))
    except Unfit:
        return
    assert parsed(raw).keys() == parsed(compose(letter)).keys()


BREAKS = ["\r", "\n", "\r\n", "\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1b", "\x7f"]
TEXTS = ["subject", "from_name"]
SHAPED = ["to", "from_addr", "reply_to", "message_id", "loop", "list_id", "list_unsubscribe", "list_help"]
SHAPES = dict.fromkeys(("to", "from_addr", "reply_to"), "ann@example.org") | {
    "message_id": "<a@b>",
    "loop": "games.example",
    "list_id": "lambo.games.example",
    "list_unsubscribe": "mailto:a@b",
    "list_help": "mailto:a@b",
}


@pytest.mark.parametrize("mark", BREAKS)
@pytest.mark.parametrize("field", TEXTS + SHAPED)
def test_line_breaks_in_headers_are_refused(field: str, mark: str) -> None:
    good = SHAPES.get(field, "Hello")
    compose(but(**{field: good}))
    for bad in (f"{good}{mark}Bcc: all@example.org", f"{mark}{good}", f"{good}{mark}"):
        with pytest.raises(Unfit) as caught:
            compose(but(**{field: bad}))
        assert "example" not in str(caught.value)


REFUSED = [
    ("to", ""),
    ("to", "ann"),
    ("to", "Ann <ann@example.org>"),
    ("to", "<ann@example.org>"),
    ("to", "ann@example.org, bob@example.org"),
    ("to", "a@b@c.org"),
    ("to", "a b@c.org"),
    ("to", '"a"@c.org'),
    ("to", "ä@example.org"),
    ("to", "ann@exämple.org"),
    ("to", ".a@c.org"),
    ("to", "a..b@c.org"),
    ("to", "a@.c.org"),
    ("to", "a@-c.org"),
    ("to", "a" * 65 + "@c.org"),
    ("to", "a@" + ("c" * 60 + ".") * 4 + "c" * 9),
    ("message_id", "a@b"),
    ("message_id", "<>"),
    ("message_id", "<a b>"),
    ("message_id", "<" + "a" * 251 + ">"),
    ("list_unsubscribe", "mailto:a b"),
    ("list_help", "<mailto:a>"),
    ("list_id", "a b"),
    ("auto", "no"),
]


@pytest.mark.parametrize(("field", "value"), REFUSED)
def test_refused(field: str, value: str) -> None:
    with pytest.raises(Unfit):
        compose(but(**{field: value}))


def test_addresses_are_ours_to_send_to() -> None:
    for address in ("a@localhost", "o'neil+x@mail.example.org", "a.b-c_d@1.example", "a" * 64 + "@c.org"):
        assert parsed(compose(but(to=address)))["To"].addresses[0].addr_spec == address


LONG = f"<{'x' * 200}@y>"
IDS = tuple(f"<{n}@x>" for n in range(20))
THREADS = [
    ((), None, None, None),
    (("<a@b>",), "<a@b>", ["<a@b>"], "<a@b>"),
    (IDS[:10], None, list(IDS[:10]), None),
    (IDS, "<19@x>", ["<0@x>", *IDS[11:]], "<19@x>"),
    (("<a@b>", "bad", "<a b>", "<c\r\nBcc: x>", "<d>"), "bad", ["<a@b>", "<d>"], None),
    (("<a@b>", "<c@d>", "<a@b>"), None, ["<a@b>", "<c@d>"], None),
    ((LONG, LONG.replace("y", "z")), LONG, [LONG, LONG.replace("y", "z")], LONG),
    (("bad",), None, None, None),
]


@pytest.mark.parametrize(("references", "reply", "ids", "id"), THREADS)
def test_thread(references: tuple[str, ...], reply: str | None, ids: list[str] | None, id: str | None) -> None:
    raw = compose(but(references=references, in_reply_to=reply))
    message = message_from_bytes(raw)
    assert (message["References"].split() if message["References"] else None) == ids
    assert (message["In-Reply-To"].strip() if message["In-Reply-To"] else None) == id
    assert b"=?" not in raw
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))


def test_same_letter_same_bytes_and_date() -> None:
    first = compose(LETTER)
    assert first == compose(replace(LETTER))
    assert parsedate_to_datetime(message_from_bytes(first)["Date"]).timestamp() == LETTER.date


def test_charset_and_encoding() -> None:
    rows = [
        ("plain", "us-ascii", "7bit"),
        ("x" * 78, "us-ascii", "7bit"),
        ("x" * 79, "us-ascii", "quoted-printable"),
        ("From x", "us-ascii", "quoted-printable"),
        ("blank ", "us-ascii", "quoted-printable"),
        ("ü", "utf-8", "quoted-printable"),
    ]
    for text, charset, encoding in rows:
        message = message_from_bytes(compose(but(text=text)))
        assert (message.get_content_charset(), message["Content-Transfer-Encoding"]) == (charset, encoding), text
