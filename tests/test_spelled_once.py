"""The kinds of rows, letters and tokens are spelled in one place: nothing compares with a literal."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mailbot.core import tokens
from mailbot.core.effects import Kinds
from mailbot.core.model import States
from mailbot.core.tournaments import FORMATS
from mailbot.core.world import Proofs

ROOT = Path(__file__).parent.parent / "mailbot"
WORDS = {
    "state": {*States.ALL},
    "proof": {word for name, word in vars(Proofs).items() if name.isupper()},
    "token": {*tokens.KINDS},
    "format": {row.name for row in FORMATS},
}
"""By the name of what is compared: the words that have a name."""
OF_TOKENS = ("tokens", "takes_over")
"""Arguments that are one or more kinds of token."""


def subject(node: ast.expr) -> str:
    """`state` of `game.state` and of `facts["state"]`, `token` of `request.token[0]` and of `token.kind`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    if isinstance(node, ast.Subscript):
        return subject(node.value)
    if isinstance(node, ast.Attribute) and node.attr == "kind":
        return subject(node.value)
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def literals(node: ast.expr) -> set[str]:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def faults(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            named = {word for side in sides for word in WORDS.get(subject(side), ())}
            yield from {word for side in sides for word in literals(side)} & named
        elif isinstance(node, ast.keyword) and node.arg in OF_TOKENS:
            yield from literals(node.value) - {""}


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_module(path: Path) -> None:
    assert not [*faults(path.read_text())]


BAD = [
    'game.state == "over"',
    'facts["state"] != "running"',
    'facts.get("state") in ("offered", "x")',
    'asked.proof == "token"',
    '"wanting" == proof',
    'request.token[0] == "a"',
    'sender.token.kind in ("p", "e")',
    'tournament.format == "swiss"',
    'Row("reply", tokens="me")',
    'Row("reply", takes_over="m")',
]


@pytest.mark.parametrize("source", BAD)
def test_bad(source: str) -> None:
    assert [*faults(source)]


@pytest.mark.parametrize("source", ['player.state == "off"', 'box.kind == "token"', "game.state == States.OVER"])
def test_good(source: str) -> None:
    assert not [*faults(source)]


def test_every_kind_has_its_name() -> None:
    """And each word one name."""
    for names in (Kinds, Proofs):
        words = [word for name, word in vars(names).items() if name.isupper()]
        assert len(words) == len(set(words)) and all(type(word) is str for word in words)
    assert sorted(States.ALL) == sorted(word for name, word in vars(States).items() if name.isupper() and name != "ALL")
