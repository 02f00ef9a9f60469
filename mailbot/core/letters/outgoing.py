"""What is handed to the post: a finished letter, and the note that one is due."""

import re
from dataclasses import dataclass

MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>\Z")
"""A message id with its angle brackets (H5)."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes along. `name`: letters, digits, `._-`. `media_type`: as Content-Type says it."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture inside a letter. `cid`: what the HTML calls it, `name`: what a program calls it that saves it."""

    cid: str
    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """A letter as it goes out, everything it says; the same message always becomes the same bytes.

    `date`: unix seconds. `message_id`, `in_reply_to`, `references`: with angle brackets, `references` oldest first.
    `auto`: "auto-replied" for an answer, "auto-generated" for a notice (RFC 3834 5). `loop`: our domain, for
    X-Mailbot-Loop. `html`: the same letter as HTML, "" for none; `shown`: the pictures in it. `list_id`:
    "lambo.example.org"; `list_unsubscribe`, `list_help`: a URI each; all without brackets.
    """

    to: str
    from_name: str
    from_addr: str
    subject: str
    text: str
    message_id: str
    date: int
    loop: str
    reply_to: str | None = None
    in_reply_to: str | None = None
    references: tuple[str, ...] = ()
    auto: str = "auto-generated"
    list_id: str | None = None
    list_unsubscribe: str | None = None
    list_help: str | None = None
    attachments: tuple[Attachment, ...] = ()
    html: str = ""
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Due:
    """A letter whose turn it is. `player`: 0 for none. `attempts`: tries so far, the one now beginning included.
    `size`: characters of what it has to tell. `kind`: see core.effects.Kinds."""

    id: int
    address: str
    player: int
    attempts: int
    size: int = 0
    kind: str = ""
