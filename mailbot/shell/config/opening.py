"""The store, opened as the configuration says: for the daemon, and for a command while the daemon is stopped."""

import secrets
from dataclasses import fields
from pathlib import Path

from mailbot.core.caps import Caps
from mailbot.core.games import clocks
from mailbot.shell.config.load import Config, ConfigError, catalogue_of
from mailbot.shell.config.settings import UNNAMED
from mailbot.store import pulse
from mailbot.store.reports import Database
from mailbot.store.store import Store


def caps_of(config: Config) -> Caps:
    """How many letters of each kind, from [limits]."""
    return Caps(**{field.name: getattr(config.limits, field.name) for field in fields(Caps)})


def backup_stamp(path: Path) -> Path:
    """The file beside the store whose time is that of the last good backup."""
    return path.with_name(f"{path.name}.backup")


def other_address(config: Config, db: Database) -> str:
    """What is wrong if the store has served another address than the settings name; or nothing. A slip of the pen there
    would make all mail that of nobody, which is dropped behind a mail server."""
    mail, path = config.mail, config.store.path
    before = pulse.served(db)
    before = before if not before or "@" in before else f"{mail.name}@{before}"
    domain = before.rpartition("@")[2]
    if domain in ("", UNNAMED) or before in (mail.address, mail.former_address):
        return ""
    if mail.domain == UNNAMED:
        return (
            f"{config.source}: [mail] domain is not set, and the database {path} belongs to the server of {domain};"
            " is this the right file?"
        )
    return (
        f"{config.source}: [mail] says {mail.address}, and the database {path} has served {before}; if that is right,"
        f' add to [mail]: former_address = "{before}"'
    )


def opened(config: Config, path: Path, now: int) -> Store:
    """The store at `path`. Raises what Store.open raises, and ConfigError where opening it would lose mail: there was a
    store, and it is gone; or it has served another address than the settings name."""
    stamp, there = backup_stamp(path), path.exists() and path.stat().st_size > 0
    if not there and stamp.exists():
        raise ConfigError(
            f"{config.source}: there is no database at {path}, though there have been backups of one: restore it"
            f" (docs/install.md), or delete {stamp} to begin anew"
        )
    others = [other for other in stamp.parent.glob("*.backup") if other != stamp and not other.stat().st_size]
    if not there and others:
        raise ConfigError(
            f"{config.source}: [store] path is {path}, where no database is, but there have been backups of another one"
            f" in this folder: {others[0].stem}; is it that? Else delete {others[0]}"
        )
    store = Store.open(
        path,
        now,
        secrets.token_bytes(32),
        caps_of(config),
        config.operator.address or "",
        catalogue_of(config),
        clocks.write(clocks.parse(config.clock.default)),
        config.tournaments.directors,
    )
    if said := other_address(config, store.db):
        store.close()
        raise ConfigError(said)
    if config.mail.address != pulse.served(store.db):
        store.begin()
        pulse.serves(store.db, config.mail.address)
        store.commit()
    return store
