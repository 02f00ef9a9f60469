"""The password in a line with the words of a command in any order, or with one of them left out.

People type `move ann 12 PASSWORD b4` or `resign 12 PASSWORD` among words for somebody else. Such a line fits no form,
so what counts is what it is made of: nothing but a command word, the writer's own userid, numbers, moves and words of
ours, beside one or two long words that we do not know. In prose some other word stands between.
"""

from mailbot.core.language.courtesy import bare
from mailbot.core.language.grammar import SECRETS, Row, fits, looks_like_move, looks_like_times, shape
from mailbot.core.language.masking import SHORTEST, USERIDS
from mailbot.core.language.script import Table
from mailbot.core.model import USERID

LONGEST = 12
"""Words of a line that is looked at."""

ENOUGH = 3
"""Signs of a command. For a word that is no plain one (a digit or a dash in it) one less will do."""

_EDGES = ".,;:!?\"'()*_"
_COURTESY = ("please", "pls", "thanks", "subject")


def passwords(line: str, table: Table) -> list[str]:
    """The words of the line that are hidden: what seems to be the password, and a new one; none in prose."""
    words = [word.strip(_EDGES) or word for word in bare(line).split()]
    if len(words) > LONGEST or all(len(word) < SHORTEST for word in words):
        return []
    at, row, used = _command(words, table)
    own = {*table.masking.names.own, "me"}
    secret, names, others, signs = [], 0, 0, set[str]()
    for word in [*words[:at], *words[at + used :]]:
        if word.lower() in own:
            names = 1
        elif fits("board", word):
            signs.add("board")
        elif looks_like_move(word):
            signs.add("move")
        elif looks_like_times(word):
            signs.add("time")
        elif word.lower() in table.masking.known or word.lower() in _COURTESY or word[0] == "-":
            continue
        elif len(word) >= SHORTEST:
            secret += [] if "@" in word or "://" in word else [word]
        else:
            others += 1 if USERID.match(word) else LONGEST
    if not table.masking.names.own and others:  # nobody knows who writes, so any name may be the writer's
        names, others = 1, others - 1
    if others > (_other_names(row) if row else 0) or not 1 <= len(secret) <= 2:
        return []
    found = names + len(signs) + (_weight(row, words, at, bool(names), "board" in signs) if row else 0)
    plain = all(word.isalpha() for word in secret)
    return secret if found >= ENOUGH - (not plain) else []


def _command(words: list[str], table: Table) -> tuple[int, Row | None, int]:
    """Where a command that takes a password stands, and how many words it has; best one by its own name."""
    found = [(at, *verb) for at in range(len(words)) if (verb := table.verb(words[at:])) and _forms(verb[0])]
    return min(found, key=lambda one: not _by_name(one[1], words, one[0]), default=(0, None, 0))


def _by_name(row: Row, words: list[str], at: int) -> bool:
    """Whether the command stands there by its own name; `ok` and `yes` are words of prose."""
    return " ".join(words[at:]).lower().startswith(row.name)


def _forms(row: Row) -> list[list[str]]:
    """The slots of the forms with a password."""
    forms = [form.split() for form in row.forms]
    return [slots for slots in forms if any(shape(slot) in SECRETS for slot in slots)]


def _other_names(row: Row) -> int:
    """How many userids of others a form may name."""
    return max(sum(3 if slot[-1] in "*+" else shape(slot) in USERIDS for slot in slots) for slots in _forms(row)) - 1


def _weight(row: Row, words: list[str], at: int, named: bool, numbered: bool) -> int:
    """What the command word says: two signs where it is the command's own name, and stands in front or beside what the
    form asks for; else one, as `move` stands in prose, too."""
    boards = all("board" in slots for slots in _forms(row))
    return 2 if _by_name(row, words, at) and (at == 0 or (named and (numbered or not boards))) else 1
