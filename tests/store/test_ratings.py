"""The ratings in the database are a cache: whatever happens to the games, they are what the games alone would give."""

import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from mailbot.core.effects import Letter, Say
from mailbot.core.games.course import OUT_OF_TIME
from mailbot.core.handle import handle
from mailbot.core.model import DAY, Address, Player, Preference, Ranking, Rated, States
from mailbot.core.ratings import terms
from mailbot.core.ratings.ended import Over, finished
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store import admin, changes, ratings, reads, sweep
from mailbot.store.reads import Reads
from mailbot.store.rows import put, some
from mailbot.store.store import Store
from tests.uncapped import UNCAPPED

NOW = 1_767_225_600
RULES = ("lambo", "lambo", "lambo -unrated", "lambo -size=40", "mambo -mamba", "mambo")
TABLES = ("pool", "ranking", "rated")


class Club:
    """Players 1 to 6, of whom the last two share an address, and an operator."""

    def __init__(self, path: Path, seed: int = 0) -> None:
        self.chance = random.Random(seed)
        self.now = NOW
        self.store = Store.open(path, NOW, b"k" * 32, UNCAPPED)
        self.db = self.store.db
        self.store.begin()
        for number in range(1, 7):
            put(self.db, Player(number, f"player{number}", "active", "", 0, 0, NOW))
            put(self.db, Address(number, number, f"p{min(number, 5)}@example.org", "current", 0, NOW))
            put(self.db, Preference(number, "autovacation", "off"))

    def asks(self, who: int, name: str, game: str = "", **args: object) -> None:
        self.store.enter(Request(self.now, (Asked(name, game, args, who, Proofs.PASSWORD),), who))

    def begins(self, one: int, two: int, said: str = "lambo", clock: str = "none") -> int:
        """A game that both have accepted, by these rules."""
        game, *options = said.split()
        args = {"userid1": f"player{one}", "userid2": f"player{two}", "options": (*options, f"-clock={clock}")}
        self.asks(one, "challenge", game, **args)
        (board,) = self.db.execute("SELECT max(id) FROM game").fetchone()
        self.asks(two, "accept", board=str(board))
        return int(board)

    def moves(self, board: int, plies: int) -> None:
        for _ in range(plies):
            game = Reads(self.db).game(board)
            assert game
            at = replay(variants.parse(game.rules), Reads(self.db).texts(board))
            move = notation.write_move(self.chance.choice(list(islice(legal_moves(at), 20))))
            self.asks(game.player(game.to_move), "move", board=str(board), move=move)

    def over(self, one: int, two: int, said: str = "lambo", plies: int = 2) -> int:
        """A game that the second player has resigned."""
        board = self.begins(one, two, said)
        self.moves(board, plies)
        self.asks(two, "resign", board=str(board))
        return board

    def rings(self, until: int) -> None:
        """Time passes, and what is due is done."""
        while (at := sweep.next_at(self.db)) is not None and at <= until:
            self.now = max(self.now, at)
            self.db.execute("DELETE FROM pulse")
            self.store.enter(Request(self.now, timer=sweep.timers(self.db)[0]))
        self.now = until

    def rules(self, name: str, board: int, **words: str) -> None:
        """The operator does this to a board."""
        admin.do(self.store, name, {"board": str(board), "why": "a mistake", **words}, self.now)

    def boards(self, state: str) -> list[int]:
        return [row[0] for row in self.db.execute("SELECT id FROM game WHERE state = ?", (state,)).fetchall()]

    def step(self) -> None:
        """Anything may happen."""
        self.rings(self.now + self.chance.randrange(4 * 3600))
        what = self.chance.random()
        running, over = self.boards("running"), self.boards("over")
        if what < 0.35 or not running:
            one, two = self.chance.sample(range(1, 4) if self.chance.random() < 0.8 else range(4, 7), 2)
            said = self.chance.choice(RULES)
            board = self.begins(one, two, said, self.chance.choice(("none", "3h", "20h")))
            self.moves(board, self.chance.randrange(4))
        elif what < 0.6:
            board = self.chance.choice(running)
            game = Reads(self.db).game(board)
            assert game
            self.asks(self.chance.choice((game.player1, game.player2)), "resign", board=str(board))
        elif what < 0.7:
            board = self.chance.choice(running)
            game = Reads(self.db).game(board)
            assert game
            self.asks(game.player1, "propose", board=str(board))
            self.asks(game.player2, "accept", board=str(board))
        elif what < 0.75 and over:
            try:
                self.rules(self.chance.choice(("annul", "back")), self.chance.choice(over), plies="0")
            except admin.REFUSALS:
                return
        elif what < 0.8:
            board = self.chance.choice([*running, *over])
            try:
                self.rules("end", board, winner=self.chance.choice(("1", "2", "draw")))
            except admin.REFUSALS:
                return

    def tables(self) -> list[list[tuple[object, ...]]]:
        return [self.db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES]

    def unrated(self, board: int) -> str:
        """Why this game was not to be rated from its beginning."""
        (why,) = self.db.execute("SELECT unrated FROM game WHERE id = ?", (board,)).fetchone()
        return str(why)

    def rated(self, board: int) -> Rated:
        (row,) = some(self.db, Rated, "game = ?", board)
        return row


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    made = Club(tmp_path / "db")
    yield made
    made.store.rollback()
    made.store.close()


