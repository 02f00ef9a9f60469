"""The operator's orders by mail: the line `admin PASSWORD COMMAND ...`, and the reason under it.

This module judges only the form. The shell checks that the operator wrote the mail: the From must be the configured
address, and the password must be the operator's, which belongs to no account.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mailbot.core.language.grammar import SHORTEST, Row
from mailbot.core.language.masking import HIDDEN, hide, plain
from mailbot.core.language.passed import LOOKED_AT, for_operator
from mailbot.core.mail.incoming import redact
from mailbot.core.operator.judge import DOINGS

FORMS: Mapping[str, str] = {
    "games": "[player] [state]",
    "show": "board",
    "players": "",
    "queue": "",
    "find": "message",
    "resend": "letter",
    "ratings": "",
    **{name: doing.form for name, doing in DOINGS.items()},
}
"""The commands and the words they take; those in brackets may be left out."""

_LINE = re.compile(r"(^[ \t]*admin[ \t]+)(\S+)(.*)", re.IGNORECASE | re.MULTILINE)

_LONG = re.compile(rf"\S{{{SHORTEST},}}")
MOST = 50
"""Words that are looked for in the whole text, one after the other."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order. `password` is neither shown nor stored. `trouble`: why the line could not be read."""

    password: str = field(repr=False)
    name: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


def read(text: str) -> Order | None:
    """The order that a mail begins with; None for any other mail."""
    first, _, rest = text.lstrip("\n ").partition("\n")
    words = first.split()
    if len(words) < 2 or words[0].lower() != "admin":
        return None
    password, name = words[1], words[2].lower() if len(words) > 2 else ""
    rest = rest.replace(password, HIDDEN)
    if name not in FORMS:
        return Order(password, trouble=f"After the password I need one of: {', '.join(FORMS)}.")
    slots, given = FORMS[name].split(), words[3:]
    needed = sum(slot[0] != "[" for slot in slots)
    if not needed <= len(given) <= len(slots):
        reason = "; the reason goes on the lines below" if name in DOINGS and DOINGS[name].reasoned else ""
        return Order(password, name, trouble=f"I need: {f'admin PASSWORD {name} {FORMS[name]}'.strip()}{reason}.")
    if _LINE.search(rest):
        return Order(
            password, name, trouble="One mail is one order, and yours has a second line that begins with admin."
        )
    filled = {slot.strip("[]"): word.replace(password, HIDDEN) for slot, word in zip(slots, given, strict=False)}
    return Order(password, name, {**filled, "why": rest.strip("\n")})


def kept(content: bytes, rows: Sequence[Row], games: Mapping[str, str]) -> str:
    """The part of a mail to the operator that may be stored; `rows` and `games` as in `for_operator`."""
    return for_operator(masked(redact(content, ()).decode()[:LOOKED_AT]), rows, games)


def hidden(text: str) -> str:
    """The text of a player's mail, without the password if it begins as an order does. `admin` may also begin prose:
    that is left alone."""
    order = read(text)
    return masked(text) if order and (order.name or not order.password.isalpha()) else text


def masked(text: str) -> str:
    """The text without possible passwords: any word after `admin` at the beginning of a line that may be one is masked,
    there and everywhere else. In a text with very many of them every long word is masked, which costs less."""
    passwords = {
        word
        for found in _LINE.finditer(text)
        for word in (found[2], *found[3].split())
        if len(word) >= SHORTEST and (word == found[2] or plain(word) != word)
    }
    text = _LINE.sub(lambda found: f"{found[1]}{HIDDEN} {plain(found[3])}".rstrip(), text)
    return _LONG.sub(HIDDEN, text) if len(passwords) > MOST else hide(text, passwords)
