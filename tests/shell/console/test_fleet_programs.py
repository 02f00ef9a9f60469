"""`mailbot fleet`: what is wrong is said before anything begins."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from mailbot.shell.config import preflight
from mailbot.shell.console import cli, fleet

URL = "tls://127.0.0.1:8786"
PAPERS = ["--ca", "none/ca.pem", "--cert", "none/own.pem", "--key", "none/own.key"]
NEEDED = "it needs a URL, --ca, --cert and --key; or write them into [bots], as the daemon's"
ROWS: list[tuple[str, list[str], set[str], str]] = [
    ("worker", ["tcp://127.0.0.1:8786", *PAPERS], set(), "URL must be an address such as tls://scheduler.example.org"),
    ("scheduler", ["127.0.0.1", *PAPERS], set(), "URL must be an address such as tls://scheduler.example.org:8786"),
    ("worker", [URL], set(), NEEDED),
    ("worker", PAPERS, set(), NEEDED),
    ("scheduler", [URL, *PAPERS[:4]], set(), NEEDED),
    (
        "worker",
        [URL, *PAPERS],
        set(),
        "embedded defaults: [bots] fleet_ca, fleet_cert and fleet_key (none/ca.pem, none",
    ),
    ("scheduler", [URL, *PAPERS], {"distributed"}, "embedded defaults: [bots] fleet is set, but Dask is not installed"),
]


@pytest.mark.parametrize(("program", "words", "missing", "said"), ROWS)
def test_what_is_wrong(
    program: str, words: list[str], missing: set[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preflight, "find_spec", lambda name: name not in missing)
    ended = CliRunner().invoke(cli.main, ["fleet", program, *words])
    assert (ended.exit_code, ended.output.splitlines()) == (1, [ended.output.strip()])
    assert ended.output.startswith(f"Error: {said}")


def test_a_worker_needs_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "check_fleet", lambda config: None)
    monkeypatch.setattr(fleet, "find_spec", lambda name: None)
    ended = CliRunner().invoke(cli.main, ["fleet", "worker", URL, *PAPERS])
    assert ended.output == "Error: a worker needs numba: install mailbot with its extras 'bots' and 'fleet'\n"


def test_the_configuration_may_say_all_of_it(tmp_path: Path) -> None:
    """Then nothing is typed; what is typed comes first."""
    (tmp_path / "m.toml").write_text(
        f'[bots]\nfleet = "{URL}"\n' + "".join(f'fleet_{name} = "none/{name}"\n' for name in ("ca", "cert", "key"))
    )
    ended = CliRunner().invoke(cli.main, ["--config", str(tmp_path / "m.toml"), "fleet", "worker", "--ca", "mine"])
    assert "(mine, none/cert, none/key)" in ended.output or "Dask is not installed" in ended.output
