"""Letters that come back, from the report to the suspended address and back to life (E1, E2)."""

from pathlib import Path

from mailbot.core import tokens
from mailbot.core.tokens import Token
from mailbot.shell.smtp.wire import Envelope
from mailbot.store.returned import came_back
from tests.core.players.test_bounces import report
from tests.dialogues.play import Server
from tests.shell.test_reception import ANN, BOB, PASSWORDS, played


def envelope(server: Server, letter: int, content: bytes, *, key: bytes | None = None, player: int = 2) -> Envelope:
    """A report to the return path of a letter."""
    secret = key or next(iter(server.store.keys().values()))
    token = tokens.write(Token("b", player, letter, 0), secret, 1, tokens.BOUNCE_EPOCH)
    return Envelope("192.0.2.9", "", (server.own.bounce_address(token),), content)


def last_to(server: Server, who: str) -> int:
    found = server.db.execute("SELECT max(id) FROM outbox WHERE address = ?", (who,)).fetchone()
    return int(found[0])


def state(server: Server) -> str:
    return str(server.db.execute("SELECT state FROM address WHERE addr = ?", (BOB,)).fetchone()[0])


def hard(number: int) -> bytes:
    return report("Action: failed\r\nStatus: 5.1.1").replace(b"Undelivered", f"Undelivered {number}".encode())


def test_e1_a_dead_address_is_suspended_told_and_comes_back(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        for number in range(3):
            assert state(server) == "current"
            assert (await server.accept(envelope(server, letter, hard(number)))).startswith("250")
            await server.accept(envelope(server, letter, hard(number)))  # the same report again counts once
        assert state(server) == "suspended"
        told = {str(m["To"]): str(m["Subject"]) for _, _, m in server.new_letters()}
        assert told == {ANN: "bob cannot be reached", "operator@example.net": "mailbot needs you"}
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} b1", ""))
        assert [str(m["To"]) for _, _, m in server.new_letters()] == [ANN], "nothing goes to the dead address"
        await server.accept(server.mail(BOB, "games bob next", ""))
        assert state(server) == "suspended", "a From alone proves nothing"
        await server.accept(server.mail(BOB, f"set bob {PASSWORDS['bob']} hints on", ""))
        assert state(server) == "current"
        subjects = [str(m["Subject"]) for _, _, m in server.new_letters() if str(m["To"]) == BOB]
        assert "Lambo 1: ann - bob" in subjects, "the board that waits comes anew"

    played(test, tmp_path)


def test_e2_forged_reports_change_nothing(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        for number in range(5):
            await server.accept(envelope(server, letter, hard(number), key=b"x" * 32))
            await server.accept(envelope(server, letter, hard(number + 10), player=1, key=b"y" * 32))
            await server.accept(Envelope("192.0.2.9", "", (server.own.bounce_address(),), hard(number + 20)))
            away = (
                b"From: bob@example.org\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nGone "
                + str(number).encode()
            )
            await server.accept(envelope(server, letter, away + b"\r\n"))
        assert state(server) == "current"
        assert server.db.execute("SELECT count(*) FROM failing").fetchone() == (0,)
        assert server.new_letters() == []

    played(test, tmp_path)


def test_what_the_relay_says_counts_as_well(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        letter = last_to(server, BOB)
        for _ in range(3):
            await server.writer.do(lambda store: came_back(store, letter, "hard", server.time))
        assert state(server) == "suspended"

    played(test, tmp_path)
