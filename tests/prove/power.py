"""The power fails: whatever the disk had kept by then, no mail that was answered 250 is missing. `python -m
tests.prove.power 200` plays 200 power cuts.

Theory of operation. A real server (`tests.dialogues.play.Server`: reception, writer, store, the SQLite of this Python)
runs in a process of its own, in which power.c logs every write, truncation and sync of the database files, in order.
After each 250 the process writes what was acknowledged into a file of the same folder, so that acknowledgements are in
the same log. A cut is a place in that log: data synced by then is on the disk; of data written since, a disk may keep
all, nothing, or any part in any order, and tear the last write. Every third place is cut, with a seeded choice of what
is kept; the image is opened as after a restart and checked.
"""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.hex.notation import write_move
from engine.hex.position import legal_moves, replay
from engine.hex.variants import parse
from mailbot.core.games.flags import GRACE
from mailbot.core.model import DAY
from mailbot.store.store import Store
from tests.dialogues.play import Server

HERE = Path(__file__).parent
SECTOR = 512
FLAGS = """
SELECT id, state, letters FROM (
    SELECT game.id, state, (
        SELECT count(*) FROM outbox WHERE thread = 'board-' || game.id AND json_extract(facts, '$.event') = 'flag'
    ) AS letters FROM game
) WHERE letters <> CASE state WHEN 'over' THEN 2 ELSE 0 END
"""
"""Boards that have ended on time without both letters, or have a letter and have not ended."""
ACKS = "acks"
PASSWORD = "correct-horse-1"
BOARDS, PLIES = 3, 6


@dataclass(frozen=True, slots=True)
class Op:
    """One thing done to a file: W(ritten), T(runcated), S(ynced), U(nlinked); `.` is the folder."""

    kind: str
    name: str
    at: int
    data: bytes


# ---- what is recorded


