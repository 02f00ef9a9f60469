"""Lines of another server: which tables there are in them, what is refused and in which words, and that nothing else
happens then.

LINES are such a file, with a row of each kind.
"""

import contextlib
import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from mailbot.core.contests import Stages
from mailbot.core.hosting import standing, steps
from mailbot.core.model import DAY, Kept, Move, States
from mailbot.core.operator import arrivals
from mailbot.core.players import names
from mailbot.shell.post import compose
from mailbot.store import lines, restored, sweep
from mailbot.store.arrival import MOST_OCTETS, Arrived, BadLine, arrive
from mailbot.store.reads import Reads
from mailbot.store.rows import TABLES
from mailbot.store.store import Store

AT = 1_770_000_000
HASH = "hash of a password"
BOARD = {
    "rules": "lambo",
    "player1": 1,
    "player2": 2,
    "agreed": 3,
    "ply": 0,
    "to_move": 0,
    "winner": None,
    "reason": "",
}
BOARD |= {"created": AT - 9 * DAY, "changed": AT - DAY}
MOVES = [
    {"player": 1, "text": "b1", "comment": "Hello!", "at": AT - 3 * DAY, "used": 60},
    {"player": 2, "text": "a2,c3", "comment": "", "at": AT - DAY, "used": 9},
]
RATED = {"score": 0.0, "ended": AT - DAY, "flagged": 0, "unrated": ""}
RATED |= {f"{when}{what}{n}": 1.5 for when in ("before", "after") for what in ("", "_rd") for n in (1, 2)}
LINES: list[dict[str, Any]] = [
    {"row": "mailbot", "format": 1, "version": "0015", "secrets": True, "at": AT, "numbers": {"game": 40, "player": 9}},
    {"row": "pulse", "alive": AT - 7200, "stuck": 0},
    {"row": "secret", "id": 1, "key": "ab" * 32, "created": AT - 99 * DAY},
    {"row": "retired", "mark": "cd" * 32, "at": AT - DAY},
    {"row": "seen", "key": "ef" * 32, "at": AT - DAY, "mark": "3f2a", "about": "move", "boards": "1"},
    *(
        {"row": "player", "id": number, "userid": userid, "state": state, "password_hash": hash_}
        | {"password_version": 1, "token_epoch": 1, "created": AT - 50 * DAY}
        for number, userid, state, hash_ in [
            (1, "ann", "active", HASH),
            (2, "bob", "off", HASH),
            (3, "gone-3", "gone", ""),
        ]
    ),
    {"row": "outage", "id": 1, "begin": AT - 20 * DAY, "end": AT - 19 * DAY},
    {"row": "tournament", "id": 1, "name": "Ladder", "director": 1, "stage": "running", "format": "ladder"}
    | {
        "rules": "lambo",
        "clock": "10d+2d/14d",
        "least": 2,
        "most": 99,
        "until": 0,
        "created": AT - 40 * DAY,
        "seed": 7,
    },
    {"row": "game", "id": 1, **BOARD, "state": "running", "ply": 2, "to_move": 1, "started": AT - 8 * DAY}
    | {"clock": "10d+2d/14d", "left1": 99_999, "left2": 88_888, "began": AT - DAY, "flag_at": 5, "moves": MOVES},
    {
        "row": "game",
        "id": 2,
        **BOARD,
        "state": "over",
        "ply": 1,
        "winner": 1,
        "reason": "bob resigned",
        "category": "lambo",
    }
    | {"place": 1, "event": 1, "occasion": "Ladder", "started": AT - 8 * DAY, "moves": MOVES[:1]},
    {"row": "game", "id": 3, **BOARD, "state": "offered", "agreed": 1, "moves": []},
    {"row": "preference", "player": 1, "name": "limit", "value": "7"},
    {"row": "preference", "player": 1, "name": "block bob", "value": "Bob"},
    {"row": "preference", "player": 1, "name": "digest due", "value": "1770000100"},
    {"row": "vacation", "id": 1, "player": 2, "begin": AT - DAY, "end": AT + DAY, "days": 2},
    {"row": "vacation", "id": 2, "player": 2, "begin": AT - 9 * DAY, "end": AT - 9 * DAY, "days": 1, "told": 2},
    {"row": "seek", "id": 1, "player": 1, "rules": "mambo", "keep": 0, "created": AT - DAY},
    {"row": "tally", "player": 1, "what": "boards", "since": AT - DAY, "count": 3},
    {"row": "plan", "game": 1, "player": 2, "ply": 3, "text": "if c8,b21 then b9,c10", "created": AT - DAY},
    {"row": "submitted", "game": 1, "player": 1, "ply": 3, "text": "c8,b21", "comment": ""},
    {"row": "analysis", "game": 2, "player": 1, "asked": AT - DAY},
    {"row": "hint", "game": 1, "player": 1, "after": "b1", "asked": AT - DAY, "move": "c8,b21"},
    {"row": "deferred", "player": 1, "by": 2, "since": AT - DAY, "count": 1, "boards": "1 2", "words": "Hi"},
    {"row": "entry", "tournament": 1, "player": 1, "joined": AT - 30 * DAY, "seat": 1},
    {"row": "entry", "tournament": 1, "player": 2, "joined": AT - 30 * DAY, "seat": 2},
    {
        "row": "fixture",
        "tournament": 1,
        "number": 1,
        "round": 0,
        "first": 1,
        "second": 2,
        "game": 2,
        "at": AT - 8 * DAY,
    },
    {"row": "rung", "tournament": 1, "seat": 1, "place": 1},
    {"row": "rung", "tournament": 1, "seat": 2, "place": 2},
    {"row": "overruled", "game": 2, "winner": 2, "reason": "x", "unrated": "", "at": AT - DAY},
    {"row": "logged", "id": 1, "tournament": 1, "at": AT - DAY, "what": "ruled", "why": "so"},
    {"row": "later", "id": 1, "tournament": 1, "player": 1, "due": AT, "subject": "News", "facts": '{"lines": ["x"]}'},
    {"row": "news", "id": 1, "player": 1, "at": AT - DAY, "words": "Hear!"},
    {"row": "pool", "category": "lambo"},
    {"row": "ranking", "player": 1, "category": "lambo", "rating": 9999.0, "rd": 45.0, "volatility": 0.06}
    | {"last": AT - DAY, "games": 1, "rated": 1, "best": 9999.0},
    {"row": "rated", "game": 2, "place": 1, "category": "lambo", "player1": 1, "player2": 2, **RATED},
    {"row": "judged", "game": 2, "moves": "b1", "chances": "50 62"},
    {"row": "tried", "player": 1, "day": 20000, "tries": 2, "solved": AT - DAY},
    {"row": "address_change", "id": 1, "player": 1, "approved": 0, "created": AT - DAY},
    {
        "row": "address",
        "id": 1,
        "player": 1,
        "addr": "ann@example.org",
        "state": "current",
        "change": 0,
        "created": AT - DAY,
    },
    {"row": "failing", "address": 1, "since": AT - DAY, "last": AT - DAY, "hards": "1769913600"},
    {"row": "left_box", "mark": f"gone:{'0e' * 32}", "player": 3, "at": AT - DAY},
    {"row": "contact", "addr": "eve@example.org", "signups": 1, "last": AT - DAY},
    {"row": "contact", "addr": f"gone:{'0f' * 32}", "signups": 2, "last": AT - DAY},
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store.open(tmp_path_factory.mktemp("store") / "db", AT, b"k" * 32)
    yield opened
    opened.close()


def whole(said: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(line).encode() for line in [*said, {"row": "end", "rows": len(said) - 1}]]


def fits(hash: str) -> bool:
    return hash == HASH


class Undone(Exception):
    """Raised in the place of the commit, so that nothing stays."""


def tried(store: Store, said: Iterable[bytes], look: Callable[[Reads], None] = lambda reads: None) -> None:
    """An import of which nothing stays. `look`: at what would have been committed."""

    def undone() -> None:
        look(Reads(store.db))
        raise Undone

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Undone):
        patch.setattr(store, "commit", undone)
        arrive(store, said, AT, b"n" * 32, fits)
    assert not store.in_transaction


