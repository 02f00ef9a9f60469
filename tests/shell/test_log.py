"""What the log says about each mail, how the operator finds it again, and what the journal gets."""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from mailbot.core import converse
from mailbot.core.caps import Caps
from mailbot.core.mail import marks
from mailbot.shell.console import postman
from mailbot.shell.log.journal import Lines, is_journal
from mailbot.shell.smtp.wire import Envelope
from mailbot.store import admin
from tests.dialogues.play import OPERATOR, Server
from tests.shell.test_control import cli
from tests.shell.test_reception import ANN, BOB, EVE, PASSWORDS, played
from tests.shell.test_returned import envelope as report_to
from tests.shell.test_returned import hard, last_to

Make = Callable[[Server], Envelope]
WHO = PASSWORDS["ann"]
FILTER = Path(__file__).parents[2] / "config" / "fail2ban.conf"


def answer(server: Server, who: str = ANN, said: str = "b1", to: str = ANN) -> Envelope:
    return server.reply(who, [one for one in server.letters[to] if one["Reply-To"]][-1], said)


def damaged(server: Server) -> Envelope:
    good = answer(server)
    (box,) = good.rcpt_tos
    return replace(good, rcpt_tos=(box.replace("@", "2@"),))


def headed(server: Server, header: bytes) -> Envelope:
    mail = server.mail(ANN, "games", "")
    return replace(mail, content=header + b"\r\n" + mail.content)


LINES: list[tuple[str, Make, list[str]]] = [
    ("a move", answer, ["taken: move, board 1, letters 9 10"]),
    ("a look", lambda s: s.mail(ANN, "show 1", ""), ["kept: show, board 1", "taken: show, board 1, letter 9"]),
    (
        "several",
        lambda s: s.mail(ANN, "multiple", f"show 1\ngames ann {WHO}\nresign 9 ann {WHO}"),
        ["taken, 1 of 3 not done: show games resign, boards 1 9, letter 9"],
    ),
    ("refused by the rules", lambda s: answer(s, said="b9"), ["not done: move, board 1, letter 9"]),
    (
        "no proof",
        lambda s: s.mail(ANN, "resign 1", ""),
        ["kept: neither password nor reply token: resign, board 1", "told of it: letter 9"],
    ),
    (
        "a stranger's text",
        lambda s: s.mail(EVE, "hello", "there"),
        ["HOW: neither password nor reply token: unreadable"],
    ),
    (
        "a stranger's look",
        lambda s: s.mail(EVE, "show 1", ""),
        ["kept: show, board 1", "dropped: of no player, and nothing that a stranger may ask"],
    ),
    ("a damaged token", damaged, ["HOW: a reply token that is damaged or no longer good"]),
    (
        "a plus-address",
        lambda s: s.mail(ANN, "Hello", "a1", "mailbot+games@games.example.net"),
        ["HOW: a reply token that is damaged or no longer good"],
    ),
    (
        "another player's letter",
        lambda s: answer(s, who=BOB),
        ["HOW: a reply token of another player, board 1", "told of it: letter 9"],
    ),
    (
        "a wrong password",
        lambda s: s.mail(EVE, "resign 1 ann wrong-horse-9", ""),
        ["HOW: wrong password from SOURCE", "told of it: letter 9"],
    ),
    (
        "a wrong password of the operator",
        lambda s: s.mail(OPERATOR, "please", "admin wrong-horse-9 annul 1\nWhy."),
        [
            "HOW: wrong password from SOURCE, in the operator's name",
            "FRONT: dropped: neither password nor reply token: unreadable",
            "told of it: letter 9",
        ],
    ),
    ("a robot", lambda s: headed(s, b"Auto-Submitted: auto-replied"), ["dropped: auto-submitted"]),
    ("a broken one", lambda s: headed(s, b"From: x@y.example"), ["HOW: malformed: duplicate-header"]),
    (
        "for the operator",
        lambda s: s.mail(ANN, "help", "", "postmaster@games.example.net"),
        ["kept for the operator"],
    ),
    (
        "for both",
        lambda s: replace(damaged(s), rcpt_tos=(*damaged(s).rcpt_tos, "abuse@games.example.net")),
        ["kept for the operator", "not done: a reply token that is damaged or no longer good"],
    ),
    ("a report", lambda s: report_to(s, last_to(s, BOB), hard(1)), ["letter 8 came back: 5.1.1"]),
    (
        "a report on nothing",
        lambda s: Envelope("192.0.2.9", "", (s.own.bounce_address(),), hard(1)),
        ["a report on no letter of ours"],
    ),
]


