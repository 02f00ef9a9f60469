"""Tie-breaks: the FIDE exercise, and cases computed by hand."""

import pytest

from mailbot.core.tournaments.places import (
    ROUND_ROBIN,
    SWISS,
    Meeting,
    Rule,
    Tally,
    Values,
    buchholz,
    buchholz_cut1,
    direct_encounter,
    places,
    rank,
    rows,
    sonneborn_berger,
    tally,
    virtual_sonneborn_berger,
    wins,
)

EXERCISE = """
1  +9 =13 =2 +15 =4
2  +10 +7 =1 +16 =3
3  =11 +6 +8 =4 =2
4  +12 = +13 =3 =1
5  -13 -15 +11 =7 +10
6  -14 -3 + +10 +8
7  +15 -2 -16 =5 -11
8  =16 +14 -3 +13 -6
9  -1 -10 = - +
10 -2 +9 -15 -6 -5
11 =3 -16 -5 + +7
12 -4 - + - -
13 +5 =1 -4 -8 -14
14 +6 -8 - - +13
15 -7 +5 +10 -1 -16
16 =8 +11 +7 -2 +15
"""
"""The cross table of "Exercises in Tie-Breaking" (FIDE Technical Commission, 2024): the result and the opponent, or the
points of a round that was not played."""
WORTH = {"+": 1.0, "=": 0.5, "-": 0.0}


def exercise() -> Tally:
    met = {}
    for line in EXERCISE.split("\n"):
        name, *cells = line.split() or [""]
        met[name] = [Meeting(cell[1:] or None, WORTH[cell[0]]) for cell in cells]
    del met[""]
    return told(met)


def told(met: dict[str, list[Meeting]]) -> Tally:
    return tally(met).plus((name, one, one.score) for name, found in met.items() for one in found)


def games(*games: str) -> Tally:
    """`a=b` is a draw, `a>b` a win."""
    met: dict[str, list[Meeting]] = {}
    for first, sign, second in games:
        met.setdefault(first, []).append(Meeting(second, 1.0 if sign == ">" else 0.5))
        met.setdefault(second, []).append(Meeting(first, 0.0 if sign == ">" else 0.5))
    return told(met)


def test_points_of_the_exercise() -> None:
    points = exercise().points
    assert [points[str(number)] for number in (1, 2, 3, 4, 11, 16)] == [3.5, 4, 3.5, 3.5, 2.5, 3.5]


@pytest.mark.parametrize(
    ("values", "name", "value"), [(buchholz, "2", 13), (buchholz, "11", 13.5), (buchholz_cut1, "11", 12)]
)
def test_buchholz_of_the_exercise(values: Values, name: str, value: float) -> None:
    """The solutions of the exercise for players whose opponents played all their rounds. Player 11 has a round that was
    not played, which adds his own points. Where opponents have byes, our rule counts half a point for these, and the
    FIDE rules since 2023 the whole."""
    assert values(exercise(), [name])[name] == value


def test_an_unplayed_round_is_a_draw_against_oneself() -> None:
    """a has a bye, then beats b; b beat c; c then had the bye."""
    found = told(
        {
            "a": [Meeting(None, 1.0), Meeting("b", 1.0)],
            "b": [Meeting("c", 1.0), Meeting("a", 0.0)],
            "c": [Meeting("b", 0.0), Meeting(None, 1.0)],
        }
    )
    names = ["a", "b", "c"]
    assert buchholz(found, names) == {"a": 2 + 1, "b": 0.5 + 1.5, "c": 1 + 1}
    assert buchholz_cut1(found, names) == {"a": 2, "b": 1.5, "c": 1}
    assert virtual_sonneborn_berger(found, names) == {"a": 0.5 * 2 + 1, "b": 0.5, "c": 0.5 * 1}
    assert wins(found, names) == {"a": 1, "b": 1, "c": 0}


