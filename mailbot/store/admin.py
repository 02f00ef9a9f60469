"""The operator's commands, from the command line and by mail: what they change, and the lists they show.

core/operator/judge.py decides what happens to boards and players; this module carries it out in the caller's
transaction, together with the letters about it. A list shows addresses only if the operator asks for them.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from textwrap import wrap
from typing import Any, NamedTuple

from sqlite_utils import Database

from mailbot.core.effects import Forbidden, Kinds, Letter, NotAllowed, Post, Unreadable
from mailbot.core.games import boards
from mailbot.core.handle import sentence
from mailbot.core.hosting import standing, steps
from mailbot.core.letters.context import KEEP, WIDTH, context
from mailbot.core.letters.tables import Column, draw, span
from mailbot.core.mail import marks
from mailbot.core.model import DAY, Game, Pool, Ranking, Rated, States
from mailbot.core.operator import judge
from mailbot.core.operator.judge import Words
from mailbot.core.operator.orders import Order
from mailbot.core.ratings import ended
from mailbot.core.world import Request
from mailbot.store import outbox, ratings
from mailbot.store.reads import Reads
from mailbot.store.rows import some
from mailbot.store.store import Store

__all__ = ["DOINGS", "LISTS", "REFUSALS", "Done", "do", "show"]

REFUSALS = (Unreadable, Forbidden, NotAllowed)
MAX_LISTED = 500
"""Lines of a list."""


class Done(NamedTuple):
    """`said`: a sentence for the operator. `about`: ids for the log."""

    said: str
    about: str


def do(store: Store, name: str, words: Words, now: int) -> Done:
    """Carries out one command. Raises one of REFUSALS with a sentence; KeyError for a name that is not in DOINGS."""
    if name == "resend":
        return _resend(store.db, words, now)
    if name == "ratings":
        return _ratings(store.db)
    world = Reads(store.db, store.catalogue, store.caps, store.clock, store.directors)
    ruling = judge.rule(name, words, now, world)
    store.apply(ruling.effects, Request(now))
    store.apply(ended.followed(steps.follow(standing.ended(ruling.effects), now, world), world), Request(now))
    return Done(ruling.said, ruling.about)


DOINGS: Mapping[str, str] = {
    **{name: doing.form for name, doing in judge.DOINGS.items()},
    "resend": "letter",
    "ratings": "",
}
"""The commands that change something, and the words they take."""


def _resend(db: Database, words: Words, now: int) -> Done:
    """Tries an unsent letter again. Of a sent letter it sends a copy, because mail programs hide duplicates."""
    number = _number(words.get("letter", ""))
    found = db.execute("SELECT state, address, player FROM outbox WHERE id = ?", (number,)).fetchone()
    if found is None:
        raise Unreadable(f"There is no letter {number}; sent ones are kept for 30 days.")
    state, address, player = found
    told = outbox.entry(db, number)
    if state == "waiting":
        raise Forbidden(f"Letter {number} is waiting already; it goes out by itself.")
    if _told_password(told.facts):
        raise Forbidden(
            f"Letter {number} told a password, which is not kept. A player can use: forgot USERID. A newcomer can sign"
            " up again."
        )
    if {one.state for one in Reads(db).addresses(player) if one.addr.lower() == address.lower()} == {"old"}:
        raise Forbidden(f"Letter {number} went to an address that its player has given up.")
    if state == "sent":
        kept = "player, address, box, kind, template, subject, facts, token, thread, answers, news, same, epoch, size"
        copy = db.execute(
            f"INSERT INTO outbox ({kept}, created, state, due, lease, attempts, why)"  # noqa: S608 - only names
            f" SELECT {kept}, ?, 'waiting', ?, 0, 0, '' FROM outbox WHERE id = ?",
            (now, now, number),
        ).lastrowid
        return Done(f"A copy goes out as letter {copy}.", f"letter {number}")
    sql = "UPDATE outbox SET state = 'waiting', due = ?, lease = 0, attempts = 0, why = '' WHERE id = ?"
    db.execute(sql, (now, number))
    return Done(f"Letter {number} goes out; it had been {state}.", f"letter {number}")


def _told_password(facts: Mapping[str, Any]) -> bool:
    """Whether a letter with these facts, or a part of it, holds a password that we made. Once the letter has gone,
    nobody knows it any more."""
    return bool(facts.get("nonce")) or any(_told_password(part["facts"]) for part in facts.get("parts", ()))


def _ratings(db: Database) -> Done:
    """Computes all ratings anew from the games, and says whether they were right."""
    games, wrong, named = ratings.refold(db)
    said = f"The ratings have been computed anew from {games} games."
    if not wrong:
        return Done(f"{said} They are identical.", "identical")
    shown = "; ".join(dict.fromkeys(_differing(row, Reads(db)) for row in named))
    return Done(f"{said} {wrong} rows were wrong or missing and have been repaired, such as {shown}.", "repaired")


def _differing(row: Pool | Rated | Ranking, reads: Reads) -> str:
    if isinstance(row, Rated):
        return f"board {row.game}"
    if isinstance(row, Pool):
        return f"the first mover's advantage in {row.category}"
    player = reads.player(row.player)
    return f"{player.userid if player else '?'} in {row.category}"


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 16):
        raise Unreadable("Name the letter by its number, as the log and `queue` do.")
    return int(word)


def by_mail(store: Store, order: Order, to: str, dedupe: str, answers: str, now: int, mark: str = "") -> str:
    """Carries out an order, once, and queues the answer to the operator's address `to`. Returns what it was about, for
    the log.

    `answers`: the Message-ID of the mail, `mark`: its id in the log.
    """
    if not store.remember(dedupe, now, mark, f"admin {order.name}".strip()):
        return "seen before"
    try:
        if order.trouble:
            raise Unreadable(order.trouble)
        if order.name in LISTS:
            lines, about = show(store.db, order.name, order.words, now), "a list"
        else:
            said, about = do(store, order.name, order.words, now)
            lines = wrap(said, WIDTH)
    except REFUSALS as refused:
        lines, about = [*wrap(sentence(str(refused)), WIDTH), "Nothing was changed."], "refused"
    facts = {"lines": [line or KEEP for line in lines]}  # the blank ones may belong to a board
    post = Post(0, Letter("report", f"admin {order.name}".strip(), facts), Kinds.ACCOUNT, to)
    outbox.queue(store.db, now, store.caps, post, answers, cause=mark)
    return about


# -- lists ------------------------------------------------------------------------------------------------------


def show(db: Database, name: str, words: Words, now: int) -> list[str]:
    """The lines of the list with this name. Raises one of REFUSALS; KeyError for a name that is not in LISTS."""
    return LISTS[name](db, words, now)


def _games(db: Database, words: Words, now: int) -> list[str]:
    """Boards, latest changed first; optionally of one player, or in one state."""
    reads = Reads(db)
    state, userid = words.get("state", "").lower(), words.get("player", "")
    if state and state not in States.ALL:
        raise Unreadable(f"There is no state '{state[:20]}'; the states are {', '.join(States.ALL)}.")
    player = reads.player_named(userid) if userid else None
    if userid and not player:
        raise Unreadable(f"There is no player '{userid[:20]}'.")
    where = (
        "(?1 = '' OR state = ?1) AND (?2 = 0 OR player1 = ?2 OR player2 = ?2) ORDER BY changed DESC, id DESC LIMIT ?3"
    )
    found = some(db, Game, where, state, player.id if player else 0, MAX_LISTED)
    rows = [
        (
            str(game.id),
            game.rules,
            " - ".join(boards.names(game, reads)),
            _standing(game, reads),
            str(game.ply),
            _ago(game.changed, now),
        )
        for game in found
    ]
    return draw(GAMES, rows) if rows else ["None."]


def _standing(game: Game, reads: Reads) -> str:
    """Whose turn it is, or how it ended."""
    players = boards.names(game, reads)
    if game.state == States.RUNNING:
        return f"{players[game.to_move - 1]} to move"
    if game.state != States.OVER:
        return game.state
    return "annulled" if game.winner is None else f"{players[game.winner - 1]} won" if game.winner else "drawn"


def _ago(at: int, now: int) -> str:
    return span(max(0, now - at))


def _days_ago(day: int, now: int) -> str:
    """For what is counted by the day (days since 1970, UTC)."""
    return span((now // DAY - day) * DAY) if now // DAY > day else "today"


GAMES = (
    Column("board", 6, number=True),
    Column("rules", 16),
    Column("players", 21),
    Column("status", 13),
    Column("ply", 4, number=True),
    Column("since", 8),
)


def _show(db: Database, words: Words, now: int) -> list[str]:
    """One board, drawn, with its moves."""
    reads = Reads(db)
    word = words.get("board", "").lstrip("#")
    game = reads.game(int(word)) if word.isascii() and word.isdigit() and len(word) < 10 else None
    if game is None:
        raise Unreadable(f"There is no board '{word[:12]}'.")
    players = boards.names(game, reads)
    lines = [f"Board {game.id}: {game.rules}", f"{players[0]} - {players[1]}: {_standing(game, reads)}, ply {game.ply}"]
    if game.reason:
        lines.append(f"Ended: {game.reason}.")
    lines.append(f"Begun {_date(game.started or game.created)}, last changed {_date(game.changed)} (UTC).")
    if game.asks:
        lines.append(f"{players[game.asks_by - 1]} asks for: {game.asks}.")
    if game.state not in boards.PLAYED:
        return lines
    letter = boards.news("show", game, reads.texts(game.id), players, 0)
    told = context(letter.facts, reads.catalogue)
    picture = told["picture"].replace(KEEP, "").split("\n")
    return [*lines, "", *told["move_list"], "", *picture, "", *told["legend"]]


def _players(db: Database, words: Words, now: int) -> list[str]:
    """All players; with `addresses`, also where their letters go, or would go if none had come back."""
    sql = (
        "SELECT id, userid, state, created,"
        " (SELECT count(*) FROM game WHERE (player1 = player.id OR player2 = player.id) AND state = 'running'),"
        " (SELECT count(*) FROM game WHERE (player1 = player.id OR player2 = player.id) AND state = 'over')"
        " FROM player ORDER BY userid, id LIMIT ?"
    )
    found = db.execute(sql, (MAX_LISTED,)).fetchall()
    if not found:
        return ["None."]
    lines = draw(
        PLAYERS, [(str(row[0]), row[1], row[2], _date(row[3])[:10], str(row[4]), str(row[5])) for row in found]
    )
    if not words.get("addresses"):
        return lines
    of = dict.fromkeys((row[0] for row in found), "")
    sql = "SELECT player, addr, state FROM address WHERE state IN ('current', 'suspended') ORDER BY id"
    for player, addr, state in db.execute(sql).fetchall():
        if player in of:
            of[player] += f" {addr}" + (" (suspended: letters came back)" if state == "suspended" else "")
    return [*lines, "", *(f"{row[1]}:{of[row[0]]}" for row in found if of[row[0]])]


PLAYERS = (
    Column("id", 6, number=True),
    Column("player", 20),
    Column("state", 8),
    Column("since", 10),
    Column("running", 7, number=True),
    Column("over", 6, number=True),
)


def _queue(db: Database, words: Words, now: int) -> list[str]:
    """The number of letters by state and kind, and since when; then, by number, those that need the operator."""
    sql = "SELECT state, kind, count(*), min(created) FROM outbox GROUP BY 1, 2 ORDER BY state = 'sent', state, kind"
    rows = [(state, kind, str(count), _ago(oldest, now)) for state, kind, count, oldest in db.execute(sql).fetchall()]
    sql = "SELECT kind, sum(count), min(day) FROM withheld GROUP BY 1 ORDER BY 1"
    rows += [("over cap", kind, str(count), _days_ago(day, now)) for kind, count, day in db.execute(sql).fetchall()]
    stopped = db.execute(
        "SELECT id, state, kind, created, why FROM outbox WHERE state IN ('failed', 'stuck') ORDER BY id DESC LIMIT 20"
    ).fetchall()
    lines = draw(QUEUE, rows) if rows else ["No letters."]
    if stopped:
        lines += ["", "Given up (newest first; to try one again: resend NUMBER):"]
        lines += draw(STOPPED, [(str(row[0]), row[1], row[2], _date(row[3]), row[4]) for row in stopped])
    return lines


QUEUE = (Column("state", 8), Column("kind", 10), Column("letters", 8, number=True), Column("oldest", 8))
STOPPED = (
    Column("letter", 8, number=True),
    Column("state", 6),
    Column("kind", 10),
    Column("written", 16),
    Column("why", 30),
)


def _date(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def _find(db: Database, words: Words, now: int) -> list[str]:
    """The id of a mail, and what we know about it. Reads all mails of the last 30 days: there is no index, because
    every mail would have to pay for it."""
    said = words.get("message", "").strip()
    if not said:
        raise Unreadable("Name the mail by its Message-ID, or by its id in the log.")
    mark = marks.wanted(said)
    lines = [f"mail {mark}"]
    sql = "SELECT at, about, boards FROM seen WHERE mark = ? ORDER BY at"
    found = db.execute(sql, (mark,)).fetchall()
    for at, about, named in found:
        lines.append(f"{_date(at)}  seen: {about}" + (f", naming board {', '.join(named.split())}" if named else ""))
    sql = "SELECT id, at, attempts, done FROM shunt WHERE json_extract(request, '$.mark') = ?"
    for number, _, attempts, done_at in db.execute(sql, (mark,)).fetchall():
        lines.append(f"set aside as {number}, tried {attempts} times, {'done since' if done_at else 'not done'}")
    if not found:
        return [
            *lines,
            "",
            "The database knows nothing of it: it never came, it came more than 30 days",
            "ago, or it was refused or dropped and changed nothing. The log says which:",
            f"journalctl -u mailbot | grep {mark}",
        ]
    sql = (
        "SELECT o.id, coalesce(p.userid, '-'), o.template, o.thread, o.state, o.created, o.why FROM outbox AS o"
        " LEFT JOIN player AS p ON p.id = o.player WHERE o.cause = ? ORDER BY o.id"
    )
    letters = db.execute(sql, (mark,)).fetchall()
    if not letters:
        return [*lines, "", "It caused no letter."]
    rows = [
        (str(number), who, template, str(outbox.board_of(thread) or ""), state, _date(at), why)
        for number, who, template, thread, state, at, why in letters
    ]
    return [*lines, "", "Letters it caused:", *draw(FOUND, rows)]


FOUND = (
    Column("letter", 8, number=True),
    Column("to", 12),
    Column("template", 9),
    Column("board", 6, number=True),
    Column("state", 7),
    Column("written", 16),
    Column("why", 14),
)


LISTS: Mapping[str, Callable[[Database, Words, int], list[str]]] = {
    "games": _games,
    "show": _show,
    "players": _players,
    "queue": _queue,
    "find": _find,
}
"""The commands that only read."""
