"""Bombs from grammars: inputs that make a parser work long. `python -m tests.hostile.slow [ROUNDS] [SEED]`

Each parser that sees a stranger's mail has a row: the words of its language, and the size that can reach it. A bomb
consists of a few of these words in one of the forms that make parsers slow: one pump between a beginning and an end,
two pumps one after the other, or something opened many times and closed as often. `#` in a word is a running number,
for parsers that compare different words. The CPU clock judges: more than LIMIT is a finding.

The clock is for nights (`make nightly`). By day `test_slow.py` takes a few of the bombs and counts calls instead.
"""

import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import getsource
from pkgutil import walk_packages

import engine
import mailbot.core
from engine.hex.variants import CATALOGUE
from mailbot.core import tokens
from mailbot.core.commands import ROWS
from mailbot.core.language import courtesy, passed, script
from mailbot.core.mail import addresses, charset, incoming, marks, markup, mime, quoting
from mailbot.core.operator import orders
from mailbot.core.players import bounces

LIMIT = 0.25
"""Seconds of CPU."""

KB = 1024
OWN = addresses.Own("games.example.net")
GAMES = CATALOGUE.words()
HEAD = "From: eve@evil.example\r\nSubject: help\r\nDate: Fri, 20 Nov 2026 12:00:00 +0000\r\n"

TAGS = (
    "<p>", "</p>", "<b>", "</b>", "<b class=#>", "<a href=#>", "<font color=#>", "<div>", "</div>", "<table>",
    "</table>", "<tr><td>", "</td>", "<ul><li>", "<select><option>", "<svg>", "<svg/>", "<math>", "<template>",
    "<pre>", "\n", "<blockquote>", "</blockquote>", "<p hidden>", "<div class=gmail_quote>",
    "<p style='display:none'>", "<br>", "<hr>", "<!--", "-->", "<!-->", "--!>", "<![CDATA[", "]]>", "<!", "<?", "</",
    "<", ">", "<style>", "</style>", "<script>", "</script>", "<title>", "<textarea>", "<p ", "a# ", "a#='", "a#=\"",
    "'", '"', "=", "/", " ", "a#=#", "x", "&", "&amp;", "&#38;", "&#x26;", "&#9999999999", "&notanentityatallreally",
    "&nbsp", ";", "<body #>", "<html>", "<form>", "{a:b}", "/*", "*/", "@media{", "é", "\u202e", "<p class='# # #'>",
    "</b></p>", "<i><p>",
)  # fmt: skip
MIME = (
    "\r\n", "\r\n\r\n", "--b\r\n", "--b--\r\n", "--b#\r\n", "--b", " ", "\t", "X: y\r\n", "X#: y\r\n", " folded\r\n",
    ":", "Content-Type: text/plain\r\n", "Content-Type: text/html\r\n",
    "Content-Type: multipart/mixed; boundary=b\r\n", "Content-Type: multipart/mixed; boundary=b#\r\n\r\n--b#\r\n",
    "Content-Type: message/rfc822\r\n\r\n", "Content-Type: multipart/digest; boundary=b\r\n",
    "Content-Transfer-Encoding: base64\r\n", "=\r\n", "=41", "====",
    "Content-Transfer-Encoding: quoted-printable\r\n", "Content-Disposition: attachment\r\n", "QUJD", "<p>", "é", "x",
    "\r", "Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n", "Received: from a by b\r\n",
    "Sender: a@b.example\r\n", "List-Id: x,", "Precedence: bulk,", "\u0301", "\u200b", "> ", "-- \r\n",
    "On 1 Jan 2026 at 10:00, a@b wrote:\r\n",
)  # fmt: skip
PARAMETERS = (
    ";", " ", "=", '"', "\\", "'", "a=b", "a#=b", "x*#=a", "x*#*=utf-8''%41", "x*=utf-8'en'%41", "x*0*=''", "%",
    "%41", "boundary=", "charset=", "(", ")", ",", "<", "x", "é", "*", "format=flowed", "name*#*=",
)  # fmt: skip
WORDS = (
    "=?", "?=", "?", "=?utf-8?q?", "=?utf-8?b?", "=?a#?q?x?=", "=?utf-8?q?=41?= ", "=", "_", "x", " ", "\t", "QUJD",
    "=4", "é", "\u0301", "iso-2022-jp", "=?iso-2022-jp?b?GyRCPGo=?=",
)  # fmt: skip
CHARACTERS = (
    "a", " ", "\n", "\r", "é", "\u0301", "\u0316", "\u0345", "\u200b", "\u200d", "\ufe0f", "\u034f", "\ufdfa",
    "\u1100", "\u1161", "\u11a8", "\u0344", "\u3000", "\u2028", "\x1b", "\t", "\ud800", "\U0001d15e", "\u0f73",
    "\u309b", "\u33c7",
)  # fmt: skip
QUOTES = (
    ">", "> ", "|", "\n", "x", " ", "On 1 Jan 2026 at 10:00, ", "a@b wrote:", "wrote", ":", "From: a@b\n",
    "Sent: 2026\n", "--", "-- \n", "=", "_", "*", "Sent from my", "<", "Am 1.1.2026 ", "schrieb", "A#: b\n", "12:00",
    "2026", "写道", "ab>", "Forwarded message", "\u2013", "." * 55,
)  # fmt: skip
ADDRESSES = (
    "a", "@", ".", "<", ">", "(", ")", '"', "\\", ",", ";", ":", "a@b.example", " ", "a.", "-", "+", "é", "[1.2.3.4]",
    "#",
)  # fmt: skip
COMMANDS = (
    "move ", "lambo ", "1 ", "ann ", "some-password-1 ", "b1", ",", "#", "\n", " ", "queue ", "if ", "then ", "a1 ",
    "help ", "multiple\n", "board ", "-size=20 ", "-", "challange ", "lamba ", "re: ", "[x] ", "re", "[", "1 , a2",
    "swap ", "x@y.z ", "admin ", "passwort is ", "abcde-", "a.", "message ", "\u2013", "/", "\\", "oo", "(", "x" * 30,
    "1,", ":", "\t", "seek ", "-omcmands ",
    "-tutoiral ", "tutoiral ", "\nadmin abcdefg# ", "abcdefgh# ",
)  # fmt: skip
REPORT = (
    "Action: failed\r\n", "Status: 5.1.1\r\n", "Action", ":", " ", "\t", "5.1.1 ", "5.", "4.", "1", "\r\n", "x", ";",
    "--b\r\nContent-Type: message/delivery-status\r\n\r\n", "--b\r\n",
)  # fmt: skip


