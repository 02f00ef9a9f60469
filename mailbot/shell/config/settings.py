"""Every setting with its default: the values that the daemon runs on, with or without a configuration file.

The dataclasses are the whole truth: a field is a key, its default is the key's default, and its `Kind` says what the
value must be. `config/mailbot.toml` explains the keys to the operator; a test checks that the two agree.

In the file the empty text means "not set" (None here). Relative paths start at the working directory.
"""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from mailbot.core.caps import DEFAULTS
from mailbot.shell.config.kinds import (
    ADDRESS,
    CLOCK,
    DOMAIN,
    FLAG,
    FLEET,
    HOST,
    LOCAL_PART,
    NETWORKS,
    PATH,
    PLACE,
    URL,
    WORD,
    Kind,
    choice,
    lower,
    number,
    or_none,
    text,
)


def _key(default: object, kind: Kind) -> Any:
    return field(default=default, metadata={"kind": kind})


UNNAMED = "mailbot.localhost"
"""The domain of a server that has not been given one. .localhost never leaves a machine (RFC 6761 section 6.3), and has
the dot that some programs expect in a domain."""


@dataclass(frozen=True, slots=True)
class MailSection:
    """[mail] Who the server is."""

    domain: str = _key(UNNAMED, DOMAIN)
    name: str = _key("mailbot", LOCAL_PART)
    front: str = _key("none", choice("none", "mta"))
    former_address: str | None = _key(None, or_none(ADDRESS))
    front_name: str | None = _key(None, or_none(HOST))
    front_peers: tuple[str, ...] = _key(("127.0.0.0/8", "::1/128"), NETWORKS)

    @property
    def address(self) -> str:
        """The address that players write to."""
        return f"{self.name}@{self.domain}"

    @property
    def addresses(self) -> tuple[str, ...]:
        """This address, and the former one if there is one."""
        return (self.address, self.former_address) if self.former_address else (self.address,)

    @property
    def domains(self) -> frozenset[str]:
        """The domains of these addresses, in small letters."""
        return frozenset(one.rpartition("@")[2].lower() for one in self.addresses)


@dataclass(frozen=True, slots=True)
class ListenSection:
    """[listen] Where mail comes in. `port` 0 takes any free one."""

    host: str = _key("127.0.0.1", HOST)
    port: int = _key(2525, number(0, 65535))
    proxy_protocol: bool = _key(False, FLAG)
    tls_cert: Path | None = _key(None, or_none(PATH))
    tls_key: Path | None = _key(None, or_none(PATH))


@dataclass(frozen=True, slots=True)
class StoreSection:
    """[store] Where everything is stored."""

    path: Path = _key(Path("var/mailbot.sqlite"), PATH)


@dataclass(frozen=True, slots=True)
class RelaySection:
    """[relay] Where letters go out. Without a host they go into `maildir`. The password: `relay_password`."""

    host: str | None = _key(None, or_none(HOST))
    port: int = _key(25, number(1, 65535))
    starttls: bool = _key(True, FLAG)
    username: str | None = _key(None, or_none(WORD))
    password_file: Path | None = _key(None, or_none(PATH))
    maildir: Path = _key(Path("var/maildir"), PATH)


@dataclass(frozen=True, slots=True)
class LimitsSection:
    """[limits] How much is too much (S5 to S9, A6, A8, B6, P4). Sizes in bytes. mailbot.core.caps explains the keys
    from `letters_per_hour` on."""

    connections: int = _key(64, number(1, 10_000))
    per_ip: int = _key(8, number(1, 10_000))
    mails_per_minute: int = _key(30, number(0, 100_000))
    exempt: tuple[str, ...] = _key(("127.0.0.0/8", "::1/128"), NETWORKS)
    data_bytes: int = _key(1_048_576, number(65_536, 100_000_000))
    session_seconds: int = _key(900, number(300, 86_400))
    min_free_bytes: int = _key(100_000_000, number(0, 2**50))
    letters_per_hour: int = _key(DEFAULTS.letters_per_hour, number(1, 100_000))
    letters_per_day: int = _key(DEFAULTS.letters_per_day, number(1, 100_000))
    looks_per_hour: int = _key(DEFAULTS.looks_per_hour, number(1, 100_000))
    same_letters_per_day: int = _key(DEFAULTS.same_letters_per_day, number(1, 1000))
    warnings_per_day: int = _key(DEFAULTS.warnings_per_day, number(1, 1000))
    forgot_letters_per_hour: int = _key(DEFAULTS.forgot_letters_per_hour, number(1, 1000))
    forgot_letters_per_day: int = _key(DEFAULTS.forgot_letters_per_day, number(1, 1000))
    stranger_letters_per_day: int = _key(DEFAULTS.stranger_letters_per_day, number(1, 1000))
    stranger_letters_per_hour: int = _key(DEFAULTS.stranger_letters_per_hour, number(0, 100_000))
    source_percent: int = _key(DEFAULTS.source_percent, number(1, 100))
    domain_percent: int = _key(DEFAULTS.domain_percent, number(1, 100))
    consent_letters: int = _key(DEFAULTS.consent_letters, number(1, 1000))
    consent_days: int = _key(DEFAULTS.consent_days, number(1, 3650))
    offers_per_hour: int = _key(DEFAULTS.offers_per_hour, number(1, 100_000))
    offers_per_day: int = _key(DEFAULTS.offers_per_day, number(1, 100_000))
    words_per_hour: int = _key(DEFAULTS.words_per_hour, number(1, 100_000))
    words_per_day: int = _key(DEFAULTS.words_per_day, number(1, 100_000))
    broadcasts_per_day: int = _key(DEFAULTS.broadcasts_per_day, number(1, 100_000))
    pair_letters_per_hour: int = _key(DEFAULTS.pair_letters_per_hour, number(1, 100_000))
    pair_letters_per_day: int = _key(DEFAULTS.pair_letters_per_day, number(1, 100_000))
    boards_per_day: int = _key(DEFAULTS.boards_per_day, number(1, 100_000))
    operator_letters_per_hour: int = _key(DEFAULTS.operator_letters_per_hour, number(1, 100_000))
    waiting_bytes: int = _key(DEFAULTS.waiting_bytes, number(100_000, 1_000_000_000))
    list_lines: int = _key(DEFAULTS.list_lines, number(1, 1000))
    proved_list_lines: int = _key(DEFAULTS.proved_list_lines, number(1, 1000))


