"""Queued moves: a player's answers to moves that are still to come, as text and as they are played.

A plan is a few lines. A line is a list of steps, each an expected move of the opponent and the answer to it. If the
opponent plays the first step's move, the line is followed, and the rest of it waits for the move after:

    if b4,c11 then a7,a8 if c1,c2 then resign
    a9,b10

A line with only a move answers anything else that the opponent plays. Lines with the same beginning form a tree; two
lines that answer the same moves differently are refused. Two placements in either order are the same move, because
they give the same board. This module judges only the form: the move is checked for legality when its turn comes.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, takewhile
from textwrap import wrap
from typing import NamedTuple

from engine.catalogue import Catalogue
from engine.families import CATALOGUE, family_of
from engine.family import ALIKE, NOTATION, unguarded
from mailbot.core.effects import Drop, Effect, Letter, Say, Unreadable
from mailbot.core.model import Game
from mailbot.core.world import World

MAX_LINES, MAX_ANSWERS, MAX_STEPS = 20, 50, 8
"""Lines of a plan, answers in all its lines together, and steps of one line."""

MAX_CHARACTERS = 4000
"""A longer plan is refused. We keep more of a mail's text than this, so no plan arrives shortened."""

ANY, RESIGN = "", "resign"

FULL = range(70, 79)
"""Lengths of a line that a mail program may have broken before `if`."""
_ALTERNATIVE = re.compile(r"[;.]\s*+(?=if\b)", re.IGNORECASE)
"""What parts the alternatives of one line: `if b2 then c3; if a4 then resign`."""
_COMMA = re.compile(r",\s*(?:and\s+|or\s+)?if\b", re.IGNORECASE)
_SPACED_COMMA = re.compile(r"(?<=\d)\s*,\s*(?=[a-z]\d)", re.IGNORECASE)
_HOW = "Write one line each: a move, or if MOVE then MOVE, or if MOVE then resign"


class Step(NamedTuple):
    """A move of the opponent (ANY: any move) and the answer to it (RESIGN: resign), both canonical."""

    expected: str
    answer: str


Line = tuple[Step, ...]


def parse(text: str, rules: str, ply: int, catalogue: Catalogue = CATALOGUE) -> tuple[Line, ...]:
    """The lines of a plan that waits for ply `ply`. Raises Unreadable or Forbidden unless the whole text is a
    plan."""
    said = [line.strip() for line in _plan_part(_ALTERNATIVE.sub("\n", text))]
    if comma := next((line for line in said if _COMMA.search(line)), ""):
        raise Unreadable(f"I cannot tell whether the parts of '{_clip(comma)}' are alternatives. {_HOW}")
    if len(said) > MAX_LINES or len(text) > MAX_CHARACTERS:
        raise _too_long()
    canonical = partial(family_of(rules, catalogue).move, rules)
    lines = [_line(line, canonical, ply) for line in said]
    if sum(map(len, lines)) > MAX_ANSWERS or max(map(len, lines), default=0) > MAX_STEPS:
        raise _too_long()
    return _tree(lines)


def require_unbroken(lines: Sequence[str], before: int = 0, more_or_less: int = 0) -> None:
    """Unreadable if a mail program may have broken a line of a plan before `if`: what follows would become an
    alternative to what it follows from. `before`: characters before the plan in its first line, and up to so many
    more."""
    for number, (line, more) in enumerate(pairwise(one.strip() for one in lines)):
        least = len(line) + (0 if number else before)
        most = least + (0 if number else more_or_less)
        if least < FULL.stop and most >= FULL.start and more.lower().startswith("if "):
            said = f"Perhaps your mail program has broken the line '{_clip(line)}' in two"
            raise Unreadable(
                f"{said}. If you meant two lines, put a blank line between them; if you meant one, make it shorter"
            )


_GOES_ON = re.compile(rf"\W*(?:\d{{1,2}}[.)]\W+)?(?:if|then|{NOTATION})\b", re.IGNORECASE)


def going_on(text: str) -> str:
    """The lines at the beginning of a text with which a plan goes on that has begun above. The rest are words, or what
    a mail program has put below."""
    return "\n".join(takewhile(lambda line: _GOES_ON.match(line.strip()) or not line.strip(), text.split("\n")))


