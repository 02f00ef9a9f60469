"""What the documents tell an operator to type, and which files they show, read from their fenced code blocks.

The word behind the fence says what a block is:

    ```sh                       typed, line by line
    ```toml /etc/mailbot.toml   this is what the file holds
    ```                         an example, or what a program prints: nobody types it
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
FENCE = re.compile(r"```(?P<info>[^`\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (?:[0-9]+\. )?(?P<title>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block. `path`: the file that it shows."""

    title: str
    language: str
    path: str
    text: str

    @property
    def typed(self) -> bool:
        return self.language == "sh"


def blocks(text: str) -> list[Block]:
    """All blocks of a document in order, each with the heading above it."""
    return [*_blocks(text)]


def _blocks(text: str) -> Iterator[Block]:
    title, here = "", 0
    for fence in FENCE.finditer(text):
        for heading in HEADING.finditer(text, here, fence.start()):
            title = heading["title"]
        here = fence.end()
        language, _, path = fence["info"].strip().partition(" ")
        yield Block(title, language, path.strip(), fence["text"])


def section(name: str, title: str) -> list[Block]:
    """What a section of a document has to type and to write: its blocks without the examples."""
    found = [one for one in blocks((ROOT / name).read_text()) if one.title == title and (one.typed or one.path)]
    assert found, f"{name} has nothing to type under {title!r}"
    return found
