"""The outbox worker: claims due letters, renders and sends them, and records each outcome.

Theory of operation. The outbox leases at most the oldest waiting letter of each address. So letters to one address keep
their order, and a few letters to different addresses travel at once. Every try renders the letter again from its facts,
with the same result, so that a try with an unknown end can be repeated. A letter that cannot be rendered is set aside
and holds up no others. While the transport is not ready, nothing is claimed, and no letter uses up its tries. While the
relay refuses everything, letters wait, too (`Refusals`).

The outcomes of several letters are recorded at once, in the transaction that claims the next ones: when half of the
letters that may be under way are done, or when there is nothing more to begin. While the disk is full, they are kept in
memory. If we die in between, the leases end and these letters are sent again, the same to the byte.

Long letters are written by one thread, one after the other. Only a few of them are under way at once; the others wait,
so that short ones leave meanwhile.

Mails come in and letters go out on one thread. When a claim finds as many letters as it may take, incoming mails wait
(`caught_up`), so that even the fastest sender cannot make the outbox grow.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Protocol

from mailbot.core.letters.outgoing import Due, Message
from mailbot.core.mail.addresses import Own
from mailbot.core.players.portion import Portions
from mailbot.core.tokens import BOUNCE, BOUNCE_EPOCH, Token, veiled, write
from mailbot.shell.log.journal import where
from mailbot.shell.post.compose import compose
from mailbot.shell.post.handover import AGAIN, Fate, Handover, Refusals, later
from mailbot.shell.writer import Unwritten

log = logging.getLogger("mailbot.delivery")

BATCH: Final = 64
"""Letters claimed at once, in one commit."""
FLOW: Final = 1.0
"""Seconds for which a mail waits, at most, when letters do not leave as fast as they come."""
LONG: Final = 16_000
"""Characters to tell and to draw from which on a letter is written in a thread: it may take long, and mails are to be
taken in."""
LONG_AT_ONCE: Final = 4
"""Long letters under way. The others wait without a place, so that they do not hold up short ones."""
BEAT: Final = 15.0
"""The outbox is polled after this many seconds without a wake-up."""
GRACE: Final = 20.0
"""Seconds for letters under way when the worker must stop."""

DELAYS: Final = (60, 300, 900, 3600, *[4 * 3600] * 29)
"""Seconds to wait after the first, second, … try; about five days after the first we give up (RFC 5321 4.5.4.1)."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The recorded outcome of a letter. `state`: sent, failed, stuck (cannot be rendered; needs the operator), or
    waiting until `due`. Times are unix seconds. `wordless`: it goes on without the words of a player. `counts`: whether
    the try does, of those after which a letter is given up. `gives_way`: later letters no longer wait for it."""

    letter: int
    state: str
    due: int
    why: str = ""
    wordless: bool = False
    counts: bool = True
    gives_way: bool = False


@dataclass(frozen=True, slots=True)
class Parcel:
    """A letter with its envelope. `raw` is the whole message; `id`, `date` and `message_id` are the letter's."""

    id: int
    sender: str
    address: str
    message_id: str
    date: int
    raw: bytes


class Transport(Protocol):
    """A way out: `relay.Relay` or `maildir.Maildirs`."""

    trouble: str
    """Why it was not ready, in a word."""

    async def ready(self) -> bool: ...
    async def send(self, parcel: Parcel) -> Handover: ...
    async def close(self) -> None: ...


class Outbox(Protocol):
    """Where letters wait. Each method is durable when it returns; times are unix seconds."""

    async def due(self, now: int) -> bool:
        """Whether a letter seems to be due; only `claim` knows for sure."""
        ...

    async def claim(self, now: int, limit: int) -> list[Due]:
        """Leases due letters, never two of one address, always the oldest waiting one of its address."""
        ...

    async def settle(self, done: Sequence[Settled]) -> None:
        """Ends the leases of these letters."""
        ...

    def telling(self, letter: int) -> frozenset[int] | None:
        """If a refusal of this letter tells of the relay, as nobody has chosen its words or, lately, its address: the
        players and (as a negative number) the tournament whose names are in it. Otherwise None."""
        ...

    def owners(self, most: int) -> int:
        """The number of domains of the players of running games who want letters, at most `most`. Names below one
        bought domain count as one."""
        ...


def delay(attempts: int) -> int | None:
    """Seconds until the next try after `attempts` tries; None: give up."""
    return DELAYS[attempts - 1] if attempts <= len(DELAYS) else None


def return_path(own: Own, key: bytes, key_id: int) -> Callable[[Due], str]:
    """The envelope sender of each letter: a bounce to it names the letter and cannot be forged (B5, E2)."""

    def address(due: Due) -> str:
        return own.bounce_address(write(Token(BOUNCE, due.player, veiled(due.id, key), 1), key, key_id, BOUNCE_EPOCH))

    return address


