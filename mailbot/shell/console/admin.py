"""`mailbot admin`: the operator's hand on games, players and letters, from the command line."""

import time
from pathlib import Path

import click

from mailbot.core.model import States
from mailbot.shell.config.load import Config
from mailbot.shell.console.line import ask, reading
from mailbot.shell.proof.operator import new_password
from mailbot.store import admin as commands


@click.group()
def admin() -> None:
    """Look at games, players and letters, and set right what has gone wrong.

    Whatever concerns a player is told to the player by letter, with your reason. It works while the server runs, and
    while it does not.
    """


_reason = click.option("--reason", required=True, help="Why; the players read it, in these words.")


def _do(config: Config, name: str, **words: str) -> None:
    click.echo(ask(config, {"do": "admin", "name": name, "words": words}))


def _list(config: Config, name: str, **words: str) -> None:
    try:
        lines = commands.show(reading(config), name, words, int(time.time()))
    except commands.REFUSALS as refused:
        raise click.ClickException(str(refused)) from None
    click.echo("\n".join(lines))


@admin.command()
@click.option("--player", default="", help="Only the boards of this player.")
@click.option("--state", default="", help=f"Only boards in this state: {', '.join(States.ALL)}.")
@click.pass_obj
def games(config: Config, player: str, state: str) -> None:
    """List the boards, the latest changed first."""
    _list(config, "games", player=player, state=state)


@admin.command()
@click.argument("board")
@click.pass_obj
def show(config: Config, board: str) -> None:
    """Draw a board."""
    _list(config, "show", board=board)


@admin.command()
@click.option("--addresses", is_flag=True, help="Also where their letters go: personal data.")
@click.pass_obj
def players(config: Config, addresses: bool) -> None:
    """List the players and how many boards they have."""
    _list(config, "players", addresses="yes" if addresses else "")


@admin.command()
@click.pass_obj
def queue(config: Config) -> None:
    """Count the letters by state and kind, and list those that were given up."""
    _list(config, "queue")


@admin.command()
@click.argument("message_id")
@click.pass_obj
def find(config: Config, message_id: str) -> None:
    """Say under which id the log knows the mail with this Message-ID, and what came of it."""
    _list(config, "find", message=message_id)


@admin.command()
@click.argument("board")
@click.option("--winner", required=True, help="1, 2, draw, or a userid.")
@_reason
@click.pass_obj
def end(config: Config, board: str, winner: str, reason: str) -> None:
    """End a running game with a result."""
    _do(config, "end", board=board, winner=winner, why=reason)


@admin.command()
@click.argument("board")
@_reason
@click.pass_obj
def annul(config: Config, board: str, reason: str) -> None:
    """End a game, or take the result of one that is over: it counts for nobody."""
    _do(config, "annul", board=board, why=reason)


@admin.command()
@click.argument("board")
@click.option("--plies", default="1", show_default=True, help="How many moves; 0 reopens a game that is over.")
@_reason
@click.pass_obj
def back(config: Config, board: str, plies: str, reason: str) -> None:
    """Take moves back. A game that is over runs again."""
    _do(config, "back", board=board, plies=plies, why=reason)


@admin.command()
@click.argument("userid")
@_reason
@click.pass_obj
def lock(config: Config, userid: str, reason: str) -> None:
    """Refuse all that a player sends from now on."""
    _do(config, "lock", userid=userid, why=reason)


@admin.command()
@click.argument("userid")
@_reason
@click.pass_obj
def unlock(config: Config, userid: str, reason: str) -> None:
    """Let a locked player in again."""
    _do(config, "unlock", userid=userid, why=reason)


@admin.command()
@click.argument("old")
@click.argument("new")
@_reason
@click.pass_obj
def rename(config: Config, old: str, new: str, reason: str) -> None:
    """Give the player OLD the userid NEW. Opponents are told the new name, not the reason."""
    _do(config, "rename", old=old, new=new, why=reason)


@admin.command()
@click.argument("letter")
@click.pass_obj
def resend(config: Config, letter: str) -> None:
    """Send a letter once more; its number stands in the log and under `queue`."""
    _do(config, "resend", letter=letter)


@admin.command()
@click.argument("address")
@click.pass_obj
def forgive(config: Config, address: str) -> None:
    """Let an address be asked for its consent again, which was asked too often."""
    _do(config, "forgive", address=address)


@admin.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def password(file: Path) -> None:
    """Make a new password for orders by mail; its hash goes into FILE, for [operator] password_file."""
    try:
        made = new_password(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written ({error.strerror})") from None
    click.echo(f"Your password for orders by mail, shown only now: {made}\nRestart the server to use it.")
