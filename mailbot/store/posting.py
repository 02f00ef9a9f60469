"""From a letter to the outbox: does its reader want it, and does a cap allow it (mailbot.core.caps)?

Letters that one player causes for another are counted for each pair, within an hour and within a day, except for moves.
A letter beyond a cap joins the next digest of its reader if another player caused it; of any other such letter we keep
only a count. Words that one player has for another are left out here if the reader has blocked the writer, whatever
letter they stand in.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from sqlite_utils import Database

from mailbot.core.caps import FROM_OTHERS, Last, noted, pair
from mailbot.core.effects import Post
from mailbot.core.model import Tally
from mailbot.core.players import digest, limits, preferences
from mailbot.core.world import Request
from mailbot.store import outbox
from mailbot.store.remembered import Remembered
from mailbot.store.rows import put


@dataclass(slots=True)
class Caused:
    """What a mail has caused: the boards it is about, the numbers of its letters, how many letters a cap held back and
    how many of these wait for a digest, and how many of its commands a letter refused."""

    boards: set[int]
    letters: list[int] = field(default_factory=list)
    held: int = 0
    digested: int = 0
    refused: int = 0


class Posting:
    """Puts letters into the outbox of this database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._backlog = outbox.Backlog()
        self._caused = Caused(set())

    def begin(self, boards: set[int]) -> Caused:
        """From now on letters are caused by a new mail, about these boards. The returned value records them."""
        self._caused = Caused(boards)
        return self._caused

    def news(self, post: Post, request: Request, world: Remembered, going_on: Collection[int] = ()) -> None:
        """Puts a letter that is not an answer, if its reader wants it, with the look that the reader wants. `going_on`:
        the boards that have begun, gone on, gone back or ended with it."""
        post = _heard(post, request, world)
        likes = world.preferences(post.player) if post.player else {}
        reader = world.player(post.player) if post.player else None
        if preferences.wanted(post, reader, likes):
            letter = preferences.for_reader(post.letter, likes, world.zone(post.player), request.now)
            styled = post if letter is post.letter else post._replace(letter=letter)
            asked_for = post.kind not in preferences.NEWS or post.player <= 0
            self.put(styled, request, world, going_on, news=not asked_for)

    def put(
        self, post: Post, request: Request, world: Remembered, going_on: Collection[int] = (), *, news: bool = False
    ) -> None:
        """Puts a letter as it is. `request.message_id`: what it answers, if it goes back to the asker; `going_on`: as
        above; `news`: whether nobody asked for it, so that it must say how to stop such letters."""
        if post.held:
            self._withhold(post, 1, request)
            return
        board = outbox.board_of(post.letter.thread)
        if board:
            self._caused.boards.add(board)
        by = _other(post, request)
        if by and post.kind in FROM_OTHERS and board not in going_on:
            counted = self._counted(post, by, request.now, world)
            if counted is None:
                self._defer(post, by, request.now, world)
                return
            post = counted
        answers = request.message_id if post.player == request.player else ""
        queued = outbox.queue(
            self._db,
            request.now,
            world.caps,
            post,
            answers,
            news=news,
            world=world,
            backlog=self._backlog,
            cause=request.mark,
        )
        self._caused.letters.extend(queued.letters)
        if queued.left_out and post.kind in FROM_OTHERS and post.player > 0:
            self._defer(post, by, request.now, world)
        elif queued.left_out:
            self._withhold(post, queued.left_out, request)

    def _withhold(self, post: Post, number: int, request: Request) -> None:
        """Counts so many letters that a cap holds back."""
        self._caused.held += number
        outbox.withhold(self._db, post.kind, request.now, number)

    def _counted(self, post: Post, by: int, now: int, world: Remembered) -> Post | None:
        """Counts the letter for the pair of players; it says so if it is the last one. None, and nothing is counted, if
        there have been too many."""
        full: list[Last] = []
        counted: list[Tally] = []
        for what, most, window in pair(post.player, world.caps):
            tally = limits.one_more(world.tally(by, what), by, what, most, window, now)
            if tally is None:
                return None
            counted.append(tally)
            if tally.count == most:
                asker = world.player(by)
                name = asker.userid if asker else "?"
                full.append(Last("pair", most, window, tally.since + window, other=name))
        for tally in counted:
            put(self._db, tally)
        return post._replace(letter=noted(post.letter, max(full, key=lambda one: one.until, default=None)))

    def _defer(self, post: Post, by: int, now: int, world: Remembered) -> None:
        """Keeps the letter's contents for the next digest of its reader."""
        self._caused.digested += 1
        for effect in digest.deferred(post, by, now, world):
            put(self._db, effect.row)
        world.forget()


def _other(post: Post, request: Request) -> int:
    """The player who has caused this letter to another one, or 0."""
    return request.player if min(request.player, post.player) > 0 and request.player != post.player else 0


def _heard(post: Post, request: Request, world: Remembered) -> Post:
    """The letter without the words of a player whom its reader has blocked."""
    by = _other(post, request)
    facts = post.letter.facts
    parts = facts.get("parts", ())
    if not (by and (facts.get("comment") or any(part["facts"].get("comment") for part in parts))):
        return post
    if not world.blocks(post.player, by):
        return post
    silent = {**facts, "comment": ""}
    if parts:
        silent["parts"] = [{**part, "facts": {**part["facts"], "comment": ""}} for part in parts]
    return post._replace(letter=post.letter._replace(facts=silent))