# ---- what is written


def test_no_table_is_forgotten(store: Store) -> None:
    tables = {name for (name,) in store.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()}
    groups = [set(lines.TABLE_OF), {TABLES[Move][0]}, set(lines.RAW), set(lines.LEFT_OUT)]
    assert set().union(*groups) == tables
    assert sum(map(len, groups)) == len(tables), "a table is written or left out, and not both"
    assert all(len(why.split()) > 2 for why in lines.LEFT_OUT.values())
    assert set(get_args(Kept)) == {*lines.WRITTEN, *lines.SECRET, *lines.ELSEWHERE}


def test_no_column_is_forgotten(store: Store) -> None:
    for table, cls in {**lines.TABLE_OF, TABLES[Move][0]: Move}.items():
        columns = {row[1] for row in store.db.execute(f"PRAGMA table_info({table})").fetchall()}
        assert columns == set(cls.__match_args__), table
    for table, names_ in lines.RAW.items():
        columns = {row[1] for row in store.db.execute(f"PRAGMA table_info({table})").fetchall()}
        assert columns - {"ended"} == set(names_), table


def test_the_lines_have_every_kind_of_row() -> None:
    assert {line["row"] for line in LINES[1:]} == {*lines.TABLE_OF, *lines.RAW}


def test_what_is_computed_is_not_believed(store: Store) -> None:
    """The time of the player to move ends when the clock says so, and ratings are those of the games."""

    def look(reads: Reads) -> None:
        game = reads.game(1)
        assert game and game.flag_at
        # The outage that lasts since the last pulse stops the clock, and two days of vacation are the other player's.
        assert game.flag_at == AT - DAY + 99_999 + 7200
        ranking = reads.ranking(1, "lambo")
        assert ranking
        assert (ranking.rating, ranking.rated) == (1500.0, 0), "a game of one move changes no rating"
        assert reads.fresh("game") > 1040, "numbers that were handed out before come never again"
        keys = store.db.execute("SELECT key, ended FROM secret ORDER BY id").fetchall()
        assert keys == [(b"\xab" * 32, AT), (b"n" * 32, 0)]
        letters = store.db.execute("SELECT address, template FROM outbox").fetchall()
        assert letters == [("ann@example.org", "board")]

    looked: list[Reads] = []
    tried(store, whole(LINES), lambda reads: (look(reads), looked.append(reads))[0])
    assert looked


