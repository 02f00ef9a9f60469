"""Compiled functions as parts of their entries. Imports numba, and overrides methods that it does not document.

numba makes a library of each function, with copies of all that it calls. It optimises each of these libraries and turns
it into machine code. With ninety functions this is two thirds of a cold compile, and Python calls only the entries. So
here the library of any other function is just linked into those of its callers, and each entry is optimised once, with
all that it calls before LLVM's eyes. A numba without these methods compiles as it always does, which takes longer.
"""

from collections.abc import Collection
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.registry import cpu_target

_NEEDED = (
    *((JITCodeLibrary, name) for name in ("_optimize_final_module", "_finalize_final_module", "_finalized")),
    *((JITCodeLibrary, name) for name in ("_finalize_dynamic_globals", "_verify_declare_only_symbols")),
    *((JITCPUCodegen, name) for name in ("_library_class", "set_env")),
)


def link_into(entries: Collection[str]) -> None:
    """From now on, compiles only functions with these names by themselves, in this process."""
    if not all(hasattr(kind, name) for kind, name in _NEEDED):
        return

    class Part(JITCodeLibrary):  # type: ignore[misc]
        def _optimize_final_module(self) -> None:
            if self.name in entries:
                super()._optimize_final_module()

        def _finalize_final_module(self) -> None:
            if self.name in entries:
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._finalized = True

    codegen = cpu_target.target_context.codegen()
    set_env = codegen.set_env

    def set_env_of_entry(name: str, env: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_env(name, env)

    codegen._library_class = Part
    codegen.set_env = set_env_of_entry
