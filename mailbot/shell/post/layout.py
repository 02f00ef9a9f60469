"""The HTML of a letter: the blocks of its text in one layout, `templates/layout.html`, everything escaped."""

import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final

from jinja2 import DictLoader, Environment, StrictUndefined

from mailbot.core.letters import pieces
from mailbot.core.letters.pieces import Block
from mailbot.core.mail.quoting import MARKER

LARGEST: Final = 100_000
"""Octets of the HTML of a letter; Gmail shows 102 KB and cuts off the rest."""
NARROW: Final = 324
"""Pixels for text on a narrow phone."""
PREVIEW: Final = 150
"""Characters that a mailbox shows of a letter, at most."""
_LAST: Final = {"told": 1, "moves": 2, "record": 3}
"""The blocks that come last in an HTML letter with a drawing, where they are not in the way."""
_ZOOM: Final = 2
"""Pixels of a picture to a pixel of the page."""


def loaded(folder: Path) -> DictLoader:
    """All templates of this folder as they are now: an upgrade changes the files while the server still runs."""
    texts = (path for path in folder.rglob("*.*") if path.suffix in (".txt", ".html", ".xml"))
    return DictLoader({path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in texts})


def environment(folder: Path) -> Environment:
    """HTML templates: everything in them is escaped; a missing name is an error."""
    env = Environment(
        loader=loaded(folder),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.globals.update(size_of=size_of, marker=MARKER)
    return env


class Layout:
    """Turns the marked text of letters into HTML. `domain`: the domain of content ids."""

    def __init__(self, folder: Path, domain: str) -> None:
        self._page = environment(folder).get_template("layout.html")
        self._domain = domain

    def cid(self, key: str) -> str:
        """The content id of a picture, the same in every letter that shows it."""
        return f"{key}@{self._domain}"

    def html(self, text: str, subject: str, *, answered: bool, made: Mapping[str, bytes | None]) -> str:
        """The HTML of a marked text; "" if it is too large to be shown whole. `answered`: it can be answered."""
        found = pieces.blocks(text)
        whole = self._rendered(arranged(found), found, subject, answered, made)
        if len(whole.encode()) > LARGEST:  # a long list: cells cost more than their text
            flat = [Block("code", tuple(pieces.plain(text).split("\n")))]
            whole = self._rendered(flat, found, subject, answered, made)
        return whole if len(whole.encode()) <= LARGEST else ""

    def _rendered(
        self,
        blocks: Iterable[Block],
        found: list[Block],
        subject: str,
        answered: bool,
        made: Mapping[str, bytes | None],
    ) -> str:
        preview = pieces.news(found)
        return self._page.render(
            blocks=list(blocks),
            drawn=any(block.kind == "board" for block in found),
            subject=subject,
            preview=preview,
            padding=max(0, PREVIEW - len(preview)) if answered else 0,
            answered=answered,
            cid=self.cid,
            shows=made.get,
            width_of=lambda key: width(made[key] or b""),
        )


def arranged(blocks: Iterable[Block]) -> list[Block]:
    """The blocks in the order of an HTML letter: in each part, the lists of moves come last."""
    out: list[Block] = []
    for _, part in groupby(blocks, lambda block: block.kind == "rule"):
        own = list(part)
        drawn = any(block.kind == "board" for block in own)
        out += sorted(own, key=lambda block: _LAST.get(block.kind, 0) if drawn or block.kind != "told" else 0)
    return out


@lru_cache(maxsize=256)
def size_of(columns: int, most: int = 13, least: int = 5) -> str:
    """The font size in pixels with which so many columns of fixed width fit a narrow phone."""
    return f"{max(least, min(most, NARROW / (0.61 * max(columns, 1)))):.1f}".removesuffix(".0")


def width(png: bytes) -> int:
    """Pixels of the page that a picture takes."""
    across: int = struct.unpack(">I", png[16:20])[0]
    return across // _ZOOM
