"""What may be asked of the database about tournaments (mailbot.core.world.Contests)."""

from sqlite_utils import Database

from mailbot.core.contests import Entry, Fixture, Later, Logged, Overruled, Rung, Stage, Stages, Tournament
from mailbot.core.effects import Kinds
from mailbot.core.hosting.entries import BACK_DAYS
from mailbot.core.mail.addresses import mailbox_key
from mailbot.core.model import DAY, Address, Analysis, Game, Rated, States
from mailbot.store.connection import rows_of
from mailbot.store.rows import one, some

_AHEAD = ", ".join(f"'{stage}'" for stage in Stages.OPEN)

_PLAYING = f"event > 0 AND event = ? AND state = '{States.RUNNING}'"
"""The words of the index that serves it."""

_BACK = """
SELECT 1 FROM fixture JOIN tournament ON tournament.id = fixture.tournament AND stage IN ({stages})
WHERE fixture.game > 0 AND fixture.game = {table}.game AND fixture.void = 1 AND (
    SELECT min(entry.left > ?1 AND player.state <> 'gone'
        AND NOT EXISTS (SELECT 1 FROM fixture AS other WHERE other.tournament = entry.tournament
            AND other.at >= entry.left AND entry.seat NOT IN (other.first, other.second)){themselves})
    FROM entry JOIN player ON player.id = entry.player
    WHERE entry.tournament = fixture.tournament AND entry.seat IN (first, second) AND stopped IS NOT NULL)
"""
_THEMSELVES = """
        AND NOT EXISTS (SELECT 1 FROM logged WHERE logged.tournament = entry.tournament AND logged.player = entry.player
            AND (what = 'returned' OR (what = 'withdrew' AND logged.at = entry.left AND logged.by <> entry.player)))"""
_COMES_BACK = _BACK.format(stages="'running'", table="rated", themselves=_THEMSELVES)
"""Whether this rated game runs again if all of its players who have withdrawn come back, and all may: once, by
themselves, and until games are paired without them (hosting/withdrawals.py)."""
_BROUGHT_BACK = _BACK.format(stages="'running', 'cancelled'", table="analysis", themselves="")
"""The same of the game of an analysis, also if only the operator can bring the players back."""

_VOID = """
SELECT fixture.game FROM entry JOIN tournament ON tournament.id = entry.tournament AND stage = 'running'
JOIN fixture ON fixture.tournament = entry.tournament AND entry.seat IN (first, second) AND void = 1 AND game > 0
WHERE entry.player = ?2 AND EXISTS (
    SELECT 1 FROM entry AS other WHERE other.tournament = entry.tournament AND other.left > ?1)
"""
"""The games of a player that a withdrawal has ended, in the tournaments from which somebody has withdrawn lately."""


