"""A request as text, to be kept: one that waits for its turn, or is set aside."""

import json
from dataclasses import asdict
from typing import Any

from mailbot.core.world import Asked, Request


def text_of(request: Request) -> str:
    """The request as JSON, to be kept."""
    return json.dumps(asdict(request), ensure_ascii=False)


def request_of(text: str, now: int) -> Request:
    """A request that was kept, as of now."""
    kept: dict[str, Any] = json.loads(text)
    asked = tuple(_asked(one) for one in kept.pop("asked"))
    token = kept.pop("token")
    return Request(**{**kept, "now": now, "asked": asked, "token": tuple(token) if token else None})


def _asked(kept: dict[str, Any]) -> Asked:
    """JSON knows no tuples."""
    args = {slot: tuple(said) if isinstance(said, list) else said for slot, said in kept["args"].items()}
    return Asked(**{**kept, "args": args, "secret": tuple(kept["secret"]) if kept["secret"] else None})
