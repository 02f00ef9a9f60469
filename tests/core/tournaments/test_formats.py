"""Round-robin, groups, knock-out and ladder; what all formats have in common; tournaments played to the end."""

import random
from collections import Counter
from itertools import product

import pytest

from mailbot.core import tournaments
from mailbot.core.effects import Forbidden, Unreadable
from mailbot.core.tournaments import Format, groups, knockout, ladder, roundrobin
from mailbot.core.tournaments.field import DONE, PAIR, WAIT, Entrant, Field, Pairing, Result, gather
from mailbot.core.tournaments.outlook import exact
from tests.core.tournaments.fields import Story, entrants, field, kept_as_swiss, pairs, play, read

# ---- what all have in common


@pytest.mark.parametrize(
    ("who", "said", "sentence"),
    [
        ([], {}, "a tournament has 2 to 256 of them, and here are 0"),
        (entrants(1), {}, "here are 1"),
        (entrants(257), {}, "here are 257"),
        ([Entrant("ann"), Entrant("ann", 3)], {}, "ann is entered twice"),
        (entrants(3), {"withdrawn": {"zed": 1}}, "withdrawn: there is no entrant zed"),
        (entrants(3), {"withdrawn": {"p1": -1}}, "p1 cannot stop after round -1"),
        (entrants(3), {"options": {"rounds": 3}}, "no option rounds; its options: double, atonce"),
        (entrants(3), {"options": {"double": 2}}, "double is 0 to 1, not 2"),
        (entrants(3), {"results": [Result(1, "p1", "p4", 1)]}, "there is no entrant p4"),
        (entrants(3), {"results": [Result(0, "p1", "p2", 1)]}, "rounds are counted from 1"),
        (entrants(3), {"results": [Result(1, "p1", "p2", 2)]}, "a score is 1, 0.5 or 0"),
        (entrants(3), {"results": [Result(1, "p1", None, 0.5)]}, "a bye scores 1"),
    ],
)
def test_a_field_that_makes_no_sense(who: list[Entrant], said: dict[str, object], sentence: str) -> None:
    with pytest.raises(Forbidden, match=sentence):
        gather(roundrobin.OPTIONS, who, **said)  # type: ignore[arg-type]


def test_an_unknown_format() -> None:
    with pytest.raises(Unreadable, match="'chess' is no format; there are roundrobin, groups, swiss, knockout, ladder"):
        tournaments.find("chess")


@pytest.mark.parametrize("row", tournaments.FORMATS, ids=lambda row: row.name)
def test_two_entrants_are_a_tournament(row: Format) -> None:
    if row.name != "swiss":
        told = gather(row.options, entrants(2))
        assert len(row.table(told)) == 2
        assert row.pairings(told).state in (PAIR, WAIT)


# ---- round-robin


def test_all_games_begin_at_once() -> None:
    decision = roundrobin.pairings(field("roundrobin", 4))
    assert decision.state == PAIR
    assert pairs(decision.pairings) == ["p1-p4", "p2-p3", "p4-p3", "p1-p2", "p2-p4", "p3-p1"]


def test_some_rounds_at_once() -> None:
    decision = roundrobin.pairings(field("roundrobin", 4, atonce=2))
    assert [game.round for game in decision.pairings] == [1, 1, 2, 2]
    assert roundrobin.pairings(field("roundrobin", 4, read("1: 1>4"), atonce=2)) == (WAIT, ())
    over = read("1: 1>4 2>3\n2: 4>3 1=2")
    assert pairs(roundrobin.pairings(field("roundrobin", 4, over, atonce=2)).pairings) == ["p2-p4", "p3-p1"]
    with pytest.raises(Forbidden, match="round 3 has not begun"):
        roundrobin.pairings(field("roundrobin", 4, read("1: 1>4\n3: 2>4"), atonce=2))


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ("1: 4>1", "p4 against p1 is not a game of round 1"),
        ("2: 1>4", "p1 against p4 is not a game of round 2"),
        ("1: 1>4 1>4", "has two results in round 1"),
        ("4: 1>4", "is not a game of round 4"),
        ("1: 1-", "a bye of p1 is not a game of round 1"),
    ],
)
def test_a_result_that_is_not_of_the_round(results: str, sentence: str) -> None:
    with pytest.raises(Forbidden, match=sentence) as refused:
        roundrobin.pairings(field("roundrobin", 4, read(results)))
    assert refused.value.index == len(read(results)) - 1


WHOLE = "1: 1>4 2>3\n2: 4<3 1=2\n3: 2>4 3>1"


