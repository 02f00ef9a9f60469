"""Which of a player's words go on to another player: all but drawn boards, quotations and words told as a password.

core/mail/quoting.py has removed signatures and the quotation under an answer, and core/language/script.py has starred
out the passwords in lines that are commands. What is left here is what people paste between their own words. Links,
addresses, emphasis and long words are left alone.
"""

import re
from itertools import groupby

from mailbot.core.language.masking import HIDDEN, SHORTEST
from mailbot.core.mail.quoting import MARKER

_DRAWN = re.compile(r"[\s0-9()/\\.`'oOxX*#|_-]*\Z")
_STROKE = re.compile(r"[/\\`.'-]{2}|oo|[/\\()].*[/\\()]")
"""What a line of a drawn board has, and a list of numbers has not."""

DRAWN_LINES = 3
"""So many drawn lines one below the other are a board."""

_QUOTED = re.compile(r"\s*>")
_WORDS_FOR_IT = "password|passwort|passwd|pass ?phrase|mot de passe|contrase\u00f1a|wachtwoord"
_TOLD = re.compile(
    rf"(\b(?:{_WORDS_FOR_IT})\b\W{{1,4}}(?:is |ist |est |es )?)((?!\S{{0,100}}(?:://|@))\S{{{SHORTEST},}})",
    re.IGNORECASE,
)
_SYLLABLES = "[bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]"
_GENERATED = re.compile(rf"(?<![\w/.@-]){_SYLLABLES}(?:-{_SYLLABLES}){{3}}(?![\w/@-])", re.IGNORECASE)
"""The passwords we make (shell/proof/passwords.py), as a word of its own."""


def passed_on(text: str) -> str:
    """The words that travel: what a person wrote, at most one blank line in a row."""
    lines = [line for line in text.split("\n") if not _QUOTED.match(line) and MARKER not in line]
    kept: list[str] = []
    for drawn, group in groupby(lines, key=_is_drawn):
        block = list(group)
        strokes = sum(bool(_STROKE.search(line)) for line in block)
        if not drawn or strokes < DRAWN_LINES:
            kept += block
    said = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")
    return _GENERATED.sub(HIDDEN, _TOLD.sub(rf"\1{HIDDEN}", said))


def _is_drawn(line: str) -> bool:
    return _DRAWN.match(line) is not None
