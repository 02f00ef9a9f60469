"""The page against strangers: one test a line of the list in docs/proof.md. The browser part is in tests/browser."""

import logging
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.routing import Route

from mailbot.core.commands import ROWS
from mailbot.shell.web import seal
from mailbot.shell.web.forms import sheets
from mailbot.shell.web.guard import Guard
from tests.dialogues.play import PASSWORDS
from tests.shell.web.visitor import Answer, Browser, House, at_home

EVIL = (
    "<script>alert(1)</script>",
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    '" onfocus="alert(1)" autofocus="',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</textarea><svg onload=alert(1)>",
    "</title><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "`<b>`<i>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<a href='javascript:alert(1)'>here</a>",
    "\u202e<script>\u2028alert(1)</script>",
    "\x02told\x04<script>alert(1)</script>\x03",
)
ALL = "\n".join(EVIL)
ATTRIBUTES = {"src", "href", "action", "formaction", "data", "xlink:href"}


class Hostile(HTMLParser):
    """What a page must not have, whatever players write."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("img", "iframe", "object", "embed", "style", "base") or (
            tag == "script" and "src" not in dict(attrs)
        ):
            self.found.append(tag)
        for name, value in attrs:
            leads = (value or "").strip().lower()
            local = re.match(r"(/(?!/)|#|mailto:|\?|$)", leads)
            if name.startswith("on") or name in ("style", "srcdoc") or (name in ATTRIBUTES and not local):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize("evil", [one for one in EVIL if "<" in one and one[0] != "`"] + ['<a href="javascript:x">'])
def test_the_trap_is_sprung_by_markup(evil: str) -> None:
    assert Hostile(f'<input value="{evil}">{evil}').found


def harmless(page: Answer, what: object) -> None:
    assert Hostile(page.text).found == [], (what, Hostile(page.text).found)
    assert "49{%" not in page.text, what


def sealed(house: House, browser: Browser) -> dict[str, str]:
    """The seal of a form of this browser."""
    html = seal.hidden(house.rooms, browser.cookies["mailbot"])
    return dict(zip(("once", "seal"), re.findall(r'value="([^"]*)"', html), strict=True))


async def scene(house: House) -> Browser:
    """Board 1 between ann and bob, one by bob to ann that waits, an open offer, a tournament; ann is logged in."""
    lines = [
        ("ann", f"lambo challenge -clock=normal ann bob {PASSWORDS['ann']}", ""),
        ("bob", f"accept 1 bob {PASSWORDS['bob']}", ""),
        ("bob", f"mambo challenge bob ann {PASSWORDS['bob']}", ""),
        ("bob", f"palago seek bob {PASSWORDS['bob']}", ""),
    ]
    for who, line, text in lines:
        await house.server.accept(house.server.mail(f"{who}@example.org", line, text))
    await house.letters()
    return await house.browser().log_in("ann")


def posts(house: House) -> Iterator[str]:
    """Every address that takes a form of a browser with a cookie. The link of a letter is proof itself."""
    for route in house.app.routes:
        if isinstance(route, Route) and "POST" in (route.methods or ()) and not route.path.startswith("/turn/"):
            yield re.sub(
                r"\{(\w+)(?::\w+)?\}", lambda found: {"slug": "resign", "token": "x"}.get(found[1], "1"), route.path
            )


def test_no_form_works_without_its_seal_or_with_that_of_another_browser(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await scene(house)
        bob = await house.browser().log_in("bob")
        own = (await ann.get("/settings")).form("/settings").fields
        foreign = (await bob.get("/settings")).form("/settings").fields
        stranger = (await house.browser().get("/login")).form("/login").fields
        forged = {"once": own["once"], "seal": foreign["seal"]}
        swapped = {"once": foreign["once"], "seal": own["seal"]}
        other = {"once": own["once"][:-1] + ("0" if own["once"][-1] != "0" else "1"), "seal": own["seal"]}
        typed = {"board": "1", "sheet": "", "sure": "yes", "what": "resign", "stamp": "running 2", "digest": "7",
                 "name": "ann", "password": PASSWORDS["ann"], "address": "zoe@example.org"}  # fmt: skip
        before = house.server.store.db.execute("SELECT total_changes()").fetchone()
        targets = [*posts(house)]
        assert {"/login", "/settings", "/do/resign", "/board/1/do", "/enter/x"} < {*targets}
        for target in targets:
            for fields in ({}, forged, swapped, other, foreign, stranger, {"once": "", "seal": ""}):
                page = await ann.post(target, typed | {k: v for k, v in fields.items() if k in ("once", "seal")})
                # `ann` is who is logged in, and so a second tap on the log-in leads on.
                ended = (target, page.status, page.header("set-cookie")) == ("/login", 303, "")
                assert page.status in (403, 422) or ended, (target, page.status, page.words[:200])
                assert "session" not in page.header("set-cookie")
        assert house.server.store.db.execute("SELECT total_changes()").fetchone() == before
        assert not await house.letters()

    at_home(tmp_path, story, "ann", "bob")


def test_what_is_no_form_is_refused(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await scene(house)
        for target in posts(house):
            for kind in ("text/plain", "multipart/form-data; boundary=x", "application/json", ""):
                assert (await ann.post(target, {"a": "b"}, content_type=kind)).status == 415, (target, kind)
            assert (await ann.post(target, {f"f{number}": "" for number in range(300)})).status == 400
            raw = await ann.ask("POST", target, b"\xff\xfe", content_type="application/x-www-form-urlencoded")
            assert raw.status == 400

    at_home(tmp_path, story, "ann", "bob")


def test_an_old_form_is_shown_again_with_what_was_typed(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await scene(house)
        page = await ann.get("/do/move")
        house.server.time += 7 * 86_400
        late = await ann.fill(page, "/do/move", board="1", move="c1", words="My words")
        assert late.status == 403 and "was open for more than a week" in late.words
        assert late.form("/do/move").fields["words"] == "My words" and not house.rooms.reads.texts(1)
        again = await ann.fill(late, "/do/move")
        assert again.status == 200 and house.rooms.reads.texts(1) == ["c1"]

    at_home(tmp_path, story, "ann", "bob")


async def everything(browser: Browser, house: House) -> list[Answer]:
    """Every page that opens without a filled-in form."""
    paths = [sheets.page_of(row) for row in ROWS if sheets.page_of(row)]
    paths += ["/", "/login", "/join", "/forgot", "/me", "/offers", "/settings", "/do", "/board/1/do", "/board/2/do"]
    paths += ["/tournament/1/do", "/enter/s1-1-1-1-" + "a" * 20, "/nothing", "/do/nothing", "/board/99/do"]
    paths += [
        "/do/games?sheet=",
        "/do/show?sheet=board%23&boards=1",
        "/do/history?sheet=&board=1",
        "/do/seeks",
        "/do/list",
    ]
    paths += ["/do/tournaments", "/do/tournament?sheet=part&n=1&part=log", "/do/tournament?sheet=part&n=1"]
    return [await browser.get(path) for path in paths]


def test_looking_changes_nothing(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await scene(house)
        before = house.server.store.db.execute("SELECT total_changes()").fetchone()
        await everything(ann, house)
        for path in ("/me", "/login", "/do/move", "/board/1/do"):
            assert (await ann.ask("HEAD", path)).status == 200
        assert house.server.store.db.execute("SELECT total_changes()").fetchone() == before
        assert not await house.letters()

    at_home(tmp_path, story, "ann", "bob")


def test_what_players_write_stays_words(tmp_path: Path) -> None:
    """A corpus in every place where a player can write, and every page that shows it."""

    async def story(house: House) -> None:
        ann = await scene(house)
        bob = await house.browser().log_in("bob")
        for evil in (ALL, EVIL[1], EVIL[3]):
            for browser in (ann, bob):
                page = await browser.get("/board/1/do")
                form = next(form for form in page.read.forms if form.fields.get("what") == "chat")
                harmless(await browser.post("/board/1/do", form.fields | {"words": evil}), evil)
                harmless(
                    await browser.fill(await browser.get("/do/message"), "/do/message", to="ann", words=evil), evil
                )
            harmless(await bob.fill(await bob.get("/do/propose"), "/do/propose", board="1", words=evil), evil)
            house.server.time += 86_401
            for page in (await ann.get("/me"), await ann.get("/board/1/do"), await ann.get("/board/2/do")):
                harmless(page, evil)
            page = await ann.fill(await ann.get("/do/accept"), "/do/accept", board="1", words=evil)
            harmless(page, evil)
        for page in await everything(ann, house):
            harmless(page, page.path)

    at_home(tmp_path, story, "ann", "bob")


def test_what_is_typed_stays_words(tmp_path: Path) -> None:
    """The corpus typed into every field of every form, and into every address."""

    async def story(house: House) -> None:
        ann = await scene(house)
        pages = [row for row in ROWS if sheets.page_of(row) == f"/do/{sheets.slug(row)}"]
        every = [(row, sheet) for row in pages for sheet in sheets.sheets(row)]
        for number, (row, sheet) in enumerate(every):
            evil = ALL if number % 2 else EVIL[number % len(EVIL)]
            slug, at = sheets.slug(row), quote(sheet.key)
            names = [one.name for one in sheet.fields(house.rooms.catalogue) if one.name != "old"]
            if sheet.looks:
                query = "&".join(f"{name}={quote(evil)}" for name in names)
                harmless(await ann.get(f"/do/{slug}?sheet={at}&{query}"), (slug, evil))
            elif names:
                typed = dict.fromkeys(names, evil) | {"sheet": sheet.key}
                harmless(await ann.post(f"/do/{slug}", typed | sealed(house, ann)), (slug, evil))
        for evil in EVIL:
            said = quote(evil)
            for path in (f"/do?command={said}", f"/login?next={said}", f"/do/move?move={said}&board={said}"):
                harmless(await ann.get(path), path)
        stranger = house.browser()
        await stranger.get("/login")
        for evil in (ALL, *EVIL[:3]):
            for path, names in (("/login", ["name", "password", "next"]), ("/join", ["name", "address", "password"])):
                page = await stranger.post(path, dict.fromkeys(names, evil) | sealed(house, stranger))
                harmless(page, (path, evil))
                assert page.status in (403, 422)
            harmless(await stranger.post("/forgot", {"name": evil} | sealed(house, stranger)), evil)
            typed = dict.fromkeys(["rating", "timezone", "digest", "board"], evil)
            harmless(await ann.post("/settings", typed | sealed(house, ann)), evil)

    at_home(tmp_path, story, "ann", "bob")


def test_a_tournament_of_evil_words(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        await house.server.writer.do(lambda store: setattr(store, "directors", "ann"))
        ann = await house.browser().log_in("ann")
        for evil in EVIL:
            create = next(form for form in (await ann.get("/do/tournament")).read.forms if "title" in form.fields)
            typed = {
                "title": evil,
                "format": "roundrobin",
                "play": "lambo",
                "max": "4",
                "words": evil,
                "clock": "normal",
            }
            harmless(await ann.post("/do/tournament", create.fields | typed), evil)
        typed["title"] = "Cup"
        create = next(form for form in (await ann.get("/do/tournament")).read.forms if "title" in form.fields)
        assert (await ann.post("/do/tournament", create.fields | typed)).status == 200
        for evil in (ALL, EVIL[0]):
            act = next(form for form in (await ann.get("/tournament/1/do")).read.forms if "act" in form.fields)
            harmless(await ann.post("/do/tournament", act.fields | {"act": "note", "words": evil}), evil)
        for path in (
            "/tournament/1/do",
            "/do/tournament?sheet=part&n=1",
            "/do/tournament?sheet=part&n=1&part=log",
            "/me",
        ):
            page = await ann.get(path)
            assert page.status == 200
            harmless(page, path)

    at_home(tmp_path, story, "ann")


def test_pages_with_a_secret_are_not_kept_and_lead_nowhere_else(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await scene(house)
        browser = Browser(Guard(house.app, house.rooms.url, clock=lambda: 0.0, cpu=lambda: 0.0))
        browser.cookies = ann.cookies
        for page in await everything(browser, house):
            assert page.header("referrer-policy") == "no-referrer", page.path
            assert "default-src 'none'" in page.header("content-security-policy")
            if "Log out" in page.words or "/enter/" in page.path:
                assert page.header("cache-control") == "no-store", page.path
            assert not re.search(r"https?://", page.text.replace(house.rooms.url, "")), page.path

    at_home(tmp_path, story, "ann", "bob")


def test_nothing_secret_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def story(house: House) -> None:
        ann = await scene(house)
        await ann.fill(
            await ann.get("/do/change-password"), "/do/change-password", old="canary-old-1", new="canary-new-1"
        )
        await ann.fill(await ann.get("/do/move"), "/do/move", board="1", move="c1", words="canary-words")
        stranger = house.browser()
        await stranger.fill(await stranger.get("/login"), "/login", name="canary-name", password="canary-word-1")
        await stranger.fill(
            await stranger.get("/join"), "/join", name="zoe", address="canary@example.org", password="canary-word-2"
        )
        await stranger.fill(await stranger.get("/login"), "/login/link", name="ann")
        text = next(text for _, text in await house.letters() if "/enter/" in text)
        link = re.search(r"/enter/(\S+)", text)
        assert link
        await stranger.fill(await stranger.get(link[0]), link[0])
        logged = "\n".join(record.getMessage() for record in caplog.records)
        assert "player 1 logs in by a link" in logged
        for secret in ("canary", "example.org", link[1], ann.cookies["mailbot"], *PASSWORDS.values()):
            assert secret not in logged, secret

    at_home(tmp_path, story, "ann", "bob")


def test_no_field_makes_a_header(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await scene(house)
        for name in ("to", "words"):
            typed = {"to": "bob", "words": "Hello"} | {name: "bob\r\nBcc: eve@example.org\r\n\r\nHello"}
            page = await ann.fill(await ann.get("/do/message"), "/do/message", **typed)
            assert page.status == (422 if name == "to" else 200)
            await house.done()
            letters = [letter for _, _, letter in house.server.new_letters()]
            assert len(letters) == (name == "words") and not any("Bcc" in letter for letter in letters)

    at_home(tmp_path, story, "ann", "bob")
