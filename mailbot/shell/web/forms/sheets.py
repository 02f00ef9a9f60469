"""A form for each command, made from its row: which slots become fields, and how filled-in fields become a line.

Theory of operation. A row has several forms of a line. Those without a password are for answers to letters; a page has
proof itself, so they are left out. A shorter form whose slots all occur in a longer one is the longer one with fields
left empty. What is left are the sheets of the row, each a form on its page. The page writes name and password where the
line has them, as placeholders (web/asking.py); nobody can type into their place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Final

from engine.catalogue import Catalogue
from mailbot.core.commands import ROWS
from mailbot.core.language.grammar import Row
from mailbot.shell.web.forms import fields
from mailbot.shell.web.forms.fields import LITERAL, SIDES, WRITTEN, Field

BY_LETTER: Final[Mapping[str, str]] = {
    "reply": "It answers a letter with a message. On the page: `/do/message`.",
    "prove": "Only an answer from an address proves that somebody reads there.",
    "approve": "Only an answer from the old address proves that its owner agrees.",
    "reset": "Only the answer to a letter proves whose password it is. The page asks for the letter: `/forgot`.",
    "unlock": "The answer shows which network is the owner's. Meanwhile a link by mail logs in: `/login`.",
    "erase": "Only the answer to a letter deletes an account, so a browser that was left open cannot.",
    "silence": "The Unsubscribe button of a mail program sends it. On the page: `/do/unsubscribe`.",
}
"""Why a command has no page."""

CREDENTIALS: Final = ("userid", "password", "old")
_NAMES_NO_GAME: Final = ("board", "board#", "n", "setting", "topic", "game", "new")
"""Slots beside which a game word in front says nothing more."""
ELSEWHERE: Final[Mapping[str, str]] = {"signup": "/join", "forgot": "/forgot"}
"""Commands whose page has another address."""
TITLES: Final[Mapping[tuple[str, str], str]] = {
    ("challenge", "n"): "Challenge on a ladder",
    ("challenge", "userid1"): "Challenge",
    ("record", "drawn"): "Record with a picture or a film",
    ("seek", "none"): "Withdraw offers",
    ("show", "board#"): "Show boards",
    ("show", "userid"): "Show boards of players",
    ("showas", "board"): "Send these boards",
    ("showas", "filter"): "Send my boards",
    ("tournament", "part"): "Show a tournament",
    ("tournament", "create"): "Create a tournament",
    ("tournament", "act"): "Direct a tournament",
    ("tournament", "result"): "Decide a game",
    ("tournament", "replace"): "Replace a player",
    ("tournament", "timing"): "Give a player time",
    ("tournament", "withdrawal"): "Withdraw a player",
}
"""By command and slot: what a sheet does, if the name of its command does not tell it from the others."""
WRITES: Final = ("record",)
"""Commands that change nothing, but whose answer goes out as a letter."""
ENDS: Final = ("resign", "withdraw")
"""Commands that end games: their forms have a box to tick, so that one tap is not enough. So has the form of the
acts of a director, because it can cancel a tournament."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One form of a command. `slots`: of the line, with their repeat marks, credentials included; `optional`: those
    that may be left empty. `proved`: it needs to know who asks; otherwise it only looks."""

    row: Row
    slots: tuple[str, ...]
    optional: frozenset[str]
    proved: bool

    @property
    def looks(self) -> bool:
        """Whether it changes nothing, so that a link can ask it."""
        return not self.proved and self.row.name not in WRITES

    @property
    def key(self) -> str:
        """Tells the sheets of a command apart: a slot that `TITLES` names, or nothing."""
        return next((slot for slot in _bare(self.slots) if (self.row.name, slot) in TITLES), "")

    @property
    def title(self) -> str:
        """What the sheet does, for its button."""
        return TITLES.get((self.row.name, self.key), self.row.name.capitalize())

    def fields(self, catalogue: Catalogue) -> list[Field]:
        """Its fields, in the order in which they are shown."""
        found: list[Field] = []
        if self.row.game and not {slot.rstrip("*+") for slot in self.slots} & {*_NAMES_NO_GAME}:
            found.append(fields.of_game(catalogue, required=SIDES[0] in self.slots or self._offers))
        for slot in self.slots:
            bare = slot.rstrip("*+")
            if bare in LITERAL or bare == "more" or bare == SIDES[0]:
                continue
            if self.proved and bare in CREDENTIALS:
                if bare == "old":
                    found.append(fields.OLD)
                continue
            found.append(fields.of_slot(self.row, slot, required=bare not in self.optional))
        if SIDES[0] in self.slots:
            found.append(fields.FIRST)
        if self._has_options:
            found += fields.OPTIONS.get(self.row.name, ())
        if self.row.may_have_body and not self.looks:
            found.append(replace(fields.WORDS, required=self.row.needs_body and "choice" not in self.slots))
        if self.row.name in ENDS or {"act", "withdrawal", "result"} & {*self.slots}:
            found.append(fields.SURE)
        return found

    @property
    def _offers(self) -> bool:
        return self.row.name == "seek" and "none" not in self.slots

    @property
    def _has_options(self) -> bool:
        """Whether the options of the command belong to this form of it."""
        if self.row.name == "tournament":
            return "create" in self.slots
        return (self.row.options and not {"none", "n"} & {*self.slots}) or self.row.name == "join"

    def line(self, typed: Mapping[str, str]) -> str:
        """The line of a mail, with `{me}` and `{proof}` in the place of name and password."""
        given = {name: " ".join(said.split()) for name, said in typed.items()}
        words = [given.get("game", ""), self.row.name]
        words += fields.marks(fields.OPTIONS.get(self.row.name, ()), given) if self._has_options else []
        sides = ["{me}", given.get("opponent", "")]
        if given.get("first") == "you":
            sides.reverse()
        for slot in self.slots:
            bare = slot.rstrip("*+")
            if bare in LITERAL:
                words.append(WRITTEN.get(bare, bare))
            elif bare in SIDES:
                words.append(sides[SIDES.index(bare)])
            elif bare in CREDENTIALS and self.proved:
                words.append("{me}" if bare == "userid" else "{proof}")
            elif bare != "more":
                said = given.get(fields.of_slot(self.row, slot, required=False).name, "")
                words.append(f'"{said}"' if bare == "title" and said else said)
        return " ".join(filter(None, words))


def reason(row: Row) -> str:
    """Why the command has no page; "" if it has one."""
    return BY_LETTER.get(row.name, "")


def page_of(row: Row) -> str:
    """The address of its page, "" if it has none."""
    return "" if reason(row) else ELSEWHERE.get(row.name) or f"/do/{slug(row)}"


def slug(row: Row) -> str:
    """The command's name in an address."""
    return row.name.replace(" ", "-")


