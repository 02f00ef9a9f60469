"""Proof that nothing acknowledged is lost and nothing is done twice: the real daemon, killed at random moments.

    python -m tests.prove.crash [KILLS]

Several clients play long games by mail over SMTP and note every 250 in a ledger. Like a mail server, they send a mail
without an answer again, byte for byte, until it has one. Meanwhile the daemon gets SIGKILL at random moments and is
restarted. At the end the games must equal the ledgers, no letter may have come with two contents, and the database must
be whole (A1). While the daemon is dead, games are put into the database whose time ends in the next seconds: after each
kill a game that has ended so has both its letters, and one that has not has none.
"""

import random
import signal
import smtplib
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlite_utils import Database

from engine.hex import notation, variants
from engine.hex.position import Position, apply, legal_moves, start
from mailbot.core.games import clocks, course, flags
from mailbot.core.model import Preference
from mailbot.shell.console import postman
from mailbot.shell.post import maildir
from mailbot.store.connection import connect
from mailbot.store.rows import put

RULES = "lambo -must_contain -anywhere -size=120"
CLOCK = "10d+2d/14d"
FLAGS = """
SELECT game.id, game.state, (SELECT count(*) FROM outbox WHERE thread = 'board-' || game.id)
FROM game WHERE game.id >= ? ORDER BY 1
"""
FIRST_FLAG = 1000
"""The number of the first board on which time ends."""

PASSWORD = "quiet-river-42"
PATIENCE = 30.0


@dataclass
class Report:
    """What was counted."""

    kills: int = 0
    acknowledged: int = 0
    resent: int = 0
    letters: int = 0
    flags: int = 0
    troubles: list[str] = field(default_factory=list)


class Daemon:
    """`mailbot serve` as a process of its own, on a port that stays the same."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            self.port = int(sock.getsockname()[1])
        self.folder = folder
        self.config = folder / "mailbot.toml"
        self.config.write_text(
            f'[listen]\nport = {self.port}\n[store]\npath = "{folder}/db"\n[relay]\nmaildir = "{folder}/mail"\n'
            "[bots]\nworkers = 0\n"  # nobody thinks here, and each of 300 starts would warm a worker up
            "[limits]\nmin_free_bytes = 0\nletters_per_hour = 100000\nletters_per_day = 100000\n"
        )
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Starts it and waits until it says that it is ready."""
        code = "from mailbot.shell.console.cli import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "--config", str(self.config), "serve"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert "mailbot is ready" in line, f"the daemon did not start: {line!r}"

    def end(self, how: signal.Signals) -> None:
        """Ends it and waits until it is gone."""
        assert self.process
        self.process.send_signal(how)
        self.process.communicate(timeout=PATIENCE)


def moves_of(seed: int) -> Iterator[str]:
    """The moves of a long game; no win ends it early for most seeds."""
    chance = random.Random(seed)
    position: Position = start(variants.parse(RULES))
    while position.outcome is None:
        position = apply(position, chance.choice(list(legal_moves(position))))
        yield notation.write_move(position.turns[-1].move)


