"""The structure of a mail: octets to header fields and a tree of parts, within fixed limits (C1).

Why not use `BytesParser` for everything? We cannot bound its work from outside. 1 MB of eight-octet parts, a hundred
nested multiparts or one long Content-Type keep it busy for many seconds (H1), and a scan before it would have to find
the boundaries, that is, to parse. So this module splits the mail itself. It checks every limit on octets before it
looks at them closely, and each level of nesting reads its octets once: at most MAX_DEPTH passes. The standard library
(`email`, policy compat32) still reads what it reads well, Content-Type parameters, one header of at most 4 KB at a
time and inside `safe`.
"""

import binascii
import re
from collections.abc import Callable, Mapping
from email.message import Message
from email.policy import compat32
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from mailbot.core.mail import charset

MAX_HEADER_BLOCK: Final = 64 * 1024
MAX_HEADER: Final = 16 * 1024
"""An Autocrypt header may have 10 KiB (Autocrypt level 1)."""
MAX_CONTENT_TYPE: Final = 4 * 1024
MAX_CONTENT_TYPES: Final = 16 * 1024
"""All Content-Type fields of a mail together."""
MAX_PARAMETERS: Final = 50
"""Semicolons of one Content-Type field to read: 4 KB of them keep the standard library busy for 10 ms."""
MAX_HEADERS: Final = 200
MAX_PARTS: Final = 50
MAX_MARKS: Final = 1000
"""Lines of one multipart that begin with its boundary, whatever follows."""
MAX_DEPTH: Final = 10
MAX_TEXT_PART: Final = 256 * 1024
"""Octets of a text that are read."""

T = TypeVar("T")


class BrokenError(Exception):
    """The octets are not a mail that we read; `reason` is one of the constant words listed in `incoming.Malformed`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Part(NamedTuple):
    """One node of the tree: a multipart has children, any other part only its undecoded octets."""

    headers: Mapping[str, list[str]]
    """Names in lower case, in the order of their first occurrence; values unfolded and stripped, one character per
    octet."""
    body: bytes
    media: str
    parameters: Mapping[str, str]
    """Of the Content-Type, names in lower case."""
    children: tuple["Part", ...] = ()

    def get(self, name: str) -> str | None:
        """The value of the first field called `name`."""
        values = self.headers.get(name)
        return values[0] if values else None

    def get_all(self, name: str) -> list[str]:
        """The values of all fields called `name`."""
        return self.headers.get(name, [])


def safe(call: Callable[[], T], default: T) -> T:
    """`call()`, or `default` if it raises anything: the one fence round accessors of the standard library."""
    try:
        return call()
    except Exception:  # RecursionError is one too
        return default


def parse(content: bytes) -> Part:
    """The tree of a whole mail with CRLF line ends. Raises BrokenError for bare line ends, NUL, or a limit exceeded."""
    if not content.count(b"\r") == content.count(b"\n") == content.count(b"\r\n"):
        raise BrokenError("bare-line-end")
    if b"\0" in content:
        raise BrokenError("nul")
    return _part(_Span(content, 0, len(content)), _Budget(), depth=0, parent="")


class _Span(NamedTuple):
    """The octets of `content` from `start` up to `end`, not copied: ten levels would copy a megabyte twenty times."""

    content: bytes
    start: int
    end: int

    def octets(self) -> bytes:
        return self.content[self.start : self.end]


class _Budget:
    """Counts over the whole tree."""

    def __init__(self) -> None:
        self.parts = 0
        self.content_types = 0

    def take_part(self) -> None:
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise BrokenError("too-many-parts")

    def take_content_type(self, octets: int) -> None:
        self.content_types += octets
        if self.content_types > MAX_CONTENT_TYPES:
            raise BrokenError("header-too-long")


def _part(span: _Span, budget: _Budget, *, depth: int, parent: str) -> Part:
    budget.take_part()
    block, body = _header_block(span, lenient=depth > 0)
    headers = _headers(block, lenient=depth > 0)
    kind = headers.get("content-type", [None])[0]
    budget.take_content_type(len(kind or ""))
    media = _media(kind, "message/rfc822" if parent == "multipart/digest" else "text/plain")
    nothing: Mapping[str, str] = {}
    parameters = safe(lambda: _parameters(kind or ""), nothing)
    if not media.startswith("multipart/"):
        return Part(headers, body.octets(), media, parameters)
    if depth >= MAX_DEPTH:
        raise BrokenError("too-deep")
    boundary = parameters.get("boundary", "").rstrip()
    pieces = _pieces(body, boundary, budget) if boundary else []
    children = tuple(_part(piece, budget, depth=depth + 1, parent=media) for piece in pieces)
    return Part(headers, b"", media, parameters, children)


_FIELD_LINE: Final = re.compile(rb"[ \t]|[!-9;-~]+[ \t]*:")
_FOLD: Final = re.compile(r"\r\n(?=[ \t])")


def _header_block(span: _Span, *, lenient: bool) -> tuple[bytes, _Span]:
    """The header lines and the body. An inner part that does not start with a header line is all body, as in stdlib.

    At the top, a malformed header line is refused, because parsers disagree on what follows it.
    """
    content, start, end = span
    if content.startswith(b"\r\n", start, end):
        return b"", _Span(content, start + 2, end)
    if lenient and not _FIELD_LINE.match(content, start, end):
        return b"", span
    blank = content.find(b"\r\n\r\n", start, min(end, start + MAX_HEADER_BLOCK + 4))
    if blank < 0 and end - start > MAX_HEADER_BLOCK:
        raise BrokenError("header-too-long")
    return (
        (span.octets(), _Span(content, end, end))
        if blank < 0
        else (content[start:blank], _Span(content, blank + 4, end))
    )


_NAME: Final = re.compile(r"([!-9;-~]+)[ \t]*")
"""A header's name: printable ASCII but space and colon (RFC 5322 2.2); blanks before the colon are obsolete (4.5.8)."""


