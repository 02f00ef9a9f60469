"""Letters that are due: queued in the transaction of the mail that caused them, claimed, and settled after sending.

Order: only the oldest waiting letter of an address can be claimed, so that news of move n arrives before that of
move n + 1. A letter whose text was not taken holds up no others (mailbot.shell.post.handover). Caps (B6,
mailbot.core.caps): for a letter over its cap only a count is stored.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec
from sqlite_utils import Database

from mailbot.core import caps as caps_
from mailbot.core.caps import Caps
from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.letters import bulk
from mailbot.core.mail.addresses import mailbox_key, owner
from mailbot.core.model import DAY
from mailbot.core.tokens import Kind, Token
from mailbot.store.reads import Reads

LEASE = 3600
FAR = 86_400
"""Seconds, more than any wait or lease lasts."""

MAX_KNOWN = 10_000
"""Addresses whose backlog is remembered."""


class Queued(NamedTuple):
    """The numbers of the new letters, and for how many addresses a cap held the letter back."""

    letters: list[int]
    left_out: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A letter in the outbox."""

    id: int
    player: int
    address: str
    template: str
    subject: str
    facts: dict[str, object]
    token: Token | None
    thread: str
    answers: str
    created: int
    attempts: int
    news: bool = False
    pictures: str = ""
    kind: str = ""
    epoch: int = 0
    """The holder's token epoch when the letter was written: a letter that waits proves no more than it did then."""


@dataclass(slots=True)
class Backlog:
    """How much waits for each address: characters of facts and of what will be drawn, never too few. What is sent
    meanwhile is taken off only when it matters, so that a letter costs no look at all the others."""

    known: dict[str, int] | None = None
    room: int = MAX_KNOWN

    def full(self, db: Database, address: str, most: int) -> bool:
        """Whether `most` bytes or more wait for this address."""
        if self.known is None or len(self.known) >= self.room:
            sql = "SELECT lower(address), sum(size) FROM outbox WHERE state = 'waiting' GROUP BY 1"
            self.known = dict(db.execute(sql).fetchall())
            self.room = max(MAX_KNOWN, 2 * len(self.known))
        if self.known.get(address.lower(), 0) < most:
            return False
        sql = "SELECT coalesce(sum(size), 0) FROM outbox WHERE state = 'waiting' AND address = ?"
        size = self.known[address.lower()] = int(db.execute(sql, (address,)).fetchone()[0])
        return size >= most

    def grows(self, address: str, size: int) -> None:
        """One more letter waits."""
        if self.known is not None:
            key = address.lower()
            self.known[key] = self.known.get(key, 0) + size


def queue(
    db: Database,
    now: int,
    caps: Caps,
    post: Post,
    answers: str = "",
    *,
    news: bool = False,
    world: Reads | None = None,
    backlog: Backlog | None = None,
    cause: str = "",
) -> Queued:
    """Puts the letter into the outbox, one row for each current address of the player, or for `post.address`.

    `answers`: the message id that it answers; `news`: whether nobody asked for it, so that it must say how to stop such
    letters; `cause`: the mark of the mail that caused it. A letter that a cap holds back is not stored.
    """
    if post.address:
        addresses = [post.address]
    else:
        addresses = [a.addr for a in (world or Reads(db)).addresses(post.player) if a.state == "current"]
    whole = post.letter
    token = f"{whole.token.kind}-{whole.token.player}-{whole.token.ref}-{whole.token.stamp}" if whole.token else ""
    same = "" if post.kind == Kinds.GAME else _wording(whole)  # news of games are not capped
    facts, nonce = _sealed(whole.facts)
    holder = (world or Reads(db)).player(whole.token.player) if whole.token else None
    size = len(facts) + bulk.estimate(whole.facts)
    most = caps_.waiting(post.kind, caps)
    backlog = backlog or Backlog()
    letters: list[int] = []
    for address in addresses:
        counted = _counted(db, now, caps, post, address, same)
        full = backlog.full(db, address, most) and not whole.templates & caps_.KEPT
        if full or any(number >= rule.most for rule, number, _ in counted):
            continue
        backlog.grows(address, size)
        last = caps_.last(post.kind, counted, now)
        added = db.execute(
            "INSERT INTO outbox (player, address, box, kind, template, subject, facts, token, thread, answers, news,"
            " same, created, cause, epoch, nonce, size, state, due, lease, attempts, why)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'waiting',0,0,0,'')",
            (
                post.player,
                address,
                mailbox_key(address),
                post.kind,
                whole.template,
                whole.subject,
                _sealed(caps_.noted(whole, last).facts)[0] if last else facts,
                token,
                whole.thread,
                answers,
                news,
                same,
                now,  # due at 0, that is at once, whatever happens to the clock
                cause,
                holder.token_epoch if holder else 0,
                nonce,
                size,
            ),
        )
        letters.append(int(added.lastrowid or 0))
    return Queued(letters, len(addresses) - len(letters))


