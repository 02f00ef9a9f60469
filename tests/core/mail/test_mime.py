"""The structure of a mail (C1, C4, C5): limits on octets, the tree of parts, transfer encodings, flowed text."""

import email
import email.policy
import tracemalloc
from email.message import EmailMessage, Message

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailbot.core.mail import mime
from mailbot.core.mail.incoming import MAX_BODIES, Mail, Malformed
from tests.core.mail.mailrows import PLAIN, build, got, text_of, work


def multipart(*parts: str, kind: str = "mixed", boundary: str = "B", **headers: str | None) -> bytes:
    body = "".join(f"--{boundary}\n{part}\n" for part in parts) + f"--{boundary}--\n"
    return build({"Content-Type": f'multipart/{kind}; boundary="{boundary}"', **headers}, body)


def nested(depth: int) -> bytes:
    inner = "\nb4,c11"
    for level in range(depth):
        inner = f'Content-Type: multipart/mixed; boundary="b{level}"\n\n--b{level}\n{inner}\n--b{level}--'
    return build({}, inner.partition("\n\n")[2], inner.partition("\n\n")[0])


AT_LIMIT = [
    ("header block", build({}, "b4,c11", *[f"X-{i}: {'x' * 1000}" for i in range(64)])),
    ("one header", build({"X-Long": "x" * (mime.MAX_HEADER - 9)})),
    ("one header, folded", build({"X-Long": "x" + "\r\n y" * 1500})),
    ("headers", build({}, "b4,c11", *["X: y"] * (mime.MAX_HEADERS - len(PLAIN)))),
    ("parts", multipart("\nb4,c11", *["Content-Type: image/png\n\nx"] * (mime.MAX_PARTS - 2))),
    ("depth", nested(mime.MAX_DEPTH)),
    ("lines like a boundary", multipart("\nb4,c11" + "\n--Bx" * (mime.MAX_MARKS - 2))),
    ("a long text, of which the beginning is read", build({}, "b4,c11\n\n" + "x" * 2 * mime.MAX_TEXT_PART)),
]
PAST_LIMIT = [
    ("header-too-long", build({}, "b4,c11", *[f"X-{i}: {'x' * 1000}" for i in range(66)])),
    ("header-too-long", build({"X-Long": "x" * mime.MAX_HEADER})),
    ("header-too-long", build({"X-Long": "x" + "\r\n y" * mime.MAX_HEADER})),
    ("header-too-long", build({"Content-Type": "text/plain; x=" + "y" * mime.MAX_CONTENT_TYPE})),
    ("header-too-long", build({"Content-Disposition": "inline; x=" + "y" * mime.MAX_CONTENT_TYPE})),
    ("header-too-long", multipart("Content-Type: text/plain; x=" + "y" * mime.MAX_CONTENT_TYPE + "\n\nb4,c11")),
    ("header-too-long", b"X" * 70_000),
    ("header-too-long", multipart(*["Content-Type: text/plain; s=" + ";" * 3900 + "\n\n"] * 5)),
    ("too-many-headers", build({}, "b4,c11", *["X: y"] * (mime.MAX_HEADERS + 1 - len(PLAIN)))),
    ("too-many-parts", multipart("\nb4,c11", *["Content-Type: image/png\n\nx"] * (mime.MAX_PARTS - 1))),
    ("too-many-parts", multipart(*[""] * 100_000)),
    ("too-many-parts", multipart("\nb4,c11" + "\n--Bx" * mime.MAX_MARKS)),
    ("too-deep", nested(mime.MAX_DEPTH + 1)),
    ("too-deep", nested(2000)),
    ("bare-line-end", build().replace(b"\r\n\r\n", b"\r\n\n")),
    ("bare-line-end", build() + b"\r"),
    ("bare-line-end", build() + b"\n"),
    ("bare-line-end", build() + b"\n\r"),
    ("nul", build() + b"\0"),
    ("header-line", b"no header at all\r\n" + build()),
    ("header-line", b" From: x@y.org\r\n" + build()),
    ("header-line", b"Fr\xc3\xb6m: x@y.org\r\n" + build()),
    ("header-line", b": x\r\n" + build()),
    ("header-line", b"From\r\n : x@y.org\r\n" + build()),
    ("header-line", b"Fr\r\n om: x@y.org\r\n" + build()),
]


