"""Finds beforehand what would stop a start: files, folders, addresses and credentials that the settings name."""

import os
import socket
import ssl
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from mailbot.shell.config.kinds import place
from mailbot.shell.config.load import ANYWHERE, LOOPBACK, Config, ConfigError, catalogue_of, relay_password
from mailbot.shell.control import socket_beside
from mailbot.shell.proof.operator import configured

CREDENTIALS = Path("/run/credentials")
"""Here systemd puts the files of `LoadCredential=`, for the service alone and while it runs (systemd.exec(5))."""

SOCKET_OCTETS = 107
"""The longest path of a Unix socket (unix(7): 108 with the zero at its end)."""

SQLITE = b"SQLite format 3\0"
"""How a database begins, unless it is empty (sqlite.org/fileformat.html, 1.3)."""

WIDEST = {4: 8, 6: 16}
"""The shortest prefix of a network that somebody might own, by IP version; a shorter one is a mistake."""


def preflight(config: Config, environ: Mapping[str, str]) -> list[str]:
    """Raises ConfigError for a setting that would stop a start or send mail in circles. Returns a sentence for each
    setting that cannot be judged yet, such as before the first start."""
    catalogue_of(config)
    _check_hosts(config)
    if _relays_to_itself(config):
        raise ConfigError(
            f"{config.source}: [relay] host and port are where mailbot itself listens; letters would come back to it"
        )
    return [
        *_credentials(config, environ),
        *_fleet(config, environ),
        *_folders(config),
        *_operator(config),
        *to_nobody(config),
        *nameless_front(config),
        *without_client(config),
        *_trusting(config),
        *_in_clear(config),
    ]


def tls_context(config: Config) -> ssl.SSLContext | None:
    """The context for STARTTLS, if there is a certificate. Raises ConfigError if the certificate cannot be used."""
    listen = config.listen
    if not listen.tls_cert:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(listen.tls_cert, listen.tls_key)
    except (OSError, ssl.SSLError):
        raise ConfigError(
            f"{config.source}: [listen] tls_cert and tls_key ({listen.tls_cert}, {listen.tls_key}) cannot be read, or "
            "are not a certificate and its key"
        ) from None
    return context


def check_fleet(config: Config) -> None:
    """Raises ConfigError if this machine cannot join the fleet, and names what is missing."""
    bots = config.bots
    if not find_spec("distributed"):
        said = "[bots] fleet is set, but Dask is not installed: install mailbot with its extra 'fleet'"
        raise ConfigError(f"{config.source}: {said}")
    if sys.platform == "linux" and not _readable("/proc/meminfo"):
        said = "[bots] fleet: Dask reads /proc/meminfo, and may not; a service needs ProcSubset=all (docs/fleet.md)"
        raise ConfigError(f"{config.source}: {said}")
    try:
        ssl.create_default_context(cafile=bots.fleet_ca).load_cert_chain(bots.fleet_cert or "", bots.fleet_key)
    except (OSError, ssl.SSLError):
        raise ConfigError(
            f"{config.source}: [bots] fleet_ca, fleet_cert and fleet_key ({bots.fleet_ca}, {bots.fleet_cert},"
            f" {bots.fleet_key}) cannot be read, or are not certificates and the key of the second"
        ) from None


def _readable(path: str) -> bool:
    return os.access(path, os.R_OK)


def _fleet(config: Config, environ: Mapping[str, str]) -> Iterator[str]:
    bots = config.bots
    if not bots.fleet:
        return
    if any(_awaited(path, environ) for path in (bots.fleet_ca, bots.fleet_cert, bots.fleet_key)):
        yield "[bots] fleet: systemd hands its certificates to the service at its start, so they are not checked now"
    else:
        check_fleet(config)


def without_password(config: Config, environ: Mapping[str, str]) -> bool:
    """Whether the relay needs a password that only the running service can read."""
    relay = config.relay
    if relay.username is None or "CREDENTIALS_DIRECTORY" in environ:
        return False
    return relay.password_file is None or _awaited(relay.password_file, environ)


