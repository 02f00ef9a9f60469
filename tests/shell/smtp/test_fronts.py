"""What a front says about its clients: XCLIENT, XFORWARD and PROXY; and nobody else can say it."""

import asyncio
import random
import struct
from ipaddress import ip_address

import pytest

from mailbot.shell.smtp.fronts import LONGEST, Front, named_client, proxied
from mailbot.shell.smtp.listener import Limits, Status
from tests.shell.smtp.smtp_house import Client, House, guests, house, until

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
FRONT, STRANGER = "127.0.0.1", "127.0.0.2"


def second(command: int, family: int, source: str, rest: bytes = b"", length: int | None = None) -> bytes:
    """A header of version 2."""
    address = ip_address(source)
    body = address.packed + address.packed + struct.pack("!HH", 1234, 25) + rest
    return SIGNATURE + struct.pack("!BBH", command, family, len(body) if length is None else length) + body


# ---- as values

NAMED = [
    ("ADDR=192.0.2.1", "192.0.2.1"),
    ("NAME=mx.example ADDR=192.0.2.1 PORT=99", "192.0.2.1"),
    ("addr=IPv6:2001:db8::1", "2001:db8::1"),
    ("ADDR=IPV6:::ffff:192.0.2.1", "192.0.2.1"),
    ("ADDR=2001:db8::1", "2001:db8::1"),
    ("ADDR=[UNAVAILABLE]", ""),
    ("ADDR=[tempunavail] NAME=[UNAVAILABLE]", ""),
    ("PROTO=ESMTP HELO=[198.51.100.7] IDENT=C72 SOURCE=LOCAL", None),
    ("HELO=ADDR=198.51.100.7", None),
    ("", ValueError),
    ("ADDR", ValueError),
    ("ADDR=", ValueError),
    ("ADDR=192.0.2.300", ValueError),
    ("ADDR=mx.example", ValueError),
    ("ADDR=192.0.2.0/24", ValueError),
    ("ADDR=[192.0.2.1]", ValueError),
    ("ADDR=192.0.2.1 NAME", ValueError),
    ("=192.0.2.1", ValueError),
]


@pytest.mark.parametrize(("words", "found"), NAMED)
def test_attributes(words: str, found: str | type[ValueError] | None) -> None:
    if found is ValueError:
        with pytest.raises(ValueError):
            named_client(words)
    else:
        assert named_client(words) == found


WHOLE = [
    (b"PROXY TCP4 192.0.2.1 203.0.113.5 1234 25\r\n", "192.0.2.1"),
    (b"PROXY TCP6 2001:db8::1 2001:db8::2 1234 25\r\n", "2001:db8::1"),
    (b"PROXY TCP6 ::ffff:192.0.2.1 2001:db8::2 1234 25\r\n", "192.0.2.1"),
    (b"PROXY UNKNOWN\r\n", ""),
    (b"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", ""),
    (second(0x21, 0x11, "192.0.2.1"), "192.0.2.1"),
    (second(0x21, 0x11, "192.0.2.1", b"\x04\x00\x02ab"), "192.0.2.1"),
    (second(0x21, 0x21, "2001:db8::1"), "2001:db8::1"),
    (second(0x20, 0x00, "192.0.2.1"), ""),
    (second(0x20, 0x11, "192.0.2.1"), ""),
    (second(0x21, 0x31, "192.0.2.1"), ""),
    (SIGNATURE + b"\x20\x00\x00\x00", ""),
]


@pytest.mark.parametrize(("header", "ip"), WHOLE)
def test_a_proxy_header(header: bytes, ip: str) -> None:
    assert proxied(header) == (ip, len(header))
    assert proxied(header + b"EHLO x\r\n") == (ip, len(header))
    assert {proxied(header[:size]) for size in range(len(header))} == {None}


