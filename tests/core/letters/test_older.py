"""Letters that an older release has written, and that wait for an upgrade, have facts of that release.

`older.jsonl` has a letter of each kind and set of facts that four older releases wrote in the dialogues of their tests:
its template, its facts, and whether it could be answered. Add one for each fact that a template gains.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from mailbot.core.mail.addresses import Own
from mailbot.core.puzzles import days
from mailbot.shell.post.letterbox import Letterbox

ONE = days.puzzles()[0]
OLDER: list[tuple[str, dict[str, Any], str]] = [
    (
        "vacation",
        {"rows": [["1 Dec", "3 Dec"]], "years": [[2026, 28]], "userid": "ann"},
        "You are on vacation from 1 Dec to 3 Dec.",
    ),
    (
        "puzzle",
        {
            "puzzle": 1, "board": 1, "rules": ONE.rules, "moves": list(ONE.moves), "players": ["solver", "opponent"],
            "viewer": 0, "state": "running", "to_move": 1, "difficulty": "easy", "turns": 9, "solvers": 0, "tries": 1,
            "solved": True, "recent": 1, "days": 30, "userid": "ann", "solution": list(ONE.line),
        },
        "It is easy: 1 of 9 turns wins.",
    ),
]  # fmt: skip

KEPT = [json.loads(line) for line in Path(__file__).with_name("older.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(("template", "facts", "answered"), KEPT, ids=[f"{n}-{row[0]}" for n, row in enumerate(KEPT)])
def test_each_letter_of_older_releases_leaves(template: str, facts: dict[str, Any], *, answered: bool) -> None:
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32})  # type: ignore[arg-type]  # asks the store nothing
    assert box.text(template, facts, has_token=answered).strip()


@pytest.mark.parametrize(("template", "facts", "said"), OLDER, ids=[row[0] for row in OLDER])
def test_a_letter_of_an_older_release_leaves(template: str, facts: dict[str, Any], said: str) -> None:
    box = Letterbox(Own("games.example.net"), None, {1: b"k" * 32})  # type: ignore[arg-type]  # asks the store nothing
    assert said in " ".join(box.text(template, facts, has_token=False).split())