@lru_cache(maxsize=256)
def _name(head: str) -> str:
    """The name in lower case from what stands before the colon; "" if that is none. Most mails have the same few."""
    named = _NAME.fullmatch(head)
    return named[1].lower() if named else ""


def _headers(block: bytes, *, lenient: bool) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    text = block.decode("latin-1")
    if "\r\n " in text or "\r\n\t" in text:
        text = _FOLD.sub("\n", text)  # a character that no name may hold; some parsers end a name there
    lines = text.removesuffix("\r\n").split("\r\n") if text else []
    for count, line in enumerate(lines):
        head, colon, value = line.partition(":")
        name = _name(head) if colon else ""
        if not name:
            if lenient:
                break
            raise BrokenError("header-line")
        if len(line) > (MAX_CONTENT_TYPE if name.startswith("content-") else MAX_HEADER):
            raise BrokenError("header-too-long")
        if count >= MAX_HEADERS:
            raise BrokenError("too-many-headers")
        headers.setdefault(name, []).append(value.replace("\n", "").strip(" \t"))
    return headers


def _media(value: str | None, default: str) -> str:
    media = (value or "").partition(";")[0].strip().lower()
    return media if media.count("/") == 1 else default if value is None else "text/plain"


@lru_cache(maxsize=256)
def _parameters(content_type: str) -> Mapping[str, str]:
    message: Message[str, str] = Message(policy=compat32)
    message["Content-Type"] = ";".join(content_type.split(";", MAX_PARAMETERS)[:MAX_PARAMETERS])
    found: dict[str, str] = {}
    for name, value in message.get_params([])[1:]:
        found.setdefault(name.lower(), value[2] if isinstance(value, tuple) else value)  # RFC 2231 gives three
    return found


_AFTER_BOUNDARY: Final = re.compile(rb"(--)?[ \t]*(?=\r\n|\Z)")


