"""Which migrations a file has."""

from sqlite_utils import Database

from mailbot.store.changes import migrations


def names(db: Database) -> list[str]:
    """The migrations that this file has, in order: its version."""
    return [done.name for done in migrations.applied(db)]


def check(db: Database) -> None:
    """Raises RuntimeError if a newer mailbot than this one wrote the file, or another program."""
    tables = {name for name in db.table_names() if not name.startswith(("_sqlite_", "sqlite_"))}
    applied = migrations.applied(db)
    if tables and not applied:
        raise RuntimeError("the database is one of another program, and not of mailbot; look at [store] path")
    known = {migration.name for migration in migrations._migrations}
    unknown = [done.name for done in applied if done.name not in known]
    if unknown:
        raise RuntimeError(
            f"the database was written by a newer mailbot (it has {', '.join(unknown)}); upgrade mailbot, or restore "
            "the copy that was made before the upgrade"
        )
