"""The operator by mail: who may give orders, what is kept of an order, and how the password is made."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from stat import S_IMODE

import pytest

from mailbot.core.operator import orders
from mailbot.shell.config.load import ConfigError
from mailbot.shell.config.settings import OperatorSection
from mailbot.shell.console import postman
from mailbot.shell.proof import passwords
from mailbot.shell.proof.operator import Operator, configured
from mailbot.shell.smtp.wire import Envelope
from tests.dialogues.play import DOMAIN, OPERATOR, OPERATORS_PASSWORD, Server
from tests.shell.test_control import cli
from tests.shell.test_reception import ANN, BOB, PASSWORDS, played

ORDER = f"admin {OPERATORS_PASSWORD} annul 1\nWhy not."


READ = [
    ("admin pw show 1", "show", {"board": "1", "why": ""}, ""),
    ("\n  ADMIN pw End 1 draw\n\nOne.\n\nTwo.\n", "end", {"board": "1", "winner": "draw", "why": "One.\n\nTwo."}, ""),
    ("admin pw back 1 2\nr", "back", {"board": "1", "plies": "2", "why": "r"}, ""),
    ("admin pw games ann over", "games", {"player": "ann", "state": "over", "why": ""}, ""),
    ("admin pw show", "show", {}, "I need: admin PASSWORD show board."),
    ("admin pw queue now", "queue", {}, "I need: admin PASSWORD queue."),
    ("admin pw lock", "lock", {}, "I need: admin PASSWORD lock userid; the reason goes on the lines below."),
    ("admin pw password x", "", {}, f"After the password I need one of: {', '.join(orders.FORMS)}."),
    (
        "admin pw lock bob\nadmin pw end 1 draw\nRude.",
        "lock",
        {},
        "One mail is one order, and yours has a second line that begins with admin.",
    ),
]


@pytest.mark.parametrize(("text", "name", "words", "trouble"), READ)
def test_an_order_is_read(text: str, name: str, words: dict[str, str], trouble: str) -> None:
    order = orders.read(text)
    assert order == orders.Order("pw", name, words, trouble)
    assert "pw" not in repr(order)


@pytest.mark.parametrize("text", ["", "admin", "administer pw end 1", "hello\nadmin pw end 1", "> admin pw end 1"])
def test_no_order(text: str) -> None:
    assert orders.read(text) is None


def from_operator(server: Server, *, to: str = "", date: str = "", subject: str = "please") -> Envelope:
    envelope = server.mail(OPERATOR, subject, ORDER, to)
    content = envelope.content
    if date:
        content = b"\n".join(
            b"Date: " + date.encode() if line.startswith(b"Date:") else line for line in content.split(b"\n")
        )
    return Envelope(envelope.peer, envelope.mail_from, envelope.rcpt_tos, content)


def test_strangers_do_not_lock_the_operator_at_home(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        listed = server.mail(OPERATOR, "please", f"admin {OPERATORS_PASSWORD} queue")
        assert (await server.accept(listed)).startswith("250 ")
        for number in range(60):
            server.source = f"10.0.{number}.1"
            await server.accept(server.mail(OPERATOR, "please", f"admin wrong-{number} annul 1\nWhy not."))
        assert (await server.accept(from_operator(server))).startswith("550 5.7.8")
        server.source = "192.0.2.7"
        assert (await server.accept(from_operator(server))).startswith("250 ")

    played(test, tmp_path)


def winner(server: Server) -> object:
    return server.db.execute("SELECT state, winner FROM game").fetchone()


def test_guesses_are_limited_and_the_operator_has_a_way_out(tmp_path: Path) -> None:
    """After five wrong passwords not even the right one is heard, until the operator answers the letter about it."""

    async def test(server: Server) -> None:
        for number in range(5):
            wrong = server.mail(OPERATOR, "please", f"admin wrong-{number} annul 1\nWhy not.")
            assert (await server.accept(wrong)).startswith("550 5.7.8")
        assert (await server.accept(from_operator(server))).startswith("550 5.7.8")
        assert winner(server) == ("running", None)
        letters = [letter for _, _, letter in server.new_letters() if letter["To"] == OPERATOR]
        subjects = [str(letter["Subject"]) for letter in letters]
        assert subjects == ["Wrong password for your name", "Your password is locked"], "told at once, once"
        stolen = server.reply(ANN, letters[1], "")
        assert (await server.accept(stolen)).startswith("550 5.7.8"), "only the operator's address may answer it"
        answer = server.reply(OPERATOR, letters[1], "")
        for _ in range(2):
            assert (await server.accept(answer)).startswith("250 ")
        said = [postman.text(letter) for _, _, letter in server.new_letters() if letter["To"] == OPERATOR]
        assert len(said) == 1
        assert "can be used again" in said[0]
        server.source = "203.0.113.9"
        assert (await server.accept(server.reply(OPERATOR, letters[1], "here, too"))).startswith("250 ")
        assert "served already" in postman.text(server.new_letters()[-1][2])
        server.source = "192.0.2.7"
        assert (await server.accept(from_operator(server))).startswith("250 ")
        assert winner(server) != ("running", None)

    played(test, tmp_path)


def test_an_old_order_is_not_carried_out(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        assert (await server.accept(from_operator(server, date="Sun, 01 Feb 2026 12:00:00 +0000"))).startswith("550 ")
        assert winner(server) == ("running", None)
        assert (await server.accept(from_operator(server))).startswith("250 ")
        assert winner(server) == ("over", None)

    played(test, tmp_path)


def test_without_a_password_configured_there_are_no_orders(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        server.reception._operator = None
        assert (await server.accept(from_operator(server))).startswith("550 5.7.1")
        assert winner(server) == ("running", None)

    played(test, tmp_path)


def test_an_answer_to_somebodys_letter_is_no_order(tmp_path: Path) -> None:
    """A reply token speaks for a player's turn, and only a player of it is heard."""

    async def test(server: Server) -> None:
        letter = next(letter for letter in reversed(server.letters[ANN]) if letter["Reply-To"])
        assert (await server.accept(server.reply(OPERATOR, letter, ORDER))).startswith("550 ")
        assert winner(server) == ("running", None)

    played(test, tmp_path)


