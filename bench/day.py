"""A day of 100,000 players against the real daemon, whose clock runs faster: how long letters take, and how the file
grows.

    python bench/day.py [--players 100000] [--speed 24] [--from 0] [--hours 24]

A player has 5.5 boards and makes 1.9 moves a day, as in the e-mail chess club E4EC (431 active players, 1,194 running
games and 821 moves on a day of August 2007, https://www.e4ec.org/statistics.html). How active a player is follows a
log-normal distribution, and at eight in the evening four times as much happens as in the mean of the day. One mail in
twenty is a question with a password instead of a move. Every game has a clock, so reminders are sent and flags fall.

A delay is the time from the moment in which a player sends a move until each of its two letters is with the relay, in
seconds of this machine, so the daemon's own work is done under so many times the load of the real day. The relay is a
sink on this machine. At the end every move must be on its board, and each have two letters.
"""

import argparse
import asyncio
import math
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

import games
from clocks import timed
from delivery import choose, waiting
from load import Mail, cpu_seconds, drive, megabytes, running
from moves import serve_ours

from engine.hex import notation, variants
from engine.hex.position import apply, legal_moves, start
from mailbot.core import tokens
from mailbot.core.model import DAY, Address, Game, Move, Player
from mailbot.core.tokens import Token
from mailbot.shell.proof.passwords import hashed
from mailbot.store.store import KEEP_DAYS, Store

GAMES_EACH, MOVES_EACH = 1194 / 431, 821 / 431
LINES, LONGEST = 300, 13
"""Games as they go: so many, so many plies long; then the player to move resigns."""
PEAK, NIGHT, EVENING = 4.0, 0.3, 20.0
"""Times the mean at the hour EVENING, and at night."""
WIDTH = (1 - NIGHT) * 24 / ((PEAK - NIGHT) * math.sqrt(2 * math.pi))
"""Hours: the standard deviation of the evening, so that the mean of the day is 1."""
REST = 600
"""Seconds between two turns of a board, at least."""
QUESTIONS = 20
FULL = math.log(2)
"""The share of a B-tree's page that is in use, after many rows have come at random places (A. C. Yao, 1978)."""
LANES = 20
"""Mails that are on their way at once, as Postfix has it (default_destination_concurrency_limit)."""
FEW = 100
TICK = 0.1
"""Seconds of this machine between two bursts of mails."""

CLEARED = ("outbox", "seen", "submitted", "deferred", "picture", "unproved", "attempts")
"""Tables whose rows are deleted again, the larger ones after KEEP_DAYS."""


def busy(hour: float) -> float:
    """How much happens at this hour, beside the mean of the day."""
    return NIGHT + (PEAK - NIGHT) * math.exp(-(((hour - EVENING + 12) % 24 - 12) ** 2) / (2 * WIDTH**2))


def lines(seed: int = 1) -> list[list[str]]:
    """Random games of Lambo that go on for LONGEST plies."""
    chance, found = random.Random(seed), []
    while len(found) < LINES:
        position, texts = start(variants.parse("lambo -size=30")), []
        while len(texts) < LONGEST:
            choices = [*islice(legal_moves(position), 300)]
            for move in chance.sample(choices, min(20, len(choices))):
                after = apply(position, move)
                if after.outcome is None:
                    break
            else:
                break
            position = after
            texts.append(notation.write_move(move))
        if len(texts) == LONGEST:
            found.append(texts)
    return found


@dataclass(slots=True)
class Day:
    """What players will send. `owners`: of each board, from 1 on; `plies`: how far each is."""

    owners: list[tuple[int, int]]
    plies: list[int]
    lines: list[list[str]]
    keys: dict[int, bytes] = field(default_factory=dict)
    over: set[int] = field(default_factory=set)

    def next(self, board: int) -> Mail:
        """The mail with the next turn on this board, which then counts as played."""
        ply = self.plies[board] + 1
        player = self.owners[board][(ply + 1) % 2]
        newest = max(self.keys)
        token = tokens.write(Token("p", player, board, 2 * ply), self.keys[newest], newest, 1)
        line = self.lines[board % LINES]
        said = line[ply - 1] if ply <= len(line) else f"resign {board}"
        if ply <= len(line):
            self.plies[board] = ply
        else:
            self.over.add(board)
        return games.reply(f"player{player}@home.example", games.OWN.token_address(token), board, ply, said)