def test_the_end() -> None:
    told = field("roundrobin", 4, read(WHOLE))
    assert roundrobin.pairings(told).state == DONE
    table = roundrobin.table(told)
    assert [(row.place, row.name, row.points, row.parted_by) for row in table] == [
        (1, "p2", 2.5, "points"),
        (2, "p3", 2, "points"),
        (3, "p1", 1.5, "points"),
        (4, "p4", 0, None),
    ]
    assert table[0].tiebreaks["sonneborn_berger"] == 2 + 0 + 0.75


def test_withdrawn_with_fewer_than_half_of_the_games() -> None:
    """p4 has finished one of three games: it leaves the table."""
    told = field("roundrobin", 4, read("1: 1>4 2>3"), {"p4": 1})
    assert {row.name: row.points for row in roundrobin.table(told)} == {"p1": 0, "p2": 1, "p3": 0, "p4": 0}
    assert [row.name for row in roundrobin.table(told)][-1] == "p4"
    assert roundrobin.pairings(told).state == WAIT
    rest = field("roundrobin", 4, read("1: 1>4 2>3\n2: 1>2\n3: 3>1"), {"p4": 1})
    assert roundrobin.pairings(rest).state == DONE
    assert roundrobin.table(rest)[-2].parted_by == "withdrawn"


def test_withdrawn_with_half_of_the_games() -> None:
    """p4 has finished two of three: the third is lost."""
    told = field("roundrobin", 4, read("1: 1>4 2>3\n2: 4>3"), {"p4": 2})
    assert {row.name: row.points for row in roundrobin.table(told)} == {"p1": 1, "p2": 2, "p3": 0, "p4": 1}


def test_two_who_have_withdrawn_both_lose() -> None:
    told = field("roundrobin", 3, read("1: 2>3\n3: 3>1"), {"p1": 2, "p2": 2})
    assert {row.name: row.points for row in roundrobin.table(told)} == {"p1": 0, "p2": 1, "p3": 1}
    assert roundrobin.pairings(told).state == DONE


def test_everybody_withdraws() -> None:
    told = field("roundrobin", 3, (), {"p1": 0, "p2": 0, "p3": 0})
    assert roundrobin.pairings(told).state == DONE
    assert [row.place for row in roundrobin.table(told)] == [1, 1, 1]


def test_what_can_still_happen() -> None:
    """Open are p1-p2 and p3-p1. If p1 beats p2 and p3 beats p1, three share the first place."""
    told = field("roundrobin", 4, read("1: 1>4 2>3\n2: 4<3\n3: 2>4"))
    assert {row.name: (row.best, row.worst) for row in roundrobin.table(told)} == {
        "p1": (1, 3),
        "p2": (1, 2),
        "p3": (1, 3),
        "p4": (4, 4),
    }


@pytest.mark.parametrize("name", ["roundrobin", "swiss"])
def test_the_outlook_is_exact(name: str) -> None:
    """The best and the worst place among the final tables of every way in which the open games can end."""
    row = tournaments.find(name)
    if name == "swiss":
        pytest.importorskip("py4swiss", reason="the extra `tournaments` is not installed on this machine")
    for chance in range(6):
        rng = random.Random(chance)
        options = {"rounds": 3, "match": 1} if name == "swiss" else {}
        over = list(play(row, 5 + chance % 2, options, rng, leave=0).field.results)
        games = [result for result in over if result.second]
        last = max(result.round for result in games)
        open_ = [result for result in games if result.round == last][:3] if name == "swiss" else games[-4:]
        rest = [result for result in over if result not in open_]
        if name == "swiss" and not any(result.round == last for result in rest):
            continue
        ends = [
            row.table(field(name, 5 + chance % 2, rest + ended, **options))
            for scores in product((0, 0.5, 1), repeat=len(open_))
            for ended in [[result._replace(score=score) for result, score in zip(open_, scores, strict=True)]]
        ]
        for line in row.table(field(name, 5 + chance % 2, rest, **options)):
            found = [one.place for table in ends for one in table if one.name == line.name]
            assert (line.best, line.worst) == (min(found), max(found))


def test_the_bound_holds_the_exact_range() -> None:
    """As games end, the outlook goes from the bound to enumeration; `play` sees that it only narrows."""
    for chance in range(12):
        story = play(tournaments.find("roundrobin"), 6, {"atonce": 0}, random.Random(chance), leave=0)
        assert len(story.field.results) == 15 and not exact(15, 6) and exact(7, 6)


# ---- groups


