"""What handlers and the shell may ask of the database (mailbot.core.world.World)."""

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlite_utils import Database

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core.caps import DEFAULTS, Caps
from mailbot.core.language.masking import Names
from mailbot.core.mail.addresses import mailbox_key, mailbox_start, owner
from mailbot.core.model import (
    BLOCKED,
    DAY,
    Address,
    AddressChange,
    Analysis,
    Contact,
    Deferred,
    Failing,
    Game,
    Hint,
    Judged,
    Move,
    News,
    Plan,
    Player,
    Pool,
    Preference,
    Pulse,
    Ranking,
    Rated,
    Seek,
    Submitted,
    Tally,
    Vacation,
)
from mailbot.core.puzzles.tried import Tried
from mailbot.core.ratings.fold import EXCUSED, PAIR_DAYS
from mailbot.core.world import Standing
from mailbot.core.zones import UTC, Zone
from mailbot.store import wins, zones
from mailbot.store.connection import rows_of
from mailbot.store.contests import ContestReads
from mailbot.store.retired import have_left, is_retired, marks
from mailbot.store.rows import COLUMNS, one, some

T = TypeVar("T")

_PUBLIC = """
SELECT EXISTS (SELECT 1 FROM game WHERE player1 = ?1 AND state IN ('offered', 'running', 'over') AND agreed > 0)
    OR EXISTS (SELECT 1 FROM game WHERE player2 = ?1 AND state IN ('offered', 'running', 'over') AND agreed > 0)
    OR EXISTS (SELECT 1 FROM seek WHERE player = ?1)
"""
"""Whether a player is in a list that anybody can ask for."""

_REACHED_IN = ("current", "suspended")
_REACHED = f"state IN {_REACHED_IN}"
"""Addresses from which a player writes."""

_NEAR = f"SELECT player, addr FROM address WHERE addr >= ? AND addr < ? AND {_REACHED}"  # noqa: S608
"""Addresses that begin alike: only few of a server's, which are then compared."""
_BELOW = "SELECT addr FROM address WHERE addr LIKE ? AND state IN ('current', 'suspended', 'ready')"

FOR_BOTS = (
    "state = 'running' AND (player1 < 0 OR player2 < 0) AND ("
    "(to_move = 1 AND player1 < 0) OR (to_move = 2 AND player2 < 0)"
    " OR (asks <> '' AND ((asks_by = 1 AND player2 < 0) OR (asks_by = 2 AND player1 < 0))))"
)
"""Boards on which a computer player has to move or to answer a question."""

_STRETCHES = """
SELECT 0, begin, end FROM outage WHERE end > ?1
UNION ALL SELECT player, begin, end FROM vacation WHERE player = ?2 AND end > ?1
UNION ALL SELECT player, begin, end FROM vacation WHERE player = ?3 AND end > ?1
"""

_MET = " UNION ALL ".join(
    "SELECT place, ended FROM (SELECT place, ended FROM rated"  # noqa: S608 - only texts of this module
    f" WHERE player1 = {first} AND player2 = {second} AND unrated = '' ORDER BY place DESC LIMIT ?3)"
    for first, second in (("?1", "?2"), ("?2", "?1"))
)
"""The last rated games of two players, whoever moved first."""

_RATED_BETWEEN = " UNION ALL ".join(
    f"SELECT 1 FROM {table}"  # noqa: S608 - only texts of this module
    f" WHERE player1 IN (SELECT value FROM json_each({first})) AND player2 IN (SELECT value FROM json_each({second}))"
    f" AND unrated = '' AND {still}"
    for table, still in (("rated", "ended > ?3"), ("game", "category <> '' AND state = 'running'"))
    for first, second in (("?1", "?2"), ("?2", "?1"))
)
_RATED_BETWEEN += " LIMIT ?4"

_ENDED_OF = f"(player1 = ?1 OR player2 = ?1) AND state = 'over' AND (?2 = '' OR {wins.BEGINS.format('?2')})"
"""Finished boards of a player, of a game or ("") of all."""


