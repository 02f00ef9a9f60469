"""Where a mail comes from: the networks around an IP address, and names in the store that reveal none of it."""

import hmac
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address, ip_network

from mailbot.core.players.attempts import WIDER


def hidden(key: bytes, name: str, text: str) -> str:
    """A key for the store: `name`, and an HMAC of both that reveals nothing about the text."""
    said = f"{name}|{text}".encode("utf-8", "replace")
    return f"{name}:{hmac.digest(key, said, 'sha256')[:16].hex()}"


@lru_cache(maxsize=1024)
def networks(source: str) -> Mapping[str, str]:
    """The networks of an IP address, smallest first, by the ends of the names of their limits: the /24, or the /64, /56
    and /48. Empty if it is not an IP address."""
    try:
        address = ip_address(source.partition("%")[0])
    except ValueError:
        return {}
    if address.version == 6 and address.ipv4_mapped:
        address = address.ipv4_mapped
    widths = {"": 24} if address.version == 4 else {"": 64} | {f"/{bits}": bits for bits in WIDER}
    return {wide: str(ip_network((address, bits), strict=False)) for wide, bits in widths.items()}


LOCAL = ("127.0.0.0/24", "::/64")
"""The networks of this machine itself."""


def widest(source: str) -> str:
    """The largest of them, the /24 or the /48; "" if the source is unknown, or this machine itself."""
    lies_in = networks(source)
    return "" if lies_in.get("", LOCAL[0]) in LOCAL else list(lies_in.values())[-1]


def nearest(source: str) -> str:
    """The smallest of them, "" if the source is unknown."""
    return networks(source).get("", "")


def machine(source: str) -> str:
    """The IPv4 address itself, or the /64 of an IPv6 address, because one machine may use any address in it; "" if the
    source is unknown."""
    near = nearest(source)
    return str(ip_address(source.partition("%")[0])) if near and not near.endswith("/64") else near
