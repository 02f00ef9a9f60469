"""The fields of a command's form: what a person sees and may type for each slot of its row (language/grammar.py)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.catalogue import Catalogue
from mailbot.core.games.clocks import PRESETS
from mailbot.core.hosting.editions import MONTHS
from mailbot.core.language.grammar import SECRETS, SHAPES, Row, fits, shape

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `slot`: of the form, "" for an option. `kind`: text, number, choice, check, words, secret or hidden.
    `choices`: values and what is shown for them. `listed`: values that are proposed; others may be typed. `many`: it
    takes several words. `mark`: how the value becomes an option of the line, `-clock={}`."""

    name: str
    label: str
    kind: str = "text"
    slot: str = ""
    choices: Choices = ()
    listed: tuple[str, ...] = ()
    hint: str = ""
    required: bool = False
    many: bool = False
    mark: str = ""


LITERAL: Final = ("none", "create", "result", "replace", "timing", "withdrawal")
"""Slots that are one word, which the form itself writes."""

WRITTEN: Final[Mapping[str, str]] = {"timing": "time", "withdrawal": "withdraw"}
"""What it writes, if that is not the slot's name."""

SIDES: Final = ("userid1", "userid2")
"""The two players of a challenge: on a page one is whoever asks."""

_VERDICTS: Final = (("", "-"), ("1", "player 1 wins"), ("2", "player 2 wins"), ("draw", "draw"))
SLOTS: Final[Mapping[str, Field]] = {
    field.slot: field
    for field in (
        Field("board", "Board", "number", "board"),
        Field("boards", "Boards", slot="board#", hint="Numbers; 12#4 is board 12 after ply 4"),
        Field("move", "Move", slot="move", hint="As in a mail: a1,c12"),
        Field("ask", "Ask with it", "choice", "ask", (("", "nothing"), ("propose", "offer a draw"), ("undo", "undo"))),
        Field("plan", "Moves for later", slot="plan", hint="b4 c11, or if b4 then c11, or none", many=True),
        Field("opponent", "Opponent", slot="userid2"),
        Field("player", "Player", slot="userid"),
        Field("other", "Player", slot="otherUserid"),
        Field("to", "To", slot="toUserid"),
        Field("n", "Number", "number", "n"),
        Field("games", "Games", slot="game", hint="Empty: all of them"),
        Field("topic", "Topic", slot="topic"),
        Field("category", "Category", slot="category"),
        Field("setting", "Setting and value", slot="setting", hint="digest 7; without a value it shows the setting"),
        Field("when", "Days", slot="when", hint="14, or a first and a last day such as 2026-12-20 2027-01-03, or off"),
        Field("time", "Time", slot="time", hint="3d or 12h"),
        Field("title", "Name of the tournament", slot="title"),
        Field("verdict", "Result", "choice", "verdict", _VERDICTS),
        Field("address", "Addresses", slot="address", hint="One or several, separated by blanks"),
        Field("new", "New password", "secret", "new"),
    )
}  # fmt: skip
LABELS: Final[Mapping[tuple[str, str], str]] = {
    ("take", "n"): "Offer",
    ("seek", "n"): "Offer",
    ("challenge", "n"): "Ladder",
    ("ladder", "n"): "Ladder",
    ("tournament", "otherUserid"): "Player",
    ("tournament", "toUserid"): "The player who comes instead",
    ("block", "otherUserid"): "Player to block",
    ("unblock", "otherUserid"): "Blocked player",
    **{(name, "n"): "Tournament" for name in ("tournament", "join", "leave", "withdraw", "return")},
}
"""By command and slot."""

