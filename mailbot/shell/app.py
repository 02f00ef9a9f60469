"""The composition root: builds the daemon from a Config, starts it, and stops it without losing a mail.

Order of starting: database, writer, letters out, mails in. Order of stopping: take no more mails, finish and answer the
running ones, finish the letters under way, commit the writer's last batch, close the database.
"""

import asyncio
import contextlib
import gc
import logging
import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

from mailbot.core.letters.outgoing import Due
from mailbot.core.mail.addresses import Own
from mailbot.core.players import bounces
from mailbot.shell import pairer, systemd, timepiece
from mailbot.shell.bots import Bots
from mailbot.shell.config.kinds import place
from mailbot.shell.config.load import Config, catalogue_of, relay_password
from mailbot.shell.config.opening import caps_of, opened
from mailbot.shell.config.preflight import nameless_front, tls_context, without_client
from mailbot.shell.config.settings import UNNAMED
from mailbot.shell.control import Control, socket_beside
from mailbot.shell.metrics.counts import Counts, Moment
from mailbot.shell.metrics.port import Port
from mailbot.shell.minds.asked import minds_of
from mailbot.shell.post.delivery import Settled, Transport, Worker, return_path
from mailbot.shell.post.gallery import Gallery
from mailbot.shell.post.letterbox import Letterbox
from mailbot.shell.post.maildir import Maildirs
from mailbot.shell.post.painters import Painters
from mailbot.shell.post.relay import Relay
from mailbot.shell.proof.attempted import Attempted
from mailbot.shell.proof.auth import Auth
from mailbot.shell.proof.budgets import Budgets
from mailbot.shell.proof.operator import configured
from mailbot.shell.reception import Reception
from mailbot.shell.smtp.fronts import Front
from mailbot.shell.smtp.listener import Listener, start_listener
from mailbot.shell.smtp.waits import LONGEST_RETRY, SLACK, Waits
from mailbot.shell.smtp.wire import Disk, Envelope, Limits, Status, exemption
from mailbot.shell.ticker import Ticker
from mailbot.shell.web import guard
from mailbot.shell.web.connections import Door
from mailbot.shell.web.rooms import Rooms, environment
from mailbot.shell.web.server import Page
from mailbot.shell.web.site import site
from mailbot.shell.web.watching import Watchers
from mailbot.shell.writer import Unwritten, Writer
from mailbot.store import outbox, pulse, unproved
from mailbot.store.connection import connect
from mailbot.store.reads import Reads
from mailbot.store.remembered import Once
from mailbot.store.returned import came_back
from mailbot.store.store import Store

GRACE = 20.0
log = logging.getLogger("mailbot.app")


