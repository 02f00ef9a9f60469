"""Round-robin: everybody meets everybody, once or twice. Groups are made of the same parts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from mailbot.core.tournaments import berger, outlook
from mailbot.core.tournaments.field import DONE, PAIR, WAIT, Decision, Field, Option, Pairing, Result, Row, said
from mailbot.core.tournaments.places import ROUND_ROBIN, Meeting, places, rank, rows, tally

OPTIONS = {"double": Option(0, 0, 1), "atonce": Option(0, 0, 1000)}
"""`atonce`: rounds that are played together, 0 for all."""


def fixture(names: Sequence[str], *, double: bool = False, after: int = 0, group: int = 0) -> list[Pairing]:
    """Every game of these players in the order of the rounds. `after`: rounds that were played before."""
    rounds = berger.double(len(names)) if double else berger.table(len(names))
    return [
        Pairing(after + number, names[first - 1], names[second - 1], group)
        for number, pairs in enumerate(rounds, 1)
        for first, second in pairs
    ]


class Season:
    """A fixture and what has come of it. `games`: each game that counts, with both scores; a game that a withdrawn
    player leaves is lost. `annulled`: players whose games do not count, as they stopped with fewer than half of their
    games finished [FIDE General Regulations 6.6]. Raises Forbidden for a result that is not of the fixture."""

    def __init__(self, field: Field, fixture: Sequence[Pairing], results: Iterable[Result]) -> None:
        self.fixture = sorted(fixture, key=lambda game: game.round)
        self.results: dict[Pairing, Result] = {}
        due = set(fixture)
        for result in results:
            if result.pairing not in due:
                raise field.refusal(result, f"{said(result.pairing)} is not a game of round {result.round}")
            if result.pairing in self.results:
                raise field.refusal(result, f"{said(result.pairing)} has two results in round {result.round}")
            self.results[result.pairing] = result
        last = max((game.round for game in fixture), default=0)
        self.players = tuple(dict.fromkeys(name for game in fixture for name in _players(game)))
        self.gone = {name for name in self.players if field.withdrawn.get(name, last + 1) <= last}
        self.annulled = {name for name in self.gone if 2 * self._finished(name) < self._due(name)}
        self.games: dict[Pairing, tuple[float, float]] = {}
        for game in fixture:
            if self.annulled.isdisjoint(_players(game)) and (scores := self._scores(game)):
                self.games[game] = scores

    def _due(self, name: str) -> int:
        return sum(name in _players(game) for game in self.fixture)

    def _finished(self, name: str) -> int:
        return sum(name in _players(game) for game in self.results)

    def _scores(self, game: Pairing) -> tuple[float, float] | None:
        if result := self.results.get(game):
            return result.score, 1 - result.score
        first, second = (name in self.gone for name in _players(game))
        return (float(second and not first), float(first and not second)) if first or second else None

    @property
    def open(self) -> list[Pairing]:
        """The games still to be finished."""
        return [game for game in self.fixture if game not in self.results and self.gone.isdisjoint(_players(game))]

    def decide(self, field: Field, atonce: int) -> Decision:
        """Which games begin. `atonce`: so many rounds are played together, and the next ones when these are over."""
        left = set(self.open)
        rounds = sorted({game.round for game in self.fixture})
        block = {number: index // atonce if atonce else 0 for index, number in enumerate(rounds)}
        for index, games in groupby(self.fixture, key=lambda game: block[game.round]):
            games_ = list(games)
            waiting = tuple(game for game in games_ if game in left)
            if not waiting:
                continue
            if early := next((one for one in self.results.values() if block[one.round] > index), None):
                raise field.refusal(early, f"round {early.round} has not begun: games of an earlier round are open")
            begun = any(game in self.results for game in games_)
            return Decision(WAIT) if begun else Decision(PAIR, waiting)
        return Decision(DONE)

    def table(self, names: Sequence[str], *, last: bool = True) -> list[Row]:
        """The table of these players, who meet each other only. Those whose games do not count stand last. `last`: what
        is still possible is decided here and not in later games."""
        counted = [name for name in names if name not in self.annulled]
        counts = set(counted)
        done = tally(counted).plus(
            part for game, scores in self.games.items() if game.first in counts for part in _meetings(game, *scores)
        )
        open_ = [game for game in self.open if game.first in counts]
        left = Counter(name for game in open_ for name in _players(game))
        if not counted:
            return _annulled(names, 0)

        def after(scores: Sequence[float]) -> dict[str, int]:
            ended = zip(open_, scores, strict=True)
            return places(done.plus(part for game, one in ended for part in _meetings(game, one, 1 - one)), ROUND_ROBIN)

        ranking = rank(done, ROUND_ROBIN)
        reach = {name: (points, points + left[name]) for name, points in done.points.items()}
        seen = outlook.of(ranking.places(), reach, len(open_), after if last else None)
        table = rows(ranking, done, seen)
        gone = sorted(name for name in names if name in self.annulled)
        if gone:
            table[-1] = table[-1]._replace(parted_by="withdrawn")
        return table + _annulled(gone, len(table))


def _players(game: Pairing) -> tuple[str, str]:
    assert game.second is not None
    return game.first, game.second


def _meetings(game: Pairing, one: float, two: float) -> list[tuple[str, Meeting, float]]:
    """The game from both sides."""
    first, second = _players(game)
    return [(first, Meeting(second, one), one), (second, Meeting(first, two), two)]


def _annulled(names: Sequence[str], above: int) -> list[Row]:
    breaks = {rule.name: None for rule in ROUND_ROBIN[1:]}
    place = above + 1
    return [
        Row(place, name, 0.0, breaks, "shared" if number < len(names) else None, place, place)
        for number, name in enumerate(sorted(names), 1)
    ]


def _season(field: Field) -> Season:
    return Season(field, fixture(field.names, double=bool(field.options["double"])), field.results)


def pairings(field: Field) -> Decision:
    """All games at once, or so many rounds at a time."""
    return _season(field).decide(field, field.options["atonce"])


def table(field: Field) -> list[Row]:
    """Points, Sonneborn-Berger, direct encounter, wins."""
    return _season(field).table(field.names)
