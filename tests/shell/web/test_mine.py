"""Pages for a player: my games, offers, the buttons beside a board, settings, tournaments."""

import re
from pathlib import Path
from typing import Any

import pytest

from engine.families import CATALOGUE
from mailbot.core.commands import BY_NAME
from mailbot.core.model import Game, Player, States
from mailbot.shell.web.forms import boardside, fields
from mailbot.store.rows import put
from tests.dialogues.play import PASSWORDS
from tests.shell.web.test_doing import challenge
from tests.shell.web.visitor import Answer, Browser, House, at_home


async def order(house: House, who: str, line: str, text: str = "") -> None:
    line = line.replace("ME", f"{who} {PASSWORDS[who]}")
    status = await house.server.accept(house.server.mail(f"{who}@example.org", line, text))
    assert status.startswith("250"), status


async def begun(house: House, clock: str = "") -> tuple[Browser, Browser]:
    """Board 1 between ann and bob, ann to move; both are logged in."""
    await order(house, "ann", f"lambo challenge {clock} ann bob {PASSWORDS['ann']}")
    await order(house, "bob", "accept 1 ME")
    await house.letters()
    return await house.browser().log_in("ann"), await house.browser().log_in("bob")


async def press(browser: Browser, what: str, **typed: str) -> Answer:
    """Presses this button beside board 1."""
    page = await browser.get("/board/1/do")
    form = next(form for form in page.read.forms if form.fields.get("what") == what)
    return await browser.post("/board/1/do", form.fields | typed)


def offered(page: Answer) -> list[str]:
    return [form.fields["what"] for form in page.read.forms if "what" in form.fields]


