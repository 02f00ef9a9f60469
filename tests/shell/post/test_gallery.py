"""Pictures are decided before the first try: made once, shared, kept; a painter that fails costs only the picture."""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from importlib.util import find_spec
from pathlib import Path

import pytest

from mailbot.core.language.topics import PAGES
from mailbot.core.letters import pictures
from mailbot.core.letters.pictures import Wanted
from mailbot.core.model import DAY
from mailbot.shell.post.compose import compose
from mailbot.shell.post.gallery import Gallery
from mailbot.shell.post.painter import paint
from mailbot.shell.post.painters import FAILURES, PROGRAM, Painters, Unmade
from mailbot.store import hung, outbox
from tests.dialogues.play import PNG, Server, serving

needs_pictures = pytest.mark.skipif(not find_spec("PIL") or not find_spec("resvg_py"), reason="extra `pictures`")

ONE = Wanted("still", "lambo", ("b6",), ("ann", "bob"))

ANSWERS = f"""
import sys, struct
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(struct.pack(">cI", b"P", {len(PNG)}) + {PNG!r})
    sys.stdout.buffer.flush()
"""
PROGRAMS = {
    "dies": "import sys; sys.stdin.buffer.readline()",
    "hangs": "import sys; sys.stdin.buffer.read()",
    "cannot start": "raise SystemExit(1)",
    "refuses": "import sys, struct; sys.stdin.buffer.readline(); sys.stdout.buffer.write(struct.pack('>cI', b'E', 0));"
    "sys.stdout.buffer.flush(); sys.stdin.buffer.read()",
    "says too much": "import sys; sys.stdin.buffer.readline(); sys.stdout.buffer.write(b'P' + b'\\xff' * 9)",
}


def painters(program: str, seconds: float = 0.3) -> Painters:
    return Painters(1, (sys.executable, "-c", program), 20 if program == ANSWERS else seconds)


async def begun(server: Server) -> None:
    """A game of Lambo after its first move: letters about it wait for both players."""
    for name in ("ann", "bob"):
        await server.accept(server.mail(f"{name}@example.org", f"signup {name} sesame-{name}-1", ""))
        server.new_letters()
        await server.accept(server.reply(f"{name}@example.org", server.letters[f"{name}@example.org"][-1], "yes"))
    await server.accept(server.mail("ann@example.org", "lambo challenge ann bob sesame-ann-1", ""))
    server.new_letters()
    await server.accept(server.reply("bob@example.org", server.letters["bob@example.org"][-1], "accept"))
    server.new_letters()
    await server.accept(server.reply("ann@example.org", server.letters["ann@example.org"][-1], "b6"))


def newest(server: Server, count: int) -> list[int]:
    return [row[0] for row in server.db.execute("SELECT id FROM outbox ORDER BY id DESC LIMIT ?", (count,))][::-1]


def gallery(server: Server, made_by: Painters | None, wait: float = 20) -> Gallery:
    return Gallery(made_by, server.letterbox, server.reception._reads, server.writer, lambda: server.time, wait)


def served(tmp_path: Path, step: Callable[[Server], Awaitable[None]]) -> None:
    serving(tmp_path, begun, step)


def raw(server: Server, letter: int) -> bytes:
    return compose(server.letterbox.letter(outbox.entry(server.db, letter)))


def test_both_players_share_one_picture_and_a_second_try_has_the_same_octets(tmp_path: Path) -> None:
    asked: list[Wanted] = []

    class Counting(Painters):
        async def paint(self, wanted: Wanted) -> bytes | None:
            asked.append(wanted)
            return await super().paint(wanted)

    async def step(server: Server) -> None:
        made_by = Counting(1, (sys.executable, "-c", ANSWERS), 20)
        hangs = gallery(server, made_by)
        both = newest(server, 2)
        await asyncio.gather(*map(hangs.decide, both))
        assert [one.moves for one in asked] == [("b6",)]
        first = [raw(server, letter) for letter in both]
        assert all(b"Content-ID: <" + asked[0].key.encode() in octets for octets in first)
        await hangs.close()
        later = gallery(server, None)
        await asyncio.gather(*map(later.decide, both))
        assert [raw(server, letter) for letter in both] == first

    served(tmp_path, step)


