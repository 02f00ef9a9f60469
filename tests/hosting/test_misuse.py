"""What players and directors of tournaments may not cause, however often they ask: letters, boards, work, results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mailbot.core import tokens
from mailbot.core.contests import Entry, Fixture, Stages
from mailbot.core.effects import Post
from mailbot.core.games import course, vacations
from mailbot.core.hosting import entries, rulings, standing, withdrawals
from mailbot.core.hosting.views import Page, shown
from mailbot.core.model import DAY, Address, Game, Player, States, Vacation
from mailbot.core.ratings import terms
from mailbot.core.ratings.fold import EXCUSED, EXCUSES
from mailbot.core.ratings.terms import OFTEN
from mailbot.core.world import Asked, Proofs, Request
from mailbot.store import admin, pulse
from mailbot.store.rows import put
from mailbot.store.schema import climbed
from tests.hosting.scripted import Club
from tests.hosting.test_hosting import CUP, act, beats, begun, direct, game_of, without_director
from tests.uncapped import UNCAPPED


@pytest.fixture
def club(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Club(tmp_path / "db", 1, 24)
    yield made
    made.store.close()


def letters_since(club: Club, last: int, reader: int = 0) -> list[dict[str, object]]:
    """The facts of the letters after this one, to this reader or to anybody."""
    sql = "SELECT facts FROM outbox WHERE id > ? AND (player = ? OR ? = 0) ORDER BY id"
    return [json.loads(facts) for (facts,) in club.store.db.execute(sql, (last, reader, reader)).fetchall()]


SHORT = ("-format=roundrobin", "-game=lambo", "-clock=9d")


def three_moves(club: Club, game: Game) -> None:
    """Enough for the game to be rated."""
    for move in ("a1", "a2,b3", "a3,a4"):
        now = club.reads.game(game.id)
        assert now
        club.asks(now.player(now.to_move), "move", board=str(game.id), move=move)


def last_letter(club: Club) -> int:
    return int(club.store.db.execute("SELECT coalesce(max(id), 0) FROM outbox").fetchone()[0])


def test_a_ruling_is_one_letter_for_each_player_without_words_for_who_has_blocked_the_director(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=("-format=roundrobin,double", "-game=lambo", "-clock=5d"))
    club.asks(2, "block", otherUserid="player1")
    last = last_letter(club)
    assert "more on 6 boards" in direct(
        club, "Be quick.", timing="time", n=str(number), otherUserid="player2", time="1d"
    )
    assert {who: len(letters_since(club, last, who)) for who in (1, 2, 3, 4, 5)} == {1: 0, 2: 1, 3: 1, 4: 1, 5: 1}
    (own,), (other,) = (letters_since(club, last, who) for who in (2, 3))
    assert (own["comment"], other["comment"]) == ("", "Be quick.")
    assert [len(one["games"]) for one in (own, other)] == [6, 2]  # type: ignore[arg-type]


def test_who_enters_and_leaves_again_and_again_does_not_fill_the_log(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=9")
    said = []
    for _ in range(entries.A_DAY + 5):
        said.append(club.asks(2, "join", n=str(number), options=()))
        club.asks(2, "leave", n=str(number))
    assert "You have entered tournaments 20 times within a day, which is the most; go on tomorrow" in said[-1]
    assert club.reads.log_length(number) <= 2 * entries.A_DAY + 2
    club.now += DAY
    assert "You have entered Cup" in club.asks(2, "join", n=str(number), options=())


def test_a_player_gets_time_once_a_day(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=SHORT)
    again = {"timing": "time", "n": str(number), "otherUserid": "player2", "time": "2d"}
    assert "more on 3 boards" in direct(club, **again)
    last = last_letter(club)
    for _ in range(3):
        assert "A director does that once a day at most" in direct(club, **again)
    assert letters_since(club, last) == []
    club.to(club.now + DAY)
    assert "more on 3 boards" in direct(club, **again)


def test_a_director_makes_so_many_rulings_a_day_and_withdraws_anybody(club: Club) -> None:
    number = without_director(club, *range(2, 24), options=SHORT)
    said = [direct(club, timing="time", n=str(number), otherUserid=f"player{who}", time="1d") for who in range(2, 24)]
    assert ["20 such things a day" in one for one in said] == [False] * 20 + [True] * 2
    assert "is withdrawn" in direct(club, withdrawal="withdraw", n=str(number), otherUserid="player23")


def test_a_director_who_takes_part_removes_no_rival_before_the_start(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=8")
    club.join(number, 1, 2, 3)
    removes = {"withdrawal": "withdraw", "n": str(number), "otherUserid": "player2"}
    assert "You take part in Cup yourself, so the operator withdraws players from it" in direct(club, **removes)
    assert club.reads.entry(number, 2)
    club.asks(1, "leave", n=str(number))
    assert "player2 is no longer in Cup" in direct(club, **removes)
    (line,) = club.reads.logged(number, "withdrew")
    assert (line.by, line.player) == (1, 2) and line.why
    said = club.asks(1, "join", n=str(number), options=())
    assert "You have directed Cup, so you cannot enter it" in said and not club.reads.entry(number, 1)
    assert "You have entered" in club.asks(2, "join", n=str(number), options=())


def test_a_director_wins_nothing_by_withdrawing_others(club: Club) -> None:
    """Nor does anybody else: what ends so is unrated."""
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=9d")
    other = game_of(club, number, 2, 3)
    three_moves(club, other)
    removes = {"withdrawal": "withdraw", "n": str(number), "otherUserid": "player2"}
    assert "You take part in Cup yourself" in direct(club, **removes)
    assert game_of(club, number, 1, 2).state == States.RUNNING
    club.asks(1, "withdraw", n=str(number))
    assert "is withdrawn" in direct(club, **removes)
    over = club.reads.game(other.id)
    assert over and over.player(over.winner or 0) == 3
    assert over.unrated == "the director decided so"
    assert club.reads.rated(other.id) is None


@pytest.mark.parametrize("rules", [None, {"result": "result", "verdict": "1"}, {"timing": "time", "time": "1d"}])
def test_a_director_who_withdraws_and_rules_stays_out(club: Club, rules: dict[str, str] | None) -> None:
    """And has no say about the games from before, not even while out."""
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=9d", "-unrated")
    own, other = game_of(club, number, 1, 2), game_of(club, number, 2, 3)
    club.asks(1, "resign", board=str(own.id))
    club.asks(1, "withdraw", n=str(number))
    said = direct(club, result="result", verdict="player1", board=str(own.id))
    assert f"You play on board {own.id} yourself, so the operator decides it" in said
    last = last_letter(club)
    assert "The operator has your words" in club.asks(2, "appeal", "He resigned.", board=str(own.id))
    assert "mailbot admin tournament result" in str(letters_since(club, last))
    if rules:
        about = {"board": str(other.id)} if "result" in rules else {"n": str(number), "otherUserid": "player2"}
        done = direct(club, **rules, **about)
        assert ("is over" if "result" in rules else "more on") in done
    said = club.asks(1, "return", n=str(number))
    assert ("You have directed Cup since you withdrew, so you cannot come back" in said) == bool(rules)
    assert any(entry.player == 1 for entry in club.standing(number).there) == (not rules)


def test_a_rating_that_a_withdrawal_has_moved_counts_when_the_player_cannot_come_back(club: Club) -> None:
    """Else a player could withdraw, enter where the true rating does not fit, and come back; so could friends."""
    number = begun(club, 4, *SHORT)
    game = game_of(club, number, 1, 2)
    three_moves(club, game)
    club.asks(2, "withdraw", n=str(number))
    category = "lambo"
    moved = club.reads.ranking(1, category)
    assert moved and round(moved.rating) > 1500
    now = club.now
    assert round(terms.settled(1, category, now, club.reads)) == 1500
    assert round(terms.settled(2, category, now, club.reads)) == 1500
    assert not terms.within("1501-3000", 1, "lambo", now, club.reads)
    late = now + entries.BACK_DAYS * DAY
    assert terms.settled(1, category, late, club.reads) == moved.rating
    assert terms.within("1501-3000", 1, "lambo", late, club.reads)
    club.asks(2, "return", n=str(number))
    assert terms.settled(1, category, now, club.reads) == 1500


@pytest.mark.parametrize("ends", ["paired", "returned", "left"])
def test_a_rating_counts_as_soon_as_nobody_can_come_back(club: Club, ends: str) -> None:
    number = begun(club, 4, "-format=swiss,rounds=3", "-game=lambo", "-clock=9d")
    game = next(one for one in club.standing(number).games.values() if 2 in (one.player1, one.player2))
    other = game.player(3 - game.number_of(2))
    three_moves(club, game)
    club.asks(2, "withdraw", n=str(number))
    if ends == "returned":
        club.asks(2, "return", n=str(number))
        club.asks(2, "withdraw", n=str(number))
    assert (round(terms.settled(other, "lambo", club.now, club.reads)) == 1500) == (ends != "returned")
    if ends == "paired":
        for one in club.standing(number).playing():
            club.asks(one[1].player1, "resign", board=str(one[1].id))
        club.to(club.now + withdrawals.CORRECTABLE)
    elif ends == "left":
        club.store.db.execute("UPDATE player SET state = 'gone' WHERE id = 2")
    assert terms.settled(other, "lambo", club.now, club.reads) > 1500


def test_a_game_of_two_who_have_withdrawn_counts_unless_both_may_come_back(club: Club) -> None:
    """Else a player takes back for a day what has counted for weeks, and enters where that does not fit."""
    number = without_director(club, 2, 3, 4, options=SHORT)
    three_moves(club, game_of(club, number, 2, 3))
    club.asks(3, "withdraw", n=str(number))
    club.now += entries.BACK_DAYS * DAY - 60
    assert round(terms.settled(2, "lambo", club.now, club.reads)) == 1500
    club.asks(2, "withdraw", n=str(number))
    assert round(terms.settled(2, "lambo", club.now, club.reads)) == 1500, "both may come back for a minute"
    club.now += 60
    assert terms.settled(2, "lambo", club.now, club.reads) > 1500


def test_a_game_counts_whose_player_the_operator_has_withdrawn(club: Club) -> None:
    number = without_director(club, 2, 3, 4, options=SHORT)
    three_moves(club, game_of(club, number, 2, 3))
    club.asks(3, "withdraw", n=str(number))
    assert round(terms.settled(2, "lambo", club.now, club.reads)) == 1500
    club.store.begin()
    words = {"act": "withdraw", "which": str(number), "who": "player2", "why": "He cheats."}
    admin.do(club.store, "tournament", words, club.now)
    club.store.commit()
    assert terms.settled(2, "lambo", club.now, club.reads) > 1500


def test_a_ruling_on_an_unrated_game_says_nothing_of_other_ratings(club: Club) -> None:
    number = without_director(club, 2, 3, options=(*SHORT, "-unrated"))
    game = game_of(club, number, 2, 3)
    club.asks(game.player2, "resign", board=str(game.id))
    last = last_letter(club)
    assert "is over" in direct(club, result="result", board=str(game.id), verdict="2")
    told = [one for one in letters_since(club, last) if one.get("event") == "ruling"]
    assert len(told) == 2 and all("refolded" not in one and one["unrated"] for one in told)


def test_in_a_tournament_no_move_is_taken_back(club: Club) -> None:
    """The trick: two friends take back and move for ever, and the next round never comes."""
    number = without_director(club, 2, 3, options=SHORT)
    board = str(game_of(club, number, 2, 3).id)
    for move in ("a1", "a2,b3"):
        now = game_of(club, number, 2, 3)
        club.asks(now.player(now.to_move), "move", board=board, move=move)
    assert "In a tournament no move is taken back." in club.asks(2, "undo", board=board)
    assert (game_of(club, number, 2, 3).asks, game_of(club, number, 2, 3).ply) == ("", 2)


def test_a_director_whom_nobody_has_named_leaves_rated_games_alone(club: Club) -> None:
    """The trick: friends direct each other out of the games they lose, or to a place before the others have moved. With
    new time every day no game would begin."""
    club.store.directors = "player1"
    number = without_director(club, 2, 3, 4, options=SHORT)
    club.store.directors = "players"
    played, fresh = (game_of(club, number, *pair) for pair in ((2, 3), (3, 4)))
    three_moves(club, played)
    verdict = {"result": "result", "verdict": "1"}
    bound = "of a rated tournament, so the operator decides it"
    assert bound in direct(club, **verdict, board=str(played.id))
    assert f"Board {played.id} is of a rated tournament, so the operator withdraws player2" in direct(
        club, withdrawal="withdraw", n=str(number), otherUserid="player2"
    )
    time = {"timing": "time", "n": str(number), "time": "300d"}
    for who in ("player2", "player4"):
        said = direct(club, otherUserid=who, **time)
        assert "of a rated tournament, so the operator gives time on it" in said, "a lost game would last a year"
    assert bound in direct(club, **verdict, board=str(fresh.id)), "the others have not been able to move"
    club.asks(2, "resign", board=str(played.id))
    assert bound in direct(club, **verdict, board=str(played.id)), "nor is it taken out when it is over"
    assert club.reads.rated(played.id)
    last = last_letter(club)
    said = club.asks(2, "appeal", "Please look.", board=str(played.id))
    assert "The operator has your words" in said
    assert "mailbot admin tournament result" in str(letters_since(club, last))
    assert "player1 directs Cup" in act(club, name="tournament", act="director", which=str(number), who="player1")
    assert "is over" in direct(club, **{**verdict, "verdict": "draw"}, board=str(played.id))


def test_the_limit_of_rated_games_of_a_pair_counts_those_that_begin_together(club: Club) -> None:
    double, games = "-format=roundrobin,double", ("-game=lambo", "-clock=9d")
    begun(club, 3, *SHORT, name="One")
    begun(club, 3, double, *games, name="Two")
    last = club.standing(begun(club, 3, double, *games, name="Three")).games.values()
    for pair in ({1, 2}, {1, 3}, {2, 3}):
        between = [game.unrated for game in last if {game.player1, game.player2} == pair]
        assert between == ["", OFTEN], "three games before, so there is room for one"


def test_whoever_comes_in_has_no_more_rated_games_than_others_of_a_pair(club: Club) -> None:
    begun(club, 3, *SHORT, name="One")
    begun(club, 3, "-format=roundrobin,double", *SHORT[1:], name="Two")
    number = without_director(club, 2, 4, 5, options=("-format=roundrobin,double", *SHORT[1:]))
    club.asks(3, "set", setting=["accept", "all", "yes"])
    direct(club, replace="replace", n=str(number), otherUserid="player4", toUserid="player3")
    games = [game for game in club.standing(number).games.values() if {game.player1, game.player2} == {2, 3}]
    assert [game.unrated for game in games] == ["", OFTEN]


def test_a_tournament_does_not_start_with_too_few_who_can_play(club: Club) -> None:
    number = club.create("Cup", *CUP, "-min=3", "-max=8")
    club.join(number, 2, 3, 4)
    club.asks(4, "signoff")
    said = direct(club, act="start", n=str(number))
    assert "Cup needs 3 players, and 3 have entered, of whom 2 can play now" in said
    assert club.tournament(number).stage == "entry"
    club.join(number, 5)
    assert "Cup begins" in direct(club, act="start", n=str(number))


def test_a_director_opens_and_closes_so_often_a_day(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=8")
    said = [direct(club, act=act, n=str(number)) for _ in range(15) for act in ("close", "open")]
    assert sum(" can enter Cup " in one for one in said) == 20
    assert "20 such things a day" in said[20]
    assert [len(club.reads.logged(number, what)) for what in ("opened", "closed")] == [10, 10]
    assert club.reads.log_length(number) <= 22


def test_letters_of_a_director_count_by_pair_and_the_rest_joins_the_digest(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=SHORT)
    club.store.caps = replace(UNCAPPED, pair_letters_per_hour=2)
    last = last_letter(club)
    for who in (2, 3, 4):
        direct(club, timing="time", n=str(number), otherUserid=f"player{who}", time="1d")
    assert len(letters_since(club, last, 2)) == 2
    assert [tuple(row) for row in club.store.db.execute("SELECT player, by, count, words FROM deferred")] == [
        (who, 1, 1, "So it must be.") for who in (2, 3, 4, 5)
    ]
    board = game_of(club, number, 2, 3).id
    last = last_letter(club)
    direct(club, result="result", board=str(board), verdict="1")
    assert len(letters_since(club, last, 2)) == 1, "the end of a game always arrives"


def test_the_reason_of_a_cancellation_are_words_too(club: Club) -> None:
    number = without_director(club, 2, 3, 4)
    club.asks(2, "block", otherUserid="player1")
    last = last_letter(club)
    direct(club, "The room is needed.", act="cancel", n=str(number))
    assert club.tournament(number).stage == Stages.CANCELLED
    told = {who: letters_since(club, last, who)[0] for who in (2, 3)}
    assert {who: one["comment"] for who, one in told.items()} == {2: "", 3: "The room is needed."}
    assert told[2]["said"] == told[3]["said"]
    assert "The room" not in str(told[2])


def test_an_edition_does_not_begin_before_its_month(club: Club) -> None:
    """Neither by its director nor because it is full; and who has too many games is not in it."""
    number = club.create("Cup", *CUP, "-max=4", "-every=month")
    for player in (1, 2, 3, 4):
        club.asks(player, "join", n=str(number), options=("-always",))
    club.to(club.now + 2)
    following = number + 1
    at = club.tournament(following).until
    assert at > club.now + 27 * DAY
    lines = [direct(club, act="start", n=str(each)) for each in range(number, number + 10)]
    assert "is held a month after the last one, so it begins on 2026-02-01" in lines[1]
    assert [one.id for one in club.reads.tournaments(Stages.OPEN, 99)] == [following, number]
    assert rulings.started(club.tournament(following), "", 0, club.now, club.reads).said.endswith("begins.")
    club.store.begin()
    pulse.set_back(club.store.db, club.now - 120)  # it is full, and waits all the same
    club.store.commit()
    assert club.tournament(following).due == at
    club.asks(4, "leave", n=str(following))
    assert "You have entered" in (said := club.asks(5, "join", n=str(following), options=()))
    assert "or when 4" not in said
    club.asks(3, "set", setting=["limit", "1"])
    club.store.begin()
    put(club.store.db, Game(9999, "lambo", 3, 8, States.RUNNING, 3, 0, 1, None, "", club.now, club.now))
    club.store.commit()
    club.asks(3, "leave", n=str(following))
    assert "Your limit is 1 boards" in club.asks(3, "join", n=str(following), options=("-always",))
    club.store.begin()
    put(club.store.db, Entry(following, 3, club.tournament(following).created, always=1))
    club.store.commit()
    club.to(at - 1)
    for player in (1, 2, 3, 5):
        club.asks(player, "games")
    assert club.tournament(following).stage == Stages.ENTRY
    club.to(at)
    assert club.tournament(following).stage == Stages.RUNNING
    assert 3 not in {entry.player for entry in club.reads.entries(following)}


def test_what_a_ladder_costs_does_not_grow_with_its_games(club: Club) -> None:
    """Only the games that run are read, and a new order is as many rows as have changed."""
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=6")
    club.join(number, *range(1, 7))
    club.to(club.now + 2)
    for low, high in ((6, 1), (3, 2), (5, 1)):
        club.asks(low, "challenge", n=str(number), otherUserid=f"player{high}")
    beats(club, number, 6, 1)
    beats(club, number, 3, 2)
    assert [player for _, player, _ in club.places(number)] == [6, 1, 3, 2, 4, 5]
    assert [points for _, _, points in club.places(number)] == [1, 0, 1, 0, 0, 0]
    loaded = standing.load(club.tournament(number), club.reads)
    assert [game.number_of(5) > 0 for game in loaded.games.values()] == [True]
    assert len(loaded.fixtures) == 1
    assert len(club.standing(number).fixtures) == 3
    seen: list[str] = []
    club.store.db.conn.set_trace_callback(seen.append)
    beats(club, number, 5, 1)
    club.store.db.conn.set_trace_callback(None)
    assert [player for _, player, _ in club.places(number)] == [6, 5, 1, 3, 2, 4]
    assert sum("INTO rung" in sql for sql in seen) == 5
    club.now += 3600
    assert "less than 7 days ago" in club.asks(1, "challenge", n=str(number), otherUserid="player5")


def test_ladders_of_an_older_server_stand_as_they_stood(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    club.asks(4, "challenge", n=str(number), otherUserid="player2")
    club.to(club.now + DAY)
    beats(club, number, 4, 2)
    stood = club.standing(number).rungs
    db = club.store.db
    club.store.begin()
    db.execute("DELETE FROM rung")
    climbed(db)
    assert club.standing(number).rungs == stood
    put(db, Fixture(number, 2, 2, 1, 0, 0, club.now + 1))
    db.execute("DELETE FROM rung")
    climbed(db)
    club.store.commit()
    assert [player for _, player, _ in club.places(number)] == [4, 1, 2, 3]


def test_a_game_whose_director_goes_back_to_the_play_is_rated_as_before(club: Club) -> None:
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=9d")
    club.asks(1, "withdraw", n=str(number))
    game = game_of(club, number, 2, 3)
    three_moves(club, game)
    club.asks(game.player2, "resign", board=str(game.id))
    kept = [club.reads.game(game.id), club.reads.rated(game.id), *club.reads.rankings("lambo")]
    assert len(kept) == 6
    club.now += 60
    assert "is over" in direct(club, result="result", board=str(game.id), verdict="2")
    assert club.reads.rated(game.id) is None
    club.now += 60
    assert "is over" in direct(club, result="result", board=str(game.id), verdict="1")
    assert [club.reads.game(game.id), club.reads.rated(game.id), *club.reads.rankings("lambo")] == kept


def test_who_comes_back_leaves_the_opponent_a_day(club: Club) -> None:
    """Else an opponent, who has been told of a win, could lose on time in the night."""
    number = begun(club, 3, "-format=roundrobin", "-game=lambo", "-clock=2d", "-vacation=no")
    board = game_of(club, number, 2, 3).id
    game = club.reads.game(board)
    assert game
    club.asks(game.player1, "move", board=str(board), move="a1")
    leaver, opponent = game.player1, game.player2
    club.asks(opponent, "set", setting=["digest", "7"])
    club.to(club.now + 2 * DAY - 3600)
    last = last_letter(club)
    assert "withdraw" in club.asks(leaver, "withdraw", n=str(number))
    ((told,),) = ([one for one in letters_since(club, last, opponent) if one.get("event") == "left"],)
    assert str(told["back"]).startswith(f"If player{leaver} comes back by ")
    club.now += 9 * 3600
    last = last_letter(club)
    assert "You are back" in club.asks(leaver, "return", n=str(number))
    assert any(one.get("event") == "returned" for one in letters_since(club, last, opponent)), "a digest is too late"
    again = club.reads.game(board)
    assert again and again.state == States.RUNNING and again.flag_at == club.now + DAY
    own = game_of(club, number, leaver, 1)
    assert own.flag_at is not None
    assert own.player(own.to_move) != leaver or own.flag_at < club.now + DAY, "nobody gains time by it"


def test_a_director_does_not_speak_as_the_server(club: Club) -> None:
    for title in ("Security notice", "From the 0perator", "The Adrnin Cup", "Official Cup", "mailbot-Cup"):
        said = club.asks(1, "tournament", create="create", title=f'"{title}"', options=CUP)
        assert "as if the server or its operator spoke" in said, title
    number = club.create("Team Cup", *CUP, "-max=3")
    club.asks(2, "block", otherUserid="player1")
    club.join(number, 2, 3, 5)
    club.to(club.now + 2)
    last = last_letter(club)
    direct(club, "Send your password.", withdrawal="withdraw", n=str(number), otherUserid="player3")
    (told,) = (one for one in letters_since(club, last, 3) if one.get("comment"))
    assert (told["comment"], told["writer"]) == ("Send your password.", "player1, the director,")
    page = Page(1, 50)
    logs = [str(shown(club.tournament(number), "log", who, club.reads, page).facts["log"]) for who in (2, 4)]
    assert ["Send your password." in log for log in logs] == [False, True]


def test_an_analysis_waits_until_a_game_cannot_run_again(club: Club) -> None:
    """Else who withdraws, asks for it and comes back would have advice."""
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=21d")
    board = game_of(club, number, 2, 3).id
    game = club.reads.game(board)
    assert game
    club.asks(game.player1, "move", board=str(board), move="a1")
    club.store.seat_bots(there=True)
    club.asks(2, "withdraw", n=str(number))
    assert "come back to the tournament, and the game would go on" in club.asks(3, "analyse", board=str(board))
    assert len(club.reads.analyses_of(3)) == 1
    assert club.reads.analyses(9, club.now + 7 * DAY - 1) == []
    assert [wish.player for wish in club.reads.analyses(9, club.now + 7 * DAY)] == [3]
    assert "You are back" in club.asks(2, "return", n=str(number))
    assert club.reads.analyses_of(3) == [], "the game goes on"
    club.asks(2, "withdraw", n=str(number))
    club.asks(3, "analyse", board=str(board))
    assert club.reads.analyses(9, club.now) == [], "the operator may bring player2 back"
    act(club, name="tournament", act="cancel", which=str(number), who="")
    assert club.tournament(number).stage == Stages.CANCELLED
    assert club.reads.analyses(9, club.now + 7 * DAY - 1) == [], "and take the cancellation back"
    assert [wish.player for wish in club.reads.analyses(9, club.now + 7 * DAY)] == [3]


def test_an_old_letter_brings_no_command_that_binds_its_reader(club: Club) -> None:
    """Its address may be known to others, and it never ends."""
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=3")
    club.join(number, 1, 2, 3)
    club.to(club.now + 2)
    for who, name, args in (
        (3, "challenge", {"n": str(number), "otherUserid": "player2", "options": ()}),
        (1, "tournament", {"act": "close", "n": str(number), "options": ()}),
    ):
        club.enter(Request(club.now, (Asked(name, "", args, who, Proofs.LETTER),), who, token=(tokens.ANSWER, 9, 0)))
    assert club.tournament(number).stage == Stages.RUNNING
    assert club.standing(number).games == {}


def test_appeals_to_the_operator_use_up_no_alarms_and_none_is_lost(club: Club) -> None:
    number = begun(club, 8, "-format=roundrobin", "-game=lambo", "-clock=9d")
    club.store.begin()
    put(club.store.db, replace(club.tournament(number), director=0))
    club.store.commit()
    boards = [game.id for _, game in club.standing(number).playing() if game.number_of(2)]
    said = [club.asks(2, "appeal", "He cheats.", board=str(board)) for board in boards]
    assert ["The operator has your words" in one for one in said] == [True] * 5 + [False] * 2
    assert "You have asked for 5 rulings within a day" in said[-1]
    club.store.begin()
    club.store.tell_operator("A mail broke the program.", club.now)
    club.store.commit()
    sql = "SELECT kind, address FROM outbox WHERE address = 'operator@example.net' ORDER BY id"
    assert [kind for kind, _ in club.store.db.execute(sql).fetchall()] == ["appeal"] * 5 + ["operator"]


def test_who_withdraws_after_the_time_has_run_out_has_lost_on_time(club: Club) -> None:
    """Before the ticker has said so; and who comes back then has no game to go on with."""
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=1d", "-vacation=no")
    game = game_of(club, number, 2, 3)
    late = game.player(game.to_move)
    assert game.flag_at
    club.now = game.flag_at + 20
    club.asks(late, "withdraw", n=str(number))
    over = club.reads.game(game.id)
    assert over and course.OUT_OF_TIME in over.reason and over.winner == 3 - game.to_move
    club.asks(late, "return", n=str(number))
    assert club.reads.game(game.id) == over


def test_no_game_runs_without_any_time(club: Club) -> None:
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=1d")
    game = game_of(club, number, 2, 3)
    ended = course.over(game, 1, "x", club.now)._replace(left1=0, left2=0)
    back = course.rewound(ended, 0, 1, club.now, least=(0, 0))
    assert back.flag_at and back.flag_at > club.now
    broken = game._replace(left1=0, left2=0, flag_at=club.now)
    assert vacations.saved(broken, club.now, club.reads) is None, "a day that saves nothing is not taken"


@pytest.mark.parametrize(("used", "said"), [(27, "2 days left"), (28, "1 day left"), (29, "0 days left")])
def test_a_day_that_is_taken_by_itself_counts_those_left(used: int, said: str, club: Club) -> None:
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=1d")
    game = game_of(club, number, 2, 3)
    mover = game.player(game.to_move)
    put(club.store.db, Vacation(1, mover, club.now + 30 * DAY, club.now + (30 + used) * DAY, used))
    assert game.flag_at
    club.now = game.flag_at
    saved = vacations.saved(game, club.now, club.reads)
    assert saved is not None
    (own,) = [effect.letter.facts["said"] for effect in saved if isinstance(effect, Post) and effect.player == mover]
    assert said in own


def overdue(club: Club, player: int) -> list[Game]:
    """The boards on which this player's time has run out."""
    ids = club.store.db.execute("SELECT id FROM game WHERE state = 'running' AND flag_at <= ?", (club.now,)).fetchall()
    games = [game for (number,) in ids if (game := club.reads.game(number))]
    return [game for game in games if game.player(game.to_move) == player]


