"""Tournaments for tests: fields from short texts, and whole tournaments played at random."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from mailbot.core import tournaments
from mailbot.core.tournaments import Format, swiss
from mailbot.core.tournaments.field import DONE, PAIR, Entrant, Field, Pairing, Result, Row, gather


def entrants(number: int) -> list[Entrant]:
    """p1, p2, ... in the order of their seeds."""
    return [Entrant(f"p{seed}", 2000 - seed) for seed in range(1, number + 1)]


def field(
    name: str,
    number: int,
    results: Sequence[Result] = (),
    withdrawn: Mapping[str, int] | None = None,
    seed: int = 1,
    **options: int,
) -> Field:
    return gather(tournaments.find(name).options, entrants(number), results, withdrawn, options, seed)


def read(text: str) -> list[Result]:
    """`1: 1>5 2=6 3<7 8-` is round 1; `-` is a bye."""
    found = []
    for line in text.strip().split("\n"):
        round_, _, games = line.partition(":")
        for game in games.split():
            sign = next(char for char in game if char in ">=<-")
            first, second = game.split(sign)
            score = {">": 1.0, "=": 0.5, "<": 0.0, "-": 1.0}[sign]
            found.append(Result(int(round_), f"p{first}", f"p{second}" if second else None, score))
    return found


def pairs(games: Sequence[Pairing]) -> list[str]:
    """`p1-p5`, or `p9` for a bye."""
    return [f"{game.first}-{game.second}" if game.second else game.first for game in games]


class Story(NamedTuple):
    """What came of a tournament. `steps`: the games of each step."""

    field: Field
    table: list[Row]
    steps: list[tuple[Pairing, ...]]


def play(row: Format, number: int, options: Mapping[str, int], rng: random.Random, leave: float = 0.03) -> Story:
    """A whole tournament. Games end in any order, some by forfeit as players withdraw; the field is made anew from
    nothing before each step, in another order, as after a restart. Checks the table each time."""
    who, results, withdrawn = entrants(number), list[Result](), dict[str, int]()
    steps: list[tuple[Pairing, ...]] = []
    playing: list[Pairing] = []
    seen = {entrant.name: (1, number) for entrant in who}
    for _ in range(100_000):
        rng.shuffle(who)
        rng.shuffle(results)
        field = gather(row.options, who, results, withdrawn, options, 3)
        decision = row.pairings(field)
        table = row.table(field)
        seen = checked(table, field, seen)
        if decision.state == DONE:
            assert not playing and all(line.best == line.place == line.worst for line in table)
            return Story(field, table, steps)
        if decision.state == PAIR:
            assert decision.pairings and not playing
            steps.append(decision.pairings)
            playing = [game for game in decision.pairings if game.second]
            results += [Result(*game[:3], 1) for game in decision.pairings if not game.second and rng.random() < 0.5]
        if playing and rng.random() < leave:
            name = rng.choice(who).name
            withdrawn.setdefault(name, max(game.round for game in playing))
            playing = [game for game in playing if withdrawn.keys().isdisjoint(game[1:3])]
            seen = {entrant.name: (1, number) for entrant in who}
        rng.shuffle(playing)
        for _ in range(rng.randint(1, max(1, len(playing)))):
            if playing:
                game = playing.pop()
                results.append(Result(game.round, game.first, game.second, rng.choice([0, 0.5, 1]), game.group))
    raise AssertionError("the tournament does not end")


def checked(table: list[Row], field: Field, seen: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """The table's outlook, which must lie within the one seen before. Everybody stands in the table once, in order."""
    assert sorted(line.name for line in table) == sorted(field.names)
    assert [line.place for line in table] == sorted(line.place for line in table)
    for index, line in enumerate(table):
        shared = index + 1 < len(table) and table[index + 1].place == line.place
        assert (line.parted_by == "shared") == shared
        assert (line.parted_by is None) == (index == len(table) - 1)
        best, worst = seen[line.name]
        assert best <= line.best <= line.worst <= worst, line
    return {line.name: (line.best, line.worst) for line in table}


def kept_as_swiss(story: Story) -> None:
    """Once a round each; nobody twice and one bye at most, unless nothing else is left; sides even. The second game of
    a match is the first one with sides swapped, in a step of its own."""
    size = story.field.options["match"]
    met: set[frozenset[str | None]] = set()
    byes, sides = Counter[str](), Counter[str]()
    rounds: dict[int, list[tuple[Pairing, ...]]] = {}
    for games in story.steps:
        rounds.setdefault(games[0].round, []).append(games)
    forced = False
    for number, (games, *second) in rounds.items():
        there = [name for game in games for name in (game.first, game.second) if name]
        assert len(there) == len(set(there))
        pairs = {frozenset((game.first, game.second)) for game in games}
        if met & pairs:
            forced = True
            refused_by_engine(story.field, number)
        met |= pairs
        alone = [game.first for game in games if game.second is None]
        assert len(alone) <= 1
        byes.update(alone)
        swapped = {Pairing(number, game.second, game.first) for game in games if game.second}
        assert len(second) < size and all(game in swapped for step in second for game in step)
        assert story.field.withdrawn or size == 1 or not swapped or set(*second) == swapped
        for game in (*games, *(game for step in second for game in step)):
            sides[game.first] += game.second is not None
            sides[game.second or ""] -= 1
    del sides[""]
    assert forced or max(byes.values(), default=0) <= 1
    assert all(abs(side) <= 2 for side in sides.values()) or forced or size == 2, sides


def refused_by_engine(told: Field, number: int) -> None:
    """Raises unless the engine has no pairing of new opponents for this round."""
    before = [result for result in told.results if result.round < number]
    gone = {name: last for name, last in told.withdrawn.items() if last < number}
    then = gather(swiss.OPTIONS, told.entrants, before, gone, told.options, told.seed)
    course = swiss.follow(then)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(swiss, "again", lambda field, course: None)
        assert swiss.paired(then, course) is None
