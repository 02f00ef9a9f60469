"""A form for each command: it is done once, as the same line by mail; what is wrong stands at its field."""

import asyncio
from html import unescape
from itertools import count
from pathlib import Path

import pytest

from engine.hex import words
from mailbot.core.commands import BY_NAME, ROWS
from mailbot.core.model import States
from mailbot.shell.web import asking
from mailbot.shell.web.forms import fields, sheets
from tests.dialogues.play import PASSWORDS
from tests.shell.web.visitor import Browser, House, at_home


async def game(house: House) -> tuple[Browser, Browser]:
    """Ann and bob, logged in, and board 1 between them, with ann to move."""
    ann, bob = await house.browser().log_in("ann"), await house.browser().log_in("bob")
    page = await ann.fill(await ann.get("/do/challenge"), "/do/challenge")
    assert page.status == 422
    page = await ann.post("/do/challenge", challenge(await ann.get("/do/challenge")))
    assert page.status == 200, page.words
    page = await bob.fill(await bob.get("/do/accept?board=1"), "/do/accept", words="Have fun!")
    assert (page.status == 200 and "Lambo 1" in page.words) or "Board 1" in page.words
    await house.letters()
    return ann, bob


def challenge(page: object) -> dict[str, str]:
    form = next(form for form in page.read.forms if "opponent" in form.fields)  # type: ignore[attr-defined]
    return form.fields | {"game": "lambo", "opponent": "bob", "first": "me"}  # type: ignore[no-any-return]