def _pieces(body: _Span, boundary: str, budget: _Budget) -> list[_Span]:
    """The parts between the delimiter lines (RFC 2046 5.1.1); preamble and epilogue are dropped."""
    content, first, end = body
    mark = b"\r\n--" + boundary.encode("latin-1", errors="replace")
    pieces: list[_Span] = []
    start = -1
    at = first - 2 if content.startswith(mark[2:], first, end) else content.find(mark, first, end)
    marks = 0
    while at != -1:
        marks += 1
        after = at + len(mark)
        if line := _AFTER_BOUNDARY.match(content, after, end):
            if start >= 0:
                pieces.append(_Span(content, start, max(start, at)))
            start = -1 if line[1] else line.end() + 2
            if line[1]:
                break
            after = line.end()
        if budget.parts + len(pieces) >= MAX_PARTS or marks > MAX_MARKS:
            raise BrokenError("too-many-parts")
        at = content.find(mark, after, end)
    if start >= 0:
        pieces.append(_Span(content, min(start, end), end))
    return pieces


def bodies(part: Part) -> list[Part]:
    """The parts that may hold the sender's words, best first: no attachments (C5), no enclosed mails (C4).

    In the order in which a mail program shows them; of alternatives, plain text before HTML.
    """
    return _bodies(part, inside=False)


def _bodies(part: Part, *, inside: bool) -> list[Part]:
    if part.media.startswith("multipart/"):
        found = [leaf for child in part.children for leaf in _bodies(child, inside=True)]
        return sorted(found, key=_is_html) if part.media == "multipart/alternative" else found
    readable = part.media in ("text/plain", "text/html") and not _is_attachment(part, inside=inside)
    return [part] if readable else []


def _is_html(part: Part) -> bool:
    return part.media == "text/html"


def _is_attachment(part: Part, *, inside: bool) -> bool:
    """Named files count as attachments even if marked inline; but a mail of a single text part may have a name."""
    disposition = (part.get("content-disposition") or "").lower()
    named = inside and "name" in part.parameters
    return disposition.partition(";")[0].strip() == "attachment" or "filename" in disposition or named


def text(part: Part) -> str:
    """The decoded text of one of `bodies`, flowed lines joined; the beginning of one longer than MAX_TEXT_PART."""
    encoding = (part.get("content-transfer-encoding") or "").strip().lower()
    raw = body = part.body[:MAX_TEXT_PART]
    if encoding == "base64":
        raw = safe(lambda: charset.base64_bytes(body), b"")
    elif encoding == "quoted-printable":
        raw = safe(lambda: binascii.a2b_qp(body), b"")
    decoded = charset.decode(raw, part.parameters.get("charset", ""))
    decoded = decoded.replace("\r\n", "\n").replace("\r", "\n")
    if part.media == "text/plain":
        decoded = decoded[: charset.MAX_TEXT]
    if part.media == "text/plain" and part.parameters.get("format", "").lower() == "flowed":
        return unflow(decoded, delete_space=part.parameters.get("delsp", "").lower() == "yes")
    return decoded


_SHORT: Final = 50


_RUNS: Final = re.compile(r"^(?:((?:>[^\n]*+\n)++)|([^\n]*+)\n)", re.MULTILINE)
"""Quoted lines, of which most answers consist, all together; or another line."""


def unflow(flowed: str, *, delete_space: bool) -> str:
    """format=flowed text (RFC 3676) with its paragraphs joined and its space-stuffing removed; quotes stay as they are.

    A short line that ends in a blank is not joined. No mailer breaks before column 50, but a sloppy typist does, and a
    move must not swallow the comment under it.
    """
    out: list[str] = []
    paragraph = False  # whether the last line goes on
    for quoted, line in _RUNS.findall(flowed + "\n"):
        if quoted:
            out.append("\n" + quoted[:-1])
            paragraph = False
            continue
        own = line.removeprefix(" ")
        if not paragraph or own == "-- ":
            out.append("\n")
        paragraph = len(own) >= _SHORT and own[-1] == " "
        out.append(own[:-1] if paragraph and delete_space else own)
    return "".join(out)[1:]