async def work(folder: Path, pairs: int) -> None:
    """Pairs of players sign up and play three boards each, all at once, so that mails share commits. Then time passes,
    and runs out on one board after another."""
    server = Server(folder)
    server.store.db.execute("PRAGMA wal_autocheckpoint = 40").fetchall()  # so that checkpoints are cut, too
    server.writer.start()
    acks = os.open(folder / ACKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def send(who: str, command: str, ack: str) -> None:
        status = await server.accept(server.mail(f"{who}@example.org", command, ""))
        assert status.startswith("250"), (command, status)
        os.write(acks, f"{ack}\n".encode())

    both = [(f"ann{pair}", f"bob{pair}") for pair in range(pairs)]
    for who in [name for pair in both for name in pair]:
        await send(who, f"signup {who} {PASSWORD}", "")
        server.new_letters()
        await server.accept(server.reply(f"{who}@example.org", server.letters[f"{who}@example.org"][-1], "yes"))
        os.write(acks, f"player {who}\n".encode())
    boards: list[tuple[str, str]] = []
    for one, two in both:
        await send(two, f"set {two} {PASSWORD} accept all yes", "")
        await send(one, f"set {one} {PASSWORD} autovacation off", "")
        for days in range(1, BOARDS + 1):
            boards.append((one, two))
            await send(one, f"lambo challenge -clock={days}d {one} {two} {PASSWORD}", f"game {len(boards)}")
    played: list[list[str]] = [[] for _ in boards]
    for ply in range(1, PLIES + 1):
        mails = []
        for number, players in enumerate(boards, 1):
            position = replay(parse("lambo"), played[number - 1])
            move = write_move(next(legal_moves(position)))
            played[number - 1].append(move)
            who = players[(ply + 1) % 2]
            mails.append(send(who, f"move {number} {who} {PASSWORD} {move}", f"move {number} {ply} {move}"))
        await asyncio.gather(*mails)
    for day in range(BOARDS):
        await server.clock(DAY + GRACE)
        for number in range(day + 1, len(boards) + 1, BOARDS):
            os.write(acks, f"flag {number}\n".encode())
    await server.close()


def recorded(folder: Path, pairs: int) -> list[Op]:
    """Runs `work` in a process of its own under power.c, and reads what that has written down."""
    shim, log, place = folder / "power.so", folder / "log", folder / "disk"
    place.mkdir()
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", str(shim), str(HERE / "power.c"), "-ldl"], check=True)
    environ = os.environ | {"LD_PRELOAD": str(shim), "POWER_FOLDER": str(place), "POWER_LOG": str(log)}
    words = [sys.executable, "-m", "tests.prove.power", "--work", str(place), str(pairs)]
    subprocess.run(words, check=True, env=environ, cwd=HERE.parents[1])
    return list(_read(log.read_bytes()))


def _read(log: bytes) -> Iterator[Op]:
    at = 0
    while at < len(log):
        end = log.index(b"\n", at)
        kind, name, offset, size = log[at:end].decode().split(" ")
        at = end + 1 + int(size)
        yield Op(kind, name, int(offset), log[end + 1 : at])


# ---- what a cut leaves


class Disk:
    """The files as the disk surely has them, and what was done since to those that were not synced."""

    def __init__(self) -> None:
        self.sure: dict[str, bytearray] = {}
        self.loose: dict[str, list[Op]] = {}

    def do(self, op: Op) -> None:
        if op.kind == "S" and op.name == ".":
            for name, ops in list(self.loose.items()):
                gone = max((number for number, one in enumerate(ops, 1) if one.kind == "U"), default=0)
                for one in ops[:gone]:
                    _apply(self.sure, one)
                self.loose[name] = ops[gone:]
        elif op.kind == "S":
            for one in self.loose.pop(op.name, []):
                _apply(self.sure, one)
        else:
            self.loose.setdefault(op.name, []).append(op)

    def image(self, chance: random.Random) -> dict[str, bytes]:
        """One of the states that the disk may be in."""
        files = {name: bytearray(data) for name, data in self.sure.items()}
        for ops in self.loose.values():
            kept = list(ops)
            how = chance.randrange(4)
            if how == 0:
                kept = []
            elif how >= 2:
                kept = [op for op in kept if chance.random() < 0.5]
                chance.shuffle(kept)
            for number, op in enumerate(kept):
                torn = how == 3 and number == len(kept) - 1 and op.kind == "W"
                _apply(files, Op(op.kind, op.name, op.at, op.data[: SECTOR * chance.randrange(9)]) if torn else op)
        return {name: bytes(data) for name, data in files.items()}


def _apply(files: dict[str, bytearray], op: Op) -> None:
    if op.kind == "U":
        files.pop(op.name, None)
        return
    data = files.setdefault(op.name, bytearray())
    if op.kind == "T":
        del data[op.at :]
        data.extend(bytes(op.at - len(data)))
    else:
        data.extend(bytes(max(0, op.at - len(data))))
        data[op.at : op.at + len(op.data)] = op.data


# ---- what is looked at


def troubles(image: dict[str, bytes], acks: list[str], folder: Path) -> list[str]:
    """What is wrong with an image: acknowledged and not there, there twice or broken."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in image.items():
        (folder / name).write_bytes(data)
    try:
        store = Store.open(folder / "test.sqlite", 2_000_000_000, b"n" * 32)
    except Exception as error:
        return [f"it does not open: {type(error).__name__}: {error}"] if acks else []
    found = [str(row[0]) for row in store.db.execute("PRAGMA integrity_check").fetchall() if row[0] != "ok"]
    for ack in filter(None, acks):
        what, *words = ack.split()
        sql, values = {
            "player": ("SELECT 1 FROM player WHERE userid = ? AND state = 'active'", words),
            "game": ("SELECT 1 FROM game WHERE id = ? AND state <> 'offered'", words),
            "move": ("SELECT 1 FROM move WHERE game = ? AND ply = ? AND text = ?", words),
            "flag": ("SELECT 1 FROM game WHERE id = ? AND state = 'over' AND winner IS NOT NULL", words),
        }[what]
        if store.db.execute(sql, values).fetchone() is None:
            found.append(f"acknowledged and missing: {ack}")
    sql = "SELECT game.id FROM game WHERE ply <> (SELECT count(*) FROM move WHERE move.game = game.id)"
    found += [f"board {row[0]} does not add up" for row in store.db.execute(sql).fetchall()]
    found += [f"board {board}: {state}, {count} letters on time" for board, state, count in store.db.execute(FLAGS)]
    letters = store.db.execute("SELECT count(*) FROM outbox").fetchone()[0]
    moves = store.db.execute("SELECT count(*) FROM move").fetchone()[0]
    if letters < 2 * moves:
        found.append(f"{moves} moves and only {letters} letters")
    store.close()
    return found


def prove(images: int, seed: int = 1) -> tuple[int, int, list[str]]:
    """Plays power cuts: how many images, of a log of how many operations, and all that was wrong."""
    chance = random.Random(seed)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mailbot-power-") as name:
        folder = Path(name)
        ops = recorded(folder, pairs=1 + images // 100)
        cuts = range(len(ops) % 3, len(ops), 3)
        chosen = set(chance.sample(cuts, min(images, len(cuts))))
        disk, acks = Disk(), [""]
        for number, op in enumerate(ops):
            if op.name == ACKS:
                acks += op.data.decode().split("\n")
            elif "-shm" not in op.name:
                disk.do(op)
            if number in chosen:
                said = troubles(disk.image(chance), acks, folder / "image")
                wrong += [f"cut after operation {number}: {one}" for one in said]
        return len(chosen), len(ops), wrong


def main() -> None:
    if sys.argv[1] == "--work":
        asyncio.run(work(Path(sys.argv[2]), int(sys.argv[3])))
        return
    images, ops, wrong = prove(int(sys.argv[1]))
    print(f"{images} power cuts in a log of {ops} operations; troubles={wrong}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
