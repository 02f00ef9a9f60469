"""The values of configuration keys: for each kind a reader, and the words that complete "must be ..."."""

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple

from mailbot.core.effects import Forbidden, Unreadable
from mailbot.core.games import clocks
from mailbot.core.mail.addresses import parse_addr


class Kind(NamedTuple):
    """`read` turns the value in the file into the setting, or raises ValueError."""

    wants: str
    read: Callable[[object], object]


def text(wants: str, pattern: str) -> Kind:
    """Texts that match `pattern` as a whole."""

    def read(value: object) -> str:
        if isinstance(value, str) and re.fullmatch(pattern, value):
            return value
        raise ValueError

    return Kind(wants, read)


def number(low: int, high: int) -> Kind:
    """Whole numbers, both bounds included."""

    def read(value: object) -> int:
        if type(value) is int and low <= value <= high:  # isinstance would let True pass
            return value
        raise ValueError

    return Kind(f"a whole number from {low} to {high}", read)


def choice(*values: str) -> Kind:
    """One of a few words."""
    return text(" or ".join(f'"{value}"' for value in values), "|".join(re.escape(value) for value in values))


def or_none(kind: Kind) -> Kind:
    """The same, or the empty text, which is read as None."""
    return Kind(f'{kind.wants}, or "" for none', lambda value: None if value == "" else kind.read(value))


def lower(kind: Kind) -> Kind:
    """The same texts in lower case."""
    return Kind(kind.wants, lambda value: str(kind.read(value)).lower())


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError


def _path(value: object) -> Path:
    if isinstance(value, str) and value and "\0" not in value:
        return Path(value)
    raise ValueError


def _address(value: object) -> str:
    address = parse_addr(value) if isinstance(value, str) else None
    if address is None:
        raise ValueError
    return address


def _domain(value: object) -> str:
    return _address(f"x@{value}").removeprefix("x@")


def _clock(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    try:
        clocks.parse(value)
    except (Unreadable, Forbidden):
        raise ValueError from None
    return value.strip().lower()


_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"


def _host(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    name = value.lower()
    if re.fullmatch(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*", name) and not name.rpartition(".")[2].isdigit():
        return name
    return str(ip_address(value))


def _networks(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError  # ip_network would take 1 for 0.0.0.1
    return tuple(str(ip_network(item)) for item in value)


PORTS = {"http": 80, "https": 443}


def _url(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    scheme, mark, rest = value.lower().partition("://")
    name, colon, port = rest.removesuffix("/").partition(":")
    if scheme not in PORTS or not mark or (colon and not (port.isdecimal() and port.isascii() and int(port) < 65536)):
        raise ValueError
    usual = not colon or int(port) == PORTS[scheme]  # a browser does not send it
    return f"{scheme}://{_host(name)}" + ("" if usual else f":{int(port)}")


def place(said: str) -> tuple[str, int]:
    """Host and port of `127.0.0.1:9464` or `[::1]:9464`. Raises ValueError."""
    host, colon, port = said.rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not colon or not re.fullmatch(r"[0-9]{1,5}", port) or not int(port) < 65536 or ("[" in said) != (":" in host):
        raise ValueError
    return _host(host), int(port)


def _fleet(value: object) -> str:
    if not isinstance(value, str) or not value.startswith("tls://") or not place(value.removeprefix("tls://"))[1]:
        raise ValueError
    return value


def _place(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    place(value)
    return value


FLAG = Kind("true or false", _flag)
CLOCK = Kind("a clock such as 10d+2d/14d or 21d, or fast, normal, slow or none", _clock)
PATH = Kind("the path of a file or folder", _path)
ADDRESS = Kind("one mail address", _address)
DOMAIN = Kind("a domain name such as games.example.org", _domain)
HOST = Kind("a host name or an IP address", _host)
PLACE = Kind("a host and a port such as 127.0.0.1:9464 or [::1]:9464", _place)
NETWORKS = Kind('a list of IP addresses or networks, such as ["127.0.0.0/8", "::1"]', _networks)
FLEET = Kind("an address such as tls://scheduler.example.org:8786", _fleet)
URL = Kind("an address such as https://games.example.org, without a path", _url)
LOCAL_PART = lower(text("1 to 20 letters, digits or - and _, a letter first", r"[A-Za-z][A-Za-z0-9_-]{0,19}"))
WORD = text("a text without blanks", r"[!-~]{1,200}")