def test_sonneborn_berger() -> None:
    """a 2, b 2, c 1.5, d 0.5: a beat c and d, b beat a and d, c beat b and drew with d."""
    found = games("a>c", "a>d", "b>a", "b>d", "c>b", "c=d")
    assert found.points == {"a": 2, "c": 1.5, "d": 0.5, "b": 2}
    assert sonneborn_berger(found, "abcd") == {"a": 1.5 + 0.5, "b": 2 + 0.5, "c": 2 + 0.25, "d": 0.75}
    ranking = rank(found, ROUND_ROBIN)
    assert [(placed.names, placed.parted_by) for placed in ranking.placed] == [
        (("b",), "sonneborn_berger"),
        (("a",), "points"),
        (("c",), "points"),
        (("d",), None),
    ]


def test_direct_encounter_if_all_have_met() -> None:
    found = games("a>b", "b>c", "a=c")
    assert direct_encounter(found, "abc") == {"a": 1.5, "b": 1, "c": 0.5}
    assert direct_encounter(found, "bc") == {"b": 1, "c": 0}


def test_direct_encounter_if_some_have_not_met() -> None:
    assert direct_encounter(games("a>b", "a>c"), "abc") == {"a": 1, "b": 0, "c": 0}
    assert direct_encounter(games("a>b", "c=d"), "abc") == {"a": 0, "b": 0, "c": 0}


def test_direct_encounter_is_tried_again_among_those_it_leaves_tied() -> None:
    """Five with two points each, where among a, b, c, d, e the first two have more from each other's games."""
    found = games("a>b", "a>c", "b>c", "b>d", "c>d", "c>e", "d>e", "d>a", "e>a", "e>b")
    ranking = rank(found, ROUND_ROBIN)
    assert [len(placed.names) for placed in ranking.placed] == [5]
    again = games("a>b", "b=c", "c>a", "a>d", "b>d", "c>d", "x>y")
    assert [placed.names for placed in rank(again, ROUND_ROBIN, "abcd").placed][-1] == ("d",)


def test_more_wins_and_a_shared_place() -> None:
    """a and b: the same Sonneborn-Berger, drew with each other, but a won one and lost one where b drew two."""
    found = games("a=b", "a>c", "d>a", "b=c", "b=d", "c=d")
    assert found.points["a"] == found.points["b"] == 1.5
    ranking = rank(found, ROUND_ROBIN, "ab")
    assert sonneborn_berger(found, "ab") == {"a": 0.75 + 1, "b": 0.75 + 0.5 + 1}
    assert ranking.placed[0].parted_by == "sonneborn_berger"
    shared = rank(games("a=b", "a=c", "b=c"), ROUND_ROBIN)
    table = rows(shared, games("a=b", "a=c", "b=c"), dict.fromkeys("abc", (1, 1)))
    assert [(row.place, row.parted_by) for row in table] == [(1, "shared"), (1, "shared"), (1, None)]


def test_wins_decide_at_last() -> None:
    """Both have 2 points, the same opponents' points and no game with each other."""
    found = games("a>x", "a>y", "v>a", "w>a", "b=x", "b=y", "b=v", "b=w", "x=y", "v=w", "x>v", "y>w")
    assert rank(found, (ROUND_ROBIN[0], ROUND_ROBIN[2], ROUND_ROBIN[3]), "ab").placed[0].parted_by == "wins"


@pytest.mark.parametrize(
    "found", [exercise(), games("a>b", "b=c", "c>a", "a>d", "b>d", "c>d"), games("a=b", "a=c", "b=c")]
)
@pytest.mark.parametrize("rules", [ROUND_ROBIN, SWISS])
def test_places_alone_are_those_of_the_ranking(found: Tally, rules: tuple[Rule, ...]) -> None:
    assert places(found, rules) == rank(found, rules).places()


def test_a_rule_that_was_not_needed_says_nothing() -> None:
    ranking = rank(games("a>b"), SWISS)
    assert [ranking.values[name]["direct_encounter"] for name in "ab"] == [None, None]
    assert ranking.values["a"]["buchholz"] == 0
