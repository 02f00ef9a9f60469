"""The command line: `mailbot serve` runs the server; the other commands are for its operator and for trying it out."""

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import smtplib
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import TextIO

import click

from engine.errors import EngineError
from engine.hex import record
from mailbot import __version__
from mailbot.core import pages
from mailbot.core.mail.addresses import Own, parse_addr
from mailbot.core.players import bots
from mailbot.shell.app import App
from mailbot.shell.config.load import Config, ConfigError, catalogue_of, load
from mailbot.shell.config.opening import other_address
from mailbot.shell.config.preflight import preflight
from mailbot.shell.console import demo, doctor, postman, table
from mailbot.shell.console.admin import admin
from mailbot.shell.console.doors import DOORS
from mailbot.shell.console.fleet import fleet
from mailbot.shell.console.init import init
from mailbot.shell.console.line import ask, reading
from mailbot.shell.console.simulate import simulate
from mailbot.shell.keeping.backups import backup
from mailbot.shell.keeping.moving import export, import_
from mailbot.shell.log import journal
from mailbot.shell.minds.work import code_folder
from mailbot.shell.post.letterbox import rules_page
from mailbot.store import connection, reports


class Commands(click.Group):
    """Commands that say in a sentence that the database does not work, as it is full, damaged or locked from outside,
    and that a word is not UTF-8."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except connection.Unusable as error:
            why = connection.said(error)
            said = f"the database does not work: {why}. Look at the disk, and who else uses the file (mailbot doctor)"
            raise click.ClickException(said) from None
        except UnicodeEncodeError:
            raise click.ClickException("the command has octets that are not UTF-8") from None


@click.group(cls=Commands)
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="The configuration file.")
@click.version_option(__version__, prog_name="mailbot")
@click.pass_context
def main(context: click.Context, config_file: Path | None) -> None:
    """A play-by-email server for hexagonal tile games."""
    try:
        context.obj = load(config_file, os.environ)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None


main.add_command(admin)
for kept in (init, backup, export, import_):
    main.add_command(kept)
main.add_command(simulate)
main.add_command(fleet)
for door in DOORS:
    main.add_command(door)


@main.command()
@click.option("--page", is_flag=True, help="Serve the page for browsers, too, as `enabled` in [web] does.")
@click.pass_obj
def serve(config: Config, page: bool) -> None:
    """Run the server until it is told to stop (SIGTERM or Ctrl-C)."""
    if page:
        config = replace(config, web=replace(config.web, enabled=True))
    journal.set_up(config.log.level, sys.stderr, os.environ)

    async def run() -> bool:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        app = App(config, os.environ)

        def ready(port: int) -> None:
            click.echo(_how_to_begin(config, port, app.page.url if app.page else ""))
            app.minds.warm()

        return await app.serve(stop, ready)

    try:
        if not asyncio.run(run()):
            raise click.ClickException("the database can no longer be written; look at the disk and start again")
    except (ConfigError, OSError, RuntimeError) as error:
        raise click.ClickException(str(error)) from None


def _how_to_begin(config: Config, port: int, page: str) -> str:
    """What a newcomer can do now. `page`: the address of the page, "" without one."""
    lines = [f"mailbot is ready: SMTP on {config.listen.host} port {port}, players write to {config.mail.address}."]
    if page:
        lines += [f"In a browser: {page}/"]
    if not config.relay.host:
        lines += [
            f"Letters go into Maildirs below {config.relay.maildir}. To play, in another terminal:",
            "",
            '  mailbot mail ann@example.org "signup ann correct-horse-1"',
            "  mailbot inbox ann@example.org",
            "  mailbot answer ann@example.org yes",
            "",
            "the same for bob@example.org, then",
            "",
            '  mailbot mail ann@example.org "lambo challenge ann bob correct-horse-1"',
            "  mailbot answer bob@example.org accept",
            "  mailbot inbox ann@example.org        (the board, and how to move)",
            "  mailbot answer ann@example.org b1",
        ]
        if Path(sys.prefix, "bin", "mailbot").exists() and not shutil.which("mailbot"):
            folder = os.path.relpath(Path(sys.prefix, "bin"))
            lines += ["", f"(`mailbot` is {folder}/mailbot; `{folder}/mailbot demo` plays a whole game by itself.)"]
    return "\n".join(lines)


def _deliver(config: Config, mail: EmailMessage) -> None:
    listen = config.listen
    try:
        postman.send(mail, "127.0.0.1" if listen.host == "0.0.0.0" else listen.host, listen.port)  # noqa: S104
    except smtplib.SMTPResponseException as error:
        raise click.ClickException(
            f"the server refused the mail: {error.smtp_code} {_text(error.smtp_error)}"
        ) from None
    except smtplib.SMTPRecipientsRefused as error:
        code, said = next(iter(error.recipients.values()))
        raise click.ClickException(f"the server refused the mail: {code} {_text(said)}") from None
    except (OSError, smtplib.SMTPException) as error:
        raise click.ClickException(f"no server answers on port {listen.port}: {error}") from None
    click.echo("The server has taken the mail.")


def _text(said: bytes | str) -> str:
    return said.decode("ascii", "replace") if isinstance(said, bytes) else said


@main.command()
@click.argument("address")
@click.argument("subject")
@click.option("--body", type=click.File("r"), help="A file with the text of the mail; - is standard input.")
@click.option("--to", help="Another address of the server, as a Reply-To names it.")
@click.pass_obj
def mail(config: Config, address: str, subject: str, body: TextIO | None, to: str | None) -> None:
    """Send a mail from ADDRESS to the running server."""
    if parse_addr(address) is None:
        raise click.ClickException("ADDRESS is not one mail address")
    text = body.read() if body else ""
    _deliver(config, postman.write(address, to or config.mail.address, subject, text, datetime.now(UTC)))


@main.command()
@click.argument("address")
@click.argument("text")
@click.pass_obj
def answer(config: Config, address: str, text: str) -> None:
    """Answer the newest letter of ADDRESS that can be answered."""
    found = [letter for letter in postman.letters(config.relay.maildir, address) if letter["Reply-To"]]
    if not found:
        raise click.ClickException(f"there is no letter to answer; see: mailbot inbox {address}")
    _deliver(config, postman.answer(found[-1], address, text.replace("\\n", "\n"), datetime.now(UTC)))


@main.command()
@click.argument("address")
@click.option("--all", "everything", is_flag=True, help="All letters, not only the newest.")
@click.pass_obj
def inbox(config: Config, address: str, everything: bool) -> None:
    """Show the letters that ADDRESS has got (when no relay is configured)."""
    if config.relay.host:
        raise click.ClickException("letters go out by the relay; there is no local inbox")
    try:
        found = postman.letters(config.relay.maildir, address)
    except OSError as error:
        raise click.ClickException(f"{config.relay.maildir} cannot be read: {error.strerror}") from None
    if not found:
        click.echo("No letters.")
    for number, letter in list(enumerate(found, 1))[0 if everything else -1 :]:
        click.echo(f"--- letter {number} of {len(found)} " + "-" * 50 + f"\n{postman.shown(letter)}\n")


@main.command("demo")
@click.option("--seed", type=int, help="Play a long random game, the one of this number.")
def demo_(seed: int | None) -> None:
    """Play a short game between two scripted players by real SMTP, and print every mail."""
    said: list[str] = []
    asyncio.run(demo.play(pages.SHOWN["small"][1] if seed is None else demo.game(seed), said.append))
    click.echo_via_pager("\n".join(said))


@main.command("check-config")
@click.pass_obj
def check_config(config: Config) -> None:
    """Say whether the configuration is in order, and what is in force."""
    try:
        notes = preflight(config, os.environ)
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    said = ""
    with contextlib.suppress(click.ClickException), contextlib.closing(reading(config)) as db:
        said = other_address(config, db)
    if said:
        raise click.ClickException(said)
    for note in notes:
        click.echo(f"note: {note}")
    click.echo(f"{config.source}: in order. Players write to {config.mail.address}.")


@main.command()
@click.option("--drop", type=int, metavar="NUMBER", help="Give up the mail of this number.")
@click.pass_obj
def shunted(config: Config, drop: int | None) -> None:
    """List the mails that were set aside because they broke the program. They are kept for 30 days."""
    if drop is not None:
        click.echo(ask(config, {"do": "drop", "id": drop}))
        return
    rows = reports.shunted(reading(config))
    for number, at, error, attempts in rows:
        click.echo(f"{number:6}  {_date(at)}  tried {attempts} times  {error.splitlines()[0]}")
    if not rows:
        click.echo("None.")


@main.command()
@click.argument("number", type=int)
@click.pass_obj
def retry(config: Config, number: int) -> None:
    """Try the mail set aside as NUMBER once more (see: mailbot shunted)."""
    click.echo(ask(config, {"do": "retry", "id": number}))


@main.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="For programs: one JSON object.")
@click.option("--alive", is_flag=True, help="Only whether the server answers: for what restarts it if not.")
@click.pass_obj
def doctor_(config: Config, as_json: bool, alive: bool) -> None:
    """Say whether the server is well: a line for each cause of trouble, and exit code 1 if there is any."""
    report = doctor.lives(config) if alive else doctor.examine(config, os.environ, int(time.time()))
    click.echo(report.as_json() if as_json else report.as_text())
    if report.troubles:
        raise SystemExit(1)


@main.command()
@click.argument("game", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--level", default=3, show_default=True, type=click.IntRange(1, bots.LEVELS), help="How well it plays.")
@click.option("--second", is_flag=True, help="The computer moves first.")
@click.pass_obj
def play(config: Config, game: tuple[str, ...], level: int, second: bool) -> None:
    """Play GAME against the computer in this terminal, for example: mailbot play mambo --level 2

    Write options of the game after two dashes: mailbot play -- lambo -size=30
    """

    def person(prompt: str) -> str | None:
        try:
            return input(prompt)
        except EOFError:
            click.echo()
            return None

    with _refusals():
        rules = table.named(" ".join(game), catalogue_of(config))
        table.Table(
            rules,
            level,
            2 if second else 1,
            say=click.echo,
            ask=person,
            seconds=config.bots.seconds,
            folder=_compiled(config),
            seed=secrets.randbits(32),
            help_page=rules_page(rules.game, Own(config.mail.domain), catalogue_of(config)),
        ).play()


@main.command()
@click.argument("game", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--games", default=1, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--level", default=3, show_default=True, type=click.IntRange(1, bots.LEVELS))
@click.option("--seed", default=1, show_default=True)
@click.pass_obj
def selfplay(config: Config, game: tuple[str, ...], games: int, level: int, seed: int) -> None:
    """Let the computer play GAME against itself, and print the records."""
    with _refusals():
        rules = table.named(" ".join(game), catalogue_of(config))
        played = table.selfplay(rules, level, games, seed, config.bots.seconds, _compiled(config))
        results = []
        with (
            contextlib.suppress(KeyboardInterrupt),  # print the finished games all the same
            click.progressbar(
                played, length=games, label="games", file=sys.stderr, hidden=not sys.stderr.isatty()
            ) as shown,
        ):
            for at in shown:
                results.append(at)
    for at in results:
        assert at.outcome
        click.echo(f"{record.write(rules, at.turns)}  ({at.outcome.winner}: {at.outcome.reason})")
    wins = [sum(at.outcome.winner == number for at in results if at.outcome) for number in (1, 2, 0)]
    click.echo(f"won by the first player {wins[0]}, by the second {wins[1]}, drawn {wins[2]}")


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except EngineError as error:
        raise click.ClickException(str(error)) from None
    except ModuleNotFoundError:
        raise click.ClickException("the computer player needs numba: pip install 'mailbot-games[bots]'") from None


def _compiled(config: Config) -> str | None:
    return code_folder(config.store.path.with_name("compiled"))


def _date(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
