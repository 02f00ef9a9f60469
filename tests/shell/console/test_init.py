"""`mailbot init`: what it writes is config/ with other names, and a server starts with it."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from mailbot.shell.config.drafts import EXAMPLE, ONLY, Server, drafts
from mailbot.shell.config.load import load
from mailbot.shell.console.cli import main
from mailbot.shell.console.init import HIDDEN
from mailbot.store.connection import connect
from mailbot.store.copies import copy_to
from mailbot.store.store import Store

ROOT = Path(__file__).parents[3]
OURS = Server(
    "spiele.test",
    "mx.test",
    "me@else.test",
    "mta",
    Path("/srv/spiele"),
    Path("/usr/bin/mailbot"),
    Path("/usr/share/doc"),
)


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, words)
    return done.exit_code, done.output


@pytest.mark.parametrize("front", ["mta", "none"])
def test_the_files_are_those_of_the_folder_config(front: str) -> None:
    """With the values of the examples they are the same to the byte, but for the keys that are set."""
    made = drafts(replace(EXAMPLE, front=front))
    for path in (ROOT / "config").iterdir():
        wanted = path.suffix != ".md" and ONLY.get(path.name, front) == front
        assert (path.name in made) == wanted, path.name
        if wanted and path.name != "mailbot.toml":
            assert made[path.name] == path.read_text(), path.name


def test_no_example_is_left() -> None:
    examples = re.compile(r"example\\?\.(?!net)\w+|/opt/mailbot|/var/lib/mailbot")
    for name, text in drafts(OURS).items():
        left = {line for line in text.splitlines() if examples.search(line)}
        assert all("victim.example" in line or "provider.example" in line for line in left), name


def test_each_value_reaches_its_place() -> None:
    made = drafts(OURS)
    unit = made["mailbot.service"]
    assert "ExecStart=/usr/bin/mailbot serve\n" in unit
    assert "WorkingDirectory=/srv/spiele\n" in unit
    assert "\nReadWritePaths=/srv/spiele\n" in unit and "StateDirectory=" not in unit
    assert "StateDirectory=mailbot\n" in drafts(replace(OURS, state=EXAMPLE.state))["mailbot.service"]
    for name in ("mailbot_aliases", "mailbot_recipients", "mailbot_transport"):
        patterns = re.findall(r"^#?/(\S+)/ ", made[name], re.MULTILINE)
        assert patterns
        for pattern in patterns:
            assert not re.search(pattern, "postmaster@spieleAtest") and not re.search(
                pattern, "abuse@games.example.org"
            )
        assert any(re.search(pattern, "postmaster@spiele.test") for pattern in patterns)


@pytest.mark.parametrize("script", [path.name for path in (ROOT / "config").glob("*.sh")])
def test_a_shell_can_read_the_programs(script: str) -> None:
    subprocess.run(["sh", "-n"], input=drafts(OURS)[script], text=True, check=True)


GIVEN = [
    (["--domain", "games.example.com"], "mta", "mail.games.example.com", "root@mail.games.example.com"),
    (["--domain", "Example.com"], "mta", "mail.example.com", "root@mail.example.com"),
    (["--domain", "g.a.org", "--host", "b.org", "--operator", "c@d.org"], "mta", "b.org", "c@d.org"),
    (["--domain", "g.a.org", "--front", "none"], "none", None, "root@mail.g.a.org"),
    (["--domain", "g.a.org", "--name", "Hex_games-2"], "mta", "mail.g.a.org", "root@mail.g.a.org"),
]


@pytest.mark.parametrize(("words", "front", "host", "operator"), GIVEN)
def test_the_configuration_is_in_order(
    words: list[str], front: str, host: str | None, operator: str, tmp_path: Path
) -> None:
    state, folder = tmp_path / "state", tmp_path / "a/b"
    code, said = run("init", str(folder), *words, "--state", str(state))
    assert code == 0, said
    config = load(folder / "mailbot.toml", {})
    assert (config.mail.front, config.mail.front_name, config.operator.address) == (front, host, operator)
    assert config.mail.domain == words[1].lower()
    assert config.mail.name == (words[3].lower() if "--name" in words else "mailbot")
    if front == "mta":
        table = (folder / "mailbot_recipients").read_text()
        patterns = re.findall(r"^/(\S+)/ ", table, re.MULTILINE)
        own = [config.mail.address, f"postmaster@{config.mail.domain}", f"bounce@{config.mail.domain}"]
        assert all(any(re.search(pattern, one) for pattern in patterns) for one in own), table
        assert "mailbot@" in own[0] or not any(re.search(one, f"mailbot@{config.mail.domain}") for one in patterns)
    assert (config.store.path, config.relay.maildir) == (state / "mailbot.sqlite", state / "maildir")
    code, said = run("--config", str(folder / "mailbot.toml"), "check-config")
    assert code == 0 and "in order" in said, said
    assert (folder / "mailbot.toml").read_text().count("\n# ") == (ROOT / "config/mailbot.toml").read_text().count(
        "\n# "
    )


def test_nothing_is_written_over(tmp_path: Path) -> None:
    kept = tmp_path / "mailbot.toml"
    kept.write_text("mine")
    code, said = run("init", str(tmp_path), "--domain", "games.example.com")
    assert (code, said) == (1, f"Error: {kept} exists already, so nothing is written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mailbot.toml"] and kept.read_text() == "mine"


ODD = ("a b", "100%d", 'a"', "a\nb")
BAD = [
    (["--domain", "games"], "must be a domain name"),
    (["--domain", "a';b.org"], "must be a domain name"),
    (["--domain", "g.a.org", "--host", "a b"], "must be a host name"),
    (["--domain", "g.a.org", "--operator", "me"], "must be one mail address"),
    (["--domain", "g.a.org", "--name", "a+b"], "must be 1 to 20 letters"),
    (["--domain", "g.a.org", "--name", "Postmaster"], "which have duties of their own"),
    (["--domain", "g.a.org", "--operator", "mailbot@g.a.org"], "mail would go in circles"),
    (["--domain", "g.a.org", "--operator", "me@g.a.org", "--front", "none"], "name one elsewhere"),
    (["--domain", "g.a.org", "--host", "g.a.org"], "give its name with --host"),
    *((["--domain", "g.a.org", "--state", f"/srv/{odd}"], "mean something else") for odd in ODD),
    (["--domain", "g.a.org", "--state", "/srv"], "is not for the database alone"),
    ([], "Missing option '--domain'"),
]


@pytest.mark.parametrize(("words", "why"), BAD)
def test_what_is_refused(words: list[str], why: str, tmp_path: Path) -> None:
    code, said = run("init", str(tmp_path / "new"), *words)
    assert code and why in said, said
    assert not (tmp_path / "new").exists()


def test_the_state_may_be_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An administrator runs it without sudo, and the folder of the database is the service's alone."""
    state, access = tmp_path / "state", os.access
    state.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != state and access(path, mode))
    code, said = run("init", str(tmp_path / "new"), "--domain", "games.example.com", "--state", str(state))
    assert code == 0, said


