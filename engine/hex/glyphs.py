"""Letters and digits as strokes, so that a drawing looks the same where there is no font.

A glyph is an SVG path in a square grid: the baseline is y = 0, capitals and digits are 7 high, small letters 4.4.
Stroke it with a round pen about 1 wide; do not fill it.
"""

import re
from functools import cache, lru_cache

CAPITAL = 7
"""Height of a capital letter or digit, in units of the grid."""
_GAP = 1.9
_BOWL = "M4.4-2.2A2.2 2.2 0 1 1 0-2.2A2.2 2.2 0 1 1 4.4-2.2"
_ROUND = "M5.4-3.5A2.7 3.5 0 1 1 0-3.5A2.7 3.5 0 1 1 5.4-3.5"

_GLYPHS: dict[str, tuple[float, str]] = {
    "0": (4, "M0-5V-2A2 2 0 0 0 4-2V-5A2 2 0 0 0 0-5Z"),
    "1": (1.8, "M0-5.6L1.8-7V0"),
    "2": (4, "M0-5A2 2 0 0 1 4-5C4-3.4 0-1.4 0 0H4"),
    "3": (4, "M.2-7H3.9L1.8-4.3A2.15 2.15 0 1 1 0-.9"),
    "4": (4.2, "M2.6-7L0-1.8H4.2M3.2-3.7V0"),
    "5": (3.9, "M3.7-7H.7L.3-3.9A2.2 2.2 0 1 1 0-.9"),
    "6": (4, "M3.2-7C1-5.8 0-4 0-2A2 2 0 1 0 .4-3.2"),
    "7": (4, "M0-7H4L1.3 0"),
    "8": (3.9, "M2-3.9A1.55 1.55 0 0 1 2-7A1.55 1.55 0 0 1 2-3.9A1.95 1.95 0 0 0 2 0A1.95 1.95 0 0 0 2-3.9"),
    "9": (4, "M.8 0C3-1.2 4-3 4-5A2 2 0 1 0 3.6-3.8"),
    "a": (4.4, _BOWL + "M4.4-4.4V0"),
    "b": (4.4, _BOWL + "M0-7V0"),
    "c": (4, "M4-3.5A2.2 2.2 0 1 0 4-.9"),
    "d": (4.4, _BOWL + "M4.4-7V0"),
    "e": (4.4, "M0-2.2H4.4A2.2 2.2 0 1 0 3.7-.6"),
    "f": (2.7, "M3-7H2.6A1.4 1.4 0 0 0 1.2-5.6V0M0-4.4H2.7"),
    "g": (4.4, _BOWL + "M4.4-4.4V0A2.2 2.2 0 0 1 .5 1.4"),
    "h": (4.2, "M0-7V0M0-2.2A2.1 2.2 0 0 1 4.2-2.2V0"),
    "i": (0, "M0-4.4V0M0-6.5V-6.4"),
    "j": (1, "M1.2-4.4V.8A1.4 1.4 0 0 1 0 2.2M1.2-6.5V-6.4"),
    "k": (3.8, "M0-7V0M3.6-4.4L0-1.6M1.3-2.6L3.8 0"),
    "l": (0.8, "M0-7V-1A1 1 0 0 0 1 0"),
    "m": (6.8, "M0-4.4V0M0-2.6A1.7 1.8 0 0 1 3.4-2.6V0M3.4-2.6A1.7 1.8 0 0 1 6.8-2.6V0"),
    "n": (4.2, "M0-4.4V0M0-2.2A2.1 2.2 0 0 1 4.2-2.2V0"),
    "o": (4.4, _BOWL),
    "p": (4.4, _BOWL + "M0-4.4V2"),
    "q": (4.4, _BOWL + "M4.4-4.4V2"),
    "r": (2.4, "M0-4.4V0M0-2.2A2.1 2.2 0 0 1 2.4-4.4"),
    "s": (3.4, "M3.3-3.6C2.6-4.7 .3-4.7 .3-3.3C.3-1.7 3.4-2.7 3.4-1.1C3.4.3 .8.3 0-.8"),
    "t": (2.8, "M1.2-6.4V-1.3A1.3 1.3 0 0 0 2.5 0H2.8M0-4.4H2.8"),
    "u": (4.2, "M0-4.4V-2.2A2.1 2.2 0 0 0 4.2-2.2M4.2-4.4V0"),
    "v": (4, "M0-4.4L2 0L4-4.4"),
    "w": (6, "M0-4.4L1.5 0L3-4.2L4.5 0L6-4.4"),
    "x": (3.8, "M0-4.4L3.8 0M3.8-4.4L0 0"),
    "y": (4, "M0-4.4L2.1 0M4-4.4L1.3 2"),
    "z": (3.6, "M0-4.4H3.6L0 0H3.6"),
    "A": (5, "M0 0L2.5-7L5 0M.9-2.4H4.1"),
    "B": (4.1, "M0 0V-7H2.3A1.7 1.7 0 0 1 2.3-3.6H0M2.3-3.6A1.8 1.8 0 0 1 2.3 0H0"),
    "C": (4.6, "M4.6-5.7A2.8 3.5 0 1 0 4.6-1.3"),
    "D": (4.7, "M0 0V-7H1.5A3.2 3.5 0 0 1 1.5 0Z"),
    "E": (3.6, "M3.6-7H0V0H3.6M0-3.6H3.2"),
    "F": (3.6, "M3.6-7H0V0M0-3.5H3.2"),
    "G": (5, "M4.6-5.7A2.8 3.5 0 1 0 5-2.6V-3H3"),
    "H": (4.6, "M0-7V0M4.6-7V0M0-3.6H4.6"),
    "I": (0, "M0-7V0"),
    "J": (2.8, "M2.8-7V-1.8A1.5 1.8 0 0 1 0-1"),
    "K": (4.2, "M0-7V0M4-7L0-2.8M1.4-4.2L4.2 0"),
    "L": (3.6, "M0-7V0H3.6"),
    "M": (5.6, "M0 0V-7L2.8-2.5L5.6-7V0"),
    "N": (4.6, "M0 0V-7L4.6 0V-7"),
    "O": (5.4, _ROUND),
    "P": (4.3, "M0 0V-7H2.4A1.9 1.9 0 0 1 2.4-3.2H0"),
    "Q": (5.4, _ROUND + "M3.4-1.8L5.4.4"),
    "R": (4.3, "M0 0V-7H2.4A1.9 1.9 0 0 1 2.4-3.2H0M2.2-3.2L4.3 0"),
    "S": (4.3, "M4-5.8C3.2-7.3 .3-7.3 .3-5.2C.3-2.8 4.3-4.2 4.3-1.8C4.3.5 .9.4 0-1.3"),
    "T": (5, "M0-7H5M2.5-7V0"),
    "U": (4.6, "M0-7V-2.3A2.3 2.3 0 0 0 4.6-2.3V-7"),
    "V": (5, "M0-7L2.5 0L5-7"),
    "W": (7, "M0-7L1.8 0L3.5-6.6L5.2 0L7-7"),
    "X": (4.4, "M0-7L4.4 0M4.4-7L0 0"),
    "Y": (4.6, "M0-7L2.3-3.3L4.6-7M2.3-3.3V0"),
    "Z": (4.2, "M0-7H4.2L0 0H4.2"),
    "-": (2.4, "M0-2.4H2.4"),
    "_": (4, "M0 .6H4"),
    ".": (0, "M0-.1V0"),
    "·": (0, "M0-3.5V-3.4"),
    " ": (1.4, ""),
    "?": (2.8, "M0-5.2A1.6 1.6 0 1 1 2.3-3.7C1.7-3.2 1.5-2.8 1.5-2M1.5-.1V0"),
}
"""Width and path. Any other character is drawn as `?`."""


