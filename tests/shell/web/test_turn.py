"""The link of a letter plays one turn and nothing else; what it shows, and what it does not; turns laid step by
step."""

import logging
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from mailbot.core import tokens
from mailbot.core.games.since import since
from mailbot.core.games.vacations import AUTOMATIC_DAYS
from mailbot.core.model import Game, Move, Preference, States
from mailbot.core.tokens import Token
from mailbot.shell.web import asking
from mailbot.store.rows import put
from tests.dialogues.play import PASSWORDS
from tests.shell.web.visitor import URL, Answer, Browser, House, at_home

ANN, BOB = "ann@example.org", "bob@example.org"
LINK = re.compile(r"Open the board: http://games\.example\.net(/\S+)")


async def begun(house: House, rules: str = "lambo", first: str = "ann") -> str:
    """Board 1 between ann and bob; ann's link."""
    server, (name, _, options) = house.server, rules.partition(" ")
    pair = " ".join(sorted(["ann", "bob"], key=lambda who: who != first))
    said = f"{name} challenge {options} {pair} {PASSWORDS['ann']}"
    assert (await server.accept(server.mail(ANN, said, ""))).startswith("250")
    await server.accept(server.mail(BOB, f"accept 1 bob {PASSWORDS['bob']}", ""))
    return link(await house.letters(), f"{first}@example.org")


def link(letters: list[tuple[str, str]], to: str) -> str:
    """The link in the newest letter to this address."""
    found = [LINK.search(text) for who, text in letters if who == to]
    assert found and found[-1]
    return found[-1][1]


async def played(browser: Browser, page: Answer, move: str) -> Answer:
    """The move, looked at and then played."""
    path = page.path.partition("?")[0]
    shown = await browser.get(f"{path}?{urlencode({'typed': move})}")
    assert "NOTHING HAS BEEN PLAYED YET" in shown.words, shown.words
    return await browser.fill(shown, path)


def told(story: Callable[[House], Awaitable[None]], folder: Path) -> None:
    at_home(folder, story, "ann", "bob")


@pytest.mark.parametrize("wish", ["", "digest 7", "quiet on", "echo off"])
def test_open_see_play_and_what_the_link_says_then(tmp_path: Path, wish: str) -> None:
    async def story(house: House) -> None:
        path = await begun(house)
        assert path.startswith("/turn/t")
        if wish:
            await house.server.accept(house.server.mail(ANN, f"set ann {PASSWORDS['ann']} {wish}", ""))
            await house.letters()
        browser, db = house.browser(), house.server.db

        def rows() -> list[object]:
            return [db.execute(f"SELECT * FROM {name}").fetchall() for name in ("game", "move", "seen", "outbox")]

        before = rows()
        page = await browser.get(path)
        await browser.ask("HEAD", path)
        for query in ("move=a1", "typed=a1", "move=a1&do=back", "cell=1&tile=b&do=lay", "do=lay", "move=zz"):
            assert (await browser.get(f"{path}?{query}")).status == 200
        assert rows() == before, "opening a link changed something"
        assert "It is YOUR TURN: ply 1." in page.words
        assert (page.header("cache-control"), page.header("referrer-policy")) == ("no-store", "no-referrer")

        shown = await browser.get(f"{path}?move=a1")
        await house.server.writer.do(lambda store: put(store.db, Preference(1, AUTOMATIC_DAYS, "3")))
        done = await browser.fill(shown, path)
        assert (done.status, done.header("location")) == (303, path)
        assert AUTOMATIC_DAYS not in house.rooms.reads.preferences(1), "the player is back"
        letters = await house.letters()
        assert {to for to, _ in letters} == {ANN, BOB}, "its owner is told by letter, too"
        assert "You played a1." in dict(letters)[ANN] and "ann played a1." in dict(letters)[BOB]
        assert "/turn/" not in dict(letters)[ANN] and f"{URL}/board/1" in dict(letters)[ANN]

        again = await browser.fill(shown, path)
        other = await played(browser, await browser.get(link(letters, BOB)), "b2,c9")
        assert (again.status, other.status) == (200, 303) and house.rooms.reads.texts(1) == ["a1", "b2,c9"]
        page = await browser.get(path)
        assert "You have played a1 in the turn of this link. Since then came b2,c9 by bob." in page.words
        assert 'href="/board/1"' in page.text and "<form" not in page.text.partition("<main")[2]
        late = await browser.post(path, shown.form(path).fields | {"move": "a4,a5"})
        assert "You have played a1" in late.words and len(house.rooms.reads.texts(1)) == 2

    told(story, tmp_path)


