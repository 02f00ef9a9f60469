"""Which of a player's words go on to another player: all but drawn boards, quotations and passwords given away.

core/mail/quoting.py has removed signatures and the quotation under an answer, and core/language/passed.py has starred
out the passwords in lines that are commands. This module removes what people paste between their own words. It leaves
links, addresses, emphasis and long words alone.
"""

import re
from collections.abc import Collection
from itertools import groupby, pairwise

from mailbot.core import tokens
from mailbot.core.language.grammar import SHORTEST, fits, looks_like_move
from mailbot.core.language.masking import HIDDEN
from mailbot.core.mail.quoting import MARKER
from mailbot.core.model import USERID

_DRAWN = re.compile(r"[\s0-9()/\\.`'oOxX*#|_-]*\Z")
_STROKE = re.compile(r"[/\\`.'-]{2}|oo|[/\\()].*[/\\()]")
"""Occurs in a line of a drawn board, but not in a list of numbers."""

DRAWN_LINES = 3
"""This many drawn lines in a row are a board."""

_QUOTED = re.compile(r"\s*>")
_BLANKS = re.compile(r"\n{3,}")
_WORDS_FOR_IT = (
    "password|passwort|passwd|pwd?|kennwort|pass ?phrase|mot de passe|contrase[\u00f1n]a|wachtwoord|parola|senha|heslo"
    # Polish, Swedish, Norwegian, Danish, Finnish, Hungarian, Turkish; then Russian, Chinese, Japanese, Korean
    "|has\u0142o|l\u00f6senord|passord|adgangskode|salasana|jelsz\u00f3|\u015fifre"
    "|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6[\u7801\u78bc]|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638"
)
_PLACE = r"(?!\S{0,100}(?:://|@))"
_TOLD = re.compile(
    rf"(\b(?:{_WORDS_FOR_IT})\b\W{{1,4}}(?:(?:is|ist|lautet|est|es)\b\W{{1,4}})?){_PLACE}\S{{{SHORTEST},}}"
    # `pass` and `clave` are words of prose, too
    rf"|(\b(?:pass|clave)\s?[:=]\s?){_PLACE}\S{{{SHORTEST},}}"
    # `my password was rejected` gives nothing away
    rf"|(\b(?:{_WORDS_FOR_IT})\b\W{{1,4}}(?:was|war)\b\W{{1,4}}){_PLACE}(?=[^\s\d]{{0,100}}\d)\S{{{SHORTEST},}}",
    re.IGNORECASE,
)
_IN_FRONT = re.compile(
    r"(?:\s*+(?:[-*+>\u2022\u00bb]|\d{1,2}[.)]"
    r"|(?:subject|please|pls|bitte|i (?:meant|mean|sent|wrote|typed))\b:?)(?=\s))*+"
    r"\s*+",
    re.IGNORECASE,
)
_EDGES = ",;:`\"'"

_SYLLABLES = "[bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]"
_GENERATED = re.compile(rf"(?<![\w/.@-]){_SYLLABLES}(?:-{_SYLLABLES}){{3}}(?![\w/@-])", re.IGNORECASE)
"""A password that we made (shell/proof/passwords.py), as a word of its own."""


def passed_on(text: str) -> str:
    """The words that go on: what a person wrote, with at most one blank line in a row."""
    lines = [line for line in text.split("\n") if not _QUOTED.match(line) and MARKER not in line]
    kept: list[str] = []
    for drawn, group in groupby(lines, key=_is_drawn):
        block = list(group)
        if not drawn or sum(bool(_STROKE.search(line)) for line in block) < DRAWN_LINES:
            kept += block
    said = _BLANKS.sub("\n\n", "\n".join(kept)).strip("\n")
    return without_told(said)


def without_told(said: str) -> str:
    """The words without anything that they call a password, without the passwords that we make, and without the links
    and reply addresses of letters."""
    told = _GENERATED.sub(HIDDEN, _TOLD.sub(lambda found: f"{found[1] or found[2] or found[3]}{HIDDEN}", said))
    return tokens.without(told, HIDDEN)


def bare(line: str) -> str:
    """A line in the form of a command: no list mark, no `please` in front, no commas after words."""
    return " ".join(word.strip(_EDGES) or word for word in _IN_FRONT.sub("", line, count=1).split())


def beside_userid(line: str, own: Collection[str]) -> str:
    """The password in `[board] userid password [moves]`, the end of a line whose command cannot be read; else "".
    `own`: the writer's userids, in lower case; empty for an unknown writer: then any userid at the beginning counts.

    An ordinary word may follow a name, so a password must have a digit, or a board before the name, or only moves after
    it.
    """
    words = bare(line).split()
    for at, (userid, word) in enumerate(pairwise(words)):
        board = at > 0 and fits("board", words[at - 1])
        first = at == 0 or (at == 1 and board)
        named = (userid.lower() in own and (first or board or userid.lower() != "me")) if own else first
        if not (named and USERID.match(userid)) or len(word) < SHORTEST or looks_like_move(word):
            continue
        if word.startswith("-") or "://" in word or "@" in word or fits("board", word):
            continue
        behind = words[at + 2 :]
        moves = bool(behind) and all(map(looks_like_move, behind))
        if board or moves or any(character.isdigit() for character in word):
            return word
    return ""


def _is_drawn(line: str) -> bool:
    return _DRAWN.match(line) is not None