BROKEN = [
    b"EHLO x\r\n",
    b"GET / HTTP/1.1\r\n",
    b"PROXY\r\n",
    b"PROXY TCP4 192.0.2.1\r\n",
    b"PROXY TCP4 2001:db8::1 192.0.2.2 1 2\r\n",
    b"PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n",
    b"PROXY TCP4 192.0.2.300 192.0.2.2 1 2\r\n",
    b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n",
    b"proxy TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
    b"PROXY UNKNOWN " + b"x" * 200,
    b"PROXY TCP4 " + b"1" * 200 + b"\r\n",
    second(0x31, 0x11, "192.0.2.1"),
    second(0x22, 0x11, "192.0.2.1"),
    second(0x21, 0x11, "192.0.2.1", length=LONGEST),
    second(0x21, 0x11, "192.0.2.1", length=11),
    second(0x21, 0x21, "192.0.2.1"),
]


@pytest.mark.parametrize("header", BROKEN)
def test_no_proxy_header(header: bytes) -> None:
    with pytest.raises(ValueError):
        proxied(header)


def test_random_octets_are_refused_or_awaited() -> None:
    rng = random.Random(4)
    starts = [b"", b"PROXY ", SIGNATURE, SIGNATURE + b"\x21\x11", b"PROXY TCP4 1"]
    for _ in range(3000):
        data = rng.choice(starts) + rng.randbytes(rng.randrange(120))
        try:
            found = proxied(data)
        except ValueError:
            continue
        assert found is None or (found[1] <= len(data) and (not found[0] or ip_address(found[0])))


# ---- over the wire


def fronted(**more: object) -> Front:
    return Front([FRONT], **more)  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_xforward_names_the_client_of_one_mail() -> None:
    async with house(front=fronted()) as h:
        client = await h.client()
        assert await client.say("XFORWARD NAME=mx.example ADDR=192.0.2.66 PORT=99") == "250 2.0.0 Noted"
        assert await client.say("XFORWARD PROTO=ESMTP HELO=[198.51.100.7] IDENT=C7 SOURCE=REMOTE") == "250 2.0.0 Noted"
        await client.mail()
        await client.mail()
        await client.say("XFORWARD ADDR=IPv6:2001:db8::1")
        await client.mail()
        await client.say("XFORWARD ADDR=192.0.2.66")
        await client.say("RSET")
        await client.mail()
        await client.say("XFORWARD ADDR=192.0.2.66")
        await client.say("XFORWARD ADDR=[UNAVAILABLE]")
        await client.mail()
        assert [mail.peer for mail in h.mails] == ["192.0.2.66", "", "2001:db8::1", "", ""]


@pytest.mark.asyncio
@pytest.mark.parametrize(("front_mta", "goes_on"), [(True, True), (False, False)])
async def test_a_mail_server_in_front_keeps_its_connection(front_mta: bool, goes_on: bool) -> None:
    """It passes on the mails of all; the front without a queue speaks for one client at a time."""
    async with house(front=fronted(), front_mta=front_mta, limits=Limits(calls={"*": 5})) as h:
        client = await h.client()
        answers = [(await client.say("RSET"))[:3] for _ in range(6)]
        assert answers == ["250"] * 5 + ["250" if goes_on else "421"]


@pytest.mark.asyncio
async def test_xforward_of_the_front_itself_is_nobody() -> None:
    async with house(front=fronted()) as h:
        client = await h.client()
        await client.say(f"XFORWARD NAME=localhost ADDR={FRONT}")
        await client.mail()
        assert [mail.peer for mail in h.mails] == [""]


@pytest.mark.asyncio
async def test_xclient_makes_the_session_the_clients() -> None:
    async with house(front=fronted()) as h:
        client = await h.client()
        assert "250-XCLIENT ADDR\r\n250-XFORWARD ADDR\r\n" in await client.say("EHLO proxy.example")
        assert (await client.say("XCLIENT ADDR=192.0.2.66 LOGIN= NAME=[UNAVAILABLE]")).startswith("501 ")
        assert (await client.say("XCLIENT ADDR=192.0.2.66 NAME=[UNAVAILABLE]")).startswith("220 ")
        assert (await client.say("MAIL FROM:<a@b.example>")).startswith("503 "), "it begins anew"
        assert "XCLIENT" not in await client.say("EHLO client.example")
        for said in ("XCLIENT ADDR=198.51.100.7", "XFORWARD ADDR=198.51.100.7"):  # the client's own words
            assert (await client.say(said)).startswith("500 ")
        await client.mail()
        await client.mail()
        assert [mail.peer for mail in h.mails] == ["192.0.2.66", "192.0.2.66"]


