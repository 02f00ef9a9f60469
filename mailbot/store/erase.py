"""Deletes all that we know of a player who leaves, except the row itself and the games (core.effects.Erase), and an old
userid (Rename)."""

from sqlite_utils import Database

from mailbot.core.mail.addresses import consent_key, mailbox_key
from mailbot.core.model import Address
from mailbot.store import hung, outbox
from mailbot.store.retired import leave, marks

OWN = (
    *("outbox", "address", "address_change", "preference", "tally", "analysis", "hint", "deferred", "vacation", "news"),
    *("later", "tried"),
)
"""Tables whose rows belong to a player."""


ENDS = {"game": "id", "overruled": "game"}
"""Tables with the ends of games in words (`ann resigned`), and the column that says which game."""


def rename(db: Database, player: int, old: str) -> None:
    """The ends of games no longer name the player `old`, but as the row of the player does now."""
    for table, game in ENDS.items():
        db.execute(
            f"UPDATE {table} SET reason = (SELECT userid FROM player WHERE id = ?2) || substr(reason, length(?1) + 1)"  # noqa: S608
            f" WHERE {game} IN (SELECT id FROM game WHERE player1 = ?2 OR player2 = ?2)"
            " AND substr(reason, 1, length(?1) + 1) = ?1 || ' '",
            (old, player),
        )


def give_up(db: Database, address: Address, now: int) -> None:
    """The player has another address instead: letters that wait for this one are withdrawn, and a mark says that the
    player has left it (store.retired)."""
    outbox.recall(db, address.player, address.addr)
    leave(db, address.player, mailbox_key(address.addr), now)


def erase(db: Database, player: int, userid: str, now: int) -> None:
    """The row already has its pseudonym; `userid` is its old name. What others were sent disappears with their old
    letters (store.KEEP_DAYS).

    The counts of letters to the addresses stay, under a mark: else deleting an account would restart them (P6). So does
    for a while which mailboxes these were."""
    for (addr,) in db.execute("SELECT addr FROM address WHERE player = ?", (player,)).fetchall():
        leave(db, player, mailbox_key(addr), now)
        counted = consent_key(addr)
        db.execute("UPDATE OR REPLACE contact SET addr = ? WHERE addr = ?", (marks(db, counted)[-1], counted))
    for table in OWN:
        db.execute(f"DELETE FROM {table} WHERE player = ?", (player,))  # noqa: S608
    db.execute("UPDATE deferred SET words = '' WHERE by = ?", (player,))
    db.execute("DELETE FROM shunt WHERE json_extract(request, '$.player') = ?", (player,))
    db.execute("UPDATE logged SET why = '' WHERE by = ?", (player,))
    db.execute("UPDATE tournament SET words = '' WHERE director = ?", (player,))
    db.execute("UPDATE move SET comment = '' WHERE player = ?", (player,))
    rename(db, player, userid)
    hung.clear(db)  # pictures show the names of the players
