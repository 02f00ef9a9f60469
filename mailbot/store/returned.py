"""A letter of ours has come back: it is kept for the operator and counted once (core/players/bounces.py judges)."""

from mailbot.core.players import bounces
from mailbot.core.world import Request
from mailbot.store import outbox
from mailbot.store.reads import Reads
from mailbot.store.store import Store


def reported(store: Store, letter: int, kind: str | None, said: str, dedupe: str, now: int, mark: str = "") -> None:
    """A report that came as mail says so; `dedupe` is its key, `mark` its id in the log. Beyond so many a day none is
    kept, not even its key, because whoever has one letter can write any number; each letter still counts once."""
    room = store.has_room_for_operator("", now, "bounce")
    if room and not store.keep_for_operator("bounce", said, dedupe, now, mark):
        return
    if kind:
        came_back(store, letter, kind, now)


def came_back(store: Store, letter: int, kind: str, now: int) -> None:
    """Counts a returned letter, however we learnt of it; a letter counts only once. The operator is told of a suspended
    address. A letter that was refused for what it says goes once more, without the words of a player; so does one to a
    mailbox that seems not to be there, because many servers say the same of words that they do not like."""
    if kind == bounces.TEXT:
        if not outbox.without_words(store.db, letter, now):  # noted for the operator's health check alone
            store.db.execute("UPDATE outbox SET returned = 1 WHERE id = ?", (letter,))
        return
    sql = "UPDATE outbox SET returned = 1 WHERE id = ? AND returned = 0 RETURNING player, address, template"
    found = store.db.execute(sql, (letter,)).fetchone()
    reads = Reads(store.db)
    for address in reads.addresses(found[0]) if found else ():
        if address.state != "current" or address.addr.lower() != found[1].lower():
            continue
        effects = bounces.came_back(address, kind, now, reads, found[2])
        store.apply(effects, Request(now))
        if kind == bounces.HARD and outbox.is_current(store.db, found[1]):
            outbox.without_words(store.db, letter, now)
        if bounces.is_news(effects):
            player = reads.player(address.player)
            name = player.userid if player else "a player"
            store.tell_operator(f"Letters to an address of {name} keep coming back; none are sent there now.", now)