@dataclass(frozen=True, slots=True)
class ClockSection:
    """[clock] The time that players have. `default`: the terms of a game whose offer says nothing of it."""

    default: str = _key("normal", CLOCK)


@dataclass(frozen=True, slots=True)
class TournamentsSection:
    """[tournaments] `directors`: who may create them, core.world.World."""

    directors: str = _key(
        "players", text('"players", "operator", or userids with blanks between them', r"[A-Za-z0-9_. -]{1,2000}")
    )


@dataclass(frozen=True, slots=True)
class BotsSection:
    """[bots] The computer players. With `workers` 0 and no `fleet` there are none."""

    workers: int = _key(1, number(0, 64))
    seconds: int = _key(20, number(1, 600))
    fleet: str | None = _key(None, or_none(FLEET))
    fleet_ca: Path | None = _key(None, or_none(PATH))
    fleet_cert: Path | None = _key(None, or_none(PATH))
    fleet_key: Path | None = _key(None, or_none(PATH))


@dataclass(frozen=True, slots=True)
class PicturesSection:
    """[pictures] The pictures in letters. With `workers` 0 there are none."""

    workers: int = _key(1, number(0, 16))


@dataclass(frozen=True, slots=True)
class WebSection:
    """[web] The page for browsers. `url`: where players find it, without a slash at its end; None: the address that it
    listens on. `proxies` may say for whom they ask."""

    enabled: bool = _key(False, FLAG)
    host: str = _key("127.0.0.1", HOST)
    port: int = _key(8025, number(0, 65535))
    url: str | None = _key(None, or_none(URL))
    proxies: tuple[str, ...] = _key(("127.0.0.0/8", "::1/128"), NETWORKS)
    connections: int = _key(1000, number(1, 100_000))
    per_ip: int = _key(50, number(1, 10_000))
    requests_per_minute: int = _key(300, number(0, 100_000))


@dataclass(frozen=True, slots=True)
class MetricsSection:
    """[metrics] What Prometheus may ask, and where; None: nothing. `anywhere`: also where other machines could."""

    listen: str | None = _key(None, or_none(PLACE))
    anywhere: bool = _key(False, FLAG)


@dataclass(frozen=True, slots=True)
class OperatorSection:
    """[operator] The person who is told of trouble and, with a password, may give orders by mail."""

    address: str | None = _key(None, or_none(ADDRESS))
    password_file: Path | None = _key(None, or_none(PATH))


@dataclass(frozen=True, slots=True)
class LogSection:
    """[log] How much goes into the journal."""

    level: str = _key("info", choice("debug", "info", "warning", "error"))


@dataclass(frozen=True, slots=True)
class VariantRow:
    """A `[[variants]]` table: rules that the operator has named. The engine judges `game` and `options`."""

    name: str = _key("", lower(text("a word of letters, digits and _", r"[A-Za-z][A-Za-z0-9_]{1,19}")))
    game: str = _key("", lower(text("the name of a game", r"[A-Za-z]{1,20}")))
    options: str = _key("", text("a text such as -size=40 -swap", r"[ -~]{0,200}"))
    description: str = _key("", text("one line of text", r"[^\x00-\x1f\x7f]{0,200}"))
    rated: bool = _key(False, FLAG)
    where: str = field(default="", compare=False)
    """File and place, for the beginning of a sentence: `mailbot.toml: [[variants]] number 2`."""


@dataclass(frozen=True, slots=True)
class Config:
    """All settings; a server without a file runs on `Config()`. `source` says where they came from."""

    mail: MailSection = MailSection()
    listen: ListenSection = ListenSection()
    store: StoreSection = StoreSection()
    relay: RelaySection = RelaySection()
    limits: LimitsSection = LimitsSection()
    clock: ClockSection = ClockSection()
    tournaments: TournamentsSection = TournamentsSection()
    bots: BotsSection = BotsSection()
    pictures: PicturesSection = PicturesSection()
    web: WebSection = WebSection()
    metrics: MetricsSection = MetricsSection()
    operator: OperatorSection = OperatorSection()
    log: LogSection = LogSection()
    variants: tuple[VariantRow, ...] = ()
    source: str = field(default="embedded defaults", compare=False)


class Key(NamedTuple):
    """One setting as the operator sees it; `default` as it is written in the file."""

    section: str
    name: str
    default: str | int | list[str]
    wants: str


def _as_written(value: object) -> str | int | list[str]:
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, int) else "" if value is None else str(value)


SECTIONS: dict[str, type[Any]] = {
    f.name: type(f.default) for f in fields(Config) if f.name not in ("variants", "source")
}

KEYS: tuple[Key, ...] = tuple(
    Key(section, f.name, _as_written(f.default), f.metadata["kind"].wants)
    for section, of in SECTIONS.items()
    for f in fields(of)
)
