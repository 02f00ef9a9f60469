"""What `mailbot init` writes: the files of config/, with an operator's own values in the place of their examples.

The files hold example values that work as they stand, so they are documents and templates at once.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from mailbot.shell.config.load import parse
from mailbot.shell.config.shipped import shipped

SETTINGS = "mailbot.toml"
ONLY = {
    "mailbot.socket": "none",
    "mailbot_aliases": "mta",
    "mailbot_recipients": "mta",
    "mailbot_transport": "mta",
    "opendkim.conf": "mta",
    "opendkim.sh": "mta",
    "postfix.sh": "mta",
}
"""Files that are of use with one value of `[mail] front` only."""

Value = str | int | bool
Keys = dict[tuple[str, str], Value]
"""Settings by section and name."""


@dataclass(frozen=True, slots=True)
class Server:
    """What one server has of its own. `documents`: the folder of docs/install.md; `name`: before the @."""

    domain: str
    host: str
    operator: str
    front: str
    state: Path
    program: Path
    documents: Path
    name: str = "mailbot"


EXAMPLE = Server(
    domain="games.example.org",
    host="mail.example.org",
    operator="you@example.org",
    front="mta",
    state=Path("/var/lib/mailbot"),
    program=Path("/opt/mailbot/.venv/bin/mailbot"),
    documents=Path("/opt/mailbot/docs"),
)
"""The values in the files of config/."""


def drafts(server: Server) -> dict[str, str]:
    """The files by their names. Raises ConfigError if the settings would not be read."""
    files = {
        path.name: _with_own_values(path.read_text(encoding="utf-8"), server)
        for path in sorted(shipped("config").iterdir())
        if path.suffix != ".md" and ONLY.get(path.name, server.front) == server.front
    }
    files[SETTINGS] = switched_on(files[SETTINGS], settings(server))
    parse(files[SETTINGS], SETTINGS)
    return files


def settings(server: Server) -> Keys:
    """The keys that are not at their defaults."""
    everywhere: Keys = {
        ("mail", "domain"): server.domain,
        ("mail", "front"): server.front,
        ("store", "path"): str(server.state / "mailbot.sqlite"),
        ("relay", "maildir"): str(server.state / "maildir"),
        ("operator", "address"): server.operator,
    }
    fronts: dict[str, Keys] = {
        "mta": {
            ("mail", "front_name"): server.host,
            ("relay", "host"): "127.0.0.1",
            ("relay", "starttls"): False,
        },
        "none": {("listen", "port"): 25},
    }
    named: Keys = {} if server.name == EXAMPLE.name else {("mail", "name"): server.name}
    return everywhere | named | fronts[server.front]


def switched_on(text: str, values: Keys) -> str:
    """The commented configuration, with these keys set where it explains them."""
    out, section, missing = [], "", dict(values)
    for line in text.splitlines():
        if header := re.fullmatch(r"\[(\w+)\]", line):
            section = header[1]
        key = re.match(r"#(\w+) = ", line)
        if key and (section, key[1]) in missing:
            line = f"{key[1]} = {json.dumps(missing.pop((section, key[1])))}"
        out.append(line)
    assert not missing, missing
    return "\n".join(out) + "\n"


def _with_own_values(text: str, server: Server) -> str:
    own = _names(server)
    names = _names(EXAMPLE)
    found = dict(zip(names, own, strict=True))
    return re.sub("|".join(map(re.escape, names)), lambda match: found[match[0]], text)


def _names(server: Server) -> list[str]:
    """The texts in the files that stand for this server."""
    where = (
        "StateDirectory=mailbot\nStateDirectoryMode=0700"  # systemd makes it, below /var/lib
        if server.state == EXAMPLE.state
        else f"ReadWritePaths={server.state}"
    )
    return [
        where,
        rf"/^{server.name}(\+",  # in the table of recipients
        server.domain,
        server.domain.replace(".", r"\."),
        server.host,
        server.host.replace(".", r"\."),
        server.operator,
        str(server.state),
        str(server.program),
        str(server.documents),
    ]
