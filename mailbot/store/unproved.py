"""Mails that prove nothing but a From wait here for their turn, and so do letters about somebody's attempts.

Why? The time of the answer must not reveal who plays here (P5), and a list costs ten times as much as finding that
there is no such player. So before the answer every such mail costs the same, one row, and nobody is looked up. Its
commands are done later, in the transaction that deletes the row, and cost about the same whoever sent them
(store/rehearsal.py). Mails that prove something never wait.

Until it is done, a row holds the request as JSON, with secrets cut out or hashed and other long words masked.
"""

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

from sqlite_utils import Database

from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.handle import spoken_for
from mailbot.core.tokens import Token
from mailbot.core.world import Request
from mailbot.store import rehearsal
from mailbot.store.posting import Caused
from mailbot.store.reads import Reads
from mailbot.store.rehearsal import Rehearsed
from mailbot.store.requests import request_of, text_of
from mailbot.store.store import Store

MAX_WAITING = 1000
"""Waiting rows, at most."""

MAX_OF_ONE = 100
"""Waiting rows of one network, so that no network takes the room of the others. The more rows wait, the fewer may be of
one network (`_share`): a few networks cannot fill the room, and one of which nothing waits still finds a place."""

LONGEST = 20_000
"""Characters of a request, each word counted as eight at most."""

_LONG_WORD = re.compile(r"(\S{8})\S+")

MAIL, LETTER = "mail", "letter"


class Put(Enum):
    """Whether a mail was stored to wait."""

    KEPT = "kept"
    KNOWN = "known"  # it has come before
    FULL = "full"
    TOO_LONG = "too long"


class Done(NamedTuple):
    """The outcome of a row. `mark`: of the mail that put it there. `request`: of a mail, with its asker. `came`: what
    it caused, or the number under which it is set aside; None if there was nothing to do. `letter`: one that waited.
    `rehearsed`: letters that go to nobody, for the shell to write and throw away."""

    mark: str
    request: Request | None
    came: Caused | int | None
    letter: Post | None = None
    rehearsed: Sequence[Rehearsed] = ()


def put(store: Store, request: Request, source: str = "") -> Put:
    """Stores a mail until its turn, once. It makes no difference whether its sender is known. `source`: a mark of the
    network that it comes from, "" if that is not known or does not count."""
    if _full(store.db, source):
        return Put.FULL
    text = text_of(request)
    if len(_LONG_WORD.sub(r"\1", text)) > LONGEST:  # a word's length must not show whether it was masked
        return Put.TOO_LONG
    boards = " ".join(map(str, sorted(request.boards)))
    if not store.remember(request.dedupe, request.now, request.mark, request.about, boards):
        return Put.KNOWN
    _insert(store.db, MAIL, 0, request.dedupe, text, source)
    return Put.KEPT


def put_letter(store: Store, post: Post, mark: str, source: str = "", about: str = "") -> bool:
    """Stores a letter about what somebody tried with the mail of this mark, from the network of this `source`. A letter
    to nobody (player 0 and no address) costs as much, but is thrown away; `about`: a mark of what was tried, for which
    the caps count it. Notices are stored only if there is room, because their mails were refused. Whether it was
    stored."""
    room = post.kind != Kinds.NOTICE or not _full(store.db, source)
    if room:
        letter = post.letter._asdict() | {"token": post.letter.token and post.letter.token._asdict()}
        kept = post._asdict() | {"letter": letter}
        _insert(store.db, LETTER, post.player, "", json.dumps({"mark": mark, "about": about, "post": kept}), source)
    return room


def _insert(db: Database, kind: str, player: int, key: str, request: str, source: str) -> None:
    sql = "INSERT INTO unproved (kind, player, key, request, source) VALUES (?, ?, ?, ?, ?)"
    db.execute(sql, (kind, player, key, request, source))


def _full(db: Database, source: str) -> bool:
    """Whether no more rows may wait, or no more of this source."""
    sql = "SELECT count(*), count(*) FILTER (WHERE source = ?) FROM unproved"
    waiting, theirs = db.execute(sql, (source,)).fetchone()
    return waiting >= MAX_WAITING or (source != "" and theirs >= _share(waiting))