@pytest.mark.parametrize("seed", range(3))
def test_thrown_away_and_rebuilt_bit_for_bit(seed: int, tmp_path: Path) -> None:
    club = Club(tmp_path / "db", seed)
    for _ in range(200):
        club.step()
    kept = club.tables()
    found = some(club.db, Rated, "1 ORDER BY place")
    assert len(found) > 15
    assert len({row.unrated for row in found}) >= 2, "rated, too short"
    often = "SELECT count(*) FROM game WHERE unrated = ?"
    assert club.db.execute(often, (terms.OFTEN,)).fetchone()[0], "too often"
    for table in TABLES:
        club.db.execute(f"DELETE FROM {table}")
    assert ratings.refold(club.db).wrong
    assert club.tables() == kept
    assert ratings.refold(club.db).wrong == 0
    club.store.rollback()
    club.store.close()


def test_ratings_are_rebuilt_in_parts(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever comes between: a page that is undone, a crash, games that end, and another correction."""
    monkeypatch.setattr(ratings, "_PAGE", ratings._PAGE.replace(f"LIMIT {ratings.PAGE}", "LIMIT 3"))
    monkeypatch.setattr(ratings, "PAGE", 3)

    def mark() -> list[int]:
        return [place for (place,) in club.db.execute("SELECT place FROM refold").fetchall()]

    def page() -> None:
        (timer,) = (one for one in sweep.timers(club.db) if one.kind == "refold")
        club.store.enter(Request(club.now, timer=timer))

    boards = [
        club.over(*pair, said) for said in ("lambo", "mambo") for pair in ((1, 2), (3, 1), (2, 4), (4, 3), (5, 1))
    ]
    club.rules("annul", boards[0])
    assert mark() == [3], "the first part is done at once"
    page()
    assert mark() == [6]
    club.db.execute("SAVEPOINT undone")
    page()
    club.db.execute("ROLLBACK TO undone")
    assert mark() == [6]
    club.over(2, 3)
    page()
    assert mark() == [3], "it begins anew"
    page()
    club.store._refolding = None  # a crash
    page()
    assert mark() == [3]
    page()
    club.rules("annul", boards[1])
    assert mark() == [3]
    club.rings(club.now)
    assert mark() == []
    assert ratings.refold(club.db).wrong == 0


def test_an_upgrade_computes_the_ratings_anew(club: Club) -> None:
    changes.advantage_among_people(club.db)
    assert not [one for one in sweep.timers(club.db) if one.kind == "refold"], "there is nothing to compute"
    club.over(1, 2)
    kept = club.tables()
    club.db.execute("UPDATE pool SET games = games + 7, score = score + 7")  # of games with the computer
    changes.advantage_among_people(club.db)
    club.rings(club.now)
    assert club.tables() == kept
    assert not [one for one in sweep.timers(club.db) if one.kind == "refold"]


def test_games_are_read_by_an_index(club: Club) -> None:
    """Without it each page would read all games again."""
    plan = club.db.execute(f"EXPLAIN QUERY PLAN {ratings._PAGE}", (0,)).fetchall()
    assert "INDEX game_place" in plan[0][-1]


def test_what_differs_is_named_and_repaired(club: Club) -> None:
    board = club.over(1, 2)
    kept = club.tables()
    club.db.execute("UPDATE ranking SET rating = rating + 1e-12 WHERE player = 1")
    club.db.execute("UPDATE rated SET unrated = 'x'")
    club.db.execute("DELETE FROM pool")
    games, wrong, named = ratings.refold(club.db)
    assert (games, wrong) == (1, 5)
    assert {type(row).__name__ for row in named} == {"Pool", "Ranking", "Rated"}
    assert club.tables() == kept
    assert club.rated(board).after1 == pytest.approx(1662.31, abs=0.01)


def test_a_game_set_back_takes_its_change_back(club: Club) -> None:
    club.over(1, 2)
    before = club.tables()
    board = club.over(1, 3)
    club.over(2, 3, "mambo")
    club.rules("back", board, plies="1")
    assert [row[0] for row in club.tables()[2]] == [1, 3]
    game = Reads(club.db).game(board)
    assert game and game.place == 0
    assert club.tables()[1][0] == before[1][0], "as if it had never ended"
    club.asks(3, "resign", board=str(board))
    assert club.rated(board).place == 4
    assert ratings.refold(club.db).wrong == 0


def test_an_annulled_game_counts_for_nobody_and_one_with_a_ruling_is_not_rated(club: Club) -> None:
    board = club.over(1, 2)
    club.rules("annul", board)
    assert club.tables() == [[], [], []]
    club.rules("end", board, winner="1")
    assert [row[-3:-1] for row in club.tables()[1]] == [(1, 0), (1, 0)]
    assert club.tables()[2] == []


def test_several_games_end_at_once(club: Club) -> None:
    """Somebody leaves: each game that is given up goes on top of the one before."""
    boards = [club.begins(1, 2), club.begins(3, 1), club.begins(4, 1)]
    for board in boards:
        club.moves(board, 2)
    leaves = Asked("erase", by=1, proof=Proofs.TOKEN, line="delete")
    club.store.enter(Request(club.now, (leaves,), 1, token=("D", club.now // 3600, 0)))
    changes = [club.rated(board) for board in boards]
    assert [row.place for row in changes] == [1, 2, 3]
    assert changes[1].before2 == changes[0].after1 < 1500
    assert changes[2].before2 == changes[1].after2 < changes[1].before2
    assert Reads(club.db).ranking(1, "lambo"), "the rating stays, under the pseudonym"
    assert ratings.refold(club.db).wrong == 0


def test_accounts_of_one_address_are_not_rated(club: Club) -> None:
    board = club.over(5, 6)
    game = Reads(club.db).game(board)
    assert game and game.unrated == terms.TOGETHER
    assert club.tables()[2] == []


def test_the_fifth_game_of_two_players_within_30_days(club: Club) -> None:
    boards = [club.over(1, 2) for _ in range(5)]
    assert [club.unrated(board) for board in boards] == [""] * 4 + [terms.OFTEN]
    club.now += 30 * DAY
    assert not club.rated(club.over(2, 1)).unrated


def test_the_order_of_the_ends_frees_no_game_of_being_rated(club: Club) -> None:
    """The tricks: resign new games at once and then the lost one; begin many and end first those that are won."""
    lost = club.begins(1, 2)
    club.moves(lost, 2)
    for _ in range(4):
        club.asks(2, "resign", board=str(club.begins(1, 2)))
    club.asks(2, "resign", board=str(lost))
    assert club.rated(lost).unrated == ""
    many = [club.begins(1, 2, said) for said in ("lambo", "mambo", "lambo", "palago")]
    assert [club.unrated(board) for board in many] == ["", "", "", terms.OFTEN]
    assert club.unrated(club.begins(1, 3)) == ""


def test_players_of_one_mailbox_are_one_opponent(club: Club) -> None:
    """Accounts without end at one address could lose to one at another."""
    put(club.db, Address(9, 1, "p1.further@gmail.com", "current", 0, NOW))
    put(club.db, Address(10, 2, "P1Further+x@gmail.com", "suspended", 0, NOW))
    put(club.db, Address(11, 3, "p1@gmail.com", "current", 0, NOW))
    boards = [club.over(4, 5), club.begins(6, 4), club.over(5, 4), club.begins(4, 6), club.begins(4, 5)]
    assert [club.unrated(board) for board in boards] == [""] * 4 + [terms.OFTEN]
    assert club.unrated(club.begins(4, 3)) == ""
    mates = {player: Reads(club.db).mates(player, club.now) for player in (1, 2, 3, 5)}
    assert mates == {1: {1, 2}, 2: {1, 2}, 3: {3}, 5: {5, 6}}
    club.now += 30 * DAY
    assert club.unrated(club.begins(4, 5)) == "", "two that ended are older, two are being played"


def test_mailboxes_and_pairs_are_read_by_indexes(club: Club) -> None:
    """However many players and games there are."""
    asked = {reads._NEAR: ("a", "b"), reads._RATED_BETWEEN: ("[1]", "[2]", 0, 4)}
    for sql, words in asked.items():
        plan = " ".join(row[-1] for row in club.db.execute(f"EXPLAIN QUERY PLAN {sql}", words).fetchall())
        assert "INDEX" in plan and not re.search(r"SCAN (?!json_each|CONSTANT)", plan), plan


def test_two_who_have_come_together_in_one_mailbox_since_the_offer(club: Club) -> None:
    options = ("-clock=none",)
    club.asks(1, "challenge", "lambo", userid1="player1", userid2="player2", options=options)
    put(club.db, Address(9, 2, "P1+games@example.org", "current", 0, NOW))
    club.asks(2, "accept", board="1")
    assert club.unrated(1) == terms.TOGETHER
    (facts,) = club.db.execute("SELECT facts FROM outbox WHERE player = 1 ORDER BY id DESC LIMIT 1").fetchone()
    assert terms.TOGETHER in facts, "the first letter of the game says so"


def test_only_the_first_of_several_losses_on_time(club: Club) -> None:
    boards = [club.begins(1, other, "lambo", "3h") for other in (2, 3)]
    for board in boards:
        club.moves(board, 2)
    club.rings(club.now + DAY)
    assert [club.rated(board).flagged for board in boards] == [1, 1]
    assert [club.rated(board).unrated for board in boards] == [
        "",
        "its loser had lost another game on time less than 48 hours before",
    ]


def test_a_loss_on_time_to_the_computer_frees_no_other_loss() -> None:
    """The trick: lose a short game to the computer now and then, and let each lost game run out of time."""
    game = Over(7, 1, 2, States.OVER, 12, 2, f"player1 {OUT_OF_TIME}", NOW, "lambo", "", 1)
    ended_with = {other: finished(game._replace(player2=other)) for other in (2, -5)}
    assert {other: one and one.flagged for other, one in ended_with.items()} == {2: 1, -5: None}


def test_a_rematch_is_offered_on_the_same_terms(club: Club) -> None:
    board = club.over(1, 2, "lambo -unrated")
    club.asks(2, "rematch", board=str(board))
    (why,) = club.db.execute("SELECT unrated FROM game WHERE id = ?", (board + 1,)).fetchone()
    assert why == "it was offered with -unrated"


LIMITS = [("1500-1700", "lambo", True), ("1200-1400", "lambo", False), ("1200-1400", "lambo -size=40", False)]


@pytest.mark.parametrize(("span", "said", "welcome"), LIMITS)
def test_who_may_challenge(span: str, said: str, welcome: bool, club: Club) -> None:
    """Games that have no category count by the rating of the game without options; no rating counts as 1500."""
    club.over(1, 2)
    put(club.db, Preference(3, "rating", span))
    before = len(club.boards("offered"))
    game, *options = said.split()
    args = {"userid1": "player1", "userid2": "player3", "options": tuple(options)}
    club.asks(1, "challenge", game, **args)
    assert len(club.boards("offered")) - before == welcome


def standings(club: Club, *options: str) -> Letter:
    asked = Asked("standings", "lambo", {"options": options}, 1, Proofs.PASSWORD)
    (said,) = handle(Request(club.now, (asked,), 1), asked, Reads(club.db))
    assert isinstance(said, Say)
    return said.letter


def test_standings(club: Club) -> None:
    """Only sure ratings are ranked; equal ones share a place; who has left is not in the list."""
    put(club.db, Player(7, "gone-7", "gone", "", 0, 0, NOW))
    rows = [(1, 1600.4, 60), (2, 1599.6, 70), (3, 1700, 111), (4, 1550, 110), (7, 1900, 50), (-2, 1650, 45)]
    for player, value, rd in rows:
        put(club.db, Ranking(player, "lambo", value, rd, 0.06, NOW, 30, 29, value))
    put(club.db, Ranking(5, "lambo", 1500, 350, 0.06, 0, 1, 0, 0))
    facts = standings(club).facts
    places = [(row["place"], row["userid"], row["computer"]) for row in facts["rows"]]
    assert places == [(1, "uct2", True), (2, "player1", False), (2, "player2", False), (4, "player4", False)]
    assert facts["provisional"] == 1
    assert [row["userid"] for row in standings(club, "-people").facts["rows"]] == ["player1", "player2", "player4"]
    assert standings(club, "-wins").template == "standings"
    club.now += 500 * DAY
    aged = standings(club).facts
    assert (aged["rows"], aged["provisional"]) == ([], 5), "after so long without a game none is sure"


def test_a_move_asks_nothing_of_the_ratings(club: Club) -> None:
    board = club.begins(1, 2)
    club.moves(board, 1)
    asked: list[str] = []
    club.db.conn.set_trace_callback(asked.append)
    club.moves(board, 1)
    club.db.conn.set_trace_callback(None)
    assert asked
    assert [sql for sql in asked if any(word in sql for word in ("ranking", "rated ", "pool", "max(place)"))] == []
