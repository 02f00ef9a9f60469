"""The only SQL: the file, its tables, the one writer, and the reads."""

import sys

# sqlite_utils imports numpy and pandas if they are installed, to store their integers and dates, which we never have.
# The computer players' workers need numpy, so it is installed; here it would cost 12 MB of memory, 70 ms at each start,
# and a thread of OpenBLAS for each core. None in sys.modules is Python's own way to say that there is no such module.
_UNUSED = [name for name in ("numpy", "pandas") if name not in sys.modules]
for _name in _UNUSED:
    sys.modules[_name] = None  # type: ignore[assignment]
import sqlite_utils  # noqa: E402, F401

for _name in _UNUSED:
    del sys.modules[_name]
