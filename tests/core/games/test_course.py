"""The course of a game is in one place: transitions as a table, and a search of the source for code around them."""

import ast
from pathlib import Path

import pytest

from engine.hex.position import Outcome
from mailbot.core.games import course
from mailbot.core.model import Game

MAILBOT = Path(__file__).parents[3] / "mailbot"
OFFERED = course.offered(7, "lambo", (1, 2), 100, agreed=1)
RUNNING = course.begun(OFFERED, 1, 200)
ASKED = RUNNING._replace(asks="draw", asks_by=1)

ROWS = [
    (OFFERED, "offered", 0, None, "", 100),
    (RUNNING, "running", 1, None, "", 200),
    (course.declined(OFFERED, 300), "declined", 0, None, "", 300),
    (course.lapsed(OFFERED, 300), "lapsed", 0, None, "", 300),
    (course.moved(RUNNING, 2, None, 300), "running", 2, None, "", 300),
    (course.moved(RUNNING, 2, Outcome(1, "closed"), 300), "over", 0, 1, "closed", 300),
    (course.over(ASKED, 0, "agreed", 300), "over", 0, 0, "agreed", 300),
    (course.over(ASKED, None, "annulled", 300), "over", 0, None, "annulled", 300),
    (course.rewound(course.over(ASKED, 2, "flag", 300), 0, 1, 400), "running", 1, None, "", 400),
]


@pytest.mark.parametrize(("game", "state", "to_move", "winner", "reason", "changed"), ROWS)
def test_transition(game: Game, state: str, to_move: int, winner: int | None, reason: str, changed: int) -> None:
    assert (game.state, game.to_move, game.winner, game.reason, game.changed) == (
        state,
        to_move,
        winner,
        reason,
        changed,
    )
    assert (game.id, game.player1, game.player2, game.created) == (7, 1, 2, 100)
    assert state != "over" or (game.asks, game.asks_by) == ("", 0)


def test_a_move_counts_a_ply_and_keeps_a_question_that_stands() -> None:
    after = course.moved(ASKED, 2, None, 300)
    assert (after.ply, after.asks) == (1, "draw")


# ---- nobody goes around it

STATES = {"offered", "running", "over", "declined", "lapsed"}


def around(source: str) -> list[int]:
    """Lines that write the state of a Game: `_replace` with a field of the course, or a Game made by hand."""
    lines = []
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        written = {word.arg: word.value for word in call.keywords}
        said = {node.value for node in ast.walk(written.get("state", ast.Pass())) if isinstance(node, ast.Constant)}
        of_course = {"winner", "reason", "to_move", "ply"} & {key for key in written if key} or said & STATES
        if (name == "_replace" and of_course and "text" not in written) or name == "Game":
            lines.append(call.lineno)
    return lines


def test_nothing_else_writes_the_course_of_a_game() -> None:
    found = {
        str(path.relative_to(MAILBOT)): lines
        for path in sorted(MAILBOT.rglob("*.py"))
        if (lines := around(path.read_text(encoding="utf-8"))) and path.name != "course.py"
    }
    assert not found


BAD = [
    "game._replace(state='over')",
    "game._replace(state='over' if x else 'running')",
    "games[7]._replace(winner=1)",
    "game._replace(reason='x', changed=now)",
    "Game(1, 'lambo', 1, 2, 'running', 3, 0, 1, None, '', 0, 0)",
]


@pytest.mark.parametrize("source", BAD)
def test_the_reader_sees_it(source: str) -> None:
    assert around(source) == [1]


@pytest.mark.parametrize("source", ["player._replace(state='off')", "game._replace(asks='', asks_by=0)"])
def test_the_reader_lets_others_be(source: str) -> None:
    assert around(source) == []
