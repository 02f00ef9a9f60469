"""The computer players: the task that hands waiting boards to workers and brings back moves.

Theory of operation. We do not remember which boards wait for a computer player, but ask the database again and again.
So a crash or a restart loses nothing. The board that has waited longest goes first, one board to a worker; but a player
whose board was just served comes after the others. A finished move enters as a Request, by the same door as a mail. It
names its ply, so it is played once. Hints begin when no board waits, in the same order, and analyses when no hint
waits, either. Analyses go ply by ply: a board that comes meanwhile gets its turn after the ply.

Where the workers are is the business of `minds`. The board of a worker that dies still waits in the database. After a
crash the suspects are retried one at a time, to find the one that kills workers. That one is given up.
"""

import asyncio
import contextlib
import hmac
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count

from engine.search import Thought
from mailbot.core.converse import Answer
from mailbot.core.effects import Drop, Effect, Kinds, Letter, Post, Put
from mailbot.core.games import boards, hints
from mailbot.core.letters import analysis
from mailbot.core.model import Analysis, Game, Hint
from mailbot.core.players import bots
from mailbot.core.world import Asked, Proofs, Request
from mailbot.shell.minds import work as working
from mailbot.shell.minds.work import DEATHS, Died, Interrupted, Minds, Work
from mailbot.shell.writer import Unwritten, Writer
from mailbot.store.reads import Reads
from mailbot.store.store import Store

log = logging.getLogger("mailbot.bots")

BEAT = 60.0
"""The database is polled after this many seconds without a wake-up."""

LOOKED = 50
"""Boards read from the database at a time."""

ACCEPTS_DRAW = 0.25
"""A computer player agrees to a draw if its chance of winning is not above this, by ANALYSED playouts. The opening book
is not asked: its turns vary, and some turn of a quiet position always looks bad."""

ANALYSED = 4000
"""Playouts for each ply of an analysis, and for the answer to a draw."""