def test_the_snake() -> None:
    assert groups.divide("abcdefgh", 3) == [["a", "f", "g"], ["b", "e", "h"], ["c", "d"]]
    assert [len(group) for group in groups.divide(range(20), 7)] == [7, 7, 6]  # type: ignore[arg-type]
    assert groups.divide("abc", 7) == [["a", "b", "c"]]


def won_by_seed(games: tuple[Pairing, ...]) -> list[Result]:
    """The better seed wins each game."""
    return [
        Result(
            game.round, game.first, game.second, float(int(game.first[1:]) < int((game.second or "p")[1:])), game.group
        )
        for game in games
    ]


def test_the_first_of_each_group_go_on() -> None:
    results = won_by_seed(groups.pairings(field("groups", 8, of=4, up=2)).pairings)
    assert {result.group for result in results} == {1, 2} and len(results) == 12
    final = groups.pairings(field("groups", 8, results, of=4, up=2)).pairings
    assert {game.round for game in final} == {4, 5, 6} and {game.group for game in final} == {1}
    assert {game.first for game in final} | {game.second for game in final} == {"p1", "p2", "p3", "p4"}
    told = field("groups", 8, results + won_by_seed(final), of=4, up=2)
    assert groups.pairings(told).state == DONE
    assert [(row.place, row.name) for row in groups.table(told)] == [
        (1, "p1"), (2, "p2"), (3, "p3"), (4, "p4"), (5, "p5"), (5, "p6"), (7, "p7"), (7, "p8"),
    ]  # fmt: skip
    assert [row.parted_by for row in groups.table(told)][3:] == ["stage", "shared", "group_place", "shared", None]


def test_who_shares_the_place_goes_on_but_never_everybody() -> None:
    games = groups.pairings(field("groups", 8, of=4, up=1)).pairings
    drawn = [Result(*game[:3], 0.5, game.group) for game in games]
    final = groups.pairings(field("groups", 8, drawn, of=4, up=1)).pairings
    assert {final[0].first, final[0].second} == {"p1", "p2"} and len(final) == 1
    half = [result if result.group == 1 else won for result, won in zip(drawn, won_by_seed(games), strict=True)]
    more = groups.pairings(field("groups", 8, half, of=4, up=1)).pairings
    assert Counter(game.group for game in more) == {1: 3, 2: 1}


def test_a_result_of_another_group() -> None:
    with pytest.raises(Forbidden, match="p1 against p2 in group 1 is not a game of round 1"):
        groups.pairings(field("groups", 8, [Result(1, "p1", "p2", 1, 1)], of=4))
    with pytest.raises(Forbidden, match="round 4 has not begun"):
        groups.pairings(field("groups", 8, [Result(4, "p1", "p2", 1, 1)], of=4))


# ---- knock-out


def test_the_bracket() -> None:
    assert knockout.order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    games = knockout.pairings(field("knockout", 6)).pairings
    assert pairs(games) == ["p4-p5", "p3-p6", "p1", "p2"]


def test_extra_games_and_the_lot() -> None:
    for played, then in (("", "p1-p2"), ("1=2", "p2-p1"), ("1=2 2=1", "p1-p2"), ("1=2 2=1 2<1", "p1-p2")):
        results = read(f"1: {played}")
        assert pairs(knockout.pairings(field("knockout", 2, results)).pairings) == [then], "one game after the other"
    again = read("1: 1=2 2=1 1>2 2>1")
    lots = {tuple(pairs(knockout.pairings(field("knockout", 2, again, seed=seed)).pairings)) for seed in range(20)}
    assert lots == {("p1-p2",), ("p2-p1",)}
    (last,) = knockout.pairings(field("knockout", 2, again)).pairings
    end = field("knockout", 2, [*again, Result(1, last.first, last.second, 0.5)])
    assert knockout.pairings(end).state == DONE
    assert knockout.table(end)[0].name == last.second


def test_the_round_takes_each_step_together() -> None:
    results = read("1: 1=4 4=1 2>3")
    assert knockout.pairings(field("knockout", 4, results)) == (WAIT, ())
    with pytest.raises(Forbidden, match="cannot have gone on"):
        knockout.pairings(field("knockout", 4, read("1: 1=4 4=1 2>3 1>4")))
    over = read("1: 1=4 4=1 2>3 3<2")
    assert pairs(knockout.pairings(field("knockout", 4, over)).pairings) == ["p1-p4"]


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ("1: 1>2", "p1 against p2 is not a game of round 1"),
        ("1: 1>4 4<1 1>4", "p1 against p4 is a game too many"),
        ("1: 1>4 1>4", "p1 against p4 is a game too many"),
        ("2: 1>2", "round 2 has not begun"),
        ("1: 1-", "a bye of p1 is not a game of round 1"),
    ],
)
def test_a_result_that_is_not_of_the_bracket(results: str, sentence: str) -> None:
    with pytest.raises(Forbidden, match=sentence):
        knockout.pairings(field("knockout", 4, read(results)))


