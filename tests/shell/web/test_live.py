"""Who watches a board sees each new move; the database is asked once for all, and nobody can take all the room."""

import asyncio
from pathlib import Path

import pytest

from mailbot.shell.web import watching
from tests.dialogues.play import PASSWORDS, Server
from tests.shell.web.reader import Reader, Stream, reading, said

BEGUN = ("begin ann bob", f"ann: lambo challenge ann bob {PASSWORDS['ann']}", "bob answers: accept")


def board(event: str, stamp: str, news: str) -> bool:
    """Whether the event is a board with this stamp that tells this."""
    return event.startswith(f"id: {stamp}\nevent: board\ndata: ") and news in event and event.endswith("\n\n")


async def watched(reader: Reader, number: int, **headers: str) -> Stream:
    stream = Stream(reader, f"/board/1/live?seen={headers.pop('seen', '1')}", f"192.0.2.{number}", **headers)
    assert await stream.next() == 200
    assert await stream.next() == "retry: 5000\n\n"
    return stream


def test_a_move_comes_to_all_who_watch_and_is_read_once(tmp_path: Path) -> None:
    asked: list[str] = []

    async def act(server: Server, reader: Reader) -> None:
        assert reader.rooms.watchers
        running = asyncio.ensure_future(reader.rooms.watchers.run())
        await said(server, *BEGUN)
        server.db.conn.set_trace_callback(asked.append)
        cost = []
        for crowd, move, stamp in ((1, "ann answers: b6", "2"), (60, "bob answers: a3,a12", "3")):
            streams = [await watched(reader, number % 20, seen=str(int(stamp) - 1)) for number in range(crowd)]
            asked.clear()
            await said(server, move)
            first = await streams[0].next()
            assert all([board(first, stamp, "has played"), *[await one.next() == first for one in streams[1:]]])
            cost.append(sum("json_each" in sql or "FROM move" in sql for sql in asked))
            for one in streams:
                await one.close()
        assert cost[0] == cost[1] > 0
        asked.clear()
        await said(server, "ann answers: c1,c2")
        await asyncio.sleep(0)
        assert not [sql for sql in asked if "json_each" in sql]  # nobody watches any more
        reader.rooms.watchers.close()
        await running

    reading(tmp_path, act)


def test_who_comes_back_gets_what_was_missed_and_the_end_closes(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        assert reader.rooms.watchers
        await said(server, *BEGUN, "ann answers: b6")
        late = await watched(reader, 1)
        assert board(await late.next(), "2", "ann has played b6. It is bob&#39;s turn: ply 2.")
        await late.close()
        again = await watched(reader, 1, last_event_id="2")
        sly = await watched(reader, 2, seen="2%0Aevent:%20board%0Adata:%20pwned")
        assert "pwned" not in await sly.next()
        reader.rooms.watchers.close()
        assert await again.next() == ""

    reading(tmp_path, act)


def test_there_is_room_for_so_many_and_not_for_one_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST", 25)

    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN)
        streams = [await watched(reader, 1) for _ in range(watching.EACH)]
        one_more = Stream(reader, "/board/1/live?seen=1", "192.0.2.1")
        assert await one_more.next() == 503
        assert "To see new moves, load the page again." in await one_more.next()
        streams += [await watched(reader, 2 + number) for number in range(5)]
        full = Stream(reader, "/board/1/live?seen=1", "192.0.2.99")
        assert await full.next() == 503
        await streams.pop().close()
        streams.append(await watched(reader, 99))
        for one in streams:
            await one.close()

    reading(tmp_path, act)
