"""Turns and queues of a player who is logged in; moves to try and drawings; what is too much, and what is refused."""

import re
from pathlib import Path
from threading import get_ident
from urllib.parse import urlencode

import pytest

from engine.family import Position
from engine.hex.hexgames import Hexes
from mailbot.shell.web import keeping
from mailbot.shell.web.forms import boardside
from mailbot.shell.web.play import art, laying, trying
from tests.families.grid import WITH_GRID
from tests.shell.web.test_mine import order
from tests.shell.web.test_turn import BOB, begun, played
from tests.shell.web.visitor import House, at_home


def test_a_turn_after_log_in(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await begun(house)
        stranger = await house.browser().get("/board/1/turn")
        assert (stranger.status, stranger.header("location")) == (303, "/login?next=%2Fboard%2F1%2Fturn")
        ann, bob = await house.browser().log_in("ann"), await house.browser().log_in("bob")
        waits = await bob.get("/board/1/turn")
        assert "It is ann's turn" in waits.words and 'id="turn"' not in waits.text

        shown = await ann.get("/board/1/turn?move=a1")
        form = shown.form("/board/1/turn").fields
        wrong = await ann.post("/board/1/turn", form | {"move": "a1,a2", "words": "Hello <b>"})
        assert wrong.status == 422 and "the first turn is one tile" in wrong.words.lower()
        forged = await bob.post("/board/1/turn", form)
        assert forged.status == 422 and "This form did not come from a page" in forged.words
        assert house.rooms.reads.texts(1) == []
        words = {"words": "Hello <b>bob</b>\nmy password is tadpole-99-blue"}
        last = (await ann.get("/board/1/turn?move=a1")).form("/board/1/turn").fields
        done = await ann.post("/board/1/turn", last | words)
        assert (done.status, done.header("location")) == (303, "/board/1")
        letters = await house.letters()
        assert [to for to, _ in letters] == [BOB], "who has heard it on the page gets no letter"
        assert "Hello <b>bob</b>" in letters[0][1] and "tadpole" not in letters[0][1]

        shown = await ann.get("/board/1")
        assert "Your turn" not in shown.words
        twice = await ann.post("/board/1/turn", last | words)
        assert (twice.status, twice.header("location")) == (303, "/board/1"), "two taps, or an answer that was lost"
        assert house.rooms.reads.texts(1) == ["a1"] and not await house.letters()
        late = await ann.post("/board/1/turn", form | {"once": form["once"]})
        assert late.status == 422 and "has changed since" in late.words and house.rooms.reads.texts(1) == ["a1"]
        assert (await ann.get("/board/77/turn")).status == 404

    at_home(tmp_path, story, "ann", "bob")


def test_the_page_of_a_board_is_also_that_of_its_players(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await begun(house)
        ann, bob, nobody = await house.browser().log_in("ann"), await house.browser().log_in("bob"), house.browser()
        own, other, open_ = [await one.get("/board/1") for one in (ann, bob, nobody)]
        assert 'id="turn"' in own.text and "It is YOUR TURN" in own.words and "Offer a draw" in own.words
        assert 'id="turn"' not in other.text and "It is ann's turn" in other.words and "Offer a draw" in other.words
        assert 'id="turn"' not in open_.text and "Offer a draw" not in open_.words
        assert [page.header("cache-control") for page in (own, other, open_)] == ["no-store", "no-store", "no-cache"]
        await played(ann, await ann.get("/board/1/turn"), "a1")
        assert 'id="turn"' not in (await ann.get("/board/1")).text
        assert 'id="turn"' in (await bob.get("/board/1")).text and 'id="turn"' not in (await bob.get("/board/1/0")).text

    at_home(tmp_path, story, "ann", "bob")


def test_what_strangers_lay_is_drawn_in_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """200 tiles in a line take some tenths of a second. The work counts, also if the answer is a refusal."""
    threads: set[int] = set()
    charged: list[float] = []

    def replay(self: Hexes, rules: str, moves: list[str], known: int = 0) -> Position:
        threads.add(get_ident())
        return replayed(self, rules, moves, known)

    async def story(house: House) -> None:
        await begun(house)
        browser = house.browser()
        drawn = ("/draw?tiles=a0.b1", "/draw?tiles=a0.c1", "/draw.svg?tiles=a0.b1", "/draw.svg?tiles=a0.c1")
        for path in (*drawn, "/try?rules=lambo&moves=a1.b9,c10", "/try/1?moves=a1.a1"):
            threads.clear()
            charged.clear()
            assert (await browser.get(path)).status < 500
            assert threads and get_ident() not in threads, path
            assert len(charged) == 1, path

    replayed = Hexes.replay
    monkeypatch.setattr(Hexes, "replay", replay)
    monkeypatch.setattr(keeping, "charge", charged.append)
    at_home(tmp_path, story, "ann", "bob")


def test_the_queue_is_read_back_before_it_is_kept(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await begun(house)
        bob = await house.browser().log_in("bob")
        page = await bob.get("/queue/1")
        assert "Nothing is queued for you" in page.words
        plan = "if a1 then b2,c9 if b4,b5 then resign\nb3,b2"
        fields = page.form("/queue/1").fields
        read = await bob.post("/queue/1", fields | {"plan": plan, "do": "read"})
        assert "I read this, and it is not queued yet:" in read.words and "still queued" not in read.words
        assert "if ann plays a1, you play b2,c9" in read.words and "you resign" in read.words
        assert house.rooms.reads.plan(1, 2) is None
        wrong = await bob.post("/queue/1", read.form("/queue/1").fields | {"plan": "if <b> a1", "do": "keep"})
        assert (
            wrong.status == 422
            and "I could not read the queued line" in wrong.words
            and "if &lt;b&gt; a1" in wrong.text
        )
        kept = await bob.post("/queue/1", wrong.form("/queue/1").fields | {"plan": plan, "do": "keep"})
        assert kept.status == 303
        page = await bob.get("/queue/1")
        assert "This is queued:" in page.words and page.form("/queue/1").fields["plan"].startswith("if a1 then b2,c9")
        for other in ("", "   ", "if a1 then b2,c10", "if <b> a1"):
            read = await bob.post("/queue/1", page.form("/queue/1").fields | {"plan": other, "do": "read"})
            assert "What you queued before is still queued" in read.words and "Withdraw the queue" in read.words
            assert "Nothing is queued" not in read.words and "This is queued" not in read.words
        same = await bob.post("/queue/1", page.form("/queue/1").fields | {"do": "read"})
        assert "This is queued:" in same.words and "still queued" not in same.words
        gone = await bob.post("/queue/1", page.form("/queue/1").fields | {"do": "none"})
        assert gone.status == 303 and house.rooms.reads.plan(1, 2) is None
        assert not await house.letters()

    at_home(tmp_path, story, "ann", "bob")


def test_a_queue_is_not_kept_for_another_turn_than_its_page_showed(tmp_path: Path) -> None:
    """A move alone answers anything: also a turn that its author has not seen."""

    async def story(house: House) -> None:
        await begun(house)
        bob = await house.browser().log_in("bob")
        stale = (await bob.get("/queue/1")).form("/queue/1").fields
        await order(house, "ann", "move 1 ME a1")
        await order(house, "bob", "move 1 ME a2,b3")
        late = await bob.post("/queue/1", stale | {"plan": "b2,c9", "do": "keep"})
        assert late.status == 422 and boardside.MOVED in late.words
        assert house.rooms.reads.plan(1, 2) is None
        fields = late.form("/queue/1").fields | {"do": "keep"}
        assert (await bob.post("/queue/1", fields)).status == 303
        assert house.rooms.reads.plan(1, 2)
        await order(house, "ann", "move 1 ME a3,a4")
        assert (await bob.post("/queue/1", fields)).status == 303, "two taps, the second one when it has been used"

    at_home(tmp_path, story, "ann", "bob")


TRIED = [
    ("/try", 200, "Rules, such as"),
    ("/try?rules=lambo", 200, "Lambo, ply 1: Light is to lay 1 tile."),
    ("/try?rules=lamba&moves=a1", 422, "did you mean lambo?"),
    ("/try?rules=lambo&moves=a1.q9", 422, "no tile q"),
    ("/try?rules=lambo&moves=a1.a2", 422, "you must play two tiles"),
    ("/try?rules=lambo&moves=a1&move=a99", 200, "not next to any tile"),
    ("/try?rules=lambo&moves=a1&do=lay", 200, "Choose a tile and a cell for it."),
    ("/try?rules=mambo+-size%3D4&moves=a0.a1.b2.c3", 200, "Mambo, after 4 turns"),
    (f"/try?rules=lambo&moves={'a1.' * (trying.MOST + 1)}", 422, "You can try 60 turns at most."),
    (f"/try?rules=lambo&moves={'x' * 3000}", 422, "You can try 60 turns at most."),
    ("/try/1", 200, "Try moves on board 1"),
    ("/try/1?ply=0&moves=b4", 200, "The last turn was Light's: b4."),
    ("/try/1?moves=zz", 422, "is not a move"),
    ("/try/99", 404, "No game is played on board 99."),
    ("/draw", 200, "0 of 200 tiles lie"),
    ("/draw?tiles=a0.b1&tile=c&cell=2&do=lay", 200, "3 of 200 tiles lie"),
    ("/draw?tiles=a0.c1", 422, "C1 does not fit"),
    ("/draw?tiles=a0.b1&do=back", 200, "1 of 200 tiles lie"),
    (f"/draw?tiles={'a0.' * (art.MOST + 1)}", 422, "A drawing has 200 tiles at most."),
    ("/draw.svg?tiles=a0.z1", 422, "no tile z"),
]


def test_moves_to_try_and_drawings(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await begun(house)
        browser, db = house.browser(), house.server.db
        before = db.execute("SELECT * FROM game").fetchall(), db.execute("SELECT count(*) FROM seen").fetchall()
        for target, status, said in TRIED:
            page = await browser.get(target)
            assert (page.status, said.lower() in page.words.lower()) == (status, True), (
                target,
                page.status,
                page.words,
            )
        svg = await browser.get("/draw.svg?tiles=a0.b1")
        assert svg.header("content-type") == "image/svg+xml" and "attachment" in svg.header("content-disposition")
        assert (
            svg.text.startswith("<svg") and "<style>" in svg.text and "number" not in svg.text.partition("</style>")[2]
        )
        assert before == (
            db.execute("SELECT * FROM game").fetchall(),
            db.execute("SELECT count(*) FROM seen").fetchall(),
        )

    at_home(tmp_path, story, "ann", "bob")


def test_a_game_that_cannot_be_drawn_is_played_by_writing_the_move(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        rooms = house.rooms
        object.__setattr__(rooms, "catalogue", WITH_GRID)
        rooms.letterbox._catalogue = WITH_GRID
        browser = house.browser()
        page = await browser.get("/try?rules=grid&moves=a1")
        assert 'name="cell"' not in page.text and "X  | b1" in page.text
        page = await browser.get("/try?" + urlencode({"rules": "grid", "moves": "a1", "typed": "a1", "do": "typed"}))
        assert "a1 is taken; choose a free square" in page.words and 'value="a1"' in page.text
        page = await browser.get("/try?" + urlencode({"rules": "grid", "moves": "a1", "typed": "b2", "do": "typed"}))
        assert "This is the board after b2." in page.words and re.search(r'href="[^"]*moves=a1.b2"', page.text)

    at_home(tmp_path, story)


@pytest.mark.parametrize("name", laying.FIELDS)
def test_fields_of_any_length_are_refused_in_words(name: str, tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for said in ("9" * 1500, "é\x00<b>", "a1,a1,a1", "#", "a1#"):
            page = await house.browser().get("/try?" + urlencode({"rules": "lambo", name: said}))
            assert page.status == 200 and "<b>" not in page.text.partition("<main")[2]

    at_home(tmp_path, story)