COMMENT = "admin password thing was funny, was it not?\nYour move!"


@pytest.mark.parametrize("front_mta", [False, True])
@pytest.mark.parametrize(
    ("subject", "taken"),
    [
        (f"lambo move 1 ann {PASSWORDS['ann']} b1", True),
        (f"move 1 ann {PASSWORDS['ann']} b1", True),
        (f"Re: lambo move 1 ann {PASSWORDS['ann']} b1", True),
        (f"lambo moev 1 ann {PASSWORDS['ann']} b1", True),
        (f"lambo move 1 ann {PASSWORDS['ann']} b1 please", False),
        ("lambo move 1 b1", False),
        ("Re: Lambo 1: ann - bob", False),
        ("hello", False),
    ],
)
def test_words_of_a_player_that_begin_with_admin_are_no_order(
    subject: str, taken: bool, front_mta: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The Subject decides. Nothing is guessed, and the player hears what became of the mail."""

    async def steps(server: Server) -> None:
        said = await server.accept(server.mail(ANN, subject, COMMENT))
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (int(taken),)
        letters = [(str(letter["To"]), postman.text(letter)) for _, _, letter in server.new_letters()]
        assert said.startswith("550 ") or ANN in [to for to, _ in letters], "the player hears of it"
        assert OPERATOR not in [to for to, _ in letters]
        if taken:
            assert any(to == BOB and "| admin password thing was funny" in text for to, text in letters)

    played(steps, tmp_path, front_mta=front_mta)
    assert ("in the operator's name" in caplog.text) == (subject == "hello"), "a guess"


def test_the_password_is_nowhere_on_the_disk_or_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def test(server: Server) -> None:
        for mail in (
            from_operator(server),
            from_operator(server, to=f"postmaster@{DOMAIN}"),
            from_operator(server, subject=f"admin {OPERATORS_PASSWORD} queue"),
            server.mail(ANN, "please", ORDER),
            server.mail(ANN, "show 1", ORDER),
        ):
            both = Envelope(mail.peer, mail.mail_from, (*mail.rcpt_tos, f"abuse@{DOMAIN}"), mail.content)
            assert (await server.accept(both)).startswith("250 ")
        assert server.db.execute("SELECT count(*) FROM operator_mail").fetchone() > (3,)
        for path in tmp_path.iterdir():
            assert OPERATORS_PASSWORD.encode() not in path.read_bytes(), path.name

    with caplog.at_level(logging.DEBUG):
        played(test, tmp_path)
    assert OPERATORS_PASSWORD not in caplog.text
    assert OPERATOR not in caplog.text


# ---- the password


def test_a_password_is_made_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "hash"
    file.write_text("$argon2id$" + "longer-than-a-hash" * 10)
    file.chmod(0o644)
    code, said = cli(tmp_path, "admin", "password", str(file))
    made = said.split("shown only now: ")[1].split()[0]
    assert code == 0
    assert S_IMODE(file.stat().st_mode) == 0o600
    assert passwords.matches(file.read_text().strip(), made)
    assert configured(OperatorSection(OPERATOR, file), {}) == Operator(OPERATOR, file.read_text().strip())
    assert cli(tmp_path, "admin", "password", str(tmp_path / "none" / "hash"))[0] == 1
    other = tmp_path / "restic-password"
    other.write_text("of the backups")
    for held in ("of the backups", f"{file.read_text()}{file.read_text()}"):
        other.write_text(held)
        code, said = cli(tmp_path, "admin", "password", str(other))
        assert code == 1 and "holds something else" in said and other.read_text() == held
    os.mkfifo(tmp_path / "pipe")
    assert cli(tmp_path, "admin", "password", str(tmp_path / "pipe"))[0] == 1


CONFIGURED: list[tuple[str | None, str | None, str | None, object]] = [
    (OPERATOR, None, None, None),
    (None, None, None, None),
    (OPERATOR, "$argon2id$x", None, "$argon2id$x"),
    (OPERATOR, None, "$argon2id$y", "$argon2id$y"),
    (OPERATOR, "$argon2id$x", "$argon2id$y", "$argon2id$x"),
    (OPERATOR, "my-password", None, "holds no hash"),
    (None, "$argon2id$x", None, "no address from which"),
]


@pytest.mark.parametrize(("address", "file", "handed", "expected"), CONFIGURED)
def test_who_may_give_orders(
    address: str | None, file: str | None, handed: str | None, expected: object, tmp_path: Path
) -> None:
    (tmp_path / "named").write_text(f"{file}\n")
    if handed:
        (tmp_path / "operator-password").write_text(f"{handed}\n")
    section = OperatorSection(address, tmp_path / "named" if file else None)
    environ: Mapping[str, str] = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    if expected is None or str(expected).startswith("$"):
        found = configured(section, environ)
        assert (found and found.password_hash) == expected
    else:
        with pytest.raises(ConfigError, match=str(expected)) as refused:
            configured(section, environ)
        assert "my-password" not in str(refused.value)


def test_a_hash_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read from"):
        configured(OperatorSection(OPERATOR, tmp_path / "none"), {})
