"""Checks every letter's HTML: well formed, small, nothing from elsewhere, and all words of the plain text."""

import re
from collections import Counter
from email.message import EmailMessage, Message
from html.parser import HTMLParser

from mailbot.core.mail.quoting import MARKER
from mailbot.shell.post.layout import LARGEST

EMPTY = frozenset(("br", "hr", "img", "meta"))
ALLOWED = EMPTY | frozenset(
    ("html", "head", "title", "style", "body", "div", "table", "tr", "td", "p", "h2", "pre", "code", "span")
)
ATTRIBUTES = frozenset(("align", "alt", "border", "cellpadding", "cellspacing", "charset", "class", "content", "lang"))
ATTRIBUTES |= frozenset(("name", "role", "src", "style", "valign", "width"))


class Reader(HTMLParser):
    """Reads a page; `faults` is what is wrong with it, `words` its text, `hidden` what only a mailbox shows."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.words = ""
        self.hidden = ""
        self.pictures: list[str] = []
        self._hides = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in ALLOWED:
            self.faults.append(f"<{tag}>")
        self.faults += [f"{tag} {name}" for name in given.keys() - ATTRIBUTES]
        self.faults += [f"{name} twice" for name, count in Counter(name for name, _ in attrs).items() if count > 1]
        if "url(" in (given.get("style") or ""):
            self.faults.append("url() in a style")
        if tag == "img":
            self.pictures.append(str(given.get("src")))
            if not str(given.get("src")).startswith("cid:") or not given.get("alt"):
                self.faults.append("a picture without cid: or description")
        if tag == "p" and "p" in self.open:
            self.faults.append("a paragraph in a paragraph")
        if tag not in EMPTY:
            self.open.append(tag)
            if "display:none" in (given.get("style") or "") or tag in ("style", "title"):
                self._hides = self._hides or len(self.open)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
            return
        if self._hides == len(self.open):
            self._hides = 0
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self._hides:
            self.words += f" {data}"
        elif self.open[-1] == "div":
            self.hidden += data


def faults(letter: Message) -> list[str]:
    """What is wrong with the HTML of a letter; nothing if it is right."""
    assert isinstance(letter, EmailMessage)
    plain, page = letter.get_body(("plain",)), letter.get_body(("html",))
    if page is None or plain is None:
        return ["there is no HTML"] if letter.is_multipart() else []
    source = str(page.get_content())
    reader = Reader()
    reader.feed(source)
    reader.close()
    found = reader.faults + [f"<{tag}> stays open" for tag in reader.open]
    if len(source.encode()) > LARGEST:
        found.append("too large")
    if re.search(r"@import|url\(", source.partition("<body")[0]):
        found.append("something from elsewhere")
    ids = {str(part["Content-ID"]).strip("<>") for part in letter.walk() if part["Content-ID"]}
    if {f"cid:{one}" for one in ids} != set(reader.pictures):
        found.append("pictures do not fit")
    if not reader.hidden.strip("\u00a0\u200c ") or reader.hidden.lstrip().startswith(MARKER[:8]):
        found.append("the mailbox shows no news")
    text = str(plain.get_content())
    if not reader.pictures:
        missing = words(text) - words(reader.words)
        if missing:
            found.append(f"words are missing: {sorted(missing)[:8]}")
    return found


def words(text: str) -> Counter[str]:
    """Words as a multiset; marks of quotations, lists and rules are none."""
    return Counter(re.findall(r"[\w@.+,'#=\[\]()/-]*\w[\w@.+,'#=\[\]()/-]*", text.replace("`", " ")))
