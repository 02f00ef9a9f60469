"""Decides which pictures go along with a letter, before its first try, and stores that with the letter (store.hung).

Both players of a board wait for the same picture, which is made once. A letter waits for its pictures WAIT seconds at
most and then leaves without the missing ones. Letters to one address keep their order, because the outbox hands out the
next letter only after this one has been tried.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.catalogue import Catalogue
from mailbot.core.letters import context
from mailbot.core.letters.pictures import MAX_FILMS, Wanted
from mailbot.core.players.portion import Portions
from mailbot.core.players.preferences import looks
from mailbot.shell.post.letterbox import Letterbox
from mailbot.shell.post.painters import Painters, Unmade
from mailbot.shell.writer import Writer
from mailbot.store import hung, outbox
from mailbot.store.reads import Reads

log = logging.getLogger("mailbot.pictures")

WAIT: Final = 9.5
"""Seconds that a letter waits for its pictures."""
ROOM: Final = 600_000
"""Octets of all pictures of a letter. As base64, beside the text, that is less than a megabyte, which many mail servers
take at most."""
REMEMBERED: Final = 64
"""Pictures in memory, so that they need no read of the database, including those that could not be made."""

Made = bytes | None
"""A PNG; None: the board is too large for a picture."""


class Gallery:
    """Use it on one event loop."""

    def __init__(
        self,
        painters: Painters | None,
        letterbox: Letterbox,
        reads: Reads,
        writer: Writer,
        now: Callable[[], int],
        wait: float = WAIT,
    ) -> None:
        """Without `painters` it makes no pictures. `wait`: seconds for all pictures of a letter."""
        self.paints = painters is not None
        self.portions = Portions()
        self._painters = painters
        self._letterbox = letterbox
        self._reads = reads
        self._writer = writer
        self._now = now
        self._wait = wait
        self._known: OrderedDict[str, asyncio.Task[Made]] = OrderedDict()

    async def decide(self, letter: int) -> None:
        """Gives the letter its pictures, or decides that it never gets any. Raises what the database raises."""
        row = outbox.entry(self._reads.db, letter)
        if row.pictures:
            return
        if looks(row.facts)["board"] == "words":
            await asyncio.to_thread(_listen, row.facts, self._reads.catalogue)
        wanted = self._letterbox.pictures(row.template, row.facts)
        if wanted:
            room = self.portions.pictured(row.address, row.kind, self._now())
            made = await self._all(letter, wanted) if self._painters and room else {}
            await self._writer.do(lambda store: hung.hang(store.db, letter, made, self._now()))

    async def picture(self, one: Wanted) -> Made:
        """A picture that no letter asks for, such as one for the page. Raises Unmade."""
        return await asyncio.shield(self._task(one))

    async def close(self) -> None:
        """Gives up the pictures under way."""
        tasks = list(self._known.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._painters:
            await self._painters.close()

    async def _all(self, letter: int, wanted: tuple[Wanted, ...]) -> Mapping[str, Made]:
        """The pictures that could be made in time, by key; None for those that the letter has no room for."""
        films = [one for one in wanted if one.form == "film"]
        left_out: dict[str, Made] = {one.key: None for one in films[MAX_FILMS:]}
        tasks = {one.key: self._task(one) for one in wanted if one.key not in left_out}
        done, late = await asyncio.wait(tasks.values(), timeout=self._wait)
        whys = [str(error) for task in done if not task.cancelled() and (error := task.exception())]
        whys += ["it takes too long"] * len(late)
        if whys:
            log.warning("letter %d goes without %d of its pictures: %s", letter, len(whys), whys[0])
        made, room = left_out, ROOM
        for key, task in tasks.items():
            if task in done and not task.cancelled() and task.exception() is None:
                content = task.result()
                room -= len(content or b"")
                made[key] = content if room >= 0 else None
        return made

    def _task(self, one: Wanted) -> "asyncio.Task[Made]":
        """The one task that makes this picture. A failed one is not tried again while it is remembered."""
        task = self._known.get(one.key)
        if task is None:
            task = asyncio.create_task(self._one(one), name=f"picture {one.key}")
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # so that it counts as seen
            self._known[one.key] = task
            if len(self._known) > REMEMBERED:
                oldest = next((key for key, known in self._known.items() if known.done()), None)
                if oldest:
                    del self._known[oldest]
        self._known.move_to_end(one.key)
        return task

    async def _one(self, one: Wanted) -> Made:
        kept = hung.find(self._reads.db, one.key)
        if kept is not None:
            return kept
        if self._painters is None:
            raise Unmade("there are no painters")
        return await self._painters.paint(one)


def _listen(facts: Mapping[str, Any], catalogue: Catalogue) -> None:
    """Computes the sentences for a reader who listens before the letter is rendered, because that takes a while."""
    for told in (facts, *(part["facts"] for part in facts.get("parts", ()))):
        if "moves" in told and "players" in told:
            context.context(told, catalogue)
