"""The photographs of letters in docs/pictures show what today's drawing draws.

`python -m tests.pictures` makes them anew.
"""

from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import pytest

if not find_spec("PIL") or not find_spec("resvg_py"):
    pytest.skip("extra `pictures`", allow_module_level=True)

from PIL import Image, ImageChops, ImageStat

from mailbot.core.letters.pictures import Wanted
from mailbot.shell.post.painter import paint

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
NAMES = ("ben", "anna")
LAMBO = ("b6", "a3,a12", "c16,a5", "a14,b4", "c15,b30", "c1,a2")
MAMBO = ("f0", "f2", "d1", "d5", "e9", "d10", "c3")
PHOTOGRAPHS = [
    # the file, and the board that it shows
    ("turn-360.png", "lambo", LAMBO[:4]),  # the first screen of the README
    ("turn-600-dark.png", "lambo", LAMBO[:4]),
    ("over-600.png", "lambo", LAMBO),
    ("mambo-360.png", "mambo", MAMBO),
]
LIMIT = 3.0
"""The mean difference of two pixels, of 255. Chromium scales a picture otherwise than Pillow: that makes about 1."""


def distance(file: str, rules: str, moves: tuple[str, ...]) -> float:
    """How much the photograph differs from the drawing of this board, at the place where it differs least."""
    photograph = Image.open(FOLDER / file).convert("L")
    png = paint(Wanted("still", rules, moves, NAMES))
    assert png
    drawing = Image.open(BytesIO(png)).convert("L")
    wide = min(drawing.width // 2, photograph.width - 32)
    drawing = drawing.resize((wide, round(drawing.height * wide / drawing.width)), Image.Resampling.LANCZOS)
    across = (min(photograph.width, 600) - wide) // 2 + max(0, photograph.width - 600) // 2
    found = 255.0
    for down in range(max(1, photograph.height - drawing.height)):
        there = photograph.crop((across, down, across + wide, down + drawing.height))
        found = min(found, ImageStat.Stat(ImageChops.difference(there, drawing)).mean[0])
    return found


@pytest.mark.parametrize(("file", "rules", "moves"), PHOTOGRAPHS)
def test_a_photograph_shows_todays_drawing(file: str, rules: str, moves: tuple[str, ...]) -> None:
    assert distance(file, rules, moves) < LIMIT, "python -m tests.pictures"


@pytest.mark.parametrize(("file", "rules", "moves"), PHOTOGRAPHS)
def test_another_board_is_noticed(file: str, rules: str, moves: tuple[str, ...]) -> None:
    assert distance(file, rules, moves[:-1]) > LIMIT
