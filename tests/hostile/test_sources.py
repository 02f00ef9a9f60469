"""Whose network is it? Whatever a client writes into its own mail, or into the header that our front writes about it,
its guesses never count for somebody else's network, nor for none if the front names the network.

The headers of Postfix 3.7, Exim 4.96 and OpenSMTPD 6.8 come from the servers themselves; only the addresses are
changed.
"""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from mailbot.core.mail.addresses import Own
from mailbot.core.mail.incoming import Mail, read
from mailbot.core.mail.origin import arrived, client
from mailbot.shell.console import postman
from mailbot.shell.proof import failures
from mailbot.shell.smtp.wire import Envelope
from tests.dialogues.play import Server, received
from tests.shell.test_reception import ANN, BOB, EVE, PASSWORDS, played

FRONT = "mail.example.org"
POSTFIX = (
    f"by {FRONT} (Postfix) with ESMTP id C72762189A7\n\tfor <mailbot@games.example.org>; Sun, 22 Nov 2026 02:24:41"
)
TLS = (
    "(using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits)\n\t key-exchange X25519 server-signature"
    " ECDSA (P-256))\n\t"
)
EXIM = (
    f"by {FRONT} with esmtp (Exim 4.96)\n\t(envelope-from <a@example.com>)\n\tid 1xUxH4-00038R-0n\n\tfor m@example.org;"
)
OPEN = f"by {FRONT} (OpenSMTPD) with ESMTP id a7010a87\n\tfor <mailbot@games.example.org>;\n\tSun, 22 Nov 2026 02:25:23"
BAIT = "198.51.100.77"
"""What the client would like to be taken for."""

