"""`mailbot fleet`: the programs of the machines that think for the daemon's computer players."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from engine import search
from mailbot.shell.config.kinds import FLEET
from mailbot.shell.config.load import Config, ConfigError
from mailbot.shell.config.preflight import check_fleet
from mailbot.shell.config.settings import BotsSection
from mailbot.shell.minds.work import code_folder
from mailbot.shell.niceness import step_behind


@click.group()
def fleet() -> None:
    """Let more machines think for the computer players.

    URL is an address such as tls://scheduler.example.org:8786. Without it, and without the certificates, those of
    [bots] in the configuration are used.
    """


def _program(run: Callable[..., None]) -> Callable[..., None]:
    """The address and the certificates, as both programs take them."""
    for name, what in (
        ("key", "The key of the certificate."),
        ("cert", "This machine's certificate."),
        ("ca", "The certificate that has signed those of all machines of the fleet."),
    ):
        run = click.option(f"--{name}", type=click.Path(path_type=Path), help=what)(run)
    return click.argument("url", required=False)(click.pass_obj(run))


@fleet.command()
@_program
def scheduler(config: Config, url: str | None, **files: Path | None) -> None:
    """Hand boards to workers, on the machine that URL names. It listens at the address in URL alone."""
    bots = _asked(config, url, files)
    from mailbot.shell.minds import fleet  # needs an extra

    _run(fleet.schedule(bots))


@fleet.command()
@_program
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Where the scheduler reaches it; 0: any port.")
def worker(config: Config, url: str | None, port: int, **files: Path | None) -> None:
    """Think for the daemon, one board at a time. Start one for each core."""
    bots = _asked(config, url, files)
    if not find_spec("numba"):
        raise click.ClickException("a worker needs numba: install mailbot with its extras 'bots' and 'fleet'")
    from mailbot.shell.minds import fleet  # needs an extra

    step_behind("computer players")
    folder = code_folder(config.store.path.with_name("compiled"))
    search.warm(folder)
    _run(fleet.serve(bots, folder, port))


def _asked(config: Config, url: str | None, files: dict[str, Path | None]) -> BotsSection:
    """What was typed, and for the rest what the configuration says."""
    try:
        typed: dict[str, Any] = {"fleet": FLEET.read(url)} if url else {}
    except ValueError:
        raise click.ClickException(f"URL must be {FLEET.wants}") from None
    typed |= {f"fleet_{name}": path for name, path in files.items() if path}
    bots = replace(config.bots, **typed)
    if None in (bots.fleet, bots.fleet_ca, bots.fleet_cert, bots.fleet_key):
        raise click.ClickException("it needs a URL, --ca, --cert and --key; or write them into [bots], as the daemon's")
    try:
        check_fleet(replace(config, bots=bots))
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    return bots


def _run(doing: Coroutine[Any, Any, None]) -> None:
    """Until SIGTERM or Ctrl-C. Then the program takes its leave, and a worker's board goes to another one."""
    from mailbot.shell.minds.fleet import Old

    async def until_stopped() -> None:
        task = asyncio.ensure_future(doing)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    try:
        asyncio.run(until_stopped())
    except (Old, OSError) as error:
        raise click.ClickException(str(error)) from None
