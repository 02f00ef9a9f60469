"""The rest of the internet, for the machine of an operator: names, another Postfix, mailboxes, people and browsers."""

import email
import re
import smtplib
import socket
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

from mailbot.shell.console import postman
from tests.prove.operating.documents import ROOT
from tests.prove.operating.machines import Machine, until
from tests.shell.web.visitor import Answer

GAMES = "mailbot@games.example.org"
MX = "203.0.113.25"
DOMAINS = ("example.com", "example.net", "example.org")
PACKAGES = ("postfix", "dnsmasq", "opendkim", "opendmarc", "postfix-policyd-spf-python", "swaks")
BOXES = Path("var/mail/boxes")

POSTFIX = f"""
postconf -e 'myhostname = mx.example.com' 'mydestination = localhost' 'inet_protocols = ipv4'
postconf -e 'mynetworks = 127.0.0.0/8 198.51.100.0/24' 'local_recipient_maps ='
postconf -e 'virtual_mailbox_domains = {" ".join(DOMAINS)}' 'virtual_mailbox_base = /{BOXES}'
postconf -e 'virtual_mailbox_maps = texthash:/etc/postfix/boxes' 'virtual_uid_maps = static:5000'
postconf -e 'virtual_gid_maps = static:5000' 'virtual_minimum_uid = 100' 'minimal_backoff_time = 5s'
postconf -e 'maximal_backoff_time = 5s' 'queue_run_delay = 5s' 'smtpd_client_connection_rate_limit = 0'
postconf -e 'smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination'
postconf -e 'smtpd_recipient_restrictions = permit_mynetworks, check_policy_service unix:private/spf'
postconf -Me 'spf/unix=spf unix - n n - 0 spawn user=nobody argv=/usr/bin/policyd-spf'
postconf -e 'smtpd_milters = inet:127.0.0.1:8891, inet:127.0.0.1:8893'
touch /etc/postfix/boxes
install -d -o 5000 -g 5000 /{BOXES}
systemctl restart opendkim opendmarc postfix
"""

FILES = {
    "etc/postfix-policyd-spf-python/policyd-spf.conf": "skip_addresses = 127.0.0.0/8\n",
    "etc/opendkim.conf": """
Socket          inet:8891@127.0.0.1
PidFile         /run/opendkim/opendkim.pid
UserID          opendkim
AuthservID      mx.example.com
Nameservers     127.0.0.1
Mode            v
""",
    "etc/opendmarc.conf": """
Socket              inet:8893@127.0.0.1
PidFile             /run/opendmarc/opendmarc.pid
UserID              opendmarc
AuthservID          mx.example.com
TrustedAuthservIDs  mx.example.com
PublicSuffixList    /usr/share/publicsuffix/public_suffix_list.dat
""",
}


def names(zone: str, key: str) -> str:
    """A file of DNS records as a configuration of dnsmasq. `key`: the record that OpenDKIM has made."""
    lines = ["no-resolv", "no-hosts", "bind-dynamic", "local=/#/"]
    lines += [f"host-record=mx.example.com,{MX}", *(f"mx-host={one},mx.example.com,10" for one in DOMAINS)]
    for name, kind, value in re.findall(r"^([\w.]+)\.\s+(A|MX|TXT)\s+(.+)$", zone, re.MULTILINE):
        if kind == "A":
            lines.append(f"host-record={name},{value.strip()}")
        elif kind == "MX":
            lines.append(f"mx-host={name},{value.split()[1].rstrip('.')},{value.split()[0]}")
        else:
            lines.append(f"txt-record={name},{value.strip()}")
    if key:
        # A record longer than 255 octets is several strings.
        lines.append("txt-record=games._domainkey.games.example.org," + ",".join(re.findall('"[^"]*"', key)))
    return "\n".join(lines) + "\n"


