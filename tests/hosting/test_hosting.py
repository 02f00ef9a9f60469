"""What happens in a tournament: entry, its steps, who leaves and comes back, rulings, ladders, further editions."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from mailbot.core.commands import directing, records
from mailbot.core.contests import Entry, Stages, Tournament
from mailbot.core.effects import Say
from mailbot.core.games import vacations
from mailbot.core.hosting import steps, withdrawals
from mailbot.core.model import DAY, Address, Game, Player, Preference, Ranking, States, Vacation
from mailbot.core.operator.arrivals import _require_clock
from mailbot.core.tournaments import dutch
from mailbot.core.world import Asked, Proofs, Request, Timer
from mailbot.shell.post.attachments import attached
from mailbot.store import admin, pulse
from mailbot.store.rows import put
from tests.hosting.scripted import BEGIN, Club, adds_up

CUP = ("-format=roundrobin", "-game=lambo", "-clock=1d")


@pytest.fixture
def club(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Club(tmp_path / "db", 1, 8)
    yield made
    made.store.close()


def begun(club: Club, people: int, *options: str, name: str = "Cup") -> int:
    number = club.create(name, *(options or CUP), f"-max={people}")
    club.join(number, *range(1, people + 1))
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING
    return number


def game_of(club: Club, number: int, one: int, two: int) -> Game:
    return next(game for game in club.standing(number).games.values() if {game.player1, game.player2} == {one, two})


def beats(club: Club, number: int, winner: int, loser: int) -> None:
    game = game_of(club, number, winner, loser)
    club.end(game, game.number_of(winner))


def outbox(club: Club, subject: str) -> list[int]:
    """The readers of the letters with this in their Subject, without the number of the tournament."""
    sql = "SELECT player FROM outbox WHERE subject LIKE ? ORDER BY player"
    return [
        player
        for (player,) in club.store.db.execute(sql, (f"%{subject.replace(': ', ' (tournament %): ')}%",)).fetchall()
    ]


def test_a_round_robin_to_its_last_table(club: Club) -> None:
    number = begun(club, 3)
    assert outbox(club, "Cup: rounds 1 to 3") == [1, 2, 3]
    begin = club.tournament(number).until + 1
    for winner, loser in ((1, 2), (1, 3), (3, 2)):
        assert club.tournament(number).due == begin + 7 * DAY
        beats(club, number, winner, loser)
    assert club.tournament(number).due == club.now + 1, "the timer of this second may have rung already"
    club.to(club.now + 1)
    assert club.tournament(number).stage == Stages.OVER
    assert club.places(number) == [(1, 1, 2.0), (2, 3, 1.0), (3, 2, 0.0)]
    assert outbox(club, "Cup: the end") == [1, 2, 3]
    adds_up(club.standing(number))


def test_a_tournament_goes_on_when_the_clock_was_ahead_for_a_while(club: Club) -> None:
    """What fell due then would be due in 40 days."""
    number = club.create("Cup", "-format=knockout", "-game=lambo", "-clock=1d", "-max=4")
    club.join(number, 1, 2, 3)
    real, club.now = club.now, club.now + 40 * DAY
    club.join(number, 4)
    assert club.tournament(number).due == club.now
    pulse.jumped(club.store.db, club.now, real)
    club.now = real
    club.to(real + 2)
    assert club.tournament(number).stage == Stages.RUNNING
    club.now += 40 * DAY
    assert len(club.standing(number).games) == 2
    for game in list(club.standing(number).games.values()):
        club.end(game, 1 if game.player1 < game.player2 else 2)
    ahead, club.now = club.now, real + 2
    pulse.jumped(club.store.db, ahead, club.now)
    club.to(club.now + 5)
    assert len(club.standing(number).games) == 4, "the second games"


def test_games_carry_the_event_and_the_round(club: Club) -> None:
    number = begun(club, 4)
    found = club.standing(number)
    rounds = {one.game: one.round for one in found.fixtures}
    assert {(game.event, game.occasion, game.round == rounds[game.id]) for game in found.games.values()} == {
        (number, "Cup", True)
    }


def test_a_loss_on_time_before_the_first_move_is_a_loss(club: Club) -> None:
    number = begun(club, 2)
    without_autovacation(club, 2)
    club.to(club.now + 2 * DAY)
    (game,) = club.standing(number).games.values()
    assert (game.state, game.winner, game.ply) == (States.OVER, 2, 0)
    assert club.tournament(number).stage == Stages.OVER


def test_who_withdraws_early_leaves_the_table_of_a_round_robin_and_can_come_back(club: Club) -> None:
    number = begun(club, 4)
    assert "for 7 days at most, you can come back; your clocks run on meanwhile:\nreturn" in club.asks(
        2, "withdraw", n=str(number)
    )
    assert [player for _, player, _ in club.places(number)][-1] == 2
    assert all(game.state == States.OVER for game in club.standing(number).games.values() if game.number_of(2))
    assert "You are back" in club.asks(2, "return", n=str(number))
    assert len(club.standing(number).playing()) == 6
    said = club.asks(2, "withdraw", n=str(number))
    assert "You have withdrawn" in said
    assert "come back" not in said
    assert "nobody does so twice" in club.asks(2, "return", n=str(number))
    club.asks(3, "withdraw", n=str(number))
    club.now += 8 * DAY
    assert "you could come back until" in club.asks(3, "return", n=str(number))


@pytest.mark.parametrize("away", [DAY // 24, 2 * DAY, 5 * DAY])
def test_the_clock_of_a_player_who_withdraws_and_comes_back_runs_on(club: Club, away: int) -> None:
    """Else a withdrawal would be a week to think about every board."""
    number = begun(club, 4, "-format=roundrobin", "-game=lambo", "-clock=3d", "-vacation=no")
    before = {game.id: game for _, game in club.standing(number).playing() if game.number_of(1)}
    club.asks(1, "withdraw", n=str(number))
    club.now += away
    said = club.asks(1, "return", n=str(number))
    found = club.standing(number)
    for board, game in before.items():
        after, to_move = found.games[board], game.player1 == 1
        assert (after.state == States.OVER) == (to_move and away > 3 * DAY) == (f"{board}" in said)
        if after.state == States.RUNNING:
            assert game.flag_at and after.flag_at == game.flag_at + (0 if to_move else away)
        else:
            assert (after.winner, after.flag_at) == (2, None)
    assert {fixture.void for fixture in found.fixtures} == {0}
    assert ("stays" in said or "run out" in said) == (away > 3 * DAY)


def test_nobody_comes_back_when_the_next_games_are_paired(club: Club) -> None:
    number = begun(club, 4, "-format=swiss,rounds=3,match=1", "-game=lambo", "-clock=5d")
    club.asks(1, "withdraw", n=str(number))
    for _, game in club.standing(number).playing():
        club.end(game, 1)
    club.to(club.now + withdrawals.CORRECTABLE)
    assert club.standing(number).round == 2
    assert "paired without you" in club.asks(1, "return", n=str(number))


def without_autovacation(club: Club, people: int) -> None:
    club.store.begin()
    for player in range(1, people + 1):
        put(club.store.db, Preference(player, "autovacation", "off"))
    club.store.commit()


def test_two_losses_on_time_in_a_row_withdraw_a_player(club: Club) -> None:
    number = begun(club, 4)
    without_autovacation(club, 4)
    club.to(club.now + 3 * DAY)
    stopped = {entry.player for entry in club.standing(number).entries if entry.stopped is not None}
    assert stopped == set(outbox(club, "Cup: withdrawn")) != set()
    assert club.tournament(number).stage == Stages.OVER


def test_a_move_between_two_losses_on_time_keeps_a_player_in(club: Club) -> None:
    number = begun(club, 3)
    without_autovacation(club, 3)
    mine = [game for game in club.standing(number).games.values() if game.number_of(1)]
    first = next(game for game in mine if game.player1 == 1)
    other = next(game for game in mine if game.player1 != 1)
    club.to(club.now + DAY // 2)
    club.asks(other.player1, "move", board=str(other.id), move="b6")
    club.to(first.flag_at + 61)  # type: ignore[operator]
    club.asks(1, "move", board=str(other.id), move="a3,a12")
    club.asks(other.player1, "move", board=str(other.id), move="c16,a5")
    club.to(club.now + 2 * DAY)
    assert [club.reads.game(game.id).winner for game in (first, other)] == [2, 1]  # type: ignore[union-attr]
    entry = club.reads.entry(number, 1)
    assert entry and entry.stopped is None


REFUSED = [
    (("-format=chess", "-game=lambo", "-max=4"), "'chess' is no format"),
    (("-format=swiss,rounds=99", "-game=lambo", "-max=4"), "rounds is 1 to 50"),
    (("-format=swiss", "-game=go", "-max=4"), "no game"),
    (("-game=lambo", "-max=4"), "-format is missing"),
    (("-format=swiss", "-max=4"), "-game is missing"),
    (("-format=swiss", "-game=lambo"), "Say when entry ends"),
    (("-format=swiss", "-game=lambo", "-max=1"), "takes 2 to 256 players"),
    (("-format=roundrobin", "-game=lambo", "-max=33"), "takes 2 to 32 players"),
    (("-format=swiss", "-game=lambo", "-min=9", "-max=8"), "-min is at most -max"),
    (("-format=swiss", "-game=lambo", "-max=many"), "-max takes a number"),
    (("-format=swiss", "-game=lambo", "-until=2025-12-01"), "cannot end in the past"),
    (("-format=swiss", "-game=lambo", "-until=2026-02-30"), "a day such as"),
    (("-format=swiss", "-game=lambo", "-until=2029-01-01"), "within a year"),
    (("-format=swiss", "-game=lambo", "-max=4", "-max=5"), "said twice"),
    (("-format=swiss", "-game=lambo", "-max=4", "-clock=none"), "needs a clock"),
    (("-format=swiss", "-game=lambo", "-max=4", "-every=day"), "-every takes"),
    (("-format=swiss", "-game=lambo", "-max=4", "-colour=red"), "is no option here"),
    (("-format=ladder", "-game=lambo", "-every=month"), "never ends"),
    (("-format=swiss", "-game=lambo", "-max=4", "-rating=1800-1400"), "no range of ratings"),
    (("-format=swiss", "-game=lambo", "-max=4", "-rating"), "no range of ratings"),
    (("-format=swiss", "-game=lambo", "-max=4", "-vacation=perhaps"), "-vacation takes yes or no"),
    (("-format=swiss", "-game=lambo", "-max=4", "-unrated=yes"), "-unrated takes no value"),
]


@pytest.mark.parametrize(("options", "why"), REFUSED)
def test_a_bad_tournament_is_refused_and_nothing_is_changed(club: Club, options: tuple[str, ...], why: str) -> None:
    said = club.asks(1, "tournament", create="create", title='"Cup"', options=options)
    assert why in said
    assert club.reads.tournaments(Stages.OPEN, 9) == []


def test_a_name_like_that_of_a_web_site_is_refused(club: Club) -> None:
    said = club.asks(1, "tournament", create="create", title='"Cup of dbltest.com"', options=(*CUP, "-max=4"))
    assert "write a space after each dot" in said
    assert club.reads.tournaments(Stages.OPEN, 9) == []


def test_two_tournaments_of_one_name_are_refused(club: Club) -> None:
    club.create("Cup", *CUP, "-max=4")
    said = club.asks(1, "tournament", create="create", title='"cup"', options=(*CUP, "-max=4"))
    assert "There is a tournament of that name already" in said


def test_who_may_create_tournaments(club: Club) -> None:
    said = club.asks(2, "tournament", create="create", title='"Cup"', options=(*CUP, "-max=4"))
    assert "only directors whom the operator has named" in said
    club.store.directors = "players"
    said = club.asks(2, "tournament", create="create", title='"Cup"', options=(*CUP, "-max=4"))
    assert "when you have finished 5 games here" in said
    club.store.begin()
    for number in range(100, 105):
        put(club.store.db, Game(number, "lambo", 1, 2, States.OVER, 3, 9, 0, 1, "x", club.now, club.now))
    club.store.commit()
    club.create("Cup 0", *CUP, "-max=4")
    number = club.create("Cup 1", *CUP, "-max=2", "-every=month")
    club.join(number, 2, 3)
    club.to(club.now + 2)
    assert len(club.reads.directed(1)) == 3
    said = club.asks(1, "tournament", create="create", title='"More"', options=(*CUP, "-max=4"))
    assert "You direct 2 tournaments" in said


def test_entering_is_refused_with_the_rule(club: Club) -> None:
    number = begun(club, 2)
    assert "You are too late" in club.asks(3, "join", n=str(number), options=())
    assert "has begun" in club.asks(1, "leave", n=str(number))
    assert "You have not entered" in club.asks(3, "withdraw", n=str(number))
    assert "There is no tournament 99" in club.asks(3, "join", n="99", options=())
    other = club.create("Other", *CUP, "-max=3")
    club.join(other, 3)
    assert "already" in club.asks(3, "join", n=str(other), options=())
    assert "has one edition only" in club.asks(4, "join", n=str(other), options=("-always",))
    direct(club, act="close", n=str(other))
    told = club.asks(3, "tournament", n=str(other))
    assert "Entry is closed" in told and "To enter" not in told
    assert "You are no longer in Other" in club.asks(3, "leave", n=str(other))
    assert club.reads.entry(other, 3) is None


def test_too_few_cancel_a_tournament(club: Club) -> None:
    number = club.create("Cup", *CUP, "-min=3", "-until=2026-01-05")
    club.join(number, 2, 3)
    club.to(club.now + 6 * DAY)
    assert club.tournament(number).stage == Stages.CANCELLED
    assert outbox(club, "Cup: cancelled") == [1, 2, 3]


def direct(club: Club, text: str = "So it must be.", **args: object) -> str:
    return club.asks(1, "tournament", text, options=(), **args)


def test_a_director_rules(club: Club) -> None:
    number = begun(club, 4)
    game = game_of(club, number, 2, 3)
    own = game_of(club, number, 1, 3)
    for board in (game, own):  # who plays for a place decides no rival's game
        said = direct(club, result="result", board=str(board.id), verdict="draw")
        assert "You take part in Cup yourself, so the operator decides its games" in said
    for who in ("player1", "player2"):
        said = direct(club, timing="time", n=str(number), otherUserid=who, time="2d")
        assert "You take part in Cup yourself, so the operator gives time" in said
    assert "so the operator cancels it" in direct(club, act="cancel", n=str(number))
    removes = {"withdrawal": "withdraw", "n": str(number), "otherUserid": "player2"}
    assert "the operator withdraws players from it" in direct(club, **removes)
    club.asks(1, "withdraw", n=str(number))
    assert "Give a reason" in direct(club, "", result="result", board=str(game.id), verdict="draw")
    assert "is 1 (" in direct(club, result="result", board=str(game.id), verdict="blue")
    assert "a draw" in direct(club, result="result", board=str(game.id), verdict="draw")
    assert "has won" in direct(club, result="result", board=str(game.id), verdict="player3")
    after = club.reads.game(game.id)
    assert after and after.player(after.winner or 0) == 3
    assert "is of no tournament" in direct(club, result="result", board="999", verdict="1")
    said = club.asks(2, "tournament", "x", options=(), act="cancel", n=str(number))
    assert "You do not direct tournament" in said
    assert "is the result of board" in direct(club, result="result", board=str(game.id), verdict="player3")
    assert "more on" in direct(club, timing="time", n=str(number), otherUserid="player3", time="2d")
    assert "goes to all in Cup" in direct(club, act="note", n=str(number))
    assert "one note a day" in direct(club, act="note", n=str(number))
    assert "is withdrawn" in direct(club, **removes)
    assert "Cup has begun, so that cannot be done" in direct(club, act="open", n=str(number))
    assert "You have taken part in Cup yourself" in direct(club, act="cancel", n=str(number))
    assert club.reads.log_length(number) > 7


def test_an_equal_match_says_that_it_goes_on_and_when_a_draw_decides(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=("-format=knockout", "-game=lambo", "-clock=9d"))
    assert "a draw counts for the second mover" in club.asks(2, "tournament", n=str(number), part="rules")
    for ended in range(5):
        mine = [game for _, game in club.standing(number).playing() if game.number_of(2)]
        assert len(mine) == 1
        notes = all_facts(club, "notes", f"facts ->> '$.event' = 'paired' AND facts ->> '$.board' = {mine[0].id}")
        second = club.reads.player(mine[0].player2)
        assert second and len(notes) == 2
        decides = f"This game decides your match: if it is a draw, {second.userid} goes on, who moves second."
        assert [decides in one for one in notes] == [ended == 4] * 2
        for _, game in club.standing(number).playing():
            club.end(game, 0 if game.number_of(2) else 1)
        club.to(club.now + 2)
    told_two, told_all = (
        all_facts(club, "said", f"template = 'tournament' AND player IN ({who})") for who in ("2", "3, 4, 5")
    )
    assert sum("Your match goes on with its next game" in said for said in told_two) == 4
    assert not any("Round 1 has begun. You have no game" in said for said in told_all)


def all_facts(club: Club, name: str, where: str) -> list[str]:
    """This fact of the letters of which this is true, as JSON."""
    sql = f"SELECT coalesce(facts ->> '$.{name}', '') FROM outbox WHERE {where}"
    return [fact for (fact,) in club.store.db.execute(sql).fetchall()]


def test_a_director_who_does_not_play_hears_of_the_end(club: Club) -> None:
    number = without_director(club, 2, 3)
    for _, game in club.standing(number).playing():
        club.end(game, 1)
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.OVER
    assert outbox(club, "Cup: the end") == [1, 2, 3]


def test_who_has_entered_hears_that_entry_is_closed(club: Club) -> None:
    number = club.create("Cup", *CUP, "-until=2026-02-01")
    club.join(number, 2, 3)
    assert "Nobody can enter Cup any more" in direct(club, act="close", n=str(number))
    club.to(club.now + 2 * DAY)
    assert {2, 3} <= set(outbox(club, "Cup: entry is closed"))
    about = club.asks(2, "tournament", n=str(number))
    assert "Entry is closed until the director opens it." in about and "It ends on" not in about


def test_a_director_who_takes_no_part_cancels(club: Club) -> None:
    number = without_director(club, 2, 3)
    assert "is cancelled" in direct(club, act="cancel", n=str(number))
    assert club.tournament(number).stage == Stages.CANCELLED
    assert "It is cancelled." in club.asks(2, "tournament", n=str(number))


ALL_KINDS = [
    ("-format=roundrobin,atonce", "-game=lambo", "-clock=5d"),
    ("-format=roundrobin", "-game=lambo", "-clock=5d"),
    ("-format=swiss,rounds=3,match=2", "-game=lambo", "-clock=5d"),
    ("-format=knockout", "-game=lambo", "-clock=5d"),
    ("-format=groups", "-game=lambo", "-clock=5d"),
]


@pytest.mark.parametrize("options", ALL_KINDS, ids=lambda one: one[0].partition("=")[2])
@pytest.mark.parametrize("played", [False, True])
def test_the_operator_takes_back_that_a_tournament_is_cancelled(
    club: Club, options: tuple[str, ...], *, played: bool
) -> None:
    """It goes on where it was, also if its games have ended meanwhile. The director cannot do that."""
    number = without_director(club, 2, 3, 4, 5, 6, options=options)
    assert "is cancelled" in direct(club, act="cancel", n=str(number))
    assert "so that cannot be done" in direct(club, act="start", n=str(number))
    if played:
        for _, game in club.standing(number).playing():
            club.end(game, 1)
    club.to(club.now + DAY)
    words = {"act": "resume", "which": str(number), "who": "", "what": "", "why": "It was a slip."}
    assert "It goes on where it was" in admin.do(club.store, "tournament", words, club.now).said
    assert outbox(club, "Cup: it goes on") == [1, 2, 3, 4, 5, 6]
    club.play(number, leave=0)
    assert club.tournament(number).stage == Stages.OVER
    adds_up(club.standing(number))
    with pytest.raises(admin.REFUSALS, match="so that cannot be done"):
        admin.do(club.store, "tournament", words, club.now)


def test_a_director_does_not_cancel_to_and_fro(club: Club) -> None:
    number = without_director(club, 2, 3)
    direct(club, act="cancel", n=str(number))
    assert "Only the operator takes that back" in direct(club, act="resume", n=str(number))


def test_who_has_left_the_server_is_out_when_a_cancelled_tournament_goes_on(club: Club) -> None:
    number = without_director(club, 2, 3, 4, options=("-format=roundrobin", "-game=lambo", "-clock=5d"))
    direct(club, act="cancel", n=str(number))
    club.store.begin()
    club.store.db.execute("UPDATE player SET state = 'gone', userid = 'gone-2' WHERE id = 2")
    club.store.commit()
    act(club, name="tournament", act="resume", which=str(number))
    entry = club.reads.entry(number, 2)
    assert entry and entry.stopped is not None
    assert not [game for _, game in club.standing(number).playing() if game.number_of(2)]


@pytest.mark.parametrize("out", [1, 4])
def test_who_withdraws_first_and_comes_back_has_paid_with_time(club: Club, out: int) -> None:
    """The opponent, who has withdrawn later, hears that the game is lost now, and how to come back. A game in which the
    time of the one who comes back has run out stays lost."""
    number = without_director(club, 2, 3, 4, 5, options=("-format=roundrobin", "-game=lambo", "-clock=3d"))
    _, game = next(pair for pair in club.standing(number).playing() if pair[1].player1 in (2, 3))
    mover, other = game.player1, game.player2
    for player in (mover, other):
        club.asks(player, "set", setting=["autovacation", "off"])
    club.asks(mover, "withdraw", n=str(number))
    club.now += out * DAY
    club.asks(other, "withdraw", n=str(number))
    last = club.store.db.execute("SELECT max(id) FROM outbox").fetchone()[0]
    said = club.asks(mover, "return", n=str(number))
    sql = "SELECT facts FROM outbox WHERE id > ? AND player = ? AND subject LIKE '%is lost'"
    told = club.store.db.execute(sql, (last, other)).fetchall()
    after = club.standing(number).games[game.id]
    if out == 4:
        assert "your time there has run out" in said and "you have won" not in said
        assert after.winner == 2 and not told
    else:
        assert f"except board {game.id}, which you have won" in said
        assert after.winner == 1
        (facts,) = told
        assert f"player{mover} has won board {game.id} now" in facts[0]
        assert f"return {number} player{other} PASSWORD" in facts[0]
    assert "You are back" in club.asks(other, "return", n=str(number))
    after = club.standing(number).games[game.id]
    if out == 4:
        assert (after.state, after.winner) == (States.OVER, 2)
    else:
        assert after.state == States.RUNNING and after.flag_at
        assert 0 <= 2 * DAY - (after.flag_at - club.now) < 10, "the day of the absence is paid"


def test_a_game_that_goes_on_after_a_ruling_that_was_taken_back_counts(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=("-format=swiss,rounds=2", "-game=lambo", "-clock=3d"))
    _, game = next(pair for pair in club.standing(number).playing() if pair[1].player1 in (2, 3))
    act(club, name="tournament", act="withdraw", which=str(number), who=f"player{game.player1}")
    club.asks(game.player2, "withdraw", n=str(number))
    act(club, name="tournament", act="return", which=str(number), who=f"player{game.player1}")
    club.asks(game.player2, "return", n=str(number))
    after = club.standing(number).games[game.id]
    assert (after.state, after.unrated) == (States.RUNNING, "")


def test_an_appeal_to_a_director_whose_letters_are_off_goes_to_the_operator(club: Club) -> None:
    number = without_director(club, 2, 3, options=("-format=roundrobin", "-game=lambo", "-clock=5d", "-unrated"))
    (game,) = club.standing(number).games.values()
    club.asks(1, "set", setting=["quiet", "on"])
    assert "The operator has your words" in club.asks(2, "appeal", "Please look.", board=str(game.id))
    assert outbox(club, f"a ruling on board {game.id}") == [0]


def test_who_has_asked_the_director_may_appeal_to_the_operator_at_once(club: Club) -> None:
    number = without_director(club, 2, 3, options=("-format=roundrobin", "-game=lambo", "-clock=5d", "-unrated"))
    (game,) = club.standing(number).games.values()
    assert "The director of Cup has your words" in club.asks(2, "appeal", "Please look.", board=str(game.id))
    assert "wait for the answer" in club.asks(2, "appeal", "Please look.", board=str(game.id))
    club.now += 60
    direct(club, result="result", board=str(game.id), verdict=str(game.number_of(3)))
    assert "The operator has your words" in club.asks(2, "appeal", "He is wrong.", board=str(game.id))
    assert "wait for the answer" in club.asks(2, "appeal", "He is wrong.", board=str(game.id))


def test_a_director_of_before_is_not_named_by_a_list_of_others(club: Club) -> None:
    number = without_director(club, 2, 3, options=("-format=roundrobin", "-game=lambo", "-clock=5d"))
    (game,) = club.standing(number).games.values()
    for directors in ("operator", "player2", "players"):
        club.store.directors = directors
        said = direct(club, result="result", board=str(game.id), verdict="1")
        assert "of a rated tournament, so the operator decides it" in said, directors
    club.store.directors = "player2 PLAYER1"
    assert "is over" in direct(club, result="result", board=str(game.id), verdict="1")


def test_nobody_is_replaced_again_and_again_nor_while_on_vacation(club: Club) -> None:
    """Each begins with the whole time, and the game would never begin."""
    for player in (5, 6):
        club.asks(player, "set", setting=["accept", "all", "yes"])
    number = without_director(club, 2, 3, options=("-format=roundrobin", "-game=lambo", "-clock=9d"))
    club.store.directors = "players"
    (game,) = club.standing(number).games.values()
    comes = {"replace": "replace", "n": str(number), "otherUserid": f"player{game.player1}"}
    club.asks(game.player1, "vacation", when=["5"])
    club.to(club.now + 4 * DAY)
    assert "has not let anybody wait for 3 days" in direct(club, **comes, toUserid="player5")
    club.to(club.now + 4 * DAY)
    assert "plays in the place" in direct(club, **comes, toUserid="player5")
    club.to(club.now + 4 * DAY)
    again = {**comes, "otherUserid": "player5"}
    assert "has come in for another player" in direct(club, **again, toUserid="player6")


@pytest.mark.parametrize("first", [True, False])
def test_a_withdrawal_of_a_player_without_a_game_leaves_its_time_too(club: Club, *, first: bool) -> None:
    """Before the last game ends, and after it."""
    number = without_director(club, 2, 3, 4, 5, options=("-format=knockout", "-game=lambo", "-clock=9d", "-unrated"))
    one, other = club.standing(number).games.values()
    while len(club.standing(number).playing()) > 1:
        club.end(club.standing(number).playing()[0][1], 1)
        club.to(club.now + 1)
    ((_, last),) = club.standing(number).playing()
    winner = next(g.player1 for g in (one, other) if g.id != last.id)
    club.now += 60
    if not first:
        club.end(last, 1)
    at = club.now
    direct(club, withdrawal="withdraw", n=str(number), otherUserid=f"player{winner}")
    if first:
        club.now += 60
        while playing := club.standing(number).playing():
            club.end(playing[0][1], 1)
    club.to(at + DAY - 1)
    assert club.tournament(number).stage == Stages.RUNNING
    assert "is back" in act(club, name="tournament", act="return", which=str(number), who=f"player{winner}")


def test_whom_a_ruling_has_withdrawn_loses_no_rated_game_when_the_opponent_comes_back(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=("-format=roundrobin", "-game=lambo", "-clock=9d"))
    _, game = next(pair for pair in club.standing(number).playing() if pair[1].player1 in (2, 3))
    club.asks(game.player1, "withdraw", n=str(number))
    act(club, name="tournament", act="withdraw", which=str(number), who=f"player{game.player2}")
    club.asks(game.player1, "return", n=str(number))
    after = club.standing(number).games[game.id]
    assert (after.winner, bool(after.unrated)) == (1, True)
    sql = "SELECT facts FROM outbox WHERE player = ? ORDER BY id DESC"
    assert "You are withdrawn, so" in club.store.db.execute(sql, (game.player2,)).fetchone()[0]


def test_a_director_does_not_overrule_the_operator(club: Club) -> None:
    number = without_director(club, 2, 3, options=("-format=roundrobin", "-game=lambo", "-clock=5d", "-unrated"))
    (game,) = club.standing(number).games.values()
    act(club, name="end", board=str(game.id), winner="1")
    assert "or by the operator" in direct(club, result="result", board=str(game.id), verdict="2")
    act(club, name="tournament", act="result", which=str(game.id), who="2")
    assert "or by the operator" in direct(club, result="result", board=str(game.id), verdict="1")


def test_a_game_that_goes_on_after_a_ruling_forgets_how_it_had_ended(club: Club) -> None:
    """Else the export is refused, and another ruling brings the old end back."""
    number = without_director(club, 2, 3, options=("-format=roundrobin", "-game=lambo", "-clock=5d"))
    (game,) = club.standing(number).games.values()
    club.end(game, 1)
    act(club, name="tournament", act="result", which=str(game.id), who="draw")
    act(club, name="tournament", act="cancel", which=str(number), who="")
    assert club.reads.overruled(game.id)
    act(club, name="back", board=str(game.id), plies="0")
    assert club.reads.overruled(game.id) is None


def test_only_a_name_that_a_player_can_have_is_blocked(club: Club) -> None:
    assert "is no name that a player can have" in club.asks(2, "block", otherUserid="x")
    assert club.reads.blocked(2) == []


def test_an_act_of_a_director_does_not_cut_the_day_for_the_operator_short(club: Club) -> None:
    number = without_director(
        club, 2, 3, 4, 5, options=("-format=swiss,rounds=2,match=1", "-game=lambo", "-clock=5d", "-unrated")
    )
    one, other = club.standing(number).games.values()
    direct(club, withdrawal="withdraw", n=str(number), otherUserid=f"player{one.player1}")
    club.end(other, 1)
    at = club.now
    direct(club, result="result", board=str(other.id), verdict="draw")
    club.to(at + DAY - 1)
    assert club.standing(number).round == 1
    assert "is back" in act(club, name="tournament", act="return", which=str(number), who=f"player{one.player1}")


def test_an_edition_that_did_not_take_place_and_is_resumed_has_no_second_one_after_it(club: Club) -> None:
    number = club.create("Mon", *CUP, "-min=4", "-max=8", "-every=month", "-until=2026-01-20")
    club.join(number, 2)
    club.to(club.tournament(number).until + 2)
    assert club.tournament(number).stage == Stages.CANCELLED
    act(club, name="tournament", act="resume", which=str(number), who="")
    act(club, name="tournament", act="open", which=str(number), who="")
    club.join(number, 3, 4, 5)
    act(club, name="tournament", act="start", which=str(number), who="")
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING
    assert [one.edition for one in club.reads.tournaments(Stages.OPEN, 99) if one.name == "Mon"] == [2, 1]


@pytest.mark.parametrize("away", [1, 2, 4])
def test_of_two_who_have_withdrawn_the_one_who_comes_back_has_won(club: Club, away: int) -> None:
    """Until the other one comes back, who pays with time for the own absence only, and then loses on time."""
    number = without_director(club, 2, 3, 4, 5, options=("-format=roundrobin", "-game=lambo", "-clock=3d"))
    fixture, game = next(pair for pair in club.standing(number).playing() if pair[1].player1 in (2, 3))
    mover, other = game.player1, game.player2
    club.asks(other, "withdraw", n=str(number))
    assert club.standing(number).games[game.id].winner == 1
    club.now += DAY
    club.asks(mover, "withdraw", n=str(number))
    club.asks(other, "return", n=str(number))
    assert club.standing(number).games[game.id].winner == 2
    club.now += away * DAY
    assert "You are back" in club.asks(mover, "return", n=str(number))
    after = club.standing(number).games[game.id]
    if away == 4:
        assert (after.state, after.winner) == (States.OVER, 2)
    else:
        assert after.state == States.RUNNING and after.flag_at
        assert 0 <= (3 - away) * DAY - (after.flag_at - club.now) < 10
    assert not any(one.void for one in club.standing(number).fixtures if one.number == fixture.number)


def test_the_operator_takes_back_the_end_of_a_ladder(club: Club) -> None:
    number = club.create("Steps", "-format=ladder", "-game=lambo", "-clock=9d", "-min=2")
    club.join(number, 2, 3)
    direct(club, act="start", n=str(number))
    club.to(club.now + 2)
    places = [row.player for row in club.reads.entries(number)]
    assert "is over" in direct(club, act="close", n=str(number))
    words = {"act": "resume", "which": str(number), "who": "", "what": "", "why": "It was a slip."}
    assert "Steps is not over any more. It goes on" in admin.do(club.store, "tournament", words, club.now).said
    club.to(club.now + DAY)
    assert club.tournament(number).stage == Stages.RUNNING
    assert [row.player for row in club.reads.entries(number)] == places
    club.join(number, 4)
    club.asks(3, "challenge", n=str(number), otherUserid="player2", options=())
    assert [game.number_of(3) > 0 for _, game in club.standing(number).playing()] == [True]


def test_a_ruling_on_the_last_game_can_be_corrected_before_the_next_are_paired(club: Club) -> None:
    number = without_director(club, 2, 3, 4, 5, options=("-format=swiss,rounds=2,match=1", "-game=lambo", "-clock=5d"))
    other, game = club.standing(number).games.values()
    club.end(other, 1)
    for verdict, winner in (("1", 1), ("2", 2)):
        direct(club, result="result", board=str(game.id), verdict=verdict)
        club.to(club.now + DAY - 1)
        assert club.standing(number).games[game.id].winner == winner
        assert club.standing(number).round == 1
    club.to(club.now + 1)
    assert club.standing(number).round == 2


@pytest.mark.parametrize("last", [False, True])
def test_the_operator_takes_back_a_withdrawal(club: Club, *, last: bool) -> None:
    """Nobody but the operator can, and the player has lost no time. If it has ended the last game, there is a day."""
    number = without_director(
        club, 2, 3, *(() if last else (4,)), options=("-format=roundrobin,atonce", "-game=lambo", "-clock=5d")
    )
    before = {game.id: game for _, game in club.standing(number).playing() if game.number_of(2)}
    assert "is withdrawn" in direct(club, withdrawal="withdraw", n=str(number), otherUserid="player2")
    assert "cannot come back by yourself" in club.asks(2, "return", n=str(number))
    wait = DAY - 1 if last else 6 * DAY - 5
    club.now += wait
    done = act(club, name="tournament", act="return", which=str(number), who="player2")
    assert "player2 is back in Cup" in done
    assert outbox(club, "Cup: you are back") == [2]
    found = club.standing(number)
    for board, game in before.items():
        assert found.games[board].state == States.RUNNING and not found.games[board].unrated
        assert game.flag_at and (found.games[board].flag_at or 0) >= game.flag_at + wait
    club.play(number, leave=0)
    adds_up(club.standing(number))
    with pytest.raises(admin.REFUSALS, match="so that cannot be done"):
        act(club, name="tournament", act="return", which=str(number), who="player2")


def test_a_tournament_that_was_cancelled_before_its_start_is_a_draft_again(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=3")
    club.join(number, 2, 3)
    direct(club, act="cancel", n=str(number))
    words = {"act": "resume", "which": str(number), "who": "", "what": "", "why": "It was a slip."}
    assert "To let players enter" in admin.do(club.store, "tournament", words, club.now).said
    assert "can enter" in direct(club, act="open", n=str(number))
    club.join(number, 4)
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING


def without_director(club: Club, *players: int, options: tuple[str, ...] = CUP) -> int:
    """A tournament of these players, in which player 1, who directs it, takes no part."""
    number = club.create("Cup", *options, f"-max={len(players)}")
    club.join(number, *players)
    club.to(club.now + 2)
    return number


def test_a_player_is_replaced_before_the_first_move(club: Club) -> None:
    number = without_director(club, 2, 3, 4)
    said = direct(club, replace="replace", n=str(number), otherUserid="player2", toUserid="player5")
    assert "begins no game unasked" in said
    club.asks(5, "set", setting=["accept", "all", "yes"])
    said = direct(club, replace="replace", n=str(number), otherUserid="player2", toUserid="player5")
    assert "player5 plays in the place of player2" in said
    sql = "SELECT facts ->> '$.notes' FROM outbox WHERE player = 3 AND facts ->> '$.event' = 'paired' ORDER BY id DESC"
    assert "player5 has come in for player2." in club.store.db.execute(sql).fetchone()[0]
    state = club.standing(number)
    assert {entry.player for entry in state.entries} == {3, 4, 5}
    assert {game.number_of(5) > 0 for game in state.games.values() if not game.number_of(3) or not game.number_of(4)}
    beats(club, number, 5, 4)
    club.asks(6, "set", setting=["accept", "all", "yes"])
    said = direct(club, replace="replace", n=str(number), otherUserid="player5", toUserid="player6")
    assert "only as long as nobody has moved" in said
    club.play(number, leave=0)
    adds_up(club.standing(number))


@pytest.mark.parametrize(
    ("wish", "comes"),
    [
        ([], True),
        (["limit", "1"], False),
        (["limit", "2"], True),
        (["accept", "lambo", "no"], False),
        (["rating", "2000-2400"], False),
        (["rating", "1400-1800"], True),
        (["block", "player3"], False),
        (["block", "player6"], True),
    ],
)
def test_whoever_comes_in_gets_no_games_that_this_player_does_not_want(
    club: Club, wish: list[str], comes: bool
) -> None:
    """`accept all yes` speaks of challenges, and the other settings say which ones reach the player."""
    number = without_director(club, 2, 3, 4)
    club.asks(5, "set", setting=["accept", "all", "yes"])
    if wish[:1] == ["block"]:
        club.asks(5, "block", otherUserid=wish[1])
    elif wish:
        club.asks(5, "set", setting=wish)
    said = direct(club, replace="replace", n=str(number), otherUserid="player2", toUserid="player5")
    assert ("player5 plays in the place of player2" in said) == comes, said
    assert (club.standing(number).by_seat[1].player == 5) == comes


def test_a_director_gives_no_friend_the_place_of_a_player(club: Club) -> None:
    """In a rated tournament somebody must have withdrawn, or let the others wait; on a ladder a place is won."""
    club.asks(6, "set", setting=["accept", "all", "yes"])
    number = without_director(club, 2, 3, 4, 5, options=("-format=knockout", "-game=lambo", "-clock=9d"))
    club.store.directors = "players"
    mover = next(game.player1 for _, game in club.standing(number).playing())
    comes = {"replace": "replace", "n": str(number), "otherUserid": f"player{mover}", "toUserid": "player6"}
    assert "so the operator replaces" in direct(club, **comes)
    club.now += 3 * DAY
    assert "plays in the place" in direct(club, **comes)
    club.store.directors = "player1"
    club.asks(5, "set", setting=["accept", "all", "yes"])
    steps_ = club.create("Steps", "-format=ladder", "-game=lambo", "-clock=9d", "-min=2")
    club.join(steps_, 2, 3)
    direct(club, act="start", n=str(steps_))
    club.to(club.now + 2)
    comes = {"replace": "replace", "n": str(steps_), "otherUserid": "player2", "toUserid": "player5"}
    assert "On a ladder nobody is replaced" in direct(club, **comes)


def test_a_director_decides_no_game_of_a_ladder(club: Club) -> None:
    """There a result stays, so nobody could correct it."""
    number = club.create("Steps", "-format=ladder", "-game=lambo", "-clock=9d", "-min=2", "-unrated")
    club.join(number, 2, 3)
    direct(club, act="start", n=str(number))
    club.to(club.now + 2)
    club.asks(3, "challenge", n=str(number), otherUserid="player2", options=())
    ((_, game),) = club.standing(number).playing()
    for directors in ("players", "player1"):
        club.store.directors = directors
        said = direct(club, result="result", board=str(game.id), verdict="player3")
        assert ("is of a ladder, so the operator decides it" in said) == (directors == "players")


def test_whom_the_operator_brings_back_to_a_ladder_has_the_place(club: Club) -> None:
    number = club.create("Steps", "-format=ladder", "-game=lambo", "-clock=9d", "-min=3")
    club.join(number, 2, 3, 4)
    direct(club, act="start", n=str(number))
    club.to(club.now + 2)
    assert "is withdrawn" in direct(club, withdrawal="withdraw", n=str(number), otherUserid="player2")
    club.to(club.now + 60)
    assert [player for _, player, _ in club.places(number)] == [3, 4]
    act(club, name="tournament", act="return", which=str(number), who="player2")
    assert [player for _, player, _ in club.places(number)] == [2, 3, 4]
    assert "You stand where you stood" in str(
        club.store.db.execute("SELECT facts FROM outbox WHERE player = 2 ORDER BY id DESC").fetchone()
    )


def test_a_director_who_plays_chooses_no_opponents(club: Club) -> None:
    number = begun(club, 3)
    club.asks(5, "set", setting=["accept", "all", "yes"])
    comes = {"replace": "replace", "n": str(number)}
    said = direct(club, **comes, otherUserid="player2", toUserid="player5")
    assert "so the operator puts somebody else in" in said
    assert "plays in the place" in direct(club, **comes, otherUserid="player1", toUserid="player5")
    club.asks(1, "set", setting=["accept", "all", "yes"])
    said = direct(club, **comes, otherUserid="player2", toUserid="player1")
    assert "There is no player 'player1' who could come in" in said
    club.store.begin()
    put(club.store.db, Address(99, 6, "P3+other@example.org", "current", 0, club.now))
    club.store.commit()
    club.asks(6, "set", setting=["accept", "all", "yes"])
    said = direct(club, **comes, otherUserid="player2", toUserid="player6")
    assert "There is no player 'player6' who could come in" in said, "one mailbox enters once, and nobody learns whose"


def test_who_comes_in_for_somebody_withdrawn_plays_on(club: Club) -> None:
    """Who has a bye can be withdrawn and has no board that stands in the way."""
    number = begun(club, 5, "-format=swiss", "-game=lambo", "-clock=5d")
    idle = next(entry for entry in club.standing(number).there if not club.standing(number).playing(entry.seat))
    club.asks(1, "withdraw", n=str(number))
    name = f"player{idle.player}"
    assert "is withdrawn" in direct(club, withdrawal="withdraw", n=str(number), otherUserid=name)
    club.asks(6, "set", setting=["accept", "all", "yes"])
    assert "plays in the place" in direct(club, replace="replace", n=str(number), otherUserid=name, toUserid="player6")
    assert 6 in {entry.player for entry in club.standing(number).there}


def test_nobody_comes_in_for_who_has_been_passed_over(club: Club) -> None:
    """The next round of a knock-out counts on the withdrawal."""
    number = begun(club, 5, "-format=knockout", "-game=lambo", "-clock=5d")
    idle = next(entry for entry in club.standing(number).there if not club.standing(number).playing(entry.seat))
    sql = "SELECT facts FROM outbox WHERE kind = 'event' AND player = ? ORDER BY id DESC"
    assert "You have a bye: you go on without a game." in club.store.db.execute(sql, (idle.player,)).fetchone()[0]
    club.asks(idle.player, "withdraw", n=str(number))
    club.asks(6, "set", setting=["accept", "all", "yes"])
    while club.tournament(number).stage == Stages.RUNNING:
        for _, game in club.standing(number).playing():
            club.end(game, 1)
        club.to(club.now + 1)
        comes = {"replace": "replace", "n": str(number), "otherUserid": f"player{idle.player}", "toUserid": "player6"}
        if club.standing(number).round > 1 and club.tournament(number).stage == Stages.RUNNING:
            assert "have been paired without" in direct(club, **comes)
    adds_up(club.standing(number))
    assert club.standing(number).round == 3


@pytest.mark.parametrize("back", [0, 3600])
def test_a_result_stays_from_which_the_next_games_were_paired(club: Club, back: int) -> None:
    """Also if the machine's clock was set back meanwhile."""
    number = club.create("Cup", "-format=knockout", "-game=lambo", "-clock=5d", "-max=4")
    club.join(number, 2, 3, 4, 5)
    club.to(club.now + 2)
    club.now -= back
    for _ in range(2):
        first = [game for _, game in club.standing(number).playing()]
        for game in first:
            club.end(game, game.number_of(min(game.player1, game.player2)))
        club.now += 1
        club.enter(Request(club.now, timer=Timer(club.now, "tournament", number)))
    assert club.standing(number).round == 2
    said = direct(club, result="result", board=str(first[0].id), verdict="2")
    assert "The next games have been paired" in said


