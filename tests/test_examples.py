"""Every example works as printed: its players send it to a server with such boards, and it is not refused."""

import asyncio
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from mailbot.core import pages
from mailbot.core.caps import DEFAULTS
from mailbot.core.commands import ROWS
from mailbot.core.language.script import read
from mailbot.shell.console import postman
from tests.dialogues.play import Server, serving
from tests.test_help import EXAMPLES, NAMED, typed

README = (Path(__file__).parents[1] / "README.md").read_text()
MOVES = pages.SHOWN["first"][1]
README_MOVES = ("a1", "c3,b2", "c8,b21")
REFUSALS = ("I did not understand this", "Not possible;", "You may not do this")
PAIRS = (("ben", "anna"), ("bob", "alice"))
"""The players of boards 12 and 15 in the help pages, and of board 12 in the README. The first one moves first."""


def addr(name: str) -> str:
    return f"{name}@example.org"


async def say(server: Server, who: str, line: str, body: str = "") -> None:
    line = typed(line)
    assert (await server.accept(server.mail(addr(who), line, body))).startswith("250"), line
    server.new_letters()


async def reply(server: Server, who: str, text: str) -> None:
    letter = [one for one in server.letters[addr(who)] if one["Reply-To"]][-1]
    assert (await server.accept(server.reply(addr(who), letter, text))).startswith("250"), text
    server.new_letters()


async def begun(
    server: Server, first: str, second: str, offered: bool, moves: tuple[str, ...], more: str, game: str, cup: str
) -> None:
    """Signs both up, with their boards 12 and 15: offered to the first, or played so far; or, with the options of a
    `cup`, with tournament 3, where the game of board 12 is played. `game` may be a challenge of the
    computer, which accepts it."""
    server.store.caps = replace(
        DEFAULTS, letters_per_hour=999, pair_letters_per_hour=999, pair_letters_per_day=999, offers_per_hour=999
    )
    for name in (first, second, "carla", *(["dora"] if "guest" in cup else [])):
        await say(server, name, f"signup {name} PASSWORD")
        await reply(server, name, "yes")
    await say(server, "carla", "set carla PASSWORD accept all yes")
    if cup:
        await _cup(server, (first, second), cup, more)
        return
    for board in (15, 12):
        server.store.db.execute("DELETE FROM sqlite_sequence WHERE name = 'game'")
        server.store.db.execute("INSERT INTO sqlite_sequence VALUES ('game', ?)", [board - 1])
        if "challenge" in game:
            await say(server, game.split()[-2], f"{game} PASSWORD")
            continue
        await say(server, second, f"{game} challenge -clock=9d+1d {first} {second} PASSWORD")
        if offered:
            continue
        await reply(server, first, "accept")
        for ply, move in enumerate(moves):
            await reply(server, (first, second)[ply % 2], move)
    server.store.db.execute("INSERT INTO sqlite_sequence VALUES ('seek', 3)")
    await say(server, second, f"lambo seek {second} PASSWORD")
    if more:
        who, _, line = more.partition(": ")
        await say(server, who, line)


async def _cup(server: Server, players: tuple[str, str], cup: str, more: str) -> None:
    """Tournament 3, directed by the second player; `for both` after its options: both have entered it; `host`: the
    first player and carla have; `guest`: the first player and dora."""
    server.store.directors = players[1]
    server.store.db.execute("INSERT INTO sqlite_sequence VALUES ('tournament', 2), ('game', 11)")
    options, _, who = cup.partition(" for ")
    playing = {"": (), "both": players, "host": (players[0], "carla"), "guest": (players[0], "dora")}[who]
    await say(server, players[1], f'tournament create {players[1]} PASSWORD "A Cup" -game=lambo {options}')
    for name in playing:
        await say(server, name, f"join 3 {name} PASSWORD")
    for _ in range(2):  # it begins, and then its games are paired
        await server.clock(1)
    if more:
        who, _, line = more.partition(": ")
        await say(server, who, line)
        if "start" in line:
            await server.clock(1)


class Case(NamedTuple):
    """`more`: a player and what they send afterwards."""

    players: tuple[str, str]
    offered: bool = False
    moves: tuple[str, ...] = ()
    more: str = ""
    game: str = "lambo"
    cup: str = ""


