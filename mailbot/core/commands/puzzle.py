"""The puzzle of the day, and its solution."""

from typing import Any, Final

from engine.families import family_of
from mailbot.core import tokens
from mailbot.core.effects import Drop, Effect, Forbidden, Letter, NotAllowed, Put, Say
from mailbot.core.language.grammar import Row
from mailbot.core.model import DAY, States
from mailbot.core.puzzles import days
from mailbot.core.puzzles.tried import Tried
from mailbot.core.tokens import Token
from mailbot.core.world import Asked, Request, World

SIDES: Final = ("solver", "opponent")
"""The players of a puzzle. They are the same for everybody, so that its picture is made once."""


def puzzle(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Today's puzzle, to be answered; or an earlier one with its solution."""
    today = request.now // DAY
    day = days.day_of(int(asked.args["n"].lstrip("#"))) if "n" in asked.args else today
    if not today - days.KEPT_DAYS < day <= today:
        oldest, newest = days.number(today - days.KEPT_DAYS + 1), days.number(today)
        raise Forbidden(f"The puzzles that can be seen are {oldest} to {newest}, which is today's.")
    return [Say(_letter(day, today, asked.by, world.tries_of(asked.by), world))]


def solve(request: Request, asked: Asked, world: World) -> list[Effect]:
    """Counts a try. The right turn is answered with the line that follows."""
    today = request.now // DAY
    day = request.token[1] if asked.by_letter and request.token and request.token[0] == tokens.PUZZLE else today
    number, one = days.number(day), days.of_day(day)
    if day != today:
        raise NotAllowed(
            f"The day of puzzle {number} is over; `puzzle {number}` shows its solution, and `puzzle` today's one."
        )
    known = world.tries_of(asked.by)
    before = next((row for row in known if row.day == day), Tried(asked.by, day, 0, 0))
    if before.solved:
        raise NotAllowed(f"You have solved puzzle {number} already; the next one comes tomorrow.")
    family = family_of(one.rules, world.catalogue)
    move = family.follow(one.rules, one.moves, family.move(one.rules, asked.args["move"]))[0].move
    right = one.solved_by(move)
    row = before._replace(tries=before.tries + 1, solved=request.now if right else 0)
    old = [Drop(past) for past in known if past.day <= today - days.KEPT_DAYS]
    if not right:
        said = f"{move} does not force a win in two turns: there is an answer to it. Try another turn."
        told = Letter("notice", _subject(day), {"said": said}, _token(asked.by, day), _thread(day))
        return [Put(row), *old, Say(told)]
    now = [row, *(past for past in known if past.day != day)]
    return [Put(row), *old, Say(_letter(day, today, asked.by, now, world, world.solvers(day) + 1))]


def _letter(day: int, today: int, by: int, known: list[Tried], world: World, solvers: int | None = None) -> Letter:
    """The puzzle of a day for a player with these tries. It shows the solution if the player has found it, or if the
    day is over."""
    one, number = days.of_day(day), days.number(day)
    to_move = family_of(one.rules, world.catalogue).replay(one.rules, one.moves, len(one.moves)).to_move
    own = next((row for row in known if row.day == day), None)
    solved = own is not None and own.solved > 0
    recent = sum(row.solved > 0 and row.day > today - days.KEPT_DAYS for row in known)
    facts: dict[str, Any] = {
        "puzzle": number,
        "board": number,
        "rules": one.rules,
        "moves": list(one.moves),
        "players": list(SIDES if to_move == 1 else reversed(SIDES)),
        "viewer": 0,
        "state": States.RUNNING,
        "to_move": to_move,
        "difficulty": one.difficulty,
        "turns": one.turns,
        "wins": len(one.solutions),
        "solvers": world.solvers(day) if solvers is None else solvers,
        "tries": own.tries if own else 0,
        "solved": solved,
        "recent": recent,
        "days": days.KEPT_DAYS,
    }
    if player := world.player(by):
        facts["userid"] = player.userid
    if solved or day < today:
        facts["solution"] = list(one.line)
        facts["others"] = list(one.solutions[1:])
    return Letter(
        "puzzle", _subject(day), facts, _token(by, day) if day == today and not solved else None, _thread(day)
    )


def _subject(day: int) -> str:
    return f"Puzzle {days.number(day)}"


def _thread(day: int) -> str:
    return f"puzzle-{days.number(day)}"


def _token(player: int, day: int) -> Token:
    return Token(tokens.PUZZLE, player, day, 0)


ROWS = (
    Row(
        "puzzle",
        ("userid password", "n userid password", "n", ""),
        puzzle,
        "the puzzle of the day, or an earlier one with its solution",
        tokens=tokens.PLAY + tokens.PUZZLE,
    ),
    Row(
        "solve",
        ("userid password move", "move"),
        solve,
        "a turn that is to solve the puzzle of the day",
        tokens=tokens.PUZZLE,
    ),
)
