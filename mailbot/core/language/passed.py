"""Words of a mail that go on to a person, another player or the operator, with what may be a password hidden."""

from collections.abc import Mapping, Sequence
from itertools import chain

from mailbot.core.language import shuffled
from mailbot.core.language.courtesy import beside_userid, without_told
from mailbot.core.language.grammar import Row
from mailbot.core.language.masking import NOBODY, Names, hide, may_tell
from mailbot.core.language.script import COMMENT_LINES, COMMENT_SIZE
from mailbot.core.language.table import Table

LOOKED_AT = 24_000
"""Characters of a text that are searched for passwords; no stored text is as long."""

OPERATOR_LINES = 200
"""Lines of a mail to the operator to keep; each takes a quarter of a millisecond."""


def without_passwords(
    text: str, rows: Sequence[Row], games: Mapping[str, str], names: Names = NOBODY, secrets: Sequence[str] = ()
) -> str:
    """Words for another player, with every line masked that reads as a command with a password: a player who copies
    the password form under an answer must not show the password to the opponent. Elsewhere only the passwords of the
    same mail are masked: those of such lines, and `secrets`."""
    lines = text[:LOOKED_AT].split("\n")[:COMMENT_LINES]
    passwords = {*secrets}
    if any(map(may_tell, lines)):  # most comments have no such word
        table = Table(rows, games, "", names)
        own = {*names.own, "me"} if names.own or not names.unproved else ()
        for at, line in enumerate(lines):
            passwords.add(beside_userid(line, own))
            if told := _passwords(line, table):
                passwords.update(told)
            if told or shuffled.perhaps(line, table):
                lines[at] = table.masking.text(line.split())
    return hide("\n".join(lines), passwords)[:COMMENT_SIZE]


def _passwords(line: str, table: Table) -> list[str]:
    """The passwords in a line that reads as a command, whatever the order of its words."""
    told = table.told_password(line)
    found = [told] if told else shuffled.passwords(line, table)
    if not found and table.slips.ended:  # a misspelt command would not be seen, so all its long words are hidden
        return [word for word in line.split() if table.masking.text([word]) != word]
    return found


def for_operator(mail: str, rows: Sequence[Row], games: Mapping[str, str]) -> str:
    """A mail for a person (headers, a blank line, text), in the form that may be stored: the first line of the text and
    every line that reads as a command are masked, because a password may be anywhere in them."""
    table = Table(rows, games, "", NOBODY)
    head, blank, text = mail[:LOOKED_AT].partition("\n\n")
    lines = text.split("\n")[:OPERATOR_LINES]
    long = {number for number, line in enumerate(lines) if may_tell(line)}
    passwords = [_passwords(line, table) if number in long else [] for number, line in enumerate(lines)]
    first = next((number for number, line in enumerate(lines) if line.strip()), -1)
    masked = {number for number in long if number == first or passwords[number] or table.fitting(lines[number])}
    hidden = [word for number in masked for word in lines[number].split() if table.masking.text([word]) != word]
    shown = [table.masking.text(line.split()) if number in masked else line for number, line in enumerate(lines)]
    beside = [beside_userid(lines[number], ()) for number in long]
    return head + blank + without_told(hide("\n".join(shown), {*chain(*passwords), *hidden, *beside}))
