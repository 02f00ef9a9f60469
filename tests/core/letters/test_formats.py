"""Records: read back by readers that know the formats but not the writer."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hex import record, variants
from engine.hex.notation import write_move
from engine.hex.position import replay
from mailbot.core.letters import formats
from mailbot.core.letters.formats import Played

BEGAN, ENDED = (int(datetime(2026, 3, day, 12, tzinfo=UTC).timestamp()) for day in (1, 2))
SITE = "games.example.net"
REASON = "Dark closed a group of 1 bridge"
WON = Played(12, "lambo", ("c1", "a2,a3", "b8,c20", "b4"), ("ann", "bob"), True, 2, REASON, BEGAN, ENDED)
SWAPPED = Played(3, "mambo -size=12 -swap", ("a0", "swap", "a1"), ("ann", "bob"), True, 1, "bob resigned", BEGAN, BEGAN)
DRAWN = replace(WON, winner=0, reason="the players agreed on a draw", moves=("c1", "a2,a3"))
GAMES = {
    "won": WON,
    "swapped": SWAPPED,
    "drawn": DRAWN,
    "empty": replace(DRAWN, moves=()),
    "void": replace(WON, winner=None, reason="annulled"),
    "running": replace(WON, over=False, winner=None, reason="", moves=("c1", "a2,a3", "b8,c20")),
}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


# ---- text


def test_text_to_the_letter() -> None:
    assert formats.text(WON, SITE).split("\n") == [
        '[Game "lambo"]',
        '[Board "12"]',
        f'[Site "{SITE}"]',
        '[Player1 "ann (Light)"]',
        '[Player2 "bob (Dark)"]',
        '[Date "2026-03-01 - 2026-03-02"]',
        '[Result "0-1"]',
        f'[Termination "{REASON}"]',
        "",
        "lambo: c1 a2,a3 b8,c20 b4",
        "",
    ]


@every_game
def test_the_engine_reads_the_last_line(game: Played) -> None:
    rules, moves = record.parse(formats.text(game, SITE).strip().split("\n")[-1])
    assert (rules, tuple(map(write_move, moves))) == (variants.parse(game.rules), game.moves)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("swapped", '[Result "1-0"]'),
        ("drawn", '[Result "1/2-1/2"]'),
        ("void", '[Result "*"]'),
        ("running", '[Result "*"]'),
        ("running", '[Date "2026-03-01"]'),
        ("swapped", '[Player1 "ann (X)"]'),
        ("swapped", '[Player2 "bob (O)"]'),
    ],
)
def test_tags(name: str, said: str) -> None:
    assert said in formats.text(GAMES[name], SITE).split("\n")


@every_game
def test_sides_are_those_of_the_engine(game: Played) -> None:
    """The engine finds them by playing; a record counts the swap."""
    position = replay(variants.parse(game.rules), game.moves)
    seats = variants.GAMES[position.rules.game].seats
    assert game.sides == tuple(seats[position.seat_of(number) - 1] for number in (1, 2))


# ---- JSON: what the schema says (recranks, src/schemas/gamerecord.json), as checks


def is_moment(value: Any) -> bool:
    return isinstance(value, str) and datetime.fromisoformat(value).utcoffset() is not None


def keys(value: Any, needed: str, allowed: str = "") -> bool:
    return isinstance(value, dict) and set(needed.split()) <= value.keys() <= {*needed.split(), *allowed.split()}


def faults(found: Any) -> list[str]:
    """What the schema forbids in a game record. A header and a player may have more keys, nothing else may."""
    header = found["header"]
    game, site, players, rounds = header["game"], header["site"], header["players"], found["moves"]
    dates = [header[f"date-{name}"] for name in ("start", "end", "generated")]
    checks = {
        "top": keys(found, "header moves"),
        "event": ("event" in header) == ("round" in header),
        "game": keys(game, "name", "variants") and isinstance(game["name"], str),
        "variants": len(set(game["variants"])) == len(game["variants"])
        and all(isinstance(one, str) for one in game["variants"]),
        "site": keys(site, "name", "gameid") and type(site["gameid"]) in (int, str),
        "dates": all(map(is_moment, dates)),
        "players": len({player["userid"] for player in players}) == 2 == len(players),
        "results": all(type(player["result"]) is int and type(player["name"]) is str for player in players),
        "moves": all(len(row) == 2 and all(one is None or isinstance(one, str) for one in row) for row in rounds),
    }
    return [name for name, right in checks.items() if not right]


@pytest.mark.parametrize(
    ("name", "rounds", "results"),
    [
        ("won", [["c1", "a2,a3"], ["b8,c20", "b4"]], [0, 1]),
        ("swapped", [["a0", "swap"], ["a1", None]], [1, 0]),
        ("drawn", [["c1", "a2,a3"]], [0, 0]),
        ("empty", [], [0, 0]),
    ],
)
def test_json(name: str, rounds: list[list[str | None]], results: list[int]) -> None:
    found = json.loads(str(formats.abstract_play(GAMES[name], SITE)))
    assert faults(found) == []
    assert found["moves"] == rounds
    header = found["header"]
    assert [(one["name"], one["userid"], one["result"]) for one in header["players"]] == [
        ("ann", "ann", results[0]),
        ("bob", "bob", results[1]),
    ]
    assert header["site"] == {"name": SITE, "gameid": GAMES[name].board}
    assert header["termination"] == GAMES[name].reason
    said = " ".join([header["game"]["name"], *header["game"]["variants"]])
    assert variants.parse(said) == variants.parse(GAMES[name].rules)


@pytest.mark.parametrize(
    ("where", "value", "fault"),
    [
        (("header", "players", 0, "result"), 1.0, "results"),
        (("header", "players", 0, "userid"), "bob", "players"),
        (("header", "game", "variants"), ["-size=20", "-size=20"], "variants"),
        (("header", "game", "options"), [], "game"),
        (("header", "site", "url"), "x", "site"),
        (("header", "date-end"), "2026-03-01T12:00:00", "dates"),
        (("header", "event"), "Cup", "event"),
        (("moves", 0, 1), 7, "moves"),
        (("comment",), "", "top"),
    ],
)
def test_the_check_of_json_sees_faults(where: tuple[Any, ...], value: Any, fault: str) -> None:
    found = inner = json.loads(str(formats.abstract_play(WON, SITE)))
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = value
    assert faults(found) == [fault]


def test_json_dates() -> None:
    header = json.loads(str(formats.abstract_play(WON, SITE)))["header"]
    assert [header[f"date-{name}"] for name in ("start", "end", "generated")] == [
        "2026-03-01T12:00:00Z",
        "2026-03-02T12:00:00Z",
        "2026-03-02T12:00:00Z",
    ]


@pytest.mark.parametrize("name", ["void", "running"])
def test_no_json_without_a_result(name: str) -> None:
    assert formats.abstract_play(GAMES[name], SITE) is None
    assert list(formats.files(GAMES[name], SITE)) == ["lambo-12.txt", "lambo-12.sgf"]


# ---- SGF


def read_sgf(text: str) -> list[dict[str, list[str]]]:
    """The nodes of one game without branches, by the grammar of FF[4]; whatever is left over is an error."""
    token = re.compile(r"\s*(?:([();])|([A-Z]+)|\[((?:\\.|[^\]\\])*)\])", re.DOTALL)
    found = list(token.finditer(text))
    assert "".join(one[0] for one in found) == text.rstrip()
    marks = [one[1] for one in found if one[1]]
    assert (marks[0], marks[-1], set(marks[1:-1])) == ("(", ")", {";"})
    nodes: list[dict[str, list[str]]] = []
    for mark, name, value in (one.groups() for one in found[1:-1]):
        if mark:
            nodes.append({})
        elif name:
            assert name not in nodes[-1], "a property stands once in a node"
            nodes[-1][name] = []
        else:
            nodes[-1][list(nodes[-1])[-1]].append(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL))
    return nodes


def test_sgf_to_the_letter() -> None:
    assert formats.sgf(WON, SITE).split("\n") == [
        "(;FF[4]CA[UTF-8]AP[mailbot:1]GM[0]GN[Lambo 12]RU[lambo]PW[ann]PB[bob]DT[2026-03-01,2026-03-02]"
        "PC[games.example.net]RE[B+]GC[Dark closed a group of 1 bridge]",
        ";MOVE[c1]",
        ";MOVE[a2,a3]",
        ";MOVE[b8,c20]",
        ";MOVE[b4]",
        ")",
        "",
    ]


@pytest.mark.parametrize(
    ("name", "result"),
    [("won", ["B+"]), ("swapped", ["W+"]), ("drawn", ["0"]), ("empty", ["0"]), ("void", ["Void"]), ("running", None)],
)
def test_sgf_read_back(name: str, result: list[str] | None) -> None:
    game = GAMES[name]
    root, *nodes = read_sgf(formats.sgf(game, SITE))
    assert nodes == [{"MOVE": [move]} for move in game.moves]
    assert root.get("RE") == result
    assert (root["FF"], root["PW"], root["PB"], root["RU"]) == (["4"], ["ann"], ["bob"], [game.rules])


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1), st.booleans())
def test_no_text_breaks_out_of_a_file(said: str, named: bool) -> None:
    game = replace(WON, players=(said, "bob")) if named else replace(WON, reason=said)
    root, *nodes = read_sgf(formats.sgf(game, SITE))
    assert len(nodes) == 4
    assert root["PW" if named else "GC"] == [said]
    header = json.loads(str(formats.abstract_play(game, SITE)))["header"]
    assert said == (header["players"][0]["name"] if named else header["termination"])


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("a]b", "a\\]b"),
        ("a\\", "a\\\\"),
        ("\\]", "\\\\\\]"),
        ("a[b", "a[b"),
        ("a\nb", "a b"),
        ("a\r\nb", "a b"),
        ("", ""),
    ],
)
def test_escaped(said: str, written: str) -> None:
    assert formats.escaped(said) == written


# ---- from the facts of a letter


def facts(**more: Any) -> dict[str, Any]:
    known = {"board": 12, "rules": "lambo", "moves": list(WON.moves), "players": ["ann", "bob"], "state": "over"}
    return {**known, "winner": 2, "reason": REASON, "started": BEGAN, "changed": ENDED, **more}


def test_words_of_the_players_leave_no_trace() -> None:
    game = formats.played(facts(comment="between us"))
    assert game == WON
    assert all(b"between us" not in content for _, content in formats.files(game, SITE).values())


def test_a_running_game_has_no_winner() -> None:
    game = formats.played(facts(state="running", winner=None, reason=""))
    assert game == replace(WON, over=False, winner=None, reason="")


def test_a_game_of_a_tournament_tells_event_and_round() -> None:
    game = replace(WON, occasion=("Spring [Cup]", 2))
    assert ("Event", "Spring [Cup]") in formats.tags(game) and ("Round", "2") in formats.tags(game)
    assert "EV[Spring [Cup\\]]RO[2]" in formats.sgf(game, "x.org")
    header = json.loads(formats.abstract_play(game, "x.org") or "")["header"]
    assert (header["event"], header["round"]) == ("Spring [Cup]", "2")
    assert "EV[" not in formats.sgf(WON, "x.org") and "event" not in str(formats.abstract_play(WON, "x.org"))
