"""A director's month, and its transcript."""

from pathlib import Path

import pytest

from tests.hosting.month import play

GOLDEN = Path(__file__).with_name("month.transcript")


@pytest.mark.asyncio
async def test_a_directors_month(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    month = await play(tmp_path)
    written = "\n".join(month.lines) + "\n"
    if request.config.getoption("--rewrite"):
        GOLDEN.write_text(written)
    assert written == GOLDEN.read_text()
    assert sum("the first three" in line for line in month.lines) == 3
    assert any(line.startswith("in the logs, late") for line in month.lines)
    assert all(month.done[what] for what in ("withdraw", "return", "appeal", "move", "resign"))
