"""What a mail asks for: from subject and text to a script of commands. Each line is tried against the command table.

Theory of operation. In a mail to a reply token, the first line of the body is the answer and the rest is a comment. In
any other mail, the Subject is the command. If it is not one (or is the word `multiple`, or that of our letter behind a
`Re:` and the first line is a command), the first lines of the body are commands, up to the first line that is not.
"""

import re
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from mailbot.core.language.grammar import Row, taking_over
from mailbot.core.language.masking import NOBODY, Names
from mailbot.core.language.table import Command, Table
from mailbot.core.language.typed import alone, clean_subject

MAX_COMMANDS = 10
COMMENT_LINES, COMMENT_SIZE = 100, 6000
_PLAIN = ("yes", "no", "stop")
"""Subjects that are the answer themselves, if nothing stands below."""
NOT_PASSED = "Your Subject is a command, so nobody got the text below it."
NARROWEST = 64
"""Characters that every mail program leaves in one line."""
_OPTIONS = re.compile(r" *+(-[a-z_]+(?:=\S++)?)(?: ++-[a-z_]+(?:=\S++)?)*+ *+(?=\n|\Z)", re.IGNORECASE)
_OWN_SUBJECT = re.compile(r"([a-z]+) (\d{1,9}): ", re.IGNORECASE)
"""The beginning of the Subject of our letters about a board: game and number."""


class Script(NamedTuple):
    """The commands of one mail, in order; the text under them, for the last one; a sentence on what was not read."""

    commands: tuple[Command, ...]
    text: str = ""
    unread: str = ""


def read(
    subject: str, text: str, token: str, rows: Sequence[Row], games: Mapping[str, str], names: Names = NOBODY
) -> Script:
    """The script of a mail. `token`: the kind of the reply token that it came to, or nothing. `games`: the words that
    name a game or a variant, and what they mean (`mamba` is `mambo -mamba`). `names`: what we know about userids. A
    text that no command takes is left out: nobody gets it, so it is not stored, whatever secret it may hold."""
    table = Table(rows, games, token, names)
    script = _read(subject, text, token, table)
    last = script.commands[-1]
    taken = not last.trouble and table.takes_text(last)
    return script if taken or not script.text else script._replace(text="")


def _read(subject: str, text: str, token: str, table: "Table") -> Script:
    first, rest = _split(text, table.masking.known)
    title = clean_subject(subject)
    replied = title != subject.strip()  # the Subject is that of our letter, and not the player's words
    if token:
        row = taking_over(tuple(table.rows), token)
        anew = None if replied else Table(table.rows, table.games, "", table.names)
        if anew and anew.begins(title, first, words=row is not None):
            script = _read(subject, text, "", anew)
            lost = row and row.needs_body and first and not table.takes_text(script.commands[-1])
            return script._replace(unread=script.unread or NOT_PASSED) if lost else script
        if row:
            if not row.needs_body:
                said = title if not replied and title.lower() in _PLAIN else ""
                return Script((table.taken_over(row, first or said),))
            if command := table.among_words(first):
                return Script((command,), rest)
            command = None if replied else table.among_words(title)
            return Script((command or Command(row.name),), text)
        command = table.answer(first or title) or table.exact(first) or table.exact(alone(first), slips=False)
        found = command or (None if replied and first else table.exact(title)) or table.trouble(first)
        return Script((found,), rest if command else text)
    listed, about = title.lower() == "multiple", _OWN_SUBJECT.match(title)
    own = not about and not (replied and table.exact(first, slips=False))
    if title and not listed and own and (command := table.exact(title)):
        return Script((command,), text.strip("\n"), table.not_read(command, first))
    commands: list[Command] = []
    while first and len(commands) < MAX_COMMANDS and (command := table.exact(first, slips=listed or not commands)):
        commands.append(table.on_board(command, about[2]) if about and not commands else command)
        text = rest
        first, rest = _split(text, table.masking.known)
        if not listed and any(row.needs_body for row in table.rows if row.name == command.name):
            break
    if commands:
        if not first or (not listed and table.takes_text(commands[-1])):
            return Script(tuple(commands), text.strip("\n"))
        most = f"as a mail takes {MAX_COMMANDS} commands at most"
        trouble = table.trouble(first)
        why = "which lacks its password" if "assword is missing" in trouble.trouble else "which is no command"
        why = most if len(commands) >= MAX_COMMANDS else why
        said = f"I stopped reading at the line '{trouble.line}', {why}, and read nothing below it."
        return Script(tuple(commands), unread=said)
    if about and first:
        return Script((table.astray(first, *about.groups()),), rest)
    nearly = table.trouble(title) if not (listed or replied or about) else None
    return Script((nearly if nearly and (nearly.name or not first) else table.trouble(first or title),), text)


def is_new(subject: str, text: str, rows: Sequence[Row], games: Mapping[str, str]) -> bool:
    """Whether a mail counts whatever its reply address is, as it has a command with a password or (`Table.begins`) is a
    new mail."""
    table, title = Table(rows, games, "", NOBODY), clean_subject(subject)
    anew = title == subject.strip() and table.begins(title, _split(text)[0], words=True)
    return anew or any(command.password for command in _read(subject, text, "", table).commands)


def is_for_players(subject: str, rows: Sequence[Row], games: Mapping[str, str]) -> bool:
    """Whether a Subject, and so the text, is a player's: a command, nearly one with a password, or a board's letter."""
    table = Table(rows, games, "", NOBODY)
    title = clean_subject(subject)
    return bool(_OWN_SUBJECT.match(title) or table.exact(title) or table.trouble(title).password)


def _split(text: str, known: Set[str] = frozenset()) -> tuple[str, str]:
    """The first line that is not blank, and all that follows it. A line of options, of which each is a word of ours
    (`known`), belongs to the line above it if that is full: a mail program has broken it there."""
    first, _, rest = text.lstrip("\n ").partition("\n")
    first = first.strip()
    while (found := _OPTIONS.match(rest)) and len(f"{first} {found[1]}") > NARROWEST:
        if not all(word.lstrip("-").partition("=")[0].lower() in known for word in found[0].split()):
            break
        first, rest = f"{first} {found[0].strip()}", rest[found.end() :].removeprefix("\n")
    return first, rest
