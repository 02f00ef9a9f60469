"""Incoming mail: octets to a Mail to act on, or the reason why we do not act on it (A10, B1, B2, C1 to C5).

The decision has three outcomes, in this order. `Malformed`: the octets may mean more than one thing, so the listener
answers 550 5.6.0. `Ignore`: a well-formed mail that must never be answered; it is accepted and dropped, or kept for
the reader that `kind` names. `Mail`: as far as we can tell, a person wrote it; `sender` only hints at who (D1).
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import Final, Literal, NamedTuple

from mailbot.core.mail import charset, markup, mime, quoting
from mailbot.core.mail.addresses import Own, sole_address
from mailbot.core.mail.mime import BrokenError, Part, safe
from mailbot.core.mail.phrases import by_letter

LOOP_HEADER: Final = "X-Mailbot-Loop"
"""A header of every letter that we send; a mail with it comes from us or from another mailbot (A10)."""

MAX_HOPS: Final = 50
MAX_BODIES: Final = 5
"""Parts that are searched for text. The search also ends after MAX_TEXT octets without a visible character."""


class Mail(NamedTuple):
    """A mail to act on."""

    sender: str
    """The only address of the only From, domain in lower case; "" if it is not ASCII and so belongs to nobody (RFC
    6532). A hint, not a proof."""
    subject: str
    """Decoded, one clean line, with `Re:` and the like. May hold a password: never store, log or repeat it."""
    text: str
    """The sender's own words: without quotations and signature, clean, lines end with LF. May hold a password."""
    message_id: str | None
    """As received, angle brackets included; None unless it is safe to repeat in a header."""
    dedupe: str
    """64 hex digits, the same for every copy of one mail, whatever its route (T2)."""
    dated: str
    """The Date header."""
    recipients: tuple[str, ...]
    """The envelope's, as given."""
    received: str
    """The topmost Received header; "" if there is none. `origin.client` reads it if a known front wrote it."""
    whole: bool = True
    """Whether the text has been read."""

    @property
    def date(self) -> int | None:
        """Unix seconds by the sender's clock; None if absent or unreadable. The caller decides if it is too old."""

        def seconds() -> int | None:
            fields = parsedate_tz(self.dated)
            return None if fields is None else mktime_tz(fields)

        found = safe(seconds, None)
        return found if found is not None and 0 <= found < 2**40 else None


@dataclass(frozen=True, slots=True)
class Ignore:
    """A mail that gets no answer."""

    reason: str
    """One constant word: of the IGNORED table, or "operator", "bounce", "bounce-address"."""
    kind: Literal["drop", "bounce", "operator"]
    """"operator": for postmaster or abuse, to be stored for a person (A7). "bounce": a report on one of our letters,
    to be scored (E1). "drop": nothing to keep."""
    dedupe: str
    received: str = ""
    """As in a Mail; only set in a mail for the operator."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A mail that nobody can read with certainty."""

    reason: str
    """One constant word: bare-line-end, nul, header-line, header-too-long, too-many-headers, too-many-parts, too-deep,
    duplicate-header, from, unreadable."""


def read(
    content: bytes,
    mail_from: str,
    recipients: tuple[str, ...],
    own: Own,
    in_full: Callable[[Mail], bool] = lambda mail: True,
) -> Mail | Ignore | Malformed:
    """What to do with `content`, as received by SMTP (CRLF line ends, dots unstuffed). Never raises. `in_full`: whether
    to read the text of this mail, too, which takes long."""
    try:
        return _read(content, mail_from, recipients, own, in_full)
    except BrokenError as broken:
        return Malformed(broken.reason)
    except Exception:  # C1: this function promises not to raise; fuzzing finds nothing that gets here
        return Malformed("unreadable")


def _read(
    content: bytes, mail_from: str, recipients: tuple[str, ...], own: Own, in_full: Callable[[Mail], bool]
) -> Mail | Ignore | Malformed:
    part = mime.parse(content)
    froms = part.get_all("from")
    sender = _sender(froms[0]) if len(froms) == 1 else None
    subject = charset.header_text(part.get("subject") or "")
    dedupe = _dedupe(part, sender, content)
    kinds = {box.kind for box in map(own.classify, recipients) if box}
    if not kinds:
        return Ignore("nobody", "drop", dedupe)
    if kinds <= {"postmaster", "abuse"}:
        return Ignore("operator", "operator", dedupe, part.get("received") or "")
    letter = Incoming(part, mail_from, sender, subject, own)
    if "bounce" in kinds and (_null_sender(letter) or _is_report(letter)):
        return Ignore("bounce", "bounce", dedupe)
    for reason, applies in IGNORED:
        if applies(letter):
            return Ignore(reason, "drop", dedupe)
    if "bounce" in kinds:
        return Ignore("bounce-address", "drop", dedupe)
    if any(len(part.get_all(name)) > 1 for name in ("from", "subject", "sender")):
        return Malformed("duplicate-header")
    if sender is None:
        return Malformed("from")
    mail = Mail(
        sender=sender,
        subject=subject,
        text="",
        message_id=_message_id(part),
        dedupe=dedupe,
        dated=(part.get("date") or "")[:100],
        recipients=recipients,
        received=part.get("received") or "",
        whole=False,
    )
    return mail._replace(text=quoting.top(_body(part)), whole=True) if in_full(mail) else mail


_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")


def _sender(header: str) -> str | None:
    """The one address of a From; "" if it is certain but not ASCII; None if the writer is uncertain."""
    found = sole_address(header)
    if found is None and not header.isascii() and sole_address(_FOREIGN.sub("x", header)):
        return ""
    return found