def test_a_picture_that_was_made_is_found_again(tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        one, other = newest(server, 2)
        first = gallery(server, painters(ANSWERS))
        await first.decide(one)
        await first.close()
        second = gallery(server, painters(PROGRAMS["dies"]))
        await second.decide(other)
        await second.close()
        assert b"Content-ID" in raw(server, other)

    served(tmp_path, step)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_painter_that_fails_costs_the_picture_only(
    program: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def step(server: Server) -> None:
        both = newest(server, 2)
        failing = gallery(server, painters(PROGRAMS[program]))
        with caplog.at_level(logging.WARNING, "mailbot.pictures"):
            await asyncio.gather(*map(failing.decide, both))
        await failing.close()
        assert len([record for record in caplog.records if "without 1 of its pictures" in record.message]) == 2
        first = [raw(server, letter) for letter in both]
        assert not any(b"Content-ID" in octets for octets in first)
        assert all(b"text/html" in octets for octets in first)
        mended = gallery(server, painters(ANSWERS))
        await asyncio.gather(*map(mended.decide, both))
        await mended.close()
        assert [raw(server, letter) for letter in both] == first, "what was decided stays"

    served(tmp_path, step)


def test_a_letter_does_not_wait_longer_than_its_time(tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        (letter,) = newest(server, 1)
        slow = gallery(server, painters(PROGRAMS["hangs"], 60), wait=0.01)
        await slow.decide(letter)
        assert outbox.entry(server.db, letter).pictures == "{}"
        await slow.close()

    served(tmp_path, step)


def test_without_painters_letters_are_html_without_pictures(tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        (letter,) = newest(server, 1)
        await gallery(server, None).decide(letter)
        message = message_from_bytes(raw(server, letter), policy=default)
        assert isinstance(message, EmailMessage)
        assert message.get_content_type() == "multipart/alternative"
        assert "<pre" in str(message.get_body(("html",)))

    served(tmp_path, step)


def test_a_board_too_large_for_a_picture_says_so(tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        (letter,) = newest(server, 1)
        row = outbox.entry(server.db, letter)
        (wanted,) = pictures.wanted(row.template, row.facts)
        await server.writer.do(lambda store: hung.hang(store.db, letter, {wanted.key: None}, server.time))
        assert b"too large for a picture" in raw(server, letter).replace(b"=\r\n", b"")

    served(tmp_path, step)


@pytest.mark.parametrize(
    ("form", "octets", "made"),
    [
        ("film", 200_000, [True] * 3 + [False] * 3),
        ("film", 250_000, [True] * 2 + [False] * 4),
        ("still", 150_000, [True] * 4 + [False] * 2),
    ],
)
def test_the_pictures_of_a_letter_have_room(form: str, octets: int, made: list[bool], tmp_path: Path) -> None:
    """Postfix takes a megabyte, and a film has up to 200,000 octets."""
    asked: list[str] = []

    async def step(server: Server) -> None:
        shown = gallery(server, painters(PROGRAMS["hangs"]))

        async def painted(one: Wanted) -> bytes:
            asked.append(one.key)
            return b"x" * octets

        shown._one = painted  # type: ignore[method-assign]
        wanted = tuple(Wanted(form, "lambo", (f"b{number}",), ("ann", "bob")) for number in range(1, 7))
        found = await shown._all(1, wanted)
        assert [bool(found[one.key]) for one in wanted] == made
        assert sum(len(one or b"") for one in found.values()) <= 600_000
        assert len(asked) == (3 if form == "film" else 6)
        await shown.close()

    served(tmp_path, step)


def test_pictures_go_when_no_letter_needs_them(tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        (one,) = newest(server, 1)
        made = gallery(server, painters(ANSWERS))
        await made.decide(one)
        await made.close()

        def kept() -> int:
            return int(server.db.execute("SELECT count(*) FROM picture").fetchone()[0])

        await server.clock(3 * DAY)
        assert kept() == 1, "the letter still waits"
        await server.writer.do(lambda store: outbox.settle(store.db, one, "sent", server.time, ""))
        await server.clock(0)
        assert kept() == 0

    served(tmp_path, step)


def test_after_failures_in_a_row_painters_rest() -> None:
    async def run() -> None:
        broken = painters(PROGRAMS["cannot start"])
        for _ in range(FAILURES):
            with pytest.raises(Unmade):
                await broken.paint(ONE)
        with pytest.raises(Unmade, match="resting"):
            await broken.paint(ONE)
        await broken.close()

    asyncio.run(run())


def test_a_still_waits_for_one_film_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """A film takes as long as a hundred stills, and somebody may have asked for many."""
    made: list[str] = []

    async def painted(_self: Painters, wanted: Wanted) -> bytes:
        await asyncio.sleep(0)
        made.append(f"{wanted.form} {wanted.moves[0]}")
        return PNG

    async def run() -> None:
        monkeypatch.setattr(Painters, "_made", painted)
        house = painters(ANSWERS)
        films = [ONE._replace(form="film", moves=(f"b{number}",)) for number in range(4)]
        await asyncio.gather(*map(house.paint, [*films, ONE, ONE._replace(moves=("b7",))]))

    asyncio.run(run())
    assert made == ["film b0", "still b6", "still b7", "film b1", "film b2", "film b3"]


@needs_pictures
def test_the_real_painter() -> None:
    async def run() -> None:
        real = Painters(1, PROGRAM, 60)
        still, film = await real.paint(ONE), await real.paint(ONE._replace(form="film"))
        assert still and still.startswith(PNG[:8])
        assert film and b"acTL" in film
        with pytest.raises(Unmade, match="Forbidden"):
            await real.paint(ONE._replace(moves=("b66",)))
        assert await real.paint(ONE) == still, "the same process goes on, and its pictures are the same to the octet"
        await real.close()

    asyncio.run(run())


PLAIN = {"asked": "", "other": False}
HELP = [
    # what is asked for, the boards that are drawn there, the letters that the reader wants
    ("help threats", 5, "picture"),
    ("help ladders", 2, "picture"),
    ("help lambo", 3, "picture"),
    ("help forgot", 0, "picture"),
    ("help threats", 0, "html"),
    ("help threats", 0, "text"),
]


@pytest.mark.parametrize(("asked", "boards", "letters"), HELP)
def test_a_help_page_shows_its_boards_as_pictures(asked: str, boards: int, letters: str, tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        await server.accept(server.mail("ann@example.org", f"set ann sesame-ann-1 letters {letters}", ""))
        await server.accept(server.mail("ann@example.org", asked, ""))
        (letter,) = newest(server, 1)
        served = gallery(server, painters(ANSWERS))
        await served.decide(letter)
        await served.close()
        page = message_from_bytes(raw(server, letter), policy=default).get_body(("html",))
        shown = str(page.get_content()).count("<img ") if page else 0
        assert shown == boards == len(server.letterbox.pictures(*_told(server, letter)))
        text = server.letterbox.letter(outbox.entry(server.db, letter)).text
        assert ("\x02" in text, "`--oo" in text) == (False, asked != "help forgot"), "the plain text has the drawings"

    served(tmp_path, step)


def _told(server: Server, letter: int) -> tuple[str, dict[str, object]]:
    row = outbox.entry(server.db, letter)
    return row.template, row.facts


@needs_pictures
def test_every_board_of_a_help_page_can_be_painted(tmp_path: Path) -> None:
    async def step(server: Server) -> None:
        found = {
            one
            for topic in (*PAGES, "lambo", "mambo")
            for one in server.letterbox.pictures("help", {"topic": topic, **PLAIN})
        }
        assert len(found) > 19
        assert all(len(paint(one) or b"") > 1000 for one in found)

    serving(tmp_path, step)