@pytest.mark.parametrize("front_mta", [False, True])
@pytest.mark.parametrize(("name", "make", "lines"), LINES, ids=[row[0] for row in LINES])
def test_every_mail_leaves_a_line(
    name: str, make: Make, lines: list[str], front_mta: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    async def test(server: Server) -> None:
        mail = make(server)
        caplog.clear()
        await server.accept(mail)
        how = "dropped" if front_mta else "refused"
        said = [line.replace("HOW", how).replace("SOURCE", server.source) for line in lines]
        said = [line.removeprefix("FRONT: ") for line in said if front_mta or not line.startswith("FRONT: ")]
        assert [record.getMessage() for record in caplog.records] == [f"mail {mail.mark}: {line}" for line in said]
        for secret in ("@", "horse", "198.51.100.77"):
            assert secret not in caplog.text

    played(test, tmp_path, front_mta=front_mta)


def test_who_is_put_off_or_runs_in_circles_is_logged_as_such(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)

    async def test(server: Server) -> None:
        circling = headed(server, b"\r\n".join([b"Received: from a by b"] * 60))
        signup = server.mail(EVE, "signup eve canary-other-3", "")
        monkeypatch.setattr(server.budgets, "_caps", Caps(stranger_letters_per_hour=0))
        caplog.clear()
        assert (await server.accept(circling)).startswith("554 ")
        assert (await server.accept(signup)).startswith("451 ")
        assert [record.getMessage() for record in caplog.records] == [
            f"mail {circling.mark}: refused: hops",
            f"mail {signup.mark}: put off: the budget for signup is used up",
        ]

    played(test, tmp_path)


def test_letters_that_are_held_back_are_named_as_such(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def test(server: Server) -> None:
        caplog.clear()
        for number in range(2):
            await server.accept(server.mail(EVE, f"resign 1 ann wrong-horse-{number}", ""))
        for _ in range(6):
            await server.accept(server.mail("zoe@example.org", "help", ""))
        said = [record.getMessage().partition(": ")[2] for record in caplog.records]
        assert said.count("kept: help") == 6
        said = [line for line in said if line != "kept: help"]
        assert said[:3] == ["refused: wrong password from 192.0.2.7", "told of it: letter 9", said[0]]
        assert said[3:] == [f"taken: help, letter {number}" for number in range(10, 15)] + [
            "taken: help, held back: 1 letter"
        ]

    played(test, tmp_path)


def test_a_copy_is_seen_before(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def test(server: Server) -> None:
        mail = answer(server)
        await server.accept(mail)
        caplog.clear()
        await server.accept(mail)
        assert [record.getMessage() for record in caplog.records] == [f"mail {mail.mark}: seen before: move, board 1"]

    played(test, tmp_path)


def test_too_many_tries_are_logged_as_such_and_fail2ban_reads_both(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The filter as it is installed, with an address where fail2ban puts its own expression for one."""
    (pattern,) = re.findall(r"^failregex = (.+)$", FILTER.read_text(), re.MULTILINE)
    reads = re.compile(pattern.replace("<HOST>", r"(?P<host>[0-9a-f.:]+)"))
    caplog.set_level(logging.INFO)

    async def test(server: Server) -> None:
        caplog.clear()
        for number in range(6):
            await server.accept(server.mail(EVE, f"resign 1 ann wrong-horse-{number}", ""))
        await server.accept(replace(server.mail(EVE, "resign 1 bob wrong-horse-9", ""), peer="2001:db8::7"))
        await server.accept(replace(server.mail(EVE, "resign 1 bob wrong-horse-8", ""), peer=""))
        await server.accept(server.mail(EVE, "resign 1", "wrong password from 203.0.113.9"))
        warned = [record for record in caplog.records if record.levelno == logging.WARNING]
        said = [record.getMessage().partition(": ")[2].removeprefix("refused: ") for record in warned]
        assert said == [
            *["wrong password from 192.0.2.7"] * 5,
            "player 1 takes no password for a while: here",
            "too many tries with passwords from 192.0.2.7",
            "wrong password from 2001:db8::7",
            "wrong password from unknown",
        ]
        lines = [logging.Formatter("%(levelname)s %(name)s: %(message)s").format(record) for record in caplog.records]
        hosts = [found["host"] for found in map(reads.search, lines) if found]
        assert hosts == [*["192.0.2.7"] * 6, "2001:db8::7"]

    played(test, tmp_path)


def test_a_wrong_password_is_told_also_if_it_is_right_for_the_other_player(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A challenge names two players. Its sender must not be able to guess at the other one's password in silence."""

    async def test(server: Server) -> None:
        caplog.clear()
        server.new_letters()
        for size in range(20, 25):
            server.auth._cache.clear()  # as after an hour
            await server.accept(server.mail(EVE, f"lambo challenge -size={size} ann bob {PASSWORDS['bob']}", ""))
        warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
        assert [line.partition(": ")[2] for line in warned] == [
            *["wrong password from 192.0.2.7"] * 5,
            "player 1 takes no password for a while: here",
        ]
        told = [str(letter["Subject"]) for *_, letter in server.new_letters() if letter["To"] == ANN]
        assert "Your password is locked" in told
        assert "Wrong password for your name" in told

    played(test, tmp_path)


def test_a_mail_set_aside_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError(WHO)

    async def test(server: Server) -> None:
        mail = answer(server)
        with monkeypatch.context() as patch:
            patch.setattr(converse, "handle", fails)
            await server.accept(mail)
        assert f"mail {mail.mark}: set aside as 1: move, board 1, ZeroDivisionError" in caplog.text
        said = admin.show(server.db, "find", {"message": mail.mark}, server.time)
        assert "set aside as 1, tried 1 times, not done" in said
        await server.writer.do(lambda store: store.retry(1, server.time))
        said = admin.show(server.db, "find", {"message": mail.mark}, server.time)
        assert "set aside as 1, tried 2 times, done since" in said
        assert any(line.split()[2:5] == ["board", "1", "waiting"] for line in said)

    played(test, tmp_path)


# ---- the id, and what is found under it

CONTENTS = [
    (b"Message-ID: <a.7@home.example>\r\n\r\nx", "a.7@home.example"),
    (b"From: a@b.example\r\nMESSAGE-id:<a.7@home.example>\r\n\r\nx", "<a.7@home.example>"),
    (b"Message-ID:\r\n <a.7@home.example>\r\nTo: x\r\n\r\n", " <a.7@home.example>\n"),
    (b"Message-ID: <a b@home.example>\r\n\r\n", "<a b@home.example>"),
]


@pytest.mark.parametrize(("content", "asked"), CONTENTS)
def test_the_operator_can_work_the_id_out(content: bytes, asked: str) -> None:
    assert marks.wanted(asked) == marks.mark(content)
    assert marks.wanted(marks.mark(content)) == marks.mark(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Message-ID: \r\nTo: x\r\n\r\n",
        b"To: x\r\n\r\nMessage-ID: <in-the-text@x.example>",
        b"X-Message-ID: <x@x.example>\r\n\r\n",
        b"\xff\r\n\r\n",
    ],
)
def test_a_mail_without_a_message_id_has_an_id_of_its_own(content: bytes) -> None:
    assert re.fullmatch("[0-9a-f]{12}", marks.mark(content))
    assert marks.mark(content) != marks.mark(content + b"2")


FOUND: list[tuple[str, Make, list[str]]] = [
    ("a move", answer, ["seen: move, naming board 1", "Letters it caused:", "9 bob board 1 waiting", "10 ann board 1"]),
    ("a refused one", lambda s: answer(s, said="b9"), ["seen: move, naming board 1", "9 ann refused 1 waiting"]),
    ("a stranger's", lambda s: s.mail(EVE, "show 1", ""), ["seen: a stranger's, not answered", "It caused no letter."]),
    ("a report", lambda s: report_to(s, 5, hard(1)), ["seen: bounce mail, kept", "It caused no letter."]),
    ("a damaged token", damaged, ["The database knows nothing of it", "The log says which:\njournalctl -u mailbot"]),
    (
        "the operator's",
        lambda s: s.mail(OPERATOR, "x", "admin canary-referee-9 queue"),
        ["seen: admin queue", "9 - report waiting"],
    ),
]


@pytest.mark.parametrize(("name", "make", "parts"), FOUND, ids=[row[0] for row in FOUND])
def test_find(name: str, make: Make, parts: list[str], tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        mail = make(server)
        await server.accept(mail)
        lines = admin.show(server.db, "find", {"message": mail.mark}, server.time)
        assert lines[0] == f"mail {mail.mark}"
        said = "\n".join(" ".join(line.split()) for line in lines)
        assert [part for part in parts if part not in said] == []
        assert "@" not in said
        assert max(map(len, lines)) <= 78

    played(test, tmp_path)


def test_find_on_the_command_line_and_by_mail(tmp_path: Path) -> None:
    marked: list[str] = []

    async def test(server: Server) -> None:
        mail = answer(server)
        marked.append(mail.mark)
        await server.accept(mail)
        server.new_letters()
        message_id = f"<mail-{server.count}@example.org>"
        marked.append(message_id)
        await server.accept(server.mail(OPERATOR, "x", f"admin canary-referee-9 find {message_id}"))
        ((_, _, letter),) = server.new_letters()
        assert f"mail {mail.mark}" in postman.text(letter)

    played(test, tmp_path)
    (tmp_path / "test.sqlite").rename(tmp_path / "db")
    for asked in marked:
        code, said = cli(tmp_path, "admin", "find", asked)
        assert (code, said.split("\n")[0]) == (0, f"mail {marked[0]}")
    assert cli(tmp_path, "admin", "find", " ")[0] == 1


# ---- how the lines are written


def record(
    level: int, said: str, name: str = "mailbot.reception", error: BaseException | None = None
) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord(name, level, "x.py", 1, said, (), info)


WRITTEN = [
    (logging.DEBUG, "<7>DEBUG"),
    (logging.INFO, "<6>INFO"),
    (logging.WARNING, "<4>WARNING"),
    (logging.ERROR, "<3>ERROR"),
    (logging.CRITICAL, "<2>CRITICAL"),
]


@pytest.mark.parametrize(("level", "front"), WRITTEN)
def test_the_journal_gets_priorities(level: int, front: str) -> None:
    assert Lines(True).format(record(level, "a\nb")) == f"{front} mailbot.reception: a | b"
    assert Lines(False).format(record(level, "a")) == f"{front[3:]} mailbot.reception: a"


def test_nothing_of_an_exception_but_its_place() -> None:
    try:
        raise ValueError("canary-horse-1")
    except ValueError as error:
        said = Lines(False).format(record(logging.ERROR, "Task\nfuture: canary-horse-1", "asyncio", error))
    assert re.fullmatch(r"ERROR asyncio: Task \(ValueError at test_log\.py:\d+\)", said)


def test_only_the_stream_of_the_journal_gets_them(tmp_path: Path) -> None:
    with (tmp_path / "a").open("w") as stream, (tmp_path / "b").open("w") as other:
        there = (tmp_path / "a").stat()
        environ = {"JOURNAL_STREAM": f"{there.st_dev}:{there.st_ino}"}
        assert [is_journal(one, environ) for one in (stream, other, StringIO())] == [True, False, False]
        assert not is_journal(stream, {})