def test_the_third_place() -> None:
    results = read("1: 1>4 4<1 2>3 3<2")
    decision = knockout.pairings(field("knockout", 4, results, third=1))
    assert pairs(decision.pairings) == ["p1-p2", "p3-p4"]
    halfway = field("knockout", 4, results + read("2: 1>2 3<4"), third=1)
    assert pairs(knockout.pairings(halfway).pairings) == ["p2-p1", "p4-p3"]
    end = field("knockout", 4, results + read("2: 1>2 2<1 3<4 4>3"), third=1)
    assert [(row.place, row.name, row.parted_by) for row in knockout.table(end)] == [
        (1, "p1", "round"), (2, "p2", "round"), (3, "p4", "third_place"), (4, "p3", None),
    ]  # fmt: skip


def test_the_next_opponent_of_who_withdrew_goes_on() -> None:
    results = read("1: 1>4 4<1 2>3 3<2")
    told = field("knockout", 4, results, {"p1": 1})
    assert knockout.pairings(told).state == DONE
    assert knockout.table(told)[0].name == "p2"
    assert knockout.table(field("knockout", 4, results[:1] + results[2:], {"p1": 1}))[0].name == "p2"


# ---- ladder

ORDER = ["a", "b", "c", "d", "e", "f", "g"]
DAY = 86400


def test_a_challenge_up_to_five_places_above() -> None:
    ladder.challenge(ORDER, [], "f", "a", 0, {})


@pytest.mark.parametrize(
    ("challenger", "challenged", "games", "sentence"),
    [
        ("a", "a", [], "cannot challenge yourself"),
        ("z", "a", [], "z is not on this ladder"),
        ("a", "b", [], "b stands below you"),
        ("g", "a", [], "a stands 6 places above you; you can challenge up to 5"),
        ("c", "b", [("b", "c", None)], "You play b already"),
        ("g", "f", [("g", "e", None), ("g", "d", None), ("g", "c", None)], "You have 3 open games that you began"),
        ("c", "b", [("c", "b", 94 * DAY)], "You met b less than 7 days ago"),
        ("d", "c", [], "c is on vacation"),
    ],
)
def test_a_challenge_that_is_refused(
    challenger: str, challenged: str, games: list[tuple[str, str, int | None]], sentence: str
) -> None:
    with pytest.raises(Forbidden, match=sentence) as refused:
        ladder.challenge(
            ORDER, [ladder.Met(*game) for game in games], challenger, challenged, 100 * DAY, {"c": 103 * DAY}
        )
    if isinstance(refused.value, ladder.Waits):
        assert refused.value.until == {"b": 101 * DAY, "c": 103 * DAY}[challenged]


def test_a_winner_from_below_takes_the_place() -> None:
    assert ladder.won(ORDER, "d", "b") == ["a", "d", "b", "c", "e", "f", "g"]
    assert ladder.won(ORDER, "b", "d") == ORDER
    told = field("ladder", 4, read("2: 4>1\n1: 3=2\n3: 2<3"))
    assert [row.name for row in ladder.table(told)] == ["p4", "p1", "p3", "p2"]
    assert ladder.pairings(told) == (WAIT, ())
    assert [row.name for row in ladder.table(field("ladder", 3, (), {"p2": 0}))] == ["p1", "p3"]


@pytest.mark.parametrize(
    ("told", "dropped", "day", "what", "next_day"),
    [
        (-9, -9, 0, "", 53),
        (-9, -9, 53, "told of drops", 60),
        (53, -9, 54, "", 60),
        (53, -9, 60, "drop", 67),
        (53, 60, 60, "", 67),
        (53, 60, 66, "", 67),
        (53, 60, 67, "drop", 74),
        (53, 60, 81, "drop", 88),  # weeks in which there was nobody to fall past are not made up for
        (80, -9, 80, "", 81),  # told late, after an outage: the next week is the first one
        (80, -9, 81, "drop", 88),
        (53, 172, 173, "told of the end", 179),
        (173, 172, 179, "drop", 180),
        (173, 179, 180, "off", 186),
        (53, 60, 200, "told of the end", 207 - 7),
        (200, 60, 200, "", 200),
        (200, 60, 207, "off", 207),
    ],
)
def test_idle_players_are_told_and_go_down(told: int, dropped: int, day: int, what: str, next_day: int) -> None:
    assert ladder.idling(0, told * DAY, dropped * DAY, day * DAY) == what
    assert ladder.idling_next(0, told * DAY, day * DAY) > day * DAY
    if next_day > day:
        assert ladder.idling_next(0, told * DAY, day * DAY) == min(next_day, day + 7) * DAY


