"""The words of one player in the letter of another: they are never a command, a header or markup there.

Ann says something in all the `WAYS`; on copies of the same server she says something harmless, or nothing. Each
resulting letter must equal the harmless one, except for the lines that are marked as somebody's words. An answer that
quotes all of it, in any way that mail programs do, says only what is outside the quotation.

Not claimed: a letter pasted without any mark above one's own line, or one that has neither marker nor headers above it.
"""

import asyncio
import email
import re
import shutil
import unicodedata
from base64 import encodebytes
from collections.abc import Sequence
from email.message import Message
from email.policy import compat32, default
from email.utils import formatdate
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mailbot.core import tokens
from mailbot.core.commands import ROWS
from mailbot.core.language import script
from mailbot.core.mail import incoming as mails
from mailbot.core.mail.addresses import Own
from mailbot.shell.console import postman
from mailbot.shell.post.compose import compose
from mailbot.shell.smtp.wire import Envelope
from mailbot.store import outbox
from tests.dialogues.play import BEGIN, DOMAIN, Server
from tests.hostile.said import LINES, SAID, answers
from tests.hostile.test_secrets import MANY as UNREACHED

ANN, BOB, CAT, EVE = (f"{name}@example.org" for name in ("ann", "bob", "cat", "eve"))
WORD = {"ann": "correct-horse-1", "bob": "battery-staple-2", "cat": "dog-and-mouse-3"}
DAY = 86_400
OWN = Own(DOMAIN)

PREPARED = (
    *((f"{name}@example.org", f"signup {name} {word}", "yes") for name, word in WORD.items()),
    *((ANN, f"lambo challenge ann bob {WORD['ann']}", "accept") for _ in range(3)),
    (ANN, f"lambo challenge ann cat {WORD['ann']}", "accept"),
    (BOB, f"lambo challenge bob ann {WORD['bob']}", ""),
    (BOB, f"lambo challenge bob ann {WORD['bob']}", ""),
    (BOB, f"lambo seek bob {WORD['bob']}", ""),
    (BOB, f"broadcast bob {WORD['bob']} yes", ""),
    (CAT, f"set cat {WORD['cat']} digest 12", ""),
    (ANN, f"move 3 ann {WORD['ann']} a1", ""),
)
"""(from, subject, what the newest letter that asks for an answer is answered with)"""

WAYS = {
    "chat": (ANN, "chat 1 ann PW", ""),
    "message": (ANN, "message ann PW bob", ""),
    "broadcast": (ANN, "broadcast ann PW", ""),
    "challenge": (ANN, "lambo challenge ann bob PW", ""),
    "challenge in another's name": (CAT, "lambo challenge cat ann", ""),
    "propose": (ANN, "propose 1 ann PW", ""),
    "undo": (ANN, "undo 3 ann PW", ""),
    "submit": (ANN, "submit 1 ann PW b1", ""),
    "confirm": (ANN, "confirm 1 ann PW", ""),
    "move": (ANN, "lambo move 2 ann PW b1", ""),
    "answer": (ANN, "Re: Lambo 4: ann - cat", "a1\n\n"),
    "digest": (ANN, "", "clock"),
    "accept": (ANN, "accept 6 ann PW", ""),
    "decline": (ANN, "decline 5 ann PW", ""),
    "take": (ANN, "take 1 ann PW", ""),
    "resign": (ANN, "resign 2 ann PW", ""),
    "record": (BOB, "record 2", ""),
    "reads it again": (BOB, "show 2", ""),
}
"""From whom, the subject, and what stands in the body above the words."""
ANSWERED = (tokens.PLAY, 1, 4, 2)
"""The letter to ann, the first player, about board 4."""
WORDLESS = {"challenge in another's name", "record", "reads it again"}
"""Ways of which no letter may hold the words at all."""

Letters = dict[str, list[tuple[str, bytes]]]


def letters(server: Server) -> list[tuple[str, bytes]]:
    """What has been queued since the last time, as it goes over the wire."""
    rows = server.db.execute("SELECT id FROM outbox WHERE id > ? ORDER BY id", (server.told,)).fetchall()
    found = [outbox.entry(server.db, number) for (number,) in rows]
    server.told = rows[-1][0] if rows else server.told
    return [(row.address, compose(server.letterbox.letter(row))) for row in found]


def octets(sender: str, subject: str, body: str, at: int, media: str = "text/plain", number: int = 0) -> bytes:
    """A mail in base64, so that every character arrives."""
    head = f"From: {sender}\r\nDate: {formatdate(at)}\r\nSubject: {subject}\r\nMessage-ID: <{number}@example.org>\r\n"
    head += f"Content-Type: {media}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return head.encode() + encodebytes(body.encode()).replace(b"\n", b"\r\n")


