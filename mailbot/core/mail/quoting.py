"""Quotations: which lines of a letter its sender wrote just now (C4).

Theory of operation. Nearly every answer quotes old moves, which must never be played again. So the rule is to stop
reading at the first sign of foreign text, and to read nothing if in doubt. Every line gets one kind:

    quote      begins with `>` (or | and the like)
    attribution  "On Tuesday, Bob wrote:", up to four lines
    phone      "Sent from my phone": ends the sender's text, but a quotation may follow
    stop       our own marker, a signature separator or ruled line, a block of From/Sent/To/Subject lines, "Begin
               forwarded message:"; also an attribution with no `>` line after it: then the quotation has no marks
    blank, own

Text above the first quotation is the answer. If there is none (answer below or between the quotations), or only a
greeting, the own lines further down count, but only those that a blank line separates from the quotation: a mailer that
wraps long quoted lines leaves their tails without a mark. After a `stop` nothing counts, whatever it looks like.

The work is linear: at most MAX_LINES lines, each seen in windows of a few lines, with patterns without nested repeats
and only on lines of at most MAX_LINE characters.
"""

import re
from typing import Final, Literal

from mailbot.core.mail.phrases import by_letter, every

MARKER: Final = "-- reply above this line --"
"""The first line of each letter that asks for an answer; all text after it in an answer is ours."""

MAX_LINES: Final = 2000
MAX_LINE: Final = 400
MAX_LOOKED: Final = 200
"""Lines with a colon that are looked at, 20 us each; nobody writes as many. At the next one we stop reading."""
MAX_PHONE: Final = 120
_WINDOW: Final = 4
_FULL: Final = 60
"""A line with this many characters or more counts as wrapped by the mailer, not ended by its writer."""
_BLOCK: Final = 8

Line = Literal["own", "blank", "quote", "attribution", "phone", "stop"]


def top(text: str) -> str:
    """The lines of `text` (cleaned, LF) that its sender wrote, without quotations, signature and blank edges."""
    lines = [line.rstrip() for line in text.split("\n", MAX_LINES)[:MAX_LINES]]
    own: list[str] = []
    above, state = True, "own"
    for line, kind in zip(lines, kinds(lines), strict=True):
        if kind == "stop" or (kind in _FOREIGN and above and any(own) and not _is_greeting(own)):
            break
        if kind in _FOREIGN:
            above, state = False, kind
        elif kind == "blank":
            own.append("")
            state = "own" if state == "quote" else state
        elif state == "own":
            own.append(line)
    return _BLANKS.sub("\n\n", "\n".join(own)).strip()


def _is_greeting(own: list[str]) -> bool:
    """Whether nothing but `Hi Bob,` has come so far: then the answers stand between the quotations."""
    said = [line.strip() for line in own if line]
    return len(said) == 1 and bool(_GREETING.match(said[0]))


_GREETING: Final = re.compile(r"[^\W\d_][^\d\n]{1,38},\Z")
_BLANKS: Final = re.compile(r"\n{3,}")
_FOREIGN: Final = ("quote", "attribution", "phone")


def kinds(lines: list[str]) -> list[Line]:
    """The kind of every line, in order."""
    found: list[Line] = ["quote" if line[:1] == ">" else _simple_kind(line) for line in lines]
    looked = 0
    for i, line in enumerate(lines):
        if found[i] != "own" or ":" not in line or len(line) > MAX_LINE:
            continue
        looked += 1
        if looked > MAX_LOOKED:
            found[i] = "stop"
            break
        if _starts_header_block(lines, i):
            found[i] = "stop"
        elif line.endswith(":"):
            _mark_attribution(lines, found, i)
    return found


_FORWARDED: Final = by_letter("forwarded", -1)
_PHONE: Final = by_letter("phone", 0)
_RULED: Final = re.compile(r"[-_=~*\u2013\u2014]{2,}|\u2014")
_QUOTE_MARKS: Final = (">", "|", "\u00a6", "\u00bb", "\u203a", "&gt;")
_INITIALS: Final = re.compile(r"[^\W\d_]{1,4}>")


def _simple_kind(line: str) -> Line:
    stripped = line.strip()
    if not stripped:
        return "blank"
    if stripped.startswith(_QUOTE_MARKS) or _INITIALS.match(stripped):
        return "quote"
    if len(stripped) > MAX_LINE:
        return "own"
    folded = stripped.casefold()
    bare = folded.rstrip(" :")
    if (
        _RULED.fullmatch(stripped)
        or "reply above this line" in folded
        or (stripped[:2] in ("--", "__", "==") and stripped[-2:] in ("--", "__", "=="))
        or bare.endswith(_FORWARDED.get(bare[-1:], ()))
    ):
        return "stop"
    if folded.startswith(_PHONE.get(folded[0], ())) and len(stripped) <= MAX_PHONE:
        return "phone"
    return "own"


