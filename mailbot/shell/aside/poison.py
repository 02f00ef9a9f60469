"""Mails that kill the process while they are read. After three times such a mail is refused unread.

Which mail it was is known from the in-flight file (writer.py), by the digest of its octets: until a mail is read it has
no other name. The sender is told by the SMTP answer that nothing was done, the operator by a letter, once.

Nothing of the mail is kept. It may hold a password, to take that out it would have to be read, and reading it is what
kills the process. Size and digest are enough to find it in the queue of whoever sends it.
"""

import logging
from contextlib import suppress

from mailbot.shell.smtp.wire import Envelope
from mailbot.shell.writer import Unwritten, Writer
from mailbot.store.store import POISON, Store

log = logging.getLogger("mailbot.poison")


async def refused(writer: Writer, envelope: Envelope, now: int) -> bool:
    """Whether the mail is poison; then log and operator are told."""
    digest = envelope.digest
    if not writer.store.poisonous(digest):
        return False
    said = f"A mail of {len(envelope.content)} octets killed the process {POISON} times while it was read."
    said = f"{said} It is refused from now on. SHA-256: {digest}"

    def tell(store: Store) -> None:
        if store.keep_for_operator("poison", said, digest, now):
            store.tell_operator(said, now)

    log.error(said)
    with suppress(Unwritten):  # the next try tells
        await writer.do(tell)
    return True