def mail(headers: str, body: str) -> bytes:
    return f"{HEAD}{headers}\r\n{body}".encode("utf-8", "surrogatepass")[: KB * KB]


def got(content: bytes) -> None:
    incoming.read(content, "eve@evil.example", (OWN.address, OWN.postmaster), OWN)


def said(text: str) -> None:
    """What becomes of the words of a mail, Subject or text."""
    clean = charset.clean(text)
    script.read(charset.clean_line(text[: 8 * KB]), clean, "", ROWS, GAMES)
    courtesy.passed_on(passed.without_passwords(clean, ROWS, GAMES))
    orders.read(clean)
    orders.masked(clean)


def replied(kind: str, text: str) -> None:
    """The same for an answer to a letter of this kind."""
    script.read("", charset.clean(text), kind, ROWS, GAMES)


def multipart(kind: str, text: str) -> bytes:
    return mail(f"Content-Type: multipart/{kind}; boundary=b\r\n", text)


def parts(media: str, text: str) -> bytes:
    """As many parts with this text as are looked into."""
    size = 900 * KB // incoming.MAX_BODIES
    part = f"--b\r\nContent-Type: {media}; charset=utf-8\r\n\r\n{text[:size]}\r\n"
    return multipart("mixed", part * incoming.MAX_BODIES + "--b--\r\n")


def one_part(media: str, text: str) -> bytes:
    return mail(f"Content-Type: {media}; charset=utf-8\r\n", text)


@dataclass(frozen=True, slots=True)
class Parser:
    """Who is tried, with which words, and how many characters of them can come there."""

    name: str
    run: Callable[[str], object]
    words: tuple[str, ...]
    size: int


def through_mail(make: Callable[[str], bytes]) -> Callable[[str], None]:
    return lambda text: got(make(text))


PARSERS: tuple[Parser, ...] = (
    Parser("markup", markup.to_text, TAGS, mime.MAX_TEXT_PART),
    Parser("a mail in HTML", through_mail(partial(one_part, "text/html")), TAGS, mime.MAX_TEXT_PART),
    Parser("HTML parts", through_mail(partial(parts, "text/html")), TAGS, 180 * KB),
    Parser("text parts", through_mail(partial(parts, "text/plain; format=flowed")), CHARACTERS + QUOTES, 180 * KB),
    Parser("headers and bodies", through_mail(lambda text: mail(text, "")), MIME, KB * KB),
    Parser("parts", through_mail(partial(multipart, "mixed")), MIME, KB * KB),
    Parser("Content-Type", through_mail(lambda text: mail(f"Content-Type: text/x{text}\r\n", "")), PARAMETERS, 4000),
    Parser(
        "Content-Types", lambda text: got(multipart("mixed", f"--b\r\nContent-Type: text/plain{text}\r\n\r\n" * 4)),
        PARAMETERS, 4000,
    ),
    Parser("Subject", through_mail(lambda text: mail(f"Subject: {text}\r\n", "b1")), WORDS, 8000),
    Parser("encoded words", charset.header_text, WORDS, 8 * KB),
    Parser("characters", charset.clean, CHARACTERS, mime.MAX_TEXT_PART),
    Parser("quotations", lambda text: quoting.top(charset.clean(text)), QUOTES, charset.MAX_TEXT),
    Parser("addresses", addresses.sole_address.__wrapped__, ADDRESSES, 8 * KB),
    Parser("commands", said, COMMANDS, charset.MAX_TEXT),
    *(Parser(f"answers, {kind}", partial(replied, kind), COMMANDS, charset.MAX_TEXT) for kind in tokens.KINDS),
    Parser("words", said, QUOTES + CHARACTERS, charset.MAX_TEXT),
    Parser("what is kept", lambda text: orders.kept(one_part("text/html", text), ROWS, GAMES), TAGS, 250 * KB),
    Parser("ids for the log", lambda text: marks.mark(mail(text, "")), ("Message-ID:", *MIME), KB * KB),
    Parser("reports", lambda text: bounces.told(multipart("report", text)), REPORT + MIME, KB * KB),
)  # fmt: skip

