"""The ticker: what rings, in which order, each in its own transaction, and when it sleeps."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mailbot.core import due
from mailbot.core.commands.account import PENDING_DAYS
from mailbot.core.commands.seeks import SEEK_DAYS
from mailbot.core.contests import Later, Stages, Tournament
from mailbot.core.due import TIMERS
from mailbot.core.effects import Effect, Put
from mailbot.core.games import course
from mailbot.core.games.boards import OFFER_DAYS
from mailbot.core.games.flags import GRACE
from mailbot.core.games.timing import Timing
from mailbot.core.model import DAY, FoldMark, Player, Preference, Seek, Vacation
from mailbot.core.world import Timer, World
from mailbot.shell import timepiece
from mailbot.shell.app import App
from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import ListenSection, RelaySection, StoreSection
from mailbot.shell.ticker import HOLD, Ticker
from mailbot.shell.timepiece import DOUBT, Timepiece
from mailbot.shell.writer import Writer
from mailbot.store import pulse, sweep
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store

NOW = 1_800_000_000
_REMINDERS = Timing(reminders=((3600,), ()))
_CLOCKED = course.begun(course.offered(8, "lambo", (1, 2), NOW, 3, clock="3h"), 1, NOW, _REMINDERS)
_REMINDED = _CLOCKED._replace(flag_at=None)
_CUP = Tournament(2, "Cup", 1, Stages.ENTRY, "swiss", "lambo", "21d", 2, 8, NOW + 9, NOW, 1, due=NOW + 9)
DUE = [
    (Player(9, "newcomer", "pending", "", 0, 0, NOW), "signup", NOW + PENDING_DAYS * DAY, 9),
    (course.offered(3, "lambo", (1, 2), NOW), "offer", NOW + OFFER_DAYS * DAY, 3),
    (Seek(4, 1, "lambo", 0, NOW), "seek", NOW + SEEK_DAYS * DAY, 4),
    (Preference(1, "digest due", str(NOW + 5)), "digest", NOW + 5, 1),
    (course.begun(course.offered(6, "lambo", (1, 2), NOW, 3, clock="1h"), 1, NOW), "flag", NOW + 3600 + GRACE, 6),
    (Vacation(5, 1, NOW + 7, NOW + 7 + DAY, 1), "away", NOW + 7, 5),
    (Vacation(5, 1, NOW + 7, NOW + 7 + DAY, 1, told=1), "back", NOW + 7 + DAY, 5),
    (_REMINDED, "remind", NOW + 2 * 3600, 8),
    (_CUP, "entry", NOW + 9, 2),
    (replace(_CUP, id=3, due=NOW + 8), "tournament", NOW + 8, 3),
    (Later(3, 2, 1, NOW + 11, "Cup: news", "{}"), "told", NOW + 11, 3),
    (FoldMark(1, 4, 2000), "refold", 4, 2000),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "t.sqlite", NOW, b"k" * 32, operator="operator@example.net")
    store.begin()
    for number, name in ((1, "ann"), (2, "bob")):
        put(store.db, Player(number, name, "active", "", 0, 0, NOW))
    store.commit()
    yield store
    store.close()


def test_each_kind_has_its_time_and_its_work() -> None:
    assert TIMERS.keys() == sweep.TIMES.keys() == {kind for _, kind, _, _ in DUE}


@pytest.mark.parametrize(("row", "kind", "at", "ref"), DUE, ids=[kind for _, kind, _, _ in DUE])
def test_when_a_row_is_due(store: Store, row: Player, kind: str, at: int, ref: int) -> None:
    assert sweep.next_at(store.db) is None
    put(store.db, row)
    assert sweep.timers(store.db) == [Timer(at, kind, ref)]
    assert sweep.next_at(store.db) == at


def test_nobody_loses_anything_while_no_letter_can_leave(store: Store) -> None:
    for row, *_ in DUE:
        put(store.db, row)
    for stuck, kinds in ((True, TIMERS.keys() - sweep.STAND), (False, TIMERS.keys())):
        pulse.beat(store.db, NOW, stuck=stuck)
        assert {one.kind for one in sweep.timers(store.db)} | {"away"} == kinds


@pytest.mark.parametrize("kind", sweep.TIMES)
def test_the_next_of_a_kind_is_found_by_an_index(store: Store, kind: str) -> None:
    plan = store.db.execute(f"EXPLAIN QUERY PLAN {sweep.TIMES[kind][1]} LIMIT 1").fetchall()
    said = " ".join(str(row[-1]) for row in plan)
    assert "INDEX" in said and "TEMP B-TREE" not in said, said


def rung(store: Store, tmp_path: Path, at: int, then: int = 0) -> Ticker:
    """A ticker that has rung everything due at this time, and once more `then` seconds later."""

    async def run() -> Ticker:
        clock = [at]
        writer = Writer(store, tmp_path / "inflight")
        ticker = Ticker(Reads(store.db), writer, lambda: clock[0], asyncio.Event())
        writer.start()
        await ticker.ring()
        clock[0] += then
        await ticker.ring()
        await writer.stop()
        return ticker

    return asyncio.run(run())


def test_after_a_long_stop_timers_ring_in_the_order_of_their_times(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[tuple[int, int]] = []

    def ring(timer: Timer, now: int, world: World, found: object) -> list[Effect]:
        order.append((timer.at, timer.ref))
        game = world.game(timer.ref)
        assert game
        return [Put(course.lapsed(game, now))]

    monkeypatch.setattr("mailbot.core.converse.ring", ring)
    for board in range(1, 200):
        put(store.db, course.offered(board, "lambo", (1, 2), NOW + board * 7919 % 1000))
    rung(store, tmp_path, NOW + 100 * DAY)
    assert len(order) == 199
    # Timers are read by the batch: each batch is in order, and no batch begins before the one before it.
    assert order == sorted(order)


def test_one_that_stays_is_told_once_and_left_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("mailbot.core.converse.ring", lambda *_: [])
    put(store.db, course.offered(7, "lambo", (1, 2), NOW))
    rung(store, tmp_path, NOW + 100 * DAY, 60)
    assert caplog.messages == ["timer offer of 7 has rung and is still there; it is left alone"]


def test_one_that_fails_leaves_the_others_alone_and_is_not_tried_for_ever(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried: list[int] = []

    def ring(timer: Timer, now: int, world: World, found: object) -> list[Effect]:
        tried.append(timer.ref)
        if timer.ref == 2:
            raise ValueError("a secret")
        return due.ring(timer, now, world)

    monkeypatch.setattr("mailbot.core.converse.ring", ring)
    for board in (1, 2, 3):
        put(store.db, course.offered(board, "lambo", (1, 2), NOW + board))
    rung(store, tmp_path, NOW + 100 * DAY, then=DAY)
    states = [row[0] for row in store.db.execute("SELECT state FROM game ORDER BY id").fetchall()]
    assert states == ["lapsed", "offered", "lapsed"]
    assert set(tried) == {1, 2, 3} and "timer offer of 2 failed: ValueError" in caplog.text
    (told,) = store.db.execute("SELECT facts ->> 'said' FROM outbox WHERE kind = 'operator'").fetchall()
    assert "Something that was due (offer 2) could not be done" in told[0]
    assert "secret" not in caplog.text


def test_one_that_rings_and_stays_does_not_ring_for_ever(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no effect would be due again at once."""
    monkeypatch.setattr("mailbot.core.converse.ring", lambda timer, now, world, found: [])
    put(store.db, Preference(1, "digest due", str(NOW)))
    rung(store, tmp_path, NOW + 1)
    assert sweep.next_at(store.db) == NOW


