"""The command table, and a line that is tried against it.

A line is a command if all of it fits a form of a row. Small slips are forgiven (a typo in a word, a missing game word,
`board 12`). A line that fits nothing becomes one Command with `trouble`: a sentence, and the usage of the command that
it most resembles.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from mailbot.core.language.courtesy import bare
from mailbot.core.language.grammar import (
    EXISTING,
    NEW_PLACEHOLDER,
    PLACEHOLDER,
    SECRETS,
    SHORTEST,
    Row,
    fill,
    fits,
    looks_like_date,
    looks_like_move,
    may_be_password,
    missing,
    taken,
    verbs,
    without_password,
)
from mailbot.core.language.masking import HIDDEN, Masking, Names
from mailbot.core.language.typed import Slips, quoted, split_words, words_of

LONGEST = 4000
"""Characters of the longest line that may be a command; a longer line is words."""
MAX_OPTIONS = 30
"""Options of one command; a line with more is not a command."""
LONGEST_LINE = 60
"""Characters of a line that an answer repeats."""
_OPTION = re.compile(r"--?[a-z][a-z_-]*(=(\S*|\"[^\"]*\"))?\Z", re.IGNORECASE)
EXACT = frozenset({"stop", "yes", "no", "ok", "propose", "undo", "confirm", "decline", "chat"})
"""Words in which no slip is forgiven: `show` is close to `stop`, which ends a player's letters; `now` to `no`."""
_CREDENTIALS = re.compile(r"(?:#?(\d+(?:#\d+)?) )?([A-Za-z][\w.-]{1,19}) (\S{8,})(?: |\Z)")
"""`[board] userid password` at the start of a command's words; if the command is unknown, the board must be there."""
_NONE: Mapping[str, Any] = {}


class Command(NamedTuple):
    """A line that was read. `userids` and `password`: who sends it (the password belongs to one of them).

    `secret`: a new password to set, if the line has one. `args` and `line` hold neither, nor any other word that might
    be a password (masking.py).
    """

    name: str
    game: str = ""
    args: Mapping[str, Any] = _NONE
    userids: tuple[str, ...] = ()
    password: str = ""
    secret: str = ""
    line: str = ""
    trouble: str = ""


