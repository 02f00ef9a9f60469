"""What is done after the answer to a mail without proof: as many letters of the same kinds are written whoever sent it,
and what nobody is to get leaves no trace. Whoever pings the server sees how long its work takes."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mailbot.core.caps import DEFAULTS
from mailbot.core.converse import Answer
from mailbot.core.world import Request
from mailbot.store.outbox import Entry, entry
from mailbot.store.posting import Caused
from mailbot.store.reads import Reads
from mailbot.store.store import Store
from tests.dialogues.play import PASSWORDS, Server
from tests.hostile.rows import ANN, BOB, CAT, EVE
from tests.hostile.test_corpus import prepared
from tests.hostile.test_timing import SENDERS

__all__ = ["prepared"]


class Written(Server):
    """A server that writes down which letters it writes for nobody."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.rehearsed: list[Entry] = []
        self.reception.unproved.rehearsals.write = self.rehearsed.append  # type: ignore[assignment]
        self.writer.start()

    def dump(self) -> list[str]:
        """The database, but for what was noted of the mail itself."""
        noted = ('"seen"', '"unproved"', "VALUES('unproved'")
        return [line for line in self.db.conn.iterdump() if not any(one in line for one in noted)]

    def letters_for_somebody(self) -> list[str]:
        numbers = self.db.execute("SELECT id FROM outbox ORDER BY id").fetchall()
        return [entry(self.db, number).template for (number,) in numbers]

    async def done(self, sender: str, subject: str, body: str = "", to: str = "") -> list[str]:
        """The templates of all letters that this mail makes the server write."""
        before = len(self.letters_for_somebody())
        self.rehearsed.clear()
        await self.reception.accept(self.mail(sender, subject, body, to))
        await self.reception.settled()
        while await self.reception.unproved.step():
            pass
        return sorted([*self.letters_for_somebody()[before:], *(row.template for row in self.rehearsed)])


async def each(prepared: Path, folder: Path, *mails: tuple[str, str, str]) -> list[list[str]]:
    """What these mails make, each on a server of its own."""
    found = []
    for number, mail in enumerate(mails):
        shutil.copytree(prepared, folder / str(number))
        server = Written(folder / str(number))
        try:
            found.append(await server.done(*mail))
        finally:
            await server.close()
    return found


PROVED_BY_NOBODY = [said for said in SENDERS if "wrong-word" not in said and said not in ("hello", "", "delete")]


@pytest.mark.parametrize("said", PROVED_BY_NOBODY)
def test_the_same_letters_are_written_whoever_sends_the_mail(said: str, prepared: Path, tmp_path: Path) -> None:
    """ann plays on board 1, cat does not, and eve plays nowhere."""
    subject, _, body = said.partition("\n")
    ann, cat, eve = asyncio.run(each(prepared, tmp_path, *((who, subject, body) for who in (ANN, CAT, EVE))))
    assert ann == cat == eve
    assert bool(eve) == (said != "forgot nobody")


# said, and what is answered: mails that a cap ends sooner for the one or the other
AGAIN = [
    ("help", ""),
    ("show 99", ""),
    ("resign 1 me wrong-word-1", ""),
    ("Re: Lambo 1", "mailbot+p1-{0}-1-9-aaaaaaaaaaaaaaaaaaaa@games.example.net"),
]


@pytest.mark.parametrize(("said", "to"), AGAIN, ids=["help", "no board", "wrong password", "token"])
def test_caps_end_the_letters_of_a_player_and_of_nobody_alike(
    said: str, to: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven mails each. The numbers of players in a damaged reply address are tried one after the other. The stand-in
    is somebody else; of many players it is."""
    monkeypatch.setattr(Reads, "stand_in", lambda self, number, but: self.player_named("cat"))

    async def meet() -> None:
        found = []
        for number, sender in enumerate((ANN, EVE)):
            shutil.copytree(prepared, tmp_path / str(number))
            server = Written(tmp_path / str(number))
            found.append([await server.done(sender, said, f"{n}" * bool(to), to.format(n % 4)) for n in range(7)])
            await server.close()
        assert found[0] == found[1] and any(found[0])

    asyncio.run(meet())


@pytest.mark.parametrize("said", ["show 1 2", "show 2", "games bob ann", "games bob cat ann", "games ann"])
def test_offers_that_only_two_can_see_cost_nobody_more(said: str, prepared: Path, tmp_path: Path) -> None:
    """Else an offer to a userid would show whose address it is."""

    async def meet() -> None:
        found = []
        for number, sender in enumerate((ANN, BOB, EVE)):
            shutil.copytree(prepared, tmp_path / str(number))
            server = Written(tmp_path / str(number))
            await server.done(CAT, f"lambo challenge cat ann {PASSWORDS['cat']}")
            found.append(await server.done(sender, said))
            await server.close()
        assert found[0] == found[1] == found[2]

    asyncio.run(meet())


def test_nothing_of_a_strangers_mail_is_left(prepared: Path, tmp_path: Path) -> None:
    async def meet() -> None:
        shutil.copytree(prepared, tmp_path / "db")
        server = Written(tmp_path / "db")
        before = server.dump()
        for said in ("show 1", "games", "resign 1", "move 1 b1", "list", "rating ann"):
            assert await server.done(EVE, said), said
        assert server.dump() == before
        await server.close()

    asyncio.run(meet())


def test_what_breaks_for_a_stand_in_breaks_nothing_else(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def meet() -> None:
        shutil.copytree(prepared, tmp_path / "db")
        server = Written(tmp_path / "db")
        entered = Store.enter

        def breaks(store: Store, request: Request, hear: Callable[[Answer], object] | None = None) -> Caused | None:
            caused = entered(store, request, hear)
            if request.player and request.sender not in {
                one.addr for one in Reads(server.db).addresses(request.player)
            }:
                raise ZeroDivisionError
            return caused

        monkeypatch.setattr(Store, "enter", breaks)
        before = server.dump()
        assert await server.done(EVE, "games") == [] and server.dump() == before
        assert await server.done(ANN, "show 1") == ["show"] and not server.rehearsed
        assert server.db.execute("SELECT count(*) FROM shunt").fetchone() == (0,)
        await server.close()

    asyncio.run(meet())


def test_an_address_always_has_the_same_stand_in(prepared: Path, tmp_path: Path) -> None:
    async def meet() -> None:
        shutil.copytree(prepared, tmp_path / "db")
        server = Written(tmp_path / "db")
        chosen = []
        for number in range(8):
            seen = set()
            for said in ("games", "list", "games"):
                await server.done(f"eve{number}@evil.example", said)
                seen |= {row.address for row in server.rehearsed}
            (address,) = seen
            chosen.append(address)
        assert len({*chosen}) > 1 and {*chosen} <= {ANN, BOB, CAT}
        await server.close()

    asyncio.run(meet())


def test_no_more_letters_are_written_for_nobody_than_a_player_gets(prepared: Path, tmp_path: Path) -> None:
    async def meet() -> None:
        shutil.copytree(prepared, tmp_path / "db")
        server = Written(tmp_path / "db")
        made = [bool(await server.done(EVE, f"games{' ' * number}")) for number in range(DEFAULTS.looks_per_hour + 2)]
        assert made == [True] * DEFAULTS.looks_per_hour + [False] * 2
        await server.close()

    asyncio.run(meet())