@pytest.mark.parametrize(("name", "content"), AT_LIMIT, ids=[name for name, _ in AT_LIMIT])
def test_c1_at_the_limit_is_read(name: str, content: bytes) -> None:
    result = got(content)
    assert isinstance(result, Mail)
    assert result.text.startswith("b4,c11")


@pytest.mark.parametrize(("reason", "content"), PAST_LIMIT)
def test_c1_c2_past_the_limit_is_refused(reason: str, content: bytes) -> None:
    assert got(content) == Malformed(reason)


def test_c1_nesting_copies_nothing_but_the_leaves() -> None:
    """Ten levels of a megabyte were copied twenty times."""
    content = nested(mime.MAX_DEPTH).replace(b"b4,c11", b"x" * 1_000_000)
    tracemalloc.start()
    try:
        mime.parse(content)
        assert tracemalloc.get_traced_memory()[1] < 1.2 * len(content)
    finally:
        tracemalloc.stop()


def test_c1_the_parts_of_an_enclosed_mail_are_not_looked_at() -> None:
    """A thousand nested messages are one part to us; the standard library answers with RecursionError."""
    inner = "Content-Type: message/rfc822\n\n" * 5000
    assert text_of(multipart("\nb4,c11", inner)) == "b4,c11"


@pytest.mark.parametrize(
    "value",
    [
        "text/plain" + "; a=b" * 800,
        'text/plain; x="' + ";" * 3900,  # 11.8 s in stdlib at 100 KB
        "text/plain" + ";" * 3900,
        "text/plain; " + "x*0=a;" * 600,
        "text/plain; x*1=" + "'" * 3000,
        "text/plain; charset*=" + "'" * 3000,
        "text/plain; charset*=utf-8''%ff",
        "text/plain; boundary*=punycode''" + "a-" * 1900,
        "text/plain; charset*0*=idna''a; charset*1*=b",
        "text/plain; charset=x\x01y",
        "text/plain; name*",
        "text/plain; format",
        "text; charset=utf-8",
        "text/plain/x",
        "",
        "; ;",
    ],
)
def test_c1_content_types_that_hurt_the_standard_library(value: str) -> None:
    assert text_of(build({"Content-Type": value})) == "b4,c11"


