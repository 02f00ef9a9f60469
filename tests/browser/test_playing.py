"""A person plays in a real browser: by click, by key, and without a script; the opponent answers by mail."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from engine.families import family_of
from engine.hex.notation import write_move
from engine.hex.position import apply, legal_moves, replay, start
from engine.hex.variants import parse
from mailbot.shell.console import postman
from tests.browser.conftest import PASSWORD, Served

Tab = Callable[..., Any]


def legal(rules: str, moves: list[str], chance: random.Random) -> str:
    """A legal move, "" if the game is over."""
    position = replay(parse(rules), moves)
    return write_move(chance.choice([*legal_moves(position)])) if position.outcome is None else ""


def laid(page: Any) -> str:
    """The turn so far."""
    return str(page.evaluate("document.querySelector('#turn').dataset.move"))


def logged_in(page: Any, served: Served, name: str, where: str) -> None:
    """The page at this address, after the log-in that stands before it."""
    page.goto(f"{served.url}/login?next={where}")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")


def lay(page: Any, tile: str, cell: str) -> None:
    """Clicks the cell, and clicks the tile until it is this one."""
    fits = page.locator(f"button.hit[data-cell='{cell}']")
    fits.click()
    for _ in range(6):
        page.wait_for_selector("#turn:not([aria-busy])")
        if f"{tile}{cell}" in laid(page).split(","):
            return
        page.locator(f"button.hit[data-cell='{cell}']").click()
    raise AssertionError(f"{tile}{cell} cannot be laid")


@pytest.mark.parametrize(
    ("width", "scheme", "rules"), [(360, "dark", "mambo -size=8"), (1280, "light", "lambo -size=8 -anywhere")]
)
def test_a_whole_game_by_click_against_one_by_mail(
    width: int, scheme: str, rules: str, served: Served, tab: Tab
) -> None:
    cat, dan = f"cat{width}", f"dan{width}"
    served.sign_up(cat, dan)
    board = served.game(cat, dan, rules)
    chance, page = random.Random(rules), tab(width, scheme)
    while move := legal(rules, served.moves(board), chance):
        page.goto(served.link(cat))
        for tile in move.split(","):
            lay(page, tile[0], tile[1:])
        page.locator(".result").wait_for()
        assert "NOTHING HAS BEEN PLAYED YET" in page.inner_text(".result")
        page.click(f"text=Play {laid(page)}")
        page.wait_for_selector("text=You have played")
        if reply := legal(rules, served.moves(board), chance):
            served.answer(dan, reply)
    page.goto(f"{served.url}/board/{board}")
    assert "The game is over" in page.inner_text("main")
    assert "The game is over" in postman.text(served.letters(cat)[-1])
    assert len(served.moves(board)) > 3


def test_signed_up_by_mail_logged_in_and_played_by_keys_alone(served: Served, tab: Tab) -> None:
    served.sign_up("eve", "fay")
    board = served.game("eve", "fay", "mambo")
    page = tab()
    page.goto(f"{served.url}/board/{board}/turn")
    keys = page.keyboard
    page.focus("input[name=name]")
    keys.type("eve")
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    page.wait_for_selector("button.hit")
    for _ in range(40):
        if page.evaluate("document.activeElement.className").startswith("hit"):
            break
        keys.press("Tab")
    keys.press("c")
    page.wait_for_selector("text=Play c0")
    keys.press("f")
    page.wait_for_selector("text=Play f0")
    keys.press("Backspace")
    page.wait_for_selector("#turn[data-move='']")
    keys.press("Enter")
    page.wait_for_selector(".result")
    assert "This is the board after" in page.inner_text("p[aria-live]")
    for _ in range(40):
        if page.evaluate("document.activeElement.textContent").startswith("Play "):
            break
        keys.press("Tab")
    keys.press("Enter")
    page.wait_for_url(f"**/board/{board}")
    assert len(served.moves(board)) == 1

    served.answer(
        "fay", "a1" if "a" in family_fits(served.moves(board), "1") else family_fits(served.moves(board), "1")[0] + "1"
    )
    page.goto(f"{served.url}/board/{board}/turn")
    page.focus("button.hit")
    cells = []
    for key in ("ArrowUp", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowDown", "ArrowRight"):
        keys.press(key)
        cells.append(page.evaluate("document.activeElement.dataset.cell"))
    assert len({*cells}) > 2


def family_fits(moves: list[str], cell: str) -> str:
    board = family_of("mambo").board("mambo", moves)
    assert board
    return next(place.fits for place in board.places if place.name == cell)


def test_a_board_that_is_watched_becomes_a_form_when_the_opponent_has_moved(served: Served, tab: Tab) -> None:
    served.sign_up("ivy", "jon")
    board = served.game("ivy", "jon", "mambo")
    page = tab()
    logged_in(page, served, "jon", f"/board/{board}")
    page.wait_for_selector("#board[data-own]")
    assert not page.locator("button.hit").count()
    served.answer("ivy", "a0")
    page.wait_for_selector("button.hit[data-cell='1']")
    assert "ivy has played a0" in page.inner_text("#news")
    lay(page, "b", "1")
    page.fill("#words", "There!")
    page.click("text=Play b1")
    page.wait_for_selector("text=It is ivy's turn")
    assert served.moves(board) == ["a0", "b1"]


HIDDEN = """(hidden) => {
    Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_only_a_board_that_is_seen_is_watched_and_a_refusal_is_not_the_end(served: Served, tab: Tab) -> None:
    """A browser opens six connections to a server at most. A proxy refuses all while the server restarts."""
    served.sign_up("oda", "pat")
    board = served.game("oda", "pat", "mambo")
    page = tab()
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/live" in request.url else None)
    page.route("**/live?*", lambda route: route.fulfill(status=502, body="Bad gateway"))
    page.goto(f"{served.url}/board/{board}")
    page.wait_for_selector("text=It is oda's turn")
    page.unroute("**/live?*")
    served.answer("oda", "a0")
    page.clock.run_for(21_000)
    page.wait_for_selector("text=It is pat's turn")
    assert len(asked) == 2
    page.evaluate(HIDDEN, True)
    served.answer("pat", "b1")
    page.evaluate("fetch('/help').then((answer) => answer.text())")
    assert page.locator("text=It is pat's turn").count() and len(asked) == 2
    page.evaluate(HIDDEN, False)
    page.wait_for_selector("text=It is oda's turn")
    assert len(asked) == 3


def test_a_board_that_could_not_be_fetched_is_fetched_again(served: Served, tab: Tab) -> None:
    served.sign_up("quin", "rae")
    board = served.game("quin", "rae", "mambo")
    page = tab()
    page.clock.install()
    logged_in(page, served, "rae", f"/board/{board}")
    page.wait_for_selector("text=It is quin's turn")
    tries: list[str] = []

    def fails(route: Any) -> None:
        tries.append(route.request.url)
        route.abort()

    page.route(f"**/board/{board}", fails)
    served.answer("quin", "a0")
    page.wait_for_selector("#news:has-text('quin has played')", state="attached")
    assert len(tries) == 1 and not page.locator("button.hit").count()
    page.unroute(f"**/board/{board}")
    page.clock.run_for(21_000)
    page.wait_for_selector("button.hit")


def test_scrolling_and_a_held_key_ask_the_server_nothing(served: Served, tab: Tab) -> None:
    page = tab(360)
    page.goto(f"{served.url}/try?rules=lambo&moves=a1.b2,c9")
    lay(page, "b", "4")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("button.hit[data-cell='4']").hover()
    for _ in range(5):
        page.mouse.wheel(0, 40)
    page.wait_for_function("scrollY > 0")
    page.focus("button.hit[data-cell='4']")
    page.keyboard.down("c")
    page.wait_for_selector("#turn[data-move='c4']:not([aria-busy])")
    for _ in range(5):
        page.keyboard.down("c")  # again without `up`: the key repeats
    page.keyboard.up("c")
    assert laid(page) == "c4" and len(asked) == 1


def test_keys_and_links_within_the_page_leave_what_is_written(served: Served, tab: Tab) -> None:
    served.sign_up("meg", "ned")
    board = served.game("meg", "ned", "mambo")
    served.answer("meg", "a0")
    page = tab()
    logged_in(page, served, "ned", f"/board/{board}")
    page.wait_for_selector("button.hit")
    page.click("summary:has-text('Send words')")
    words = "form:has(input[value=chat]) textarea"
    page.fill(words, "I think")
    page.click("h1")
    page.keyboard.press("ArrowLeft")
    page.evaluate("document.querySelector('a[href=\"#main\"]').click()")
    page.wait_for_function("location.hash === '#main'")
    page.evaluate("history.back()")
    page.wait_for_function("location.hash === ''")
    page.wait_for_load_state("networkidle")
    assert page.input_value(words) == "I think"
    page.fill(words, "")
    page.click("h1")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/board/{board}/0")
    page.go_back()
    page.wait_for_selector("button.hit")


def test_what_is_drawn_is_what_the_button_plays(served: Served, tab: Tab) -> None:
    """While the server has not answered a click nothing can be played, and without an answer the old turn is back."""
    served.sign_up("kit", "lou")
    board = served.game("kit", "lou", "mambo")
    page = tab(360)
    logged_in(page, served, "kit", f"/board/{board}/turn")
    page.wait_for_selector("button.hit")
    lay(page, "b", "0")
    page.fill("#words", "Hello, lou!")
    held: list[Any] = []
    page.route("**/turn?*", lambda route: held.append(route))
    page.click("button.hit[data-cell='0']")
    page.wait_for_selector("#turn[aria-busy]")
    assert page.is_disabled("form.play button") and laid(page) == "b0"
    held.pop().abort()
    page.wait_for_selector("#turn .refused")
    assert "The server does not answer" in page.inner_text("#turn .refused")
    assert page.is_enabled("form.play button") and laid(page) == "b0"
    assert page.get_attribute("button.hit[data-cell='0']", "aria-label") == "tile b on cell 0: turn it"
    page.unroute("**/turn?*")
    page.click("button.hit[data-cell='0']")
    page.wait_for_selector("text=Play c0")
    assert page.input_value("#words") == "Hello, lou!", "words that were typed stay"
    page.click("text=Take back")
    page.wait_for_selector("#words", state="detached")
    lay(page, "c", "0")
    page.wait_for_selector("text=Play c0")
    assert page.input_value("#words") == "Hello, lou!", "and come back with the turn"
    page.click("text=Play c0")
    page.wait_for_selector("text=It is lou's turn")
    assert served.moves(board) == ["c0"]
    page.click("summary:has-text('Send words')")
    page.fill("form:has(input[value=chat]) textarea", "I think")
    served.answer("lou", family_fits(["c0"], "1")[0] + "1")
    page.wait_for_selector("button.hit")
    page.keyboard.type(", my friend")
    assert page.input_value("form:has(input[value=chat]) textarea") == "I think, my friend"


OFF = """() => Math.max(...[...document.querySelectorAll("button.hit")].map((button) => {
    const aim = button.getBoundingClientRect();
    const cell = document.querySelector(`.number .c${button.dataset.cell}`).getBoundingClientRect();
    return Math.hypot(
        aim.x + aim.width / 2 - cell.x - cell.width / 2, aim.y + aim.height / 2 - cell.y - cell.height / 2
    ) / aim.width;
}))"""
"""How far the middle of a button is from the number of its cell, at most; 1 is the width of a cell."""


def test_a_button_lies_on_its_cell_however_large_the_board_is_shown(served: Served, tab: Tab) -> None:
    chance, position = random.Random(2), start(parse("mambo -auto=none -no_kill"))
    while position.ply < 30:
        position = apply(position, chance.choice([*legal_moves(position)]))
    moves = ".".join(write_move(turn.move) for turn in position.turns)
    for width in (360, 800, 1280):
        page = tab(width)
        for said in ("rules=lambo", f"rules=mambo -auto=none -no_kill&moves={moves}"):
            page.goto(f"{served.url}/try?{said}")
            assert page.evaluate(OFF) < 0.03, (width, said)


def test_two_tiles_are_laid_turned_moved_and_taken_back(served: Served, tab: Tab) -> None:
    page = tab()
    page.goto(f"{served.url}/try?rules=lambo&moves=a1.b2,c9")
    lay(page, "b", "4")
    lay(page, "c", "12")
    assert page.locator(".result").count() == 1
    lay(page, "c", "4")  # the first one again: it turns, and the second one stays
    assert laid(page) == "c4,c12"
    lay(page, "a", "13")  # a free cell: the last one moves there
    assert laid(page) == "c4,a13"
    lay(page, "b", "13")
    page.wait_for_selector("text=Next turn")
    page.wait_for_selector("#turn[data-move='c4,b13']")
    assert page.url.endswith("move=c4,b13")
    page.click("text=Take back")
    page.wait_for_selector("#turn[data-move='c4']")
    lay(page, "a", "7")
    assert laid(page) == "a7", "not beside cell 4: the first moves"


def test_a_turn_without_a_script(served: Served, tab: Tab) -> None:
    served.sign_up("gil", "hal")
    board = served.game("gil", "hal")
    served.answer("gil", "a1")
    page = tab(360, scripts=False)
    page.goto(served.link("hal"))
    for tile, cell in (("b", "5"), ("c", "6")):
        page.check(f"input[name=tile][value={tile}]")
        page.check(f"input[name=cell][value='{cell}']")
        page.click("text=Lay the tile")
    page.click("text=Play b5,c6")
    assert "You have played b5,c6" in page.inner_text("main")
    assert served.moves(board) == ["a1", "b5,c6"]


def test_a_tab_of_one_player_shows_nothing_of_another(served: Served, tab: Tab) -> None:
    """Two people share a browser: what the one has not sent yet is not put into a form of the other."""
    served.sign_up("una", "vic")
    board = served.game("una", "vic", "mambo")
    mine = tab()
    logged_in(mine, served, "vic", f"/board/{board}")
    mine.wait_for_selector("#board[data-own=vic]")
    mine.click("summary:has-text('Send words')")
    mine.fill("#board textarea >> nth=0", "Only vic says this.")
    mine.context.clear_cookies()
    theirs = mine.context.new_page()
    logged_in(theirs, served, "una", f"/board/{board}")
    theirs.wait_for_selector("#board[data-own=una]")
    served.answer("una", "a0")
    mine.wait_for_selector("#board[data-own=una]")
    assert "Log out una" in mine.inner_text("header")
    assert "Only vic says this." not in [
        mine.input_value(f"textarea >> nth={n}") for n in range(mine.locator("textarea").count())
    ]


def test_a_question_that_comes_while_a_turn_is_laid_is_shown_before_the_turn_refuses_it(
    served: Served, tab: Tab
) -> None:
    served.sign_up("wes", "xia")
    board = served.game("wes", "xia", "mambo")
    page = tab()
    logged_in(page, served, "wes", f"/board/{board}")
    page.locator("button.hit").first.click()
    page.fill("#words", "Half a sentence")
    served.mail("xia", f"propose {board} xia {PASSWORD}")
    page.locator("button.hit.laid").click()
    page.wait_for_selector("text=Agree to the draw")
    page.locator("button.hit").first.click()
    page.wait_for_selector("text=Play")
    assert "xia" in page.inner_text("#board .news") and "draw" in page.inner_text("#board .news")
    assert page.input_value("#words") == "Half a sentence"


def test_a_page_restored_by_back_is_loaded_anew_unless_something_is_being_written(served: Served, tab: Tab) -> None:
    """What Chromium and Safari do for a page that they have kept whole, here without leaving it."""
    served.sign_up("yan", "zoe")
    board = served.game("yan", "zoe")
    page = tab()
    logged_in(page, served, "yan", "/me")
    mine = f"a[href='/board/{board}/turn']"
    page.wait_for_selector(mine)
    served.answer("yan", "a1")
    restored = "window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"
    page.evaluate(restored)
    page.wait_for_selector(mine, state="detached")
    page.goto(f"{served.url}/board/{board}/do")
    page.click("summary:has-text('Send words')")
    page.fill("textarea >> nth=0", "Half a sentence")
    page.evaluate(restored)
    assert page.input_value("textarea >> nth=0") == "Half a sentence"


def test_the_page_of_a_link_that_is_restored_by_back_knows_that_the_turn_was_played(served: Served, tab: Tab) -> None:
    served.sign_up("kit", "lou")
    served.game("kit", "lou")
    page = tab()
    page.goto(served.link("kit"))
    page.wait_for_selector("#turn[data-stamp]")
    served.answer("kit", "a1")
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    page.wait_for_selector("#turn[data-stamp]", state="detached")


def test_words_beside_a_turn_outlive_the_answer_to_a_question(served: Served, tab: Tab) -> None:
    served.sign_up("ida", "jon")
    board = served.game("ida", "jon", "mambo")
    served.mail("ida", f"propose {board} ida {PASSWORD}")
    page = tab()
    logged_in(page, served, "ida", f"/board/{board}")
    page.locator("button.hit").first.click()
    page.fill("#words", "Half a sentence")
    served.mail("jon", f"decline {board} jon {PASSWORD}")
    page.wait_for_selector("#words", state="detached")
    page.locator("button.hit").first.click()
    page.wait_for_selector("#words")
    assert page.input_value("#words") == "Half a sentence"
    served.answer("ida", "a0")
    page.wait_for_selector("#words", state="detached")
    served.answer("jon", "b1")
    page.wait_for_selector("button.hit")
    page.locator("button.hit").first.click()
    page.wait_for_selector("#words")
    assert page.input_value("#words") == "", "those were for another turn"
