"""How the command line uses the database: it reads for itself, but the running daemon writes for it, over the control
socket. If no daemon runs, the command line writes for itself.
"""

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mailbot.shell import control
from mailbot.shell.config.load import Config
from mailbot.shell.config.opening import opened
from mailbot.store import reports
from mailbot.store.connection import connect
from mailbot.store.store import Locked


def state(config: Config, seconds: float) -> dict[str, Any]:
    """What the running daemon says about itself. Raises ConnectionError if none runs, TimeoutError if it does not
    answer in time, ValueError if it says something else."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(seconds)
        try:
            line.connect(str(control.socket_beside(config.store.path)))
        except TimeoutError:
            raise
        except OSError:
            raise ConnectionError from None
        line.sendall(json.dumps({"do": control.STATE}).encode() + b"\n")
        answer = json.loads(line.makefile().readline())
    if not isinstance(answer, dict) or "said" not in answer:
        raise ValueError("no answer to what was asked")
    return dict(json.loads(answer["said"]))


def ask(config: Config, asked: Mapping[str, object]) -> str:
    """Has the request carried out, and returns the answer. Raises ClickException with the sentence of a refusal."""
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(str(control.socket_beside(config.store.path)))
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
        store = opened(config, existing(config), now)
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
    """The database's file; ClickException if it does not exist."""
    path = config.store.path
    try:
        there = path.is_file()
    except OSError as error:
        why = f"{path} cannot be looked at ({error.strerror}); are you the server's user?"
        raise click.ClickException(why) from None
    if not there:
        raise click.ClickException(f"there is no database at {path}; has the server run yet?")
    return path


def reading(config: Config) -> reports.Database:
    """A read-only connection; ClickException if the file is not ours."""
    try:
        db = connect(existing(config), readonly=True)
        if not reports.is_ours(db):
            raise OSError(f"{config.store.path} is not a database of mailbot")
    except OSError as error:
        raise click.ClickException(str(error)) from None
    return db