_TO_JSON, _FROM_JSON = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
"""For facts: a move makes two letters, and the standard library takes eight times as long."""


def _sealed(facts: Mapping[str, Any]) -> tuple[str, str]:
    """The facts as JSON, and separately the seed of the password in the letter. In the facts `true` replaces the seed,
    in whatever part of the letter it is."""
    text = _TO_JSON(facts).decode()
    if '"nonce":"' not in text:
        return text, ""
    seeds: set[str] = set()

    def out(seed: Any) -> bool:
        if seed:
            seeds.add(seed)
        return bool(seed)

    text = _TO_JSON(_with_seeds(facts, out)).decode()
    if len(seeds) > 1:
        raise ValueError("a letter tells one password at most")
    return text, next(iter(seeds), "")


def _with_seeds(facts: Any, seed: Callable[[Any], Any]) -> Any:
    """The facts with each seed replaced."""
    if isinstance(facts, list | tuple):
        return [_with_seeds(one, seed) for one in facts]
    if not isinstance(facts, Mapping):
        return facts
    return {name: seed(one) if name == "nonce" else _with_seeds(one, seed) for name, one in facts.items()}


def board_of(thread: str) -> int:
    """The board of a letter with this thread; 0 for a letter about something else."""
    kind, _, number = thread.partition("-")
    return int(number) if kind == "board" else 0


def _wording(letter: Letter) -> str:
    """A text that is equal for letters that say the same about the same position."""
    facts = letter.facts
    whose = facts.get("userid") if letter.template in ("forgot", "login") else None  # players may share a mailbox
    position = facts.get("board"), len(facts.get("moves", ()))
    said = (letter.template, whose, facts.get("said"), *position, facts.get("topic"))
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def _counted(
    db: Database, now: int, caps: Caps, post: Post, address: str, same: str
) -> list[tuple[caps_.Rule, int, int]]:
    """For each rule for this letter: how many letters to this address it counts, and when the oldest was written."""
    sql = (
        "SELECT count(*), min(created) FROM outbox WHERE box = ? AND kind IN (SELECT value FROM json_each(?))"
        " AND kind <> 'game' AND created > ? AND (? = '' OR same = ?)"
    )
    found = []
    for rule in caps_.rules(post.kind, post.letter.template, caps):
        wording = same if rule.same else ""
        asked = (mailbox_key(address), json.dumps(rule.kinds), now - rule.window, wording, wording)
        number, oldest = db.execute(sql, asked).fetchone()
        found.append((rule, int(number), oldest or now))
    return found


