"""What players allow, and what others are told who ask; the reads behind lists and standings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mailbot.core.effects import Effect, Post, Put, Say
from mailbot.core.handle import handle
from mailbot.core.model import DAY, Address, Game, Kept, Player, Preference, Seek
from mailbot.core.players.limits import MOST
from mailbot.core.world import Asked, Request
from mailbot.store import rows
from mailbot.store.reads import Reads
from mailbot.store.store import Store

NOW = 1_772_000_000
ANN, BOB, CAT = 1, 2, 3
NOBODY = "No challenge was made: nobody called '{}' can be challenged here."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "db", NOW, b"k" * 32)
    store.begin()
    for number, userid in ((ANN, "ann"), (BOB, "bob"), (CAT, "cat")):
        rows.put(store.db, Player(number, userid, "active", "", 1, 1, NOW))
        rows.put(store.db, Address(number, number, f"{userid}@example.org", "current", 0, NOW))
    yield store
    store.rollback()
    store.close()


def board(number: int, one: int, two: int, state: str = "running", *, agreed: int = 3, seek: int = 0) -> Game:
    winner = 1 if state == "over" else None
    to_move = int(state == "running")
    return Game(number, "lambo", one, two, state, agreed, 0, to_move, winner, "", NOW, NOW, seek=seek)


def said(effects: list[Effect]) -> list[str]:
    """The sentence of a refusal, else the templates of the letters and the states of the games."""
    told = []
    for effect in effects:
        if isinstance(effect, Say):
            told.append(
                str(effect.letter.facts["said"] if effect.letter.template == "refused" else effect.letter.template)
            )
        elif isinstance(effect, Post):
            told.append(f"{effect.kind} to {effect.player}")
        elif isinstance(effect, Put) and isinstance(effect.row, Game):
            told.append(effect.row.state)
    return told


def challenge(store: Store, opponent: str = "bob", proof: str = "password") -> list[str]:
    args = {"userid1": "ann", "userid2": opponent, "options": ()}
    asked = Asked("challenge", "lambo", args, ANN, proof)
    return said(handle(Request(NOW, (asked,)), asked, Reads(store.db)))


ASKED = ["offered", "offer", "offer to 2"]
BEGUN = ["running", "board", "game to 2"]
LIMIT = "Your limit is {} boards at once, and you have reached it."
FULL = [board(1, BOB, CAT), board(2, CAT, BOB, "offered", agreed=2)]

CHALLENGES: list[tuple[str, list[Kept], list[str]]] = [
    ("nothing set", [], ASKED),
    ("another game refused", [Preference(BOB, "accept mambo", "no")], ASKED),
    ("this game refused", [Preference(BOB, "accept lambo", "no")], [NOBODY.format("bob")]),
    (
        "refused, though at once",
        [Preference(BOB, "accept lambo", "no"), Preference(BOB, "accept all", "yes")],
        [NOBODY.format("bob")],
    ),
    ("blocked", [Preference(BOB, "block ann", "Ann")], [NOBODY.format("bob")]),
    ("blocked the other way", [Preference(ANN, "block bob", "bob")], ASKED),
    ("limit reached", [*FULL, Preference(BOB, "limit", "2")], [NOBODY.format("bob")]),
    ("limit not reached", [*FULL, Preference(BOB, "limit", "3")], ASKED),
    (
        "offers of others do not fill it",
        [board(1, CAT, BOB, "offered", agreed=1), Preference(BOB, "limit", "1")],
        ASKED,
    ),
    ("finished boards do not fill it", [board(1, CAT, BOB, "over"), Preference(BOB, "limit", "1")], ASKED),
    ("no limit", [*FULL, Preference(BOB, "limit", "none")], ASKED),
    ("so many that there is no room", [board(n, BOB, CAT) for n in range(1, MOST + 1)], [NOBODY.format("bob")]),
    ("one less", [board(n, BOB, CAT) for n in range(1, MOST)], ASKED),
    ("own boards, too", [board(n, ANN, CAT) for n in range(1, MOST + 1)], [LIMIT.format(MOST)]),
    ("own limit", [board(1, ANN, CAT), Preference(ANN, "limit", "1")], [LIMIT.format(1)]),
    ("locked", [Player(BOB, "bob", "locked", "", 1, 1, NOW)], [NOBODY.format("bob")]),
    ("at once", [Preference(BOB, "accept all", "yes")], BEGUN),
    (
        "at once, twice before",
        [Preference(BOB, "accept all", "yes"), board(1, ANN, BOB), board(2, BOB, ANN, "over")],
        BEGUN,
    ),
    (
        "at once, but too many",
        [
            Preference(BOB, "accept all", "yes"),
            board(1, ANN, BOB),
            board(2, BOB, ANN, "over"),
            board(3, ANN, BOB, "over"),
        ],
        ASKED,
    ),
]


@pytest.mark.parametrize(("kept", "told"), [row[1:] for row in CHALLENGES], ids=[row[0] for row in CHALLENGES])
def test_challenge(store: Store, kept: list[Kept], told: list[str]) -> None:
    for row in kept:
        rows.put(store.db, row)
    assert challenge(store) == told


def test_refusals_read_as_for_nobody(store: Store) -> None:
    assert challenge(store, "nobody") == [NOBODY.format("nobody")]


def test_an_unproved_challenge_starts_nothing_at_once(store: Store) -> None:
    rows.put(store.db, Preference(BOB, "accept all", "yes"))
    assert challenge(store, proof="from") == ["offered", "offer"]


def accept(store: Store, by: int) -> list[str]:
    asked = Asked("accept", "", {"board": "1"}, by, "password")
    return said(handle(Request(NOW, (asked,)), asked, Reads(store.db)))


ACCEPTS: list[tuple[str, list[Kept], int, list[str]]] = [
    ("asked", [board(1, ANN, BOB, "offered", agreed=1)], BOB, ["running", "board", "game to 1"]),
    (
        "own limit",
        [board(1, ANN, BOB, "offered", agreed=1), *[board(2, BOB, CAT)], Preference(BOB, "limit", "1")],
        BOB,
        [LIMIT.format(1)],
    ),
    (
        "challenger full since",
        [board(1, ANN, BOB, "offered", agreed=1), Preference(ANN, "limit", "1")],
        BOB,
        ["running", "board", "game to 1"],
    ),
    (
        "unproved, other refuses since",
        [board(1, ANN, BOB, "offered", agreed=0), Preference(BOB, "accept lambo", "no")],
        ANN,
        [NOBODY.format("bob")],
    ),
    (
        "unproved, other takes all",
        [board(1, ANN, BOB, "offered", agreed=0), Preference(BOB, "accept all", "yes")],
        ANN,
        BEGUN,
    ),
    ("unproved, other is asked", [board(1, ANN, BOB, "offered", agreed=0)], ANN, ASKED),
]


@pytest.mark.parametrize(("kept", "by", "told"), [row[1:] for row in ACCEPTS], ids=[row[0] for row in ACCEPTS])
def test_accept(store: Store, kept: list[Kept], by: int, told: list[str]) -> None:
    for row in kept:
        rows.put(store.db, row)
    assert accept(store, by) == told


def take(store: Store, by: int = BOB, now: int = NOW) -> list[str]:
    asked = Asked("take", "", {"n": "1"}, by, "password")
    return said(handle(Request(now, (asked,)), asked, Reads(store.db)))


def open_offer(keep: int = 2, created: int = NOW, first: str = "") -> Seek:
    return Seek(1, ANN, "lambo", keep, created, first)


TAKEN = ["running", "board", "game to 1"]
GONE = ["There is no open offer 1. To see the open offers, send: seeks"]
BUSY = ["Open offer 1 cannot be taken at the moment: ann is busy."]

TAKES: list[tuple[str, list[Kept], list[str]]] = [
    ("free", [open_offer()], TAKEN),
    ("one from it runs", [open_offer(), board(7, ANN, CAT, seek=1)], TAKEN),
    ("two from it run", [open_offer(), board(7, ANN, CAT, seek=1), board(8, CAT, ANN, seek=1)], BUSY),
    ("one of two is over", [open_offer(), board(7, ANN, CAT, seek=1), board(8, CAT, ANN, "over", seek=1)], TAKEN),
    ("boards from elsewhere do not count", [open_offer(1), board(7, ANN, CAT), board(8, CAT, ANN, seek=9)], TAKEN),
    ("seeker's limit", [open_offer(), board(7, ANN, CAT), Preference(ANN, "limit", "1")], BUSY),
    ("taker's limit", [open_offer(), board(7, BOB, CAT), Preference(BOB, "limit", "1")], [LIMIT.format(1)]),
    ("blocked", [open_offer(), Preference(ANN, "block bob", "bob")], GONE),
    ("seeker locked", [open_offer(), Player(ANN, "ann", "locked", "", 1, 1, NOW)], GONE),
    ("too old", [open_offer(created=NOW - 60 * DAY)], GONE),
    ("nearly too old", [open_offer(created=NOW - 60 * DAY + 1)], TAKEN),
]


@pytest.mark.parametrize(("kept", "told"), [row[1:] for row in TAKES], ids=[row[0] for row in TAKES])
def test_take(store: Store, kept: list[Kept], told: list[str]) -> None:
    for row in kept:
        rows.put(store.db, row)
    assert take(store) == told


@pytest.mark.parametrize(
    ("first", "before", "players"),
    [("", 0, (ANN, BOB)), ("", 1, (BOB, ANN)), ("me", 1, (ANN, BOB)), ("you", 0, (BOB, ANN)), ("you", 1, (BOB, ANN))],
)
def test_who_moves_first(store: Store, first: str, before: int, players: tuple[int, int]) -> None:
    for number in range(before):
        rows.put(store.db, board(number + 1, CAT, ANN))
    rows.put(store.db, open_offer(first=first))
    asked = Asked("take", "", {"n": "1"}, BOB, "password")
    effects = handle(Request(NOW, (asked,)), asked, Reads(store.db))
    (game,) = [effect.row for effect in effects if isinstance(effect, Put) and isinstance(effect.row, Game)]
    assert ((game.player1, game.player2), game.seek, game.agreed, game.started) == (players, 1, 3, NOW)


def finished(number: int, one: int, two: int, winner: int | None, rules: str = "lambo") -> Game:
    return Game(number, rules, one, two, "over", 3, 9, 0, winner, "", NOW, NOW)


def test_standings(store: Store) -> None:
    """Draws count for both, a game without a result for nobody, a running game not yet; '_' is no wildcard."""
    games = [
        finished(1, ANN, BOB, 1),
        finished(2, BOB, ANN, 2, "lambo -size=20"),
        finished(3, ANN, CAT, 0),
        finished(4, CAT, BOB, 1, "mambo -mamba"),
        finished(5, CAT, BOB, None),
        board(6, CAT, BOB),
        finished(7, BOB, CAT, 1, "lambos"),
    ]
    for game in games:
        rows.put(store.db, game)
    reads = Reads(store.db)
    assert [tuple(row) for row in reads.standings("lambo")] == [
        ("ann", 2, 0, 1, 2),
        ("cat", 0, 0, 1, 0),
        ("bob", 0, 2, 0, 0),
    ]
    assert [tuple(row) for row in reads.standings("mambo -mamba")] == [("cat", 1, 0, 0, 1), ("bob", 0, 1, 0, 0)]
    assert [tuple(row) for row in reads.standings("l_mbo")] == []
    assert sum(row.won for row in reads.standings("")) == 4


def test_nobody_leads_the_table_by_beating_the_same_player_again_and_again(store: Store) -> None:
    """A second account at one's own address loses as often as one likes."""
    games = [
        finished(number, *((BOB, CAT) if number % 2 else (CAT, BOB)), 1 + (number % 2 == 0)) for number in range(30)
    ]
    games += [finished(100 + number, ANN, BOB, 1) for number in range(6)]
    games += [finished(200 + number, ANN, CAT, 1) for number in range(5)]
    for game in games:
        rows.put(store.db, game)
    found = Reads(store.db).standings("")
    assert [(row.userid, row.won, row.counted) for row in found] == [("ann", 11, 11), ("bob", 30, 10), ("cat", 0, 0)]
    for state in ("gone", "locked"):
        store.db.execute("UPDATE player SET state = ? WHERE id = ?", [state, BOB])
        assert [row.userid for row in Reads(store.db).standings("")] == ["ann", "cat"]


def test_running(store: Store) -> None:
    for number, (rules, changed) in enumerate([("lambo", 5), ("lambo -size=9", 3), ("palago", 1), ("mambo", 4)], 1):
        game = Game(number, rules, ANN, BOB, "running", 3, 0, 1, None, "", NOW, NOW + changed)
        rows.put(store.db, game)
    rows.put(store.db, board(9, ANN, BOB, "offered"))
    reads = Reads(store.db)
    assert [game.id for game in reads.running((), 9)] == [3, 2, 4, 1]
    assert [game.id for game in reads.running((), 2)] == [3, 2]
    assert [game.id for game in reads.running(("lambo", "mambo"), 9)] == [2, 4, 1]
    assert [game.id for game in reads.running(("lambo -size=9",), 9)] == [2]
    assert [game.id for game in reads.running(("lambo -size=",), 9)] == []
