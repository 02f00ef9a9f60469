"""Proof on the real thing: a Debian 12 with its systemd, Postfix and OpenDKIM, made by the documents' own commands.

    python -m tests.prove.operator          (root; `make operator`)

It boots machines (tests/prove/operating/machines.py), types what docs/install.md, config/postfix.md and docs/web.md say
(documents.py), and lets people with mailboxes elsewhere play (internet.py). What is tried is the
last commit of this checkout. It prints a table of what was tried and what came of it.
"""

import re
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.prove.operating import installing, living, machines, paging, playing, trouble
from tests.prove.operating.documents import ROOT, blocks
from tests.prove.operating.internet import MX, PACKAGES, Internet
from tests.prove.operating.machines import Machine, Missing, cannot, host
from tests.prove.operating.trial import GUESSERS, HOME, OFFICE, Row, Trial, Try

TRIES: tuple[Try, ...] = (
    installing.last_release,
    installing.upgrade,
    installing.downgrade,
    installing.install,
    installing.mistake,
    playing.help_letter,
    playing.sign_up_to_win,
    playing.smtputf8,
    playing.vacation,
    playing.delay_notice,
    playing.dead_mailbox,
    paging.nginx,
    paging.caddy,
    trouble.postfix_down,
    trouble.mailbot_down,
    trouble.kill,
    trouble.reboot,
    trouble.backup,
    living.metrics,
    trouble.sandbox,
    living.moving_house,
)
"""In this order; most need those before."""

TYPED = (
    ("docs/install.md", "Install"),
    ("docs/install.md", "Configure"),
    ("docs/install.md", "Backup and restore"),
    ("docs/install.md", "Moving house: export and import"),
    ("docs/install.md", "Upgrade"),
    ("docs/metrics.md", "Metrics"),
    ("docs/web.md", "Turning it on"),
    ("docs/web.md", "nginx"),
    ("docs/web.md", "Caddy"),
    ("config/postfix.md", "Postfix: postfix.sh"),
)
"""The sections of the documents that are typed."""
NOT_TRIED = {("docs/install.md", "mailbot alone on port 25"): "another kind of server"}
"""And those that are not, and why."""


def _repository(place: Path) -> Path:
    """A copy of this checkout's commits that the operator can clone: `now` is what is tried."""
    bare = place / "mailbot.git"
    host("git", "clone", "--quiet", "--bare", str(ROOT), str(bare))
    head = host("git", "-C", str(ROOT), "rev-parse", "HEAD").strip()
    for name in ("main", "now"):
        host("git", f"--git-dir={bare}", "update-ref", f"refs/heads/{name}", head)
    host("git", f"--git-dir={bare}", "symbolic-ref", "HEAD", "refs/heads/main")
    return bare


def packages() -> list[str]:
    """All that somebody will install."""
    texts = [(ROOT / name).read_text() for name in ("docs/install.md", "docs/web.md", "config/postfix.md")]
    typed = [one.text for text in texts for one in blocks(text) if one.typed]
    named = [word for text in typed for found in re.findall(r"apt install (.+)", text) for word in found.split()]
    return [*named, *PACKAGES, "nginx", "caddy", "sqlite3"]


def prove(only: Sequence[str]) -> list[Row]:
    """Tries everything, and prints each outcome as it comes."""
    place = machines.cache() / "run"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    lower = machines.base(packages())
    wheels = machines.wheels(ROOT / installing.LOCK, *installing.former_lock(place))
    machines.alone()
    machines.network("203.0.113.1/24", *(f"{one}/24" for one in (HOME, OFFICE, *GUESSERS.values())))
    world = Machine("mx.example.com", (f"{MX}/24",), place)
    world.make(lower, "127.0.0.1")
    world.boot()
    internet = Internet(world)
    internet.build()
    trial = Trial(place, lower, wheels, _repository(place), internet, world)
    for function in TRIES:
        if only and function.__name__ not in only:
            continue
        what, begun = " ".join(str(function.__doc__).split()).rstrip("."), time.monotonic()
        try:
            row = Row(what, function(trial), True)
        except Missing as reason:
            row = Row(what, f"skipped: {reason}", True)
        except Exception as error:  # whatever it is, the table tells it, and the other rows are tried
            row = Row(what, f"FAILED: {error}", False)
            traceback.print_exc(limit=-4)
        trial.rows.append(row)
        took = time.monotonic() - begun
        print(f"{'ok' if row.well else 'NO'} {took:5.0f} s  {what}: {row.outcome}", flush=True)
        if not row.well and function is installing.install:
            break
    for machine in (trial.ours, world):
        machine.halt()
    if all(row.well for row in trial.rows):
        shutil.rmtree(place, ignore_errors=True)
    return trial.rows


def in_a_process() -> str:
    """Runs the program as a process of its own, which leaves for namespaces of its own; what failed."""
    done = subprocess.run([sys.executable, "-m", "tests.prove.operator"], capture_output=True, text=True, cwd=ROOT)
    return done.stdout + done.stderr if done.returncode else ""


def main(words: Sequence[str]) -> int:
    """`words`: the names of the functions to run; without any all of them."""
    if reason := cannot():
        print(f"skipped: {reason}")
        return 0
    try:
        rows = prove(words)
    except Missing as reason:
        print(f"skipped: {reason}")
        return 0
    print("\n| what was tried | what came of it |\n|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.outcome} |")
    return not all(row.well for row in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
