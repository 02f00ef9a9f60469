"""Letters that are due: queued in the transaction of the mail that caused them, claimed, and settled after sending.

Order: only the oldest waiting letter of an address can be claimed, so that news of move n arrives before that of
move n + 1. Caps (B6): a letter over its cap is kept in state `held` and never sent.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import msgspec
from sqlite_utils import Database

from mailbot.core.effects import Letter, Post
from mailbot.core.mail.addresses import mailbox_key
from mailbot.core.model import DAY
from mailbot.core.tokens import Token
from mailbot.store.reads import Reads

LEASE = 3600
FAR = 86_400
"""Seconds that no wait and no lease lasts."""

OFFERS_HOUR, OFFERS_DAY = 15, 40
"""Letters about challenges that an address gets from others."""

WORDS_HOUR, WORDS_DAY, BROADCASTS_DAY = 20, 60, 10
"""Letters with the words of others that an address gets, and broadcasts."""

OPERATOR_HOUR = 4
HOUR = 3600

GAME_TEMPLATES = frozenset({"board", "offer", "declined", "approve", "password", "welcome"})
"""Answers that only a password or a reply token can cause, and that must arrive: they are never held back."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How many letters an address gets that are no news of its games (B6).

    `hour`, `day`: answers, refusals and notices; `same`: of one wording a day; `looks`: answers an hour to mails that
    prove nothing but their From, which anybody can write; `newcomer`: answers a day to an address of no player;
    `strangers`: letters an hour to all such addresses together.
    """

    hour: int = 20
    day: int = 60
    looks: int = 20
    same: int = 3
    newcomer: int = 5
    strangers: int = 200


SAME: Mapping[str, tuple[int, int]] = {"forgot": (HOUR, 1), "logins": (DAY, 1), "strange": (DAY, 1)}
"""Notices: how many of a template in how many seconds."""


@dataclass(frozen=True, slots=True)
class Row:
    """A letter as it lies in the outbox."""

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


def queue(
    db: Database,
    now: int,
    caps: Caps,
    post: Post,
    answers: str = "",
    *,
    news: bool = False,
    world: Reads | None = None,
) -> None:
    """Puts the letter into the outbox, one row for each current address of the player, or for `post.address`.

    `answers`: the message id that it answers; `news`: whether it comes unasked, and has to say how to stop that.
    """
    if post.address:
        addresses = [post.address]
    else:
        addresses = [a.addr for a in (world or Reads(db)).addresses(post.player) if a.state == "current"]
    letter = post.letter
    facts = _TO_JSON(letter.facts).decode()
    same = "" if post.kind == "game" else _wording(letter)  # news of games are not capped
    token = f"{letter.token.kind}-{letter.token.player}-{letter.token.ref}-{letter.token.stamp}" if letter.token else ""
    for address in addresses:
        held = post.kind not in ("game", "account") and over_cap(
            db, now, caps, post.kind, address, same, letter.template
        )
        db.execute(
            "INSERT INTO outbox (player, address, box, kind, template, subject, facts, token, thread, answers, news,"
            " same, created, state, due, lease, attempts, why) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,0,'')",
            (
                post.player,
                address,
                mailbox_key(address),
                post.kind,
                letter.template,
                letter.subject,
                facts,
                token,
                letter.thread,
                answers,
                news,
                same,
                now,
                "held" if held else "waiting",
                0,  # at once, whatever happens to the clock
            ),
        )


_TO_JSON, _FROM_JSON = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
"""Of facts: a move makes two letters, and the standard library takes eight times as long."""


def _wording(letter: Letter) -> str:
    """Equal for letters that say the same about the same position."""
    facts = letter.facts
    said = (letter.template, facts.get("said"), facts.get("board"), len(facts.get("moves", ())), facts.get("topic"))
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def over_cap(db: Database, now: int, caps: Caps, kind: str, address: str, same: str, template: str) -> bool:
    """Whether one more letter of this kind to this address would be too many."""

    def sent(seconds: int, kinds: Iterable[str], wording: str = "") -> int:
        sql = (
            "SELECT count(*) FROM outbox WHERE box = ? AND kind IN (SELECT value FROM json_each(?))"
            " AND kind <> 'game' AND created > ? AND state <> 'held' AND (? = '' OR same = ?)"
        )
        asked = (mailbox_key(address), json.dumps(list(kinds)), now - seconds, wording, wording)
        return int(db.execute(sql, asked).fetchone()[0])

    if kind in ("signup", "newcomer") and Reads(db, strangers=caps.strangers).strangers(now) <= 0:
        return True
    if kind == "signup":
        return False  # counted for ever, by the handler
    if kind == "newcomer":
        return sent(DAY, ["newcomer"]) >= caps.newcomer or sent(DAY, ["newcomer"], same) >= 1
    if template in SAME:
        seconds, most = SAME[template]
        return sent(seconds, [kind], same) >= most
    if kind == "refusal" and sent(DAY, [kind], same) >= caps.same:
        return True
    if kind == "operator":
        return sent(HOUR, [kind]) >= OPERATOR_HOUR
    if kind == "look":
        repeated = template == "refused" and sent(DAY, [kind], same) >= caps.same
        return repeated or sent(HOUR, [kind]) >= caps.looks or sent(DAY, [kind]) >= caps.day
    if kind == "message":
        return sent(HOUR, [kind]) >= WORDS_HOUR or sent(DAY, [kind]) >= WORDS_DAY
    if kind == "broadcast":
        return sent(DAY, [kind]) >= BROADCASTS_DAY
    if kind == "offer":
        return sent(HOUR, [kind]) >= OFFERS_HOUR or sent(DAY, [kind]) >= OFFERS_DAY
    kinds = ("answer", "refusal", "notice")
    return sent(HOUR, kinds) >= caps.hour or sent(DAY, kinds) >= caps.day


def claim(db: Database, now: int, limit: int) -> list[tuple[int, str, int, int, int]]:
    """Leases up to `limit` letters that may be sent now, at most one an address: (id, address, player, attempts, size).

    The lease keeps a letter from being sent twice at once; it ends by itself if the process dies.
    """
    found = db.execute(
        "SELECT id, address, player, attempts + 1, length(facts) FROM outbox AS o"
        " WHERE state = 'waiting' AND due <= ? AND lease <= ?"
        " AND NOT EXISTS (SELECT 1 FROM outbox AS p WHERE p.state = 'waiting' AND p.address = o.address"
        " AND p.id < o.id) ORDER BY due, id LIMIT ?",
        (now, now, limit),
    ).fetchall()
    leased = json.dumps([row[0] for row in found])
    sql = "UPDATE outbox SET lease = ?, attempts = attempts + 1 WHERE id IN (SELECT value FROM json_each(?))"
    db.execute(sql, (now + LEASE, leased))
    return found


def settle(db: Database, letter: int, state: str, due: int, why: str) -> bool:
    """Ends a lease: `sent`, `failed`, `stuck`, or `waiting` until `due`. What was sent forgets its secrets' seed, and
    the last letter to somebody who is gone goes as well. False if the letter was erased meanwhile, with its player."""
    settled = db.execute(
        "UPDATE outbox SET state = ?, due = ?, lease = 0, why = ?,"
        " facts = CASE WHEN ? <> 'waiting' AND facts LIKE '%\"nonce\"%' THEN json_remove(facts, '$.nonce')"
        " ELSE facts END"
        " WHERE id = ? RETURNING template",
        (state, due, why[:200], state, letter),
    ).fetchone()
    if settled == ("goodbye",) and state != "waiting":
        db.execute("DELETE FROM outbox WHERE id = ?", (letter,))
    return settled is not None


def release(db: Database) -> None:
    """At start nobody holds a lease."""
    db.execute("UPDATE outbox SET lease = 0 WHERE state = 'waiting' AND lease > 0")


def set_back(db: Database, now: int) -> None:
    """The clock may have been set back: what waits longer than anything ever waits is due now."""
    db.execute(
        "UPDATE outbox SET due = min(due, ?1), lease = min(lease, ?1)"
        " WHERE state = 'waiting' AND (due > ?1 + ?2 OR lease > ?1 + ?2)",
        (now, FAR),
    )


def due(db: Database, now: int) -> bool:
    """Whether a letter may be sent now, unless an older one to the same address has to wait."""
    sql = "SELECT 1 FROM outbox WHERE state = 'waiting' AND due <= ?1 AND lease <= ?1 LIMIT 1"
    return db.execute(sql, (now,)).fetchone() is not None


def busy(db: Database, now: int) -> bool:
    """Whether a letter is due or on its way."""
    sql = "SELECT 1 FROM outbox WHERE state = 'waiting' AND due <= ? LIMIT 1"
    return db.execute(sql, (now,)).fetchone() is not None


def row(db: Database, letter: int) -> Row:
    """The letter, to be rendered; KeyError if there is none."""
    found = db.execute(
        "SELECT id, player, address, template, subject, facts, token, thread, answers, created, attempts, news"
        " FROM outbox WHERE id = ?",
        (letter,),
    ).fetchone()
    if found is None:
        raise KeyError(letter)
    facts, token = _FROM_JSON(found[5]), None
    if found[6]:
        kind, player, ref, stamp = found[6].split("-")
        token = Token(kind, int(player), int(ref), int(stamp))
    row = Row(found[0], found[1], found[2], found[3], found[4], facts, token, found[7], found[8], found[9], found[10])
    return replace(row, news=bool(found[11]))


def kind_of(letter: Letter, proof: str) -> str:
    """The kind under which an answer is counted; `proof` of the command it answers."""
    templates = {letter.template, *(part["template"] for part in letter.facts.get("parts", ()))}
    if proof not in ("password", "token"):
        return "look"
    if templates & GAME_TEMPLATES:
        return "game"
    return "refusal" if letter.template == "refused" else "answer"
