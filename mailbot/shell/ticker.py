"""The ticker: one task that sleeps until the next timer rings, and handles each timer in its own transaction.

Theory of operation. The ticker keeps no timers. It asks the database which come next (store/sweep.py), after the last
ones have rung and whenever a commit may have changed the answer. So a restart loses none, and after a long stop they
ring in the order of their times. A timer that fails is logged and left alone until the next start; the others go on.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from mailbot.core.model import DAY
from mailbot.core.world import Request, Timer
from mailbot.shell.timepiece import Timepiece, doubts
from mailbot.shell.writer import Writer
from mailbot.store import pulse, sweep
from mailbot.store.reads import Reads
from mailbot.store.store import Store

BEAT = 60.0
"""Seconds of the longest sleep, because a jump of the wall clock does not wake the task."""
HOLD = 3600
"""Seconds for which nothing rings and nothing is deleted after the machine's clock has jumped forward by more than a
day, or at a start more than a day after the server was there, or before that. If that clock is wrong, there is time to
set it right."""
PAUSE = 1.0
"""Seconds between two polls of the database. Times are whole seconds, and there are many commits a second."""
TOGETHER = 8
"""Timers that may share a commit. Mails that come meanwhile wait for all of them."""

WAIT_FOR_MAIL = ("flag", "entry")
"""Kinds of timers that a mail can come before which was sent in time: a move, or a `join`."""

_BEHIND = (
    "the machine says an earlier time than when the server was there the last time; the server goes on from that time"
    " until the machine says a later one, for ten minutes at most"
)
_HELD = "for an hour no offer lapses and nothing else is done that time makes due"
_MORE = "The next start tries it again, and the log names it and others."

log = logging.getLogger("mailbot.ticker")


Beforehand = Callable[[Timer, Reads], Awaitable[Any]]
"""What is computed outside the transaction of a timer (Request.found)."""


async def _nothing(timer: Timer, reads: Reads) -> None:
    """The transaction computes everything for itself."""


class Ticker:
    """`wake` is set when something was committed; `now` gives unix seconds. `stuck`: whether no letter can
    leave, or no mail is taken in.
    `patience`: seconds after the start in which no flag falls and no entry to a tournament ends, so that mails that
    waited in front of us come first; `slack`: seconds that these wait at any time, for a mail that waits there.
    `jumped` hears by how many seconds the machine's clock has jumped."""

    def __init__(
        self,
        reads: Reads,
        writer: Writer,
        now: Callable[[], int],
        stop: asyncio.Event,
        stuck: Callable[[], bool] = lambda: False,
        patience: int = 0,
        slack: int = 0,
        beforehand: Beforehand = _nothing,
        jumped: Callable[[int], object] = lambda by: None,
    ) -> None:
        self.wake = asyncio.Event()
        self._reads = reads
        self._writer = writer
        self._now = now
        self._stop = stop
        self._stuck = stuck
        self._flags_from = now() + patience
        self._beforehand = beforehand
        self._jumped = jumped
        self._slack = slack
        self._failed: set[Timer] = set()
        away = reads.pulse().alive and now() - reads.pulse().alive > DAY
        self._doubts = doubts(now)
        self._held_until = now() + HOLD if away or self._doubts else 0

    async def run(self) -> None:
        """Works until told to stop."""
        if self._held():
            log.warning("%s; %s", _BEHIND if self._doubts else "the server was away for more than a day", _HELD)
        beaten = cleared = 0
        while not self._stop.is_set():
            self.wake.clear()
            seconds = BEAT
            try:
                if not 0 <= self._now() - beaten < BEAT:
                    await self.beat()
                    beaten = self._now()
                at = sweep.next_at(self._reads.db)
                if at is not None and at <= self._now():
                    await self.ring()
                    at = sweep.next_at(self._reads.db)
                if not self._held() and not 0 <= self._now() - cleared < BEAT:
                    cleared = self._now()
                    await self._writer.do(partial(Store.clear, now=cleared))
                if at is not None:
                    seconds = min(BEAT, max(PAUSE, at - self._now()))
            except Exception as error:
                log.error("the clock's work failed: %s", type(error).__name__)
            await self._sleep(PAUSE, self._stop)
            await self._sleep(seconds - PAUSE, self._stop, self.wake)

    async def beat(self) -> None:
        """Notes that the server is there, and what outage has ended with that."""
        if isinstance(self._now, Timepiece):
            before, now = self._now.adopt()
            if abs(now - before) >= pulse.JUMP:
                log.warning("the machine's clock has jumped by %d s; all clocks of games stood meanwhile", now - before)
                self._flags_from += now - before
                self._jumped(now - before)
                await self._writer.do(lambda store: pulse.jumped(store.db, before, now))
            if now - before > DAY:
                log.warning("%s", _HELD)
                self._held_until = now + HOLD
        at, stuck = self._now(), self._stuck()
        outage = await self._writer.do(lambda store: pulse.beat(store.db, at, stuck=stuck))
        if outage:
            log.warning("an outage of %d minutes is over; all clocks stood", (outage.end - outage.begin) // 60)

    async def ring(self) -> None:
        """Handles all timers that are due, in the order of their times."""
        if self._held():
            return
        while due := [one for one in sweep.timers(self._reads.db) if self._is_due(one)]:
            for begin in range(0, len(due), TOGETHER):
                some = due[begin : begin + TOGETHER]
                found = [await self._beforehand(timer, self._reads) for timer in some]
                rung = [
                    self._writer.do(partial(Store.enter, request=Request(self._now(), timer=timer, found=one)))
                    for timer, one in zip(some, found, strict=True)
                ]
                for timer, error in zip(some, await asyncio.gather(*rung, return_exceptions=True), strict=True):
                    if isinstance(error, BaseException):
                        await self._give_up(timer, f"failed: {type(error).__name__}")
            for timer in {*due} & {*sweep.timers(self._reads.db)} - self._failed:
                await self._give_up(timer, "has rung and is still there; it is left alone")

    async def _give_up(self, timer: Timer, why: str) -> None:
        """Leaves this timer alone until the next start, else it would ring for ever. The operator hears of the first
        one since the start."""
        log.error("timer %s of %d %s", timer.kind, timer.ref, why)
        first, now = not self._failed, self._now()
        self._failed.add(timer)
        said = (
            f"Something that was due ({timer.kind} {timer.ref}) could not be done, by a mistake in the program. {_MORE}"
        )
        if first:
            await self._writer.do(lambda store: store.tell_operator(said, now))

    def _is_due(self, one: Timer) -> bool:
        now = self._now()
        at = max(one.at + self._slack, self._flags_from) if one.kind in WAIT_FOR_MAIL else one.at
        return at <= now and one not in self._failed

    def _held(self) -> bool:
        """Whether the clock has jumped forward lately, and not back since."""
        return 0 < self._held_until - self._now() <= HOLD

    async def _sleep(self, seconds: float, *events: asyncio.Event) -> None:
        """Sleeps until one of the events is set, at most this long."""
        bells = [asyncio.create_task(event.wait()) for event in events]
        try:
            await asyncio.wait(bells, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for bell in bells:
                bell.cancel()
