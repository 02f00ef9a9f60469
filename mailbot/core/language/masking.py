"""The one rule for typed words: a word of eight or more characters is neither repeated nor stored unless we know it.

People write a password where no form has one (`games ann PASSWORD`). Then an answer would show it and the outbox would
store it. We cannot tell a password from any other word, but we know its length: SHORTEST characters or more. So every
such word becomes HIDDEN when a line is read, before a handler sees it. We know these words and leave them alone:

- words of ours: commands, games, options, settings and their values;
- moves, board numbers, days, times and time zones (none of them may be a password, see `password_trouble`);
- userids. A line shows only the sender's own and those that anybody may see on a board or in the list of open offers:
  an answer must not reveal who has an account by what it repeats. In a slot for userids, a command keeps any userid
  that exists, because it is about that player; `names.shown` decides what its answer shows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple

from engine.families import CATALOGUE, family_of
from mailbot.core.language.grammar import (
    SHORTEST,
    Row,
    is_placeholder,
    looks_like_address,
    looks_like_date,
    looks_like_day,
    looks_like_move,
    looks_like_value,
    looks_like_zone,
    shape,
)
from mailbot.core.model import USERID

HIDDEN = "********"
MAX_LOOKED_UP = 20
"""Userids of one slot that are looked up; further ones are hidden if they are long."""

MAX_GUESSED = 20
"""Words of one mail that are compared with ours to find a typo (0.5 ms each); later ones are hidden if unknown."""

OURS = (
    "active all inactive finished next propose undo none if then resign swap pass yes no multiple password newpassword"
    " accept decline reject subject confirmed"
)
"""Words that are in no table, and the values of slots with a fixed set."""

KEPT_SHAPES = (
    "board",
    "board#",
    "n",
    "ask",
    "none",
    "plan",
    "more",
    "choice",
    "filter",
    "address",
    "when",
    "time",
    "title",
)
"""Slots with a shape that no password fits."""

REPEATED = (looks_like_move, looks_like_value, looks_like_zone)
"""What else may be repeated at any length."""

USERIDS = ("userid", "toUserid")
FORGIVEN = ("topic", "setting", "game")
"""Slots in which a long word that is close to one of ours is read as ours."""

_WORD = re.compile(r"\w+")

_VALUES = {
    "clock": re.compile(r"[0-9]{1,6}[dh](\+[0-9]{1,6}[dh](/[0-9]{1,6}[dh])?)?\Z", re.IGNORECASE),
    "rating": re.compile(r"[0-9]{1,5}-[0-9]{1,5}\Z"),
}
"""What may stand behind -clock= and -rating= at any length."""

_LISTS = ("format", "game")
"""Options whose values are several words."""
_BETWEEN = re.compile(r"[,=\" ]+")

_EDGES = ".,;:!?\"'()"


def _nobody(userid: str) -> bool:
    return False


class Names(NamedTuple):
    """What we know about userids. `own`: those of the sender, in lower case; `exists`: whether there is such a player;
    `public`: whether anybody may see that there is. `unproved`: we do not know who the sender is."""

    own: frozenset[str] = frozenset()
    exists: Callable[[str], bool] = _nobody
    public: Callable[[str], bool] = _nobody
    unproved: bool = False


NOBODY = Names()


@lru_cache(maxsize=4)
def _vocabulary(rows: tuple[Row, ...], games: frozenset[str]) -> frozenset[str]:
    verbs = {word for row in rows for verb in (row.name, *row.aliases) for word in verb.split()}
    spelled = (row.spelling for game in CATALOGUE.names for row in family_of(game).options(game))
    options = {word for spelling in spelled for word in _WORD.findall(spelling)} | {
        "keep",
        "first",
        "clock",
        "noweekends",
    }
    more = {word for row in rows for said in row.known for word in said.split()}
    return frozenset({*verbs, *games, *options, *more, *OURS.split()})


@dataclass(frozen=True, slots=True)
class Masking:
    """The rule for one mail. `games`: the words that name a game or a variant."""

    rows: Sequence[Row]
    games: Mapping[str, str]
    names: Names = NOBODY
    guesses: Iterator[int] = field(default_factory=lambda: iter(range(MAX_GUESSED)), compare=False)

    @property
    def known(self) -> frozenset[str]:
        """Our words of any length, in lower case; an option without its dash."""
        return _vocabulary(tuple(self.rows), frozenset(self.games))

    def line(self, words: Iterable[str], most: int, secrets: Sequence[str] = (), own: str = "") -> str:
        """The words as a line that may be repeated, cut to `most` characters. `secrets` are always hidden. `own`, the
        userid that comes with a password, never is."""

        def visible(userid: str) -> bool:
            return userid == own or self._visible(userid)

        shown: list[str] = []
        size = 0
        for word in words:
            shown.append(HIDDEN if word in secrets else self.word(word, visible))
            size += len(shown[-1]) + 1
            if size > most + 1:
                break
        return clip(" ".join(shown), most)

    def text(self, words: Iterable[str]) -> str:
        """A line at its full length, with no userids except the sender's own."""
        return " ".join(self.word(word, self._own) for word in words)

    def args(self, row: Row, filled: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a command by slot, as a handler may see them."""
        return {slot: self._slot(row, slot, said) for slot, said in filled.items()}

    def word(self, word: str, userid: Callable[[str], bool] = _nobody) -> str:
        """The word, or HIDDEN. `userid`: whether a word that may be a userid can be shown."""
        if len(word) < SHORTEST:
            return word
        if word[0] == "-":
            return self._option(word)
        bare = word.strip(_EDGES)
        ours = bare.lower() in self.known or any(like(bare) for like in REPEATED)
        return word if ours or (USERID.match(bare) and userid(bare)) else HIDDEN

    def _slot(self, row: Row, slot: str, said: Any) -> Any:
        kind = shape(slot)
        if kind in KEPT_SHAPES or (kind == "userid" and row.name == "signup"):
            return said  # whoever signs up chooses the new userid
        bare = slot.rstrip("*+#")
        if isinstance(said, str):
            return self._read(kind, bare, said)
        if kind in USERIDS:  # a long userid given twice counts once, whether or not there is such a player
            plain = [word.lower().strip(_EDGES) for word in said]
            said = [word for at, word in enumerate(said) if len(word) < SHORTEST or plain[at] not in plain[:at]]
        return tuple(
            self._read(kind, bare, word) if number < MAX_LOOKED_UP else self._strict(word)
            for number, word in enumerate(said)
        )

    def _strict(self, said: str) -> str:
        return " ".join(map(self.word, said.split()))

    def _read(self, kind: str, slot: str, said: str) -> str:
        return " ".join(self._read_one(kind, slot, word) for word in said.split())  # `mambo -mamba` is one game

    def _read_one(self, kind: str, slot: str, word: str) -> str:
        shown = self.word(word, self.names.exists if kind in USERIDS else self._visible)
        if shown == HIDDEN and slot in FORGIVEN:
            return self._nearest(word.lower(), 0.8)
        return shown

    def _option(self, word: str) -> str:
        """An option and its value count as two words; an option that is close to one of ours is read as ours."""
        name, equals, value = word.partition("=")
        bare = name.lstrip("-").lower().replace("-", "_")
        if "=" in value and bare not in self.known and len(word) > SHORTEST:
            return HIDDEN
        if len(bare) >= SHORTEST and bare not in self.known:
            name = f"-{self._nearest(bare, 0.85)}"
        shaped = bare in _VALUES and _VALUES[bare].match(value)
        known = value.lower() in self.known or shaped or looks_like_day(value)
        if bare in _LISTS:
            known = all(self.word(word) != HIDDEN for word in _BETWEEN.split(value))
        return f"{name}{equals}{value if len(value) < SHORTEST or known else HIDDEN}"

    def _nearest(self, word: str, alike: float) -> str:
        """The word of ours that is closest to this one, or HIDDEN."""
        if next(self.guesses, None) is None:
            return HIDDEN
        return next(iter(get_close_matches(word[:40], self.known, 1, alike)), HIDDEN)

    def _own(self, userid: str) -> bool:
        return userid.lower() in self.names.own

    def _visible(self, userid: str) -> bool:
        return self._own(userid) or self.names.public(userid)


def plain(line: str) -> str:
    """The line with every long word hidden except moves."""
    return " ".join(
        HIDDEN if len(word) >= SHORTEST and not looks_like_move(word.strip(_EDGES)) else word for word in line.split()
    )


def may_tell(line: str) -> bool:
    """Whether the line may have a word as long as a password. Blanks round a comma do not separate words."""
    return len(line) >= SHORTEST and ("," in line or any(len(word) >= SHORTEST for word in line.split()))


def hide(text: str, passwords: Set[str]) -> str:
    """The text with these passwords hidden wherever they occur."""
    for password in sorted(passwords, key=len, reverse=True):
        text = text.replace(password, HIDDEN) if len(password) >= SHORTEST else text
    return text


def clip(line: str, most: int = 60) -> str:
    """The line, cut short enough to be shown again."""
    return line if len(line) <= most else line[: most - 3] + "..."


def password_trouble(userid: str, password: str) -> str:
    """Why this may not be a password of this player; empty when it may."""
    if len(password) < SHORTEST:
        return f"The password is too short: it needs at least {SHORTEST} characters."
    if len(password) > 100:
        return "The password is too long: at most 100 characters."
    if any(c in "\"':" or c.isspace() or not c.isprintable() for c in password):
        return "The password may not hold blanks, quotes or colons."
    if password.startswith("-") or password[-1] in ",;":
        return "The password may not begin with '-', which begins an option, nor end with a comma or a semicolon."
    if looks_like_address(password):
        return "The password may not look like a mail address."
    if (
        password.isdigit()
        or looks_like_day(password)
        or looks_like_date(password)
        or any(like(password) for like in REPEATED)
    ):
        return "The password may not be a move, a number, a day, a time, a time zone or a range, which answers repeat."
    if is_placeholder(password):
        return f"Choose a password of your own in the place of {password.upper()}."
    if password.lower() == userid.lower():
        return "The password must not be the name."
    return ""
