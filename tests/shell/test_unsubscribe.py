"""List headers of unrequested letters, and the mail that a program sends to stop them (F1)."""

from collections.abc import Awaitable, Callable
from email.message import Message
from pathlib import Path
from urllib.parse import unquote

from mailbot.shell.console import postman
from tests.dialogues.play import Server, serving

ANN, BOB = "ann@example.org", "bob@example.org"
Steps = Callable[[Server], Awaitable[None]]


def played(folder: Path, steps: Steps) -> None:
    serving(folder, begun, steps)


async def begun(server: Server) -> None:
    for who, password in ((ANN, "correct-horse-1"), (BOB, "battery-staple-2")):
        await server.accept(server.mail(who, f"signup {who[:3]} {password}", ""))
        await server.accept(server.reply(who, newest(server, who), "yes"))
    await server.accept(server.mail(ANN, "lambo challenge ann bob correct-horse-1", ""))
    await server.accept(server.reply(BOB, newest(server, BOB), "accept"))


def newest(server: Server, who: str) -> Message:
    server.new_letters()
    return server.letters[who][-1]


def stop_address(letter: Message) -> str:
    return unquote(str(letter["List-Unsubscribe"]).removeprefix("<mailto:").partition("?")[0])


def test_news_says_how_to_stop_it_and_answers_do_not(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        news, answer = newest(server, ANN), newest(server, BOB)
        assert str(news["List-Id"]) == "<lambo.mailbot.games.example.net>"
        assert str(news["List-Help"]) == "<mailto:mailbot@games.example.net?subject=help>"
        assert stop_address(news).startswith("mailbot+u1-")
        assert not any(name.lower().startswith("list-") for name in answer)

    played(tmp_path, steps)


def test_a_program_stops_the_letters_from_whatever_address_it_uses(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        assert await server.accept(server.mail("robot@mailer.example", "unsubscribe", "", to)) == "250 2.0.0 Accepted"
        said = newest(server, ANN)
        assert "no more letters" in postman.text(said)
        await server.accept(server.mail(ANN, "move 1 ann correct-horse-1 b1", ""))
        before = len(server.letters[ANN])
        await server.accept(server.reply(BOB, newest(server, BOB), "a2,c3"))
        assert len(server.letters[ANN]) - before == 1, "the answer to the own move, not the news"
        await server.accept(server.mail("robot@mailer.example", "unsubscribe", "", to))
        server.new_letters()
        assert len(server.letters[ANN]) - before == 1, "told once"

    played(tmp_path, steps)


def test_the_address_serves_after_a_new_password_and_only_unchanged(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        to = stop_address(newest(server, ANN))
        await server.accept(server.mail(ANN, "change password ann correct-horse-1 another-word-9", ""))
        other = to.replace("u1-", "u1-2", 1) if "u1-1" in to else to.replace("u1-2", "u1-1")
        assert (await server.accept(server.mail("robot@mailer.example", "", "", other))).startswith("550")
        assert (await server.accept(server.mail("robot@mailer.example", "", "", to))).startswith("250")

    played(tmp_path, steps)
