"""Logging in: the cookie, the link by mail, the same limits and letters as by mail, and log-out."""

import logging
import re
from pathlib import Path

import pytest
from starlette.requests import Request

from mailbot.core import tokens
from mailbot.core.model import DAY, Player
from mailbot.core.players.attempts import LIMITS
from mailbot.core.tokens import Token
from mailbot.shell.proof.auth import Verdict
from mailbot.shell.proof.operator import ACCOUNT
from mailbot.shell.web import session
from mailbot.shell.web.forms import entering
from mailbot.store import unproved
from tests.dialogues.play import PASSWORDS
from tests.shell.web.visitor import Browser, House, at_home

FILTER = Path(__file__).parents[3] / "config" / "fail2ban.conf"


async def logged_in(browser: Browser) -> bool:
    return "Log out" in (await browser.get("/login")).words


def test_log_in_and_out(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        browser = house.browser()
        page = await browser.get("/login")
        assert page.header("cache-control") == "no-store"
        done = await browser.fill(page, "/login", name=" ANN ", password=PASSWORDS["ann"], next="/board/12?ply=3")
        assert (done.status, done.header("location")) == (303, "/board/12?ply=3")
        cookie = done.header("set-cookie")
        assert cookie.startswith("mailbot=s") and "HttpOnly" in cookie and "SameSite=lax" in cookie
        assert "Max-Age=2592000" in cookie and "Path=/" in cookie and "Secure" not in cookie
        page = await browser.get("/login")
        assert "Log out ann" in page.words
        done = await browser.fill(page, "/logout")
        assert done.status == 303 and not browser.cookies
        assert not await logged_in(browser)
        assert not await house.letters()

    at_home(tmp_path, story, "ann")


def test_behind_tls_the_cookie_travels_over_tls_only(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        browser = house.browser()
        assert "Secure" in (await browser.get("/login")).header("set-cookie")
        await browser.log_in("ann")
        assert [*browser.cookies] == ["__Host-mailbot"]
        assert await logged_in(browser)

    at_home(tmp_path, story, "ann", url="https://games.example.net")


# what a browser may send beside the cookie of ann, who is logged in; {} is the cookie of bob
TOSSED = (
    "\xa0{1}={0}; {1}={2}",
    "{1}={2}; \xa0{1}={0}",
    "\x85{1}={0}; {1}={2}",
    "{1}\xa0={0}; {1}={2}",
    "{1}={2}; {1}x={0}",
)


@pytest.mark.parametrize("said", TOSSED)
def test_a_neighbouring_host_logs_nobody_in(said: str, tmp_path: Path) -> None:
    """A browser lets a neighbouring host set any cookie whose name does not begin with `__Host-`, and takes a no-break
    space for a part of the name."""

    async def story(house: House) -> None:
        ann, bob = await house.browser().log_in("ann"), await house.browser().log_in("bob")
        (name,) = ann.cookies

        def who(cookies: str) -> Player | None:
            header = (b"cookie", cookies.encode("latin-1"))
            return session.visit(house.rooms, Request({"type": "http", "headers": [header], "client": None})).player

        mine = who(said.format(bob.cookies[name], name, ann.cookies[name]))
        assert mine and mine.userid == "ann"
        assert who(f"\xa0{name}={bob.cookies[name]}") is None
        assert who(f"{name}={bob.cookies[name]}; {name}={ann.cookies[name]}") is None, "nobody can tell which is whose"

    at_home(tmp_path, story, "ann", "bob", url="https://games.example.net")


def test_wrong_passwords_are_answered_alike_counted_and_told(tmp_path: Path) -> None:
    """A wrong password, an unknown name and a lock: one sentence, the letters that a mail would cause, and a lock for
    mails, too."""

    async def story(house: House) -> None:
        browser = house.browser("198.51.100.9")
        seen = set()
        for name in ("ann", "nobody", "ann", "x" * 300, "", "ann", "ann", "ann", "ann"):
            page = await browser.fill(await browser.get("/login"), "/login", name=name, password="wrong-word-1")
            assert page.status == 403 and "set-cookie" not in dict(page.headers)
            seen.add(re.sub(r"value=\"[^\"]*\"", "", page.text))
        assert len(seen) == 1 and entering.WRONG in page.words
        right = await browser.fill(await browser.get("/login"), "/login", name="ann", password=PASSWORDS["ann"])
        assert right.status == 403 and entering.WRONG in right.words
        letters = await house.letters()
        assert [to for to, _ in letters] == ["ann@example.org"] * 2
        assert [
            next(part for part in ("with a wrong password", "Too many wrong passwords") if part in text)
            for _, text in letters
        ] == ["with a wrong password", "Too many wrong passwords"]
        house.server.source = "198.51.100.9"
        status = await house.server.accept(house.server.mail("ann@example.org", f"set ann {PASSWORDS['ann']}", ""))
        assert status.startswith("550")
        await house.browser("203.0.113.5").log_in("ann")

    at_home(tmp_path, story, "ann")


def test_the_page_counts_no_tries_for_anybody_who_is_no_player(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        auth = house.server.auth
        for name in (ACCOUNT, f"{ACCOUNT} eve@example.org", "me 0 zoe@example.org", "ann@example.org"):
            for number in range(LIMITS["account"].failures + 5):
                browser = house.browser(f"203.0.{number}.9")
                await browser.fill(await browser.get("/login"), "/login", name=name, password="wrong-wrong-1")
            told = await auth.verify(None, name, "wrong-wrong-2", "198.51.100.77", house.server.time, own=True)
            assert told is Verdict.WRONG, name

    at_home(tmp_path, story, "ann")


def test_fail2ban_reads_wrong_passwords_of_the_page(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (pattern,) = re.findall(r"^failregex = (.+)$", FILTER.read_text(), re.MULTILINE)
    reads = re.compile(pattern.replace("<HOST>", r"(?P<host>[0-9a-f.:]+)"))
    caplog.set_level(logging.INFO)

    async def story(house: House) -> None:
        caplog.clear()
        for ip in ("198.51.100.9", "2001:db8::7"):
            browser = house.browser(ip)
            await browser.fill(await browser.get("/login"), "/login", name="ann", password="wrong-word-1")
            await browser.log_in("ann")
        lines = [f"{record.levelname} {record.name}: {record.getMessage()}" for record in caplog.records]
        assert [found["host"] for found in map(reads.search, lines) if found] == ["198.51.100.9", "2001:db8::7"]
        assert len(lines) == 4

    at_home(tmp_path, story, "ann")


def test_names_cost_the_same_whether_anybody_has_them(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        hashed: list[str] = []
        matches = house.server.auth._matches
        house.server.auth._matches = lambda known, said: hashed.append(said) or matches(known, said)  # type: ignore[func-returns-value]
        waiting = []
        for name in ("ann", "nobody"):
            browser = house.browser()
            for action, fields in (("/login", {"password": "wrong-word-1"}), ("/login/link", {})):
                await browser.fill(await browser.get("/login"), action, name=name, **fields)
            await house.server.reception.settled()
            waiting.append(house.server.db.execute("SELECT count(*) FROM unproved").fetchone()[0])
        assert len(hashed) == 2 and waiting == [2, 4]

    at_home(tmp_path, story, "ann")


def test_too_many_at_once_is_said(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        house.server.auth._places = 0
        browser = house.browser()
        page = await browser.fill(await browser.get("/login"), "/login", name="ann", password=PASSWORDS["ann"])
        assert page.status == 503 and entering.BUSY in page.words

    at_home(tmp_path, story, "ann")


ENDS = [
    ("29 days", lambda house: wait(house, 29), True),
    ("30 days", lambda house: wait(house, 30), False),
    ("a player who gets no letters", lambda house: order(house, f"signoff ann {PASSWORDS['ann']}"), True),
    ("a locked player", lambda house: set_state(house, "locked"), False),
    ("a new password", lambda house: order(house, f"change password ann {PASSWORDS['ann']} new-password-1"), False),
]


async def wait(house: House, days: int) -> None:
    house.server.time += days * DAY


async def order(house: House, line: str) -> None:
    await house.server.accept(house.server.mail("ann@example.org", line, ""))


async def set_state(house: House, state: str) -> None:
    await house.server.writer.do(lambda store: store.db.execute("UPDATE player SET state = ?", (state,)))


def test_how_long_a_log_in_lasts(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for what, act, stays in ENDS:
            await set_state(house, "active")
            browser = await house.browser().log_in("ann")
            await act(house)
            assert await logged_in(browser) is stays, what

    at_home(tmp_path, story, "ann")


def test_only_our_own_cookie_of_the_right_kind_is_believed(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        key = house.rooms.keys[1]
        today = house.server.time // DAY
        right = Token(tokens.SESSION, 1, today, 1)
        rows = [
            (tokens.write(right, key, 1, 1), True),
            (tokens.write(right, b"another key " * 2, 1, 1), False),
            (tokens.write(right, key, 1, 2), False),
            (tokens.write(right, key, 2, 1), False),
            (tokens.write(Token(tokens.SESSION, 1, today + 1, 1), key, 1, 1), False),
            (tokens.write(Token(tokens.SESSION, 1, today, 2), key, 1, 1), False),
            (tokens.write(Token(tokens.SESSION, 7, today, 1), key, 1, 1), False),
            *((tokens.write(Token(kind, 1, today, 1), key, 1, 1), False) for kind in map(tokens.Kind, tokens.KINDS)
              if kind != tokens.SESSION),
            ("", False),
            ("visit" + "0" * 32, False),
            ("s1-1-1-1-" + "a" * 20, False),
        ]  # fmt: skip
        for cookie, good in rows:
            browser = house.browser()
            browser.cookies = {"mailbot": cookie}
            assert await logged_in(browser) is good, cookie

    at_home(tmp_path, story, "ann")


def test_a_cookie_proves_nothing_by_mail(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for kind in tokens.AT_PAGE:
            address = house.server.token_address(Token(tokens.Kind(kind), 1, house.server.time // DAY, 1))
            status = await house.server.accept(house.server.mail("ann@example.org", "set", "set", address))
            assert status.startswith("550"), kind

    at_home(tmp_path, story, "ann")


def test_a_link_by_mail_logs_in_once_within_an_hour(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        browser = house.browser()
        page = await browser.fill(await browser.get("/login"), "/login/link", name="ann")
        assert (page.status, entering.SENT in page.words) == (200, True)
        ((to, text),) = await house.letters()
        assert to == "ann@example.org"
        link = re.search(r"http://games.example.net(/enter/\S+)", text)
        assert link and "Reply-To" not in str(house.server.letters["ann@example.org"][-1])
        disk = (tmp_path / "test.sqlite").read_bytes() + (tmp_path / "test.sqlite-wal").read_bytes()
        assert link[1].rpartition("-")[2].encode() not in disk

        asked = await browser.get(link[1])
        assert asked.status == 200 and "Log in as ann" in asked.words
        assert not await logged_in(browser), "opening a link changes nothing"
        other = house.browser()
        foreign = await other.post(link[1], asked.form(link[1]).fields)
        assert foreign.status == 403 and not await logged_in(other)
        house.server.time += 3600
        assert (await browser.fill(asked, link[1])).status == 303
        assert await logged_in(browser)
        again = await other.fill(await other.get(link[1]), link[1])
        assert again.status == 403 and entering.USED in again.words

        for _ in range(3):
            await other.fill(await other.get("/login"), "/login/link", name="ann")
        assert len(await house.letters()) == 1, "one an hour, as for `forgot`"
        house.server.time += 3661
        assert (await other.get(link[1])).status == 403

    at_home(tmp_path, story, "ann")


def test_two_taps_on_a_log_in_log_in(tmp_path: Path) -> None:
    """A browser gives up its first request with the second tap, and so does not hear of the cookie."""

    async def story(house: House) -> None:
        browser, other = house.browser(), house.browser()
        await browser.fill(await browser.get("/login"), "/login/link", name="ann")
        link = re.search(r"(/enter/\S+)", "\n".join(text for _, text in await house.letters()))
        assert link
        page, theirs = await browser.get(link[1]), await other.get(link[1])
        unheard = dict(browser.cookies)
        assert (await browser.fill(page, link[1])).header("location") == "/me"
        browser.cookies = unheard
        assert not await logged_in(browser)
        assert (await other.fill(theirs, link[1])).status == 403, "nobody else"
        assert (await browser.fill(page, link[1])).header("location") == "/me"
        assert await logged_in(browser)
        assert (await browser.fill(page, link[1])).header("location") == "/me", "or it has heard of the cookie"
        stale = await other.get("/login")
        for name in ("ann", "ANN"):
            done = await other.fill(stale, "/login", name=name, password=PASSWORDS["ann"], next="/offers")
            assert (done.status, done.header("location")) == (303, "/offers"), name
        done = await other.fill(stale, "/login", name="bob", password=PASSWORDS["bob"])
        assert done.status == 403, "somebody else is logged in there"
        await browser.fill(await browser.get("/me"), "/logout")
        assert (await browser.fill(page, link[1])).status == 403, "after a log-out the old form is no good"

    at_home(tmp_path, story, "ann", "bob")


def test_a_link_makes_a_home_so_that_nobody_is_locked_out_for_long(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        browser = house.browser("198.51.100.9")

        async def tries(password: str) -> int:
            page = await browser.fill(await browser.get("/login"), "/login", name="ann", password=password)
            return page.status

        assert [await tries("wrong-word-1") for _ in range(5)] == [403] * 5
        assert await tries(PASSWORDS["ann"]) == 403
        await browser.fill(await browser.get("/login"), "/login/link", name="ann")
        link = re.search(r"(/enter/\S+)", "\n".join(text for _, text in await house.letters()))
        assert link
        assert (await browser.fill(await browser.get(link[1]), link[1])).status == 303
        browser = house.browser("198.51.100.9")
        assert await tries(PASSWORDS["ann"]) == 303

    at_home(tmp_path, story, "ann")


def test_without_room_for_the_letter_the_page_promises_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A neighbour who guesses fills the places of the network."""

    async def story(house: House) -> None:
        monkeypatch.setattr(unproved, "MAX_OF_ONE", 0)
        for name in ("ann", "nobody"):
            browser = house.browser("203.0.113.9")
            page = await browser.fill(await browser.get("/login"), "/login/link", name=name)
            assert page.status == 429 and entering.SPENT in page.words
        page = await house.browser("198.51.100.9").get("/login")
        assert page.status == 200 and not await house.letters()

    at_home(tmp_path, story, "ann")


def test_links_have_a_budget(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        statuses = []
        browser = house.browser("203.0.113.9")
        for number in range(40):
            page = await browser.fill(await browser.get("/login"), "/login/link", name=f"name{number}")
            statuses.append(page.status)
        assert statuses == [200] * 30 + [429] * 10
        assert not await house.letters()

    at_home(tmp_path, story)


@pytest.mark.parametrize(
    ("said", "goes"),
    [
        ("/board/12", "/board/12"),
        ("", "/me"),
        ("//evil.example", "/me"),
        ("/\\evil.example", "/me"),
        ("https://evil.example", "/me"),
        ("/a\r\nSet-Cookie: x=y", "/me"),
        ("/" + "a" * 300, "/me"),
        ("javascript:alert(1)", "/me"),
    ],
)
def test_where_the_log_in_leads(said: str, goes: str) -> None:
    assert entering.local(said) == goes
