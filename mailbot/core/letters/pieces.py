"""The parts of a letter's text. The plain text and the HTML of a letter are made from the same rendered template.

Theory of operation. A template is rendered once. Where shape alone does not tell what lines are, the template or the
context marks them with control characters, which no word from a mail can hold (core.mail.charset): a piece has a kind
and values around it, a row of a table has its cells. `plain` takes the marks out and gives the text that is sent.
`blocks` reads the marks and the shape (indented, quoted, a line of dashes) and gives what the HTML layout shows.

Nothing here escapes anything: a block holds text, and the layout escapes all of it.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from textwrap import dedent
from typing import Final, NamedTuple

_BEGIN, _OPEN, _VALUE, _END = "\x02", "\x04", "\x0e", "\x03"
ROW, CELL, NUMBER = "\x05", "\x06", "\x07"
"""Before a row of a table, before a cell, before a cell that holds a number."""

_MARKS: Final = re.compile("\x02[^\x04]*\x04|[\x03\x05\x06\x07]")
_PIECE: Final = re.compile("(?<! )( *)\x02([^\x04]*)\x04([^\x03]*)\x03")
_EDGES: Final = re.compile("((?:\x02[^\x04]*+\x04)*+)(.*?)(\x03*+)", re.DOTALL)

RULE: Final = re.compile(r"-{20,}\Z")
_SAID: Final = "  |"
_ASKED: Final = re.compile(r" {0,2}> ")
_LISTED: Final = re.compile(r" {0,2}(?:-|\d{1,2}\.) (?=\S)")
_STARRED: Final = re.compile(r"\* -\S")
"""An option that holds when nothing is said (core.pages.option_lines)."""
_FULL: Final = 64
"""Columns that a line of prose fills at least with the first word of the next, if it was broken for want of room."""


class Block(NamedTuple):
    """One thing that the layout shows.

    `kind`: head, news, board, link, told, moves, record, how, drawing (marked); rule, title, said, asked, code, terms,
    items, prose (by shape); table. `lines`: its text. `rows`: of a table, cells with whether each is a number; of
    terms, each with its explanation. `values`: what a mark says. `inside`: blocks by shape, of a marked piece that
    holds several; of a board what is said below the drawing.
    """

    kind: str
    lines: tuple[str, ...] = ()
    rows: tuple[tuple[tuple[str, bool], ...], ...] = ()
    values: tuple[str, ...] = ()
    inside: tuple["Block", ...] = ()

    @property
    def text(self) -> str:
        """The lines as one text."""
        return " ".join(line.strip() for line in self.lines if line.strip())

    @property
    def width(self) -> int:
        """Columns of its longest line."""
        return max(map(len, self.lines), default=0)


def piece(text: str, kind: str, *values: str) -> str:
    """The text marked as one piece. Blank lines around it stay outside; a blank text is no piece."""
    inside = text.strip("\n")
    if not inside.strip():
        return text
    before, after = text[: text.index(inside)], text[text.index(inside) + len(inside) :]
    return f"{before}{_BEGIN}{_VALUE.join((kind, *values))}{_OPEN}{inside}{_END}{after}"


def plain(text: str) -> str:
    """The text without marks."""
    return _MARKS.sub("", text)


def edges(line: str) -> tuple[str, str, str]:
    """The marks before a line, the line, the marks after it."""
    found = _EDGES.fullmatch(line)
    assert found  # it fits any line
    return found[1], found[2], found[3]


def blocks(text: str) -> list[Block]:
    """The whole text as blocks, in its order."""
    found: list[Block] = []
    at = 0
    for marked in _PIECE.finditer(text):
        found += _by_shape(text[at : marked.start()])
        kind, *values = marked[2].split(_VALUE)
        found.append(_marked(kind, marked[1] + marked[3], tuple(values)))
        at = marked.end()
    return [*found, *_by_shape(text[at:])]


def _marked(kind: str, text: str, values: tuple[str, ...]) -> Block:
    lines = tuple(plain(text).split("\n"))
    if kind == "told":
        return Block(kind, tuple(_hanging(lines)))
    if kind == "board":
        legend = lines[::-1].index("") if "" in lines else 0
        below = "\n".join(lines[len(lines) - legend :])
        return Block(kind, lines[: len(lines) - legend - 1], values=values, inside=tuple(_by_shape(below)))
    inside = tuple(_by_shape(text)) if kind in ("how", "news") else ()
    return Block(kind, lines, values=values, inside=inside)


def news(found: Iterable[Block], most: int = 140) -> str:
    """What a mailbox shows of the letter beside its subject: what happened, or else the first words."""
    told = list(found)
    best = (
        [block for block in told if block.kind == "news"]
        or [block for block in told if block.kind in ("prose", "said", "title")]
        or [block for block in told if block.text]
    )
    words = " ".join(" ".join(block.text for block in best[:2]).replace("`", "").split())
    return words if len(words) <= most else words[:most].rpartition(" ")[0] + " …"


def _by_shape(text: str) -> Iterator[Block]:
    lines: list[str] = []
    kind = ""
    for line in [*text.split("\n"), ""]:
        own = _kind(line, kind)
        if own != kind or not own:
            yield from _block(kind, lines)
            lines = []
        kind = own
        lines.append(line)


def _kind(line: str, before: str) -> str:
    """What a line is; `before`: what the line above it is."""
    if not line.strip():
        return ""
    if ROW in line or (before == "table" and (CELL in line or NUMBER in line)):
        return "table"
    bare = line.strip()
    if RULE.match(bare):
        return "rule"
    if line.startswith(_SAID):
        return "said"
    if _ASKED.match(line):
        return "asked"
    if _LISTED.match(line) or (before == "items" and line.startswith("  ")):
        return "items"
    if line.startswith("  ") or _STARRED.match(line):
        return "code"
    if before == "items" and line.startswith(" "):
        return "items"
    return "title" if not before and _is_title(bare) else "prose"


def _is_title(line: str) -> bool:
    return line.isupper() and len(line) > 3 and line[-1].isalnum()


def _block(kind: str, lines: list[str]) -> Iterator[Block]:
    if not kind or not lines:
        return
    if kind == "table":
        yield Block(kind, tuple(map(plain, lines)), rows=tuple(_rows(lines)))
    elif kind == "said":
        yield Block(kind, tuple(_unfolded([line.removeprefix(_SAID).removeprefix(" ") for line in lines], 74)))
    elif kind == "asked":
        yield Block(kind, tuple(_ASKED.sub("", line) for line in lines))
    elif kind == "code":
        bare = dedent("\n".join(lines)).split("\n")
        terms = tuple(_terms(bare))
        if any(explained for _, (explained, _) in terms) and not any(map(_COLUMNS.search, lines)):
            yield Block("terms", rows=terms)
        else:
            yield Block(kind, tuple(bare))
    elif kind == "items":
        yield Block(kind, tuple(_items(lines)))
    elif kind == "prose":
        yield Block(kind, tuple(_flowing(lines)))
    else:
        yield Block(kind, tuple(lines))


def _rows(lines: list[str]) -> Iterator[tuple[tuple[str, bool], ...]]:
    """The rows of a table: what goes on below a cell belongs to it."""
    row: list[tuple[str, bool]] = []
    for line in lines:
        cells = [(cell[1:].strip(), cell[0] == NUMBER) for cell in re.findall("[\x06\x07][^\x06\x07]*", line)]
        if ROW in line:
            if row:
                yield tuple(row)
            row = cells
        else:
            pairs = zip_longest(row, cells, fillvalue=("", False))
            row = [(f"{text} {more}".strip(), number) for (text, number), (more, _) in pairs]
    if row:
        yield tuple(row)


_COLUMNS: Final = re.compile(r"\S {2,}\S.*\S {2,}\S")
_GAP: Final = re.compile(r" {2,}")
"""Between a term and what explains it."""


def _terms(lines: list[str]) -> Iterator[tuple[tuple[str, bool], tuple[str, bool]]]:
    """Terms and what is indented below each; none explained where lines are not in that form."""
    term, explained = "", ""
    for line in lines:
        if line.startswith("    ") and term:
            explained = f"{explained} {line.strip()}".strip()
            continue
        if term:
            yield (term, False), (explained, False)
        term, *more = _GAP.split(line.strip(), 1)
        explained = "".join(more)
    if term:
        yield (term, False), (explained, False)


def _items(lines: list[str]) -> Iterator[str]:
    """The items of a list, each a line."""
    item = ""
    for line in lines:
        if _LISTED.match(line) and item:
            yield item
            item = ""
        item = f"{item} {line.strip()}".strip()
    if item:
        yield item


def _hanging(lines: Iterable[str]) -> Iterator[str]:
    """Sentences of which each goes on in lines that are indented."""
    sentence = ""
    for line in lines:
        if line.startswith(" "):
            sentence = f"{sentence} {line.strip()}"
        else:
            if sentence:
                yield sentence
            sentence = line
    if sentence:
        yield sentence


def _flowing(lines: list[str]) -> Iterator[str]:
    """Prose as paragraphs that fill any width: a line ends where its writer ended it, not where it was folded."""
    text = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        text = f"{text} {line.strip()}".strip()
        full = len(line) + 1 + len(following.strip().partition(" ")[0]) > _FULL
        if not full or (line.endswith(".") and following.endswith(":")):
            yield text
            text = ""
    if text:
        yield text


def _unfolded(lines: list[str], width: int) -> Iterator[str]:
    """Words as they were before they were folded at this width: a line goes on if the next word had no room."""
    text: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        text.append(line)
        word = following.partition(" ")[0]
        if not word or len(line) + 1 + len(word) <= width:
            yield " ".join(text)
            text = []
