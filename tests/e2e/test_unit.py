"""The systemd unit: its lines are explained, and the daemon works under its filter."""

import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from email.message import EmailMessage
from itertools import islice
from pathlib import Path

import pytest

from engine.hex import notation, variants
from engine.hex.position import legal_moves, replay
from mailbot.shell.config.load import Config, load
from mailbot.shell.console import postman
from mailbot.store.connection import connect
from mailbot.store.reads import Reads
from mailbot.store.store import Store
from tests.e2e import confined
from tests.e2e.test_bots import children

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "config/mailbot.service"
LOADER = [sys.executable, str(ROOT / "tests/e2e/confined.py")]
ANN, PASSWORD = "ann@example.org", "correct-horse-1"
PATIENCE = 2000
"""Looks for a letter, of which there are 20 a second: a computer player may have to be compiled first."""
CODE = "from mailbot.shell.console.cli import main; main()"


def run(unit: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """A command under a unit's filter."""
    return subprocess.run([*LOADER, str(unit), *command], capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.fixture(scope="module")
def filters() -> None:
    """Skips where no filter can be set."""
    done = run(UNIT, "true")
    if done.returncode and (
        sys.platform != "linux" or "libseccomp" in done.stderr or done.returncode == confined.CANNOT
    ):
        pytest.skip(f"no seccomp here: {done.stderr.strip().splitlines()[-1]}")
    assert not done.returncode, done.stderr


# ---- the loader: what is refused, and how

PROBES = [
    ("os.setpriority(os.PRIO_PROCESS, 0, 10)", "allowed"),
    ("os.sched_setaffinity(0, {0})", "EPERM"),
    ("os.chroot('/')", "EPERM"),
    ("socket.socket(socket.AF_UNIX)", "allowed"),
    ("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", "EPERM"),
]
SAYS = """
import errno, os, socket
try:
    {probe}
    print("allowed")
except OSError as error:
    print(errno.errorcode[error.errno])
"""


@pytest.mark.parametrize(("probe", "outcome"), PROBES)
def test_what_the_unit_refuses(filters: None, probe: str, outcome: str) -> None:
    done = run(UNIT, sys.executable, "-c", SAYS.format(probe=probe))
    assert (done.stdout.strip(), done.returncode) == (outcome, 0), done.stderr


OURS = "SystemCallFilter=setpriority mbind\n"
WITHOUT = [(OURS, "EPERM", 0), (OURS + "SystemCallErrorNumber=EPERM\n", "", -signal.SIGSYS)]


@pytest.mark.parametrize(("left_out", "outcome", "status"), WITHOUT)
def test_what_the_lines_of_the_filter_are_for(
    filters: None, tmp_path: Path, left_out: str, outcome: str, status: int
) -> None:
    """Without a call that is needed it is refused; without an error number, too, the process dies of it."""
    unit = "".join(line for line in UNIT.read_text().splitlines(keepends=True) if line not in left_out.splitlines(True))
    assert len(UNIT.read_text()) - len(unit) == len(left_out)
    (tmp_path / "unit").write_text(unit)
    done = run(tmp_path / "unit", sys.executable, "-c", SAYS.format(probe=PROBES[0][0]))
    assert (done.stdout.strip(), done.returncode) == (outcome, status), done.stderr


def test_the_groups_are_those_of_debian_12() -> None:
    """The recorded groups are what systemd 252 says, where this is that systemd."""
    try:
        version = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("systemd is not installed")
    if not version.startswith("systemd 252 "):
        pytest.skip(f"another systemd: {version.splitlines()[0]}")
    for name, recorded in confined.groups(confined.GROUPS.read_text()).items():
        said = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
        assert [line.strip() for line in said.stdout.splitlines()[1:] if not line.strip().startswith("#")] == recorded


# ---- the daemon


class Server:
    """`mailbot serve` under the unit's filter, in a folder, and a mail program beside it."""

    def __init__(self, folder: Path) -> None:
        kept = Path(".pytest_cache/numba").absolute()  # compiled by earlier tests
        kept.mkdir(parents=True, exist_ok=True)
        (folder / "compiled").symlink_to(kept)
        self.file = folder / "mailbot.toml"
        self.file.write_text(
            f'[listen]\nport = 0\n[store]\npath = "{folder}/db"\n[relay]\nmaildir = "{folder}/mail"\n'
            "[bots]\nseconds = 2\n"
        )
        self.config = load(self.file, {})
        self.log = folder / "log"
        self.unit = UNIT
        self.cwd = ROOT
        self.port = 0
        self.page = ""

    def command(self, *words: str) -> list[str]:
        return [*LOADER, str(self.unit), sys.executable, "-c", CODE, "--config", str(self.file), *words]

    def run(self, *words: str) -> str:
        """What another command says, under the same filter."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False, cwd=self.cwd)
        assert not done.returncode, done.stderr
        return done.stdout

    @contextmanager
    def running(self) -> Iterator[int]:
        """Until it is told to stop, which it does in order; gives its process id."""
        with (
            self.log.open("a") as log,
            subprocess.Popen(
                self.command("serve"), stdout=subprocess.PIPE, stderr=log, text=True, cwd=self.cwd
            ) as daemon,
        ):
            assert daemon.stdout
            try:
                said = daemon.stdout.readline()
                assert "mailbot is ready" in said, self.log.read_text()
                self.page = daemon.stdout.readline().removeprefix("In a browser: ").strip()
                self.port = int(said.split(" port ")[1].split(",")[0])
                yield daemon.pid
                daemon.send_signal(signal.SIGTERM)
                assert daemon.wait(60) == 0, self.log.read_text()
            finally:
                daemon.kill()

    def letters(self) -> list[EmailMessage]:
        return postman.letters(self.config.relay.maildir, ANN)

    def command_by_mail(self, subject: str, awaited: str = "") -> str:
        return self._sent(postman.write(ANN, self.config.mail.address, subject, "", datetime.now(UTC)), awaited)

    def answer(self, text: str, awaited: str = "") -> str:
        newest = [letter for letter in self.letters() if letter["Reply-To"]][-1]
        return self._sent(postman.answer(newest, ANN, text, datetime.now(UTC)), awaited)

    def _sent(self, mail: EmailMessage, awaited: str) -> str:
        """Sends, and waits for a letter with these words."""
        before = len(self.letters())
        postman.send(mail, "127.0.0.1", self.port)
        for _ in range(PATIENCE):
            for letter in self.letters()[before:]:
                if awaited in postman.text(letter):
                    return postman.text(letter)
            time.sleep(0.05)
        raise AssertionError(f"no letter with {awaited!r}: {self.log.read_text()}")


def niceness(task: Path) -> int:
    """Of a process or thread, by its folder below /proc."""
    return int(task.joinpath("stat").read_text().rpartition(")")[2].split()[16])


def test_the_daemon_lives_under_the_filter_of_its_unit(filters: None, tmp_path: Path) -> None:
    """Sign-up, password, the move of a computer player, backup, restart: nothing is missed, and nobody dies."""
    server = Server(tmp_path)
    assert "in order" in server.run("check-config")
    with server.running() as pid:
        here = Path(f"/proc/{pid}")
        assert "Seccomp:\t2" in (here / "status").read_text()
        server.command_by_mail(f"signup ann {PASSWORD}")
        server.answer("yes")
        server.command_by_mail(f"mambo challenge uct1 ann -size=12 {PASSWORD}", "YOUR TURN")
        assert max(niceness(task) for task in (here / "task").iterdir()) >= 10, "passwords are checked behind the mails"
        [worker] = [Path(f"/proc/{child}") for child in children(pid) if "numba" in mapped(child)]
        assert niceness(worker) >= 10
        assert not re.search("numpy|numba|pandas", mapped(pid)), "the daemon itself has never loaded them"
        server.run("backup", str(tmp_path / "copy"))
    with closing(connect(tmp_path / "copy", readonly=True)) as db:
        [opening] = Reads(db).texts(1)
        game = Reads(db).game(1)
    assert game
    assert "refuses" not in server.log.read_text()
    # A restart, and a filter that has less than the unit's: the same is done, at the usual priority.
    server.unit = tmp_path / "poorer"
    server.unit.write_text(UNIT.read_text().replace(OURS, ""))
    with server.running():
        move = random.Random(1).choice(list(islice(legal_moves(replay(variants.parse(game.rules), [opening])), 100)))
        server.answer(notation.write_move(move), "ply 4")
        server.command_by_mail(f"resign 1 ann {PASSWORD}", "The game is over")
    for who in ("password checks", "computer players"):
        assert f"{who}: the system refuses a lower priority" in server.log.read_text()


def mapped(pid: int) -> str:
    """The files that a process has loaded."""
    return Path(f"/proc/{pid}/maps").read_text()


# ---- the backup


def test_a_backup_is_made_under_the_filter_of_its_unit(filters: None, tmp_path: Path) -> None:
    server = Server(tmp_path)
    Store.open(server.config.store.path, 1_770_000_000, b"k" * 32).close()
    server.unit = ROOT / "config/mailbot-backup.service"
    unit = server.unit.read_text()
    [command] = re.findall(
        r"^ExecStart=/opt/mailbot/.venv/bin/mailbot (.*)/var/lib/mailbot/backups$", unit, re.MULTILINE
    )
    assert "Kept: 1, deleted: 0." in server.run(*command.split(), str(tmp_path / "backups"))


WALLS = re.compile(
    r"Protect\w+|Private\w+|Restrict\w+|SystemCall\w+|NoNewPrivileges|CapabilityBoundingSet|UMask|ProcSubset|RemoveIPC|LockPersonality|LimitCORE|MemorySwapMax|User"
)


def test_the_units_have_the_same_walls() -> None:
    """What the daemon may not do, its backup may not do either."""
    service, backup = (
        {(key, value) for key, value in confined.settings((ROOT / "config" / name).read_text()) if WALLS.fullmatch(key)}
        for name in ("mailbot.service", "mailbot-backup.service")
    )
    assert len(service) > 20
    assert {row for row in service - backup if row[0] not in ("SystemCallFilter", "RestrictAddressFamilies")} == set()
    assert ("PrivateNetwork", "yes") in confined.settings((ROOT / "config/mailbot-backup.service").read_text())


def test_the_unit_has_room_for_all_connections() -> None:
    """By default; each needs an open file."""
    unit, config = dict(confined.settings(UNIT.read_text())), Config()
    assert int(unit["LimitNOFILE"]) > 2 * (config.web.connections + config.limits.connections)


def test_the_timer_catches_up_and_is_not_punctual() -> None:
    timer = dict(confined.settings((ROOT / "config/mailbot-backup.timer").read_text()))
    assert (timer["Persistent"], timer["RandomizedDelaySec"], timer["WantedBy"]) == ("true", "45min", "timers.target")
