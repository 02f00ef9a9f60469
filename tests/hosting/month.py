"""A director's month: three mails create three tournaments, sixty scripted players finish them, by mail alone.

Each player has a mailbox and answers what comes: moves by answering the letter about a board, now and then a
resignation, an appeal, a withdrawal and a return. Some vanish, and their games end on time.
"""

import random
from collections import Counter
from email.message import Message
from itertools import islice
from pathlib import Path

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from mailbot.core.contests import Stages
from mailbot.core.hosting import standing
from mailbot.core.model import DAY, Address, Player
from mailbot.store.reads import Reads
from mailbot.store.rows import put
from tests.dialogues.play import Server
from tests.uncapped import UNCAPPED

PEOPLE = 60
CREATED = (
    '"Month Swiss" -format=swiss,rounds=3,match=1 -game="lambo -size=4" -clock=2d -max=40',
    '"Month Groups" -format=groups,of=5,up=1 -game="lambo -size=4" -clock=2d -max=25',
    '"Month Cup" -format=knockout -game="lambo -size=4" -clock=2d -max=16 -every=month',
)


class Month:
    """The server, its players, and a line for each thing that a director would look at."""

    def __init__(self, folder: Path) -> None:
        self.server = Server(folder, caps=UNCAPPED, directors="player1")
        self.reads = Reads(self.server.db)
        self.chance = random.Random(60)
        self.lines: list[str] = []
        self.done: Counter[str] = Counter()
        self.vanished = {5, 11, 23, 37}

    async def mail(self, who: int, line: str, body: str = "") -> None:
        sender = f"p{who}@example.org"
        status = await self.server.accept(self.server.mail(sender, line.format(f"player{who} password-{who}"), body))
        assert status.startswith("250"), status
        self.done[line.split()[0]] += 1
        self.read()

    def read(self) -> None:
        """The new letters; the director's, and what everybody got of a kind, become lines."""
        for _, _, letter in self.server.new_letters():
            to, subject = str(letter["To"]), str(letter["Subject"])
            self.done["letters"] += 1
            if to.startswith("p1@") and "Month" in subject:
                self.lines.append(f"{self.server.at():%d %b} director: {subject}")

    async def answer(self, who: int, board: int) -> None:
        """Answers the newest letter about this board with a move, or gives up."""
        letters: list[Message] = self.server.letters.get(f"p{who}@example.org", [])
        of = [one for one in letters if one["Reply-To"] and f" {board}: " in str(one["Subject"])]
        game = self.reads.game(board)
        assert game and of
        position = replay(variants.parse(game.rules), self.reads.texts(board))
        move = notation.write_move(self.chance.choice(list(islice(legal_moves(position), 30))))
        said = move if self.chance.random() < 0.7 else f"resign {board}"
        status = await self.server.accept(self.server.reply(f"p{who}@example.org", of[-1], said))
        assert status.startswith("250"), status
        self.done[said.split()[0] if said.startswith("resign") else "move"] += 1
        self.read()


async def play(folder: Path) -> Month:
    """From the three mails to the three last tables."""
    m = Month(folder)
    m.server.writer.start()
    try:
        m.server.store.begin()
        for number in range(1, PEOPLE + 1):
            hashed = f"hash of {f'password-{number}'[::-1]}"
            put(m.server.store.db, Player(number, f"player{number}", "active", hashed, 1, 1, m.server.time))
            put(m.server.store.db, Address(number, number, f"p{number}@example.org", "current", 0, m.server.time))
        m.server.store.commit()
        for options in CREATED:
            title, _, rest = options.rpartition('" ')
            await m.mail(1, f'tournament create {{}} {title}" {rest}')
        for number, people in ((1, range(1, 41)), (2, range(31, 56)), (3, range(45, 61))):
            for who in people:
                always = " -always" if number == 3 and who % 2 else ""
                await m.mail(who, f"join {number} {{}}{always}")
        for _ in range(200):
            await m.server.clock(DAY // 4)
            m.read()
            states = [standing.load(one, m.reads) for one in m.reads.tournaments((Stages.RUNNING,), 9)]
            if not states and m.done["move"]:
                break
            for state in states:
                for _, game in state.playing():
                    who = game.player(game.to_move)
                    if who not in m.vanished and m.chance.random() < 0.8:
                        await m.answer(who, game.id)
            if states and m.done["withdraw"] < 4:
                state = states[0]
                who = m.chance.choice([entry.player for entry in state.there])
                if running := state.playing(next(one.seat for one in state.there if one.player == who)):
                    await m.mail(who, f"appeal {running[0][1].id} {{}}", "My opponent is slow.")
                    await m.mail(who, f"withdraw {state.tournament.id} {{}}")
                    if m.done["withdraw"] % 2:
                        await m.mail(who, f"return {state.tournament.id} {{}}")
        for one in m.reads.tournaments((Stages.OVER,), 9):
            table = standing.load(one, m.reads).table
            m.lines.append(f"{one.title}, {len(table)} players, the first three:")
            m.lines += [f"    {row.place} player{entry.player} {row.points:g}" for row, entry in table[:3]]
        acts = Counter(line.what for number in (1, 2, 3) for line in m.reads.log(number, 0, 100_000))
        m.lines += [f"in the logs, {what}: {count}" for what, count in sorted(acts.items())]
        (following,) = m.reads.tournaments((Stages.ENTRY,), 9)
        m.lines.append(f"{following.title} is open, with {len(m.reads.entries(following.id))} players")
        m.lines += [f"{what}: {count}" for what, count in sorted(m.done.items())]
    finally:
        await m.server.close()
    return m
