"""`mailbot check-config`: what it reports as wrong, and what cannot be judged before the first start."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from mailbot.shell.config import preflight as module
from mailbot.shell.config.load import ConfigError, parse
from mailbot.shell.config.opening import opened
from mailbot.shell.config.preflight import preflight
from tests.shell.test_control import cli

UNDER_SYSTEMD = {"CREDENTIALS_DIRECTORY": "/run/credentials/mailbot.service"}
CERTIFICATE = """
[listen]
tls_cert = "/run/credentials/mailbot.service/tls-cert"
tls_key = "/run/credentials/mailbot.service/tls-key"
"""


def judged(folder: Path, written: str, environ: dict[str, str] | None = None) -> list[str]:
    """The notes on a configuration whose store lies in the folder, if it says nothing else."""
    if "[store]" not in written:
        written += f'\n[store]\npath = "{folder}/db"\n'
    if "[relay]" not in written:
        written += f'\n[relay]\nmaildir = "{folder}/mail"\n'
    return preflight(parse(written, "f"), environ or {})


FLEET = """
[bots]
fleet = "tls://a.org:8786"
fleet_ca = "{folder}/ca"
fleet_cert = "{folder}/cert"
fleet_key = "{folder}/key"
"""

WRONG = [
    ('[relay]\nhost = "127.0.0.1"\nport = 2525', "[relay] host and port are where mailbot itself listens"),
    ('[relay]\nhost = "localhost"\nport = 2525', "[relay] host and port are where mailbot itself listens"),
    (
        '[listen]\nhost = "0.0.0.0"\nport = 25\n[relay]\nhost = "127.0.0.1"',
        "[relay] host and port are where mailbot itself listens",
    ),
    ('[listen]\nhost = "192.0.2.1"', "[listen] host is no address of this machine"),
    ('[listen]\nhost = "nowhere.invalid"', "[listen] host: the name cannot be resolved to an address"),
    ('[web]\nenabled = true\nhost = "192.0.2.1"', "[web] host is no address of this machine"),
    ('[metrics]\nlisten = "192.0.2.1:9464"\nanywhere = true', "[metrics] listen is no address of this machine"),
    ('[web]\nenabled = true\nhost = "nowhere.invalid"', "[web] host: the name cannot be resolved to an address"),
    (
        f'[store]\npath = "/{"a" * 102}"',
        "[store] path is too long: with .sock at its end it has 108 octets, and a socket can have 107",
    ),
    ('[store]\npath = "{folder}"', "[store] path is a folder; name the file in it, as in {folder}/mailbot.sqlite"),
    ('[store]\npath = "/dev/null"', "[store] path: /dev/null is no regular file"),
    ('[store]\npath = "{folder}/text"', "[store] path: {folder}/text is not a database of SQLite"),
    ('[store]\npath = "{folder}/file/db"', "[store] path: nothing can be written in {folder}/file"),
    ('[relay]\nmaildir = "{folder}/db"', "[relay] maildir: {folder}/db is where [store] path says the database is"),
    (
        '[relay]\nmaildir = "{folder}/db/mail"',
        "[relay] maildir: {folder}/db/mail is where [store]",
    ),
    ('[relay]\nmaildir = "{folder}/file"', "[relay] maildir: nothing can be written in {folder}/file"),
    ('[listen]\ntls_cert = "{folder}/c"\ntls_key = "{folder}/k"', "[listen] tls_cert and tls_key ("),
    (FLEET, "[bots] fleet_ca, fleet_cert and fleet_key ({folder}/ca, {folder}/cert, {folder}/key) cannot be read, or"),
    (
        '[relay]\nhost = "r.example.org"\nusername = "u"\npassword_file = "{folder}/none"',
        "[relay] the password cannot be read from {folder}/none",
    ),
]


@pytest.mark.parametrize(("written", "sentence"), WRONG)
def test_wrong(written: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: name)  # whatever is installed
    (tmp_path / "file").touch()
    (tmp_path / "text").write_text("[store]")
    with pytest.raises(ConfigError) as caught:
        judged(tmp_path, written.replace("{folder}", str(tmp_path)))
    assert str(caught.value).removeprefix("f: ").startswith(sentence.replace("{folder}", str(tmp_path)))


@pytest.mark.parametrize(
    ("name", "answer", "sentence"),
    [
        ("find_spec", None, "[bots] fleet is set, but Dask is not installed: install mailbot with its extra 'fleet'"),
        ("_readable", False, "[bots] fleet: Dask reads /proc/meminfo, and may not; a service needs ProcSubset=all"),
    ],
)
def test_a_machine_that_cannot_join_a_fleet(
    name: str, answer: object, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    monkeypatch.setattr(module, name, lambda _: answer)
    with pytest.raises(ConfigError) as caught:
        judged(tmp_path, FLEET.replace("{folder}", str(tmp_path)))
    assert str(caught.value).startswith(f"f: {sentence}")


FRONT = '[mail]\nfront = "mta"\n{more}\n[relay]\nhost = "127.0.0.1"'
FINE = [
    (FRONT.replace("{more}", ""), {}, ["[mail] front_name is not set: unless the mail server in front sends XCLIENT"]),
    (FRONT.replace("{more}", 'front_name = "mx.a.org"'), {}, []),
    (
        FRONT.replace("{more}", 'front_name = "mx.a.org"\nfront_peers = ["192.0.2.1"]'),
        {},
        ["[mail] front_peers leaves out this machine, where the mail server seems to be"],
    ),
    ('[mail]\nfront = "mta"\nfront_name = "a.b"\nfront_peers = []\n[relay]\nhost = "192.0.2.1"', {}, []),
    (FRONT.replace("{more}", "[listen]\nproxy_protocol = true"), {}, []),
    ('[limits]\nexempt = ["0.0.0.0/0", "10.0.0.0/8"]', {}, ["[limits] exempt has 0.0.0.0/0: whoever comes from that"]),
    ('[web]\nproxies = ["::/1"]', {}, ["[web] proxies has ::/1: whoever comes from that large network may name"]),
    ('[web]\nenabled = true\nhost = "0.0.0.0"\nurl = "http://localhost"', {}, ["[web] passwords that players type"]),
    ('[web]\nenabled = true\nurl = "http://nowhere.invalid"', {}, ["[web] passwords that players type on the page"]),
    ('[web]\nenabled = true\nhost = "0.0.0.0"\nurl = "https://nowhere.invalid"', {}, ["[web] proxies names only this"]),
    (
        '[web]\nenabled = true\nhost = "0.0.0.0"\nurl = "https://nowhere.invalid"\nproxies = ["10.88.0.0/16"]',
        {},
        [],
    ),
    ('[web]\nenabled = true\nurl = "https://nowhere.invalid"', {}, []),
    ('[web]\nenabled = true\nurl = "http://localhost:8025"', {}, []),
    ('[web]\nenabled = true\nhost = "::1"', {}, []),
    ('[web]\nhost = "0.0.0.0"', {}, []),
    ('[mail]\nfront_peers = ["64.0.0.0/2"]', {}, ["[mail] front_peers has 64.0.0.0/2: whoever comes from that"]),
    ("", {}, []),
    (
        '[mail]\ndomain = "a.org"\nfront = "mta"\nfront_name = "mx.a.org"\n[listen]\nhost = "0.0.0.0"\n'
        '[relay]\nhost = "192.0.2.1"',
        {},
        ["[mail] front_peers names only this machine, and [listen] host is 0.0.0.0: if the mail server"],
    ),
    (
        '[mail]\ndomain = "a.org"\nfront = "mta"\nfront_name = "mx.a.org"\nfront_peers = ["192.0.2.1"]\n'
        '[listen]\nhost = "0.0.0.0"\n[relay]\nhost = "192.0.2.1"',
        {},
        [],
    ),
    ('[relay]\nhost = "127.0.0.1"', {}, []),
    ('[relay]\nhost = "nowhere.invalid"\nport = 2525', {}, []),
    ('[listen]\nhost = "0.0.0.0"\nport = 25\n[relay]\nhost = "192.0.2.1"', {}, []),
    (
        '[mail]\ndomain = "a.org"\nfront = "mta"\nfront_name = "mx.a.org"\n[relay]\nhost = "127.0.0.1"\n'
        '[operator]\naddress = "ann@a.org"',
        {},
        ["[operator] address is at the server's own domain; the mail server in front must deliver it to you, and"],
    ),
    (
        '[mail]\ndomain = "a.org"\nfront = "mta"\nfront_name = "mx.a.org"\nformer_address = "mailbot@b.org"\n'
        '[relay]\nhost = "127.0.0.1"\n[operator]\naddress = "ann@b.org"',
        {},
        ["[operator] address is at the server's own domain; the mail server in front must deliver it to you, and"],
    ),
    (
        '[store]\npath = "{folder}/state/deep/db"',
        {},
        ["[store] path: the folder {folder}/state/deep does not exist yet; mailbot makes it at its first start"],
    ),
    (CERTIFICATE, {}, ["[listen] tls_cert and tls_key: systemd hands it to the service at its start, so it is not"]),
    (
        FLEET.replace("{folder}", "/run/credentials/mailbot.service"),
        {},
        ["[bots] fleet: systemd hands its certificates to the service at its start, so they are not checked now"],
    ),
    (
        '[relay]\nhost = "r.example.org"\nusername = "u"',
        {},
        ["[relay] the password for username: systemd hands it to the service at its start, so it is not"],
    ),
    (
        '[operator]\naddress = "ann@a.org"\npassword_file = "/run/credentials/mailbot.service/operator-password"',
        {},
        ["[operator] password_file: systemd hands it to the service at its start, so it is not"],
    ),
]


@pytest.mark.parametrize(("written", "environ", "notes"), FINE)
def test_fine_with_what_cannot_be_judged_yet(
    written: str, environ: dict[str, str], notes: list[str], tmp_path: Path
) -> None:
    (tmp_path / "mail").mkdir()
    said = judged(tmp_path, written.replace("{folder}", str(tmp_path)), environ)
    assert len(said) == len(notes), said
    assert all(
        one.startswith(note.replace("{folder}", str(tmp_path))) for one, note in zip(said, notes, strict=True)
    ), said


@pytest.mark.parametrize("written", [CERTIFICATE, '[relay]\nhost = "r.example.org"\nusername = "u"'])
def test_inside_the_service_a_missing_credential_is_wrong(written: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        judged(tmp_path, written, UNDER_SYSTEMD)


def test_before_the_first_start_the_folder_of_the_service_is_systemds_to_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    (note,) = judged(tmp_path, f'[relay]\nhost = "r.example.org"\n[store]\npath = "{tmp_path}/state/db"')
    assert note.endswith("does not exist yet; systemd makes it for the service (StateDirectory=), otherwise root must")
    with pytest.raises(ConfigError, match="nothing can be written in "):
        judged(tmp_path, '[relay]\nhost = "r.example.org"')


def test_a_folder_of_somebody_else_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, **_: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    config = parse(f'[store]\npath = "{tmp_path}/db"', "f")
    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(ConfigError, match=r"db cannot be looked at \(Permission denied\); are you the server's user\?"):
        preflight(config, {})


def test_a_database_that_cannot_be_read_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "db").touch()
    config = parse(f'[store]\npath = "{tmp_path}/db"', "f")
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ConfigError, match=r"db cannot be read \(Permission denied\); are you the server's user\?"):
        preflight(config, {})


def test_the_running_server_does_not_stand_in_the_way(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (tmp_path / "mail").mkdir()
        assert judged(tmp_path, f"[listen]\nport = {taken.getsockname()[1]}") == []


Places = Callable[[str], set[str]]


def test_a_name_with_several_addresses_is_one_of_ours_if_any_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: Places = {"relay.example.org": {"192.0.2.1", "127.0.0.1"}, "127.0.0.1": {"127.0.0.1"}}.__getitem__
    monkeypatch.setattr(module, "_addresses", places)
    with pytest.raises(ConfigError, match="letters would come back"):
        judged(tmp_path, '[relay]\nhost = "relay.example.org"\nport = 2525')


def test_the_command_knows_the_domain_of_the_store(tmp_path: Path) -> None:
    opened(parse('[mail]\ndomain = "play.example"', "f"), tmp_path / "db", 1_770_000_000).close()
    code, said = cli(tmp_path, "check-config")
    assert code == 1 and "belongs to the server of play.example" in said


def test_the_command_prints_the_notes_and_goes_on(tmp_path: Path) -> None:
    code, said = cli(tmp_path, "check-config")
    assert code == 0
    assert said.splitlines() == [
        f"note: [relay] maildir: the folder {tmp_path}/mail does not exist yet; mailbot makes it at its first start",
        f"{tmp_path}/mailbot.toml: in order. Players write to mailbot@mailbot.localhost.",
    ]