# ---- what is refused


def changed(kind: str, which: int = 0, /, **values: Any) -> list[dict[str, Any]]:
    """LINES with other values in one row of a kind; those that are ... are taken away."""
    number = [i for i, line in enumerate(LINES) if line["row"] == kind][which]
    line = {name: value for name, value in {**LINES[number], **values}.items() if value is not ...}
    return [*LINES[:number], line, *LINES[number + 1 :]]


def played(*texts: str, players: tuple[int, ...] = (1, 2, 1, 2)) -> list[dict[str, Any]]:
    return [{**MOVES[0], "text": text, "player": player} for text, player in zip(texts, players, strict=False)]


REFUSED = [
    (changed("mailbot", format=2), "line 1: this mailbot reads the format 1, and the file has another one"),
    (changed("mailbot", at=AT + 2 * DAY), "line 1: the file is from the future"),
    (changed("mailbot", numbers={"game": 10**9}), "line 1: numbers[...]: expected `int` <= 100000000"),
    (LINES[1:], "line 1: the first line does not say that this is an export of mailbot"),
    (changed("player", row="wizard"), "line 6: there are no rows of 'wizard'"),
    (changed("player", row="outbox"), "line 6: there are no rows of 'outbox'"),
    (changed("player", admin=1), "line 6: object contains unknown field `admin`"),
    (changed("player", created=...), "line 6: object missing required field `created`"),
    (changed("player", created="x"), "line 6: created: expected `int`, got `str`"),
    (changed("player", created=AT * 2), "line 6: created: expected a time, in unix seconds, before that of the file"),
    (changed("player", id=-1), "line 6: id: expected a number up to"),
    (changed("player", id=0), "line 6: id: expected a number from 1 on"),
    (changed("player", id=2), "line 7: another line has the same player.id"),
    (changed("player", 1, userid="ANN"), "line 7: another line has the same player.userid"),
    (changed("player", userid="uct1"), "line 6: nobody can have this userid here"),
    (changed("player", userid="postmaster"), "line 6: nobody can have this userid here"),
    (changed("player", userid="a b"), "line 6: nobody can have this userid here"),
    (changed("player", userid="gone-1"), "line 6: nobody can have this userid here"),
    (changed("player", 2, userid="gone-1"), "line 8: a player who has left is called gone-3 and has no password"),
    (changed("player", 2, password_hash=HASH), "line 8: a player who has left is called gone-3 and has no password"),
    (changed("player", state="king"), "line 6: one of its values is not allowed"),
    (changed("player", password_hash="$argon2id$v=19$m=99999999,t=99,p=1$AA$AA"), "line 6: password_hash: this is no"),
    (changed("secret", key="ab"), "line 3: key: expected 16 or 32 octets, as hexadecimal digits"),
    (changed("secret", key=7), "line 3: key: expected 16 or 32 octets"),
    (changed("seen", key="ab" * 20), "line 5: key: expected 16 or 32 octets"),
    (changed("secret", id=100), "line 3: the number of a key is not possible"),
    (changed("player", password_version=2**53), "line 6: password_version: expected a number up to 100000000"),
    (changed("secret", id="x"), "line 3: id: expected `int`, got `str`"),
    (changed("seen", about=7), "line 5: about: expected `str`, got `int`"),
    (changed("seen", extra=1), "line 5: its keys are key, at, mark, about, boards"),
    (changed("pulse", alive=AT + 1), "line 2: it is from the future"),
    (changed("outage", end=10**10), "line 9: end: expected a time"),
    (changed("outage", begin=AT), "line 9: it ends before it begins"),
    (changed("tournament", format="riot"), "line 10: 'riot' is no format"),
    (changed("tournament", format="swiss,rounds=9999"), "line 10: options: rounds is"),
    (changed("tournament", stage="on"), "line 10: its stage, 'every' or 'unrated' is not one that there is"),
    (changed("tournament", director=77), "line 10: its director is not above this line"),
    (changed("tournament", rating="high"), "line 10: 'high' is no range of ratings"),
    (changed("game", rules="chess"), 'line 11: there is no game "chess" here'),
    (changed("game", rules="lambo -size=48"), "line 11: the rules are not written as the server writes them"),
    (changed("game", clock="999d"), "line 11: The clock 999d is out of range"),
    (changed("game", clock="fast"), "line 11: the clock is not written as the server writes it"),
    (changed("game", state="won"), "line 11: 'won' is no state of a game"),
    (changed("game", player2=1), "line 11: its two players are not two players"),
    (changed("game", player2=99), "line 11: its two players are not two players"),
    (changed("tournament", name="Cup\r\nBcc: eve@example.org"), "line 10: name: it has characters that no line has"),
    (changed("tournament", name="Cup\u2028"), "line 10: name: it has characters that no line has"),
    (changed("tournament", name="C" * 41), "line 10: The name has 1 to 40 letters"),
    (changed("tournament", name="C" * 150_000), "line 10: name: it is longer than 1000 characters"),
    (changed("tournament", name=" Ladder"), "line 10: the name is not written as the server writes it"),
    (changed("game", event=7), "line 11: there is no tournament 7 above this line"),
    (changed("game", 1, occasion="Cup"), "line 12: 'occasion' is not the title of its tournament"),
    (changed("game", occasion="Cup"), "line 11: 'occasion' is not the title of its tournament"),
    (changed("game", 1, reason="x" * 1001), "line 12: reason: it is longer than 1000 characters"),
    (changed("game", moves=[{**MOVES[0], "comment": "a\x9f"}, MOVES[1]]), "line 11: comment: it has characters"),
    (changed("logged", why="x" * 200_000), "line 32: why: it is longer than"),
    (changed("later", subject="a\nb"), "line 33: subject: it has characters that no line has"),
    (changed("game", ply=3), "line 11: its ply is 3, and it has 2 moves"),
    (changed("game", to_move=2), "line 11: it runs, and player 1 is to move"),
    (changed("game", winner=1), "line 11: it runs, but it is over by its rules or has a winner"),
    (changed("game", asks="draw"), "line 11: 'asks' and 'asks_by' contradict each other"),
    (changed("game", left1=-5), "line 11: left1: expected a number that is not negative"),
    (changed("game", place=3), "line 11: only a game of a category that is over has a place"),
    (changed("game", category="palago"), "line 11: category 'palago' is not that of its rules here"),
    (changed("game", ply=1, to_move=2, moves=played("z9")), "line 11: "),
    (changed("game", moves=played("b1", "b1")), "line 11: "),
    (changed("game", moves=played("b1", "a2,c40")), "line 11: "),
    (changed("game", moves=played("B1", "a2,c3")), "line 11: move 1 is not written as the server writes it: b1"),
    (changed("game", moves=played("b1", "a2,c3", players=(2, 1))), "line 11: move 1 was not the turn of player 2"),
    (changed("game", moves=played("b1", "a2,c3", players=(1, 3))), "line 11: move 2 was not the turn of player 3"),
    (changed("game", moves=[{"text": "b1"}]), "line 11: moves[0]: object missing required field `player`"),
    (changed("game", 1, to_move=1), "line 12: it is over, and yet somebody is to move"),
    (changed("game", 1, winner=3), "line 12: 'agreed' is 0 to 3, and 'winner' 1, 2, 0 or null"),
    (changed("game", 2, ply=1, moves=MOVES[:1]), "line 13: a game that has not begun has no moves"),
    (changed("game", 2, id=1), "line 13: another line has the same game.id"),
    (changed("game", 2, place=1, state="over", category="lambo"), "line 13: another line has the same game.place"),
    (changed("preference", value="501"), "line 14: '501' cannot be the value of 'limit'"),
    (changed("preference", name="colour"), "line 14: There is no setting 'colour'"),
    (changed("preference", player=88), "line 14: it refers to a row that does not stand above it"),
    (changed("preference", 1, value="carl"), "line 15: this is no value of the setting 'block bob'"),
    (changed("preference", 2, value="soon"), "line 16: this is no value of the setting 'digest due'"),
    (changed("vacation", end=AT + 99 * DAY), "line 17: it ends before it begins, or lasts longer than 21 days"),
    (changed("vacation", told=9), "line 17: 'automatic' is 0 or 1"),
    (changed("seek", rules="go"), 'line 19: there is no game "go" here'),
    (changed("seek", first="him"), "line 19: 'keep' is not negative"),
    (changed("plan", text="if c8 then nothing"), "line 21: "),
    (changed("plan", player=3), "line 21: it is of no board of this player that stands above this line"),
    (changed("submitted", text="quit"), "line 22: "),
    (changed("analysis", game=1), "line 23: only a game that is over is analysed"),
    (changed("hint", player=3), "line 24: it is of no board of this player that stands above this line"),
    (changed("hint", move="C8,b21"), "line 24: its moves are not written as the server writes them"),
    (changed("hint", after="b1 c8,b21"), "line 24: "),
    (changed("deferred", boards="1; DROP"), "line 25: 'boards' is not a list of numbers"),
    (changed("entry", tournament=2), "line 26: there is no tournament 2 above this line"),
    (changed("entry", 1, seat=1), "tournament 1 does not add up: two players have the same seat"),
    (changed("fixture", second=9), "tournament 1 does not add up: game 1 pairs seats that nobody has"),
    (changed("fixture", stake=9), "tournament 1 does not add up: game 1 pairs seats that nobody has"),
    (changed("fixture", game=1), "tournament 1 does not add up: board 1 is none of its boards"),
    (changed("fixture", game=0), "tournament 1 does not add up: each of its boards must be in one of its games"),
    (changed("fixture", first=2, second=1), "tournament 1 does not add up: board 2 has other players than game 1"),
    (changed("rung", seat=9), "tournament 1 does not add up: a rung is of a seat that nobody has"),
    (changed("rung", 1, place=1), "tournament 1 does not add up: each player of a ladder must have a rung"),
    (changed("overruled", game=1), "line 31: it is of no board that is over and stands above this line"),
    (changed("logged", what="magic"), "line 32: 'magic' is nothing that a log says"),
    (changed("later", by=77), "line 33: its words are of nobody who stands above this line"),
    (changed("later", facts="[]"), "line 33: 'facts' is not an object"),
    (changed("later", facts="[" * 5000), "line 33: 'facts' is not an object"),
    (changed("news", words="a\u0000b"), "line 34: words: it has characters that no text has"),
    (changed("rated", game="x"), "line 37: game: expected `int`, got `str`"),
    (changed("judged", chances="50"), "line 38: 'chances' is not a list of percentages, one more than 'moves'"),
    (changed("judged", chances="50 101"), "line 38: 'chances' is not a list of percentages, one more than 'moves'"),
    (changed("tried", player=77), "line 39: its player is not above this line"),
    (changed("tried", tries=0), "line 39: one of its numbers is not possible"),
    (changed("tried", day=-1), "line 39: one of its numbers is not possible"),
    (changed("address", addr="not an address"), "line 41: this is no address as the server writes it"),
    (changed("address", state="mine"), "line 41: one of its values is not allowed"),
    (changed("failing", hards="x"), "line 42: 'hards' is not a list of times"),
    (changed("contact", signups=-1), "line 44: this is no address, or no count of letters to it"),
    (changed("contact", addr="gone:x"), "line 44: this is no address, or no count of letters to it"),
]


