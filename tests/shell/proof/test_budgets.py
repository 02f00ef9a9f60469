"""What strangers can make us send: three budgets, with a share of each for a network and for a domain."""

import logging
from contextlib import suppress
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import pytest

from mailbot.core.caps import HOUR, Caps
from mailbot.core.mail.addresses import owner
from mailbot.core.model import DAY
from mailbot.core.world import Asked
from mailbot.shell.console import postman
from mailbot.shell.proof.budgets import BELOW_DAYS, LITTLE, OF_ONE, Budgets, Spent, one_unproved
from mailbot.shell.reception import PATIENCE
from mailbot.shell.smtp.wire import Envelope
from mailbot.store.store import Store
from tests.dialogues.play import FRONT, Memory, Server, _sign_up, serving

NOW = 1_770_000_000
CAPS = Caps(stranger_letters_per_hour=40, source_percent=15, domain_percent=65)  # 40, 6 for a network, 26 for a domain


def spent(budgets: Budgets, times: int, source: str, address: str, budget: str = "help", at: int = NOW) -> int:
    """How many of so many letters the budget pays for."""
    paid = 0
    for i in range(times):
        try:
            budgets.spend(budget, source.format(i), [address.format(i)], at)
        except Spent:
            continue
        paid += 1
    return paid


# source, address ({} is counted up), letters that are paid of fifty
SHARES = [
    ("192.0.2.{}", "x@a{}.example", 6),
    ("2001:db8::{}", "x@a{}.example", 6),
    ("2001:db8:0:{}::1", "x@a{}.example", 12),  # a /56
    ("2001:db8:0:{}00::1", "x@a{}.example", 19),  # a /48, with less than the share of a domain
    ("2001:db8:{}::1", "x@a{}.example", 80),  # with what is kept for networks that have used little
    ("10.0.{}.1", "x{}@a.example", 52),
    ("10.0.{}.1", "x@sub{}.evil.example", 20),
    ("10.0.{}.1", "x@sub{}.evil.co.uk", 20),
    ("10.0.{}.1", "x{}@evil.co.uk", 52),
    ("10.0.{}.1", "x@a{}.example", 80),
    ("10.0.{}.1", "", 80),  # a page knows a name and no address
    ("192.0.2.{}", "", 6),
    ("", "", 40),
    ("127.0.0.1", "x@a.example", 40),
    ("", "x@a{}.example", 40),
    ("front", "x@a{}.example", 40),
]


@pytest.mark.parametrize(("source", "address", "paid"), SHARES)
def test_a_budget_and_its_shares(source: str, address: str, paid: int) -> None:
    memory = Memory()
    budgets = Budgets(memory, b"k" * 32, CAPS)
    assert spent(budgets, 100, source, address) == paid
    assert spent(budgets, 100, source, address, "forgot") == paid, "each budget is counted by itself"
    assert budgets.spent(NOW) == (["help", "forgot"] if paid >= 40 else []), "for everybody"
    window = BELOW_DAYS * DAY if "sub{}" in address else HOUR
    known = paid if "sub{}" in address else 0
    assert spent(budgets, 100, source, address, at=NOW + window - 1) == known, "the same domains and no others"
    assert spent(budgets, 100, source, address, at=NOW + window) == paid
    assert not [key for key in memory.rows if "example" in key or "192." in key or "evil" in key]


def test_a_class_of_students_signs_up_from_one_domain_below_a_bought_one() -> None:
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    assert spent(budgets, 25, "10.0.{}.1", "x{}@students.uni.example") == 25
    assert spent(budgets, 100, "10.1.{}.1", "x@sub{}.uni.example") == 19, "one is used up"
    later = NOW + DAY
    assert spent(budgets, 25, "10.0.{}.1", "y{}@students.uni.example", at=later) == 25
    assert spent(budgets, 25, "10.2.{}.1", "x@new{}.uni.example", at=later) == 0
    budgets.reads_at("ann@new.uni.example", later)
    assert spent(budgets, 25, "10.3.{}.1", "x{}@new.uni.example", at=later) == 25, "a player reads there"


def test_one_network_does_not_use_up_the_domains_below_a_bought_one() -> None:
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    for budget in ("signup", "help", "forgot", "challenge"):
        spent(budgets, 9, "192.0.2.7", "x@" + budget + "{}.uni.example", budget)
    assert spent(budgets, 1, "198.51.100.7", "ann@cs.uni.example", "signup", NOW + HOUR) == 1
    budgets.spend("signup", "203.0.113.7", ["a@x.other.example", "b@x.other.example", "c@y.other.example"], NOW)
    assert spent(budgets, 1, "203.0.113.7", "d@z.other.example") == 0, "two domains of this network"


