"""Password checks: bounded queue, constant time, every guess counted.

In order, cheapest first (P9): limits (so that a locked source learns nothing, not even from the correct
password), the cache of recent successes, one of a few places in the queue, 15 ms of argon2 in a thread.

- A userid that does not exist costs the same as one that does: it is counted and locked in the same way, and its
  password is compared with a dummy hash.
- Tries of one account from one network wait for each other, so that a burst can neither outrun the count nor hash
  the same correct password twice.
- A network from which the owner has lately given the correct password is a home. It has a count of its own for mails
  from the owner's addresses, so strangers cannot lock the owner out there, not even from the same network.
- An owner who is locked out can answer the letter about it. The answer's network is a home from then on (`lift`).
- An unknown source has no network: its tries count for the account alone.
- Keys of the store hold no address and no userid, only their HMAC.
"""

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from hashlib import blake2b
from secrets import token_bytes, token_urlsafe
from time import perf_counter
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary

from mailbot.core.players.attempts import DAY, LIMITS, Attempts, after_failure, allowed, at_home, begins
from mailbot.shell.niceness import step_behind
from mailbot.shell.proof import passwords
from mailbot.shell.proof.sources import hidden, machine, nearest, networks, widest
from mailbot.shell.smtp.wire import Pace, Status, sources_of

COMPARED, COMPARED_IN = 200, 600
"""Passwords from one IP address (IPv6: one /64) that are hashed within so many seconds, and some more from the networks
around it; further ones are BUSY. Behind a mail server they hold up the mails of everybody."""
CACHE_SECONDS = 3600
CACHE_SIZE = 10_000

LETTER_SECONDS, LETTERS = DAY, 3
"""At most so many letters about the locks of an account are written within this time, one more about a lock from
everywhere, and only one about a lock that goes on. An answer restarts the count."""

NOBODY = "no userid"
"""Stands for the names that no player has, where the store must not keep a row for each, and for those that no player
can have: such a name might be one of ours, as ACCOUNT is."""
NOBODIES = 3
"""Hexadecimal digits that tell such names apart."""

LIFT_HOURS = 48
"""How long that letter can be answered."""

T = TypeVar("T")


def _lower_priority() -> None:
    """Lets the calling thread take little more than the time that others leave: the sender of a password can wait some
    milliseconds more, so that other mails need not. Only Linux gives each thread its own niceness."""
    if sys.platform == "linux":
        step_behind("password checks")


class Verdict(Enum):
    """All but OK and BUSY give the sender the same words; BUSY is 451 4.3.2, try again.

    LOCKED, LOCKED_HERE: wrong once too often, so that the account takes no password for a while, from anywhere or from
    this network. LIMITED: there is such a lock already, and the password was not compared.
    """

    OK = "ok"
    WRONG = "wrong"
    LOCKED = "locked"
    LOCKED_HERE = "locked here"
    LIMITED = "limited"
    BUSY = "busy"


class Busy(Exception):
    """Too many passwords wait to be hashed; nothing has happened."""

    status = Status.BUSY


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """The stored form of an account's password. `password_version` grows with every new password."""

    player_id: int
    password_hash: str
    password_version: int


@dataclass(frozen=True, slots=True, repr=False)
class Named:
    """An account that a mail names beside a password. `credential`: None if nobody has that name. `userid`: in any
    case. `own`: the mail says that it comes from an address of the account's owner. `counted`: what a failure counts
    for, if that is not the userid, because the mail names only its own From."""

    credential: Credential | None
    userid: str
    own: bool = False
    counted: str = ""


@dataclass(frozen=True, slots=True)
class _Try:
    """What a try counts for: hidden keys by the name of their limit. `judged`: those that may forbid it. `turn`: tries
    with the same one wait for each other. `home`: the key that a success marks as a home, "" if none."""

    keys: dict[str, str]
    judged: dict[str, str]
    turn: str
    home: str


