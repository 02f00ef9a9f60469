"""`python -m engine`: one answer for each line, whatever is in it."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import main
from engine.hex import ascii, svg
from engine.hex.position import replay
from engine.hex.scene import PLAIN, Look
from engine.hex.variants import parse
from engine.hex.words import describe


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


@pytest.mark.parametrize(
    "args",
    [
        "",
        "play",
        "replay now",
        "perft",
        "perft x",
        "perft -1",
        "perft 1 2",
        "perft 9999",
        "draw",
        "draw svg",
        "draw gif .",
        "draw words now",
        "draw svg . --loud",
        "draw png . --plain --plain",
    ],
)
def test_usage(args: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args.split()) == 2
    assert "usage" in capsys.readouterr().err


def test_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine", "replay"], input=b'{"game": "lambo"}\n\n{}\n', capture_output=True, check=True
    )
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [True, False]
    assert done.stderr == b""


# ---- draw

POSITIONS = [
    b'{"game": "lambo", "moves": ["a1", "b2,c9"]}',
    b"",
    b'{"game": "lambo", "moves": ["z1"]}',
    b'{"game": "mambo"}',
]


@pytest.mark.parametrize("kind", ["svg", "png"])
@pytest.mark.parametrize("plain", ["", " --plain"])
def test_draw(
    kind: str, plain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file for each position, named after its line; blank lines do not count, and a bad one gets no file."""
    if kind == "png":
        pytest.importorskip("engine.hex.png")
    said = [json.loads(line) for line in answers(monkeypatch, capsys, f"draw {kind} {tmp_path}{plain}", *POSITIONS)]
    assert said[0] == {"ok": True, "file": f"1.{kind}"}
    assert (said[1]["ok"], said[1]["move"]) == (False, 0)
    assert said[2] == {"ok": True, "file": f"3.{kind}"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"1.{kind}", f"3.{kind}"]
    look = PLAIN if plain else Look()
    position = replay(parse("lambo"), ["a1", "b2,c9"])
    octets = (tmp_path / f"1.{kind}").read_bytes()
    if kind == "svg":
        assert octets.decode() == svg.draw(position, look)
    else:
        assert octets.startswith(b"\x89PNG")
        assert ((tmp_path / f"3.{kind}").stat().st_size > 0) and octets.count(b"IDAT") == 1


def test_draw_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    line = b'{"game": "lambo", "moves": ["c1", "a2,a3", "b8,c20"]}'
    position = replay(parse("lambo"), ["c1", "a2,a3", "b8,c20"])
    for args, hints in (("draw words", False), ("draw words --hints", True)):
        said = answers(monkeypatch, capsys, args, line)
        assert said == [json.dumps({"ok": True, "words": describe(position, hints=hints)})]


@pytest.mark.parametrize("folder", ["nowhere", "file", "", "bad\0name", "x" * 300])
def test_a_bad_folder(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["draw", "svg", folder]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert len(said.err) < 120


def test_a_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.svg").mkdir()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(POSITIONS[0])))
    assert main(["draw", "svg", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("1.svg cannot be written to ")


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "engine.hex.png", None)
    assert main(["draw", "png", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "mailbot-games[pictures]" in said.err
    assert answers(monkeypatch, capsys, f"draw svg {tmp_path}", POSITIONS[0])


def test_the_engine_needs_no_picture_library() -> None:
    modules = "sys, engine.__main__, engine.hex.svg, engine.hex.words"
    code = f"import {modules}; sys.exit(bool({{'PIL', 'resvg_py'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nor_does_the_server() -> None:
    blocked = "import sys; sys.modules['PIL'] = sys.modules['resvg_py'] = None"
    code = f"{blocked}; from mailbot.shell.console import cli; import mailbot.shell.app"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