class Internet:
    """Everything that is not the operator's machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def build(self) -> None:
        """Installs it on its machine."""
        install = self.machine.run
        install("mkdir -p /etc/dnsmasq.d; adduser --system --uid 5000 boxes 2>&1 || true")
        self.tell("")
        install(f"apt-get install --no-install-recommends {' '.join(PACKAGES)} 2>&1")
        for path, text in FILES.items():
            (self.machine.root / path).write_text(text)
        install(POSTFIX)

    def tell(self, key: str) -> None:
        """What the name server knows."""
        folder = self.machine.root / "etc/dnsmasq.d"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "names").write_text(names((ROOT / "config/dns.zone").read_text(), key))
        self.machine.run("systemctl restart dnsmasq || true")

    def mailbox(self, *addresses: str) -> None:
        """People get mailboxes."""
        boxes = self.machine.root / "etc/postfix/boxes"
        kept = [line for line in boxes.read_text().splitlines() if line.split()[0] not in addresses]
        new = [f"{one} {one.rpartition('@')[2]}/{one.rpartition('@')[0]}/" for one in addresses]
        boxes.write_text("\n".join([*kept, *new]) + "\n")
        self.machine.run("postfix reload 2>&1")

    def without(self, address: str) -> None:
        """A mailbox that is no more."""
        boxes = self.machine.root / "etc/postfix/boxes"
        boxes.write_text("".join(line for line in boxes.read_text().splitlines(True) if not line.startswith(address)))
        self.machine.run("postfix reload 2>&1")

    def hurry(self) -> None:
        """All that waits is tried again now."""
        self.machine.run("postqueue -f")

    def received(self, address: str) -> list[EmailMessage]:
        """The letters in a mailbox, oldest first."""
        name, _, domain = address.rpartition("@")
        folder = self.machine.root / BOXES / domain / name / "new"
        paths = (
            sorted(folder.glob("*"), key=lambda path: (path.stat().st_mtime_ns, path.name)) if folder.exists() else []
        )
        return [email.message_from_bytes(path.read_bytes(), policy=default) for path in paths]


class Person:
    """Somebody with a mailbox and a mail program, at a network of theirs."""

    def __init__(self, internet: Internet, address: str, network: str = "198.51.100.7") -> None:
        self.internet, self.address, self.network = internet, address, network
        self.playing = address.partition("@")[0]
        self.password = f"{self.playing}-quiet-river-42"
        internet.mailbox(address)
        self.up_to_date()

    def post(self, raw: bytes, options: Sequence[str] = (), sender: str | None = None, to: str = GAMES) -> None:
        """Hands a mail to the provider's server."""
        with smtplib.SMTP(
            MX, 25, local_hostname="laptop.example.com", source_address=(self.network, 0), timeout=60
        ) as smtp:
            smtp.ehlo()
            smtp.mail(self.address if sender is None else sender, [*options])
            code, said = smtp.rcpt(to, [])
            assert code == 250, (code, said)
            code, said = smtp.data(raw)
            assert code == 250, (code, said)

    def write(self, subject: str, body: str = "") -> EmailMessage:
        """Sends an ordinary mail."""
        mail = postman.write(self.address, GAMES, subject, body, datetime.now(UTC))
        self.post(mail.as_bytes())
        return mail

    def answer(self, letter: EmailMessage, body: str) -> EmailMessage:
        """Answers a letter as most mail programs do: above a quotation."""
        mail = postman.answer(letter, self.address, body, datetime.now(UTC))
        self.post(mail.as_bytes(), to=str(mail["To"]))
        return mail

    def letters(self) -> list[EmailMessage]:
        return self.internet.received(self.address)

    def next(self, about: str, patience: float = 90.0) -> EmailMessage:
        """The next letter with this in its Subject or text; those before it are read, too."""

        def found() -> EmailMessage | None:
            letters = self.letters()
            for number, letter in enumerate(letters[self.read :], self.read + 1):
                if re.search(about, f"{letter['Subject']}\n{postman.text(letter)}"):
                    self.read = number
                    return letter
            return None

        letter = until(found, f"a letter about {about!r} to {self.playing}, after letter {self.read}", patience)
        assert letter
        return letter

    def up_to_date(self) -> None:
        """Has read everything."""
        self.read = len(self.letters())


class Browser:
    """A browser at a network of its own, which trusts the operator's certificate."""

    def __init__(self, network: str, authority: Path | None, host: str = "games.example.org") -> None:
        self.network, self.authority, self.host = network, authority, host
        self.cookies: dict[str, str] = {}

    def open(self, method: str, target: str, body: bytes = b"", **headers: str) -> tuple[HTTPConnection, HTTPResponse]:
        """The answer, not yet read."""
        raw = socket.create_connection(("203.0.113.5", 443), 60, (self.network, 0))
        context = ssl.create_default_context(cafile=str(self.authority))
        connection = HTTPConnection(self.host)
        connection.sock = context.wrap_socket(raw, server_hostname=self.host)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            given["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, target, body or None, given)
        return connection, connection.getresponse()

    def ask(self, method: str, target: str, body: bytes = b"", **headers: str) -> Answer:
        connection, answer = self.open(method, target, body, **headers)
        text = answer.read()
        connection.close()
        for value in answer.headers.get_all("set-cookie") or []:
            for morsel in SimpleCookie(value).values():
                self.cookies[morsel.key] = morsel.value
        told = [(name.lower(), value) for name, value in answer.getheaders()]
        return Answer(answer.status, told, text.decode("utf-8", "replace"), target)

    def get(self, target: str, **headers: str) -> Answer:
        return self.ask("GET", target, **headers)

    def fill(self, page: Answer, action: str, **fields: str) -> Answer:
        """Sends the form of a page with these fields filled in."""
        form = page.form(action)
        assert {*fields} <= {*form.fields}, (form.fields, fields)
        if form.method.lower() != "post":
            return self.get(f"{action}?{urlencode(form.fields | fields)}")
        content = {"Content_Type": "application/x-www-form-urlencoded", "Origin": f"https://{self.host}"}
        return self.ask("POST", action, urlencode(form.fields | fields).encode(), **content)

    def reaches(self) -> bool:
        try:
            return self.get("/").status == 200
        except (OSError, HTTPException):
            return False
