"""A week of twenty players: a seeded crowd that uses every command, on a server without sockets.

Each player has a mail program's view: the letters that came, and which can be answered. A player's next action is drawn
from ACTIONS; moves are drawn from the legal ones. Each turn has its own random numbers, and so has each action in it,
by its name: a new action takes the turns that it wins, and all other turns draw the same as before. The transcript has
a line for each mail and for each letter that it caused, without bodies; `Crowd.read` checks the bodies as they come.
"""

import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from email.message import Message
from itertools import islice
from pathlib import Path

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from mailbot.core.commands import ROWS
from mailbot.core.language.script import Script, read
from mailbot.core.model import Game, Player
from mailbot.core.puzzles import days
from mailbot.shell.console import postman
from mailbot.shell.smtp.wire import Envelope
from mailbot.store.reads import Reads
from tests.dialogues.play import Server

NAMES = (
    *("anna", "ben", "carla", "dora", "emil", "frida", "gus", "leopoldina-of-vienna", "ivan", "jule"),
    *("karl", "lena", "max", "nora", "otto", "paula", "quirin", "rosa", "stefan", "constantin-the-great"),
)
DAYS, A_DAY = 7, 100
"""Days, and mails on each."""

SENTENCES = re.compile(r"\n{3}|[^\n]{79}")
ACCEPTED = "250 2.0.0 Accepted"
GAMES = variants.CATALOGUE.words()


