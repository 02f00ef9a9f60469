"""The configuration file: what is read from it, and the one sentence for each possible mistake in it."""

import os
import re
import tomllib
from pathlib import Path

import pytest

from mailbot.shell.config.load import KEYS, Config, ConfigError, RelaySection, VariantRow, load, parse, relay_password

EXAMPLE = Path(__file__).parents[3] / "config" / "mailbot.toml"
SWITCHED_OFF = re.compile(r"^#(?=[a-z_]+ = )", re.MULTILINE)


def switched_on() -> str:
    return SWITCHED_OFF.sub("", EXAMPLE.read_text())


# ---- the example file


def test_the_example_as_it_stands_is_the_defaults() -> None:
    assert load(EXAMPLE, {}) == Config()


def test_the_example_switched_on_is_the_defaults() -> None:
    assert parse(switched_on(), "example") == Config()


def test_the_example_names_exactly_the_keys_and_their_defaults() -> None:
    assert {
        (section, name): value for section, keys in tomllib.loads(switched_on()).items() for name, value in keys.items()
    } == {(key.section, key.name): key.default for key in KEYS}


def test_the_example_explains_every_key() -> None:
    lines = EXAMPLE.read_text().splitlines()
    for key in KEYS:
        (at,) = (
            n
            for n, line in enumerate(lines)
            if line.startswith(f"#{key.name} = ") and section_of(lines, n) == key.section
        )
        assert lines[at - 1].startswith("# "), f"{key.name} stands there without a word"


def section_of(lines: list[str], at: int) -> str:
    return [line for line in lines[:at] if line.startswith("[")][-1].strip("[]")


def test_the_example_variant_can_be_read() -> None:
    block = "\n".join(line[1:].strip() for line in EXAMPLE.read_text().splitlines() if line.startswith("#   ["))
    assert block == "[[variants]]"
    fields = re.findall(r"^#   (\w+ = .*)$", EXAMPLE.read_text(), re.MULTILINE)
    assert parse("[[variants]]\n" + "\n".join(fields), "f").variants == (
        VariantRow("tiny", "mambo", "-mamba -size=12", "Mamba for a lunch break", rated=True),
    )


# ---- what is read


def test_values_reach_their_place() -> None:
    config = parse(
        """
        [mail]
        domain = "Games.Example.ORG"
        name = "Lambo"
        front = "mta"
        [listen]
        host = "::"
        port = 25
        tls_cert = "/c.pem"
        tls_key = "/k.pem"
        [relay]
        host = "127.0.0.1"
        starttls = false
        [limits]
        exempt = ["10.0.0.0/8"]
        [operator]
        address = "ann@example.org"
        """,
        "f",
    )
    assert config.mail.address == "lambo@games.example.org"
    assert (config.mail.front, config.listen.host, config.listen.port) == ("mta", "::", 25)
    assert (config.listen.tls_cert, config.listen.tls_key) == (Path("/c.pem"), Path("/k.pem"))
    assert (config.relay.host, config.relay.starttls, config.relay.port) == ("127.0.0.1", False, 25)
    assert (config.limits.exempt, config.operator.address) == (("10.0.0.0/8",), "ann@example.org")
    assert config.store == Config().store


def test_variants_keep_their_order_and_know_their_place() -> None:
    row = '[[variants]]\nname = "{}"\ngame = "Lambo"\noptions = "-size=12"\n'
    rows = parse(row.format("Quick") + row.format("slow"), "f.toml").variants
    assert [(r.name, r.game, r.where) for r in rows] == [
        ("quick", "lambo", "f.toml: [[variants]] number 1"),
        ("slow", "lambo", "f.toml: [[variants]] number 2"),
    ]


# ---- what is refused: the text, and all of the sentence behind the file's name

