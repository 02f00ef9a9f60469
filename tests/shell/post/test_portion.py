"""The day's letters of one address: first without pictures, then one after a pause."""

import asyncio
from pathlib import Path

import pytest

from mailbot.core.model import DAY
from mailbot.core.players.portion import KNOWN, LEAST, MOST, PICTURED, Portions
from mailbot.shell.post.delivery import Handover, Parcel, Worker
from mailbot.shell.post.handover import SENT
from mailbot.store import outbox
from tests.shell.post.test_delivery import Box
from tests.shell.post.test_gallery import ANSWERS, gallery, newest, painters, raw, served
from tests.shell.post.test_gallery import Server as GalleryServer

NOW = 1_800_000_000


ANN, BOB = "ann@example.org", "bob@example.org"


def test_pictures_end_first_and_then_letters_leave_one_by_one() -> None:
    portions = Portions()
    assert portions.pictured(ANN, "game", NOW) and portions.wait(ANN, "game", NOW) == 0
    portions.sent(ANN, "game", PICTURED - LEAST, NOW)
    assert portions.pictured(ANN, "game", NOW)
    portions.sent("Ann+games@Example.org", "game", 1, NOW)
    assert not portions.pictured(ANN, "game", NOW) and portions.pictured(BOB, "game", NOW)
    assert portions.wait(ANN, "game", NOW) == 0
    portions.sent(ANN, "game", MOST - PICTURED + MOST // 24, NOW)
    assert portions.wait(ANN, "game", NOW) == 3600, "an hour, as MOST comes back within a day"
    assert portions.wait(ANN, "game", NOW + 3601) == 0
    assert portions.wait(BOB, "game", NOW) == 0


def test_small_letters_count_too() -> None:
    """The relay has a list of letters to send, which has an end."""
    portions = Portions()
    for _ in range(MOST // LEAST):
        assert portions.wait(ANN, "game", NOW) == 0
        portions.sent(ANN, "game", 3000, NOW)
    assert portions.wait(ANN, "game", NOW) == 1


def test_letters_of_other_kinds_have_their_own_portion() -> None:
    """Whoever forges a From causes answers to somebody, and must not hold up the letters of games."""
    portions = Portions()
    portions.sent(ANN, "look", 3 * MOST, NOW)
    assert portions.wait(ANN, "look", NOW) > 2 * DAY - 10
    assert portions.wait(ANN, "game", NOW) == 0 and portions.pictured(ANN, "game", NOW)


@pytest.mark.parametrize("later", [DAY, -1])
def test_a_day_later_and_with_a_clock_set_back_the_portion_is_whole(later: int) -> None:
    portions = Portions()
    portions.sent(ANN, "game", MOST, NOW)
    assert not portions.pictured(ANN, "game", NOW + DAY // 2)
    assert portions.pictured(ANN, "game", NOW + later) and portions.wait(ANN, "game", NOW + later) == 0


def test_whole_portions_are_forgotten() -> None:
    portions = Portions()
    for number in range(KNOWN):
        portions.sent(f"p{number}@example.org", "game", MOST, NOW)
    portions.sent(ANN, "game", 2 * MOST, NOW)
    for number in range(KNOWN + 2):
        portions.sent(f"q{number}@example.org", "game", 1, NOW + DAY)
    assert ("p1@example.org", "game") not in portions._used
    assert portions.wait(ANN, "game", NOW + DAY) == 1


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
        portions.sent("ok@example.org", "", MOST, NOW + 1)

        worker = Worker(box, box.render, Taking(), lambda due: "bot@example.net", lambda: NOW, portions=portions)
        await worker.drain(NOW + 1)
        assert box.states() == ["waiting", "waiting", "sent"]
        assert (box.rows[1].due, box.rows[1].attempts) == (NOW + 2, 0)
        assert 1 in box.gives_way, "letters of other kinds need not wait for it"
        await worker.drain(NOW + 60)
        assert box.states() == ["sent", "waiting", "sent"]
        assert box.rows[2].due - NOW == 60 + LEAST * DAY // MOST - 59 + 1

    asyncio.run(run())


def test_beyond_the_first_limit_the_board_is_drawn_as_text(tmp_path: Path) -> None:
    async def step(server: GalleryServer) -> None:
        hangs = gallery(server, painters(ANSWERS))
        one, other = newest(server, 2)
        hangs.portions.sent(outbox.entry(server.db, one).address, "game", PICTURED, server.time)
        await hangs.decide(one)
        await hangs.decide(other)
        await hangs.close()
        assert b"Content-ID" not in raw(server, one) and b"Content-ID" in raw(server, other)

    served(tmp_path, step)
