"""Long lists come in parts: 50 lines for a mail that proves nothing, 300 with proof, and the rest on demand."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from mailbot.core.model import Game, Seek
from mailbot.shell.console import postman
from mailbot.store import rows
from tests.dialogues.play import Server, serving

ANN = "ann@example.org"
GAMES = 130


def played(test: Callable[[Server], Awaitable[None]], folder: Path) -> None:
    """Runs the test where ann and bob play GAMES boards and make as many open offers."""

    async def begun(server: Server) -> None:
        for name, password in (("ann", "correct-horse-1"), ("bob", "battery-staple-2")):
            sender = f"{name}@example.org"
            await server.accept(server.mail(sender, f"signup {name} {password}", ""))
            server.new_letters()
            await server.accept(server.reply(sender, server.letters[sender][-1], "yes"))
        game = Game(0, "lambo", 1, 2, "running", 3, 0, 1, None, "", server.time, server.time)
        for i in range(1, GAMES + 1):
            board = game._replace(id=i, created=server.time + i, changed=server.time + i)
            seek = Seek(i, 1 + i % 2, "lambo", 0, server.time)
            await server.writer.do(lambda store, board=board, seek=seek: [rows.put(store.db, r) for r in (board, seek)])
        server.new_letters()

    serving(folder, begun, test)


async def asked(server: Server, subject: str, body: str = "") -> str:
    await server.accept(server.mail(ANN, subject, body))
    ((_, _, letter),) = server.new_letters()
    return postman.text(letter)


def numbers(text: str) -> list[int]:
    """The boards, or offers, that a table lists."""
    return [int(found) for found in re.findall(r"^ +(\d+)  lambo", text, re.MULTILINE)]


LISTS = ["games", "games ann", "games bob all", "lambo games ann next", "list", "list lambo", "seeks", "lambo seeks"]


@pytest.mark.parametrize("line", LISTS)
def test_all_lines_come_part_by_part(line: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        seen: list[int] = []
        again = line
        parts = []
        while again:
            text = await asked(server, again)
            parts.append(len(numbers(text)))
            seen += numbers(text)
            found = re.search(r"To list them:\n  (.*)", text)
            again = found[1] if found else ""
        assert parts == [50, 50, 30]
        assert sorted(seen) == list(range(1, GAMES + 1)), "each once"

    played(test, tmp_path)


def test_with_proof_there_are_more_lines(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        text = await asked(server, "multiple", "games\nset ann correct-horse-1 hints\nlist")
        assert len(numbers(text)) == 2 * GAMES
        await server.accept(server.mail(ANN, "lambo challenge ann bob", ""))
        server.new_letters()
        await server.accept(server.reply(ANN, server.letters[ANN][-1], "games"))
        ((_, kind, letter),) = server.new_letters()
        assert kind == "answer"
        assert len(numbers(postman.text(letter))) == GAMES + 1

    played(test, tmp_path)


def test_several_tables_share_the_lines_of_one_answer(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        text = await asked(server, "games ann bob ann ANN all")
        assert len(numbers(text)) == 50
        assert "bob has 130 boards (all), which do not fit into this letter." in " ".join(text.split())
        assert "  games bob all -from=1\n" in text
        assert "and none after them" in await asked(server, "games ann -from=900")

    played(test, tmp_path)


SHOWN = [
    ("show 1 2 3 4 5 6 7 8 9 10 11 12", "Not shown: 11, 12. Ask for them by number."),
    ("show 1 1 1 1 1 1 1 1 1 1 1 1 2", ""),
    ("history 1 2 3 4 5 6 7 8 9 10 11", "Not shown: 11. Ask for them by number."),
    ("show ann", "and 100 more. Ask for them by number."),
]


@pytest.mark.parametrize(("line", "told"), SHOWN)
def test_no_board_is_left_out_without_a_word(line: str, told: str, tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        text = " ".join((await asked(server, line)).split())
        assert told in text if told else "Not shown" not in text

    played(test, tmp_path)
