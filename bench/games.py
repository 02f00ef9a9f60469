"""A database full of players and games for the benches, and the mails that continue the games."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from load import Mail

from engine.hex import notation, variants
from engine.hex.position import apply, legal_moves, start
from mailbot.core import tokens
from mailbot.core.mail.addresses import Own
from mailbot.core.model import Address, Game, Move, Player
from mailbot.core.tokens import Token
from mailbot.store.rows import COLUMNS, TABLES
from mailbot.store.store import Store

OWN = Own("play.example")
PLAYERS = 2000
OPENINGS, PLIES = 300, 8
NOW = 1_790_000_000
PASSWORD = "correct-horse-battery"


def openings(seed: int = 1) -> list[tuple[list[str], str]]:
    """Beginnings of random games of Lambo, PLIES long, each with a legal next move."""
    chance = random.Random(seed)
    found = []
    while len(found) < OPENINGS:
        position = start(variants.parse("lambo"))
        texts: list[str] = []
        while position.outcome is None and len(texts) <= PLIES:
            move = chance.choice(list(islice(legal_moves(position), 200)))
            position = apply(position, move)
            texts.append(notation.write_move(move))
        if position.outcome is None:
            found.append((texts[:PLIES], texts[PLIES]))
    return found


def insert(store: Store, rows: Iterator[Any], of: type[Any]) -> None:
    """Puts many new rows of a class into its table."""
    table, _ = TABLES[of]
    names = COLUMNS[of].split(", ")
    marks = ", ".join("?" * len(names))
    values = attrgetter(*names)
    store.db.conn.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", map(values, rows))


def fill(
    path: Path,
    running: int,
    finished: int,
    password_hash: str = "",
    timed: Callable[[Game], Game] = lambda game: game,
) -> None:
    """Makes the file: `finished` games that are over, then `running` ones that wait for their ply PLIES + 1. `timed`:
    gives a running game its clock."""
    store = Store.open(path, NOW, b"k" * 32)
    store.begin()
    insert(store, (Player(p, f"player{p}", "active", password_hash, 1, 1, NOW) for p in _players()), Player)
    insert(store, (Address(p, p, f"player{p}@home.example", "current", 0, NOW) for p in _players()), Address)
    begun = _begun()
    insert(store, (_game(number, finished) for number in range(1, finished + 1)), Game)
    insert(store, (timed(_game(number, 0)) for number in range(finished + 1, finished + running + 1)), Game)
    insert(
        store,
        (
            Move(number, ply, _of(number)[(ply + 1) % 2], text, "", NOW)
            for number in range(1, running + finished + 1)
            for ply, text in enumerate(begun[number % OPENINGS][0], 1)
        ),
        Move,
    )
    store.commit()
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    store.close()


def _players() -> range:
    return range(1, PLAYERS + 1)


def _of(game: int) -> tuple[int, int]:
    """Both players of a game: neighbours on a ring, so that each plays as often."""
    one = game % PLAYERS + 1
    return one, one % PLAYERS + 1


def _game(number: int, finished: int) -> Game:
    one, two = _of(number)
    over = number <= finished
    return Game(
        id=number,
        rules="lambo" if over else f"lambo -size={30 + number % 60}",  # so that few positions are met twice
        player1=one,
        player2=two,
        state="over" if over else "running",
        agreed=3,
        ply=PLIES,
        to_move=0 if over else PLIES % 2 + 1,
        winner=1 if over else None,
        reason=f"player{two} resigned" if over else "",
        created=NOW,
        changed=NOW,
        started=NOW,
    )


def moves(path: Path, first: int, count: int) -> list[Mail]:
    """Replies as a mail program writes them, each playing the next move on another board, from `first` on."""
    store = Store.open(path, NOW, b"k" * 32)
    keys = store.keys()
    store.close()
    return _moves(keys, first, count)


def moves_from(path: Path, first: int, count: int) -> list[Mail]:
    """The same while the daemon has the file open."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    keys = dict(db.execute("SELECT id, key FROM secret").fetchall())
    db.close()
    return _moves(keys, first, count)


@cache
def _begun() -> list[tuple[list[str], str]]:
    return openings()


def _moves(keys: dict[int, bytes], first: int, count: int) -> list[Mail]:
    newest, begun = max(keys), _begun()
    mails = []
    for number in range(first, first + count):
        player = _of(number)[PLIES % 2]
        token = tokens.write(Token("p", player, number, 2 * (PLIES + 1)), keys[newest], newest, 1)
        said = begun[number % OPENINGS][1]
        mails.append(reply(f"player{player}@home.example", OWN.token_address(token), number, PLIES + 1, said))
    return mails


_LINES = ("It is YOUR TURN: ply 9. Tiles left: 31 of 48.", *["/12\\__/  \\__/" * 4] * 14)
_QUOTED = "\r\n".join(f"> {line}" for line in _LINES)


def reply(sender: str, to: str, number: int, ply: int, said: str) -> Mail:
    """An answer to the letter about this board, as a mail program writes it."""
    text = (
        f"From: Player <{sender}>\r\nTo: mailbot <{to}>\r\nSubject: Re: Lambo {number}: one - two\r\n"
        f"Message-ID: <move-{number}-{ply}@home.example>\r\n"
        "Date: Mon, 21 Sep 2026 13:33:20 +0000\r\nMIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=utf-8; format=flowed\r\nContent-Transfer-Encoding: 8bit\r\n"
        f"User-Agent: Mozilla Thunderbird\r\nIn-Reply-To: <{number}.5@mailbot.play.example>\r\n\r\n"
        f"{said}\r\n\r\nGood luck!\r\n\r\nOn 20/09/2026 20:00, mailbot wrote:\r\n"
        f"> -- reply above this line --\r\n{_QUOTED}\r\n.\r\n"
    )
    return Mail(sender, to, text.encode())


def guarded(count: int, begin: int = 0) -> list[Mail]:
    """Mails with a password, which cost an argon2 each: they ask for a draw on boards of others, and are refused."""
    mails = []
    for number in range(begin, begin + count):
        player = number % PLAYERS + 1
        text = (
            f"From: <player{player}@home.example>\r\nTo: <{OWN.address}>\r\n"
            f"Subject: lambo propose {number + 7} player{player} {PASSWORD}\r\n"
            f"Message-ID: <draw-{number}@home.example>\r\nDate: Mon, 21 Sep 2026 13:33:20 +0000\r\n\r\n.\r\n"
        )
        mails.append(Mail(f"player{player}@home.example", OWN.address, text.encode()))
    return mails