def test_it_sleeps_until_something_is_due_and_a_commit_wakes_it(store: Store, tmp_path: Path) -> None:
    looks: list[int] = []

    async def run() -> None:
        clock = [NOW]
        writer = Writer(store, tmp_path / "inflight", committed=lambda: ticker.wake.set())
        stop = asyncio.Event()
        ticker = Ticker(Reads(store.db), writer, lambda: clock[0], stop)

        async def sleep(seconds: float, *events: asyncio.Event) -> None:
            looks.append(round(seconds))
            if len(looks) == 4:
                put(store.db, course.offered(1, "lambo", (1, 2), NOW - OFFER_DAYS * DAY + 30))
            clock[0] += 1
            if len(looks) == 8:
                stop.set()

        ticker._sleep = sleep  # type: ignore[method-assign]
        writer.start()
        await ticker.run()
        await writer.stop()

    asyncio.run(run())
    assert looks[:4] == [1, 59, 1, 59], "nothing is due: the longest sleep"
    assert looks[5] == NOW + 30 - (NOW + 4) - 1, "until the offer lapses"


@pytest.mark.parametrize("at_start", [False, True])
@pytest.mark.parametrize(("jump", "after", "told"), [(40, 0, 0), (40, HOLD - 1, 0), (40, HOLD, 1), (0.5, 0, 0)])
def test_what_a_wrong_clock_makes_due_waits_for_an_hour(
    store: Store, tmp_path: Path, jump: float, after: int, told: int, at_start: bool
) -> None:
    """And never happens, if the clock is set right by then. `at_start`: it is already wrong when the server starts."""
    wall, steady = [float(NOW)], [0.0]
    now = Timepiece(lambda: wall[0], lambda: steady[0])
    store.begin()
    put(store.db, Vacation(5, 1, NOW + 20 * DAY, NOW + 60 * DAY, 1))
    store.commit()

    async def run() -> None:
        writer = Writer(store, tmp_path / "inflight")
        ticker = Ticker(Reads(store.db), writer, now, asyncio.Event())
        writer.start()
        await ticker.beat()
        wall[0] += jump * DAY
        if at_start:
            again = Timepiece(lambda: wall[0], lambda: steady[0])
            ticker = Ticker(Reads(store.db), writer, again, asyncio.Event())
        assert ticker._held() == (at_start and jump > 1)
        await ticker.beat()
        wall[0] += after
        steady[0] += after
        await ticker.ring()
        assert store.db.execute("SELECT told FROM vacation").fetchone() == (told,)
        wall[0] -= jump * DAY
        await ticker.beat()
        await ticker.ring()
        assert store.db.execute("SELECT told FROM vacation").fetchone() == (told,)
        assert not ticker._held()
        await writer.stop()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("after", "right", "end"),
    [(60, True, 10 * DAY), (DOUBT - 60, True, 10 * DAY), (DOUBT - 60, False, 10 * DAY), (DOUBT, False, None)],
)
def test_a_machine_that_starts_in_the_past_has_some_minutes_to_learn_the_time(
    store: Store, tmp_path: Path, after: int, right: bool, end: int | None
) -> None:
    """`end`: of a vacation, in seconds from when the server was there the last time; None: by the machine's time."""
    past = NOW - 6 * 365 * DAY
    wall, steady = [float(past)], [0.0]
    store.begin()
    pulse.beat(store.db, NOW)
    put(store.db, Vacation(5, 1, NOW - DAY, NOW + 10 * DAY, 11, told=1))
    store.commit()
    now = Timepiece(lambda: wall[0], lambda: steady[0])
    now.begins(Reads(store.db).pulse().alive)
    assert now() == NOW and now.doubts

    async def run() -> None:
        writer = Writer(store, tmp_path / "inflight")
        ticker = Ticker(Reads(store.db), writer, now, asyncio.Event())
        writer.start()
        assert ticker._held()
        await ticker.beat()
        steady[0] += after
        wall[0] += after + (NOW + DAY - past if right else 0)
        await ticker.beat()
        await writer.stop()

    asyncio.run(run())
    (vacation,) = Reads(store.db).vacations(1, 0)
    believed = right or end is None
    assert now() == (int(wall[0]) if believed else NOW + after)
    assert (vacation.begin, vacation.end) == ((NOW - DAY, NOW + end) if end else (now(), now() + 21 * DAY))


