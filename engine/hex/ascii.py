"""The board in plain characters: a position drawn, and a drawing read back (docs/rules.md 4).

`canvas` draws the tiles. The reader finds tiles and labels by the inner characters of the cells, draws what it found,
and accepts it only if that drawing equals the text. So it accepts exactly what `draw_tiles` can write. Indentation,
blank lines round the board, blanks at line ends and marks may differ: capitals count as small letters, and a `*`
stands for whatever belongs under it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import dedent
from typing import NamedTuple

from engine.errors import Unreadable
from engine.hex.canvas import LABEL_LINE, LABEL_MIDDLE, Corner, Spot, draw_tiles
from engine.hex.groups import deciding
from engine.hex.hexes import Cell, axial, spiral
from engine.hex.notation import write_move
from engine.hex.position import Position, fits
from engine.hex.tiles import TILESETS, Tile
from engine.hex.variants import GAMES

__all__ = ["draw", "draw_tiles", "last_cells", "legend", "read", "width"]


def width(drawing: str) -> int:
    """Characters in the longest line."""
    return max(map(len, drawing.split("\n")))


_LABEL = re.compile(r"[0-9]+|(?<!-)-(?!-)")
_LONGEST_LABEL = 7


class _Found(NamedTuple):
    """A possible tile or label at a spot (the top left of a cell's stamp). The other of the two texts is empty."""

    spot: Spot
    letter: str
    label: str


def read(text: str, tileset: Sequence[Tile]) -> tuple[tuple[str, int], ...]:
    """The (letter, cell number) pairs of a drawing, by cell number.

    The numbers drawn in empty cells say where cell 0 is. A drawing without any is read as if the top tile of its
    left-most column lay on cell 0. Raises Unreadable for what `draw_tiles` could not have drawn.
    """
    lines = _tidy(text)
    found = [*_find_tiles(lines, tileset), *_find_labels(lines)]
    lattices: dict[Spot, list[_Found]] = {}
    for item in found:
        lattices.setdefault(_lattice(item.spot), []).append(item)
    complaint = "this is no board: it shows no tiles"
    for items in sorted(lattices.values(), key=len, reverse=True):
        tiles = {_cell(item.spot): item.letter for item in items if item.letter}
        labels = {_cell(item.spot): item.label for item in items if item.label}
        if not tiles and set(labels.values()) != {"0"}:
            continue
        drawing = draw_tiles(
            tileset,
            [(letter, spiral(cell)) for cell, letter in tiles.items()],
            {spiral(cell): label for cell, label in labels.items()},
        ).split("\n")
        wrong = _first_difference(lines, drawing)
        if wrong is None:
            dq, dr = _shift(tiles, labels)
            return tuple(sorted(((letter, spiral((q + dq, r + dr))) for (q, r), letter in tiles.items()), key=_number))
        if complaint.startswith("this"):
            complaint = f"the drawing does not fit together at line {wrong + 1} of the board"
    raise Unreadable(complaint)


def _number(tile: tuple[str, int]) -> int:
    return tile[1]


def _tidy(text: str) -> list[str]:
    lines = [line.rstrip() for line in dedent(text.expandtabs()).splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return [line.translate(_SMALL) for line in lines]


_SMALL = str.maketrans("OX", "ox")


def _lattice(spot: Spot) -> Spot:
    """One of 24 keys; spots whose cells can be on one board have the same key."""
    column, x = divmod(spot[1], 6)
    return (spot[0] - 2 * column) % 4, x


def _cell(spot: Spot) -> Cell:
    """The cell of a spot, up to a shift: cell 0 may be anywhere on the spot's lattice."""
    column = spot[1] // 6
    return column, (spot[0] - 2 * column) // 4


def _find_tiles(lines: Sequence[str], tileset: Sequence[Tile]) -> Iterator[_Found]:
    seen = {_inside(_tidy(draw_tiles(tileset, [(tile.letter, 0)])), 0, 0): tile.letter for tile in tileset}
    middles = {inside[1] for inside in seen}
    unmarked = [line.replace("*", " ") for line in lines]
    for y, line in enumerate(unmarked):
        for middle in middles:
            x = line.find(middle)
            while x >= 0:
                spot = (y - 2, x - 2)
                letter = seen.get(_inside(unmarked, *spot))
                if letter:
                    yield _Found(spot, letter, "")
                x = line.find(middle, x + 1)


def _inside(lines: Sequence[str], top: int, left: int) -> tuple[str, ...]:
    """Lines 1 to 3, characters 2 to 6 of the cell drawn at this spot."""
    if top < -1 or left < 0:
        return ()
    return tuple(line[left + 2 : left + 7].ljust(5) for line in lines[top + 1 : top + 4])


def _find_labels(lines: Sequence[str]) -> Iterator[_Found]:
    for y, line in enumerate(lines):
        for match in _LABEL.finditer(line):
            label = match[0]
            if len(label) > _LONGEST_LABEL:
                raise Unreadable(f"a cell number on a board has at most {_LONGEST_LABEL} digits")
            yield _Found((y - LABEL_LINE, match.start() + len(label) // 2 - LABEL_MIDDLE), "", label)


def _first_difference(text: Sequence[str], drawing: Sequence[str]) -> int | None:
    """The index of the first line that differs; a `*` in the text agrees with any character, and with none."""
    for i, (ours, theirs) in enumerate(zip_longest(text, drawing, fillvalue="")):
        if ours != theirs and any(a not in (b, "*") for a, b in zip_longest(ours, theirs, fillvalue=" ")):
            return i
    return None


def _shift(tiles: Iterable[Cell], labels: Mapping[Cell, str]) -> Cell:
    """What to add to a cell as found to get the real cell."""
    shifts = set()
    for (q, r), label in labels.items():
        if label != "-":
            real_q, real_r = axial(int(label))
            shifts.add((real_q - q, real_r - r))
    if len(shifts) > 1:
        raise Unreadable("the cell numbers on the board do not agree with each other")
    if shifts:
        return shifts.pop()
    q, r = min(tiles)
    return -q, -r


def draw(
    position: Position, mark: bool = False, found: Mapping[int, str] | None = None, newest: Iterable[int] = ()
) -> str:
    """The board: the number of every playable cell in its middle, `-` in a null point. `found`: the position's `fits`.

    A finished game has no playable cells, so it shows no numbers. `mark`: draw the group that decided it as marked.
    `newest`: cells whose tiles get a `*` in the middle, such as `last_cells`.
    """
    found = fits(position) if found is None else found
    labels = {cell: str(cell) if letters else "-" for cell, letters in found.items()}
    marked = [corner for _, corners in _deciding(position) for corner in corners] if mark else ()
    return draw_tiles(_tileset(position), position.tiles, labels, frozenset(marked), newest)


def last_cells(position: Position) -> tuple[int, ...]:
    """The cells to mark as laid in the last turn, automatic tiles included.

    Empty where `draw(position, mark=True)` draws a blank group with `*`, because one sign would mean two things.
    """
    if not position.turns or any(sign == "*" for sign, _ in _deciding(position)):
        return ()
    turn = position.turns[-1]
    return tuple(cell for _, cell in (*turn.move, *turn.auto))


def legend(position: Position, found: Mapping[int, str] | None = None) -> str:
    """Lines that explain the marks of `draw(position, mark=True, newest=last_cells(position))` and say where the tiles
    of the last turn went; empty when there is nothing to say. `found`: the position's `fits`."""
    said = []
    turn = position.turns[-1] if position.turns else None
    if turn and turn.move:
        tiles = [write_move((one,)) for one in turn.move] + [f"{write_move((one,))} (automatic)" for one in turn.auto]
        marked = ", marked '*'" if last_cells(position) else ""
        said.append(f"Ply {len(position.turns)}{marked}: {', '.join(tiles)}.")
    found = fits(position) if found is None else found
    if not all(found.values()):
        said.append("'-' is a null point: no tile can ever go there.")
    signs = sorted({sign for sign, _ in _deciding(position)})
    if signs:
        said.append(f"The group that decided the game is drawn with {' and '.join(signs)}.")
    return "\n".join(said)


def _tileset(position: Position) -> Sequence[Tile]:
    return TILESETS[position.rules.tileset]


def _deciding(position: Position) -> list[tuple[str, frozenset[Corner]]]:
    """The sign and the corners of each group that decided the game."""
    marks = GAMES[position.rules.game].marks
    return [(marks[group.seat - 1].strip().upper() or "*", group.corners) for group in deciding(position)]
