"""Log-ins: limits as a table, the cache, the queue, and the same work whether or not the account exists."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import pytest

from mailbot.core.players.attempts import LIMITS, Attempts, Limit, after_failure, allowed, forgotten
from mailbot.shell.proof import answers, passwords
from mailbot.shell.proof.auth import (
    CACHE_SECONDS,
    CACHE_SIZE,
    COMPARED_IN,
    LETTERS,
    Auth,
    Busy,
    Credential,
    Named,
    Verdict,
)
from mailbot.shell.smtp.wire import Pace

NOW = 1_800_000_000
MINUTE, HOUR, DAY = 60, 3600, 86_400
OK, WRONG, LIMITED, BUSY = Verdict.OK, Verdict.WRONG, Verdict.LIMITED, Verdict.BUSY
LOCKED, HERE = Verdict.LOCKED, Verdict.LOCKED_HERE
KEY = bytes(32)


class Rows(dict[str, Attempts]):
    """The store double: a dict has `get`."""

    def put(self, key: str, row: Attempts) -> None:
        self[key] = row


class Hasher:
    """Hashes by putting `#` in front, and writes down what it was asked to compare."""

    def __init__(self) -> None:
        self.compared: list[tuple[str, str]] = []
        self.gate: threading.Event | None = None
        self.started = threading.Semaphore(0)
        self.broken = False

    def hashed(self, password: str) -> str:
        return f"#{password}"

    def matches(self, hash: str, password: str) -> bool:
        self.compared.append((hash, password))
        self.started.release()
        if self.gate:
            assert self.gate.wait(30)
        if self.broken:
            raise MemoryError
        return hash == f"#{password}"


class Rig:
    """An Auth over doubles. `ask` runs one log-in to its end."""

    def __init__(self, places: int = 64) -> None:
        self.rows, self.hasher = Rows(), Hasher()
        self.auth = self.restarted(places)

    def restarted(self, places: int = 64) -> Auth:
        return Auth(self.rows, KEY, hashed=self.hasher.hashed, matches=self.hasher.matches, places=places)

    def ask(
        self,
        password: str = "good",
        *,
        userid: str = "ann",
        source: str = "192.0.2.1",
        now: int = NOW,
        known: bool = True,
        own: bool = False,
    ) -> Verdict:
        return asyncio.run(self.auth.verify(ANN if known else None, userid, password, source, now, own=own))

    def both(self, password: str, *, own: str = "", now: int = NOW) -> list[Verdict | None]:
        """One mail with this password names ann and bob; its From is that of `own`."""
        named = [Named(ANN, "ann", own == "ann"), Named(BOB, "bob", own == "bob")]
        return asyncio.run(self.auth.verify_each(named, password, "192.0.2.1", now))


ANN = Credential(player_id=1, password_hash="#good", password_version=1)
BOB = Credential(player_id=2, password_hash="#fine", password_version=1)


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.auth.close()


# The limits, as functions

PAIR = LIMITS["pair"]


def test_the_limits_are_those_of_the_rules() -> None:
    quarter, day = 15 * MINUTE, 24 * HOUR
    rules = {
        "pair": Limit(5, quarter, quarter, day),
        "pair/56": Limit(10, quarter, quarter, day),
        "pair/48": Limit(20, quarter, quarter, day),
        "home": Limit(5, quarter, quarter, day),
        "account": Limit(50, day, day, day),
        "network": Limit(30, quarter, quarter, day),
        "network/56": Limit(60, quarter, quarter, day),
        "network/48": Limit(120, quarter, quarter, day),
    }
    assert rules == LIMITS


# (row before, seconds since, row after)
FAILURES = [
    (None, 0, Attempts(1, NOW, 0, 0)),
    (Attempts(1, NOW, 0, 0), 10, Attempts(2, NOW, 0, 0)),
    (Attempts(4, NOW, 0, 0), 15 * MINUTE - 1, Attempts(0, NOW + 15 * MINUTE - 1, 1, NOW + 30 * MINUTE - 1)),
    (Attempts(4, NOW, 0, 0), 15 * MINUTE, Attempts(1, NOW + 15 * MINUTE, 0, 0)),
    (Attempts(4, NOW, 0, 0), -10, Attempts(1, NOW - 10, 0, 0)),
    (Attempts(4, NOW, 1, NOW), 5, Attempts(0, NOW + 5, 2, NOW + 5 + 30 * MINUTE)),
    (Attempts(4, NOW, 6, NOW), 0, Attempts(0, NOW, 7, NOW + 16 * HOUR)),
    (Attempts(4, NOW, 7, NOW), 0, Attempts(0, NOW, 8, NOW + 24 * HOUR)),
    (Attempts(4, NOW, 20, NOW), 0, Attempts(0, NOW, 20, NOW + 24 * HOUR)),
    (Attempts(0, NOW, 3, NOW), 36 * HOUR, Attempts(1, NOW + 36 * HOUR, 3, NOW)),
    (Attempts(0, NOW, 3, NOW), 36 * HOUR + 1, Attempts(1, NOW + 36 * HOUR + 1, 0, NOW)),
]


@pytest.mark.parametrize(("before", "later", "after"), FAILURES)
def test_after_failure(before: Attempts | None, later: int, after: Attempts) -> None:
    assert after_failure(before, NOW + later, PAIR) == after


ALLOWED = [
    (None, True),
    (Attempts(4, NOW, 0, 0), True),
    (Attempts(0, NOW, 1, NOW + 1), False),
    (Attempts(0, NOW, 1, NOW), True),
    (Attempts(0, NOW, 9, NOW + 24 * HOUR), False),
    (Attempts(0, NOW, 9, NOW + 24 * HOUR + 1), True),
]


@pytest.mark.parametrize(("row", "may"), ALLOWED)
def test_allowed(row: Attempts | None, may: bool) -> None:
    assert allowed(row, NOW, PAIR) is may


def test_locks_double_up_to_a_day() -> None:
    row, now, locks = None, NOW, []
    for _ in range(9):
        for _ in range(5):
            assert allowed(row, now, PAIR)
            row = after_failure(row, now, PAIR)
        assert row is not None
        locks.append((row.until - now) // MINUTE)
        assert not allowed(row, row.until - 1, PAIR)
        now = row.until
    assert locks == [15, 30, 60, 120, 240, 480, 960, 1440, 1440]


def test_forgotten_rows_change_nothing() -> None:
    for row, limit in product([Attempts(4, NOW, 5, NOW + HOUR), Attempts(49, NOW, 0, 0), Attempts()], LIMITS.values()):
        late = max(row.since, row.until) + 36 * HOUR + 1
        assert forgotten(row, late)
        assert allowed(row, late, limit)
        assert replace(after_failure(row, late, limit), until=0) == after_failure(None, late, limit)
    assert not forgotten(Attempts(1, NOW, 0, 0), NOW + DAY)
    assert not forgotten(Attempts(0, NOW, 9, NOW + DAY), NOW + 2 * DAY)


# Log-ins

SAME_NETWORK = [
    ("192.0.2.1", "192.0.2.254", True),
    ("192.0.2.1", "192.0.3.1", False),
    ("2001:db8::1", "2001:db8::ffff:1", True),
    ("2001:db8::1", "2001:db8:0:1::1", False),
    ("192.0.2.1", "::ffff:192.0.2.7", True),
    ("fe80::1%eth0", "fe80::2", True),
]


@pytest.mark.parametrize(("first", "second", "same"), SAME_NETWORK)
def test_five_failures_lock_the_account_for_that_network_only(rig: Rig, first: str, second: str, same: bool) -> None:
    assert [rig.ask("bad", source=first) for _ in range(6)] == [WRONG] * 4 + [HERE, LIMITED]
    assert rig.ask(source=second) is (LIMITED if same else OK)
    assert rig.ask(source=second, now=NOW + 15 * MINUTE) is OK


def test_what_is_not_compared_takes_as_long_as_a_comparison(rig: Rig) -> None:
    """A home has a count of its own. If a lock of the network were quicker there than elsewhere, or slower, a neighbour
    would see whose home it is."""
    ticks, slept = iter(range(0, 10_000, 3)), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    rig.auth._clock, rig.auth._sleep = lambda: float(next(ticks)), sleep
    for _ in range(5):
        rig.ask("bad")
    took = rig.auth._took
    assert 1 < took < 3 and not slept, "a comparison takes three seconds here"
    assert rig.ask() is LIMITED and slept == [took]


def test_nothing_is_hashed_over_the_limit(rig: Rig) -> None:
    for _ in range(9):
        rig.ask("bad")
    assert len(rig.hasher.compared) == 5
    rig.ask("good")
    assert len(rig.hasher.compared) == 5


def test_userids_are_one_whatever_their_case(rig: Rig) -> None:
    assert [rig.ask("bad", userid=name) for name in ("ann", "ANN", "Ann", "aNN", "ann")] == [WRONG] * 4 + [HERE]
    assert rig.ask(userid="anN") is LIMITED
    assert rig.ask(userid="bob", known=False) is WRONG


def test_of_two_names_the_right_one_is_found_whoever_the_mail_says_it_is_from(rig: Rig) -> None:
    """If the order of the From decided, a failure of the other would show whose address it is."""
    for own in ("ann", "bob", ""):
        fresh = Rig()
        assert fresh.both("fine", own=own) == [None if own == "bob" else WRONG, OK]
        assert fresh.both("bad", own=own) == [WRONG, WRONG]
        assert len(fresh.hasher.compared) == 4
        fresh.auth.close()
    assert rig.both("good") == [OK, WRONG]
    for _ in range(5):
        rig.ask("bad")
    assert rig.both("fine") == [None, OK], "one name is locked"
    assert rig.both("good") == [LIMITED, WRONG]


@pytest.mark.parametrize("own", ["ann", "bob", ""])
@pytest.mark.parametrize("counted", ["", "me 0 ann@example.org"])
def test_guesses_beside_the_right_name_are_counted_or_learn_nothing(rig: Rig, own: str, counted: str) -> None:
    """Somebody sets the own password to each guess, and names ann or `me` beside it."""
    said = []
    if own == "bob":
        assert rig.ask() is OK, "and ann's password is in the cache"
        rig.hasher.compared.clear()
    for guess in ("a", "b", "c", "d", "e", "f", "good"):
        bob = replace(BOB, password_hash=f"#{guess}", password_version=ord(guess[0]))
        named = [Named(ANN, "ann", own == "ann", counted), Named(bob, "bob", own == "bob")]
        said.append(asyncio.run(rig.auth.verify_each(named, guess, "192.0.2.1", NOW)))
    if own == "bob":
        assert said == [[None, OK]] * 7, "the right guess looks like all others"
        assert len(rig.hasher.compared) == 14, "and takes as long"
    else:
        assert said == [[WRONG, OK]] * 4 + [[HERE, OK]] + [[None, OK]] * 2, "and then ann is not compared any more"


def test_success_clears_the_count_of_the_pair_only(rig: Rig) -> None:
    for _ in range(7):
        assert [rig.ask("bad") for _ in range(4)] == [WRONG] * 4
        assert rig.ask() is OK
    assert [rig.ask("bad") for _ in range(3)] == [WRONG, WRONG, LIMITED]  # thirty on the network
    assert rig.ask(userid="bob") is LIMITED


def test_fifty_failures_from_everywhere_leave_the_account_to_tokens_for_a_day(rig: Rig) -> None:
    for n in range(50):
        assert rig.ask("bad", source=f"10.0.{n}.1", now=NOW + n) is (LOCKED if n == 49 else WRONG)
    last = NOW + 49
    assert rig.ask(source="198.51.100.1", now=last) is LIMITED
    assert rig.ask(source="198.51.100.1", now=last + DAY - 1) is LIMITED
    assert rig.ask(source="198.51.100.1", now=last + DAY) is OK
    assert rig.ask(userid="bob", source="198.51.100.1", now=last, known=False) is WRONG


def test_unknown_players_count_on_the_network(rig: Rig) -> None:
    for n in range(30):
        assert rig.ask("bad", userid=f"nobody{n}", known=False) is WRONG
    assert rig.ask() is LIMITED
    assert rig.ask(source="198.51.100.1") is OK


def test_unknown_and_known_players_look_the_same() -> None:
    histories = []
    for known in (True, False):
        rig = Rig()
        verdicts = [rig.ask(f"bad{n}", known=known) for n in range(7)]
        histories.append((verdicts, [password for _, password in rig.hasher.compared], dict(rig.rows)))
        rig.auth.close()
    assert histories[0] == histories[1]


def test_an_unknown_player_is_compared_with_a_dummy_and_never_right(rig: Rig) -> None:
    rig.ask("bad", known=False)
    [(dummy, _)] = rig.hasher.compared
    assert dummy.startswith("#")
    assert dummy != ANN.password_hash
    assert rig.ask(dummy[1:], known=False) is WRONG
    assert len(rig.hasher.compared) == 2


def test_limits_survive_a_restart(rig: Rig) -> None:
    for _ in range(5):
        rig.ask("bad")
    rig.auth.close()
    rig.auth = rig.restarted()
    assert rig.ask() is LIMITED


def test_keys_hide_the_address_and_the_userid(rig: Rig) -> None:
    rig.ask("bad", userid="ann", source="192.0.2.1")
    assert sorted(re.sub("[0-9a-f]{32}", "…", key) for key in rig.rows) == ["account:…", "network:…", "pair:…"]
    other = Auth(rig.rows, bytes([1] * 32), hashed=rig.hasher.hashed, matches=rig.hasher.matches)
    asyncio.run(other.verify(ANN, "ann", "bad", "192.0.2.1", NOW))
    other.close()
    assert len(rig.rows) == 6


# IPv6: whoever has a /64 often has the /56 or the /48 around it.

# (the network of the n-th try, how many are taken, the verdict of the last)
IPV6 = [
    ("2001:db8:0:1::{n}", 5, HERE),
    ("2001:db8:0:1{n:02x}::1", 10, HERE),
    ("2001:db8:0:{n:02x}00::1", 20, HERE),
    ("2001:db8:{n:x}::1", 50, LOCKED),
]


@pytest.mark.parametrize(("source", "taken", "last"), IPV6)
def test_wider_ipv6_networks_are_counted_as_well(rig: Rig, source: str, taken: int, last: Verdict) -> None:
    verdicts = [rig.ask("bad", source=source.format(n=n)) for n in range(taken + 1)]
    assert verdicts == [WRONG] * (taken - 1) + [last, LIMITED]


# Where no network is known


def test_tries_from_nowhere_count_for_the_account_alone(rig: Rig) -> None:
    assert [rig.ask("bad", source="") for _ in range(51)] == [WRONG] * 49 + [LOCKED, LIMITED]
    assert sorted(key.partition(":")[0] for key in rig.rows) == ["account"]
    assert rig.ask(source="", userid="bob") is OK


def test_a_success_from_nowhere_makes_no_home(rig: Rig) -> None:
    assert rig.ask(source="", own=True) is OK
    assert [rig.ask("bad", source="") for _ in range(50)][-1] is LOCKED
    assert rig.ask(source="", own=True) is LIMITED


# Networks that are known to be the owner's

HOME = "192.0.2.1"


def strangers(rig: Rig, source: str) -> None:
    """Somebody guesses until nobody gets through."""
    for n in range(50):
        rig.ask("bad", source=source.format(n=n))


# (what is tried, whence strangers guess, whence the owner writes then, in the owner's own name, what the owner gets)
HOMES = [
    ("the same network", "192.0.2.{n}", HOME, True, OK),
    ("everywhere", "10.0.{n}.1", HOME, True, OK),
    ("a neighbour's address", "10.0.{n}.1", "192.0.2.99", True, OK),
    ("not in the owner's name", "10.0.{n}.1", HOME, False, LIMITED),
    ("from another network", "10.0.{n}.1", "198.51.100.1", True, LIMITED),
]


@pytest.mark.parametrize(("_what", "where", "source", "own", "verdict"), HOMES)
def test_strangers_do_not_lock_the_owner_at_home(
    rig: Rig, _what: str, where: str, source: str, own: bool, verdict: Verdict
) -> None:
    assert rig.ask(own=True, source=HOME) is OK
    strangers(rig, where)
    assert rig.ask(own=own, source=source) is verdict


@pytest.mark.parametrize(("later", "verdict"), [(90 * DAY - 1, OK), (90 * DAY, LIMITED)])
def test_a_home_is_forgotten_after_ninety_days(rig: Rig, later: int, verdict: Verdict) -> None:
    assert rig.ask(own=True) is OK
    for n in range(50):
        rig.ask("bad", source=f"10.0.{n}.1", now=NOW + later)
    assert rig.ask(own=True, now=NOW + later) is verdict


def test_a_home_that_is_used_is_not_forgotten(rig: Rig) -> None:
    for day in range(0, 200, 40):
        assert rig.ask(own=True, now=NOW + day * DAY) is OK
    for n in range(50):
        rig.ask("bad", source=f"10.0.{n}.1", now=NOW + 200 * DAY)
    assert rig.ask(own=True, now=NOW + 200 * DAY) is OK


@pytest.mark.parametrize("at_home", [True, False])
def test_a_locked_network_counts_alike_whether_it_is_a_home(rig: Rig, at_home: bool) -> None:
    """Somebody in the network forges the From of ann from two machines, and then logs in as himself: whether that works
    would show whether ann plays from here."""
    if at_home:
        rig.ask(own=True, source="192.0.2.1")
    for number in range(20):
        rig.ask("bad", userid=f"zoe{number}", known=False, source="192.0.2.9")
    for source in ("192.0.2.66", "192.0.2.67"):
        for _ in range(5):
            rig.ask("bad", own=True, source=source)
    assert rig.ask("bad", userid="zed", known=False, source="192.0.2.9") is WRONG, "25 of 30 are counted"


def test_a_neighbour_who_forges_the_sender_has_a_count_of_his_own(rig: Rig) -> None:
    assert rig.ask(own=True, source="10.0.0.1") is OK
    assert [rig.ask("bad", own=True, source="10.0.0.2") for _ in range(6)] == [WRONG] * 4 + [HERE, LIMITED]
    assert rig.ask(own=True, source="10.0.0.1") is OK


def test_a_home_has_a_count_of_its_own(rig: Rig) -> None:
    assert rig.ask(own=True) is OK
    assert [rig.ask("bad", own=True) for _ in range(6)] == [WRONG] * 4 + [HERE, LIMITED]
    assert rig.ask(own=True) is LIMITED, "the right password as well: who forges the sender learns nothing"
    assert rig.ask(own=True, now=NOW + 15 * MINUTE) is OK


def test_a_right_password_in_another_name_makes_no_home(rig: Rig) -> None:
    assert rig.ask() is OK
    strangers(rig, "10.0.{n}.1")
    assert rig.ask(own=True) is LIMITED


# The owner's way out

HOURS = NOW // 3600


def test_the_answer_to_the_letter_makes_a_home(rig: Rig) -> None:
    strangers(rig, "10.0.{n}.1")
    stamp = rig.auth.letter_due("ann", NOW, most=LETTERS)
    assert stamp == 0
    assert rig.ask(own=True, source="198.51.100.1") is LIMITED
    assert rig.auth.lift("ANN", "198.51.100.1", stamp, HOURS, NOW)
    assert rig.ask(own=True, source="198.51.100.1") is OK
    assert rig.ask(source="203.0.113.1") is OK, "and so can a browser in a network without wrong ones"
    for _ in range(5):
        rig.ask("bad", source="10.0.1.1")
    assert rig.ask(source="10.0.1.1") is LIMITED, "guesses count on where they come from"


def test_after_an_answer_guesses_count_anew(rig: Rig) -> None:
    for hour in range(2):
        strangers(rig, f"10.{hour}.{{n}}.1")
        assert rig.ask(source="203.0.113.1") is LIMITED
        stamp = rig.auth.letter_due("ann", NOW, most=LETTERS)
        assert stamp == hour and rig.auth.lift("ann", "198.51.100.1", stamp, HOURS, NOW)
        assert rig.ask(source="203.0.113.1") is OK


def test_the_answer_lifts_the_lock_of_a_home_and_where_no_network_is_known(rig: Rig) -> None:
    rig.ask(own=True)
    strangers(rig, "")
    for _ in range(5):
        rig.ask("bad", own=True)
    assert rig.ask(own=True) is LIMITED
    assert rig.auth.lift("ann", HOME, rig.auth.letter_due("ann", NOW, most=LETTERS) or 0, HOURS, NOW)
    assert rig.ask(own=True) is OK
    strangers(rig, "")
    assert rig.ask(own=True, source="") is LIMITED
    assert rig.auth.lift("ann", "", rig.auth.letter_due("ann", NOW, most=LETTERS) or 0, HOURS, NOW)
    for _ in range(40):
        rig.ask("bad", own=True, source="")
    assert rig.ask(own=True, source="") is OK, "it is no home, where five lock"


# (stamp, hours since it was written, whether it lifts)
LIFTS = [(0, 0, True), (0, 48, True), (0, 49, False), (0, -1, False), (1, 0, False)]


@pytest.mark.parametrize(("stamp", "hours", "lifts"), LIFTS)
def test_a_letter_serves_for_two_days(rig: Rig, stamp: int, hours: int, lifts: bool) -> None:
    assert rig.auth.letter_due("ann", NOW, most=LETTERS) == 0
    assert rig.auth.lift("ann", HOME, stamp, HOURS, NOW + hours * HOUR) is lifts


def test_a_letter_serves_once(rig: Rig) -> None:
    assert rig.auth.letter_due("ann", NOW, most=LETTERS) == 0
    assert rig.auth.lift("ann", HOME, 0, HOURS, NOW)
    assert rig.auth.lift("ann", HOME, 0, HOURS, NOW), "the same mail, sent again"
    assert not rig.auth.lift("ann", "198.51.100.1", 0, HOURS, NOW)
    assert not rig.auth.lift("bob", HOME, 1, HOURS, NOW)


def test_three_letters_a_day_unless_one_is_answered(rig: Rig) -> None:
    def due(later: int, *, begins: bool) -> int | None:
        return rig.auth.letter_due("ann", NOW + later, most=LETTERS if begins else 1)

    assert [due(later, begins=False) for later in (0, 1, DAY - 1)] == [0, None, None], "one of a lock that goes on"
    assert [due(later, begins=True) for later in (1, 2, 3, DAY - 1, DAY)] == [0, 0, None, None, 0]
    assert rig.auth.lift("ann", HOME, 0, (NOW + DAY) // 3600, NOW + DAY)
    assert rig.auth.letter_due("ann", NOW + DAY, most=LETTERS) == 1
    assert rig.auth.letter_due("bob", NOW, most=LETTERS) == 0


def test_the_letters_about_locks_of_networks_leave_one_for_a_lock_from_everywhere(rig: Rig) -> None:
    def told(verdict: Verdict) -> bool:
        return answers.about_lock(rig.auth, verdict, 1, "ann", "ann", "10.0.0.1", NOW) is not None

    assert [told(Verdict.LOCKED_HERE) for _ in range(5)] == [True, True, True, False, False]
    assert [told(Verdict.LOCKED) for _ in range(3)] == [True, False, False]
    assert not told(LIMITED)


def test_every_key_hides_what_it_is_about(rig: Rig) -> None:
    for source in (HOME, "2001:db8::1", ""):
        rig.ask(own=True, source=source)
        rig.ask("bad", own=True, source=source)
    rig.auth.lift("ann", HOME, rig.auth.letter_due("ann", NOW, most=LETTERS) or 0, HOURS, NOW)
    assert all(re.fullmatch("[a-z]+(/[0-9]+)?:[0-9a-f]{32}", key) for key in rig.rows)
    assert {key.partition(":")[0] for key in rig.rows} == {*LIMITS, "known", "told"}


# The cache

CACHE = [
    ("the same again", {}, 1),
    ("within the hour", {"now": NOW + CACHE_SECONDS - 1}, 1),
    ("an hour later", {"now": NOW + CACHE_SECONDS}, 2),
    ("a clock set back", {"now": NOW - 1}, 2),
    ("another network", {"source": "198.51.100.1"}, 1),
]


@pytest.mark.parametrize(("_what", "again", "compared"), CACHE)
def test_successes_are_remembered(rig: Rig, _what: str, again: dict[str, object], compared: int) -> None:
    assert rig.ask() is OK
    assert rig.ask(**again) is OK  # type: ignore[arg-type]
    assert len(rig.hasher.compared) == compared


def test_a_new_password_drops_what_was_remembered(rig: Rig) -> None:
    async def ask(credential: Credential) -> Verdict:
        return await rig.auth.verify(credential, "ann", "good", "192.0.2.1", NOW)

    assert asyncio.run(ask(ANN)) is OK
    assert asyncio.run(ask(replace(ANN, password_version=2, password_hash="#new"))) is WRONG
    assert asyncio.run(ask(replace(ANN, player_id=11, password_hash="#other"))) is WRONG


def test_failures_are_never_remembered(rig: Rig) -> None:
    assert [rig.ask("bad"), rig.ask("bad")] == [WRONG, WRONG]
    assert len(rig.hasher.compared) == 2


def test_the_cache_is_bounded(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CACHE_SIZE == 10_000
    monkeypatch.setattr("mailbot.shell.proof.auth.CACHE_SIZE", 2)

    async def ask(player: int) -> None:
        assert await rig.auth.verify(replace(ANN, player_id=player), f"p{player}", "good", "192.0.2.1", NOW) is OK

    for player in (1, 2, 3, 3, 2, 1):
        asyncio.run(ask(player))
    assert len(rig.hasher.compared) == 4


# The queue


def gathered(rig: Rig, work: Callable[[], list[asyncio.Task[Verdict]]]) -> list[Verdict]:
    """Start the work with the threads held, wait until one of them is at it, then let them go."""

    async def run() -> list[Verdict]:
        rig.hasher.gate = threading.Event()
        tasks = work()
        await asyncio.to_thread(rig.hasher.started.acquire)
        rig.hasher.gate.set()
        return await asyncio.gather(*tasks)

    return asyncio.run(run())


def test_one_machine_has_only_so_many_passwords_hashed(rig: Rig) -> None:
    """Else whoever names others beside an own account keeps everybody waiting, behind a mail server. Its neighbours
    have their own."""
    rig.auth._compared = Pace(2, COMPARED_IN)
    assert rig.ask() is Verdict.OK
    assert rig.ask("wrong") is Verdict.WRONG
    assert rig.ask("wrong") is Verdict.BUSY
    assert len(rig.hasher.compared) == 2
    assert rig.ask() is Verdict.OK, "it is remembered"
    for elsewhere in ("192.0.2.7", "198.51.100.7", "", "127.0.0.1"):
        assert rig.ask("wrong", source=elsewhere) is Verdict.WRONG
    assert [rig.ask("wrong", source=f"192.0.2.{n}", userid="x") for n in range(20, 25)][-1] is Verdict.BUSY
    assert rig.ask("wrong", now=NOW + COMPARED_IN) is Verdict.WRONG


def test_what_is_remembered_serves_beside_another_name_if_the_mail_is_the_owners(rig: Rig) -> None:
    rig.both("good", own="ann")
    hashed = len(rig.hasher.compared)
    assert rig.both("good", own="ann") == [Verdict.OK, None]
    assert len(rig.hasher.compared) == hashed
    rig.both("good")
    assert len(rig.hasher.compared) == hashed + 2, "else the time would tell of a right guess"


def test_a_full_queue_is_busy() -> None:
    rig = Rig(places=3)

    def work() -> list[asyncio.Task[Verdict]]:
        asks = [rig.auth.verify(ANN, f"user{n}", "good", f"10.0.{n}.1", NOW) for n in range(5)]
        return [asyncio.create_task(ask) for ask in asks]

    assert gathered(rig, work) == [OK, OK, OK, BUSY, BUSY]
    assert rig.ask("bad") is WRONG  # the places are free again
    assert asyncio.run(rig.auth.hash("x")) == "#x"
    rig.auth.close()


def test_no_place_at_all() -> None:
    rig = Rig(places=0)
    assert rig.ask() is BUSY
    assert not rig.rows
    with pytest.raises(Busy):
        asyncio.run(rig.auth.hash("x"))
    rig.auth.close()


def test_a_burst_cannot_outrun_the_count(rig: Rig) -> None:
    def work() -> list[asyncio.Task[Verdict]]:
        return [asyncio.create_task(rig.auth.verify(ANN, "ann", f"{n}", "192.0.2.1", NOW)) for n in range(20)]

    assert gathered(rig, work) == [WRONG] * 4 + [HERE] + [LIMITED] * 15
    assert len(rig.hasher.compared) == 5


def test_a_burst_of_good_mails_is_hashed_once(rig: Rig) -> None:
    def work() -> list[asyncio.Task[Verdict]]:
        return [asyncio.create_task(rig.auth.verify(ANN, "ann", "good", "192.0.2.1", NOW)) for _ in range(20)]

    assert gathered(rig, work) == [OK] * 20
    assert len(rig.hasher.compared) == 1


def test_hanging_up_counts_as_a_failure(rig: Rig) -> None:
    async def run() -> None:
        rig.hasher.gate = threading.Event()
        task = asyncio.create_task(rig.auth.verify(ANN, "ann", "bad", "192.0.2.1", NOW))
        await asyncio.to_thread(rig.hasher.started.acquire)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        rig.hasher.gate.set()

    asyncio.run(run())
    assert [row.failures for row in rig.rows.values()] == [1, 1, 1]


def test_a_broken_hasher_is_an_error_not_a_verdict(rig: Rig) -> None:
    rig.hasher.broken = True
    with pytest.raises(MemoryError):
        rig.ask()
    rig.hasher.broken = False
    assert rig.ask() is OK


def test_credentials_do_not_print_their_hash() -> None:
    assert "#good" not in repr(ANN)


# Passwords themselves


def test_argon2() -> None:
    one = passwords.hashed("correct horse")
    assert one.startswith("$argon2id$v=19$m=7168,t=5,p=1$")
    assert one != passwords.hashed("correct horse")
    assert passwords.matches(one, "correct horse")
    assert not passwords.matches(one, "correct horsf")
    assert not passwords.matches("not a hash", "correct horse")
    assert not passwords.outdated(one)
    assert passwords.outdated(one.replace("t=5", "t=4"))
    assert passwords.outdated("not a hash")


# An address as 32 bits and its proquints, from the examples of D. Wilkerson's text.
PROQUINTS = [
    ("127.0.0.1", "lusab-babad"),
    ("63.84.220.193", "gutih-tugad"),
    ("63.118.7.35", "gutuk-bisog"),
    ("140.98.193.141", "mudof-sakat"),
    ("64.255.6.200", "haguz-biram"),
    ("128.30.52.45", "mabiv-gibot"),
    ("147.67.119.2", "natag-lisaf"),
    ("212.58.253.68", "tibup-zujah"),
    ("216.35.68.215", "tobog-higil"),
    ("216.68.232.21", "todah-vobij"),
    ("198.81.129.136", "sinid-makam"),
    ("12.110.110.204", "budov-kuras"),
]


@pytest.mark.parametrize(("address", "words"), PROQUINTS)
def test_proquints(address: str, words: str) -> None:
    a, b, c, d = map(int, address.split("."))
    assert f"{passwords.proquint(a << 8 | b)}-{passwords.proquint(c << 8 | d)}" == words


def test_proquints_are_all_different() -> None:
    assert len({passwords.proquint(number) for number in range(65_536)}) == 65_536


def test_generated() -> None:
    word = "[bdfghjklmnprstvz][aiou]" * 2 + "[bdfghjklmnprstvz]"
    made = [passwords.generated(key, nonce) for key, nonce in product([KEY, bytes([1] * 32)], ["", "a", "b", "é"])]
    assert all(re.fullmatch(f"{word}(-{word}){{3}}", password) for password in made)
    assert len(set(made)) == len(made)
    assert passwords.generated(KEY, "a") == made[1]


def test_the_answer_lifts_what_has_been_counted_for_its_addresses(rig: Rig) -> None:
    """Where no network is known, fifty failures of `me` lock an address everywhere."""
    named = [Named(ANN, "ann", own=True, counted="me 0 ann@example.org")]

    def asks(password: str) -> Verdict | None:
        return asyncio.run(rig.auth.verify_each(named, password, "", NOW))[0]

    assert [asks("bad") for _ in range(50)][-1] is LOCKED and asks("good") is LIMITED
    stamp = rig.auth.letter_due("ann", NOW, most=LETTERS)
    assert rig.auth.lift("ann", "", stamp or 0, HOURS, NOW, ["me 0 ann@example.org"])
    assert asks("good") is OK
