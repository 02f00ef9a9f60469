"""What is left of a player who is gone: the games, a name that reveals nothing, and no waiting letter."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mailbot.core.caps import HOUR
from mailbot.core.model import DAY
from mailbot.shell.app import _Outbox
from mailbot.shell.metrics.counts import Counts
from mailbot.shell.post.delivery import Settled
from mailbot.store import admin, outbox, sweep
from mailbot.store.reads import Reads
from tests.dialogues.play import Server, serving

MAL, PASSWORD = "m.al+games@example.org", "correct-horse-1"
VICTIM = "victim@other.example"
Steps = Callable[[Server], Awaitable[None]]


def played(folder: Path, steps: Steps) -> None:
    serving(folder, lambda server: signed_up(server, "malvolio"), steps)


async def signed_up(server: Server, userid: str) -> None:
    await server.accept(server.mail(MAL, f"signup {userid} {PASSWORD}", ""))
    await answer(server, "yes")


async def answer(server: Server, said: str) -> None:
    server.new_letters()
    letter = [letter for letter in server.letters[MAL] if letter["Reply-To"]][-1]
    assert (await server.accept(server.reply(MAL, letter, said))).startswith("250")


async def deleted(server: Server, userid: str) -> None:
    await server.accept(server.mail(MAL, f"delete {userid} {PASSWORD}", ""))
    await answer(server, "delete")


def dump(server: Server) -> str:
    """Every value of every table."""
    tables = [row[0] for row in server.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
    assert "outbox" in tables
    rows = [row for table in tables for row in server.db.execute(f"SELECT * FROM {table}").fetchall()]
    return repr(rows).lower()


def test_nothing_of_the_person_is_left(tmp_path: Path) -> None:
    """Neither the userid nor the address, in whatever form, once the last letter has gone."""

    async def steps(server: Server) -> None:
        await server.accept(server.mail(MAL, f"set malvolio {PASSWORD} echo off", ""))
        await server.accept(server.mail(MAL, f"mambo seek malvolio {PASSWORD}", ""))
        assert all(said in dump(server) for said in ("malvolio", "m.al+games@", "m.al@example.org"))
        await deleted(server, "malvolio")
        ((last, template),) = server.db.execute("SELECT id, template FROM outbox").fetchall()
        assert template == "goodbye"
        await server.writer.do(lambda store: outbox.settle(store.db, last, "sent", server.time, ""))
        left = dump(server)
        assert [said for said in ("malvolio", "m.al+games@", "mal@example.org", "hash of") if said in left] == []
        assert "gone-1" in left

    played(tmp_path, steps)


def test_a_deleted_account_does_not_forget_how_often_a_stranger_was_asked(tmp_path: Path) -> None:
    """P6: three letters for ever, not three an account."""

    async def steps(server: Server) -> None:
        for userid in ("malvolio", "mercutio", "mortimer"):
            if userid != "malvolio":
                await signed_up(server, userid)
            for wanted in (VICTIM, f"{MAL} {VICTIM}", VICTIM):
                await server.accept(server.mail(MAL, f"change address {userid} {PASSWORD} {wanted}", ""))
            await deleted(server, userid)
            await server.clock(HOUR)  # else the budget for sign-ups of this sender is used up
        server.new_letters()
        assert len(server.letters[VICTIM]) == 3

    played(tmp_path, steps)


@pytest.mark.parametrize("leaves", [False, True])
def test_a_mailbox_signs_up_three_players_within_30_days(leaves: bool, tmp_path: Path) -> None:
    """Also one that has agreed: accounts without end could lose their games to one elsewhere. Who leaves may come back,
    but leaving does not begin the count anew; and the operator may."""

    async def steps(server: Server) -> None:
        for userid in ("mercutio", "mortimer"):
            if leaves:
                await deleted(server, "malvolio" if userid == "mercutio" else "mercutio")
            await signed_up(server, userid)
        server.new_letters()
        before = len(server.letters[MAL])
        await server.accept(server.mail(MAL, f"signup marlowe {PASSWORD}", ""))
        server.new_letters()
        assert not any("Confirm" in letter["Subject"] for letter in server.letters[MAL][before:])
        if leaves:
            assert [addr for (addr,) in server.db.execute("SELECT addr FROM contact").fetchall() if "@" in addr] == []
        done = await server.writer.do(lambda store: admin.do(store, "forgive", {"address": MAL}, server.time))
        assert "had been asked 3 times" in done.said
        await signed_up(server, "marlowe")

    played(tmp_path, steps)


async def moved(server: Server, userid: str) -> None:
    await server.accept(server.mail(MAL, f"change address {userid} {PASSWORD} {VICTIM}", ""))
    server.new_letters()
    for address in (VICTIM, MAL):
        letter = [letter for letter in server.letters[address] if letter["Reply-To"]][-1]
        await server.accept(server.reply(address, letter, "yes"))


@pytest.mark.parametrize("leaves", [deleted, moved])
def test_who_leaves_a_mailbox_counts_for_it_for_30_days(
    leaves: Callable[[Server, str], Awaitable[None]], tmp_path: Path
) -> None:
    """The trick: one account after the other loses its four rated games, and makes room for the next."""

    async def steps(server: Server) -> None:
        await leaves(server, "malvolio")
        assert [row[0] for row in server.db.execute("SELECT addr FROM address WHERE player = 1").fetchall()] != [MAL]
        await signed_up(server, "mercutio")
        reads = Reads(server.db)
        assert reads.mates(2, server.time) == {1, 2}
        assert reads.mates(1, server.time) == {1}
        assert reads.mates(2, server.time + 31 * DAY) == {2}
        await server.writer.do(lambda store: sweep.clear(store.db, server.time, server.time + 31 * DAY))
        assert server.db.execute("SELECT * FROM left_box").fetchall() == []

    played(tmp_path, steps)


@pytest.mark.parametrize(("gone", "told"), [(False, 1), (True, 0)])
def test_a_letter_erased_on_its_way_is_nobodys_trouble(gone: bool, told: int, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await server.accept(server.mail(MAL, f"delete malvolio {PASSWORD}", ""))
        (one, *_) = await server.writer.do(lambda store: outbox.claim(store.db, server.time, 9))
        if gone:
            await answer(server, "delete")
            with pytest.raises(KeyError):
                outbox.entry(server.db, one[0])
        app: Any = SimpleNamespace(writer=server.writer, counts=Counts())
        await _Outbox(app).settle([Settled(one[0], "stuck", server.time, "KeyError at outbox.py:1")])
        sql = "SELECT count(*) FROM outbox WHERE kind = 'operator'"
        assert server.db.execute(sql).fetchone()[0] == told

    played(tmp_path, steps)


def test_a_letter_that_makes_trouble_is_settled_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(store: object, letter: int, kind: str, now: int) -> None:
        raise RuntimeError("no")

    async def steps(server: Server) -> None:
        await server.accept(server.mail(MAL, f"delete malvolio {PASSWORD}", ""))
        (one, *_) = await server.writer.do(lambda store: outbox.claim(store.db, server.time, 9))
        monkeypatch.setattr("mailbot.shell.app.came_back", broken)
        app: Any = SimpleNamespace(writer=server.writer, counts=Counts())
        other = server.db.execute("SELECT max(id) FROM outbox").fetchone()[0]
        assert other != one[0]
        wrong = Settled(one[0], "failed", server.time, "550 5.1.1")
        await _Outbox(app).settle([wrong, Settled(other, "failed", server.time, "no code")])
        states = dict(server.db.execute("SELECT id, state FROM outbox").fetchall())
        assert (states[one[0]], states[other]) == ("waiting", "failed")

    played(tmp_path, steps)
