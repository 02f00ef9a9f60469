"""`mailbot simulate`: a table, the time it takes, the same for the same seed; refusals in one sentence."""

import re

import pytest
from click.testing import CliRunner, Result

from mailbot.shell.console.cli import main


def simulate(*words: str) -> Result:
    return CliRunner().invoke(main, ["simulate", *words])


@pytest.mark.parametrize("text", ["roundrobin", "groups,of=4,up=1", "knockout,third"])
def test_a_tournament(text: str) -> None:
    result = simulate(f"-format={text}", "--players", "9", "-clock=fast", "--turns", "6")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.split("\n")
    table = lines[1 : lines.index("")]
    assert len(table) == 9 and max(map(len, lines[: lines.index("")])) <= 78
    assert sorted(line.split()[1] for line in table) == [f"player{number}" for number in range(1, 10)]
    total, lost = map(int, re.findall(r"^(\d+) games in \d+ days, (\d+) lost on time", result.stdout, re.MULTILINE)[0])
    assert total == sum(map(int, re.findall(r"^step \d+: (\d+) games", result.stdout, re.MULTILINE))) >= lost


def test_a_swiss() -> None:
    pytest.importorskip("py4swiss", reason="the extra `tournaments` is not installed on this machine")
    assert "step 8: 4 games" in simulate("-format=swiss,rounds=4", "--players", "8").stdout


def test_the_seed_decides() -> None:
    one, same, other = (simulate("-format=roundrobin", "--players", "6", "--seed", seed).stdout for seed in "112")
    assert one == same != other


def test_a_slower_clock_takes_longer() -> None:
    """The same games: with 21 days for a move nobody is hurried, with 1 hour everybody is."""
    told = [simulate("-format=roundrobin", "--players", "4", f"-clock={clock}").stdout for clock in ("1h", "none")]
    days = [int(re.findall(r"games in (\d+) days, ", text)[0]) for text in told]
    assert days[0] <= 2 < 10 <= days[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-format=chess"], "'chess' is no format"),
        (["-format=swiss,rounds=0"], "options: rounds is 1 to 50, not 0"),
        (["-format=swiss,rounds=x"], "'rounds=x' is no option"),
        (["-format=roundrobin,double,double"], "double is said twice"),
        (["-format=knockout,up=2"], "this format has no option up; its options: third"),
        (["-format=ladder"], "nothing to simulate"),
        (["-clock=soon", "-format=roundrobin"], "'soon' is no clock"),
    ],
)
def test_what_makes_no_sense(words: list[str], sentence: str) -> None:
    result = simulate(*words)
    assert result.exit_code == 1 and sentence in result.stderr and result.stdout == ""
