"""The values of the SMTP intake: envelope, status, limits, counters, and where the text of a mail ends.

Nothing in here does I/O, so tests can feed it byte by byte.
"""

import enum
import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256

from mailbot.core.mail.marks import mark


@dataclass(frozen=True, slots=True)
class Envelope:
    """One mail as it came over the wire, before anyone has looked inside.

    `peer`: the IP address of the client, or the one that a front has named as its client's; "" if only the front that
    handed over the mail can know it, or on a unix socket. `mail_from`: "" for the null return path, however the client
    spelt it (S10). `content`: has CRLF lines, dots unstuffed, and any lone CR or LF of the client. `mark`: the id of
    the mail in our log and in our answer.
    """

    peer: str
    mail_from: str
    rcpt_tos: tuple[str, ...]
    content: bytes
    mark: str = field(init=False)
    digest: str = field(init=False, repr=False, compare=False)
    """A hash of the octets, 64 hex digits: the name of a mail that nobody has read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mark", mark(self.content))
        object.__setattr__(self, "digest", sha256(self.content).hexdigest())


class Status(enum.Enum):
    """Everything this server can say about a connection, a recipient or a mail (RFC 5321 4.2, RFC 3463).

    The set is closed: an answer never carries a word from outside, from an exception or from a player (S1 to S3). The
    answer to a whole mail ends with `Envelope.mark`, twelve hex digits. 4xx promises that nothing happened and asks the
    sender to come back; 5xx is permanent (A2, A5).
    """

    ACCEPTED = "250 2.0.0 Accepted"
    SENDER_OK = "250 2.1.0 Sender fine"
    RECIPIENT_OK = "250 2.1.5 Recipient fine"
    CANNOT_VERIFY = "252 2.5.0 Cannot verify, send the mail and see"
    BYE = "221 2.0.0 Bye"
    SHUTTING_DOWN = "421 4.3.2 Shutting down, please come back soon"
    TOO_MANY_CONNECTIONS = "421 4.7.0 Too many connections, please come back later"
    TOO_MANY_COMMANDS = "421 4.7.0 Too many commands, closing"
    TOO_MANY_ERRORS = "421 4.7.0 Too many errors, closing"
    TIMED_OUT = "421 4.4.2 Session lasted too long or was idle, closing"
    OUT_OF_STEP = "421 4.5.0 Input behind the end of the mail was dropped, closing"
    TEMPORARY = "451 4.3.0 Temporary failure, please try again later"
    NOT_SET_UP = "451 4.3.5 This server has no domain yet, please try again later"
    BUSY = "451 4.3.2 Busy, please try again later"
    MAILBOX_FULL = "452 4.2.2 Mailbox full, please try again later"
    DISK_FULL = "452 4.3.1 Low on storage, please try again later"
    TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients"
    RATE_LIMIT = "450 4.7.1 Too many mails, please slow down"
    TRY_LATER = "451 4.7.1 Not now, please try again later"
    NO_SUCH_ADDRESS = "550 5.1.1 No such address here"
    NOT_ASCII = "553 5.6.7 This address needs the SMTPUTF8 parameter at MAIL"
    MALFORMED = "550 5.6.0 Malformed mail"
    NOT_ACCEPTED = "550 5.7.8 Command not accepted; for help, send a mail with the Subject: help"
    NO_COMMAND = "550 5.7.1 No command in this mail; for help, send a mail with the Subject: help"
    STALE = "550 5.7.1 A password does not count in a mail that is older than a week, or has no date"
    TOO_BIG = "552 5.3.4 Mail too big"
    LOOP = "554 5.4.6 Mail loop"
    TALKED_EARLY = "554 5.5.0 Input came before the go-ahead, closing"

    def __init__(self, line: str) -> None:
        self.permanent = line[0] == "5"
        self.passing = line[0] == "4"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client, and all clients together, may use. Counts unless the name says otherwise (S5 to S9, A6, A8).

    Zero `mails_per_minute` switches that limit off.
    """

    connections: int = 64
    connections_per_ip: int = 8  # of one IP (IPv6: one /64); of the networks around it WIDER times as many
    mails_per_minute: int = 30  # of one IP (IPv6: one /64); counted at MAIL, so refused recipients cost, too
    recipients: int = 100
    session_seconds: float = 900.0
    proxy_seconds: float = 10.0  # within which a proxy must send its header
    idle_seconds: float = 300.0  # RFC 5321 4.5.3.2.7 asks for at least five minutes; less in a full house
    spare_seconds: float = 3.0  # in a full house, how long one may be without a mail before it is closed for another
    slow_seconds: float = 60.0  # the same for one with a mail under way, where none is idle
    stall_seconds: float = 10.0  # the same for one with a mail under way that has said nothing since
    data_bytes: int = 1024 * 1024
    data_lines: int = 40_000
    drain_bytes: int = 32 * 1024 * 1024  # how far a mail beyond its limits is read, so that a clean 552 is possible
    command_bytes: int = 128 * 1024  # between two mails; honest clients stay far under it even with 100 recipients
    errors: int = 100  # 5xx answers in one connection; an MTA with many wrong recipients just connects again
    accepts: int = 64  # mails in work at once, those whose client hung up included
    # Calls of one command in one connection; "*" is every other command, and without it aiosmtpd takes 20 (S8).
    calls: dict[str, int] = field(
        default_factory=lambda: {
            "*": 100,
            "NOOP": 10,
            "MAIL": 1000,
            "RCPT": 4000,
            "DATA": 1000,
            "RSET": 1000,
            "XFORWARD": 2000,
        }
    )


