"""Swiss: so many rounds, in each of which players with about the same points meet. Nobody meets an opponent twice
unless no other pairing is left.

A match of a round is one game, or two with sides swapped; it is won, drawn or lost as one. The second game begins when
the first games of the round are over: else a player could copy the opponent's moves from one board to the other.

Rounds that are complete are taken as they were played. The round in play is paired again from the rounds before it: so
it is known which games are open, and a result that is not of the round is noticed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from mailbot.core.tournaments import dutch, outlook, trf
from mailbot.core.tournaments.dutch import NoPairing
from mailbot.core.tournaments.field import DONE, PAIR, WAIT, Decision, Field, Option, Pairing, Result, Row, said
from mailbot.core.tournaments.places import (
    POINTS,
    SWISS,
    SWISS_MATCHES,
    Meeting,
    Rule,
    Tally,
    places,
    rank,
    rows,
    tally,
)

OPTIONS = {"rounds": Option(5, 1, 50), "match": Option(2, 1, 2)}

Scores = tuple[float, float]

TOGETHER = 12
"""Players who are paired together where earlier opponents must meet again: all pairings of so many are compared."""


@dataclass(slots=True)
class Match:
    """`first` moves first in the first game; `second` is None for a bye. `games`: the scores of both in each game that
    is over; `open`: the games that are not."""

    first: str
    second: str | None
    games: list[Scores] = field(default_factory=list)
    open: tuple[Pairing, ...] = ()

    @property
    def scores(self) -> Scores:
        """What the match is worth to both. One that both players left is lost by both."""
        one, two = (sum(game[side] for game in self.games) for side in (0, 1))
        if one == two:
            return (0.5, 0.5) if one else (0.0, 0.0)
        return (1.0, 0.0) if one > two else (0.0, 1.0)


@dataclass(slots=True)
class Course:
    """The rounds so far. `number`: the round in play or the next one, 0 at the end. `playing`: its matches, None if
    none of its games has been reported."""

    over: list[list[Match]]
    number: int = 0
    playing: list[Match] | None = None


def rounds(field: Field) -> int:
    """How many rounds are played: as many as were asked for, but at least as many as it takes to find a winner (the
    base 2 logarithm of the entrants), and no more than there are opponents."""
    players = len(field.entrants)
    opponents = players - 1 if players % 2 == 0 else players
    return min(max(field.options["rounds"], (players - 1).bit_length()), opponents)


def follow(field: Field) -> Course:
    """The rounds so far. Raises Forbidden for a result that is not of its round."""
    last = rounds(field)
    reported: dict[int, list[Result]] = {}
    for result in field.results:
        if result.round > last:
            raise field.refusal(result, f"this tournament has {last} rounds")
        reported.setdefault(result.round, []).append(result)
    course = Course([])
    for number in range(1, last + 1):
        here = reported.pop(number, [])
        if sum(field.plays(name, number) for name in field.names) < 2:
            refuse(field, here, f"nobody was left to be paired for round {number}")
            break
        matches = _reported(field, course, number, here)
        if matches is None:
            course.number = number
            if here or number in field.withdrawn.values():
                course.playing = in_play(field, course, here)
            if course.playing is None or any(match.open for match in course.playing):
                refuse(field, [one for some in reported.values() for one in some], f"round {number} is not over")
                return course
            matches = course.playing
        course.over.append(matches)
        course.number, course.playing = 0, None
    refuse(field, [one for some in reported.values() for one in some], "nobody is left to be paired")
    return course


def refuse(field: Field, results: Sequence[Result], why: str) -> None:
    """Refuses results of rounds that have not begun."""
    if results:
        raise field.refusal(results[0], f"round {results[0].round} has not begun: {why}")


def _reported(field: Field, course: Course, number: int, here: Sequence[Result]) -> list[Match] | None:
    """The matches of a round from its results alone; None if results are missing, or to be compared with the pairing
    because earlier opponents have met again."""
    size, players = field.options["match"], {name for name in field.names if field.plays(name, number)}
    met = meetings(course.over)
    found: dict[frozenset[str | None], list[Result]] = {}
    held: dict[str, frozenset[str | None]] = {}
    for result in here:
        both = frozenset((result.first, result.second))
        for name in (result.first, result.second):
            if name is None:
                continue
            if name not in players:
                raise field.refusal(result, f"{name} withdrew before round {number}")
            if held.setdefault(name, both) != both:
                raise field.refusal(result, f"{name} has another opponent in round {number}")
        same = found.setdefault(both, [])
        if len(same) == (size if result.second else 1) or any(one.first == result.first for one in same):
            raise field.refusal(result, f"{said(result.pairing)} has too many results in round {number}")
        same.append(result)
    byes = [results[0] for both, results in found.items() if None in both]
    if len(byes) > len(players) % 2:
        raise field.refusal(byes[-1], f"{said(byes[-1].pairing)} is not a game of round {number}")
    missing = any(len(results) < size and None not in both for both, results in found.items())
    if missing or len(held) < len(players) or any(met[both] for both in found):
        return None
    seen = _history(field, course)
    return [_match(results, seen) for results in found.values()]


def _history(field: Field, course: Course) -> dict[str, tuple[int, bool, int]]:
    """Sorts players by who moves first in a match: whoever has done so less often, then who did not last time, then the
    better seed."""
    often: Counter[str] = Counter()
    latest: dict[str, bool] = {}
    for matches in course.over:
        for match in matches:
            if match.second is not None:
                often[match.first] += 1
                often[match.second] -= 1
                latest |= {match.first: True, match.second: False}
    return {name: (often[name], latest.get(name, False), seed) for seed, name in enumerate(field.names)}


def _match(results: Sequence[Result], history: Mapping[str, tuple[int, bool, int]]) -> Match:
    """With two games a match, their results do not say which was the first; the history decides."""
    if results[0].second is None:
        return Match(results[0].first, None, [(1.0, 0.0)])
    lead = min(results, key=lambda result: history[result.first])
    games = [(one.score, 1 - one.score) if one.first == lead.first else (1 - one.score, one.score) for one in results]
    return Match(lead.first, lead.second, games)


def in_play(field: Field, course: Course, here: Sequence[Result]) -> list[Match]:
    """The round in play or to be played, as it is paired from the rounds before it."""
    number, size = course.number, field.options["match"]
    known = {result.pairing: result for result in here}
    matches = []
    for first, second in _known(field, number) or paired(field, course):
        if second is None:
            known.pop(Pairing(number, first, None), None)
            matches.append(Match(first, None, [(1.0, 0.0)]))
            continue
        match = Match(first, second)
        for game in games(number, first, second, size):
            gone = [field.withdrawn.get(name) == number for name in (first, second)]
            if (result := known.pop(game, None)) is not None:
                one = result.score if game.first == first else 1 - result.score
                match.games.append((one, 1 - one))
            elif any(gone):
                match.games.append((float(gone[1] and not gone[0]), float(gone[0] and not gone[1])))
            else:
                match.open += (game,)
        matches.append(match)
    if known:
        wrong = next(iter(known.values()))
        raise field.refusal(wrong, f"{said(wrong.pairing)} is not a game of round {number}")
    return matches


def _known(field: Field, number: int) -> list[tuple[str, str | None]]:
    """The pairs of a round that are known to have begun."""
    pairs = {frozenset((game.first, game.second)): game for game in reversed(field.begun) if game.round == number}
    return [(game.first, game.second) for game in reversed(pairs.values())]


def games(number: int, first: str, second: str, size: int) -> tuple[Pairing, ...]:
    """The games of a match: sides are swapped in the second."""
    return (Pairing(number, first, second), Pairing(number, second, first))[:size]


def paired(field: Field, course: Course) -> list[tuple[str, str | None]]:
    """The pairs of the next round."""
    names, number, last = field.names, course.number, rounds(field)
    cells = sides(field, course.over)
    for name, row in zip(names, cells, strict=True):
        if not field.plays(name, number):
            row.append(trf.ABSENT)
    # The engine lets leaders have the same side three times too often in the last round. It is told of one round more,
    # so that sides differ by two at most; the truth only where that leaves no pairing.
    try:
        found = dutch.pair(trf.write(field.entrants, cells, last + 1))
    except NoPairing:
        try:
            found = dutch.pair(trf.write(field.entrants, cells, last))
        except NoPairing:
            return again(field, course)
    return [(names[first - 1], names[second - 1] if second else None) for first, second in found]


def meetings(over: Sequence[Sequence[Match]]) -> Counter[frozenset[str | None]]:
    """How often players have met, and (with None) had a bye."""
    return Counter(frozenset((match.first, match.second)) for matches in over for match in matches)


def again(field: Field, course: Course) -> list[tuple[str, str | None]]:
    """The pairs of the next round where no other pairing is left. Of all pairings the one with the fewest meetings so
    far counts, then with the smallest differences of points, both squared. The bye goes to the last, by points and
    seeds, of those with the fewest. Players who are far apart are not compared (TOGETHER)."""
    met, points, history = meetings(course.over), _tally(field, course).points, _history(field, course)
    here = [name for name in sorted(field.names, key=lambda name: -points[name]) if field.plays(name, course.number)]
    byes: list[tuple[str, str | None]] = []
    if len(here) % 2:
        bye = min(reversed(here), key=lambda name: met[frozenset((name, None))])
        here.remove(bye)
        byes.append((bye, None))

    @cache
    def best(left: tuple[str, ...]) -> tuple[tuple[int, float], tuple[tuple[str, str], ...]]:
        """The costs of the best pairing of these players, and its pairs."""
        if not left:
            return (0, 0.0), ()
        one, *others = left
        ways = []
        for other in others:
            (often, apart), pairs = best(tuple(name for name in others if name != other))
            costs = (often + met[frozenset((one, other))] ** 2, apart + (points[one] - points[other]) ** 2)
            ways.append((costs, ((one, other), *pairs)))
        return min(ways, key=lambda way: way[0])

    parts = [tuple(here[at : at + TOGETHER]) for at in range(0, len(here), TOGETHER)]
    pairs = [sorted(pair, key=history.__getitem__) for part in parts for pair in best(part)[1]]
    return [*((first, second) for first, second in pairs), *byes]


def sides(field: Field, over: Sequence[Sequence[Match]]) -> list[list[trf.Cell]]:
    """What a report says of each player's rounds."""
    numbers = {name: number for number, name in enumerate(field.names, 1)}
    cells: list[list[trf.Cell]] = [[] for _ in numbers]
    for matches in over:
        told: dict[str, trf.Cell] = {}
        for match in matches:
            if match.second is None:
                told[match.first] = trf.BYE
                continue
            marks = [trf.MARKS[score] for score in match.scores] if any(match.scores) else ["-", "-"]
            told[match.first] = trf.Cell(numbers[match.second], "w", marks[0])
            told[match.second] = trf.Cell(numbers[match.first], "b", marks[1])
        for name, number in numbers.items():
            cells[number - 1].append(told.get(name, trf.ABSENT))
    return cells


