"""What an operator does with a server that is well: asks for its numbers, and moves it to another machine."""

import re
import shutil
from dataclasses import replace

from tests.prove.operating.documents import section
from tests.prove.operating.machines import until
from tests.prove.operating.trial import Trial, listening, new_machine, publish, well

INSTALLING = (
    ("docs/install.md", "Install"),
    ("docs/install.md", "Configure"),
    ("config/postfix.md", "Postfix: postfix.sh"),
)
LATER = ("sudo systemctl enable --now mailbot\n", "sudo -u mailbot mailbot doctor\n")
"""What is left out of these, since the import comes before the first start."""
EXPORTED = "var/lib/mailbot/everything.jsonl"
ASK = "python3 -c 'import urllib.request as ask; print(ask.urlopen(\"http://127.0.0.1:9464/metrics\").read().decode())'"


def metrics(trial: Trial) -> str:
    """The numbers for Prometheus, as docs/metrics.md says, in the sandbox of the unit."""
    for block in section("docs/metrics.md", "Metrics"):
        trial.switch_on(block)
    trial.ours.run("sudo -u mailbot mailbot check-config; systemctl reset-failed mailbot; systemctl restart mailbot")
    listening(trial)
    before = int(_number(trial, 'mailbot_mails_total{outcome="kept"}'))
    one = trial.people["eve"]
    one.up_to_date()
    one.write("help")  # without a proof, so it is kept, and answered in its turn
    one.next("help")
    until(lambda: _number(trial, 'mailbot_letters_total{outcome="sent"}') >= 1, "the letter to be counted")
    kept = int(_number(trial, 'mailbot_mails_total{outcome="kept"}'))
    assert kept == before + 1, (before, kept)
    well(trial)
    return "a mail and its letter are counted"


def _number(trial: Trial, name: str) -> float:
    """The value of a metric that Prometheus would read."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", trial.ours.run(ASK), re.MULTILINE)
    assert found, name
    return float(found[1])


def moving_house(trial: Trial) -> str:
    """To a fresh machine by export and import, as docs/install.md says; the games go on there."""
    leave, arrive = section("docs/install.md", "Moving house: export and import")
    game = trial.plays[-1]
    ann, bob = game.pair
    trial.type(leave)
    carried = trial.place / "everything.jsonl"
    shutil.copy(trial.ours.root / EXPORTED, carried)
    new_machine(trial, "third")
    for name, title in INSTALLING:
        for block in section(name, title):
            lines = block.text.splitlines(keepends=True)
            trial.type(replace(block, text="".join(line for line in lines if not line.startswith(LATER))))
    publish(trial)
    shutil.copy(carried, trial.ours.root / EXPORTED)
    trial.ours.run(f"chown mailbot: /{EXPORTED}")
    for one in (ann, bob):
        one.up_to_date()
    trial.type(arrive)
    listening(trial)
    well(trial)
    ann.next("boards? waits? for you")
    ann.write(f"lambo move {game.board} {ann.playing} {ann.password} {game.moves[4]}")
    bob.next(f"ann played {re.escape(game.moves[4])}")
    return "userids, passwords and boards are there; a player reads which boards wait, and plays on"
