"""Swiss: known pairings, what a pairing must keep to, byes, matches of two games, withdrawals, refusals."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailbot.core import tournaments
from mailbot.core.effects import Forbidden
from mailbot.core.tournaments import dutch, swiss
from mailbot.core.tournaments.field import DONE, PAIR, WAIT, Entrant, Result, gather
from tests.core.tournaments.fields import entrants, field, kept_as_swiss, pairs, play, read

pytest.importorskip("py4swiss", reason="the extra `tournaments` is not installed on this machine")

SWISS = tournaments.find("swiss")
ROUND_1 = "1: 1>5 6<2 3<7 8>4"


def test_the_first_round() -> None:
    assert pairs(swiss.pairings(field("swiss", 8, match=1)).pairings) == ["p1-p5", "p6-p2", "p3-p7", "p8-p4"]
    assert pairs(swiss.pairings(field("swiss", 5, match=1)).pairings) == ["p1-p3", "p4-p2", "p5"]


def test_the_second_round_pairs_winners_with_winners() -> None:
    decision = swiss.pairings(field("swiss", 8, read(ROUND_1), match=1))
    assert decision.state == PAIR
    won = {"p1", "p2", "p7", "p8"}
    assert [{game.first in won, game.second in won} for game in decision.pairings].count({True, False}) == 0
    assert pairs(decision.pairings) == ["p7-p1", "p2-p8", "p5-p3", "p4-p6"]


PUBLISHED = """
2720 1.0     3 w 1
2701 1.0     4 b 1
2697 0.0     1 b 0
2689 0.0     2 w 0
2673 0.0  0000 - Z
"""
"""The games in bbpPairings' test file dutch_2025_C9: ratings, points, rounds. Its others are of later rules."""


def test_the_published_file() -> None:
    lines = [
        f"001 {number:4}{'':6}{'Player':33} {line[:4]}{'':29}{line[5:8]}{number:5}{line[8:]}"
        for number, line in enumerate(PUBLISHED.strip().split("\n"), 1)
    ]
    assert dutch.pair("\n".join([*lines, "XXR 3"])) == ((2, 1), (3, 5), (4, 0))


def test_the_report_reads_back() -> None:
    """What we write is what the engine pairs from, with names that a file could stumble over."""
    who = [Entrant("ann\nXXR 9", 99999), Entrant("ä" * 50, -5), Entrant("b", 1500.4), Entrant("c")]
    results = [Result(1, "ann\nXXR 9", "c", 1), Result(1, "b", "ä" * 50, 0.5)]
    report = swiss.report(
        gather(SWISS.options, who, results, options={"match": 1}), "A cup", {one.name: one.name for one in who}
    )
    assert report.split("\n")[:2] == [
        "012 A cup",
        "001    1      ann?XXR 9                         9999" + " " * 28 + " 1.0    1     3 w 1",
    ]
    assert len(dutch.pair(report)) == 2


def test_the_engine_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "py4swiss.engines", None)
    dutch.pair.cache_clear()
    with pytest.raises(dutch.NoEngine, match=r"mailbot-games\[tournaments\]"):
        swiss.pairings(field("swiss", 8))


@pytest.mark.parametrize(
    ("players", "asked", "rounds"), [(8, 1, 3), (8, 5, 5), (8, 9, 7), (64, 5, 6), (5, 9, 5), (2, 5, 1), (3, 1, 2)]
)
def test_how_many_rounds(players: int, asked: int, rounds: int) -> None:
    assert swiss.rounds(field("swiss", players, rounds=asked)) == rounds


# ---- matches of two games, and the round in play


def test_a_match_of_two_games_counts_as_one() -> None:
    assert pairs(swiss.pairings(field("swiss", 4, match=2)).pairings) == ["p1-p3", "p4-p2"]
    assert swiss.pairings(field("swiss", 4, read("1: 1>3"), match=2)) == (WAIT, ())
    second = swiss.pairings(field("swiss", 4, read("1: 1>3 4>2"), match=2))
    assert pairs(second.pairings) == ["p3-p1", "p2-p4"], "nobody can copy moves from one board to the other"
    results = read("1: 1>3 3=1 4>2 2>4")
    told = field("swiss", 4, results, match=2)
    assert swiss.pairings(told).state == PAIR
    assert [(row.name, row.points, row.tiebreaks["game_points"]) for row in swiss.table(told)] == [
        ("p1", 1, 1.5),
        ("p2", 0.5, 1),
        ("p4", 0.5, 1),
        ("p3", 0, 0.5),
    ]


def test_the_round_waits_for_its_games() -> None:
    for results in (read("1: 1>5"), read("1: 1>5 6<2 3<7"), read("1: 6<2")):
        assert swiss.pairings(field("swiss", 8, results, match=1)) == (WAIT, ())
    assert swiss.pairings(field("swiss", 4, read("1: 1>3 4>2 2>4"), match=2)).state == WAIT


def test_a_bye_need_not_be_reported() -> None:
    told, untold = read("1: 1>3 4<2 5-"), read("1: 1>3 4<2")
    one, other = (field("swiss", 5, results, match=1) for results in (told, untold))
    assert swiss.pairings(one) == swiss.pairings(other)
    assert swiss.table(one) == swiss.table(other)
    assert next(row.points for row in swiss.table(one) if row.name == "p5") == 1


