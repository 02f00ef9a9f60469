"""What comments, docstrings and documents cite is in the repository: codes, pages, their sections, and files.

A code such as S12 is a line of docs/requirements.md. `docs/rules.md 3` is the section of that page whose heading
begins with 3, and `docs/rules.md 2, Enclosure` names one of its headings.
"""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from tests.test_docs import files
from tests.test_requirements import REQUIREMENTS

ROOT = Path(__file__).parents[1]
CODES = {row.code for row in REQUIREMENTS}

_CODE = re.compile(r"(?<![\w=/.+-])[A-Z]\d{1,2}(?![\w=/])")
_IN_A_NAME = re.compile(r"\btest_((?:[a-z]\d{1,2}_)+)")
_PAGE = re.compile(r"(?<![\w/.@-])((?:[\w-]+/|\.\./)*[\w-]+\.md)\b")
_SECTION = re.compile(r"([\w/-]+\.md) (\d+)(?:(?:,| and| to) (?:(\d+)|([A-Z]\w+)))?")
_FILE = re.compile(r"(?<![\w/.-])((?:bench|config|docs|engine|mailbot|templates|tests)/[\w/-]+\.[a-z]+)\b(?<!NAME.txt)")
"""NAME stands for a name."""
_SEED = re.compile(r"\bseeds? \d{3}\b|\bseeds/")


def words(path: Path, text: str) -> str:
    """The part of a file that a person reads: comments and docstrings, or a document without its code."""
    if path.suffix == ".md":
        return re.sub(r"^```.*?^```|`[^`\n]*`", " ", text, flags=re.MULTILINE | re.DOTALL)
    if path.suffix != ".py":
        return "\n".join(re.findall(r"#.*", text))
    told = [
        token.string for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            told.append(node.value.value)
    return "\n".join(told)


@cache
def headings(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)


def page_of(name: str, home: Path) -> Path | None:
    """The file a page's name stands for: from the top folder, or from the folder of the text that cites it."""
    return next((path for path in (ROOT / name, home / name) if path.is_file()), None)


def faults(path: Path, text: str) -> list[str]:
    """What this text cites and the repository does not have."""
    read = " ".join(re.sub(r"^\s*#", " ", words(path, text), flags=re.MULTILINE).split())
    cited = set(_CODE.findall(read))
    if path.suffix == ".py":
        cited |= {code.upper() for name in _IN_A_NAME.findall(text) for code in name.split("_")[:-1]}
    out = [f"no requirement {code}" for code in sorted(cited - CODES)]
    whole = text if path.suffix != ".py" else read
    if path.name == "pyproject.toml":
        whole = whole.replace('= "mailbot/CHANGELOG.md"', "")  # its place in the wheel
    out += [f"no page {name}" for name in sorted(set(_PAGE.findall(whole))) if not page_of(name, path.parent)]
    out += [f"no file {name}" for name in sorted(set(_FILE.findall(whole))) if not (ROOT / name).exists()]
    for name, *sections in _SECTION.findall(read):
        page = page_of(name, path.parent)
        out += [
            f"no section {section} in {name}"
            for section in filter(None, sections)
            if page and not any(re.match(rf"{section}\b", heading) for heading in headings(page))
        ]
    return out + [f"cites {found}" for found in _SEED.findall(whole)]


def texts() -> list[Path]:
    """The files of the project that hold words; mails of the corpus and golden files are data."""
    suffixes = (".py", ".md", ".toml", ".service", ".c", "")
    return sorted(
        path for path in files() if path.suffix in suffixes and path.name != "LICENSE" and path != Path(__file__)
    )


@pytest.mark.parametrize("path", texts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_everything_cited_exists(path: Path) -> None:
    assert faults(path, path.read_text()) == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("x.py", '"""Held (S12, A10), see docs/rules.md 2, Enclosure, and bench/README.md."""', []),
        ("x.py", "x = 'S99 notes.md'", []),
        ("x.py", "x = 1  # held (S99)", ["no requirement S99"]),
        ("x.py", '"""Of Z1 to S2."""', ["no requirement Z1"]),
        ("x.py", "def test_s1_s99_it_holds(): ...", ["no requirement S99"]),
        ("x.py", '"""As notes.md says."""', ["no page notes.md"]),
        ("x.py", '"""As rules.md 3 says."""', ["no page rules.md"]),
        ("docs/x.md", "As rules.md 3 says.", []),
        ("x.py", '"""As docs/rules.md 9 says."""', ["no section 9 in docs/rules.md"]),
        ("x.py", '"""As docs/rules.md\n9 says."""', ["no section 9 in docs/rules.md"]),
        ("x.py", "# docs/rules.md\n# 9 says it", ["no section 9 in docs/rules.md"]),
        ("x.py", '"""As docs/rules.md 2 and 9 say."""', ["no section 9 in docs/rules.md"]),
        ("x.py", '"""docs/rules.md 2, Devouring."""', ["no section Devouring in docs/rules.md"]),
        ("x.md", "Run `tests/nobody.py` and `Z9`.", ["no file tests/nobody.py"]),
        ("x.md", "Held (Z9), as seed 002 says.", ["no requirement Z9", "cites seed 002"]),
        ("x.toml", "a = 1  # held (Z9)", ["no requirement Z9"]),
    ],
)
def test_the_finder_of_citations(name: str, text: str, found: list[str]) -> None:
    assert faults(ROOT / name, text) == found
