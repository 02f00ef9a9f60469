"""Moves a second against the old server's way: Postfix with a pipe(8) script that makes each mail durable.

    sudo env PYTHONPATH=. .venv/bin/python bench/postfix.py [--mails 400] [--moves 4000] [--rounds 3]

Postfix runs as a separate instance in a temporary folder, on a port of 127.0.0.1, with no transport that leaves the
machine. It neither needs nor touches a system-wide instance. The same mails go over the same kept connections to both
servers in turn. When our server says 250, the move is done (judged, durably committed, two letters queued). The script
only stores the mail, and its rate counts up to the last row, not to the last 250: Postfix says 250 as soon as its queue
has the mail. There are two scripts; each stores the mail's text and sender:

    sqlite  Python, which starts without site-packages: one INSERT with SQLite's rollback journal, synchronous=FULL
    flat    Perl: a line at the end of a file, and fsync

It needs root, as Postfix does. If Postfix or root is missing, it says so and exits with 2.
"""

import argparse
import asyncio
import contextlib
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import games
from load import Mail, drive, running

ASKED = 15
USER = "nobody"  # pipe(8) runs nothing as root
PATIENCE = 120  # seconds without a new row

SQLITE = """\
import sqlite3, sys
text = sys.stdin.buffer.read()
db = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
db.execute("PRAGMA synchronous=FULL")
db.execute("BEGIN IMMEDIATE")
db.execute("INSERT INTO mail (sender, text) VALUES (?, ?)", (sys.argv[2], text))
db.execute("COMMIT")
"""

FLAT = """\
use Fcntl qw(:flock);
use IO::Handle;
local $/;
my $text = <STDIN>;
$text =~ s/\\n/\\\\n/g;
open(FILE, '>>', $ARGV[0]) && flock(FILE, LOCK_EX) or exit 75;
print(FILE "$ARGV[1] $text\\n") && FILE->flush && FILE->sync && close(FILE) or exit 75;
"""

MAIN = """\
compatibility_level = 3.6
config_directory = {folder}/etc
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log/mail.log
maillog_file_prefixes = {folder}/log
multi_instance_directories =
myhostname = bench.example
mydestination = sqlite.example, flat.example
inet_interfaces = loopback-only
inet_protocols = ipv4
local_recipient_maps =
local_transport = error:not here
default_transport = error:nothing leaves this machine
relay_transport = error:nothing leaves this machine
transport_maps = inline:{{ {routes} }}
smtpd_relay_restrictions = permit_auth_destination, reject
smtpd_peername_lookup = no
smtpd_client_connection_count_limit = 0
soft_bounce = yes
in_flow_delay = 0
default_destination_recipient_limit = 1
default_destination_concurrency_limit = {processes}
initial_destination_concurrency = {processes}
"""

