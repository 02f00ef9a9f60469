"""Every tournament ends by itself, whoever leaves, runs out of time or comes back, and wherever the server dies."""

import random
from pathlib import Path

import pytest

from mailbot.core.contests import Stages
from mailbot.core.hosting import steps
from mailbot.core.hosting.standing import Standing
from mailbot.core.model import DAY
from tests.hosting.scripted import Club, adds_up

FORMATS = (
    "roundrobin",
    "roundrobin,double",
    "roundrobin,atonce=1",
    "swiss,rounds=3",
    "swiss,rounds=4,match=1",
    "knockout",
    "knockout,third",
    "groups,of=3,up=1",
    "groups,of=4,up=2,atonce=1",
)


PEOPLE = 8


def run(path: Path, seed: int, format_: str, people: int) -> Club:
    club = Club(path, seed, people, crashes=0.05)
    number = club.create(f"Cup {seed}", f"-format={format_}", "-game=lambo", "-clock=1d", f"-max={people}")
    club.join(number, *range(1, people + 1))
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING
    club.play(number)
    assert club.tournament(number).stage == Stages.OVER
    adds_up(club.standing(number))
    return club


@pytest.mark.parametrize("format_", FORMATS)
def test_each_format_ends(format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time the boards of a step are made three by three."""
    chance = random.Random(format_)
    for seed in range(2):
        monkeypatch.setattr(steps, "PART", (steps.PART, 3)[seed])
        run(tmp_path / f"{seed}", seed, format_, chance.randint(3, 9)).store.close()


def climb(club: Club, number: int, steps: int) -> None:
    """On a ladder players join, challenge, win and lose, leave and come back, or idle for weeks."""
    chance = club.chance
    for _ in range(steps):
        club.to(club.now + chance.choice([DAY // 3, DAY, 2 * DAY, 30 * DAY]))
        state = club.standing(number)
        order = [entry.player for _, entry in state.table]
        games = [game for _, game in state.playing()]
        outside = sorted(set(range(1, PEOPLE + 1)) - {entry.player for entry in state.entries})
        stopped = [entry.player for entry in state.entries if entry.stopped is not None]
        what = chance.choice(["challenge", "challenge", "challenge", "end", "end", "join", "leave", "back"])
        if what == "challenge" and len(order) > 1:
            low = chance.randrange(1, len(order))
            high = chance.randrange(max(0, low - 5), low)
            club.asks(order[low], "challenge", n=str(number), otherUserid=f"player{order[high]}", options=())
        elif what == "end" and games:
            club.end(chance.choice(games), chance.choice([0, 1, 2]))
        elif what == "join" and outside:
            club.join(number, outside[0])
        elif what == "leave" and len(order) > 3:
            club.asks(chance.choice(order), "withdraw", n=str(number))
        elif what == "back" and stopped:
            club.asks(stopped[0], "return", n=str(number))


def stands(state: Standing) -> None:
    """Every fixture has its board and every board its fixture, in one series of numbers; and the table shows everybody
    who is there once."""
    assert [one.number for one in state.fixtures] == [*range(1, len(state.fixtures) + 1)]
    assert sorted(one.game for one in state.fixtures if one.game) == sorted(state.games)
    for one in state.fixtures:
        if one.game:
            game = state.games[one.game]
            assert (game.player1, game.player2) == (state.by_seat[one.first].player, state.by_seat[one.second].player)
    assert sorted(entry.player for _, entry in state.table) == sorted(entry.player for entry in state.there)
    assert [row.place for row, _ in state.table] == [*range(1, len(state.there) + 1)]


def run_ladder(path: Path, seed: int, steps: int) -> list[int]:
    """A ladder from its first day until its director closes it. The order in the end."""
    club = Club(path, seed, PEOPLE, crashes=0.1)
    number = club.create("Ladder", "-format=ladder", "-game=lambo", "-clock=3d", "-min=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now + 2)
    climb(club, number, steps)
    stands(club.standing(number))
    close = {"act": "close", "n": str(number), "options": ()}
    if club.standing(number).by_seat[1].stopped is None:
        assert "You take part in Ladder yourself, so the operator ends it" in club.asks(1, "tournament", **close)
        club.asks(1, "withdraw", n=str(number))
    club.asks(1, "tournament", **close)
    assert club.tournament(number).stage == Stages.OVER
    club.to(club.now + 100 * DAY)
    order = [entry.player for _, entry in club.standing(number).table]
    stands(club.standing(number))
    club.store.close()
    return order


def test_a_ladder_stands_wherever_the_server_dies(tmp_path: Path) -> None:
    order = run_ladder(tmp_path / "db", 3, 50)
    assert order != sorted(order)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_many_ladders(seed: int, tmp_path: Path) -> None:
    run_ladder(tmp_path / "db", seed, 300)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(500))
def test_many_end(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    run(tmp_path / "db", seed, chance.choice(FORMATS), chance.randint(2, 24)).store.close()
