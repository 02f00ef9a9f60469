"""`mailbot init`: the files that a new server needs, filled in with its own names."""

import re
import sysconfig
from collections.abc import Callable
from pathlib import Path

import click

from mailbot.shell.config.drafts import EXAMPLE, Server, drafts
from mailbot.shell.config.kinds import ADDRESS, DOMAIN, HOST, LOCAL_PART, Kind
from mailbot.shell.config.load import ConfigError
from mailbot.shell.config.shipped import shipped

HIDDEN = (Path("/home"), Path("/root"), Path("/run/user"))
"""What ProtectHome= in the unit keeps from the service (systemd.exec(5))."""

_SHARED = "/ /etc /home /opt /root /run /srv /tmp /usr /var /var/lib /var/tmp"
SHARED = frozenset(map(Path, _SHARED.split()))
"""Folders that are not the database's alone, as the folder of the database will be."""

PLAIN = re.compile(r"[A-Za-z0-9/._+-]+")
"""Paths that need no quoting, whichever file they stand in."""


def valid(kind: Kind) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Reads an option as a setting of this kind."""

    def read(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
        try:
            return None if value is None else str(kind.read(value))
        except ValueError:
            raise click.BadParameter(f"it must be {kind.wants}") from None

    return read


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--domain", required=True, callback=valid(DOMAIN), help="The domain of the games.")
@click.option("--name", callback=valid(LOCAL_PART), help="What stands before the @.  [default: mailbot]")
@click.option("--host", callback=valid(HOST), help="The name of this machine.  [default: mail. and the domain]")
@click.option("--operator", callback=valid(ADDRESS), help="Who is told of trouble.  [default: root@ and the machine]")
@click.option(
    "--front",
    type=click.Choice(["mta", "none"]),
    default=EXAMPLE.front,
    show_default=True,
    help="What stands in front: a mail server, or nothing.",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, resolve_path=True, readable=False),  # whoever asks may not look into it
    default=EXAMPLE.state,
    show_default=True,
    help="The folder of the database.",
)
def init(
    folder: Path, domain: str, name: str | None, host: str | None, operator: str | None, front: str, state: Path
) -> None:
    """Write the files that a new server needs into FOLDER.

    They are the configuration, the systemd unit, what Postfix and OpenDKIM are told, and the records for the DNS.
    Nothing else is changed, and no file is written over.
    """
    host = host or f"mail.{domain}"  # whose the domain above it is cannot be known
    operator = operator or f"root@{host}"
    program = Path(sysconfig.get_path("scripts"), "mailbot")
    documents = shipped("docs").resolve()
    for path in (state, program, documents):
        if not PLAIN.fullmatch(str(path)):
            raise click.ClickException(f"{str(path)!r} has characters that mean something else in the unit")
    if state in SHARED:
        raise click.ClickException(f"{state} is not for the database alone; choose a folder in it with --state")
    if host == domain:
        raise click.ClickException(f"the machine must not be called {domain} like the games; give its name with --host")
    try:
        files = drafts(Server(domain, host, operator, front, state, program, documents, name or EXAMPLE.name))
        taken = [one for one in files if (folder / one).exists()]
        if taken:
            raise click.ClickException(f"{folder / taken[0]} exists already, so nothing is written")
        folder.mkdir(parents=True, exist_ok=True)
        for one, text in files.items():
            with (folder / one).open("x", encoding="utf-8") as file:
                file.write(text)
    except (ConfigError, OSError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Written to {folder}: {', '.join(files)}.")
    click.echo(f"The games are at {domain}, on {host}; trouble is told to {operator}.")
    click.echo(f"Where each file goes: {documents / 'install.md'}, section 3.")
    for path, instead in (
        (program, "install mailbot elsewhere, for example in /opt"),
        (state, "choose another --state"),
    ):
        if any(path.is_relative_to(place) for place in HIDDEN):
            click.echo(f"note: the service cannot see {path}; {instead}.")