class App:
    """A running server. `stopped` is set when it cannot go on (the disk failed) and should be restarted."""

    def __init__(self, config: Config, environ: Mapping[str, str], *, now: Callable[[], int] | None = None) -> None:
        self.config = config
        self.now = now = now or timepiece.Timepiece()
        self._environ = environ
        self._tasks: list[asyncio.Task[None]] = []
        self.wake = asyncio.Event()
        self._stop = asyncio.Event()
        path = self.path = config.store.path
        catalogue = catalogue_of(config)
        caps = caps_of(config)
        self.store = opened(config, path, now())
        self.own = Own(config.mail.domain, config.mail.name, config.mail.former_address or "")
        self._read_only = connect(path, readonly=True)
        self._for_letters = connect(path, readonly=True)  # only for the thread that writes long ones
        self._for_pages = connect(path, readonly=True)  # only for the thread that makes costly ones
        self.reads = Reads(self._read_only, catalogue, caps)  # also while the writer's connection commits in a thread
        timepiece.goes_on(now, self.reads.pulse().alive)
        self.keys = keys = self.store.keys()
        self.minds = minds_of(config, path.with_name("compiled"), lambda: self.bots.wake.set(), self._tell_operator)
        seated = self.minds.places > 0 or config.bots.fleet is not None
        self.store.seat_bots(seated)
        if not seated and self.reads.for_bots(1):
            log.warning("there are games that wait for a computer player, and there is none: see [bots] workers")
        self.counts = Counts()
        inflight = path.with_name(path.name + ".inflight")
        self.writer = Writer(self.store, inflight, committed=self._committed, counts=self.counts, path=path)
        self.writer.recover(now())
        self.letterbox = Letterbox(self.own, self.reads, keys, catalogue, computers=seated)
        self._apart = self.letterbox.over(Reads(self._for_letters, catalogue))
        newest = max(keys)
        mail = config.mail
        self.store.begin()
        waits = Waits(now(), pulse.begun(self.store.db, now(), LONGEST_RETRY))
        self.store.commit()
        self.front = Front(mail.front_peers, mail.front_name or "", proxy=config.listen.proxy_protocol, waits=waits)
        for said in nameless_front(config):
            log.warning(said)
        attempted = Attempted(self.reads, self.writer, now)
        self.auth = Auth(attempted, keys[newest])
        self.budgets = Budgets(attempted, keys[newest], caps)
        self.reception = Reception(
            self.own,
            self.reads,
            self.writer,
            self.auth,
            self.budgets,
            keys,
            now=now,
            nonce=lambda: secrets.token_hex(16),
            front=self.front,
            front_mta=mail.front == "mta",
            operator=configured(config.operator, environ),
            counts=self.counts,
            mails_per_minute=config.limits.mails_per_minute,
        )
        self.reception.unproved.rehearsals.write = self.letterbox.octets
        painting = config.pictures.workers if find_spec("PIL") and find_spec("resvg_py") else 0
        if painting < config.pictures.workers:
            log.warning("letters have no pictures: the extra 'pictures' is not installed")
        painters = Painters(painting) if painting else None
        self.gallery = Gallery(painters, self.letterbox, self.reads, self.writer, now)
        self.worker = Worker(
            _Outbox(self),
            lambda id: self.letterbox.letter(outbox.entry(self.reads.db, id)),
            self._transport(),
            return_path(self.own, keys[newest], newest),
            now,
            render_long=lambda id: self._apart.letter(outbox.entry(self._for_letters, id)),
            prepare=self.gallery.decide,
            stuck=self.reads.pulse().stuck > 0,
            portions=self.gallery.portions,
        )
        self.disk = Disk(config.limits.min_free_bytes, lambda: shutil.disk_usage(self.path.parent).free, now)
        self.bots = Bots(
            self.reads,
            self.writer,
            now,
            self.minds,
            seconds=config.bots.seconds,
            stop=self._stop,
            secret=keys[newest],
        )
        self.ticker = Ticker(
            self.reads,
            self.writer,
            now,
            self._stop,
            lambda: self.disk.full() or (self.worker.stuck and outbox.any_waiting(self.reads.db)),
            *((LONGEST_RETRY, SLACK) if mail.front == "mta" else (0, 0)),
            pairer.decided,
            self.front.jumped,
        )
        self.control = Control(socket_beside(path), self.writer, now, self._state)
        self.listener: Listener | None = None
        self.page: Page | None = None
        self.watchers = Watchers(self.reads)
        self.metrics: Port | None = None

    async def start(self) -> None:
        """Takes mails from now on. Raises OSError if it cannot open the port."""
        self.writer.start()
        if self.config.web.enabled:
            self.page = self._page()  # first, as letters have its address
        self._tasks += [
            asyncio.create_task(self.worker.run(self.wake, self._stop)),
            asyncio.create_task(self.ticker.run()),
            asyncio.create_task(self.bots.run()),
            asyncio.create_task(self.reception.unproved.run(self._stop)),
        ]
        await self.control.start()
        await self._tell_prometheus()
        limits = self.config.limits
        sockets = systemd.listen_sockets(self._environ, os.getpid())
        self.listener = await start_listener(
            self._accept,
            self.reception.mailbox_exists,
            Limits(
                connections=limits.connections,
                connections_per_ip=limits.per_ip,
                mails_per_minute=limits.mails_per_minute,
                session_seconds=limits.session_seconds,
                data_bytes=limits.data_bytes,
            ),
            hostname=self.config.mail.domain,
            host=self.config.listen.host,
            port=self.config.listen.port,
            sock=sockets or None,
            tls_context=tls_context(self.config),
            full=self.disk.full,
            exempt=limits.exempt,
            front_mta=self.config.mail.front == "mta",
            unknown=Status.NOT_SET_UP if self.config.mail.domain == UNNAMED else Status.NO_SUCH_ADDRESS,
            front=self.front,
        )
        systemd.notify(systemd.READY, self._environ)
        log.info("listening on port %d", self.listener.port)

    async def stop(self) -> None:
        """Finishes all work under way and closes everything."""
        systemd.notify(systemd.STOPPING, self._environ)
        self.watchers.close()
        if self.page:
            await self.page.stop()
        if self.listener:
            await self.listener.stop(GRACE)
        await self.control.stop()
        if self.metrics:
            await self.metrics.stop()
        await self.reception.settled()
        self._stop.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.gallery.close()
        await self.writer.stop()
        self.auth.close()
        if self.store.hold.overwritten():
            logging.shutdown()
            os._exit(1)  # who closes the connections writes what SQLite still has of the former store into the new file
        self._read_only.close()
        self._for_letters.close()
        self._for_pages.close()
        self.store.close()

    async def serve(self, stop: asyncio.Event, ready: Callable[[int], object] = lambda port: None) -> bool:
        """Runs until `stop`; False if the database broke and the process must be restarted. `ready` gets the port."""
        await self.start()
        assert self.listener
        gc.freeze()  # all objects so far stay, so the collector need not look at them again
        gc.set_threshold(5000, 20, 20)
        ready(self.listener.port)
        broken = asyncio.create_task(self.writer.broken.wait())
        asked = asyncio.create_task(stop.wait())
        beat = asyncio.create_task(self._watchdog())
        await asyncio.wait([broken, asked], return_when=asyncio.FIRST_COMPLETED)
        for task in (broken, asked, beat):
            task.cancel()
        await self.stop()
        return not self.writer.broken.is_set()

    async def delivered(self) -> None:
        """Waits until no letter is due or on its way, and no mail waits that may cause one."""
        # Ask for waiting mails first: between the two questions a commit in its thread may turn one into a letter.
        while unproved.first(self.reads.db) or outbox.busy(self.reads.db, self.now()):
            await asyncio.sleep(0.005)

    async def _accept(self, envelope: Envelope) -> Status:
        await self.worker.caught_up()
        return await self.reception.accept(envelope)

    def _state(self) -> dict[str, Any]:
        """For `mailbot doctor`."""
        told = {"relay": self.worker.trouble, "fleet": self.minds.trouble, "doubts": timepiece.doubts(self.now)}
        told |= {"spent": self.budgets.spent(self.now())}
        return told | self.bots.state() | (self.listener.stats.addressed() if self.listener else {})

    async def _tell_operator(self, said: str) -> None:
        await self.writer.do(lambda store: store.tell_operator(said, self.now()))

    async def _tell_prometheus(self) -> None:
        """Opens the port for metrics, if one is configured."""
        if not (listen := self.config.metrics.listen):
            return
        for said in without_client(self.config):
            log.warning(said)
            return
        from mailbot.shell.metrics import scrape  # needs an extra

        told = scrape.Scrape(self.counts, self.path, self.config.limits.min_free_bytes, self._moment, self.now)
        self.metrics = Port(told.text, scrape.CONTENT_TYPE)
        await self.metrics.start(*place(listen))

    def _moment(self) -> Moment:
        """For the metrics."""
        auth = self.auth
        return Moment(bool(self.worker.trouble), auth.busy, auth.places, self.bots.state(), self.watchers.count)

    def _committed(self) -> None:
        """Something may be due now."""
        self.wake.set()
        if self.minds.places:
            self.bots.wake.set()
        self.ticker.wake.set()
        self.watchers.committed()

    def _transport(self) -> Transport:
        relay = self.config.relay
        if not relay.host:
            return Maildirs(relay.maildir)
        return Relay(
            relay.host,
            relay.port,
            hostname=self.config.mail.domain,
            starttls=relay.starttls,
            username=relay.username,
            password=relay_password(relay, self._environ),
        )

    def _page(self) -> Page:
        """Opens the page for browsers."""
        web = self.config.web
        page = Page(web.host, web.port, web.url or "")
        rooms = Rooms(
            self.own,
            self.reads,
            self.writer,
            self.auth,
            self.budgets,
            self.letterbox,
            self.keys,
            self.now,
            page.url,
            self.store.catalogue,
            environment(),
            self.reception.asker,
            lambda: Once(self.reads, self._for_pages),
            web.proxies,
            gallery=self.gallery if self.gallery.paints else None,
            watchers=self.watchers,
        )
        self._tasks.append(asyncio.create_task(self.watchers.run()))
        self.letterbox.page = self._apart.page = page.url
        limits = guard.Limits(web.requests_per_minute, web.per_ip, web.connections)
        guarded = guard.Guard(
            site(rooms),
            page.url,
            hosts=page.hosts,
            proxies=web.proxies,
            exempt=self.config.limits.exempt,
            limits=limits,
            clock=self.now,
            counts=self.counts,
            full=self.disk.full,
        )
        page.start(guarded, Door(web.connections, web.per_ip, exemption([*web.proxies, *self.config.limits.exempt])))
        log.info("the page is at port %d", page.port)
        return page

    async def _watchdog(self) -> None:
        """Tells systemd that the loop still runs and the database still takes writes."""
        seconds = systemd.watchdog_seconds(self._environ, os.getpid())
        while seconds:
            with contextlib.suppress(Unwritten):
                await self.writer.do(lambda store: None)
                systemd.notify(systemd.WATCHDOG, self._environ)
            await asyncio.sleep(seconds)