@pytest.mark.parametrize(
    "said",
    [
        changed("contact", addr="@proton.me"),
        changed("preference", name="block x", value="x"),
        changed("plan", text="if a1,a2 then b1,b2\nif a3,a4 then b3,b4"),
        changed("judged", moves=" ".join(["a100,b101"] * 100), chances=" ".join(["50"] * 101)),
    ],
    ids=[
        "a mailbox of signs only",
        "a block of a name that nobody can have",
        "a queue of two lines",
        "an analysis of a long game",
    ],
)
def test_what_earlier_servers_have_kept_is_taken(store: Store, said: list[dict[str, Any]]) -> None:
    tried(store, whole(said))


@pytest.mark.parametrize(("said", "why"), REFUSED, ids=[f"{i} {why}" for i, (_, why) in enumerate(REFUSED)])
def test_a_line_that_may_not_be_is_refused(store: Store, said: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(BadLine) as refused:
        tried(store, whole(said))
    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)
    assert HASH not in str(refused.value)
    assert store.db.execute("SELECT count(*) FROM player WHERE id > 0").fetchone() == (0,)


GARBLED = [
    ([b"", *whole(LINES)], "line 1: this is not JSON"),
    ([b"{", *whole(LINES)], "line 1: this is not JSON"),
    ([b"[]"], "line 1: expected `object`, got `array`"),
    ([b"\xff"], "line 1: this is not JSON"),
    ([whole(LINES)[0], b'{"row":' + b"[" * 100_000], "line 2: this is not JSON"),
    ([whole(LINES)[0], b'{"row": 7}'], "line 2: there are no rows of '7'"),
    ([whole(LINES)[0], b" " * (MOST_OCTETS + 1)], "line 2: it is too long"),
    ([whole(LINES)[0], b'{"row": "player", "userid": "\\ud800"}'], "line 2: "),
    (whole(LINES)[:-1], "the file has no last line"),
    ([], "the file has no last line"),
    (whole(LINES)[:-3] + whole(LINES)[-1:], "line 44: the file should have 44 rows, and has 42"),
    ([*whole(LINES), b"{}"], "line 47 stands behind the end"),
    ([whole(LINES)[0], *whole(LINES)], "line 2: there are no rows of 'mailbot'"),
]


