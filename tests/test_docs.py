"""The documents are true: keys, sections and links exist, and no file names a place that only one machine has."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.hex.ascii import draw
from engine.hex.position import apply, replay
from engine.hex.variants import parse as parse_rules
from mailbot.core.commands import ROWS
from mailbot.shell.config.load import KEYS, parse
from mailbot.shell.console import cli

ROOT = Path(__file__).parents[1]
TREES = (".ci", "bench", "config", "debian", "docs", "engine", "mailbot", "templates", "tests")


def files() -> Iterator[Path]:
    """Every text that belongs to the project, without asking git: a downloaded archive is tested, too."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name not in (".coverage", ".git"))
    for tree in TREES:
        yield from (path for path in (ROOT / tree).rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def documents() -> list[Path]:
    return sorted(path for path in files() if path.suffix == ".md" and "templates" not in path.parts)


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


# ---- configuration


@pytest.mark.parametrize("section", sorted({key.section for key in KEYS}))
def test_the_install_guide_mentions_the_section(section: str) -> None:
    assert f"[{section}]" in (ROOT / "docs/install.md").read_text()


def test_the_toml_in_the_documents_can_be_used() -> None:
    """Whatever a document shows as configuration is read by the server as it stands."""
    shown = [
        (short(path), block)
        for path in documents()
        for block in re.findall(r"^```toml[^\n]*\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
    ]
    assert shown
    for name, block in shown:
        parse(block, name)


# ---- links


def anchors(text: str) -> set[str]:
    """The anchors of a Markdown text's headings, as code forges make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(text: str, home: Path, root: Path = ROOT) -> list[str]:
    """The links in a Markdown text that lead to no file below `root`, or to no heading of one."""
    out = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (home / name).resolve() if name else None
        there = path is None or (path.exists() and path.is_relative_to(root))
        if not there or (anchor and anchor not in anchors(path.read_text() if path else text)):
            out.append(target)
    return out


@pytest.mark.parametrize("path", documents(), ids=short)
def test_links_lead_somewhere(path: Path) -> None:
    assert not broken_links(path.read_text(), path.parent)


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("[a](LICENSE) [b](https://example.org/x) [c](docs/install.md) [d](docs/install.md#4-dns)", []),
        ("[a](LICENCE)", ["LICENCE"]),
        ("[a](../passwd)", ["../passwd"]),
        ("[a](docs/install.md#nowhere)", ["docs/install.md#nowhere"]),
        ("# A *b*, c\n[a](#a-b-c) [b](#b)", ["#b"]),
        ("```\n[a](nowhere)\n```\n[b](there)", ["there"]),
    ],
)
def test_the_link_checker(text: str, broken: list[str]) -> None:
    assert broken_links(text, ROOT) == broken


# ---- nothing of one machine, nobody's package registry

LOCAL = re.compile(
    r"(?<![\w.-])/(?:work|home|root|Users)/\w|/opt/wheels"
    r"|\bpypi\.org|\bpythonhosted\.org|\bnpmjs\.|\bcrates\.io"
    r"|--(?:extra-)?index-url\b|--find-links\b"
)


def local_names(text: str) -> list[str]:
    return [match[0] for match in LOCAL.finditer(text)]


@pytest.mark.parametrize("path", sorted(path for path in files() if path != Path(__file__)), ids=short)
def test_no_place_of_one_machine(path: Path) -> None:
    assert not local_names(path.read_bytes().decode("utf-8", "replace"))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("see /work/main/x and /home/ann/y", 2),
        ("https://files.pythonhosted.org/x", 1),
        ("pip --index-url x", 1),
        ("uv --no-emit-index-url", 0),
        ("/var/lib/mailbot /etc/mailbot.toml work/home/root", 0),
    ],
)
def test_the_finder_of_local_names(text: str, count: int) -> None:
    assert len(local_names(text)) == count


# ---- what a server installs is what was tested


def pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_the_lock_of_the_server_is_part_of_the_whole_lock() -> None:
    run, whole = pins("requirements.run.lock"), pins("requirements.lock")
    assert run.items() <= whole.items()
    assert "pytest" in whole.keys() - run.keys()


def test_the_locks_hold_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = {
        "requirements.run.lock": [*project["dependencies"], *extras["build"]],
        "requirements.lock": [*project["dependencies"], *(row for rows in extras.values() for row in rows)],
    }
    for lock, rows in asked.items():
        assert {re.split(r"[<>=\[; ]", row)[0] for row in rows} <= pins(lock).keys(), f"run `make lock`: {lock}"


def test_the_letter_of_the_readme_is_a_letter() -> None:
    """Its board is the one the engine draws, and the answer is a legal move there."""
    lines = [
        line.removeprefix("    ") for line in (ROOT / "README.md").read_text().split("\n") if line.startswith("    ")
    ]
    begin, end = lines.index("It is YOUR TURN: ply 4. Tiles left: 42 of 48."), lines.index("> b9,c10")
    position = replay(parse_rules("lambo"), ["a1", "c3,b2", "c8,b21"])
    assert [line for line in lines[begin + 1 : end] if line] == [line for line in draw(position).split("\n") if line]
    assert apply(position, "b9,c10").ply == 4
    assert position.left == 42


def test_every_command_stands_in_the_documents() -> None:
    """Players' commands in the README, the operator's in the guide."""
    readme, guide = (ROOT / "README.md").read_text(), (ROOT / "docs/install.md").read_text()
    assert [row.name for row in ROWS if not row.takes_over and row.name not in readme] == []
    assert [name for name in cli.main.commands if f"mailbot {name}" not in guide + readme] == []
    assert [name for name in cli.admin.commands if f"mailbot admin {name}" not in guide] == []


# ---- the installation: what was typed literally on Debian 12, under systemd

INSTALL, POSTFIX = ROOT / "docs/install.md", ROOT / "config/postfix.md"


def section(path: Path, heading: str) -> str:
    """The text from a heading to the next one of its rank or a higher one."""
    rank, _, text = path.read_text().partition(f"# {heading}\n")
    hashes = len(rank) - len(rank.rstrip("#")) + 1
    assert text, heading
    return re.split(rf"^#{{2,{hashes}}} ", text, maxsplit=1, flags=re.MULTILINE)[0]


def typed(text: str) -> list[str]:
    """The commands and lines of a text's blocks, in order; those of configuration in TOML are left out."""
    blocks = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [
        line.split("  #")[0].rstrip()
        for kind, block in blocks
        if kind in ("", "sh", "conf")
        for line in block.splitlines()
    ]


def broken_tables(text: str) -> list[str]:
    """Rows of Markdown tables that a blank line parts from their head, or that have more or fewer cells than it."""
    out = []
    plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", plain, re.MULTILINE):
        rows = [re.sub(r"`[^`]*`", "", row).count("|") for row in table.splitlines()]
        lines = table.splitlines()
        if len(lines) < 2 or not re.fullmatch(r"[|: -]+", lines[1]):
            out.append(lines[0])
        out += [line for line, bars in zip(lines, rows, strict=True) if bars != rows[0]]
    return out


@pytest.mark.parametrize("path", documents(), ids=short)
def test_tables_hold_together(path: Path) -> None:
    assert not broken_tables(path.read_text())


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("| a | b |\n|---|---|\n| c | `d|e` |\n", []),
        ("| a | b |\n|---|---|\n\n| c | d |\n", ["| c | d |"]),
        ("| a | b |\n|---|---|\n| c |\n", ["| c |"]),
        ("```\n| drawn |\n```\n", []),
    ],
)
def test_the_table_checker(text: str, broken: list[str]) -> None:
    assert broken_tables(text) == broken


