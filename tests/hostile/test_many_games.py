"""Very many games of one player: listing them makes nobody wait, and nobody can start that many in a day."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.family import Onward
from engine.hex.hexgames import Hexes
from mailbot.core.caps import DEFAULTS
from mailbot.store.rows import put
from tests.dialogues.play import Server
from tests.shell.test_reception import ANN, PASSWORDS, played

GAMES = 3000


def test_a_list_reads_what_it_shows(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        def fill() -> None:
            server.store.begin()
            found = server.store.db.execute("SELECT max(id) FROM game").fetchone()[0]
            game = server.reception._reads.game(found)
            assert game
            for number in range(GAMES):
                over = game._replace(id=found + 1 + number, state="over", winner=1, changed=game.changed + number)
                put(server.store.db, over)
            server.store.commit()

        fill()
        reads: list[str] = []
        server.store.db.conn.set_trace_callback(reads.append)
        await server.accept(server.mail(ANN, "games ann all", ""))
        server.store.db.conn.set_trace_callback(None)
        assert not [sql for sql in reads if "state IN" in sql and "'over'" in sql]
        (letter,) = [letter for _, _, letter in server.new_letters() if "Boards of ann" in str(letter["Subject"])]
        assert f"{GAMES - 49} more" in " ".join(str(letter.get_body().get_content()).split())  # type: ignore[attr-defined]

    played(test, tmp_path)


def test_boards_a_day(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        server.store.caps = replace(DEFAULTS, boards_per_day=3)  # one has begun already
        for _ in range(3):
            await server.accept(server.mail(ANN, f"lambo challenge ann bob {PASSWORDS['ann']}", ""))
        subjects = [str(letter["Subject"]) for _, _, letter in server.new_letters() if letter["To"] == ANN]
        assert subjects[-1] == "Not done"
        assert "Not done" not in subjects[:-1]
        await server.clock(86_400)
        await server.accept(server.mail(ANN, f"lambo challenge ann bob {PASSWORDS['ann']}", ""))
        assert "Not done" not in [str(letter["Subject"]) for _, _, letter in server.new_letters()]

    played(test, tmp_path)


def test_turns_that_follow_one_another_are_played_on_one_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten mails' worth of queues in one mail laid the tiles of ten boards 170 times anew."""
    boards: list[int] = []
    onward = Hexes.onward

    def counted(family: Hexes, rules: str, played: Sequence[str]) -> Onward:
        boards.append(len(played))
        return onward(family, rules, played)

    async def test(server: Server) -> None:
        monkeypatch.setattr(Hexes, "onward", counted)
        bob, queue = "bob@example.org", "if c2 then a3,b12 if c26,b11 then b24,c10"
        await server.accept(server.mail(bob, f"queue 1 bob {PASSWORDS['bob']} {queue}", ""))
        await server.accept(server.mail(ANN, f"queue 1 ann {PASSWORDS['ann']} if a3,b12 then c26,b11", ""))
        boards.clear()
        await server.accept(server.mail(ANN, f"move 1 ann {PASSWORDS['ann']} c2", ""))
        assert server.db.execute("SELECT ply FROM game").fetchone() == (4,)
        assert boards == [0]

    played(test, tmp_path)
