"""The results of a tournament side by side: a cross table for who meets each other, a bracket for a knock-out. The
chances of a game, ply by ply."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mailbot.core.contests import Fixture
from mailbot.core.hosting.standing import SCORES, Standing, userid
from mailbot.core.model import Judged, States
from mailbot.core.tournaments import knockout
from mailbot.core.tournaments.field import Field
from mailbot.core.tournaments.knockout import Match
from mailbot.core.world import World

WIDEST: Final = 40
"""Players of a cross table; a wider one cannot be read."""
ROUNDS: Final[Mapping[str, Callable[[Field], list[list[Match]]]]] = {"knockout": knockout.rounds}
"""By the name of a format, the rounds of its bracket."""
SIGNS: Final = {1.0: "1", 0.5: "½", 0.0: "0"}
FINALS: Final = {1: "Final", 2: "Semifinals", 4: "Quarterfinals"}
"""What a round is called, by its number of matches."""

WIDTH: Final = 640
HEIGHT: Final = 160
"""Units of the drawing, of which the page makes as many pixels as it has room for."""


def crosses(state: Standing, world: World) -> list[dict[str, Any]]:
    """A cross table for each group: `names`, and `rows` with a list of results for each of them, each with its board. A
    game that runs has a dot. None where there is a bracket or a ladder, and none for many players."""
    if state.format.endless or state.format.name in ROUNDS:
        return []
    groups: dict[int, list[Fixture]] = defaultdict(list)
    for fixture in state.fixtures:
        if fixture.second and fixture.game:
            groups[fixture.pool].append(fixture)
    return [_cross(state, pool, fixtures, world) for pool, fixtures in sorted(groups.items()) if _fits(fixtures)]


def _fits(fixtures: Sequence[Fixture]) -> bool:
    return len({seat for one in fixtures for seat in (one.first, one.second)}) <= WIDEST


def _cross(state: Standing, pool: int, fixtures: Sequence[Fixture], world: World) -> dict[str, Any]:
    there = {seat for one in fixtures for seat in (one.first, one.second)}
    seats = [entry.seat for _, entry in state.table if entry.seat in there]
    met: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for one in fixtures:
        met[one.first, one.second].append((_result(state, one, first=True), one.game))
        met[one.second, one.first].append((_result(state, one, first=False), one.game))
    points = {entry.seat: f"{row.points:g}" for row, entry in state.table}
    return {
        "pool": pool,
        "names": [userid(state.by_seat[seat].player, world) for seat in seats],
        "rows": [([met[seat, other] for other in seats], points[seat]) for seat in seats],
    }


def _result(state: Standing, one: Fixture, *, first: bool) -> str:
    game = state.games[one.game]
    if game.state != States.OVER:
        return "·"
    score = SCORES[game.winner]
    return "–" if one.void else SIGNS[score if first else 1 - score]


def bracket(state: Standing, world: World) -> list[dict[str, Any]]:
    """The rounds of a knock-out: `title`, and `matches` with two sides, each with its name, its points and whether it
    has won. Nothing for other formats."""
    rounds = ROUNDS.get(state.format.name)
    if rounds is None or state.field is None:
        return []
    found = []
    for number, matches in enumerate(rounds(state.field), 1):
        third = number > 1 and len(matches) == 2 and len(state.by_seat) <= 1 << number
        called = "Final and third place" if third else FINALS.get(len(matches), f"Round {number}")
        found.append({"title": called, "matches": [_match(state, number, one, world) for one in matches]})
    return found


def _match(state: Standing, number: int, match: Match, world: World) -> dict[str, Any]:
    seats = [int(name) if name else 0 for name in (match.one, match.two)]
    boards = [one.game for one in state.fixtures if one.round == number and {one.first, one.second} == {*seats}]
    scores = [result.score if result.first == match.one else 1 - result.score for result in match.results]
    points = [sum(scores), len(scores) - sum(scores)]
    sides = [
        {
            "name": userid(state.by_seat[seat].player, world) if seat else "",
            "points": f"{of:g}" if scores and all(seats) else "",
            "won": match.decided and seat and match.winner == name,
        }
        for seat, of, name in zip(seats, points, (match.one, match.two), strict=True)
    ]
    return {"sides": sides, "boards": [board for board in boards if board]}


def plot(seen: Judged | None, moves: Sequence[str], ply: int) -> dict[str, Any] | None:
    """The drawing at this ply. `points`: x, y, the ply and the first player's chance in percent, at the top of the
    drawing when it is 100. None if the computer has not looked at just these moves."""
    if seen is None or not moves or seen.moves != " ".join(moves):
        return None
    chances = [int(one) for one in seen.chances.split()]
    step = WIDTH / (len(chances) - 1)
    points = [(round(step * i, 1), HEIGHT - HEIGHT * one // 100, i, one) for i, one in enumerate(chances)]
    return {"width": WIDTH, "height": HEIGHT, "points": points, "at": points[ply], "strip": step}
