"""`mailbot export` and `mailbot import`: everything as lines of JSON, out of one server and into another.

The file is written for its owner alone. Addresses, hashes of passwords and old keys are in it only if the operator says
`--secrets`, which moving house needs.
"""

import contextlib
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from mailbot.shell.config.load import Config, ConfigError
from mailbot.shell.config.opening import opened
from mailbot.shell.console.line import reading
from mailbot.shell.proof import passwords
from mailbot.store import arrival, connection, lines
from mailbot.store.hold import Locked
from mailbot.store.reads import Reads

AT_ONCE = 1000
"""Lines that are written at a time."""


@click.command()
@click.option(
    "--secrets", "secret", is_flag=True, help="Also addresses, hashes of passwords and old keys: to move house."
)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.pass_obj
def export(config: Config, secret: bool, file: Path) -> None:
    """Write everything as lines of JSON into FILE (- is standard output), also while the server runs.

    Without --secrets the file has no addresses and no hashes of passwords. It has the words of players all the same.
    """
    db = reading(config)
    encode, kept, rows = msgspec.json.Encoder().encode, bytearray(), 0
    try:
        with _target(file, secret) as out, Reads(db).as_one():
            for line in lines.lines(db, int(time.time()), secrets=secret):
                kept += encode(line) + b"\n"
                rows += 1
                if not rows % AT_ONCE:
                    out.write(kept)
                    kept.clear()
            out.write(kept)
        left = lines.left_behind(db)
    except OSError as error:
        raise click.ClickException(str(error)) from None
    except connection.Unusable as error:
        why = connection.said(error)
        said = f"the database cannot be read to its end ({why}), so nothing is written: see mailbot doctor"
        raise click.ClickException(said) from None
    finally:
        db.close()
    click.echo(f"{rows - 2} rows are written{'' if secret else ', without addresses and passwords'}.", err=True)
    if left:
        click.echo(f"note: {left} letters or mails are waiting and are not in the file", err=True)


@contextlib.contextmanager
def _target(file: Path, secret: bool) -> Iterator[BinaryIO]:
    """Where the lines go: a new file, which is there only when it is whole; or standard output. Raises OSError."""
    if str(file) == "-":
        out = sys.stdout.buffer
        if secret and is_open_to_others(out):
            raise OSError("standard output is a terminal or a file that others can read: name a file instead of -")
        yield out
        out.flush()
        return
    if file.exists():
        raise FileExistsError(f"{file.name} exists already")
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened_file:
            yield opened_file
            opened_file.flush()
            os.fsync(opened_file.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def is_open_to_others(out: BinaryIO) -> bool:
    """Whether what is written here could be read by somebody else."""
    try:
        mode = os.fstat(out.fileno()).st_mode
    except OSError:
        return False  # no file at all
    return out.isatty() or (stat.S_ISREG(mode) and bool(mode & 0o077))


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.pass_obj
def import_(config: Config, file: Path) -> None:
    """Read a file of `mailbot export` into this server, which must be empty and stopped: all of it, or nothing."""
    now = int(time.time())
    try:
        with contextlib.ExitStack() as stack:
            said: BinaryIO = sys.stdin.buffer if str(file) == "-" else stack.enter_context(file.open("rb"))
            store = opened(config, config.store.path, now)
            stack.callback(store.close)
            done = arrival.arrive(store, _lines(said), now, secrets.token_bytes(32), passwords.foreign)
    except (arrival.BadLine, ConfigError, Locked, OSError, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(
        f"{done.rows} rows are imported: {done.players} players, {done.games} games. The ratings were computed from"
        f" {done.rated} games. Letters go out when the server starts."
    )
    if not done.secrets:
        click.echo("note: the file has no addresses and no passwords, so nobody can play on here")


def _lines(said: BinaryIO) -> Iterator[bytes]:
    """The lines, none much longer than a line may be."""
    while line := said.readline(arrival.MOST_OCTETS + 1):
        yield line
