"""Pages for everybody: each link leads somewhere, no page tells more than a mail to a stranger, words are escaped."""

import asyncio
import re
from html import unescape
from pathlib import Path
from threading import get_ident
from typing import Any
from xml.etree import ElementTree

import pytest

from mailbot.core.commands import ROWS
from mailbot.core.hosting import standing
from mailbot.core.language.topics import topics
from mailbot.core.letters import pieces
from mailbot.core.puzzles import days
from mailbot.shell.web.guard import Guard, Limits
from mailbot.shell.web.keeping import WAITING
from mailbot.shell.web.reading import players
from tests.dialogues.play import PASSWORDS, Server
from tests.shell.web.reader import Reader, reading, said

ANN, BOB, CAT = (PASSWORDS[name] for name in ("ann", "bob", "cat"))
ATOM = "{http://www.w3.org/2005/Atom}"
SCRIPT = "<script>alert(1)</script> & a kingfisher"
CUP = f'tournament create ann {ANN} "Spring Cup" -format={{}} -game="lambo -size=16" -max=3'
ENTERED = (f"ann: join 1 ann {ANN}", f"bob: join 1 bob {BOB}", f"cat: join 1 cat {CAT}", "clock +1s", "clock +1s")
SECRETS = ("example.org", "heron", ANN, BOB, CAT, "correct-horse", "autovacation")
"""Addresses, words between players, passwords, settings."""


async def crawled(reader: Reader) -> dict[str, str]:
    """All pages that can be reached from the first one, by address."""
    found: dict[str, str] = {}
    todo = ["/"]
    while todo:
        path = todo.pop()
        if path in found or re.match(r"/(static|me|login|join|do|offers|try|draw)\b|.*/(do|turn)$", path):
            continue
        got = await reader.get(path)
        if path.endswith(".png"):
            continue
        assert got.status == 200, path
        found[path] = got.html
        links = [unescape(link) for link in re.findall(r'(?:href|data-live)="([^"#]*)', got.html)]
        links = [path.partition("?")[0] + link if link.startswith("?") else link for link in links]
        todo += [link for link in links if link.startswith("/") and "/live" not in link and link not in found]
    return found


