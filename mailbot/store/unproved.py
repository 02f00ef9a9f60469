"""Mails that prove nothing but a From wait here for their turn, and so do notices of what somebody tried.

Why. How long it takes to answer must not tell who plays here (P5): a list costs ten times what it costs to find that
nobody is meant. So before the answer every such mail costs the same, one row, and nobody is looked up. What it asks for
is done later, in the transaction that deletes the row. Mails that prove something never wait.

A row holds the request as JSON, secrets already cut out or hashed, until it is done.
"""

import contextlib
from collections.abc import Mapping
from enum import Enum

from sqlite_utils import Database

from mailbot.core.handle import spoken_for
from mailbot.core.world import Request
from mailbot.store.reads import Reads
from mailbot.store.store import Store, request_of, text_of

MOST = 1000
"""Rows that wait."""

LONGEST = 20_000
"""Characters of a request."""

MAIL = "mail"
NOTICES: Mapping[str, str] = {"logins": "Somebody tried your userid", "strange": "A letter that was not yours"}
"""Templates of notices, and their subjects."""


class Put(Enum):
    """What became of a mail that is to wait."""

    KEPT = "kept"
    KNOWN = "known"  # it has come before
    FULL = "full"
    TOO_LONG = "too long"


def put(store: Store, request: Request) -> Put:
    """Keeps a mail for its turn, once. Whether its sender is known makes no difference."""
    if _waiting(store.db) >= MOST:
        return Put.FULL
    text = text_of(request)
    if len(text) > LONGEST:
        return Put.TOO_LONG
    if not store.remember(request.dedupe, request.now):
        return Put.KNOWN
    _insert(store.db, MAIL, 0, request.dedupe, text)
    return Put.KEPT


def put_notice(store: Store, template: str, player: int) -> None:
    """Keeps that the player is to be told what somebody tried; 0 for nobody, who costs as much. Only if there is room,
    since these mails were refused."""
    if _waiting(store.db) < MOST:
        _insert(store.db, template, player, "", "")


def _insert(db: Database, kind: str, player: int, key: str, request: str) -> None:
    sql = "INSERT INTO unproved (kind, player, key, request) VALUES (?, ?, ?, ?)"
    db.execute(sql, (kind, player, key, request))


def _waiting(db: Database) -> int:
    """Rows go in the order in which they came, so that the ends tell how many there are."""
    ends = "SELECT coalesce((SELECT max(id) FROM unproved) - (SELECT min(id) FROM unproved) + 1, 0)"
    return int(db.execute(ends).fetchone()[0])


def first(db: Database) -> tuple[int, str] | None:
    """The row whose turn it is, and the dedupe key of its mail."""
    return db.execute("SELECT id, key FROM unproved ORDER BY id LIMIT 1").fetchone()  # type: ignore[no-any-return]


def newest(db: Database) -> int:
    """The row that came last; 0 without any."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM unproved").fetchone()[0])


def do(store: Store, row: int, now: int) -> None:
    """Does what a row asks for, and deletes it. Does nothing for one that is done."""
    found = store.db.execute("DELETE FROM unproved WHERE id = ? RETURNING kind, player, request", (row,)).fetchone()
    if found is None:
        return
    kind, player, text = found
    reads = Reads(store.db)
    if kind != MAIL:
        told = reads.player(player)
        if told and told.state in ("active", "off"):
            store.notice(told.id, kind, NOTICES[kind], now, userid=told.userid)
        return
    request = request_of(text, now)
    if store.poisonous(request.dedupe):
        _set_aside(store, request, "the process died three times over this mail")
    elif meant := spoken_for(request, reads):
        store.run(meant)


def give_up(store: Store, row: int, error: str, now: int) -> int:
    """Sets a mail aside that breaks the code, for the operator: the number under which it is kept. 0 for a notice."""
    kind, text = store.db.execute("DELETE FROM unproved WHERE id = ? RETURNING kind, request", (row,)).fetchone()
    return _set_aside(store, request_of(text, now), error) if kind == MAIL else 0


def _set_aside(store: Store, request: Request, error: str) -> int:
    """As the mail of whom it speaks for, if that is not the very thing that breaks."""
    meant = None
    with contextlib.suppress(Exception):
        meant = spoken_for(request, Reads(store.db))
    return store.set_aside(meant or request, error)