@pytest.mark.asyncio
@pytest.mark.parametrize("named", ["ADDR=[UNAVAILABLE]", "NAME=x", f"ADDR={FRONT}"])
async def test_xclient_that_names_nobody(named: str) -> None:
    async with house(front=fronted()) as h:
        client = await h.client()
        assert (await client.say(f"XCLIENT {named}")).startswith("220 ")
        await client.say("EHLO x")
        assert (await client.say("XFORWARD ADDR=198.51.100.7")).startswith("500 ")
        await client.mail()
        assert [mail.peer for mail in h.mails] == [""]


@pytest.mark.asyncio
async def test_the_limits_of_an_address_hold_for_a_named_client() -> None:
    limits = Limits(connections_per_ip=2, mails_per_minute=3)
    async with house(front=fronted(), limits=limits, exempt=[FRONT]) as h:
        clients = [await h.client() for _ in range(4)]
        said = [(await client.say("XCLIENT ADDR=192.0.2.66"))[:3] for client in clients]
        assert said == ["220", "220", "421", "421"]
        assert (await clients[0].say("EHLO x")).startswith("250")
        codes = [(await clients[0].say(line))[:3] for _ in range(4) for line in ("MAIL FROM:<a@b.example>", "RSET")]
        assert codes == ["250", "250", "250", "250", "250", "250", "450", "250"]
        for client in clients:
            client.writer.close()
        await until(lambda: not guests(h))
        assert h.listener._intake._places._held == {}


@pytest.mark.asyncio
async def test_a_server_in_front_has_no_limit_of_its_own() -> None:
    """It brings the mails of all players, from whatever machine. No `exempt` has to name it as well."""
    async with house(front=fronted(), limits=Limits(connections_per_ip=2, mails_per_minute=3), exempt=[]) as h:
        clients = [await h.client() for _ in range(4)]
        for client in clients:
            await client.say("EHLO x")
            await client.mail()
        assert len(h.mails) == 4


REFUSED = ["XCLIENT ADDR=198.51.100.7", "XFORWARD ADDR=198.51.100.7", "PROXY TCP4 198.51.100.7 192.0.2.1 1 2"]


@pytest.mark.asyncio
@pytest.mark.parametrize("said", REFUSED)
@pytest.mark.parametrize("proxy", [False, True])
async def test_nobody_else_may_say_it(said: str, proxy: bool) -> None:
    async with house(front=fronted(proxy=proxy)) as h:
        client = await h.client(source=STRANGER)
        assert "XCLIENT" not in await client.say("EHLO x")
        assert "XCLIENT" not in await client.say("HELP")
        assert (await client.say(said)).startswith("500 5.5.1")
        await client.mail()
        assert [mail.peer for mail in h.mails] == [STRANGER]


@pytest.mark.asyncio
@pytest.mark.parametrize("said", ["XCLIENT ADDR=x", "XFORWARD", "XFORWARD ADDR=300.1.1.1", "XCLIENT ADDR=1.2.3.4 x"])
async def test_bad_attributes_change_nothing(said: str) -> None:
    async with house(front=fronted()) as h:
        client = await h.client()
        assert (await client.say(said)).startswith("501 5.5.4 ")
        await client.mail()
        assert [mail.peer for mail in h.mails] == [""]


@pytest.mark.asyncio
async def test_not_in_the_middle_of_a_mail() -> None:
    async with house(front=fronted()) as h:
        client = await h.client()
        await client.say("MAIL FROM:<a@b.example>")
        assert (await client.say("XFORWARD ADDR=192.0.2.66")).startswith("503 ")
        assert (await client.say("XCLIENT ADDR=192.0.2.66")).startswith("503 ")


async def proxy(h: House, header: bytes) -> Client:
    client = await h.raw_client(FRONT)
    client.write(header)
    return client


@pytest.mark.asyncio
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("header", [WHOLE[0][0], second(0x21, 0x11, "192.0.2.1")])
async def test_a_proxied_client(header: bytes, whole: bool) -> None:
    async with house(front=fronted(proxy=True)) as h:
        client = await h.raw_client(FRONT)
        for part in [header] if whole else [header[at : at + 1] for at in range(len(header))]:
            client.write(part)
            await asyncio.sleep(0)
        assert (await client.read()).startswith("220 ")
        assert "XCLIENT" not in await client.say("EHLO client.example")
        assert (await client.say("XFORWARD ADDR=198.51.100.7")).startswith("500 ")
        await client.mail()
        assert [mail.peer for mail in h.mails] == ["192.0.2.1"]


