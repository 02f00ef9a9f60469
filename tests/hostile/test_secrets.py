"""The canary: a password typed where no form has one is in no letter, no file and no log.

Every form of the command table is filled with fitting words. The password then replaces each word in turn, and comes
before the line and after it. Each line comes in the Subject, in the body and as the answer to every kind of letter,
used ones too, and a copy goes to postmaster. Three places are left out: the slot of signup for the new userid, which
becomes public; a move or a number, which a password may not be; and words for another player, where only a line that
reads as a command with a password in its slot is masked (tests/core/language).
"""

import asyncio
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from mailbot.core import tokens
from mailbot.core.caps import Caps
from mailbot.core.commands import ROWS
from mailbot.core.language.grammar import SECRETS
from mailbot.core.tokens import Token
from mailbot.shell.console import postman
from tests.dialogues.play import DOMAIN, OPERATOR, OPERATORS_PASSWORD, Server

WORDS = {"ann": "canary-horse-1", "bob": "canarystaple"}
"""One that can only be a password, and one that might be a userid."""

ANN = "ann@example.org"
SAMPLES = {
    "board": "1", "board#": "1#1", "n": "1", "userid": "ann", "userid1": "ann", "userid2": "bob", "toUserid": "bob",
    "otherUserid": "bob", "address": "x@example.net", "ask": "undo", "none": "none", "plan": "a9,b10", "more": "if",
    "choice": "yes", "drawn": "film", "filter": "all", "move": "a9,b10", "topic": "move", "setting": "digest",
    "game": "lambo", "category": "lambo", "when": "14", "time": "3d", "new": "another-word-7",
    "part": "table", "act": "note", "create": "create", "replace": "replace", "result": "result", "timing": "time",
    "withdrawal": "withdraw", "title": '"Autumn Cup"', "verdict": "draw",
}  # fmt: skip
FRONTS = {"challenge": "lambo ", "seek": "lambo "}

EXTRA = (
    "games ann PW", "games PW ann", "list ann PW", "preview 1 ann PW a1", "help ann PW", "lambo challange bob PW",
    "lambo challenge ann bob --nagtime=3 PW", "lambo challenge -PW ann bob", "lambo challenge -size=PW ann bob",
    "PW", "PW PW", "delete PW", "PW delete", "yes PW", "password PW PW", "password another-word-7 PW", "b1 PW", "PW b1",
    "*PW*", "(PW)", "PW, b1", "frobnicate 1 ann PW b1", "multiple PW", "me PW", "move 1 ann pw PW", "board 1 PW",
    "resign 1 ann PW please", "set ann PW board PW", "message ann PW PW", "block ann PW PW", "signup PW ann",
    "move ann 1 PW b1", "PW 1 ann move b1", "resign 1 PW", "1 PW ann b1",
    "rating ann PW", "rating PW lambo", "set ann PW rating PW", "standings PW", "lambo standings -PW",
    "chat PW", "chat 1 PW", "games ann,PW", "queue 1 ann PW if PW then a1", "take PW ann 1", "lambo list PW",
)  # fmt: skip
UNDER = "queue 1 ann {own}\nif a9,b10 then PW\nPW"
"""Lines of a plan are no words for another player."""


def lines() -> Iterator[str]:
    """Lines with PW where the password stands, and OWN for ann's right one in its slot."""
    yield from EXTRA
    for row in ROWS:
        if row.takes_over:
            continue
        for form in row.forms:
            slots = [slot.rstrip("*+") for slot in form.split()]
            filled = ["OWN" if slot in ("password", "old") else SAMPLES[slot] for slot in slots]
            front = FRONTS.get(row.name, "")
            for at, slot in enumerate(slots):
                if slot not in SECRETS and not (row.name == "signup" and slot == "userid"):
                    yield " ".join([f"{front}{row.name}", *filled[:at], "PW", *filled[at + 1 :]])
            with_one = row.name in ("delete", "signoff", "resign")  # these would end the test's own game
            unproved = [word for word in filled if word != "OWN"] if with_one else filled
            yield f"PW {front}{' '.join([row.name, *unproved])}"
            yield f"{front}{' '.join([row.name, *unproved])} PW"


TABLES = ("player", "outbox", "preference", "tally", "shunt", "operator_mail", "submitted", "plan", "move", "seek")
"""Where to look for it once it has been found in a file."""

MANY = Caps(**{one.name: 1_000_000 for one in fields(Caps)})
"""No letter may be missing here because there have been too many."""

