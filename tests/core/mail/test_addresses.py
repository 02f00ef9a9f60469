"""Addresses: one spelling or none (C2, S12), and which are our own (A7, B5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailbot.core.mail.addresses import MAX_ADDRESS, Mailbox, Own, key, mailbox_key, parse_addr, sole_address
from tests.core.mail.mailrows import OWN

LONG = "a" * 64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alice@example.org", "alice@example.org"),
        ("Alice@EXAMPLE.Org", "Alice@example.org"),
        (" alice@example.org\t", "alice@example.org"),
        ("a.b+c_d@sub.example.co", "a.b+c_d@sub.example.co"),
        ("alice@localhost", "alice@localhost"),
        (f"{LONG}@example.org", f"{LONG}@example.org"),
        (f"{LONG}a@example.org", None),
        ("alice@" + "a." * 125 + "org", None),
        ("alice", None),
        ("", None),
        ("@example.org", None),
        ("alice@", None),
        ("alice@host", None),
        ("alice@example..org", None),
        ("alice@example.org.", None),
        ("alice@-example.org", None),
        ("alice@127.0.0.1", None),
        ("alice@[127.0.0.1]", None),
        (".alice@example.org", None),
        ("al..ice@example.org", None),
        ('"al ice"@example.org', None),
        ("al ice@example.org", None),
        ("alice@example.org>", None),
        ("<alice@example.org>", None),
        ("alice@example.org,bob@example.org", None),
        ("a(c)@example.org", None),
        ("@a,@b:alice@example.org", None),
        ("alice@exa\u006dple.org\n", None),
        ("alice@example.org\r\nRCPT TO:<z@z.org>", None),
        ("al\udcffice@example.org", None),
        ("älice@example.org", None),
        ("alice@exämple.org", None),
        ("alice@example.or\u212a", None),  # the Kelvin sign, a k in lower case
        ("alice@example.org\0", None),
    ],
)
def test_s12_an_address_has_one_spelling_or_is_none(text: str, expected: str | None) -> None:
    assert parse_addr(text) == expected


def test_address_at_the_length_limit() -> None:
    text = "a@" + "b." * ((MAX_ADDRESS - 4) // 2) + "cc"
    assert len(text) == MAX_ADDRESS
    assert parse_addr(text) == text
    assert parse_addr("a" + text) is None


def test_key_ignores_case() -> None:
    assert key("Alice@Example.org") == key("aLICE@example.ORG")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("alice@example.org", "alice@example.org"),
        ("<alice@Example.org>", "alice@example.org"),
        ("Alice B. Cooper <alice@example.org>", "alice@example.org"),
        ('"Cooper, Alice" <alice@example.org>', "alice@example.org"),
        ('"bob@evil.org" <alice@example.org>', "alice@example.org"),
        (r'"say \"hi\" <x@y.z>" <alice@example.org>', "alice@example.org"),
        ("alice@example.org (Alice (the first))", "alice@example.org"),
        ("=?utf-8?Q?Alic=C3=A9?= <alice@example.org>", "alice@example.org"),
        ("Alic\xc3\xa9 <alice@example.org>", "alice@example.org"),
        ("< alice@example.org >", "alice@example.org"),
        ("Alice@example.org <alice@example.org>", "alice@example.org"),
        ("a,b@c.de <a,b@c.de>", None),
        ("", None),
        ("Alice", None),
        ("<>", None),
        ("<", None),
        ("alice@example.org, bob@example.org", None),
        ("Alice <alice@example.org>, Bob <bob@example.org>", None),
        ("Alice <alice@example.org> <bob@example.org>", None),
        ("Alice <alice@example.org> bob@example.org", None),
        ("friends: alice@example.org;", None),
        ("friends:;", None),
        ("alice@example.org)bob@evil.org", None),  # parseaddr: alice
        ("a@b.org <c@d.org>", None),  # parseaddr: a@b.org
        ("alice@example.org (unclosed", None),
        ('"unclosed <alice@example.org>', None),
        ("alice(c)@example.org", None),
        ("Cooper, Alice <alice@example.org>", None),
        ("alice@example.org\nBcc: x@y.z", None),
        ("<@relay.org:alice@example.org>", None),
        ("Alice \\<bob@evil.org> <alice@example.org>", None),
    ],
)
def test_c2_a_from_names_exactly_one_address(header: str, expected: str | None) -> None:
    assert sole_address(header) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='ab@.<>(),:;"\\ \t', max_size=40))
def test_c2_what_is_accepted_is_an_address_of_the_text(header: str) -> None:
    found = sole_address(header)
    if found is not None:
        assert parse_addr(found) == found
        assert found.lower() in header.lower()
        assert header.count("@") == 1 or '"' in header or "(" in header


TOKEN = "p1-3-12-7-abcdefghijklmnopqrst"


@pytest.mark.parametrize(
    ("recipient", "expected"),
    [
        ("mailbot@games.example.org", Mailbox("server")),
        ("MailBot@GAMES.example.org", Mailbox("server")),
        (f"mailbot+{TOKEN}@games.example.org", Mailbox("token", TOKEN)),
        (f"MAILBOT+{TOKEN.upper()}@GAMES.EXAMPLE.ORG", Mailbox("token", TOKEN)),
        ("mailbot+a@games.example.org", Mailbox("token", "a")),
        (f"mailbot+{'a' * 60}@games.example.org", Mailbox("token", "a" * 60)),
        (f"mailbot+{'a' * 61}@games.example.org", None),
        ("mailbot+@games.example.org", None),
        ("mailbot+1a@games.example.org", None),
        ("mailbot+a--b@games.example.org", None),
        ("mailbot+a-@games.example.org", None),
        ("mailbot+a_b@games.example.org", None),
        ("mailbot+a+b@games.example.org", None),
        ("bounce@games.example.org", Mailbox("bounce")),
        (f"bounce+{TOKEN}@games.example.org", Mailbox("bounce", TOKEN)),
        ("bounce+!@games.example.org", None),
        ("postmaster", Mailbox("postmaster")),
        ("Postmaster@games.example.org", Mailbox("postmaster")),
        ("ABUSE@games.example.org", Mailbox("abuse")),
        ("abuse", None),
        ("abuse+x@games.example.org", None),
        ("postmaster@example.org", None),
        ("mailbot@example.org", None),
        ("mailbot@games.example.org.evil.org", None),
        ("alice@games.example.org", None),
        ("mailbot", None),
        ("", None),
        ("mailbot@", None),
    ],
)
def test_a7_b5_our_own_mailboxes_and_no_others(recipient: str, expected: Mailbox | None) -> None:
    assert OWN.classify(recipient) == expected


def test_own_addresses_come_back_as_what_they_are() -> None:
    own = Own(domain="Example.org", local="Lambo")
    assert own.classify(own.address) == Mailbox("server")
    assert own.classify(own.token_address(TOKEN)) == Mailbox("token", TOKEN)
    assert own.classify(own.bounce_address()) == Mailbox("bounce")
    assert own.classify(own.bounce_address(TOKEN)) == Mailbox("bounce", TOKEN)
    assert own.message_domain == "lambo.example.org"


@pytest.mark.parametrize(
    ("former", "recipient", "expected"),
    [
        ("play@old.example", f"play+{TOKEN}@old.example", Mailbox("token", TOKEN)),
        ("play@old.example", "Play@Old.example", Mailbox("server")),
        ("play@old.example", f"bounce+{TOKEN}@old.example", Mailbox("bounce", TOKEN)),
        ("play@old.example", "postmaster@old.example", Mailbox("postmaster")),
        ("play@old.example", "lambo@old.example", None),
        ("play@old.example", "play@example.org", None),
        ("play@example.org", f"play+{TOKEN}@example.org", Mailbox("token", TOKEN)),
        ("play@example.org", "lambo@example.org", Mailbox("server")),
        ("", "@", None),
    ],
)
def test_the_former_address(former: str, recipient: str, expected: Mailbox | None) -> None:
    assert Own("Example.org", "Lambo", former).classify(recipient) == expected


@pytest.mark.parametrize("text", ["prey%victim.example@relay.example", "victim.example!prey@relay.example"])
def test_nobody_is_reached_by_way_of_another_server(text: str) -> None:
    assert parse_addr(text) is None


def test_dots_count_but_at_gmail() -> None:
    assert mailbox_key("V.ictor+games@prov.example") == "v.ictor@prov.example"
    assert mailbox_key("V.ictor+games@Gmail.com") == "victor@gmail.com"
    assert mailbox_key("V.ic_t-or+x@pm.me") == mailbox_key("victor@protonmail.com") == "victor@proton.me"
    assert mailbox_key("-@pm.me") == "-@proton.me", "an address, which the export has"
