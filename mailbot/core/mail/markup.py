"""Answers for HTML mails: the text in them, with quotations marked the way plain mails mark them (C4).

Lexbor (selectolax) is linear where Python's own HTML readers are quadratic (H4), except in the depth of
nesting; hence MAX_TAGS. Containers of quotations become one `>` line, so that `quoting` alone decides what of the rest
counts; elements behind which only foreign text can follow become its marker line.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from mailbot.core.mail.quoting import MARKER

MAX_TAGS: Final = 10_000
"""`<` characters read; 10,000 nested elements take Lexbor a tenth of a second, 40,000 almost two."""

_DROPPED: Final = (
    "head, title, style, script, noscript, template, svg, object, select, textarea, button, [hidden]"
    ", [style*='display:none'], [style*='display: none'], .moz-cite-prefix, .gmail_attr"
    ", .gmail_signature, .moz-signature, .k9mail-signature, .protonmail_signature_block, #Signature"
    ", #ms-outlook-mobile-signature"
)
_QUOTES: Final = (
    "blockquote, .gmail_quote, .protonmail_quote, .moz-forward-container, [id*=yahoo_quoted], [class*=yahoo_quoted]"
    ", [name=quote], [data-marker=__QUOTED_TEXT__]"
)
_CUTS: Final = (
    "hr, #divRplyFwdMsg, #x_divRplyFwdMsg, #appendonsend, #x_appendonsend, #OLK_SRC_BODY_SECTION"
    ", #mail-editor-reference-message-container, #reply-intro, [style*='border-top:solid #E1E1E1']"
    ", [style*='border-top:solid #B5C4DF']"
)
_BLOCK_TAGS: Final = (
    "address article aside body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6"
    " header html li main nav ol p pre section table tbody tfoot thead tr ul"
)
_BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")


def to_text(html: str) -> str:
    """The visible text of `html`, one line per block or `<br>`. Never more than a second of work."""
    pieces = html.split("<", MAX_TAGS + 1)
    tree = LexborHTMLParser("<".join(pieces[: MAX_TAGS + 1]))
    root = tree.root
    if root is None:
        return ""
    dropped, quotes, cuts = (_found(tree, selector) for selector in (_DROPPED, _QUOTES, _CUTS))
    page = _Page()
    preformatted = 0
    waiting: list[LexborNode | str] = [root]  # a string is the tag of an element to be closed
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            preformatted -= node == "pre"
            page.end_line()
            continue
        if node.next is not None and node is not root:
            waiting.append(node.next)
        tag = node.tag or ""
        if node.is_text_node:
            page.write(node.text_content or "", preformatted=preformatted > 0)
        elif not node.is_element_node or node.mem_id in dropped:
            continue
        elif node.mem_id in quotes:
            page.write_lines(">", "")
        elif node.mem_id in cuts:
            page.write_lines(MARKER)
        elif tag == "br":
            page.break_line()
        else:
            if tag in _BLOCKS:
                page.end_line()
                waiting.append(tag)
                preformatted += tag == "pre"
            elif tag in ("td", "th"):
                page.write(" ", preformatted=False)
            if node.child is not None:
                waiting.append(node.child)
    return page.text()


class _Page:
    """Lines being written; the last one is open and kept in pieces, for joining it piece by piece is quadratic."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.open: list[str] = []

    def write(self, text: str, *, preformatted: bool) -> None:
        if preformatted:
            first, *rest = text.split("\n")
            self.open.append(first)
            for line in rest:
                self.break_line()
                self.open.append(line)
        elif found := _SPACES.sub(" ", text) if self.open else _SPACES.sub(" ", text).lstrip(" "):
            self.open.append(found)

    def write_lines(self, *lines: str) -> None:
        self.end_line()
        self.lines += lines

    def break_line(self) -> None:
        self.lines.append("".join(self.open))
        self.open = []

    def end_line(self) -> None:
        if any(self.open):
            self.break_line()

    def text(self) -> str:
        return "\n".join([*self.lines, "".join(self.open)])


def _found(tree: LexborHTMLParser, selector: str) -> set[int]:
    return {node.mem_id for node in tree.css(selector)}