class Worker:
    """Empties the outbox. Use a single worker, on one event loop."""

    def __init__(
        self,
        outbox: Outbox,
        render: Callable[[int], Message],
        transport: Transport,
        sender: Callable[[Due], str],
        clock: Callable[[], int],
        at_once: int = 16,
        render_long: Callable[[int], Message] | None = None,
        prepare: Callable[[int], Awaitable[None]] | None = None,
        *,
        stuck: bool = False,
        portions: Portions | None = None,
    ) -> None:
        """`render` returns the letter with this id, the same each time, and may raise; `render_long` does the same for
        long letters, in a thread. `prepare` is awaited before; see `gallery`. `sender`: see `return_path`.
        `stuck`: no letter could leave before the start, so none can until one does. `portions`: what has been sent to
        each address today."""
        self._outbox = outbox
        self._render = render
        self._render_long = render_long or render
        self._prepare = prepare
        self._transport = transport
        self._sender = sender
        self._clock = clock
        self._at_once = at_once
        self._claimed: deque[Due] = deque()
        self._aside: deque[Due] = deque()  # long letters that are claimed and wait for a place
        self._running: dict[int, asyncio.Task[None]] = {}
        self._long: set[int] = set()  # of those that run
        self._unsettled: list[Settled] = []
        self._troubled = False
        self._refusals = Refusals()
        self._refusals.stuck = stuck
        self._portions = portions or Portions()
        self._caught_up = asyncio.Event()  # cleared while more letters are due than are claimed at once
        self._caught_up.set()
        self._renderer = ThreadPoolExecutor(1, thread_name_prefix="letters")

    @property
    def trouble(self) -> str:
        """Why no letters leave, in a word; "" while they do."""
        return self._transport.trouble if self._troubled else self._refusals.ill

    @property
    def stuck(self) -> bool:
        """Whether no letter can leave, and nobody can have brought that about: then clocks stand."""
        return self._troubled or self._refusals.stuck

    async def run(self, wake: asyncio.Event, stop: asyncio.Event) -> None:
        """Works until `stop`, then gives letters under way some seconds. Set `wake` after committing new letters."""
        while not stop.is_set():
            wake.clear()
            try:
                await self._round(self._clock)
            except Exception as error:
                log.error("outbox: %s", where(error))
            await _first(BEAT, wake, stop, tasks=self._running.values())
        if self._running:
            await asyncio.wait(self._running.values(), timeout=GRACE)
        late = list(self._running.values())
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        await self._settle()
        await self._transport.close()
        self._renderer.shutdown()

    async def caught_up(self) -> None:
        """Waits while more letters are due than are claimed at once, FLOW seconds at most. A mail causes letters, so
        this slows down senders who are faster than the letters leave (like Postfix's in_flow_delay)."""
        if not self._caught_up.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._caught_up.wait(), FLOW)

    async def drain(self, now: int) -> int:
        """Sends all due letters and returns how many tries that took. For tests and the command line."""
        tries = 0
        while True:
            last = not self._running and not self._unsettled  # else the next letter of an address may become due
            started = await self._round(lambda: now)
            tries += started
            if not started and (last or (self._unsettled and not self._running)):  # or they cannot be recorded
                return tries
            if self._running:
                await asyncio.wait(self._running.values(), return_when=asyncio.FIRST_COMPLETED)

    async def _round(self, clock: Callable[[], int]) -> int:
        """Starts as many letters as there is room for, and records finished ones; returns how many it started."""
        started = 0
        while len(self._running) < self._at_once:
            due = self._next()
            if due is None:
                if not await self._claim(clock()):
                    break
                continue
            task = asyncio.create_task(self._deliver(due, clock), name=f"letter {due.id}")
            self._running[due.id] = task
            if due.size >= LONG:
                self._long.add(due.id)
            task.add_done_callback(lambda _, id=due.id: self._over(id))  # type: ignore[misc]
            started += 1
        if len(self._unsettled) >= self._at_once // 2 or not started:
            await self._settle()
        return started

    def _next(self) -> Due | None:
        """The next claimed letter that may begin now."""
        room = len(self._long) < LONG_AT_ONCE
        if room and self._aside:
            return self._aside.popleft()
        while self._claimed:
            due = self._claimed.popleft()
            if room or due.size < LONG:
                return due
            self._aside.append(due)
        return None

    def _over(self, id: int) -> None:
        del self._running[id]
        self._long.discard(id)

    async def _claim(self, now: int) -> bool:
        """Claims the next letters, and records the last outcomes in the same batch of the writer."""
        if not await self._outbox.due(now) or not await self._ready():
            self._caught_up.set()
            return False
        _, found = await asyncio.gather(self._settle(), self._outbox.claim(now, BATCH))
        if len(found) + len(self._aside) < BATCH:
            self._caught_up.set()
        else:
            self._caught_up.clear()
        # A lease that ran out while its letter is still under way must not send it twice.
        held = {*self._running, *(due.id for due in self._aside), *(one.letter for one in self._unsettled)}
        self._claimed.extend(due for due in found if due.id not in held)
        return bool(self._claimed)

    async def _settle(self) -> None:
        """Records the outcomes. Does not raise. What the disk does not take now is recorded the next time: until then
        a letter would hold up all later ones to its address, and in the end be sent again."""
        done, self._unsettled = self._unsettled, []
        try:
            if done:
                await self._outbox.settle(done)
        except Exception as error:
            if isinstance(error, Unwritten):
                self._unsettled[:0] = done
            letters = ", ".join(str(one.letter) for one in done)
            kept = "not kept yet" if self._unsettled else "not kept"
            log.error("what became of letters %s is %s: %s", letters, kept, where(error))

    async def _ready(self) -> bool:
        ready = await self._transport.ready()
        if not ready and not self._troubled:
            log.warning("letters wait, the way out is closed: %s", self._transport.trouble)
        elif ready and self._troubled:
            log.info("letters leave again")
        self._troubled = not ready
        return ready

    async def _deliver(self, due: Due, clock: Callable[[], int]) -> None:
        """One try, from facts to its outcome. Does not raise."""
        if pause := self._portions.wait(due.address, due.kind, clock()):
            why = "its address has had much today"
            self._unsettled.append(Settled(due.id, "waiting", clock() + pause, why, counts=False, gives_way=True))
            return
        try:
            if self._prepare:
                await self._prepare(due.id)
            if due.size < LONG:
                parcel = self._parcel(due, self._render)
            else:
                loop = asyncio.get_running_loop()
                parcel = await loop.run_in_executor(self._renderer, self._parcel, due, self._render_long)
        except Exception as error:
            if _passes(error):  # the letter is as it was
                self._unsettled.append(_judged(due, later(where(error)), clock(), delay(due.attempts)))
                return
            log.error("letter %d cannot be written: %s", due.id, where(error))
            self._unsettled.append(Settled(due.id, "stuck", clock(), where(error)))
            return
        try:
            outcome = await self._transport.send(parcel)
            if outcome.fate is Fate.SENT:
                self._portions.sent(due.address, due.kind, len(parcel.raw), clock())
                mark = parcel.message_id.strip("<>").partition("@")[0]
                log.info("letter %d sent as %s", due.id, mark)  # the log of the mail server has the Message-ID only
        except Exception as error:
            outcome = later(where(error))
        was_ill = self._refusals.ill
        telling = self._outbox.telling(due.id) if outcome.fate in (Fate.LATER, Fate.REFUSED) else None
        outcome = self._refusals.weigh(due, outcome, telling, self._outbox.owners)
        if self._refusals.ill and not was_ill:
            log.warning("letters wait, the relay refuses them: %s", self._refusals.ill)
        elif was_ill and not self._refusals.ill:
            log.info("letters leave again")
        wait = delay(due.attempts)
        early = wait is not None and wait < AGAIN
        if self._refusals.ill and not early:
            self._unsettled.append(replace(_judged(due, outcome, clock(), AGAIN), counts=False))
        else:
            self._unsettled.append(_judged(due, outcome, clock(), wait))

    def _parcel(self, due: Due, render: Callable[[int], Message]) -> Parcel:
        letter = render(due.id)
        if letter.to != due.address:  # nobody may get another's letter, whatever went wrong
            raise ValueError("the letter is for another address")
        return Parcel(due.id, self._sender(due), due.address, letter.message_id, letter.date, compose(letter))