def test_a_used_link_shows_no_later_words(tmp_path: Path) -> None:
    """A letter may be forwarded; what comes after its turn is none of the reader's business."""

    async def story(house: House) -> None:
        path = await begun(house)
        browser = house.browser()
        await played(browser, await browser.get(path), "a1")
        words = f"move 1 bob {PASSWORDS['bob']} b2,c9"
        await house.server.accept(house.server.mail(BOB, words, "My secret: we meet at nine."))
        fresh = await browser.get(link(await house.letters(), ANN))
        assert "bob says: My secret" in fresh.words
        used = await browser.get(path)
        assert "You have played a1" in used.words and "secret" not in used.words

    told(story, tmp_path)


@pytest.mark.parametrize("where", ["the link", "the board", "its turn"])
def test_words_of_the_opponent_stand_in_a_quotation(tmp_path: Path, where: str) -> None:
    """However many paragraphs he writes: none of them looks like a sentence of the server."""

    async def story(house: House) -> None:
        await begun(house)
        words = "Good luck.\n\nIt is YOUR TURN, but press `Resign` first."
        await house.server.accept(house.server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} a1", words))
        pages = {"the link": link(await house.letters(), BOB), "the board": "/board/1", "its turn": "/board/1/turn"}
        browser = await house.browser().log_in("bob")
        page = await browser.get(pages[where])
        quoted = "".join(re.findall("<blockquote>(.*?)</blockquote>", page.text, re.DOTALL))
        assert "Good luck." in quoted and "but press `Resign` first." in quoted
        rest = page.text.replace(quoted, "")
        assert "ann says:" in rest and "Good luck" not in rest and "press" not in rest

    told(story, tmp_path)