REACH = {"mailbot.core.mail.incoming._BRACKETED": 1000, "mailbot.core.mail.incoming._ROLE": addresses.MAX_LOCAL}
"""Patterns that never see more than so many characters; the others may see a whole text."""


def patterns() -> Iterator[tuple[str, re.Pattern[str], set[str]]]:
    """Every pattern that a module of the two pure rooms keeps, on its own or in a table, and how it is used there."""
    for package in (engine, mailbot.core):
        for found in walk_packages(package.__path__, f"{package.__name__}."):
            if ".search" in found.name:
                continue  # the computer player reads no mail
            module = import_module(found.name)
            source = getsource(module)
            for name, value in vars(module).items():
                used = set(re.findall(rf"\b{name}\.(match|fullmatch|search|sub|findall|finditer)\(", source))
                for key, pattern in value.items() if isinstance(value, dict) else [("", value)]:
                    if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                        yield f"{found.name}.{name}{f'[{key}]' if key else ''}", pattern, used or {"match"}


def matched(pattern: re.Pattern[str], used: set[str], text: str) -> None:
    for name in used:
        if name == "sub":
            pattern.sub("", text)
        elif name == "finditer":
            list(pattern.finditer(text))
        else:
            getattr(pattern, name)(text)


def letters_of(pattern: str) -> tuple[str, ...]:
    """Words that a pattern may like: its literals, and one of each kind of character."""
    literals = set(re.findall(r"[\w@.,:;<>()=?/'\"#&!|-]", pattern)) | set(re.findall(r"[a-z]{2,}", pattern))
    return (*sorted(literals), "a", "Z", "7", " ", "\n", "\t", "_", "é", "-", "abcde", "a1", "((", "x ")


def expressions() -> tuple[Parser, ...]:
    return tuple(
        Parser(name, partial(matched, pattern, used), letters_of(pattern.pattern), REACH.get(name, charset.MAX_TEXT))
        for name, pattern, used in patterns()
    )


def counted(word: str, n: int) -> str:
    return "".join(word.replace("#", str(i)) for i in range(n)) if "#" in word else word * n


def filled(word: str, size: int) -> str:
    return counted(word, size // len(word) + 1)[:size] if word else ""


def bomb(words: tuple[str, ...], size: int, seed: int) -> tuple[str, str]:
    """(how it is made, the bomb)"""
    dice = random.Random(seed)

    def some(least: int, most: int) -> str:
        return "".join(dice.choices(words, k=dice.randint(least, most)))

    start, pump, second, end = some(0, 2), some(1, 3), some(1, 3), some(0, 2)
    shape = dice.randrange(3)
    if shape == 0:
        return f"{start!r} {pump!r}* {end!r}", start + filled(pump, size - len(start + end)) + end
    if shape == 1:
        part = dice.choice((size // 2, size // 8, size - size // 8))
        return f"{start!r} {pump!r}* {second!r}*", start + filled(pump, part) + filled(second, size - part - len(start))
    times = size // (len(pump + second) + 2)
    return f"{start!r} {pump!r}^n {end!r} {second!r}^n", start + counted(pump, times) + end + counted(second, times)


def seconds(run: Callable[[str], object], text: str) -> float:
    before = time.process_time()
    run(text)
    return time.process_time() - before


def slow(parser: Parser, rounds: int, seed: int) -> tuple[float, str]:
    """The longest time of so many bombs (the shorter of two runs, for neighbours slow it down), and which."""
    longest = (0.0, "")
    for number in range(rounds):
        made, text = bomb(parser.words, parser.size, seed * 1_000_003 + number)
        took = seconds(parser.run, text)
        if took > longest[0]:
            took = min(took, seconds(parser.run, text))
        longest = max(longest, (took, made))
    return longest


def main() -> None:
    rounds, seed = (int(word) for word in (*sys.argv[1:], *("300", "1")[len(sys.argv) - 1 :]))
    found = 0
    for parser in (*PARSERS, *expressions()):
        took, made = slow(parser, rounds, seed)
        found += took > LIMIT
        print(f"{took * 1000:8.1f} ms {'SLOW ' if took > LIMIT else ''}{parser.name}: {made}", flush=True)
    print(f"{found} findings")
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
