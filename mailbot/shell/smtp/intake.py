"""What all SMTP sessions share: who may come in, which mails are in work, and the counters."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from mailbot.shell.smtp.fronts import Front
from mailbot.shell.smtp.wire import (
    Envelope,
    Limits,
    Pace,
    Places,
    Stats,
    Status,
    exemption,
    source_of,
    sources_of,
)

Accept = Callable[[Envelope], Awaitable[Status]]

_log = logging.getLogger("mailbot.smtp")


def report(what: str, error: BaseException) -> None:
    """Logs where an exception came from, never its text, which may repeat a player's words."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}" if trace else "nowhere"
    _log.error("%s: %s at %s", what, type(error).__name__, place)


class Guest(Protocol):
    """What the intake needs to know about a session.

    `since`: the loop's time at which it came or had its last mail answered; nothing else a client says renews it.
    `heard`: when it last said something.
    `under_way`: a mail has been begun. `at_work`: that mail is complete and not answered yet.
    """

    ip: str
    since: float
    heard: float

    @property
    def under_way(self) -> bool: ...

    @property
    def at_work(self) -> bool: ...

    def make_room(self) -> None:
        """Says 421 and leaves."""
        ...

    def shut_down(self) -> None: ...

    def abort(self) -> None: ...


def _network(ip: str) -> str:
    """The widest network around an address that counts its connections."""
    return list(sources_of(ip))[-1]