VARIANT = '[[variants]]\nname = "quick"\ngame = "lambo"\noptions = "-size=12"\n'
REFUSED = [
    ("[mail]\ndomian = 'a.org'", "[mail] has no key 'domian'; did you mean 'domain'?"),
    (
        "[mail]\nPORT = 1",
        "[mail] has no key 'PORT'; its keys are domain, name, front, former_address, front_name, front_peers",
    ),
    ("[mail]\nmaildir = 'x'", "[mail] has no key 'maildir'; it belongs in [relay]"),
    ("[mail]\nport = 25", "[mail] has no key 'port'; it belongs in [listen] or [relay] or [web]"),
    ("[log]\npath = 'x'", "[log] has no key 'path'; it belongs in [store]"),
    ("[log]\n'hunter 2' = 1", "[log] has no key of that name; its keys are level"),
    ("[lisen]\nport = 1", "there is no section [lisen]; did you mean [listen]?"),
    (
        "[zzz]\nport = 1",
        "there is no section [zzz]; the sections are [mail], [listen], [store], [relay], [limits], [clock],"
        " [tournaments], [bots], [pictures], [web], [metrics], [operator], [log]",
    ),
    ("port = 1", "there is no key 'port' outside the sections; did you mean 'port' in [listen] or [relay] or [web]?"),
    ("zzz = 1", "there is no key 'zzz' outside the sections; every key belongs in a section"),
    ("mail = 'a@b.org'", "mail is a section; write [mail] on a line of its own and its keys below"),
    ("[[mail]]\nname = 'x'", "mail is a section; write [mail] on a line of its own and its keys below"),
    ("[listen]\nport = '25'", "[listen] port must be a whole number from 0 to 65535"),
    ("[listen]\nport = 65536", "[listen] port must be a whole number from 0 to 65535"),
    ("[listen]\nport = true", "[listen] port must be a whole number from 0 to 65535"),
    ("[listen]\nport = 25.0", "[listen] port must be a whole number from 0 to 65535"),
    ("[listen]\nhost = ''", "[listen] host must be a host name or an IP address"),
    ("[listen]\nhost = '127.0.0.1:25'", "[listen] host must be a host name or an IP address"),
    ("[listen]\nhost = '127.0.0.256'", "[listen] host must be a host name or an IP address"),
    ("[relay]\nstarttls = 'yes'", "[relay] starttls must be true or false"),
    ("[relay]\nstarttls = 1", "[relay] starttls must be true or false"),
    ("[relay]\nusername = 'two words'", '[relay] username must be a text without blanks, or "" for none'),
    ("[store]\npath = ''", "[store] path must be the path of a file or folder"),
    ('[store]\npath = "a\\u0000b"', "[store] path must be the path of a file or folder"),
    ("[mail]\nfront = 'postfix'", '[mail] front must be "none" or "mta"'),
    ("[mail]\nfront = ['mta']", '[mail] front must be "none" or "mta"'),
    *(
        (
            f"[bots]\nfleet = '{wrong}'",
            '[bots] fleet must be an address such as tls://scheduler.example.org:8786, or "" for none',
        )
        for wrong in ("tcp://a.org:8786", "a.org:8786", "tls://a.org", "tls://a.org:0", "tls://a.org:8786/", "tls://:1")
    ),
    (
        "[bots]\nfleet = 'tls://a.org:8786'\nfleet_ca = 'ca.pem'\nfleet_key = 'own.key'",
        "[bots] fleet needs fleet_ca, fleet_cert and fleet_key: machines know one another by their certificates",
    ),
    ("[log]\nlevel = 'INFO'", '[log] level must be "debug" or "info" or "warning" or "error"'),
    ("[mail]\ndomain = 'a b'", "[mail] domain must be a domain name such as games.example.org"),
    ("[mail]\ndomain = 'mailbot@a.org'", "[mail] domain must be a domain name such as games.example.org"),
    ("[mail]\ndomain = 5", "[mail] domain must be a domain name such as games.example.org"),
    ("[mail]\nname = 'a+b'", "[mail] name must be 1 to 20 letters, digits or - and _, a letter first"),
    ('[mail]\nname = "bot\\n"', "[mail] name must be 1 to 20 letters, digits or - and _, a letter first"),
    ("[operator]\naddress = 'ann'", '[operator] address must be one mail address, or "" for none'),
    ("[operator]\naddress = 'a@b.org, c@d.org'", '[operator] address must be one mail address, or "" for none'),
    (
        "[limits]\nexempt = '127.0.0.1'",
        '[limits] exempt must be a list of IP addresses or networks, such as ["127.0.0.0/8", "::1"]',
    ),
    (
        "[limits]\nexempt = [1]",
        '[limits] exempt must be a list of IP addresses or networks, such as ["127.0.0.0/8", "::1"]',
    ),
    (
        "[mail]\nname = 'Postmaster'",
        "[mail] name must not be postmaster, abuse, bounce or mailer-daemon, which have duties of their own",
    ),
    ("[listen]\ntls_cert = 'c'", "[listen] tls_cert and tls_key are set both or neither"),
    ("[relay]\nusername = 'u'", "[relay] username needs a host to log in to"),
    (
        "[relay]\nhost = 'r.example.org'\nusername = 'u'\nstarttls = false",
        "[relay] username needs starttls, or the password would travel in the clear",
    ),
    ("[limits]\nper_ip = 65", "[limits] per_ip must not be more than connections"),
    ("[limits]\nletters_per_hour = 61", "[limits] letters_per_hour must not be more than letters_per_day"),
    (
        "[mail]\ndomain='a.org'\n[operator]\naddress = 'Mailbot+x@A.org'",
        "[operator] address is one the server itself answers, and mail would go in circles",
    ),
    (
        "[mail]\ndomain='a.org'\nfront='mta'\nformer_address='games@b.org'\n[relay]\nhost='mx'\n"
        "[operator]\naddress='postmaster@b.org'",
        "[operator] address is one the server itself answers, and mail would go in circles",
    ),
    (
        "[mail]\ndomain='a.org'\n[operator]\naddress = 'ann@A.org'",
        "[operator] address is at the server's own domain, whose mail comes back to the server; name one elsewhere",
    ),
    (
        "[mail]\nfront='mta'\n[relay]\nmaildir='m'",
        '[mail] front = "mta" needs a [relay] host: without one no letter leaves this machine',
    ),
    (
        "[web]\nenabled=true\nport=2525",
        "[web] port is the one of [listen], where the server takes mail",
    ),
    (
        "[listen]\nport=8025\n[web]\nenabled=true\nhost='0.0.0.0'\nurl='http://a.org'",
        "[web] port is the one of [listen], where the server takes mail",
    ),
    ("[web]\nenabled=true\nhost='::'", "[web] url is needed, because letters cannot link to ::"),
    ("[variants]\nname = 'x'", "variants are written as [[variants]], with two brackets, once for each"),
    ("variants = ['x']", "variants are written as [[variants]], with two brackets, once for each"),
    (
        "[[variants]]\nname = 'x1'\ngame = 'lambo'",
        "[[variants]] number 1 has no options; a variant needs a name, a game and options",
    ),
    (
        VARIANT + "title = 'x'",
        "[[variants]] number 1 has no key 'title'; its keys are name, game, options, description, rated",
    ),
    (VARIANT + "descripton = 'x'", "[[variants]] number 1 has no key 'descripton'; did you mean 'description'?"),
    (
        VARIANT + "where = 'x'",
        "[[variants]] number 1 has no key 'where'; its keys are name, game, options, description, rated",
    ),
    (VARIANT + VARIANT, "[[variants]] number 2 name is taken already by an earlier variant"),
    (VARIANT.replace("quick", "-quick"), "[[variants]] number 1 name must be a word of letters, digits and _"),
    (VARIANT + 'description = "a\\nb"', "[[variants]] number 1 description must be one line of text"),
    ("[mail", "not TOML at end of document"),
    ("[mail]\n[mail]", "[mail] stands twice, again at line 2, column 6; put its keys together under the first"),
    ("[log]\n[mail]\n[log]", "[log] stands twice, again at line 3, column 5; put its keys together under the first"),
    ("[variants]\n[variants]", "not TOML at line 2, column 10"),
    ("['ann@example.org']\n['ann@example.org']", "not TOML at line 2, column 19"),
]