# Without smtp, relay or lmtp, and without pickup: mail comes in by the port, and goes to a pipe or nowhere.
MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
"""


@dataclass(frozen=True)
class Script:
    """One way to keep a mail: its `command` (pipe(8) adds the sender), and how many there are by now."""

    name: str
    command: tuple[str, ...]
    rows: Callable[[], int]

    @property
    def domain(self) -> str:
        return f"{self.name}.example"


def scripts(folder: Path) -> list[Script]:
    """Those that can be run here, written into the folder, with what they fill made for USER."""
    kept, code = folder / "kept", folder / "scripts"
    kept.mkdir()
    code.mkdir()
    (code / "sqlite.py").write_text(SQLITE)
    (code / "flat.pl").write_text(FLAT)
    base, lines = kept / "mail.sqlite", kept / "mail.txt"
    with contextlib.closing(sqlite3.connect(base)) as db:
        db.execute("CREATE TABLE mail (id INTEGER PRIMARY KEY, sender TEXT NOT NULL, text BLOB NOT NULL)")
    lines.touch()
    for path in (kept, base, lines):
        shutil.chown(path, USER)

    def in_table() -> int:
        with contextlib.closing(sqlite3.connect(f"file:{base}?mode=ro", uri=True, timeout=60)) as db:
            return int(db.execute("SELECT count(*) FROM mail").fetchone()[0])

    found = []
    # The interpreter of an environment may lie where USER cannot go.
    for python in (shutil.which("python3", path="/usr/local/bin:/usr/bin"), os.path.realpath(sys.executable)):
        if python and runs(python, "-S", "-E", "-s", "-c", "import sqlite3"):
            found.append(Script("sqlite", (python, "-S", "-E", "-s", f"{code}/sqlite.py", str(base)), in_table))
            break
    perl = shutil.which("perl")
    if perl and runs(perl, "-MFcntl", "-MIO::Handle", "-e", "1"):
        found.append(Script("flat", (perl, f"{code}/flat.pl", str(lines)), lambda: lines.read_bytes().count(b"\n")))
    if not found:
        raise RuntimeError(f"{USER} can run neither a Python with sqlite3 nor Perl")
    return found


def runs(*words: str) -> bool:
    """Whether USER can run this."""
    group = pwd.getpwnam(USER).pw_gid
    with contextlib.suppress(OSError):
        done = subprocess.run(words, user=USER, group=group, extra_groups=[], check=False, capture_output=True)
        return done.returncode == 0
    return False


@contextlib.contextmanager
def postfix(program: str, folder: Path, ways: Sequence[Script], processes: int) -> Iterator[int]:
    """An instance of its own; gives its port. Each script has a domain, and so many processes."""
    for name in ("etc", "queue", "data", "log"):
        (folder / name).mkdir()
    shutil.chown(folder / "data", "postfix")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    routes = ", ".join(f"{{ {way.domain} = {way.name}: }}" for way in ways)
    main = MAIN.format(folder=folder, routes=routes, processes=processes)
    master = MASTER.format(port=port)
    for way in ways:
        master += f"{way.name} unix - n n - {processes} pipe user={USER} argv={' '.join(way.command)} ${{sender}}\n"
    (folder / "etc" / "main.cf").write_text(main)
    (folder / "etc" / "master.cf").write_text(master)
    tell = [program, "-c", f"{folder}/etc"]
    try:
        if subprocess.run([*tell, "start"], check=False, timeout=60).returncode:
            raise RuntimeError(f"Postfix does not start. {log(folder)}")
        yield port
    finally:
        if subprocess.run([*tell, "stop"], check=False, capture_output=True, timeout=60).returncode:
            subprocess.run([*tell, "abort"], check=False, capture_output=True, timeout=60)


def log(folder: Path) -> str:
    """The end of what Postfix wrote."""
    return "".join(path.read_text()[-2000:] for path in folder.glob("log/*"))


def deliver(port: int, way: Script, mails: Sequence[Mail], sessions: int, folder: Path) -> tuple[float, float]:
    """Mails a second into the queue, and, from the first one sent, until the last has its row."""
    todo = [replace(mail, to=f"{mail.to.partition('@')[0]}@{way.domain}") for mail in mails]
    rows = before = way.rows()
    begun = heard = time.perf_counter()
    queued = asyncio.run(drive(port, todo, sessions, True))
    while rows < before + len(mails):
        time.sleep(0.01)
        last, rows = rows, way.rows()
        if rows > last:
            heard = time.perf_counter()
        elif time.perf_counter() - heard > PATIENCE:
            raise RuntimeError(f"{way.name}: {before + len(mails) - rows} mails do not come. {log(folder)}")
    return queued.rate(), len(mails) / (time.perf_counter() - begun)


def compare(program: str, folder: Path, given: argparse.Namespace) -> None:
    path = folder / "moves.sqlite"
    games.fill(path, given.moves * (given.rounds + 1), 0)
    todo = [games.moves(path, 1 + turn * given.moves, given.moves) for turn in range(given.rounds + 1)]
    ways = scripts(folder)
    rates: dict[str, list[float]] = defaultdict(list)
    queue: dict[str, list[float]] = defaultdict(list)
    server = str(Path(__file__).with_name("moves.py"))
    with postfix(program, folder, ways, given.processes) as theirs, running(server, "ours", str(path)) as (ours, _):
        for mails in todo:  # the first round warms up
            rates["ours"].append(asyncio.run(drive(ours, mails, given.sessions, True)).rate())
            for way in ways:
                queued, rate = deliver(theirs, way, mails[: given.mails], given.sessions, folder)
                queue[way.name].append(queued)
                rates[way.name].append(rate)
    speed, queued_at = ({name: statistics.median(row[1:]) for name, row in rows.items()} for rows in (rates, queue))
    print(f"{given.sessions} kept connections, {given.processes} processes of pipe(8) at once:")
    print(f"  ours             {speed['ours']:6.0f} moves a second")
    for way in ways:
        print(
            f"  Postfix, {way.name:7} {speed[way.name]:6.0f} mails a second (into its queue "
            f"{queued_at[way.name]:.0f}); ratio {speed['ours'] / speed[way.name]:.1f}, asked {ASKED}"
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--mails", type=int, default=400, help="a round for each script")
    options.add_argument("--moves", type=int, default=4000, help="a round for ours")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--sessions", type=int, default=32)
    options.add_argument("--processes", type=int, default=8, help="scripts at once")
    given = options.parse_args()
    program = shutil.which("postfix", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None or os.geteuid():
        print("Not measured:", "Postfix needs root to start." if program else "Postfix is not installed.")
        sys.exit(2)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that Postfix is stopped then, too
    os.umask(0o022)  # Postfix's own users read what is written here
    with tempfile.TemporaryDirectory(prefix="mailbot-bench-") as name:
        Path(name).chmod(0o755)
        compare(program, Path(name), given)


if __name__ == "__main__":
    main()
