"""The hot functions of the engine and the search, compiled by numba from the same source.

`compiled()` copies each function with its module's globals and replaces the names of other hot functions in them by
their compiled twins, so nothing is written twice. The cache on the disk holds only the entries that Python calls,
together with all they call; its folder is named after a digest of all the code, so that any change is noticed.
The first call imports numba, so a program that only replays games never pays for it.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterable
from functools import cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from engine.hex import board, enclosure, endings, goals
from engine.search import forcing, kernel, prior, threats, tree, uct

MODULES: tuple[ModuleType, ...] = (board, enclosure, goals, endings, kernel, threats, forcing, tree, prior, uct)
ENTRIES = ("rolls", "search", "follow", "forcing")
"""The functions that Python calls; they call all others."""


INLINE = ("roll", "place", "drop", "advance", "any_cell", "any_tile", "stuck", "below")
"""Inlined into their callers, because a random game calls them for each tile."""

PLACES = frozenset(
    (
        *("near", "corner", "around", "shape", "frontier", "colour", "parent"),
        *("laid", "decided", "closed", "nulls", "pending", "queue"),
    )
)
"""Fields of a board whose numbers are places in others. Without a sign, numba need not ask each time whether a place
counts from the end. Fields that are added and subtracted keep theirs: numba makes a fraction of two kinds."""


def digest() -> str:
    """A text that changes whenever any hot function changes."""
    found = hashlib.sha256(repr((ENTRIES, INLINE, sorted(PLACES))).encode())
    for module in MODULES:
        for name, function in sorted(_hot(module)):
            found.update(f"{module.__name__}.{name}:{_words(function.__code__)}\n".encode())
            found.update(repr(sorted(_constants(module))).encode())
    return found.hexdigest()[:16]


@cache
def compiled(folder: str | None = None) -> dict[str, Callable[..., Any]]:
    """The entries, each compiled at its first call. `folder`: keeps compiled code for the next process, in a subfolder
    for each state of the source; None keeps nothing."""
    import numba
    from numba.core import config

    from engine.search.linking import link_into

    link_into(ENTRIES)
    if folder is not None:
        config.CACHE_DIR = f"{folder}/{digest()}"
    kinds = _kinds()
    twins: dict[Any, Any] = {}
    spaces = {module.__name__: dict(vars(module)) for module in MODULES}
    for module in MODULES:
        for name, function in list(_hot(module)):
            asked = [kind for key, kind in function.__annotations__.items() if key != "return"]
            if not all(kind in kinds for kind in asked):
                continue
            copy = FunctionType(function.__code__, spaces[module.__name__], name)
            copy.__module__ = module.__name__
            copy.__qualname__ = name
            entry = name in ENTRIES
            twin = numba.njit(
                copy,
                cache=entry and folder is not None,
                error_model="numpy",
                no_cpython_wrapper=not entry,
                no_cfunc_wrapper=True,
                _nrt=False,
                forceinline=name in INLINE,
            )
            # Compile each function once, for the types that its annotations say, whatever integers a caller passes: a
            # version for every mixture of 32 and 64 bits would take minutes.
            if entry and folder is not None:
                twin._cache.save_overload = partial(_kept_if_possible, twin._cache.save_overload)
            twin.compile = partial(_compile, twin.compile, tuple(kinds[kind] for kind in asked))
            twins[function] = twin
    for space in spaces.values():
        for name, value in space.items():
            if isinstance(value, FunctionType) and value in twins:
                space[name] = twins[value]
    return {function.__name__: twin for function, twin in twins.items() if function.__name__ in ENTRIES}


def _kept_if_possible(save: Callable[..., None], *what: Any) -> None:
    """Save, but let a failure pass: a full disk may cost a compilation at the next start, but not a move."""
    with contextlib.suppress(OSError):
        save(*what)


def _compile(inner: Callable[[Any], Any], wanted: Any, _asked: Any) -> Any:
    return inner(wanted)


def _kinds() -> dict[Any, Any]:
    """Annotation -> numba's type."""
    from numba import boolean, float64, int64, typeof

    scratch = threats.Scratch(*(integers([0]) for _ in threats.Scratch._fields))
    return {
        int: int64,
        bool: boolean,
        list[int]: int64[::1],
        list[float]: float64[::1],
        board.Board: typeof(arrays(board.Board(*([0] for _ in board.Board._fields)))),
        threats.Scratch: typeof(scratch),
        tree.Tree: typeof(tree.new_tree(8, 8, 8, tree.tuning([0.0]))),
    }


def arrays(b: board.Board) -> board.Board:
    """A copy of a board in the form that the compiled functions take."""
    import numpy as np

    kinds = {name: np.uint32 if name in PLACES else np.int32 for name in b._fields}
    fields: list[Any] = [np.array(field, kinds[name]) for name, field in zip(b._fields, b, strict=True)]
    return board.Board(*fields)


def integers(values: Iterable[int]) -> Any:
    """A vector of small numbers, such as `how`."""
    import numpy as np

    return np.array(list(values), np.int32)


def longs(values: Iterable[int]) -> Any:
    """A vector of numbers that may need more than 32 bits, such as `g`."""
    import numpy as np

    return np.array(list(values), np.int64)


def _hot(module: ModuleType) -> Iterable[tuple[str, FunctionType]]:
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield name, value


def _constants(module: ModuleType) -> Iterable[tuple[str, str]]:
    return ((name, repr(value)) for name, value in vars(module).items() if isinstance(value, int | float))


def _words(code: CodeType) -> str:
    return repr((code.co_code, code.co_names, [c for c in code.co_consts if not isinstance(c, CodeType)]))
