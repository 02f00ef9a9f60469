"""The tile sets: for each letter, its tips and bridge ends and their colours (docs/rules.md 1 to 3).

A colour is the number of the seat that owns it (1 moves first) or 0, neutral. Every tile has the same drawing:
in each corner class one tip and a bridge between the other two corners. The class-2 tip is opposite the class-1 tip.
"""

from typing import NamedTuple

from engine.hex.hexes import BL, BR, CLASS_1, CLASS_2, TL, TR, L, R


class Tile(NamedTuple):
    """One letter of a tile set. `tip1`, `tip2`: the tip corner of each class. `colours[c]`: the colour of corner c."""

    letter: str
    tip1: int
    tip2: int
    bridge1: int
    """Colour of the class-1 bridge; the next field is that of class 2."""
    bridge2: int
    colours: tuple[int, ...]


def _tile(letter: str, tip1: int, tip_colour: int, bridge_colour: int, class2: int) -> Tile:
    tip2 = (tip1 + 3) % 6
    colours = [0] * 6
    for c in CLASS_1:
        colours[c] = tip_colour if c == tip1 else bridge_colour
    for c in CLASS_2:
        colours[c] = class2
    return Tile(letter, tip1, tip2, bridge_colour, class2, tuple(colours))


LIGHT, DARK = 1, 2
"""Lambo and Palago: seat 1 is Light (class-2 corners, blank), seat 2 is Dark (class-1 corners, `o`)."""

O, X = 1, 2  # noqa: E741 - the players' names in docs/rules.md 3
"""Mambo: seat 1 is O, seat 2 is X; both on class-1 corners."""

LAMBO = tuple(_tile(letter, tip, DARK, DARK, LIGHT) for letter, tip in zip("abc", (L, TR, BR), strict=True))
MAMBO = tuple(
    _tile(letter, tip, X if i < 3 else O, O if i < 3 else X, 0)
    for i, (letter, tip) in enumerate(zip("abcdef", (L, TR, BR) * 2, strict=True))
)

TILESETS = {"lambo": LAMBO, "mambo": MAMBO}

assert {t.tip2 for t in LAMBO} == {R, BL, TL}