def _plan_part(text: str) -> list[str]:
    """The lines of the plan. It ends at a blank line, unless the next line begins with `if`."""
    lines: list[str] = []
    ended = False
    for line in text.lower().split("\n"):
        if not line.strip():
            ended = bool(lines)
        elif not ended or line.split()[0] == "if":
            lines.append(line)
            ended = False
        else:
            break
    return lines


def _too_long() -> Unreadable:
    return Unreadable(
        f"A queue takes {MAX_LINES} lines, {MAX_STEPS} answers in a line and {MAX_ANSWERS} in all at most;"
        " yours has more"
    )


def _line(line: str, canonical: Callable[[str], str], ply: int) -> Line:
    words = [word.rstrip(".;,!") for word in _SPACED_COMMA.sub(",", line).split()]
    if len(words) == 1 and words[0] not in ("if", "then", RESIGN):
        return (Step(ANY, _move(words[0], canonical, ply + 1)),)
    steps: list[Step] = []
    for at in range(0, len(words), 4):
        part = words[at : at + 4]
        if len(part) < 4 or (part[0], part[2]) != ("if", "then") or (steps and steps[-1].answer == RESIGN):
            raise Unreadable(f"I could not read the queued line '{_clip(line)}'. {_HOW}")
        expected = _move(part[1], canonical, ply + 2 * len(steps))
        answer = RESIGN if part[3] == RESIGN else _move(part[3], canonical, ply + 2 * len(steps) + 1)
        steps.append(Step(expected, answer))
    return tuple(steps)


def _move(word: str, canonical: Callable[[str], str], ply: int) -> str:
    """The canonical text of a move for this ply."""
    move, guard = unguarded(word)
    text = canonical(move)
    if guard not in (None, ply):
        raise Unreadable(f"The move '{_clip(word)}' would be ply {ply} here, not {guard}")
    return text