ENTRY, PLAYED = "-format=roundrobin -max=4 -until=2026-05-01 -every=month", "-format=roundrobin -max=2 for both"
LADDER = "-format=ladder for both"
DIRECTED, GUESTS = PLAYED.replace("both", "host"), PLAYED.replace("both", "guest")
CUPS = (("", ENTRY), ("", f"{ENTRY} for both"), ("", f"{ENTRY} -draft"), ("", PLAYED), ("", DIRECTED), ("", GUESTS))
ANNAS, ALICES = PAIRS
NOBODY = Case(("carl", "carol"), True)
WORLDS = (
    Case(ANNAS, False, MOVES[:3]),
    Case(ANNAS, False, MOVES[:1]),
    Case(ANNAS, True),
    Case(ANNAS, False, MOVES),
    Case(ANNAS, False, MOVES[:2]),
    Case(ANNAS, False, MOVES[:3], f"anna: submit 12 anna PASSWORD {MOVES[3]}"),
    Case(ANNAS, False, MOVES[:3], "anna: block anna PASSWORD ben"),
    Case(ANNAS, False, MOVES[:3], "anna: vacation anna PASSWORD 5"),
    Case(ALICES, False, README_MOVES),
    Case(ALICES, True),
    Case(ALICES, False, MOVES),
    Case(ALICES, False, README_MOVES[:2]),
    Case(ALICES, False, README_MOVES, "alice: submit 12 alice PASSWORD b9,c10"),
    Case(ALICES, False, README_MOVES, "bob: lambo move 12 bob PASSWORD propose"),
    Case(ANNAS),
    Case(ANNAS, game="mambo"),
    Case(ANNAS, game="lambo challenge -unrated anna uct1"),
    Case(ALICES, game="lambo challenge -unrated alice uct1"),
    *(Case(players, more=more, cup=cup) for players in PAIRS for more, cup in CUPS),
    *(Case(pair, more=f"{pair[1]}: withdraw 3 {pair[1]} PASSWORD", cup=PLAYED) for pair in PAIRS),
    *(Case(pair, more=f"{pair[1]}: tournament start 3 {pair[1]} PASSWORD", cup=LADDER) for pair in PAIRS),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Path]:
    """A folder with the database of a case; made once."""

    @cache
    def made(case: Case) -> Path:
        folder = tmp_path_factory.mktemp("world")
        (first, second), offered, moves, more, game, cup = case
        serving(folder, lambda server: begun(server, first, second, offered, moves, more, game, cup))
        return folder

    return made


async def works(folder: Path, who: str, line: str, answering: bool) -> bool:
    """Whether the line, sent by this player in a new mail or as an answer to the newest letter, is done."""
    server = Server(folder, directors=who)
    server.writer.start()
    try:
        if answering:
            server.new_letters()
        box = [letter for letter in server.letters.get(addr(who), []) if letter["Reply-To"]]
        (before,) = server.db.execute("SELECT coalesce(max(id), 0) FROM outbox").fetchone()
        server.told = before
        words = "Hello there." if any(row.needs_body for row in NAMED if row.name in line.split()) else ""
        words = "A reason." if line.split()[0] in ("appeal", "tournament") else words
        if answering and not box:
            return False
        mail = (
            server.reply(addr(who), box[-1], f"{typed(line)}\n{words}")
            if answering
            else server.mail(addr(who), typed(line), words)
        )
        status = await server.accept(mail)
        letters = server.new_letters()
        refused = any(said in postman.text(letter) for _, _, letter in letters for said in REFUSALS)
        return status.startswith("250") and server.told > before and not refused
    finally:
        await server.close()


def tried(world: Callable[[Case], Path], tmp_path: Path, line: str, ways: tuple[bool, ...], cases: list[Case]) -> bool:
    line = line.replace("OLDPASSWORD", "PASSWORD")
    named = re.search(r"(\w+) PASSWORD", line) if "me" not in line.split() else None
    for answering in ways:
        for case in cases:
            people = [named[1]] if named and named[1] in case.players else case.players[::-1]
            for who in people:
                folder = tmp_path / str(len(list(tmp_path.iterdir())))
                shutil.copytree(world(case), folder)
                if asyncio.run(works(folder, who, line, answering)):
                    return True
    return False


OF_HELP = sorted({line for _, line in EXAMPLES})


@pytest.mark.parametrize("line", OF_HELP)
def test_an_example_of_the_help_pages_works(line: str, world: Callable[[Case], Path], tmp_path: Path) -> None:
    """In a new mail if it has a password; else in a new mail or as an answer."""
    cases = [case for case in WORLDS if case.players == ANNAS] if not line.startswith("signup") else [NOBODY]
    assert tried(world, tmp_path, line, (False,) if "PASSWORD" in line else (False, True), cases)


def of_readme(head: str) -> list[str]:
    """The examples in the first column of the table with this head."""
    table = README.partition(f"| {head} |")[2].partition("\n\n")[0]
    return [line for row in table.split("\n")[2:] for line in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


SUBJECTS, ANSWERS = of_readme("Subject of a mail to the server"), of_readme("First line of the answer to a letter")


def test_examples_of_the_readme_are_found() -> None:
    assert len(SUBJECTS) > 30
    assert len(ANSWERS) > 12
    words = [line for row in README.split("\n") if row.startswith("| `") for line in re.findall(r"`([^`]+)`", row)]
    named = {command.name for line in words for command in read(line, "", "", ROWS, {"lambo": "lambo"}).commands}
    assert {row.name for row in NAMED} <= named | {"move"}


@pytest.mark.parametrize("line", SUBJECTS)
def test_a_subject_of_the_readme_works(line: str, world: Callable[[Case], Path], tmp_path: Path) -> None:
    cases = [case for case in WORLDS if case.players == ALICES] if not line.startswith("signup") else [NOBODY]
    assert tried(world, tmp_path, line, (False,), cases)


@pytest.mark.parametrize("line", ANSWERS)
def test_an_answer_of_the_readme_works(line: str, world: Callable[[Case], Path], tmp_path: Path) -> None:
    cases = [case for case in WORLDS if case.players == ALICES]
    assert tried(world, tmp_path, line, (True,), cases)


def test_what_does_not_work_is_found(world: Callable[[Case], Path], tmp_path: Path) -> None:
    assert not tried(world, tmp_path, "resign 12", (False,), [WORLDS[0]])
    assert not tried(world, tmp_path, "resign", (False, True), [WORLDS[0]])