def fill(path: Path, players: int, chance: random.Random) -> Day:
    """Makes the file, and says what stands in it."""
    known = lines()
    boards = round(players * GAMES_EACH)
    active = [chance.lognormvariate(0, 1) for _ in range(players)]
    seats = chance.choices(range(1, players + 1), active, k=2 * boards)
    owners = [(one, two if two != one else two % players + 1) for one, two in zip(seats[::2], seats[1::2], strict=True)]
    day = Day([(0, 0), *owners], [0, *(chance.randrange(2, 9) for _ in range(boards))], known)
    password = hashed(games.PASSWORD)
    store = Store.open(path, games.NOW, b"k" * 32)
    store.begin()
    everybody = range(1, players + 1)
    games.insert(store, (Player(p, f"player{p}", "active", password, 1, 1, games.NOW) for p in everybody), Player)
    addresses = (Address(p, p, f"player{p}@home.example", "current", 0, games.NOW) for p in everybody)
    games.insert(store, addresses, Address)
    games.insert(store, (_game(day, board, chance) for board in range(1, boards + 1)), Game)
    games.insert(
        store,
        (
            Move(board, ply, day.owners[board][(ply + 1) % 2], text, "", games.NOW - DAY)
            for board in range(1, boards + 1)
            for ply, text in enumerate(known[board % LINES][: day.plies[board]], 1)
        ),
        Move,
    )
    store.commit()
    day.keys = dict(store.keys())
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    store.close()
    return day


def _game(day: Day, board: int, chance: random.Random) -> Game:
    one, two = day.owners[board]
    ply = day.plies[board]
    game = Game(
        id=board,
        rules=f"lambo -size={30 + board % 60}",  # so that few positions are met twice
        player1=one,
        player2=two,
        state="running",
        agreed=3,
        ply=ply,
        to_move=ply % 2 + 1,
        winner=None,
        reason="",
        created=games.NOW - 10 * DAY,
        changed=games.NOW,
        started=games.NOW - 10 * DAY,
        category="lambo",
    )
    return timed(game, ago=min(9 * DAY, int(chance.expovariate(MOVES_EACH / GAMES_EACH / DAY))))


def arrivals(day: Day, begin: float, hours: float, chance: random.Random) -> Iterator[tuple[float, int]]:
    """The hour of the day and the board of each turn, in their order."""
    mean = len(day.owners) / GAMES_EACH * MOVES_EACH / 24
    last: list[float] = [-1.0] * len(day.owners)
    at = begin
    while True:
        at += chance.expovariate(mean * PEAK)
        if at >= begin + hours:
            return
        if chance.random() * PEAK > busy(at % 24):
            continue
        for board in iter(partial(chance.randrange, 1, len(day.owners)), 0):
            if board not in day.over and at - last[board] > REST / 3600:
                last[board] = at
                yield at, board
                break


# ---- the relay


_CAUSE = re.compile(rb"^Reply-To: mailbot\+\w+-(\d+)-(\d+)-(\d+)-", re.MULTILINE)


