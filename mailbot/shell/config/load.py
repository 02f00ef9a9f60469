"""Finds the configuration file, reads the settings, and says in one sentence what is wrong with it."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from engine.catalogue import Catalogue, Variant
from engine.errors import EngineError, Forbidden
from engine.families import CATALOGUE
from engine.hex.variants import parse as parse_rules
from engine.hex.variants import with_variants
from mailbot.core.commands import ROWS
from mailbot.shell.config.kinds import Kind, place
from mailbot.shell.config.settings import KEYS, SECTIONS, Config, RelaySection, VariantRow

__all__ = ["KEYS", "Config", "ConfigError", "RelaySection", "VariantRow", "load", "parse", "relay_password"]

SEARCH = (Path("mailbot.toml"), Path("/etc/mailbot.toml"))
"""Where we look for a file if neither `--config` nor $MAILBOT_CONFIG names one."""

LOOPBACK = ("127.0.0.1", "::1", "localhost")
ANYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not listened on


class ConfigError(ValueError):
    """The configuration cannot be used; `str(error)` is one sentence that names file, section and key.

    It does not repeat texts from the file: they may be addresses, or a password in the wrong place.
    """


def load(path: Path | None, environ: Mapping[str, str], search: Sequence[Path] = SEARCH) -> Config:
    """The settings from `path`, else from $MAILBOT_CONFIG, else from the first readable file of `search`, else the
    defaults.

    Raises ConfigError, also if the files of `search` exist but none can be read. This reads only the file itself:
    whether a certificate exists shows where it is used.
    """
    named = environ.get("MAILBOT_CONFIG")
    there = [] if path or named else [place for place in search if _counts(place)]
    readable = (place for place in there if os.access(place, os.R_OK))
    chosen = path or (Path(named) if named else next(readable, there[0] if there else None))
    if chosen is None:
        return Config()
    try:
        return parse(chosen.read_bytes().decode(), str(chosen))
    except OSError as error:
        raise ConfigError(f"{chosen}: the file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{chosen}: the file is not UTF-8 text") from None


def _counts(path: Path) -> bool:
    """Whether this is a file that counts: not in a folder that we may not read, such as the home of the user of sudo,
    and put there by root or by us. Somebody else's file in /tmp would decide what code root runs."""
    try:
        folder, owner = path.absolute().parent.stat(), path.lstat().st_uid
        only_root = folder.st_uid == 0 and not folder.st_mode & 0o022
        return path.is_file() and (owner in (0, os.geteuid()) or only_root)
    except OSError:
        return False


def parse(written: str, source: str) -> Config:
    """The settings in a TOML text; its errors begin with `source`."""
    try:
        table = tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: {_not_toml(str(error))}") from None
    sections: dict[str, Any] = {}
    for name, value in table.items():
        if name == "variants":
            sections[name] = _variants(value, source)
        elif name not in SECTIONS:
            raise ConfigError(f"{source}: {_no_section(name, value)}")
        elif not isinstance(value, dict):
            raise ConfigError(f"{source}: {name} is a section; write [{name}] on a line of its own and its keys below")
        else:
            sections[name] = _section(SECTIONS[name], value, f"{source}: [{name}]")
    config = Config(**sections, source=source)
    _check_together(config)
    return config


COMMANDS = frozenset(word for row in ROWS for said in (row.name, *row.aliases) for word in said.split())
"""The words of commands: a line that begins with the name of a variant is about a game."""


def catalogue_of(config: Config) -> Catalogue:
    """The built-in games and variants, and those of the `[[variants]]` tables. Raises ConfigError naming the key."""
    catalogue = CATALOGUE
    for row in config.variants:
        key = "game"
        try:
            catalogue.game(row.game)
            key = "options"
            parse_rules(f"{row.game} {row.options}", catalogue)
            key = "description" if not row.description.strip() else "name"
            if row.name.lower() in COMMANDS:
                raise Forbidden(f"'{row.name}' is a command; choose another name")
            catalogue = with_variants([Variant(row.name, row.game, row.options, row.description, row.rated)], catalogue)
        except EngineError as error:
            raise ConfigError(f"{row.where} {key}: {error}") from None
    return catalogue


def relay_password(relay: RelaySection, environ: Mapping[str, str]) -> str | None:
    """The password for the relay: from `password_file`, else from systemd's credential `relay-password`, else None.

    It is read at start and passed on, so that no printed Config can hold it. Raises ConfigError.
    """
    if relay.username is None:
        return None
    credentials = environ.get("CREDENTIALS_DIRECTORY")
    path = relay.password_file or (Path(credentials, "relay-password") if credentials else None)
    if path is None:
        raise ConfigError("[relay] username is set, but neither password_file nor a relay-password credential is")
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"[relay] the password cannot be read from {path}") from None


def _not_toml(said: str) -> str:
    """tomllib's message, without any text that it quotes from the file."""
    found = re.search(r"\(at (.*)\)", said)
    place = f" at {found[1]}" if found else ""
    for section in SECTIONS:
        if said.startswith(f"Cannot declare ('{section}',) twice"):
            return f"[{section}] stands twice, again{place}; put its keys together under the first"
    return f"not TOML{place}"


def _section(of: type[Any], table: dict[str, object], where: str) -> Any:
    kinds: dict[str, Kind] = {f.name: f.metadata["kind"] for f in fields(of) if "kind" in f.metadata}
    values: dict[str, object] = {}
    for name, value in table.items():
        if name not in kinds:
            raise ConfigError(f"{where} has no key {_shown(name)}; {_nearest_key(name, kinds)}")
        try:
            values[name] = kinds[name].read(value)
        except ValueError:
            raise ConfigError(f"{where} {name} must be {kinds[name].wants}") from None
    return of(**values)


