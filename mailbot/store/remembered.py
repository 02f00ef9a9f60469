"""Reads that answer a repeated question from memory: those of a mail, and those of a page."""

from collections.abc import Callable
from typing import TypeVar

from sqlite_utils import Database

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core.caps import DEFAULTS, Caps
from mailbot.core.contests import Entry, Fixture
from mailbot.core.model import (
    Address,
    Failing,
    Game,
    Kept,
    Move,
    Plan,
    Player,
    Pool,
    Preference,
    Ranking,
    Rated,
    Submitted,
)
from mailbot.store.connection import rows_of
from mailbot.store.reads import Reads
from mailbot.store.rows import of_two

T = TypeVar("T")

_AHEAD = """
SELECT 'plan', game, player, ply, text, created FROM plan WHERE game = ?1
UNION ALL SELECT 'submitted', game, player, ply, text, comment FROM submitted WHERE game = ?1
"""

_NOT_REMEMBERED = (Move, Pool, Ranking, Rated)
"""Classes of rows of which nothing is remembered."""


class Once(Reads):
    """The reads of one page, at one moment: rows of a tournament and players are read only once."""

    def __init__(self, reads: Reads, db: Database) -> None:
        """Asks as `reads` does, over another connection."""
        super().__init__(db, reads.catalogue, reads.caps, reads.clock, reads.directors)
        self._players: dict[int, Player | None] = {}
        self._entries: dict[int, list[Entry]] = {}
        self._fixtures: dict[int, list[Fixture]] = {}
        self._games: dict[int, list[Game]] = {}

    def player(self, player: int) -> Player | None:
        return _once(self._players, player, super().player)

    def entries(self, tournament: int) -> list[Entry]:
        return _once(self._entries, tournament, super().entries)

    def fixtures(self, tournament: int) -> list[Fixture]:
        return _once(self._fixtures, tournament, super().fixtures)

    def games_in(self, tournament: int) -> list[Game]:
        return _once(self._games, tournament, super().games_in)


class Remembered(Reads):
    """The reads of one mail, inside its transaction: repeated questions are read only once. Code that writes a row
    meanwhile must call `forget`. `failing`: whether that table has any row."""

    def __init__(
        self,
        db: Database,
        catalogue: Catalogue = CATALOGUE,
        caps: Caps = DEFAULTS,
        clock: str = "none",
        directors: str = "players",
        *,
        failing: bool = True,
    ) -> None:
        super().__init__(db, catalogue, caps, clock, directors)
        self._failing = failing
        self.games: dict[int, Game | None] = {}
        self._players: dict[int, Player | None] = {}
        self._addresses: dict[int, list[Address]] = {}
        self._preferences: dict[int, dict[str, str]] = {}
        self._plans: dict[int, dict[int, Plan]] = {}
        self._submitted: dict[int, dict[int, Submitted]] = {}
        self._revocable: dict[tuple[int, str], list[Rated]] = {}

    def forget(self, row: Kept | None = None) -> None:
        """This row, or, without one, any row has been written."""
        if isinstance(row, Game):
            self.games.pop(row.id, None)
        elif isinstance(row, Failing):
            self._failing = True
        elif not isinstance(row, _NOT_REMEMBERED):
            for known in (self.games, self._players, self._addresses, self._preferences):
                known.clear()
            self._plans.clear()
            self._submitted.clear()
            self._revocable.clear()

    def game(self, game: int) -> Game | None:
        if game not in self.games:
            self.games[game] = super().game(game)
        return self.games[game]

    def player(self, player: int) -> Player | None:
        if player not in self._players:
            pair = self._pair(player)
            self._players |= dict.fromkeys(pair)
            self._players |= {row.id: row for row in of_two(self.db, Player, "id", pair)}
        return self._players[player]

    def failing(self, address: int) -> Failing | None:
        return super().failing(address) if self._failing else None

    def plan(self, game: int, player: int) -> Plan | None:
        self._read_ahead(game)
        return self._plans[game].get(player)

    def submitted(self, game: int, player: int) -> Submitted | None:
        self._read_ahead(game)
        return self._submitted[game].get(player)

    def _read_ahead(self, game: int) -> None:
        """Reads what both players have queued or submitted: a move asks for all of it, and one question costs less."""
        if game not in self._plans:
            rows = rows_of(self.db, _AHEAD, (game,))
            self._plans[game] = {row[2]: Plan(*row[1:]) for row in rows if row[0] == "plan"}
            self._submitted[game] = {row[2]: Submitted(*row[1:]) for row in rows if row[0] == "submitted"}

    def addresses(self, player: int) -> list[Address]:
        if player not in self._addresses:
            pair = self._pair(player)
            self._addresses |= {number: [] for number in pair}
            for row in sorted(of_two(self.db, Address, "player", pair)):  # by id
                self._addresses[row.player].append(row)
        return self._addresses[player]

    def preferences(self, player: int) -> dict[str, str]:
        if player not in self._preferences:
            pair = self._pair(player)
            self._preferences |= {number: {} for number in pair}
            for row in of_two(self.db, Preference, "player", pair):
                self._preferences[row.player][row.name] = row.value
        return self._preferences[player]

    def revocable(self, player: int, category: str, now: int) -> list[Rated]:
        if (player, category) not in self._revocable:
            self._revocable[player, category] = super().revocable(player, category, now)
        return self._revocable[player, category]

    def _pair(self, player: int) -> tuple[int, int]:
        """The player, and the opponent on a board of this mail: what is asked about one is soon asked about the other,
        and one question costs less than two. 0, which is nobody, where there is no opponent."""
        for game in self.games.values():
            if game and game.number_of(player):
                return game.player1, game.player2
        return player, 0


def _once(known: dict[int, T], key: int, read: Callable[[int], T]) -> T:
    if key not in known:
        known[key] = read(key)
    return known[key]
