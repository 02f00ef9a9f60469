"""Tournaments played by scripted players, on a store without sockets: each step is a transaction of its own, and the
server may die before or after each."""

import random
from pathlib import Path

from mailbot.core.contests import Stages, Tournament
from mailbot.core.hosting import standing
from mailbot.core.hosting.standing import Standing
from mailbot.core.model import DAY, Address, Game, Player, States
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store import sweep
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store
from tests.uncapped import UNCAPPED

BEGIN = 1_767_225_600 + 9 * 3600
"""1 January 2026, 09:00 UTC."""
DIRECTOR = 1


class Club:
    """A server with so many players; player 1 may direct. `crashes`: the chance of a crash before or after a step."""

    def __init__(self, path: Path, seed: int, people: int, crashes: float = 0.0) -> None:
        self.path = path
        self.chance = random.Random(seed)
        self.crashes = crashes
        self.now = BEGIN
        self.store = self._open()
        self.store.begin()
        for number in range(1, people + 1):
            put(self.store.db, Player(number, f"player{number}", "active", "", 0, 0, BEGIN))
            put(self.store.db, Address(number, number, f"p{number}@example.org", "current", 0, BEGIN))
        self.store.commit()

    def _open(self) -> Store:
        return Store.open(self.path, self.now, b"k" * 32, UNCAPPED, "operator@example.net", directors="player1")

    @property
    def reads(self) -> Reads:
        return Reads(self.store.db)

    def enter(self, request: Request) -> list[str]:
        """One step in a transaction of its own. Returns the templates of the answers."""
        if self.chance.random() < self.crashes:
            self.store.begin()
            self.store.enter(request)
            self.restart()
        said: list[str] = []
        self.store.begin()
        self.store.enter(request, None if request.timer else lambda answer: said.append(_sentence(answer.letter.facts)))
        self.store.commit()
        if self.chance.random() < self.crashes:
            self.restart()
        return said

    def restart(self) -> None:
        """The process dies: what was not committed is gone."""
        self.store.rollback()
        self.store.close()
        self.store = self._open()

    def asks(self, who: int, name: str, text: str = "", **args: object) -> str:
        """A command with its password; returns what is said in answer."""
        asked = Asked(name, "", args, who, Proofs.PASSWORD)
        return " ".join(self.enter(Request(self.now, (asked,), who, text=text)))

    def create(self, title: str, *options: str) -> int:
        """A new tournament of player 1."""
        said = self.asks(DIRECTOR, "tournament", create="create", title=f'"{title}"', options=options)
        assert "You have created" in said, said
        return max(one.id for one in self.reads.tournaments(Stages.OPEN, 100))

    def join(self, number: int, *players: int) -> None:
        for player in players:
            said = self.asks(player, "join", n=str(number), options=())
            assert "You have entered" in said, said

    def to(self, then: int) -> None:
        """Time passes until then, and what is due is done."""
        while (at := sweep.next_at(self.store.db)) is not None and at <= then:
            self.now = max(self.now, at)
            self.enter(Request(self.now, timer=sweep.timers(self.store.db)[0]))
        self.now = max(self.now, then)

    def tournament(self, number: int) -> Tournament:
        found = self.reads.tournament(number)
        assert found
        return found

    def standing(self, number: int) -> Standing:
        return standing.whole(self.tournament(number), self.reads)

    def places(self, number: int) -> list[tuple[int, int, float]]:
        """Place, player and points, in the order of the table."""
        return [(row.place, entry.player, row.points) for row, entry in self.standing(number).table]

    def end(self, game: Game, winner: int) -> None:
        """The game ends: 1 or 2 wins as the other resigns, 0 is a draw on which both agree."""
        if winner:
            self.asks(game.player(3 - winner), "resign", board=str(game.id))
            return
        self.asks(game.player1, "propose", board=str(game.id))
        self.asks(game.player2, "accept", board=str(game.id))

    def play(self, number: int, leave: float = 0.02, limit: int = 5000) -> None:
        """Games end in any order and some on time, players leave and come back, until the tournament is over."""
        for _ in range(limit):
            self.to(self.now + self.chance.randrange(1, DAY // 4))
            if self.tournament(number).stage != Stages.RUNNING:
                return
            state = self.standing(number)
            there = state.there
            if self.chance.random() < leave and len(there) > 1:
                who = self.chance.choice(there).player
                self.asks(who, "withdraw", n=str(number))
                if self.chance.random() < 0.5:
                    self.asks(who, "return", n=str(number))
                continue
            if running := [game for _, game in state.playing()]:
                self.end(self.chance.choice(running), self.chance.choice([0, 1, 1, 2, 2]))
        raise AssertionError("the tournament does not end")


def _sentence(facts: object) -> str:
    assert isinstance(facts, dict)
    said = facts.get("said", "")
    return said if isinstance(said, str) else " ".join(said)


def adds_up(state: Standing) -> None:
    """Every game that was paired is on a board of this tournament and over; rows and boards say the same."""
    assert all(game.state == States.OVER for game in state.games.values())
    assert {one.game for one in state.fixtures if one.game} == state.games.keys()
    for one in state.fixtures:
        if one.game:
            game = state.games[one.game]
            assert (game.player1, game.player2) == (state.by_seat[one.first].player, state.by_seat[one.second].player)
            assert game.winner is not None
    assert [one.number for one in state.fixtures] == [*range(1, len(state.fixtures) + 1)]
    assert state.field
    assert state.format.pairings(state.field).state == "done"
    table = state.table
    assert sorted(entry.seat for _, entry in table) == sorted(state.by_seat)