# (what is tried, the topmost Received header, the address that the front has written)
HEADERS = [
    ("Postfix", f"from mx.example.net (mx.example.net [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    ("Postfix, no name", f"from mx.example.net (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    ("Postfix, IPv6", f"from mx.example.net (unknown [IPv6:2001:db8::1])\n\t{POSTFIX}", "2001:db8::1"),
    ("Postfix, TLS", f"from mx.example.net (mx.example.net [192.0.2.66])\n\t{TLS}{POSTFIX}", "192.0.2.66"),
    ("Postfix, HELO an address", f"from [{BAIT}] (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    ("Postfix, HELO IPv6", f"from [IPv6:2001:db8::bad] (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    # EHLO a(b[198.51.100.77]) arrives with question marks for what might be read as something else
    ("Postfix, HELO a comment", f"from a?b[{BAIT}]? (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    # SMTPUTF8: the header is read octet by octet, and an octet of a letter must not pass for a blank
    *(
        (f"Postfix, HELO {name!r}", f"from x{name}y (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66")
        for name in ("\xc3\xa0", "\xc3\x85", "\xe2\x80\xa8", "\xe3\x80\x80", "\x0b", "\x1c", "\x1f", "\x00")
    ),
    # Postfix folds lines of more than 998 characters with a blank, wherever that is
    *(
        (f"Postfix, folded in {at}", f"from {at}\n\t{POSTFIX}", "192.0.2.66")
        for at in (
            f"{'x' * 983}\n xx (unknown [192.0.2.66])",
            f"{'x' * 983}\n (unknown [192.0.2.66])",
            f"{'x' * 975} (unk\n nown [192.0.2.66])",
            f"{'x' * 968} (unknown\n  [192.0.2.66])",
            f"{'x' * 968} (unknown [192.0.\n 2.66])",
            f"{'x' * 968} (unknown [192.0.2.66\n ])",
            f"{'x' * 983}\n {'x' * 980}\n x (unknown [192.0.2.66])",
        )
    ),
    ("Exim, HELO beyond ASCII", f"from [192.0.2.66] (helo=\xc3\xa0 x)\n\t{EXIM}", "192.0.2.66"),
    ("Postfix, HELO long", f"from {'a' * 2000} (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    ("Postfix, HELO Exim's", f"from [{BAIT}]?helo=x (unknown [192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    (
        "Postfix, a certificate",
        f'from x (unknown [192.0.2.66])\n\t(Client CN "x [{BAIT}] by {FRONT} with (", Issuer "y" (verified OK))'
        f"\n\t{POSTFIX}",
        "192.0.2.66",
    ),
    ("Postfix, not told", f"from x (unknown [unknown])\n\t{POSTFIX}", ""),
    ("Postfix, from this machine", f"by {FRONT} (Postfix, from userid 1000)\n\tid 0A1B2C3D4E; Sun, 22 Nov 2026", ""),
    ("Exim, a verified name", f"from h.example.net\n\t([192.0.2.66] helo=[{BAIT}])\n\t{EXIM}", "192.0.2.66"),
    ("Exim, the name alone", f"from h.example.net\n\t([192.0.2.66])\n\t{EXIM}", "192.0.2.66"),
    ("Exim, with a port", f"from h.example.net\n\t([2001:db8::1]:999 helo=x ident=root)\n\t{EXIM}", "2001:db8::1"),
    ("Exim, no name", f"from [192.0.2.66] (helo=[{BAIT}])\n\t{EXIM}", "192.0.2.66"),
    ("Exim, no name, a port", f"from [192.0.2.66] (port=999 helo=x ident=root)\n\t{EXIM}", "192.0.2.66"),
    ("Exim, nothing", f"from [192.0.2.66]\n\t{EXIM}", "192.0.2.66"),
    ("Exim, junk as HELO", f"from [192.0.2.66] (port=9 helo=a (b [{BAIT}]) ident=root)\n\t{EXIM}", "192.0.2.66"),
    (
        "Exim, HELO Postfix's",
        f"from [192.0.2.66] (helo=x (y [{BAIT}]) by {FRONT} (Postfix) ident=root)\n\t{EXIM}",
        "192.0.2.66",
    ),
    (
        "Exim, MAIL FROM Postfix's",
        f"from h ([192.0.2.66]:47 helo=h)\n\t{EXIM}".replace("<a@", f'<"x by {FRONT} ("@'),
        "192.0.2.66",
    ),
    ("OpenSMTPD", f"from [{BAIT}] (h.example.net [192.0.2.66])\n\t{OPEN}", "192.0.2.66"),
    ("OpenSMTPD, IPv6", f"from foo.example (<unknown> [2001:db8::1])\n\t{OPEN}", "2001:db8::1"),
    # It does not ask whether the name leads back to the address, so its owner may choose any.
    ("OpenSMTPD, a name like Exim's", f"from [{BAIT}] (helo=x [192.0.2.66])\n\t{OPEN}", ""),
    ("OpenSMTPD, source masked", OPEN, ""),
    ("IPv4 in IPv6", f"from x (unknown [IPv6:::ffff:192.0.2.66])\n\t{POSTFIX}", "192.0.2.66"),
    ("no address", f"from x (unknown [192.0.2.666])\n\t{POSTFIX}", ""),
    ("capitals", f"FROM x (unknown [192.0.2.66])\n\tBY {FRONT.upper()} (Postfix)", "192.0.2.66"),
    ("by somebody else", f"from x (unknown [{BAIT}])\n\tby mail.evil.example (Postfix) with ESMTP id 1; Sun", ""),
    ("a name that ends alike", f"from x (unknown [{BAIT}])\n\tby x.{FRONT} (Postfix) with ESMTP id 1; Sun", ""),
    ("a name that begins alike", f"from x (unknown [{BAIT}])\n\tby {FRONT}.evil.example (Postfix) with ESMTP; Sun", ""),
    ("text in front", f"x from y (unknown [{BAIT}])\n\t{POSTFIX}", ""),
    ("empty", "", ""),
]


@pytest.mark.parametrize(("_what", "header", "ip"), HEADERS)
def test_only_what_the_front_wrote_is_read(_what: str, header: str, ip: str) -> None:
    folded = header.replace("\n", "\r\n")
    unfolded = header.replace("\n", "")
    assert [client(text, FRONT) for text in (folded, unfolded)] == [ip, ip]
    assert client(header, "") == ""
    assert client(header, "other.example.org") == ""


def test_a_mail_behind_a_helo_beyond_ascii_has_its_source_and_time() -> None:
    header = "from à.Å.example (unknown [192.0.2.66])\r\n\t" + POSTFIX.replace("\n", "\r\n") + " +0000"
    raw = f"Received: {header}\r\nFrom: ann@example.org\r\nSubject: help\r\n\r\n".encode()
    mail = read(raw, "ann@example.org", ("mailbot@games.example.org",), Own("games.example.org"))
    assert isinstance(mail, Mail)
    assert client(mail.received, FRONT) == "192.0.2.66"
    assert arrived(mail.received, FRONT) == 1795314281


def test_a_name_is_no_pattern() -> None:
    assert client(f"from x (unknown [{BAIT}])\n\tby mailxexample.org (Postfix) with ESMTP; Sun", FRONT) == ""


@pytest.mark.parametrize("text", ["from ", "(", "[", " by mail.example.org", "from x (", "[1.2.3.4] (", "a" * 50])
def test_no_header_is_slow(text: str) -> None:
    """A header has 8 KB at most. This is linear and takes a millisecond; a pattern that goes back takes seconds."""
    header = f"from {text * (8000 // len(text))} by {FRONT} (Postfix"
    began = time.process_time()
    client(header, FRONT)
    assert time.process_time() - began < 0.25


# -- the whole way: who is locked out

FORGED = received("203.0.113.99")
"""Like the front's, but the client has put it into its mail."""


def tells(
    server: Server, source: str, text: str, *, above: bytes = b"", below: bytes = b"", peer: str = ""
) -> Envelope:
    """A mail from this address through the front (or straight, with a `peer`), and what its sender put into it."""
    server.front_mta = False  # the header is put on here
    plain = server.mail(EVE, text, "")
    return replace(plain, peer=peer, content=above + (received(source) if source else b"") + below + plain.content)


def tries(server: Server) -> set[str]:
    return {key.partition(":")[0] for key in server.auth._store.rows}  # type: ignore[attr-defined]


# (what is tried, the source as the front tells it, what stands above and below, the peer, whether a network is counted)
MAILS = [
    ("through the front", "192.0.2.66", b"", b"", "", True),
    ("a forged header below", "192.0.2.66", b"", FORGED, "", True),
    ("only a forged header, straight", "", b"", FORGED, "192.0.2.66", True),
    ("from the front's own machine", "127.0.0.1", b"", b"", "", False),
    ("from the front's own machine, a forged header below", "127.0.0.1", b"", FORGED, "", False),
    ("another one's header on top", "192.0.2.66", b"Received: from a by filter.example.net; Sun\r\n", b"", "", False),
    ("no header", "", b"", b"", "", False),
]


@pytest.mark.parametrize(("_what", "source", "above", "below", "peer", "counted"), MAILS)
def test_what_a_guess_is_counted_for(
    _what: str, source: str, above: bytes, below: bytes, peer: str, counted: bool, tmp_path: Path
) -> None:
    async def test(server: Server) -> None:
        server.auth._store.rows.clear()  # type: ignore[attr-defined]
        await server.accept(tells(server, source, "set ann wrong-word-1", above=above, below=below, peer=peer))
        assert tries(server) == ({"account", "pair", "network"} if counted else {"account"})

    played(test, tmp_path, front_mta=True)


def test_nobody_locks_the_network_of_somebody_else(tmp_path: Path) -> None:
    """The finding: EHLO [198.51.100.77], which `received` writes, and wrong passwords for forty userids."""

    async def test(server: Server) -> None:
        for number in range(40):
            await server.accept(tells(server, "192.0.2.66", f"set nobody{number} wrong-word-1", below=FORGED))
        right = f"set bob {PASSWORDS['bob']}"
        for chosen in ("198.51.100.77", "203.0.113.99"):
            assert (await server.accept(tells(server, chosen, right))).startswith("250 ")
        assert (await server.accept(tells(server, "192.0.2.67", right))).startswith("550 ")

    played(test, tmp_path, front_mta=True)


def test_nobody_gets_unlimited_guesses(tmp_path: Path) -> None:
    """Whatever its HELO and its forged headers say, the sixth guess from one network is not looked at."""

    async def test(server: Server) -> None:
        looked_at = []
        server.auth._matches = lambda known, said: bool(looked_at.append(said))
        for number in range(20):
            chosen = received(f"203.0.{number}.1")
            await server.accept(tells(server, "192.0.2.66", f"set bob wrong-word-{number}", below=chosen))
        assert len(looked_at) == 5

    played(test, tmp_path, front_mta=True)


def test_a_front_that_does_not_tell_locks_nobody_but_the_account(tmp_path: Path) -> None:
    """smtpd_proxy_filter without XFORWARD: every peer is 127.0.0.1. Thirty wrong passwords locked everybody."""

    async def test(server: Server) -> None:
        for number in range(60):
            await server.accept(tells(server, "", f"set nobody{number} wrong-word-1"))
        assert (await server.accept(tells(server, "", f"set bob {PASSWORDS['bob']}"))).startswith("250 ")
        for _ in range(50):
            await server.accept(tells(server, "", "set bob wrong-word-1"))
        assert (await server.accept(tells(server, "", f"set bob {PASSWORDS['bob']}"))).startswith("550 ")
        assert (await server.accept(tells(server, "", f"set ann {PASSWORDS['ann']}"))).startswith("250 ")

    played(test, tmp_path)


# (where strangers guess from, what the letter says)
LETTERS = [
    ("192.0.2.66", "from the network they came from."),
    ("10.0.{n}.1", "from networks that you do not usually write from."),
    ("", "could not see which networks they came from"),
]


@pytest.mark.parametrize(("source", "says"), LETTERS)
def test_a_lock_is_told_at_once_and_once(source: str, says: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for number in range(60):
            await server.accept(tells(server, source.format(n=number), f"set bob wrong-word-{number}"))
        letters = [letter for _, _, letter in server.new_letters() if letter["Subject"] == "Your password is locked"]
        assert [str(letter["To"]) for letter in letters] == [BOB]
        assert says in " ".join(postman.text(letters[0]).split())

    played(test, tmp_path)


def test_nobody_who_does_not_play_here_is_told(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for number in range(60):
            await server.accept(tells(server, "", f"set nobody wrong-word-{number}"))
        assert server.new_letters() == []

    played(test, tmp_path)


def test_a_new_password_works_wherever_wrong_ones_have_locked_the_old_one(tmp_path: Path) -> None:
    """Set at home with the old one, where that still works."""

    async def test(server: Server) -> None:
        home, away = "198.51.100.77", "203.0.113.99"

        async def at_home(text: str) -> str:
            mail = tells(server, home, text)
            content = mail.content.replace(EVE.encode(), BOB.encode())
            return await server.accept(replace(mail, mail_from=BOB, content=content))

        assert (await at_home(f"set bob {PASSWORDS['bob']}")).startswith("250 ")
        for number in range(55):
            await server.accept(tells(server, f"10.0.{number // 5}.1", f"set bob wrong-word-{number}"))
        assert (await server.accept(tells(server, away, f"set bob {PASSWORDS['bob']}"))).startswith("550 ")
        assert (await at_home(f"change password bob {PASSWORDS['bob']} another-horse-2")).startswith("250 ")
        assert (await server.accept(tells(server, away, "set bob another-horse-2"))).startswith("250 ")
        assert (await server.accept(tells(server, away, f"set bob {PASSWORDS['bob']}"))).startswith("550 ")

    played(test, tmp_path, front_mta=True)


def test_a_password_that_is_changed_frees_no_address_that_has_not_agreed(tmp_path: Path) -> None:
    """Anybody can ask for the address of somebody else, and guess the passwords of `me` there."""

    async def test(server: Server) -> None:
        await server.accept(server.mail(ANN, f"change address ann {PASSWORDS['ann']} victim@example.net", ""))
        names = failures.of(server.reception._reads.player_named("ann"), server.reception._reads)  # type: ignore[arg-type]
        assert names and all(name.endswith(ANN) for name in names)

    played(test, tmp_path)
