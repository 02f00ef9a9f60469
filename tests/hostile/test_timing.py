"""Time must not reveal who plays here: before its answer, and right after it, a mail that proves nothing costs the same
whether it is about somebody or nobody. The cost is the SQL that is run and the passwords that are hashed;
`bench/timing.py` has the clock."""

import asyncio
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mailbot.shell.smtp.wire import Envelope, Status
from mailbot.store import unproved
from tests.dialogues.play import OPERATOR, PASSWORDS, Server
from tests.hostile.rows import ANN, EVE
from tests.hostile.test_corpus import changed, prepared

__all__ = ["prepared"]

SENDERS = (
    "list", "games", "games ann", "games nobody", "seeks", "standings", "rating", "rating ann", "lambo standings",
    "show 1", "show 99", "history 1", "record 1",
    "preview 1 b1", "lambo challenge me bob", "lambo challenge ann bob", "help", "help lambo", "forgot ann",
    "forgot nobody", "signup newname a-new-word-1", "signup ann a-new-word-1", "signup newname", "resign 1",
    "move 1 b1", "message bob", "delete", "hello", "", "games\nlist\nseeks", "resign 1 me wrong-word-1",
    "move 1 me wrong-word-1 b1", "frobnicate 1 ann wrong-word-1",
)  # fmt: skip
NAMES = (
    "games NAME", "rating NAME", "forgot NAME", "signup NAME a-new-word-1", "signup NAME", "show NAME",
    "lambo challenge NAME bob",
    "move 1 NAME wrong-word-1 b1", "lambo challenge NAME cat wrong-word-1", "forgot NAME\nforgot NAME",
    "set NAME wrong-word-1", "delete NAME wrong-word-1", "lambo challenge NAME bob\nset NAME wrong-word",
)  # fmt: skip