@pytest.mark.parametrize(("state", "seen"), [("/srv/mailbot", True), *((f"{place}/games", False) for place in HIDDEN)])
def test_it_says_when_the_unit_hides_the_state(state: str, seen: bool, tmp_path: Path) -> None:
    code, said = run("init", str(tmp_path / "new"), "--domain", "games.example.com", "--state", state)
    assert code == 0, said
    assert (f"note: the service cannot see {state}; choose another --state." in said) is not seen


def test_a_server_starts_with_it(tmp_path: Path) -> None:
    assert run("init", str(tmp_path / "new"), "--domain", "g.a.org", "--state", str(tmp_path / "state"))[0] == 0
    file = tmp_path / "new/mailbot.toml"
    text = file.read_text().replace("#port = 2525", "port = 0")  # others may use that one here
    file.write_text(text.replace("#workers = 1", "workers = 0"))
    said = f"from mailbot.shell.console.cli import main; main(['--config', '{file}', 'serve'])"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", said], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environ
    ) as daemon:
        assert daemon.stdout
        assert "players write to mailbot@g.a.org" in daemon.stdout.readline()
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(60) == 0
    assert (tmp_path / "state/mailbot.sqlite").exists()


def test_a_copy_that_is_written_over_the_database_of_a_running_server(tmp_path: Path) -> None:
    """The server ends and leaves it as it is: what SQLite still has of the former store does not go into it."""
    assert run("init", str(tmp_path / "new"), "--domain", "g.a.org", "--state", str(tmp_path / "state"))[0] == 0
    file, store = tmp_path / "new/mailbot.toml", tmp_path / "state/mailbot.sqlite"
    text = file.read_text().replace("#port = 2525", "port = 0")
    file.write_text(text.replace("#workers = 1", "workers = 0"))
    said = f"from mailbot.shell.console.cli import main; main(['--config', '{file}', 'serve'])"
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "WATCHDOG_USEC": "400000"}
    with subprocess.Popen(
        [sys.executable, "-c", said], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environ
    ) as daemon:
        assert daemon.stdout
        assert "players write to mailbot@g.a.org" in daemon.stdout.readline()
        live = connect(store, readonly=True)
        copy_to(live, tmp_path / "copy")
        live.close()
        octets = (tmp_path / "copy").read_bytes()
        store.write_bytes(octets)
        assert daemon.wait(60) == 1
    assert store.read_bytes() == octets
    store_ = Store.open(store, 1_800_000_000, b"k" * 32)
    assert store_.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert store.with_name("mailbot.sqlite-wal.former").exists()
    store_.close()


def test_the_guide_names_every_file() -> None:
    guide = (ROOT / "docs/install.md").read_text()
    for front in ("mta", "none"):
        assert [name for name in drafts(replace(EXAMPLE, front=front)) if f"`{name}`" not in guide] == []
