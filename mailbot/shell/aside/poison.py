"""Mails that kill the process while they are read. After three crashes such a mail is refused unread.

The in-flight file (writer.py) names the mail by the digest of its octets: until a mail is read, it has no other name.
The SMTP answer tells the sender that nothing was done, and a letter tells the operator, once.

We keep nothing of the mail. It may hold a password; to remove the password we would have to read the mail, and reading
it kills the process. Its size and digest are enough to find it in the sender's queue.
"""

import logging
from contextlib import suppress

from mailbot.shell.smtp.wire import Envelope
from mailbot.shell.writer import Unwritten, Writer
from mailbot.store.store import POISON, Store

log = logging.getLogger("mailbot.poison")


async def refused(writer: Writer, envelope: Envelope, now: int) -> bool:
    """Whether the mail is poison. If so, logs it and tells the operator."""
    digest = envelope.digest
    if not writer.store.poisonous(digest):
        return False
    said = f"A mail of {len(envelope.content)} octets killed the process {POISON} times while it was read."
    said = f"{said} It is refused from now on. SHA-256: {digest}"

    def tell(store: Store) -> None:
        if store.keep_for_operator("poison", said, digest, now):
            store.tell_operator(said, now)

    log.error(said)
    with suppress(Unwritten):  # the next try tells the operator
        await writer.do(tell)
    return True