async def say(server: Server, words: Sequence[str]) -> Letters:
    """Something said in every way, and the letters that came of each."""
    found: Letters = {}
    for said, (way, (sender, subject, above)) in zip(words, WAYS.items(), strict=True):
        if above == "clock":
            await server.clock(DAY)
        else:
            subject, above = (text.replace("PW", WORD["ann"]) for text in (subject, above))
            content = octets(sender, subject, above + said, server.time, number=len(found))
            to = server.token_address(tokens.Token(*ANSWERED)) if way == "answer" else OWN.address
            envelope = Envelope("192.0.2.7", sender, (to,), content)
            assert (await server.accept(envelope)).startswith("250"), way
        found[way] = letters(server)
    return found


def on_a_copy(prepared: Path, words: Sequence[str], before: Sequence[tuple[str, str]] = ()) -> Letters:
    """The letters of each way. `before`: mails (from, subject) that are done first."""

    async def run() -> Letters:
        with TemporaryDirectory() as folder:
            shutil.copytree(prepared, folder, dirs_exist_ok=True)
            server = Server(Path(folder), caps=UNREACHED)
            server.writer.start()
            for sender, subject in before:
                assert (await server.accept(server.mail(sender, subject, ""))).startswith("250"), subject
            letters(server)
            try:
                return await say(server, words)
            finally:
                await server.close()

    return asyncio.run(run())


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crossing")

    async def make() -> None:
        server = Server(folder, caps=UNREACHED)
        server.writer.start()
        for sender, subject, answer in PREPARED:
            assert (await server.accept(server.mail(sender, subject, ""))).startswith("250"), subject
            asks = [letter for _, _, letter in server.new_letters() if letter["Reply-To"]]
            if answer:
                await server.accept(server.reply(str(asks[0]["To"]), asks[0], answer))
                server.new_letters()
        await server.close()

    asyncio.run(make())
    return folder


@pytest.fixture(scope="module")
def usual(prepared: Path) -> tuple[Letters, Letters]:
    """The letters with harmless words, and those without any."""
    said, silent = (on_a_copy(prepared, [words] * len(WAYS)) for words in ("Have fun.", ""))
    heard = {way for way, found in said.items() if any(b"\n  | Have fun." in raw for _, raw in found)}
    assert heard == set(WAYS) - WORDLESS
    return said, silent


def test_no_words_reach_who_has_blocked_their_writer(prepared: Path) -> None:
    blocks = [(f"{name}@example.org", f"block {name} {WORD[name]} ann") for name in ("bob", "cat")]
    for way, found in on_a_copy(prepared, ["Have fun."] * len(WAYS), blocks).items():
        to_others = [raw for address, raw in found if address not in (ANN, WAYS[way][0])]
        assert not any(b"Have fun." in raw for raw in to_others), way


# -- the letter as it is --------------------------------------------------------------------------------------------

MARKED = re.compile(r"  \|( .*)?")
OWN_HEADERS = {"message-id", "content-type", "content-transfer-encoding"}
"""Headers that may differ from those of the usual letter."""
KINDS = re.compile(
    r"text/plain; charset=\"?(us-ascii|utf-8)\"?; format=\"?fixed\"?|"
    r"multipart/(mixed|alternative);\s+boundary=\"[0-9a-f]{32}\""
)
TAGS = re.compile(r"<(?!br>)[^>]*>")
"""Of the HTML of a letter, which escapes every `<` and `>` of the text; a line break may stand between words."""


class Seen(NamedTuple):
    """A letter as the standard library reads it, with its new policy and its old one."""

    heads: tuple[list[tuple[str, str]], ...]
    shape: list[list[str]]
    text: str
    files: dict[str, bytes]
    tags: list[str]

    def header(self, name: str) -> str:
        return dict(self.heads[0]).get(name, "")

    @property
    def words(self) -> list[str]:
        return [line for line in self.text.split("\n") if MARKED.fullmatch(line)]

    @property
    def ours(self) -> list[str]:
        return [line for line in self.text.split("\n") if not MARKED.fullmatch(line)]


@lru_cache(200)
def seen(raw: bytes) -> Seen:
    both: list[Message] = [email.message_from_bytes(raw, policy=policy) for policy in (default, compat32)]
    assert not any(part.defects for one in both for part in one.walk())
    heads = tuple([(name, str(value)) for name, value in one.items()] for one in both)
    shape = [[part.get_content_type() for part in one.walk()] for one in both]
    pages = [part for part in both[0].walk() if part.get_content_type() == "text/html"]
    tags = [tag for page in pages for tag in TAGS.findall(bytes(page.get_payload(decode=True)).decode())]
    return Seen(heads, shape, postman.text(both[0]), postman.files(both[0]), tags)


