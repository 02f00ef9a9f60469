"""The page of a board shows what a stranger can ask for by mail, every position of it, and is sent once."""

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from engine.families import CATALOGUE, family_of
from engine.hex.svg import style_sheet
from mailbot.core.model import Judged
from mailbot.shell.post.gallery import Gallery
from mailbot.shell.post.letterbox import templates
from mailbot.shell.post.painters import Painters
from mailbot.shell.web import guard, keeping
from mailbot.shell.web.reading import boards
from mailbot.store.rows import put
from tests.dialogues.play import PASSWORDS, Server
from tests.shell.web.reader import Reader, reading, said

ANN, BOB = PASSWORDS["ann"], PASSWORDS["bob"]
BEGUN = ("begin ann bob", f"ann: lambo challenge ann bob {ANN}", "|Hello <b>Bob</b>, kingfisher", "bob answers: accept")
MOVES = ("ann answers: b6", "|heron & egret", "clock +1d", "bob answers: a3,a12")


def test_it_shows_each_position_with_its_steps(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES)
        now = await reader.get("/board/1")
        assert now.status == 200
        for words in ("Lambo, board 1: ann (Light) against bob (Dark)", "It is ann's turn: ply 3.", "1 d 00 h a3,a12"):
            assert words in now.words
        for ply, links in ((0, "next last"), (1, "first prev next last"), (2, "first prev")):
            then = await reader.get(f"/board/1/{ply}")
            assert [rel for rel in ("first", "prev", "next", "last") if f'rel="{rel}"' in then.html] == links.split()
            moves = ("b6", "a3,a12")[:ply]
            assert family_of("lambo", CATALOGUE).svg("lambo", moves, ("ann", "bob")) in then.html
            assert ("As it was after ply" in then.words) is (ply < 2)
            assert then.html.count("data-now") == (ply == 2)

    reading(tmp_path, act)


def test_it_tells_no_words_of_the_players_and_nothing_that_is_not_there(tmp_path: Path) -> None:
    refused = {
        "/board/7": "There is no board 7.",
        "/board/1/3": "Board 1 has 2 plies so far, so there is no position after ply 3.",
        "/board/2": "Board 2 has not started: ann has still to accept it.",
        "/board/1.json": "The JSON form is only for games that have a result.",
        "/board/1.png": "There is no picture of the board: the server could not make it.",
        "/board/1/live/x": "Not Found",
        f"/board/{'9' * 5000}": "Not Found",
    }

    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES, f"bob: lambo challenge bob ann {BOB}")
        for address in ("/", *(f"/board/1{more}" for more in ("", ".txt", ".sgf", ".svg", "/1", "/1.svg"))):
            got = await reader.get(address)
            assert got.status == 200
            assert not [word for word in ("kingfisher", "heron", "example.org", "Hello") if word in got.html], address
        for address, sentence in refused.items():
            got = await reader.get(address)
            assert (got.status, sentence in got.words) == (404, True), (address, got.words)
        await said(server, "cat: signup cat dog-and-mouse-3", "cat answers: yes")
        for word in ("7", "1#3", "2"):  # by mail a stranger hears the same
            await said(server, f"cat: show {word}")
            letter = server.letters["cat@example.org"][-1].get_body(("plain",))  # type: ignore[attr-defined]
            assert refused[f"/board/{word.replace('#', '/')}"] in " ".join(letter.get_content().split())

    reading(tmp_path, act)


def test_a_browser_that_has_it_gets_it_once(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES)
        pages = ("/", "/board/1", "/board/1/1.svg", "/board/1.svg", "/board/1.txt", "/board/1.sgf")
        tags = {address: (await reader.get(address)).headers["etag"] for address in pages}
        assert len({*tags.values()}) == len(pages)
        for address, tag in tags.items():
            for had in (tag, f'"other", W/{tag}'):
                got = await reader.get(address, if_none_match=had)
                assert (got.status, got.body, got.headers["etag"]) == (304, b"", tag)
        await said(server, "ann answers: c1,c2")
        for address, tag in tags.items():
            known = (await reader.get(address, if_none_match=tag)).status == 304
            assert known is (address == "/board/1/1.svg"), address

    reading(tmp_path, act)


