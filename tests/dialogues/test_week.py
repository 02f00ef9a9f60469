"""A week of twenty players who use everything: nothing is lost, nothing leaks, the transcript is unchanged. All of it
moves to another server.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mailbot.core.mail.quoting import MARKER
from mailbot.shell.console import postman
from mailbot.store import admin, arrival, lines
from mailbot.store.connection import connect
from mailbot.store.reads import Reads
from mailbot.store.store import Store
from tests.dialogues.play import Server
from tests.dialogues.week import NAMES, WORDS, Crowd, address, password, play

GOLDEN = Path(__file__).with_name("week.transcript")


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Crowd]]:
    folder = tmp_path_factory.mktemp("week")
    yield folder, asyncio.run(play(folder))


def test_a_week_of_twenty_players(week: tuple[Path, Crowd], request: pytest.FixtureRequest) -> None:
    _, crowd = week
    assert crowd.trouble == []
    assert WORDS - crowd.done.keys() == set(), "commands that nobody managed to use"
    assert crowd.played > 100
    written = "\n".join(crowd.lines) + "\n"
    if request.config.getoption("--rewrite"):
        GOLDEN.write_text(written)
    assert written == GOLDEN.read_text()


# ---- moving house


def told(file: Path, now: int, *, secrets: bool = True) -> list[dict[str, Any]]:
    """The lines of a store, as JSON has them."""
    db = connect(file, readonly=True)
    try:
        return [json.loads(json.dumps(line)) for line in lines.lines(db, now, secrets=secrets)]
    finally:
        db.close()


def moved(folder: Path, said: list[dict[str, Any]], now: int) -> Path:
    """A new store with these lines, in a folder for a server."""
    folder.mkdir()
    store = Store.open(folder / "test.sqlite", now, b"n" * 32)
    arrival.arrive(store, (json.dumps(line).encode() for line in said), now, b"m" * 32)
    store.close()
    return folder / "test.sqlite"


def compared(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what an import makes anew: the head, keys, and the times that follow from clocks."""
    left_out = ("remind_at",)
    rows = [line for line in said if line["row"] not in ("mailbot", "secret")]
    return [{name: value for name, value in line.items() if name not in left_out} for line in rows]


def test_all_rows_of_the_week_arrive(week: tuple[Path, Crowd], tmp_path: Path) -> None:
    """The ratings, too, though they are computed anew from the games; and every board looks as before."""
    folder, crowd = week
    now = crowd.server.time
    before = told(folder / "test.sqlite", now)
    new = moved(tmp_path / "new", before, now)
    after = told(new, now)
    assert {line["row"] for line in before} >= {"game", "rated", "fixture", "rung", "plan", "vacation", "news", "seen"}
    assert compared(after)[:-1] == compared(before)[:-1]
    assert sum(line["row"] == "secret" for line in after) == 1 + sum(line["row"] == "secret" for line in before)
    shown = []
    for file in (folder / "test.sqlite", new):
        db = connect(file, readonly=True)
        numbers = [line["id"] for line in before if line["row"] == "game"]
        shown.append([admin.show(db, "show", {"board": str(number)}, now) for number in numbers])
        db.close()
    assert shown[0] == shown[1]


def test_without_secrets_nothing_secret_is_written(week: tuple[Path, Crowd]) -> None:
    folder, crowd = week
    text = json.dumps(told(folder / "test.sqlite", crowd.server.time, secrets=False))
    assert "hash of" in json.dumps(told(folder / "test.sqlite", crowd.server.time))
    assert "hash of" not in text
    assert [name for name in NAMES if address(name) in text or password(name) in text] == []
    assert not any(f'"row": "{table}"' in text for table in ("address", "contact", "secret", "retired", "seen"))


async def talked(server: Server, commands: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    """What SMTP says to these mails, and the letters that they bring: to whom, about what, and the text above the
    quotation."""
    (server.told,) = server.db.execute("SELECT coalesce(max(id), 0) FROM outbox").fetchone()  # not those of the week
    said = [(await server.accept(server.mail(address(who), subject, "")),) for who, subject in commands]
    return said + [
        (kind, str(one["To"]), str(one["Subject"]), postman.text(one).partition(MARKER)[0])
        for _, kind, one in server.new_letters()
    ]


def test_the_same_mails_bring_the_same_letters_after_the_move(week: tuple[Path, Crowd], tmp_path: Path) -> None:
    folder, crowd = week
    now = crowd.server.time
    file = moved(tmp_path / "new", told(folder / "test.sqlite", now), now)
    copy = tmp_path / "old" / "test.sqlite"
    copy.parent.mkdir()
    copy.write_bytes((folder / "test.sqlite").read_bytes())
    reads = Reads(connect(copy, readonly=True))
    waits = [game for number in range(1, 200) if (game := reads.game(number)) and game.state == "running"]
    movers = [(game, player) for game in waits if (player := reads.player(game.player(game.to_move))) and player.id > 0]
    crowd.reads = reads
    commands = [
        (mover.userid, f"move {game.id} {mover.userid} {password(mover.userid)} {crowd.legal(game)}")
        for game, mover in movers[:10]
    ]
    commands += [(who, line) for who in crowd.here()[:3] for line in ("games", f"rating {who}", "seeks", "standings")]
    commands += [("anna", f"tournament {number}") for number in (1, 2)]
    assert len(movers) > 10

    async def run(of: Path) -> list[tuple[str, ...]]:
        server = Server(of.parent, directors="anna")
        server.time = now + 60
        server.count = 100_000  # Message-IDs that the week has not had
        server.writer.start()
        try:
            return await talked(server, commands)
        finally:
            await server.close()

    before, after = asyncio.run(run(copy)), asyncio.run(run(file))
    assert len(before) > len(commands) + 20
    assert after == before
    reads.db.close()