def is_but_for_the_words(raw: bytes, harmless: bytes) -> None:
    """Header by header, part by part and line by line the usual letter, but for the lines marked as words."""
    assert raw.isascii()
    assert re.fullmatch(rb"(?:[^\r\n]{0,998}\r\n)*", raw), "CRLF only, and no long lines"
    found, usual = seen(raw), seen(harmless)
    for ours, theirs in zip(found.heads, usual.heads, strict=True):
        names = [name for name, _ in ours]
        assert [names.count(name) for name in ("From", "To", "Subject", "Content-Type")] == [1, 1, 1, 1]
        assert names == [name for name, _ in theirs]
        assert [ours[at] for at, name in enumerate(names) if name.lower() not in OWN_HEADERS] == [
            theirs[at] for at, name in enumerate(names) if name.lower() not in OWN_HEADERS
        ]
        assert KINDS.fullmatch(dict(ours)["Content-Type"])
    assert found.shape == usual.shape
    assert found.files == usual.files, "no record holds words"
    assert found.ours == usual.ours
    assert found.tags == usual.tags, "no words become HTML"
    assert "1337" not in found.text, "7 * 191 is not worked out"
    for line in found.words:
        assert len(line) <= 78
        assert {unicodedata.category(c) for c in line} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set(), ascii(line)


def nothing_is_read_into(raw: bytes) -> None:
    """Whoever answers says what stands outside the quotation, and nothing at all when nothing does."""
    letter = seen(raw)
    reader, to = letter.header("To"), letter.header("Reply-To") or OWN.address
    box = OWN.classify(to)
    unverified = tokens.read(box.token) if box and box.kind == "token" else None
    kind, subject = unverified.token.kind if unverified else "", f"Re: {letter.header('Subject')}"
    empty = script.read(subject, "", kind, ROWS, {})
    assert all(command.trouble or command.name == "reply" for command in empty.commands), "the subject is no command"
    for own in ("", "show"):
        for program, media, body in answers(letter.text, letter.header("Subject"), own):
            got = mails.read(octets(reader, subject, body, BEGIN, media), mail_from=reader, recipients=(to,), own=OWN)
            assert isinstance(got, mails.Mail), program
            assert (got.subject, got.text) == (subject, own), program


def crosses(prepared: Path, usual: tuple[Letters, Letters], words: Sequence[str]) -> None:
    for (way, found), said in zip(on_a_copy(prepared, words).items(), words, strict=True):
        known = usual[not any(seen(raw).words for _, raw in found)][way]
        try:
            assert [to for to, _ in found] == [to for to, _ in known]
            for (to, raw), (_, harmless) in zip(found, known, strict=True):
                if b"Your Subject is a command" in raw:  # and so is a line below it, which only the sender is told
                    assert way in WORDLESS and to == WAYS[way][0]
                    continue
                is_but_for_the_words(raw, harmless)
                if to != WAYS[way][0] and seen(raw).words:
                    nothing_is_read_into(raw)
        except AssertionError as error:
            raise AssertionError(f"{way}: {said!a}: {error}") from error


MANY = st.lists(SAID, min_size=len(WAYS), max_size=len(WAYS))
ROUND = [[LINES[(at + way) % len(LINES)] for way in range(len(WAYS))] for at in range(0, len(LINES), len(WAYS))]


def test_each_line_crosses_as_words(prepared: Path, usual: tuple[Letters, Letters]) -> None:
    for words in ROUND:
        crosses(prepared, usual, words)


@settings(max_examples=10, deadline=None, derandomize=True, phases=[Phase.generate])
@given(MANY)
def test_words_never_become_a_command_a_header_or_markup(
    prepared: Path, usual: tuple[Letters, Letters], words: list[str]
) -> None:
    crosses(prepared, usual, words)


@pytest.mark.nightly
@settings(max_examples=300, deadline=None, phases=[Phase.generate])
@given(MANY)
def test_words_never_become_anything_at_length(
    prepared: Path, usual: tuple[Letters, Letters], words: list[str]
) -> None:
    crosses(prepared, usual, words)


NAMES = ("From", "Bcc", "Cc", "b4", "Re", "Date", "resigned", "accepted", "swaps")
"""Our own words are reserved."""


def test_a_name_is_no_command_and_no_header(prepared: Path, usual: tuple[Letters, Letters], tmp_path: Path) -> None:
    """Players called like a command or a header challenge bob and write to him: his answers say what he says."""

    async def run() -> None:
        shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
        server = Server(tmp_path, caps=UNREACHED)
        server.writer.start()
        server.new_letters()
        for name in NAMES:
            sender = f"{name.lower()}@example.com"
            await server.accept(server.mail(sender, f"signup {name} a-good-word-1", ""))
            await server.accept(server.reply(sender, server.new_letters()[-1][2], "yes"))
            letters(server)
            await server.accept(server.mail(sender, f"lambo challenge {name} bob a-good-word-1", "Have fun."))
            await server.accept(server.mail(sender, f"message {name} a-good-word-1 bob", "Have fun."))
            to_bob = [raw for to, raw in letters(server) if to == BOB]
            known = [raw for way in ("challenge", "message") for to, raw in usual[0][way] if to == BOB]
            for raw, harmless in zip(to_bob, known, strict=True):
                assert [key for key, _ in seen(raw).heads[0]] == [key for key, _ in seen(harmless).heads[0]]
                assert re.fullmatch(rf"Lambo \d+: {name} - bob|A message from {name}", seen(raw).header("Subject"))
                nothing_is_read_into(raw)
        await server.close()

    asyncio.run(run())
