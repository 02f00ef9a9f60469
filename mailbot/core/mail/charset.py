"""Characters: bytes of a declared charset to clean text, and encoded words in headers (C3).

Text that leaves this module is NFKC, without control, zero-width or direction characters and without lone surrogates;
every kind of blank is a space. This has two consequences:

- Passwords are compared in this form. Full-width digits, ligatures and the like become their plain counterparts, so
  the same password typed on another keyboard still fits. This works only if every door uses the same form: a password
  that does not come by mail (command line, web) must go through `clean_line`, too.
- Only charsets of the table are decoded, because some of Python's codecs are quadratic (punycode, idna) or produce
  lone surrogates (utf-7, unicode_escape; H3). Anything else is read as UTF-8 with replacement characters.
"""

import binascii
import codecs
import re
import unicodedata
from functools import lru_cache
from typing import Final

MAX_TEXT: Final = 64 * 1024
"""Characters of text to read, and characters of cleaned text to keep; NFKC may turn one into eighteen."""

MAX_MARKS: Final = 12
"""Combining marks kept in a row. CPython sorts a run by insertion: 40,000 of them take a second to normalise."""

_CODECS: Final = {
    **{f"iso-8859-{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)},
    **{f"windows-{n}": f"cp{n}" for n in (1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 874)},
    **{f"cp{n}": f"cp{n}" for n in (1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 866)},
    **dict.fromkeys(("utf-8", "utf8", "us-ascii", "ascii"), "utf-8"),
    # As in browsers: the C1 controls of Latin-1 never mean anything, but the letters of windows-1252 do.
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1"), "cp1252"),
    **dict.fromkeys(("iso-8859-8-i", "iso-8859-8-e"), "iso8859_8"),
    **dict.fromkeys(("koi8-r",), "koi8_r"),
    **dict.fromkeys(("koi8-u",), "koi8_u"),
    **dict.fromkeys(("gb18030", "gb2312", "gbk", "x-gbk", "cp936"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "cn-big5"), "big5hkscs"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "cp949"), "cp949"),
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis", "windows-31j", "cp932"), "cp932"),
    **dict.fromkeys(("euc-jp",), "euc_jp"),
    **dict.fromkeys(("iso-2022-jp",), "iso2022_jp"),
    **dict.fromkeys(("tis-620",), "cp874"),
}
_SEVERAL: Final = ("utf-8", "gb18030", "big5hkscs", "cp949", "cp932", "euc_jp", "iso2022_jp")
"""Codecs with several octets for one character."""


def decode(raw: bytes, label: str) -> str:
    """`raw` as text. `label`: the charset that the mail declares, "" for none. Never raises."""
    codec = _CODECS.get(label.strip().lower(), "utf-8")
    table = _characters(codec)
    return codecs.charmap_decode(raw, "strict", table)[0] if table else raw.decode(codec, errors="replace")


@lru_cache(maxsize=64)
def _characters(codec: str) -> str:
    """The 256 characters of a charset with one octet for each, "" for any other charset. The table has U+FFFD for an
    octet without a character, so such octets cost nothing extra; Python's codecs call the error handler for each."""
    return "" if codec in _SEVERAL else bytes(range(256)).decode(codec, errors="replace")


_INVISIBLE: Final = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]")
_SPACED: Final = bytes.maketrans(b"\t", b" ")
_REMOVED: Final = bytes(c for c in (*range(32), 127) if c not in b"\t\n")
"""What becomes of ASCII text; octets, because a translation of characters looks each of them up in a dictionary."""
_PLAIN: Final = {"\n": "\n", "\t": " ", "\x85": "\n"}
_BY_KIND: Final = {"Zl": "\n", "Zp": "\n", "Zs": " ", "Cs": "\ufffd", "Cc": None, "Cf": None}
"""What replaces a character, or a character of a Unicode category; None removes it."""