class Sink:
    """Takes letters, and notes when the first one came to a player about a position."""

    def __init__(self) -> None:
        self.came: dict[tuple[int, int, int], float] = {}
        self.letters = self.octets = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the daemon."""
        writer.write(b"220 sink\r\n")
        try:
            while line := await reader.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    writer.write(b"354 go on\r\n")
                    letter = await reader.readuntil(b"\r\n.\r\n")
                    self.letters += 1
                    self.octets += len(letter)
                    if about := _CAUSE.search(letter):
                        player, board, stamp = map(int, about.groups())
                        self.came.setdefault((player, board, stamp // 2 - 1), time.perf_counter())
                writer.write(b"221 bye\r\n" if word == b"QUIT" else b"250 yes\r\n")
                if word == b"QUIT":
                    break
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # cancelled at the end of the bench
        writer.close()


# ---- the day


@dataclass(slots=True)
class Sent:
    """`turns`: the hour, the board, the ply and when it was sent, of each move. `late`: how late mails went out.
    `put_off`: how often the daemon said "later"."""

    turns: list[tuple[float, int, int, float]] = field(default_factory=list)
    resigned: int = 0
    questions: int = 0
    late: float = 0.0
    put_off: int = 0


async def live(day: Day, port: int, begin: float, hours: float, speed: int, chance: random.Random) -> Sent:
    """Sends everything that happens in these hours, at its time."""
    sent = Sent()
    todo = arrivals(day, begin, hours, chance)
    coming = next(todo, None)
    started = time.perf_counter()
    under_way: set[asyncio.Task[None]] = set()
    lanes = asyncio.Semaphore(LANES)

    async def send(mail: Mail) -> None:
        while True:
            try:
                async with lanes:
                    await drive(port, [mail], 1, False)
            except (RuntimeError, OSError):  # "later": a mail server tries again
                sent.put_off += 1
                await asyncio.sleep(1)
            else:
                return

    while coming:
        now = time.perf_counter()
        hour = begin + (now - started) * speed / 3600
        mails = []
        while coming and coming[0] <= hour:
            at, board = coming
            before = day.plies[board]
            mails.append(day.next(board))
            if day.plies[board] > before:
                sent.turns.append((at, board, before + 1, now))
            else:
                sent.resigned += 1
            if len(sent.turns) % QUESTIONS == 0:
                mails += question(sent.questions, chance.randrange(1, len(day.owners)))
                sent.questions += 1
            sent.late = max(sent.late, (hour - at) * 3600 / speed)
            coming = next(todo, None)
        for mail in mails:
            under_way.add(task := asyncio.ensure_future(send(mail)))
            task.add_done_callback(under_way.discard)
        await asyncio.sleep(TICK)
    await asyncio.gather(*under_way)
    return sent


def question(number: int, player: int) -> list[Mail]:
    """A mail that asks for one's games, with the password."""
    text = (
        f"From: <player{player}@home.example>\r\nTo: <{games.OWN.address}>\r\n"
        f"Subject: games player{player} {games.PASSWORD}\r\n"
        f"Message-ID: <question-{number}@home.example>\r\nDate: Mon, 21 Sep 2026 13:33:20 +0000\r\n\r\n.\r\n"
    )
    return [Mail(f"player{player}@home.example", games.OWN.address, text.encode())]


