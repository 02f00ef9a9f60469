"""Sends every row of the hostile corpus to a server: its result is what the row says, and nothing more."""

import asyncio
import re
import shutil
from email.utils import format_datetime
from pathlib import Path

import pytest

from mailbot.core.contests import Entry, Stages, Tournament
from mailbot.shell.console import postman
from mailbot.shell.smtp.wire import Envelope
from mailbot.store.rows import put
from tests.dialogues.play import Server
from tests.hostile.rows import ANN, BOB, CAT, PASSWORD, ROWS, SERVER, TOKEN, Row

TOPICS = sorted({row.topic for row in ROWS})
KEPT = ("player", "address", "address_change", "game", "move", "preference", "seek", "shunt", "failing", "plan")
KEPT += ("tournament", "entry", "fixture", "logged", "later")
REFUSED_AT_RCPT = "550 5.7.8 at RCPT already"
"""As the listener does for a mailbox that does not exist (S14)."""

HEADERS = {
    *("date", "from", "to", "subject", "message-id", "reply-to", "in-reply-to", "references", "auto-submitted"),
    *("x-auto-response-suppress", "x-mailbot-loop", "mime-version", "content-type", "content-transfer-encoding"),
    *("list-id", "list-help", "list-unsubscribe"),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with ann, bob and cat, board 1, and tournament 1."""
    folder = tmp_path_factory.mktemp("prepared")

    async def make() -> None:
        server = Server(folder)
        server.writer.start()
        for who in (ANN, BOB, CAT):
            name = who.partition("@")[0]
            await server.accept(server.mail(who, f"signup {name} {PASSWORD[name]}", ""))
            server.new_letters()
            await server.accept(server.reply(who, server.letters[who][-1], "yes"))
        await server.accept(server.mail(ANN, f"lambo challenge ann bob {PASSWORD['ann']}", ""))
        server.new_letters()
        await server.accept(server.reply(BOB, server.letters[BOB][-1], "accept"))
        server.store.begin()
        cup = Tournament(1, "Cup", 2, Stages.ENTRY, "swiss", "lambo", "21d", 2, 8, 0, server.time, 1)
        put(server.store.db, cup)
        put(server.store.db, Entry(1, 3, server.time))
        server.store.commit()
        await server.close()

    asyncio.run(make())
    return folder


def changed(token: str, change: str) -> str:
    """ann's reply address, tampered with."""
    local, _, domain = token.partition("@")
    kind, key, player, board, ply, mac = re.fullmatch(r"mailbot\+(.)(\d+)-(\d+)-(\d+)-(\d+)-(.+)", local).groups()  # type: ignore[union-attr]
    word, _, value = change.partition(" ")
    if word == "kind":
        kind = value
    elif word in ("ply", "board", "player", "key"):
        ply, board = (value if word == "ply" else ply), (value if word == "board" else board)
        player, key = (value if word == "player" else player), (value if word == "key" else key)
    elif change == "another mac":
        mac = mac[::-1]
    made = f"mailbot+{kind}{key}-{player}-{board}-{ply}-{mac}"
    made = {
        "cut": made[:-1],
        "longer": made + "a",
        "leading zero": made.replace(f"-{board}-", f"-0{board}-", 1),
        "no dashes": made.replace("-", ""),
        "twice": f"{made}-{made.partition('+')[2]}"[:64],
        "space": made.replace("+", "+ "),
        "quoted": f'"{made}"',
        "percent": made.replace("+", "%2B"),
        "unicode K": made.replace("k", "\u212a") if "k" in made else made.replace("a", "\uff41"),
    }.get(change, made)
    return f"{made}@{domain}"


def envelope(row: Row, number: int, server: Server, token: str) -> Envelope:
    content = row.content(f"row{number}", format_datetime(server.at()))
    to = row.to
    if to.startswith(TOKEN):
        to = changed(token, to.partition(":")[2]) if ":" in to else token
    return Envelope("192.0.2.66", row.mail_from, (to,), content)


def state(server: Server) -> list[tuple[object, ...]]:
    return [one for table in KEPT for one in server.db.execute(f"SELECT * FROM {table}").fetchall()]


def findings(row: Row, status: str, letters: list[tuple[str, str, postman.EmailMessage]], same: bool) -> list[str]:
    """What is not as the row says, or as it always has to be."""
    found = []
    sent = [f"{kind}>{letter['To']}" for _, kind, letter in letters]
    for _, _, letter in letters:
        found += [f"a header {name}" for name in letter if name.lower() not in HEADERS]
        found += ["a letter to somebody else" for _ in [0] if "victim" in str(letter["To"])]
        for line in postman.text(letter).split("\n"):
            if re.match(r"(Bcc|To|From|Subject):", line):
                found.append(f"a line like a header: {line[:40]}")
    code, *rest = row.ends.split(" ")
    if code == "*":
        strangers = [one for one in sent if not one.endswith("@example.org") and not one.endswith("evil.example")]
        found += [f"a letter to {one}" for one in strangers]
        if not status.startswith(("250", "550")):
            found.append(status)
        if rest == ["nobody"] and any(one.startswith("signup>") for one in sent):
            found.append("a signup was taken")
        if rest and not same:
            found.append("something was changed")
        return found
    told = [one for one in rest if ">" in one]
    if not status.startswith(" ".join(one for one in (code, *rest) if ">" not in one)):
        found.append(f"answered {status}")
    if sent != told:
        found.append(f"letters {sent}")
    if not same:
        found.append("something was changed")
    return found


@pytest.mark.parametrize("topic", TOPICS)
def test_the_hostile_corpus(topic: str, prepared: Path, tmp_path: Path) -> None:
    rows = [row for row in ROWS if row.topic == topic]
    wrong = []

    async def meet() -> None:
        for number, row in enumerate(rows):
            folder = tmp_path / str(number)
            shutil.copytree(prepared, folder)
            server = Server(folder)
            server.writer.start()
            server.new_letters()
            token = str(server.letters[ANN][-1]["Reply-To"])
            before = state(server)
            try:
                mail = envelope(row, number, server, token)
                there = server.reception.mailbox_exists(mail.rcpt_tos[0])
                status = await server.accept(mail) if there else REFUSED_AT_RCPT
                same = state(server) == before
                wrong.extend(f"{row.name}: {one}" for one in findings(row, status, server.new_letters(), same))
            finally:
                await server.close()
            shutil.rmtree(folder)

    asyncio.run(meet())
    assert wrong == []


def test_one_server_takes_them_all_and_keeps_no_secret(
    prepared: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The canary: after the whole corpus on one server no password and no token is in any file or in the log."""
    folder = tmp_path / "all"
    shutil.copytree(prepared, folder)
    caplog.set_level("DEBUG")
    tokens: set[str] = set()

    async def meet() -> None:
        server = Server(folder)
        server.writer.start()
        server.new_letters()
        token = str(server.letters[ANN][-1]["Reply-To"])
        for number, row in enumerate(ROWS):
            mail = envelope(row, number, server, token)
            if server.reception.mailbox_exists(mail.rcpt_tos[0]):
                await server.accept(mail)
        server.new_letters()
        for box in server.letters.values():
            tokens.update(str(letter["Reply-To"]).partition("+")[2].partition("@")[0] for letter in box)
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        secrets = [*PASSWORD.values(), "some-password-1", *(token[-20:] for token in tokens if token)]
        for secret in secrets:
            # The stand-in for a hash in tests is the word backwards; it is the words themselves that must be nowhere.
            kept = [name for name, data in files.items() if secret.encode() in data]
            assert kept == [], secret[:4]
            assert secret not in caplog.text
        await server.close()

    asyncio.run(meet())
    assert len(tokens) > 3


GUESSES = (
    "games ann WORD", "resign 1 NAME WORD", "move 1 NAME WORD b1", "set NAME WORD",
    "change password NAME WORD new-word-123",
    "change address NAME WORD x@y.example", "add NAME WORD x@y.example", "signoff NAME WORD", "delete NAME WORD",
    "message NAME WORD bob", "broadcast NAME WORD", "block NAME WORD bob", "record all NAME WORD", "showas NAME WORD",
    "take 1 NAME WORD", "lambo seek NAME WORD", "lambo challenge NAME bob WORD", "queue 1 NAME WORD a2,b3",
)  # fmt: skip


@pytest.mark.parametrize("line", GUESSES)
def test_nobody_finds_out_who_plays_here(line: str, prepared: Path, tmp_path: Path) -> None:
    """The same code, as much hashing, and no letter to the asker, for a player, a deleted one and nobody."""
    folder = tmp_path / "guess"
    shutil.copytree(prepared, folder)

    async def meet() -> list[tuple[str, int, int]]:
        server = Server(folder)
        server.writer.start()
        hashes = 0
        matches = server.auth._matches

        def counted(known: str, said: str) -> bool:
            nonlocal hashes
            hashes += 1
            return matches(known, said)

        server.auth._matches = counted
        seen = []
        for name in ("cat", "nobody", "gone-9"):
            before = hashes
            said = line.replace("NAME", name).replace("WORD", "a-wrong-word-1")
            status = await server.accept(server.mail("eve@evil.example", said, ""))
            to_eve = sum(str(letter["To"]) == "eve@evil.example" for _, _, letter in server.new_letters())
            seen.append((status, hashes - before, to_eve))
        await server.close()
        return seen

    known, *others = asyncio.run(meet())
    assert others == [known, known]
    assert known[2] == 0, "whoever guesses gets no letter"


def test_the_rows_are_distinct_and_many() -> None:
    assert len({(row.headers, row.body, row.mail_from, row.to, row.raw) for row in ROWS}) == len(ROWS)
    assert len(ROWS) >= 330  # the SMTP sessions are in test_sessions.py
    assert SERVER
