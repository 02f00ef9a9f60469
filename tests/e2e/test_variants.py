"""Every game and variant, a swapped game and an operator's own variant, played by mail to the end over real sockets."""

import asyncio
import random
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import apply, legal_moves, replay, start
from mailbot.shell.config.load import Config, ConfigError, catalogue_of, parse
from mailbot.shell.config.settings import ListenSection, RelaySection, StoreSection
from mailbot.shell.console import postman
from tests.e2e.test_games import ANN, BOB, PASSWORDS, Desk

OWN = """
[[variants]]
name = "quick"
game = "mambo"
options = "-mamboa -size=16"
description = "Mamboa with sixteen tiles"
"""


def game(rules: str, seed: int, *, swap: bool = False) -> list[str]:
    """A whole game played at random."""
    chance = random.Random(seed)
    position = start(variants.parse(rules, catalogue_of(parse(OWN, "test"))))
    while position.outcome is None:
        moves = list(legal_moves(position))
        forced = swap and position.ply == 1
        position = apply(position, notation.SWAP if forced else chance.choice([m for m in moves if m != notation.SWAP]))
    return [notation.write_move(turn.move) for turn in position.turns]


GAMES = [
    ("lambo -eat_enemy=1 -size=30", False),
    ("lambo -must_contain -anywhere -size=24", False),
    ("palago -size=16", False),
    ("mambo", False),
    ("mambo -mamba -size=30", False),
    ("mambo -mamboa", False),
    ("mambo -mambogo -size=24", False),
    ("mambo -swap", True),
    ("lambo -swap", True),
    ("mambo -quick", False),
]


DAILY = 3
"""Games that every run plays by real SMTP; the nightly run plays the others."""


@pytest.mark.parametrize(
    ("rules", "swap"),
    [pytest.param(*row, id=row[0], marks=[pytest.mark.nightly] * (at >= DAILY)) for at, row in enumerate(GAMES)],
)
def test_a_game_to_its_end(rules: str, swap: bool, tmp_path: Path) -> None:
    moves = game(rules, 11, swap=swap)
    word, _, options = rules.partition(" ")

    async def play() -> None:
        desk = Desk(tmp_path, config=variant_config(tmp_path))
        async with desk:
            await desk.two_players()
            await desk.command(ANN, f"{word} challenge {options} ann bob {PASSWORDS[ANN]}")
            await desk.answer(BOB, "accept")
            for ply, move in enumerate(moves):
                await desk.answer((ANN, BOB)[ply % 2], move)
            last = postman.text(desk.letters(ANN)[-1])
            outcome = replay(variants.parse(rules, catalogue_of(desk.config)), moves).outcome
            assert outcome
            said = {0: "a draw", 1: "and you have won", 2: "bob has won"}[outcome.winner]
            assert f"The game is over, {said}:" in " ".join(last.split())
            assert " ".join(outcome.reason.split()) in " ".join(last.split())

    asyncio.run(play())


def variant_config(folder: Path) -> Config:
    """A server on which the operator has named a variant."""
    return Config(
        listen=ListenSection(port=0),
        store=StoreSection(path=folder / "db.sqlite"),
        relay=RelaySection(maildir=folder / "mail"),
        variants=parse(OWN, "mailbot.toml").variants,
    )


def test_the_help_of_an_operators_variant_appears_by_itself(tmp_path: Path) -> None:
    async def play() -> None:
        async with Desk(tmp_path, config=variant_config(tmp_path)) as desk:
            await desk.command(ANN, "mambo help rules")
            text = postman.text(desk.letters(ANN)[-1])
            assert "-quick" in text
            assert "Mamboa with sixteen tiles" in text

    asyncio.run(play())


BROKEN = [
    ('name = "quick"', 'name = "mamba"', "[[variants]] number 1 name: "),
    ('name = "quick"', 'name = "Move"', "[[variants]] number 1 name: 'move' is a command"),
    ('game = "mambo"', 'game = "mumbo"', "[[variants]] number 1 game: "),
    ('options = "-mamboa -size=16"', 'options = "-mamboa -sice=16"', "[[variants]] number 1 options: "),
    ('options = "-mamboa -size=16"', 'options = "-size=1600"', "[[variants]] number 1 options: "),
    ('description = "Mamboa with sixteen tiles"', 'description = " "', "[[variants]] number 1 description: "),
]


@pytest.mark.parametrize(("good", "bad", "where"), BROKEN)
def test_a_broken_variant_is_reported_with_file_and_key(good: str, bad: str, where: str) -> None:
    with pytest.raises(ConfigError) as error:
        catalogue_of(parse(OWN.replace(good, bad), "mailbot.toml"))
    assert str(error.value).startswith(f"mailbot.toml: {where}")
