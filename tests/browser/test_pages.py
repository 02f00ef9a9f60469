"""Every page in a real browser: axe-core finds nothing serious, nothing is wider than a phone, and no word is a
script."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browser.conftest import PASSWORD, Served

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

Tab = Callable[..., Any]
OPEN = [
    "/",
    "/board/1",
    "/try",
    "/try?rules=mambo&moves=a0.a1",
    "/draw?tiles=a0.b1",
    "/news",
    "/help",
    "/puzzle",
    "/help/lambo",
    "/login",
    "/join",
    "/forgot",
    "/player/ann",
    "/board/99",
    "/help/rules",
    "/help/mambo",
    "/help/words",
    "/help/tutorial",
]
MINE = [
    "/me",
    "/board/1",
    "/board/1/turn",
    "/board/1/turn?move=a1",
    "/board/1/turn?move=zz",
    "/queue/1",
    "/offers",
    "/settings",
    "/do",
    "/do/challenge",
    "/board/1/do",
]
FOREIGN = "document.querySelectorAll('main script, main iframe, main base, main [onclick]').length"
RULES = {"resultTypes": ["violations"]}


def log_in(page: Any, served: Served, who: str) -> None:
    page.goto(f"{served.url}/login")
    page.fill("input[name=name]", who)
    page.fill("input[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/me")


def faults(page: Any, path: str) -> list[str]:
    found = axe.Axe().run(page, options=RULES).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    told = [f"{path}: {one['id']}: {one['nodes'][0]['html'][:200]}" for one in serious]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        told.append(f"{path}: wider than the window")
    return told


def test_every_page_can_be_used_by_everybody_on_a_dark_phone(served: Served, tab: Tab) -> None:
    page, told = tab(360, "dark"), []
    for path in [served.link("ann").removeprefix(served.url), *OPEN]:
        page.goto(served.url + path)
        told += faults(page, path)
    log_in(page, served, "ann")
    for path in MINE:
        page.goto(served.url + path)
        told += faults(page, path)
    assert not told


def test_colours_by_day_and_a_wide_window(served: Served, tab: Tab) -> None:
    page, told = tab(1280, "light"), []
    for path in ("/", "/board/1", "/try?rules=mambo&moves=a0&move=a1", "/login", "/help/lambo"):
        page.goto(served.url + path)
        told += faults(page, path)
    assert not told


TRAPS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover=alert(1) autofocus onfocus=alert(1) x='",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</section></main><script>alert(1)</script>",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "{{7*7}}${alert(1)}#{alert(1)}",
    '<a href="javascript:alert(1)">x</a>',
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<style>*{display:none}</style>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<form action=//evil.example><button>x",
    "<!--",
    "]]><script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u202e<script>alert(1)</script>",
    "`'\"\\<x>\u2028alert(1)",
]


def test_no_word_that_a_player_writes_is_a_script(served: Served, tab: Tab) -> None:
    served.sign_up("kim", "leo")
    board = served.game("kim", "leo", "mambo")
    words = "\n".join(TRAPS)
    served.mail("kim", f'tournament create kim {PASSWORD} "<b onclick=alert(1)>cup</b>" -format=roundrobin', "")
    served.mail("kim", f"broadcast kim {PASSWORD}", words)
    served.mail("kim", f"chat {board} kim {PASSWORD}", words)
    served.answer("kim", f"a0\n{words}")
    page = tab()
    log_in(page, served, "leo")
    for path in (
        "/",
        "/news",
        f"/board/{board}",
        f"/board/{board}/turn",
        "/me",
        "/player/kim",
        "/tournament/1",
        "/help/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    ):
        page.goto(served.url + path)
        assert not page.evaluate(FOREIGN), path
    names = ("rules", "moves", "move", "typed", "tiles", "next", "command")
    for at in range(0, len(TRAPS), len(names)):
        said = urlencode(dict(zip(names, TRAPS[at:], strict=False)))
        for path in ("/try?", "/draw?", "/login?", "/do?", f"/board/{board}/turn?", f"/try/{board}?"):
            page.goto(f"{served.url}{path}{said}")
            assert not page.evaluate(FOREIGN), (path, at)
    page.goto(f"{served.url}/queue/{board}")
    page.fill("#plan", words[:3000])
    page.click("text=Queue it")
    page.wait_for_selector(".refused")
    assert page.input_value("#plan").startswith("<script>")
    page.goto(f"{served.url}/board/{board}/turn?move=a1")
    if page.locator("#words").count():
        page.fill("#words", words)
        page.click("button.main")
        page.wait_for_url(f"**/board/{board}")