def test_forms_of_the_page_leave_the_budgets_of_mails_alone() -> None:
    """They can come from any number of networks."""
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    for number in range(200):
        with suppress(Spent):
            address = f"x@a{number}.uni.example" if number % 2 else f"x{number}@b{number}.example"
            budgets.spend("signup", f"10.{number}.0.1", [address], NOW, page=True)
    with pytest.raises(Spent):
        budgets.spend("signup", "198.51.100.7", ["ann@cs.uni.example"], NOW, page=True)
    assert budgets.spent(NOW) == ["page signup"]
    budgets.spend("signup", "198.51.100.7", ["ann@cs.uni.example"], NOW, "ann@cs.uni.example")
    later = NOW + HOUR
    budgets.reads_at("ann@cs.uni.example", later)
    with pytest.raises(Spent):  # or the page would say that somebody plays there
        budgets.spend("signup", "198.51.100.8", ["bob@cs.uni.example"], later, page=True)


def test_one_source_takes_nothing_from_the_others() -> None:
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    spent(budgets, 50, "192.0.2.7", "x{}@gmail.example")
    assert spent(budgets, 1, "198.51.100.7", "ann@gmail.example") == 1
    assert spent(budgets, 1, "198.51.100.7", "ann@other.example") == 1


def test_some_networks_that_use_up_all_leave_a_few_letters_for_every_other() -> None:
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    for network in range(7):
        spent(budgets, 6, f"10.0.{network}.1", "x{}@gmail.example")
    assert budgets.spent(NOW) == [] and spent(budgets, 1, "10.0.6.1", "x@gmail.example") == 0, "the domain is used up"
    assert spent(budgets, 10, "198.51.100.7", "x{}@gmail.example") == LITTLE
    for network in range(7):
        spent(budgets, 6, f"10.1.{network}.1", "x@a{}.example")
    assert budgets.spent(NOW) == ["help"] and spent(budgets, 1, "10.1.0.1", "x@b.example") == 0
    assert spent(budgets, 10, "198.51.101.7", "x@a{}.example") == LITTLE


def test_the_networks_of_one_site_are_not_all_new() -> None:
    """A /48 has 65,536 networks, each of which would have its three letters of what is kept for others."""
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    for site in range(7):
        for network in range(40):
            spent(budgets, 1, f"2001:db8:{site:x}:{network:x}::1", "x@gmail.example")
    assert spent(budgets, 1, "2001:db8:1:ffff::1", "x@gmail.example") == 0, "the domain is used up"
    assert spent(budgets, 10, "198.51.100.7", "x{}@gmail.example") == LITTLE


def test_one_sender_does_not_use_up_the_share_of_all_who_write_from_there() -> None:
    budgets = Budgets(Memory(), b"k" * 32, Caps(stranger_letters_per_hour=200))
    for _ in range(OF_ONE):
        budgets.spend("help", "192.0.2.7", ["eve@provider.example"], NOW, "eve@provider.example")
    with pytest.raises(Spent):
        budgets.spend("help", "192.0.2.7", ["eve@provider.example"], NOW, "Eve@provider.example")
    budgets.spend("help", "192.0.2.7", ["zoe@provider.example"], NOW, "zoe@provider.example")
    budgets.spend(
        "help", "198.51.100.7", ["eve@provider.example"], NOW, "eve@provider.example"
    )  # the From may be forged


SITES = [
    ("192.0.2.7", "192.0.2.200", True),
    ("192.0.2.7", "::ffff:192.0.2.7", True),
    ("192.0.2.7", "192.0.3.7", False),
    ("2001:db8:0:1::1", "2001:db8:0:ffff::1", True),
    ("2001:db8:1::1", "2001:db8:2::1", False),
]


@pytest.mark.parametrize(("one", "other", "same"), SITES)
def test_a_mark_of_a_network(one: str, other: str, same: bool) -> None:
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    marks = [budgets.site(one), budgets.site(other)]
    assert (marks[0] == marks[1]) is same
    assert not [mark for mark in marks if "192" in mark or "db8" in mark]
    assert [budgets.site(source) for source in ("", "front", "127.0.0.1", "::1")] == [""] * 4