def test_my_games_by_the_time_that_is_left(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for clock in ("-clock=slow", "-clock=fast", "-clock=none", "-clock=normal"):
            await order(house, "ann", f"lambo challenge {clock} bob ann {PASSWORDS['ann']}")
        for board in (1, 2, 3, 4):
            await order(house, "bob", f"accept {board} ME")
        await order(house, "bob", "move 1 ME c1")
        await order(house, "bob", "move 2 ME c1")
        await order(house, "ann", "queue 3 ME if c1 then a2")
        await order(house, "ann", "seek ME".replace("seek", "lambo seek"))
        await order(house, "bob", f"mambo challenge bob ann {PASSWORDS['bob']}")
        ann = await house.browser().log_in("ann")
        page = await ann.get("/me")
        rows = [row.partition("</tr>")[0] for row in page.text.split("<tr")[2:]]
        links = [row.partition('href="')[2].partition('"')[0] for row in rows]
        assert links == ["/board/2/turn", "/board/1/turn", "/board/4", "/board/3"]
        assert "if c1 then a2" in rows[3] and "3 d 0 h" in rows[0] and "you" in rows[0]
        assert offered(page) == ["accept", "decline"] and "My open offers" in page.words
        assert "(away)" not in page.words
        await order(house, "ann", "vacation ME 3")
        assert "bob (away)" not in (await ann.get("/me")).words, "it is ann who is away"
        bob = await house.browser().log_in("bob")
        assert "ann (away)" in (await bob.get("/me")).words
        assert (await house.browser().get("/me")).header("location") == "/login?next=%2Fme"

    at_home(tmp_path, story, "ann", "bob")


def test_buttons_beside_a_board(tmp_path: Path) -> None:
    """A whole game's talk by buttons: each does what the answer to the newest letter does."""

    async def story(house: House) -> None:
        ann, bob = await begun(house, "-clock=normal")
        assert offered(await ann.get("/board/1/do")) == ["chat", "propose", "grant", "resign"]
        said = await press(ann, "chat", words="Good luck!")
        assert said.status == 200
        ((to, text),) = await house.letters()
        assert to == "bob@example.org" and "Good luck!" in text
        assert (await press(ann, "grant", time="2d")).status == 200
        wrong = await press(ann, "grant", time="soon")
        assert wrong.status == 422 and 'value="soon"' in wrong.text and "I cannot read this" in wrong.words
        assert (await press(ann, "propose")).status == 200
        before = await bob.get("/board/1/do")
        assert (
            offered(before) == ["accept", "decline", "chat", "grant", "resign"] and "Agree to the draw" in before.words
        )
        assert (await press(bob, "decline", words="Not yet")).status == 200
        again = await press(ann, "propose")
        assert again.status == 422 and "has declined that on board 1 within the last day" in again.words
        late = await bob.post(
            "/board/1/do", next(f for f in before.read.forms if f.fields.get("what") == "accept").fields
        )
        assert late.status == 409 and boardside.MOVED in late.words
        unsure = await press(ann, "resign")
        assert unsure.status == 422 and fields.UNSURE in unsure.words
        assert house.rooms.reads.game(1).state == States.RUNNING  # type: ignore[union-attr]
        assert (await press(ann, "resign", sure="yes")).status == 200
        assert offered(await ann.get("/board/1/do")) == ["chat", "rematch"]
        assert (await press(bob, "rematch")).status == 200
        assert house.rooms.reads.game(2).state == States.OFFERED  # type: ignore[union-attr]

    at_home(tmp_path, story, "ann", "bob", "cat")


def test_a_challenge_says_what_it_is_before_anybody_agrees(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await order(house, "ann", f"lambo challenge -size=16 -clock=2h ann bob {PASSWORDS['ann']}")
        await order(house, "ann", f"lambo challenge -clock=9d bob ann {PASSWORDS['ann']}")
        ann, bob = [await house.browser().log_in(who) for who in ("ann", "bob")]
        for browser in (ann, bob):
            page = (await browser.get("/me")).words
            for said in (
                "Rules: lambo -size=16 Time: 2 hours for each move",
                "not be rated: its rules have other options than rated games. ann (Light) moves first.",
                "Time: 9 days for each move",
                "Rated (lambo): bob 1500?, ann 1500?. bob (Light) moves first.",
            ):
                assert said in page, page
        assert "2 hours for each move" in (await bob.get("/board/1/do")).words
        done = await bob.post("/do/challenge", challenge(await bob.get("/do/challenge")) | {"opponent": "ann"})
        (board,) = re.findall(r'href="(/board/\d+/do)"', done.text)
        assert "Take the challenge back" in (await bob.get(board)).words

    at_home(tmp_path, story, "ann", "bob")


def test_who_settles_a_question_on_the_page_gets_a_letter_that_plays(tmp_path: Path) -> None:
    """Earlier letters of the turn are no longer good then."""

    async def story(house: House) -> None:
        ann, bob = await begun(house)
        await order(house, "ann", "move 1 ME a1")
        assert (await press(ann, "undo")).status == 200
        shown = (await bob.get("/board/1")).words
        assert "ann wants to take back" in shown or "back to ply" in shown, shown
        await house.letters()
        assert (await press(bob, "decline")).status == 200
        told = dict(await house.letters())
        assert set(told) == {"ann@example.org", "bob@example.org"}
        link = re.search(r"Open the board: http://games\.example\.net(/\S+)", told["bob@example.org"])
        assert link
        assert "It is YOUR TURN: ply 2." in (await house.browser().get(link[1])).words

    at_home(tmp_path, story, "ann", "bob")


def test_a_button_pressed_twice_does_nothing_twice(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, bob = await begun(house)
        page = await ann.get("/board/1/do")
        form = next(form for form in page.read.forms if form.fields.get("what") == "resign")
        first = await ann.post("/board/1/do", form.fields | {"sure": "yes"})
        await house.letters()
        second = await ann.post("/board/1/do", form.fields | {"sure": "yes"})
        assert first.status == 200 and "This form was sent before" in second.words
        assert not await house.letters()
        foreign = await bob.post("/board/1/do", form.fields | {"sure": "yes"})
        assert foreign.status == 403

    at_home(tmp_path, story, "ann", "bob")


def test_the_page_of_a_board_has_the_buttons_of_its_players(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, bob = await begun(house)
        page = await ann.get("/board/1")
        assert offered(page) == ["chat", "propose", "resign"] and page.header("cache-control") == "no-store"
        assert 'action="/board/1/turn"' in page.text
        assert (await press(ann, "propose")).status == 200
        assert "Agree to the draw" in (await bob.get("/board/1")).words
        cat = await house.browser().log_in("cat")
        for browser, path in ((cat, "/board/1"), (house.browser(), "/board/1"), (ann, "/board/1/0")):
            page = await browser.get(path)
            assert page.status == 200 and (offered(page) == [] or path == "/board/1/0") and "Log out" not in page.words

    at_home(tmp_path, story, "ann", "bob", "cat")


def test_others_only_look(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await begun(house)
        cat = await house.browser().log_in("cat")
        page = await cat.get("/board/1/do")
        assert page.status == 200 and offered(page) == []
        form = (await cat.get("/login")).form("/logout").fields | {
            "what": "resign",
            "sure": "yes",
            "stamp": "running 2",
        }
        assert (await cat.post("/board/1/do", form)).status == 409
        assert house.rooms.reads.game(1).state == States.RUNNING  # type: ignore[union-attr]
        assert (await cat.get("/board/77/do")).status == 404
        await order(house, "ann", f"lambo challenge ann bob {PASSWORDS['ann']}")
        page = await cat.get("/board/2/do")
        assert "Board 2" in page.words and "ann" not in page.words, "an offer is between its two players"
        assert "Accept" in (await (await house.browser().log_in("bob")).get("/board/2/do")).words
        await order(house, "bob", "decline 2 ME")
        for browser in (cat, await house.browser().log_in("ann")):
            page = await browser.get("/board/2/do")
            assert page.status == 200 and 'href="/board/2"' not in page.text, "a board that is not there has no link"
            assert "Board 2 was never played: its challenge was declined." in page.words

    at_home(tmp_path, story, "ann", "bob", "cat")


class Computer:
    """A world with computer players."""

    catalogue = CATALOGUE

    def __init__(self, state: str = "active") -> None:
        self.state = state

    def player(self, player: int) -> Player:
        return Player(player, "uct1", self.state, "", 1, 0, 0)


@pytest.mark.parametrize(
    ("changed", "there"),
    [
        ({}, True),
        ({"category": "", "unrated": ""}, True),
        ({"unrated": ""}, False),
        ({"player2": 2}, False),
        ({"to_move": 2}, False),
        ({"event": 4}, False),
        ({"state": States.OVER}, False),
    ],
)
def test_the_button_for_a_hint_is_where_a_hint_is_given(changed: dict[str, Any], there: bool) -> None:
    game = Game(1, "lambo", 1, -3, States.RUNNING, 3, 0, 1, None, "", 0, 0, category="lambo", unrated="as offered")
    shown = [button.what for button in boardside.buttons(game._replace(**changed), 1, Computer())]  # type: ignore[arg-type]
    assert ("hint" in shown) == there


@pytest.mark.parametrize(
    ("ply", "to_move", "there"), [(0, 1, False), (1, 1, False), (1, 2, True), (2, 1, True), (2, 2, True)]
)
def test_the_button_for_an_undo_needs_a_turn_of_ones_own(ply: int, to_move: int, there: bool) -> None:
    game = Game(1, "lambo", 1, 2, States.RUNNING, 3, ply, to_move, None, "", 0, 0)
    shown = [button.what for button in boardside.buttons(game, 1, Computer())]  # type: ignore[arg-type]
    assert ("undo" in shown) == there


@pytest.mark.parametrize(
    ("rules", "ply", "state", "there"),
    [
        ("lambo", 5, "active", True),
        ("lambo", 0, "active", False),
        ("lambo", 5, "locked", False),
        ("lambo -eat_enemy=1 -size=90", 5, "active", False),
    ],
)
def test_the_button_for_an_analysis_is_where_the_computer_can_look(
    rules: str, ply: int, state: str, there: bool
) -> None:
    game = Game(1, rules, 1, 2, States.OVER, 3, ply, 0, 1, "bob resigned", 0, 0)
    shown = [button.what for button in boardside.buttons(game, 1, Computer(state))]  # type: ignore[arg-type]
    assert ("analyse" in shown) == there


def test_a_hint_is_asked_for_by_a_button_and_shown_by_it(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await order(house, "ann", f"lambo challenge -unrated me uct3 {PASSWORDS['ann']}")
        ann = await house.browser().log_in("ann")
        said = await press(ann, "hint")
        assert said.status == 200 and "The computer is thinking about board 1." in said.words
        again = await press(ann, "hint")
        assert again.status == 422 and "The hint for board 1 is on its way." in again.words
        (asked,) = house.rooms.reads.hints(2)
        await house.server.writer.do(lambda store: put(store.db, asked._replace(move="b1")))
        shown = await press(ann, "hint")
        assert shown.status == 200 and "A HINT: the computer proposes b1." in shown.words
        for page in (said, shown):
            assert 'href="/board/1"' in page.text

    at_home(tmp_path, story, "ann")


def test_every_button_is_a_command_that_answers_the_letter() -> None:
    said = ("accept", "decline", "rematch", "analyse", "hint")
    for name in (*said, "chat", "propose", "undo", "grant", "resign", "appeal"):
        assert BY_NAME[name].tokens, name


def test_offers(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, bob = await house.browser().log_in("ann"), await house.browser().log_in("bob")
        page = await ann.get("/offers")
        form = next(form for form in page.read.forms if form.action == "/do/seek")
        made = await ann.post("/do/seek", form.fields | {"game": "lambo", "clock": "slow", "first": "me"})
        assert made.status == 200, made.words
        page = await bob.get("/offers")
        assert "lambo -clock=21d" in page.words
        taken = await bob.post("/do/take", page.form("/do/take").fields)
        assert taken.status == 200 and house.rooms.reads.game(1).state == States.RUNNING  # type: ignore[union-attr]
        page = await ann.get("/offers")
        form = next(form for form in page.read.forms if form.action == "/do/challenge")
        typed = {"game": "mambo", "opponent": "bob", "first": "you", "unrated": "yes", "words": "Again?"}
        assert (await ann.post("/do/challenge", form.fields | typed)).status == 200
        game = house.rooms.reads.game(2)
        assert game and (game.player1, game.state) == (2, States.OFFERED)
        await ann.post(
            "/do/seek", next(f for f in page.read.forms if f.action == "/do/seek").fields | {"game": "lambo"}
        )
        page = await ann.get("/offers")
        assert (await ann.fill(page, "/do/seek")).status == 200 and not house.rooms.reads.seeks()

    at_home(tmp_path, story, "ann", "bob")


def test_settings(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await house.browser().log_in("ann")
        page = await ann.get("/settings")
        assert "ann@example.org" in page.words and "You have no vacation ahead." in page.words
        known = house.server.db.execute("SELECT count(*) FROM seen").fetchone()[0]
        done = await ann.fill(page, "/settings", digest="7", hints="off", timezone="europe/berlin", limit="none")
        assert done.status == 200 and "Changed: hints, digest, timezone." in done.words
        assert house.server.db.execute("SELECT count(*) FROM seen").fetchone() == (known + 1,)
        held = house.rooms.reads.preferences(1)
        assert (held["digest"], held["hints"], held["timezone"]) == ("7", "off", "Europe/Berlin")
        again = await ann.fill(page, "/settings", digest="9")
        assert "Changed" not in again.words and house.rooms.reads.preferences(1)["digest"] == "7"
        wrong = await ann.fill(await ann.get("/settings"), "/settings", digest="25", accept_lambo="no", rating="x")
        assert wrong.status == 422 and "Changed: accept lambo." in wrong.words
        form = wrong.form("/settings").fields
        assert (form["digest"], form["rating"], form["accept_lambo"]) == ("25", "x", "no")
        assert 'id="set-digest-wrong"' in wrong.text and "cannot be the value of" in wrong.words
        back = await ann.fill(await ann.get("/settings"), "/settings", digest="")
        assert back.status == 200 and "digest" not in house.rooms.reads.preferences(1)
        stale = await ann.get("/settings")
        await order(house, "ann", "set ME digest 8")
        saved = await ann.fill(stale, "/settings", hints="on")
        assert "Changed: hints." in saved.words and house.rooms.reads.preferences(1)["digest"] == "8"
        for slug in (
            "vacation",
            "add",
            "change-address",
            "change-password",
            "block",
            "signoff",
            "unsubscribe",
            "delete",
        ):
            back.form(f"/do/{slug}")

    at_home(tmp_path, story, "ann")


def test_tournaments(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await house.server.writer.do(lambda store: setattr(store, "directors", "ann"))
        ann, bob = await house.browser().log_in("ann"), await house.browser().log_in("bob")
        create = next(form for form in (await ann.get("/do/tournament")).read.forms if "title" in form.fields)
        typed = {"title": "Autumn Cup", "format": "roundrobin", "play": "lambo", "max": "2", "words": "Welcome!"}
        made = await ann.post("/do/tournament", create.fields | typed)
        assert made.status == 200 and "You have created tournament 1" in made.words
        page = await bob.get("/tournament/1/do")
        assert [form.action for form in page.read.forms][1:] == ["/do/join"]
        assert (await bob.fill(page, "/do/join")).status == 200
        page = await bob.get("/tournament/1/do")
        assert (await bob.fill(page, "/do/leave")).status == 200 and not house.rooms.reads.entries(1)
        page = await ann.get("/tournament/1/do")
        acts = [form for form in page.read.forms if "act" in form.fields]
        typed = acts[0].fields | {"act": "cancel", "words": "It rains."}  # which is above `note` in the list
        unsure = await ann.post("/do/tournament", typed)
        assert unsure.status == 422 and fields.UNSURE in unsure.words
        noted = await ann.post("/do/tournament", typed | {"act": "note", "sure": "yes"})
        assert noted.status == 200, noted.words
        assert "Autumn Cup" in (await ann.get("/me")).words
        assert (await bob.get("/tournament/9/do")).status == 404
        for one in (ann, bob):
            assert (await one.fill(await one.get("/tournament/1/do"), "/do/join")).status == 200
        await house.server.ticker.ring()
        page = await bob.fill(await bob.get("/tournament/1/do"), "/do/withdraw")
        assert page.status == 422 and fields.UNSURE in page.words
        given_up = await bob.post("/do/withdraw", page.form("/do/withdraw").fields | {"sure": "yes"})
        assert given_up.status == 200, given_up.words

    at_home(tmp_path, story, "ann", "bob")


def test_a_challenge_without_consent_tells_nobody_that_there_is_such_a_player(tmp_path: Path) -> None:
    """Anybody can write a challenge with the From of somebody else."""

    async def story(house: House) -> None:
        ann, bob, nobody = await house.browser().log_in("ann"), await house.browser().log_in("bob"), house.browser()
        pages = ("/player/ann", "/board/1", "/board/1.json", "/board/1/feed.atom", "/board/1.svg", "/board/1/0")
        before = [((await nobody.get(path)).status, (await nobody.get(path)).text) for path in pages]
        await order(house, "ann", "lambo challenge me bob")
        await house.letters()
        assert [((await nobody.get(path)).status, (await nobody.get(path)).text) for path in pages] == before
        for path in ("/me", "/do/games?sheet=&player=&filter=", "/do/games?sheet=&player=ann&filter="):
            assert "ann - bob" not in (page := await bob.get(path)).words, path
            assert 'href="/board/1' not in page.text, path
        assert (await bob.get("/board/1/do")).status == 404
        mine = await ann.get("/me")
        assert "bob" in mine.words and (await ann.get("/board/1/do")).status == 200
        await order(house, "ann", "accept 1 ME")
        offered = house.rooms.reads.game(1)
        assert offered and (offered.agreed, offered.asks_by) == (1, 0), "as any other challenge"
        assert (await nobody.get("/player/ann")).status == 200 and "ann" in (await bob.get("/me")).words

    at_home(tmp_path, story, "ann", "bob")


def test_whoever_has_signed_off_plays_on_the_page(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, _ = await begun(house)
        await order(house, "ann", "signoff ME")
        for path in ("/board/1", "/board/1/turn?move=a1", "/board/1/do", "/offers", "/queue/1", "/me", "/settings"):
            page = await ann.get(path)
            assert page.status == 200 and "Welcome back" not in page.words, path
        await ann.fill(await ann.get("/board/1/turn?move=a1"), "/board/1/turn")
        assert house.rooms.reads.texts(1) == ["a1"]
        player = house.rooms.reads.player_named("ann")
        assert player and player.state == "active"

    at_home(tmp_path, story, "ann", "bob")


def test_nobody_sees_them_without_a_log_in(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for path in ("/me", "/offers", "/settings", "/board/1/do", "/tournament/1/do"):
            page = await house.browser().get(path)
            assert page.status == 303 and page.header("location").startswith("/login?next="), path
        for path in ("/board/1/do", "/settings"):
            stranger = house.browser()
            sent = await stranger.post(path, {"what": "chat", "text": "Hello"})
            assert sent.status == 303, path
            assert "this form has not been read" in (await stranger.get(sent.header("location"))).words

    at_home(tmp_path, story)


def test_pages_say_that_the_letters_are_off(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann, bob = await begun(house)
        await order(house, "ann", "unsubscribe ME")
        for page in ("/me", "/offers", "/settings", "/do/join"):
            assert "Your letters are off" in (await ann.get(page)).words, page
            assert "Your letters are off" not in (await bob.get(page)).words, page
        await order(house, "ann", "set ME quiet off")
        assert "Your letters are off" not in (await ann.get("/me")).words
        await order(house, "ann", "signoff ME")
        page = await ann.get("/me")
        assert "You have signed off" in page.words and "/do/showas" in page.text
        page = await ann.get("/do/showas")
        assert (await ann.post("/do/showas", page.form("/do/showas").fields)).status == 200
        assert "You have signed off" not in (await ann.get("/me")).words

    at_home(tmp_path, story, "ann", "bob")


def test_a_queue_of_the_page_is_broken_by_no_mail_program(tmp_path: Path) -> None:
    plan = "if b14,c12 then a17,a18 if c11,c12 then b19,c10 if a14,b15 then a11,b12"

    async def story(house: House) -> None:
        ann, _ = await begun(house)
        page = await ann.get("/do/queue?board=1")
        done = await ann.fill(page, "/do/queue", board="1", words=f"{plan}\nif a7,a8 then resign")
        assert done.status == 200, done.words
        assert (await ann.get("/queue/1")).status == 200

    at_home(tmp_path, story, "ann", "bob")
