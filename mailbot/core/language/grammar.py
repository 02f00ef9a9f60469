"""The shape of a command line: a row of the command table, its forms, and how words fill their slots.

A form is a list of slots, `board userid password move`. One slot name in it may end in `*` (none or more words) or
`+` (one or more). Each slot has a shape (`SHAPES`, else any one word). This module judges only shapes, never meanings:
the engine's own sentence refuses a move that does not exist, not "cannot read".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.family import NOTATION
from mailbot.core.effects import Effect
from mailbot.core.world import Asked, Request, World

Handler = Callable[[Request, Asked, World], list[Effect]]

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+\Z")
_GUARD = r"(?:#\d{1,6})?"
_PLAYED = rf"(?:swap|{NOTATION}){_GUARD}"
_MOVE = re.compile(rf"(?:{_PLAYED}|pass{_GUARD})\Z", re.IGNORECASE | re.ASCII)

_VALUE = re.compile(r"([0-9]{1,6}[dh](,[0-9]{1,6}[dh])*|(rating=)?[0-9]{1,4}-[0-9]{1,4})\Z", re.IGNORECASE | re.ASCII)

_ZONE = re.compile(
    r"(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)"
    r"(?:/[A-Za-z][A-Za-z0-9_+-]{1,19}){1,2}\Z",
    re.IGNORECASE | re.ASCII,
)

SHAPES: Mapping[str, re.Pattern[str]] = {
    "board": re.compile(r"#?[0-9]{1,9}\Z"),
    "board#": re.compile(r"#?[0-9]{1,9}(#[0-9]{1,6})?\Z"),
    "address": _ADDRESS,
    "ask": re.compile(r"(propose|undo)\Z", re.IGNORECASE | re.ASCII),
    "none": re.compile(r"none\Z", re.IGNORECASE | re.ASCII),
    "plan": re.compile(rf"(?:if|none|{_PLAYED}[.;,!]?)\Z", re.IGNORECASE | re.ASCII),
    "more": re.compile(rf"(?:if|then|(?:resign|{_PLAYED})[.;,!]?)\Z", re.IGNORECASE | re.ASCII),
    "when": re.compile(r"([0-9]{1,3}|off|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2})\Z", re.IGNORECASE | re.ASCII),
    "time": re.compile(r"[+-]?[0-9]{1,6}[dh]\Z", re.IGNORECASE | re.ASCII),
    "n": re.compile(r"#?[0-9]{1,9}\Z"),
    "choice": re.compile(r"(yes|no)\Z", re.IGNORECASE),
    "toUserid": re.compile(r"[A-Za-z][\w.-]*,?\Z", re.ASCII),
    "drawn": re.compile(r"(picture|film)\Z", re.IGNORECASE | re.ASCII),
    "filter": re.compile(r"(all|active|inactive|finished|next)\Z", re.IGNORECASE | re.ASCII),
    "part": re.compile(r"(table|games|rules|log)\Z", re.IGNORECASE | re.ASCII),
    "act": re.compile(r"(open|start|close|cancel|note)\Z", re.IGNORECASE | re.ASCII),
    "create": re.compile(r"create\Z", re.IGNORECASE | re.ASCII),
    "result": re.compile(r"result\Z", re.IGNORECASE | re.ASCII),
    "replace": re.compile(r"replace\Z", re.IGNORECASE | re.ASCII),
    "timing": re.compile(r"time\Z", re.IGNORECASE | re.ASCII),
    "withdrawal": re.compile(r"withdraw\Z", re.IGNORECASE | re.ASCII),
    "title": re.compile(r"\"[^\"]{1,60}\"\Z"),
    "userid": re.compile(r"[A-Za-z][\w.-]*\Z", re.ASCII),
}
# Slots with the shape of another slot, or of any word.
_ALIAS = {"userid1": "userid", "userid2": "userid", "otherUserid": "userid", "topic": ""}

_SAID = {
    "userid": "name",
    "userid1": "name1",
    "userid2": "name2",
    "toUserid": "player",
    "otherUserid": "player",
    "drawn": "picture|film",
    "part": "table|games|rules|log",
    "act": "open|start|close|cancel|note",
    "timing": "time",
    "withdrawal": "withdraw",
    "verdict": "1|2|draw",
    "title": '"the name"',
}
"""What players read for a slot: we call userids names."""

SHORTEST = 8
"""Characters of a password, at least."""
PLACEHOLDER, NEW_PLACEHOLDER = "PASSWORD", "NEWPASSWORD"
"""What stands for the password, and for a new one, on our pages."""

_WHAT = {
    "userid": ("your name", "NAME"),
    "userid1": ("the name of the first player", "NAME1"),
    "userid2": ("the name of the second player", "NAME2"),
    "toUserid": ("the name of the player", "PLAYER"),
    "otherUserid": ("the name of the player", "PLAYER"),
    "password": ("your password", PLACEHOLDER),
    "old": ("your password", PLACEHOLDER),
    "new": ("the new password", NEW_PLACEHOLDER),
    "address": ("the address", "ADDRESS"),
    "board": ("the number of the board", "BOARD"),
    "board#": ("the number of the board", "BOARD"),
    "n": ("the number", "NUMBER"),
    "move": ("the move", "MOVE"),
    "time": ("the time", "TIME"),
}
"""What a player reads for an empty slot, in a sentence and in a line to send."""

EXISTING = ("password", "old")
"""Slots for a password that exists."""
SECRETS = (*EXISTING, "new")
"""Slots whose words are cut out of a line before anything is stored."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One command. `needs`: anyone, known (a registered sender), proof (a password or a reply token).

    `game`: whether a game word may come first. `forms`: tried in order, longest meaning first. `options`: words that
    begin with `-` are taken out of the line before the forms are tried. `may_have_body`: the words under the command
    belong to it. `needs_body`: the command is about those words, so nothing under it is read as a command. `tokens`:
    the kinds of reply token that prove the asker for this row. `takes_over`: any mail to a token of that kind is this
    command, whatever it says. `aliases`: other words for the name. `known`: the words that its slots take besides
    games, players and moves, so that an answer may repeat them (masking.py). `quoted`: words in double quotes are one.
    `long`: it looks at all boards of somebody, or plays on, so a mail has only some of these. `in_full`: the kinds of
    letters in whose answers only the name itself means this command, because an alias may answer words of the opponent.
    """

    name: str
    forms: tuple[str, ...]
    run: Handler
    summary: str
    needs: str = "proof"
    game: bool = False
    options: bool = False
    may_have_body: bool = False
    needs_body: bool = False
    tokens: str = ""
    takes_over: str = ""
    sets_password: bool = False
    aliases: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    quoted: bool = False
    long: bool = False
    in_full: str = ""

    def only_in_full(self, token: str) -> bool:
        """Whether only its name, without a slip, means it in the answer to a letter with a token of this kind."""
        return bool(token) and token in self.in_full

    @property
    def usage(self) -> list[str]:
        """The forms, as a player types them."""
        front = "[game] " if self.game else ""
        marks = " [options]" if self.options else ""
        return [f"{front}{self.name}{marks} {_shown(form)}".strip() for form in self.forms]


@lru_cache(maxsize=32)
def taking_over(rows: tuple[Row, ...], token: str) -> Row | None:
    """The command that every mail to a token of this kind is, if there is one."""
    return next((row for row in rows if token in row.takes_over), None)


@lru_cache(maxsize=32)
def taken(rows: tuple[Row, ...], token: str) -> frozenset[str]:
    """The commands that can answer a letter with a token of this kind."""
    return frozenset(row.name for row in rows if token in row.tokens)


@lru_cache(maxsize=32)
def verbs(rows: tuple[Row, ...], token: str = "") -> Mapping[str, Row]:
    """The commands by their names and aliases, in a mail that answers a letter with a token of this kind."""
    return {
        word: row
        for row in rows
        if not row.takes_over
        for word in (row.name, *(() if row.only_in_full(token) else row.aliases))
    }


def _shown(form: str) -> str:
    """A form for people: `move+` is `move [move ...]`, `address*` is `[address ...]`."""
    words = []
    for slot in form.split():
        bare = _SAID.get(slot.rstrip("*+"), slot.rstrip("*+")).replace("#", "[#ply]")
        words.append({"+": f"{bare} [{bare} ...]", "*": f"[{bare} ...]"}.get(slot[-1], bare))
    return " ".join(words)


def shape(slot: str) -> str:
    """The shape name of a slot without its repeat mark."""
    bare = slot.rstrip("*+")
    return _ALIAS.get(bare, bare)


def fits(slot: str, word: str) -> bool:
    """Whether a word has the slot's shape. A password is any word except an address and, in a slot for an existing
    password, an option."""
    kind = shape(slot)
    if kind in SECRETS:
        return not looks_like_address(word) and (kind == "new" or word[0] not in "-\u2013\u2014")
    pattern = SHAPES.get(kind)
    return pattern is None or pattern.match(word) is not None


def fill(form: str, words: Sequence[str]) -> dict[str, Any] | None:
    """The words by slot, or None if their number or shapes do not fit. Repeated slots become tuples."""
    slots = form.split()
    filled: dict[str, Any] = {}
    many = next((at for at, slot in enumerate(slots) if slot[-1] in "*+"), None)
    if many is not None:
        slot = slots.pop(many)
        end = len(words) - (len(slots) - many)
        rest = tuple(words[many:end])
        if end - many < (slot[-1] == "+") or not all(fits(slot, word) for word in rest):
            return None
        filled[slot[:-1]] = rest
        words = [*words[:many], *words[end:]]
    if len(words) != len(slots) or not all(fits(slot, word) for slot, word in zip(slots, words, strict=True)):
        return None
    filled.update(zip(slots, words, strict=True))
    return {slot: _named(slot, said) for slot, said in filled.items()}


def _named(slot: str, said: Any) -> Any:
    """What is said in a slot; a name without the full stop of a sentence, in which no name ends."""
    if shape(slot) not in ("userid", "toUserid"):
        return said
    return said.rstrip(".") if isinstance(said, str) else tuple(word.rstrip(".") for word in said)


def missing(row: Row, words: Sequence[str]) -> tuple[str, list[str]] | None:
    """The first thing that is missing in a line that ends too early, and the words to add to it; None if no form begins
    with these words."""
    for form in sorted(row.forms, key=lambda form: "none" not in form.split()):  # that word is not a name
        slots = [slot.rstrip("+") for slot in form.split() if slot[-1] != "*" and slot != "ask"]
        lacks = slots[len(words) :]
        if lacks and all(slot in _WHAT for slot in lacks) and all(map(_stands, slots, words)):
            return _WHAT[lacks[0]][0], [_WHAT[slot][1] for slot in lacks]
    return None


def may_be_password(word: str) -> bool:
    """Whether a word in the place of an existing password can be one."""
    return len(word) >= SHORTEST and word != PLACEHOLDER


def is_placeholder(word: str) -> bool:
    """Whether the word stands for a password on our pages."""
    return word.upper() in (PLACEHOLDER, NEW_PLACEHOLDER)


def _stands(slot: str, word: str) -> bool:
    return fits(slot, word) and (slot not in EXISTING or may_be_password(word))


def without_password(row: Row, words: Sequence[str]) -> int | None:
    """The place of the password in a form that fits these words but for that; None if there is no such form."""
    for form in row.forms:
        slots = form.split()
        at = next((at for at, slot in enumerate(slots) if slot in EXISTING), None)
        if at is None or any(slot[-1] in "*+" for slot in slots[:at]):
            continue
        if fill(" ".join([*slots[:at], *slots[at + 1 :]]), words) is not None:
            return at
    return None


def looks_like_address(word: str) -> bool:
    """Whether the word may be a mail address; such a word is no password in a command."""
    return _ADDRESS.match(word) is not None


def looks_like_day(word: str) -> bool:
    """`2026-12-20`."""
    return SHAPES["when"].match(word) is not None


def looks_like_value(word: str) -> bool:
    """`2d,8h`, `1400-1800`, `rating=1400-1800`: a value of a setting that a password could look like."""
    return _VALUE.match(word) is not None


def looks_like_zone(word: str) -> bool:
    """`Europe/Berlin`, whether or not there is such a time zone."""
    return _ZONE.match(word) is not None


_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")


def looks_like_date(word: str) -> bool:
    """A date as people write it, `24.12.2026`; no password may be one."""
    return _DATE.fullmatch(word) is not None


def looks_like_move(word: str) -> bool:
    """`b4,c11`, `a1#7`, `swap`: the bare answer to a letter."""
    return _MOVE.match(word) is not None
