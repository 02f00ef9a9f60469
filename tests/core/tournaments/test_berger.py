"""The Berger tables: as the FIDE Handbook prints them (C.05, annex 1), and their properties for every size."""

from collections import Counter
from itertools import pairwise

import pytest

from mailbot.core.tournaments import berger

PRINTED = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: """1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 / 8-7 1-6 2-5 3-4 /
        4-8 5-3 6-2 7-1""",
    10: """1-10 2-9 3-8 4-7 5-6 / 10-6 7-5 8-4 9-3 1-2 / 2-10 3-1 4-9 5-8 6-7 / 10-7 8-6 9-5 1-4 2-3 /
        3-10 4-2 5-1 6-9 7-8 / 10-8 9-7 1-6 2-5 3-4 / 4-10 5-3 6-2 7-1 8-9 / 10-9 1-8 2-7 3-6 4-5 /
        5-10 6-4 7-3 8-2 9-1""",
    12: """1-12 2-11 3-10 4-9 5-8 6-7 / 12-7 8-6 9-5 10-4 11-3 1-2 / 2-12 3-1 4-11 5-10 6-9 7-8 /
        12-8 9-7 10-6 11-5 1-4 2-3 / 3-12 4-2 5-1 6-11 7-10 8-9 / 12-9 10-8 11-7 1-6 2-5 3-4 /
        4-12 5-3 6-2 7-1 8-11 9-10 / 12-10 11-9 1-8 2-7 3-6 4-5 / 5-12 6-4 7-3 8-2 9-1 10-11 /
        12-11 1-10 2-9 3-8 4-7 5-6 / 6-12 7-5 8-4 9-3 10-2 11-1""",
}


def read(printed: str) -> list[berger.Round]:
    rounds = [[pair.split("-") for pair in line.split()] for line in printed.split("/")]
    return [[(int(first), int(second)) for first, second in pairs] for pairs in rounds]


@pytest.mark.parametrize("players", PRINTED)
def test_the_printed_tables(players: int) -> None:
    assert berger.table(players) == read(PRINTED[players])


@pytest.mark.parametrize("players", [3, 5, 7, 9, 11])
def test_an_odd_number_leaves_the_last_one_of_the_table_out(players: int) -> None:
    printed = read(PRINTED[players + 1])
    assert berger.table(players) == [[pair for pair in pairs if players + 1 not in pair] for pairs in printed]


@pytest.mark.parametrize("players", range(2, 40))
def test_everybody_meets_everybody(players: int) -> None:
    rounds = berger.table(players)
    games = [pair for pairs in rounds for pair in pairs]
    assert sorted(tuple(sorted(pair)) for pair in games) == [
        (one, two) for one in range(1, players + 1) for two in range(one + 1, players + 1)
    ]
    for pairs in rounds:
        there = [player for pair in pairs for player in pair]
        assert len(there) == len(set(there)) >= players - 1
    first, second = Counter(pair[0] for pair in games), Counter(pair[1] for pair in games)
    assert all(abs(first[player] - second[player]) <= 1 for player in range(1, players + 1))


@pytest.mark.parametrize("players", range(2, 20))
def test_the_double_table(players: int) -> None:
    rounds = berger.double(players)
    games = [pair for pairs in rounds for pair in pairs]
    assert sorted(games) == [(one, two) for one in range(1, players + 1) for two in range(1, players + 1) if one != two]
    for player in range(1, players + 1):
        sides = [pair[0] == player for pairs in rounds for pair in pairs if player in pair]
        assert not any(one == two == three for (one, two), (_, three) in pairwise(pairwise(sides))) or players < 3


def test_the_last_two_rounds_of_the_first_cycle_change_places() -> None:
    assert berger.double(4) == read("1-4 2-3 / 2-4 3-1 / 4-3 1-2 / 4-1 3-2 / 3-4 2-1 / 4-2 1-3")