def looks_at(club: Club, who: int, games: list[Game]) -> None:
    """A mail that names all these boards."""
    asked = tuple(Asked("show", "", {"board#": (str(game.id),)}, who, Proofs.PASSWORD) for game in games)
    club.enter(Request(club.now, asked, who))


def test_a_mail_that_names_several_lost_boards_withdraws_their_player_once(club: Club) -> None:
    """Each other game ends once, and counts once in the ratings."""
    club.asks(2, "set", setting=("autovacation", "off"))
    number = begun(club, 6, "-format=roundrobin", "-game=lambo", "-clock=5d")
    for other in (1, 3, 4, 5, 6):
        game = game_of(club, number, 2, other)
        three_moves(club, game)
        if (now := club.reads.game(game.id)) and now.player(now.to_move) != 2 and other < 6:
            club.asks(other, "move", board=str(game.id), move="b4,a5")
    club.now += 5 * DAY + 1
    late = overdue(club, 2)
    assert len(late) >= 3
    last = last_letter(club)
    looks_at(club, 2, late)
    assert [line.what for line in club.reads.log(number, 0, 99) if line.player == 2][1:] == ["late"]
    played = [game for game in club.standing(number).games.values() if 2 in (game.player1, game.player2)]
    assert [game.state for game in played] == [States.OVER] * 5
    assert sum(one.games for one in club.reads.rankings_of(2)) == 5
    found = [club.reads.rated(game.id) for game in played]
    assert [row is not None and row.unrated for row in found].count(EXCUSED) == EXCUSES
    assert sum(row is not None and not row.unrated for row in found) == 5 - EXCUSES
    ends = [one["board"] for one in letters_since(club, last, 2) if one.get("state") == States.OVER]
    assert len(ends) == len(set(ends))


