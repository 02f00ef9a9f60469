"""Domains below a bought one cost nothing, and each can have a mail server that holds up letters."""

from pathlib import Path

import pytest

from mailbot.core.effects import Put
from mailbot.core.model import Address
from mailbot.core.players.limits import CROWDED, MAX_DOMAINS
from mailbot.core.world import Request
from mailbot.shell.console import postman
from mailbot.store.store import Store
from tests.dialogues.play import Server, serving
from tests.hostile.test_reuse import PASSWORDS, begun, signed_up

REQUEST = Request(0)
SAID = CROWDED.format(domain="farm.example")


async def settled(server: Server, count: int, state: str = "suspended") -> None:
    """Addresses at so many domains below one."""

    def put(store: Store) -> None:
        for number in range(count):
            address = Address(100 + number, 1, f"x@s{number}.farm.example", state, 0, 0)
            store.apply([Put(address)], REQUEST)

    await server.writer.do(put)


def there(server: Server, name: str) -> bool:
    return server.reception._reads.player_named(name) is not None


@pytest.mark.parametrize("domain", ["farm.example", "s3.farm.example", "other.example", "xfarm.example"])
def test_a_domain_that_is_known_or_elsewhere_stays_open(domain: str, tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await settled(server, MAX_DOMAINS + 2)
        await signed_up(server, "dora", f"dora@{domain}", "dog-and-mouse-3")
        assert there(server, "dora")

    serving(tmp_path, begun, steps)


def test_so_many_domains_below_one_and_no_more(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await settled(server, MAX_DOMAINS - 1)
        await signed_up(server, "dora", "dora@new.farm.example", "dog-and-mouse-3")
        assert there(server, "dora")
        said = await signed_up(server, "fred", "fred@newer.farm.example", "dog-and-mouse-4")
        assert SAID in " ".join(said.split()) and not there(server, "fred")

    serving(tmp_path, begun, steps)


def test_a_change_of_address_is_no_way_round(tmp_path: Path) -> None:
    async def steps(server: Server) -> None:
        await settled(server, MAX_DOMAINS)
        new = "bob@new.farm.example"
        await server.accept(server.mail("bob@example.org", f"change address bob {PASSWORDS['bob']} {new}", ""))
        server.new_letters()
        await server.accept(server.reply(new, server.letters[new][-1], "yes"))
        letters = [letter for _, _, letter in server.new_letters() if letter["To"] == new]
        assert SAID in " ".join(postman.text(letters[-1]).split())
        await server.accept(server.reply("bob@example.org", server.letters["bob@example.org"][-1], "yes"))
        assert [one.addr for one in server.reception._reads.addresses(2) if one.state == "current"] == [
            "bob@example.org"
        ]

    serving(tmp_path, begun, steps)


def test_wishes_that_nobody_has_agreed_to_do_not_count(tmp_path: Path) -> None:
    """Anybody can sign up others, and must not use up the domains of a university."""

    async def steps(server: Server) -> None:
        await settled(server, MAX_DOMAINS, "pending")
        await signed_up(server, "dora", "dora@new.farm.example", "dog-and-mouse-3")
        assert there(server, "dora")

    serving(tmp_path, begun, steps)


@pytest.mark.parametrize("own", [False, True])
def test_only_a_players_own_address_frees_a_domain_from_the_count(own: bool, tmp_path: Path) -> None:
    """A From may be anybody's, also beside one's own password."""

    async def steps(server: Server) -> None:
        address = "bob@new.farm.example"
        if own:
            await server.writer.do(lambda store: store.apply([Put(Address(100, 2, address, "current", 0, 0))], REQUEST))
        await server.accept(server.mail(address, f"set bob {PASSWORDS['bob']}", ""))
        marks = {
            name: server.reception._budgets._key_of("", f"to {name}") for name in ("new.farm.example", "example.org")
        }
        found = {name for name, mark in marks.items() if server.reception._budgets._store.get(mark)}
        assert found == ({"new.farm.example"} if own else set())

    serving(tmp_path, begun, steps)