def clean(text: str) -> str:
    """`text` as the rest of the program may see it (C3). Lines end with LF; every other break becomes one, too."""
    text = text[: 2 * MAX_TEXT].replace("\r\n", "\n").replace("\r", "\n")[:MAX_TEXT]
    if text.isascii():
        return text.encode().translate(_SPACED, _REMOVED).decode()
    return _normalized(_plain_characters(_INVISIBLE.sub("", text)))


def _plain_characters(text: str) -> str:
    kinds = {c: unicodedata.category(c) for c in set(text)}
    plain = text.translate({ord(c): _PLAIN.get(c, _BY_KIND.get(kind, c)) for c, kind in kinds.items()})
    marks = {c for c, kind in kinds.items() if kind[0] == "M" or (c > "\x7f" and _joins(c))}
    return _few_marks(plain, marks) if marks else plain


def _joins(c: str) -> bool:
    """Whether the character becomes a mark on the one before it, such as the voiced sound mark U+FF9E, a letter that
    NFKC turns into U+3099. Sorting a run of these takes quadratic time."""
    return unicodedata.combining(unicodedata.normalize("NFKD", c)[0]) != 0


def _few_marks(text: str, marks: set[str]) -> str:
    """`text` with at most MAX_MARKS of these in a row. Call it only once no character is left that may stand between
    two of them and be removed later."""
    out: list[str] = []
    row = 0
    for c in text:
        row = row + 1 if c in marks else 0
        if row <= MAX_MARKS:
            out.append(c)
    return "".join(out)


_PIECE: Final = 4096
_ASCII: Final = re.compile(r"[\x00-\x7f]")


def _normalized(text: str) -> str:
    """The first MAX_TEXT characters of `text` in NFKC, without work on the part that is cut off.

    Pieces begin with an ASCII character, which never joins the one before it, or, if there is none, with a line break.
    """
    done: list[str] = []
    size = start = 0
    while start < len(text) and size < MAX_TEXT:
        found = _ASCII.search(text, start + _PIECE, start + 2 * _PIECE)
        end = found.start() if found else min(start + 2 * _PIECE, len(text))
        broken = "\n" if not found and end < len(text) else ""
        done.append(unicodedata.normalize("NFKC", text[start:end]) + broken)
        size += len(done[-1])
        start = end
    return "".join(done)[:MAX_TEXT]


def clean_line(text: str) -> str:
    """`clean`, with every run of blanks and breaks turned into one space and none at the ends."""
    return " ".join(clean(text).split())


_WORD: Final = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")


def header_text(value: str) -> str:
    """An unfolded header value (one character per octet) as one clean line, with encoded words decoded (RFC 2047).

    Neighbouring words of one charset are joined before decoding, because mailers cut in the middle of a character.
    """
    out: list[str] = []
    pending, label, end = b"", "", 0

    def flush() -> None:
        nonlocal pending
        out.append(decode(pending, label))
        pending = b""

    for word in _WORD.finditer(value):
        between = value[end : word.start()]
        charset = word[1].partition("*")[0].lower()
        if between.strip() or not end or charset != label:
            flush()
            if between.strip() or not end:
                out.append(_raw_text(between))
        pending, label, end = pending + _word_bytes(word[2], word[3]), charset, word.end()
    flush()
    out.append(_raw_text(value[end:]))
    return clean_line("".join(out))


def _raw_text(octets: str) -> str:
    """Header octets outside encoded words: UTF-8 if they are valid UTF-8 (RFC 6532), else Latin letters."""
    raw = octets.encode("latin-1", errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _word_bytes(encoding: str, text: str) -> bytes:
    raw = text.encode("latin-1", errors="replace")
    if encoding in "bB":
        return base64_bytes(raw)
    return binascii.a2b_qp(raw.replace(b"_", b" "))


_NOT_BASE64: Final = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))


def base64_bytes(raw: bytes) -> bytes:
    """`raw` decoded from base64; foreign octets are skipped (RFC 2045 6.8), and an incomplete end is dropped."""
    letters = raw.translate(None, _NOT_BASE64)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