@dataclass(slots=True)
class Stats:
    """Counts since the start, for the operator; never an address."""

    connections: int = 0  # taken in
    turned_away: int = 0  # 421 at the door
    made_room: int = 0  # closed, mostly idle ones, because the house was filling up
    mails: int = 0  # texts read to their end
    accepted: int = 0  # of those, answered 250 (dropped ones behind a front MTA included)
    put_off: int = 0  # of those, answered 4xx
    refused: int = 0  # of those, answered 5xx, or dropped with 250 behind a front MTA
    too_big: int = 0
    rate_limited: int = 0
    busy: int = 0
    aborted: int = 0  # cut for sending more than the byte limits allow
    timed_out: int = 0
    too_many_errors: int = 0
    out_of_step: int = 0  # sent input before the go-ahead or after the final dot
    hung_up: int = 0  # gone while their mail was in work; the work went on
    ours: int = 0  # recipients that exist
    astray: int = 0  # and those that do not
    failures: int = 0  # exceptions and wrong answers of our own parts

    def addressed(self) -> dict[str, int]:
        """How many recipients were ours, and how many not."""
        return {"ours": self.ours, "astray": self.astray}

    def count(self, status: Status) -> None:
        """One more mail has this answer."""
        if status.permanent:
            self.refused += 1
        elif status.passing:
            self.put_off += 1
        else:
            self.accepted += 1


class Text:
    """Collects the text of one mail from blocks of any size.

    How it works. The end is CRLF "." CRLF and nothing else (RFC 5321 4.1.1.4); any looser reading lets a mail hide a
    second one inside itself. The CRLF of the DATA command counts as the first two bytes, so the buffer starts with
    them: the same five bytes then also end an empty text, and a dot to unstuff always comes after CRLF, even in the
    first line. A new block can complete an end of which at most four bytes are already here, so the search starts
    that far back. A text beyond its limits is thrown away at once, except those four bytes, and read to its end.
    """

    __slots__ = ("_buffer", "_max_bytes", "_max_lines", "lines", "over", "received")

    def __init__(self, max_bytes: int, max_lines: int) -> None:
        self._buffer = bytearray(b"\r\n")
        self._max_bytes = max_bytes
        self._max_lines = max_lines
        self.received = 0  # bytes taken, the dropped ones included
        self.lines = 0  # line feeds among them
        self.over = False

    def feed(self, block: bytes) -> bytes | None:
        """Takes a block; None while the text goes on, else the bytes after its end (mostly none)."""
        buffer = self._buffer
        seen = len(buffer)
        buffer += block
        self.received += len(block)
        end = buffer.find(b"\r\n.\r\n", max(0, seen - 4))
        if end >= 0:
            rest = bytes(buffer[end + 5 :])
            del buffer[end + 2 :]
            self.lines += block.count(b"\n") - rest.count(b"\n") - 1  # the dot's own line is not text
            # Test `over` first: a text that was thrown away is no longer in the buffer.
            self.over = self.over or end > self._max_bytes or self.lines > self._max_lines
            return rest
        self.lines += block.count(b"\n")
        # Exact even before the end: the last two of these bytes may be "." and CR of the end, and no line feed here is
        # the end's.
        if len(buffer) - 4 > self._max_bytes or self.lines > self._max_lines:
            self.over = True
        if self.over:
            del buffer[:-4]
        return None

    def content(self) -> bytes:
        """The whole text, unstuffed (RFC 5321 4.5.2). Call it only after the end, if `over` is False, and only once: it
        gives the buffer away, because sixty texts of a megabyte need not be in memory twice."""
        text, self._buffer = bytes(self._buffer), bytearray()
        return text.replace(b"\r\n.", b"\r\n")[2:] if b"\r\n." in text else text[2:]


