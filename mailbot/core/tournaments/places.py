"""Points and places: who stands before whom, and which rule says so (docs/tournaments.md 6).

A rule gives every player of a tied group a value; who has more stands first. Rules are tried in order, each among those
whom the rules before it have not parted.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mailbot.core.tournaments.field import Row

SHARED = "shared"


class Meeting(NamedTuple):
    """A game (or a match that counts as one) from one player's side. `opponent` is None for a round that the player did
    not play: a bye, or a round after the player withdrew."""

    opponent: str | None
    score: float


@dataclass(slots=True)
class Tally:
    """What the players have done so far. `games`: game points, where a match has more than one game. `lent`: what each
    counts for in the Buchholz of the opponents; a round not played is a draw there."""

    meetings: dict[str, tuple[Meeting, ...]]
    games: dict[str, float]
    points: dict[str, float]
    lent: dict[str, float]

    def plus(self, more: Iterable[tuple[str, Meeting, float]]) -> "Tally":
        """With these meetings, each with its game points."""
        meetings, games = dict(self.meetings), dict(self.games)
        points, lent = dict(self.points), dict(self.lent)
        for name, one, scored in more:
            meetings[name] = (*meetings[name], one)
            games[name] += scored
            points[name] += one.score
            lent[name] += 0.5 if one.opponent is None else one.score
        return Tally(meetings, games, points, lent)


def tally(names: Iterable[str]) -> Tally:
    """Nobody has played yet."""
    among = tuple(names)
    games, points, lent = (dict.fromkeys(among, 0.0) for _ in range(3))
    return Tally(dict.fromkeys(among, ()), games, points, lent)


Values = Callable[[Tally, Sequence[str]], Mapping[str, float]]


class Rule(NamedTuple):
    """`within`: the values depend on who is tied. Such a rule is tried anew among those it leaves tied."""

    name: str
    values: Values
    within: bool = False


def _points(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    return {name: tally.points[name] for name in tied}


def _game_points(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    return {name: tally.games[name] for name in tied}


def sonneborn_berger(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    """The sum of result times the opponent's points."""
    return {
        name: sum(one.score * tally.points[one.opponent] for one in tally.meetings[name] if one.opponent is not None)
        for name in tied
    }


def virtual_sonneborn_berger(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    """The same for a Swiss: a round not played is a draw against oneself."""
    return {
        name: sum(
            0.5 * tally.points[name] if one.opponent is None else one.score * tally.lent[one.opponent]
            for one in tally.meetings[name]
        )
        for name in tied
    }


def _against(tally: Tally, name: str) -> list[float]:
    """What each round adds to this player's Buchholz: the opponent's points, or one's own for a round not played."""
    return [tally.points[name] if one.opponent is None else tally.lent[one.opponent] for one in tally.meetings[name]]


def buchholz(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    """The sum of the opponents' points."""
    return {name: sum(_against(tally, name)) for name in tied}


def buchholz_cut1(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    """Buchholz without the round that adds least."""
    return {name: sum(sorted(_against(tally, name))[1:]) for name in tied}


def direct_encounter(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    """The points from the games among the tied, if all of them have met. If not: 1 for a player who is ahead whatever
    the missing games would bring, 0 for the others [FIDE C.07, 6]."""
    group = set(tied)
    among = {name: [one for one in tally.meetings[name] if one.opponent in group] for name in tied}
    score = {name: sum(one.score for one in met) for name, met in among.items()}
    missing = {name: len(group) - 1 - len({one.opponent for one in met}) for name, met in among.items()}
    if not any(missing.values()):
        return score
    most = max(tied, key=lambda name: score[name])
    ahead = all(score[most] > score[name] + missing[name] for name in tied if name != most)
    return {name: float(ahead and name == most) for name in tied}


def wins(tally: Tally, tied: Sequence[str]) -> Mapping[str, float]:
    """Games (or matches) won; a bye is none."""
    return {name: sum(one.score == 1 and one.opponent is not None for one in tally.meetings[name]) for name in tied}


POINTS = Rule("points", _points)
GAME_POINTS = Rule("game_points", _game_points)
_DIRECT, _WINS = Rule("direct_encounter", direct_encounter, within=True), Rule("wins", wins)
ROUND_ROBIN = (POINTS, Rule("sonneborn_berger", sonneborn_berger), _DIRECT, _WINS)
SWISS = (
    POINTS,
    Rule("buchholz_cut1", buchholz_cut1),
    Rule("buchholz", buchholz),
    Rule("sonneborn_berger", virtual_sonneborn_berger),
    _DIRECT,
    _WINS,
)
SWISS_MATCHES = (POINTS, GAME_POINTS, *SWISS[1:])


class Placed(NamedTuple):
    """Players whom no rule parts, in the order of their names. `parted_by`: what puts them before the next."""

    names: tuple[str, ...]
    parted_by: str | None


@dataclass(slots=True)
class Ranking:
    """The players in order, and what each rule that was tried said of them."""

    placed: list[Placed]
    values: dict[str, dict[str, float | None]]

    def places(self) -> dict[str, int]:
        """Each player's place."""
        found: dict[str, int] = {}
        for placed in self.placed:
            found |= dict.fromkeys(placed.names, len(found) + 1)
        return found


def rank(tally: Tally, rules: Sequence[Rule], names: Iterable[str] | None = None) -> Ranking:
    """The players by these rules. The value of a rule within tied groups is None for a player it was not needed for."""
    among = sorted(tally.meetings if names is None else names)
    told = {rule.name: {} if rule.within else rule.values(tally, among) for rule in rules}
    values = {name: {rule.name: told[rule.name].get(name) for rule in rules} for name in among}

    def part(tied: Sequence[str], left: Sequence[Rule]) -> list[Placed]:
        if len(tied) == 1 or not left:
            return [Placed(tuple(tied), None)]
        rule = left[0]
        found = rule.values(tally, tied) if rule.within else told[rule.name]
        for name in tied:
            values[name][rule.name] = found[name]
        out: list[Placed] = []
        for height in sorted({found[name] for name in tied}, reverse=True):
            alike = [name for name in tied if found[name] == height]
            if out:
                out[-1] = Placed(out[-1].names, rule.name)
            out += part(alike, left if rule.within and len(alike) < len(tied) else left[1:])
        return out

    return Ranking(part(among, rules), values)


def places(tally: Tally, rules: Sequence[Rule]) -> dict[str, int]:
    """The places alone: as `rank`, but a rule looks only at those who are tied."""
    found: dict[str, int] = {}

    def part(tied: Sequence[str], left: Sequence[Rule]) -> None:
        if len(tied) == 1 or not left:
            found.update(dict.fromkeys(tied, len(found) + 1))
            return
        values = left[0].values(tally, tied)
        for height in sorted(set(values.values()), reverse=True):
            alike = [name for name in tied if values[name] == height]
            part(alike, left if left[0].within and len(alike) < len(tied) else left[1:])

    part(list(tally.meetings), rules)
    return found


def rows(ranking: Ranking, tally: Tally, outlook: Mapping[str, tuple[int, int]], above: int = 0) -> list[Row]:
    """The table of a ranking. `outlook`: best and worst place of each player. `above`: players who stand before all of
    these."""
    table: list[Row] = []
    for placed in ranking.placed:
        place = above + len(table) + 1
        for number, name in enumerate(placed.names, 1):
            shared = number < len(placed.names)
            breaks = {rule: value for rule, value in ranking.values[name].items() if rule != POINTS.name}
            parted = SHARED if shared else placed.parted_by
            table.append(Row(place, name, tally.points[name], breaks, parted, *outlook[name]))
    return table
