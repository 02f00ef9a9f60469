"""`mailbot simulate`: a tournament among players of random strength, so that a director can choose a format.

Strengths are ratings, normally distributed. Who wins follows from them as the ratings expect it. A player takes a
random time for a move, exponentially distributed. Where that is more than the clock leaves, most players move just in
time, and some lose.
"""

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import NamedTuple

import click

from engine.errors import EngineError, Forbidden
from mailbot.core import tournaments
from mailbot.core.games import clocks
from mailbot.core.games.clocks import Clock
from mailbot.core.letters.tables import Column, draw
from mailbot.core.model import DAY
from mailbot.core.ratings import fold
from mailbot.core.ratings.fold import Rating
from mailbot.core.tournaments import Format
from mailbot.core.tournaments.field import PAIR, WAIT, Entrant, Field, Pairing, Result, gather

MIDDLE, SPREAD = 1500, 250
"""The players' strengths: their mean and standard deviation."""
DRAWS = 0.05
"""The share of games that are drawn."""
LATE = 0.02
"""The share of moves that do not come in time when time is short."""
SURE = fold.NARROWEST
"""The deviation of the strengths: they are known."""


class Step(NamedTuple):
    """The games of a step, and how many seconds passed until the last one was over."""

    games: int
    seconds: int


@dataclass(slots=True)
class Tournament:
    """A tournament that is played out. `pace`: seconds a player takes for a move on average; `turns`: of a game, both
    players' together. `chance`: all that happens by chance."""

    row: Format
    options: Mapping[str, int]
    clock: Clock | None
    pace: int
    turns: int
    chance: random.Random
    entrants: list[Entrant] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    on_time: int = 0

    def enter(self, players: int) -> None:
        """So many players of random strength."""
        strengths = [round(self.chance.gauss(MIDDLE, SPREAD)) for _ in range(players)]
        self.entrants = [Entrant(f"player{number}", rating) for number, rating in enumerate(strengths, 1)]

    @property
    def field(self) -> Field:
        """As it stands. Raises Forbidden for impossible sizes and options."""
        return gather(self.row.options, self.entrants, self.results, None, self.options)

    def steps(self) -> Iterator[Step]:
        """Plays one step after another to the end. Raises Forbidden if the format pairs nobody by itself."""
        while True:
            decision = self.row.pairings(self.field)
            if decision.state == WAIT:
                raise Forbidden("this format waits for its players' challenges: there is nothing to simulate")
            if decision.state != PAIR:
                return
            lasted = [self._play(game) for game in decision.pairings]
            yield Step(sum(game.second is not None for game in decision.pairings), max(lasted))

    def _play(self, game: Pairing) -> int:
        """Plays a game; says how many seconds it took."""
        if game.second is None:
            self.results.append(Result(*game[:3], 1, game.group))
            return 0
        seconds, late = self._time()
        strength = {entrant.name: Rating(entrant.rating, SURE) for entrant in self.entrants}
        first = fold.expected(strength[game.first], strength[game.second])
        score = 0.5 if self.chance.random() < DRAWS else float(self.chance.random() < first)
        if late:
            self.on_time += 1
            score = float(late == 2)
        self.results.append(Result(*game[:3], score, game.group))
        return seconds

    def _time(self) -> tuple[int, int]:
        """How many seconds a game takes, and which seat lost on time, 0 for none."""
        at, mover = 0, 1
        times = clocks.begun(self.clock, 0) if self.clock else None
        for _ in range(self.turns):
            at += 1 + int(self.chance.expovariate(1 / self.pace))
            if self.clock and times:
                flag = clocks.flag_at(times, mover, ())
                if at >= flag and self.chance.random() < LATE:
                    return flag, mover
                at = min(at, flag - 1)
                times = clocks.moved(self.clock, times, mover, at, ())
            mover = 3 - mover
        return at, 0


COLUMNS = (
    Column("Place", 5, number=True),
    Column("Player", 12),
    Column("Strength", 8, number=True),
    Column("Rank", 4, number=True),
    Column("Points", 6, number=True),
    Column("Parted from the next by", 26),
)


def report(played: Tournament, steps: list[Step]) -> list[str]:
    """The table and how long it took, as lines. `Rank` is the place that a player's strength deserves."""
    field = played.field
    strength = {entrant.name: entrant.rating for entrant in field.entrants}
    ranks = {name: rank for rank, name in enumerate(field.names, 1)}
    table = played.row.table(field)
    rows = [
        (
            str(row.place),
            row.name,
            f"{strength[row.name]:.0f}",
            str(ranks[row.name]),
            f"{row.points:g}",
            (row.parted_by or "").replace("_", " "),
        )
        for row in table
    ]
    lasted = [f"{step.games} games in {step.seconds / DAY:.0f} days" for step in steps]
    days = sum(step.seconds for step in steps) / DAY
    off = mean(abs(row.place - ranks[row.name]) for row in table)
    return [
        *draw(COLUMNS, rows),
        "",
        *(f"step {number}: {told}" for number, told in enumerate(lasted, 1)),
        f"{sum(step.games for step in steps)} games in {days:.0f} days, {played.on_time} lost on time.",
        f"The strongest player came out {next(row.place for row in table if row.name == field.names[0])}."
        f" On average a player stands {off:.1f} places from where strength would put him.",
    ]


@click.command()
@click.option(
    "-format", "--format", "format_", default="swiss", show_default=True, help="With options: swiss,rounds=5."
)
@click.option("--players", default=16, show_default=True, type=click.IntRange(2, 200))
@click.option("-clock", "--clock", "clock", default="normal", show_default=True, help="As in a challenge.")
@click.option(
    "--pace", default=24, show_default=True, type=click.IntRange(1, 10_000), help="Hours for a move, on average."
)
@click.option("--turns", default=30, show_default=True, type=click.IntRange(2, 500), help="Turns of a game.")
@click.option("--seed", default=1, show_default=True, help="Another seed is another tournament.")
def simulate(format_: str, players: int, clock: str, pace: int, turns: int, seed: int) -> None:
    """Play a tournament among players of random strength, and print its table and how long it takes."""
    try:
        row, options = tournaments.parse(format_)
        played = Tournament(row, options, clocks.parse(clock), pace * 3600, turns, random.Random(seed))  # noqa: S311
        played.enter(players)
        with click.progressbar(played.steps(), label="steps", file=sys.stderr, hidden=not sys.stderr.isatty()) as shown:
            steps = list(shown)
        lines = report(played, steps)
    except EngineError as error:
        raise click.ClickException(str(error)) from None
    click.echo("\n".join(lines))
