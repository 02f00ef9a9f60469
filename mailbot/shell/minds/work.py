"""What a worker does for a computer player, in whatever process and on whatever machine it runs."""

import hashlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import engine
from engine import search
from engine.hex import variants
from engine.search import Thought
from engine.search.compiled import digest

log = logging.getLogger("mailbot.minds")

Work = Callable[..., Thought]
"""`think` or `evaluate`: from the rules, the moves, the seed, the folder of compiled code and two numbers."""

CHOOSING = 0.8
"""The share of the time for a move in which a turn is chosen; what is left is for its check."""

LATE = 180.0
"""A worker is ended these seconds after three times the time for a thought. A thought looks at the clock only between
slices of its work, and the first one waits for the compiler."""

_DIGEST = re.compile(r"[0-9a-f]{16}")
"""What the subfolders of compiled code are called."""

DEATHS = 3
"""A board or analysis that kills this many workers is given up."""


class Interrupted(Exception):
    """A thought did not come to its end, through no fault of its board."""


class Died(Interrupted):
    """A worker has died, and perhaps of this board."""


class Minds(Protocol):
    """The workers, as the computer players see them. `trouble`: what the operator should know of them, or ""."""

    trouble: str

    @property
    def places(self) -> int:
        """How many boards may be thought about at once; it may change."""

    def think(self, work: Work, rules: str, moves: list[str], seed: int, *more: int) -> Awaitable[Thought]:
        """Raises Interrupted if the same may be tried again, and TimeoutError if the thought does not end."""

    async def run(self) -> None:
        """Does what must be done meanwhile, until it is cancelled."""

    def warm(self) -> None:
        """Lets the workers start, so that nobody waits for that."""

    def end(self) -> None:
        """Ends the workers of this machine at once, even while they think."""


def think(rules: str, moves: list[str], seed: int, folder: str | None, level: int, seconds: int) -> Thought:
    """The move of a computer player."""
    return search.think(variants.parse(rules), moves, level, seed, until(seconds), folder, until(CHOOSING * seconds))


def evaluate(rules: str, moves: list[str], seed: int, folder: str | None, playouts: int, seconds: int) -> Thought:
    """The chances in a position."""
    return search.evaluate(variants.parse(rules), moves, playouts, seed, folder, until(seconds))


def until(seconds: float) -> Callable[[], bool]:
    """A function that returns True once `seconds` have passed since this call."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def code_folder(folder: Path) -> str | None:
    """The folder for compiled code, created if missing; None if it cannot be written, or belongs to another user, whose
    code we would run. Then every worker compiles again, which takes it half a minute, and plays all the same. What
    other versions have compiled there is deleted."""
    try:
        place = folder / digest()
        place.mkdir(parents=True, exist_ok=True)
        if {folder.stat().st_uid, place.stat().st_uid} != {os.geteuid()}:
            raise PermissionError
        with tempfile.TemporaryFile(dir=place):
            pass
        for other in folder.iterdir():
            if _DIGEST.fullmatch(other.name) and other != place:
                shutil.rmtree(other, ignore_errors=True)
        return str(folder)
    except OSError as error:
        log.warning("compiled code cannot be kept in [store]'s folder: %s", type(error).__name__)
        return None


def code(*more: Any) -> str:
    """A text that changes with every file that has a part in thinking: all of the engine, this module, and `more`
    modules. Two machines with the same text think the same."""
    found = hashlib.sha256()
    top = Path(engine.__file__).parent
    files = sorted(path for path in top.rglob("*") if path.is_file() and path.suffix != ".pyc")
    for path in (*files, Path(__file__), *(Path(module.__file__) for module in more)):
        name = path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name
        found.update(f"{name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]