def _clip(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _tree(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines without any that another line begins with. Unreadable if two answer the same moves differently."""
    answers: dict[tuple[str, ...], str] = {}
    for line in lines:
        path: tuple[str, ...] = ()
        for step in line:
            path = (*path, _board_of(step.expected))
            known = answers.setdefault(path, step.answer)
            if _board_of(known) != _board_of(step.answer):
                which = f"'{step.expected}'" if step.expected else "whatever comes"
                raise Unreadable(f"Two lines answer {which} differently, with {known} and with {step.answer}")
    paths = {_path(line): line for line in reversed(lines)}
    return tuple(
        line
        for path, line in reversed(paths.items())
        if not any(len(other) > len(path) and other[: len(path)] == path for other in paths)
    )


def _path(line: Line) -> tuple[str, ...]:
    return tuple(_board_of(step.expected) for step in line)


def _board_of(move: str) -> str:
    """A text that is the same for two moves that lay the same tiles."""
    return ",".join(sorted(move.split(",")))


def write(lines: Sequence[Line]) -> str:
    """The canonical text; `read` reads it back."""
    return "\n".join(" ".join(f"if {a} then {b}" if a else b for a, b in line) for line in lines)


def read(text: str) -> tuple[Line, ...]:
    """The lines of a text from `write`."""
    return tuple(
        tuple(Step(words[i + 1], words[i + 3]) for i in range(0, len(words), 4))
        if words[0] == "if"
        else (Step(ANY, words[0]),)
        for words in map(str.split, text.split("\n"))
    )


def answer(lines: Sequence[Line], played: str) -> tuple[str, tuple[Line, ...]] | None:
    """The answer to this move, and the lines that then go on; None if the plan says nothing about it."""
    for expected in (_board_of(played), ANY):
        found = [line for line in lines if _board_of(line[0].expected) == expected]
        if found:
            return found[0][0].answer, tuple(line[1:] for line in found if line[1:])
    return None


def tree(lines: Sequence[Line], opponent: str, depth: int = 0) -> list[str]:
    """The plan for its player to read: whatever depends on an answer is indented under it."""
    told: list[str] = []
    for expected in dict.fromkeys(_board_of(line[0].expected) for line in lines):
        same = [line for line in lines if _board_of(line[0].expected) == expected]
        step = same[0][0]
        others = "whatever else" if len(lines) > 1 else "whatever"
        when = f"if {opponent} plays {step.expected}" if step.expected else f"{others} {opponent} plays"
        does = "you resign" if step.answer == RESIGN else f"you play {step.answer}"
        pad = "  " * depth
        told += wrap(f"{when}, {does}", 74, initial_indent=pad, subsequent_indent=pad + "    ", break_on_hyphens=False)
        told += tree([line[1:] for line in same if line[1:]], opponent, depth + 1)
    return told


def cleared(game: Game, why: str, world: World) -> tuple[list[Effect], dict[int, list[str]]]:
    """Cancels all queued and submitted moves of a board; returns the effects, and notes for players 1 and 2."""
    drops: list[Effect] = []
    notes: dict[int, list[str]] = {1: [], 2: []}
    for number in (1, 2):
        player = game.player(number)
        if plan := world.plan(game.id, player):
            drops.append(Drop(plan))
            notes[number].append(f"Your queue was cancelled: {why}.")
        if submitted := world.submitted(game.id, player):
            drops.append(Drop(submitted))
            notes[number].append(f"Your submitted move was cancelled: {why}.")
    return drops, notes


LONGEST = 300
"""Characters of a line that are looked at for a queue."""
_ONE = r"(?:[a-z]{1,2}\d{1,3}(?:,[a-z]{1,2}\d{1,3})*+(?:#\d{1,4})?|swap|resign)"
_MOVES = rf"{_ONE}(?:\s++{_ONE})*+\W*\Z"
_BOARD = r"(?:(?:board\s+)?\d+\s+(?:\S+\s+\S+\s+)?)?"
_VERB = r"(?:queues?|qu?eu?|q(?:eu|ue|uue)e|submit|preview)"
_QUEUE = re.compile(rf"\W*(?:\d{{1,2}}[.)]\W+)?(?:(?!(?:i|you|we|they|the|a)\b)\w+\s+)?{_VERB}\b\W*", re.IGNORECASE)
"""The beginning of a queue, also behind a list mark or the name of a game, and in bold."""
_ALL = re.compile(
    rf".*\bif\s+{_ONE}\b.*\bthen\b|{_BOARD}{_ONE}(?:\W*\Z|\W+(?:please|pls|thanks)\b|\s+{_ONE})", re.IGNORECASE
)
_SIGN = re.compile(r"q\w?[eu]|submit|preview|\bif\b", re.IGNORECASE)
"""What every queue has; most words have none of it."""
_ALONE = re.compile(rf"\W*(?:\d{{1,2}}[.)]\W+)?if\s+{_ONE}[\s,]+then(?:\s+{_ONE}\b|\W*\Z)", re.IGNORECASE)
_IF = re.compile(rf"\W*if\s+{_ONE}\W*\Z", re.IGNORECASE)
_MORE = re.compile(rf"\W*(?:if\s+{_ONE}\b.*\bthen\b|(?:{_ONE}\s+)?then\s+{_ONE}\b|{_MOVES})", re.IGNORECASE)


def without_queue(text: str, then: str = "now that you have moved", *, named: bool = False) -> tuple[str, list[Effect]]:
    """The words for the opponent without a queue that stands below the move, for nobody means to show it; and what its
    writer hears, with when to send it (`then`). `named`: only a queue that says that it is one."""
    if not _SIGN.search(text):
        return text, []
    lines = text.split("\n")
    read = [_SPACED_COMMA.sub(",", line[:LONGEST].translate(ALIKE)) for line in lines]
    words: list[str] = []
    inside = False
    for at, line in enumerate(read):
        following = next((one for one in read[at + 1 : at + 4] if one.strip()), "")
        goes_on = not line.strip() or bool(_MORE.match(line))
        inside = (inside and goes_on) or _queues(line, following, named=named)
        if not inside:
            words.append(lines[at])
    if len(words) == len(lines):
        return text, []
    told = f"The queue below your {'words' if named else 'move'} was neither kept nor sent. Send it by itself, {then}."
    return "\n".join(words).strip("\n"), [Say(Letter("notice", "Left undone", {"said": told}))]


def _queues(line: str, following: str, *, named: bool) -> bool:
    """Whether a plan begins in this line."""
    begun = _QUEUE.match(line)
    if not begun:
        return not named and bool(_ALONE.match(line) or (_IF.match(line) and _MORE.match(following)))
    rest = line[begun.end() :]
    if _ALL.match(rest):
        return True
    return (not rest.strip() or rest.lower().startswith("if ")) and bool(_MORE.match(following))