def _awaited(path: Path | None, environ: Mapping[str, str]) -> bool:
    """Whether systemd will provide this file when it starts the service; this process is not the service."""
    return (
        path is not None
        and path.is_relative_to(CREDENTIALS)
        and "CREDENTIALS_DIRECTORY" not in environ
        and not os.access(path, os.R_OK)
    )


def _credentials(config: Config, environ: Mapping[str, str]) -> Iterator[str]:
    later = "systemd hands it to the service at its start, so it is not checked now"
    listen, operator = config.listen, config.operator
    if _awaited(listen.tls_cert, environ) or _awaited(listen.tls_key, environ):
        yield f"[listen] tls_cert and tls_key: {later}"
    else:
        tls_context(config)
    if without_password(config, environ):
        yield f"[relay] the password for username: {later}"
    else:
        relay_password(config.relay, environ)
    if _awaited(operator.password_file, environ):
        yield f"[operator] password_file: {later}"
    else:
        configured(operator, environ)


def _folders(config: Config) -> Iterator[str]:
    path = config.store.path
    if _there(config, "[store] path", path):
        if path.is_dir():
            raise ConfigError(
                f"{config.source}: [store] path is a folder; name the file in it, as in {path}/mailbot.sqlite"
            )
        if not path.is_file():
            raise ConfigError(f"{config.source}: [store] path: {path} is no regular file")
        _check_database(config, path)
    if (octets := len(os.fsencode(beside := socket_beside(path)))) > SOCKET_OCTETS:
        raise ConfigError(
            f"{config.source}: [store] path is too long: with {beside.suffix} at its end it has {octets} octets, and a"
            f" socket can have {SOCKET_OCTETS}"
        )
    folders = {"[store] path": path.absolute().parent}
    if not config.relay.host:
        folders["[relay] maildir"] = maildir = config.relay.maildir.absolute()
        if path.absolute() in (maildir, *maildir.parents):
            raise ConfigError(f"{config.source}: [relay] maildir: {maildir} is where [store] path says the database is")
    for what, folder in folders.items():
        near = next(place for place in (folder, *folder.parents) if _there(config, what, place))
        writable = os.access(near, os.W_OK | os.X_OK)
        if not near.is_dir() or (near == folder and not writable):
            raise ConfigError(f"{config.source}: {what}: nothing can be written in {near}")
        if near != folder:
            service = "systemd makes it for the service (StateDirectory=), otherwise root must"
            who = "mailbot makes it at its first start" if writable else service
            yield f"{what}: the folder {folder} does not exist yet; {who}"


def _check_database(config: Config, path: Path) -> None:
    try:
        with path.open("rb") as file:
            begins = file.read(len(SQLITE))
    except OSError as error:
        why = f"{path} cannot be read ({error.strerror}); are you the server's user?"
        raise ConfigError(f"{config.source}: [store] path: {why}") from None
    if begins not in (b"", SQLITE):
        raise ConfigError(f"{config.source}: [store] path: {path} is not a database of SQLite")


