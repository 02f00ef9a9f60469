"""Tables: folded cells, widths, times; and the forms with a repeated slot in the middle."""

from typing import Any

import pytest

from mailbot.core.language.grammar import fill
from mailbot.core.letters import history, pieces, tables


def drawn(facts: dict[str, Any]) -> list[str]:
    """The lines of a table as a text letter has them."""
    return [pieces.plain(line) for line in tables.lines(facts)]


LONGEST = "abcdefghijklmnopqrst"

TABLES_AT_THEIR_WIDEST = {
    "boards": {
        "board": 999_999,
        "rules": "lambo -size=200 -eat_enemy=12 -anywhere -no_contain -largest=draws",
        "players": [LONGEST, LONGEST],
        "status": f"{LONGEST} to move",
        "ply": 1234,
        "waited": 86_400 * 9999,
        "order": 0,
    },
    "seeks": {
        "seek": 999_999,
        "rules": "mambo -mamba -size=200 -no_contain",
        "by": LONGEST,
        "first": LONGEST,
        "keep": 10,
        "running": 10,
        "note": "*",
    },
    "waiting": {
        "board": 999_999,
        "title": "Lambo",
        "opponent": LONGEST,
        "offered": True,
        "asks": "",
        "waited": 86_400 * 9999,
    },
    "analysis": {
        "ply": 9999,
        "by": LONGEST,
        "played": "a1234,b1235",
        "chance": "100 %",
        "turning": True,
        "best": "a1234,b1235",
    },
    "ratings": {
        "category": "mambogo",
        "rating": "1612?",
        "sure": 350.0,
        "best": 2222,
        "rated": 9999,
        "games": 9999,
        "last": 1_772_000_000,
        "change": "+162",
    },
    "ranked": {
        "place": 99_999,
        "userid": LONGEST,
        "computer": True,
        "rating": "1612",
        "sure": 350.0,
        "best": 2222,
        "rated": 9999,
    },
    "changes": {
        "ended": 1_772_000_000,
        "board": 999_999,
        "opponent": LONGEST,
        "result": "drawn",
        "change": "1612? -> 1625? (+13)",
    },
    "tournaments": {
        "tournament": 9999,
        "title": "the title of forty letters and more than",
        "game": "lambo -size=200 -clock=10d+2d/14d -noweekends",
        "format": "roundrobin,double,atonce=1000",
        "stage": "cancelled",
        "players": "256 of 256",
    },
    "tournament": {"place": 256, "player": LONGEST, "gone": True, "points": "255.5", "parted": "the next withdrew"},
    "tournament open": {
        "place": 256,
        "player": LONGEST,
        "gone": True,
        "points": "255.5",
        "reach": "256-256",
        "parted": "Sonneborn-Berger 1234.75 to 1234.5",
    },
    "entrants": {"number": 256, "player": LONGEST},
    "fixtures": {"round": 255, "pool": 36, "board": 999_999, "players": [LONGEST, LONGEST], "outcome": "withdrew"},
    "standings": {"place": 99_999, "userid": LONGEST, "won": 9999, "lost": 9999, "drawn": 9999},
}

TABLES_AT_THEIR_WIDEST |= {
    timed: {**TABLES_AT_THEIR_WIDEST[name], "left": 86_400 * 365 + 23 * 3600} for name, timed in tables.TIMED.items()
}


def test_every_table_is_tried() -> None:
    assert TABLES_AT_THEIR_WIDEST.keys() == tables.TABLES.keys()


@pytest.mark.parametrize("name", tables.TABLES)
def test_tables_fit_a_letter_and_lose_nothing(name: str) -> None:
    row = TABLES_AT_THEIR_WIDEST[name]
    lines = drawn({"table": name, "rows": [row]})
    assert max(map(len, lines)) <= 78
    letters = "".join("".join(lines).split())
    assert letters.count("t") >= "".join(map(str, row.values())).count("t")


def test_history_fits_a_letter() -> None:
    assert sum(column.width + tables.GAP for column in history.HISTORY) - tables.GAP <= 78


def test_long_cells_go_on_below() -> None:
    columns = (tables.Column("n", 3, number=True), tables.Column("what", 5), tables.Column("who", 4))
    assert tables.draw(columns, [("1", "one two", "ann"), ("20", "three", "")]) == [
        "  n  what   who",
        "  1  one    ann",
        "     two",
        " 20  three",
    ]


@pytest.mark.parametrize(
    ("seconds", "short", "long"),
    [
        (0, "now", "0 s"),
        (59, "now", "59 s"),
        (60, "1 min", "1 min"),
        (3599, "59 min", "59 min"),
        (3600, "1 h", "1 h 00 min"),
        (86_399, "23 h", "23 h 59 min"),
        (86_400, "1 day", "1 d 00 h"),
        (200_000, "2 days", "2 d 07 h"),
    ],
)
def test_times(seconds: int, short: str, long: str) -> None:
    assert (tables.span(seconds), tables.exact(seconds)) == (short, long)


TIMES = {
    "players": ["ann", "bob"],
    "by_ply": [1, 2, 1],
    "times": [160, 4000, 4010],
    "began": 100,
    "state": "running",
    "to_move": 2,
    "now": 4050,
}


def test_times_by_player() -> None:
    assert history.used(TIMES) == [
        "ann: 1 min for 2 turns, 35 s on average, the longest 1 min (ply 1).",
        "bob: 1 h 04 min for 1 turn.",
        "bob has had the turn for 40 s.",
    ]
    assert history.used({**TIMES, "times": [], "by_ply": [], "now": 220}) == [
        "ann: no turn yet.",
        "bob: no turn yet.",
        "bob has had the turn for 2 min.",
    ]


FORMS = [
    ("userid+ filter", "ann bob next", {"userid": ("ann", "bob"), "filter": "next"}),
    ("userid+ filter", "ann next", {"userid": ("ann",), "filter": "next"}),
    ("userid+ filter", "next", None),
    ("userid+ filter", "", None),
    ("userid+ filter", "ann bob", None),
    ("userid* filter", "next", {"userid": (), "filter": "next"}),
    ("userid* filter", "", None),
    ("userid*", "", {"userid": ()}),
    ("board userid password move+", "1 ann secret-word b1 b2", {"move": ("b1", "b2")}),
    ("board userid password move+", "1 ann secret-word", None),
    ("none n", "none 3", {"none": "none", "n": "3"}),
    ("none n", "none three", None),
    ("n", "3333333333", None),
]


@pytest.mark.parametrize(("form", "words", "filled"), FORMS)
def test_forms(form: str, words: str, filled: dict[str, object] | None) -> None:
    found = fill(form, words.split())
    assert (found is None) == (filled is None)
    assert found is None or filled is None or filled.items() <= found.items()


def test_a_plot_has_a_column_for_each_game() -> None:
    lines = tables.plot([1500, 1662, 1433, 1433, 1500])
    assert len(lines) == tables.PLOT_ROWS
    assert lines[0] == "  1662 | *"
    assert lines[-1] == "  1433 |  **"
    assert [sum(line[8:].ljust(5)[column] == "*" for line in lines) for column in range(5)] == [1] * 5
    assert lines[5] == "  1498 |*   *"


@pytest.mark.parametrize("values", [[], [1500], [1500, 1662], [1500, 1500, 1500]])
def test_nothing_is_plotted_where_there_is_nothing_to_see(values: list[int]) -> None:
    assert tables.plot(values) == []
