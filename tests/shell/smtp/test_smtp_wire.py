"""The values of the SMTP intake, byte by byte: where a text ends, addresses, limits per source."""

import itertools
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailbot.shell.smtp.wire import (
    Limits,
    Pace,
    Places,
    Status,
    Text,
    exemption,
    plain_ip,
    read_path,
    source_of,
    sources_of,
)


def by_the_line(stream: bytes) -> tuple[bytes, bytes] | None:
    """RFC 5321 4.5.2 word for word, and slowly: the text and what is behind it, None without an end."""
    lines = stream.split(b"\r\n")
    for number, line in enumerate(lines[:-1]):
        if line == b".":
            text = lines[:number]
            return b"".join(line.removeprefix(b".") + b"\r\n" for line in text), b"\r\n".join(lines[number + 1 :])
    return None


def feed(text: Text, blocks: list[bytes]) -> bytes | None:
    """All blocks; what the text said to the one that ended it, and everything fed later behind it."""
    for number, block in enumerate(blocks):
        rest = text.feed(block)
        if rest is not None:
            return rest + b"".join(blocks[number + 1 :])
    return None


@given(
    st.lists(st.sampled_from([b"\r\n", b".", b"\r", b"\n", b"a", b"\r\n.\r\n"]), max_size=30).map(b"".join),
    st.lists(st.integers(0, 40), max_size=6),
)
def test_any_cut_into_blocks_gives_what_lines_give(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    blocks = [stream[a:b] for a, b in itertools.pairwise(edges)]
    text = Text(1000, 1000)
    rest = feed(text, blocks)
    expected = by_the_line(stream)
    if expected is None:
        assert rest is None
    else:
        assert (text.content(), rest, text.over) == (*expected, False)
        assert text.lines == expected[0].count(b"\n")


@pytest.mark.parametrize("step", [1, 2, 3, 1000])
@pytest.mark.parametrize(
    ("length", "over"), [(0, False), (97, False), (98, False), (99, True), (100, True), (101, True), (5000, True)]
)
def test_the_byte_limit_is_exact_however_the_blocks_fall(length: int, over: bool, step: int) -> None:
    stream = b"x" * length + b"\r\n.\r\nQUIT"
    text = Text(100, 1000)
    rest = feed(text, [stream[at : at + step] for at in range(0, len(stream), step)])
    assert (text.over, rest) == (over, b"QUIT")


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
@pytest.mark.parametrize(("lines", "over"), [(0, False), (9, False), (10, False), (11, True), (50, True)])
def test_the_line_limit_is_exact_however_the_blocks_fall(lines: int, over: bool, step: int) -> None:
    stream = b"ab\r\n" * lines + b".\r\nREST\n\n"
    text = Text(10_000, 10)
    rest = feed(text, [stream[at : at + step] for at in range(0, len(stream), step)])
    assert (text.over, rest) == (over, b"REST\n\n")


@pytest.mark.parametrize("block", [b"x" * 1000, b"\r\n" * 500, b"." * 1000, b"\r\n.." * 250], ids=repr)
def test_a_text_past_its_limits_is_not_kept(block: bytes) -> None:
    text = Text(2000, 100_000)
    for _ in range(50):
        assert text.feed(block) is None
    assert len(text._buffer) <= 4
    assert text.received == 50_000
    assert text.feed(b"\r\n.\r\n") == b""
    assert text.over


PATHS = [
    # text, (address, rest) or None
    ("<a@b.example>", ("a@b.example", "")),
    ("<a@b.example> SIZE=12 BODY=8BITMIME", ("a@b.example", " SIZE=12 BODY=8BITMIME")),
    ("<>", ("<>", "")),
    ("<> SIZE=1", ("<>", " SIZE=1")),
    ("<postmaster>", ("postmaster", "")),
    ("<PostMaster>", ("PostMaster", "")),
    ("<mailbot+rABCdef234@play.example>", ("mailbot+rABCdef234@play.example", "")),
    ('<"john doe"@b.example>', ('"john doe"@b.example', "")),
    ('<"a\\"b"@b.example>', ('"a\\"b"@b.example', "")),
    ("<a..b.@docomo.example>", ("a..b.@docomo.example", "")),
    ("<a@[192.0.2.1]>", ("a@[192.0.2.1]", "")),
    ("<a@[IPv6:2001:db8::1]>", ("a@[IPv6:2001:db8::1]", "")),
    ("<@relay.example,@two.example:a@b.example>", ("a@b.example", "")),
    ("<" + "l" * 64 + "@b.example>", ("l" * 64 + "@b.example", "")),
    ("<" + "l" * 255 + "@b.example>", ("l" * 255 + "@b.example", "")),
    ("<" + "l" * 256 + "@b.example>", None),
    ("<a@" + "d" * 300 + ">", None),
    ("a@b.example", None),
    ("<a@b.example", None),
    ("a@b.example>", None),
    ("<a(c)@b.example>", None),
    ("<a@b.example>SIZE=1", None),
    ("<a@b@c.example>", None),
    ("<a b@c.example>", None),
    ("<@b.example>", None),
    ("<a@>", None),
    ("<someone>", None),
    ("<a@-b.example>", None),
    ("<a\r@b.example>", None),
    ("<a\n@b.example>", None),
    ("<a\0@b.example>", None),
    ("<ä@b.example> SMTPUTF8", ("ä@b.example", " SMTPUTF8")),
    ("<a@ä.example>", ("a@ä.example", "")),
    ("<a@b.example> ä", None),
    ("<@ä.example:a@b.example>", None),
    ("<a\udcff@b.example>", None),
    ("<a@b.example>\tSIZE=1", None),
    ("", None),
    ("< a@b.example>", None),
]


@pytest.mark.parametrize(("text", "expected"), PATHS, ids=lambda value: ascii(value)[:40])
def test_paths(text: str, expected: tuple[str, str] | None) -> None:
    assert read_path(text) == expected


@given(st.text(st.sampled_from('<>@:,."\\ []ab'), max_size=600))
def test_no_path_is_slow_or_raises(text: str) -> None:
    found = read_path("<" + text)
    assert found is None or found[0] == "<>" or "@" in found[0]


def test_answers_are_lines_of_ascii_with_matching_codes() -> None:
    for status in Status:
        code, enhanced, words = status.value.split(" ", 2)
        assert status.value.isascii() and status.value.isprintable() and words, status
        assert code[0] == enhanced[0], status
        assert status.permanent == (code[0] == "5"), status
    assert len({status.value for status in Status}) == len(Status)


SOURCES = [
    ("192.0.2.7", "192.0.2.7"),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
    ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
    ("::1", "::"),
    ("", ""),
]


@pytest.mark.parametrize(("ip", "source"), SOURCES)
def test_sources(ip: str, source: str) -> None:
    assert source_of(ip) == source


PEERS = [
    (("192.0.2.7", 25), "192.0.2.7"),
    (("::ffff:192.0.2.7", 25, 0, 0), "192.0.2.7"),
    (("fe80::1%eth0", 25, 0, 2), "fe80::1"),
    (("::ffff:0:1", 25, 0, 0), "::ffff:0:1"),
    ("", ""),
    (None, ""),
]


@pytest.mark.parametrize(("peer", "ip"), PEERS)
def test_peers(peer: object, ip: str) -> None:
    assert plain_ip(peer) == ip


def test_exemptions() -> None:
    exempt = exemption(["127.0.0.1", "10.1.0.0/16", "2001:db8::/32"])
    assert [exempt(ip) for ip in ("127.0.0.1", "10.1.9.9", "2001:db8:5::1", "")] == [True] * 4
    assert [exempt(ip) for ip in ("127.0.0.2", "10.2.0.1", "2001:db9::1")] == [False] * 3
    assert [exemption([])(ip) for ip in ("127.0.0.1", "")] == [False, True]
    with pytest.raises(ValueError, match="mta"):
        exemption(["mta.example"])


def test_pace_counts_per_source_and_minute() -> None:
    pace, ann, bob = Pace(3), {"192.0.2.7": 1, "192.0.2.0/24": 3}, {"198.51.100.9": 1}
    assert [pace.spend(ann, now) for now in (120.0, 121.0, 179.9, 179.99)] == [True, True, True, False]
    assert pace.spend(bob, 179.99)
    assert [pace.spend(ann, now) for now in (180.0, 181.0, 182.0, 183.0)] == [True, True, True, False]
    assert pace.spend(ann, 60.0), "a clock that jumps back must not lock anyone out"
    assert not pace._spent.keys() - ann.keys(), "sources of a past minute are forgotten"
    assert all(Pace(0).spend(ann, 1.0) for _ in range(100))


AROUND = [
    ("one address", lambda number: "192.0.2.7", 5),
    ("a /24", lambda number: f"192.0.2.{number}", 15),
    ("a /64", lambda number: f"2001:db8:1:2::{number:x}", 5),
    ("a /56", lambda number: f"2001:db8:1:{number:x}::1", 10),
    ("a /48", lambda number: f"2001:db8:1:{number:02x}00::1", 20),
    ("many networks", lambda number: f"2001:db8:{number:x}::1", 100),
    ("an exempt address", lambda number: "127.0.0.1", 100),
]


@pytest.mark.parametrize(("address", "most"), [row[1:] for row in AROUND], ids=[row[0] for row in AROUND])
def test_networks_are_counted_as_well_as_addresses(address: Callable[[int], str], most: int) -> None:
    places, pace = Places(5, exemption(["127.0.0.1"])), Pace(5)
    came = []
    for number in range(100):
        if not places.full(address(number)):
            places.take(address(number))
            came.append(address(number))
    assert len(came) == most
    for one in came:
        places.take(one, -1)
    assert not places._held
    paced = sum(pace.spend(sources_of(address(number)), 1.0) for number in range(100))
    assert paced == (most if address(1) != "127.0.0.1" else 5)


def test_the_reference_itself_on_random_streams() -> None:
    """A guard for the guard: `by_the_line` finds an end exactly where the five bytes are."""
    rng = random.Random(5)
    for _ in range(500):
        stream = bytes(rng.choice(b"\r\n.a") for _ in range(rng.randrange(12)))
        assert (by_the_line(stream) is None) == (b"\r\n.\r\n" not in b"\r\n" + stream)


def test_a9_the_default_patience_is_five_minutes() -> None:
    assert Limits().idle_seconds >= 300
    assert 0 < Limits().session_seconds < float("inf")
