"""The doors: the output is what docs/doors.md shows, and bad input gets one sentence, exit 2 and nothing else."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mailbot.shell.console.cli import main

GUIDE = (Path(__file__).parents[3] / "docs" / "doors.md").read_text(encoding="utf-8")
GAME = {"category": "lambo", "first": "ann", "second": "bob", "score": 1, "ended": 1767225600, "plies": 12}
CLOCKED = {"clock": "1d", "start": 0, "until": 10}


def door(name: str, *lines: object) -> Result:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return CliRunner().invoke(main, [name, "-"], input=text)


def shown(name: str) -> list[object]:
    """The JSON values that the guide shows for a door, in order."""
    part = GUIDE.split(f"## mailbot {name} ")[1].split("\n## ")[0]
    blocks = re.findall(r"(?:^    .*\n)+", part, re.MULTILINE)
    return [json.loads(" ".join(line.strip() for line in block.split("\n"))) for block in blocks]


@pytest.mark.parametrize("name", ["clock", "ratings"])
def test_the_guide_shows_what_comes_out(name: str) -> None:
    asked, answered = shown(name)
    result = door(name, asked)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == answered


def test_a_file_is_read_as_well(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(CLOCKED) + "\n\n" + json.dumps({**CLOCKED, "clock": "none"}) + "\n")
    lines = CliRunner().invoke(main, ["clock", str(file)]).stdout.split("\n")
    assert [json.loads(line) for line in lines if line] == [
        {"flag": None, "left": [86390, 86400], "flag_at": 86400},
        {"flag": None, "left": [None, None], "flag_at": None},
    ]


def test_the_order_of_lines_does_not_matter() -> None:
    games = [{**GAME, "ended": 1767225600 + day * 86400, "score": day % 3 / 2} for day in range(4)]
    assert door("ratings", *games).stdout == door("ratings", *reversed(games)).stdout


BAD: list[tuple[str, object, str]] = [
    ("clock", "{", "line 1: this is not JSON"),
    ("clock", "[]", "line 1: expected `object`, got `array`"),
    ("clock", {"clock": "1d", "start": 0}, "line 1: object missing required field `until`"),
    ("clock", {**CLOCKED, "start": "now"}, "line 1: start: expected `int`, got `str`"),
    ("clock", {**CLOCKED, "extra": 1}, "line 1: object contains unknown field `extra`"),
    ("clock", {**CLOCKED, "clock": "0d"}, "line 1, clock: The clock 0d is out of range"),
    ("clock", {**CLOCKED, "clock": "soon"}, "line 1, clock: 'soon' is no clock"),
    ("clock", {**CLOCKED, "until": 0, "start": 5}, "line 1, until: it is before the start"),
    (
        "clock",
        {**CLOCKED, "events": [{"kind": "move", "at": 5}, {"kind": "move", "at": 4}]},
        "line 1, events: they are",
    ),
    ("clock", {**CLOCKED, "events": [{"kind": "swap", "at": 5}]}, "line 1: events[0].kind: invalid value 'swap'"),
    ("clock", {**CLOCKED, "events": [{"kind": "grant", "at": 5, "seat": 3, "seconds": 1}]}, "line 1: events"),
    ("clock", {**CLOCKED, "events": [{"kind": "grant", "at": 5, "seat": 1, "seconds": -1}]}, "line 1: events"),
    ("clock", {**CLOCKED, "outages": [{"from": 9, "to": 8}]}, "line 1, outages: a stretch ends before it begins"),
    ("clock", {**CLOCKED, "start": 1e300}, "line 1"),
    ("ratings", {**GAME, "score": 2}, "line 1, score: it is 1, 0.5 or 0"),
    ("ratings", {**GAME, "second": "ann"}, "line 1, second: a player cannot meet"),
    ("ratings", {**GAME, "plies": -1}, "line 1: plies: expected `int` >= 0"),
    ("ratings", {**GAME, "first": ""}, "line 1: first: expected `str` of length >= 1"),
]


@pytest.mark.parametrize(("name", "line", "said"), BAD)
def test_bad_input(name: str, line: object, said: str) -> None:
    result = door(name, line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(said) and result.stderr.count("\n") == 1


@pytest.mark.parametrize(("name", "good"), [("clock", CLOCKED), ("ratings", GAME)])
def test_nothing_is_printed_before_a_bad_line(name: str, good: object) -> None:
    result = door(name, good, "", "no")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "line 3: this is not JSON\n")


def test_octets_that_are_no_text() -> None:
    result = CliRunner().invoke(main, ["ratings", "-"], input=b"\xff\xfe")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "the input is not UTF-8\n")