@pytest.mark.parametrize("unit", ["mailbot.service", "mailbot-backup.service"])
def test_every_setting_of_the_unit_is_explained(unit: str) -> None:
    """A comment stands over each, with no blank line between; six settings share one at the most."""
    service = (ROOT / "config" / unit).read_text().partition("[Service]")[2].partition("[Install]")[0]
    for paragraph in service.strip().split("\n\n"):
        since = 9
        for line in paragraph.splitlines():
            since = 0 if line.startswith("# ") else since + (not line.startswith("#"))
            assert since <= 6, line


def test_the_socket_is_enabled_and_never_started_by_hand() -> None:
    """systemd refuses to start a socket whose service runs; the service starts it, since the unit says RequiredBy."""
    commands = typed(section(INSTALL, "mailbot alone on port 25"))
    order = ["cp setup/mailbot.socket", "daemon-reload", "enable mailbot.socket", "restart mailbot"]
    assert [any(word in line for line in commands) for word in order] == [True] * 4
    found = [line for line in commands if any(word in line for word in order)]
    assert list(dict.fromkeys(next(word for word in order if word in line) for line in found)) == order
    assert not [line for line in commands if "--now" in line or re.search(r"\bstart mailbot.socket", line)]
    assert "RequiredBy=mailbot.service\n" in (ROOT / "config/mailbot.socket").read_text()


def test_an_upgrade_brings_the_unit_along() -> None:
    """And its backup has a name of its own each time: a file that is there is not written over."""
    commands = typed(section(INSTALL, "9. Upgrade"))
    order = ["make setup", "mailbot init", "$new/mailbot.service $new/", "daemon-reload", "restart mailbot"]
    assert [word for line in commands for word in order if word in line] == order
    assert [line for line in commands if "mailbot backup" in line and "$(date" in line]
    first = typed(section(INSTALL, "3. Configure"))
    assert [line for line in first if "setup/mailbot.service /etc/systemd/system/" in line]