@pytest.mark.parametrize(
    ("told", "dropped", "day", "what"),
    [
        (0, 0, 20, "hides"),
        (20, 0, 26, ""),
        (20, 0, 27, "drop"),
        (20, 27, 33, ""),
        (20, 27, 34, "drop"),
        (20, 27, 40, "drop"),
        (20, 27, 41, "hides"),  # signed on in between, or the server was away
    ],
)
def test_who_has_signed_off_goes_down(told: int, dropped: int, day: int, what: str) -> None:
    assert ladder.hiding(told * DAY, dropped * DAY, day * DAY) == what


def test_a_place_lost() -> None:
    assert ladder.drop(ORDER, "a")[:3] == ["b", "a", "c"] and ladder.drop(ORDER, "g") == ORDER


def test_a_result_that_is_no_game_of_a_ladder() -> None:
    with pytest.raises(Forbidden, match="two games are number 1"):
        ladder.pairings(field("ladder", 4, read("1: 1>2 3>4")))


def test_a_result_without_an_opponent_is_a_place_lost_on_a_ladder() -> None:
    told = field("ladder", 4, read("1: 1-\n2: 4>1"))
    assert [(row.name, row.points) for row in ladder.table(told)] == [("p2", 0), ("p4", 1), ("p1", 0), ("p3", 0)]


# ---- tournaments played to the end


def options(row: Format, rng: random.Random) -> dict[str, int]:
    """Options at random, small enough for a test."""
    return {name: rng.randint(option.least, min(option.most, option.least + 4)) for name, option in row.options.items()}


def kept(story: Story) -> None:
    """No game begins twice, nobody plays two opponents in a round, and where points are those of games they add up."""
    told: Field = story.field
    begun = Counter(game for games in story.steps for game in games if game.second)
    most = 1 if "third" not in told.options else 3
    assert max(begun.values(), default=0) <= most
    opponents: dict[tuple[int, str], set[str]] = {}
    for game in begun:
        assert game.second is not None
        opponents.setdefault((game.round, game.first), set()).add(game.second)
        opponents.setdefault((game.round, game.second), set()).add(game.first)
    assert all(len(found) == 1 for found in opponents.values())
    if "double" in told.options and not told.withdrawn:
        assert sum(row.points for row in story.table) == len(told.results) == sum(begun.values())


ENDING = [row for row in tournaments.FORMATS if row.name != "ladder"]


def season(row: Format, chances: range, most: int) -> None:
    if row.name == "swiss":
        pytest.importorskip("py4swiss", reason="the extra `tournaments` is not installed on this machine")
    for chance in chances:
        rng = random.Random(chance)
        story = play(row, rng.randint(2, most), options(row, rng), rng)
        kept(story)
        if row.name == "swiss":
            kept_as_swiss(story)
        told = story.field
        backwards = (told.entrants[::-1], told.results[::-1], told.withdrawn, told.options, told.seed)
        assert row.table(gather(row.options, *backwards)) == story.table


@pytest.mark.parametrize("row", ENDING, ids=lambda row: row.name)
def test_twenty_tournaments_end_by_themselves(row: Format) -> None:
    season(row, range(20), 16)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(50))
@pytest.mark.parametrize("row", ENDING, ids=lambda row: row.name)
def test_500_tournaments_end_by_themselves(row: Format, part: int) -> None:
    season(row, range(10 * part, 10 * part + 10), 64)


@pytest.mark.parametrize("said", ["roundrobin", "groups", "swiss", "swiss,match=1", "knockout", "ladder"])
def test_the_rules_that_are_announced_are_those_of_the_table(said: str) -> None:
    row, options = tournaments.parse(said)
    told = gather(row.options, [Entrant("a"), Entrant("b"), Entrant("c")], options=options)
    rules = [rule.name for rule in row.rules(told.options)]
    assert all([name for name in one.tiebreaks if name in rules] == rules for one in row.table(told))
    assert {rule for one in row.table(told) for rule in one.tiebreaks} - {*rules} <= {"stage", "group_place", "rounds"}