class AttemptStore(Protocol):
    """Rows that survive a restart. Called on the event loop's thread."""

    def get(self, key: str) -> Attempts | None: ...
    def put(self, key: str, row: Attempts) -> None: ...


class Auth:
    """The one place where passwords are compared. Use it on one event loop."""

    def __init__(
        self,
        store: AttemptStore,
        key: bytes,
        *,
        hashed: Callable[[str], str] = passwords.hashed,
        matches: Callable[[str, str], bool] = passwords.matches,
        outdated: Callable[[str], bool] = passwords.outdated,
        threads: int = 2,
        places: int = 64,
        clock: Callable[[], float] = perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`key`: the server's own permanent key, which hides addresses in the store. `places`: how many may wait or
        hash. `clock` gives seconds of any origin."""
        self._store = store
        self._key_of_all = key
        self._hashed = hashed
        self._matches = matches
        self.outdated = outdated
        self._places = self.places = places
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="password", initializer=_lower_priority)
        self._dummy = hashed(token_urlsafe())
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._clock, self._sleep = clock, sleep
        self._compared = Pace(COMPARED, COMPARED_IN)
        self._took = 0.02
        self._cache_key = token_bytes(32)
        self._cache: OrderedDict[bytes, int] = OrderedDict()

    @property
    def busy(self) -> int:
        """How many passwords are being checked or made, or wait for it; `places` at most."""
        return self.places - self._places

    async def verify(
        self,
        credential: Credential | None,
        userid: str,
        password: str,
        source: str,
        now: int,
        *,
        own: bool = False,
    ) -> Verdict:
        """Compares the password of one account, as `verify_each` does."""
        (verdict,) = await self.verify_each([Named(credential, userid, own)], password, source, now)
        return verdict or Verdict.WRONG

    async def verify_each(self, named: Sequence[Named], password: str, source: str, now: int) -> list[Verdict | None]:
        """Compares the password with those of all these accounts, whichever is right. None: nothing has been counted.
        `source`: the sender's IP address, "" if unknown; `now`: unix seconds.

        What is done must not show who plays at the From. So all are compared, and the failures of all count, unless the
        right account is one whose mail it says it is. That one is also taken if several are right, so that its owner
        learns nothing of the others. A stranger who tries a guess as the password of an own account beside another
        name is counted: the account is not of that From, or the other one is never taken.
        """
        tries = [self._try(one, source, now) for one in named]
        marks = [self._mark(one.credential, password) for one in named]
        may = [at for at, tried in enumerate(tries) if self._allowed(tried, now)]
        if not may:  # as long as a comparison takes: else a lock of the network shows whose home it is
            await self._sleep(self._took)
        # The cache serves one account, or those of one From. Beside another name it would tell of a right guess, by the
        # time that it saves; but what the sender says is an own account is taken in any case if it is right.
        alone = len(named) == 1 or all(one.counted for one in named)
        right = [at for at in may if (alone or named[at].own) and self._cached(marks[at], now)]
        if right or not may:
            return self._judged(named, tries, marks, (may, right, []), now)
        sources = sources_of(source) if widest(source) else {}
        if self._places <= 0 or self._compared.over(sources, now):
            return [Verdict.BUSY] * len(named)
        self._compared.add(sources, len(may))
        self._places -= 1
        try:
            async with AsyncExitStack() as turns:
                for turn in sorted({tries[at].turn for at in may}):
                    await turns.enter_async_context(self._turn(turn))
                # While it waited for its turns, the tries before it may have been refused or found correct.
                may = [at for at in may if self._allowed(tries[at], now)]
                right = [at for at in may if (alone or named[at].own) and self._cached(marks[at], now)]
                wrong = list[int]()
                if not right:
                    right = await self._right(named, tries, may, password, now)
                    wrong = [at for at in may if at not in right]
                return self._judged(named, tries, marks, (may, right, wrong), now)
        finally:
            self._places += 1

    def _judged(
        self,
        named: Sequence[Named],
        tries: Sequence[_Try],
        marks: Sequence[bytes],
        found: tuple[list[int], list[int], list[int]],
        now: int,
    ) -> list[Verdict | None]:
        """Counts what was found: which may be tried, which are right, and which wrong."""
        may, right, wrong = found
        verdicts: list[Verdict | None] = [None if at in may else Verdict.LIMITED for at in range(len(named))]
        if right:
            mine = min(right, key=lambda at: not named[at].own)
            self._succeeded(tries[mine], now)
            self._remember(marks[mine], now)
            verdicts = [None] * len(named)
            verdicts[mine] = Verdict.OK
            wrong = [] if named[mine].own else wrong
        for at in wrong:
            verdicts[at] = self._failed(tries[at], now)
        return verdicts

    # The owner's way out of a lock

    def letter_due(self, userid: str, now: int, *, most: int, known: bool = True) -> int | None:
        """The stamp for a letter to the owner about a lock, which then counts as written; None if there have been
        enough, `most`; those can still be answered. `known`: somebody has this name; the store must not keep a row for
        each of the others, so many share one, and nobody can tell which."""
        key = self._key("told", userid.casefold())
        nobody = self._key("told", f"{NOBODY} {key[-NOBODIES:]}")  # in any case, so that it takes the same time
        key = key if known else nobody
        row = self._store.get(key) or Attempts()
        written = row.locks if 0 <= now - row.since < LETTER_SECONDS else 0
        due = written < most
        # Written even if nothing changes, so that it always takes the same time.
        self._store.put(key, replace(row, since=row.since if written else now, locks=written + 1) if due else row)
        return row.failures if due else None

    def lift(
        self, userid: str, source: str, stamp: int, hour: int, now: int, others: Iterable[str] = (), version: int = 1
    ) -> bool:
        """The owner answers the letter with this stamp, written in this hour (since 1970); see `free`. False if the
        letter is too old or was already used, unless it was used here."""
        account, told = userid.casefold(), self._key("told", userid.casefold())
        row = self._store.get(told) or Attempts()
        if stamp != row.failures or not 0 <= now // 3600 - hour <= LIFT_HOURS:
            return at_home(self._store.get(self._home(account, source)), now)
        self._store.put(told, Attempts(failures=stamp + 1))
        self.free(userid, source, now, others, version)
        return True

    def free(self, userid: str, source: str, now: int, others: Iterable[str] = (), version: int = 1) -> None:
        """The owner has proved to be there without a password: this source becomes a home, and wrong passwords from
        everywhere are counted anew, for `others` (Named.counted) as well. `version`: of the password."""
        for name in (userid, *others):
            self._store.put(self._key("account", name.casefold()), Attempts())
        self.make_home(userid, source, now, version)

    def make_home(self, userid: str, source: str, now: int, version: int = 1) -> None:
        """The owner has shown by an answer or a link that this source is a home."""
        account = userid.casefold()
        self._store.put(self._home(account, source), Attempts(since=now))
        self._store.put(self._key("home", f"{account}|{version}|{machine(source)}"), Attempts())

    async def hash(self, password: str) -> str:
        """A hash for a new password. Raises Busy."""
        if self._places <= 0:
            raise Busy
        self._places -= 1
        try:
            return await self._threaded(lambda: self._hashed(password))
        finally:
            self._places += 1

    def close(self) -> None:
        """Ends the threads. Waiting work is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _right(
        self, named: Sequence[Named], tries: Sequence[_Try], may: Iterable[int], password: str, now: int
    ) -> list[int]:
        """Which of these accounts have this password."""
        right = []
        for at in may:
            credential = named[at].credential
            known = (credential and credential.password_hash) or self._dummy  # a player may have no password yet
            begun = self._clock()
            try:
                matches = await self._threaded(partial(self._matches, known, password))
            except BaseException:  # a hang-up must not buy a free guess
                for other in may:
                    self._failed(tries[other], now)
                raise
            self._took += 0.1 * (self._clock() - begun - self._took)
            if matches and credential:
                right.append(at)
        return right

    async def _threaded(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _turn(self, key: str) -> asyncio.Lock:
        lock = self._turns.get(key)
        if lock is None:
            lock = self._turns[key] = asyncio.Lock()
        return lock

    # Limits

    def _try(self, one: Named, source: str, now: int) -> _Try:
        account, lies_in = (one.counted or one.userid).casefold(), networks(source)
        version = one.credential.password_version if one.credential else 1  # a new one is locked by no old guesses
        keys = {"account": self._key("account", account)}
        for wide, network in lies_in.items():
            keys[f"pair{wide}"] = self._key(f"pair{wide}", f"{account}|{version}|{network}")
            keys[f"network{wide}"] = self._key(f"network{wide}", network)
        turn = next((key for name, key in reversed(keys.items()) if name.startswith("pair")), keys["account"])
        # Also computed for strangers: the time must not reveal whose address it is.
        home = self._home(one.userid.casefold(), source)
        known = at_home(self._store.get(home), now)
        if one.own and known and lies_in:  # an unknown source is nobody's home
            # Counted for the machine itself: a neighbour in the network, who can forge the From, has his own count.
            own_count = {"home": self._key("home", f"{one.userid.casefold()}|{version}|{machine(source)}")}
            return _Try(keys | own_count, own_count, own_count["home"], home)
        return _Try(keys, keys, turn, home if one.own and lies_in else "")

    def _home(self, account: str, source: str) -> str:
        return self._key("known", f"{account}|{nearest(source)}")

    def _key(self, name: str, text: str) -> str:
        return hidden(self._key_of_all, name, text)

    def _allowed(self, tried: _Try, now: int) -> bool:
        return all(allowed(self._store.get(key), now, LIMITS[name]) for name, key in tried.judged.items())

    def _count(self, keys: dict[str, str], now: int) -> set[str]:
        """Counts a failure for each of these keys; returns the names of those that it locked."""
        locked = set()
        for name, key in keys.items():
            before, limit = self._store.get(key), LIMITS[name]
            after = after_failure(before, now, limit)
            self._store.put(key, after)
            if begins(before, after, now, limit):
                locked.add(name)
        return locked

    def _failed(self, tried: _Try, now: int) -> Verdict:
        # At home the shared counts forbid nothing. They count what they would not have forbidden, as elsewhere: else
        # the lock of a network would show whose home it is.
        shared = {name: key for name, key in tried.keys.items() if name not in tried.judged}
        open_ = all(allowed(self._store.get(key), now, LIMITS[name]) for name, key in shared.items())
        locked = self._count(tried.keys if open_ else tried.judged, now)
        if "account" in locked:
            return Verdict.LOCKED
        return Verdict.LOCKED_HERE if any(name.startswith(("pair", "home")) for name in locked) else Verdict.WRONG

    def _succeeded(self, tried: _Try, now: int) -> None:
        """The owner is back at this source. The other counts stay, because an attacker may own an account, too."""
        own_count = tried.keys.get("home") or tried.keys.get("pair", "")
        if own_count and self._store.get(own_count) not in (None, Attempts()):
            self._store.put(own_count, Attempts())
        if tried.home:
            row = self._store.get(tried.home)
            if row is None or not 0 <= now - row.since < DAY:
                self._store.put(tried.home, Attempts(since=now))

    # Recent successes. Keyed with a random key of this process and the password's version: a new password drops them.

    def _mark(self, credential: Credential | None, password: str) -> bytes:
        player, version = (credential.player_id, credential.password_version) if credential else (0, 0)
        said = f"{player}|{version}|{password}".encode("utf-8", "surrogatepass")
        return blake2b(said, key=self._cache_key, digest_size=32).digest()

    def _cached(self, mark: bytes, now: int) -> bool:
        seen = self._cache.get(mark)
        return seen is not None and 0 <= now - seen < CACHE_SECONDS

    def _remember(self, mark: bytes, now: int) -> None:
        self._cache[mark] = now
        self._cache.move_to_end(mark)
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