def named(slug: str) -> Row | None:
    """The command with this name in an address, if it has such a page."""
    return next((row for row in ROWS if page_of(row) == f"/do/{slug}"), None)


@lru_cache(maxsize=128)
def sheets(row: Row) -> tuple[Sheet, ...]:
    """The forms of the command's page, in the order of the row's."""
    forms = [tuple(form.split()) for form in row.forms]
    proved = [form for form in forms if {*form} & {"password", "old"}]
    known = {_without_credentials(form) for form in proved}
    looking = [form for form in forms if form not in proved and form not in known] if row.needs != "proof" else []
    looking = [form for form in looking if "board" in form or not row.tokens]  # the others answer the letter of a board
    found: list[Sheet] = []
    for form in sorted([*proved, *looking], key=len, reverse=True):
        _add(found, Sheet(row, form, frozenset(slot[:-1] for slot in form if slot[-1] == "*"), form in proved))
    known_forms = [_bare(form) for form in forms]
    return tuple(sorted(found, key=lambda sheet: known_forms.index(_bare(sheet.slots))))


def _bare(form: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(slot.rstrip("*+") for slot in form)


def _without_credentials(form: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(slot for slot in form if slot not in CREDENTIALS)


def _add(found: list[Sheet], one: Sheet) -> None:
    """Adds the sheet, or makes it a case of a longer one."""
    for number, longer in zip(count(), found):
        bare, mine = _bare(longer.slots), _bare(one.slots)
        extra = {slot for slot in bare if slot not in mine}
        inside = [slot for slot in bare if slot in mine] == [*mine]
        if inside and longer.proved is one.proved and not extra & {*LITERAL}:
            found[number] = replace(longer, optional=longer.optional | extra | one.optional)
            return
    found.append(one)