@pytest.mark.parametrize(("written", "sentence"), REFUSED)
def test_refused(written: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(written, "my.toml")
    assert str(caught.value) == "my.toml: " + sentence


def test_every_key_refuses_the_wrong_type() -> None:
    for key in KEYS:
        with pytest.raises(ConfigError, match=rf"^f: \[{key.section}\] {key.name} must be "):
            parse(f"[{key.section}]\n{key.name} = 2026-11-21", "f")


def test_every_misspelt_key_is_recognised() -> None:
    for key in KEYS:
        with pytest.raises(ConfigError, match=rf"did you mean '{key.name}'"):
            parse(f"[{key.section}]\n{key.name}x = 1", "f")


PATHS = ("path", "maildir", "tls_cert", "tls_key", "password_file", "fleet_ca", "fleet_cert", "fleet_key")


def test_errors_repeat_no_text_of_the_file() -> None:
    canary = "correct-horse battery"
    for key in KEYS:
        if key.name in PATHS or key.name == "directors":
            continue  # any text is a path, and these words may be userids
        with pytest.raises(ConfigError) as caught:
            parse(f"[{key.section}]\n{key.name} = '{canary}'", "f")
        assert "horse" not in str(caught.value)


def test_every_key_is_heeded() -> None:
    """A key that no module reads would be a lie to the operator."""
    shell = EXAMPLE.parents[1] / "mailbot"
    code = "".join(p.read_text() for p in shell.rglob("*.py") if p.name not in ("settings.py", "load.py"))
    # The two keys that are read in load.py; test_metrics.py tests what becomes of the second.
    code = code.replace("relay_password(", "relay.password_file(").replace(
        "metrics.listen", "metrics.listen metrics.anywhere"
    )
    assert [key.name for key in KEYS if not re.search(rf"\.{key.name}\b", code)] == []


# ---- which file counts


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    out = {name: tmp_path / f"{name}.toml" for name in ("option", "variable", "here", "etc")}
    for name, path in out.items():
        path.write_text(f"[mail]\nname = '{name}'\n")
    return out


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("option variable here etc", "option"),
        ("variable here etc", "variable"),
        ("here etc", "here"),
        ("etc", "etc"),
        ("", "mailbot"),
    ],
)
def test_order_of_the_files(files: dict[str, Path], tmp_path: Path, given: str, expected: str) -> None:
    there = given.split()
    for name in {"here", "etc"} - set(there):
        files[name].unlink()
    environ = {"MAILBOT_CONFIG": str(files["variable"])} if "variable" in there else {"MAILBOT_CONFIG": ""}
    config = load(files["option"] if "option" in there else None, environ, (files["here"], files["etc"]))
    assert config.mail.name == expected
    assert config.source == (str(tmp_path / f"{expected}.toml") if there else "embedded defaults")


