"""`mailbot backup`: one verified copy of the store, or a folder of dated ones of which the newest are kept.

A file has its dated name only after it was verified, so a name says that the backup is good. What a run deletes are its
own older backups beyond the number to keep, and only after the new one is in place. So the last good one always stays.
"""

import contextlib
import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

import click

from mailbot.shell.config.load import Config
from mailbot.shell.console.doctor import note_backup
from mailbot.shell.console.line import reading
from mailbot.store import copies, reports

NAME = "mailbot-%Y%m%d-%H%M%S.sqlite"
"""What a dated backup is called, in UTC."""
_OURS = re.compile(r"mailbot-\d{8}-\d{6}\.sqlite")
_PART = re.compile(_OURS.pattern + r"\.part(-journal|-wal|-shm)?")


class Kept(NamedTuple):
    """What a run has done. `deleted`: older backups."""

    file: Path
    rows: int
    kept: int
    deleted: int


def keep(db: reports.Database, folder: Path, most: int, now: int, spare: int) -> Kept:
    """Adds a backup to the folder, and deletes older ones until there are `most`.

    `spare`: bytes that stay free on the disk. Raises OSError; then no backup was deleted unless the new one is there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(folder):
        for left in folder.iterdir():  # a run that was killed
            if _PART.fullmatch(left.name) and not left.is_symlink():
                left.unlink()
        needed, free = copies.size(db) + spare, shutil.disk_usage(folder).free
        if free < needed:
            raise OSError(f"there is no room in {folder}: {needed // 10**6} MB are needed, {free // 10**6} MB are free")
        named = (folder / datetime.fromtimestamp(at, UTC).strftime(NAME) for at in count(now))
        file = next(one for one in named if not one.exists())  # two within a second have two names
        rows = copies.copy_to(db, file)
        # By name, not by time of writing: a program that copies files may change that. A name that lies ahead is of a
        # clock that was wrong, so it goes first: else it would stay, and good ones would go.
        ours = (path for path in folder.iterdir() if _OURS.fullmatch(path.name) and copies.is_copy(path))
        others = sorted((path for path in ours if path != file), key=lambda path: (path.name <= file.name, path.name))
        old = others[: max(0, len(others) - most + 1)]
        for path in old:
            path.unlink()
    return Kept(file, rows, 1 + len(others) - len(old), len(old))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One run at a time works in the folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise OSError(f"another backup is being made in {folder}") from None
    finally:
        os.close(opened)


RESTORE = (
    "To restore it, stop the server, remove its database with the files -wal and -shm beside it, and put the copy in"
    " its place."
)


@click.command()
@click.option(
    "--keep",
    "most",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="PATH is a folder: add a backup with a dated name, and delete the oldest until there are N.",
)
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_obj
def backup(config: Config, most: int | None, path: Path) -> None:
    """Copy the database into the file PATH, also while the server runs. The copy is read back and checked."""
    now = int(time.time())
    db = reading(config)
    try:
        if most is None:
            rows = copies.copy_to(db, path)
            said = f"The database has been copied and checked: {rows} rows. {RESTORE}"
        else:
            done = keep(db, path, most, now, config.limits.min_free_bytes)
            said = f"{done.file}: copied and checked, {done.rows} rows. Kept: {done.kept}, deleted: {done.deleted}."
        note_backup(config, now)
    except OSError as error:
        raise click.ClickException(str(error)) from None
    finally:
        db.close()
    click.echo(said)
