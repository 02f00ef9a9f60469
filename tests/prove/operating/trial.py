"""What is tried on: the machine of the operator, the people, and what was found so far."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.prove.operating.documents import Block
from tests.prove.operating.internet import MX, Internet, Person
from tests.prove.operating.machines import Failed, Machine, host, until

OURS = "203.0.113.5"
HOME, OFFICE = "198.51.100.7", "198.51.100.8"
GUESSERS = {"nginx": "198.51.100.9", "caddy": "192.0.2.9"}
"""Networks of people. Guessing is counted for 256 addresses together, so each server in front has its own guesser."""
ADDRESS = "ADDRESS-OF-THIS-REPOSITORY"
HERE = "/var/tmp/here"
"""Remembers the folder in which the operator is."""
REPOSITORY = "/srv/mailbot.git"
CHANGED = {"/etc/opendkim.conf"}
"""Files in which the documents replace and add lines. Other files they give whole, or add a section to."""


@dataclass
class Row:
    """What was tried, and what came of it."""

    what: str
    outcome: str
    well: bool


@dataclass
class Play:
    """A game between two people that is played from a list of moves."""

    board: int
    pair: tuple[Person, Person]
    moves: list[str]


@dataclass
class Trial:
    """The machines, the people, and what was found so far."""

    place: Path
    """A folder for all that goes with the program."""
    lower: Path
    """The base of machines."""
    wheels: Path
    repository: Path
    internet: Internet
    ours: Machine
    rows: list[Row] = field(default_factory=list)
    people: dict[str, Person] = field(default_factory=dict)
    begun: float = field(default_factory=time.time)
    plays: list[Play] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    """Secrets of links that were opened: no log may have them."""
    authority: Path = Path()
    """Whose certificates browsers trust."""

    def person(self, address: str, network: str = HOME) -> Person:
        name = address.partition("@")[0]
        if name not in self.people:
            self.people[name] = Person(self.internet, address, network)
        return self.people[name]

    def type(self, block: Block, typed: str = "") -> None:
        """Types a block of a document, or writes the file that it shows."""
        if block.typed:
            self.ours.run(f"cd $(cat {HERE} 2>/dev/null || echo /root)\n{filled(block.text)}\npwd > {HERE}", typed)
            return
        path = self.ours.root / block.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = filled(block.text)
        if block.path in CHANGED:
            keys = {line.split()[0] for line in text.splitlines() if line and not line.startswith("#")}
            kept = [line for line in path.read_text().splitlines() if not line or line.split()[0] not in keys]
            text = "\n".join(kept) + "\n" + text
        path.write_text(text)

    def switch_on(self, block: Block) -> None:
        """Puts a section in place of that in the file which `mailbot init` wrote, where each key is switched off."""
        path = self.ours.root / block.path.lstrip("/")
        text = path.read_text()
        header = f"\n{block.text.splitlines()[0]}\n"
        assert text.count(header) == 1, header
        path.write_text(text.replace(header, f"\n{block.text}"))


Try = Callable[[Trial], str]
"""Tries what its docstring says, and returns what came of it; raises if that is not well."""


def filled(text: str) -> str:
    """A text of the documents with the placeholders of this operator. All other names are true in our internet."""
    return text.replace(ADDRESS, REPOSITORY)


def expect(said: str, *parts: str) -> None:
    """Each of these patterns is found in a text."""
    for part in parts:
        if not re.search(part, said):
            raise Failed(f"{part!r} is not in: {said.strip()[-600:]}")


def new_machine(trial: Trial, name: str) -> None:
    """A machine as a hosting company hands it over, with the operator's repository and packages within reach."""
    if trial.ours is not trial.internet.machine:
        trial.ours.halt()
    trial.ours = Machine("mail.example.org", (f"{OURS}/24",), trial.place / name)
    trial.ours.shared = {REPOSITORY: trial.repository, "/srv/wheels": trial.wheels}
    trial.ours.make(trial.lower, MX)
    root = trial.ours.root
    (root / "etc/pip.conf").write_text("[global]\nno-index = true\nfind-links = /srv/wheels\n")
    host("mkdir", "-p", str(root / "etc/letsencrypt/live"))
    for certificate in ("mail.example.org", "games.example.org"):
        _certificate(trial.place / "authority", root / "etc/letsencrypt/live" / certificate, certificate)
    trial.ours.boot()


def _certificate(authority: Path, folder: Path, name: str) -> None:
    """A certificate for a name where certbot puts one, from an authority of ours."""
    ssl = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30"]
    if not authority.exists():
        authority.mkdir()
        key, cert = f"{authority}/key.pem", f"{authority}/cert.pem"
        host(*ssl, "-subj", "/CN=authority", "-keyout", key, "-out", cert)
    folder.mkdir(parents=True)
    out = ["-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem"]
    signed = ["-CA", f"{authority}/cert.pem", "-CAkey", f"{authority}/key.pem", "-addext", f"subjectAltName=DNS:{name}"]
    host(*ssl, *signed, "-addext", "basicConstraints=CA:FALSE", "-subj", f"/CN={name}", *out)


def publish(trial: Trial) -> None:
    """The key of OpenDKIM, as it stands on the machine, goes into the DNS."""
    trial.internet.tell((trial.ours.root / "etc/dkimkeys/games.txt").read_text())


def _troubles(trial: Trial) -> dict[str, str]:
    """What the doctor says, by name. Its two forms and its exit code agree."""
    said = json.loads(trial.ours.run("sudo -u mailbot mailbot doctor --json", code=None).splitlines()[-1])
    text = trial.ours.run("sudo -u mailbot mailbot doctor", code=0 if said["well"] else 1)
    assert ("TROUBLE" in text) != said["well"], text
    return {one["what"]: one["said"] for one in said["troubles"]}


def well(trial: Trial) -> None:
    """check-config and the doctor find nothing."""
    if troubles := _troubles(trial):
        raise Failed(f"the doctor says: {troubles}")
    trial.ours.run("sudo -u mailbot mailbot check-config")


def sick(trial: Trial, what: str) -> str:
    """The doctor sees this trouble; what it says of it."""
    if what not in (troubles := _troubles(trial)):
        raise Failed(f"the doctor does not see that {what} is ill: {troubles}")
    return troubles[what]


def journal(trial: Trial, unit: str = "mailbot") -> str:
    return trial.ours.run(f"journalctl -u {unit} -o cat --no-pager", code=None)


def listening(trial: Trial) -> None:
    """Waits until mailbot is up."""
    until(lambda: trial.ours.run("systemctl is-active mailbot", code=None).strip() == "active", "mailbot to be up", 120)


def waiting(machine: Machine) -> list[str]:
    """The mails in the queue of a Postfix, one JSON object each."""
    return [line for line in machine.run("postqueue -j").splitlines() if line.strip()]