def test_a_move_of_a_computer_player_arrives_also_from_an_older_server(store: Store) -> None:
    """Its key had 16 octets."""
    found: list[tuple[bytes]] = []
    tried(
        store,
        whole(changed("seen", key="ab" * 16)),
        lambda reads: found.extend(reads.db.execute("SELECT key FROM seen")),
    )
    assert found == [(b"\xab" * 16,)]


@pytest.mark.parametrize(("octets", "why"), GARBLED, ids=[f"{i} {why}" for i, (_, why) in enumerate(GARBLED)])
def test_what_is_no_export_is_refused(store: Store, octets: list[bytes], why: str) -> None:
    with pytest.raises(BadLine) as refused:
        tried(store, octets)
    assert str(refused.value).startswith(why)


def test_a_file_is_read_line_by_line(store: Store) -> None:
    """Nothing behind a bad line is asked for, so a file may be of any length."""
    read: list[int] = []

    def octets() -> Iterator[bytes]:
        for number, line in enumerate(whole(changed("player", userid="uct1")), 1):
            read.append(number)
            yield line

    with pytest.raises(BadLine):
        tried(store, octets())
    assert read == [1, 2, 3, 4, 5, 6]


def test_a_server_that_is_not_empty_takes_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "db", AT, b"k" * 32)
    assert arrive(store, whole(LINES), AT, b"n" * 32, fits) == Arrived(len(LINES) - 1, 3, 3, 1, True)
    count = store.db.execute("SELECT count(*) FROM outbox").fetchone()
    with pytest.raises(BadLine, match="this server is not empty"):
        arrive(store, whole(LINES), AT, b"n" * 32, fits)
    assert store.db.execute("SELECT count(*) FROM outbox").fetchone() == count
    store.close()


