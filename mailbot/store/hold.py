"""The file of a database while one process works on it: the lock beside it, and whether it is still the same."""

import fcntl
import os
from pathlib import Path

from mailbot.store import restored


class Locked(RuntimeError):
    """Another mailbot has this database open."""


class Hold:
    """Ensures that there is exactly one read-write connection (T9). Creates the file if it is not there. Raises Locked.

    Release it after the connections are closed: whoever closes a file drops all locks that the process has on it, those
    of SQLite as well.
    """

    def __init__(self, path: Path) -> None:
        self._lock = os.fdopen(os.open(path.with_name(path.name + ".lock"), os.O_WRONLY | os.O_CREAT, 0o600), "a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise Locked(f"{path.name} is in use by a running mailbot") from None
        path.touch(mode=0o600)
        self._file = path.open("rb", buffering=0)

    def overwritten(self) -> bool:
        """Whether somebody has written a copy, or what is no database, over the file. Only for a store that is open."""
        return restored.is_foreign(os.pread(self._file.fileno(), 100, 0))

    def release(self) -> None:
        """Another process may work on the database now."""
        self._file.close()
        self._lock.close()
