"""What waits in the queue of a Postfix on this machine: letters of ours that find no way out, and mails for us that it
cannot hand over. Neither the relay, which greets well, nor the server itself knows of them."""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from mailbot.core.mail.addresses import owner
from mailbot.shell.smtp.wire import Status

PROGRAMS = "/usr/sbin"
"""Where they are, if they are not in PATH."""
TRANSPORT, RECIPIENTS = "transport_maps", "relay_recipient_maps"
"""The settings with tables that must have our addresses."""
ALONE = {"loopback-only", "localhost", "127.0.0.1", "[::1]", "::1"}
TABLE = Path("/etc/postfix/mailbot_transport")
"""What config/postfix.sh installs: this Postfix is the one in front of us."""
_UNREACHED = """
connect to
conversation with
lost connection with
Host or domain name not found
mail transport unavailable
deferred transport
SASL authentication failed
TLS is required
Cannot start TLS
Server certificate not
"""
UNREACHED = tuple(_UNREACHED.strip().splitlines())
"""How Postfix begins the reason of a delay if it has not reached the other side, or has not got as far as a letter
(smtp(8), qmgr(8)). What the other side said of a letter begins otherwise."""
SUSPENDED = "delivery temporarily suspended: "
"""What qmgr(8) puts before the reason while it does not try that server again."""


class Queued(NamedTuple):
    """`letters` from us and `mails` for us that wait, and for how many seconds the oldest does. `unsent`: the same of
    the letters that reach no server, at `domains` bought domains. `untaken`: of the mails that do not reach us. `late`,
    `late_domains`, `waits`: the same whatever the reason is. `crowd`: letters to the bought domain with the most."""

    letters: int = 0
    mails: int = 0
    oldest: int = 0
    unsent: int = 0
    domains: int = 0
    untaken: int = 0
    late: int = 0
    late_domains: int = 0
    waits: int = 0
    crowd: int = 0


def listed(seconds: float) -> list[str] | int | None:
    """The queue, one JSON object a line (postqueue(1), `-j`); the exit code of a Postfix that does not say, because it
    is down or this user may not ask; None without Postfix."""
    done = _asked(seconds, "postqueue", "-j")
    return (done.returncode or done.stdout.splitlines()) if done else None


def is_closed(seconds: float) -> bool:
    """Whether the Postfix in front of us listens on this machine alone."""
    return set(_setting("inet_interfaces", seconds) or ["all"]) <= ALONE


def hands_over(seconds: float) -> bool:
    """Whether a Postfix on this machine uses the table that postfix.sh has installed."""
    return any(str(TABLE) in word for word in _setting(TRANSPORT, seconds) or ())


def lost(setting: str, addresses: Iterable[str], seconds: float) -> list[str]:
    """Those of our addresses that the Postfix in front of us does not find in the tables of a setting (postmap(1)).
    Without a transport for it Postfix asks the DNS, finds itself, and sends the mail back; with another one than in our
    table the mail goes elsewhere. Without any table of recipients Postfix takes mail for all."""
    tables = _setting(setting, seconds)
    if tables is None or (not tables and setting == RECIPIENTS):
        return []
    found = {address: _looked_up(address, tables, seconds) for address in addresses}
    if setting == TRANSPORT:
        ours = {address: _looked_up(address, [f"regexp:{TABLE}"], seconds) for address in addresses}
        return [one for one, way in found.items() if way == "" or way not in (None, ours[one] or way)]
    return [one for one, way in found.items() if way == ""]


def _looked_up(address: str, tables: Iterable[str], seconds: float) -> str | None:
    """What the first of these tables that has the address or its domain says of it; "" if none has; None if one cannot
    be asked."""
    domain = address.rpartition("@")[2]
    for table in tables:
        for key in (address, f"@{domain}", domain):
            done = _asked(seconds, "postmap", "-q", key, table)
            if done is None or done.stderr.strip():
                return None
            if said := done.stdout.strip():
                return said
    return ""


def takes(domain: str, seconds: float) -> bool:
    """Whether the Postfix in front of us takes mail for this domain from elsewhere. What a table says is not asked."""
    found = _setting("relay_domains", seconds)
    words = None if found is None else [word.lower() for word in found]
    fits = (domain == word or domain.endswith(f".{word.lstrip('.')}") for word in words or ())
    return words is None or any(fits) or any(":" in word or "/" in word for word in words)


