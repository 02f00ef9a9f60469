"""Large tournaments are paired beforehand, in a process of their own; small ones and stale answers are not used."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from mailbot.core.due import TOURNAMENT
from mailbot.core.hosting import steps
from mailbot.core.world import Request, Timer
from mailbot.shell import pairer
from mailbot.shell.niceness import end_workers
from tests.hosting.scripted import Club


def test_a_large_tournament_is_decided_beforehand_and_entered(tmp_path: Path) -> None:
    club = Club(tmp_path / "db", 1, pairer.LARGE)
    number = club.create("Cup", "-format=knockout", "-game=lambo", "-clock=5d", f"-max={pairer.LARGE}")
    club.join(number, *range(1, pairer.LARGE + 1))
    club.to(club.now)
    timer = Timer(club.now + 1, TOURNAMENT, number)
    found = asyncio.run(pairer.decided(timer, club.reads))
    assert found == steps.decide(club.standing(number))
    assert found
    club.now += 1
    club.enter(Request(club.now, timer=timer, found=found))
    assert len(club.standing(number).fixtures) == len(found.decision.pairings) > 0
    assert asyncio.run(pairer.decided(timer, club.reads)) is None  # its games run
    assert asyncio.run(pairer.decided(Timer(0, "flag", number), club.reads)) is None
    club.store.close()


def test_an_answer_about_another_standing_is_not_used(tmp_path: Path) -> None:
    club = Club(tmp_path / "db", 1, 4)
    number = club.create("Cup", "-format=knockout", "-game=lambo", "-clock=5d", "-max=4")
    club.join(number, 1, 2, 3, 4)
    club.to(club.now)
    decided = steps.decide(club.standing(number))
    assert decided
    stale = replace(decided, field=replace(decided.field, seed=99), decision=decided.decision._replace(pairings=()))
    club.now += 1
    club.enter(Request(club.now, timer=Timer(club.now, TOURNAMENT, number), found=stale))
    assert len(club.standing(number).fixtures) == 2
    club.store.close()


def test_a_pairing_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = Club(tmp_path / "db", 1, pairer.LARGE)
    number = club.create("Cup", "-format=knockout", "-game=lambo", "-clock=5d", f"-max={pairer.LARGE}")
    club.join(number, *range(1, pairer.LARGE + 1))
    club.to(club.now)
    ended: list[BaseProcess] = []

    def end(pool: ProcessPoolExecutor) -> None:
        ended.extend(pool._processes.values())
        end_workers(pool)

    monkeypatch.setattr(pairer, "SECONDS", 0.0)
    monkeypatch.setattr(pairer, "end_workers", end)
    assert asyncio.run(pairer.decided(Timer(club.now + 1, TOURNAMENT, number), club.reads)) is None
    # The sentinel, not the exit code: the pool's own thread may have collected that and not yet noted it.
    assert [bool(wait([process.sentinel], 30)) for process in ended] == [True]
    club.store.close()