def sizes(path: Path) -> dict[str, int]:
    """Octets that the rows of each table use in the file, with its indexes."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        sql = "SELECT tbl_name, sum(pgsize - unused) FROM dbstat JOIN sqlite_master USING (name) GROUP BY tbl_name"
        return dict(db.execute(sql).fetchall())


def check(path: Path, day: Day) -> str:
    """ "" if each board stands where it should; else what is wrong. A flag may have ended a game meanwhile."""
    with closing(sqlite3.connect(path)) as db:
        found = dict(db.execute("SELECT id, ply FROM game WHERE reason NOT LIKE '%time%'").fetchall())
    wrong = [board for board, ply in found.items() if ply != day.plies[board]]
    return f"{len(wrong)} boards do not stand where they should, such as {wrong[:3]}" if wrong else ""


def table(sent: Sent, day: Day, sink: Sink) -> None:
    """The delays, hour by hour, and of the whole day."""
    delays: dict[int, list[float]] = {}
    missing = 0
    for hour, board, ply, when in sent.turns:
        for player in day.owners[board]:
            came = sink.came.get((player, board, ply))
            if came is None:
                missing += 1
            else:
                delays.setdefault(int(hour), []).append(came - when)
    print("hour  letters about moves  a second  median ms  p99 ms  longest ms")
    for name, found in [*delays.items(), ("all", [one for row in delays.values() for one in row])]:
        row = sorted(found)
        median, p99, most = (row[min(len(row) - 1, int(len(row) * part))] * 1e3 for part in (0.5, 0.99, 1))
        a_second = f"{len(row) / 3600:8.1f}" if name != "all" else " " * 8
        print(f"{name:>4}  {len(row):19}  {a_second}  {median:9.0f}  {p99:6.0f}  {most:10.0f}")
    print(f"letters that did not come: {missing}")


def growth(before: dict[str, int], after: dict[str, int], moves: int, players: int) -> None:
    """What the file grows by, in pages that are FULL."""
    grown = {name: (octets - before.get(name, 0)) / moves / FULL for name, octets in after.items()}
    for_good = sum(octets for name, octets in grown.items() if name not in CLEARED)
    for_days = sum(octets for name, octets in grown.items() if name in CLEARED)
    a_day = players * MOVES_EACH
    print(f"octets a move: {for_good:.0f} for good, {for_good * a_day * 365 / 1e9:.1f} GB a year;", end=" ")
    print(f"{for_days:.0f} for {KEEP_DAYS} days, {for_days * a_day * KEEP_DAYS / 1e9:.1f} GB at any time")
    print("by table:", ", ".join(f"{name} {octets:.0f}" for name, octets in grown.items() if abs(octets) >= 1))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--file", default="", help=argparse.SUPPRESS)
    options.add_argument("--players", type=int, default=100_000)
    options.add_argument("--speed", type=int, default=24)
    options.add_argument("--from", type=float, default=0.0, dest="begin", help="the hour at which the day begins")
    options.add_argument("--hours", type=float, default=24.0)
    options.add_argument("--letters", choices=("text", "html", "picture"), default="html", help="of every player")
    given = options.parse_args()
    if given.serve:
        _, relay, speed = given.serve.split(":")
        asyncio.run(serve_ours(given.file, int(relay), speed=int(speed)))
        return
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        asyncio.run(run(Path(folder, "db"), given))


async def run(path: Path, given: argparse.Namespace) -> None:
    """The whole bench."""
    chance = random.Random(1)
    begun = time.perf_counter()
    day = fill(path, given.players, chance)
    with closing(sqlite3.connect(path)) as db:
        choose(db, given.letters)
    before = sizes(path)
    print(f"{len(day.owners) - 1} boards, {sum(before.values()) / 1e6:.0f} MB, made in", end=" ")
    print(f"{time.perf_counter() - begun:.0f} s", flush=True)
    sink = Sink()
    relay = await asyncio.start_server(sink.serve, "127.0.0.1", 0, limit=2**20)
    port = relay.sockets[0].getsockname()[1]
    with running(__file__, f"ours:{port}:{given.speed}", str(path)) as (ours, process):
        await quiet(path)  # reminders that were due before the day began
        used = cpu_seconds(process)
        begun = time.perf_counter()
        sent = await live(day, ours, given.begin, given.hours, given.speed, chance)
        seconds = time.perf_counter() - begun
        used = cpu_seconds(process) - used
        await quiet(path)
        memory = megabytes(process)
    relay.close()
    turns = len(sent.turns)
    print(f"{turns} moves, {sent.resigned} times resigned, {sent.questions} questions with a password;", end=" ")
    print(f"{sink.letters} letters of {sink.octets / sink.letters:.0f} octets; {seconds:.0f} s.")
    share = used / seconds
    print(f"The daemon used {share:.0%} of a core ({share / given.speed:.1%} if time is not sped up), {memory:.0f} MB,")
    print(f"and said {sent.put_off} times 'later'. The bench was late by {sent.late * 1e3:.0f} ms at most.")
    table(sent, day, sink)
    growth(before, sizes(path), turns, given.players)
    if trouble := check(path, day):
        sys.exit(trouble)


async def quiet(path: Path) -> None:
    """Returns as soon as few letters wait. Some always do, because reminders come all the time."""
    await asyncio.sleep(3)
    with closing(sqlite3.connect(path)) as db:
        while waiting(db) > FEW:
            await asyncio.sleep(1)


if __name__ == "__main__":
    main()
