"""Signing up on the page: by consent of the address as ever, within the budgets; and a forgotten password."""

import re
from pathlib import Path

from mailbot.shell.proof.budgets import OUR_OWN
from mailbot.shell.web.forms import joining
from mailbot.shell.web.forms.entering import SPENT
from tests.shell.web.visitor import House, at_home


def test_sign_up_answer_and_play(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        zoe = house.browser()
        page = await zoe.get("/join")
        told = await zoe.fill(page, "/join", name="zoe", address="zoe@example.org", password="zoes-own-words-1")
        assert told.status == 200 and joining.ASKED in told.words
        ((to, text),) = await house.letters()
        assert to == "zoe@example.org" and "answer this letter within 7 days with: yes" in text
        assert "zoes-own-words-1" not in text
        refused = await zoe.fill(await zoe.get("/login"), "/login", name="zoe", password="zoes-own-words-1")
        assert refused.status == 403
        letter = house.server.letters["zoe@example.org"][-1]
        await house.server.accept(house.server.reply("zoe@example.org", letter, "yes"))
        entered = await zoe.fill(await zoe.get("/login"), "/login", name="zoe", password="zoes-own-words-1")
        assert entered.status == 303
        again = await zoe.fill(page, "/join", name="zoe", address="zoe@example.org", password="zoes-own-words-1")
        assert again.status == 403, "that form belonged to somebody who had not logged in"

    at_home(tmp_path, story)


def test_whoever_goes_back_and_corrects_a_field_is_asked_anew(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        zoe = house.browser()
        page = await zoe.get("/join")
        for address in ("zoe@exmaple.org", "zoe@example.org", "zoe@example.org"):
            told = await zoe.fill(page, "/join", name="zoe", address=address, password="zoes-own-words-1")
            assert told.status == 200 and joining.ASKED in told.words
        assert [to for to, _ in await house.letters()] == ["zoe@exmaple.org", "zoe@example.org"]
        page = await zoe.get("/forgot")
        for name in ("anne", "ann", "ann"):
            assert joining.FORGOTTEN in (await zoe.fill(page, "/forgot", name=name)).words
        assert [to for to, _ in await house.letters()] == ["ann@example.org"]

    at_home(tmp_path, story, "ann")


def test_a_password_made_by_the_server_is_in_the_letter_alone(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        zoe = house.browser()
        told = await zoe.fill(await zoe.get("/join"), "/join", name="zoe", address="zoe@example.org")
        ((_, text),) = await house.letters()
        made = re.search(r"\w{5}-\w{5}-\w{5}-\w{5}", text)
        assert made and made[0] not in told.text
        disk = (tmp_path / "test.sqlite").read_bytes() + (tmp_path / "test.sqlite-wal").read_bytes()
        assert made[0].encode() not in disk

    at_home(tmp_path, story)


WRONG = [
    ({"name": "z"}, "name", "A name has 2 to 20 letters"),
    ({"name": "zoe bob"}, "name", "A name has 2 to 20 letters"),
    ({"name": "ann"}, "name", "The name 'ann' is taken; choose another one."),
    ({"name": "help"}, "name", "is taken"),
    ({"name": "dbltest.com"}, "name", "like that of a web site"),
    ({"password": "short"}, "password", "too short"),
    ({"password": "with a blank"}, "password", "may not hold blanks"),
    ({"password": "me@some.where"}, "password", "may not look like a mail address"),
    ({"password": "long-enough,"}, "password", "nor end with a comma"),
    ({"address": "mailbot@games.example.net"}, "address", OUR_OWN),
    ({"address": "zoe"}, "address", "No mail can be sent to this."),
    ({"address": "a@b.example c@d.example e@f.example g@h.example"}, "address", "at most 3 addresses"),
    ({"address": "zoe@example.org\r\nBcc:eve@example.org"}, "address", "No mail can be sent to this."),
]


def test_what_is_wrong_stands_at_its_field(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        zoe = house.browser()
        right = {"name": "zoe", "address": "zoe@example.org", "password": "zoes-own-words-1"}
        for typed, field, said in WRONG:
            page = await zoe.fill(await zoe.get("/join"), "/join", **(right | typed))
            assert page.status == 422 and said in page.words and f'id="{field}-wrong"' in page.text, typed
            kept = page.form("/join").fields
            assert kept["name"] == (right | typed)["name"] and kept["password"] == ""
        assert not await house.letters()

    at_home(tmp_path, story, "ann")


def test_a_network_has_its_share_of_sign_ups_and_of_forgotten_passwords(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for path, fields in (("/join", {"password": "some-words-123"}), ("/forgot", {})):
            statuses = []
            browser = house.browser("203.0.113.9")
            for number in range(32):
                named = {"name": f"guest{number}x"}
                if path == "/join":
                    named["address"] = f"zoe@number{number}.example"
                page = await browser.fill(await browser.get(path), path, **named, **fields)
                statuses.append(page.status)
            assert statuses == [200] * 30 + [429] * 2 and SPENT in page.words
            elsewhere = house.browser("198.51.100.9")
            page = await elsewhere.fill(await elsewhere.get("/forgot"), "/forgot", name="somebody")
            assert page.status == 200
            await house.letters()

    at_home(tmp_path, story)


def test_a_forgotten_password_is_done_later_and_told_to_nobody(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        seen = []
        for name in ("ann", "nobody", "ann"):
            browser = house.browser()
            page = await browser.fill(await browser.get("/forgot"), "/forgot", name=name)
            seen.append((page.status, page.words))
            assert house.server.db.execute("SELECT count(*) FROM unproved").fetchone() == (len(seen),)
        assert len({*seen}) == 1 and joining.FORGOTTEN in page.words
        ((to, text),) = await house.letters()
        assert to == "ann@example.org" and text.startswith("Your password")
        letter = house.server.letters["ann@example.org"][-1]
        await house.server.accept(house.server.reply("ann@example.org", letter, "password my-newest-one"))
        browser = house.browser()
        done = await browser.fill(await browser.get("/login"), "/login", name="ann", password="my-newest-one")
        assert done.status == 303

    at_home(tmp_path, story, "ann")


def test_a_password_in_the_place_of_the_name_is_not_stored(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        browser = house.browser()
        for name in ("Yk0105-pass-wOrd", "ann"):
            page = await browser.fill(await browser.get("/forgot"), "/forgot", name=name)
            assert page.status == 200
        (one,), (two,) = house.server.db.execute("SELECT request FROM unproved ORDER BY id").fetchall()
        assert "Yk0105" not in one and '"ann"' in two

    at_home(tmp_path, story, "ann")


def test_letters_to_further_addresses_cost_what_a_mail_costs(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        ann = await house.browser("203.0.113.9").log_in("ann")
        own = await ann.fill(await ann.get("/do/add"), "/do/add", address="postmaster@games.example.net")
        assert own.status == 422 and OUR_OWN in own.words
        for number in range(31):
            page = await ann.fill(await ann.get("/do/add"), "/do/add", address=f"zoe@number{number}.example")
            assert page.status == (429 if number == 30 else 200), page.words
        assert SPENT in page.words
        asked = {to for to, _ in await house.letters() if to.startswith("zoe@")}
        assert len(asked) == 30

    at_home(tmp_path, story, "ann")