def test_debians_own_restrictions_stay() -> None:
    """The snippet for Postfix sets none of what decides who may send through the machine."""
    script = (ROOT / "config/postfix.sh").read_text().splitlines()
    commands = [*typed(POSTFIX.read_text()), *script]
    assert len([line for line in script if "postconf -e" in line]) >= 7
    assert "postconf -e 'authorized_mailq_users = root, mailbot'" in map(str.strip, script), "the queue shows tokens"
    forbidden = r"postconf -e '?(mynetworks|smtpd_\w+_restrictions|mydestination|compatibility_level)\b"
    assert not [line for line in commands if re.search(forbidden, line)]
    assert "smtpd_relay_restrictions = permit_mynetworks permit_sasl_authenticated defer_unauth_destination" in commands


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("nginx", ["access_log off;", "location ~ ^/(turn|enter)/ {", "access_log off;", "error_log /dev/null;"]),
        ("Caddy", ['request>uri regexp "/(turn|enter)/.*" "/$1/"']),
    ],
)
def test_a_web_server_that_is_set_up_as_told_logs_no_link_of_a_letter(title: str, lines: list[str]) -> None:
    """Also while mailbot is down, when both complain about each request. `make operator` tries it with real ones."""
    commands = [line.strip() for line in typed(section(ROOT / "docs/web.md", title))]
    assert [line for line in commands if line in lines] == lines


FOREIGN = [
    ("Socket local:/run/opendkim/opendkim.sock", "", True),
    ("Domain games.example.org\nKeyFile  /etc/dkimkeys/games.private\n#Domain example.com", "smtpd_milters =", True),
    ("", "smtpd_milters = unix:opendkim/opendkim.sock\nnon_smtpd_milters = $smtpd_milters", True),
    ("Domain example.com", "", False),
    ("Domain games.example.org.uk", "", False),
    ("KeyTable refile:/etc/opendkim/keys", "", False),
    ("", "smtpd_milters = inet:127.0.0.1:11332", False),
    ("", "smtpd_milters = unix:opendkim/opendkim.sock, inet:127.0.0.1:11332", False),
]


@pytest.mark.parametrize(("opendkim", "postfix", "goes_on"), FOREIGN)
def test_opendkim_keeps_what_signs_other_mail(opendkim: str, postfix: str, goes_on: bool, tmp_path: Path) -> None:
    (tmp_path / "opendkim.conf").write_text(f"{opendkim}\n")
    (tmp_path / "main.cf").write_text(f"{postfix}\n" if postfix else "")
    (program := tmp_path / "postconf").write_text(f"#!/bin/sh\ncat {tmp_path}/main.cf\n")
    program.chmod(0o755)
    script = (ROOT / "config/opendkim.sh").read_text().replace("/etc/opendkim.conf", f"{tmp_path}/opendkim.conf")
    checks = script[script.index("others=") : script.index("if [ ! -e")]
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-euc", checks], env=path, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is goes_on
    assert goes_on or opendkim + postfix in done.stderr


def test_opendkim_has_its_folder_and_both_are_restarted() -> None:
    script = (ROOT / "config/opendkim.sh").read_text().splitlines()
    order = [
        "runuser -u opendkim -- opendkim-genkey",
        "install -d -o opendkim -g opendkim -m 750 /var/spool/postfix/opendkim",
        "adduser --quiet postfix opendkim",
        "opendkim.conf >>/etc/opendkim.conf",
        "postconf -e 'smtpd_milters = unix:opendkim/opendkim.sock'",
        "systemctl restart opendkim",
        "systemctl restart postfix",
    ]
    assert [word for line in script for word in order if word in line] == order
    lines = (ROOT / "config/opendkim.conf").read_text()
    assert re.search(r"^Socket +local:/var/spool/postfix/opendkim/opendkim.sock$", lines, re.MULTILINE)
    keys = re.search(r"sed -i -E '/\^\(([\w|]+)\)", "\n".join(script))
    assert keys
    assert keys[1].split("|") == re.findall(r"^(\w+) ", lines, re.MULTILINE), "each takes the place of Debian's line"


def test_what_the_log_of_the_mail_server_holds_is_said() -> None:
    text = section(POSTFIX, "What Postfix writes into its log")
    assert all(
        word in text for word in ("recipient", "reply tokens", "systemd-journal", "MaxRetentionSec", "header_checks")
    )


def test_what_doctor_counts_is_explained() -> None:
    """Each word by which `mailbot doctor` counts letters that do not leave."""
    assert "held back by a cap" in (ROOT / "mailbot/store/reports.py").read_text()
    assert "| `doctor`: letters held back by a cap |" in section(INSTALL, "6. Day to day")