def is_called(name: str, seconds: float) -> bool:
    """Whether the Postfix in front of us has this name."""
    found = _setting("myhostname", seconds)
    return found is None or [word.lower() for word in found] == [name.lower()]


def knows_nothing_of(domain: str, front: str, seconds: float) -> bool:
    """Whether the Postfix on this machine has the name of the one in front of us, but not our tables, and refuses mail
    for this domain. False as soon as it does not say, or a table of its own says."""
    if TABLE.exists() or not front or _words("myhostname", seconds) != [front.lower()]:
        return False
    settings = ("relay_domains", "mydestination", "virtual_mailbox_domains", "virtual_alias_domains")
    found = [words for name in settings if (words := _words(name, seconds)) is not None]
    taken = {word for words in found for word in words}
    return len(found) == len(settings) and domain not in taken and not any(":" in one or "/" in one for one in taken)


def _setting(name: str, seconds: float) -> list[str] | None:
    """The words of a setting of the Postfix in front of us; None if there is none, or it does not say."""
    return _said(name, seconds) if TABLE.exists() else None


def _words(name: str, seconds: float) -> list[str] | None:
    """The same of any Postfix on this machine, in small letters."""
    found = _said(name, seconds)
    return None if found is None else [word.lower() for word in found]


def _said(name: str, seconds: float) -> list[str] | None:
    done = _asked(seconds, "postconf", "-x", "-h", name)  # postconf(5)
    return done.stdout.replace(",", " ").split() if done and not done.returncode else None


def _asked(seconds: float, program: str, *words: str) -> subprocess.CompletedProcess[str] | None:
    """What a program of Postfix says; None if it is not there, or cannot be asked."""
    found = shutil.which(program) or shutil.which(program, path=PROGRAMS)
    if found is None:
        return None
    try:
        return subprocess.run([found, *words], capture_output=True, text=True, timeout=seconds, check=False)  # noqa: S603
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def read(lines: Iterable[str], domain: str, now: int, known: Callable[[str], bool] = lambda address: True) -> Queued:
    """What of these lines concerns the server of `domain`; lines of another form are skipped. `known`: whether a letter
    to this address has ever arrived, because people mistype their address when they sign up."""
    letters = mails = oldest = untaken = waits = 0
    late: list[tuple[int, str]] = []
    unsent: list[tuple[int, str]] = []
    crowds: Counter[str] = Counter()
    for line in lines:
        try:
            one = json.loads(line)
            age = max(0, now - int(one["arrival_time"]))
            recipients = [_reason(row) for row in one["recipients"]]
            sender = _domain(str(one["sender"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        ours, theirs = sender == domain, [row for row in recipients if _domain(row[0]) == domain]
        if not ours and not theirs:
            continue
        oldest = max(oldest, age)
        letters, mails = letters + ours, mails + bool(theirs)
        if theirs:
            waits = waits if all(on_purpose for *_, on_purpose in theirs) else max(waits, age)
            untaken = max(untaken, age) if any(unreached for _, unreached, _ in theirs) else untaken
            continue
        crowds.update({owner(address) for address, *_ in recipients})
        to_known = [(address, unreached) for address, unreached, _ in recipients if known(address)]
        late += [(age, owner(address)) for address, _ in to_known]
        unsent += [(age, owner(address)) for address, unreached in to_known if unreached]
    return Queued(
        letters, mails, oldest, *_oldest(unsent), untaken, *_oldest(late), waits, max(crowds.values(), default=0)
    )


def _oldest(waiting: list[tuple[int, str]]) -> tuple[int, int]:
    """The greatest age of these, and the number of their domains."""
    return max((age for age, _ in waiting), default=0), len({domain for _, domain in waiting})


def _reason(row: dict[str, Any]) -> tuple[str, bool, bool]:
    """A recipient, whether its server was not reached, and whether it is we who say "later", to too much mail for the
    operator."""
    reason = str(row.get("delay_reason", "")).removeprefix(SUSPENDED)
    return str(row["address"]), reason.startswith(UNREACHED), Status.MAILBOX_FULL.value in reason


def _domain(address: str) -> str:
    return address.rpartition("@")[2].lower()
