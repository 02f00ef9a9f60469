"""Outages: when the server was away, when no letter could leave, and when the machine's clock jumps."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mailbot.core.contests import Entry, Later, Rung, Stages, Tournament
from mailbot.core.games import course, flags, timing
from mailbot.core.model import DAY, Address, Game, Kept, Player, Preference, Pulse, Seek, Vacation
from mailbot.core.players.preferences import DIGEST_DUE
from mailbot.core.world import Timer
from mailbot.shell.timepiece import Timepiece
from mailbot.store import pulse, sweep
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store

NOW = 1_800_000_000
HOUR = 3600
YEAR = 365 * DAY

# Each beat: the second after NOW, and whether letters were stuck. Then the stretches of the outages.
ROWS: list[tuple[list[tuple[int, bool]], list[tuple[int, int]]]] = [
    ([(0, False), (60, False), (120, False)], []),
    ([(0, False), (HOUR - 1, False)], []),
    ([(0, False), (HOUR, False)], [(0, HOUR)]),
    ([(0, False), (7 * DAY, False), (7 * DAY + 60, False)], [(0, 7 * DAY)]),
    ([(0, False), (60, True), (1800, True), (HOUR - 1, False)], []),
    ([(0, False), (60, True), (1800, True), (HOUR + 60, False)], [(0, HOUR + 60)]),
    ([(0, True), (HOUR - 60, True), (2 * HOUR - 120, False)], [(0, 2 * HOUR - 120)]),
    ([(0, False), (DAY, True), (DAY + 60, False)], [(0, DAY), (0, DAY + 60)]),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "t.sqlite", NOW, b"k" * 32)
    store.begin()
    for number, name in ((1, "ann"), (2, "bob")):
        put(store.db, Player(number, name, "active", "", 0, 0, NOW))
    yield store
    store.commit()
    store.close()


def outages(store: Store) -> list[tuple[int, int]]:
    return [(begin - NOW, end - NOW) for _, begin, end in sorted(Reads(store.db).stretches((0, 0), 0))]


@pytest.mark.parametrize(("beats", "expected"), ROWS)
def test_outages(store: Store, beats: list[tuple[int, bool]], expected: list[tuple[int, int]]) -> None:
    for at, stuck in beats:
        pulse.beat(store.db, NOW + at, stuck=stuck)
    assert outages(store) == expected


@pytest.mark.parametrize(
    ("alive", "starts", "waiting"),
    [
        (0, [100], 0),
        (0, [1800, 2400, 5000], 0),
        (0, [1800, 2400, 9000], 3300),
        (0, [4000, 8000], 0),
        (0, [4000, 8001], 4900),
        (5000, [4000], 4000),
    ],
)
def test_since_when_mails_may_have_waited_for_a_start(
    store: Store, alive: int, starts: list[int], waiting: int
) -> None:
    """A mail that waits for a start may come after another one that follows soon."""
    pulse.beat(store.db, NOW + alive)
    for at in starts:
        found = pulse.begun(store.db, NOW + at, 4000)
        store.db.execute("UPDATE pulse SET alive = ?", (NOW + at + 900,))
    assert found - NOW == waiting


def test_what_counts_towards_a_limit_does_not_count_for_ever_after_a_jump_back(store: Store) -> None:
    store.db.execute("INSERT INTO operator_mail (at, kind, content) VALUES (?, 'other', '')", (NOW + YEAR,))
    put(store.db, Address(1, 1, "ann@example.org", "current", 0, NOW))
    store.notice(1, "notice", "x", NOW + YEAR, said="x")
    pulse.jumped(store.db, NOW + YEAR, NOW)
    assert store.db.execute("SELECT max(created) FROM outbox").fetchone() == (NOW,)
    assert store.db.execute("SELECT max(at) FROM operator_mail").fetchone() == (NOW,)


def running(store: Store, clock: str = "2d") -> Game:
    game = course.begun(course.offered(7, "lambo", (1, 2), NOW, 3, clock=clock), 1, NOW)
    put(store.db, game)
    return game


def test_no_flag_falls_before_the_outage_is_kept(store: Store) -> None:
    """A mail may come between the start and the first beat."""
    game = running(store)
    pulse.beat(store.db, NOW + HOUR)
    now = NOW + 9 * DAY
    (effect,) = flags.due(game, now, Reads(store.db))
    assert effect.row.flag_at == now + 2 * DAY - HOUR  # type: ignore[union-attr]


def test_no_flag_falls_while_letters_are_stuck(store: Store) -> None:
    game = running(store)
    pulse.beat(store.db, NOW + 2 * DAY - 60)
    pulse.beat(store.db, NOW + 2 * DAY - 30, stuck=True)
    assert flags.due(game, NOW + 2 * DAY + 600, Reads(store.db)) == []
    pulse.beat(store.db, NOW + 2 * DAY + 660)
    assert outages(store) == []
    assert flags.due(game, NOW + 2 * DAY + 720, Reads(store.db))


def test_a_reminder_does_not_ring_again_and_again_while_letters_are_stuck(store: Store) -> None:
    """Time stands then, so the reminder comes no nearer."""
    game = running(store)
    put(store.db, game._replace(remind_at=NOW + DAY))
    pulse.beat(store.db, NOW + DAY - 60)
    pulse.beat(store.db, NOW + DAY - 30, stuck=True)
    assert [timer for timer in sweep.timers(store.db) if timer.kind == "remind"] == []
    pulse.beat(store.db, NOW + DAY + 30)
    assert [timer for timer in sweep.timers(store.db) if timer.kind == "remind"] == [
        Timer(NOW + DAY, "remind", game.id)
    ]


class Clocks:
    """A machine with two clocks."""

    wall, steady = float(NOW), 5.0

    def pass_(self, seconds: float, jump: float = 0.0) -> None:
        self.wall += seconds + jump
        self.steady += seconds


@pytest.mark.parametrize("jump", [HOUR // 2, HOUR, YEAR])
def test_a_clock_that_jumps_forward_and_back_costs_nobody_time(store: Store, jump: int) -> None:
    machine = Clocks()
    now = Timepiece(lambda: machine.wall, lambda: machine.steady)
    game = running(store)
    pulse.beat(store.db, now())
    machine.pass_(HOUR // 2)
    pulse.beat(store.db, now())
    machine.pass_(60, jump)
    assert now() == NOW + HOUR // 2 + 60
    pulse.jumped(store.db, *now.adopt())
    assert now() == NOW + HOUR // 2 + 60 + jump
    reads = Reads(store.db)
    assert timing.left(game, now(), timing.of(game, now(), reads))[0] == 2 * DAY - HOUR // 2 - 60
    later = course.moved(game, 2, None, now(), timing.of(game, now(), reads))
    put(store.db, later)
    machine.pass_(HOUR - 120)
    pulse.jumped(store.db, *now.adopt())
    machine.pass_(60, -jump)
    pulse.jumped(store.db, *now.adopt())
    assert now() == NOW + HOUR // 2 + HOUR
    assert all(end <= now() - NOW for _, end in outages(store))
    (after,) = (one for one in [reads.game(7)] if one)
    assert after.began <= now()
    assert timing.left(after, now(), timing.of(after, now(), reads))[1] >= 2 * DAY - HOUR
    assert after.flag_at == now() + timing.left(after, now(), timing.of(after, now(), reads))[1]


@pytest.mark.parametrize(("due", "after"), [(40 * DAY, 0), (DAY + 1, 0), (DAY, DAY), (60, 60)])
def test_after_a_jump_back_no_digest_waits_longer_than_a_day(store: Store, due: int, after: int) -> None:
    put(store.db, Preference(1, DIGEST_DUE, str(NOW + due)))
    pulse.jumped(store.db, NOW + 40 * DAY, NOW)
    assert Reads(store.db).preferences(1)[DIGEST_DUE] == str(NOW + after)


AHEAD = NOW + 40 * DAY
LAPSING = [
    ("player", Player(9, "zoe", "pending", "", 0, 0, AHEAD)),
    ("seek", Seek(1, 1, "lambo", 0, AHEAD)),
    ("game", course.offered(9, "lambo", (1, 2), AHEAD, 3)),
]


@pytest.mark.parametrize(("table", "row"), LAPSING)
def test_what_was_offered_while_the_clock_was_ahead_lapses_in_time(store: Store, table: str, row: Kept) -> None:
    put(store.db, row)
    pulse.jumped(store.db, AHEAD, NOW)
    assert store.db.execute(f"SELECT max(created) FROM {table}").fetchone() == (NOW,)


@pytest.mark.parametrize(("table", "row"), LAPSING)
@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_offered_does_not_lapse_when_a_clock_that_was_behind_is_set_right(
    store: Store, table: str, row: Kept, *, restarted: bool
) -> None:
    """It was offered before a start with a clock that was 40 days behind."""
    put(store.db, row)
    pulse.beat(store.db, AHEAD + HOUR)
    pulse.beat(store.db, NOW)
    if restarted:
        pulse.beat(store.db, AHEAD + 2 * HOUR)
    else:
        pulse.jumped(store.db, NOW, AHEAD + 2 * HOUR)
    assert store.db.execute(f"SELECT max(created) FROM {table}").fetchone() == (AHEAD + 2 * HOUR,)


@pytest.mark.parametrize(("table", "row"), LAPSING)
@pytest.mark.parametrize(("begin", "end", "after"), [(1, 3, 2), (-2, 3, 3), (-3, -1, 0), (0, 0, 0)])
def test_the_time_of_an_outage_does_not_count_for_what_lapses(
    store: Store, table: str, row: Kept, begin: int, end: int, after: int
) -> None:
    put(store.db, row)
    pulse.keep(store.db, AHEAD + begin * DAY, AHEAD + end * DAY)
    assert store.db.execute(f"SELECT max(created) FROM {table}").fetchone() == (AHEAD + after * DAY,)


@pytest.mark.parametrize(
    ("away", "flag", "after"),
    [
        (HOUR - 60, 20, HOUR - 60 + pulse.RETRY),  # while it was away
        (HOUR - 60, HOUR, HOUR - 60 + pulse.RETRY),  # a minute after the start
        (5, 9, 5 + pulse.RETRY),
        (HOUR - 60, 2 * HOUR, 2 * HOUR),
        (5, 0, 0),  # before it went
        (2 * HOUR, 20, 2 * HOUR + pulse.RETRY),  # an outage, in which the clock stands
        (2 * HOUR, HOUR, 3 * HOUR),
    ],
)
def test_whoever_had_time_when_the_server_went_has_some_when_it_is_back(
    store: Store, away: int, flag: int, after: int
) -> None:
    """A mail server that found nobody here tries again later."""
    offered = course.offered(7, "lambo", (1, 2), NOW - DAY, 3, clock="1d")
    game = course.begun(offered, 1, NOW - DAY + flag)
    assert game.flag_at == NOW + flag
    put(store.db, game)
    pulse.beat(store.db, NOW)
    pulse.begun(store.db, NOW + away, 4000)
    pulse.beat(store.db, NOW + away)
    now = Reads(store.db).game(7)
    assert now
    stands = timing.of(now, NOW + away, Reads(store.db))
    assert course.timed(now, stands, NOW + away).flag_at == NOW + after


def test_a_second_stop_soon_after_an_outage_leaves_half_an_hour_too(store: Store) -> None:
    """Nothing has rung in between, so the flag that is stored is the one from before the outage."""
    offered = course.offered(7, "lambo", (1, 2), NOW - DAY, 3, clock="1d")
    put(store.db, course.begun(offered, 1, NOW - DAY + 45 * 60))
    pulse.beat(store.db, NOW)
    for away in (26 * HOUR, 26 * HOUR + 600, 26 * HOUR + 50 * 60):
        pulse.begun(store.db, NOW + away, 4000)
        pulse.beat(store.db, NOW + away)
    now = Reads(store.db).game(7)
    assert now and timing.left(now, NOW + away, timing.of(now, NOW + away, Reads(store.db)))[0] >= pulse.RETRY


@pytest.mark.parametrize(
    ("stage", "until", "due", "after"),
    [
        ("entry", 2, 2, (5, 5)),
        ("entry", 4, 4, (7, 7)),
        ("entry", 5, 5, (5, 5)),  # after the outage
        ("entry", 2, 1, (2, 1)),  # enough have entered
        ("running", 2, 3, (2, 3)),
    ],
)
def test_entry_that_would_have_ended_in_an_outage_goes_on(
    store: Store, stage: str, until: int, due: int, after: tuple[int, int]
) -> None:
    args = (Stages.ENTRY if stage == "entry" else Stages.RUNNING, "roundrobin", "lambo", "1d", 2, 8)
    put(store.db, Tournament(1, "Cup", 1, *args, NOW + until * DAY, NOW, 1, due=NOW + due * DAY))
    pulse.keep(store.db, NOW + DAY, NOW + 4 * DAY)
    found = Reads(store.db).tournament(1)
    assert found and (found.until - NOW, (found.due or 0) - NOW) == (after[0] * DAY, after[1] * DAY)


@pytest.mark.parametrize("ahead", [HOUR, DAY, 40 * DAY, YEAR])
@pytest.mark.parametrize("until", [0, 60, HOUR // 2, DAY, 30 * DAY])
def test_a_clock_that_was_ahead_for_some_minutes_leaves_entry_as_it_was(store: Store, ahead: int, until: int) -> None:
    args = (Stages.ENTRY, "roundrobin", "lambo", "1d", 2, 8)
    put(store.db, Tournament(1, "Cup", 1, *args, NOW + until, NOW, 1, due=NOW + until))
    late = NOW + ahead + 60
    put(store.db, Tournament(2, "Cup", 1, *args, late, NOW, 1, due=late))
    pulse.jumped(store.db, NOW, NOW + ahead)
    pulse.jumped(store.db, NOW + ahead + 600, NOW + 600)
    found, other = Reads(store.db).tournament(1), Reads(store.db).tournament(2)
    assert other and (other.until, other.due) == (NOW + ahead + 60, NOW + ahead + 60), (
        "it would not have ended in the jump"
    )
    assert found and found.due == found.until
    assert found.until - NOW == (until + 600 if until <= 600 else until)  # what is left of the jump is an outage


@pytest.mark.parametrize(("ahead", "end"), [(3, 13), (40, 21)])
@pytest.mark.parametrize("row", [Vacation(1, 1, 0, 0, 10, told=1), Vacation(1, 1, 0, 0, 10, 1, 2)])
def test_a_vacation_that_began_while_the_clock_was_ahead_begins_now(
    store: Store, ahead: int, end: int, row: Vacation
) -> None:
    """It was told as begun, so the time of its player must not run."""
    begin = NOW + ahead * DAY
    put(store.db, row._replace(begin=begin, end=begin + 10 * DAY))
    put(store.db, Vacation(2, 1, begin + 30 * DAY, begin + 32 * DAY, 2))
    pulse.jumped(store.db, begin + 60, NOW)
    one, two = Reads(store.db).vacations(1, 0)
    assert (one.begin, one.end) == (NOW, NOW + end * DAY)
    assert two.begin == begin + 30 * DAY


def test_a_letter_that_waits_for_its_day_waits_a_day_at_most(store: Store) -> None:
    put(store.db, Tournament(1, "Cup", 1, Stages.CANCELLED, "roundrobin", "lambo", "1d", 2, 3, 0, NOW, 1))
    put(store.db, Later(1, 1, 1, NOW + 41 * DAY, "News", "{}"))
    pulse.jumped(store.db, NOW + 40 * DAY, NOW)
    assert store.db.execute("SELECT due FROM later").fetchone() == (NOW,)


def test_a_start_with_a_clock_that_is_a_year_behind(store: Store) -> None:
    """The server was stopped, and the machine's clock was set back meanwhile."""
    game = running(store)
    pulse.beat(store.db, NOW + HOUR)
    pulse.beat(store.db, NOW + HOUR - YEAR)
    after = Reads(store.db).game(game.id)
    assert after and (after.began, after.flag_at) == (NOW + HOUR - YEAR, NOW + HOUR - YEAR + 2 * DAY)
    assert Reads(store.db).pulse() == Pulse(NOW + HOUR - YEAR, 0)


def test_a_ladder_goes_on_after_a_clock_that_was_a_year_ahead(store: Store) -> None:
    """Else nobody falls on it for a year, for nobody is told twice."""
    put(store.db, Tournament(1, "Cup", 1, Stages.RUNNING, "ladder", "lambo", "1d", 2, 8, NOW, NOW, 1))
    put(store.db, Entry(1, 1, NOW, seat=1, told=NOW + YEAR))
    put(store.db, Rung(1, 1, 1, played=NOW - 5, dropped=NOW + YEAR))
    pulse.jumped(store.db, NOW + YEAR, NOW)
    (entry,), (rung,) = Reads(store.db).entries(1), Reads(store.db).rungs(1)
    assert (entry.told, rung.played, rung.dropped) == (NOW, NOW - 5, NOW)
