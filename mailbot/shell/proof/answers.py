"""Answers to our letters: whose reply token they use. The letter about a lock, and the subjects of notices."""

from collections.abc import Mapping

from mailbot.core import tokens
from mailbot.core.effects import Kinds, Letter, Post
from mailbot.core.mail.addresses import Own, key
from mailbot.core.mail.incoming import Mail
from mailbot.core.model import Player
from mailbot.core.tokens import Token
from mailbot.shell.proof.auth import LETTERS, LIFT_HOURS, Auth, Verdict
from mailbot.shell.proof.operator import ACCOUNT, Operator

NOTICES: Mapping[str, str] = {
    "logins": "Wrong password for your name",
    "mistyped": "Wrong password, nothing done",
    "misnamed": "Not your name, nothing done",
    "strange": "An answer from another address",
    "outdated": "An answer to an old letter, nothing done",
    "crowded": "Too many mails from your network, nothing done",
}
"""Templates of notices, and their subjects."""

FROM_ANYWHERE = (tokens.CONFIRM, tokens.UNSUBSCRIBE)
"""Kinds of token that need no registered From: a new address is not registered yet, and mail programs that unsubscribe
for their owner write any From. The worst result of either is a letter that says how to undo it."""

WHERE: Mapping[Verdict, str] = {
    Verdict.LOCKED: "everywhere",
    Verdict.LOCKED_HERE: "here",
    Verdict.LIMITED: "unread",
}
"""What the letter about a lock says of these verdicts."""


def verified(unverified: tokens.Unverified, keys: Mapping[int, bytes], holder: Player | None) -> bool:
    """Whether we have written this token for its holder, who may still use it. Without a holder as much is computed,
    and in vain. The return path of a letter proves nothing: every mail server on the way has seen it. Nor does a token
    for browsers."""
    right = _signed(unverified, keys, holder) and unverified.token.kind not in tokens.BOUNCE + tokens.AT_PAGE
    return right and holder is not None and holder.state not in ("locked", "gone")


def lapsed(unverified: tokens.Unverified, keys: Mapping[int, bytes], holder: Player | None) -> bool:
    """Whether this is of a letter that asked for consent to a sign-up that is not waiting any more."""
    return _signed(unverified, keys, holder) and holder is None and unverified.token.kind == tokens.CONFIRM


def linked(unverified: tokens.Unverified, keys: Mapping[int, bytes], holder: Player | None) -> bool:
    """Whether this is the link of a letter of ours to its holder, who may still use it."""
    right = _signed(unverified, keys, holder) and unverified.token.kind == tokens.LINK
    return right and holder is not None and holder.state not in ("locked", "gone")


def _signed(unverified: tokens.Unverified, keys: Mapping[int, bytes], holder: Player | None) -> bool:
    epoch = tokens.epoch_of(unverified.token.kind, holder.token_epoch if holder else tokens.FIRST_EPOCH)
    return tokens.verify(unverified, keys, epoch)


def about_lock(
    auth: Auth, verdict: Verdict, player: int, account: str, userid: str, source: str, now: int
) -> Letter | None:
    """The letter to this player (0: the operator, or nobody) if the verdict says that a lock of this account has begun
    or has kept a password from being compared, and a letter is due. The owner may not have heard of that lock: it may
    be one of a network, begun by wrong passwords for others."""
    if verdict not in WHERE:
        return None
    most = 1 if verdict is Verdict.LIMITED else LETTERS + (verdict is Verdict.LOCKED)
    stamp = auth.letter_due(account, now, most=most, known=bool(player or userid))
    if stamp is None:
        return None
    where = WHERE[verdict] if source else "unknown"
    facts = {"userid": userid, "where": where, "hours": LIFT_HOURS}
    return Letter("locked", "Your password is locked", facts, Token(tokens.LIFT, player, now // 3600, stamp))


def operators(operator: Operator, mail: Mail, own: Own, keys: Mapping[int, bytes]) -> Token | None:
    """The token of the operator's letter about a lock, if this mail answers one from the operator's address. The From
    is compared last, so that the time does not reveal who the operator is."""
    boxes = {box for box in map(own.classify, mail.recipients) if box}
    texts = {box.token for box in boxes if box.kind == "token"}
    unverified = tokens.read(texts.pop()) if len(texts) == 1 else None
    if unverified is None or unverified.token.kind != tokens.LIFT or unverified.token.player:
        return None
    right = tokens.verify(unverified, keys, 0)
    return unverified.token if right and key(mail.sender) == key(operator.address) else None


def lifted(auth: Auth, operator: Operator, token: Token, source: str, now: int) -> Post:
    """Lifts the lock of the operator's password for the network of the answer; returns the letter about it."""
    done = auth.lift(ACCOUNT, source, token.stamp, token.ref, now)
    said = "Your password can be used again." if done else "That letter is too old, or has served already."
    return Post(0, Letter("notice", "Your password", {"said": said}), Kinds.ACCOUNT, operator.address)
