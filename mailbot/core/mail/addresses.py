"""Mail addresses: which text is one, which single address a From names, and which addresses are the server's own.

Identity depends on these few functions, so they are strict and small. `email.utils.parseaddr` reads
`alice@example.org)bob@evil.org` as alice and is never used (H2). One address has one spelling here; a text that
does not fit the grammar below is not an address.

    address = dot-atom "@" domain        local part at most 64 octets, all of it at most 254, ASCII only; no % and no !,
                                         by which old mail servers route: `prey%victim.example@relay.example`
    domain  = label *("." label)         two labels or more, or the one word "localhost"
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

MAX_ADDRESS: Final = 254
MAX_LOCAL: Final = 64
MAX_TOKEN: Final = 60

_ATEXT: Final = r"[A-Za-z0-9#$&'*+/=?^_`{|}~-]+"
_ONE_MAILBOX: Final = {
    **dict.fromkeys(("gmail.com", "googlemail.com"), ("gmail.com", ".")),
    **dict.fromkeys(("proton.me", "protonmail.com", "protonmail.ch", "pm.me"), ("proton.me", "._-")),
}
"""Providers that deliver several spellings to one mailbox: by domain, the domain that stands for all of theirs, and the
signs that they ignore before the @ (support.google.com/mail/answer/7436150, proton.me/support/change-username)."""
_LOCAL: Final = re.compile(rf"{_ATEXT}(?:\.{_ATEXT})*", re.ASCII)
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_TOKEN: Final = re.compile(r"[a-z][0-9a-z]*(?:-[0-9a-z]+)*", re.ASCII)

Kind = Literal["server", "token", "bounce", "postmaster", "abuse"]


def parse_addr(text: str) -> str | None:
    """The address in `text` with its domain in lower case, or None if `text` is anything but one address (S12)."""
    local, at, domain = text.strip(" \t").rpartition("@")
    if not at or not text.isascii() or len(local) + 1 + len(domain) > MAX_ADDRESS or len(local) > MAX_LOCAL:
        return None
    domain = domain.lower()
    if not _LOCAL.fullmatch(local) or not _is_domain(domain):
        return None
    return f"{local}@{domain}"


def _is_domain(domain: str) -> bool:
    labels = domain.split(".")
    if len(labels) == 1 and domain != "localhost":
        return False
    return all(_LABEL.fullmatch(label) for label in labels) and not labels[-1].isdigit()


def key(address: str) -> str:
    """The form to compare and look up: to us, mailboxes that differ only in case are the same mailbox."""
    return address.lower()


def mailbox_key(address: str) -> str:
    """The form under which letters are counted: many providers deliver `a+c@d` to `a@d`, and some `a.b` to `ab`."""
    local, _, domain = address.lower().rpartition("@")
    domain, ignored = _ONE_MAILBOX.get(domain, (domain, ""))
    bare = local.partition("+")[0]
    return f"{bare.translate(dict.fromkeys(map(ord, ignored))) or bare}@{domain}"


def consent_key(address: str) -> str:
    """The form under which letters are counted that ask an address for its consent. Spellings of a mailbox with a tag
    (`a+c@d`) count together, apart from those without: where a provider does not deliver them, letters to them must not
    use up those to the mailbox itself."""
    mailbox = mailbox_key(address)
    return mailbox.replace("@", "+@") if "+" in address else mailbox


def mailbox_start(mailbox: str) -> str:
    """What every address of a mailbox (its key) begins with, in lower case."""
    local, _, domain = mailbox.rpartition("@")
    return local[:1] if domain in _ONE_MAILBOX else local


@lru_cache(maxsize=1024)
def sole_address(header: str) -> str | None:
    """The one address of a From or Sender header, or None if it does not name exactly one (C2; RFC 5322 3.4).

    Allowed are `a@b`, `<a@b>`, `words <a@b>` and comments in brackets. A list, a group, a second pair of angle
    brackets, another `@` outside the address, a quoted local part or an unclosed quote is refused, not guessed at.
    """
    bare = _without_quotes_and_comments(header)
    if bare is None:
        return None
    phrase, opened, rest = bare.partition("<")
    if not opened:
        return parse_addr(phrase.strip())
    inside, closed, after = rest.partition(">")
    same = phrase.strip().lower() == inside.strip().lower()  # scanners and web mailers write `a@b <a@b>`
    if not closed or after.strip() or (any(c in "@,;:>" for c in phrase) and not same):
        return None
    return parse_addr(inside)


def _without_quotes_and_comments(header: str) -> str | None:
    """`header` with each quoted string as `"` and each comment as a blank; None if one is unclosed or closed twice."""
    if header.isprintable() and not any(mark in header for mark in '"(\\)'):
        return header
    out: list[str] = []
    depth, quoted, escaped = 0, False, False
    for c in header:
        if c == "\x7f" or (c < " " and c != "\t"):
            return None
        if escaped:
            escaped = False
        elif c == "\\":
            if not quoted and not depth:
                return None
            escaped = True
        elif quoted:
            quoted = c != '"'
        elif c == "(":
            depth += 1
            out.append(" ")
        elif c == ")":
            depth -= 1
            if depth < 0:
                return None
        elif depth:
            pass
        else:
            quoted = c == '"'
            out.append(c)
    return None if quoted or depth or escaped else "".join(out)


class Mailbox(NamedTuple):
    """One of our own mailboxes. `token`: the text after the plus sign, in lower case; "" if there is none."""

    kind: Kind
    token: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """This server's addresses: `local@domain` takes commands, `local+token@domain` takes answers to letters. `former`:
    the address for commands that it had before, "" for none; letters from then can still be answered."""

    domain: str
    local: str = "mailbot"
    former: str = ""

    @property
    def address(self) -> str:
        """The address for commands."""
        return f"{self.local}@{self.domain}"

    @property
    def postmaster(self) -> str:
        """The address that reaches a person."""
        return f"postmaster@{self.domain}"

    @property
    def message_domain(self) -> str:
        """The right side of every Message-ID that we make, and of no other (A10).

        It is not `domain` itself, because players may have their mailboxes, and so their Message-IDs, under that.
        """
        return f"{self.local}.{self.domain}".lower()

    def token_address(self, token: str) -> str:
        """The Reply-To that carries `token`."""
        return f"{self.local}+{token}@{self.domain}"

    def bounce_address(self, token: str = "") -> str:
        """The envelope sender of our letters (B5)."""
        return f"bounce+{token}@{self.domain}" if token else f"bounce@{self.domain}"

    def among(self, addresses: Iterable[str]) -> bool:
        """Whether one of these is a mailbox of ours, to which no letter can go."""
        return any(map(self.classify, addresses))

    @lru_cache(maxsize=1024)  # noqa: B019 - there is one Own, and it lives as long as the process
    def classify(self, recipient: str) -> Mailbox | None:
        """Which of our mailboxes `recipient` is, in any case; None if it is not ours (A7, B5)."""
        if not recipient.isascii():  # the Kelvin sign lower-cases to k
            return None
        if recipient.lower() == "postmaster":
            return Mailbox("postmaster")
        local, _, domain = recipient.lower().rpartition("@")
        here = (self.address.lower().rpartition("@"), self.former.lower().rpartition("@"))
        names = {own for own, _, home in here if own and home == domain}
        if not names:
            return None
        if local in names:
            return Mailbox("server")
        if local in ("postmaster", "abuse", "bounce"):
            return Mailbox(local)  # type: ignore[arg-type]  # narrowed by the tuple above
        name, plus, token = local.partition("+")
        if not plus or len(token) > MAX_TOKEN or not _TOKEN.fullmatch(token):
            return None
        if name in names:
            return Mailbox("token", token)
        return Mailbox("bounce", token) if name == "bounce" else None


def owner(address: str) -> str:
    """The domain that somebody bought: `example.org` of `ann@mail.example.org`, `example.co.uk` of its subdomains.

    The list of public suffixes is long and changes. This knows those of countries that many use; the customers of
    another one (`uk.com`) count as one owner.
    """
    labels = address.rpartition("@")[2].lower().split(".")
    return ".".join(labels[-3:] if ".".join(labels[-2:]) in _PUBLIC else labels[-2:])


_UNDER_COUNTRIES = (
    "ae:ac,co,gov,net,org,sch ar:com,edu,gob,gov,int,mil,net,org,tur at:ac,co,gv,or au:asn,com,edu,gov,id,net,org "
    "ba:com,edu,gov,mil,net,org bd:ac,com,edu,gov,net,org bo:com,edu,gob,net,org "
    "br:adv,art,blog,com,edu,eng,eti,gov,ind,jus,mil,net,nom,org,pro,psc by:com,gov,mil cn:ac,com,edu,gov,net,org "
    "co:com,edu,gov,mil,net,nom,org cr:ac,co,ed,fi,go,or cy:ac,com,gov,ltd,net,org do:com,edu,gob,gov,net,org "
    "ec:com,edu,fin,gob,gov,net,org eg:com,edu,gov,net,org,sci es:com,edu,gob,nom,org fj:ac,com,gov,net,org "
    "fr:asso,com,gouv,nom ge:com,edu,gov,net,org gh:com,edu,gov,org gr:com,edu,gov,net,org gt:com,edu,gob,net,org "
    "hk:com,edu,gov,idv,net,org hn:com,edu,gob,net,org hr:com,from,iz,name hu:2000,co,info,org,priv "
    "id:ac,co,go,mil,my,net,or,sch,web il:ac,co,gov,k12,muni,net,org im:ac,co,com,net,org "
    "in:ac,co,edu,ernet,firm,gen,gov,ind,mil,net,nic,org,res iq:com,edu,gov,net,org ir:ac,co,gov,id,net,org,sch "
    "jm:com,edu,gov,net,org jo:com,edu,gov,net,org,sch jp:ac,ad,co,ed,go,gr,lg,ne,or ke:ac,co,go,ne,or,sc "
    "kr:ac,co,es,go,hs,ms,ne,or,pe,re,sc kw:com,edu,gov,net,org kz:com,edu,gov,net,org lb:com,edu,gov,net,org "
    "lk:ac,com,edu,gov,net,org,sch lv:com,edu,gov,id,net,org ly:com,edu,gov,net,org ma:ac,co,gov,net,org,press "
    "mk:com,edu,gov,inf,name,net,org mo:com,edu,gov,net,org mt:com,edu,net,org "
    "mx:com,edu,gob,net,org my:com,edu,gov,name,net,org mz:ac,co,edu,gov,net,org ng:com,edu,gov,net,org,sch "
    "ni:ac,co,com,edu,gob,net,org np:com,edu,gov,net,org "
    "nz:ac,co,cri,geek,gen,govt,iwi,kiwi,maori,mil,net,org,school om:co,com,edu,gov,net,org "
    "pa:ac,com,edu,gob,net,org pe:com,edu,gob,mil,net,nom,org ph:com,edu,gov,net,ngo,org pk:com,edu,gov,net,org,web "
    "pl:com,edu,gov,info,net,org,waw pt:com,edu,gov,net,org py:com,coop,edu,gov,net,org qa:com,edu,gov,net,org,sch "
    "ro:com,info,nom,org rs:ac,co,edu,gov,in,org ru:ac,com,edu,gov,int,mil,msk,net,org,pp,spb "
    "sa:com,edu,gov,med,net,org,sch sg:com,edu,gov,net,org,per sv:com,edu,gob,org "
    "th:ac,co,go,in,mi,net,or tn:com,edu,gov,ind,net,org "
    "tr:av,bel,biz,com,dr,edu,gen,gov,info,k12,name,net,org,tel,web tw:club,com,edu,game,gov,idv,net,org "
    "tz:ac,co,go,ne,or,sc ua:com,edu,gov,in,kiev,kyiv,lviv,net,od,org ug:ac,co,go,ne,or,org,sc "
    "uk:ac,co,gov,ltd,me,net,nhs,org,plc,police,sch uy:com,edu,gub,mil,net,org uz:co,com,net,org "
    "ve:co,com,edu,gob,info,net,org,web vn:ac,com,edu,gov,info,name,net,org,pro ye:com,edu,gov,net,org "
    "za:ac,co,edu,gov,law,net,nom,org,school,web zm:ac,co,com,edu,gov,net,org zw:ac,co,gov,org"
)
_PUBLIC = frozenset(
    f"{label}.{country}"
    for country, _, labels in (one.partition(":") for one in _UNDER_COUNTRIES.split())
    for label in labels.split(",")
)
"""Domains of countries under which others buy theirs: `co.uk`, `ne.jp` (publicsuffix.org)."""
