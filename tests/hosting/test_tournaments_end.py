"""Every tournament ends by itself, whoever leaves, runs out of time or comes back, and wherever the server dies."""

import random
from pathlib import Path

import pytest

from mailbot.core.contests import Stages
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


def run(path: Path, seed: int, format_: str, people: int) -> Club:
    club = Club(path, seed, people, crashes=0.05)
    number = club.create(f"Cup {seed}", f"-format={format_}", "-game=lambo", "-clock=1d", f"-max={people}")
    club.join(number, *range(1, people + 1))
    club.to(club.now + 2)
    assert club.tournament(number).stage == Stages.RUNNING
    club.play(number)
    assert club.tournament(number).stage == Stages.OVER
    unpaired = "unpaired" in [line.what for line in club.reads.logged(number)]
    adds_up(club.standing(number), unpaired=unpaired)
    return club


@pytest.mark.parametrize("format_", FORMATS)
def test_each_format_ends(format_: str, tmp_path: Path) -> None:
    chance = random.Random(format_)
    for seed in range(2):
        run(tmp_path / f"{seed}", seed, format_, chance.randint(3, 9)).store.close()


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(500))
def test_many_end(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    run(tmp_path / "db", seed, chance.choice(FORMATS), chance.randint(2, 24)).store.close()
