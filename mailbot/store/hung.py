"""The pictures of letters: made once, kept until every letter that shows them is sent.

`outbox.pictures` is empty until the pictures of a letter are decided. Then it is a JSON object: for each picture, by
key, whether it exists (if not, the board was too large for one). So a letter that is sent again is the same to the
byte, even if a picture could not be made the first time.
"""

import json
from collections.abc import Mapping

from sqlite_utils import Database


def find(db: Database, key: str) -> bytes | None:
    """A picture that was made for another letter; None if there is none."""
    found = db.execute("SELECT content FROM picture WHERE key = ?", (key,)).fetchone()
    return bytes(found[0]) if found else None


def contents(db: Database, pictures: str) -> dict[str, bytes | None]:
    """The pictures of a letter by key, from its column; None for one that would have been too large."""
    kept: dict[str, bool] = json.loads(pictures)
    return {key: find(db, key) if there else None for key, there in kept.items()}


def hang(db: Database, letter: int, made: Mapping[str, bytes | None], now: int) -> None:
    """Decides which pictures go along with a letter, unless that is decided. `made`: as `contents` returns them."""
    sql = "INSERT INTO picture (key, content, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at"
    for key, content in made.items():
        if content is not None:
            db.execute(sql, (key, content, now))
    there = json.dumps({key: content is not None for key, content in made.items()})
    db.execute("UPDATE outbox SET pictures = ? WHERE id = ? AND pictures = ''", (there, letter))


def clear(db: Database, before: int = 2**62) -> None:
    """Deletes pictures that no waiting letter needs, last made or wanted before this time (unix seconds)."""
    db.execute(
        "DELETE FROM picture WHERE at < ? AND key NOT IN (SELECT one.key FROM outbox, json_each(outbox.pictures) AS one"
        " WHERE outbox.state = 'waiting' AND outbox.pictures <> '')",
        (before,),
    )