class Table:
    """The rows, and the words that may begin a line."""

    def __init__(self, rows: Sequence[Row], games: Mapping[str, str], token: str, names: Names) -> None:
        self.rows, self.games, self.token = rows, games, token
        self.names = names
        self.slips = Slips()

    @cached_property
    def verbs(self) -> Mapping[str, Row]:
        return verbs(tuple(self.rows), self.token)

    @cached_property
    def masking(self) -> Masking:
        return Masking(self.rows, self.games, self.names)

    def answer(self, line: str) -> Command | None:
        """A bare move, the most common mail: a turn on a board, or of a puzzle if its letter is answered."""
        words, name = split_words(line), "solve" if self._takes("solve") else "move"
        if len(words) == 1 and looks_like_move(words[0].rstrip(".,!;")):
            move = words[0].rstrip(".,!;")
            return Command(name, args={"move": move.lower()}, line=move)
        if len(words) == 2 and looks_like_move(words[0]) and fits("ask", words[1]) and name == "move":
            return Command("move", args={"move": words[0].lower(), "ask": words[1].lower()}, line=" ".join(words))
        if words and looks_like_move(words[0]):
            said = f"I read the move {words[0]}, but not the words behind it; a comment goes on the lines below."
            if len(words) == 2 and looks_like_move(words[1]):
                said = f"Two tiles are joined by a comma without a blank: {words[0]},{words[1]}"
            return Command(name, trouble=said, line=self.shown(words))
        return None

    def begins(self, title: str, first: str, *, words: bool) -> bool:
        """Whether a Subject and the first line below it are a new mail, although it came to a reply address: the mail
        program has filled that in. `words`: the letter is answered with words or with yes, so that a Subject without a
        password may be a command, too. Such a Subject asks a question, and is one word, or has nothing below it; or it
        names a game, or a board or the writer behind the command, as a Subject for another player (`Message from Ann`)
        hardly does."""
        if title.lower() == "multiple":
            return self.exact(first, slips=False) is not None
        typed = self.exact(title, slips=False)
        if typed and typed.password:
            return True
        game, _, behind = self._game(words_of(title))
        row, used = self.verb(behind) or (None, 0)
        if not words or row is None or row.name == "unsubscribe":
            return False
        asks = row.needs != "proof" and not row.may_have_body
        if asks:
            return bool(typed and (not first or game or not behind[used:]))
        own = {*self.names.own, "me"}
        named = bool(game) or any(fits("board", word) or word.lower() in own for word in behind[used : used + 1])
        lacking = self.trouble(title)
        return named and bool(typed or lacking.password or "password" in lacking.trouble.lower())

    def among_words(self, line: str) -> Command | None:
        """The command in the first line of an answer whose words go to another player. People answer in any words, so
        the line must have a password, be a bare move, or be a command that this letter takes, by its full name."""
        command = self.exact(line.rstrip(" .!"), slips=False)
        if command and command.password:
            return command
        if (move := self.answer(line)) and not move.trouble and self._takes("move"):
            return move
        named = command and line.lower().rstrip(" .!").split()[:1] == [command.name]
        return command if command and named and command.name != "move" and self._takes(command.name) else None

    def takes_text(self, command: Command) -> bool:
        """Whether the words under the command belong to it."""
        return any(row.may_have_body for row in self.rows if row.name == command.name)

    def not_read(self, command: Command, line: str) -> str:
        """The note if a mail with a command as its Subject has another one in its body, and passes no words on."""
        other = None if self.takes_text(command) or not line else self.exact(line, slips=False)
        if other is None or other.line == command.line:
            return ""
        said = f"Your Subject is a command, so I did not read the text below it: '{other.line}' is not done."
        return f"{said} To send several commands, write them all into the text, with the Subject: multiple"

    def on_board(self, command: Command, board: str) -> Command:
        """The command, with this board if it needs one and names none."""
        row = next(row for row in self.rows if row.name == command.name)
        forms = [form.split() for form in row.forms]
        if command.password or "board" in command.args or not row.tokens or not any("board" in form for form in forms):
            return command
        return command._replace(args={"board": board, **command.args})

    def astray(self, line: str, game: str, board: str) -> Command:
        """An answer to a letter about a board that did not come to its Reply-To, and so proves nothing: a move, a line
        that seems to be another command, or else words for the opponent. It is refused with the line to send."""
        command = self.answer(line) or self.trouble(line)
        known = self.games.get(game.lower(), "").partition(" ")[0]
        if not command.name:
            return Command("chat", game=known, args={"board": board}, line=command.line)
        return command if command.trouble else command._replace(game=known, args={"board": board, **command.args})

    def _takes(self, name: str) -> bool:
        """Whether the command can answer the letter that was answered; none, if no reply address tells which."""
        return bool(self.token) and name in taken(tuple(self.rows), self.token)

    def taken_over(self, row: Row, line: str) -> Command:
        """The answer to a letter that asks for one thing only. For a new password: `password`, or `password WORD`."""
        words = line.split()
        if not row.sets_password:
            return Command(row.name, line=self.shown(words))
        if len(words) == 2 and words[0].lower() == "password":
            return Command(row.name, secret=words[1])
        if [word.lower() for word in words] == ["password"]:
            return Command(row.name)
        said = f"The answer to this letter is the line: password {NEW_PLACEHOLDER} (or password alone, to get one)."
        return Command(row.name, trouble=said)

    def shown(self, words: Sequence[str], secrets: Sequence[str] = (), own: str = "") -> str:
        """The line of these words, as an answer may repeat it. `own`: a userid that is the sender's; if it is not, no
        answer is sent."""
        return self.masking.line(words, LONGEST_LINE, secrets, own)

    def exact(self, line: str, *, slips: bool = True) -> Command | None:
        """The line as a command, if all of it fits a form. `slips`: forgive a misspelt command word."""
        return self._command(found) if (found := self.fitting(line, slips=slips)) else None

    def fitting(self, line: str, *, slips: bool = True) -> "_Fitting | None":
        """The form of the table that the whole line fits, filled with its words as they are."""
        if len(line) > LONGEST:
            return None
        words = words_of(line)
        game, named, behind = self._game(words)
        found = self.nearest(behind) if slips else self.verb(behind)
        if not found:
            return None
        row, used = found
        rest: list[str] = quoted(behind[used:]) if row.quoted else behind[used:]
        words = self._named(words, len(words) - len(behind), row, used)
        marks: tuple[str, ...] = ()
        if row.options:
            marks = (*named, *(word.lower() for word in rest if _OPTION.match(word)))
            rest = [word for word in rest if not _OPTION.match(word)]
        if len(marks) > MAX_OPTIONS:
            return None
        for form in row.forms:
            if (filled := fill(form, rest)) is not None and not _no_password(row, filled):
                if "game" in filled:  # a row that takes games also needs the variant named in front
                    filled["game"] = (*((" ".join((game, *named)),) if game else ()), *filled["game"])
                return _Fitting(row, game, filled, marks, words)
        return None

    def nearest(self, words: Sequence[str]) -> tuple[Row, int] | None:
        """The row whose name comes first in these words, and how many words it took; forgives a slip."""
        if exact := self.verb(words) or self.verb([word.rstrip(".,;:!…") for word in words[:1]]):
            return exact
        for size in (2, 1):
            said = " ".join(words[:size]).lower()[:40]
            if len(words) >= size and len(said) >= 3:
                names = [verb for verb in self.verbs if verb[0] == said[0] and len(verb.split()) == size]
                names = [verb for verb in names if verb not in EXACT and not self.verbs[verb].only_in_full(self.token)]
                begun = [verb for verb in names if verb.startswith(said)]
                if match := begun[0] if len(begun) == 1 else self.slips.closest(said, names):
                    return self.verbs[match], size
        return None

    def told_password(self, line: str) -> str:
        """The password in its slot, if a line among words for somebody else reads as a command with one; else "".

        The line may be prose (`See you tomorrow` is nearly `seek USERID PASSWORD`), so it must also name a board or
        the writer's own userid, set a new password, or have a digit in that word. Where the writer is not known, a
        command word in front is enough.
        """
        line = bare(line[:LONGEST])
        words = words_of(line)
        own = {*self.masking.names.own, "me"}
        named = any(fits("board", word) or word.lower() in own for word in words)
        verb = self.verb(words) or self.verb(words[1:])
        if all(len(word) < SHORTEST for word in words) or not (named or verb):
            return ""
        fitting = self.fitting(line)
        userids, *secrets = fitting.credentials() if fitting else self._unread(line).credentials
        password = max(secrets, key=len)
        if len(password) < SHORTEST or "://" in password or looks_like_date(password.strip(".,!?")):
            return ""
        if any(fits("board", word) for word in words) or any(userid.lower() in own for userid in userids):
            return password
        if verb and (self.masking.names.unproved or verb[0].sets_password or any(c.isdigit() for c in password)):
            return password
        return ""

    def trouble(self, line: str) -> Command:
        """The refusal of a line that could not be read, with anything that shows who wrote it."""
        row, game, words, behind, (userids, password) = self._unread(line)
        shown = self.shown(words, [password] if password else [])
        if row and row.needs_body and not row.takes_over and self._takes(row.name):
            said = f"Write '{row.name}' alone on the first line, and your words on the lines under it."
            return Command(row.name, line=shown, trouble=said)
        if row and PLACEHOLDER in behind:
            said = f"Write your own password in the place of {PLACEHOLDER}: {self.shown(words)}"
            return Command(row.name, game, userids=userids, password=password, line=shown, trouble=said)
        answers = self.token and row and row.may_have_body and not row.takes_over
        if answers and row and (size := self._begun(row, behind)) is not None:
            read = self.shown([*row.name.split(), *behind[:size]])
            goes = "; a comment goes on the lines below" if row.name != "queue" else ""  # no words go with a queue
            return Command(row.name, line=shown, trouble=f"I read '{read}', but not the words behind it{goes}.")
        said = f"I could not read the line '{shown}'." if shown else "I found no command in your mail."
        if row and not self.token and (lacks := missing(row, behind)):
            said = self._lacking(lacks[0], self.shown(words), lacks[1])
        elif row and not self.token:
            said = self._without_password(row, words, behind) or said
        elif row and row.needs == "proof" and self.verb(words) and not self._takes(row.name):
            said = f"The letter you answered takes no '{row.name}'. Send it in a mail of its own: {row.usage[0]}"
        return Command(row.name if row else "", game, userids=userids, password=password, line=shown, trouble=said)

    def _lacking(self, what: str, front: str, behind: Sequence[str]) -> str:
        """The sentence on a line in which `what` is missing, with its words before and behind it. A masked word in the
        place of the name may be the password, and then it is the name that is missing."""
        if behind[:1] == [PLACEHOLDER] and front.split().count(HIDDEN) == 1:
            what, front = "your name or your password", front.replace(HIDDEN, "NAME")
        line = " ".join([front.replace(HIDDEN, PLACEHOLDER), *behind])
        return f"{what.capitalize()} is missing: {line}"

    def _without_password(self, row: Row, words: list[str], behind: list[str]) -> str:
        """The sentence on a line that lacks nothing but a password, or has too short a word in its place; "" for any
        other. `behind`: the words after the command, without options."""
        at = without_password(row, behind)
        filled = next((found for form in row.forms if (found := fill(form, behind))), {})
        short = next((filled[slot] for slot in EXISTING if slot in filled), "")
        if short and HIDDEN in self.shown(behind):  # its place may be wrong
            return ""
        if short and not any(fits(slot, short) for slot in ("plan", "n", "time", "when")):
            missing = "Your password is missing, or it" if at is not None else "Your password"
            return f"{missing} is too short. A password has at least {SHORTEST} characters"
        if at is None:
            return ""
        at += len(words) - len(behind)
        return self._lacking("your password", self.shown(words[:at]), [PLACEHOLDER, *self.shown(words[at:]).split()])

    def _unread(self, line: str) -> "_Unread":
        """What we can tell about a line that fits no form."""
        words = words_of(line[:LONGEST])
        game, _, rest = self._game(words)
        found = self.nearest(rest)
        row = found[0] if found else None
        behind = rest[found[1] :] if found else rest[1:]
        if found:
            words = self._named(words, len(words) - len(rest), *found)
        if row and row.options:
            behind = [word for word in behind if not _OPTION.match(word)]
        return _Unread(row, game, words, behind, self._credentials(row, behind))

    def _begun(self, row: Row, words: Sequence[str]) -> int | None:
        """How many of the words after a command's name fit a form, if more words follow them."""
        sizes = range(len(words) - 1, -1, -1)
        return next((size for size in sizes if any(fill(form, words[:size]) is not None for form in row.forms)), None)

    def _credentials(self, row: Row | None, words: list[str]) -> tuple[tuple[str, ...], str]:
        """The userids and the password in an unreadable line: where the row's forms have them, or after a board."""
        if self.token or (row and row.needs == "anyone"):
            return (), ""
        for form in row.forms if row else ():
            slots = form.split()
            secret = next((i for i, slot in enumerate(slots) if slot in EXISTING), None)
            filled = fill(" ".join(slots[: secret + 1]), words[: secret + 1]) if secret is not None else None
            if row and filled and not _no_password(row, filled) and (userids := _userids(filled)):
                return userids, filled.get("password") or filled["old"]
        pair = None if row else _CREDENTIALS.match(" ".join(words))
        return ((pair[2],), pair[3]) if pair and pair[1] else ((), "")

    def _game(self, words: list[str]) -> tuple[str, list[str], list[str]]:
        """The game named in front (`lambo move ...`), its variant's option, and the rest; forgives a slip."""
        if len(words) > 1:
            said = words[0].lower()
            if said not in self.games and not self.verb(words) and self.nearest(words[1:]):
                alike = [word for word in self.games if word[0] == said[0]]
                said = self.slips.closest(said[:20], alike) or said
            if said in self.games:
                game, *named = self.games[said].split()
                return game, named, words[1:]
        return "", [], words

    def _named(self, words: list[str], at: int, row: Row, used: int) -> list[str]:
        """The words of a line with the command word corrected, because a misspelt one could not be repeated."""
        said = words[at : at + used]
        return words if self.verb(said) else [*words[:at], *row.name.split(), *words[at + used :]]

    def verb(self, words: Sequence[str]) -> tuple[Row, int] | None:
        for size in (2, 1):
            row = self.verbs.get(" ".join(words[:size]).lower())
            if row and len(words) >= size:
                return row, size
        return None

    def _command(self, fitting: "_Fitting") -> Command:
        """The command of a line that fits a form, its secrets cut out and its other words masked."""
        row, game, filled, marks, words = fitting
        userids, password, new = fitting.credentials()
        plain = {slot: said for slot, said in filled.items() if slot not in SECRETS}
        args = self.masking.args(row, {**plain, "options": marks} if row.options else plain)
        secrets = [filled[slot] for slot in SECRETS if slot in filled]
        line = self.shown(words, secrets, userids[0] if len(userids) == 1 else "")
        return Command(row.name, game, args, userids, password, new, line)


class _Fitting(NamedTuple):
    """A line that fits a form: its words by slot, its options, and all its words in their order."""

    row: Row
    game: str
    filled: dict[str, Any]
    marks: tuple[str, ...]
    words: Sequence[str]

    def credentials(self) -> tuple[tuple[str, ...], str, str]:
        """The userids, the password, and the new password."""
        new = self.filled.get("new", "")
        password = self.filled.get("old") or self.filled.get("password", "")
        if self.row.name == "signup":
            new, password = password, ""
        return _userids(self.filled) if password else (), password, new


class _Unread(NamedTuple):
    """A line that fits no form. `credentials`: the userids and the password that it seems to have."""

    row: Row | None
    game: str
    words: list[str]
    behind: list[str]
    credentials: tuple[tuple[str, ...], str]


def _no_password(row: Row, filled: Mapping[str, Any]) -> bool:
    """Whether the word in the place of an existing password cannot be one."""
    told = [filled[slot] for slot in EXISTING if slot in filled and row.name != "signup"]
    return not all(map(may_be_password, told))


def _userids(filled: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(filled[slot] for slot in ("userid", "userid1", "userid2") if slot in filled)