class Client(threading.Thread):
    """Two players of one game, who send each mail until it is acknowledged."""

    def __init__(self, number: int, daemon: Daemon, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.server = daemon
        self.stop = stop
        self.ledger: list[str] = []
        self.acknowledged = threading.Semaphore(0)
        self.resent = 0
        self.failed = ""

    def run(self) -> None:
        try:
            for ply, move in enumerate(moves_of(self.number)):
                if self.stop.is_set():
                    return
                who = f"p{self.number}{'ab'[ply % 2]}"
                self.send(f"{who}@example.org", f"lambo move {self.number} {who} {PASSWORD} {move}")
                self.ledger.append(move)
                self.acknowledged.release()
        except Exception as error:  # told in the report, for a thread's exception would be lost
            self.failed = f"client {self.number}: {error!r}"
        finally:
            self.acknowledged.release(1_000_000)  # nobody waits for one who is done

    def send(self, sender: str, subject: str) -> None:
        """Until there is a 250; a refusal for good is an error."""
        mail = postman.write(sender, "mailbot@mailbot.localhost", subject, "", datetime.now(UTC))
        for _ in range(2000):
            try:
                postman.send(mail, "127.0.0.1", self.server.port)
            except (OSError, smtplib.SMTPException) as error:
                if isinstance(error, smtplib.SMTPResponseException) and error.smtp_code >= 500:
                    raise
                self.resent += 1
                self.stop.wait(0.01)
            else:
                return
        raise TimeoutError("no answer for very long")


def crash(folder: Path, kills: int, seed: int = 1) -> Report:
    """Runs the proof and says what was found. A game lasts for about twenty kills, so there are games enough."""
    clients = max(3, kills // 15)
    chance = random.Random(seed)
    report = Report()
    daemon = Daemon(folder)
    daemon.start()
    stop = threading.Event()
    players = [Client(number, daemon, stop) for number in range(1, clients + 1)]
    for client in players:
        _prepare(client, folder)
    for client in players:
        client.start()
    while report.kills < kills and any(client.is_alive() for client in players):
        for _ in range(chance.randint(1, 4)):
            chance.choice(players).acknowledged.acquire(timeout=PATIENCE)
        daemon.end(signal.SIGKILL)
        report.kills += 1
        _flags(folder, report, chance)
        daemon.start()
    stop.set()
    for client in players:
        client.join(PATIENCE)
        report.resent += client.resent
        report.troubles += [client.failed] if client.failed else []
    _await_flags(folder, report)
    daemon.end(signal.SIGTERM)
    _judge(folder, players, report)
    return report


def _prepare(client: Client, folder: Path) -> None:
    """Two new players, and their game begun; its board has the client's number."""
    names = [f"p{client.number}{letter}" for letter in "ab"]
    for name in names:
        address = f"{name}@example.org"
        client.send(address, f"signup {name} {PASSWORD}")
        while not (found := postman.letters(folder / "mail", address)):
            client.stop.wait(0.01)
        mail = postman.answer(found[0], address, "yes", datetime.now(UTC))
        postman.send(mail, "127.0.0.1", client.server.port)
    options = f"{RULES.removeprefix('lambo ')} -clock={CLOCK}"
    client.send(f"{names[0]}@example.org", f"lambo challenge {options} {names[0]} {names[1]} {PASSWORD}")
    client.send(f"{names[1]}@example.org", f"accept {client.number} {names[1]} {PASSWORD}")


def _flags(folder: Path, report: Report, chance: random.Random) -> None:
    """The daemon is dead: looks at the games in which time has ended, and puts another one in."""
    db = connect(folder / "db")
    _look(db, report)
    players = [row[0] for row in db.execute("SELECT id FROM player WHERE id > 0 ORDER BY id LIMIT 2").fetchall()]
    put(db, Preference(players[0], "autovacation", "off"))
    begun = int(time.time()) - clocks.SHORTEST - flags.GRACE + chance.randrange(-1, 3)
    number = FIRST_FLAG + report.kills
    offered = course.offered(number, RULES, (players[0], players[1]), begun, course.BOTH, clock="1h")
    put(db, course.begun(offered, 1, begun))
    db.close()


def _look(db: Database, report: Report) -> int:
    """Every flag has two letters or has not fallen; the number of those that have not."""
    rows = db.execute(FLAGS, (FIRST_FLAG,)).fetchall()
    for board, state, letters in rows:
        if letters != (2 if state == "over" else 0):
            report.troubles.append(f"board {board} is {state} and has {letters} letters")
    report.flags = sum(state == "over" for _, state, _ in rows)
    return len(rows) - report.flags


def _await_flags(folder: Path, report: Report) -> None:
    """The daemon runs: waits until no flag is left to fall."""
    db = connect(folder / "db", readonly=True)
    for _ in range(int(PATIENCE * 10)):
        if not _look(db, report):
            break
        time.sleep(0.1)
    else:
        report.troubles.append("a flag does not fall")
    db.close()


def _judge(folder: Path, players: list[Client], report: Report) -> None:
    db = sqlite3.connect(folder / "db")
    if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        report.troubles.append("the database is damaged")
    for client in players:
        report.acknowledged += len(client.ledger)
        rows = db.execute("SELECT ply, text FROM move WHERE game = ? ORDER BY ply", (client.number,)).fetchall()
        if [row[0] for row in rows] != list(range(1, len(rows) + 1)):
            report.troubles.append(f"board {client.number} has a gap")
        sql = "SELECT clock, flag_at IS NULL, state = 'running' FROM game WHERE id = ?"
        if (game := db.execute(sql, (client.number,)).fetchone())[0] != CLOCK or game[1] == game[2]:
            report.troubles.append(f"board {client.number} has lost its clock")
        if [row[1] for row in rows] != client.ledger:
            report.troubles.append(f"board {client.number} is not what was acknowledged")
    if aside := db.execute("SELECT count(*) FROM shunt").fetchone()[0]:
        report.troubles.append(f"{aside} mails were set aside")
    sent = db.execute("SELECT count(*) FROM outbox WHERE state = 'sent'").fetchone()[0]
    db.close()
    contents: dict[str, bytes] = {}
    for client in players:
        for letter in "ab":
            for path in maildir.letters(folder / "mail", f"p{client.number}{letter}@example.org"):
                raw = path.read_bytes()
                number = str(message_from_bytes(raw)["Message-ID"])
                if contents.setdefault(number, raw) != raw:
                    report.troubles.append("one Message-ID came with two contents")
                report.letters += 1
    if len(contents) < sent:
        report.troubles.append(f"{sent} letters were sent, and only {len(contents)} arrived")


if __name__ == "__main__":
    with TemporaryDirectory() as where:
        found = crash(Path(where), int(sys.argv[1]) if len(sys.argv) > 1 else 300)
    print(found)
    sys.exit(bool(found.troubles))