def test_a_candidate_that_cannot_be_read_is_skipped(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root everything can be read, so what the system would say is put in its place."""
    (hidden := tmp_path / "home").mkdir()

    real = Path.stat

    def stat(path: Path, **more: bool) -> os.stat_result:
        if path.is_relative_to(hidden):
            raise PermissionError(13, "Permission denied")
        return real(path, **more)

    monkeypatch.setattr(Path, "stat", stat)
    assert load(None, {}, (hidden / "mailbot.toml", files["etc"])).mail.name == "etc"
    assert load(None, {}, (hidden / "mailbot.toml",)) == Config()
    monkeypatch.setattr(os, "access", lambda path, _: path != files["here"])
    assert load(None, {}, (files["here"], files["etc"])).mail.name == "etc"
    monkeypatch.setattr(Path, "read_bytes", lambda path: stat(hidden))
    with pytest.raises(ConfigError, match=r"here\.toml: the file cannot be read \(Permission denied\)"):
        load(None, {}, (files["here"],))  # and not the defaults, as if there were none


@pytest.mark.parametrize(
    ("owner", "folder", "mode", "counts"),
    [
        ("us", "us", 0o755, True),
        ("root", "us", 0o755, True),
        ("eve", "us", 0o755, False),
        ("eve", "root", 0o1777, False),
        ("eve", "root", 0o775, False),
        ("eve", "root", 0o755, True),  # only root can have let eve write there
        ("us", "eve", 0o755, True),
    ],
)
def test_a_candidate_of_somebody_else_is_skipped(
    owner: str, folder: str, mode: int, counts: bool, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could name a store of its owner's, with code in it that we would run."""
    who = {"us": 1000, "root": 0, "eve": 1001}
    here, real, real_link = files["here"], Path.stat, Path.lstat
    (here.parent).chmod(0o777)

    def stat(path: Path, **more: bool) -> os.stat_result:
        found = [*real(path, **more)]
        if path == here.parent:
            found[0], found[4] = found[0] & ~0o7777 | mode, who[folder]
        return os.stat_result(found)

    def lstat(path: Path) -> os.stat_result:
        found = [*real_link(path)]
        found[4] = who[owner] if path == here else 0
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(Path, "lstat", lstat)
    monkeypatch.setattr(os, "geteuid", lambda: who["us"])
    assert load(None, {}, (here, files["etc"])).mail.name == ("here" if counts else "etc")


@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_named_file_must_be_there(files: dict[str, Path], how: str) -> None:
    files[how].unlink()
    environ = {"MAILBOT_CONFIG": str(files["variable"])} if how == "variable" else {}
    with pytest.raises(ConfigError) as caught:
        load(files["option"] if how == "option" else None, environ, (files["here"],))
    assert str(caught.value) == f"{files[how]}: the file cannot be read (No such file or directory)"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (path := tmp_path / "x.toml").write_bytes(b"[mail]\nname = '\xff'")
    with pytest.raises(ConfigError, match=r"x\.toml: the file is not UTF-8 text$"):
        load(path, {})


# ---- the relay's password


def test_relay_password(tmp_path: Path) -> None:
    (tmp_path / "relay-password").write_text("from systemd\n")
    (named := tmp_path / "named").write_text("from file\n")
    credentials = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert relay_password(RelaySection(), credentials) is None
    assert relay_password(RelaySection(username="u"), credentials) == "from systemd"
    assert relay_password(RelaySection(username="u", password_file=named), credentials) == "from file"
    with pytest.raises(ConfigError, match="neither password_file nor a relay-password credential"):
        relay_password(RelaySection(username="u"), {})
    with pytest.raises(ConfigError, match="the password cannot be read from "):
        relay_password(RelaySection(username="u", password_file=tmp_path / "none"), credentials)


URLS = [
    ("https://games.example.org/", "https://games.example.org"),
    ("HTTPS://Games.Example.org:443", "https://games.example.org"),
    ("https://games.example.org:0443", "https://games.example.org"),
    ("http://games.example.org:80", "http://games.example.org"),
    ("http://games.example.org:443", "http://games.example.org:443"),
    ("http://games.example.org:08025", "http://games.example.org:8025"),
]


@pytest.mark.parametrize(("written", "url"), URLS)
def test_the_url_is_written_as_browsers_name_the_host(written: str, url: str) -> None:
    assert parse(f'[web]\nurl = "{written}"', "f").web.url == url


@pytest.mark.parametrize(
    "written", ["https://a.org:٤٤٣", "https://a.org:70000", "https://a.org/x", "a.org", "ftp://a.org"]
)
def test_no_url(written: str) -> None:
    with pytest.raises(ConfigError, match=r"\[web\] url must be an address such as"):
        parse(f'[web]\nurl = "{written}"', "f")
