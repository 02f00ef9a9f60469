"""HTML mails: the text in them, with quotations marked the way plain mails mark them (C4).

Theory of operation. One pass over the source, in pure Python: a regular expression that cannot backtrack cuts it into
text, tags and comments, and a stack holds the open elements. There is no tree. Every HTML parser that builds a tree
does quadratic work for some input: Lexbor for the attributes of one tag, for the depth of nesting, and for
`<b class=1>` to `<b class=500>` left open in front of 500 paragraphs, which become 250,000 nodes. Here each tag costs
the same wherever it is, and reading ends after MAX_HTML characters or MAX_TAGS tags.

Broken nesting is read as browsers read it, as far as it decides which text is quoted (see `_RANKS`). If in doubt, text
stays hidden: a lost line gets an answer, but a quoted move that is played does not.

Containers of quotations become one `>` line, so that `quoting` alone decides how much of the rest counts. An element
that only foreign text can follow becomes quoting's marker line.
"""

import re
from html import unescape
from typing import Final, Literal

from mailbot.core.mail.quoting import MARKER

MAX_HTML: Final = 64 * 1024
"""Characters to read, not counting comments, style sheets and scripts; Word puts 60 KB of those before one line."""

MAX_TAG: Final = 200
"""A tag counts as at most this many characters, because attributes may hold pictures."""

MAX_TAGS: Final = 5_000
"""Tags and comments to read. With their text they fill MAX_HTML in all but hostile mails."""

MAX_ATTRIBUTES: Final = 50
"""Attributes of one tag to read."""


MAX_VALUE: Final = 300
"""Characters of an attribute's value in which entities are decoded; the rest stays as written."""

_LOOKED_AT: Final = frozenset(("class", "data-marker", "id", "name", "style"))
"""Attributes whose values `_kind` reads."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_S: Final = "\\t\\n\\f\\r "
_VALUE: Final = rf"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^{_S}>"'][^{_S}>]*+)"""
_ATTRIBUTE: Final = re.compile(rf"[{_S}/]*+([^{_S}/>][^{_S}/>=]*+)(?:[{_S}]*+=[{_S}]*+({_VALUE}?+))?+")
_TOKEN: Final = re.compile(
    rf"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|(?P<slash>/?)(?P<name>[a-zA-Z][^{_S}/>]*+)"
    rf"(?P<attributes>(?:{_ATTRIBUTE.pattern})*+)(?P<empty>[{_S}/]*+)(?:>|\Z)|[!?/][^>]*+(?:>|\Z))",
    re.DOTALL,
)
"""A comment; a tag (the slash of an end tag, name, attributes, the slash of an empty one); anything else that a browser
takes for a comment. Each of them extends to the end of the source if nothing ends it."""

_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31}(?![0-9A-Za-z]));?")
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")

_RAW: Final = {
    name: re.compile(rf"</{name}(?=[{_S}/>])", re.IGNORECASE)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
}
"""Elements that hold no tags, and where they end. Readers see nothing in them."""

_EMPTY: Final = _set(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr"
)
_PAGE: Final = frozenset(("html", "head", "body"))
"""Tags that are ignored, because other tags close the same elements."""

_BLOCKS: Final = _set(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 header html li main nav ol p pre section table tbody tfoot thead tr ul"
)
"""Elements that begin a new line."""

_RANKS: Final = {
    **dict.fromkeys(_BLOCKS, 1),
    **dict.fromkeys(_set("button caption object select svg tbody td template tfoot th thead tr"), 2),
    "table": 3,
}
"""An end tag closes all open elements inside its own, unless one of them has a higher rank than its own: then browsers
ignore the tag. A `</div>` inside a cell does not close a quotation round the table."""

_NAMES: Final = {tag: (tag, str(rank)) for tag, rank in _RANKS.items()}
_HIGHER: Final = {rank: tuple(map(str, range(rank + 1, 4))) for rank in range(4)}

_ENDS: Final = {
    **dict.fromkeys(_BLOCKS, frozenset(["p"])),
    "li": frozenset(["li", "p"]),
    **dict.fromkeys(("dd", "dt"), frozenset(["dd", "dt", "p"])),
    **dict.fromkeys(("td", "th"), frozenset(["td", "th", "p"])),
    "tr": frozenset(["td", "th", "tr", "p"]),
    **dict.fromkeys(("tbody", "tfoot", "thead"), frozenset(["td", "th", "tr", "tbody", "tfoot", "thead", "p"])),
}
"""A start tag, and the open elements without an end tag that it ends."""

# What is left out ----------------------------------------------------------------------------------------------------

_DROPPED_TAGS: Final = _set("button del noscript object s select strike svg template")
_DROPPED_CLASSES: Final = _set(
    ".moz-cite-prefix .gmail_attr .gmail_signature .moz-signature .k9mail-signature .protonmail_signature_block"
    " #Signature #ms-outlook-mobile-signature"
)
_QUOTING_CLASSES: Final = _set(".gmail_quote .protonmail_quote .moz-forward-container")
_CUTTING_CLASSES: Final = _set(
    "#divRplyFwdMsg #x_divRplyFwdMsg #appendonsend #x_appendonsend #OLK_SRC_BODY_SECTION"
    " #mail-editor-reference-message-container #reply-intro"
)
_CUTTING_STYLES: Final = ("border-top:solid#e1e1e1", "border-top:solid#b5c4df")

_Kind = Literal["", "dropped", "quote", "cut"]


