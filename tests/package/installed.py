"""A server that runs from an installed program, outside the checkout, and what it must be able to do there."""

import socket
import subprocess
import urllib.request
from contextlib import closing
from pathlib import Path

from mailbot import __version__
from mailbot.store.connection import connect
from mailbot.store.reads import Reads
from tests.e2e.test_unit import PASSWORD, Server

PAGES = (("", b"Games by mail"), ("help/signup", b"signup"), ("static/page.css", b"{"))
CHECKOUT = ("PYTHON", "MAILBOT", "VIRTUAL_ENV")
"""Variables that may lead a program to the checkout begin with these."""


def free_port() -> int:
    """A port that nobody uses now; the doctor asks the page where the configuration says it is."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Installed(Server):
    """`program` with the page, in a folder that knows nothing of the checkout."""

    def __init__(self, folder: Path, *program: str | Path, bots: bool) -> None:
        super().__init__(folder)
        self.cwd, self.program = folder, program
        with self.file.open("a") as file:
            file.write(f"workers = {int(bots)}\n[web]\nenabled = true\nport = {free_port()}\n")

    def command(self, *words: str) -> list[str]:
        return [*map(str, self.program), "--config", str(self.file), *words]


def check(server: Installed) -> None:
    """Version, settings, letters, the page, the doctor."""
    assert server.run("--version") == f"mailbot, version {__version__}\n"
    assert "in order" in server.run("check-config")
    with server.running():
        for path, holds in PAGES:
            with urllib.request.urlopen(server.page + path) as page:
                assert holds in page.read()
        server.command_by_mail(f"signup ann {PASSWORD}")
        server.answer("yes")
        assert "TROUBLE" not in server.run("doctor")


def computer_moves(server: Installed) -> None:
    """A computer player opens a game; a position becomes a picture."""
    assert "won by the first player" in server.run("selfplay", "--level", "1", "--", "lambo", "-size=12")  # compiles
    with server.running():
        server.command_by_mail(f"lambo challenge uct1 ann -size=12 {PASSWORD}", "YOUR TURN")
    with closing(connect(server.config.store.path, readonly=True)) as db:
        assert len(Reads(db).texts(1)) == 1
    python = Path(server.program[0]).resolve().with_name("python3")
    draw = [python, "-m", "engine", "draw", "png", server.cwd]
    subprocess.run(draw, input='{"game": "lambo", "moves": ["a1"]}', text=True, check=True, cwd=server.cwd)
    assert (server.cwd / "1.png").read_bytes().startswith(b"\x89PNG")