ANSWERED = (tokens.PLAY, tokens.ANSWER, tokens.CONFIRM, tokens.FORGOT, tokens.OLD_ADDRESS, tokens.UNSUBSCRIBE)


def letters(server: Server) -> list[Token]:
    """Letters to ann of each kind: the newest of her board, a used one, and the others good for the moment."""
    hour = server.time // 3600
    game = server.reception._reads.game(1)
    assert game
    found = [Token(kind, 1, 1, game.stamp if kind == tokens.PLAY else 0) for kind in ANSWERED]
    found = [token._replace(ref=hour, stamp=1) if token.kind == tokens.FORGOT else token for token in found]
    return [
        *found,
        Token(tokens.PLAY, 1, 1, game.stamp - 2),
        Token(tokens.DELETE, 1, hour, 1),
        Token(tokens.DELETE, 1, hour - 90, 1),
    ]


async def begun(server: Server) -> None:
    for name, word in WORDS.items():
        await server.accept(server.mail(f"{name}@example.org", f"signup {name} {word}", ""))
        server.new_letters()
        box = server.letters[f"{name}@example.org"]
        await server.accept(server.reply(f"{name}@example.org", box[-1], "yes"))
    await server.accept(server.mail(ANN, f"lambo challenge ann bob {WORDS['ann']}", ""))
    server.new_letters()
    await server.accept(server.reply("bob@example.org", server.letters["bob@example.org"][-1], "accept"))
    server.auth._allowed = lambda *_: True  # or the first wrong words would have the others refused


async def say(server: Server, subject: str, body: str, to: str = "") -> None:
    mail = server.mail(ANN, subject, body, to)
    if server.count % 2:  # half of them from where everybody is a newcomer
        mail = replace(mail, peer=f"198.51.{server.count % 250}.7")
    assert not (await server.accept(mail)).startswith("451")
    server.time += 61