def test_a_form_does_what_the_line_does(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, bob = await game(house)
        page = await ann.get("/do/move?board=1")
        moved = await ann.fill(page, "/do/move", move="c1", words=f"My word.\n{PASSWORDS['ann']} move 1 ann")
        assert moved.status == 200 and 'href="/board/1"' in moved.text
        ((to, text),) = await house.letters()
        assert to == "bob@example.org" and "My word." in text and "c1" in text

        again = await ann.fill(page, "/do/move", move="c1")
        assert "This form was sent before, on 2026-03-01 12:00 UTC" in again.words and 'href="/board/1"' in again.text
        other = await ann.fill(page, "/do/move", move="a2")
        assert "Nothing has been done twice." in other.words
        assert house.rooms.reads.texts(1) == ["c1"] and not await house.letters()

        page = await bob.fill(await bob.get("/do/move"), "/do/move", board="1", move="z9,z9", words="<b>Hm</b>")
        assert page.status == 422
        form = page.form("/do/move")
        assert form.fields["move"] == "z9,z9" and form.fields["words"] == "<b>Hm</b>" and form.fields["board"] == "1"
        assert 'id="s0-move-wrong"' in page.text and "aria-invalid" in page.text

    at_home(tmp_path, story, "ann", "bob")


def test_no_game_is_resigned_by_one_tap(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, _ = await game(house)
        page = await ann.fill(await ann.get("/do/resign?board=1&sure=yes"), "/do/resign")
        assert page.status == 422 and fields.UNSURE in page.words
        assert house.rooms.reads.game(1).state == States.RUNNING  # type: ignore[union-attr]
        page = await ann.post("/do/resign", page.form("/do/resign").fields | {"sure": "yes"})
        assert page.status == 200, page.words
        assert house.rooms.reads.game(1).state == States.OVER  # type: ignore[union-attr]

    at_home(tmp_path, story, "ann", "bob")


def test_what_the_writer_works_for_a_form_is_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[float] = []
    monkeypatch.setattr(asking, "charge", charged.append)

    async def story(house: House) -> None:
        ann, _ = await game(house)
        clock = count()
        object.__setattr__(house.rooms, "cpu", lambda: float(next(clock)))
        charged.clear()
        await ann.fill(await ann.get("/do/move?board=1"), "/do/move", move="c1")
        await ann.fill(await ann.get("/do/move?board=1"), "/do/move", move="c1")
        assert [seconds > 0 for seconds in charged] == [True, True]

    at_home(tmp_path, story, "ann", "bob")


def test_the_page_refuses_in_the_words_of_a_letter(tmp_path: Path) -> None:
    rows = [
        ("move 1 ann PW z2", "move", {"board": "1", "move": "z2"}),
        ("move 7 ann PW a2", "move", {"board": "7", "move": "a2"}),
        ("accept 1 ann PW", "accept", {"board": "1"}),
        ("undo 1 ann PW", "undo", {"board": "1"}),
        ("take 3 ann PW", "take", {"n": "3"}),
        ("lambo seek -sise=4 ann PW", "seek", {"game": "lambo", "rules": "-sise=4"}),
        ("set ann PW digest 25", "set", {"setting": "digest 25"}),
        ("set ann PW colour red", "set", {"setting": "colour red"}),
        ("vacation ann PW 2026-12-24 2026-12-20", "vacation", {"when": "2026-12-24 2026-12-20"}),
        ("grant 1 ann PW 3d", "grant", {"board": "1", "time": "3d"}),
        ("join 4 ann PW", "join", {"n": "4"}),
        ("rematch 1 ann PW", "rematch", {"board": "1"}),
        ("hint 1 ann PW", "hint", {"board": "1"}),
        ("analyse 1 ann PW", "analyse", {"board": "1"}),
        ("change address ann PW ann@example.org", "change-address", {"address": "ann@example.org"}),
    ]

    async def story(house: House) -> None:
        ann, bob = await game(house)
        await bob.fill(await bob.get("/do/undo"), "/do/undo", board="1")
        for line, slug, typed in rows:
            page = await ann.post(f"/do/{slug}", (await ann.get(f"/do/{slug}")).form(f"/do/{slug}").fields | typed)
            await house.letters()
            house.server.time += 7200
            await house.server.accept(house.server.mail("ann@example.org", line.replace("PW", PASSWORDS["ann"]), ""))
            letters = [text for to, text in await house.letters() if to == "ann@example.org"]
            said = page.text.split('role="alert"')[1:]
            assert page.status == 422 and len(said) == 1, (line, page.words)
            sentence = " ".join(said[0].partition(">")[2].partition("<")[0].split())
            words = [" ".join(text.split()) for text in letters]
            assert len(words) == 1 and unescape(sentence) in words[0], (line, sentence, words)

    at_home(tmp_path, story, "ann", "bob")


def test_answers_that_prove_something_go_by_letter(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await house.browser().log_in("ann")
        for slug, typed, subject in (
            ("delete", {}, "Do you want to leave?"),
            ("change-address", {"address": "ann@other.example"}, "Your addresses"),
            ("record-all", {}, ""),
        ):
            page = await ann.fill(await ann.get(f"/do/{slug}"), f"/do/{slug}", **typed)
            letters = await house.letters()
            assert page.status == 200, page.words
            if subject:
                own = [text for to, text in letters if to == "ann@example.org"]
                assert len(own) == 1 and own[0].startswith(subject)
                assert f"as a letter: {subject}" in page.words and "answer this letter" not in page.words

    at_home(tmp_path, story, "ann")


def test_records_go_by_letter_with_their_attachments(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, _ = await game(house)
        await ann.fill(await ann.get("/do/move"), "/do/move", board="1", move="c1")
        await house.letters()
        for sheet in sheets.sheets(BY_NAME["record"]):
            forms = (await ann.get("/do/record")).read.forms
            form = next(form for form in forms if form.fields.get("sheet") == sheet.key)
            drawn = {"drawn": "picture"} if "drawn" in form.fields else {}
            page = await ann.post("/do/record", form.fields | {"board": "1"} | drawn)
            assert page.status == 200 and "as a letter: Lambo 1" in page.words, page.words
            await house.done()
            ((_, _, letter),) = house.server.new_letters()
            assert [part.get_filename() for part in letter.iter_attachments()]  # type: ignore[attr-defined]

    at_home(tmp_path, story, "ann", "bob")


@pytest.mark.parametrize("wish", ["", "digest 7", "quiet on"])
def test_a_new_password_needs_the_old_one_and_keeps_the_browser_logged_in(tmp_path: Path, wish: str) -> None:
    """Whatever letters the player wants, this one comes."""

    async def story(house: House) -> None:
        if wish:
            await house.server.accept(house.server.mail("ann@example.org", f"set ann {PASSWORDS['ann']} {wish}", ""))
            await house.letters()
        ann, left_open = await house.browser().log_in("ann"), await house.browser().log_in("ann")
        page = await ann.get("/do/change-password")
        for old, new, said in (
            ("wrong-word-1", "new-password-1", "This is not your current password"),
            (PASSWORDS["ann"], "short", "too short"),
            (PASSWORDS["ann"], "two words here", "without blanks"),
        ):
            page = await ann.fill(page, "/do/change-password", old=old, new=new)
            assert page.status in (403, 422) and said in page.words
            assert PASSWORDS["ann"] not in page.text and f'"{old}"' not in page.text and f'"{new}"' not in page.text
        page = await ann.fill(page, "/do/change-password", old=PASSWORDS["ann"], new="new-password-1")
        assert page.status == 200 and "The answer goes to your addresses as a letter: Your password" in page.words
        assert (await ann.get("/do/set")).status == 200
        assert (await left_open.get("/do/set")).status == 303
        subjects = sorted(text.split("\n")[0] for _, text in await house.letters())
        assert subjects == [*(["Wrong password for your name"] if wish != "quiet on" else []), "Your password"]
        disk = (tmp_path / "test.sqlite").read_bytes() + (tmp_path / "test.sqlite-wal").read_bytes()
        assert b"new-password-1" not in disk

    at_home(tmp_path, story, "ann")


def test_a_wrong_current_password_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(house: House) -> None:
        ann = await house.browser().log_in("ann")
        page = await ann.get("/do/change-password")
        page = await ann.fill(page, "/do/change-password", old="canary-guess-1", new="new-password-1")
        assert page.status == 403

    at_home(tmp_path, story, "ann")
    assert "refused: wrong password from" in caplog.text and "canary" not in caplog.text


def test_of_two_new_passwords_at_once_one_is_set(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        one, two = await house.browser().log_in("ann"), await house.browser().log_in("ann")
        pages = [await browser.get("/do/change-password") for browser in (one, two)]
        done = await asyncio.gather(
            one.fill(pages[0], "/do/change-password", old=PASSWORDS["ann"], new="new-password-1"),
            two.fill(pages[1], "/do/change-password", old=PASSWORDS["ann"], new="new-password-2"),
        )
        assert sorted(page.status for page in done) == [200, 422]
        assert "Your password has been changed since" in next(page.words for page in done if page.status == 422)

    at_home(tmp_path, story, "ann")


def test_looking_changes_nothing_and_is_a_link(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, _ = await game(house)
        before = house.server.db.execute("SELECT count(*) FROM seen").fetchone()
        rows = [
            ("/do/games?sheet=&player=&filter=", "Boards of ann"),
            ("/do/show?sheet=board%23&boards=1", "1"),
            ("/do/history?sheet=&board=1", "1"),
            ("/do/seeks", "no open offer"),
            ("/do/standings", "Standings"),
            ("/do/tournaments", "Tournaments"),
            ("/do/help?sheet=&topic=lambo", "LAMBO"),
            ("/do/preview?sheet=&board=1&move=c1", "c1"),
        ]
        for link, said in rows:
            page = await ann.get(link)
            assert page.status == 200 and '<section class="answer"' in page.text, (link, page.words)
            assert said.lower() in page.words.lower(), (link, page.words)
        page = await ann.get("/do/preview?sheet=&board=1&move=z9")
        assert page.status == 422 and "Lambo has no tile" in page.words and 'id="s0-move-wrong"' in page.text
        assert house.server.db.execute("SELECT count(*) FROM seen").fetchone() == before
        stranger = house.browser()
        assert (await stranger.get("/do/help?sheet=&topic=lambo")).status == 200
        asked = await stranger.get("/do/games")
        assert (asked.status, asked.header("location")) == (303, "/login?next=%2Fdo%2Fgames")

    at_home(tmp_path, story, "ann", "bob")


def test_no_page_looks_for_the_turns_that_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take a second for each position, and nobody else is served meanwhile. Letters are written aside."""

    def forbidden(position: object) -> None:
        raise AssertionError

    async def story(house: House) -> None:
        ann, _ = await game(house)
        house.server.store.db.execute(
            "INSERT INTO preference VALUES ((SELECT id FROM player WHERE userid = 'ann'), 'board', 'words')"
        )
        monkeypatch.setattr(words, "_threats", forbidden)
        for page in (
            "/do/show?sheet=board%23&boards=1",
            "/do/show?sheet=board%23&boards=1+1",
            "/board/1/do",
            "/board/1",
        ):
            assert (said := await ann.get(page)).status == 200 and "Light has a group of" in said.words, page
        page = await ann.fill(await ann.get("/do/move?board=1"), "/do/move", move="c1")
        assert page.status == 200 and "Light has a group of" in page.words

    at_home(tmp_path, story, "ann", "bob")


def test_nobody_types_into_the_place_of_name_and_password(tmp_path: Path) -> None:
    """Blanks, quotes and line breaks in a field never move the words that stand for the proof."""
    evil = ["1 bob by-this-page", "1\nbob by-this-page", '1"', "1 {me}", "bob {proof}", "1\u2028bob", "1\tbob", "-x=1"]

    async def story(house: House) -> None:
        bob = house.rooms.reads.player_named("bob")
        ann = house.rooms.reads.player_named("ann")
        assert ann and bob
        for row in ROWS:
            for sheet in sheets.sheets(row) if sheets.page_of(row) else ():
                if not sheet.proved:
                    continue
                names = [one.name for one in sheet.fields(house.rooms.catalogue)]
                for field in names:
                    for word in evil:
                        typed = dict.fromkeys(names, "1") | {"game": "lambo", field: word}
                        read = asking.line(house.rooms, sheet.line(typed), ann)
                        if {"userid1", "n"} & {*read.args}:
                            continue  # a challenge names its opponent where others name themselves
                        fine = read.args.get("userid", "ann") == "ann" or read.password != asking.PROOF
                        assert fine, (row.name, word)

    at_home(tmp_path, story, "ann", "bob")


@pytest.mark.parametrize(
    ("command", "typed", "line"),
    [
        ("move", {"board": "1", "move": "a1,c12", "ask": "propose"}, "move 1 {me} {proof} a1,c12 propose"),
        ("move", {"board": "1", "move": "a1"}, "move 1 {me} {proof} a1"),
        ("queue", {"board": "1", "plan": "if b4 then c11"}, "queue 1 {me} {proof} if b4 then c11"),
        ("seek", {"game": "mamba", "keep": "3", "unrated": "yes"}, "mamba seek -unrated -keep=3 {me} {proof}"),
        ("message", {"to": "bob cat"}, "message {me} {proof} bob cat"),
        ("vacation", {}, "vacation {me} {proof}"),
    ],
)
def test_lines(command: str, typed: dict[str, str], line: str) -> None:
    assert line in [sheet.line(typed) for sheet in sheets.sheets(BY_NAME[command])]


CHALLENGES = [
    ({"first": "me", "opponent": "bob"}, "lambo challenge {me} bob {proof}"),
    ({"first": "you", "opponent": "bob", "clock": "slow"}, "lambo challenge -clock=slow bob {me} {proof}"),
]


@pytest.mark.parametrize(("typed", "line"), CHALLENGES)
def test_who_moves_first(typed: dict[str, str], line: str) -> None:
    assert sheets.sheets(BY_NAME["challenge"])[0].line({"game": "lambo", **typed}) == line


def test_a_tournament_in_a_form() -> None:
    typed = {"title": "Autumn  Cup", "format": "swiss,rounds=5", "play": "lambo -size=40", "max": "8", "draft": "yes"}
    create = next(sheet for sheet in sheets.sheets(BY_NAME["tournament"]) if "create" in sheet.slots)
    assert create.line(typed) == (
        'tournament -format=swiss,rounds=5 -game="lambo -size=40" -max=8 -draft create {me} {proof} "Autumn Cup"'
    )


WRONG = [
    (fields.SLOTS["board"], "twelve", "Board: I cannot read this."),
    (fields.SLOTS["board"], "1 2", "Board: write one word"),
    (fields.SLOTS["title"], 'a "b"', "without quotes"),
    (fields.SLOTS["toUserid"], "a b", "one word"),
    (fields.FIRST, "nobody", "choose one"),
    (fields.OPTIONS["seek"][0], "size=40", "begins with '-'"),
    (fields.OPTIONS["seek"][0], "-size=40 -swap", ""),
    (fields.SLOTS["plan"], "if b4 then c11", ""),
]


@pytest.mark.parametrize(("field", "typed", "said"), WRONG)
def test_wrong_fields(field: fields.Field, typed: str, said: str) -> None:
    told = fields.trouble(field, typed)
    assert said in told and bool(said) is bool(told)
