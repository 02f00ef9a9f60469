"""Failed log-ins, for `auth` and `budgets`."""

import asyncio
from collections.abc import Callable

from mailbot.core.players.attempts import Attempts
from mailbot.shell.writer import Writer
from mailbot.store import attempts
from mailbot.store.reads import Reads


class Attempted:
    """Read at once, written after the answer. Counts not yet written are already included."""

    def __init__(self, reads: Reads, writer: Writer, now: Callable[[], int]) -> None:
        self._reads, self._writer, self._now = reads, writer, now
        self._fresh: dict[str, Attempts] = {}

    def get(self, key: str) -> Attempts | None:
        return self._fresh.get(key) or attempts.get(self._reads.db, key)

    def put(self, key: str, row: Attempts) -> None:
        self._fresh[key] = row
        now = self._now()
        task = asyncio.get_running_loop().create_task(
            self._writer.do(lambda store: attempts.put(store.db, key, row, now))
        )
        task.add_done_callback(lambda done: self._written(key, row, done))

    def _written(self, key: str, row: Attempts, done: "asyncio.Task[None]") -> None:
        if not done.cancelled() and done.exception() is None and self._fresh.get(key) is row:
            del self._fresh[key]