class _Outbox:
    """The outbox as the delivery worker sees it: reads over the reading connection, changes through the writer."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def due(self, now: int) -> bool:
        return outbox.due(self._app.reads.db, now)

    async def claim(self, now: int, limit: int) -> list[Due]:
        found = await self._app.writer.do(lambda store: outbox.claim(store.db, now, limit))
        return [Due(*one) for one in found]

    async def settle(self, done: Sequence[Settled]) -> None:
        for one in done:
            self._app.counts.letters["again" if one.state == "waiting" else one.state] += 1
        await self._app.writer.do(partial(_settled, done=done))

    def telling(self, letter: int) -> frozenset[int] | None:
        return outbox.telling(self._app.reads.db, letter)

    def owners(self, most: int) -> int:
        return outbox.owners(self._app.reads.db, most)


def _settled(store: Store, done: Sequence[Settled]) -> None:
    """Records the outcomes of letters, each by itself: trouble with one must not cause the others to be sent again."""
    for one in done:
        try:
            store.attempt(partial(_settled_one, one=one))
        except Exception as error:
            if not store.in_transaction:
                raise
            log.error("letter %d: its outcome is not kept: %s", one.letter, type(error).__name__)


def _settled_one(store: Store, one: Settled) -> None:
    """Records the outcome of a letter, and handles what follows from it."""
    there = outbox.settle(store.db, one.letter, one.state, one.due, one.why, counts=one.counts, gives_way=one.gives_way)
    if one.wordless:
        outbox.without_words(store.db, one.letter, one.due)
    if one.state == "failed" and (kind := bounces.of_answer(one.why)):
        came_back(store, one.letter, kind, one.due)
    elif one.state == "stuck" and there:
        store.tell_operator(f"Letter {one.letter} cannot be written: {one.why}", one.due)
