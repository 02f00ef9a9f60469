"""The day's letters of one address: first without pictures, then one after a pause."""

import asyncio
from pathlib import Path

import pytest

from mailbot.core.model import DAY
from mailbot.core.players.portion import KNOWN, MOST, PAUSE, PICTURED, Portions
from mailbot.shell.post.delivery import Handover, Parcel, Worker
from mailbot.shell.post.handover import SENT
from mailbot.store import outbox
from tests.shell.post.test_delivery import Box
from tests.shell.post.test_gallery import ANSWERS, gallery, newest, painters, raw, served
from tests.shell.post.test_gallery import Server as GalleryServer

NOW = 1_800_000_000


def test_pictures_end_first_and_then_letters_leave_one_by_one() -> None:
    portions = Portions()
    assert portions.pictured("ann@example.org", NOW) and portions.wait("ann@example.org", NOW) == 0
    portions.sent("ann@example.org", PICTURED - 1, NOW)
    assert portions.pictured("ann@example.org", NOW)
    portions.sent("Ann+games@Example.org", 1, NOW + 5)
    assert not portions.pictured("ann@example.org", NOW + 6) and portions.pictured("bob@example.org", NOW + 6)
    assert portions.wait("ann@example.org", NOW + 6) == 0
    portions.sent("ann@example.org", MOST - PICTURED, NOW + 10)
    assert portions.wait("ann@example.org", NOW + 11) == PAUSE - 1
    assert portions.wait("ann@example.org", NOW + 10 + PAUSE) == 0
    assert portions.wait("bob@example.org", NOW + 11) == 0


@pytest.mark.parametrize("later", [DAY, -1])
def test_a_day_later_and_with_a_clock_set_back_the_count_begins_anew(later: int) -> None:
    portions = Portions()
    portions.sent("ann@example.org", MOST, NOW)
    assert portions.wait("ann@example.org", NOW + DAY - 1) == 0 and not portions.pictured("ann@example.org", NOW + 1)
    assert portions.pictured("ann@example.org", NOW + later) and portions.wait("ann@example.org", NOW + later) == 0


def test_old_counts_are_forgotten() -> None:
    portions = Portions()
    for number in range(KNOWN):
        portions.sent(f"p{number}@example.org", MOST, NOW)
    portions.sent("ann@example.org", MOST, NOW + DAY - 1)
    assert len(portions._sent) == KNOWN + 1
    for number in range(KNOWN + 2):
        portions.sent(f"q{number}@example.org", 1, NOW + DAY)
    assert "p1@example.org" not in portions._sent and portions.wait("ann@example.org", NOW + DAY) == PAUSE - 1


class Taking:
    """A transport that takes all letters."""

    trouble = ""

    async def ready(self) -> bool:
        return True

    async def send(self, parcel: Parcel) -> Handover:
        return SENT

    async def close(self) -> None: ...


def test_a_letter_beyond_the_portion_waits_and_uses_up_no_try() -> None:
    async def run() -> None:
        box, portions = Box(), Portions()
        box.put("ok@example.org", "ok@example.org", "ok@example.com")
        portions.sent("ok@example.org", MOST, NOW)

        worker = Worker(box, box.render, Taking(), lambda due: "bot@example.net", lambda: NOW, portions=portions)
        await worker.drain(NOW + 1)
        assert box.states() == ["waiting", "waiting", "sent"]
        assert (box.rows[1].due, box.rows[1].attempts) == (NOW + PAUSE, 0)
        await worker.drain(NOW + PAUSE)
        assert box.states() == ["sent", "waiting", "sent"]
        assert box.rows[2].due == NOW + 2 * PAUSE

    asyncio.run(run())


def test_beyond_the_first_limit_the_board_is_drawn_as_text(tmp_path: Path) -> None:
    async def step(server: GalleryServer) -> None:
        hangs = gallery(server, painters(ANSWERS))
        one, other = newest(server, 2)
        hangs.portions.sent(outbox.entry(server.db, one).address, PICTURED, server.time)
        await hangs.decide(one)
        await hangs.decide(other)
        await hangs.close()
        assert b"Content-ID" not in raw(server, one) and b"Content-ID" in raw(server, other)

    served(tmp_path, step)
