"""Options of the test run, and templates that are compiled once in it."""

from typing import Any

import jinja2
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the golden dialogues anew; git shows what changed")


@pytest.fixture(scope="session", autouse=True)
def _templates_compiled_once() -> Any:
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser come last: Playwright's loop stays in their thread, and no other can run there."""
    items.sort(key=lambda item: item.path.parent.name == "browser")
