"""What the log says about a mail: names of commands, numbers of boards and letters, but never a word of the mail.

docs/install.md explains the lines to the operator, and config/fail2ban.conf reads those of `guessed`.
"""

import logging
from collections.abc import Iterable
from ipaddress import ip_address

from mailbot.core.world import Proofs, Request
from mailbot.shell.proof.auth import Verdict
from mailbot.shell.smtp.wire import Status
from mailbot.store.posting import Caused
from mailbot.store.unproved import Done

KNOWN = "what it proves itself with has changed since, maybe by itself"
WANTING = "neither password nor reply token"
STALE = "a password in a mail that is older than a week, or has no date"


class Refused(Exception):
    """The mail gets this SMTP answer and has no effect; `why` is for the log."""

    def __init__(self, status: Status, why: str, level: int = logging.INFO) -> None:
        super().__init__(status.name)
        self.status, self.why, self.level = status, why, level


def numbers(what: str, those: Iterable[int]) -> str:
    """`letters 3 4`, `board 12`; "" if there are none."""
    said = " ".join(map(str, those))
    return f"{what}{'s' if ' ' in said else ''} {said}" if said else ""


def counted(letters: int) -> str:
    """`1 letter`, `3 letters`."""
    return f"{letters} letter{'s' if letters != 1 else ''}"


def named(request: Request) -> str:
    """What a mail asks for: the names of its commands and boards."""
    return ", ".join(filter(None, (request.about, numbers("board", sorted(request.boards)))))


def done(request: Request, came: Caused | int | None) -> str:
    """What a mail has caused. `came` may also be the number under which it was set aside, or None if it was done
    before. A letter answers the refused commands; it is among those named."""
    if came is None:
        return f"seen before: {named(request)}"
    if isinstance(came, int):
        how = f"set aside as {came}" if came else "dropped"
        return f"{how}, for the process died three times over it: {named(request)}"
    count, refused = len(request.asked), came.refused
    how = "taken" if not refused else "not done" if refused >= count else f"taken, {refused} of {count} not done"
    held = f"held back: {counted(came.held)}" if came.held else ""
    digested = f"for the digest: {counted(came.digested)}" if came.digested else ""
    told = request.about, numbers("board", sorted(came.boards)), numbers("letter", came.letters), held, digested
    return f"{how}: {', '.join(filter(None, told))}"


def short(request: Request, came: Caused | int | None) -> str:
    """The same in one word of shell.metrics.counts.OUTCOMES."""
    if came is None:
        return "seen_before"
    if isinstance(came, int):
        return "set_aside" if came else "dropped"
    return "not_done" if came.refused >= len(request.asked) else "taken"


def later(what: Done) -> str:
    """What a row that waited for its turn has caused; "" if there is nothing to say."""
    request, came = what.request, what.came
    if request is None or (isinstance(came, Caused) and all(one.proof == Proofs.WANTING for one in request.asked)):
        return f"told of it: {numbers('letter', came.letters)}" if isinstance(came, Caused) and came.letters else ""
    if came is None:
        said = "dropped: of no player, and nothing that a stranger may ask"
        return said if request.about != "unreadable" else ""  # an unreadable mail was refused or dropped at once
    return done(request, came)


def broken(request: Request, number: int, error: Exception) -> str:
    """A mail has been set aside because of a bug of ours: what it asks for, and the kind of the error."""
    if not number:
        return f"dropped: nobody's, and it broke the program: {named(request)}, {type(error).__name__}"
    return f"set aside as {number}: {named(request)}, {type(error).__name__}"


def unheard(status: Status, *, front_mta: bool) -> str:
    """The end of a mail that changes nothing, as its sender sees it. Behind a front MTA a refusal becomes a 250."""
    if status.permanent:
        return "dropped" if front_mta else "refused"
    return "dropped" if status is Status.ACCEPTED else "put off"


def for_operator(kept: bool) -> str:
    """The outcome of a mail to postmaster or abuse, or of a copy."""
    return "kept for the operator" if kept else "not kept for the operator: too many today"


def guessed(verdict: Verdict, source: str) -> str:
    """A password that was wrong, or not even compared, and the IP address that it came from, if known."""
    what = "too many tries with passwords" if verdict is Verdict.LIMITED else "wrong password"
    try:
        return f"{what} from {ip_address(source)}"
    except ValueError:
        return f"{what} from unknown"
