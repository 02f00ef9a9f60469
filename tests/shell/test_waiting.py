"""Mails without proof, from the reception through the queue to the end: what is answered when, what a fault leaves."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from mailbot.core import converse
from mailbot.shell.aside.unproved import Unproved
from mailbot.store import store as store_module
from mailbot.store import unproved
from tests.dialogues.play import Server
from tests.shell.test_reception import ANN, BOB, EVE, PASSWORDS, played


def waiting(server: Server) -> int:
    return int(server.db.execute("SELECT count(*) FROM unproved").fetchone()[0])


def test_it_is_answered_first_and_done_later(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        server.new_letters()
        assert (await server.reception.accept(server.mail(ANN, "games", ""))).value.startswith("250 ")
        assert (server.new_letters(), waiting(server)) == ([], 1)
        assert await server.reception.unproved.step()
        assert [kind for _, kind, _ in server.new_letters()] == ["look"]
        assert not await server.reception.unproved.step()

    played(test, tmp_path)


def test_a_mail_that_proves_something_does_not_wait(tmp_path: Path) -> None:
    """What stands beside it and is not proved does, if it is not the same player's."""

    async def test(server: Server) -> None:
        server.new_letters()
        said = f"games\nmove 1 ann {PASSWORDS['ann']} b1\nhelp"
        await server.reception.accept(server.mail(ANN, "multiple", said))
        assert (len(server.new_letters()), waiting(server)) == (2, 0), "one answer, and the board for bob"
        said = f"help\npropose 1 ann {PASSWORDS['ann']}\ngames"
        await server.reception.accept(server.mail(EVE, "multiple", said))
        told = [str(letter["To"]) for _, _, letter in server.new_letters()]
        assert (EVE not in told, waiting(server)) == (True, 1)
        await server.reception.unproved.step()
        assert [(kind, str(letter["To"])) for _, kind, letter in server.new_letters()] == [("newcomer", EVE)]

    played(test, tmp_path)


def test_the_text_goes_with_the_last_command(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        server.new_letters()
        said = f"lambo challenge me bob\nmessage ann {PASSWORDS['ann']} bob\nWell met."
        await server.accept(server.mail("bob@example.org", "", said))
        letters = server.new_letters()
        assert ["Well met." in letter.as_string() for _, kind, letter in letters if kind == "message"] == [True]
        others = [letter.as_string() for _, kind, letter in letters if kind not in ("message", "answer")]
        assert others and not any("Well met." in letter for letter in others)

    played(test, tmp_path)


def test_where_there_is_no_room_it_comes_again_and_moves_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unproved, "MAX_WAITING", 2)
    monkeypatch.setattr(unproved, "_share", lambda waiting: unproved.MAX_OF_ONE)

    async def test(server: Server) -> None:
        for _ in range(2):
            assert (await server.reception.accept(server.mail(EVE, "help", ""))).value.startswith("250 ")
        refused = server.mail(ANN, "games", "")
        for mail in (refused, server.mail(ANN, "resign 1", ""), server.mail(EVE, "", f"{'help ' * 3}")):
            assert (await server.reception.accept(mail)).value == "451 4.7.1 Not now, please try again later"
        both = server.mail(EVE, "multiple", f"help\nmove 1 ann {PASSWORDS['ann']} b1")
        assert (await server.reception.accept(both)).value.startswith("250 ")
        assert server.db.execute("SELECT count(*) FROM move").fetchone() == (1,), "a move does not wait for the others"
        told = [letter.as_string() for _, _, letter in server.new_letters() if letter["To"] == ANN]
        assert any("'help' was not done: too many mails" in " ".join(text.split()) for text in told)
        move = server.reply(BOB, server.letters[BOB][-1], "a2,a3")
        assert (await server.reception.accept(move)).value.startswith("250 ")
        server.new_letters()
        await server.accept(refused)
        while await server.reception.unproved.step():
            pass
        assert (await server.accept(refused)).startswith("250 ")
        assert "look" in [kind for _, kind, _ in server.new_letters()]

    played(test, tmp_path)


def test_a_flood_from_one_network_leaves_room_for_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused mails leave a notice each, which counts as well."""
    monkeypatch.setattr(unproved, "MAX_OF_ONE", 3)

    async def test(server: Server) -> None:
        async def answered(number: int, peer: str) -> str:
            who, subject = (ANN, "games") if number % 2 else (EVE, f"resign 1 ann wrong-horse-{number}")
            status = await server.reception.accept(replace(server.mail(who, subject, ""), peer=peer))
            await server.reception.settled()
            return status.value[:3]

        assert [await answered(number, f"203.0.113.{number}") for number in range(6)] == [
            *("550", "250", "550", "451", "550", "451"),
        ]
        assert waiting(server) == 3
        assert await answered(1, "192.0.2.9") == "250"
        assert await answered(1, "") == "250", "where nobody tells the network, there is no share"

    played(test, tmp_path)


def test_of_ten_lines_one_waits(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        lines = "\n".join(["help " + "xy " * 1300] * 10)
        assert (await server.reception.accept(server.mail(ANN, "multiple", lines))).value.startswith("250 ")
        assert waiting(server) == 1

    played(test, tmp_path)


def test_a_fault_of_the_machine_leaves_the_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(server: Server) -> None:
        server.new_letters()
        await server.reception.accept(server.mail(ANN, "games", ""))

        def fails(*_: object, **__: object) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL  # type: ignore[misc]
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(store_module.Store, "enter", fails)
            assert not await server.reception.unproved.step()
        assert (server.new_letters(), waiting(server)) == ([], 1)
        assert await server.reception.unproved.step()
        assert (len(server.new_letters()), waiting(server)) == (1, 0)

    played(test, tmp_path)


def test_a_fault_of_the_program_is_set_aside_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(server: Server) -> None:
        def fails(*_: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setattr(converse, "handle", fails)
            assert (await server.accept(server.mail(ANN, "games", ""))).startswith("250 ")
        assert waiting(server) == 0
        server.new_letters()
        await server.writer.do(lambda store: store.retry(1, server.time))
        assert [kind for _, kind, _ in server.new_letters()] == ["look"]

    played(test, tmp_path)


def test_a_row_waits_a_whole_step_at_least(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        for _ in range(2):
            await server.reception.accept(server.mail(EVE, "games", ""))
        second = unproved.newest(server.db)
        assert not await server.reception.unproved.step(second - 2)
        assert waiting(server) == 2, "both came after the last step"
        assert [await server.reception.unproved.step(second - 1) for _ in range(2)] == [True, False]
        assert waiting(server) == 1, "and one of them after this one"

    played(test, tmp_path)


def test_the_queue_is_served_until_the_server_stops(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        stop = asyncio.Event()
        served = Unproved(server.reception._reads, server.writer, lambda: server.time, b"k" * 32, 0.001)
        await server.reception.accept(server.mail(EVE, "help", ""))  # before it begins, as before a restart
        running = asyncio.create_task(served.run(stop))
        server.reception.unproved = served
        async with asyncio.timeout(20):
            for _ in range(3):
                while waiting(server):
                    await asyncio.sleep(0)
                await server.reception.accept(server.mail(EVE, "games", ""))
            stop.set()
            await running

    played(test, tmp_path)