def test_what_ends_with_losses_on_time_is_one_itself_until_its_player_comes_back(club: Club) -> None:
    """Else who has lost two on time would have the lost positions of the others unrated."""
    number = begun(club, 4, *SHORT)
    club.asks(2, "set", setting=("autovacation", "off"))
    games = {other: game_of(club, number, 2, other) for other in (1, 3, 4)}
    for other in (1, 3):
        club.asks(games[other].player1, "move", board=str(games[other].id), move="a1")
        if games[other].player1 == 2:
            club.asks(other, "move", board=str(games[other].id), move="a2,b3")
    club.to(club.now + 5 * DAY)
    three_moves(club, games[4])
    club.to(club.now + 4 * DAY + 60)
    lost = {other: club.reads.game(game.id) for other, game in games.items()}
    assert {game and (game.state, game.unrated) for game in lost.values()} == {(States.OVER, "")}
    left = lost[4]
    assert left and left.reason == f"player2 {course.WITHDRAWN}"
    row = club.reads.rated(games[4].id)
    assert row and (row.flagged, row.unrated) == (2, EXCUSED)
    assert "run again" in club.asks(2, "return", n=str(number))
    back = club.reads.game(games[4].id)
    assert back and (back.state, back.unrated) == (States.RUNNING, "")
    club.asks(2, "resign", board=str(back.id))
    row = club.reads.rated(back.id)
    assert row and (row.flagged, row.unrated) == (0, "")