def _passes(error: Exception) -> bool:
    """Whether it is the machine that lacks something: room, memory, files that may be open. A template that is not
    there is an OSError, too, but without a number."""
    return isinstance(error, Unwritten | MemoryError) or (isinstance(error, OSError) and error.errno is not None)


def _judged(due: Due, outcome: Handover, now: int, wait: int | None) -> Settled:
    """`wait`: seconds until another try; None if there is none."""
    if outcome.fate is Fate.SENT:
        return Settled(due.id, "sent", now)
    if outcome.fate is Fate.LATER and wait is not None:
        log.info("letter %d again in %d s: %s", due.id, wait, outcome.why)
        return Settled(due.id, "waiting", now + wait, outcome.why, outcome.wordless, gives_way=outcome.of_text)
    log.warning("letter %d failed after %d tries: %s", due.id, due.attempts, outcome.why)
    return Settled(due.id, "failed", now, outcome.why)


async def _first(timeout: float, *signals: asyncio.Event, tasks: Iterable[asyncio.Task[None]]) -> None:
    """Waits until a signal is set, a task is done or the time is up."""
    bells = [asyncio.create_task(signal.wait()) for signal in signals]
    try:
        await asyncio.wait([*bells, *tasks], timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for bell in bells:
            bell.cancel()