def withhold(db: Database, kind: str, now: int, count: int) -> None:
    """Counts letters that were not written because of a cap."""
    db.execute(
        "INSERT INTO withheld (day, kind, count) VALUES (?, ?, ?)"
        " ON CONFLICT (day, kind) DO UPDATE SET count = count + excluded.count",
        (now // DAY, kind, count),
    )


_FREE: Final = (
    "state = 'waiting' AND due <= ?1 AND lease <= ?1 AND NOT EXISTS (SELECT 1 FROM outbox AS p"
    " WHERE p.state = 'waiting' AND p.address = o.address AND p.id < o.id AND NOT p.gives_way)"
)
"""The letter `o` may be sent at ?1: it is due, and no older letter to the same address waits."""


def claim(db: Database, now: int, limit: int) -> list[tuple[int, str, int, int, int, str]]:
    """Leases up to `limit` letters that may be sent now, at most one an address: the columns of a `Due`.

    The lease keeps a letter from being sent twice at once; it ends by itself if the process dies.
    """
    columns = "id, address, player, attempts + 1, size, kind"
    sql = f"SELECT {columns} FROM outbox AS o WHERE {_FREE} ORDER BY due, id LIMIT ?2"  # noqa: S608 - our own words
    found = db.execute(sql, (now, limit)).fetchall()
    leased = json.dumps([row[0] for row in found])
    sql = "UPDATE outbox SET lease = ?, attempts = attempts + 1 WHERE id IN (SELECT value FROM json_each(?))"
    db.execute(sql, (now + LEASE, leased))
    return found


def settle(
    db: Database, letter: int, state: str, due: int, why: str, *, counts: bool = True, gives_way: bool = False
) -> bool:
    """Ends a lease: `sent`, `failed`, `stuck`, or `waiting` until `due`. `counts`: whether the try does. `gives_way`:
    whether later letters to the address need not wait for this one from now on. A sent letter loses the seed of its
    secrets, and the last letter to a player who has left is deleted. False if the letter was erased meanwhile, with its
    player."""
    settled = db.execute(
        "UPDATE outbox SET state = CASE WHEN ?1 = 'waiting' THEN state ELSE ?1 END, due = ?2, lease = 0, why = ?3,"
        " attempts = attempts - ?5, gives_way = max(gives_way, ?6),"
        " nonce = CASE WHEN ?1 = 'waiting' THEN nonce ELSE '' END WHERE id = ?4 RETURNING template",
        (state, due, why[:200], letter, 0 if counts else 1, gives_way),
    ).fetchone()
    if settled == ("goodbye",) and state != "waiting":
        db.execute("DELETE FROM outbox WHERE id = ?", (letter,))
    return settled is not None


LEFT_OUT: Final = "(The words that stood here are left out: a mail server on the way refused them.)"

SAID: Final = ("comment", "words")
"""Facts that are a player's words, in a letter or in a part of it."""


def without_words(db: Database, letter: int, now: int) -> bool:
    """Sends a letter that has been refused, put off or returned again without the words of players; once, and only if
    it has any. False if it has none."""
    found = db.execute("SELECT facts FROM outbox WHERE id = ? AND state <> 'stuck'", (letter,)).fetchone()
    facts = _FROM_JSON(found[0]) if found else {}
    if not _unsaid(facts):
        return False
    db.execute(
        "UPDATE outbox SET facts = ?, state = 'waiting', due = ?, attempts = 0 WHERE id = ?",
        (_TO_JSON(facts).decode(), now, letter),
    )
    return True


def _unsaid(facts: object) -> int:
    """Leaves out all that players have said; returns how many texts."""
    if isinstance(facts, list):
        return sum(map(_unsaid, facts))
    if not isinstance(facts, dict):
        return 0
    said = [name for name in SAID if isinstance(facts.get(name), str) and facts[name] not in ("", LEFT_OUT)]
    facts.update(dict.fromkeys(said, LEFT_OUT))
    return len(said) + sum(map(_unsaid, facts.values()))


def telling(db: Database, letter: int) -> frozenset[int] | None:
    """Whether a refusal of this letter tells of the relay: it is news of a board, without a player's words, to an
    address that has proved to be its player's. If so, the players whose names are in it, and, as a negative number, the
    tournament whose title is; otherwise None."""
    found = db.execute(
        "SELECT thread FROM outbox JOIN address ON address.player = outbox.player AND addr = outbox.address"
        " WHERE outbox.id = ? AND address.state = 'current' AND template = 'board'"
        " AND coalesce(facts ->> '$.comment', '') = ''",
        (letter,),
    ).fetchone()
    if found is None:
        return None
    sql = "SELECT player1, player2, event FROM game WHERE id = ?"
    *players, event = db.execute(sql, (board_of(found[0]),)).fetchone() or (0,)
    return frozenset([player for player in players if player > 0] + [-event] * bool(event))


def is_current(db: Database, address: str) -> bool:
    """Whether this is the proved address of a player, to which letters go."""
    sql = "SELECT 1 FROM address WHERE addr = ? AND state = 'current'"
    return db.execute(sql, (address,)).fetchone() is not None


def owners(db: Database, most: int) -> int:
    """The number of domains of the players of running games who want letters, at most `most`. Names below one bought
    domain count as one."""
    found: set[str] = set()
    sql = (
        "SELECT addr FROM game JOIN address ON address.player IN (player1, player2)"
        " JOIN player ON player.id = address.player"
        " WHERE game.state = 'running' AND address.state = 'current' AND player.state = 'active' AND NOT EXISTS"
        " (SELECT 1 FROM preference WHERE preference.player = player.id AND name = 'quiet' AND value = 'on')"
    )
    for (address,) in db.execute(sql):
        found.add(owner(address))
        if len(found) >= most:
            break
    return len(found)


def recall(db: Database, player: int, address: str) -> None:
    """Withdraws letters that wait for an address that this player has given up: somebody else may read there."""
    db.execute(
        "UPDATE outbox SET state = 'failed', why = 'the address was given up', nonce = ''"
        " WHERE state = 'waiting' AND address = ?1 AND player = ?2 AND NOT EXISTS"
        " (SELECT 1 FROM address WHERE player = ?2 AND addr = ?1 AND state IN ('current', 'suspended'))",
        (address, player),
    )


def give_up_passwords(db: Database) -> None:
    """Letters that wait with a generated password are not sent: the key it was made with has ended."""
    db.execute(
        "UPDATE outbox SET state = 'failed', why = 'restored from a copy', nonce = ''"
        " WHERE state = 'waiting' AND nonce <> ''"
    )


def release(db: Database) -> None:
    """Ends all leases. At start nobody holds one."""
    db.execute("UPDATE outbox SET lease = 0 WHERE state = 'waiting' AND lease > 0")


def set_back(db: Database, now: int) -> None:
    """In case the clock was set back: a letter that would wait longer than any letter may is due now."""
    db.execute(
        "UPDATE outbox SET due = min(due, ?1), lease = min(lease, ?1)"
        " WHERE state = 'waiting' AND (due > ?1 + ?2 OR lease > ?1 + ?2)",
        (now, FAR),
    )


def due(db: Database, now: int) -> bool:
    """Whether `claim` would find a letter now."""
    return db.execute(f"SELECT 1 FROM outbox AS o WHERE {_FREE} LIMIT 1", (now,)).fetchone() is not None  # noqa: S608


def busy(db: Database, now: int) -> bool:
    """Whether a letter is due or on its way."""
    sql = "SELECT 1 FROM outbox WHERE state = 'waiting' AND due <= ? LIMIT 1"
    return db.execute(sql, (now,)).fetchone() is not None


def any_waiting(db: Database) -> bool:
    """Whether a letter has still to leave, now or later."""
    return db.execute("SELECT 1 FROM outbox WHERE state = 'waiting' LIMIT 1").fetchone() is not None


def entry(db: Database, letter: int) -> Entry:
    """The letter, for rendering; KeyError if there is none."""
    found = db.execute(
        "SELECT id, player, address, template, subject, facts, token, thread, answers, created, attempts, news,"
        " pictures, kind, epoch, nonce FROM outbox WHERE id = ?",
        (letter,),
    ).fetchone()
    if found is None:
        raise KeyError(letter)
    facts, token, nonce = _FROM_JSON(found[5]), None, found[15]
    facts = _with_seeds(facts, lambda there: nonce if there else "") if nonce else facts
    if found[6]:
        kind, player, ref, stamp = found[6].split("-")
        token = Token(Kind(kind), int(player), int(ref), int(stamp))
    return Entry(*(*found[:5], facts, token, *found[7:11], bool(found[11]), *found[12:15]))