def test_a_mail_that_names_several_lost_boards_takes_one_day_of_vacation(club: Club) -> None:
    number = begun(club, 5, "-format=roundrobin", "-game=lambo", "-clock=5d")
    club.now += 5 * DAY + 1
    late = overdue(club, 2)
    assert len(late) >= 2
    looks_at(club, 2, late)
    assert len(club.reads.vacations(2, 0)) == 1
    assert {game.state for game in club.standing(number).games.values() if 2 in (game.player1, game.player2)} == {
        States.RUNNING
    }


def test_one_mailbox_enters_a_tournament_once(club: Club) -> None:
    """The trick: accounts of one's own that lose to one, or stand between one and the others."""
    number = club.create("Cup", *CUP, "-max=4")
    club.join(number, 2)
    club.store.begin()
    put(club.store.db, Address(99, 3, "P2+other@example.org", "current", 0, club.now))
    club.store.commit()
    assert "An address enters a tournament once, and player2 has yours" in club.asks(
        3, "join", n=str(number), options=()
    )
    assert {entry.player for entry in club.standing(number).entries} == {2}


def test_the_letter_of_a_day_that_is_taken_by_itself_names_the_boards_whose_clock_goes_on(club: Club) -> None:
    begun(club, 2, "-format=roundrobin", "-game=lambo", "-clock=9d", "-vacation=no")
    offer = {"userid1": "player2", "userid2": "player1", "options": ("-clock=3h",)}
    club.enter(Request(club.now, (Asked("challenge", "lambo", offer, 2, Proofs.PASSWORD),), 2))
    club.asks(1, "accept", board="2")
    short = club.reads.game(2)
    assert short
    three_moves(club, short)
    last = last_letter(club)
    club.to(club.now + 3 * 3600 + 60)
    told = [str(one) for one in letters_since(club, last, 2)]
    assert len(club.reads.vacations(2, 0)) == 1
    but = "all your clocks stand, but not in tournaments that know no vacation: board 1 (Cup). You have 29 days left"
    assert [but in one for one in told] == [True]
    told = [str(one) for one in letters_since(club, last, 1)]
    but = "But on these boards the clock of player2 goes on: board 1 (Cup)."
    assert [one.count(but) for one in told if "on vacation for a day" in one] == [1]


def test_a_large_tournament_in_which_nobody_moves_ends(club: Club) -> None:
    """All flags fall in one second. Whoever loses two games on time is withdrawn, which ends games whose flags have
    fallen, too, and so on."""
    for number in range(9, 33):
        put(club.store.db, Player(number, f"player{number}", "active", "", 0, 0, club.now))
    number = club.create("Cup", "-format=roundrobin,double", "-game=lambo", "-clock=1d", "-max=32", "-vacation=no")
    club.join(number, *range(1, 33))
    club.to(club.now + 5)
    assert len(club.standing(number).playing()) == 32 * 31
    read: list[str] = []
    club.store.db.conn.set_trace_callback(
        lambda sql: read.append(sql) if "FROM entry WHERE tournament" in sql else None
    )
    club.to(club.now + 2 * DAY)
    club.store.db.conn.set_trace_callback(None)
    assert club.standing(number).playing() == []
    assert club.tournament(number).stage == Stages.OVER
    assert 0 < len(read) < 400, f"{len(read)}: it is not read once for each game"
