"""A person goes: everything that is known of a player, but for the row itself and the games (core.effects.Erase)."""

from sqlite_utils import Database

OWN = ("outbox", "address", "address_change", "preference", "tally")
"""Tables whose rows belong to a player."""


def erase(db: Database, player: int, userid: str) -> None:
    """The row has its pseudonym already; `userid` is the name it had. What others were sent goes with their old letters
    (store.KEEP_DAYS)."""
    db.execute("DELETE FROM contact WHERE addr IN (SELECT addr FROM address WHERE player = ?)", (player,))
    for table in OWN:
        db.execute(f"DELETE FROM {table} WHERE player = ?", (player,))  # noqa: S608
    db.execute("DELETE FROM shunt WHERE json_extract(request, '$.player') = ?", (player,))
    db.execute("UPDATE move SET comment = '' WHERE player = ?", (player,))
    db.execute(
        "UPDATE game SET reason = (SELECT userid FROM player WHERE id = ?2) || substr(reason, length(?1) + 1)"
        " WHERE ?2 IN (player1, player2) AND substr(reason, 1, length(?1) + 1) = ?1 || ' '",
        (userid, player),
    )