def _dedupe(part: Part, sender: str | None, content: bytes) -> str:
    """sha256 over Message-ID, From, Date, Subject and body. Not over Received: by another route it is the same mail."""
    values = (part.get("message-id"), sender or part.get("from"), part.get("date"), part.get("subject"))
    fields = [(value or "").encode("latin-1", errors="replace") for value in values]
    body = content.partition(b"\r\n\r\n")[2]
    # The length comes first, so that no octet can move to the neighbouring field.
    digest = hashlib.sha256(b"".join([b"%d|%b" % (len(field), field) for field in fields]) + b"%d|" % len(body))
    digest.update(body)
    return digest.hexdigest()


def _body(part: Part) -> str:
    """The clean text of the first part with any text in it (C4)."""
    octets = 0
    for leaf in mime.bodies(part)[:MAX_BODIES]:
        if octets > charset.MAX_TEXT:
            break
        octets += len(leaf.body)
        text = mime.text(leaf)
        clean = charset.clean(markup.to_text(text) if leaf.media == "text/html" else text)
        if clean.strip():
            return clean
    return ""


_MESSAGE_ID: Final = re.compile(r"<[!-;=?-~]{1,250}>")


def _message_id(part: Part) -> str | None:
    found = part.get("message-id") or ""
    return found if _MESSAGE_ID.fullmatch(found) else None


# Never answered (A10, B1, B2) -----------------------------------------------------------------------------------------


class Incoming(NamedTuple):
    """An incoming mail, as the rows of IGNORED see it."""

    part: Part
    mail_from: str
    sender: str | None
    subject: str
    own: Own

    def words(self, name: str) -> set[str]:
        """The values of all headers `name`, split at commas, in lower case, comments and parameters cut off."""
        fields = self.part.get_all(name)
        return {
            value.partition(";")[0].partition("(")[0].strip() for field in fields for value in field.lower().split(",")
        }

    def has(self, *names: str) -> bool:
        """Whether a header with one of these names exists, whatever its value."""
        return not self.part.headers.keys().isdisjoint(names)


def _null_sender(letter: Incoming) -> bool:
    return letter.mail_from.strip() in ("", "<>")


def _is_report(letter: Incoming) -> bool:
    return letter.part.media == "multipart/report"


def _from_ourselves(letter: Incoming) -> bool:
    addresses = [letter.mail_from, *filter(None, map(sole_address, letter.part.get_all("sender")))]
    addresses += filter(None, map(sole_address, letter.part.get_all("from")))
    return any(letter.own.classify(address) for address in addresses)


def _own_message_id(letter: Incoming) -> bool:
    found = letter.part.get("message-id") or ""
    return found.rstrip("> \t").lower().endswith("@" + letter.own.message_domain)


_ROLE: Final = re.compile(
    r"owner-.*|.*-(?:request|bounces?|owner)|mailer-daemon|postmaster|(?:no|do-?not|do_not|no_)[-_]?reply.*",
    re.IGNORECASE | re.DOTALL,
)


def _from_role(letter: Incoming) -> bool:
    return bool(letter.sender and _ROLE.fullmatch(letter.sender.rpartition("@")[0]))


_AWAY: Final = by_letter("away", 0)
"""The beginnings of subjects of holiday notices; some mailers mark these in no other way."""


def _away(letter: Incoming) -> bool:
    folded = letter.subject.casefold()
    return folded.startswith(_AWAY.get(folded[:1], ()))


IGNORED: Final[tuple[tuple[str, Callable[[Incoming], bool]], ...]] = (
    ("null-sender", _null_sender),
    ("auto-submitted", lambda m: m.has("auto-submitted") and m.words("auto-submitted") != {"no"}),
    ("loop", lambda m: m.has(LOOP_HEADER.lower())),
    ("own-message-id", _own_message_id),
    ("own-sender", _from_ourselves),
    ("hops", lambda m: len(m.part.get_all("received")) > MAX_HOPS),
    ("precedence", lambda m: not m.words("precedence").isdisjoint(("bulk", "list", "junk", "auto_reply"))),
    ("list", lambda m: " list-" in " ".join(("", *m.part.headers))),
    ("suppress", lambda m: "all" in m.words("x-auto-response-suppress")),  # companies mark people's mail with the rest
    ("autoreply", lambda m: m.has("x-autoreply", "x-autorespond", "x-autoresponse", "x-mail-autoreply")),
    ("report", _is_report),
    ("role", _from_role),
    ("automatic-subject", _away),
)
"""Why a mail is never answered: the reason, and when it applies. The first row that applies gives the reason."""


# What may be kept -----------------------------------------------------------------------------------------------------

_PLUS: Final = re.compile(r"\+[A-Za-z0-9-]+(?=@)")
_HIDDEN: Final = "********"


def redact(content: bytes, secrets: Iterable[str]) -> bytes:
    """A reduced form of a mail that may be stored: From, Date, Message-ID, To, and the sender's own text (P1).

    UTF-8 text with LF line ends, without Subject, quotations and attachments. Every secret, in any case and in any
    encoding, and every token in an address is starred out. An unreadable mail becomes one line that says so.
    """
    try:
        part = mime.parse(content)
        text = quoting.top(_body(part))
    except Exception:
        return b"(a mail that could not be read)\n"
    sender = sole_address(part.get("from") or "") or ""
    shown = [f"From: {sender}", f"Message-ID: {_message_id(part) or ''}"]
    shown += [f"{name}: {charset.header_text(part.get(name.lower()) or '')}" for name in ("Date", "To")]
    kept = _PLUS.sub("+" + _HIDDEN, "\n".join([*shown, "", text, ""]))
    for secret in sorted({charset.clean_line(secret) for secret in secrets} - {""}, key=len, reverse=True):
        kept = re.sub(re.escape(secret), _HIDDEN, kept, flags=re.IGNORECASE)
    return kept.encode("utf-8", errors="replace")