class Reads(ContestReads):
    """The reads over one connection. `fresh` counts on from the table's last id, and skips ids handed out before."""

    def __init__(
        self,
        db: Database,
        catalogue: Catalogue = CATALOGUE,
        caps: Caps = DEFAULTS,
        clock: str = "none",
        directors: str = "players",
    ) -> None:
        self.db = db
        self.clock = clock
        self.directors = directors
        self.caps = caps
        self.catalogue = catalogue
        self._given: dict[str, int] = {}

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """All that is read inside is from one moment, whatever is committed meanwhile. Not inside a transaction."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("COMMIT")

    def player(self, player: int) -> Player | None:
        return one(self.db, Player, "id = ?", player)

    def player_named(self, userid: str) -> Player | None:
        return one(self.db, Player, "userid = ? AND state <> 'pending'", userid)

    def public(self, player: int) -> bool:
        return bool(self.db.execute(_PUBLIC, (player,)).fetchone()[0])

    def names(self, senders: Iterable[Player], *, unproved: bool = False) -> Names:
        """What the reader of a mail from these players must know about userids. Whether a name has a player, public or
        not, makes no difference to the work. `unproved`: we do not know whose mail it is."""

        def numbered(userid: str) -> int:
            sql = "SELECT coalesce((SELECT id FROM player WHERE userid = ? AND state <> 'pending'), 0)"
            return int(self.db.execute(sql, (userid,)).fetchone()[0])

        own = frozenset(player.userid.lower() for player in senders)
        return Names(own, lambda userid: numbered(userid) != 0, lambda userid: self.public(numbered(userid)), unproved)

    def retired(self, userid: str, now: int) -> bool:
        return is_retired(self.db, userid, now)

    def asked(self, userid: str) -> list[Player]:
        return some(self.db, Player, "userid = ? AND state = 'pending'", userid)

    def players_at(self, addr: str) -> list[Player]:
        theirs = f"SELECT player FROM address WHERE addr = ? AND {_REACHED}"  # noqa: S608
        return some(self.db, Player, f"state IN ('active', 'off') AND id IN ({theirs}) ORDER BY id", addr)

    def writes_for(self, player: int, addr: str, change: int) -> bool:
        """Whether the player may write from this address though letters go to another one: they have the same mailbox
        (a tag, `ann+games@`), or this is a new address of the change of addresses, and has agreed."""
        box = mailbox_key(addr)
        return any(
            mailbox_key(one.addr) == box if one.state in _REACHED_IN else one.addr.lower() == addr.lower()
            for one in self.addresses(player)
            if one.state in _REACHED_IN or (change and one.change == change and one.state == "ready")
        )

    def stand_in(self, number: int, but: Collection[int]) -> Player | None:
        """One of the active players, for long the same for the same number, and none of these. None if there is no
        other."""
        most = self.db.execute("SELECT max(id) FROM player WHERE state = 'active'").fetchone()[0] or 1
        # A new player takes the place of hardly any stand-in: the first part of the number that is an id counts.
        width = most.bit_length()
        while number >> width and number % (1 << width) >= most:
            number >>= width
        at = number % (1 << width) % most + 1
        where = "state = 'active' AND id >= ? AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1"
        others = json.dumps([*but])
        return one(self.db, Player, where, at, others) or one(self.db, Player, where, 1, others)

    def holder(self, player: int, addr: str) -> tuple[Player | None, bool]:
        """The player, and whether letters to this address reach the player. One statement, because outside a
        transaction each costs a look at the file's locks. For a number that is nobody's it reads another row, which
        takes as long."""
        theirs = f"SELECT 1 FROM address WHERE player = ?1 AND addr = ?2 AND {_REACHED}"  # noqa: S608
        row = f"SELECT {COLUMNS[Player]}, EXISTS ({theirs}) FROM player WHERE id ="  # noqa: S608
        sql = f"{row} ?1 UNION ALL {row} (SELECT min(id) FROM player) LIMIT 1"  # noqa: S608
        found = rows_of(self.db, sql, (player, addr))
        holder, is_theirs = Player(*found[0][:-1]), bool(found[0][-1])
        return (holder, is_theirs) if holder.id == player else (None, False)

    def addresses(self, player: int) -> list[Address]:
        return some(self.db, Address, "player = ? ORDER BY id", player)

    def address(self, address: int) -> Address | None:
        return one(self.db, Address, "id = ?", address)

    def change(self, change: int) -> AddressChange | None:
        return one(self.db, AddressChange, "id = ?", change)

    def changes(self, player: int) -> list[AddressChange]:
        return some(self.db, AddressChange, "player = ?", player)

    def failing(self, address: int) -> Failing | None:
        return one(self.db, Failing, "address = ?", address)

    def mates(self, player: int, now: int) -> set[int]:
        mine = {mailbox_key(one.addr) for one in self.addresses(player) if one.state in _REACHED_IN}
        starts = {mailbox_start(mailbox) for mailbox in mine}
        near = (rows_of(self.db, _NEAR, (start, start + "\x7f")) for start in starts)
        there = {number for found in near for number, addr in found if mailbox_key(addr) in mine}
        return {player} | there | have_left(self.db, mine, now - PAIR_DAYS * DAY)

    def domains_beside(self, addr: str) -> int:
        domain, bought = addr.rpartition("@")[2].lower(), owner(addr)
        there = {one.rpartition("@")[2].lower() for (one,) in self.db.execute(_BELOW, (f"%.{bought}",))}
        return 0 if domain in {bought, *there} else len(there)

    def contact(self, counted: str) -> Contact | None:
        spelled = json.dumps([counted, *marks(self.db, counted)])
        return one(self.db, Contact, "addr IN (SELECT value FROM json_each(?)) ORDER BY last DESC", spelled)

    def deferred(self, player: int) -> list[Deferred]:
        return some(self.db, Deferred, "player = ? ORDER BY since, by", player)

    def game(self, game: int) -> Game | None:
        return one(self.db, Game, "id = ?", game) if game < 1 << 62 else None

    def boards(self, numbers: Collection[int]) -> list[Game]:
        """The boards with these numbers, as far as there are any, in one statement."""
        return some(self.db, Game, "id IN (SELECT value FROM json_each(?))", json.dumps(list(numbers)))

    def moves(self, game: int) -> list[Move]:
        return some(self.db, Move, "game = ? ORDER BY ply", game)

    def texts(self, game: int) -> list[str]:
        return [text for (text,) in rows_of(self.db, "SELECT text FROM move WHERE game = ? ORDER BY ply", (game,))]

    def plan(self, game: int, player: int) -> Plan | None:
        return one(self.db, Plan, "game = ? AND player = ?", game, player)

    def submitted(self, game: int, player: int) -> Submitted | None:
        return one(self.db, Submitted, "game = ? AND player = ?", game, player)

    def games_of(self, player: int, states: tuple[str, ...], *, since: int = 0, other: int = 0) -> list[Game]:
        marks = ", ".join("?" * len(states))
        found: dict[int, Game] = {}
        for mine, theirs in (("player1", "player2"), ("player2", "player1")):
            sql = f"{mine} = ? AND state IN ({marks}) AND changed >= ? AND (? = 0 OR {theirs} = ?)"
            found |= {game.id: game for game in some(self.db, Game, sql, player, *states, since, other, other)}
        return [found[number] for number in sorted(found)]

    def over(self, player: int, game: str, most: int, before: int) -> list[Game]:
        return some(self.db, Game, f"{_ENDED_OF} ORDER BY changed, id LIMIT ?3 OFFSET ?4", player, game, most, before)

    def count_over(self, player: int, game: str) -> int:
        sql = f"SELECT count(*) FROM game WHERE {_ENDED_OF}"  # noqa: S608
        return int(self.db.execute(sql, (player, game)).fetchone()[0])

    def preferences(self, player: int) -> dict[str, str]:
        return {row.name: row.value for row in some(self.db, Preference, "player = ?", player)}

    def zone(self, player: int) -> Zone:
        name = self.preferences(player).get("timezone") if player > 0 else None
        return (zones.find(name) if name else None) or UTC

    def zone_named(self, name: str) -> Zone | None:
        return zones.find(name)

    def blocks(self, player: int, other: int) -> bool:
        named = self.player(other)
        return named is not None and f"{BLOCKED}{named.userid.lower()}" in self.preferences(player)

    def who_prefer(self, name: str, value: str) -> list[Player]:
        chosen = "id IN (SELECT player FROM preference WHERE name = ? AND value = ?)"
        return some(self.db, Player, f"state = 'active' AND {chosen} ORDER BY id", name, value)

    def blocks_of(self, name: str) -> list[Preference]:
        return some(self.db, Preference, "name = ? ORDER BY player", f"{BLOCKED}{name.lower()}")

    def blocked(self, player: int) -> list[str]:
        like = "player = ? AND substr(name, 1, ?) = ? ORDER BY name"
        return [row.value for row in some(self.db, Preference, like, player, len(BLOCKED), BLOCKED)]

    def tally(self, player: int, what: str) -> Tally | None:
        return one(self.db, Tally, "player = ? AND what = ?", player, what)

    def for_bots(self, most: int) -> list[Game]:
        """The games in which a computer player has to move or to answer a question: first each player's longest waiting
        game, then the next one of each, so that a player with many boards does not shut out one with a single board."""
        return some(
            self.db,
            Game,
            f"{FOR_BOTS} ORDER BY row_number() OVER (PARTITION BY max(player1, player2) ORDER BY changed, id), changed,"
            " id LIMIT ?",
            most,
        )

    def analyses_of(self, player: int) -> list[Analysis]:
        return some(self.db, Analysis, "player = ? ORDER BY asked, game", player)

    def judged(self, game: int) -> Judged | None:
        return one(self.db, Judged, "game = ?", game)

    def hints_of(self, game: int, player: int) -> list[Hint]:
        return some(self.db, Hint, "game = ? AND player = ?", game, player)

    def tries_of(self, player: int) -> list[Tried]:
        return some(self.db, Tried, "player = ? ORDER BY day", player)

    def solvers(self, day: int) -> int:
        ((amount,),) = rows_of(self.db, "SELECT count(*) FROM tried WHERE day = ? AND solved > 0", (day,))
        return int(amount)

    def hints(self, most: int) -> list[Hint]:
        """The requests for a hint about which the computer has still to think: first each player's oldest, then the
        next one of each."""
        rank = "row_number() OVER (PARTITION BY player ORDER BY asked, game)"
        return some(self.db, Hint, f"move = '' ORDER BY {rank}, asked, game LIMIT ?", most)

    def pulse(self) -> Pulse:
        return next(iter(Pulse(*row) for row in rows_of(self.db, "SELECT alive, stuck FROM pulse", ())), Pulse())

    def stretches(self, players: tuple[int, int], since: int) -> list[tuple[int, int, int]]:
        return rows_of(self.db, _STRETCHES, (since, *players))

    def vacations(self, player: int, since: int) -> list[Vacation]:
        return some(self.db, Vacation, "player = ? AND end > ? ORDER BY begin", player, since)

    def vacation(self, vacation: int) -> Vacation | None:
        return one(self.db, Vacation, "id = ?", vacation)

    def seek(self, seek: int) -> Seek | None:
        return one(self.db, Seek, "id = ?", seek) if seek < 1 << 62 else None

    def seeks(self) -> list[Seek]:
        return some(self.db, Seek, "1 ORDER BY id")

    def running(self, rules: tuple[str, ...], most: int) -> list[Game]:
        where = " OR ".join(wins.BEGINS.format(f"?{number}") for number in range(2, len(rules) + 2)) or "1"
        return some(self.db, Game, f"state = 'running' AND ({where}) ORDER BY changed, id LIMIT ?1", most, *rules)

    def ended(self, most: int) -> list[Game]:
        """The games that ended last, the latest first."""
        return some(self.db, Game, "state = 'over' ORDER BY changed DESC, id DESC LIMIT ?", most)

    def news(self, most: int) -> list[News]:
        """What was broadcast last, the latest first, but nothing of players who are locked."""
        there = "player IN (SELECT id FROM player WHERE state IN ('active', 'off'))"
        return some(self.db, News, f"{there} ORDER BY id DESC LIMIT ?", most)

    def standings(self, rules: str) -> list[Standing]:
        return wins.table(self.db, rules)

    def last_place(self) -> int:
        found = rows_of(self.db, "SELECT place FROM game WHERE place > 0 ORDER BY place DESC LIMIT 1", ())
        return int(found[0][0]) if found else 0

    def pool(self, category: str) -> Pool | None:
        return one(self.db, Pool, "category = ?", category)

    def ranking(self, player: int, category: str) -> Ranking | None:
        return one(self.db, Ranking, "category = ? AND player = ?", category, player)

    def rankings_of(self, player: int) -> list[Ranking]:
        return some(self.db, Ranking, "player = ? ORDER BY category", player)

    def rankings(self, category: str) -> list[Ranking]:
        return some(self.db, Ranking, "category = ? ORDER BY rating DESC, player", category)

    def rated(self, game: int) -> Rated | None:
        return one(self.db, Rated, "game = ?", game)

    def rated_of(self, player: int, category: str, most: int) -> list[Rated]:
        mine = "(player1 = ? OR player2 = ?) AND category = ? ORDER BY place DESC LIMIT ?"
        return some(self.db, Rated, mine, player, player, category, most)

    def rated_between(self, ones: Collection[int], others: Collection[int], since: int, most: int) -> int:
        asked = (json.dumps(list(ones)), json.dumps(list(others)), since, most)
        return len(rows_of(self.db, _RATED_BETWEEN, asked))

    def met(self, one: int, other: int, most: int) -> list[int]:
        return [ended for _, ended in sorted(rows_of(self.db, _MET, (one, other, most)))[-most:]]

    def lost_on_time(self, category: str, player: int) -> int | None:
        lost = "flagged = ? AND flagged <> 0 AND unrated = '' AND category = ?"
        sql = f"SELECT ended FROM rated WHERE {lost} ORDER BY place DESC LIMIT 1"  # noqa: S608 - only texts of this module
        return next((int(row[0]) for row in rows_of(self.db, sql, (player, category))), None)

    def excused(self, category: str, player: int, most: int) -> list[int]:
        lost = "flagged = ? AND flagged <> 0 AND unrated <> '' AND unrated = ? AND category = ?"
        sql = f"SELECT ended FROM rated WHERE {lost} ORDER BY place DESC LIMIT ?"  # noqa: S608 - only texts of this module
        return [int(row[0]) for row in reversed(rows_of(self.db, sql, (player, EXCUSED, category, most)))]

    def fresh(self, kind: str) -> int:
        row = self.db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", [kind]).fetchone()
        self._given[kind] = max(self._given.get(kind, 0), row[0] if row else 0) + 1
        return self._given[kind]