def _variants(tables: object, source: str) -> tuple[VariantRow, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError(f"{source}: variants are written as [[variants]], with two brackets, once for each")
    rows: list[VariantRow] = []
    for count, table in enumerate(tables, 1):
        where = f"{source}: [[variants]] number {count}"
        for name in ("name", "game", "options"):
            if name not in table:
                raise ConfigError(f"{where} has no {name}; a variant needs a name, a game and options")
        row = _section(VariantRow, table, where)
        if any(row.name == other.name for other in rows):
            raise ConfigError(f"{where} name is taken already by an earlier variant")
        rows.append(replace(row, where=where))
    return tuple(rows)


def _shown(name: str) -> str:
    return f"'{name}'" if re.fullmatch(r"[\w-]{1,40}", name) else "of that name"


def _nearest_key(name: str, kinds: Mapping[str, Kind]) -> str:
    homes = [f"[{key.section}]" for key in KEYS if key.name == name]
    near = get_close_matches(name.lower(), kinds, 1)
    if homes:
        return f"it belongs in {' or '.join(homes)}"
    return f"did you mean '{near[0]}'?" if near else f"its keys are {', '.join(kinds)}"


def _no_section(name: str, value: object) -> str:
    if not isinstance(value, dict | list):
        near = get_close_matches(name.lower(), [key.name for key in KEYS], 1)
        homes = " or ".join(f"[{key.section}]" for key in KEYS if near and key.name == near[0])
        belongs = f"did you mean '{near[0]}' in {homes}?" if near else "every key belongs in a section"
        return f"there is no key {_shown(name)} outside the sections; {belongs}"
    near = get_close_matches(name.lower(), [*SECTIONS, "variants"], 1)
    shown = f"[{name}]" if re.fullmatch(r"[\w-]{1,40}", name) else "of that name"
    return f"there is no section {shown}; " + (
        f"did you mean [{near[0]}]?" if near else "the sections are " + ", ".join(f"[{s}]" for s in SECTIONS)
    )


def _is_loopback(listen: str | None) -> bool:
    """Whether only this machine can ask there."""
    host = place(listen)[0] if listen else "localhost"
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _port(listen: str | None) -> int:
    return place(listen)[1] if listen else 0


def _check_together(config: Config) -> None:
    """Raises ConfigError if keys that are each valid contradict one another."""
    mail, listen, relay, limits, web = config.mail, config.listen, config.relay, config.limits, config.web
    bots = config.bots
    hosts = {listen.host, web.host}
    answering = {"postmaster", "abuse", "bounce", *(one.partition("@")[0].lower() for one in mail.addresses)}
    local, _, domain = (config.operator.address or "").partition("@")
    wrong = (
        (
            mail.name in {"postmaster", "abuse", "bounce", "mailer-daemon"},
            "[mail] name must not be postmaster, abuse, bounce or mailer-daemon, which have duties of their own",
        ),
        (
            (listen.tls_cert is None) != (listen.tls_key is None),
            "[listen] tls_cert and tls_key are set both or neither",
        ),
        (
            bots.fleet is not None and None in (bots.fleet_ca, bots.fleet_cert, bots.fleet_key),
            "[bots] fleet needs fleet_ca, fleet_cert and fleet_key: machines know one another by their certificates",
        ),
        (relay.username is not None and relay.host is None, "[relay] username needs a host to log in to"),
        (
            relay.username is not None and not relay.starttls and relay.host not in LOOPBACK,
            "[relay] username needs starttls, or the password would travel in the clear",
        ),
        (limits.per_ip > limits.connections, "[limits] per_ip must not be more than connections"),
        *(
            (
                getattr(limits, f"{what}_per_hour") > getattr(limits, f"{what}_per_day"),
                f"[limits] {what}_per_hour must not be more than {what}_per_day",
            )
            for what in ("letters", "offers", "words")
        ),
        (
            not config.metrics.anywhere and not _is_loopback(config.metrics.listen),
            "[metrics] listen can be reached by other machines, and metrics have no password; if you mean that, set"
            " anywhere = true",
        ),
        (
            _port(config.metrics.listen) in {listen.port, web.port if web.enabled else listen.port} - {0},
            "[metrics] listen has the port of [listen] or [web]; choose another one",
        ),
        (
            mail.front == "mta" and relay.host is None,
            '[mail] front = "mta" needs a [relay] host: without one no letter leaves this machine',
        ),
        (
            domain.lower() in mail.domains and local.partition("+")[0].lower() in answering,
            "[operator] address is one the server itself answers, and mail would go in circles",
        ),
        (
            domain.lower() in mail.domains and mail.front == "none",
            "[operator] address is at the server's own domain, whose mail comes back to the server; name one elsewhere",
        ),
        (
            web.enabled and web.port == listen.port > 0 and (len(hosts) == 1 or bool(hosts & ANYWHERE)),
            "[web] port is the one of [listen], where the server takes mail",
        ),
        (
            web.enabled and web.host in ANYWHERE and web.url is None,
            f"[web] url is needed, because letters cannot link to {web.host}",
        ),
    )
    for is_wrong, sentence in wrong:
        if is_wrong:
            raise ConfigError(f"{config.source}: {sentence}")
