"""Options of the test run, where its files lie, and what is made once in it: compiled templates, and empty tables."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import settings
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from mailbot.store import schema

settings.register_profile("here", deadline=None)  # no test asserts a duration
settings.load_profile("here")

MEMORY, ROOM = Path("/dev/shm"), 2_000_000_000
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
    # Each mail waits for the disk twice, and no test here cuts the power.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the golden dialogues anew; git shows what changed")


@pytest.fixture(scope="session", autouse=True)
def _templates_compiled_once() -> Iterator[None]:
    """Tests open many hundred servers; each would compile all templates anew, which takes most of their time."""
    compile_ = jinja2.Environment.compile
    compiled: dict[Any, Any] = {}

    def once(env: jinja2.Environment, source: Any, name: Any = None, filename: Any = None, *more: Any) -> Any:
        key = (source, name, filename, *more, env.autoescape, env.trim_blocks, env.lstrip_blocks, len(env.filters))
        if key not in compiled:
            compiled[key] = compile_(env, source, name, filename, *more)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jinja2.Environment, "compile", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _tables_made_once() -> Iterator[None]:
    """An empty file gets the tables from memory, where the migrations made them once."""
    apply, made = Migrations.apply, []

    def once(self: Migrations, db: Database, **more: Any) -> None:
        if self is not schema.migrations or more or self.applied(db):
            return apply(self, db, **more)
        if not made:
            made.append(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
            apply(self, Database(made[0]))
        made[0].backup(db.conn)
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Migrations, "apply", once)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What compiles the search comes first, so that the other process finds it compiled. Tests in a browser come last:
    Playwright's loop stays in their thread, and no other can run there."""
    items.sort(key=lambda item: (item.path.parent.name == "browser", item.path.name != "test_search.py"))