class ContestReads:
    """The reads of tournaments over one connection."""

    db: Database

    def tournament(self, tournament: int) -> Tournament | None:
        return one(self.db, Tournament, "id = ?", tournament) if tournament < 1 << 62 else None

    def seen_as(self, tournament: int) -> tuple[object, ...]:
        """Changes whenever a page of the tournament does. Of many games it costs a hundredth of reading them."""
        games = "SELECT count(*), max(changed), sum(ply), sum((coalesce(winner, -1) + 2) * id) FROM game"
        paired = "SELECT count(*), max(number), sum(void), sum(game > 0) FROM fixture WHERE tournament = ?"
        entered = (
            "SELECT count(*), sum(seat * coalesce(stopped, -1)), group_concat(userid) FROM entry"
            " JOIN player ON player.id = entry.player WHERE tournament = ?"
        )
        rungs = "SELECT sum(place * seat), sum(wins) FROM rung WHERE tournament = ?"
        acts = "SELECT max(id) FROM logged WHERE tournament = ?"
        asked = (f"{games} WHERE event > 0 AND event = ?", paired, entered, rungs, acts)
        found = (rows_of(self.db, sql, (tournament,))[0] for sql in asked)
        left = rows_of(self.db, "SELECT count(*), max(at) FROM retired", ())[0]  # a director, or somebody in the log
        return (self.tournament(tournament), left, *found)

    def tournaments(self, stages: tuple[Stage, ...], most: int) -> list[Tournament]:
        marks = ", ".join("?" * len(stages))
        return some(self.db, Tournament, f"stage IN ({marks}) ORDER BY id DESC LIMIT ?", *stages, most)

    def entry(self, tournament: int, player: int) -> Entry | None:
        return one(self.db, Entry, "tournament = ? AND player = ?", tournament, player)

    def entries(self, tournament: int) -> list[Entry]:
        return some(self.db, Entry, "tournament = ? ORDER BY seat, joined, player", tournament)

    def entered(self, player: int) -> list[Entry]:
        open_ = f"tournament IN (SELECT id FROM tournament WHERE stage IN ({_AHEAD}))"  # noqa: S608
        return some(self.db, Entry, f"player = ? AND {open_} ORDER BY tournament", player)

    def directed(self, player: int) -> list[Tournament]:
        return some(self.db, Tournament, f"director = ? AND stage IN ({_AHEAD}) ORDER BY id", player)

    def fixtures(self, tournament: int) -> list[Fixture]:
        return some(self.db, Fixture, "tournament = ? ORDER BY number", tournament)

    def games_in(self, tournament: int) -> list[Game]:
        return some(self.db, Game, "event > 0 AND event = ? ORDER BY id", tournament)

    def playing(self, tournament: int) -> bool:
        sql = f"SELECT EXISTS (SELECT 1 FROM game WHERE {_PLAYING})"  # noqa: S608
        return bool(self.db.execute(sql, (tournament,)).fetchone()[0])

    def running_in(self, tournament: int) -> list[Game]:
        return some(self.db, Game, f"{_PLAYING} ORDER BY id", tournament)

    def fixture_of(self, game: int) -> Fixture | None:
        return one(self.db, Fixture, "game > 0 AND game = ?", game)

    def last_fixture(self, tournament: int) -> int:
        sql = "SELECT coalesce(max(number), 0) FROM fixture WHERE tournament = ?"
        return int(self.db.execute(sql, (tournament,)).fetchone()[0])

    def paired(self, tournament: int, one: int, other: int) -> list[Fixture]:
        pair = "tournament = ? AND first = ? AND second = ?"
        there, back = ((tournament, one, other), (tournament, other, one))
        return [*some(self.db, Fixture, pair, *there), *some(self.db, Fixture, pair, *back)]

    def overruled(self, game: int) -> Overruled | None:
        return one(self.db, Overruled, "game = ?", game)

    def rungs(self, tournament: int) -> list[Rung]:
        return some(self.db, Rung, "tournament = ? ORDER BY place", tournament)

    def logged(self, tournament: int, what: str, *, player: int = 0, board: int = 0) -> list[Logged]:
        about = "tournament = ? AND what = ? AND ? IN (0, player) AND ? IN (0, board) ORDER BY id DESC LIMIT 100"
        return some(self.db, Logged, about, tournament, what, player, board)[::-1]

    def log_length(self, tournament: int) -> int:
        ((lines,),) = rows_of(self.db, "SELECT count(*) FROM logged WHERE tournament = ?", (tournament,))
        return int(lines)

    def log(self, tournament: int, begin: int, most: int) -> list[Logged]:
        return some(self.db, Logged, "tournament = ? ORDER BY id LIMIT ? OFFSET ?", tournament, most, begin)

    def acts(self, what: tuple[str, ...], most: int) -> list[Logged]:
        """What was done last in any tournament, of these kinds, the latest first."""
        marks = ", ".join("?" * len(what))
        return some(self.db, Logged, f"what IN ({marks}) ORDER BY id DESC LIMIT ?", *what, most)

    def later(self, later: int) -> Later | None:
        return one(self.db, Later, "id = ?", later)

    def waiting(self, tournament: int) -> list[Later]:
        return some(self.db, Later, "tournament = ? ORDER BY id", tournament)

    def last_letter(self, thread: str, player: int, since: int) -> int:
        sql = (
            "SELECT coalesce(max(created), 0) FROM outbox WHERE box = ? AND kind = ? AND created > ? AND player = ?"
            " AND thread = ?"
        )
        theirs = some(self.db, Address, "player = ? AND state = 'current'", player)
        told = ((mailbox_key(one.addr), Kinds.EVENT, since, player, thread) for one in theirs)
        return max((int(rows_of(self.db, sql, one)[0][0]) for one in told), default=0)

    def analyses(self, most: int, now: int) -> list[Analysis]:
        """The requests for an analysis of a game that will not run again, oldest first."""
        back = now - BACK_DAYS * DAY
        return some(
            self.db,
            Analysis,
            f"NOT EXISTS ({_BROUGHT_BACK}) ORDER BY asked, game LIMIT ?2",
            back,
            most,
        )

    def revocable(self, player: int, category: str, now: int) -> list[Rated]:
        """What games have done to this rating that may run again because a player of theirs comes back."""
        where = f"game IN ({_VOID}) AND category = ?3 AND EXISTS ({_COMES_BACK})"
        return some(self.db, Rated, where, now - BACK_DAYS * DAY, player, category)
