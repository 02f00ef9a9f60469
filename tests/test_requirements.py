"""docs/requirements.md: every code has a sentence, a source, and a test that holds it or a reason why none does."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/requirements.md"


class Requirement(NamedTuple):
    """A line of the page. `tests`: `file.py::function`, with the golden dialogue in brackets where there is one."""

    code: str
    sentence: str
    source: str
    tests: list[str]
    open: bool
    """The line says what is not held."""


_LINE = re.compile(r"\*\*(?P<code>[A-Z]\d+)\*\* (?P<sentence>[^*]+?) \*(?P<source>[^*]+)\* (?P<held>.+)")


def read(page: str) -> list[Requirement]:
    """The requirements of a page. Raises ValueError for a list item that is none."""
    found = []
    for item in re.findall(r"^- (.*(?:\n  .*)*)", page, re.MULTILINE):
        match = _LINE.fullmatch(" ".join(item.split()))
        if not match:
            raise ValueError(f"not a requirement: {item[:60]}")
        held = match["held"]
        found.append(
            Requirement(
                match["code"],
                match["sentence"],
                match["source"],
                re.findall(r"`(\w+\.py::[\w\[\]]+)`", held),
                bool(re.search(r"Not held[^:]*: \w+", held)),
            )
        )
    return found


REQUIREMENTS = read(PAGE.read_text())


@cache
def functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def exists(name: str) -> bool:
    """Whether a test that the page names is there."""
    file, _, test = name.partition("::")
    test, _, dialogue = test.rstrip("]").partition("[")
    files = [path for path in HERE.rglob(file) if test in functions(path)]
    return any(not dialogue or (path.parent / f"{dialogue}.txt").exists() for path in files)


def test_codes_are_unique_and_without_gaps() -> None:
    codes = [row.code for row in REQUIREMENTS]
    families = sorted({code[0] for code in codes})
    assert codes == [
        f"{family}{number}"
        for family in families
        for number in range(1, 1 + sum(code.startswith(family) for code in codes))
    ]
    assert families == re.findall(r"^## (\w) ", PAGE.read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", REQUIREMENTS, ids=lambda row: row.code)
def test_a_requirement_is_held_or_says_why_not(row: Requirement) -> None:
    assert row.sentence.endswith(".")
    assert row.tests or row.open
    assert [name for name in row.tests if not exists(name)] == []


@pytest.mark.parametrize(
    ("item", "tests", "open_"),
    [
        ("- **A1** A sentence.\n  *5321 6.1.*\n  `test_x.py::test_y`, `test_x.py::test_z[a]`", 2, False),
        ("- **A1** A sentence. *Own rule.* Not held: nobody does it.", 0, True),
        ("- **A1** A sentence. *Own rule.* Held by hope.", 0, False),
    ],
)
def test_the_reader_of_requirements(item: str, tests: int, open_: bool) -> None:
    (row,) = read(item)
    assert (row.code, row.sentence, len(row.tests), row.open) == ("A1", "A sentence.", tests, open_)


@pytest.mark.parametrize(
    "item", ["- A1 A sentence.", "- **A1** A sentence. `test_x.py::test_y`", "- **A1** *Own rule.* x"]
)
def test_an_item_that_is_no_requirement_is_noticed(item: str) -> None:
    with pytest.raises(ValueError, match="not a requirement"):
        read(item)


def test_a_test_that_is_missing_is_noticed() -> None:
    assert exists("test_requirements.py::test_a_test_that_is_missing_is_noticed")
    assert not exists("test_requirements.py::test_that_nobody_wrote")
    assert not exists("test_dialogues.py::test_dialogue[nothing]")
