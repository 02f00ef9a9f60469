"""What goes wrong with a machine, and the sandbox of the daemon."""

import re
import time
from pathlib import Path

from tests.prove.operating.documents import section
from tests.prove.operating.games import SEED, begin_game
from tests.prove.operating.installing import restore
from tests.prove.operating.internet import Browser
from tests.prove.operating.machines import host, until
from tests.prove.operating.paging import turn_link
from tests.prove.operating.trial import HOME, Trial, expect, journal, listening, sick, waiting, well


def postfix_down(trial: Trial) -> str:
    """Postfix is down for a while."""
    ann, bob, eve = (trial.people[name] for name in ("ann", "bob", "eve"))
    game = begin_game(trial, ann, bob, SEED)
    link = turn_link(ann.next("YOUR TURN: ply 1"))
    eve.up_to_date()
    trial.ours.run("systemctl stop postfix")
    eve.write("help")
    browser = Browser(HOME, trial.authority)
    assert browser.fill(browser.get(f"{link}?typed={game.moves[0]}"), link).status == 303
    troubled = sick(trial, "relay")
    until(lambda: waiting(trial.internet.machine), "the mail to wait at its provider")
    assert re.search(r"\bwaiting\b", trial.ours.run("sudo -u mailbot mailbot admin queue"))
    trial.ours.run("systemctl start postfix")
    trial.internet.hurry()
    bob.next(f"ann played {re.escape(game.moves[0])}", 200)
    bob.read -= 1
    ann.next(f"You played {re.escape(game.moves[0])}", 200)
    eve.next("help")
    well(trial)
    return f"mail waits at its provider, our letters in the outbox, all arrive; the doctor says: {troubled}"


def mailbot_down(trial: Trial) -> str:
    """Mailbot is down for a while."""
    game = trial.plays[-1]
    ann, bob = game.pair
    letter = bob.next("YOUR TURN: ply 2")
    trial.ours.run("systemctl stop mailbot")
    bob.answer(letter, game.moves[1])
    until(lambda: waiting(trial.ours), "the mail to wait in our Postfix")
    until(lambda: "deferred" in trial.ours.run("journalctl -u 'postfix*' -o cat -n 30 --no-pager"), "Postfix to try")
    troubled = sick(trial, "server")
    trial.ours.run("systemctl start mailbot; postqueue -f")
    ann.next(f"bob played {re.escape(game.moves[1])}")
    ann.read -= 1
    well(trial)
    return f"mail waits in our Postfix and is done afterwards, once; the doctor says: {troubled}"


def kill(trial: Trial) -> str:
    """Kill -9, three times, while sixteen people sign up."""
    people = [trial.person(f"p{number}@{('example.com', 'example.net')[number % 2]}") for number in range(16)]
    # Postfix tries again after seconds, not minutes: the one thing here that the documents do not say.
    quick = " ".join(f"'{name} = 5s'" for name in ("minimal_backoff_time", "maximal_backoff_time", "queue_run_delay"))
    trial.ours.run(f"postconf -e {quick}; postfix reload 2>&1; systemctl reset-failed mailbot")
    for number, one in enumerate(people):
        one.write(f"signup {one.playing} {one.password}")
        if number in (5, 11):
            listening(trial)
            trial.ours.run("systemctl kill --kill-whom=main --signal=KILL mailbot")
    for number, one in enumerate(people):
        one.answer(one.next(f"Confirm {one.playing}", 180), "yes")
        if number == 7:
            listening(trial)
            trial.ours.run("systemctl kill --kill-whom=main --signal=KILL mailbot")
    listening(trial)
    for one in people:
        one.next(f"Welcome, {one.playing}", 180)
    players = trial.ours.run("sudo -u mailbot mailbot admin players")
    for one in people:
        assert re.search(rf"\b{one.playing}\b", players), one.playing
        numbers = [str(letter["Message-ID"]) for letter in one.letters()]
        assert len(numbers) == 2 == len({*numbers}), (one.playing, len(numbers))
    assert "set aside" not in journal(trial)
    well(trial)
    return "systemd starts it again within seconds; each mail done once, each letter once"