def test_a_machine_that_has_asked_for_the_time_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock was ahead, and the operator has set it right."""
    monkeypatch.setattr(timepiece, "SYNCHRONIZED", tmp_path)
    now = Timepiece(lambda: float(NOW), lambda: 0.0)
    now.begins(NOW + 400 * DAY)
    assert now() == NOW
    assert not now.doubts


@pytest.mark.parametrize(("behind", "doubts"), [(-DAY, False), (pulse.JUMP - 1, False), (pulse.JUMP, True)])
def test_a_machine_that_is_hardly_behind_is_believed(behind: int, doubts: bool) -> None:
    now = Timepiece(lambda: float(NOW), lambda: 0.0)
    now.begins(NOW + behind)
    assert now.doubts is doubts
    assert now() == (NOW + behind if doubts else NOW)


def test_a_daemon_that_starts_in_the_past(tmp_path: Path) -> None:
    """It goes on from when it was there the last time, and so does all that it stores."""

    async def run() -> None:
        wanted = Config(
            listen=ListenSection(port=0),
            store=StoreSection(path=tmp_path / "db.sqlite"),
            relay=RelaySection(maildir=tmp_path / "mail"),
        )
        for said in (NOW, NOW - 9 * DAY):
            app = App(wanted, {}, now=Timepiece(lambda at=said: float(at), lambda: 0.0))  # type: ignore[misc]
            await app.start()
            await app.ticker.beat()
            await app.stop()
            assert app.now() == NOW
            assert app.ticker._held() == (said < NOW)

    asyncio.run(run())
