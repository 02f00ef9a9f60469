"""A request as text, to be kept: one that waits for its turn, or is set aside."""

import json
from dataclasses import asdict, replace

import msgspec

from mailbot.core.world import Asked, Request

_READ = msgspec.json.Decoder(Request).decode


def text_of(request: Request) -> str:
    """The request as JSON, to be kept. With a blank after each comma and colon: store/unproved.py counts words."""
    return json.dumps(asdict(request), ensure_ascii=False)


def request_of(text: str, now: int) -> Request:
    """A request that was kept, as of now. Raises msgspec.DecodeError for any other text."""
    kept = _READ(text)
    return replace(kept, now=now, asked=tuple(map(_asked, kept.asked)))


def _asked(kept: Asked) -> Asked:
    """JSON knows no tuples, and `args` has no type that says where one belongs."""
    args = {slot: tuple(said) if isinstance(said, list) else said for slot, said in kept.args.items()}
    return replace(kept, args=args)
