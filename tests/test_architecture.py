"""The architecture: who imports whom, what the pure rooms may not use, where SQL and templates live.

`faults` reads one module's source and names what breaks a rule; the rows of BAD show that it can find each of them.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ROOMS: dict[str, tuple[str, ...]] = {
    "engine": ("engine",),
    "mailbot.core": ("engine", "mailbot.core"),
    "mailbot.store": ("engine", "mailbot.core", "mailbot.store"),
    "mailbot.shell": ("engine", "mailbot.core", "mailbot.store", "mailbot.shell", "mailbot.__version__"),
    "mailbot": (),
}
"""Each room and the rooms it may import from. A module belongs to the longest name it begins with."""

PURE = ("engine", "mailbot.core")
OUTSIDE = set(
    """
    _thread aiosmtpd aiosmtplib argon2 asyncio builtins click concurrent ctypes dbm fcntl fileinput getpass glob
    http importlib io jinja2 locale logging mailbox mmap multiprocessing os pathlib pickle platform pwd random
    resource runpy secrets select selectors shelve shutil signal smtplib socket socketserver sqlite3 sqlite_utils
    ssl subprocess syslog tempfile threading time urllib uuid webbrowser zoneinfo
    """.split()  # noqa: SIM905 - a hundred quotes less to read
)
"""Modules that reach out of the process, or whose answers are not decided by their arguments."""
IMPURE_CALLS = {"open", "input", "print", "breakpoint", "__import__", "eval", "exec", "hash"}
"""hash differs from run to run; print belongs to `engine.__main__` and the command line."""
CLOCKS = {"now", "utcnow", "today", "make_msgid", "localtime", "formatdate"}
"""Names that read the clock: of datetime and date, and of email.utils."""
STREAMS = {"argv", "stdin", "stdout", "stderr", "path", "modules", "exit", "environ"}
SQL = {"sqlite3", "sqlite_utils"}
SQL_CALLS = {"execute", "executemany", "executescript"}
WINGS: tuple[tuple[str, ...], ...] = (
    ("contests", "puzzles"),
    ("mail", "model", "tokens"),
    ("effects", "zones"),
    ("caps",),
    ("world",),
    ("games", "language", "tournaments"),
    ("ratings",),
    ("players",),
    ("letters",),
    ("hosting",),
    ("commands",),
    ("handle", "due", "operator", "pages"),
    ("converse",),
)
"""The wings and modules of mailbot.core, from the bottom up. Each may import what stands below it, and its own wing."""
FACE = (
    "engine.catalogue",
    "engine.errors",
    "engine.extent",
    "engine.family",
    "engine.families",
    "engine.figures",
    "engine.search.Thought",
)
"""All of the engine that core and store may name. What a tile or a hex is stays behind it."""
MAX_FILES = 12
"""Files in one folder of core and shell; the command families are a list that grows."""
VAGUE = {"manager", "managers", "helper", "helpers", "util", "utils", "utility", "utilities"}
MAX_LINES = 400
FAMILIES = "mailbot.core.commands."


def room_of(module: str) -> str:
    return max((room for room in ROOMS if module == room or module.startswith(room + ".")), key=len)


def inside(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(room + ".") for room in rooms)


def imports(tree: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """Every imported name in full: `from a.b import c` gives `a.b.c`, whether c is a module or a name in one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (node.module or "").split(".") if node.module else []
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                base = package[: len(package) - node.level + 1] + base
            yield from (".".join([*base, alias.name]) for alias in node.names)


def wing_of(name: str) -> str:
    """The wing or module right under mailbot.core that a name lies in; "" for anything else."""
    return name.removeprefix("mailbot.core.").partition(".")[0] if name.startswith("mailbot.core.") else ""


def height(wing: str) -> int:
    return next((height for height, wings in enumerate(WINGS) if wing in wings), -1)