@pytest.mark.asyncio
async def test_what_comes_behind_the_header_is_the_clients() -> None:
    async with house(front=fronted(proxy=True)) as h:
        client = await proxy(h, WHOLE[0][0] + b"EHLO x\r\n")
        assert (await client.read()).startswith("220 ")
        assert (await client.read()).startswith("250")
        await client.mail()
        assert [mail.peer for mail in h.mails] == ["192.0.2.1"]


@pytest.mark.asyncio
async def test_the_proxy_itself_and_a_client_at_its_own_address_are_nobody() -> None:
    for header in (b"PROXY UNKNOWN\r\n", b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n"):
        async with house(front=fronted(proxy=True)) as h:
            client = await proxy(h, header)
            await client.read()
            await client.say("EHLO x")
            await client.mail()
            assert [mail.peer for mail in h.mails] == [""]


@pytest.mark.asyncio
async def test_connections_are_counted_for_the_proxied_client() -> None:
    async with house(front=fronted(proxy=True), limits=Limits(connections_per_ip=2)) as h:
        said = [(await (await proxy(h, WHOLE[0][0])).read())[:3] for _ in range(3)]
        assert said == ["220", "220", "421"]
        other = await proxy(h, WHOLE[5][0].replace(b"\xc0\x00\x02\x01", b"\xc0\x00\x02\x02", 1))
        assert (await other.read()).startswith("220 ")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("addresses", "most"),
    [
        ([f"198.51.100.{n}" for n in range(64)], 32),  # 24, and newcomers until the house is half full
        ([f"198.51.100.{n % 3}" for n in range(64)], 24),
        ([*(f"198.51.100.{n % 3}" for n in range(63)), "198.51.100.77"], 25),  # a neighbour's mail server
        ([f"2001:db8:0:{n:x}::1" for n in range(64)], 16),
        ([f"2001:db8:0:{n * 256:x}::1" for n in range(64)], 32),
        ([f"198.51.{n}.1" for n in range(64)], 64),
        ([f"2001:db8:{n:x}::1" for n in range(64)], 64),
    ],
)
async def test_s9_the_networks_around_an_address_are_counted_as_well(addresses: list[str], most: int) -> None:
    """The finding: one IPv6 /56 held every place."""
    async with house(front=fronted(proxy=True)) as h:
        told = []
        for address in addresses:
            here = "TCP6 {} ::1" if ":" in address else "TCP4 {} 127.0.0.1"
            client = await proxy(h, f"PROXY {here.format(address)} 1000 25\r\n".encode())
            told.append(await client.read())
        assert sum(line.startswith("220") for line in told) == most


@pytest.mark.asyncio
@pytest.mark.parametrize("header", [header for header in BROKEN if header.endswith(b"\r\n")])
async def test_a_proxy_that_sends_no_header_is_cut(header: bytes) -> None:
    async with house(front=fronted(proxy=True)) as h:
        client = await proxy(h, header)
        assert await client.read() == ""
        assert h.listener.stats.aborted == 1
        assert not h.listener._intake._expected


@pytest.mark.asyncio
async def test_a_silent_proxy_is_cut_after_its_time_and_at_the_end() -> None:
    async with house(front=fronted(proxy=True), limits=Limits(proxy_seconds=0.01)) as h:
        assert await (await h.raw_client(FRONT)).read() == ""
    async with house(front=fronted(proxy=True)) as h:
        client = await h.raw_client(FRONT)
        await until(lambda: bool(h.listener._intake._expected))
        await h.listener.stop(0)
        assert await client.read() == ""


@pytest.mark.asyncio
async def test_without_a_front_nobody_is_one() -> None:
    async with house() as h:
        client = await h.client()
        assert (await client.say("XFORWARD ADDR=198.51.100.7")).startswith("500 ")
        await client.mail()
        assert [mail.peer for mail in h.mails] == [FRONT]
        assert (await client.say("QUIT")) == Status.BYE.value