# Attributions --------------------------------------------------------------------------------------------------------

_YEAR_OR_TIME: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)\d{1,2}[:.]\d\d(?!\d)")


def _mark_attribution(lines: list[str], found: list[Line], last: int) -> None:
    """Marks the attribution that ends with the colon of line `last`, if there is one.

    It is one if its lines hold a date and a verb of writing or an address; or if the last line has a verb and an
    address, or the verb right before the colon; or if a marked quotation follows. It takes as few lines as possible,
    and then the lines above that they continue.
    """
    quoted_next = next((kind for kind in found[last + 1 : last + 4] if kind != "blank"), None) == "quote"
    first = _first_line(lines, found, last)
    if first is None:
        if not quoted_next and not _is_attribution(lines[last].strip()):
            return
        first = last
    while not _opens(lines[first]) and _is_wrapped(lines, found, first, last):
        first -= 1
    for i in range(first, last + 1):
        found[i] = "attribution" if quoted_next else "stop"


def _first_line(lines: list[str], found: list[Line], last: int) -> int | None:
    """The line from which the text up to `last` is an attribution with a date; None if there is no such line."""
    text, wrapped = lines[last].strip(), True
    for first in range(last, max(-1, last - _WINDOW), -1):
        if found[first] != "own":
            return None
        if first < last:
            wrapped = wrapped and _is_wrapped(lines, found, first + 1, last)
            text = f"{lines[first].strip()} {text}"
        if (wrapped or _opens(lines[first])) and _is_dated_attribution(text):
            return first
    return None


def _opens(line: str) -> bool:
    return len(line) <= MAX_LINE and line.strip().casefold().startswith(_OPENS)


def _is_wrapped(lines: list[str], found: list[Line], i: int, last: int) -> bool:
    """Whether line `i` of an attribution that ends at `last` seems to continue the line above it."""
    if i == 0 or last - i >= _WINDOW - 1 or found[i - 1] != "own" or len(lines[i - 1]) > MAX_LINE:
        return False
    above = lines[i - 1].strip()
    full = len(above) + len(lines[i].split(maxsplit=1)[0]) >= _FULL
    return full or above.rfind("<") > above.rfind(">") or _opens(above)


def _is_dated_attribution(text: str) -> bool:
    return len(text) <= MAX_LINE and bool(
        _YEAR_OR_TIME.search(text) and ("@" in text or _WROTE.search(text.casefold()))
    )


def _is_attribution(line: str) -> bool:
    folded = line.casefold().rstrip(" :")
    verb = _WROTE.search(folded)
    return bool(verb and ("@" in folded or verb.end() == len(folded)))


_WRITTEN: Final = [re.escape(verb) for verb in every("wrote") if verb[0] < "\u3000"]
_UNSPACED: Final = [re.escape(verb) for verb in every("wrote") if verb[0] >= "\u3000"]
_WROTE: Final = re.compile("|".join([rf"(?<!\w)(?:{'|'.join(_WRITTEN)})(?!\w)", *_UNSPACED]))
_OPENS: Final = tuple(f"{word} " for word in every("opens"))

# Blocks of headers, as Outlook and web mailers put them --------------------------------------------------------------

_SENDER: Final = frozenset(every("sender"))
_OTHERS: Final = frozenset(every("labels"))
_LABEL: Final = re.compile(r"([^\W\d][^:\n]{0,28}?)\s?:")


def _label(line: str) -> str:
    found = _LABEL.match(line.strip(" *_\t"))
    return found[1].strip(" *").casefold() if found else ""


def _starts_header_block(lines: list[str], i: int) -> bool:
    """A From line and another known header close together, or three headers of any language with address and year."""
    if not (label := _label(lines[i])) or not (label in _SENDER or label in _OTHERS or _label_after(lines, i)):
        return False
    labels = {_label(line) for line in lines[i : i + _BLOCK] if len(line) <= MAX_LINE}
    if (label in _SENDER or label in _OTHERS) and labels & _SENDER and labels & _OTHERS:
        return True
    block = lines[i : i + 3]
    text = "\n".join(block)
    return (
        len(block) == 3
        and len(text) <= 3 * MAX_LINE
        and all(map(_label, block))
        and "@" in text
        and bool(_YEAR_OR_TIME.search(text))
    )


def _label_after(lines: list[str], i: int) -> bool:
    return i + 1 < len(lines) and len(lines[i + 1]) <= MAX_LINE and bool(_label(lines[i + 1]))
