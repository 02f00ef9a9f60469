"""The one writer: opens the file, and takes requests, each all or nothing, inside the transaction of its batch.

Theory of operation. The shell begins a transaction, runs several jobs in it, each in a savepoint, and commits
them together (group commit); only then do their senders hear 250. A job that raises is rolled back alone. If
SQLite itself has ended the transaction (disk full, I/O error), the whole batch has failed (T8).
A lock file beside the database ensures that there is exactly one read-write connection (T9).
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sqlite_utils import Database

from engine.catalogue import Catalogue
from engine.families import CATALOGUE
from mailbot.core.caps import DEFAULTS, Caps
from mailbot.core.converse import Answer, Change, Unheard, converse
from mailbot.core.effects import Drop, Effect, Erase, Kinds, Letter, Post, Put, Refold, Rename, Retire, Say, Waiting
from mailbot.core.games import course
from mailbot.core.handle import spoken_for
from mailbot.core.model import DAY, Address, Failing, Game
from mailbot.core.players import bots, waiting
from mailbot.core.world import Request
from mailbot.store import outbox, ratings, restored, schema, sweep, versions
from mailbot.store.connection import connect, in_transaction
from mailbot.store.copies import copy_to
from mailbot.store.erase import erase, give_up, rename
from mailbot.store.forwarding import forwarded
from mailbot.store.hold import Hold
from mailbot.store.posting import Caused, Posting
from mailbot.store.reads import Reads
from mailbot.store.remembered import Remembered
from mailbot.store.requests import request_of, text_of
from mailbot.store.retired import retire
from mailbot.store.rows import drop, put

T = TypeVar("T")

KEEP_DAYS = 30
"""Days for which dedupe keys and sent letters are kept."""

OPERATOR_MAILS, OPERATOR_SOURCE, OPERATOR_SIZE = 200, 20, 20_000
"""Mails to keep for the operator each day, from everybody and from one source; and characters of each mail."""

POISON = 3
"""After this many crashes of the process, a mail is not touched again."""


class Store:
    """The database with its writer. All methods are for the one thread that owns it."""

    def __init__(
        self,
        db: Database,
        hold: Hold,
        caps: Caps,
        operator: str,
        catalogue: Catalogue,
        clock: str = "none",
        directors: str = "players",
    ) -> None:
        self.db = db
        self.clock = clock
        self.directors = directors
        self.caps = caps
        self.operator = operator
        self.catalogue = catalogue
        self.hold = hold
        self._posting = Posting(db)
        self._refolding: ratings.Refolding | None = None
        self._failing = db.execute("SELECT 1 FROM failing LIMIT 1").fetchone() is not None
        self._crashes: dict[str, int] = {
            key.hex(): crashes for key, crashes in db.execute("SELECT key, crashes FROM poison").fetchall()
        }

    @classmethod
    def open(
        cls,
        path: Path,
        now: int,
        new_key: bytes,
        caps: Caps = DEFAULTS,
        operator: str = "",
        catalogue: Catalogue = CATALOGUE,
        clock: str = "none",
        directors: str = "players",
    ) -> "Store":
        """Opens or creates the file, upgrades it (after copying the old one), and takes the lock.

        `new_key`: 32 random bytes, kept as the server's secret if there is none yet, or if the file is a copy that was
        put in the place of the store (`restored`). `operator`: the address that is
        told of trouble. `clock`: the terms of time of a game whose offer says nothing of it. `directors`: who may
        create tournaments (core.world.World). Raises Locked, and
        RuntimeError for a file from a newer mailbot.
        """
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = path.resolve()  # a link to the file must meet the same lock
        hold = Hold(path)
        restored.without_former_log(path)
        db = connect(path)
        versions.check(db)
        if pending := schema.migrations.pending(db):
            if schema.migrations.applied(db):
                copy_to(db, path.with_name(f"{path.name}.before-{pending[0].name}"), replace=True)
            schema.migrations.apply(db)
        store = cls(db, hold, caps, operator, catalogue, clock, directors)
        store.begin()
        if not store.keys():
            db.execute("INSERT INTO secret (key, created) VALUES (?, ?)", (new_key, now))
        if copy := restored.is_copy(db):
            restored.renew(db, new_key, now)
            world = Remembered(db, catalogue, caps)
            store.apply(restored.letters(db, now, world), Request(now), world)
        for bot in bots.rows(now):
            put(db, bot)
        outbox.release(db)
        store.commit()
        if copy:  # from now on the log is the copy's own, and the file must say so
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return store

    def seat_bots(self, there: bool) -> None:
        """Sets whether computer players can be challenged."""
        self.begin()
        self.db.execute("UPDATE player SET state = ? WHERE id < 0", ("active" if there else "locked",))
        self.commit()

    def close(self) -> None:
        """Closes the connection and releases the lock."""
        self.db.close()
        self.hold.release()

    def keys(self) -> dict[int, bytes]:
        """The server's secrets by id; the newest signs."""
        return dict(self.db.execute("SELECT id, key FROM secret WHERE ended = 0 ORDER BY id").fetchall())

    def begin(self) -> None:
        """Starts a batch."""
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Makes the batch durable: when this returns, it is on the disk."""
        self.db.execute("COMMIT")

    def rollback(self) -> None:
        """Undoes the batch, if SQLite has not done so already."""
        if self.in_transaction:
            self.db.execute("ROLLBACK")

    @property
    def in_transaction(self) -> bool:
        """False outside a batch, and after an error that made SQLite end the transaction."""
        return in_transaction(self.db)

    def attempt(self, job: Callable[["Store"], T]) -> T:
        """Runs the job in a savepoint. If it raises, the batch is as before and the exception passes on."""
        self.db.execute("SAVEPOINT job")
        try:
            result = job(self)
        except BaseException:
            if self.in_transaction:
                self.db.execute("ROLLBACK TO job")
                self.db.execute("RELEASE job")
            raise
        self.db.execute("RELEASE job")
        return result

    # -- mails --------------------------------------------------------------------------------------------------

    def enter(self, request: Request, hear: Callable[[Answer], object] | None = None) -> Caused | None:
        """The one door: does all that a mail, a computer player or the clock asks for. A request with a dedupe key is
        done once; None if it was done before.

        `hear` gets each answer, in the transaction; without it the answers go out as letters. Raises Unheard for an
        answer to the clock or to a computer player, who get none.
        """
        boards = request.boards
        if request.dedupe:
            named = " ".join(map(str, sorted(boards)))
            if not self.remember(request.dedupe, request.now, request.mark, request.about, named):
                return None
        caused = self._posting.begin(boards)
        world = Remembered(self.db, self.catalogue, self.caps, self.clock, self.directors, failing=self._failing)
        if len(boards) == 1:
            world.game(*boards)  # first, so that its players are asked for together
        for step in converse(request, world):
            by = request if step.player == request.player else replace(request, player=step.player)
            if isinstance(step, Change):
                self.apply(step.effects, by, world)
                continue
            caused.refused += step.refused
            if hear:
                hear(step)
            elif request.timer or step.player < 0:
                raise Unheard(step.letter.template)
            elif step.player or request.sender:  # an address that is not ASCII is nobody's, and cannot be answered
                self.reply(step, by, world)
        return caused

    def reply(self, answer: Answer, request: Request, world: Remembered | None = None) -> None:
        """Puts an answer to the request into the outbox; it goes to the asker, who wants it."""
        post = Post(answer.player, answer.letter, answer.kind, "" if answer.player else request.sender)
        self._posting.put(post, request, world or Remembered(self.db, self.catalogue, self.caps))

    def apply(self, effects: list[Effect], request: Request, world: Remembered | None = None) -> None:
        """Carries out the effects except the answers. `world`: the reads so far inside this transaction."""
        world = world or Remembered(self.db, self.catalogue, self.caps)
        going_on = _going_on(effects, world)
        for effect in effects:
            match effect:
                case Put(row):
                    self._failing = self._failing or isinstance(row, Failing)
                    put(self.db, row, world.games.get(row.id) if isinstance(row, Game) else None)
                    world.forget(row)
                    if isinstance(row, Address) and row.state == "old":
                        give_up(self.db, row, request.now)
                case Post():
                    self.queue(effect, request, world, going_on)
                case Drop(row):
                    drop(self.db, row)
                    world.forget(row)
                case Erase(player, userid):
                    erase(self.db, player, userid, request.now)
                    world.forget()
                case Rename(player, old):
                    rename(self.db, player, old)
                    world.forget()
                case Retire(userid):
                    retire(self.db, userid, request.now)
                case Waiting(player):
                    self.apply([*waiting.letters(player, request.now, world)], request, world)
                case Refold(goes_on):
                    self._refolding = ratings.fold_on(self.db, self._refolding if goes_on else None)
                case Say(letter):
                    raise Unheard(letter.template)

    def queue(
        self, post: Post, request: Request, world: Remembered | None = None, going_on: Collection[int] = ()
    ) -> None:
        """Puts a letter that is not an answer into the outbox, if its reader wants it, with the look that the reader
        wants. A letter to the operator needs no address. `going_on`: as in `Posting.news`."""
        if post.kind in (Kinds.OPERATOR, Kinds.APPEAL) and not post.address:
            if not self.operator:
                return
            post = post._replace(address=self.operator)
        self._posting.news(post, request, world or Remembered(self.db, self.catalogue, self.caps), going_on)

    def notice(self, player: int, template: str, subject: str, now: int, cause: str = "", **facts: Any) -> Caused:
        """Tells a player something unrequested, as often as its template allows. `cause`: the mark of a mail."""
        return self.tell(Post(player, Letter(template, subject, facts), Kinds.NOTICE), now, cause)

    def tell(self, post: Post, now: int, cause: str = "") -> Caused:
        """Queues a letter that answers nothing. `cause`: the mark of the mail that it is about."""
        caused = self._posting.begin(set())
        self.queue(post, Request(now, mark=cause))
        return caused

    def answer(self, post: Post, dedupe: str, now: int) -> None:
        """Queues the answer to a mail that is not a request, unless that mail has been done."""
        if self.remember(dedupe, now):
            self.queue(post, Request(now))

    def rehash(self, player: int, old: str, fresh: str) -> None:
        """Stores a better hash of the same password, unless the password has changed meanwhile."""
        self.db.execute("UPDATE player SET password_hash = ? WHERE id = ? AND password_hash = ?", (fresh, player, old))

    def tell_operator(self, said: str, now: int) -> None:
        """A letter to the operator, if there is an address for it."""
        self.queue(Post(0, Letter("notice", "mailbot needs you", {"said": said}), Kinds.OPERATOR), Request(now))

    # -- what goes wrong ----------------------------------------------------------------------------------------

    def set_aside(self, request: Request, error: str) -> int:
        """Keeps a mail that broke the code, for the operator to try again, tells its sender, and returns its number. 0,
        and nothing is kept, for a mail that is nobody's and could not be answered: anybody can send those."""
        if not request.player and not request.sender:
            return 0
        self.db.execute(
            "INSERT INTO seen (key, at, mark, about) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (bytes.fromhex(request.dedupe), request.now, request.mark, request.about),
        )
        cursor = self.db.execute(
            "INSERT INTO shunt (request, error, at, attempts, done) VALUES (?, ?, ?, 1, 0)",
            (text_of(request), error, request.now),
        )
        if request.player:
            letter = Letter("trouble", "Your mail is set aside", {"lines": [asked.line for asked in request.asked]})
            self.queue(Post(request.player, letter, Kinds.ANSWER), request)
        number = int(cursor.lastrowid or 0)
        said = f"A mail broke the program and is set aside. To try it again: mailbot retry {number}"
        self.tell_operator(said, request.now)
        return number

    def retry(self, shunt: int, now: int) -> None:
        """Tries a mail that was set aside again, as of now. KeyError if there is none; its own exceptions pass on."""
        sql = "SELECT request FROM shunt WHERE id = ? AND done = 0"
        found = self.db.execute(sql, (shunt,)).fetchone()
        if found is None:
            raise KeyError(shunt)
        request: Request | None = request_of(found[0], now)
        if request and not request.token and not any(asked.by for asked in request.asked):
            request = spoken_for(request, Reads(self.db, self.catalogue))
        if request:
            self.enter(replace(request, dedupe=""))
        self._end(shunt, now)

    def drop_aside(self, shunt: int, now: int) -> None:
        """Gives a mail up that was set aside. KeyError if there is none."""
        if self.db.execute("SELECT 1 FROM shunt WHERE id = ? AND done = 0", (shunt,)).fetchone() is None:
            raise KeyError(shunt)
        self._end(shunt, now)

    def _end(self, shunt: int, now: int) -> None:
        """The mail will not be tried again: what is left of it says whose it was, and nothing secret."""
        left = "json_object('mark', json_extract(request, '$.mark'), 'player', json_extract(request, '$.player'))"
        sql = f"UPDATE shunt SET done = ?, attempts = attempts + 1, request = {left} WHERE id = ?"  # noqa: S608
        self.db.execute(sql, (now, shunt))

    def retry_failed(self, shunt: int) -> None:
        """Counts another failed try."""
        self.db.execute("UPDATE shunt SET attempts = attempts + 1 WHERE id = ?", (shunt,))

    def crashed_with(self, key: str, now: int) -> None:
        """Counts a crash: the process died while it handled the mail with this dedupe key, or this digest."""
        self._crashes[key] = self._crashes.get(key, 0) + 1
        self.db.execute(
            "INSERT INTO poison (key, crashes, at) VALUES (?, 1, ?)"
            " ON CONFLICT (key) DO UPDATE SET crashes = crashes + 1, at = excluded.at",
            (bytes.fromhex(key), now),
        )

    def poisonous(self, key: str) -> bool:
        """Whether this mail has crashed the process so often that it must not be touched. Does not ask the database."""
        return self._crashes.get(key, 0) >= POISON

    def keep_for_operator(
        self, kind: str, content: str, dedupe: str, now: int, mark: str = "", source: str = ""
    ) -> bool:
        """Keeps a mail to postmaster or abuse, or a note of a bounce, for a person: each once, up to a number a day and
        a size. False if the mail was known. `source`: a mark of the network that it came from, if known."""
        fresh = self.remember(dedupe, now, mark, f"{kind} mail, kept")
        if fresh and self.has_room_for_operator(source, now, kind):
            row = (kind, content[:OPERATOR_SIZE], now, source)
            self.db.execute("INSERT INTO operator_mail (kind, content, at, source) VALUES (?, ?, ?, ?)", row)
        return fresh

    def mail_for_operator(self, content: str, source: str, dedupe: str, now: int, mark: str = "") -> bool:
        """Keeps a mail to postmaster or abuse, and tells the operator. False if there have been too many today."""
        room = self.has_room_for_operator(source, now)
        fresh = room and self.keep_for_operator("operator", content, dedupe, now, mark, source)
        if fresh and (letter := forwarded(self.db, content, source, now)):
            self.queue(letter, Request(now, mark=mark))
        return room

    def has_room_for_operator(self, source: str, now: int, kind: str = "operator") -> bool:
        """Whether there is room for one more today: a mail to postmaster or abuse, or another kind. First from this
        source, so that one cannot shut out the others."""
        sql = "SELECT count(*), count(*) FILTER (WHERE source = ?1) FROM operator_mail WHERE kind = ?2 AND at > ?3"
        mails, same = self.db.execute(sql, (source, kind, now - DAY)).fetchone()
        most = OPERATOR_SOURCE if source else OPERATOR_MAILS // 2  # mails of unknown source share half the room
        return bool(mails < OPERATOR_MAILS and same < most)

    def remember(self, dedupe: str, now: int, mark: str = "", about: str = "", boards: str = "") -> bool:
        """Notes that this mail has been done; False if that was known. `about`: its commands, `boards`: the boards it
        names, separated by blanks; both for `mailbot admin find`."""
        sql = "INSERT INTO seen (key, at, mark, about, boards) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        return self.db.execute(sql, (bytes.fromhex(dedupe), now, mark, about, boards)).rowcount == 1

    def forget(self, dedupe: str) -> None:
        """What came under this key has been refused, so it has not been done."""
        self.db.execute("DELETE FROM seen WHERE key = ?", (bytes.fromhex(dedupe),))

    # -- time ---------------------------------------------------------------------------------------------------

    def clear(self, now: int) -> None:
        """Deletes old rows, and repairs times after the clock was set back."""
        sweep.clear(self.db, now - KEEP_DAYS * DAY, now)
        sweep.pardon(self.db, now - self.caps.consent_days * DAY)
        outbox.set_back(self.db, now)


def _going_on(effects: list[Effect], world: Remembered) -> set[int]:
    """The boards that begin, go on, go back or end with these effects. Asked before any of them is carried out."""
    if not any(isinstance(effect, Post) for effect in effects):
        return set()
    rows = [effect.row for effect in effects if isinstance(effect, Put) and isinstance(effect.row, Game)]
    return {row.id for row in rows if course.goes_on(world.game(row.id), row)}