def _there(config: Config, what: str, path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        why = f"{path} cannot be looked at ({error.strerror}); are you the server's user?"
        raise ConfigError(f"{config.source}: {what}: {why}") from None
    return True


def _operator(config: Config) -> Iterator[str]:
    """A sentence if the operator's address is at the server's own domain, or its former one. With `front = "none"`
    reading the file already refuses such an address, because all its mail comes to us."""
    if (config.operator.address or "").lower().partition("@")[2] in config.mail.domains:
        yield (
            "[operator] address is at the server's own domain; the mail server in front must deliver it to you, and not"
            " hand it to mailbot"
        )


def to_nobody(config: Config) -> Iterator[str]:
    """A sentence if the server has a name in the world, and no way out into it."""
    if not config.relay.host and not config.mail.domain.endswith(".localhost"):
        yield f"[relay] host is not set: letters are only written to {config.relay.maildir}, and nobody gets them"


def nameless_front(config: Config) -> Iterator[str]:
    """A sentence for each server in front of which no setting tells from which network it got a mail or a request."""
    if config.mail.front == "mta" and not config.mail.front_name and not config.listen.proxy_protocol:
        yield (
            "[mail] front_name is not set: unless the mail server in front sends XCLIENT or XFORWARD, limits for each"
            " network do not apply, as nothing tells where a mail comes from"
        )
    here = config.mail.front == "mta" and config.relay.host in LOOPBACK
    if here and not any(ip_network(one).is_loopback for one in config.mail.front_peers):
        yield (
            "[mail] front_peers leaves out this machine, where the mail server seems to be: all its mails count for"
            " 127.0.0.1, and wrong passwords of one sender shut everybody out"
        )
    alone = all(ip_network(one).is_loopback for one in config.mail.front_peers) and not config.listen.proxy_protocol
    if config.mail.front == "mta" and alone and not _is_loopback(config.listen.host):
        yield (
            f"[mail] front_peers names only this machine, and [listen] host is {config.listen.host}: if the mail server"
            " in front is elsewhere, or outside the container, add its address, or wrong passwords of one sender shut"
            " everybody out"
        )
    web = config.web
    inside = _is_loopback(web.host) or not all(ip_network(one).is_loopback for one in web.proxies)
    if web.enabled and (web.url or "").startswith("https://") and not inside:
        yield (
            f"[web] proxies names only this machine, and the page listens on {web.host}: if the web server in front is"
            " elsewhere, or outside the container, add its address, or all browsers count as one"
        )


def without_client(config: Config) -> Iterator[str]:
    """A sentence if metrics are wanted, and what writes them is not installed."""
    if config.metrics.listen and not find_spec("prometheus_client"):
        yield (
            "[metrics] listen is set, but prometheus-client is not installed, so there are no metrics: install mailbot"
            " with its extra 'metrics'"
        )


def _trusting(config: Config) -> Iterator[str]:
    """A sentence for each list of trusted networks that holds a large part of the internet."""
    trusted = {
        "[mail] front_peers": (config.mail.front_peers, "may name any network as the source of a mail"),
        "[web] proxies": (config.web.proxies, "may name any network as the source of a request"),
        "[limits] exempt": (config.limits.exempt, "has no limits"),
    }
    for key, (networks, what) in trusted.items():
        for network in map(ip_network, networks):
            if network.prefixlen < WIDEST[network.version]:
                yield f"{key} has {network}: whoever comes from that large network {what}"


def _in_clear(config: Config) -> Iterator[str]:
    """A sentence if browsers on other machines reach the page without encryption."""
    web = config.web
    hosts = {web.host, urlsplit(web.url).hostname or web.host} if web.url else {web.host}
    here = all(map(_is_loopback, hosts))
    if web.enabled and not here and not (web.url or "").startswith("https://"):
        yield (
            "[web] passwords that players type on the page cross the network in clear: put a server with a certificate"
            " in front, and let url begin with https:// (docs/web.md)"
        )


def _check_hosts(config: Config) -> None:
    """Tries the hosts with another port: the running server may use the configured one, or systemd may open it."""
    hosts = {"[listen] host": config.listen.host}
    if config.web.enabled:
        hosts["[web] host"] = config.web.host
    if config.metrics.listen:
        hosts["[metrics] listen"] = place(config.metrics.listen)[0]
    for key, host in hosts.items():
        places = _addresses(host)
        if not places:
            raise ConfigError(f"{config.source}: {key}: the name cannot be resolved to an address")
        if not all(map(_is_local, places)):
            raise ConfigError(f"{config.source}: {key} is no address of this machine")


def _relays_to_itself(config: Config) -> bool:
    relay, listen = config.relay, config.listen
    if relay.host is None or relay.port != listen.port:
        return False
    theirs, ours = _addresses(relay.host), _addresses(listen.host)
    return any(map(_is_local, theirs)) if ours & ANYWHERE else bool(theirs & ours)


def _addresses(host: str) -> set[str]:
    """The IP addresses of a host; none if its name cannot be resolved."""
    try:
        return {str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return set()


def _is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach the host."""
    found = _addresses(host)
    return bool(found) and all(ip_address(one).is_loopback for one in found)


def _is_local(address: str) -> bool:
    """Whether a program on this machine can listen at this IP address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