class Watched(Server):
    """A server that writes down what it costs to answer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.cost: list[str] = []
        self.db.conn.set_trace_callback(self._ran)
        self.store.db.conn.set_trace_callback(self._ran)
        matches = self.auth._matches
        self.auth._matches = lambda known, said: self.cost.append("hash") or matches(known, said)  # type: ignore[func-returns-value]

    def _ran(self, sql: str) -> None:
        """The statement without its values."""
        self.cost.append(re.sub(r"'(?:[^']|'')*'|x'[0-9a-f]*'|\b\d+\b", "?", sql, flags=re.IGNORECASE))

    async def answer(self, mail: Envelope) -> tuple[str, list[str]]:
        """The answer, and what was done for it and right behind it, but for what waits for its turn."""
        self.cost.clear()
        status = await self.reception.accept(mail)
        await self.reception.settled()
        return status.value, list(self.cost)


def same(prepared: Path, folder: Path, mails: Callable[[Server], tuple[Envelope, ...]], *, later: bool = True) -> None:
    """All these mails, each on a server of its own, are answered alike at the same cost. `later`: they prove nothing
    and are done later."""

    async def one(number: int) -> tuple[str, list[str]]:
        shutil.copytree(prepared, folder / str(number))
        server = Watched(folder / str(number))
        server.writer.start()
        try:
            return await server.answer(mails(server)[number])
        finally:
            await server.close()

    async def meet() -> None:
        first, *others = [await one(number) for number in range(2)]
        assert others == [first]
        if not later:
            return
        kept = any("unproved" in sql for sql in first[1])
        assert kept != (first[0] == Status.NO_COMMAND.value), "it is kept, not done; without a command it is refused"

    asyncio.run(meet())


@pytest.mark.parametrize("said", SENDERS)
def test_a_sender_who_plays_here_and_one_who_does_not(said: str, prepared: Path, tmp_path: Path) -> None:
    subject, _, body = said.partition("\n")
    same(prepared, tmp_path, lambda server: (server.mail(ANN, subject, body), server.mail(EVE, subject, body)))


@pytest.mark.parametrize("said", NAMES)
def test_a_name_that_is_a_players_and_one_that_is_nobodys(said: str, prepared: Path, tmp_path: Path) -> None:
    def mails(server: Server) -> tuple[Envelope, ...]:
        subject, _, body = said.partition("\n")
        return tuple(
            server.mail(EVE, subject.replace("NAME", name), body.replace("NAME", name)) for name in ("bob", "eva")
        )

    same(prepared, tmp_path, mails)


@pytest.mark.parametrize("said", [*NAMES, "help NAME", "preview 1 NAME", "NAME"])
def test_a_long_name_that_is_looked_up_before_it_is_hidden(said: str, prepared: Path, tmp_path: Path) -> None:
    """christopher has an account, and stands on no board."""

    def mails(server: Server) -> tuple[Envelope, ...]:
        subject, _, body = said.partition("\n")
        db = server.store.db
        rest = [row[1] for row in db.execute("PRAGMA table_info(player)").fetchall()]
        columns = ", ".join({"id": "99", "userid": "'christopher'"}.get(name, name) for name in rest)
        db.execute(f"INSERT OR IGNORE INTO player SELECT {columns} FROM player WHERE userid = 'cat'")
        return tuple(
            server.mail(EVE, subject.replace("NAME", name), body.replace("NAME", name))
            for name in ("christopher", "nobodythere")
        )

    same(prepared, tmp_path, mails)


def test_an_opponents_name_at_a_forged_address_counts_as_at_any_other(prepared: Path, tmp_path: Path) -> None:
    """The password is bob's own. Whether it was first compared with ann's would show whether she plays at the From."""

    def mails(server: Server) -> tuple[Envelope, ...]:
        line = f"lambo challenge -size=1 bob ann {PASSWORDS['bob']}"
        return tuple(server.mail(sender, line, "") for sender in (ANN, EVE))

    same(prepared, tmp_path, mails, later=False)


def test_a_lock_at_a_forged_address_shows_no_userid(prepared: Path, tmp_path: Path) -> None:
    """Wrong passwords for `me` lock the address. If they locked its userid, one wrong password for each userid would
    then show whose address it is."""

    async def meet() -> None:
        costs = []
        for number, sender in enumerate((ANN, EVE)):
            shutil.copytree(prepared, tmp_path / str(number))
            server = Watched(tmp_path / str(number))
            server.source = "203.0.113.66"
            server.writer.start()
            try:
                for tried in range(6):
                    await server.answer(server.mail(sender, "resign 1 me wrong-word-1", f"{tried}"))
                costs.append(await server.answer(server.mail(EVE, "resign 1 ann wrong-word-1", "")))
                costs.append(await server.answer(server.mail(sender, "resign 1 me wrong-word-1", "6")))
            finally:
                await server.close()
        assert costs[0] == costs[2] and "hash" in costs[0][1]
        assert costs[1] == costs[3] and "hash" not in costs[1][1], "the address is locked"

    asyncio.run(meet())


@pytest.mark.parametrize("change", ["player 2", "board 2", "another mac"])
def test_a_reply_address_of_a_player_and_of_nobody(change: str, prepared: Path, tmp_path: Path) -> None:
    def mails(server: Server) -> tuple[Envelope, ...]:
        server.new_letters()
        token = str(server.letters[ANN][-1]["Reply-To"])
        return tuple(server.mail(ANN, "Re: Lambo 1", "b1", changed(token, to)) for to in (change, "player 77"))

    same(prepared, tmp_path, mails)


def test_the_operators_address_and_another_one(prepared: Path, tmp_path: Path) -> None:
    async def meet() -> None:
        costs = []
        for number, sender in enumerate((OPERATOR, EVE, ANN)):
            shutil.copytree(prepared, tmp_path / str(number))
            server = Watched(tmp_path / str(number))
            server.writer.start()
            answers = [await server.answer(server.mail(sender, "x", f"admin wrong-{i} games")) for i in range(8)]
            costs.append(answers)
            await server.close()
        assert costs[0] == costs[1] == costs[2]
        assert (Status.NOT_ACCEPTED.value, ["hash"]) in [(answer, cost[:1]) for answer, cost in costs[0]]

    asyncio.run(meet())


def test_the_next_mail_meets_nothing_of_it(prepared: Path, tmp_path: Path) -> None:
    """What another connection sends at once is answered before anything is done for the one before."""

    async def meet() -> None:
        shutil.copytree(prepared, tmp_path / "one")
        server = Watched(tmp_path / "one")
        server.writer.start()
        for mail in (server.mail(ANN, "resign 1", ""), server.mail(ANN, "list", ""), server.mail(EVE, "help", "")):
            await server.answer(mail)
        _, cost = await server.answer(server.mail(EVE, "", ""))
        assert not any("outbox" in sql or "game" in sql for sql in cost)
        assert unproved.first(server.db) is not None
        await server.close()

    asyncio.run(meet())