class Bots:
    """Looks for boards that wait for a computer player. `wake` is set when something was committed."""

    def __init__(
        self,
        reads: Reads,
        writer: Writer,
        now: Callable[[], int],
        minds: Minds,
        *,
        seconds: int,
        stop: asyncio.Event,
        secret: bytes,
    ) -> None:
        """`seconds`: at most for a move. `secret`: its chances come from it."""
        self._secret = secret
        self.wake = asyncio.Event()
        self._reads = reads
        self._writer = writer
        self._now = now
        self._minds = minds
        self._seconds = seconds
        self._stop = stop
        self._thinking: dict[object, asyncio.Task[None]] = {}
        self._given_up: set[Game] = set()
        self._deaths: Counter[object] = Counter()
        self._turns = count(1)
        self._served: dict[int, int] = {}  # player -> the last of these turns

    async def run(self) -> None:
        """Works until told to stop; unfinished boards are taken up again after the next start."""
        minds = asyncio.create_task(self._minds.run())
        stopped = asyncio.create_task(self._stop.wait())
        stopped.add_done_callback(lambda _: self.wake.set())
        while not self._stop.is_set():
            self.wake.clear()
            try:
                self._begin()
            except Exception as error:  # tried again after the next beat
                log.error("the boards that wait for computer players could not be read: %s", type(error).__name__)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BEAT):
                    await self.wake.wait()
        tasks = [minds, stopped, *self._thinking.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._minds.end()

    def state(self) -> dict[str, int]:
        """`workers`: how many may think at once; `thinking`, `given_up`: how many boards they work on or gave up."""
        return {"workers": self._minds.places, "thinking": len(self._thinking), "given_up": len(self._given_up)}

    def _begin(self) -> None:
        """Gives every worker the next board, even if it is busy with a hint or an analysis; then gives every free
        worker the next hint, then the next analysis."""
        if not self._minds.places:
            return
        waiting = [game for game in self._reads.for_bots(LOOKED + len(self._given_up)) if game not in self._given_up]
        while sum(isinstance(key, int) for key in self._thinking) < self._minds.places:
            ready = [game for game in waiting if self._may_begin(game.id)]
            if not ready:
                break
            game = min(ready, key=lambda game: self._served.get(_person(game), 0))
            self._served[_person(game)] = next(self._turns)
            self._work(game.id, self._answer(game), game)
        for hint in sorted(self._reads.hints(LOOKED), key=lambda hint: self._served.get(hint.player, 0)):
            if len(self._thinking) < self._minds.places and self._may_begin(hint):
                self._served[hint.player] = next(self._turns)
                self._work(hint, self._hint(hint), hint)
        for wish in self._reads.analyses(LOOKED, self._now()):
            if len(self._thinking) < self._minds.places and self._may_begin(wish):
                self._work(wish, self._analyse(wish), wish)

    def _may_begin(self, key: object) -> bool:
        """Whether work on this key may begin: not twice at a time, and only one suspect of a crash at a time."""
        suspected = self._deaths[key] and any(self._deaths[other] for other in self._thinking)
        return key not in self._thinking and not suspected

    def _work(self, key: object, work: Awaitable[None], one: Game | Analysis | Hint) -> None:
        task = asyncio.create_task(self._guarded(work, key, one))
        self._thinking[key] = task
        task.add_done_callback(lambda _: self._finished(key))

    def _finished(self, key: object) -> None:
        del self._thinking[key]
        self.wake.set()

    async def _guarded(self, work: Awaitable[None], key: object, one: Game | Analysis | Hint) -> None:
        """Runs the work on one board, so that its failure does not stop the others."""
        try:
            await work
            del self._deaths[key]
        except (Interrupted, Unwritten) as error:
            log.error("a computer player was interrupted: %s", type(error).__name__)
            self._deaths[key] += isinstance(error, Died)
            if self._deaths[key] >= DEATHS:
                del self._deaths[key]
                await self._give_up(one)
            with contextlib.suppress(TimeoutError):  # do not spin when every worker dies at once
                await asyncio.wait_for(self._stop.wait(), 1)
        except Exception as error:
            number = one.id if isinstance(one, Game) else one.game
            log.error("a computer player gave up on board %d: %s", number, type(error).__name__)
            await self._give_up(one)

    async def _give_up(self, one: Game | Analysis | Hint) -> None:
        now = self._now()
        if isinstance(one, Game):
            self._given_up.add(one)
            await self._writer.do(partial(_told, board=one.id, waits=_person(one), now=now))
        elif isinstance(one, Hint):
            await self._writer.do(partial(_hinted, hint=one, found="", now=now))
        else:
            await self._writer.do(self._send(one, analysis.failed(one), now))

    async def _answer(self, game: Game) -> None:
        """Thinks, and enters the move, or the answer to the opponent's question."""
        moves = self._reads.texts(game.id)
        bot = bots.bot_of(game)
        number = game.number_of(bot)
        if game.asks == "undo" and game.asks_by != number:
            await self._enter(game, bot, "accept", {})
            return
        if game.asks == "draw" and game.asks_by != number:
            thought = await self._thought(working.evaluate, game, moves, ANALYSED, self._seconds)
            chance = thought.winning if game.to_move == number else 1 - thought.winning
            await self._enter(game, bot, "accept" if chance <= ACCEPTS_DRAW else "decline", {})
            return
        thought = await self._thought(working.think, game, moves, bots.level(bot), self._seconds)
        human = game.player(3 - number)
        wanted = self._reads.preferences(human).get(bots.COMMENTS) == "on"
        comment = analysis.comment(thought, counts=boards.counts(game)) if wanted else ""
        await self._enter(game, bot, "move", {"move": f"{thought.move}#{game.ply + 1}"}, comment)

    async def _enter(self, game: Game, bot: int, name: str, args: dict[str, str], text: str = "") -> None:
        asked = Asked(name, args={"board": str(game.id), **args}, by=bot, proof=Proofs.INSIDE, line=name)
        key = secrets.token_hex(32)  # of this thought alone: the same may be asked and answered again
        request = Request(self._now(), (asked,), player=bot, text=text, dedupe=key)
        await self._writer.do(lambda store: store.enter(request, hear=_unread), key)
        after = self._reads.game(game.id)
        if after == game:  # refused: without this the same thought would repeat for ever
            log.error("what a computer player wanted on board %d was refused: %s", game.id, name)
            await self._give_up(game)

    async def _hint(self, hint: Hint) -> None:
        """Thinks for the player, and sends what it found; nothing if the player has moved meanwhile."""
        game = self._reads.game(hint.game)
        if game is None or not hints.stands(hint, self._reads):
            await self._writer.do(partial(_dropped, hint=hint, now=self._now()))
            return
        thought = await self._thought(working.think, game, hint.after.split(), hints.LEVEL, self._seconds)
        await self._writer.do(partial(_hinted, hint=hint, found=thought.move, now=self._now()))

    async def _analyse(self, wish: Analysis) -> None:
        """Evaluates the position before each ply, and sends the analysis."""
        game = self._reads.game(wish.game)
        moves = self._reads.moves(wish.game)
        if game is None:
            raise KeyError(wish.game)
        texts = [move.text for move in moves]
        thoughts = []
        for ply in range(len(texts)):
            thoughts.append(await self._thought(working.evaluate, game, texts[:ply], ANALYSED, self._seconds))
            if self._stop.is_set():
                return
        players = (self._name(game.player1), self._name(game.player2))
        letter = analysis.letter(game, moves, players, thoughts, self._reads.catalogue)
        seen = analysis.judged(game, moves, thoughts, self._reads.catalogue)
        await self._writer.do(self._send(wish, letter, self._now(), Put(seen)))

    def _send(self, wish: Analysis, letter: Letter, now: int, *more: Effect) -> Callable[[Store], None]:
        def send(store: Store) -> None:
            if wish not in Reads(store.db).analyses_of(wish.player):
                return  # the operator has opened the game again, or the player has left
            store.apply([*more, Drop(wish), Post(wish.player, letter, Kinds.ANSWER)], Request(now))

        return send

    def _name(self, player: int) -> str:
        found = self._reads.player(player)
        return found.userid if found else "?"

    async def _thought(self, work: Work, game: Game, moves: list[str], *more: int) -> Thought:
        """Each board has chances of its own, so that the moves that have won on one need not win on the next. They are
        secret, so that nobody can compute at home what the computer will play."""
        about = f"chance|{game.id}|{game.rules}|{' '.join(moves)}"
        seed = int.from_bytes(hmac.digest(self._secret, about.encode(), "sha256")[:4], "big")
        return await self._minds.think(work, game.rules, moves, seed, *more)


def _person(game: Game) -> int:
    """The player against the computer on this board."""
    return max(game.player1, game.player2)


def _dropped(store: Store, hint: Hint, now: int) -> None:
    """Nobody needs the hint any more."""
    store.apply([Drop(hint)], Request(now))


def _hinted(store: Store, hint: Hint, found: str, now: int) -> None:
    """Keeps the move that was found and sends the letter; without a move, the player may ask again. If the turn is not
    to be played any more, or the player has left, nothing is kept and nothing is sent."""
    world = Reads(store.db, store.catalogue)
    game, known = world.game(hint.game), world.hints_of(hint.game, hint.player)
    effects: list[Effect] = [Drop(hint)]
    if game and hint in known and hints.stands(hint, world):
        answer = hints.failed(hint)
        if found:
            kept = hint._replace(move=found)
            answer = hints.letter(game, kept, [*known, kept], world)
            effects = [Put(kept)]
        effects.append(Post(hint.player, answer, Kinds.ANSWER))
    store.apply(effects, Request(now))


def _unread(answer: Answer) -> None:
    """Drops the answer: a computer player reads no letters, and sees the result of its move on the board."""


def _told(store: Store, board: int, waits: int, now: int) -> None:
    """Tells the operator and the opponent that a computer player is stuck."""
    again = "it tries again when mailbot is started anew."
    store.tell_operator(f"A computer player cannot go on with board {board}; {again}", now)
    said = (
        f"The computer player cannot go on with board {board}, through no fault of yours; {again} It does not lose on"
        " time."
    )
    store.notice(waits, "notice", f"Board {board} waits", now, said=said)
