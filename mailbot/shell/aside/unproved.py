"""Carries out mails without proof, one after another at a fixed pace, long after they were answered. The networks that
they came from take turns.

mailbot.store.unproved says why. Because of the pace, the work for one of them hardly shows in the answers to others,
and moves never wait behind them. What shows is about the same for a player's mail and for anybody else's
(mailbot.store.rehearsal).
"""

import asyncio
import contextlib
import hmac
import logging
from collections.abc import Callable

from mailbot.core.mail.addresses import key
from mailbot.shell.aside.rehearsals import Rehearsals
from mailbot.shell.log import outcomes
from mailbot.shell.writer import Unwritten, Writer, told_of
from mailbot.store import unproved
from mailbot.store.reads import Reads

SECONDS = 0.2
"""From one row to the next, by a clock that does not depend on when mails come."""

IDLE = 4
"""How many times as long as a row took we wait for the next, if it took long: other mails come first."""

log = logging.getLogger("mailbot.unproved")


class Unproved:
    """Takes the rows in turn. Code that adds a row sets `wake`. `now` gives unix seconds. `secret`: the server's, which
    chooses stand-ins."""

    def __init__(
        self, reads: Reads, writer: Writer, now: Callable[[], int], secret: bytes, seconds: float = SECONDS
    ) -> None:
        self.wake = asyncio.Event()
        self.wake.set()  # rows from before the start
        self._reads = reads
        self._writer = writer
        self._now = now
        self._seconds = seconds
        self._source = ""  # of the row that was done last
        self._took = 0.0  # seconds, for that row
        self._secret = secret
        self.rehearsals = Rehearsals(writer.store.caps, now)

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop`; the rest is done after the next start. A row is at least one step old before it is done,
        so that its work does not coincide with anything that comes right after its mail."""
        loop = asyncio.get_running_loop()
        newest, rest = 0, 0.0
        stopping = loop.create_task(_ended(stop, self.wake))
        while not stop.is_set():
            await self.wake.wait()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), self._seconds - loop.time() % self._seconds + rest)
                break
            self._took = 0.0
            await self.step(newest)
            rest = self._took * IDLE // self._seconds * self._seconds
            newest = unproved.newest(self._reads.db)
        await stopping

    async def step(self, newest: int | None = None) -> bool:
        """Carries out the next row that did not come after `newest`. False if nothing was done."""
        self.wake.clear()
        if not unproved.newest(self._reads.db):
            return False
        self.wake.set()
        found = unproved.first(self._reads.db, self._source, newest)
        if found is None:
            return False
        row, mail, self._source = found
        begun = asyncio.get_running_loop().time()
        try:
            done = await self._writer.do(lambda store: unproved.do(store, row, self._now(), self._draw), mail)
            self._took = asyncio.get_running_loop().time() - begun  # letters to players are written elsewhere
            if done:
                _log(done)
                await self.rehearsals.write_all(done.rehearsed)
        except Unwritten:
            return False  # the row is still there
        except Exception as error:
            told = told_of(error)
            with contextlib.suppress(Unwritten):
                done = await self._writer.do(lambda store: unproved.give_up(store, row, told, self._now()))
                if done.request and isinstance(done.came, int):
                    log.error("mail %s: %s", done.mark, outcomes.broken(done.request, done.came, error))
                else:
                    log.error("mail %s: a letter about it cannot be written: %s", done.mark, type(error).__name__)
        return True

    def _draw(self, address: str) -> int:
        said = f"stand-in|{key(address)}".encode("utf-8", "replace")
        return int.from_bytes(hmac.digest(self._secret, said, "sha256"))


def _log(done: unproved.Done) -> None:
    letter = done.letter.letter if done.letter else None
    if done.letter and letter and letter.template == "locked":
        where = letter.facts["where"]
        what = "had a password refused unread" if where == "unread" else f"takes no password for a while: {where}"
        log.warning("mail %s: player %d %s", done.mark, done.letter.player, what)
    if said := outcomes.later(done):
        log.info("mail %s: %s", done.mark, said)


async def _ended(stop: asyncio.Event, wake: asyncio.Event) -> None:
    await stop.wait()
    wake.set()