class Crowd:
    """The twenty, and what has happened so far. `done`: how often each command was carried out; `trouble`: what must
    not be."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.server = Server(folder, directors="anna")
        self.reads = Reads(self.server.db)
        self.seed = seed
        self.chance = random.Random(seed)  # of the present turn
        self.lines: list[str] = []
        self.done: Counter[str] = Counter()
        self.trouble: list[str] = []
        self.box: dict[str, list[Message]] = {}
        self.played = 0
        self.gone: set[str] = set()

    # -- mail ---------------------------------------------------------------------------------------------------------

    async def send(self, who: str, subject: str, body: str = "") -> list[tuple[str, str, Message]]:
        """A new mail, and the letters that it brings."""
        shown = subject.replace(password(who), "PASSWORD")
        script = read(subject, body, "", ROWS, GAMES)
        mail = self.server.mail(address(who), subject, body)
        return await self._sent(who, f"{shown}{' / ' if body else ''}{body}", mail, script)

    async def answer(self, who: str, letter: Message, body: str) -> list[tuple[str, str, Message]]:
        """The answer to a letter."""
        script = read("", body, str(letter["Reply-To"]).partition("+")[2][:1], ROWS, GAMES)
        reply = self.server.reply(address(who), letter, body)
        return await self._sent(who, f"answers '{letter['Subject']}': {body}", reply, script)

    async def _sent(self, who: str, said: str, envelope: Envelope, script: Script) -> list[tuple[str, str, Message]]:
        status = await self.server.accept(envelope)
        if status != ACCEPTED:
            self.trouble.append(f"{who}: {said}: {status}")
        names = {command.name for command in script.commands}
        said = said.replace(password(who), "PASSWORD").replace("\n", " / ")
        self.lines.append(f"{self.server.at():%a %H:%M} {who}: {said}")
        found = self.read()
        refused = any(str(letter["To"]) == address(who) and letter["Subject"] == "Not done" for _, _, letter in found)
        answered = any(str(letter["To"]) == address(who) for _, _, letter in found)
        self.done.update(names if answered and not refused else ())
        return found

    def read(self) -> list[tuple[str, str, Message]]:
        """Takes the new letters in, and looks at each as its reader would."""
        found = self.server.new_letters()
        for _, kind, letter in found:
            to, text = str(letter["To"]), postman.text(letter)
            self.lines.append(f"    {kind} to {to.partition('@')[0]}: {letter['Subject']}")
            self.box.setdefault(to, []).append(letter)
            if SENTENCES.search(text):
                self.trouble.append(f"{kind} to {to}: a long line, or two blank lines: {SENTENCES.findall(text)[0]!r}")
            if any(password(name) in text for name in NAMES):
                self.trouble.append(f"{kind} to {to}: a password")
            others = [name for name in NAMES if address(name) in text and address(name) != to]
            if others:
                self.trouble.append(f"{kind} to {to}: the address of another")
        return found

    def turn(self, number: int) -> "Action":
        """What happens in this turn: the action with the best draw, `random ** (1 / weight)` (Efraimidis, Spirakis)."""
        self.chance = random.Random(f"{self.seed} {number}")

        def draw(row: tuple[int, Action]) -> float:
            weight, action = row
            return float(random.Random(f"{self.seed} {number} {action.__name__}").random() ** (1 / weight))

        return max(ACTIONS, key=draw)[1]

    def look_round(self) -> None:
        """At the end: every game can be replayed, and whoever is to move has a letter to do it with, or one that lists
        the board."""
        for number in range(1, 10_000):
            game = self.reads.game(number)
            if game is None:
                break
            moves = self.reads.moves(number)
            position = replay(variants.parse(game.rules), [move.text for move in moves])
            if [move.ply for move in moves] != list(range(1, game.ply + 1)) or game.to_move not in (
                0,
                position.to_move,
            ):
                self.trouble.append(f"board {number} does not add up")
            mover = self.reads.player(game.player(game.to_move)) if game.state == "running" else None
            if mover and mover.id > 0 and mover.state == "active":
                likes = self.reads.preferences(mover.id)
                letter = self.letter(mover.userid, number)
                held = int(str(letter["Reply-To"]).split("-")[3]) if letter else 0
                listed = any(
                    "boards wait for you" in str(x["Subject"]) and re.search(rf"\b{number}\b", postman.text(x))
                    for x in self.box.get(address(mover.userid), [])
                )
                plain = likes.get("digest", "off") == likes.get("quiet", "off") == "off"
                if not game.is_next(held) and plain and not listed:
                    self.trouble.append(f"board {number}: {mover.userid} is to move with {game.stamp} and holds {held}")

    # -- what is known ------------------------------------------------------------------------------------------------

    def player(self, who: str) -> Player:
        found = self.reads.player_named(who)
        assert found
        return found

    def boards(self, who: str, *states: str) -> list[Game]:
        return self.reads.games_of(self.player(who).id, states)

    def legal(self, game: Game) -> str:
        """Some legal move."""
        position = replay(variants.parse(game.rules), [move.text for move in self.reads.moves(game.id)])
        return notation.write_move(self.chance.choice(list(islice(legal_moves(position), 150))))

    def waiting(self, who: str) -> list[Game]:
        """Boards on which this player is to move."""
        return [game for game in self.boards(who, "running") if game.to_move == game.number_of(self.player(who).id)]

    def letter(self, who: str, board: int) -> Message | None:
        """The newest letter that can be answered about a board."""
        of = [x for x in self.box.get(address(who), []) if x["Reply-To"] and f" {board}: " in str(x["Subject"])]
        return of[-1] if of else None

    def other(self, who: str) -> str:
        return self.chance.choice([name for name in NAMES if name != who and name not in self.gone])

    def here(self) -> list[str]:
        return [name for name in NAMES if name not in self.gone]


def address(who: str) -> str:
    return f"{who}@example.org"


def password(who: str) -> str:
    return f"{who}-canary-word"


# -- what players do --------------------------------------------------------------------------------------------------

Action = Callable[[Crowd, str], Awaitable[object]]


async def challenge(c: Crowd, who: str) -> object:
    game = c.chance.choice(("lambo", "lambo", "palago", "mambo", "mamba", "lambo -size=16", "mambo -size=14 -swap"))
    word, *options = game.split()
    other = c.other(who)
    pair = [who, other] if c.chance.random() < 0.5 else [other, who]
    return await c.send(who, " ".join([word, "challenge", *pair, *options, password(who)]), "A game?")


async def answer_offer(c: Crowd, who: str) -> object:
    number = c.player(who).id
    for game in c.boards(who, "offered"):
        letter = c.letter(who, game.id)
        if letter and not game.agreed & game.number_of(number):
            return await c.answer(who, letter, "accept" if c.chance.random() < 0.85 else "decline")
    return await c.send(who, "games")


async def move(c: Crowd, who: str) -> object:
    """Answers, or writes the command, on the board that has waited longest."""
    games = sorted(c.waiting(who), key=lambda game: game.changed)
    if not games:
        return await answer_offer(c, who)
    game = games[0]
    text, letter = c.legal(game), c.letter(who, game.id)
    before = len(c.reads.moves(game.id))
    words = c.chance.choice(("", "", "\n\nWell, well.", " propose" if game.asks == "" else ""))
    if letter and c.chance.random() < 0.7:
        told = await c.answer(who, letter, text + words)
        if len(c.reads.moves(game.id)) > before:
            c.played += 1
            return told
    if len(c.reads.moves(game.id)) == before and (now := c.reads.game(game.id)) and now.state == "running":
        await c.send(who, f"move {game.id} {who} {password(who)} {text}")
        c.played += 1
        assert len(c.reads.moves(game.id)) > before, (game.id, text)
    return None


def on_a_board(command: str, *, mine: bool | None = None, states: tuple[str, ...] = ("running",)) -> Action:
    """A command about one of the player's boards; `mine`: whether it has to be the player's turn there."""

    async def act(c: Crowd, who: str) -> object:
        games = c.boards(who, *states)
        if mine is not None:
            turns = [game.id for game in c.waiting(who)]
            games = [game for game in games if (game.id in turns) == mine]
        if not games:
            return await move(c, who)
        game = c.chance.choice(games)
        text = c.legal(game) if "MOVE" in command and game.state == "running" else ""
        line, _, body = command.partition(" / ")
        line = line.format(board=game.id, who=who, pw=password(who)).replace("MOVE", text)
        return await c.send(who, line, body.replace("MOVE", text))

    act.__name__ = command
    return act


def plain(command: str) -> Action:
    """A command without a board; OTHER is another player, N an open offer."""

    async def act(c: Crowd, who: str) -> object:
        seeks = [one.id for one in c.reads.seeks() if one.player != c.player(who).id]
        line, _, body = command.partition(" / ")
        line = line.format(who=who, pw=password(who)).replace("OTHER", c.other(who))
        if line.startswith("take"):
            line = line.replace("N", str(c.chance.choice(seeks or [1])))
        return await c.send(who, line, body)

    act.__name__ = command
    return act


async def message_back(c: Crowd, who: str) -> object:
    for letter in reversed(c.box.get(address(who), [])):
        if str(letter["Subject"]).startswith("A message from") and letter["Reply-To"]:
            return await c.answer(who, letter, "Thank you for writing.")
    return await c.send(who, f"message {who} {password(who)} {c.other(who)}", "Hello there!")


async def multiple(c: Crowd, who: str) -> object:
    body = f"games\nseeks\nstandings\nset {who} {password(who)} hints on\nthis is no command"
    return await c.send(who, "multiple", body)


ACTIONS: tuple[tuple[int, Action], ...] = (
    (90, move),
    (20, challenge),
    (14, answer_offer),
    (3, on_a_board("queue {board} {who} {pw} / if a2,b3 then MOVE", mine=True)),
    (3, on_a_board("queue {board} {who} {pw} MOVE", mine=False)),
    (1, on_a_board("queue {board} {who} {pw} none")),
    (2, on_a_board("submit {board} {who} {pw} MOVE", mine=True)),
    (2, on_a_board("confirm {board} {who} {pw}", mine=True)),
    (2, on_a_board("propose {board} {who} {pw}")),
    (2, on_a_board("undo {board} {who} {pw}")),
    (2, on_a_board("accept {board} {who} {pw}")),
    (1, on_a_board("decline {board} {who} {pw}", states=("offered", "running"))),
    (1, on_a_board("resign {board} {who} {pw} / Enough.")),
    (3, on_a_board("chat {board} {who} {pw} / How are you?", states=("running", "over"))),
    (2, on_a_board("show {board}#1 {board}", states=("running", "over"))),
    (2, on_a_board("history {board}", states=("running", "over"))),
    (1, on_a_board("record {board}", states=("running", "over"))),
    (1, on_a_board("preview {board} MOVE", mine=True)),
    (6, on_a_board("analyse {board} {who} {pw}", states=("over",))),
    (4, on_a_board("rematch {board} {who} {pw}", states=("over",))),
    (1, plain("record all {who} {pw}")),
    (2, plain("lambo seek -keep=2 {who} {pw}")),
    (1, plain("mamba seek {who} {pw}")),
    (2, plain("take N {who} {pw} / Here I am.")),
    (2, plain("games")),
    (1, plain("list")),
    (1, plain("seeks")),
    (1, plain("standings")),
    (2, plain("rating {who}")),
    (1, plain("lambo standings")),
    (1, plain("showas {who} {pw} next")),
    (2, plain("message {who} {pw} OTHER / A fine day!")),
    (2, message_back),
    (1, plain("broadcast {who} {pw} yes")),
    (1, plain("broadcast {who} {pw} / Hear, hear!")),
    (1, plain("block {who} {pw} OTHER")),
    (1, plain("unblock {who} {pw} OTHER")),
    (1, plain("set {who} {pw} board none")),
    (1, plain("set {who} {pw} board normal")),
    (1, plain("set {who} {pw} comments bottom")),
    (1, plain("set {who} {pw} digest 6")),
    (1, plain("set {who} {pw} digest off")),
    (1, plain("set {who} {pw} accept all yes")),
    (1, plain("set {who} {pw}")),
    (2, plain("signoff {who} {pw}")),
    (1, plain("help")),
    (1, plain("lambo challenge me uct2 {pw}")),
    (2, multiple),
    (12, plain("mambo challenge -clock=fast {who} OTHER {pw}")),
    (1, plain("vacation {who} {pw} 2")),
    (1, plain("vacation {who} {pw} off")),
    (8, on_a_board("grant {board} {who} {pw} 1d / Take your time.")),
)


async def once(c: Crowd) -> None:
    """What a player does once in a while, and what needs a letter's answer in between: on the last day."""
    who = "rosa"
    await c.send(who, f"add {who} {password(who)} {who}-too@example.org")
    await c.answer(who, c.box[address(who)][-1], "yes")
    await c.send("stefan", f"change password stefan {password('stefan')} {password('stefan')}x")
    await c.send(NAMES[-1], f"change address {NAMES[-1]} {password(NAMES[-1])} tina-new@example.org")
    await c.send("paula", "forgot paula")
    await c.send("paula", "unsubscribe")
    await c.answer("paula", c.box[address("paula")][-1], "")
    await c.send(who, f"lambo challenge -unrated me uct2 {password(who)}")
    against = max(game.id for game in c.boards(who, "running"))
    await c.send(who, f"hint {against} {who} {password(who)}")
    await c.send(who, f"puzzle {who} {password(who)}")
    await c.answer(who, c.box[address(who)][-1], "a0")
    await c.send(who, f"solve {who} {password(who)} {days.of_day(c.server.time // 86_400).solutions[0]}")
    await c.send("otto", f"delete otto {password('otto')}")
    (letter,) = [one for one in c.box[address("otto")] if one["Subject"] == "Do you want to leave?"][-1:]
    await c.answer("otto", letter, "delete")
    c.gone.add("otto")