def test_a_turn_by_a_link_answers_no_question_unseen(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        path = await begun(house)
        browser = house.browser()
        shown = await browser.get(f"{path}?typed=a1")
        await house.server.accept(house.server.mail(BOB, f"propose 1 bob {PASSWORDS['bob']}", ""))
        again = await browser.fill(shown, path)
        assert again.status == 422 and "This board has changed since you opened the page" in again.words
        assert "draw" in again.words and not house.rooms.reads.texts(1)
        assert (await browser.fill(again, path)).status == 303 and house.rooms.reads.texts(1) == ["a1"]

    told(story, tmp_path)


def test_a_turn_by_a_link_is_confirmed_although_a_question_was_answered_before(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        path = await begun(house)
        for who, said in (("bob", "propose 1"), ("ann", "decline 1")):
            await house.server.accept(house.server.mail(f"{who}@example.org", f"{said} {who} {PASSWORDS[who]}", ""))
        path = link(await house.letters(), ANN)
        browser = house.browser()
        assert (await browser.fill(await browser.get(f"{path}?typed=a1"), path)).status == 303
        assert "Your last turn on this board was a1, and bob has not played since." in (await browser.get(path)).words

    told(story, tmp_path)


def test_a_turn_by_a_link_brings_the_letters_back(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        path = await begun(house)
        await house.server.accept(house.server.mail(ANN, f"signoff ann {PASSWORDS['ann']}", ""))
        await house.letters()
        await played(house.browser(), await house.browser().get(path), "a1")
        letters = [text for to, text in await house.letters() if to == ANN]
        assert any("You played a1." in text for text in letters)
        player = house.rooms.reads.player_named("ann")
        assert player and player.state == "active"

    told(story, tmp_path)


REFUSED = [
    "resign",
    "resign 1",
    "propose",
    "undo",
    "accept",
    "pass",
    "a1 propose",
    "a1 undo",
    "queue a1",
    "submit a1",
    "chat",
    "signoff",
    "help",
    "move 2 a1",
    f"lambo move 1 bob {PASSWORDS['bob']} a1",
    "",
    "a1\nresign 1",
    "a1 a2",
    "z1",
    "a1,a2",
    "a999999999",
    "<script>alert(1)</script>",
]


def test_a_link_does_nothing_but_play_that_turn(tmp_path: Path) -> None:
    """It may be in the hands of a stranger."""

    async def story(house: House) -> None:
        path = await begun(house)
        browser, db = house.browser(), house.server.db
        kept = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
        kept = [name for name in kept if name != "sqlite_sequence" and not name.startswith("_")]

        def rows() -> dict[str, list[object]]:
            return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in kept}

        fields = (await browser.get(f"{path}?move=a1")).form(path).fields
        before = rows()
        for number, said in enumerate(REFUSED):
            answer = await browser.post(path, {**fields, "move": said, "once": str(number), "words": "Ha!"})
            assert answer.status == 422, (said, answer.status, answer.words)
            assert 'role="alert"' in answer.text and "<script>alert" not in answer.text, said
        assert rows() == before
        resigned = await browser.post(path, {**fields, "move": "resign 1", "once": "x"})
        assert "The link of a letter plays one turn and does nothing else" in resigned.words
        assert rows() == before and not await house.letters()
        for _ in range(2):  # what was refused has not been done: the same form may do it, once
            assert (await browser.post(path, {**fields, "move": "a1", "once": "0"})).status in (200, 303)
        assert db.execute("SELECT text FROM move").fetchall() == [("a1",)]
        assert len(rows()["seen"]) == len(before["seen"]) + 1

    told(story, tmp_path)


def test_a_move_by_mail_overtakes_the_button(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page that refuses shows the board as it is now."""

    async def story(house: House) -> None:
        path, server, ask = await begun(house), house.server, asking.ask
        fields = (await house.browser().get(f"{path}?move=a1")).form(path).fields

        async def overtaken(*said: Any, **more: Any) -> Any:
            await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b2", ""))
            return await ask(*said, **more)

        monkeypatch.setattr(asking, "ask", overtaken)
        page = await house.browser().post(path, fields)
        assert page.status == 422 and "You have played b2 in the turn of this link." in page.words
        assert house.rooms.reads.texts(1) == ["b2"]

    told(story, tmp_path)


def test_no_other_token_is_a_link_and_a_link_is_no_reply_address(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        path = await begun(house)
        server, browser = house.server, house.browser()
        key = next(iter(server.store.keys().values()))
        text = path.removeprefix("/turn/")
        found = tokens.read(text)
        holder = house.rooms.reads.player(1)
        assert found and holder
        epoch = holder.token_epoch
        for kind in tokens.KINDS:
            other = tokens.write(found.token._replace(kind=tokens.Kind(kind)), key, found.key_id, epoch)
            assert (await browser.get(f"/turn/{other}")).status == (200 if kind == tokens.LINK else 403), kind
        wrong = [
            Token(tokens.LINK, 2, 1, 2),  # bob's: it is not his turn
            Token(tokens.LINK, 99, 1, 2),
            Token(tokens.LINK, 1, 99, 2),
        ]
        for token in wrong:
            page = await browser.get(f"/turn/{tokens.write(token, key, found.key_id, epoch)}")
            assert page.status == 403 or "It is ann's turn" in page.words
        assert (await browser.get(f"/turn/{text[:-1]}{'b' if text[-1] == 'a' else 'a'}")).status == 403
        assert (await browser.get("/turn/x")).header("cache-control") == "no-store"
        for sender in (ANN, BOB):
            mail = server.mail(sender, "Re: x", "a1", server.own.token_address(text))
            assert (await server.accept(mail)).startswith("550")
        assert house.rooms.reads.texts(1) == []
        await server.accept(server.mail(ANN, f"change password ann {PASSWORDS['ann']} another-word-77", ""))
        assert (await browser.get(path)).status == 403, "a new password ends all links"

    told(story, tmp_path)


def test_a_token_is_in_no_log_and_goes_on_to_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(house: House) -> None:
        path = await begun(house)
        server, browser = house.server, house.browser()
        words = f"Look:\nOpen the board: {URL}{path}\n{URL}{path.upper()}!"
        await server.accept(server.mail(ANN, f"chat 1 ann {PASSWORDS['ann']}", words))
        heard = dict(await house.letters())[BOB]
        assert "Look:" in heard and path.removeprefix("/turn/") not in heard.lower()
        await browser.get(path)
        await browser.get(f"{path}x")
        await played(browser, await browser.get(path), "a1")
        await browser.post(path, {"move": "resign"})
        assert "page " in caplog.text
        assert path.removeprefix("/turn/")[:-3] not in caplog.text

    caplog.set_level(logging.DEBUG)
    told(story, tmp_path)


@pytest.mark.parametrize("page", [URL, ""])
def test_letters_have_a_link_if_there_is_a_page_and_the_player_wants_it(page: str, tmp_path: Path) -> None:
    async def story(house: House) -> None:
        server = house.server
        server.letterbox.page = page
        for word in ("off", "on"):
            await server.accept(server.mail(ANN, f"set ann {PASSWORDS['ann']} links {word}", ""))
            await house.letters()
            await server.accept(server.mail(ANN, f"lambo challenge ann bob {PASSWORDS['ann']}", ""))
            number = 1 if word == "off" else 2
            await server.accept(server.mail(BOB, f"accept {number} bob {PASSWORDS['bob']}", ""))
            letters = [letter for _, _, letter in server.new_letters() if letter["To"] == ANN]
            whole = letters[-1].as_string().replace("=\n", "")
            assert ("/turn/t1-" in whole) == bool(word == "on" and page)
            html = letters[-1].get_body(("html",)).get_content()  # type: ignore[attr-defined]
            assert (">Open the board</a>" in html) == bool(word == "on" and page)

    told(story, tmp_path)


ONE = Game(7, "lambo", 1, 2, States.RUNNING, 3, 1, 2, None, "", 0, 0)
SINCE = [
    ({"ply": 0, "to_move": 1}, 0, 2, []),
    ({"ply": 0, "to_move": 1, "asks": "draw", "asks_by": 2}, 0, 2, []),
    ({"ply": 0, "to_move": 0, "state": States.OVER}, 0, 2, ["Board 7 is over."]),
    ({"ply": 1}, 1, 2, ["You have played a1 in the turn of this link."]),
    ({"ply": 2, "to_move": 1}, 2, 2, ["You have played a1 in the turn of this link.", "Since then came b2,c9 by bob."]),
    (
        {"ply": 3},
        3,
        2,
        [
            "You have played a1 in the turn of this link.",
            "2 turns have been played since; the last was c4,c5 by you.",
        ],
    ),
    ({"ply": 2, "to_move": 1, "taken_back": 2}, 2, 6, ["Board 7 has changed since the letter with this link: turns"]),
    ({"ply": 0, "to_move": 1, "taken_back": 2}, 0, 2, ["Board 7 has changed since the letter with this link: turns"]),
    ({"ply": 2, "to_move": 1}, 2, 400, ["Board 7 has changed since the letter with this link: turns"]),
]


@pytest.mark.parametrize(("changes", "ply", "stamp", "said"), SINCE)
def test_what_has_happened_since(changes: dict[str, object], ply: int, stamp: int, said: list[str]) -> None:
    moves = [Move(7, n, 2 - n % 2, text, "", 0) for n, text in enumerate(("a1", "b2,c9", "c4,c5"), 1)][:ply]
    found = since(ONE._replace(**changes), moves, ("ann", "bob"), 1, stamp)  # type: ignore[arg-type]
    assert len(found) == len(said) and all(line.startswith(start) for line, start in zip(found, said, strict=True))


RULES = [
    "lambo -swap",
    "lambo -anywhere -eat_enemy=1 -size=12",
    "palago -must_contain -size=9",
    "mambo",
    "mambo -mamba -size=12",
    "mambo -mambogo -swap -size=14",
]


@pytest.mark.parametrize("rules", RULES)
def test_every_variant_can_be_played_by_choosing_tile_and_cell(rules: str, tmp_path: Path) -> None:
    """Without a script, by what the page offers, until the game is over or the turns are enough."""

    async def story(house: House) -> None:
        chance, browser = random.Random(rules), house.browser()
        page = await browser.get(f"/try?{urlencode({'rules': rules})}")
        turns, refused = 0, 0
        while "next turn" in page.text.lower() or 'name="cell"' in page.text:
            if onward := re.search(r'class="button main" href="([^"]+)">Next turn', page.text):
                turns += 1
                if turns == 6:
                    break
                page = await browser.get(onward[1].replace("&amp;", "&"))
                continue
            if "Swap seats" in page.text and turns == 1 and "-swap" in rules and not refused:
                swap = await browser.get(f"{page.path}&typed=swap&do=typed")
                assert "This is the board after swap" in swap.words
            cells = re.findall(r'name="cell" value="(\d+)"', page.text)
            tiles = re.findall(r'name="tile" value="(\w)"', page.text)
            form = next(form for form in page.read.forms if "lay" in page.text and form.action == "/try")
            fields = form.fields | {"cell": chance.choice(cells), "tile": chance.choice(tiles), "do": "lay"}
            page = await browser.get(f"/try?{urlencode(fields)}")
            refused += 'class="refused"' in page.text
            assert page.status == 200 and refused < 60
        assert turns == 6 or "wins" in page.words or "a draw" in page.words or "is over" in page.words, page.words[:500]

    at_home(tmp_path, story)


def test_a_link_plays_no_move_after_the_flag(tmp_path: Path) -> None:
    """Though the ticker has not judged it yet: behind a mail server that takes minutes."""

    async def story(house: House) -> None:
        path = await begun(house, "lambo -clock=1d")
        await house.server.accept(house.server.mail(ANN, f"set ann {PASSWORDS['ann']} autovacation off", ""))
        browser = house.browser()
        shown = await browser.get(f"{path}?move=a1")
        house.server.time += 86_400 + 5
        await browser.fill(shown, path.partition("?")[0])
        game = house.rooms.reads.game(1)
        assert game and game.ply == 0 and game.state != States.RUNNING

    told(story, tmp_path)