_CLOCK = Field("clock", "Clock", listed=(*PRESETS,), hint="10d+2d/14d, 21d, or a word", mark="-clock={}")
_WEEKENDS = Field("noweekends", "The clock stands at weekends", "check", mark="-noweekends")
_UNRATED = Field("unrated", "Not rated", "check", mark="-unrated")
_RULES = Field("rules", "Options of the game", hint="Such as -size=40 -swap; see help options", many=True, mark="{}")
_FIRST = (("", "in turn"), ("me", "I"), ("you", "the other"))
_EVERY = (("", "no"), *((word, f"every {word}") for word in MONTHS))
_FROM = Field("from", "From line", "number", mark="-from={}")
OPTIONS: Final[Mapping[str, tuple[Field, ...]]] = {
    "challenge": (_RULES, _CLOCK, _WEEKENDS, _UNRATED),
    "seek": (
        *(_RULES, _CLOCK, _WEEKENDS, _UNRATED),
        Field("first", "Who moves first", "choice", choices=_FIRST, mark="-first={}"),
        Field("keep", "Games at once from it", "number", hint="Empty: it ends when it is taken", mark="-keep={}"),
    ),
    "seeks": (_FROM,),
    "games": (_FROM,),
    "list": (_FROM,),
    "rating": (_RULES,),
    "standings": (
        Field("people", "Without computer players", "check", mark="-people"),
        Field("wins", "By games won", "check", mark="-wins"),
        *(_RULES, _FROM),
    ),
    "record tournament": (_FROM,),
    "join": (Field("always", "Each further edition, too", "check", mark="-always"),),
    "tournament": (
        Field("format", "Format", hint="swiss,rounds=5; see help directing", mark="-format={}"),
        Field("play", "Game and its options", hint="lambo -size=40", many=True, mark='-game="{}"'),
        *(_CLOCK, _WEEKENDS),
        Field("min", "Players, at least", "number", mark="-min={}"),
        Field("max", "Players, at most", "number", mark="-max={}"),
        Field("until", "Last day of entry", hint="2026-12-01", mark="-until={}"),
        Field("every", "A new edition", "choice", choices=_EVERY, mark="-every={}"),
        Field("rating", "Rating of who may enter", hint="1400-1800", mark="-rating={}"),
        Field("unrated", "Its games are not rated", "check", mark="-unrated"),
        Field("vacation", "A vacation stops no clock", "check", mark="-vacation=no"),
        Field("draft", "A draft: nobody can enter before you open it", "check", mark="-draft"),
    ),
}  # fmt: skip
"""The options of a command that we know, by its name."""

FIRST = Field("first", "Who moves first", "choice", choices=(("me", "I"), ("you", "my opponent")))
OLD = Field("old", "Current password", "secret", "old", required=True)
WORDS = Field("words", "Words to send along", "words")
SURE = Field("sure", "I mean it", "check", required=True)
UNSURE = "Tick the box to show that you mean it. Nothing has been done."


def of_slot(row: Row, slot: str, *, required: bool) -> Field:
    """The field for a slot of a form. `slot` may end in its repeat mark."""
    bare = slot.rstrip("*+")
    known = SLOTS.get(bare) or SLOTS.get(shape(bare)) or Field(bare, bare.capitalize(), slot=bare)
    found = re.fullmatch(r"\((\w+(?:\|\w+)*)\)\\Z", SHAPES[bare].pattern) if bare in SHAPES else None
    if found and bare not in SLOTS:
        words = tuple((word, word) for word in found[1].split("|"))
        known = replace(known, kind="choice", choices=words if required else (("", "-"), *words))
    many = known.many or slot[-1] in "*+"
    kind = "text" if many and known.kind == "number" else known.kind
    label = LABELS.get((row.name, bare), known.label)
    return replace(known, slot=bare, label=label, required=required, many=many, kind=kind)


def of_game(catalogue: Catalogue, *, required: bool) -> Field:
    """The field for the game word in front of a line."""
    named = [(word, f"{word} ({meant})" if " " in meant else word) for word, meant in catalogue.words().items()]
    choices = tuple(sorted(named, key=lambda pair: ("(" in pair[1], pair[0])))
    return Field("game", "Game", "choice", choices=choices if required else (("", "any"), *choices), required=required)


def trouble(field: Field, said: str) -> str:
    """What is wrong with the words in a field, before anything is asked; "" if nothing is."""
    words = said.split()
    if not words and field.required:
        return UNSURE if field.kind == "check" else f"{field.label}: something is missing here."
    if not words:
        return ""
    if field.kind == "words":
        return ""
    if field.kind == "choice" and said not in dict(field.choices):
        return f"{field.label}: choose one of the values."
    if field.slot == "title":
        return f"{field.label}: write it without quotes." if '"' in said else ""
    if len(words) > 1 and not field.many:
        return f"{field.label}: write one word, without blanks."
    if '"' in said:
        return f"{field.label}: write it without quotes."
    if field.mark == "{}" and any(word[0] != "-" for word in words):
        return f"{field.label}: each begins with '-'."
    if field.slot in SECRETS or field.slot in ("", "plan"):
        return ""
    wrong = next((word for word in words if not fits(field.slot, word)), "")
    return f"{field.label}: I cannot read this. {field.hint}".strip() if wrong else ""


def troubles(known: Iterable[Field], typed: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with these fields, a sentence for each."""
    found = {one.name: trouble(one, typed.get(one.name, "")) for one in known}
    return {name: said for name, said in found.items() if said}


def marks(fields: Sequence[Field], typed: Mapping[str, str]) -> list[str]:
    """The options that these fields make."""
    given = [(field, " ".join(typed.get(field.name, "").split())) for field in fields]
    return [field.mark.format(said) for field, said in given if said]
