"""The newest migrations; the earlier ones are in schema.py. Never edit a released migration; append a new one."""

from sqlite_utils import Database

from mailbot.store.schema import migrations

__all__ = ["migrations"]


@migrations(name="0028_advantage_among_people")
def advantage_among_people(db: Database) -> None:
    """Games with the computer no longer say what the first move is worth: all ratings are computed anew."""
    db.execute("INSERT OR REPLACE INTO refold (one, turn, place) SELECT 1, 1, 0 WHERE EXISTS (SELECT 1 FROM rated)")