_LONGEST = 1000
"""Bytes of a command line; RFC 5321 4.5.3.1.4 asks for 512 and room for parameters."""

WITH_ADDRESS = (b"MAIL ", b"RCPT ")
"""The beginnings of commands that may hold UTF-8, in their address (RFC 6531 3.3)."""


def command_text(line: bytes) -> str | None:
    """A command line as text; None if it is too long or holds forbidden octets. Strict UTF-8 has no surrogates, which
    would break later code (S12)."""
    if len(line) > _LONGEST:
        return None
    if line.isascii():
        return line.decode("ascii")
    try:
        return line.decode() if line[:5].upper() in WITH_ADDRESS else None
    except UnicodeDecodeError:
        return None


_UTF8 = r"\x80-\ud7ff\ue000-\U0010ffff"  # RFC 6531 3.3: any character that is not ASCII, and no surrogate
_LOCAL = rf"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~.{_UTF8}-]{{1,255}}"
"""RFC 5321 4.5.3.1.1 allows 64, but senders of bulk mail and forwarders put a whole address into it (VERP, SRS)."""
_QUOTED = rf'"(?:[ !#-\[\]-~{_UTF8}]|\\[ -~]){{0,62}}"'
_DOMAIN = rf"[A-Za-z0-9_{_UTF8}](?:[A-Za-z0-9_.{_UTF8}-]{{0,253}}[A-Za-z0-9_{_UTF8}])?\.?|\[[A-Za-z0-9.:-]{{1,64}}\]"
_ROUTE = r"(?:@[A-Za-z0-9.,@-]{1,255}:)?"  # RFC 5321 app. C: must be understood, may be ignored
_PATH = re.compile(rf"<(?:{_ROUTE}((?:{_LOCAL}|{_QUOTED})@(?:{_DOMAIN}))|([Pp][Oo][Ss][Tt][Mm][Aa][Ss][Tt][Ee][Rr]))?>")


def read_path(text: str) -> tuple[str, str] | None:
    """The address in `<...>` and the text after it; ("<>", ...) for the null path, None if it is not a path.

    Stricter than aiosmtpd (S12): brackets are required, comments are not allowed, and only the address itself may hold
    non-ASCII characters (RFC 6531); `text` has no surrogates. A bare `postmaster` is an address (RFC 5321 4.1.1.3).
    """
    found = _PATH.match(text)
    if found is None:
        return None
    rest = text[found.end() :]
    if rest and not (rest.startswith(" ") and rest.isascii()):
        return None
    return found[1] or found[2] or "<>", rest


def plain_ip(peer: object) -> str:
    """The address in a socket's `peername`, IPv4 written as IPv4 even on an IPv6 socket; "" on a unix socket."""
    if not isinstance(peer, tuple) or not peer:
        return ""
    text = str(peer[0]).partition("%")[0]
    return text[7:] if text.startswith("::ffff:") and "." in text else text


def source_of(ip: str) -> str:
    """What the per-IP limits count: the IPv4 address itself, or the /64 of IPv6, because one host owns all of it."""
    if ":" not in ip:
        return ip
    return str(ipaddress.IPv6Network((ip, 64), strict=False).network_address)


WIDER = {24: 3, 56: 2, 48: 4}
"""Whoever has one address often has more around it. So the IPv4 /24 and the IPv6 /56 and /48 are counted as well, and
may have this many times what one source may have."""


