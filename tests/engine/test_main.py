"""`python -m engine`: one answer for each line, whatever the line holds."""

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from engine import ascii
from engine.__main__ import main
from engine.position import replay
from engine.variants import parse


def answers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: str, *lines: bytes) -> list[str]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(lines))))
    assert main(args.split()) == 0
    return capsys.readouterr().out.splitlines()


EXACT = [
    (
        {"game": "lambo -eat_enemy=2", "moves": ["a1", "b2,c9"]},
        '{"ok": true, "over": false, "winner": null, "reason": null, "to_move": 1, '
        '"tiles": [["a", 0], ["a", 1], ["b", 2], ["c", 9]], "left": 44}',
    ),
    (
        {"game": "lambo", "moves": ["a1", "b2,c11"]},
        '{"ok": false, "move": 1, '
        '"error": "cell 11 is not next to cell 2; the second tile can go on cell 3, 8, 9 or 10"}',
    ),
    (
        {"game": "lambo -eat_enemy=1", "moves": ["b2", "c3,a4"]},
        '{"ok": true, "over": true, "winner": 2, "reason": "Dark has a group that has eaten 1 enemy group", '
        '"to_move": null, "tiles": [["a", 0], ["b", 2], ["c", 3]], "left": 45}',
    ),
    (
        {"game": "palago -size=4", "moves": ["b2", "c3,a10"]},
        '{"ok": true, "over": true, "winner": 0, "reason": "the tiles ran out, which is a draw in this game", '
        '"to_move": null, "tiles": [["a", 0], ["b", 2], ["c", 3], ["a", 10]], "left": 0}',
    ),
    (
        {"game": "mambo"},
        '{"ok": true, "over": false, "winner": null, "reason": null, "to_move": 1, "tiles": [], "left": 48}',
    ),
]


@pytest.mark.parametrize(("line", "answer"), EXACT)
def test_replay(
    line: dict[str, Any], answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answers(monkeypatch, capsys, "replay", json.dumps(line).encode()) == [answer]


BAD = [
    b"{",
    b"[]",
    b"null",
    b"3",
    b'"lambo"',
    b"{}",
    b'{"game": 3}',
    b'{"game": null, "moves": []}',
    b'{"game": ""}',
    b'{"game": "lambo", "moves": "a1"}',
    b'{"game": "lambo", "moves": [1]}',
    b'{"game": "lambo", "moves": [["a1"]]}',
    b'{"game": "lambo", "moves": [null]}',
    b'{"game": "lambo -size=99999", "moves": []}',
    b'{"game": "chess", "moves": []}',
    b'{"game": "lambo", "moves": ["\\u0000"]}',
    b'{"game": "lambo", "moves": ["\\ud800"]}',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"game": ' + b"9" * 10_000 + b"}",
    b'{"game": "' + b"x" * 100_000 + b'"}',
]


@pytest.mark.parametrize("line", BAD, ids=lambda line: repr(line[:30]))
def test_a_bad_line(line: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    good = b'{"game": "lambo"}'
    for args in ("replay", "show", "perft 1"):
        said = answers(monkeypatch, capsys, args, line, b"", good)
        error = json.loads(said[0])
        assert error["ok"] is False
        assert 0 < len(error["error"]) < 160
        assert len(said) > 1
    assert answers(monkeypatch, capsys, "replay", line, good)[1].startswith('{"ok": true')


def test_perft(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = b'{"game": "lambo"}', b'{"game": "mambo", "moves": []}', b'{"game": "lambo", "moves": ["a9"]}'
    said = [json.loads(line) for line in answers(monkeypatch, capsys, "perft 2", *lines)]
    assert [line.get("perft") for line in said] == [[18, 6156], [6, 108], None]
    assert said[0]["left"] == 47
    assert (said[2]["ok"], said[2]["move"]) == (False, 0)


def test_show(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said = answers(monkeypatch, capsys, "show", b'{"game": "lambo", "moves": ["a1", "b2,c9"]}')
    assert said == ascii.draw(replay(parse("lambo"), ["a1", "b2,c9"])).splitlines()


@pytest.mark.parametrize("args", ["", "play", "replay now", "perft", "perft x", "perft -1", "perft 1 2", "perft 9999"])
def test_usage(args: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args.split()) == 2
    assert "usage" in capsys.readouterr().err


def test_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine", "replay"], input=b'{"game": "lambo"}\n\n{}\n', capture_output=True, check=True
    )
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [True, False]
    assert done.stderr == b""
