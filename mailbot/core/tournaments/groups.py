"""Groups and a final: round-robins in groups of about equal strength; the first of each go on until one is left."""

from collections.abc import Sequence
from dataclasses import dataclass

from mailbot.core.tournaments.field import DONE, Decision, Field, Option, Result, Row
from mailbot.core.tournaments.places import SHARED
from mailbot.core.tournaments.roundrobin import Season, fixture

OPTIONS = {"of": Option(7, 3, 40), "up": Option(2, 1, 20), "atonce": Option(0, 0, 1000)}
"""`of`: the most players in a group. `up`: how many of each go on. `atonce`: as in a round-robin."""


@dataclass(slots=True)
class Stage:
    """`groups`: the players of each, better seeds first. `last`: its last round."""

    groups: list[list[str]]
    season: Season
    decision: Decision
    last: int

    def tables(self) -> list[list[Row]]:
        """The table of each group."""
        return [self.season.table(group, last=len(self.groups) == 1) for group in self.groups]


def divide(players: Sequence[str], of: int) -> list[list[str]]:
    """Groups of at most `of`, as equal as can be, the larger ones first. Players are dealt like a snake: to the first
    group, the second, ... the last, the last, ... the second, the first."""
    count = -(-len(players) // of)
    small, larger = divmod(len(players), count)
    sizes = [small + (number < larger) for number in range(count)]
    groups: list[list[str]] = [[] for _ in sizes]
    turn = 0
    for player in players:
        while True:
            lap, step = divmod(turn, count)
            number = step if lap % 2 == 0 else count - 1 - step
            turn += 1
            if len(groups[number]) < sizes[number]:
                groups[number].append(player)
                break
    return groups


def stages(field: Field) -> list[Stage]:
    """The stages so far. Raises Forbidden for a result that is not of its stage."""
    found: list[Stage] = []
    players, after = list(field.names), 0
    left = sorted(field.results, key=lambda result: result.round)
    while True:
        groups = divide(players, field.options["of"])
        games = [game for number, group in enumerate(groups, 1) for game in fixture(group, after=after, group=number)]
        last = max((game.round for game in games), default=after)
        here: list[Result] = [result for result in left if result.round <= last]
        left = left[len(here) :]
        season = Season(field, games, here)
        stage = Stage(groups, season, season.decide(field, field.options["atonce"]), last)
        found.append(stage)
        if stage.decision.state == DONE and len(groups) > 1:
            players = _go_on(field, stage, players)
        if stage.decision.state != DONE or len(groups) == 1 or not players:
            if left:
                raise field.refusal(left[0], f"round {left[0].round} has not begun: the groups before it are not over")
            return found
        after = last


def _go_on(field: Field, stage: Stage, players: Sequence[str]) -> list[str]:
    """Who goes on, in the order of the seeding: the first `up` of each group who are still there, and with the last of
    them all who share the place. Never everybody: then the better seeds of those who share go on."""
    seeds = {name: number for number, name in enumerate(field.names)}

    def chosen(shared: bool) -> list[str]:
        out: list[str] = []
        for table in stage.tables():
            up = min(field.options["up"], len(table) - 1)
            rows = [row for row in table if field.plays(row.name, stage.last + 1)]
            rows.sort(key=lambda row: (row.place, seeds[row.name]))
            bar = rows[up - 1].place if len(rows) >= up else len(table)
            out += [row.name for row in rows if row.place <= bar] if shared else [row.name for row in rows[:up]]
        return sorted(out, key=lambda name: seeds[name])

    with_shared = chosen(shared=True)
    return with_shared if len(with_shared) < len(players) else chosen(shared=False)


def pairings(field: Field) -> Decision:
    """The games of the groups, and when they are over those of the next groups."""
    return stages(field)[-1].decision


def table(field: Field) -> list[Row]:
    """The last group's table, then those who did not go on: by how far they came, then by the place in the group."""
    found = stages(field)
    whole: list[Row] = []
    for number in range(len(found) - 1, -1, -1):
        stage = found[number]
        above = {row.name for row in whole}
        final = len(stage.groups) == 1
        rows = sorted(
            (row for table in stage.tables() for row in table if row.name not in above),
            key=lambda row: (row.place, -row.points, row.name),
        )
        whole += _joined(rows, len(whole), final=final, over=stage.decision.state == DONE)
    for index, row in enumerate(whole[:-1]):
        if row.parted_by is None:
            whole[index] = row._replace(parted_by="stage")
    return whole


def _joined(rows: Sequence[Row], above: int, *, final: bool, over: bool) -> list[Row]:
    """The rows of the groups of one stage as one table, below `above` others. Equal places and points are shared."""
    if final:
        return [row._replace(place=row.place + above, best=row.best + above, worst=row.worst + above) for row in rows]
    out: list[Row] = []
    keys = [(row.place, row.points) for row in rows]
    for row, key, following in zip(rows, keys, [*keys[1:], None], strict=True):
        place = above + keys.index(key) + 1
        best, worst = (place, place) if over else (above + 1, above + len(rows))
        parted = None
        if following is not None:
            parted = SHARED if following == key else "points" if following[0] == key[0] else "group_place"
        out.append(row._replace(place=place, parted_by=parted, best=best, worst=worst))
    return out
