"""Whether time reveals who plays here: mails without proof in pairs, one about a registered player, one about nobody.

    python bench/timing.py [--pairs 1000] [--only list forgot]

For each command and each mail of a pair, in random order:

    answer  from the final dot of the mail to its answer
    next    the same for a mail that another connection sends right after that answer
    train   the longest of all pings (RSET) of that connection until the mail's turn in the queue is over

AUC (Mann-Whitney): the chance that a time of the registered half is longer than one of the other half; 0.5 reveals
nothing, 1 everything. The goal for `answer` and `next` is less than 0.55. `train` has no goal; it shows what an
attacker learns who does nothing but ping. The queue here is served four times as fast as in the daemon.
Exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import logging
import random
import socket
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import games
from load import running

from mailbot.shell.proof.passwords import hashed

BAR = 0.05
SECONDS = 0.05
OPERATOR = "operator@home.example"
STRANGER = "nobody{0}@else.example"
PLAYER = "player{0}@home.example"

Pair = tuple[tuple[str, str, str], tuple[str, str, str]]
"""From, subject and recipient of a mail about somebody, and of one about nobody; the second line is the body."""


def by_sender(subject: str) -> Callable[[int], Pair]:
    """The same words from a player and from a stranger."""
    return lambda i: (
        (PLAYER.format(i), subject.format(i), games.OWN.address),
        (STRANGER.format(i), subject.format(i), games.OWN.address),
    )


def by_name(subject: str, sender: str = STRANGER) -> Callable[[int], Pair]:
    """From one sender, about a player and about a userid that is nobody's, both as long."""
    return lambda i: (
        (sender.format(i), subject.format(f"player{i}"), games.OWN.address),
        (sender.format(i), subject.format(f"nobody{i}"), games.OWN.address),
    )


def by_token(i: int) -> Pair:
    """To reply addresses whose code is wrong, of a player and of a number that is nobody's."""
    sender = PLAYER.format(i)
    known, nobody = (games.OWN.token_address(f"p1-{player}-1-9-{'a' * 20}") for player in (i, 9000 + i))
    return (sender, "Re: Lambo 1", known), (sender, "Re: Lambo 1", nobody)


def as_operator(i: int) -> Pair:
    order = f"please\nadmin wrong-word-{i} games"
    return (OPERATOR, order, games.OWN.address), (STRANGER.format(0), order, games.OWN.address)


ROWS: dict[str, Callable[[int], Pair]] = {
    "list": by_sender("list"),
    "games": by_sender("games"),
    "games of another": by_sender("games player7"),
    "games NAME": by_name("games {0}"),
    "standings": by_sender("standings"),
    "seeks": by_sender("seeks"),
    "show": by_sender("show {0}"),
    "history": by_sender("history {0}"),
    "record": by_sender("record {0}"),
    "preview": by_sender("preview {0} a1"),
    "challenge": by_sender("lambo challenge player7 me"),
    "resign": by_sender("resign {0}"),
    "move": by_sender("move {0} a1"),
    "no command": by_sender("hello there"),
    "help": by_sender("help"),
    "forgot": by_sender("forgot nobody-at-all"),
    "forgot NAME": by_name("forgot {0}"),
    "signup": by_sender("signup new{0} a-new-word-{0}"),
    "signup NAME": by_name("signup {0} a-new-word-1"),
    "password of NAME": by_name("move 1 {0} wrong-word-1 b1"),
    "password of me": by_sender("move 1 me wrong-word-1 b1"),
    "token": by_token,
    "operator": as_operator,
}


# ---- one client


class Client:
    """One connection, blocking. `source`: an address of 127.0.0.0/8, so that no limit on one network is met."""

    def __init__(self, port: int, source: str) -> None:
        self._sock = socket.create_connection(("127.0.0.1", port), source_address=(source, 0))
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._sock.makefile("rb")
        self._answer()
        self.say(b"EHLO bench.example\r\n")

    def _answer(self) -> bytes:
        while (line := self._answers.readline())[3:4] == b"-":
            pass
        return line

    def say(self, text: bytes) -> float:
        """Seconds until the answer."""
        begun = time.perf_counter()
        self._sock.sendall(text)
        line = self._answer()
        if not line or line[:3] in (b"421", b"451"):
            raise RuntimeError(line.decode())
        return time.perf_counter() - begun

    def ready(self, sender: str, to: str) -> None:
        """Everything but the text."""
        for line in (f"MAIL FROM:<{sender}>", f"RCPT TO:<{to}>", "DATA"):
            self.say(line.encode() + b"\r\n")

    def close(self) -> None:
        self._answers.close()
        self._sock.close()


