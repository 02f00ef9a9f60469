"""A week of twenty players who use everything: nothing is lost, nothing leaks, and the transcript is unchanged."""

from pathlib import Path

import pytest

from tests.dialogues.week import WORDS, play

GOLDEN = Path(__file__).with_name("week.transcript")


@pytest.mark.asyncio
async def test_a_week_of_twenty_players(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    crowd = await play(tmp_path)
    assert crowd.trouble == []
    assert WORDS - crowd.done.keys() == set(), "commands that nobody managed to use"
    assert crowd.played > 100
    written = "\n".join(crowd.lines) + "\n"
    if request.config.getoption("--rewrite"):
        GOLDEN.write_text(written)
    assert written == GOLDEN.read_text()
