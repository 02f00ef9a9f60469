"""Is this the player's password? Answered without a queue that grows, a clock that tells, or a guess for free.

In order, cheapest first (P9): limits (so that a locked source learns nothing, not even from the right
password), the cache of recent successes, one of a few places in the queue, 15 ms of argon2 in a thread.

- A userid that does not exist costs the same as one that does: it is counted and locked alike, and its password is
  compared with a dummy hash.
- Tries of one account from one network wait for each other, so that a burst can neither outrun the count nor hash
  the same good password twice.
- Keys of the store hold no address and no userid, only their HMAC.
- Behind a front MTA every peer has the front's address: pass something better as the source (the client's address
  from the front's Received, or the sender's address). Sources that are no IP address count as they are.
"""

import asyncio
import hmac
import os
import sys
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from ipaddress import ip_address, ip_network
from secrets import token_bytes, token_urlsafe
from threading import get_native_id
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary

from mailbot.core.players.attempts import LIMITS, Attempts, after_failure, allowed
from mailbot.shell.proof import passwords

CACHE_SECONDS = 3600
CACHE_SIZE = 10_000
LOCAL = ("127.0.0.0/24", "::/64")

T = TypeVar("T")


def _behind() -> None:
    """Lets the calling thread take little more than the time that others leave: whoever sends a password can wait some
    milliseconds more, and the mails beside it need not. Only Linux gives each thread a niceness of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), 10)


class Verdict(Enum):
    """OK, WRONG and LIMITED end in the same words to the sender; BUSY is 451 4.3.2, try again."""

    OK = "ok"
    WRONG = "wrong"
    LIMITED = "limited"
    BUSY = "busy"


class Busy(Exception):
    """Too many passwords wait to be hashed: 451 4.3.2, nothing has happened."""


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """What an account keeps of its password. `password_version` grows with every new password."""

    player_id: int
    password_hash: str
    password_version: int


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
    ) -> None:
        """`key` is the server's own, kept: it hides addresses in the store. `places`: how many may wait or hash."""
        self._store = store
        self._key = key
        self._hashed = hashed
        self._matches = matches
        self.outdated = outdated
        self._places = places
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="password", initializer=_behind)
        self._dummy = hashed(token_urlsafe())
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._cache_key = token_bytes(32)
        self._cache: OrderedDict[bytes, int] = OrderedDict()

    async def verify(self, credential: Credential | None, userid: str, password: str, source: str, now: int) -> Verdict:
        """Compare. `credential` None: nobody of that name. `userid` in any one spelling of its case; `source` the
        sender's IP address; `now` unix seconds."""
        keys = self._keys(userid, source)
        if not self._allowed(keys, now):
            return Verdict.LIMITED
        mark = self._mark(credential, password)
        if self._cached(mark, now):
            self._succeeded(keys)
            return Verdict.OK
        if self._places <= 0:
            return Verdict.BUSY
        self._places -= 1
        try:
            async with self._turn(keys["pair"]):
                return await self._compare(credential, password, keys, mark, now)
        finally:
            self._places += 1

    def newcomer(self, source: str, now: int) -> bool:
        """Whether one more sign-up may come from this network, and counts it; this machine itself may always."""
        network = _network(source)
        if network in LOCAL:
            return True
        key = f"newcomer:{hmac.digest(self._key, f'newcomer|{network}'.encode(), 'sha256')[:16].hex()}"
        row = self._store.get(key)
        self._store.put(key, after_failure(row, now, LIMITS["newcomer"]))
        return allowed(row, now, LIMITS["newcomer"])

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
        """Let the threads go. What waits is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _compare(
        self, credential: Credential | None, password: str, keys: dict[str, str], mark: bytes, now: int
    ) -> Verdict:
        # While it waited for its turn the one before it may have been refused, or found right.
        if not self._allowed(keys, now):
            return Verdict.LIMITED
        if self._cached(mark, now):
            self._succeeded(keys)
            return Verdict.OK
        known = self._dummy if credential is None else credential.password_hash
        try:
            right = await self._threaded(lambda: self._matches(known, password))
        except BaseException:  # a hang-up must not buy a free guess
            self._failed(keys, now)
            raise
        if not right or credential is None:
            self._failed(keys, now)
            return Verdict.WRONG
        self._succeeded(keys)
        self._remember(mark, now)
        return Verdict.OK

    async def _threaded(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _turn(self, key: str) -> asyncio.Lock:
        lock = self._turns.get(key)
        if lock is None:
            lock = self._turns[key] = asyncio.Lock()
        return lock

    # Limits

    def _keys(self, userid: str, source: str) -> dict[str, str]:
        account, network = userid.casefold(), _network(source)
        said = {"pair": f"{account}|{network}", "account": account, "network": network}
        return {name: f"{name}:{self._hidden(f'{name}|{text}')}" for name, text in said.items()}

    def _hidden(self, text: str) -> str:
        return hmac.digest(self._key, text.encode("utf-8", "replace"), "sha256")[:16].hex()

    def _allowed(self, keys: dict[str, str], now: int) -> bool:
        return all(allowed(self._store.get(key), now, LIMITS[name]) for name, key in keys.items())

    def _failed(self, keys: dict[str, str], now: int) -> None:
        for name, key in keys.items():
            self._store.put(key, after_failure(self._store.get(key), now, LIMITS[name]))

    def _succeeded(self, keys: dict[str, str]) -> None:
        """The owner is back at this source. The other counts stay: an attacker has an account of his own, too."""
        if self._store.get(keys["pair"]) not in (None, Attempts()):
            self._store.put(keys["pair"], Attempts())

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


def _network(source: str) -> str:
    """The /24 or /64 an IP address lies in; anything else as it is."""
    try:
        address = ip_address(source.partition("%")[0])
    except ValueError:
        return source.casefold()
    if address.version == 6 and address.ipv4_mapped:
        address = address.ipv4_mapped
    return str(ip_network((address, 24 if address.version == 4 else 64), strict=False))
