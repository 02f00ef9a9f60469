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


@pytest.mark.parametrize("name", ["clock", "ratings", "pairings"])
def test_the_guide_shows_what_comes_out(name: str) -> None:
    if name == "pairings":
        pytest.importorskip("py4swiss", reason="the extra `tournaments` is not installed on this machine")
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


CUP = {"format": "roundrobin", "entrants": [{"name": "ann"}, {"name": "bob"}, {"name": "carl"}]}
WON = {"round": 1, "first": "bob", "second": "carl", "score": 1}
BAD += [
    ("pairings", "", "line 1: this is not JSON"),
    ("pairings", '{"format":\n\n "swiss",, }', "line 3: this is not JSON"),
    ("pairings", json.dumps(CUP) + "\n{}", "line 2: this is not JSON"),
    ("pairings", "[" * 100_000, "expected `object`, got `array`"),
    ("pairings", {"format": "swiss"}, "object missing required field `entrants`"),
    ("pairings", {**CUP, "format": "chess"}, "format: 'chess' is no format; there are roundrobin,"),
    ("pairings", {**CUP, "entrants": []}, "entrants: a tournament has 2 to 256 of them, and here are 0"),
    ("pairings", {**CUP, "entrants": [{"name": "ann"}, {"name": "ann"}]}, "entrants: ann is entered twice"),
    ("pairings", {**CUP, "entrants": [{"name": "ann", "rating": "good"}]}, "entrants[0].rating: expected `float`"),
    ("pairings", {**CUP, "options": {"match": 2}}, "options: this format has no option match; its options: double"),
    ("pairings", {**CUP, "options": {"double": 7}}, "options: double is 0 to 1, not 7"),
    ("pairings", {**CUP, "options": {"double": "yes"}}, "options.double: expected a whole number"),
    ("pairings", {**CUP, "withdrawn": {"ann": 10**9}}, "withdrawn.ann: expected a whole number"),
    ("pairings", {**CUP, "withdrawn": {"a\n\x1b[2Jb": 1}}, "withdrawn: there is no entrant a [2Jb"),
    ("pairings", {**CUP, "withdrawn": {"dora": 1}}, "withdrawn: there is no entrant dora"),
    ("pairings", {**CUP, "seed": -1}, "seed: expected `int` >= 0"),
    ("pairings", {**CUP, "results": [WON, {**WON, "first": "dora"}]}, "results[1]: there is no entrant dora"),
    ("pairings", {**CUP, "results": [WON, WON]}, "results[1]: bob against carl has two results in round 1"),
    ("pairings", {**CUP, "results": [{**WON, "round": 2}]}, "results[0]: bob against carl is not a game of round 2"),
    ("pairings", {**CUP, "results": [{**WON, "score": 3}]}, "results[0]: a score is 1, 0.5 or 0"),
    ("pairings", {**CUP, "results": [{**WON, "round": -1}]}, "results[0].round: expected `int` >= 0"),
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


def test_a_tournament_from_its_first_game_to_its_last() -> None:
    """Whoever plays what `pairings` says, whole step by step, comes to the end; the answer has the keys it promises."""
    results: list[object] = []
    for _ in range(3):
        answer = json.loads(door("pairings", {**CUP, "options": {"atonce": True}, "results": results}).stdout)
        assert (answer["state"], len(answer["pairings"])) == ("pair", 1)
        results += [{**game, "score": 0.5} for game in answer["pairings"]]
    end = json.loads(door("pairings", {**CUP, "options": {"atonce": 1}, "results": results}).stdout)
    assert (end["state"], end["pairings"], [row["place"] for row in end["table"]]) == ("done", [], [1, 1, 1])
    assert [*end["table"][0]] == ["place", "name", "points", "tiebreaks", "parted_by", "best", "worst"]


def test_groups_are_told_by_number() -> None:
    who = [{"name": name} for name in "abcdef"]
    answer = json.loads(door("pairings", {"format": "groups", "options": {"of": 3}, "entrants": who}).stdout)
    assert {game["group"] for game in answer["pairings"]} == {1, 2}
    assert "group" not in json.loads(door("pairings", CUP).stdout)["pairings"][0]


def test_earlier_opponents_meet_again_if_nobody_else_is_left() -> None:
    pytest.importorskip("py4swiss", reason="the extra `tournaments` is not installed on this machine")
    games = [("ann", "bob"), ("carl", "dora")]
    results = [{"round": 1, "first": first, "second": second, "score": 1} for first, second in games]
    who = [{"name": name} for name in ("ann", "bob", "carl", "dora")]
    told = {"format": "swiss", "options": {"match": 1}, "entrants": who, "results": results}
    result = door("pairings", {**told, "withdrawn": {"carl": 1, "dora": 1}})
    assert (result.exit_code, result.stderr) == (0, "")
    (pairing,) = json.loads(result.stdout)["pairings"]
    assert {pairing["first"], pairing["second"]} == {"ann", "bob"}


def test_octets_that_are_no_text() -> None:
    result = CliRunner().invoke(main, ["ratings", "-"], input=b"\xff\xfe")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "the input is not UTF-8\n")