class Intake:
    """Shared by the door and the sessions of one listener; use it on the loop's thread only."""

    def __init__(
        self,
        accept: Accept,
        mailbox_exists: Callable[[str], bool],
        limits: Limits,
        *,
        full: Callable[[], bool],
        exempt: Sequence[str],
        front_mta: bool,
        unknown: Status,
        front: Front,
        clock: Callable[[], float],
    ) -> None:
        self.limits = limits
        self.stats = Stats()
        self.mailbox_exists = mailbox_exists
        self.front_mta = front_mta
        self.unknown = unknown
        self.front = front
        self._named = exemption(exempt)
        self.guests: set[Guest] = set()
        self._accept = accept
        self._full = full
        self._clock = clock
        self._pace = Pace(limits.mails_per_minute)
        self._works: set[asyncio.Task[Status]] = set()
        self._expected: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        self._places = Places(limits.connections_per_ip, self.exempt)
        self._closed = False
        self._empty = asyncio.Event()

    # ---- coming and going

    def expect(self, stream: asyncio.Transport) -> None:
        """A front has opened a connection but not yet named its client; we cut it if that takes too long."""
        timer = asyncio.get_running_loop().call_later(self.limits.proxy_seconds, stream.abort)
        self._expected[stream] = timer

    def expected(self, stream: asyncio.Transport) -> None:
        """The front has named its client, or is gone."""
        if timer := self._expected.pop(stream, None):
            timer.cancel()

    def exempt(self, ip: str) -> bool:
        """Whether no limit of one IP counts it. A server in front brings the mails of all players."""
        return self._named(ip) or self.front.trusts(ip)

    def refusal(self, ip: str) -> Status | None:
        """Why a connection from `ip` may not come in, or None (S9)."""
        if self._closed:
            return Status.SHUTTING_DOWN
        if self._places.full(ip) and not self._has_room_for_newcomer(ip):
            return Status.TOO_MANY_CONNECTIONS
        self._clear_out(ip)
        return Status.TOO_MANY_CONNECTIONS if len(self.guests) >= self.limits.connections else None

    def _has_room_for_newcomer(self, ip: str) -> bool:
        """Whether `ip` finds a place although its neighbours hold all of their network: three of them must not keep a
        mail server out. It does in a house that is less than half full. Of IPv6 anybody has any number of addresses."""
        return ":" not in ip and not self._places.held(ip) and 2 * len(self.guests) < self.limits.connections

    def _clear_out(self, ip: str) -> None:
        """Closes connections that have been idle too long for a house as full as this, and in a full house makes room
        for one more, from `ip`: the one that has been idle longest goes, else one that has fallen silent within its
        mail, else the one whose mail has been under way longest, else one of a network that has more than its share."""
        limits, free = self.limits, 1 - len(self.guests) / self.limits.connections
        if free > 0.5:
            return
        now = asyncio.get_running_loop().time()
        patience = limits.spare_seconds + max(0.0, 2 * free * (limits.idle_seconds - limits.spare_seconds))
        leaving = [guest for guest in self.guests if not guest.under_way and now - guest.since > patience]
        if free <= 0:
            busy = [guest for guest in self.guests if guest.under_way and not guest.at_work]
            silent = [guest for guest in busy if now - guest.heard > limits.stall_seconds]
            slow = [guest for guest in busy if now - guest.since > limits.slow_seconds]
            leaving = leaving or silent or slow or self._beyond_their_share(ip)
            leaving = sorted(leaving, key=lambda guest: guest.since)[:1]
        for guest in leaving:
            self.stats.made_room += 1
            self.forget(guest)  # its place is free now, not only when the client has been told
            guest.make_room()

    def _beyond_their_share(self, ip: str) -> list[Guest]:
        """The guests of the networks that have the most places, at least two more than the network of `ip`: so nobody
        keeps a network out by talking slowly, and two networks do not push each other out in turn."""
        guests = [guest for guest in self.guests if not guest.at_work and not self.exempt(guest.ip)]
        held = Counter(_network(guest.ip) for guest in guests)
        most = max(held.values(), default=0)
        return [guest for guest in guests if held[_network(guest.ip)] == most >= held[_network(ip)] + 2]

    def welcome(self, guest: Guest) -> None:
        self.stats.connections += 1
        self.guests.add(guest)
        self._places.take(guest.ip)

    def move(self, guest: Guest, ip: str) -> bool:
        """The guest is now another client, at `ip`; False if that client may not come in, too."""
        self._places.take(guest.ip, -1)
        full = self._places.full(ip)
        guest.ip = guest.ip if full else ip
        self._places.take(guest.ip)
        return not full

    def forget(self, guest: Guest) -> bool:
        """Frees the session's place; False if it was already free (a failed TLS handshake is reported twice)."""
        if guest not in self.guests:
            return False
        self.guests.remove(guest)
        self._places.take(guest.ip, -1)
        self._note_if_empty()
        return True

    # ---- one mail

    def recipient_refused(self, status: Status, source: str) -> None:
        """Writes a line to the log, without the address, which may be a damaged reply token or a player's."""
        _log.info("a recipient was refused: %s, from %s", status.name, source_of(source) if source else "unknown")

    def mail_refusal(self, ip: str, exempt: bool) -> Status | None:
        """Why no mail may begin now, or None; counts as one mail of `ip`, of IPv6 also of the networks around it, which
        are mostly one owner's, unless `exempt` (A6)."""
        if not exempt and not self._pace.spend(sources_of(ip) if ":" in ip else {ip: 1}, self._clock()):
            self.stats.rate_limited += 1
            return Status.RATE_LIMIT
        return Status.DISK_FULL if self._full() else None

    def start_work(self, mail: Envelope) -> asyncio.Task[Status] | None:
        """Begins `accept` for `mail` as a task of its own (S4), which raises nothing; None if too many are in work."""
        if len(self._works) >= self.limits.accepts:
            return None
        task = asyncio.get_running_loop().create_task(self._checked_accept(mail))
        self._works.add(task)
        task.add_done_callback(self._work_done)
        return task

    def _work_done(self, task: asyncio.Task[Status]) -> None:
        self._works.discard(task)
        self._note_if_empty()

    async def _checked_accept(self, mail: Envelope) -> Status:
        try:
            status = await self._accept(mail)
        except Exception as error:
            self.stats.failures += 1
            report("accepting a mail failed", error)
            return Status.TEMPORARY
        if not isinstance(status, Status):
            self.stats.failures += 1
            _log.error("accepting a mail gave a %s instead of a Status", type(status).__name__)
            return Status.TEMPORARY
        return status

    # ---- the end

    async def close(self, grace_seconds: float) -> bool:
        """Lets nobody in any more and ends all sessions; see `Listener.stop`."""
        self._closed = True
        for stream in list(self._expected):
            stream.abort()
        for guest in list(self.guests):
            guest.shut_down()
        if await self._emptied(grace_seconds):
            return True
        for guest in list(self.guests):
            guest.abort()
        for task in list(self._works):
            task.cancel()
        await self._emptied(1.0)
        return False

    async def _emptied(self, seconds: float) -> bool:
        self._empty.clear()
        self._note_if_empty()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), seconds)
        return self._empty.is_set()

    def _note_if_empty(self) -> None:
        if not self.guests and not self._works:
            self._empty.set()