def words(name: str) -> set[str]:
    """The words of an identifier: of `GameManager` and `game_manager` alike, game and manager."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def faults(module: str, source: str, *, is_package: bool = False) -> list[str]:
    tree = ast.parse(source)
    room = room_of(module)
    pure = room in PURE
    program = module.endswith(".__main__")
    found: list[str] = []

    for name in imports(tree, module, is_package):
        top = name.split(".")[0]
        if top in ("engine", "mailbot") and not inside(name, ROOMS[room]):
            found.append(f"{room} imports {name}")
        if top == "engine" and room in ("mailbot.core", "mailbot.store") and not inside(name, FACE):
            found.append(f"{room} looks behind the families: {name}")
        if pure and (top in OUTSIDE or set(name.split(".")[1:]) & CLOCKS):
            found.append(f"pure room imports {name}")
        if top == "jinja2" and room != "mailbot.shell":
            found.append("jinja2 outside the shell")
        if top in SQL and room != "mailbot.store":
            found.append(f"{top} outside the store")
        if pure and top == "sys" and name != "sys" and name.split(".")[1] in STREAMS and not program:
            found.append(f"pure room uses {name}")
        above, below = wing_of(module), wing_of(name)
        if above and below and above != below and height(above) <= height(below):
            found.append(f"core.{above} imports core.{below}")
        sibling = name.removeprefix(FAMILIES)  # a table of the package, such as ROWS, belongs to none of them
        if module.startswith(FAMILIES) and sibling != name and not sibling.isupper() and not inside(name, (module,)):
            found.append(f"a family of commands imports {name}")

    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in IMPURE_CALLS and pure and not program:
                found.append(f"pure room calls {called.id}()")
            if isinstance(called, ast.Attribute):
                if called.attr in CLOCKS and pure:
                    found.append(f"pure room calls .{called.attr}()")
                if called.attr in SQL_CALLS and room != "mailbot.store":
                    found.append(f".{called.attr}() outside the store")
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if pure and not program and owner == "sys" and node.attr in STREAMS:
                found.append(f"pure room uses sys.{node.attr}")
            if node.attr == "conn" and room != "mailbot.store":
                found.append(".conn outside the store")
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and words(node.name) & VAGUE:
            found.append(f"{node.name} does not say what it is")

    if words(module) & VAGUE:
        found.append(f"{module} does not say what it is")
    if source.strip() and not (ast.get_docstring(tree) or "").partition("\n")[0].strip():
        found.append("the first line does not say what the module answers for")
    if (lines := source.count("\n")) > MAX_LINES:
        found.append(f"{lines} lines; past {MAX_LINES} a module is split")
    return found


@pytest.mark.parametrize("room", ["core", "shell"])
def test_folders_are_small_and_say_what_lives_there(room: str) -> None:
    for folder in (ROOT / "mailbot" / room).rglob("__init__.py"):
        files = [path.name for path in folder.parent.glob("*.py")]
        assert len(files) <= MAX_FILES or folder.parent.name == "commands", folder.parent
        assert len((ast.get_docstring(ast.parse(folder.read_text())) or "").split()) > 8, folder.parent


def test_every_wing_has_its_place() -> None:
    here = {path.stem for path in (ROOT / "mailbot" / "core").iterdir() if not path.name.startswith("__")}
    assert here == {wing for wings in WINGS for wing in wings}


MODULES = sorted(path for room in ("engine", "mailbot") for path in (ROOT / room).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_there_is_something_to_check() -> None:
    assert {room_of(name_of(path)) for path in MODULES} == set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_module(path: Path) -> None:
    assert not faults(name_of(path), path.read_text(encoding="utf-8"), is_package=path.name == "__init__.py")


def test_one_module_of_the_store_reaches_under_sqlite_utils() -> None:
    """`.conn.` goes round the transactions of sqlite-utils (H8)."""
    reaching = [
        path.name
        for path in MODULES
        if any(isinstance(n, ast.Attribute) and n.attr == "conn" for n in ast.walk(ast.parse(path.read_text())))
    ]
    assert len(reaching) <= 1, reaching


# ---- the checker: sources that break a rule, and what it must say; sources that break none

BAD = [
    ("engine.hex.board", "import mailbot", "engine imports mailbot"),
    ("engine.hex.board", "from mailbot.core import mail", "engine imports mailbot.core.mail"),
    ("engine.hex.board", "def f():\n    import mailbot.core.mail", "engine imports mailbot.core.mail"),
    ("mailbot.core.handle", "from mailbot import store", "mailbot.core imports mailbot.store"),
    ("mailbot.core.handle", "from ..store import rows", "mailbot.core imports mailbot.store.rows"),
    ("mailbot.core.commands", "from ...shell import auth", "mailbot.core imports mailbot.shell.auth"),
    ("mailbot.core.commands.play", "from ...shell import auth", "mailbot.core imports mailbot.shell.auth"),
    ("mailbot.core.handle", "import mailbot.coresomething", "mailbot.core imports mailbot.coresomething"),
    (
        "mailbot.store.reads",
        "from mailbot.shell.smtp.wire import Text",
        "mailbot.store imports mailbot.shell.smtp.wire.Text",
    ),
    ("mailbot", "import engine", "mailbot imports engine"),
    (
        "mailbot.core.handle",
        "from engine.hex.tiles import TILESETS",
        "mailbot.core looks behind the families: engine.hex.tiles.TILESETS",
    ),
    ("mailbot.core.handle", "from engine.hex import hexes", "mailbot.core looks behind the families: engine.hex.hexes"),
    (
        "mailbot.store.reads",
        "from engine.hex.variants import GAMES",
        "mailbot.store looks behind the families: engine.hex.variants.GAMES",
    ),
    *(("engine.hex.board", f"import {name}", f"pure room imports {name}") for name in sorted(OUTSIDE)),
    *(("mailbot.core.due", f"from {name} import x", f"pure room imports {name}.x") for name in sorted(OUTSIDE)),
    ("engine.hex.board", "import os.path as p", "pure room imports os.path"),
    ("mailbot.core.mail", "from email.utils import make_msgid", "pure room imports email.utils.make_msgid"),
    ("mailbot.core.mail", "import email.utils\nemail.utils.formatdate()", "pure room calls .formatdate()"),
    ("mailbot.core.due", "from datetime import datetime\ndatetime.now()", "pure room calls .now()"),
    ("mailbot.core.due", "import datetime\nx = datetime.date.today()", "pure room calls .today()"),
    *(("engine.hex.board", f"{name}()", f"pure room calls {name}()") for name in sorted(IMPURE_CALLS)),
    ("engine.hex.board", "import sys\nsys.argv", "pure room uses sys.argv"),
    ("mailbot.core.mail", "from sys import stdin", "pure room uses sys.stdin"),
    ("mailbot.store.store", "import jinja2", "jinja2 outside the shell"),
    ("mailbot.core.letters.context", "from jinja2 import Environment", "jinja2 outside the shell"),
    ("mailbot.shell.app", "import sqlite3", "sqlite3 outside the store"),
    ("mailbot.shell.app", "from sqlite_utils.db import Database", "sqlite_utils outside the store"),
    ("mailbot.shell.app", "db.execute('select 1')", ".execute() outside the store"),
    ("mailbot.shell.app", "self.db.executescript(x)", ".executescript() outside the store"),
    ("mailbot.core.handle", "db.executemany(x)", ".executemany() outside the store"),
    ("mailbot.shell.app", "db.conn.close()", ".conn outside the store"),
    ("mailbot.core.mail.mime", "from mailbot.core import world", "core.mail imports core.world"),
    ("mailbot.core.games.turn", "from mailbot.core.players import limits", "core.games imports core.players"),
    ("mailbot.core.games.turn", "from mailbot.core.language import grammar", "core.games imports core.language"),
    ("mailbot.core.due", "from mailbot.core.handle import handle", "core.due imports core.handle"),
    (f"{FAMILIES}play", "from mailbot.core.commands import offers", f"a family of commands imports {FAMILIES}offers"),
    (f"{FAMILIES}play", "from .offers import x", f"a family of commands imports {FAMILIES}offers.x"),
    ("mailbot.shell.app", "class GameManager: pass", "GameManager does not say what it is"),
    ("mailbot.shell.app", "def move_helper(): pass", "move_helper does not say what it is"),
    ("mailbot.shell.app", "async def utils(): pass", "utils does not say what it is"),
    ("mailbot.shell.smtp_utils", "", "mailbot.shell.smtp_utils does not say what it is"),
    ("mailbot.shell.app", "x = 1", "the first line does not say what the module answers for"),
    ("mailbot.shell.app", '"""Long."""\n' + "x = 1\n" * 400, "401 lines; past 400 a module is split"),
]


@pytest.mark.parametrize(("module", "source", "fault"), BAD)
def test_bad(module: str, source: str, fault: str) -> None:
    assert fault in faults(module, source, is_package=module in (*ROOMS, "mailbot.core.commands"))


GOOD = [
    ("engine.__main__", "import json\nimport sys\nprint(sys.stdin)"),
    ("engine.hex.board", "from engine.hex.hexes import N\nfrom . import tiles\nimport sys\nsys.maxsize"),
    ("engine.hex.board", "from datetime import UTC, datetime\ndatetime.fromtimestamp(0, UTC)"),
    (
        "mailbot.core.handle",
        "import hashlib\nimport re\nfrom engine.families import family_of\nfrom .commands import play",
    ),
    ("mailbot.core.commands", "from mailbot.core.commands import account, play"),
    ("mailbot.core.games.turn", "from mailbot.core.games import boards\nfrom mailbot.core.world import World"),
    (
        "mailbot.core.commands.play",
        "from mailbot.core.games import boards\nfrom mailbot.core.language.grammar import Row",
    ),
    ("mailbot.core.commands.reading", "from mailbot.core.commands import ROWS"),
    ("mailbot.store.store", "import os\nimport sqlite3\ndb.conn.execute('')"),
    ("mailbot.shell.app", "import jinja2\nimport os\nimport time\nprint(time.time())\nloop.run_in_executor()"),
    ("mailbot.shell.app", "class Utilisation: pass\ndef manages(): pass"),
    ("mailbot.shell.app", "x = 1\n" * 399),
]


@pytest.mark.parametrize(("module", "source"), GOOD)
def test_good(module: str, source: str) -> None:
    assert not faults(module, '"""Answers for rows."""\n' + source, is_package=module == "mailbot.core.commands")
