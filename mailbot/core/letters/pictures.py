"""Which pictures a letter shows. Both players of a board see the same picture of it, so it is made once.

A picture follows from its `Wanted` alone. The program that makes them is `mailbot.shell.post.painter`.
"""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from engine.catalogue import Catalogue
from engine.families import CATALOGUE, family_of
from mailbot.core.model import States

FORMS: Final = {"picture": "still", "film": "film"}
"""What a player calls a picture, and its form."""
DRAWN: Final = frozenset({"board", "show", "submitted", "refused", "admin", "puzzle"})
"""Templates that draw the board, if their facts have one."""
OFFERS: Final = frozenset((States.OFFERED, States.DECLINED, States.LAPSED))
"""States of a board that has no position yet."""
MAX_FILMS: Final = 3
"""Films in one letter. One takes seconds to make, and has up to 200,000 octets."""
LOOK: Final = 1
"""Counts up when a picture of the same position looks different."""
MEDIA_TYPE: Final = "image/png"


class Wanted(NamedTuple):
    """A position, after `moves`, or a whole game. `form`: still or film. `names`: of players 1 and 2."""

    form: str
    rules: str
    moves: tuple[str, ...]
    names: tuple[str, str]

    @property
    def key(self) -> str:
        """The same for the same picture, and for no other."""
        return sha256(json.dumps([LOOK, *self]).encode()).hexdigest()[:32]


def wanted(template: str, facts: Mapping[str, Any], catalogue: Catalogue = CATALOGUE) -> tuple[Wanted, ...]:
    """All pictures of a letter that can be made, each once, in their order."""
    found = dict.fromkeys(_wanted(template, facts))
    return tuple(one for one in found if family_of(one.rules, catalogue).pictures)


def _wanted(template: str, facts: Mapping[str, Any]) -> Iterator[Wanted]:
    if template == "record" and "picture" in facts:
        yield _of(facts, facts["picture"])
        return
    drawn = facts.get("wants", {}).get("letters", "picture") == "picture"
    if drawn and shows(template, facts):
        yield board(facts)
    for part in facts.get("parts", ()):
        if drawn or part["template"] == "record":
            yield from _wanted(part["template"], part["facts"])


def shows(template: str, facts: Mapping[str, Any]) -> bool:
    """Whether this letter draws a board that can be a picture."""
    drawn = facts.get("wants", {}).get("board", "normal") == "normal"
    return template in DRAWN and drawn and "moves" in facts and "players" in facts and facts["state"] not in OFFERS


def board(facts: Mapping[str, Any]) -> Wanted:
    """The picture of the board that these facts tell of."""
    return _of(facts, "still")


def file(game: str, form: str) -> str:
    """What the file with a picture of a game is called. `game`: as its other files are called."""
    return f"{game}-film.png" if form == "film" else f"{game}.png"


def _of(facts: Mapping[str, Any], form: str) -> Wanted:
    one, two = facts["players"]
    return Wanted(form, facts["rules"], tuple(facts["moves"]), (one, two))
