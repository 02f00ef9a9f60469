"""`mailbot admin`: the operator's commands on games, players and letters."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from mailbot.core.model import States
from mailbot.shell.config.load import Config
from mailbot.shell.console.line import ask, reading
from mailbot.shell.proof.operator import new_password
from mailbot.store import admin as commands


@click.group()
def admin() -> None:
    """Look at games, players and letters, and correct what has gone wrong.

    Players get a letter, with your reason, about anything that concerns them. The commands work whether or not the
    server runs.
    """


def _do(config: Config, name: str, words: Mapping[str, str]) -> str:
    """Changes something; the running server carries it out, if there is one."""
    return ask(config, {"do": "admin", "name": name, "words": words})


def _look(config: Config, name: str, words: Mapping[str, str]) -> str:
    """The lines of a list."""
    try:
        return "\n".join(commands.show(reading(config), name, words, int(time.time())))
    except commands.REFUSALS as refused:
        raise click.ClickException(str(refused)) from None


def _command(
    run: Callable[[Config, str, Mapping[str, str]], str], name: str, told: str, *params: click.Parameter
) -> None:
    """Adds a command. Its parameters are the words of the same order by mail."""

    def callback(**given: object) -> None:
        words = {slot: str(said or "") for slot, said in given.items()}  # a flag is a word, too
        click.echo(run(click.get_current_context().obj, name, words))

    # The options of a tournament are one word here, though it begins with a dash.
    admin.add_command(
        click.Command(
            name,
            params=[*params],
            callback=callback,
            help=told,
            context_settings={"ignore_unknown_options": name == "tournament"},
        )
    )


_BOARD = click.Argument(["board"])
_USERID = click.Argument(["userid"])
_WHY = click.Option(["--reason", "why"], required=True, help="Why; the players read it, in these words.")

_command(
    _look,
    "games",
    "List the boards, the latest changed first.",
    click.Option(["--player"], default="", help="Only the boards of this player."),
    click.Option(["--state"], default="", help=f"Only boards in this state: {', '.join(States.ALL)}."),
)
_command(_look, "show", "Draw a board.", _BOARD)
_command(
    _look,
    "players",
    "List the players and how many boards they have.",
    click.Option(["--addresses"], is_flag=True, help="Also where their letters go: personal data."),
)
_command(_look, "queue", "Count the letters by state and kind, and list those that were given up.")
_command(
    _look,
    "find",
    "Say under which id the log knows the mail with this Message-ID, and what came of it.",
    click.Argument(["message"], metavar="MESSAGE_ID"),
)
_command(
    _do,
    "end",
    "End a running game with a result.",
    _BOARD,
    click.Option(["--winner"], required=True, help="1, 2, draw, or a userid."),
    _WHY,
)
_command(_do, "annul", "End a game, or take the result of one that is over: it counts for nobody.", _BOARD, _WHY)
_command(
    _do,
    "back",
    "Take moves back. A game that is over runs again.",
    _BOARD,
    click.Option(["--plies"], default="1", show_default=True, help="How many moves; 0 reopens a game that is over."),
    _WHY,
)
_command(
    _do,
    "clock",
    "Set how much TIME (3d, 12h) PLAYER (1, 2 or a userid) has on a board.",
    _BOARD,
    click.Argument(["player"]),
    click.Argument(["time"]),
    _WHY,
)
_command(
    _do,
    "outage",
    "Say that players could not reach the server from BEGIN to END (2026-12-01T14:00, UTC): all clocks stood.",
    click.Argument(["begin"]),
    click.Argument(["end"]),
)
_command(
    _do,
    "tournament",
    "Direct a tournament: ACT is open, close, start, cancel, resume (after cancel), note, withdraw, return (after"
    " withdraw), replace, time, result or director; WHICH its number (for result the board); then players or values."
    " Or: create NAME OPTIONS, the options in one pair of quotes.",
    click.Argument(["act"]),
    click.Argument(["which"]),
    click.Argument(["who"], default=""),
    click.Argument(["what"], default=""),
    click.Option(
        ["--reason", "why"], default="", help="Why, in these words; the log of the tournament shows it to all."
    ),
)
_command(_do, "lock", "Refuse all that a player sends from now on.", _USERID, _WHY)
_command(_do, "unlock", "Let a locked player in again.", _USERID, _WHY)
_command(
    _do,
    "rename",
    "Give the player OLD the userid NEW. Opponents are told the new name, not the reason.",
    click.Argument(["old"]),
    click.Argument(["new"]),
    _WHY,
)
_command(
    _do,
    "address",
    "Ask ADDRESS whether the letters of a player, whose old mailbox is gone, may go there and nowhere else.",
    _USERID,
    click.Argument(["address"]),
    _WHY,
)
_command(
    _do,
    "resend",
    "Send a letter once more; its number stands in the log and under `queue`.",
    click.Argument(["letter"]),
)
_command(
    _do,
    "ratings",
    "Compute all ratings anew from the games; say whether they were identical, and repair them if not.",
)
_command(
    _do,
    "forgive",
    "Let an address be asked for its consent again, which was asked too often.",
    click.Argument(["address"]),
)


@admin.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def password(file: Path) -> None:
    """Make a new password for orders by mail; its hash goes into FILE, for [operator] password_file."""
    try:
        made = new_password(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written ({error.strerror})") from None
    click.echo(f"Your password for orders by mail, shown only now: {made}\nRestart the server to use it.")