@pytest.mark.parametrize("whose", WORDS)
def test_no_password_is_repeated_or_kept(whose: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    word, wrong = WORDS[whose], []
    said = [line.replace("PW", word).replace("OWN", WORDS["ann"]) for line in lines()]

    async def run() -> int:
        server = Server(tmp_path, caps=MANY)
        server.writer.start()
        await begun(server)
        told = 0

        def look(line: str) -> None:
            nonlocal told
            for _, kind, letter in server.new_letters():
                told += 1
                if word in postman.text(letter) or any(word in str(value) for value in letter.values()):
                    wrong.append(f"{kind} letter after: {line}")

        for number, line in enumerate(said):
            await say(server, line, "")
            if number % 3 == 0:
                await say(server, "", f"{line}\n{line}")
            elif number % 3 == 1:
                await say(server, "multiple", f"games ann {WORDS['ann']}\n{line}")
            else:
                await say(server, line, line, f"postmaster@{DOMAIN}")
            look(line)
        for token in letters(server):
            address = server.token_address(token)
            for line in [*said[: len(EXTRA)], *said[len(EXTRA) :: 29]]:
                await say(server, "Re: Lambo 1", line, address)
                look(f"{token.kind}: {line}")
        for under in (UNDER, "queue 1 ann {own}\nPW if then", "queue 1\nif PW then a9"):
            subject, _, body = under.format(own=WORDS["ann"]).replace("PW", word).partition("\n")
            await say(server, subject, body)
            look(subject)
        for path in tmp_path.iterdir():
            if path.is_file() and word.encode() in path.read_bytes():
                rows = [(t, row) for t in TABLES for row in server.db.execute(f"SELECT * FROM {t}").fetchall()]
                wrong.extend([f"{path.name}: {row}" for row in rows if word in str(row)][:5] or [path.name])
        await server.close()
        return told

    told = asyncio.run(run())
    assert told > len(said)
    assert word not in caplog.text
    assert wrong[:20] == []


SHUFFLED = ("move ann 1 PW b1", "PW 1 ann move b1", "b1 PW move 1 ann", "resign 1 PW", "1 PW ann b1", "PW ann delete")


@pytest.mark.parametrize("whose", WORDS)
@pytest.mark.parametrize("line", SHUFFLED)
def test_words_for_the_opponent_have_no_password_in_whatever_order(line: str, whose: str, tmp_path: Path) -> None:
    """Ann's own password or one of her other ones, under a move, under `chat` and in the answer to a letter."""
    word = WORDS[whose]
    said = f"Hello!\n{line.replace('PW', word)}"

    async def run() -> None:
        server = Server(tmp_path, caps=MANY)
        server.writer.start()
        await begun(server)
        server.new_letters()
        board = server.letters[ANN][-1]
        await server.accept(server.mail(ANN, f"move 1 ann {WORDS['ann']} b1", said))
        await server.accept(server.mail(ANN, f"chat 1 ann {WORDS['ann']}", said))
        await server.accept(server.reply(ANN, board, f"chat\n{said}"))
        texts = [postman.text(letter) for _, _, letter in server.new_letters() if letter["To"] != ANN]
        assert len(texts) == 3
        assert all("Hello!" in text and word not in text for text in texts)
        assert [p.name for p in tmp_path.iterdir() if p.is_file() and word.encode() in p.read_bytes()] == []
        await server.close()

    asyncio.run(run())


ORDERS = ("PW lock PW", "PW games PW", "PW show PW", "lock PW", "games PW", "PW PW", "PW rename PW bob", "PW end 1 PW")


def test_the_operators_password_is_not_repeated_or_kept(tmp_path: Path) -> None:
    async def run() -> None:
        server = Server(tmp_path, caps=MANY)
        server.writer.start()
        await begun(server)
        for order in ORDERS:
            line = f"admin {order}".replace("PW", OPERATORS_PASSWORD)
            for to in ("", f"postmaster@{DOMAIN}"):
                mail = server.mail(OPERATOR, "", f"{line}\nBecause of {OPERATORS_PASSWORD}.", to)
                await server.accept(mail)
                server.time += 61
        texts = [postman.text(letter) for _, _, letter in server.new_letters()]
        assert len(texts) >= len(ORDERS)
        assert [text for text in texts if OPERATORS_PASSWORD in text] == []
        assert [
            p.name for p in tmp_path.iterdir() if p.is_file() and OPERATORS_PASSWORD.encode() in p.read_bytes()
        ] == []
        await server.close()

    asyncio.run(run())


PROBES = (
    "games NAME", "games NAME all", "show NAME", "show NAME finished", "message ann PW NAME", "games bob NAME NAME",
    "message ann PW NAME NAME", "message ann PW NAME, bob", "block ann PW NAME", "unblock ann PW NAME", "help NAME",
    "list NAME", "frobnicate NAME", "NAME", "set ann PW NAME", "preview 1 NAME", "move 1 ann PW NAME",
    "lambo challenge NAME bob",
)  # fmt: skip
HIDDEN_NAMES = ("christopher", "nobodythere")
"""Somebody who has signed up and not played yet, and nobody."""


def test_what_is_hidden_does_not_tell_who_has_an_account(tmp_path: Path) -> None:
    async def run() -> None:
        server = Server(tmp_path, caps=MANY)
        server.writer.start()
        await begun(server)
        chris = "chris@example.org"
        await server.accept(server.mail(chris, "signup christopher dog-and-mouse-3", ""))
        server.new_letters()
        await server.accept(server.reply(chris, server.letters[chris][-1], "yes"))
        server.new_letters()
        for probe in PROBES * 25:  # also beyond the limit on words to one name
            seen = []
            for name in HIDDEN_NAMES:
                line = probe.replace("NAME", name).replace("PW", WORDS["ann"])
                status = await server.accept(server.mail(ANN, line, "Hello."))
                texts = [postman.text(letter) for _, _, letter in server.new_letters() if letter["To"] == ANN]
                seen.append((status, texts))
            server.time += 300
            assert seen[0] == seen[1], probe
        await server.close()

    asyncio.run(run())


def test_a_long_userid_is_shown_to_its_owner_and_once_it_stands_on_a_board(tmp_path: Path) -> None:
    async def run() -> None:
        server = Server(tmp_path, caps=MANY)
        server.writer.start()
        await begun(server)
        chris = "chris@example.org"
        await server.accept(server.mail(chris, "signup christopher dog-and-mouse-3", ""))
        server.new_letters()
        await server.accept(server.reply(chris, server.letters[chris][-1], "yes"))
        server.new_letters()

        async def answered(sender: str, line: str) -> str:
            await server.accept(server.mail(sender, line, ""))
            return "\n".join(postman.text(letter) for _, _, letter in server.new_letters() if letter["To"] == sender)

        assert "christopher has no boards" in await answered(chris, "games christopher")
        assert "******** has no boards" in await answered(ANN, "games christopher finished")
        await answered(chris, "mambo seek christopher dog-and-mouse-3")
        assert "christopher has no boards" in await answered(ANN, "games christopher all")
        await server.close()

    asyncio.run(run())