def test_entry_does_not_open_after_its_last_day(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=9", "-until=2026-01-05")
    club.join(number, 2)
    said = direct(club, act="close", n=str(number))
    assert "It needs 1 more player to begin. To let players enter again: tournament open" in said
    club.to(club.now + 20 * DAY)
    assert "was to begin on 2026-01-0" in direct(club, act="open", n=str(number))
    assert club.tournament(number).stage == Stages.DRAFT


def test_an_appeal_goes_to_the_director(club: Club) -> None:
    number = without_director(club, 2, 3, 4)
    game = game_of(club, number, 2, 3)
    assert "has your words" in club.asks(2, "appeal", "He cheats.", board=str(game.id))
    assert outbox(club, f"a ruling on board {game.id}") == [1]
    assert "Write on the lines below" in club.asks(2, "appeal", "", board=str(game.id))


def test_an_appeal_to_the_operator_says_what_the_operator_types(club: Club) -> None:
    """On a board of the director, and where there is no director; the line does what it says."""
    number = begun(club, 3)
    own, other = game_of(club, number, 1, 3), game_of(club, number, 2, 3)
    assert "The operator has your words" in club.asks(3, "appeal", "He cheats.", board=str(own.id))
    act(club, name="lock", userid="player1")
    assert "The operator has your words" in club.asks(3, "appeal", "He cheats.", board=str(other.id))
    sql = "SELECT facts FROM outbox WHERE player = 0 AND subject LIKE '%a ruling on board%' ORDER BY id"
    for game, (facts,) in zip((own, other), club.store.db.execute(sql).fetchall(), strict=True):
        (said,) = json.loads(facts)["said"]
        words = said.partition("mailbot admin ")[2].partition(" --reason")[0].split()
        assert words == ["tournament", "result", str(game.id), "1"]
        act(club, **dict(zip(("name", "act", "which", "who"), words, strict=True)))
        assert club.reads.game(game.id).winner == 1  # type: ignore[union-attr]


def act(club: Club, **words: str) -> str:
    club.store.begin()
    done = admin.do(club.store, words.pop("name"), {"why": "So it must be.", **words}, club.now)
    club.store.commit()
    return done.said


def test_a_locked_director_is_told_to_the_operator_and_the_tournament_goes_on(club: Club) -> None:
    number = begun(club, 3)
    act(club, name="lock", userid="player1")
    assert club.tournament(number).director == 0
    assert outbox(club, "it needs a director") == [0]
    act(club, name="tournament", act="director", which=str(number), who="player4")
    assert club.tournament(number).director == 4
    for _, game in club.standing(number).playing():
        act(club, name="end", board=str(game.id), winner="1")
    club.to(club.now + DAY)
    assert club.tournament(number).stage == Stages.OVER
    with pytest.raises(admin.REFUSALS, match="Cup is over with the result of board"):
        act(club, name="annul", board=str(game_of(club, number, 2, 3).id))


def test_a_deleted_player_is_withdrawn_and_goes_by_the_pseudonym(club: Club) -> None:
    number = begun(club, 4)
    player = club.reads.player(2)
    assert player
    asked = Asked("erase", "", {}, 2, Proofs.TOKEN, line="delete")
    club.enter(Request(club.now, (asked,), 2, token=("d", club.now // 3600, 0)))  # type: ignore[arg-type]
    gone = club.reads.player(2)
    assert isinstance(gone, Player) and gone.state == "gone"
    assert [entry.player for entry in club.standing(number).entries if entry.stopped is not None] == [2]
    told = [
        json.loads(facts) for (facts,) in club.store.db.execute("SELECT facts FROM outbox WHERE facts LIKE '%left%'")
    ]
    left = [one["back"] for one in told if one.get("event") == "left"]
    assert left and not any(left), "nobody is told that the player may come back"
    club.play(number, leave=0)
    adds_up(club.standing(number))
    assert "gone-2" in str(club.store.db.execute("SELECT facts FROM outbox ORDER BY id DESC LIMIT 1").fetchone())


def test_a_swiss_goes_on_where_earlier_opponents_must_meet_again(club: Club) -> None:
    number = begun(club, 6, "-format=swiss,rounds=5,match=1", "-game=lambo", "-clock=9d")
    for _ in range(5):
        assert club.tournament(number).stage == Stages.RUNNING
        for _, game in club.standing(number).playing():
            club.end(game, 1)
        club.to(club.now + 1)
    assert club.tournament(number).stage == Stages.OVER
    assert club.standing(number).round == 5
    adds_up(club.standing(number))


def test_nobody_wins_a_swiss_by_a_friend_who_withdraws_so_that_it_ends(club: Club) -> None:
    """Two who are left meet again until the last round, and whoever led can still be beaten."""
    number = begun(club, 3, "-format=swiss,rounds=3,match=1", "-game=lambo", "-clock=9d")
    ((_, game),) = club.standing(number).playing()
    leader, other = game.player1, game.player2
    (bye,) = {1, 2, 3} - {leader, other}
    club.asks(bye, "withdraw", n=str(number))
    club.end(game, 1)
    for _ in range(2):
        club.to(club.now + withdrawals.CORRECTABLE)
        ((_, game),) = club.standing(number).playing()
        club.end(game, 1 if game.player1 == other else 2)
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.OVER
    assert [player for place, player, _ in club.places(number)][:2] == [other, leader]
    adds_up(club.standing(number))


@pytest.mark.parametrize("options", ["-format=ladder -min=4", "-format=swiss -min=4 -max=4"])
def test_who_enters_last_and_signs_off_ends_nothing(club: Club, options: str) -> None:
    """The tournament was about to begin because enough had entered; it waits for one more."""
    number = club.create("Cup", *options.split(), "-game=lambo", "-clock=5d")
    club.join(number, 1, 2, 3, 4)
    club.asks(4, "signoff")
    club.to(club.now + 1)
    assert club.tournament(number).stage == Stages.ENTRY
    assert [entry.player for entry in club.standing(number).entries] == [1, 2, 3]
    club.to(club.now + DAY)
    club.join(number, 5)
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING


def test_a_ladder(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d")
    club.join(number, 1, 2, 3)
    direct(club, act="start", n=str(number))
    club.to(club.now + 1)
    club.join(number, 4)
    assert [player for _, player, _ in club.places(number)] == [1, 2, 3, 4]

    def challenge(who: int, whom: int) -> str:
        return club.asks(who, "challenge", n=str(number), otherUserid=f"player{whom}", options=())

    assert "stands below you" in challenge(1, 4)
    assert "cannot challenge yourself" in challenge(4, 4)
    assert "is not on this ladder" in challenge(4, 5)
    club.store.db.execute("UPDATE player SET state = 'locked' WHERE id = 3")
    assert "At the moment player3 cannot play" in challenge(4, 3)
    club.store.db.execute("UPDATE player SET state = 'active' WHERE id = 3")
    club.asks(3, "signoff")
    assert "At the moment player3 cannot play" in challenge(4, 3)
    club.asks(3, "set", setting=["quiet", "on"])
    assert "At the moment player3 cannot play" in challenge(4, 3), "would not hear of it"
    club.asks(3, "set", setting=["quiet", "off"])
    challenge(4, 2)
    assert "You play player2 already" in challenge(4, 2)
    beats(club, number, 4, 2)
    assert [player for _, player, _ in club.places(number)] == [1, 4, 2, 3]
    club.now += 3600
    assert "less than 7 days ago; you can challenge again from" in challenge(2, 4)
    club.to(club.now + 181 * DAY)
    assert club.standing(number).there == []
    assert "is over" in direct(club, act="close", n=str(number))
    assert club.tournament(number).stage == Stages.OVER


def test_games_go_on_when_a_ladder_is_closed_and_count_for_no_tournament(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=3")
    club.join(number, 1, 2, 3)
    club.to(club.now + 2)
    for whom in (1, 2):
        club.asks(3, "challenge", n=str(number), otherUserid=f"player{whom}", options=())
    beats(club, number, 3, 2)
    order = [player for _, player, _ in club.places(number)]
    (game,) = [game for _, game in club.standing(number).playing()]
    club.now += DAY
    act(club, name="tournament", act="close", which=str(number))
    (facts,) = club.store.db.execute("SELECT facts FROM outbox WHERE player = 1 ORDER BY id DESC LIMIT 1").fetchone()
    assert "Games that run go on as they are; they count for no tournament." in facts
    club.now += DAY
    club.end(game, 2)
    assert [player for _, player, _ in club.places(number)] == order
    assert "is annulled" in act(club, name="annul", board=str(game.id))
    with pytest.raises(admin.REFUSALS, match="Ladder is over with the result of board"):
        act(club, name="annul", board=str(game_of(club, number, 2, 3).id))


def test_idle_players_fall_past_those_who_play_and_hear_it_before(club: Club) -> None:
    """1 and 2 idle; 3 and 4 play every month, from below. Nobody falls untold, or is told what does not happen."""
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=9d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    begin = club.tournament(number).until
    told: dict[int, list[tuple[int, str]]] = {}
    orders = []
    for day in range(191):
        club.to(max(club.now, begin + day * DAY))
        if day % 30 == 0:
            order = [player for _, player, _ in club.places(number)]
            low, high = sorted((3, 4), key=order.index, reverse=True)
            said = club.asks(low, "challenge", n=str(number), otherUserid=f"player{high}", options=())
            assert said == "", said
            (game,) = [game for _, game in club.standing(number).playing()]
            club.end(game, game.number_of(high))
        orders.append((day, "".join(str(player) for _, player, _ in club.places(number))))
    for player, subject, at in club.store.db.execute(
        "SELECT player, subject, created FROM outbox WHERE kind = 'event'"
    ):
        told.setdefault(player, []).append(((at - begin) // DAY, subject.removeprefix("Ladder (tournament 1): ")))
    changes = [one for one, before in zip(orders[1:], orders, strict=False) if one[1] != before[1]]
    assert changes == [(60, "3124"), (67, "3412"), (180, "34")]
    assert (
        told[1]
        == told[2]
        == [
            (0, "it begins"),
            (53, "you have not played"),
            (60, "a place lost"),
            (67, "a place lost"),
            (173, "you have not played"),
            (180, "withdrawn"),
        ]
    )
    assert told[3] == [(0, "it begins")]


def test_who_signs_off_does_not_stay_the_first_by_playing_a_friend(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=9d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    for _ in range(4):
        club.store.db.execute("UPDATE player SET state = 'active' WHERE id = 1")  # as any command does
        club.asks(4, "challenge", n=str(number), otherUserid="player1", options=())
        (game,) = [game for _, game in club.standing(number).playing()]
        club.end(game, game.number_of(1))
        club.asks(1, "signoff")
        club.to(club.now + 8 * DAY)
        assert "At the moment player1 cannot play" in club.asks(
            2, "challenge", n=str(number), otherUserid="player1", options=()
        )
    assert [player for _, player, _ in club.places(number)] == [2, 3, 4, 1]
    assert [line.what for line in club.reads.log(number, 0, 99) if line.player == 1].count("hidden") == 3


@pytest.mark.parametrize(
    ("days", "back"), [(7, 60), (14, 25 * 3600)], ids=["two minutes a week", "one day in fourteen"]
)
@pytest.mark.parametrize("how", ["signoff", "quiet", "quiet, then a digest"])
def test_who_comes_back_just_before_the_server_looks_counts_as_signed_off(
    club: Club, days: int, back: int, how: str
) -> None:
    """1 comes back `back` seconds before the server looks, which it does once a week, and signs off again after it."""
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=9d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    begun = club.now
    for turn in range(1, 6):
        club.asks(1, *(("signoff",) if how == "signoff" else ("set",)), setting=["quiet", "on"])
        club.to(begun + turn * days * DAY - back)
        club.asks(1, "set", setting=["digest", "7"] if "digest" in how else ["quiet", "off"])
        assert club.reads.player(1).state == "active"  # type: ignore[union-attr]
        club.to(begun + turn * days * DAY + 60)
    assert [player for _, player, _ in club.places(number)] == [2, 3, 4, 1]


@pytest.mark.parametrize(("away", "back"), [(50, 55), (172, 175)])
def test_who_was_away_when_a_ladder_warned_is_warned_again(club: Club, away: int, back: int) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=9d", "-min=3")
    club.join(number, 1, 2, 3)
    club.to(club.now + 2)
    begun, last = club.now, 0
    for day in range(1, 190):
        if day in (away, back):
            club.asks(1, *(("signoff",) if day == away else ("games",)))
        if day % 20 == 0:  # the others play
            club.asks(3, "challenge", n=str(number), otherUserid="player2", options=())
            for _, game in club.standing(number).playing():
                club.end(game, 1)
        club.to(begun + day * DAY)
        if day == back:
            last = club.store.db.execute("SELECT max(id) FROM outbox").fetchone()[0]
    sql = "SELECT count(*) FROM outbox WHERE player = 1 AND id > ? AND subject LIKE '%you have not played%'"
    assert club.store.db.execute(sql, (last,)).fetchone()[0]
    out = [line.at for line in club.reads.log(number, 0, 999) if line.player == 1 and line.what == "idle"]
    assert not out or out[-1] >= begun + (back + 5) * DAY


def test_where_all_idle_nobody_falls_and_nobody_hears_of_it(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=9d", "-min=3")
    club.join(number, 1, 2, 3)
    club.to(club.now + 170 * DAY)
    assert [player for _, player, _ in club.places(number)] == [1, 2, 3]
    assert outbox(club, "a place lost") == []
    assert outbox(club, "you have not played") == [1, 2, 3]
    club.to(club.now + 20 * DAY)
    club.join(number, 4)
    club.to(club.now + 54 * DAY)
    assert outbox(club, "you have not played") == [1, 1, 2, 2, 3, 3, 4]


def test_the_next_edition_opens_when_one_begins(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=3", "-every=month")
    assert club.tournament(number).title == "Cup 1"
    club.asks(2, "join", n=str(number), options=("-always",))
    club.join(number, 1, 3)
    club.to(club.now + 2)
    (following,) = [one for one in club.reads.tournaments(Stages.OPEN, 9) if one.id != number]
    assert (following.title, following.stage) == ("Cup 2", Stages.ENTRY)
    assert [entry.player for entry in club.reads.entries(following.id)] == [2]
    assert outbox(club, "Cup 2: entry") == [2]


def test_whose_letters_are_off_is_not_in_the_next_edition_unasked(club: Club) -> None:
    number = club.create("Cup", *CUP, "-max=4", "-min=2", "-every=month")
    for player in (1, 2, 3, 4):
        club.asks(player, "join", n=str(number), options=("-always",))
    club.to(club.now + 2)
    club.asks(2, "set", setting=["quiet", "on"])
    following = number + 1
    club.to(club.now + 25 * DAY)
    for player in (1, 2, 3, 4):
        club.asks(player, "games")
    club.asks(4, "signoff")
    club.to(club.tournament(following).until + 1)
    assert [entry.player for entry in club.reads.entries(following)] == [1, 3]
    last = max(one.id for one in club.reads.tournaments((Stages.ENTRY,), 99))
    assert {2, 4} <= {entry.player for entry in club.reads.entries(last)}, "but asked again for the one after it"


def test_who_has_vanished_is_not_in_the_next_edition(club: Club) -> None:
    """1 to 4 want to be in each edition. 2 vanishes, 3 loses on time and writes later, 4 is in ten other ones."""
    without_autovacation(club, 4)
    number = club.create("Cup", *CUP, "-max=4", "-min=2", "-every=month")
    for player in (1, 2, 3, 4):
        club.asks(player, "join", n=str(number), options=("-always",))
    club.to(club.now + 2)
    following = number + 1
    club.to(club.now + 25 * DAY)
    assert {entry.player for entry in club.reads.entries(following)} == {1, 2, 3, 4}
    club.asks(1, "games")
    club.asks(3, "games")
    others = []
    for count in range(10):
        put_tournament(club, count + 100)
        others.append(club.asks(4, "join", n=str(count + 100), options=()))
    assert sum("You have entered" in said for said in others) == 9
    assert sum("You are in 10 tournaments" in said for said in others) == 1
    club.store.begin()
    put(club.store.db, Entry(109, 4, club.now))
    club.store.commit()
    club.to(club.tournament(following).until + 1)
    assert club.tournament(following).stage == Stages.RUNNING
    assert [entry.player for entry in club.reads.entries(following)] == [1, 3]
    assert outbox(club, "Cup 2: you are not in it") == [2, 4]
    assert outbox(club, "Cup 3: open for entry") == []
    last = max(one.id for one in club.reads.tournaments((Stages.ENTRY,), 99) if one.name == "Cup")
    assert [entry.player for entry in club.reads.entries(last)] == [1, 3, 4]
    club.asks(1, "leave", n=str(last))
    assert [entry.player for entry in club.reads.entries(last)] == [3, 4]
    assert "is cancelled" in direct(club, act="cancel", n=str(last))
    assert "No further edition follows" in str(
        club.store.db.execute("SELECT facts FROM outbox ORDER BY id DESC").fetchone()
    )
    club.to(club.now + 100 * DAY)
    assert [one.name for one in club.reads.tournaments(Stages.OPEN, 99) if one.name == "Cup"] == []


def test_a_tournament_is_announced_once_to_those_who_want_to_hear(club: Club) -> None:
    """1 directs; 3, 4, 5 and 6 want news, of whom 4 has blocked the director and 5 wants no letters at all."""
    for player in (1, 3, 4, 5, 6):
        club.asks(player, "set", setting=["news", "on"])
    club.asks(4, "block", otherUserid="player1")
    club.asks(5, "set", setting=["quiet", "on"])
    number = club.create("Cup", *CUP, "-max=2", "-draft", "-every=month")
    assert outbox(club, "Cup 1: open for entry") == []
    for _ in range(2):
        direct(club, act="open", n=str(number))
        assert outbox(club, "Cup 1: open for entry") == [3, 6]
        direct(club, act="close", n=str(number))
    direct(club, act="open", n=str(number))
    club.asks(2, "join", n=str(number), options=())
    club.asks(3, "join", n=str(number), options=("-always",))
    club.to(club.now + 2)
    assert outbox(club, "Cup 2: open for entry") == [2, 6]
    club.asks(6, "set", setting=["news", "off"])
    club.create("Other", *CUP, "-max=2")
    assert outbox(club, "Other: open for entry") == [3]
    sql = "SELECT player, facts, kind, news FROM outbox WHERE subject = ? ORDER BY player"
    found = club.store.db.execute(sql, ("Cup 2 (tournament 2): open for entry",))
    told = {player: (facts, kind, news) for player, facts, kind, news in found}
    assert "join 2 player2 PASSWORD" in told[2][0] and "because you had entered" in told[2][0]
    assert "set player6 PASSWORD news off" in told[6][0]
    assert {one[1:] for one in told.values()} == {("broadcast", 1)}


def test_who_has_not_the_rating_does_not_enter(club: Club) -> None:
    club.store.begin()
    put(club.store.db, Ranking(3, "lambo", 1850.0, 60.0, 0.06, club.now, 9, 9, 1850.0))
    put(club.store.db, Preference(3, "news", "on"))
    put(club.store.db, Preference(4, "news", "on"))
    club.store.commit()
    number = club.create("Cup", *CUP, "-max=3", "-rating=1400-1800", "-unrated")
    assert outbox(club, "open for entry") == [4]
    said = club.asks(3, "join", n=str(number), options=())
    assert said == "Cup takes players with a rating of 1400-1800 (help ratings)", said
    club.join(number, 1, 2, 4)
    club.to(club.now + 2)
    club.asks(3, "set", setting=["accept", "all", "yes"])
    said = direct(club, replace="replace", n=str(number), otherUserid="player2", toUserid="player3")
    assert "and not player3" in said
    assert {game.unrated for game in club.standing(number).games.values()} == {"it was offered with -unrated"}
    rules = club.asks(5, "tournament", n=str(number), part="rules", options=())
    assert "Whoever enters needs a rating of 1400-1800." in rules and "Its games are not rated." in rules


def test_a_vacation_that_does_not_count_stops_no_clock(club: Club) -> None:
    """Neither one that is taken nor an automatic day; the player hears which boards go on."""
    number = begun(club, 2, *CUP, "-vacation=no")
    other = begun_too(club, 2)
    (game,) = club.standing(number).games.values()
    (free,) = club.standing(other).games.values()
    mover = game.player(game.to_move)
    assert free.player(free.to_move) == mover
    assert vacations.goes_on(mover, club.reads) == [f"board {game.id} (Cup)"]
    club.store.begin()
    put(club.store.db, Vacation(1, mover, club.now + 60, club.now + 60 + 5 * DAY, 5))
    club.store.commit()
    club.to(club.now + 3 * DAY)
    assert outbox(club, "Your vacation has begun") == [mover]
    sql = "SELECT facts ->> '$.said' FROM outbox WHERE player <> ? AND subject LIKE 'The vacation of%'"
    ((said,),) = club.store.db.execute(sql, (mover,)).fetchall()
    but = f"But on these boards the clock of player{mover} goes on: board {game.id} (Cup)."
    assert said.endswith(f"the clocks of player{mover} stand. {but}")
    assert club.reads.game(game.id).state == States.OVER  # type: ignore[union-attr]
    assert club.reads.game(free.id).state == States.RUNNING  # type: ignore[union-attr]
    assert club.tournament(number).stage == Stages.OVER
    assert "A vacation stops no clock in it." in club.asks(3, "tournament", n=str(number), part="rules", options=())


def begun_too(club: Club, people: int) -> int:
    number = club.create("Other", *CUP, f"-max={people}")
    club.join(number, *range(1, people + 1))
    club.to(club.now + 2)
    return number


def told(club: Club, player: int) -> list[tuple[int, str, str]]:
    """The letters of tournaments to this player: the hour, the Subject and the template."""
    sql = "SELECT created, subject, template FROM outbox WHERE kind = 'event' AND player = ? ORDER BY id"
    return [((at - BEGIN) // 3600, what, template) for at, what, template in club.store.db.execute(sql, (player,))]


def test_what_can_wait_is_one_letter_a_day(club: Club) -> None:
    """A note waits for a day after the first letter; with the table of the week it is one letter; the end takes along
    what still waits."""
    number = begun(club, 3, "-format=roundrobin", "-game=lambo", "-clock=30d")
    club.to(BEGIN + 3600)
    assert "goes to all in Cup" in direct(club, act="note", n=str(number))
    assert [one[:2] for one in told(club, 2)] == [(0, "Cup (tournament 1): rounds 1 to 3")]
    club.to(BEGIN + 30 * 3600)
    assert told(club, 2)[1:] == [(24, "Cup (tournament 1): a note from the director", "tournament")]
    club.to(BEGIN + 7 * DAY - 3600)
    beats(club, number, 1, 2)
    direct(club, act="note", n=str(number))
    assert told(club, 2)[2:] == [(167, "Cup (tournament 1): a note from the director", "tournament")]
    club.to(BEGIN + 8 * DAY)
    assert told(club, 2)[3:] == [(191, "Cup (tournament 1): the table", "tournament")]
    direct(club, act="note", n=str(number))
    assert len(told(club, 2)) == 4
    beats(club, number, 1, 3)
    beats(club, number, 2, 3)
    club.to(club.now + 1)
    assert told(club, 2)[4:] == [(192, "Cup (tournament 1): the end", "several")]
    facts = json.loads(
        club.store.db.execute("SELECT facts FROM outbox WHERE subject = 'Cup (tournament 1): the end'").fetchone()[0]
    )
    assert [part["facts"]["said"][0][:10] for part in facts["parts"]] == ["Cup is ove", "player1, t"]
    assert club.reads.waiting(number) == []
    club.to(club.now + 30 * DAY)
    assert len(told(club, 2)) == 5


def test_words_that_wait_are_not_for_who_has_blocked_their_author_meanwhile(club: Club) -> None:
    number = begun(club, 3, "-format=roundrobin", "-game=lambo", "-clock=30d")
    direct(club, act="note", n=str(number))
    club.asks(2, "block", otherUserid="player1")
    club.to(BEGIN + 2 * DAY)
    assert [len(told(club, player)) for player in (2, 3)] == [1, 2]
    assert club.reads.waiting(number) == []
    for pair in ((1, 2), (1, 3), (2, 3)):
        beats(club, number, *pair)
    club.to(club.now + 1)
    assert told(club, 2)[1:] == [(48, "Cup (tournament 1): the end", "tournament")]


def test_two_letters_that_wait_are_one(club: Club) -> None:
    number = begun(club, 3, "-format=roundrobin", "-game=lambo", "-clock=30d")
    club.to(BEGIN + 7 * DAY - 2 * 3600)
    beats(club, number, 1, 2)
    act(club, name="tournament", act="note", which=str(number))
    direct(club, act="note", n=str(number))
    club.to(BEGIN + 9 * DAY)
    assert told(club, 2)[1:] == [
        (166, "Cup (tournament 1): a note from the director", "tournament"),
        (190, "Cup (tournament 1): news", "several"),
    ]
    club.to(BEGIN + 20 * DAY)
    assert len(told(club, 2)) == 3, "nothing has happened since, so no table comes"


def test_a_director_who_leaves_as_the_last_entrant_begins_nothing(club: Club) -> None:
    """In the second in which the tournament is full, and due for that, its director deletes the account."""
    number = club.create("Cup", *CUP, "-min=2", "-max=3")
    club.join(number, 2, 3, 1)
    assert club.tournament(number).due == club.now
    asked = Asked("erase", "", {}, 1, Proofs.TOKEN, line="delete")
    club.enter(Request(club.now, (asked,), 1, token=("d", club.now // 3600, 0)))  # type: ignore[arg-type]
    club.to(club.now + DAY)
    tournament = club.tournament(number)
    assert (tournament.stage, tournament.director, tournament.due) == (Stages.ENTRY, 0, None)
    assert outbox(club, "it needs a director") == [0]
    club.join(number, 4)
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING


def test_a_large_step_is_made_in_parts(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board a second: who withdraws meanwhile gets no more, who comes back gets them; a crash loses none; and a
    letter about the step comes once, at its end."""
    monkeypatch.setattr(steps, "PART", 1)
    number = club.create("Cup", *CUP, "-max=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    begin = club.now
    assert len(club.standing(number).playing()) == 2
    assert sum(one.waits for one in club.standing(number).fixtures) == 4
    assert "withdrew" not in str(club.asks(1, "tournament", n=str(number), part="games", options=()))
    assert "You have withdrawn" in club.asks(2, "withdraw", n=str(number))
    club.restart()
    club.to(begin + 4)
    assert outbox(club, "Cup: rounds 1 to 3") == [1, 3, 4]
    state = club.standing(number)
    assert not any(one.waits for one in state.fixtures)
    assert len(state.playing()) == 3
    assert {
        one.void for one in state.fixtures if 2 in (state.by_seat[one.first].player, state.by_seat[one.second].player)
    } == {1}
    assert "You are back" in club.asks(2, "return", n=str(number))
    club.to(club.now + 5)
    assert len(club.standing(number).playing()) == 6
    club.play(number, leave=0)
    adds_up(club.standing(number))


def test_who_comes_back_to_a_ladder_again_and_again(club: Club) -> None:
    """Once a week at most, and at no cost: no game is stored for it."""
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    for player in (4, 2):
        said = club.asks(player, "withdraw", n=str(number))
        assert f"To come back at its foot:\nreturn 1 player{player} PASSWORD" in said
    assert "You are back" in club.asks(2, "return", n=str(number))
    assert len(club.standing(number).fixtures) == 0
    assert [player for _, player, _ in club.places(number)] == [1, 3, 2]
    assert "To come back at its foot, from 2026-01-08" in club.asks(2, "withdraw", n=str(number))
    assert "you can do so again from" in club.asks(2, "return", n=str(number))
    club.to(club.now + 7 * DAY)
    assert "You are back" in club.asks(2, "return", n=str(number))
    assert len(club.standing(number).fixtures) == 0


def test_who_comes_back_to_a_ladder_needs_a_place_like_a_newcomer(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=3", "-max=3")
    club.join(number, 1, 2, 3)
    club.to(club.now + 2)
    club.asks(3, "withdraw", n=str(number))
    club.join(number, 4)
    assert "Ladder is full: it takes 3 players" in club.asks(3, "return", n=str(number))
    club.asks(2, "withdraw", n=str(number))
    club.store.begin()
    put(club.store.db, Address(99, 3, "p1+other@example.org", "current", 0, club.now))
    club.store.commit()
    assert "An address enters a tournament once, and player1 has yours" in club.asks(3, "return", n=str(number))
    assert "You are back" in club.asks(2, "return", n=str(number))


def test_who_wants_further_editions_of_one_that_has_begun_is_told_where_they_are(club: Club) -> None:
    number = begun(club, 2, *CUP, "-every=month")
    for player, said in ((1, "You have entered Cup 1 already"), (3, "You are too late for Cup 1")):
        told = club.asks(player, "join", n=str(number), options=("-always",))
        assert said in told and told.rstrip(".").endswith("; for another edition: tournaments")
    assert [(entry.player, entry.always) for entry in club.reads.entries(number)] == [(1, 0), (2, 0)]


def test_nobody_asks_for_a_ruling_that_nobody_can_make(club: Club) -> None:
    number = begun(club, 4, "-format=knockout", "-game=lambo", "-clock=5d")
    games = [game for _, game in club.standing(number).playing()]
    for game in games:
        club.end(game, 1)
    club.to(club.now + 2)
    said = club.asks(games[0].player2, "appeal", "Please look.", board=str(games[0].id))
    assert "The next games have been paired" in said
    assert outbox(club, "a ruling on board") == []


def test_a_ladder_is_not_full_because_of_those_who_have_left(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=2")
    club.join(number, 1, 2)
    club.to(club.now + 2)
    club.store.begin()
    for player in range(100, 400):
        put(club.store.db, Player(player, f"former{player}", "active", "", 0, 0, club.now))
        put(club.store.db, Entry(number, player, club.now, player, stopped=0, left=club.now))
    club.store.commit()
    club.join(number, 3)
    assert [player for _, player, _ in club.places(number)] == [1, 2, 3]


def test_a_director_decides_a_game_twice_at_most(club: Club) -> None:
    number = without_director(club, 2, 3, 4)
    game = game_of(club, number, 2, 3)
    for verdict, said in (("1", "is over"), ("2", "is over"), ("draw", "decided 2 times already")):
        assert said in direct(club, result="result", board=str(game.id), verdict=verdict)
    act(club, name="tournament", act="result", which=str(game.id), who="draw")
    assert club.reads.game(game.id).winner == 0  # type: ignore[union-attr]


def test_the_words_of_a_director_who_leaves_are_gone(club: Club) -> None:
    """Those about an open tournament, and those about one that is over."""
    over = begun(club, 2)
    club.end(next(iter(club.standing(over).games.values())), 1)
    club.to(club.now + 2)
    number = club.create("Other", *CUP, "-max=4")
    club.store.begin()
    club.store.db.execute("UPDATE tournament SET words = 'My own words.'")
    club.store.commit()
    asked = Asked("erase", "", {}, 1, Proofs.TOKEN, line="delete")
    club.enter(Request(club.now, (asked,), 1, token=("d", club.now // 3600, 0)))  # type: ignore[arg-type]
    assert {club.tournament(one).words for one in (over, number)} == {""}


def test_a_long_list_comes_in_parts(club: Club) -> None:
    """A mail without proof gets the last fifty lines, and any fifty that it asks for."""
    number = begun(club, 8, "-format=roundrobin,double", "-game=lambo", "-clock=9d")

    def first(part: str, *options: str) -> tuple[str, int, str]:
        asked = Asked("tournament", "", {"n": str(number), "part": part, "options": options}, 3, Proofs.FROM)
        (said,) = directing.tournament(Request(club.now, (asked,), 3), asked, club.reads)
        assert isinstance(said, Say)
        rows = said.letter.facts.get("rows") or said.letter.facts["log"]
        return " ".join(said.letter.facts["said"]), len(rows), str(rows[0])

    said, lines, row = first("games")
    assert (said, lines) == ("Lines 7 to 56 of 56. Others: tournament 1 games -from=1", 50)
    said, lines, row = first("games", "-from=1")
    assert (said, lines) == ("Lines 1 to 50 of 56. Others: tournament 1 games -from=51", 50)
    assert "'round': 1," in row
    assert first("games", "-from=56")[:2] == ("Lines 56 to 56 of 56. Others: tournament 1 games -from=1", 1)
    assert first("log")[0] == ""
    assert "There is no option '-x'" in club.asks(3, "tournament", n=str(number), part="games", options=("-x",))


def put_tournament(club: Club, number: int) -> None:
    """A tournament for which entry is open and which nobody else enters."""
    club.store.begin()
    put(
        club.store.db,
        Tournament(number, f"Other {number}", 0, Stages.ENTRY, "swiss", "lambo", "5d", 2, 9, 0, club.now, 1),
    )
    club.store.commit()


def test_idle_tournaments_cost_no_statement(club: Club) -> None:
    """A hundred tournaments in which nothing happens are not looked at: nothing of them is due."""
    for number in range(3):
        club.create(f"Cup {number}", *CUP, "-max=4")
    seen: list[str] = []
    club.store.db.conn.set_trace_callback(seen.append)
    club.to(club.now + DAY)
    club.store.db.conn.set_trace_callback(None)
    assert not [sql for sql in seen if "FROM fixture" in sql or "FROM entry" in sql]


def test_who_joins_as_the_last_one_and_leaves_begins_and_cancels_nothing(club: Club) -> None:
    number = club.create("Cup", *CUP, "-min=3", "-max=3", "-until=2026-02-01")
    club.join(number, 1, 2, 3)
    assert "no longer in" in club.asks(3, "leave", n=str(number))
    club.to(club.now + DAY)
    assert club.tournament(number).stage == Stages.ENTRY
    club.join(number, 4)
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING


def test_a_ladder_with_enough_players_begins_although_one_leaves(club: Club) -> None:
    number = club.create("Steps", "-format=ladder", "-game=lambo", "-clock=9d", "-min=2")
    club.join(number, 1, 2, 3)
    club.asks(3, "leave", n=str(number))
    due = club.standing(number).tournament.due
    assert due is not None and due <= club.now
    club.asks(2, "leave", n=str(number))
    assert club.standing(number).tournament.due is None


def test_a_closed_tournament_does_not_begin_because_somebody_leaves(club: Club) -> None:
    number = club.create("Cup", *CUP, "-min=2", "-until=2026-02-01")
    club.join(number, 1, 2, 3)
    assert "any more" in direct(club, act="close", n=str(number))
    assert "no longer in" in club.asks(3, "leave", n=str(number))
    club.to(club.now + 60 * DAY)
    assert club.tournament(number).stage == Stages.DRAFT


def test_whom_the_director_has_withdrawn_stays_out(club: Club) -> None:
    number = begun(club, 4)
    club.asks(1, "withdraw", n=str(number))
    assert "is withdrawn" in direct(club, withdrawal="withdraw", n=str(number), otherUserid="player2")
    assert "The director has withdrawn you" in club.asks(2, "return", n=str(number))


def test_withdrawing_and_coming_back_gives_no_time(club: Club) -> None:
    number = begun(club, 4)
    club.to(club.now + DAY - 3600)
    mover = 2 if any(game.to_move == game.number_of(2) for _, game in club.standing(number).playing(2)) else 1
    seat = next(entry.seat for entry in club.standing(number).entries if entry.player == mover)
    club.asks(mover, "withdraw", n=str(number))
    assert "You are back" in club.asks(mover, "return", n=str(number))
    flags = [game.flag_at for _, game in club.standing(number).playing(seat) if game.to_move == game.number_of(mover)]
    assert flags
    assert all(at is not None and at <= club.now + 3600 for at in flags)


def test_who_comes_back_to_a_ladder_stands_at_its_foot(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    order = [player for _, player, _ in club.places(number)]
    top = order[0]
    club.asks(order[1], "challenge", n=str(number), otherUserid=f"player{top}")
    club.asks(top, "withdraw", n=str(number))
    club.to(club.now + 300 * DAY)
    assert "You are back" in club.asks(top, "return", n=str(number))
    assert [player for _, player, _ in club.places(number)][-1] == top


def test_a_long_entry_costs_nobody_a_place_on_a_ladder(club: Club) -> None:
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=5d", "-until=2026-08-01")
    club.join(number, 1, 2, 3)
    club.to(club.now + 220 * DAY)
    assert club.tournament(number).stage == Stages.RUNNING
    assert len(club.standing(number).there) == 3
    assert outbox(club, "a place lost") == []


def test_who_comes_in_has_asked_for_nothing(club: Club) -> None:
    number = without_director(club, 2, 3, 4)
    game = game_of(club, number, 2, 3)
    club.asks(2, "propose", board=str(game.id))
    asked = club.reads.game(game.id)
    assert asked and asked.asks == "draw"
    club.asks(5, "set", setting=["accept", "all", "yes"])
    direct(club, replace="replace", n=str(number), otherUserid="player2", toUserid="player5")
    after = club.reads.game(game.id)
    assert after and (after.asks, after.asks_by, after.state) == ("", 0, States.RUNNING)
    club.asks(3, "accept", board=str(game.id))
    still = club.reads.game(game.id)
    assert still and still.state == States.RUNNING


def test_the_archive_of_a_tournament(club: Club) -> None:
    """The table adds up in both forms, each game says event and round, and the report pairs the next round."""
    number = begun(club, 5, "-format=swiss,rounds=3,match=1", "-game=lambo", "-clock=9d")
    for _, game in club.standing(number).playing():
        club.end(game, 1)
    club.to(club.now + 1)
    assert club.standing(number).round == 2
    asked = Asked("record tournament", "", {"n": str(number), "options": ()}, 3, Proofs.FROM)
    (said,) = records.record_tournament(Request(club.now, (asked,), 3), asked, club.reads)
    assert isinstance(said, Say)
    (one,) = attached(said.letter.template, said.letter.facts, "games.example.net", {})
    with ZipFile(BytesIO(one.content)) as archive:
        found = {name: archive.read(name).decode() for name in archive.namelist()}
    rows = [line.split(",") for line in found["table.csv"].splitlines()]
    table = club.standing(number).table
    assert rows[0][:5] == ["place", "player", "points", "buchholz_cut1", "buchholz"]
    assert [row[:3] for row in rows[1:]] == [
        [str(row.place), f"player{entry.player}", f"{row.points:g}"] for row, entry in table
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert all(f"player{entry.player} " in found["table.txt"] for _, entry in table)
    assert dutch.pair(found["tournament-1.trf"]) == tuple(
        (one.first, one.second) for one in club.standing(number).fixtures if one.round == 2
    )
    over = [one for one in club.standing(number).fixtures if one.game and one.round == 1]
    assert len(over) == 2
    for fixture in over:
        record = json.loads(found[f"lambo-{fixture.game}.json"])
        assert (record["header"]["event"], record["header"]["round"]) == ("Cup", "1")
        assert "EV[Cup]RO[1]" in found[f"lambo-{fixture.game}.sgf"]
        assert '[Event "Cup"]' in found[f"lambo-{fixture.game}.txt"]


def test_an_archive_is_bounded_and_goes_on(club: Club) -> None:
    number = begun(club, 8, "-format=roundrobin,double", "-game=lambo", "-clock=9d")
    asked = Asked("record tournament", "", {"n": str(number), "options": ()}, 3, Proofs.FROM)
    (said,) = club.enter(Request(club.now, (asked,), 3))
    assert "games 1 to 50 of 56" in said
    assert "The next games: record tournament 1 -from=51" in said
    assert "games 51 to 56 of 56" in club.asks(3, "record tournament", n=str(number), options=("-from=51",))
    assert "56 games, so there is no game 57" in club.asks(3, "record tournament", n=str(number), options=("-from=57",))


def test_no_end_of_a_game_keeps_a_userid_that_is_gone(club: Club) -> None:
    """Neither the game nor what a director has decided otherwise, after a new userid and after the player has left."""
    number = without_director(club, 2, 3, 4)
    resigned, overruled = game_of(club, number, 3, 4), game_of(club, number, 2, 3)
    for game in (resigned, overruled):
        club.asks(3, "resign", board=str(game.id))
    direct(club, result="result", board=str(overruled.id), verdict="player3")

    def ends() -> list[str]:
        sql = "SELECT reason FROM game WHERE id = ? UNION ALL SELECT reason FROM overruled"
        return [reason for (reason,) in club.store.db.execute(sql, (resigned.id,)).fetchall()]

    assert ends() == ["player3 resigned"] * 2
    act(club, name="rename", old="player3", new="Cleo")
    assert ends() == ["Cleo resigned"] * 2
    asked = Asked("erase", "", {}, 3, Proofs.TOKEN, line="delete")
    club.enter(Request(club.now, (asked,), 3, token=("d", club.now // 3600, 0)))  # type: ignore[arg-type]
    gone = club.reads.player(3)
    assert gone and ends() == [f"{gone.userid} resigned"] * 2
    direct(club, result="result", board=str(overruled.id), verdict="player2")
    after = club.reads.game(overruled.id)
    assert after and after.reason == f"{gone.userid} resigned"
    tables = [name for (name,) in club.store.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = {name: repr(club.store.db.execute(f"SELECT * FROM {name}").fetchall()).lower() for name in tables}
    assert [name for name, said in rows.items() if name != "outbox" and ("player3" in said or "cleo" in said)] == []


def test_friends_do_not_hold_the_first_place_of_a_ladder(club: Club) -> None:
    """1 and 2 play each other whenever they may, and whoever stands first resigns before 3 wins against him."""
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=90d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)

    def order() -> list[int]:
        return [player for _, player, _ in club.places(number)]

    def challenge(who: int, whom: int) -> None:
        assert club.asks(who, "challenge", n=str(number), otherUserid=f"player{whom}", options=()) == ""

    def wins(winner: int, loser: int) -> None:
        (game,) = [
            game for _, game in club.standing(number).playing() if {game.player1, game.player2} == {winner, loser}
        ]
        club.end(game, game.number_of(winner))

    challenge(2, 1)
    challenge(3, 1)
    wins(3, 1)
    assert order() == [3, 1, 2, 4]
    wins(2, 1)
    assert order() == [2, 3, 1, 4], "it is for the place that 3 has taken from 1"
    challenge(3, 2)
    club.to(club.now + 8 * DAY)
    challenge(1, 2)
    wins(1, 2)
    assert order() == [1, 2, 3, 4]
    wins(3, 2)
    assert order() == [3, 1, 2, 4], "it is for the place that 1 has taken from 2"
    club.to(club.now + 8 * DAY)
    challenge(1, 3)
    challenge(4, 1)
    wins(1, 3)
    assert order() == [1, 3, 2, 4]
    challenge(2, 1)
    club.to(club.now + 8 * DAY)
    challenge(3, 1)
    wins(3, 1)
    wins(2, 1)
    assert order() == [3, 2, 1, 4], "3 has won the last game of 2 and 3"
    wins(4, 1)
    assert order() == [4, 3, 2, 1], "4 has not played against 3"


@pytest.mark.parametrize(("options", "clock"), [((), "10d+2d/14d"), (("-noweekends",), "10d+2d/14d -noweekends")])
def test_a_tournament_without_a_clock_of_its_own_has_one_that_an_import_takes(
    club: Club, options: tuple[str, ...], clock: str
) -> None:
    number = club.create("Cup", "-format=knockout", "-game=lambo", "-max=8", *options)
    assert club.tournament(number).clock == clock
    _require_clock(clock)