def report(field: Field, title: str, called: Mapping[str, str]) -> str:
    """The tournament report (TRF16) of the complete rounds. `called`: the players' names."""
    entrants = [entrant._replace(name=called[entrant.name]) for entrant in field.entrants]
    return trf.write(entrants, sides(field, follow(field).over), rounds(field), title)


def pairings(field: Field) -> Decision:
    """The next round when the one before is over."""
    course = follow(field)
    if not course.number:
        return Decision(DONE)
    here = [result for result in field.results if result.round == course.number]
    matches = course.playing or in_play(field, course, ())
    over = min((len(match.games) for match in matches if match.open), default=0)
    told = Counter(frozenset((result.first, result.second)) for result in here)
    if any(count > over for count in told.values()):
        return Decision(WAIT)
    fresh = [match.open[0] for match in matches if match.open and len(match.games) == over]
    byes = [Pairing(course.number, match.first, None) for match in matches if match.second is None and not over]
    return Decision(PAIR, (*fresh, *byes))


def parting(options: Mapping[str, int]) -> Sequence[Rule]:
    """The rules that part players with equal points."""
    return (SWISS_MATCHES if options["match"] == 2 else SWISS)[1:]


def table(field: Field) -> list[Row]:
    """Points, game points where a match has two games, Buchholz cut 1, Buchholz, Sonneborn-Berger, direct encounter,
    wins. A match counts when all its games are over."""
    course = follow(field)
    rules = (POINTS, *parting(field.options))
    playing = course.playing or []
    open_ = [match for match in playing if match.open]
    done = _tally(field, course)
    busy = {name for match in open_ for name in (match.first, match.second)}
    begun = course.playing is not None
    later = rounds(field) - course.number + (not begun) if course.number else 0
    reach = {
        name: (points, points + (name in busy) + later * field.plays(name, course.number + begun))
        for name, points in done.points.items()
    }
    games_ = [game for match in open_ for game in match.open]

    def after(scores: Sequence[float]) -> Mapping[str, int]:
        told = dict(zip(games_, scores, strict=True))
        return places(done.plus(part for match in open_ for part in _meetings(_ended(match, told))), rules)

    ranking = rank(done, rules)
    return rows(ranking, done, outlook.of(ranking.places(), reach, len(games_), None if later else after))


def _ended(match: Match, told: Mapping[Pairing, float]) -> Match:
    """The match with these first mover's scores in its open games."""
    more = [
        (told[game], 1 - told[game]) if game.first == match.first else (1 - told[game], told[game])
        for game in match.open
    ]
    return Match(match.first, match.second, match.games + more)


def _meetings(match: Match) -> list[tuple[str, Meeting, float]]:
    """The match from both sides, with the game points."""
    (one, two), sides = match.scores, [sum(game[side] for game in match.games) for side in (0, 1)]
    found = [(match.first, Meeting(match.second, one), sides[0])]
    return found if match.second is None else [*found, (match.second, Meeting(match.first, two), sides[1])]


def _tally(field: Field, course: Course) -> Tally:
    """What the players have done in matches that are over, and in the rounds that they did not play."""
    ended = [match for match in course.playing or () if not match.open]
    begun = len(course.over) + (course.playing is not None)
    away = [(name, Meeting(None, 0.0), 0.0) for name, last in field.withdrawn.items() for _ in range(last, begun)]
    played = [part for matches in (*course.over, ended) for match in matches for part in _meetings(match)]
    return tally(field.names).plus([*played, *away])
