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
from mailbot.shell.config.load import Config, ConfigError
from mailbot.shell.config.opening import opened
from mailbot.store import reports
from mailbot.store.connection import connect
from mailbot.store.hold import Locked

TIME = 60.0
"""Seconds within which the running daemon must answer a command that writes. The longest computes all ratings anew."""

_PERHAPS = "perhaps it does this later, so look before you try again (mailbot doctor, mailbot admin)"


def state(config: Config, seconds: float) -> dict[str, Any]:
    """What the running daemon says about itself. Raises ConnectionError if none runs, TimeoutError if it does not
    answer in time, ValueError if it says something else."""
    said = _answer(config, {"do": control.STATE}, seconds)
    if said is None:
        raise ConnectionError
    answer = json.loads(said)
    if not isinstance(answer, dict) or "said" not in answer:
        raise ValueError("no answer to what was asked")
    return dict(json.loads(answer["said"]))


def ask(config: Config, asked: Mapping[str, object]) -> str:
    """Has the request carried out, and returns the answer. Raises ClickException with the sentence of a refusal, or if
    the daemon does not answer."""
    try:
        answer = _answer(config, asked, TIME)
    except TimeoutError:
        raise click.ClickException(f"the server has not answered within {TIME:g} seconds; {_PERHAPS}") from None
    except PermissionError:
        raise click.ClickException("this user may not ask the server; put 'sudo -u mailbot' before it") from None
    except OSError:
        raise click.ClickException(f"the server ended before it answered; {_PERHAPS}") from None
    if answer is None:
        said = _do_here(config, dict(asked))
    elif answer:
        said = json.loads(answer)
    else:
        said = {"error": "the running server did not understand; is it as new as this?"}
    if "error" in said:
        raise click.ClickException(said["error"])
    return said["said"]


def _answer(config: Config, asked: Mapping[str, object], seconds: float) -> str | None:
    """The line with which the running daemon answers, "" if it says nothing; None if none runs. Raises TimeoutError if
    it does not answer in time, another OSError if it ends before."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(seconds)
        try:
            line.connect(str(control.socket_beside(config.store.path)))
        except BlockingIOError:  # so many wait for it already that nobody can wait behind them
            raise TimeoutError from None
        except (TimeoutError, PermissionError):
            raise
        except OSError:
            return None
        line.sendall(json.dumps(asked).encode() + b"\n")
        return line.makefile().readline()


def _do_here(config: Config, asked: dict[str, object]) -> dict[str, str]:
    now = int(time.time())
    try:
        store = opened(config, existing(config), now)
    except (ConfigError, Locked, OSError, RuntimeError) as error:
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
