"""A request as text, to store: one that waits for its turn, or is set aside."""

import json
from dataclasses import asdict, replace

import msgspec

from mailbot.core.world import Asked, Request

_READ = msgspec.json.Decoder(Request).decode


def text_of(request: Request) -> str:
    """The request as JSON, with a blank after each comma and colon, because store/unproved.py counts words."""
    return json.dumps(asdict(request), ensure_ascii=False)


def request_of(text: str, now: int) -> Request:
    """A stored request, as of now. Raises msgspec.DecodeError for any other text."""
    kept = _READ(text)
    return replace(kept, now=now, asked=tuple(map(_asked, kept.asked)))


def _asked(kept: Asked) -> Asked:
    """Restores the tuples in `args`. JSON has none, and no type of `args` says where they belong."""
    args = {slot: tuple(said) if isinstance(said, list) else said for slot, said in kept.args.items()}
    return replace(kept, args=args)
