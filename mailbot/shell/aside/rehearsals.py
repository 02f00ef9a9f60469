"""Letters that go to nobody are written as those to players are, as often as the caps let a player have them, and
thrown away (mailbot.store.rehearsal says why)."""

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

from mailbot.core.caps import Caps, rules
from mailbot.core.players.preferences import looks
from mailbot.shell.post.delivery import LONG
from mailbot.store.outbox import Entry
from mailbot.store.rehearsal import Rehearsed

REMEMBERED = 20_000
"""Counts in memory; the oldest go first."""

_Key = tuple[str, tuple[str, ...], int, str]


class Rehearsals:
    """`write` makes a letter from its row. `now` gives unix seconds."""

    def __init__(self, caps: Caps, now: Callable[[], int]) -> None:
        self.write: Callable[[Entry], object] = lambda row: None
        self._caps = caps
        self._now = now
        self._written: OrderedDict[_Key, deque[int]] = OrderedDict()  # when letters were, by what their rules count

    async def write_all(self, letters: Sequence[Rehearsed]) -> None:
        """Writes each by itself. As in the outbox worker, what is long is written in a thread. So is what is told in
        words, because they take long to find."""
        for one in letters:
            if not self._room(one):
                continue
            await asyncio.sleep(0)
            with contextlib.suppress(Exception):  # a real letter that breaks the same way is logged
                if one.size < LONG and looks(one.row.facts)["board"] != "words":
                    self.write(one.row)
                else:
                    await asyncio.to_thread(self.write, one.row)

    def _room(self, one: Rehearsed) -> bool:
        """Whether a cap would let a player have this letter; counts it then."""
        now = self._now()
        counts = []
        for rule in rules(one.kind, one.row.template, self._caps):
            key = (one.whose, rule.kinds, rule.window, one.same if rule.same else "")
            times = self._written.setdefault(key, deque())
            self._written.move_to_end(key)
            while times and times[0] <= now - rule.window:
                times.popleft()
            counts.append((times, rule.most))
        while len(self._written) > REMEMBERED:
            self._written.popitem(last=False)
        if any(len(times) >= most for times, most in counts):
            return False
        for times, _ in counts:
            times.append(now)
        return True
