"""Computer players that do not come back from their thoughts."""

import asyncio
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from mailbot.core.games import course
from mailbot.core.model import Player
from mailbot.shell.bots import Bots
from mailbot.shell.minds import pool
from mailbot.shell.minds import work as working
from mailbot.shell.minds.pool import Pool
from mailbot.shell.writer import Writer
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from mailbot.store.store import Store

NOW = 1_800_000_000


class Endless(Executor):
    """Thinks for ever."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        return Future()


def test_a_thought_without_end_is_ended_and_its_board_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LATE", 0.0)
    closed: list[bool] = []
    monkeypatch.setattr(Pool, "end", lambda self: closed.append(True))
    monkeypatch.setattr(Pool, "_started", lambda self: Endless())
    store = Store.open(tmp_path / "t.sqlite", NOW, b"k" * 32, operator="operator@example.net")
    store.begin()
    put(store.db, Player(1, "ann", "active", "", 0, 0, NOW))
    game = course.begun(course.offered(3, "lambo", (1, -1), NOW), 2, NOW)
    put(store.db, game)
    store.commit()

    async def run() -> None:
        writer = Writer(store, tmp_path / "inflight")
        writer.start()
        minds = Pool(1, None, seconds=0)
        ours = Bots(Reads(store.db), writer, lambda: NOW, minds, seconds=0, stop=asyncio.Event(), secret=b"s" * 32)
        await ours._guarded(ours._answer(game), game.id, game)
        assert ours.state()["given_up"] == 1
        await writer.stop()

    asyncio.run(run())
    assert closed == [True]
    (told,) = store.db.execute("SELECT count(*) FROM outbox WHERE template = 'notice'").fetchone()
    assert told == 1
    store.close()


def test_each_board_has_its_own_secret_chances(tmp_path: Path) -> None:
    """Else a line that has won once against a computer player wins again and again."""
    seeds: list[int] = []

    class Listening:
        async def think(self, work: Any, rules: str, moves: list[str], seed: int, *more: int) -> None:
            seeds.append(seed)

    store = Store.open(tmp_path / "t.sqlite", NOW, b"k" * 32)
    minds: Any = Listening()
    writer, stop = Writer(store, tmp_path / "inflight"), asyncio.Event()
    for board, secret in ((3, b"a"), (4, b"a"), (3, b"a"), (3, b"b")):
        ours = Bots(Reads(store.db), writer, lambda: NOW, minds, seconds=0, stop=stop, secret=secret)
        game = course.begun(course.offered(board, "lambo", (1, -1), NOW), 2, NOW)
        asyncio.run(ours._thought(working.think, game, ["a1"], 1, 0))
    assert seeds[0] == seeds[2]
    assert len(set(seeds)) == 3
    store.close()
