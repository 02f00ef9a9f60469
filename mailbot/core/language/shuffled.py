"""The password in a line with the words of a command in any order, or with one of them left out.

People type `move ann 12 PASSWORD b4` or `resign 12 PASSWORD` among words for somebody else. Such a line fits no form,
so we judge it by its words: a command word, the writer's own userid, numbers, moves and words of ours, and one or two
long words that we do not know, but nothing else. In prose some other word occurs among them.
"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from mailbot.core.language.courtesy import bare
from mailbot.core.language.grammar import (
    SECRETS,
    SHORTEST,
    Row,
    fits,
    looks_like_address,
    looks_like_date,
    looks_like_move,
    looks_like_value,
    shape,
)
from mailbot.core.language.masking import USERIDS
from mailbot.core.language.table import Table
from mailbot.core.model import USERID

LONGEST = 12
"""Words of the longest line that is judged."""

ENOUGH = 3
"""Signs of a command that are enough. One less is enough for a word with a digit or a dash in it."""

_TITLE = re.compile(r'"[^"\s]+\s[^"]*"')
"""A name of several words, as of a tournament. No password has a blank."""

_EDGES = ".,;:!?\"'()*_"
_COURTESY = ("please", "pls", "thanks", "subject")


def passwords(line: str, table: Table) -> list[str]:
    """The words of the line to hide: the apparent password, and a new one; none in prose."""
    words = [word.strip(_EDGES) or word for word in _TITLE.sub(" ", bare(line)).split()]
    if len(words) > LONGEST or all(len(word) < SHORTEST for word in words):
        return []
    own = {*table.masking.names.own, "me"}
    kinds = [_kind(word, own, table) for word in words]
    if found := _alone(words, kinds, table) or _in_front(words, kinds, table):
        return [] if line.rstrip().endswith("?") else found  # `rematch tomorrow?`
    return next(filter(None, (_judged(words, kinds, table, *one) for one in _commands(words, table))), [])


def perhaps(line: str, table: Table) -> bool:
    """Whether a line such as `rematch sunflower` may be a command with a password, and is no sentence. Nothing says
    that the word is one, so it is hidden in this line only."""
    words = [word.strip(_EDGES) or word for word in bare(line).split()]
    if len(words) > LONGEST or line.rstrip().endswith((".", "!", "?")):
        return False
    own = {*table.masking.names.own, "me"}
    return bool(_in_front(words, [_kind(word, own, table) for word in words], table, sure=False))


def _kind(word: str, own: Set[str], table: Table) -> str:
    """What a word may be: `own` userid, a sign of a command (`board`, `move`, `time`), `known`, a `secret`, another
    `name`, or `prose`."""
    if word.lower() in own:
        return "own"
    if fits("board", word):
        return "board"
    if looks_like_move(word):
        return "move"
    if looks_like_value(word) or looks_like_date(word):
        return "time"
    if word.lower() in table.masking.known or word.lower() in _COURTESY or word[0] == "-":
        return "known"
    if len(word) >= SHORTEST:
        return "known" if looks_like_address(word) or "://" in word else "secret"
    return "name" if USERID.match(word) else "prose"


def _alone(words: list[str], kinds: list[str], table: Table) -> list[str]:
    """The unknown long word of a line such as `games ann PASSWORD`. The line has a command by its own name, which may
    take no password, then that word and one other, in either order: the writer's name or a board."""
    verb = table.verb(words)
    if not verb or not _by_name(verb[0], words, 0):
        return []
    sign = {"own", "board"} if table.masking.names.own else {"own", "board", "name"}
    rest = kinds[verb[1] :]
    if len(rest) != 2 or "secret" not in rest or not sign.intersection(rest):
        return []
    return [words[verb[1] + rest.index("secret")]]


def _in_front(words: list[str], kinds: list[str], table: Table, *, sure: bool = True) -> list[str]:
    """The only unknown word of a line such as `lambo challenge ann PASSWORD`, in which the writer's own name is left
    out: a command by its own name in front or behind a game, then nothing but names, boards, moves and words of ours.
    Or a game or moves, and a word with a digit. In `Games are wonderful` nobody is called `are`. `sure`: not the word
    of `rematch tomorrow`."""
    exists = table.masking.names.exists
    games = [at for at, word in enumerate(words) if word.lower() in table.games]
    kinds = ["userid" if kind == "secret" and exists(word) else kind for word, kind in zip(words, kinds, strict=True)]
    for at in (0, *(game + 1 for game in games)):
        verb, behind = table.verb(words[at:]), kinds[at:]
        plain = "prose" not in behind and behind.count("secret") == 1 and behind.count("name") <= 2
        if plain and verb and _by_name(verb[0], words, at):
            secret = words[at + behind.index("secret")]
            named = [words[i] for i in range(at + verb[1], len(words)) if kinds[i] in ("name", "userid")]
            if at or not secret.isalpha() or (all(map(exists, named)) and (named or not sure)):
                return [secret]
    secrets = [word for word, kind in zip(words, kinds, strict=True) if kind == "secret"]
    rest = [kind for kind in kinds[1 if games == [0] else 0 :] if kind != "move"]
    numbered = any(character.isdigit() for word in secrets for character in word)
    return secrets if rest == ["secret"] and len(words) > 1 and numbered else []


def _judged(words: list[str], kinds: list[str], table: Table, at: int, row: Row | None, used: int) -> list[str]:
    """The words to hide if the command is this one."""
    others_ = [*range(at), *range(at + used, len(words))]
    there = [kinds[i] for i in others_]
    secret = [words[i] for i in others_ if kinds[i] == "secret"]
    names, others = int("own" in there), there.count("name") + LONGEST * there.count("prose")
    signs = {"board", "move", "time"}.intersection(there)
    if not table.masking.names.own and others:  # the writer is unknown, so any name may be the writer's
        names, others = 1, others - 1
    if others > (_other_names(row) if row else 0) or not 1 <= len(secret) <= 2:
        return []
    found = names + len(signs) + (_weight(row, words, at, bool(names), "board" in signs) if row else 0)
    plain = all(word.isalpha() for word in secret)
    return secret if found >= ENOUGH - (not plain) else []


def _commands(words: list[str], table: Table) -> Sequence[tuple[int, Row | None, int]]:
    """The places of commands that take a password, their rows, and how many words their names have; first those by
    their own name."""
    found = [(at, *verb) for at in range(len(words)) if (verb := table.verb(words[at:])) and _forms(verb[0])]
    found.sort(key=lambda one: not _by_name(one[1], words, one[0]))
    return found or [(0, None, 0)]


def _by_name(row: Row, words: list[str], at: int) -> bool:
    """Whether the command's own name is there; aliases such as `ok` and `yes` are words of prose."""
    return " ".join(words[at:]).lower().startswith(row.name)


@lru_cache(maxsize=256)
def _forms(row: Row) -> list[list[str]]:
    """The slots of the forms with a password."""
    forms = [form.split() for form in row.forms]
    return [slots for slots in forms if any(shape(slot) in SECRETS for slot in slots)]


def _other_names(row: Row) -> int:
    """How many userids of other players a form may name."""
    return max(sum(3 if slot[-1] in "*+" else shape(slot) in USERIDS for slot in slots) for slots in _forms(row)) - 1


def _weight(row: Row, words: list[str], at: int, named: bool, numbered: bool) -> int:
    """How many signs the command word is worth: two if it is the command's own name and comes first or beside words
    that the form asks for; else one, because `move` occurs in prose, too."""
    boards = all("board" in slots for slots in _forms(row))
    return 2 if _by_name(row, words, at) and (at == 0 or (named and (numbered or not boards))) else 1