def test_every_link_leads_somewhere_and_no_page_tells_a_secret(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob cat", "eva: signup eve-the-hidden rosy-apples-5", "eva answers: yes")
        await said(server, f"ann: broadcast ann {ANN}", f"|{SCRIPT}")
        await said(server, f"ann: {CUP.format('roundrobin')}", f"|{SCRIPT}", *ENTERED)
        await said(server, f"bob: lambo challenge bob ann {BOB}", "|heron", "ann answers: accept", "|heron")
        await said(
            server, "bob answers: b6", "|heron", f"cat: mambo seek cat {CAT}", f"cat: set cat {CAT} autovacation off"
        )
        await said(server, f"bob: resign 4 bob {BOB}", f"bob: chat 4 bob {BOB}", "|heron")
        pages = await crawled(reader)
        kinds = ("/board/4/0", "/board/4/0.svg", "/board/4/feed.atom", "/board/4.json", "/player/bob", "/tournament/1")
        assert {*kinds, "/tournament/1/feed.atom", "/feed.atom", "/news", "/help/set", "/"} <= {*pages}
        for path, html in pages.items():
            assert not [word for word in (*SECRETS, "eve-the-hidden") if word in html and "/help" not in path], path
            assert "<script>alert" not in html, path
        shown = [path for path in pages if "&lt;script&gt;alert(1)&lt;/script&gt; &amp; a kingfisher" in pages[path]]
        assert {*shown} == {"/news", "/feed.atom", "/tournament/1"}
        await said(server, f"ann: delete ann {ANN}", "ann answers: delete")
        for path, html in (await crawled(reader)).items():
            assert path.startswith("/help") or not re.search(r"\bann\b|to everybody", html), path

    reading(tmp_path, act)


def test_a_player_whom_a_stranger_may_not_know_is_nobody(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob cat", "eva: signup eve-the-hidden rosy-apples-5", "eva answers: yes")
        await said(server, f"ann: lambo challenge ann bob {ANN}", "bob answers: accept")
        for name in ("nobody-of-that-name", "eve-the-hidden", "zed", "eva"):
            got = await reader.get(f"/player/{name}")
            await said(server, f"cat: games {name} all")
            letter = server.letters["cat@example.org"][-1].get_body(("plain",))  # type: ignore[attr-defined]
            sentence = letter.get_content().splitlines()[0]
            assert sentence.endswith("has no boards.")
            assert (got.status, sentence in got.words) == (404, True), (sentence, got.words)
        assert "ann - bob" in (await reader.get("/player/ANN")).words
        assert (await reader.get("/player/ann%27%22%3Cb%3E")).status == 404

    reading(tmp_path, act)


def test_ratings_have_a_plot_and_long_lists_have_pages(tmp_path: Path) -> None:
    assert players.plot([1500, 1520]) == {} == players.plot([1500] * 9)
    course = players.plot([1500, 1600, 1550])
    assert (course["points"], course["low"], course["high"]) == ("0,160 300,0 600,80", 1500, 1600)

    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob", f"bob: set bob {BOB} accept all yes")
        for _ in range(4):
            await said(server, f"ann: lambo challenge ann bob {ANN}")
            number = server.db.execute("SELECT max(id) FROM game").fetchone()[0]
            for move in ("ann: lambo move {} ann " + ANN + " b6", "bob: lambo move {} bob " + BOB + " a3,a12"):
                await said(server, move.format(number))
            for who, secret in (("ann", ANN), ("bob", BOB)):
                more = "c1,a2" if who == "ann" else "c4,b5"
                await said(server, f"{who}: lambo move {number} {who} {secret} {more}")
            await said(server, f"bob: resign {number} bob {BOB}", "clock +1d")
        page = await reader.get("/player/ann")
        assert page.html.count("<polyline") == 1
        assert "The rating in lambo over 4 games, from" in page.words
        assert "1 to 4 of 4, the latest at the end." in page.words
        later = await reader.get("/player/ann?from=3")
        assert "3 to 4 of 4" in later.words
        assert 'href="?from=1"' in later.html
        ranked = await reader.get("/standings/lambo")
        assert "Standings lambo" in ranked.words
        assert "There is no such category; the categories are lambo, " in (await reader.get("/standings/<x>")).words
        assert "1 ann 4 4 0 0 2 bob 4 0 4 0" in (await reader.get("/standings")).words
        assert (await reader.get("/standings?from=2")).words.endswith("2 bob 4 0 4 0 First")
        assert "from number 3 on" in (await reader.get("/boards?from=3")).words
        for odd in ("?from=99", "?from=-1", "?from=x", "?from=%F0%9F%98%80", "?from=0"):
            assert (await reader.get(f"/player/ann{odd}")).status == 200

    reading(tmp_path, act)


def test_a_round_robin_has_a_cross_table_and_says_what_can_still_happen(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob cat", f"ann: {CUP.format('roundrobin')}", *ENTERED)
        await said(server, f"ann: resign 1 ann {ANN}", f"bob: resign 2 bob {BOB}")
        page = await reader.get("/tournament/1")
        for words in (
            "Tournament 1, Spring Cup: everybody meets everybody (roundrobin).",
            "can reach",
            "'can reach' is the best and the worst place",
            "Who has beaten whom",
            "Games round board players result",
            "begun",
        ):
            assert words in page.words, words
        cells = {
            row[0]: [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", row[1])]
            for row in re.findall(r'<th scope="row">\d\. <a[^>]*>(\w+)</a></th>(.*)</tr>', page.html)
        }
        games = server.db.execute("SELECT player1, player2, winner FROM game ORDER BY id").fetchall()
        names = dict(server.db.execute("SELECT id, userid FROM player").fetchall())
        order = list(cells)
        assert len(order) == len(games) == 3
        for one, two, winner in games:
            mine = "·" if winner is None else {1: "1", 2: "0"}[winner]
            theirs = "·" if winner is None else {1: "0", 2: "1"}[winner]
            assert cells[names[one]][order.index(names[two])] == mine
            assert cells[names[two]][order.index(names[one])] == theirs
        for at, name in enumerate(order):
            assert cells[name][at] == "×"
            assert cells[name][-1] == str(sum(cell == "1" for cell in cells[name][:-1]))
        assert "is no ladder" in (await reader.get("/ladder/1")).words

    reading(tmp_path, act)


def test_a_costly_page_is_made_once_and_beside_everything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    whole = standing.whole

    def counted(*asked: Any) -> Any:
        made.append(get_ident())
        return whole(*asked)

    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob cat", f"ann: {CUP.format('roundrobin')}", *ENTERED)
        monkeypatch.setattr(standing, "whole", counted)
        for path in ("/tournament/1", "/tournament/1?from=2", "/tournament/1/feed.atom"):
            page = await reader.get(path)
            assert page.status == 200
            assert get_ident() not in made
            made.clear()
            assert (await reader.get(path, if_none_match=page.headers["etag"])).status == 304
            assert (await reader.get(path)).body == page.body
            assert not made, path
        other = await reader.get("/tournament/0001/feed.atom")
        assert other.body == (await reader.get("/tournament/1/feed.atom")).body and b"/0001/" not in other.body
        for first in (3, 51, 999_999):
            assert (await reader.get(f"/tournament/1?from={first}")).status == 200
            assert not made, "the same part as from the second line on"
        sql = "SELECT userid FROM game JOIN player ON player.id = player1 ORDER BY game.id"
        first, second = (name for (name,) in server.db.execute(sql).fetchmany(2))
        await said(server, f"{first}: resign 1 {first} {PASSWORDS[first]}")
        reader.seconds_each = 0.5
        before, asked = await reader.get("/tournament/1"), server.time
        await said(server, f"{second}: resign 2 {second} {PASSWORDS[second]}")
        server.time = asked + 9
        assert (await reader.get("/tournament/1")).body == before.body, "shown for ten seconds"
        assert (await reader.get("/tournament/1?from=2")).status == 200, "another part of it"
        server.time = asked + 10
        network = Guard(reader.site, reader.rooms.url, clock=lambda: 0.0, cpu=lambda: 0.0, limits=Limits(work=0.5))
        reader.site, pages = network, ("/tournament/1", "/tournament/1?from=2", "/tournament/1/feed.atom", "/news")
        assert [(await reader.get(path)).status for path in pages] == [200, 429, 429, 429]
        assert (await reader.get("/tournament/1", client="198.51.100.7")).body != before.body

    reading(tmp_path, act)


def test_a_finished_tournament_does_not_keep_the_name_of_a_director_who_is_gone(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        enters = f"dan: join 1 dan {PASSWORDS['dan']}"
        await said(server, "begin ann bob cat dan", f"ann: {CUP.format('roundrobin')}", enters, *ENTERED[1:])
        sql = "SELECT game.id, userid FROM game JOIN player ON player.id = player1 WHERE game.state = 'running'"
        for number, name in server.db.execute(sql).fetchall():
            await said(server, f"{name}: resign {number} {name} {PASSWORDS[name]}")
        await server.clock(60)
        assert server.db.execute("SELECT stage FROM tournament").fetchone() == ("over",)
        paths = ("/tournament/1", "/tournament/1/feed.atom")
        assert "ann" in (await reader.get(paths[0])).words
        await said(server, f"ann: delete ann {ANN}", "ann answers: delete")
        for path in paths:
            assert not re.search(r"\bann\b", (await reader.get(path)).body.decode()), path

    reading(tmp_path, act)


def test_who_waits_for_the_thread_is_asked_again_for_time(tmp_path: Path) -> None:
    """Else one network could have fifty pages made at once, and everybody else would wait for them."""

    async def act(server: Server, reader: Reader) -> None:
        reader.seconds_each = 0.5
        reader.site = Guard(reader.site, reader.rooms.url, clock=lambda: 0.0, cpu=lambda: 0.0, limits=Limits(work=1.0))
        pages = await asyncio.gather(*(reader.get("/draw?tiles=a0") for _ in range(5)))
        assert [page.status for page in pages] == [200, 200, 429, 429, 429]
        assert (await reader.get("/draw?tiles=a0", client="198.51.100.7")).status == 200

    reading(tmp_path, act)


def test_one_network_has_a_few_places_in_the_queue_of_the_thread(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        reader.site = Guard(reader.site, reader.rooms.url, clock=lambda: 0.0, cpu=lambda: 0.0)
        async with reader.rooms.alone:  # the thread is busy, so they wait
            pages = [asyncio.create_task(reader.get("/draw?tiles=a0")) for _ in range(10)]
            another = asyncio.create_task(reader.get("/draw?tiles=a0", client="198.51.100.7"))
            for _ in range(50):
                await asyncio.sleep(0)
        *mine, other = await asyncio.gather(*pages, another)
        assert [page.status for page in mine].count(503) == 10 - WAITING and other.status == 200
        assert not reader.rooms.waiting and not reader.rooms.alone.locked()

    reading(tmp_path, act)


def test_a_knock_out_has_a_bracket(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob cat", f"ann: {CUP.format('knockout')}", *ENTERED)
        page = await reader.get("/tournament/1")
        assert "Bracket Semifinals" in page.words
        assert "nobody" in page.words
        (first,) = server.db.execute("SELECT player1 FROM game").fetchone()
        loser = dict(server.db.execute("SELECT id, userid FROM player").fetchall())[first]
        for board in (1, 2):
            await said(server, f"{loser}: resign {board} {loser} {PASSWORDS[loser]}", "clock +2s", "clock +2s")
        page = await reader.get("/tournament/1")
        won = re.search(r'<p class="won"><a [^>]*>(\w+)</a> \(goes on\) <span>2</span></p>', page.html)
        assert won
        assert won[1] != loser
        assert "Final" in page.words
        assert "Who has beaten whom" not in page.words

    reading(tmp_path, act)


def test_the_help_is_that_of_the_letters(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        pages = dict.fromkeys(topics(ROWS, reader.rooms.catalogue).values())
        for page in pages:
            got = await reader.get(f"/help/{page.replace(' ', '_')}")
            facts = {"topic": page, "asked": "", "other": False}
            blocks = pieces.blocks(server.letterbox.marked("help", facts, {}, has_token=False))
            assert got.status == 200, page
            here = re.sub(r"[`\s]", "", got.words)
            lines = [line for block in blocks if block.kind == "prose" for line in block.lines]
            assert not [line for line in lines if re.sub(r"[`\s]", "", line) not in here], page
            drawn = sum(block.kind == "drawing" and bool(block.values) for block in blocks)
            assert got.html.count('class="board ') == drawn, page
        assert "perhaps you mean this one" in (await reader.get("/help/chalenge")).words
        assert (await reader.get("/help/chalenge")).status == 404
        assert (await reader.get("/help")).html.count('aria-current="page"') == 1

    reading(tmp_path, act)


def test_feeds_are_atom_and_have_one_entry_for_each_event(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        await said(server, "begin ann bob cat", f"ann: broadcast ann {ANN}", "|Tea at four?")
        await said(server, f"ann: {CUP.format('roundrobin')}", *ENTERED)
        (board,) = server.db.execute("SELECT min(id) FROM game WHERE 1 IN (player1, player2)").fetchone()
        await said(server, f"ann: resign {board} ann {ANN}")
        titles = {}
        for path in ("/feed.atom", f"/board/{board}/feed.atom", "/tournament/1/feed.atom"):
            got = await reader.get(path)
            assert got.headers["content-type"] == "application/atom+xml; charset=utf-8"
            feed = ElementTree.fromstring(got.body)
            entries = feed.findall(f"{ATOM}entry")
            ids = [one.findtext(f"{ATOM}id") for one in entries]
            assert len({*ids}) == len(ids) > 0
            assert feed.findtext(f"{ATOM}updated") == max(one.findtext(f"{ATOM}updated") or "" for one in entries)
            titles[path] = [one.findtext(f"{ATOM}title") or "" for one in entries]
        assert any(title.endswith(" won") for title in titles[f"/board/{board}/feed.atom"])
        assert {"ann to everybody", "Tournament 1, Spring Cup: begun"} <= {*titles["/feed.atom"]}
        assert "bob entered" in titles["/tournament/1/feed.atom"]
        assert "Tea at four?" in (await reader.get("/feed.atom")).html
        await server.writer.do(
            lambda store: store.db.execute("UPDATE player SET state = 'locked' WHERE userid = 'ann'")
        )
        assert "Tea at four?" not in (await reader.get("/news")).html

    reading(tmp_path, act)


def test_the_puzzle_of_the_day_is_shown_to_everybody_without_its_solution(tmp_path: Path) -> None:
    async def act(server: Server, reader: Reader) -> None:
        shown, today = await reader.get("/puzzle"), days.of_day(server.time // 86_400)
        assert shown.status == 200 and f"1 of {today.turns} turns wins" in shown.html and "<svg" in shown.html
        assert today.solutions[0] not in shown.html and 'href="/do/solve"' in shown.html

    reading(tmp_path, act)