@pytest.mark.parametrize(
    "unit", ["--B\r\n", "--B\r\n\r\n", "--B--\r\n", "--B \t", "\r\n", "--", "a\r\n--", "--C\r\n--B\r\n", ">\r\n"]
)
def test_c1_bodies_are_linear(unit: str) -> None:
    head = build({"Content-Type": "multipart/mixed; boundary=B"}, "")

    def calls(size: int) -> int:
        return work(lambda: got(head + unit.encode() * (size // len(unit))))

    assert calls(200_000) <= 2.5 * calls(100_000) + 100


def shape(part: mime.Part) -> list[tuple[str, bytes]]:
    if part.children:
        return [leaf for child in part.children for leaf in shape(child)]
    return [(part.media, part.body)]


def stdlib_shape(message: "Message[str, str]") -> list[tuple[str, bytes]]:
    leaves = [part for part in message.walk() if not part.is_multipart()]
    return [(leaf.get_content_type(), str(leaf.get_payload()).encode()) for leaf in leaves]


LEAF = st.tuples(st.sampled_from(["plain", "html", "csv"]), st.text(alphabet="ab -=.\n>é", max_size=60), st.booleans())


@settings(max_examples=60, deadline=None)
@given(st.recursive(LEAF, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=8))
def test_c1_the_tree_is_the_one_the_standard_library_sees(tree: object) -> None:
    def made(node: object) -> EmailMessage:
        message = EmailMessage(policy=email.policy.SMTP)
        if isinstance(node, list):
            message.make_mixed()
            for child in node:
                message.attach(made(child))
        else:
            subtype, text, attached = node  # type: ignore[misc]
            message.set_content(text, subtype=subtype, disposition="attachment" if attached else None)
        return message

    content = made(tree).as_bytes()
    assert shape(mime.parse(content)) == stdlib_shape(email.message_from_bytes(content, policy=email.policy.compat32))


@pytest.mark.parametrize(("name", "content"), AT_LIMIT[1:4], ids=[name for name, _ in AT_LIMIT[1:4]])
def test_c1_headers_are_those_the_standard_library_sees(name: str, content: bytes) -> None:
    message = email.message_from_bytes(content, policy=email.policy.compat32)
    theirs: dict[str, list[str]] = {}
    for key, value in message.items():
        theirs.setdefault(key.lower(), []).append(value.replace("\r\n", "").strip())
    assert mime.parse(content).headers == theirs


PLAIN_PART = "Content-Type: text/plain\n\nb4,c11"
HTML_PART = "Content-Type: text/html\n\n<p>c5,a9</p>"
WHICH = [
    ("plain before html", multipart(PLAIN_PART, HTML_PART, kind="alternative"), "b4,c11"),
    ("plain before html, whatever the order", multipart(HTML_PART, PLAIN_PART, kind="alternative"), "b4,c11"),
    ("blank plain", multipart("Content-Type: text/plain\n\n \n\u00a0\n", HTML_PART, kind="alternative"), "c5,a9"),
    ("html only", build({"Content-Type": "text/html"}, "<p>c5,a9</p>"), "c5,a9"),
    ("first of several", multipart(PLAIN_PART, "\nfooter of a list"), "b4,c11"),
    ("empty parts first", multipart("\n \n", HTML_PART.replace("c5,a9", ""), PLAIN_PART), "b4,c11"),
    ("parts behind much without a word", multipart("\n" + " " * 70_000, PLAIN_PART), ""),
    ("more empty parts than are looked into", multipart(*["\n \n"] * MAX_BODIES, PLAIN_PART), ""),
    ("boundary by RFC 2231", build({"Content-Type": "multipart/mixed; boundary*0=B; boundary*1=C"},
                                   "--BC\n\nb4,c11\n--BC--\n"), "b4,c11"),
    ("charset by RFC 2231", build({"Content-Type": "text/plain; charset*=us-ascii'en'koi8-r"}), "b4,c11"),
    ("no text at all", multipart("Content-Type: image/png\n\nb4,c11"), ""),
    ("a part with no headers", multipart("\nb4,c11"), "b4,c11"),
    ("a part that forgot the blank line", multipart("b4,c11"), "b4,c11"),
    ("signed", multipart(PLAIN_PART, "Content-Type: application/pgp-signature\n\nx", kind="signed"), "b4,c11"),
    ("attached text", multipart("Content-Disposition: attachment\n\na1", PLAIN_PART), "b4,c11"),
    ("attached, in capitals", multipart("Content-Disposition: ATTACHMENT; x=y\n\na1", PLAIN_PART), "b4,c11"),
    ("inline file", multipart("Content-Disposition: inline; filename=a.txt\n\na1", PLAIN_PART), "b4,c11"),
    ("named file", multipart("Content-Type: text/plain; name=a.txt\n\na1", PLAIN_PART), "b4,c11"),
    ("only an attachment", multipart("Content-Disposition: attachment\n\na1"), ""),
    ("enclosed mail", multipart("Content-Type: message/rfc822\n\nSubject: x\n\na1"), ""),
    ("digest", multipart("\nSubject: x\n\na1", kind="digest"), ""),
    ("other text", build({"Content-Type": "text/calendar"}, "a1"), ""),
    ("boundary missing", build({"Content-Type": "multipart/mixed"}, "a1"), ""),
    ("boundary never met", build({"Content-Type": "multipart/mixed; boundary=B"}, "a1"), ""),
    ("no last boundary", build({"Content-Type": "multipart/mixed; boundary=B"}, "--B\n\nb4,c11"), "b4,c11"),
    ("preamble", build({"Content-Type": "multipart/mixed; boundary=B"}, "a1\n--B\n\nb4,c11\n--B--\nc2"), "b4,c11"),
    ("boundary of a longer name", build({"Content-Type": "multipart/mixed; boundary=B"}, "--BB\n\na1\n--B--"), ""),
    ("named mail", build({"Content-Type": "text/plain; name=mail.txt"}), "b4,c11"),
    ("quoted-printable", build({"Content-Transfer-Encoding": "quoted-printable"}, "b4=2C=\nc11=20"), "b4,c11"),
    ("base64", build({"Content-Transfer-Encoding": "BASE64"}, "YjQs\nYzEx\n"), "b4,c11"),
    ("base64, cut off", build({"Content-Transfer-Encoding": "base64"}, "YjQsYzExC"), "b4,c11"),
    ("base64, dirty", build({"Content-Transfer-Encoding": "base64"}, "Yj!Qs\u00e9Yz-Ex=\n"), "b4,c11"),
    ("base64 of 8-bit", build({"Content-Transfer-Encoding": "base64", "Content-Type": "text/plain; charset=utf-8"},
                              "YjQsYzExIMO8"), "b4,c11 ü"),
    ("unknown encoding", build({"Content-Transfer-Encoding": "x-uue"}), "b4,c11"),
    ("charset", build({"Content-Type": "text/plain; charset=iso-2022-jp"}, "b4,c11 \x1b$B<j\x1b(B"), "b4,c11 手"),
    ("unknown charset", build({"Content-Type": "text/plain; charset=x-user-defined"}, "b4,c11 ü"), "b4,c11 ü"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "expected"), WHICH, ids=[name for name, *_ in WHICH])
def test_c4_c5_the_text_that_was_written(name: str, content: bytes, expected: str) -> None:
    assert text_of(content) == expected


LONG = "This line is so long that a mail program has to break it somewhere,"
FLOWED = [
    ("joined", f"{LONG} \nhere.", f"{LONG} here."),
    ("short lines stay", "b4,c11 \nThanks", "b4,c11 \nThanks"),
    ("hard break", f"{LONG}\nhere.", f"{LONG}\nhere."),
    ("stuffing", " From here\n > not a quote", "From here\n> not a quote"),
    ("quotes stay quotes", f"> {LONG} \n> here.\n>> deep", f"> {LONG} \n> here.\n>> deep"),
    ("other depth ends a paragraph", f"> {LONG} \nmine", f"> {LONG} \nmine"),
    ("signature", f"{LONG} \n-- \nAlice", f"{LONG} \n-- \nAlice"),
]


@pytest.mark.parametrize(("name", "flowed", "expected"), FLOWED, ids=[name for name, *_ in FLOWED])
def test_c4_flowed_text(name: str, flowed: str, expected: str) -> None:
    assert mime.unflow(flowed, delete_space=False) == expected


def test_c4_flowed_text_with_deleted_spaces() -> None:
    assert mime.unflow(f"{LONG}he \nre.", delete_space=True) == f"{LONG}here."
    mail = build({"Content-Type": "text/plain; format=flowed; delsp=yes"}, f"b4,c11\n\n{LONG}he \nre.")
    assert text_of(mail) == f"b4,c11\n\n{LONG}here."


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab >-", max_size=70), max_size=8).map("\n".join), st.booleans())
def test_c4_flowed_text_loses_no_word_and_no_quote(flowed: str, delete_space: bool) -> None:
    joined = mime.unflow(flowed, delete_space=delete_space)
    assert sorted(joined.replace(" ", "").replace("\n", "").replace(">", "")) == sorted(
        flowed.replace(" ", "").replace("\n", "").replace(">", "")
    )
    quoted = [line for line in flowed.split("\n") if line.startswith(">")]
    assert bool(quoted) <= any(line.startswith(">") for line in joined.split("\n"))