def test_a_store_of_a_clock_that_was_ahead_moves_house(tmp_path: Path) -> None:
    """The clock was 40 days ahead, and has been set right: nothing is refused for that."""
    right = AT - 40 * DAY
    old, new = (Store.open(tmp_path / name, right, key * 32) for name, key in (("old", b"k"), ("new", b"n")))
    arrive(old, whole(LINES), AT, b"n" * 32, fits)
    said = [json.dumps(line).encode() for line in lines.lines(old.db, right, secrets=True)]
    arrived = arrive(new, said, right, b"n" * 32, fits)
    assert (arrived.players, arrived.games) == (3, 3)
    moves = [[one.text for one in Reads(store.db).moves(1)] for store in (old, new)]
    assert moves[0] == moves[1] != []
    assert {one.at for one in Reads(new.db).moves(1)} == {right}
    old.close()
    new.close()


# ---- anything else that somebody may write

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    3,
    2**31,
    2**63,
    1.5,
    1e300,
    "",
    "x",
    "\x00",
    "a\r\nBcc: eve@example.org",
    "a\u2028b",
    "a\tb",
    "x" * 2000,
    "9" * 400,
    [],
    {},
    "none",
)


def spoiled(chance: random.Random) -> list[dict[str, Any]]:
    """LINES with one to three values exchanged, or lines doubled, lost, or in another order."""
    said = [dict(line) for line in LINES]
    for _ in range(chance.randint(1, 3)):
        number = chance.randrange(len(said))
        kind = chance.random()
        if kind < 0.8:
            name = chance.choice(sorted(said[number]))
            other = chance.choice([line for line in LINES if line["row"] == said[number].get("row")] or LINES)
            said[number][name] = chance.choice([*HOSTILE, other.get(name), said[number][name]])
        elif kind < 0.9:
            said.insert(chance.randrange(len(said)), dict(said[number]))
        else:
            said.pop(number)
    return said


