"""What a drawing of a position shows, and where; SVG and PNG share it (docs/drawing.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor

from engine.hex import glyphs
from engine.hex.groups import Group, deciding, groups
from engine.hex.hexes import Cell, axial
from engine.hex.position import Position, fits, walk
from engine.hex.shapes import EDGE, TALL, middle, point, tile_of
from engine.hex.tiles import TILESETS, Tile
from engine.hex.variants import GAMES


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as #rrggbb. `tile`: the ground of a tile without a player's colour. `inlay`: the line in seat 1's shapes,
    which tells them from seat 2's without colour. `joint`: between tiles. `last`: round the tiles of the last turn,
    with a rim of `ink`."""

    page: str
    tile: str
    seat1: str
    seat2: str
    inlay: str
    joint: str
    ink: str
    faint: str
    last: str


DAY = Palette("#fcfaf5", "#f3ede1", "#cf620a", "#12355b", "#f0a45c", "#ffffff", "#20262e", "#6d675c", "#ffffff")
NIGHT = Palette("#12161c", "#222932", "#ffd7a0", "#3478bd", "#d99a4e", "#12161c", "#e9e6df", "#9aa3ad", "#12161c")
PRINT = Palette("#ffffff", "#ffffff", "#8a8a8a", "#000000", "#ffffff", "#ffffff", "#000000", "#444444", "#ffffff")
_FLAT = Palette("#ffffff", "#ffffff", "#ff0000", "#0000ff", *["#ffffff"] * 5)


@dataclass(frozen=True, slots=True)
class Look:
    """How a position is drawn. `numbers`: in the playable cells, with the null points. `marks`: lines between tiles and
    round the board, the inlay, the last turn, the group that decided. `captions`: the names above and the letters
    below. `names`: of players 1 and 2. `since`: turns from this ply on count as the last one. `edge`: pixels to an
    edge of a cell. `style`: with the style sheet, which a page needs only once. `free`: the cells that show a number;
    None for all that can be played. `room`: cells for which there is room, whether or not they show anything."""

    palette: Palette = DAY
    numbers: bool = True
    marks: bool = True
    captions: bool = True
    names: tuple[str, str] | None = None
    since: int | None = None
    edge: float = 15
    style: bool = True
    free: tuple[int, ...] | None = None
    room: tuple[int, ...] = ()


EDGES = (88 / 3, 64 / 3, 52 / 3, 15.0, 12.0, 26 / 3, 5.0)
"""Scales of a drawing, in pixels to an edge. At twice the scale, cells are a whole number of pixels apart."""
WIDEST = 600
"""The room for a drawing in a letter, in pixels across and down."""
_AREA = 150_000
"""The most pixels of a drawing whose picture is small enough for a letter."""

PLAIN = Look(_FLAT, numbers=False, marks=False, captions=False, edge=EDGE, style=False)
"""Only shapes: seat 1 red, seat 2 blue, the ground white, 40 pixels an edge."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a drawing of a position shows, without its colours. `last`, `auto`: cells of the last turn's tiles, and of
    the automatic tiles after them. `free`: the cells with a number. `decided`: groups. `box`: left, top, width and
    height in units. `captions`: the lines above the board, seat 1's first."""

    tileset: str
    tiles: tuple[tuple[Tile, Cell], ...]
    groups: tuple[Group, ...]
    decided: tuple[Group, ...]
    last: tuple[Cell, ...]
    auto: tuple[Cell, ...]
    free: tuple[int, ...]
    nulls: tuple[int, ...]
    captions: tuple[str, ...]
    box: tuple[float, float, float, float]


MARGIN = 14
NAME, LINE, SMALL = 17, 32, 0.45
"""Height of the captions' capitals and of a line, in units; size of the legend's tiles, relative to the board's."""
GAP = 8
"""The distance from the captions to the highest cell."""
FOOT = 66
NUMBER, NUMBER_PEN = 20, 2.8
"""Height of a cell's number of up to 3 digits, and width of its strokes."""


def scene(position: Position, look: Look) -> Scene:
    """What to draw."""
    found, own = _read(position)
    tileset = position.rules.tileset
    turns = position.turns[(len(position.turns) if look.since is None else look.since) - 1 :] if position.turns else ()
    playable = tuple(cell for cell, letters in found.items() if letters) if look.free is None else look.free
    free = playable if look.numbers else ()
    nulls = tuple(cell for cell, letters in found.items() if not letters) if look.numbers else ()
    tiles = tuple((tile_of(tileset, letter), axial(cell)) for letter, cell in position.tiles)
    captions = tuple(caption(position, seat, look.names) for seat in (1, 2)) if look.captions else ()
    cells = [*(cell for _, cell in tiles), *map(axial, (*free, *nulls, *look.room))]
    return Scene(
        tileset,
        tiles,
        own,
        deciding(position, own) if look.marks else (),
        tuple(axial(cell) for turn in turns for _, cell in turn.move) if look.marks else (),
        tuple(axial(cell) for turn in turns for _, cell in turn.auto) if look.marks else (),
        free,
        nulls,
        captions,
        _box(cells, tileset, captions, look.edge / EDGE),
    )


@lru_cache(maxsize=4)
def _read(position: Position) -> tuple[Mapping[int, str], tuple[Group, ...]]:
    """What fits where, and the groups. Cached: all looks share them, and `fitted` tries one before drawing."""
    play = walk(position)
    return fits(position, play), groups(position, play)


def caption(position: Position, seat: int, names: tuple[str, str] | None) -> str:
    """One line: the seat, its player, and whether the player is to move or has won."""
    player = position.seat_of(seat)
    called = GAMES[position.rules.game].seats[seat - 1]
    who = f"{called} · {names[player - 1]}" if names else called
    if position.outcome is None:
        return f"{who} · to move" if position.to_move == player else who
    return (
        f"{who} · draw" if not position.outcome.winner else f"{who} · won" if position.outcome.winner == player else who
    )


def _box(
    cells: Sequence[Cell], tileset: str, captions: Sequence[str], scale: float
) -> tuple[float, float, float, float]:
    spots = [point(middle(cell)) for cell in cells] or [(0.0, 0.0)]
    left, right = min(x for x, _ in spots) - EDGE - MARGIN, max(x for x, _ in spots) + EDGE + MARGIN
    top, bottom = min(y for _, y in spots) - TALL - MARGIN, max(y for _, y in spots) + TALL + MARGIN
    if captions:
        need = max([2 * MARGIN + LINE + glyphs.width(text, NAME) for text in captions] + [legend_width(tileset)])
        missing = max(need - (right - left), 0)
        left, right = left - missing / 2, right + missing / 2
        top, bottom = top - LINE * len(captions) - GAP, bottom + FOOT
    left, top = float(floor(left)), float(floor(top))
    return left, top, ceil(scale * (right - left)) / scale, ceil(scale * (bottom - top)) / scale  # whole pixels


STEP = 2 * EDGE * SMALL + 14
"""From one tile of the legend to the next."""


def legend_width(tileset: str) -> float:
    """Units that the legend needs."""
    return STEP * len(TILESETS[tileset]) + MARGIN


def fitted(position: Position, look: Look | None = None) -> Look:
    """The look with the largest of `EDGES` in which the drawing fits into a letter, or else with the smallest."""
    look = look or Look()
    _, _, width, height = scene(position, look).box
    for edge in EDGES:
        scale = edge / EDGE
        if scale * max(width, height) <= WIDEST and scale * scale * width * height <= _AREA:
            break
    return replace(look, edge=edge)
