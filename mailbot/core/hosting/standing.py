"""Where a tournament stands: from the rows to the field that mailbot.core.tournaments decides from."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from mailbot.core import tournaments
from mailbot.core.contests import Entry, Fixture, Logged, Rung, Tournament
from mailbot.core.effects import Effect, Put
from mailbot.core.model import Game, States
from mailbot.core.tournaments import Format
from mailbot.core.tournaments.field import FEWEST, Entrant, Field, Pairing, Result, Row, gather
from mailbot.core.world import World

SCORES: Mapping[int | None, float] = {1: 1.0, 2: 0.0, 0: 0.5, None: 0.5}
"""The first mover's score by the winner of the board."""


def seated(seat: int) -> str:
    """What a field calls the player with this seat; names sort as seats do."""
    return f"{seat:03}"


@dataclass(frozen=True)
class Standing:
    """A tournament with its rows. `entries`: in the order of the seats. `games`: its boards by number. `rungs`: of a
    ladder that has begun, by seat from the top; then fixtures and games are those that run, unless all were asked
    for."""

    tournament: Tournament
    entries: Sequence[Entry]
    fixtures: Sequence[Fixture]
    games: Mapping[int, Game]
    rungs: Mapping[int, Rung] = field(default_factory=dict)

    @cached_property
    def format(self) -> Format:
        """What pairs it."""
        return tournaments.parse(self.tournament.format)[0]

    @property
    def round(self) -> int:
        """The round in play, or the last one that was; 0 before the first."""
        return max((fixture.round for fixture in self.fixtures), default=0)

    @cached_property
    def by_seat(self) -> Mapping[int, Entry]:
        """The entries of the players who have a seat."""
        return {entry.seat: entry for entry in self.entries if entry.seat}

    @property
    def there(self) -> list[Entry]:
        """Who has not withdrawn."""
        return [entry for entry in self.entries if entry.stopped is None]

    def playing(self, seat: int = 0) -> list[tuple[Fixture, Game]]:
        """The games that run: all, or those of one seat."""
        return self._running.get(seat, [])

    @cached_property
    def _running(self) -> Mapping[int, list[tuple[Fixture, Game]]]:
        """The games that run by the seats of their players; 0: all of them."""
        found: defaultdict[int, list[tuple[Fixture, Game]]] = defaultdict(list)
        for fixture in self.fixtures:
            if fixture.game and self.games[fixture.game].state == States.RUNNING:
                for seat in (0, fixture.first, fixture.second):
                    found[seat].append((fixture, self.games[fixture.game]))
        return found

    def fixture_of(self, board: int) -> Fixture | None:
        """The fixture that is played on this board."""
        return next((fixture for fixture in self.fixtures if fixture.game == board), None)

    @cached_property
    def field(self) -> Field | None:
        """What is decided from; None while there are too few to decide anything, and for a ladder, where nothing is."""
        row, options = tournaments.parse(self.tournament.format)
        if len(self.by_seat) < FEWEST or row.endless:
            return None
        stopped = {
            seated(entry.seat): entry.stopped for entry in self.entries if entry.seat and entry.stopped is not None
        }
        return gather(
            row.options,
            [Entrant(seated(seat)) for seat in self.by_seat],
            self._results(),
            stopped,
            options,
            self.tournament.seed,
            [_pairing(fixture) for fixture in self.fixtures],
        )

    def _results(self) -> list[Result]:
        """The games that are over and count, in the order in which they ended."""
        found: list[tuple[int, Result]] = []
        for fixture in self.fixtures:
            game = self.games.get(fixture.game)
            if fixture.void or fixture.waits or (game and game.state != States.OVER):
                continue
            score = SCORES[game.winner] if game else 1.0
            found.append((game.changed if game else fixture.at, Result(*_pairing(fixture)[:3], score, fixture.pool)))
        return [result for _, result in sorted(found, key=lambda one: one[0])]

    @cached_property
    def table(self) -> list[tuple[Row, Entry]]:
        """The places so far, each with its player; by entry before the tournament has begun."""
        if self.rungs:
            there = [rung for rung in self.rungs.values() if self.by_seat[rung.seat].stopped is None]
            parted = [*("ladder" for _ in there[1:]), None]
            rows = [
                Row(place, seated(rung.seat), float(rung.wins), {}, parted[place - 1], 1, len(there))
                for place, rung in enumerate(there, 1)
            ]
            return [(row, self.by_seat[rung.seat]) for row, rung in zip(rows, there, strict=True)]
        if self.field is None:
            return [
                (Row(place, seated(entry.seat), 0.0, {}, None, place, place), entry)
                for place, entry in enumerate(self.there, 1)
            ]
        return [(row, self.by_seat[int(row.name)]) for row in _table(self.format.name, self.field)]


@lru_cache(maxsize=64)
def _table(format: str, field: Field) -> list[Row]:
    """The table, computed once after each result, however often it is asked for: what is still possible takes long."""
    return tournaments.find(format).table(field)


def _pairing(fixture: Fixture) -> Pairing:
    return Pairing(
        fixture.round, seated(fixture.first), seated(fixture.second) if fixture.second else None, fixture.pool
    )


def load(tournament: Tournament, world: World) -> Standing:
    """The tournament as it stands now; of a ladder only the games that run."""
    if not tournaments.parse(tournament.format)[0].endless:
        return whole(tournament, world)
    games = {game.id: game for game in world.running_in(tournament.id)}
    fixtures = [fixture for game in games if (fixture := world.fixture_of(game))]
    return replace(_empty(tournament, world), fixtures=fixtures, games=games)


def whole(tournament: Tournament, world: World) -> Standing:
    """The tournament as it stands now, with all its games."""
    games = {game.id: game for game in world.games_in(tournament.id)}
    return replace(_empty(tournament, world), fixtures=world.fixtures(tournament.id), games=games)


def _empty(tournament: Tournament, world: World) -> Standing:
    rungs = {rung.seat: rung for rung in world.rungs(tournament.id)}
    return Standing(tournament, world.entries(tournament.id), (), {}, rungs)


def userid(player: int, world: World) -> str:
    """The player's present userid."""
    found = world.player(player)
    return found.userid if found else "?"


def moved(entry: Entry, since: int, world: World) -> bool:
    """Whether the player has moved in a game of the tournament since then."""
    mine = world.games_of(entry.player, (States.RUNNING, States.OVER), since=since)
    return any(
        move.player == entry.player and move.at >= since
        for one in mine
        if one.event == entry.tournament
        for move in world.moves(one.id)
    )


def withdrawal(entry: Entry, world: World) -> Logged | None:
    """The line about the withdrawal of a player who is out now; None if losses on time or idling were the reason."""
    line = next(reversed(world.logged(entry.tournament, "withdrew", player=entry.player)), None)
    return line if line and entry.stopped is not None and line.at == entry.left else None


def ended(effects: Iterable[Effect]) -> list[Game]:
    """The games of tournaments that these effects end."""
    return [
        effect.row
        for effect in effects
        if isinstance(effect, Put)
        and isinstance(effect.row, Game)
        and effect.row.event
        and effect.row.state == States.OVER
    ]


def noted(
    tournament: Tournament,
    what: str,
    now: int,
    world: World,
    *,
    by: int = 0,
    player: int = 0,
    board: int = 0,
    why: str = "",
) -> Put:
    """A line of the log. `what`: a key of contests.LOGGED."""
    return Put(Logged(world.fresh("logged"), tournament.id, now, what, by, player, board, why))