def _kind(tag: str, attributes: dict[str, str]) -> _Kind:
    """How to treat an element: its text is shown, left out, a quotation, or the end of the sender's text."""
    if tag in _DROPPED_TAGS:
        return "dropped"
    kind: _Kind = "quote" if tag == "blockquote" else "cut" if tag == "hr" else ""
    if not attributes:
        return kind
    style = attributes.get("style", "").lower().replace(" ", "")
    labels = {f".{name}" for name in attributes.get("class", "").split()} | {f"#{attributes.get('id', '')}"}
    if (
        "hidden" in attributes
        or "display:none" in style
        or "line-through" in style
        or not labels.isdisjoint(_DROPPED_CLASSES)
    ):
        return "dropped"
    if (
        not labels.isdisjoint(_QUOTING_CLASSES)
        or "yahoo_quoted" in attributes.get("id", "")
        or "yahoo_quoted" in attributes.get("class", "")
        or attributes.get("name") == "quote"
        or attributes.get("data-marker") == "__QUOTED_TEXT__"
    ):
        return "quote"
    if not labels.isdisjoint(_CUTTING_CLASSES) or any(border in style for border in _CUTTING_STYLES):
        return "cut"
    return kind


# Reading -------------------------------------------------------------------------------------------------------------


def to_text(html: str) -> str:
    """The visible text of `html`, one line per block or `<br>`, up to the limits."""
    page = _Page()
    at, left = 0, MAX_HTML
    for _ in range(MAX_TAGS):
        token = _TOKEN.search(html, at)
        text = html[at : min(token.start() if token else len(html), at + left)]
        if text:
            page.write(_ENTITY.sub(_character, text) if "&" in text else text)
        if token is None or (left := left - len(text)) <= 0:
            break
        at = token.end()
        slash, name, attributes, empty = token.group("slash", "name", "attributes", "empty")
        if name is None:  # a comment
            continue
        tag = name.lower()
        if tag in _RAW and not slash:
            end = _RAW[tag].search(html, at)
            at = end.start() if end else len(html)
            continue
        left -= min(at - token.start(), MAX_TAG)
        if slash:
            page.end(tag)
        elif tag not in _PAGE:
            holds = tag not in _EMPTY and not (tag == "svg" and "/" in empty)
            page.begin(tag, _attributes(attributes) if attributes else {}, holds=holds)
            if tag == "pre" and html.startswith("\n", at):
                at += 1
    return page.text()


def _character(entity: re.Match[str]) -> str:
    return unescape(entity[0])


def _attributes(source: str) -> dict[str, str]:
    """The first MAX_ATTRIBUTES of a tag, names in lower case; of two with the same name, the first, as in browsers."""
    found: dict[str, str] = {}
    at = 0
    for _ in range(MAX_ATTRIBUTES):
        if not (attribute := _ATTRIBUTE.match(source, at)):
            break
        at, value = attribute.end(), attribute[2] or ""
        if value[:1] in ('"', "'"):
            value = value[1:-1]
        name = attribute[1].lower()
        if name in _LOOKED_AT and "&" in value:
            value = _ENTITY.sub(_character, value[:MAX_VALUE]) + value[MAX_VALUE:]
        found.setdefault(name, value)
    return found


class _Page:
    """The lines so far, and the open elements. No method searches through either."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open_line: list[str] = []  # in pieces, because appending to one text is quadratic
        self._elements: list[str] = []
        self._places: dict[str, list[int]] = {}
        """The places of each tag among the elements, and of each rank above zero (as a digit, which is no tag)."""
        self._hidden_from = -1
        """The place of the element whose text is left out; -1 while text is shown."""

    def text(self) -> str:
        return "\n".join([*self._lines, "".join(self._open_line)])

    def write(self, text: str) -> None:
        if self._hidden_from >= 0:
            return
        if self._places.get("pre"):
            first, *rest = text.split("\n")
            self._open_line.append(first)
            for line in rest:
                self._break_line()
                self._open_line.append(line)
        elif found := _SPACES.sub(" ", text) if self._open_line else _SPACES.sub(" ", text).lstrip(" "):
            self._open_line.append(found)

    def begin(self, tag: str, attributes: dict[str, str], *, holds: bool) -> None:
        """A start tag. `holds`: whether its element can hold anything."""
        ended = _ENDS.get(tag)
        while ended and self._elements and self._elements[-1] in ended:
            self._pop()
        kind: _Kind = ""
        if self._hidden_from < 0:
            kind = _kind(tag, attributes)
            if kind == "quote":
                self._write_lines(">", "")
            elif kind == "cut":
                self._write_lines(MARKER)
            elif kind:
                pass
            elif tag == "br":
                self._break_line()
            elif tag in _BLOCKS:
                self._end_line()
            elif tag in ("td", "th"):
                self.write(" ")
        if holds:
            place = len(self._elements)
            self._elements.append(tag)
            for name in _NAMES.get(tag) or (tag,):
                self._places.setdefault(name, []).append(place)
            if kind:
                self._hidden_from = place

    def end(self, tag: str) -> None:
        """An end tag: closes its element and all inside it, or nothing (see `_RANKS`)."""
        if tag == "br" and self._hidden_from < 0:  # as in browsers
            self._break_line()
        if not (places := self._places.get(tag)):
            return
        place = places[-1]
        for rank in _HIGHER[_RANKS.get(tag, 0)]:
            if (walls := self._places.get(rank)) and walls[-1] > place:
                return
        while len(self._elements) > place:
            self._pop()

    def _pop(self) -> None:
        tag = self._elements.pop()
        for name in _NAMES.get(tag) or (tag,):
            self._places[name].pop()
        if self._hidden_from < 0:
            if tag in _BLOCKS:
                self._end_line()
        elif self._hidden_from == len(self._elements):
            self._hidden_from = -1

    def _write_lines(self, *lines: str) -> None:
        self._end_line()
        self._lines += lines

    def _break_line(self) -> None:
        self._lines.append("".join(self._open_line))
        self._open_line = []

    def _end_line(self) -> None:
        if any(self._open_line):
            self._break_line()
