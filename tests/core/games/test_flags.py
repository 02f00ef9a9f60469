"""The judge of time: what it does at each moment, and that it does nothing twice."""

from types import SimpleNamespace

import pytest

from mailbot.core.effects import Post, Put
from mailbot.core.games import course, flags, timing
from mailbot.core.model import Game, States
from tests.core.games.times_world import NOW, world

HOUR = 3600
RUNNING = course.begun(course.offered(7, "lambo", (1, 2), NOW, 3, clock="2h+1h"), 1, NOW)
MOVED = course.moved(course.moved(RUNNING, 2, None, NOW + 600), 1, None, NOW + 1200)

ROWS = [
    (RUNNING, NOW + 2 * HOUR - 1, None),
    (RUNNING, NOW + 2 * HOUR, ("ann ran out of time before both had moved", None, NOW + 2 * HOUR)),
    (MOVED, NOW + 1200 + 3 * HOUR - 601, None),
    (MOVED, NOW + 1200 + 3 * HOUR - 600, ("ann ran out of time", 2, NOW + 600 + 3 * HOUR)),
    (MOVED, NOW + 50 * HOUR, ("ann ran out of time", 2, NOW + 600 + 3 * HOUR)),
    (RUNNING._replace(flag_at=None), NOW + 50 * HOUR, None),
]


@pytest.mark.parametrize(("game", "now", "expected"), ROWS)
def test_due(game: Game, now: int, expected: tuple[str, int | None, int] | None) -> None:
    effects = flags.due(game, now, world(game))
    if expected is None:
        assert effects == []
        return
    (over,) = [effect.row for effect in effects if isinstance(effect, Put) and isinstance(effect.row, Game)]
    assert (over.reason, over.winner, over.began) == expected
    assert (over.state, over.flag_at, over.left1, over.changed) == (States.OVER, None, 0, now)
    assert [effect.player for effect in effects if isinstance(effect, Post)] == [1, 2]
    assert flags.due(over, now + HOUR, world(over)) == []


@pytest.mark.parametrize("event", [0, 3])
@pytest.mark.parametrize("game", [RUNNING, MOVED])
def test_a_computer_player_does_not_lose_on_time(game: Game, event: int) -> None:
    """Players could keep all workers busy until its time on rated boards has run out."""
    bot = game._replace(player1=-5, event=event)
    now = NOW + 50 * HOUR
    (put,) = flags.due(bot, now, world(bot))
    assert isinstance(put, Put) and isinstance(put.row, Game)
    assert (put.row.state, put.row.flag_at) == (States.RUNNING, now + course.LEAST)
    assert timing.left(put.row, now, timing.STEADY)[0] == course.LEAST
    assert flags.due(put.row, now, world(bot)) == []
    person = course.moved(bot, 2, None, now)
    assert [
        effect.row.winner for effect in flags.due(person, now + 50 * HOUR, world(person)) if isinstance(effect, Put)
    ]
    gone = world(bot, player=lambda player: SimpleNamespace(id=player, userid="x", state="off"))
    (over, *_) = flags.due(bot, now, gone)
    assert isinstance(over, Put) and isinstance(over.row, Game)
    assert (over.row.state, over.row.winner) == (States.OVER, None), "nobody wins because the operator switches it off"


@pytest.mark.parametrize("given", [[], [(1, 1200)], [(2, 1200)], [(1, 900), (2, 60), (1, 3000)]])
def test_time_that_is_given_does_not_hide_what_was_used(given: list[tuple[int, int]]) -> None:
    """Each is given an hour at these seconds of the turn that is player 1's."""
    game = MOVED
    for number, after in given:
        now = MOVED.began + after
        before = timing.left(game, now, timing.STEADY)
        game = course.given(game, number, HOUR, now, timing.STEADY)
        assert timing.left(game, now, timing.STEADY) == ((HOUR, before[1]) if number == 1 else (before[0], HOUR))
    falls = game.flag_at
    assert falls is not None
    assert timing.used(game, falls, timing.STEADY) == falls - MOVED.began
    (told, _) = [effect.letter.facts for effect in flags.due(game, falls, world(game)) if isinstance(effect, Post)]
    assert told["spent"][0][0] == falls - MOVED.began


def test_time_used_and_earned() -> None:
    """Player 1 used 600 seconds of 7200 and earned 3600; so did player 2."""
    assert (MOVED.left1, MOVED.left2, MOVED.began) == (7200 - 600 + 3600, 7200 - 600 + 3600, NOW + 1200)


def test_a_turn_from_the_queue_uses_no_time() -> None:
    after = course.moved(RUNNING, 2, None, NOW + 600, queued=True)
    assert (after.left1, after.flag_at) == (7200 + 3600, NOW + 600 + 7200)


def test_a_time_for_every_move_starts_anew_when_moves_are_taken_back() -> None:
    """Player 2 has a minute left and lets player 1 take back: the next turn of both is a whole one."""
    each = course.moved(course.begun(course.offered(7, "lambo", (1, 2), NOW, 3, clock="2h"), 1, NOW), 2, None, NOW)
    back = course.rewound(each, 0, 1, NOW + 2 * HOUR - 60)
    assert (back.left1, back.left2) == (2 * HOUR, 2 * HOUR)
    same = course.rewound(each, 1, 2, NOW + 2 * HOUR - 60)
    assert (same.left1, same.left2) == (2 * HOUR, 60)


def test_the_times_stand_when_moves_are_taken_back_and_after_the_end_there_is_a_day_at_least() -> None:
    back = course.rewound(MOVED, 1, 2, NOW + 1800)
    assert (back.left1, back.left2, back.began) == (MOVED.left1 - 600, MOVED.left2, NOW + 1800)
    flagged = course.flagged(MOVED, 2, "ann ran out of time", NOW + 90 * HOUR)
    again = course.rewound(flagged, 1, 2, NOW + 91 * HOUR)
    assert (again.left1, again.left2) == (course.LEAST, course.LEAST)
    assert again.flag_at == NOW + 91 * HOUR + course.LEAST
