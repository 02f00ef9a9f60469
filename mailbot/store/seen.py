"""What has been done, by dedupe key."""

from typing import NamedTuple

from sqlite_utils import Database


class Seen(NamedTuple):
    """When a request was done (unix seconds), the names of its commands, and the numbers of the boards it named."""

    at: int
    about: str
    boards: str


def of(db: Database, key: str) -> Seen | None:
    """The request with this key, if it has been done."""
    found = db.execute("SELECT at, about, boards FROM seen WHERE key = ?", (bytes.fromhex(key),)).fetchone()
    return Seen(*found) if found else None
