"""The words of a Subject or a line, as people and their mail programs write them."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from engine.family import ALIKE
from mailbot.core.language.grammar import looks_like_move

_REPLY = re.compile(
    r"\s*+(?:(?:re|res|fwd?|aw|antwort|wg|sv|svar|vs|vl|rif|rép|atb|pd|tr|rv|ref|antw|odp|ynt|doorst|enc|i|r|回复|答复|转发)\s*+(?:\[\d+\]\s*+)?[:：]"
    r"|\[[^\]]{0,60}\])\s*",
    re.IGNORECASE,
)
_SPACED_COMMA = re.compile(r"(?<=\d)[ \t]*,[ \t]*(?=[a-z]\d)", re.IGNORECASE)
_EMPHASIS = re.compile(r"([*_]{1,3})([^*_\s](?:.*[^*_\s])?)\1([.,!;]?)\Z")
"""How mail programs write bold and italic words in plain text."""


def clean_subject(subject: str) -> str:
    """The subject without `Re:`, `Fwd:`, `AW:` and list tags in front, however many there are."""
    while found := _REPLY.match(subject):
        subject = subject[found.end() :]
    return subject.strip()


def split_words(line: str) -> list[str]:
    """The words of a line without emphasis: `*b14, a33*` is one word, `b14,a33`."""
    if found := _EMPHASIS.match(line.strip()):
        line = found[2] + found[3]
    return [_plain(word) for word in _SPACED_COMMA.sub(",", line).split()]


def _plain(word: str) -> str:
    """A move without the marks of emphasis round it, and in our letters; any other word as it is, because it may be a
    password."""
    if not word.isascii() and looks_like_move(alike := word.translate(ALIKE)):
        return alike
    found = _EMPHASIS.match(word)
    return found[2] + found[3] if found and looks_like_move(found[2]) else word


def words_of(line: str) -> list[str]:
    """The words of a line: `a1 , b2` is one, `board 12` is the number alone, a dash of any length begins an option."""
    words = [f"-{word[1:]}" if word[0] in "\u2013\u2014" else word for word in split_words(line)]
    numbered = [*(follows.lstrip("#").isdigit() for follows in words[1:]), False][: len(words)]
    return [
        word for word, before in zip(words, numbered, strict=True) if not (before and word.lower() in ("board", "game"))
    ]


_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb", '""""""')


def quoted(words: list[str]) -> list[str]:
    """The words, those in double quotes joined into one: `"Autumn Cup"`, `-game="lambo -size=40"`."""
    found: list[str] = []
    open_ = False
    for word in words:
        plain = word.translate(_QUOTES)
        if open_:
            found[-1] += f" {plain}"
        else:
            found.append(plain)
        open_ = found[-1].count('"') % 2 == 1
    return words if open_ else found


MAX_SLIPS = 60
"""Words of a mail that are compared with names: each takes a tenth of a millisecond."""

COURTESIES = frozenset(["i", "please", "thanks", "thank", "you"])
"""Words beside a yes or a no that say neither."""


def alone(line: str) -> str:
    """The one word that says something in an answer such as `Yes, please!`; "" if there are several, or none."""
    said = without_courtesies(line)
    return said[0] if len(said) == 1 else ""


def without_courtesies(line: str) -> list[str]:
    """The words of an answer in their order, without COURTESIES."""
    return [word for word in in_order(line) if word not in COURTESIES]


def words_in(line: str) -> set[str]:
    """The words of an answer such as `No, thanks!`, in small letters and without marks."""
    return set(in_order(line))


def in_order(line: str) -> list[str]:
    """The same in their order. Some mail programs write `*yes*` for bold letters."""
    words = (word.strip(".,;:!?\"'()-*_~") for word in line.lower().replace("\u2019", "'").split())
    return [word for word in words if word]


_YES = "yes y ok okay accept approve confirm confirmed agree agreed sure"
YES = frozenset(_YES.split())
"""An answer with a word of YES and otherwise only COURTESIES agrees. A courtesy alone does not, nor does an empty
answer: it may be a refusal between the lines of a quotation, where we read nothing."""

_NO = "no not nope never don't dont stop decline reject refuse cancel remove delete unsubscribe nein"
NO = frozenset(_NO.split())
"""An answer with one of these words refuses, unless it has a word of YES as well and does not begin with the no."""


def agrees(line: str) -> bool | None:
    """Whether the answer to a letter that asks for consent is yes; None if it cannot be told."""
    said = without_courtesies(line)
    words = set(said)
    if words & NO:
        return False if said[0] in NO or not words & YES else None  # `no, I don't agree`, or `yes, no problem`
    return True if words & YES and words <= YES else None


class Slips:
    """Which names are close to the words of one mail."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], str] = {}

    @property
    def ended(self) -> bool:
        """Whether so many words were looked up that no slip is forgiven any more."""
        return len(self._found) >= MAX_SLIPS

    def closest(self, said: str, names: Sequence[str]) -> str:
        """The name that is closest to what was said, "" if none is close."""
        question = said, *names
        if question not in self._found and not self.ended:
            self._found[question] = next(iter(get_close_matches(said, names, 1, 0.74)), "")
        return self._found.get(question, "")
