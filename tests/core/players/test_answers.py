"""The answer to a letter that asks for consent, in people's own words."""

import pytest

from mailbot.core.language.typed import agrees

ANSWERS = [
    ("yes", True),
    ("Yes, please. Thank you!", True),
    ("*yes*", True),
    ("Confirmed.", True),
    ("no", False),
    ("No, I don't agree", False),
    ("Please do not", False),
    ("I don't confirm this", False),
    ("Stop it. I have not confirmed anything.", False),
    ("yes, no problem", None),
    ("Sure, I never said no", None),
    ("This was not me: I did not confirm it", None),
    ("thanks", None),
    ("", None),
]


@pytest.mark.parametrize(("line", "yes"), ANSWERS)
def test_an_answer_that_is_no_clear_yes_is_none(line: str, yes: bool | None) -> None:
    """Nor does a yes with a no in it drop the sign-up: the sender is asked again."""
    assert agrees(line) is yes
