"""A small tournament over real sockets, from the mail that creates it to the last table."""

import asyncio
from pathlib import Path

import pytest

from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import ListenSection, RelaySection, StoreSection, TournamentsSection
from mailbot.shell.console import postman
from tests.e2e.test_games import ANN, BOB, PASSWORDS, Desk

CREATE = 'tournament create ann {0} "Tea Cup" -format=knockout -game="lambo -size=8" -clock=fast -max=2'


async def subjects(desk: Desk, address: str, wanted: str) -> str:
    """The text of the newest letter with this Subject, as soon as it has come."""
    while True:
        found = [postman.text(one) for one in desk.letters(address) if wanted in str(one["Subject"])]
        if found:
            return found[-1]
        await asyncio.sleep(0.02)
        await desk.app.delivered()


@pytest.mark.asyncio
async def test_a_tournament_by_mail(tmp_path: Path) -> None:
    config = Config(
        listen=ListenSection(port=0),
        store=StoreSection(path=tmp_path / "db.sqlite"),
        relay=RelaySection(maildir=tmp_path / "mail"),
        tournaments=TournamentsSection(directors="ann"),
    )
    async with asyncio.timeout(60), Desk(tmp_path, config=config) as desk:
        await desk.two_players()
        await desk.command(ANN, CREATE.format(PASSWORDS[ANN]), "For the two of us.")
        for address, name in ((ANN, "ann"), (BOB, "bob")):
            await desk.command(address, f"join 1 {name} {PASSWORDS[address]}")
        for board in (1, 2):
            await subjects(desk, BOB, f"Lambo {board}: ")
            await desk.command(BOB, f"resign {board} bob {PASSWORDS[BOB]}")
        for address, place in ((ANN, "1st"), (BOB, "2nd")):
            assert f"You have come out {place}." in await subjects(desk, address, "Tea Cup (tournament 1): the end")
        board_letters = [postman.text(one) for one in desk.letters(BOB) if "Lambo 1:" in str(one["Subject"])]
        assert "Tea Cup, round 1" in board_letters[0]
        assert '[Event "Tea Cup"]' in board_letters[-1]
