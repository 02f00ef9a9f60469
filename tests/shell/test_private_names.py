"""Private names of libraries that we use: each with its reason here, and all of them still there.

A new release may drop a private name without notice. Then this test fails instead of the server.
"""

import ast
import inspect
import re
from asyncio import sslproto
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import process as processes
from pathlib import Path

import aiosmtpd.smtp
import pytest
import sqlite_utils.migrations

MAILBOT = Path(__file__).parents[2] / "mailbot"

AIOSMTPD = {
    "_original_transport": "the plain transport under TLS, to count its octets and to abort it",
    "_reset_timeout": "replaced: one timer a session instead of a new one for each line",
    "_smtp_methods": "the table of commands, built once instead of for each connection",
    "_timeout_cb": "replaced: a client that does not read is aborted, not waited for (S7)",
    "_timeout_duration": "the patience that was given to aiosmtpd",
    "_timeout_handle": "aiosmtpd cancels it when the connection ends",
    "_tls_protocol": "the TLS layer after STARTTLS, which aiosmtpd keeps there",
}


def _dask() -> str:
    """Without the extra `fleet` nothing uses it."""
    return inspect.getsource(pytest.importorskip("distributed.client"))


OTHERS: dict[str, tuple[Callable[[], str], str]] = {
    "_close": (_dask, "a fleet's connection ends at once, also while the scheduler does not answer"),
    "_extra": (lambda: inspect.getsource(sslproto), "the TLS layer's facts, which it tells no other way in time"),
    "_processes": (lambda: inspect.getsource(processes), "the workers of a pool, to end those that hang"),
    "_migrations": (lambda: inspect.getsource(sqlite_utils.migrations), "the known migrations, to refuse newer files"),
}
PYTHON = {"_asdict", "_fields", "_replace", "_exit"}
"""Public names that begin like private ones."""


def used() -> dict[str, set[str]]:
    """Private names that are not our own: taken from another object than `self`, or known to aiosmtpd's session."""
    theirs = set(re.findall(r"\bself\.(_[a-z]\w*)", inspect.getsource(aiosmtpd.smtp)))
    found: dict[str, set[str]] = {}
    for path in MAILBOT.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        ours = {
            node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not re.match(r"_[a-z]", node.attr):
                continue
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            session = path.name in ("session.py", "verbs.py") and node.attr in theirs
            if session or (not own and node.attr not in ours):
                found.setdefault(node.attr, set()).add(path.name)
    return found


def test_every_private_name_has_its_reason() -> None:
    assert {name for name in used() if name not in PYTHON} == AIOSMTPD.keys() | OTHERS.keys()


@pytest.mark.parametrize("name", AIOSMTPD)
def test_aiosmtpd_still_has_it(name: str) -> None:
    assert re.search(rf"\b{name}\b", inspect.getsource(aiosmtpd.smtp))


@pytest.mark.parametrize("name", OTHERS)
def test_it_is_still_there(name: str) -> None:
    source, reason = OTHERS[name]
    assert re.search(rf"\b{name}\b", source()) and reason


def test_a_pool_tells_its_processes() -> None:
    assert hasattr(ProcessPoolExecutor(1), "_processes")
