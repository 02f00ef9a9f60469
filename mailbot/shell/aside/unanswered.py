"""Mails that get no answer: kept for the operator, or counted as a report on one of our letters."""

import re
from collections.abc import Mapping
from functools import partial
from hashlib import sha256

from mailbot.core import tokens
from mailbot.core.commands import ROWS
from mailbot.core.mail.addresses import Own
from mailbot.core.operator import orders
from mailbot.core.players import bounces
from mailbot.shell.smtp.wire import Envelope
from mailbot.shell.writer import Writer
from mailbot.store import seen
from mailbot.store.returned import reported

_CODES = re.compile(r"\b[45]\.\d{1,3}\.\d{1,3}\b")


def key_of(dedupe: str, role: object) -> str:
    """The key of a mail in one role. A mail that answers two of our letters counts as two mails, because a mail server
    may deliver them one by one."""
    return sha256(f"{dedupe}|{role}".encode()).hexdigest() if role else dedupe


async def keep(
    writer: Writer, games: Mapping[str, str], envelope: Envelope, source: str, dedupe: str, now: int
) -> bool:
    """Keeps a mail to postmaster or abuse, without passwords and tokens; False if there have been too many today.
    `games`: the words that name games. `source`: a mark of the network that it came from, if known."""
    key = key_of(dedupe, "operator")
    known, room = await writer.do(lambda store: (seen.of(store.db, key), store.has_room_for_operator(source, now)))
    if known or not room:
        return bool(known)  # it is masked once only, because that takes long
    masked = writer.reading(envelope.digest, orders.kept, envelope.content, ROWS, games)
    return await writer.do(lambda store: store.mail_for_operator(masked, source, key, now, envelope.mark))


async def count(writer: Writer, own: Own, keys: dict[int, bytes], envelope: Envelope, dedupe: str, now: int) -> str:
    """Records a report on one of our letters: which letter, and the codes, but never the copy of the letter in it.
    Returns the line for the log."""
    boxes = {box for box in map(own.classify, envelope.rcpt_tos) if box and box.kind == "bounce"}
    unverified = tokens.read(boxes.pop().token) if len(boxes) == 1 else None  # a report is on one letter
    ours = unverified and tokens.verify(unverified, keys, tokens.BOUNCE_EPOCH)
    if not unverified or not ours or unverified.token.kind != tokens.BOUNCE:  # the ref of other kinds is no letter
        return "a report on no letter of ours"
    kind, codes = writer.reading(envelope.digest, bounces.told, envelope.content)
    token = unverified.token
    letter = tokens.unveiled(token.ref, keys[unverified.key_id]) if token.stamp else token.ref  # 0: of an older version
    said = f"letter {letter} {'came back' if kind else 'was reported on'}: {', '.join(codes) or 'no code'}"
    key = key_of(dedupe, "bounce")
    note = partial(reported, letter=letter, kind=kind, said=said, dedupe=key, now=now, mark=envelope.mark)
    await writer.do(note)
    return said