def width(text: str, height: float) -> float:
    """The width of a text whose capitals are `height` high."""
    return height / CAPITAL * (sum(_glyph(c)[0] for c in text) + _GAP * max(len(text) - 1, 0))


def step(glyph: str, height: float) -> float:
    """The distance from the start of a glyph to the start of the next."""
    return height / CAPITAL * (_glyph(glyph)[0] + _GAP)


@lru_cache(maxsize=4096)
def path(text: str, x: float, y: float, height: float) -> str:
    """The strokes of a text that begins at x on the baseline y, as the `d` of one SVG path. Cached, because a cell has
    its number at the same place in every drawing."""
    scale, parts = height / CAPITAL, []
    for c in text:
        parts.append(_placed(_glyph(c)[1], x, y, scale))
        x += step(c, height)
    return "".join(parts)


def _glyph(c: str) -> tuple[float, str]:
    return _GLYPHS.get(c) or _GLYPHS["?"]


_COMMAND = re.compile(r"([A-Z])([^A-Z]*)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
_AXES = {"M": "xy", "L": "xy", "C": "xyxyxy", "H": "x", "V": "y", "A": "rr...xy", "Z": ""}
"""What the numbers after each command are: coordinates, radii, or flags."""


@cache
def _strokes(strokes: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return tuple((match[1], tuple(float(n) for n in _NUMBER.findall(match[2]))) for match in _COMMAND.finditer(strokes))


def _placed(strokes: str, x: float, y: float, scale: float) -> str:
    offset = {"x": x, "y": y, "r": 0.0}
    out = []
    for command, numbers in _strokes(strokes):
        placed = (
            number if axis == "." else offset[axis] + scale * number
            for axis, number in zip(_AXES[command], numbers, strict=True)
        )
        out.append(command + " ".join(short(n, 1) for n in placed).replace(" -", "-"))
    return "".join(out)


def short(number: float, decimals: int = 2) -> str:
    """A coordinate with at most `decimals` decimals."""
    text = f"{number:.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