def test_what_is_refused_counts_nothing() -> None:
    """Three addresses are paid for together or not at all."""
    budgets = Budgets(Memory(), b"k" * 32, CAPS)
    spent(budgets, 5, "192.0.2.7", "x@a{}.example")
    with pytest.raises(Spent):
        budgets.spend("help", "192.0.2.7", ["x@b.example", "x@c.example"], NOW)
    assert spent(budgets, 50, "192.0.2.7", "x@d.example") == 1
    nothing = Budgets(Memory(), b"k" * 32, Caps(stranger_letters_per_hour=0))
    assert spent(nothing, 5, "192.0.2.7", "x@a.example") == 0


OWNERS = [("a@example.org", "example.org"), ("a@x.y.example.org", "example.org"), ("a@localhost", "localhost")]
OWNERS += [
    ("a@X.CO.UK", "x.co.uk"),
    ("a@mail.x.co.uk", "x.co.uk"),
    ("a@web.de", "web.de"),
    ("a@u1.web.de", "web.de"),
    ("a@x.ne.jp", "x.ne.jp"),
    ("a@x.abc.com", "abc.com"),
    ("a@x.com.org", "com.org"),
    ("a@co.uk", "co.uk"),
    ("a@x.gub.uy", "x.gub.uy"),
    ("a@x.gub.li", "gub.li"),  # anybody can buy that
    ("a@y.edu.to", "edu.to"),
]


@pytest.mark.parametrize(("address", "domain"), OWNERS)
def test_the_owner_of_an_address(address: str, domain: str) -> None:
    assert owner(address) == domain


def test_a_mail_without_proof_gets_one_command() -> None:
    def of(*proofs: tuple[int, str]) -> tuple[list[str], str]:
        asked = [Asked("games", by=by, proof=proof, line=f"line {at}") for at, (by, proof) in enumerate(proofs)]
        alike = [replace(one, line="") for one in asked]
        assert len(one_unproved(alike)[0]) == len(one_unproved(asked)[0]), "equal lines are lines of their own"
        known, left = one_unproved(asked)
        return [f"{one.line} {one.proof}" for one in known], left

    assert of((1, "from"), (1, "from"), (1, "from")) == (["line 0 from"], "line 1")
    assert of((0, ""), (0, "")) == (["line 0 "], "line 1")
    assert of((1, "from"), (1, "password"), (1, "from")) == (["line 0 letter", "line 1 password", "line 2 letter"], "")
    assert of((2, "from"), (1, "password"), (2, "from")) == (["line 0 from", "line 1 password"], "line 2")
    assert of((1, "wanting"), (1, "wanting")) == (["line 0 wanting", "line 1 wanting"], "")


def asking(server: Server, sender: str, line: str, peer: str) -> Envelope:
    mail = server.mail(sender, line, "")
    return Envelope(peer, mail.mail_from, mail.rcpt_tos, mail.content)


