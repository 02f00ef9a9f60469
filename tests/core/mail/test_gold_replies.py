"""The gold set (C4): answers as mail programs write them. We read what their writers wrote, but not what they quoted.

Each file of `corpus` is a mail in the form of its program (made by hand after the programs' habits, not recorded;
addresses invented), with LF line ends and one extra header, X-Expect: the lines to be read, separated by ` | `. The
quoted letter holds moves and commands with a password; none of them may come through.
"""

import email
import email.policy
from pathlib import Path

import pytest

from tests.core.mail.mailrows import text_of

FILES = sorted((Path(__file__).parent / "corpus").glob("*.eml"))
MAILERS = {path.stem.split("-")[0] for path in FILES}
LANGUAGES = {path.stem.split("-")[i] for path in FILES for i in (1, 2) if path.stem.count("-") >= 2}


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_c4_gold_reply(path: Path) -> None:
    content = path.read_bytes()
    assert b"\r" not in content
    expected = content.partition(b"\n")[0].decode().removeprefix("X-Expect: ").removesuffix("(nothing)")
    text = text_of(content.replace(b"\n", b"\r\n"))
    assert text == expected.replace(" | ", "\n")
    assert "secretpw" not in text
    assert "a1,c12" not in text


def test_c4_the_gold_set_is_wide_enough() -> None:
    """12 mailers and 8 languages at least (C4)."""
    assert len(MAILERS) >= 12
    assert len(LANGUAGES & {"en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl", "ru", "ja"}) == 12


QUOTING = [path for path in FILES if path.stem != "mutt-en-trimmed"]  # which quotes one harmless line


@pytest.mark.parametrize("path", QUOTING, ids=[path.stem for path in QUOTING])
def test_c4_the_old_moves_are_there_to_be_quoted(path: Path) -> None:
    """Guards the test above: without its fences the letter would come through."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    assert body is not None
    assert "a1,c12" in body.get_content()