def text(sender: str, subject: str, number: int) -> bytes:
    title, _, body = subject.partition("\n")
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(games.NOW))
    said = (
        f"From: <{sender}>\nTo: <{games.OWN.address}>\nSubject: {title}\nMessage-ID: <{number}@bench.example>\n"
        f"Date: {date}\n\n{body}\n.\n"
    )
    return said.replace("\n", "\r\n").encode()


def sample(port: int, number: int, mail: tuple[str, str, str]) -> tuple[float, float, float]:
    """One mail, and what another connection sees of it: answer, next and train, in seconds."""
    sender, subject, to = mail
    source = f"127.{1 + number // 250 % 250}.{number % 250}.1"
    mine, other = Client(port, source), Client(port, "127.0.0.9")
    try:
        mine.ready(sender, to)
        other.ready("other@else.example", games.OWN.postmaster)
        answer = mine.say(text(sender, subject, number))
        following = other.say(text("other@else.example", "a word", -number))
        until = time.perf_counter() + 3 * SECONDS
        train = 0.0
        while time.perf_counter() < until:
            train = max(train, other.say(b"RSET\r\n"))
            time.sleep(0.001)
        return answer, following, train
    finally:
        mine.close()
        other.close()


def auc(one: Sequence[float], other: Sequence[float]) -> float:
    """The chance that a value of `one` is above one of `other` (Mann-Whitney U over the number of pairs)."""
    ranked = sorted(other)
    above = sum((bisect_left(ranked, value) + bisect_right(ranked, value)) / 2 for value in one)
    return above / len(one) / len(other)


def measure(port: int, name: str, pairs: int, first: int, chance: random.Random) -> tuple[float, float, float]:
    """The three AUCs of a command."""
    times: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    for turn in range(pairs):
        pair = ROWS[name](turn % games.PLAYERS + 1)
        halves = [True, False]
        chance.shuffle(halves)
        for registered in halves:
            times[registered].append(sample(port, first + 2 * turn + registered, pair[not registered]))
    one, two, three = (auc([row[i] for row in times[True]], [row[i] for row in times[False]]) for i in range(3))
    return one, two, three


# ---- the server


def serve(file: str, relay: int) -> None:
    """The daemon of moves.py, with an operator who gives orders by mail, and a queue that is served faster."""
    import moves

    logging.disable()

    from mailbot.shell.proof.operator import Operator

    def prepare(app: Any) -> None:
        app.reception._operator = Operator(OPERATOR, hashed("the operator's own word"))
        app.reception.unproved._seconds = SECONDS

    asyncio.run(moves.serve_ours(file, relay, prepare))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--serve", help=argparse.SUPPRESS)
    options.add_argument("--file", default="", help=argparse.SUPPRESS)
    options.add_argument("--pairs", type=int, default=1000)
    options.add_argument("--boards", type=int, default=2000, help="running games; each of 2000 players has as many")
    options.add_argument("--only", nargs="*", choices=ROWS, default=list(ROWS))
    given = options.parse_args()
    if given.serve:
        serve(given.file, int(given.serve))
        return
    missed = 0
    chance = random.Random(12)
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as folder:
        path = Path(folder, "db")
        games.fill(path, given.boards, 0, hashed(games.PASSWORD))
        delivery = str(Path(__file__).with_name("delivery.py"))
        with running(delivery, "sink") as (sink, _), running(__file__, str(sink), str(path)) as (port, _):
            measure(port, "list", 20, 1, chance)  # warms up
            first = 1000
            for name in given.only:
                answer, following, train = measure(port, name, given.pairs, first, chance)
                first += 2 * given.pairs
                bad = max(abs(answer - 0.5), abs(following - 0.5)) >= BAR
                missed += bad
                told = f"answer {answer:.3f}  next {following:.3f}  train {train:.3f}{'  MISSED' if bad else ''}"
                print(f"{name:17} {told}", flush=True)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