def test_pages_in_memory_are_bounded_and_follow_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    told = boards.told
    monkeypatch.setattr(boards, "told", lambda rooms, board, ply=None: made.append(board) or told(rooms, board, ply))

    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES)
        first = await reader.get("/board/1")
        assert (await reader.get("/board/1")).body == first.body
        assert len(made) == 1
        await said(server, f"ann: lambo propose 1 ann {ANN}", "ann answers: c1,c2")
        assert "It is bob's turn: ply 4." in (await reader.get("/board/1")).words
        await said(server, f"bob: resign 1 bob {BOB}", f"bob: delete bob {BOB}", "bob answers: delete")
        assert "bob" not in (await reader.get("/board/1")).html
        small, large = keeping.Kept(5000), Response(b"x" * 2000, headers={"ETag": '"1"'})
        asking = Request(reader.scope("/"))
        for key in range(9):
            assert small.page(asking, key, lambda: large) is large
            assert small.octets <= 5000
        assert small.page(asking, 8, lambda: Response(b"new")) is large
        assert small.page(asking, 0, lambda: Response(b"gone", 404)).status_code == 404

    reading(tmp_path, act)


def test_a_finished_game_and_its_files(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES, "ann answers: resign 1")
        page = await reader.get("/board/1")
        assert "The game is over, bob has won: ann resigned." in page.words
        assert "data-live" not in page.html
        assert "bob won" in (await reader.get("/")).words
        record = json.loads((await reader.get("/board/1.json")).body)
        assert [player["result"] for player in record["header"]["players"]] == [0, 1]
        for ending, kind, begins in (
            ("txt", "text/plain; charset=utf-8", '[Game "lambo"]'),
            ("sgf", "application/x-go-sgf; charset=utf-8", "(;FF[4]"),
            ("svg", "image/svg+xml", "<svg "),
        ):
            got = await reader.get(f"/board/1.{ending}")
            assert got.headers["content-type"] == kind
            assert got.headers["content-disposition"] == f'inline; filename="lambo-1.{ending}"'
            assert got.html.startswith(begins)
        assert (await reader.get("/board/1/live?seen=3-over")).status == 204

    reading(tmp_path, act)


def test_the_chances_over_the_plies_are_drawn_if_the_computer_has_seen_just_this_game(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        async def seen(moves: str, chances: str) -> None:
            await server.writer.do(lambda store: put(store.db, Judged(1, moves, chances)))

        await said(server, *BEGUN, *MOVES)
        await seen("b6 a3,a12", "50 62 0")
        assert "polyline" not in (await reader.get("/board/1")).html, "a game that runs tells nobody its chances"
        await said(server, "ann answers: resign 1")
        page = await reader.get("/board/1")
        assert 'points="0.0,80 320.0,61 640.0,160 "' in page.html
        assert 'cx="640.0" cy="160"' in page.html
        assert "After ply 0: 50 %. After ply 1: 62 %. After ply 2: 0 %." in page.words
        assert 'cx="320.0" cy="61"' in (await reader.get("/board/1/1")).html
        await seen("b6 a3,a4", "50 62 0")
        assert "polyline" not in (await reader.get("/board/1")).html

    reading(tmp_path, act)


def test_one_network_waits_for_two_pictures_at_most(tmp_path: Path) -> None:
    """Else nobody else gets one."""

    class Slow:
        """A gallery that waits until it is told to go on."""

        def __init__(self) -> None:
            self.go_on = asyncio.Event()

        async def picture(self, wanted: object) -> bytes:
            await self.go_on.wait()
            return b"\x89PNG"

    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES)
        gallery = Slow()
        reader = Reader(server, gallery)  # type: ignore[arg-type]
        guard._BUDGET.set(guard.Budget(lambda seconds: None, lambda: False, {"192.0.2.7": 1}))
        waiting = [asyncio.create_task(reader.get(f"/board/1/{ply}.png")) for ply in (0, 1)]
        await asyncio.sleep(0)
        assert (await reader.get("/board/1.png")).status == 503
        gallery.go_on.set()
        assert [one.status for one in await asyncio.gather(*waiting)] == [200, 200]

    reading(tmp_path, act)


@pytest.mark.skipif(not find_spec("PIL") or not find_spec("resvg_py"), reason="extra `pictures`")
def test_a_picture_is_that_of_a_letter(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, *BEGUN, *MOVES)
        gallery = Gallery(Painters(1), server.letterbox, server.letterbox._reads, server.writer, lambda: server.time)
        try:
            assert "/board/1.png" not in (await reader.get("/board/1")).html, "nobody can make it"
            reader = Reader(server, gallery)
            assert "/board/1.png" in (await reader.get("/board/1")).html
            got = await reader.get("/board/1.png")
            assert got.headers["content-type"] == "image/png"
            assert got.body.startswith(b"\x89PNG")
            assert (await reader.get("/board/1.png", if_none_match=got.headers["etag"])).status == 304
            assert (await reader.get("/board/1/1.png")).body != got.body
        finally:
            await gallery.close()

    reading(tmp_path, act)


def test_the_style_sheet_of_the_page_has_the_drawings_colours() -> None:
    assert style_sheet() in (templates() / "static" / "page.css").read_text()