@lru_cache(maxsize=1024)
def sources_of(ip: str) -> Mapping[str, int]:
    """What is counted for this IP, its source and the networks around it; and how many times as much as one source each
    may have."""
    if not ip:
        return {"": 1}
    ip = ip.partition("%")[0]  # the zone of a link-local address
    widths = (56, 48) if ":" in ip else (24,)
    wide = {str(ipaddress.ip_network((ip, bits), strict=False)): WIDER[bits] for bits in widths}
    return {source_of(ip): 1, **wide}


def exemption(networks: Sequence[str]) -> Callable[[str], bool]:
    """A test whether an IP is in one of `networks` ("127.0.0.1", "10.0.0.0/8"); a unix socket always is.

    Raises ValueError for a text that is neither address nor network.
    """
    known = [ipaddress.ip_network(text, strict=False) for text in networks]

    @lru_cache(maxsize=1024)
    def exempt(ip: str) -> bool:
        if not ip or not known:
            return not ip
        address = ipaddress.ip_address(ip)
        return any(address in network for network in known)

    return exempt


class Places:
    """How many places each network has at the moment. `each`: as many as one source may have; what is `exempt` may have
    any number, and does not use up what its neighbours may have."""

    __slots__ = ("_each", "_exempt", "_held")

    def __init__(self, each: int, exempt: Callable[[str], bool]) -> None:
        self._each = each
        self._exempt = exempt
        self._held: dict[str, int] = {}

    def full(self, ip: str, part: int = 1) -> bool:
        """Whether nobody else from this IP may come in. `part`: by this the places are divided."""
        return not self._exempt(ip) and any(
            self._held.get(source, 0) * part >= times * self._each for source, times in sources_of(ip).items()
        )

    def held(self, ip: str) -> int:
        """The places of this IP alone, without its neighbours."""
        return self._held.get(source_of(ip), 0)

    def take(self, ip: str, more: int = 1) -> None:
        """This IP has one place more; with -1 one less."""
        for source in () if self._exempt(ip) else sources_of(ip):
            self._held[source] = self._held.get(source, 0) + more
            if not self._held[source]:
                del self._held[source]


class Pace:
    """Adds up what each source does in the current window of so many seconds, a minute if nothing is said; the clock
    is an argument, seconds of any origin. `most`: in one window, 0 for any amount."""

    __slots__ = ("_most", "_spent", "_window", "begun")

    def __init__(self, most: float, window: int = 60) -> None:
        self._most = most
        self._window = window
        self.begun = 0
        """The number of the window."""
        self._spent: dict[str, float] = {}

    def over(self, sources: Mapping[str, int], now: float) -> bool:
        """Whether one of these sources, each of which may have so many times the limit, has reached it. Forgets
        everyone when a new window begins."""
        begun = int(now // self._window)
        if begun != self.begun:
            self.begun = begun
            self._spent.clear()
        return bool(self._most) and any(
            self._spent.get(source, 0) >= times * self._most for source, times in sources.items()
        )

    def used(self, sources: Mapping[str, int]) -> float:
        """The most that one of these sources has done, as if each had a single limit."""
        return max((self._spent.get(source, 0) / times for source, times in sources.items()), default=0.0)

    def add(self, sources: Iterable[str], amount: float = 1) -> None:
        """Counts this for each of the sources."""
        for source in sources if self._most else ():
            self._spent[source] = self._spent.get(source, 0) + amount

    def spend(self, sources: Mapping[str, int], now: float) -> bool:
        """Counts one event; False, and nothing is counted, if the limit is reached."""
        if self.over(sources, now):
            return False
        self.add(sources)
        return True


class Disk:
    """Whether the disk is too full to take anything more, from mails and from forms. `least`: octets that must be free,
    0 for no limit; `free`: how many are; `clock`: seconds of any origin."""

    __slots__ = ("_clock", "_free", "_full", "_least", "_looked")

    def __init__(self, least: int, free: Callable[[], int], clock: Callable[[], float]) -> None:
        self._least, self._free, self._clock = least, free, clock
        self._looked, self._full = -1, False

    def full(self) -> bool:
        """Looks once a second: the disk does not fill faster than the margin in `least`."""
        second = int(self._clock())
        if self._least and second != self._looked:
            self._looked, self._full = second, self._free() < self._least
        return self._full
