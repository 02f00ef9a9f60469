"""`mailbot doctor`: is the server well? Each check gives facts, lines for people, and troubles to act on.

It changes nothing, and no check takes longer than TIME. A report has no player's address in it.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import click

from mailbot.core.letters.times import duration
from mailbot.shell.config.load import Config, ConfigError, relay_password
from mailbot.shell.config.opening import backup_stamp, other_address
from mailbot.shell.config.preflight import nameless_front, preflight, to_nobody, without_password
from mailbot.shell.console.line import reading, state
from mailbot.shell.post.relay import Relay
from mailbot.shell.smtp import queued
from mailbot.store import outbox, reports
from mailbot.store.connection import Unusable
from mailbot.store.reports import Trouble

TIME = 10.0
"""Seconds within which the relay and the running server must answer."""

DAY = 86_400
BACKUP_LATE = 8 * DAY
"""A weekly backup may come a day late."""
UNTAKEN, UNSENT = 600, 3600
"""Seconds for which Postfix may fail to reach this server, and other servers. A restart takes seconds."""
WAITED = 4 * 3600
"""Seconds for which a letter, or a mail for this server, may wait for any reason, such as greylisting."""
CROWD = 2000
"""Letters to one domain. When Postfix has 50,000 at hand (config/postfix.sh), all mail stands still."""
SEVERAL = 2
"""Domains whose servers it must fail to reach, for one alone may be down."""
DOUBTS = (
    "the machine says an earlier time than when the server was there the last time; the server does not believe it for"
    " ten minutes, and then does. Is it right? See docs/install.md, section 3"
)
AGAIN = "See: mailq; to try again at once: postqueue -f"
TABLES = "Are [mail] name and domain those in the tables of the mail server?"
_FORM = "1-1-1-1-aaaaaaaaaaaaaaaaaaaa"
"""The form of a token, which fits nothing."""
LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(slots=True)
class Report:
    """The findings. `facts`: numbers and words by name, None where a fact could not be found out."""

    facts: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    def as_text(self) -> str:
        """The lines, then one for each trouble."""
        return "\n".join([*self.lines, *(f"TROUBLE: {one.said}" for one in self.troubles)])

    def as_json(self) -> str:
        """One object: well, facts, troubles."""
        troubles = [one._asdict() for one in self.troubles]
        return json.dumps({"well": not troubles, "facts": self.facts, "troubles": troubles})


def examine(config: Config, environ: Mapping[str, str], now: int) -> Report:
    """Runs all checks. Does not raise."""
    report = Report()
    report.lines.append(f"settings: {config.source}")
    try:
        preflight(config, environ)
    except ConfigError as error:
        report.troubles.append(Trouble("config", str(error)))
    _database(config, now, report)
    _server(config, report)
    report.lines += [f"WARNING: {said}" for said in nameless_front(config)]
    report.troubles += asyncio.run(relay(config, environ))
    _queue(config, now, report)
    _backup(config, now, report)
    return report


def _database(config: Config, now: int, report: Report) -> None:
    try:
        db = reading(config)
    except click.ClickException as error:
        report.troubles.append(Trouble("database", error.message))
        return
    health, said = reports.health(db, now), other_address(config, db)
    db.close()
    if said:
        report.troubles.append(Trouble("config", said))
    free, enough = shutil.disk_usage(config.store.path.parent).free, config.limits.min_free_bytes
    report.facts |= health.facts | {"disk_free_bytes": free}
    report.lines += health.lines
    report.troubles += health.troubles
    if free < enough:
        said = f"only {free // 1_000_000} MB of disk are free: mails are put off until there is more"
        report.troubles.append(Trouble("disk", said))
    if not config.bots.workers and not config.bots.fleet and health.facts.get("boards_for_computer"):
        said = "boards wait for a computer player, and [bots] workers is 0"
        report.troubles.append(Trouble("computer", said))


def lives(config: Config) -> Report:
    """Whether the running server answers, and nothing else: what a restart can mend. Does not raise."""
    report = Report()
    _answering(config, report)
    return report


def _answering(config: Config, report: Report) -> dict[str, Any] | None:
    """What the running server says of itself; None if it does not answer."""
    running: dict[str, Any] | None = None
    trouble = ""
    try:
        running = state(config, TIME)
    except ConnectionError:
        trouble = "the server is not running"
    except PermissionError:
        trouble = "this user may not ask the server; try: sudo -u mailbot mailbot doctor"
    except TimeoutError:
        trouble = f"the server runs, but has not answered within {TIME:g} seconds"
    except (ValueError, OSError):
        trouble = "the server runs, but cannot say how it is; is it as new as this, and can its disk be written?"
    report.facts["server"] = running
    report.lines.insert(0, f"server: {'not running' if 'not running' in trouble else 'running'}")
    if trouble:
        report.troubles.append(Trouble("server", trouble))
    return running


def _server(config: Config, report: Report) -> None:
    running = _answering(config, report)
    report.troubles += _workers(config, running)
    report.troubles += _strays(config, running)
    if running and config.web.enabled:
        report.troubles += _page(config)
    if running and running.get("spent"):
        said = f"strangers get no more letters in this hour ({', '.join(running['spent'])}): their mail waits or is"
        said += " dropped; see Caps in docs/install.md"
        report.troubles.append(Trouble("limits", said))
    if running and running.get("doubts"):
        said = (
            "the machine says an earlier time than when the server was there the last time; the server does not believe"
        )
        said += " it for ten minutes, and then does. Is it right? See docs/install.md, section 3"
        report.troubles.append(Trouble("clock", said))
    if running and running.get("relay"):
        report.troubles.append(Trouble("relay", f"the server finds the way out closed: {running['relay']}"))


def _page(config: Config) -> Iterator[Trouble]:
    """Asks the page for its help, under the name that browsers know it by."""
    web = config.web
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(web.host, web.host)  # noqa: S104 - compared, not listened on
    line = HTTPConnection(host, web.port, timeout=TIME)
    try:
        line.request("GET", "/help", headers={"Host": urlsplit(web.url).netloc} if web.url else {})
        if (status := line.getresponse().status) != HTTPStatus.OK:
            yield Trouble("page", f"the page answers {status}; is [web] url what browsers ask for?")
    except TimeoutError:
        yield Trouble("page", f"the page has not answered within {TIME:g} seconds")
    except (OSError, HTTPException):
        yield Trouble("page", f"the page does not answer on port {web.port}")
    finally:
        line.close()


def _strays(config: Config, running: Mapping[str, Any] | None) -> Iterator[Trouble]:
    """A mail server in front lets only addresses through that exist. If none of them does here, it knows others."""
    told = running or {}
    if config.mail.front == "mta" and told.get("astray") and not told.get("ours"):
        said = f"since the start {told['astray']} mails came for others and none for {config.mail.address}: they are"
        yield Trouble("address", f"{said} dropped. {TABLES}")


def _workers(config: Config, running: Mapping[str, Any] | None) -> Iterator[Trouble]:
    wanted = config.bots.workers
    if config.bots.fleet:
        if running and running.get("fleet"):
            yield Trouble("computer", running["fleet"])
    elif wanted and not find_spec("numba"):
        said = f"[bots] workers is {wanted}, but numba is not installed: no computer player can think; set it to 0, or"
        yield Trouble("computer", f"{said} install mailbot with its extra 'bots'")
    elif running and running.get("workers") != wanted:
        said = f"the server runs with {running.get('workers')} workers for computer players, and [bots] workers is"
        yield Trouble("computer", f"{said} {wanted}; restart it")
    if running and running.get("given_up"):
        said = f"computer players have given up {running['given_up']} boards; the log names them"
        yield Trouble("computer", f"{said}, and a restart tries again")


async def relay(config: Config, environ: Mapping[str, str], seconds: float = TIME) -> list[Trouble]:
    """Greets the relay as the server does: EHLO, STARTTLS and the password, if they are set and can be read. Begins a
    mail, and sends none; to this server itself, if the relay is the mail server in front."""
    asked = config.relay
    if not asked.host:
        return [Trouble("relay", said) for said in to_nobody(config)]
    anonymous = without_password(config, environ)
    try:
        password = None if anonymous else relay_password(asked, environ)
    except ConfigError:
        return []  # `preflight` reports that
    way = Relay(
        asked.host,
        asked.port,
        hostname=config.mail.domain,
        starttls=asked.starttls,
        username=None if anonymous else asked.username,
        password=password,
        timeout=seconds,
    )
    own = _own(config) if asked.host in LOCAL else []
    place = f"the relay ({asked.host} port {asked.port})"
    try:
        async with asyncio.timeout(seconds):
            sender = f"bounce@{config.mail.domain}"
            if not await (way.ready() if anonymous else way.takes(sender)):
                return [Trouble("relay", f"{place} cannot be used: {way.trouble}")]
            name = way.name
            refused = [] if anonymous else [one for one in own if not await way.takes(sender, one)]
            deaf = ""
            if config.operator.address and not anonymous and not await way.takes(sender, config.operator.address):
                deaf = way.trouble
            await way.close()
    except TimeoutError:
        return [Trouble("relay", f"{place} has not answered within {seconds:g} seconds")]
    if name == config.mail.domain:
        return [Trouble("relay", f"{place} is mailbot itself")]
    found = [Trouble("address", f"the mail server in front refuses mail for {one}. {TABLES}") for one in refused[:1]]
    if deaf.startswith(("5", "454 4.7.1")):  # a greylist says 450, and Postfix 454 to a machine that may not send
        found.append(Trouble("relay", f"{place} takes no letter for the [operator] address: {deaf}"))
    return found


def _own(config: Config) -> list[str]:
    """The addresses that the mail server on this machine must take mail for, with one of each form for replies."""
    if config.mail.front != "mta":
        return []
    found = []
    for address in config.mail.addresses:
        name, _, domain = address.partition("@")
        found += [address, f"{name}+p{_FORM}@{domain}", f"bounce+b{_FORM}@{domain}"]
    return found


def _queue(config: Config, now: int, report: Report) -> None:
    """Looks into the queue of a Postfix on this machine, if one passes mail on for us."""
    lines = queued.listed(TIME)
    if config.mail.front == "mta":
        report.troubles += [Trouble("queue", said) for said in _postfix(config)]
    elif isinstance(lines, list) and queued.hands_over(TIME):
        said = (
            'Postfix uses the tables of postfix.sh, but [mail] front is not "mta": it returns what this server refuses'
        )
        report.troubles.append(Trouble("queue", f"{said} to senders who may be forged"))
    if config.mail.front != "mta" and config.relay.host not in LOCAL:
        return
    if lines is None or isinstance(lines, int):
        if lines and queued.TABLE.exists():
            said = (
                f"Postfix does not show its queue (postqueue ends with {lines}): is it running, and may this user ask"
            )
            report.troubles.append(Trouble("queue", f"{said} (authorized_mailq_users)?"))
        return
    try:
        with closing(reading(config)) as db:
            own, anybody = (config.operator.address or "").lower(), reports.has_arrived(db)

            def known(address: str) -> bool:
                return not anybody or address.lower() == own or outbox.is_current(db, address)

            found = queued.read(lines, config.mail.domain, now, known)
            several = min(SEVERAL, max(1, outbox.owners(db, SEVERAL)))
    except (click.ClickException, Unusable):  # `_database` reports that
        return
    report.facts |= {f"queue_{name}": value for name, value in found._asdict().items()}
    waits = f", the oldest for {duration(found.oldest)}" if found.oldest else ""
    report.lines.append(f"in Postfix: {found.letters} letters from here, {found.mails} mails for here{waits}")
    if found.untaken > UNTAKEN:
        said = f"a mail for this server has waited in Postfix for {duration(found.untaken)}; at the last try Postfix"
        said += f" did not reach this server. Is the port in its transport table that of [listen]? {AGAIN}"
        report.troubles.append(Trouble("queue", said))
    elif found.waits > WAITED:
        said = f"a mail for this server has waited in Postfix for {duration(found.waits)}. See: mailq"
        report.troubles.append(Trouble("queue", said))
    if found.crowd > CROWD:
        said = (
            f"{found.crowd} letters to one domain wait in Postfix; see: mailq. If its mail server puts all letters off,"
        )
        report.troubles.append(Trouble("queue", f"{said} stop its players: mailbot admin lock NAME"))
    if found.unsent > UNSENT and found.domains >= several:
        said = (
            f"letters have waited in Postfix for {duration(found.unsent)}: it cannot reach the mail servers of players"
        )
        said += f" (domains: {found.domains}). May this machine connect to port 25 elsewhere? {AGAIN}"
        report.troubles.append(Trouble("queue", said))
    elif found.late > WAITED and found.late_domains >= several:
        said = f"letters have waited in Postfix for {duration(found.late)} (domains: {found.late_domains}). See: mailq"
        report.troubles.append(Trouble("queue", said))


def _postfix(config: Config) -> Iterator[str]:
    """What is wrong with the settings of the Postfix in front."""
    if queued.is_closed(TIME):
        yield "Postfix listens on this machine alone, so no mail comes in; see inet_interfaces in /etc/postfix/main.cf"
    own = _own(config)
    if queued.knows_nothing_of(config.mail.domain, config.mail.front_name or "", TIME):
        yield (
            f"Postfix takes no mail for {config.mail.domain} from elsewhere, and has no table of mailbot's; run"
            " postfix.sh (config/postfix.md)"
        )
    for domain in dict.fromkeys(one.rpartition("@")[2] for one in own):
        if not queued.takes(domain, TIME):
            yield f"Postfix takes no mail for {domain} from elsewhere; see relay_domains in /etc/postfix/main.cf"
    for setting, said in (
        (queued.TRANSPORT, "does not know where mail for {} goes, and sends it back"),
        (queued.RECIPIENTS, "refuses mail for {}"),
    ):
        if lost := queued.lost(setting, own, TIME):
            yield f"Postfix {said.format(lost[0])}; see {setting} in /etc/postfix/main.cf and its tables"
    if (name := config.mail.front_name) and not queued.is_called(name, TIME):
        yield f"Postfix is not called {name} (myhostname), so [mail] front_name fits none of its headers"


def _backup(config: Config, now: int, report: Report) -> None:
    """Checks the last backup that `mailbot backup` noted. A server without a relay is for trying out and needs none."""
    try:
        age = now - int(backup_stamp(config.store.path).stat().st_mtime)
        age = max(0, age) if age > -DAY else BACKUP_LATE + 1  # a clock was ahead, so that the time says nothing
    except OSError:
        age = None
    report.facts["backup_age_seconds"] = age
    report.lines.append(f"last backup: {'never' if age is None else f'{age // DAY} days ago'}")
    since = report.facts.get("age_seconds") if age is None else age
    if config.relay.host and since is not None and since > BACKUP_LATE:
        said = "there is no backup" if age is None else f"the last backup is {age // DAY} days old"
        report.troubles.append(Trouble("backup", f"{said}; see: mailbot backup"))


def note_backup(config: Config, now: int) -> None:
    """Notes that a backup has been made. Raises OSError."""
    stamp = backup_stamp(config.store.path)
    stamp.unlink(missing_ok=True)  # it may belong to root, who made an earlier backup
    stamp.touch()
    os.utime(stamp, (now, now))