SUBJECTS = (
    ("tournament", "name"),
    ("game", "occasion"),
    ("game", "reason"),
    ("player", "userid"),
    ("later", "subject"),
)
"""What stands in Subjects."""


def usable(reads: Reads) -> None:
    """All that stands in the store can be shown and goes on."""
    for number in range(1, 50):
        game = reads.game(number)
        if game:
            arrivals.require_game(game, reads.moves(number), reads)
    for tournament in [one for n in range(1, 5) if (one := reads.tournament(n))]:
        arrivals.require_standing(tournament, reads)
        assert tournament.due is not None or tournament.stage != Stages.RUNNING
        steps.due(tournament.id, max(tournament.due or 0, AT), reads)
        playing = [game for _, game in standing.whole(tournament, reads).playing()]
        steps.follow([replace(one, state=States.OVER, winner=1, changed=AT) for one in playing], AT, reads)
    flags = "SELECT count(*) FROM game WHERE flag_at IS NOT NULL AND (state <> 'running' OR clock = 'none')"
    assert reads.db.execute(flags).fetchone()[0] == 0
    for table, column in SUBJECTS:
        for (subject,) in reads.db.execute(f"SELECT {column} FROM {table}").fetchall():
            compose._subject(subject)
            assert len(subject) <= 1000
    restored.letters(reads.db, AT, reads)
    sweep.timers(reads.db)
    assert reads.db.execute("PRAGMA foreign_key_check").fetchone() is None
    assert all(names.reserved(player.userid) is False for player in map(reads.player, (1, 2)) if player)


def test_no_clock_runs_on_a_board_that_is_over(store: Store) -> None:
    tried(store, whole(changed("game", 1, flag_at=2, remind_at=1)), usable)


@pytest.mark.parametrize("seeds", [range(150), pytest.param(range(150, 6000), marks=pytest.mark.nightly)])
def test_an_edited_file_is_refused_in_a_sentence_or_makes_a_store_that_works(store: Store, seeds: range) -> None:
    outcomes = {True: 0, False: 0}
    for seed in seeds:
        said = spoiled(random.Random(seed))
        try:
            tried(store, whole(said), usable)
            outcomes[True] += 1
        except BadLine as refused:
            outcomes[False] += 1
            assert len(str(refused)) < 500, seed
            assert "\n" not in str(refused), seed
    assert min(outcomes.values()) > 5