def test_a_round_is_taken_as_it_was_played() -> None:
    """A complete round need not be the one we would have paired."""
    assert swiss.pairings(field("swiss", 4, read("1: 2>1 3=4"), match=1)).state == PAIR


def test_who_withdraws_loses_the_open_game_and_is_not_paired_again() -> None:
    told = field("swiss", 8, read("1: 1>5 6<2 3<7"), {"p8": 1}, match=1)
    decision = swiss.pairings(told)
    assert decision.state == PAIR and {game.round for game in decision.pairings} == {2}
    assert not [game for game in decision.pairings if "p8" in (game.first, game.second)]
    assert next(row.points for row in swiss.table(told) if row.name == "p4") == 1


def test_two_who_withdraw_both_lose() -> None:
    told = field("swiss", 4, read("1: 1>3"), {"p2": 1, "p4": 1}, match=1)
    assert {row.name: row.points for row in swiss.table(told)} == {"p1": 1, "p3": 0, "p2": 0, "p4": 0}
    (game,) = swiss.pairings(told).pairings
    assert {game.first, game.second} == {"p1", "p3"}, "they meet again, as nobody else is left"


def test_nobody_is_left() -> None:
    told = field("swiss", 4, read("1: 1>3 4<2"), {"p2": 1, "p3": 1, "p4": 1}, match=1)
    assert swiss.pairings(told).state == DONE


REFUSED = [
    ("1: 1>2 1>3", "p1 has another opponent in round 1"),
    ("1: 1>5 1<5", "p1 against p5 has too many results"),
    ("1: 1>5 5>1", "p5 against p1 has too many results"),
    ("1: 1>6", "p1 against p6 is not a game of round 1"),
    ("1: 1-", "a bye of p1 is not a game of round 1"),
    ("1: 1>5 6<2 3<7 8>4\n2: 1>5", "p1 against p5 is not a game of round 2"),
    ("1: 1>5\n2: 1>2", "round 2 has not begun: round 1 is not over"),
    ("2: 1>2", "round 2 has not begun: round 1 is not over"),
    ("6: 1>2", "this tournament has 5 rounds"),
    ("1: 1>9", "there is no entrant p9"),
    ("1: 1>1", "p1 cannot meet himself"),
]


@pytest.mark.parametrize(("results", "sentence"), REFUSED)
def test_a_result_that_is_not_of_the_round(results: str, sentence: str) -> None:
    with pytest.raises(Forbidden, match=sentence) as refused:
        swiss.pairings(field("swiss", 8, read(results), match=1))
    assert refused.value.index == len(read(results)) - 1


def test_a_result_of_who_has_withdrawn() -> None:
    with pytest.raises(Forbidden, match="p1 withdrew before round 2"):
        swiss.pairings(field("swiss", 8, read(ROUND_1 + "\n2: 1>2"), {"p1": 1}, match=1))


# ---- properties


@given(st.integers(2, 14), st.integers(1, 2), st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_what_a_pairing_keeps_to(players: int, match: int, rounds: int, chance: int) -> None:
    kept_as_swiss(play(SWISS, players, {"match": match, "rounds": rounds}, random.Random(chance)))


@given(st.permutations(entrants(8)), st.permutations(read(ROUND_1)))
@settings(max_examples=20, deadline=None)
def test_any_order_gives_the_same(who: list[Entrant], results: list[Result]) -> None:
    told = gather(SWISS.options, who, results, options={"match": 1})
    plain = field("swiss", 8, read(ROUND_1), match=1)
    assert swiss.pairings(told) == swiss.pairings(plain)
    assert swiss.table(told) == swiss.table(plain)


ALL_MET = "1: 1>2 3>4\n2: 1>3 2>4\n3: 4>1 3>2\n"


@pytest.mark.parametrize(
    ("results", "withdrawn", "pairs"),
    [
        (ALL_MET, {}, {frozenset(("p1", "p3")), frozenset(("p2", "p4"))}),  # equal points meet
        (ALL_MET + "4: 1>3 2>4\n", {}, {frozenset(("p1", "p2")), frozenset(("p3", "p4"))}),  # and then others
        (ALL_MET, {"p2": 3}, {frozenset(("p1", "p3")), frozenset(("p4", None))}),  # the last of those without a bye
        (ALL_MET + "4: 1>3 4-\n", {"p2": 3}, {frozenset(("p1", "p4")), frozenset(("p3", None))}),
    ],
)
def test_who_meets_again(
    results: str, withdrawn: dict[str, int], pairs: set[frozenset[str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swiss, "rounds", lambda field: 6)  # a tournament has no more rounds than opponents
    decision = swiss.pairings(field("swiss", 4, read(results), withdrawn, match=1))
    assert {frozenset((game.first, game.second)) for game in decision.pairings} == pairs


def test_of_256_players_whoever_is_near_in_the_table_meets_again() -> None:
    told = field("swiss", 256, (), match=1)
    pairs = swiss.again(told, swiss.Course([], 1))
    assert sorted(name for pair in pairs for name in pair if name) == sorted(told.names)
    assert all(abs(told.names.index(one) - told.names.index(other or one)) < swiss.TOGETHER for one, other in pairs)
