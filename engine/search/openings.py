"""The opening book: the turns that long searches have found best, up to ply 4 (`bench/openings.py`).

The texts in `book` are positions and their best turns, the most tried one first, each with the mover's chances in per
cent: `c4 b1,a2: c13,b5=52 a6,b7=50; c4 b1,b2: ...`. The same position may come turned by a third, mirrored or elsewhere
on the board. So it is found by a form that is the same for all of these: the tiles, turned and mirrored in all six ways
and moved to cell 0, in the order of their cells; the smallest of the six.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from engine.hex.hexes import axial, spiral
from engine.hex.notation import Move, Placement, parse_move
from engine.hex.play import Play
from engine.hex.rules import Rules
from engine.hex.variants import GAMES
from engine.search.book import BOOK

PLIES = 4
"""The book knows no position after more moves than that."""

_TURNED = str.maketrans("abcdef", "bcaefd")
_MIRRORED = str.maketrans("abcdef", "acbdfe")
"""The letter of a tile after a third of a turn to the right, and in the mirror that keeps left and right."""

Form = tuple[tuple[int, int, str], ...]


class Way(NamedTuple):
    """How a position came to its form: mirrored or not, so many thirds of a turn, then moved by (-q, -r)."""

    mirrored: bool
    thirds: int
    q: int = 0
    r: int = 0

    def there(self, placement: Placement) -> tuple[int, int, str]:
        """A tile of the position, in the form."""
        q, r, letter = *axial(placement.cell), placement.letter
        if self.mirrored:
            q, r, letter = q, -q - r, letter.translate(_MIRRORED)
        for _ in range(self.thirds):
            q, r, letter = -q - r, q, letter.translate(_TURNED)
        return q - self.q, r - self.r, letter

    def back(self, tile: tuple[int, int, str]) -> Placement:
        """A tile of the form, in the position."""
        q, r, letter = tile[0] + self.q, tile[1] + self.r, tile[2]
        for _ in range((3 - self.thirds) % 3):
            q, r, letter = -q - r, q, letter.translate(_TURNED)
        if self.mirrored:
            q, r, letter = q, -q - r, letter.translate(_MIRRORED)
        return Placement(letter, spiral((q, r)))


WAYS = tuple(Way(mirrored, thirds) for mirrored in (False, True) for thirds in range(3))


class Turn(NamedTuple):
    """A turn of the book. `chance`: the mover's, 0 to 1."""

    move: Move
    chance: float


def formed(tiles: Iterable[Placement]) -> tuple[Form, Way]:
    """The form of these tiles, and how they came to it."""
    placed = list(tiles)
    found: list[tuple[Form, Way]] = []
    for way in WAYS:
        turned = sorted(map(way.there, placed))
        q, r = turned[0][:2] if turned else (0, 0)
        moved = tuple((one - q, other - r, letter) for one, other, letter in turned)
        found.append((moved, way._replace(q=q, r=r)))
    return min(found)


def turns(play: Play) -> list[Turn]:
    """The turns that the book has for a position, the best one first."""
    name = _name(play.rules)
    if not name or play.ply > PLIES:
        return []
    form, way = formed(play.placements())
    known = _book()[name].get((play.mover, form), [])
    return [Turn(tuple(map(way.back, tiles)), chance) for tiles, chance in known]


@cache
def _name(rules: Rules) -> str:
    return next((name for name in BOOK if GAMES[name].rules == rules), "")


def positions() -> Iterator[tuple[str, list[str], str]]:
    """The book: of each position the game, the moves and the turns."""
    for name, text in BOOK.items():
        for one in text.split(";"):
            moves, found = one.split(":")
            yield name, moves.split(), found.strip()


@cache
def _book() -> Mapping[str, Mapping[tuple[int, Form], list[tuple[Form, float]]]]:
    book: dict[str, dict[tuple[int, Form], list[tuple[Form, float]]]] = {name: {} for name in BOOK}
    for name, moves, found in positions():
        play = Play(GAMES[name].rules)
        for move in moves:
            play.move(parse_move(move))
        form, way = formed(play.placements())
        best = [one.split("=") for one in found.split()]
        book[name][play.mover, form] = [
            (tuple(map(way.there, parse_move(move))), int(chance) / 100) for move, chance in best
        ]
    return book
