"""How the command line gets at the database: it reads for itself; what must be written goes to the running daemon over
its control socket, or is done here if none runs.
"""

import json
import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import click

from mailbot.shell import control
from mailbot.shell.config.load import Config, catalogue_of
from mailbot.store import reports
from mailbot.store.connection import connect
from mailbot.store.store import Locked, Store


def _socket(config: Config) -> str:
    path = config.store.path
    return str(path.with_name(path.name + ".sock"))


def knock(config: Config) -> bool:
    """Whether a daemon answers."""
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(_socket(config))
        except OSError:
            return False
    return True


def ask(config: Config, asked: Mapping[str, object]) -> str:
    """Has it done; what was said to it. Raises ClickException with the sentence that refuses it."""
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(_socket(config))
        except OSError:
            said = _do_here(config, dict(asked))
        else:
            line.sendall(json.dumps(asked).encode() + b"\n")
            answer = line.makefile().readline()
            said = (
                json.loads(answer)
                if answer
                else {"error": "the running server did not understand; is it as new as this?"}
            )
    if "error" in said:
        raise click.ClickException(said["error"])
    return said["said"]


def _do_here(config: Config, asked: dict[str, object]) -> dict[str, str]:
    now = int(time.time())
    try:
        store = Store.open(
            existing(config),
            now,
            os.urandom(32),
            operator=config.operator.address or "",
            catalogue=catalogue_of(config),
        )
    except (Locked, OSError, RuntimeError) as error:
        return {"error": str(error)}
    store.begin()
    try:
        said = {"said": store.attempt(lambda inner: control.do(inner, asked, now))}
    except Exception as error:
        said = {"error": control.why_not(asked, error)}
    store.commit()
    store.close()
    return said


def existing(config: Config) -> Path:
    """The database's file; ClickException if it is not there."""
    if not config.store.path.is_file():
        raise click.ClickException(f"there is no database at {config.store.path}; has the server run yet?")
    return config.store.path


def reading(config: Config) -> reports.Database:
    """A connection that only reads; ClickException if the file is not ours."""
    try:
        db = connect(existing(config), readonly=True)
        if not reports.is_ours(db):
            raise OSError(f"{config.store.path} is not a database of mailbot")
    except OSError as error:
        raise click.ClickException(str(error)) from None
    return db
