"""A year of play with a clock that is an argument: the server and a naive bookkeeper agree on every second.

Players come and go at random, take vacations, have weekends and time zones whose clocks change; the server crashes
between steps and is down twice for three days.
"""

import random
from itertools import islice
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from mailbot.core.games import timing
from mailbot.core.model import Address, Player, Preference
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store import pulse, sweep
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store
from tests.store.bookkeeper import DAY, Board, Bookkeeper, Person
from tests.uncapped import UNCAPPED

BEGIN = 1_767_225_600 + 9 * 3600
"""1 January 2026, 09:00 UTC."""

HOUR = 3600
CLOCKS = {"1d+6h/2d": (DAY, 6 * HOUR, 2 * DAY), "3d": (3 * DAY, 0, 0), "2d+12h": (2 * DAY, 12 * HOUR, 0)}
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")


class Year:
    """The server, its players and the bookkeeper."""

    def __init__(self, path: Path, seed: int, people: int) -> None:
        self.path = path
        self.chance = random.Random(seed)
        self.book = Bookkeeper()
        self.now = BEGIN
        self.store = Store.open(path, BEGIN, b"k" * 32, UNCAPPED)
        self.store.begin()
        for number in range(1, people + 1):
            automatic = self.chance.random() < 0.6
            put(self.store.db, Player(number, f"player{number}", "active", "", 0, 0, BEGIN))
            put(self.store.db, Address(number, number, f"p{number}@example.org", "current", 0, BEGIN))
            if not automatic:
                put(self.store.db, Preference(number, "autovacation", "off"))
            zone = self.chance.choice(ZONES)
            if zone != "UTC":
                put(self.store.db, Preference(number, "timezone", zone))
            self.book.people[number] = Person(automatic, zone)
        self.store.commit()

    def enter(self, request: Request) -> None:
        """One step in a transaction of its own; sometimes the server dies before or after the commit."""
        if self.chance.random() < 0.05:
            self.store.begin()
            self.store.enter(request)
            self.restart()
        self.store.begin()
        self.store.enter(request)
        self.store.commit()
        if self.chance.random() < 0.05:
            self.restart()

    def restart(self) -> None:
        self.store.rollback()
        self.store.close()
        self.store = Store.open(self.path, self.now, b"k" * 32, UNCAPPED)

    def asks(self, who: int, name: str, **args: object) -> None:
        self.enter(Request(self.now, (Asked(name, "", args, who, Proofs.PASSWORD),), who))
        self.book.people[who].in_a_row = 0

    def to(self, then: int) -> None:
        """Time passes until then, and what is due is done a minute late at most."""
        while (at := sweep.next_at(self.store.db)) is not None and at <= then:
            self.now = max(self.now, at)
            self.well()
            self.enter(Request(self.now, timer=sweep.timers(self.store.db)[0]))
        self.now = max(self.now, then)
        self.well()
        late = "SELECT 1 FROM game WHERE flag_at BETWEEN ? AND ?"
        while self.store.db.execute(late, (self.now - 60, self.now)).fetchone():
            self.to(self.now + 61)
        self.book.until(self.now)

    def well(self) -> None:
        """As if the ticker had noted every minute that the server is there."""
        self.store.begin()
        self.store.db.execute("DELETE FROM pulse")
        self.store.db.execute("INSERT INTO pulse (alive, stuck) VALUES (?, 0)", (self.now,))
        self.store.commit()

    def outage(self, seconds: int) -> None:
        begin = self.now
        self.now += seconds
        self.store.begin()
        pulse.beat(self.store.db, self.now)
        self.store.commit()
        self.book.outages.append((begin, self.now))

    def begins(self, clock: str, weekends: bool) -> None:
        one, two = self.chance.sample(sorted(self.book.people), 2)
        options = ("-size=40", f"-clock={clock}", *(("-noweekends",) if weekends else ()))
        names = {"userid1": f"player{one}", "userid2": f"player{two}"}
        asked = Asked("challenge", "lambo", {**names, "options": options}, one, Proofs.PASSWORD)
        self.enter(Request(self.now, (asked,), one))
        (board,) = self.store.db.execute("SELECT max(id) FROM game").fetchone()
        self.asks(two, "accept", board=str(board))
        self.book.people[one].in_a_row = 0
        start = CLOCKS[clock][0]
        self.book.boards[board] = Board((one, two), CLOCKS[clock], weekends, self.now, [start, start])

    def moves(self, board: int) -> None:
        reads = Reads(self.store.db)
        game = reads.game(board)
        assert game
        position = replay(variants.parse(game.rules), reads.texts(board))
        move = self.chance.choice(list(islice(legal_moves(position), 60)))
        self.asks(game.player(game.to_move), "move", board=str(board), move=notation.write_move(move))
        self.book.moves(board, self.now)
        after = Reads(self.store.db).game(board)
        self.book.boards[board].ended = after is not None and after.state == "over"

    def vacation(self, who: int) -> None:
        days = self.chance.randrange(1, 5)
        person = self.book.people[who]
        if self.chance.random() < 0.5:
            words, begin, end = (str(days),), self.now, self.now + days * DAY
        else:  # days of the calendar, on some of which clocks change
            dates, begin, end = person.dates(self.now + self.chance.randrange(1, 20) * DAY, days)
            words = dates
        if any(first <= end and begin <= last for first, last in person.away):
            return
        if person.left(2026) >= days and end < BEGIN + 350 * DAY:
            self.asks(who, "vacation", when=words)
            person.away.append((begin, end))

    def agree(self) -> None:
        """The server and the bookkeeper say the same of every board."""
        reads = Reads(self.store.db)
        for number, board in self.book.boards.items():
            game = reads.game(number)
            assert game
            assert (game.state == "over") == board.ended, number
            if board.ended and board.flag is None:
                assert "time" not in game.reason
                continue
            left = list(timing.left(game, self.now, timing.of(game, self.now, reads)))
            if board.flag is None:
                mine = [*board.left]
                mine[board.mover] = max(0, mine[board.mover] - self.book.used(board, self.now))
                assert left == mine, number
                continue
            assert (game.began, left) == (board.flag[1], board.left), number
            assert game.winner == (None if board.turns < 2 else 2 - board.flag[0]), number
            sql = "SELECT count(*) FROM outbox WHERE thread = ? AND json_extract(facts, '$.event') = 'flag'"
            assert self.store.db.execute(sql, (f"board-{number}",)).fetchone() == (2,), number

    def play(self, games: int) -> None:
        outages = sorted(self.chance.sample(range(20, 300), 2))
        for day in range(340):
            self.to(BEGIN + day * DAY + self.chance.randrange(HOUR))
            if day in outages:
                self.outage(3 * DAY)
            missing = games - len(self.book.boards)
            if missing and (self.chance.random() < games / 200 or missing >= 300 - day):
                self.begins(self.chance.choice(sorted(CLOCKS)), self.chance.random() < 0.4)
            for who in self.book.people:
                if self.chance.random() < 0.01:
                    self.vacation(who)
            for number, board in sorted(self.book.boards.items()):
                if not board.ended and self.chance.random() < 0.45:
                    self.to(self.now + self.chance.randrange(1, 2 * HOUR))
                    if not board.ended:
                        self.moves(number)
            if day % 10 == 0:
                self.agree()
        self.agree()
        self.store.close()


def check(year: Year, games: int) -> None:
    year.play(games)
    assert len(year.book.boards) == games
    assert any(board.flag for board in year.book.boards.values())
    assert any(person.away for person in year.book.people.values())


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_a_year_of_ten_games(seed: int, tmp_path: Path) -> None:
    check(Year(tmp_path / "year.sqlite", seed, 6), 10)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3, 253))
def test_a_year_of_twenty_games(seed: int, tmp_path: Path) -> None:
    """5,000 games in all."""
    check(Year(tmp_path / "year.sqlite", seed, 12), 20)