def _share(waiting: int) -> int:
    """How many of so many waiting rows may be of one network."""
    if waiting < MAX_WAITING // 2:
        return MAX_OF_ONE
    return max(1, MAX_OF_ONE // 10) if waiting < MAX_WAITING * 4 // 5 else 1


def first(db: Database, after: str = "", newest: int | None = None) -> tuple[int, str, str] | None:
    """The next row (up to `newest`), the dedupe key of its mail, and its source. The sources take turns: first one that
    comes `after` this one, so that nobody waits for all the rows of another network."""
    sql = "SELECT id, key, source FROM unproved WHERE ?2 IS NULL OR id <= ?2 ORDER BY source <= ?1, source, id LIMIT 1"
    return db.execute(sql, (after, newest)).fetchone()  # type: ignore[no-any-return]


def newest(db: Database) -> int:
    """The latest row; 0 if there is none."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM unproved").fetchone()[0])


def do(store: Store, row: int, now: int, draw: Callable[[str], int] | None = None) -> Done | None:
    """Carries out a row and deletes it. None if it is already done. `draw`: a number for an address, always the same,
    that nobody else can find out; without it, nothing is rehearsed."""
    found = store.db.execute("DELETE FROM unproved WHERE id = ? RETURNING kind, request", (row,)).fetchone()
    if found is None:
        return None
    kind, text = found
    if kind == LETTER:
        return _tell(store, text, now, draw)
    request, last = request_of(text, now), _last_board(store.db)
    done = _do(store, request)
    if draw and not isinstance(done.came, int):
        asker = done.request.player if done.request and done.came else 0
        held = bool(done.came and done.came.held and not done.came.letters)
        done = done._replace(rehearsed=rehearsal.rehearsed(store, request, asker, draw(request.sender), held=held))
    if any(one.name == "challenge" and not one.trouble for one in request.asked) and _last_board(store.db) == last:
        _skip_board(store.db)
    return done


def _last_board(db: Database) -> int:
    found = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'game'").fetchone()
    return int(found[0]) if found else 0


def _skip_board(db: Database) -> None:
    """Uses up a board number, as a challenge by a player does: the next number must not tell whether there is one."""
    if not db.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'game'").rowcount:
        db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('game', 1)")


def _do(store: Store, request: Request) -> Done:
    if store.poisonous(request.dedupe):
        return Done(request.mark, request, _set_aside(store, request, "the process died three times over this mail"))
    meant = spoken_for(request, Reads(store.db, store.catalogue))
    if meant is None:
        sql = "UPDATE seen SET about = 'a stranger''s, not answered', boards = '' WHERE key = ?"
        store.db.execute(sql, (bytes.fromhex(request.dedupe),))
        return Done(request.mark, request, None)
    return Done(request.mark, meant, store.enter(replace(meant, dedupe="")))


def _tell(store: Store, text: str, now: int, draw: Callable[[str], int] | None) -> Done:
    """Sends a letter to a player who is still here, under the current userid, or to the operator."""
    mark, about, post = _post(text)
    told = Reads(store.db).player(post.player)
    if told and told.state in ("active", "off"):
        post = post._replace(letter=post.letter._replace(facts={**post.letter.facts, "userid": told.userid}))
    elif not post.address:
        return Done(mark, None, None, None, rehearsal.told(store, post, about, draw(about), now, mark) if draw else ())
    return Done(mark, None, store.tell(post, now, mark), post)


def _post(text: str) -> tuple[str, str, Post]:
    kept = json.loads(text)
    letter = kept["post"].pop("letter")
    token = letter.pop("token")
    return (
        kept["mark"],
        kept.get("about", ""),
        Post(**kept["post"], letter=Letter(**letter, token=Token(**token) if token else None)),
    )


def give_up(store: Store, row: int, error: str, now: int) -> Done:
    """Sets aside, for the operator, a mail that breaks the code. Drops a letter."""
    kind, text = store.db.execute("DELETE FROM unproved WHERE id = ? RETURNING kind, request", (row,)).fetchone()
    if kind == LETTER:
        return Done(json.loads(text)["mark"], None, None)
    request = request_of(text, now)
    return Done(request.mark, request, _set_aside(store, request, error))


def _set_aside(store: Store, request: Request, error: str) -> int:
    """Sets the mail aside as a mail of its asker, unless finding the asker is what breaks."""
    meant = None
    with contextlib.suppress(Exception):
        meant = spoken_for(request, Reads(store.db, store.catalogue))
    return store.set_aside(meant or request, error)