def test_beyond_a_budget_players_and_strangers_get_the_same_451(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await _sign_up(server, ["ann"])
        for line in ("help", "forgot ann", "signup {} correct-horse-1", "lambo challenge ann bob"):
            codes = [
                await server.accept(asking(server, f"x@a{i}.example", line.format(f"x{i}"), "203.0.113.66"))
                for i in range(40)
            ]
            assert codes == ["250 2.0.0 Accepted"] * 30 + ["451 4.7.1 Not now, please try again later"] * 10
            server.new_letters()
            before = (server.db.execute("SELECT count(*) FROM seen").fetchone(), len(server.new_letters()))
            for sender in ("ann@example.org", "eve@evil.example"):
                for said in (line.format("ann2"), line.format("nobody").replace("ann", "nobody")):
                    code = await server.accept(asking(server, sender, said, "203.0.113.66"))
                    assert code.startswith("451 "), (sender, said)
            assert (server.db.execute("SELECT count(*) FROM seen").fetchone(), len(server.new_letters())) == before
            code = await server.accept(asking(server, "eve@evil.example", line.format("eve"), "198.51.100.9"))
            assert code.startswith("250 "), "another network has a share of its own"

    serving(tmp_path, test)


# what ann sends, and what it is paid from
PAID: list[tuple[str, str]] = [
    ("change address ann correct-horse-1 victim@a{}.example", "signup"),
    ("add ann correct-horse-1 victim@a{}.example", "signup"),
    ("signup x{} some-password-1 victim@a{}.example", "signup"),
]


@pytest.mark.parametrize(("line", "budget"), PAID)
def test_every_command_that_writes_to_new_addresses_is_paid_for(line: str, budget: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        await _sign_up(server, ["ann"])
        codes = [
            await server.accept(asking(server, "ann@example.org", line.format(i, i), "203.0.113.66")) for i in range(40)
        ]
        assert codes.count("250 2.0.0 Accepted") == (OF_ONE if line.startswith("signup") else 40)
        victims = [letter for _, _, letter in server.new_letters() if "victim" in str(letter["To"])]
        assert len(victims) == OF_ONE

    serving(tmp_path, test)


# what eve sends: addresses of which none is asked
UNASKED = ("signup {0} some-password-1 " + " ".join(f"a{i}@b{i}.example" for i in range(60)), "signup {0} -@- @a")


@pytest.mark.parametrize("line", UNASKED)
def test_a_line_that_asks_nobody_pays_for_one_answer(line: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for i in range(12):
            mail = asking(server, f"eve@evil{i}.example", line.format(f"eve{i}"), f"203.0.{i}.66")
            assert (await server.accept(mail)).startswith("250 ")
        said = [str(letter["Subject"]) for _, _, letter in server.new_letters()]
        assert said == ["Not done"] * 12
        code = await server.accept(asking(server, "zoe@example.org", "signup zoe some-password-1", "192.0.2.9"))
        assert code.startswith("250 ")
        assert [str(letter["Subject"]) for _, _, letter in server.new_letters()] == ["Confirm zoe"]

    serving(tmp_path, test)


def test_what_a_player_has_proved_does_not_wait_for_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(server: Server) -> None:
        await _sign_up(server, ["ann"])
        monkeypatch.setattr(server.budgets, "_caps", Caps(stranger_letters_per_hour=0))
        lines = (
            "set ann correct-horse-1 digest 7\nadd ann correct-horse-1 new@example.com\nhelp\nsignup zoe a-new-word-1"
        )
        assert (await server.accept(server.mail("eve@evil.example", "multiple", lines))).startswith("250")
        letters = [str(postman.text(letter)) for _, _, letter in server.new_letters()]
        said = " ".join(" ".join(letters).split())
        assert (
            "digest" in said
            and "I ask no more for now. Try again in some hours." in said
            and "'help' and 'signup' were not done" in said
        )
        assert (await server.accept(server.mail("ann@example.org", "forgot ann", ""))).startswith("451")

    serving(tmp_path, test)


def test_a_bar_ends(tmp_path: Path) -> None:
    """Three letters to a mailbox that never answered; the next one can go 30 days after the last, or when forgiven."""

    async def test(server: Server) -> None:
        async def letters(name: str) -> int:
            before = len(server.letters.get("victim@a.example", []))
            for i in range(5):
                await server.accept(
                    server.mail("eve@evil.example", f"signup {name}{i} some-pass-1 victim@a.example", "")
                )
            server.new_letters()
            return len(server.letters.get("victim@a.example", [])) - before

        assert await letters("a") == 3
        last = postman.text(server.letters["victim@a.example"][-1])
        assert "Nobody can have another letter of this kind sent to this address before" in str(last)
        assert "2026-03-31 12:00" in str(last)
        await server.clock(30 * 86_400 - 1)
        assert await letters("b") == 0
        await server.clock(1)
        assert server.db.execute("SELECT count(*) FROM contact").fetchone() == (0,), "no stranger's address is kept"
        assert await letters("c") == 3

    serving(tmp_path, test)


# what comes, what an MTA has written above it, whether it still waits there
WAITS: list[tuple[str, str, bool]] = [
    ("help", "just now", True),
    ("help", "nearly two hours ago", True),
    ("help", "two hours ago", False),
    ("signup eve some-password-1", "two hours ago", False),
    ("help", "without a date", True),
]
AGO = {"just now": 0, "nearly two hours ago": PATIENCE - 1, "two hours ago": PATIENCE}


@pytest.mark.parametrize("front_mta", [True, False])
@pytest.mark.parametrize(("line", "when", "waits"), WAITS)
def test_an_mta_in_front_waits_for_a_budget_for_a_while_and_bounces_nothing(
    line: str, when: str, waits: bool, front_mta: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After days it would send a stranger's mail to whoever the sender claims to be."""

    async def test(server: Server) -> None:
        monkeypatch.setattr(server.budgets, "_caps", Caps(stranger_letters_per_hour=0))
        mail = server.mail("eve@example.org", line, "")
        date = f"; {formatdate(server.time - AGO[when])}" if when in AGO else ""
        above = f"Received: from x (y [192.0.2.1]) by {FRONT} (Postfix) with ESMTP id 1{date}\r\n"
        mail = Envelope("", mail.mail_from, mail.rcpt_tos, above.encode() + mail.content)
        code = await server.accept(mail)
        assert code[:3] == ("451" if waits or not front_mta else "250")
        assert not server.new_letters()

    serving(tmp_path, test, front_mta=front_mta)


@pytest.mark.parametrize(("days", "code"), [(0, "452"), (1, "250")])
def test_nor_does_it_bounce_a_mail_to_the_operator(
    days: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(Store, "has_room_for_operator", lambda *_: False)

    async def test(server: Server) -> None:
        mail = server.mail("eve@example.org", "words", "", to=f"postmaster@{server.reception.own.domain}")
        above = f"Received: by {FRONT} (Postfix) id 1; {formatdate(server.time - days * DAY)}\r\n"
        mail = Envelope("", mail.mail_from, mail.rcpt_tos, above.encode() + mail.content)
        assert (await server.accept(mail)).startswith(code)
        assert "not kept for the operator: too many today" in caplog.text

    serving(tmp_path, test, front_mta=True)


def test_a_copy_for_postmaster_holds_up_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "has_room_for_operator", lambda *_: False)

    async def test(server: Server) -> None:
        mail = server.mail("eve@example.org", "signup eve some-password-1", "")
        both = (*mail.rcpt_tos, f"postmaster@{server.reception.own.domain}")
        assert (await server.accept(replace(mail, rcpt_tos=both))).startswith("250")
        assert [str(letter["Subject"]) for _, _, letter in server.new_letters()] == ["Confirm eve"]

    serving(tmp_path, test)


@pytest.mark.parametrize("to", ["postmaster", "mailbot"])
def test_one_network_does_not_fill_the_queue_of_an_mta(
    to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its queue lies on our disk, and keeps a mail for hours."""
    monkeypatch.setattr(Store, "has_room_for_operator", lambda *_: False)

    async def test(server: Server) -> None:
        monkeypatch.setattr(server.budgets, "_caps", Caps(stranger_letters_per_hour=0))

        async def code(ip: str, number: int, octets: int = 0) -> str:
            mail = server.mail("eve@evil.example", "help", "", to=f"{to}@{server.reception.own.domain}")
            date = formatdate(server.time)
            above = f"Received: from x (y [{ip}]) by {FRONT} (Postfix) with ESMTP id {number}; {date}\r\n"
            content = above.encode() + mail.content + b"x" * octets
            return (await server.accept(Envelope("", mail.mail_from, mail.rcpt_tos, content)))[:3]

        later = {"postmaster": "452", "mailbot": "451"}[to]
        told = [await code("192.0.2.1", number, 900_000) for number in range(5)]
        assert told == [later] * 3 + ["250"] * 2
        assert await code("192.0.2.1", 6) == "250"
        assert await code("198.51.100.1", 7) == later
        server.time += HOUR
        assert await code("192.0.2.1", 8) == later
        told = [await code(f"10.0.{number}.1", number, 990_000) for number in range(40)]
        assert 20 <= told.count(later) <= 22, "all together"

    serving(tmp_path, test, front_mta=True)


def test_the_numbers_of_a_strangers_letters_tell_nothing_of_another_address(tmp_path: Path) -> None:
    """Their reply addresses show running numbers: did a sign-up in between write to its address, or was it full?"""
    numbers = []
    for asked in (0, 3):

        async def test(server: Server, asked: int = asked) -> None:
            for i in range(3):
                mail = server.mail(
                    "eve@evil.example", f"signup abe{i} some-pass-1 victim@a{i if asked == 0 else ''}.example", ""
                )
                await server.accept(mail)
            for line in ("signup bea some-pass-1 victim@a.example", "signup eve some-pass-1"):
                await server.accept(server.mail("eve@evil.example", line, ""))
            server.new_letters()
            reply = str(server.letters["eve@evil.example"][-1]["Reply-To"])
            numbers.append(reply.partition("+")[2].split("-")[1:4])

        serving(tmp_path / str(asked), test)
    assert numbers[0] == numbers[1] and len(numbers[0]) == 3
