"""Installing, upgrading, going back: with the documents' own commands."""

import re
from pathlib import Path

from tests.prove.operating.documents import ROOT, Block, blocks, section
from tests.prove.operating.games import SEED, begin_game, sign_up, turn
from tests.prove.operating.machines import Failed, Missing, host, until
from tests.prove.operating.trial import (
    OFFICE,
    Trial,
    expect,
    journal,
    listening,
    new_machine,
    publish,
    sick,
    well,
)

LAST = "aad3193"
"""The last release. Until there is one: a commit whose store and configuration are older than today's."""
LOCK = "requirements.run.lock"


OLD = {
    "docs/install.md": {"Install": [""], "Configure": ["/etc/mailbot.toml"]},
    "config/postfix.md": {
        "Postfix: /etc/postfix/main.cf": [""],
        "Postfix: three tables": [f"/etc/postfix/mailbot_{name}" for name in ("recipients", "aliases", "transport")],
        "Signing (DKIM)": ["", "/etc/opendkim.conf", ""],
    },
}
"""Its documents have no words behind their fences: what their first blocks under these headings are, in order. "" is
typed, the others are files."""


def former_lock(place: Path) -> list[Path]:
    """The lock of the last release as a file in this folder, if this clone has it."""
    try:
        text = host("git", "-C", str(ROOT), "show", f"{LAST}:{LOCK}")
    except Failed:
        return []
    (place / LOCK).write_text(text)
    return [place / LOCK]


def last_release(trial: Trial) -> str:
    """The last release, installed by its own documents; a game is begun."""
    git = ["git", f"--git-dir={trial.repository}"]
    try:
        host(*git, "cat-file", "-e", LAST)
    except Failed:
        raise Missing(f"this clone does not have {LAST}") from None
    new_machine(trial, "first")
    host(*git, "update-ref", "refs/heads/main", LAST)
    trial.ours.run("apt install postfix")
    for name, titles in OLD.items():
        found = blocks(host(*git, "show", f"{LAST}:{name}"))
        for title, paths in titles.items():
            here = [one.text for one in found if one.title == title]
            for text, path in zip(here, paths, strict=False):
                trial.type(Block(title, "" if path else "sh", path, text))
    publish(trial)
    trial.ours.run("postfix reload 2>&1")
    begin = [one.text for one in blocks(host(*git, "show", f"{LAST}:docs/install.md")) if one.title == "Configure"][1]
    trial.type(Block("Configure", "sh", "", begin))
    ann, bob = trial.person("ann@example.com"), trial.person("bob@example.net", OFFICE)
    for one in (ann, bob):
        sign_up(one)
    begin_game(trial, ann, bob, SEED)
    turn(trial, 0)
    turn(trial, 1)
    return f"commit {LAST}: two plies played, doctor well"


def upgrade(trial: Trial) -> str:
    """Upgrade by section 9 of docs/install.md."""
    if not trial.plays:
        raise Missing("no older release is installed")
    host("git", f"--git-dir={trial.repository}", "update-ref", "refs/heads/main", "refs/heads/now")
    for block in section("docs/install.md", "Upgrade"):
        trial.type(block)
    well(trial)
    for ply in range(2, 5):
        turn(trial, ply)
    expect(trial.ours.run("ls /var/lib/mailbot"), r"before-upgrade-.*\.sqlite")
    return "doctor well; letters of the old release can be answered, and the game goes on"


def downgrade(trial: Trial) -> str:
    """Back to the last release, by the backup that was made before."""
    back = f"cd /opt/mailbot; git checkout --quiet {LAST}; make setup"
    trial.ours.run(f"systemctl stop mailbot; {back}; systemctl start mailbot || true")
    until(lambda: "newer" in journal(trial), "the old version to refuse the newer store", 60)
    trial.ours.run("systemctl stop mailbot; systemctl reset-failed mailbot")
    restore(trial, "before-upgrade-*.sqlite")
    trial.ours.run("systemctl start mailbot")
    listening(trial)
    return "the old version refuses the newer store in one sentence; with the backup it starts"


def restore(trial: Trial, name: str) -> None:
    """Section 8 of docs/install.md up to the start: stop, copy, remove three files, put the copy in place."""
    trial.ours.run(
        "cd /var/lib/mailbot; systemctl stop 'mailbot.*'\n"
        f"install -o mailbot -g mailbot -m 600 {name} restored &&"
        " rm -f mailbot.sqlite mailbot.sqlite-wal mailbot.sqlite-shm && mv restored mailbot.sqlite"
    )


def install(trial: Trial) -> str:
    """A fresh machine: docs/install.md sections 2 and 3, and config/postfix.md, typed as they stand."""
    trial.people.clear()
    new_machine(trial, "second")
    *steps, last = [*section("docs/install.md", "Install"), *section("docs/install.md", "Configure")]
    for block in steps:
        trial.type(block)
    sick(trial, "relay")
    for block in (last, *section("config/postfix.md", "Postfix: postfix.sh")):
        trial.type(block)
    publish(trial)
    well(trial)
    token = "mailbot+p1-3-12-7-abcdefghijklmnopqrst@games.example.org"
    expect(trial.ours.run(f"postmap -q {token} regexp:/etc/postfix/mailbot_recipients"), "OK")
    expect(trial.ours.run("postconf smtpd_relay_restrictions"), "permit_mynetworks permit_sasl_auth.* defer_unauth")
    return "each command ended well; check-config and doctor: sick before Postfix is there, well after"


def mistake(trial: Trial) -> str:
    """A configuration with a mistake."""
    path = trial.ours.root / "etc/mailbot.toml"
    good = path.read_text()
    path.write_text(good + "\n[mail]\n")
    said = trial.ours.run("sudo -u mailbot mailbot check-config", code=1)
    trial.ours.run("systemctl restart mailbot", code=1)
    expect(journal(trial), re.escape(said.strip().splitlines()[-1]))
    trial.ours.run("sudo -u mailbot mailbot doctor", code=1)
    path.write_text(good)
    trial.ours.run("systemctl reset-failed mailbot; systemctl restart mailbot")
    listening(trial)
    well(trial)
    return f"the service does not start; check-config and the journal say: {said.strip().splitlines()[-1]}"