async def tournaments(c: Crowd) -> None:
    """A round-robin and a ladder, on the last day."""

    async def say(who: str, line: str, body: str = "") -> None:
        await c.send(who, line.format(who=who, pw=password(who)), body)

    options = "-game=lambo -clock=fast"
    await say("anna", f'tournament create {{who}} {{pw}} "Week Cup" -format=roundrobin {options} -max=4', "For all.")
    await say("anna", f'tournament create {{who}} {{pw}} "Steps" -format=ladder {options}')
    await say("ben", "tournaments")
    for who in ("ben", "carla", "dora", "emil"):
        await say(who, "join 2 {who} {pw}")
    await say("ben", "join 1 {who} {pw}")
    await say("ben", "leave 1 {who} {pw}")
    for who in ("carla", "dora", "emil", "frida"):
        await say(who, "join 1 {who} {pw}")
    await say("anna", "tournament start 2 {who} {pw}")
    for _ in range(3):
        await c.server.clock(60)
        c.read()
    await say("emil", "challenge 2 carla {who} {pw}")
    await say("gus", "ladder 2")
    await say("dora", "withdraw 1 {who} {pw}")
    await say("dora", "return 1 {who} {pw}")
    board = c.boards("frida", "running")[-1].id
    await say("frida", f"appeal {board} {{who}} {{pw}}", "Is this fair?")
    await say("anna", "tournament 1")
    await say("gus", "record tournament 1")


async def play(folder: Path, seed: int = 1) -> Crowd:
    """The whole week."""
    c = Crowd(folder, seed)
    c.server.writer.start()
    try:
        for who in NAMES:
            await c.send(who, f"signup {who} {password(who)}")
            await c.answer(who, c.box[address(who)][-1], "yes")
            await c.server.clock(60)
        for day in range(DAYS):
            for mail in range(A_DAY):
                act = c.turn(day * A_DAY + mail)
                await act(c, c.chance.choice(c.here()))
                await c.server.clock(c.chance.randrange(1, 2 * 86_400 // A_DAY))
                c.read()
            if day == DAYS - 1:
                await tournaments(c)
                await once(c)
        c.look_round()
    finally:
        await c.server.close()
    return c


WORDS = frozenset(row.name for row in ROWS if not row.takes_over)