def reboot(trial: Trial) -> str:
    """The machine is rebooted while a move is on its way."""
    game = trial.plays[-1]
    ann, bob = game.pair
    ann.answer(ann.next("YOUR TURN: ply 3"), game.moves[2])
    trial.ours.reboot()
    trial.internet.hurry()
    trial.ours.run("postqueue -f", code=None)
    letter = bob.next(f"ann played {re.escape(game.moves[2])}", 200)
    bob.read -= 1
    expect(" ".join(str(one) for one in letter.get_all("Authentication-Results", [])), "dkim=pass")
    listening(trial)
    well(trial)
    return "all services come back by themselves; the move is done once, its letter signed"


def backup(trial: Trial) -> str:
    """The backup of each night, and restore, as section 8 of docs/install.md says."""
    game = trial.plays[-1]
    ann, bob = game.pair
    for block in section("docs/install.md", "Backup and restore"):
        trial.type(block)
    timer = trial.ours.run("systemctl show --property=NextElapseUSecRealtime --value mailbot-backup.timer").split()
    assert "03:15:00" <= timer[2] <= "04:00:00", timer
    assert journal(trial, "mailbot-backup").count("checked") == 1, journal(trial, "mailbot-backup")
    old = bob.next("YOUR TURN: ply 4")
    bob.answer(old, game.moves[3])
    ann.next(f"bob played {re.escape(game.moves[3])}")
    restore(trial, "$(ls backups/mailbot-*.sqlite | tail -1)")
    trial.ours.run("systemctl reset-failed mailbot; systemctl start mailbot")
    listening(trial)
    said = trial.ours.run(f"sudo -u mailbot mailbot admin show {game.board}")
    assert game.moves[3] not in said, said
    letter = bob.next("boards? waits? for you")
    bob.answer(old, game.moves[3])
    bob.up_to_date()
    bob.write(f"lambo move {game.board} {bob.playing} {bob.password} {game.moves[3]}")
    ann.next(f"bob played {re.escape(game.moves[3])}")
    well(trial)
    return f"the boards are those of the backup; players read: {letter['Subject']}; an older letter has lost its power"


# ---- the sandbox


def sandbox(trial: Trial) -> str:
    """`systemd-analyze security`, and the system calls that the kernel refused."""
    said = trial.ours.run("systemd-analyze security --no-pager mailbot")
    found = re.search(r"exposure level for mailbot.service: ([\d.]+)", said)
    assert found and float(found[1]) < 2.0, said[-300:]
    user = trial.ours.run("id -u mailbot").strip()
    refused = [line for line in kernel(trial.begun) if f" uid={user} " in line and f" syscall={CLONE3} " not in line]
    assert not refused, f"{len(refused)} refused: {refused[:5]}"
    begun = time.time()
    unit = "-p SystemCallFilter=@system-service -p SystemCallFilter=~@resources -p SystemCallErrorNumber=EPERM"
    probe = "python3 -c 'import os; os.sched_setaffinity(0, {0})'"
    trial.ours.run(f"systemd-run --wait --pipe --quiet {unit} {probe}", code=None)
    assert any("python" in line for line in kernel(begun)), "the kernel's log does not show refused calls here"
    return f"exposure {found[1]}; none refused but clone3, for which clone serves (kernel's log; a probe shows in it)"


CLONE3 = 435
"""RestrictNamespaces= says of this call that the kernel has it not, so that the C library takes the older clone, whose
arguments a filter can read."""


def kernel(since: float) -> list[str]:
    """What the kernel said of system calls that a filter refused, since then."""
    up = float(Path("/proc/uptime").read_text().split()[0])
    begun = since - (time.time() - up)
    lines = [line for line in host("dmesg").splitlines() if re.match(r"\[ *\d", line)]
    lines = [line for line in lines if float(line[1:].split("]")[0]) >= begun]
    assert not [line for line in lines if "audit" in line and "suppressed" in line], "the kernel's log is not whole"
    return [line for line in lines if "type=1326" in line]
