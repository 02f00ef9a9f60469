"""A position as an SVG document (docs/drawing.md). Each kind of element has a function; `png` uses them, too.

Every element has its colours as attributes. The style sheet repeats them as CSS variables, so that a page can change
them, and adds those for a dark page. It is in @media blocks because some renderers know no variables; they skip such
blocks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import lru_cache
from html import escape

from engine.hex import glyphs, words
from engine.hex.glyphs import short
from engine.hex.groups import Group
from engine.hex.hexes import axial
from engine.hex.position import Position
from engine.hex.scene import (
    DAY,
    FOOT,
    LINE,
    MARGIN,
    NAME,
    NIGHT,
    NUMBER,
    NUMBER_PEN,
    SMALL,
    STEP,
    Look,
    Palette,
    Scene,
    scene,
)
from engine.hex.shapes import EDGE, Part, Spot, corners, hexagon, middle, parts, point
from engine.hex.tiles import TILESETS, Tile

INLAY = 2.2
"""Width of the inlay."""


def draw(position: Position, look: Look | None = None, told: Sequence[str] = ()) -> str:
    """The position as a whole SVG document: one `svg` element, which can stand in a page. `told`: what it shows, in
    sentences; none for those of `words.describe`."""
    look = look or Look()
    shown = scene(position, look)
    x, y, width, height = shown.box
    scale = look.edge / EDGE
    title, *telling = told or words.describe(position)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="board {position.rules.game}" role="img" '
            f'viewBox="{short(x)} {short(y)} {short(width)} {short(height)}" '
            f'width="{round(scale * width)}" height="{round(scale * height)}">',
            f"<title>{escape(title, quote=False)}</title><desc>{escape(' '.join(telling), quote=False)}</desc>",
            f"<style>{style_sheet(look.palette)}</style>" if look.style else "",
            f'<rect class="page" x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}" '
            f'fill="{look.palette.page}"/>',
            *board(shown, look),
            *(captions(shown, look.palette) if look.captions else ()),
            "</svg>\n",
        ]
    )


def board(shown: Scene, look: Look) -> Iterator[str]:
    """The tiles and what is marked on them."""
    palette = look.palette
    cells = [cell for _, cell in shown.tiles]
    everywhere = "".join(hexagon(middle(cell)) for cell in cells)
    if shown.free:
        yield free([middle(axial(cell)) for cell in shown.free], palette)
    if cells and look.marks:
        yield edge(everywhere, palette)
    if cells:
        yield ground(everywhere, shown.tileset, palette)
    full, laid = filled(shown.tileset), _laid(shown)
    for group, pieces in zip(shown.groups, laid, strict=True):
        if group.seat == 2 or not full:
            yield _filled(group, pieces, palette)
        if look.marks:
            yield _inlay(group, pieces, palette)
    if cells and look.marks:
        yield joints(everywhere, palette)
    if shown.decided:
        yield veil(everywhere, palette)
        for group, pieces in zip(shown.groups, laid, strict=True):
            if group in shown.decided:
                yield halo(_area(pieces), palette)
                yield _filled(group, pieces, palette) + _inlay(group, pieces, palette)
    yield from (last(middle(cell), palette) for cell in shown.last)
    yield from (last(middle(cell), palette, auto=True) for cell in shown.auto)
    yield from (null(middle(axial(cell)), palette) for cell in shown.nulls)
    if shown.free:
        yield numbers([number(cell) for cell in shown.free], palette)


def edge(where: str, palette: Palette) -> str:
    """The line round the board; the tiles are drawn over its inner half."""
    return _line("edge", palette.ink, 5, where)


def halo(where: str, palette: Palette) -> str:
    """The border round a group that stands out."""
    return _line("halo", palette.ink, 7, where)


def free(cells: Iterable[Spot], palette: Palette) -> str:
    """A dot at each corner of the cells that can be played."""
    return _line("free", palette.faint, 3, "".join(f"{dot}h.1" for dot in sorted(set(corners(cells)))))


def filled(tileset: str) -> bool:
    """Whether the players' shapes fill a tile. If so, seat 1's colour is the ground, and only seat 2's are drawn."""
    return bool(TILESETS[tileset][0].bridge2)


def ground(where: str, tileset: str, palette: Palette) -> str:
    """The ground of tiles: seat 1's colour where all corners have colours."""
    if filled(tileset):
        return f'<path class="ground seat1" fill="{palette.seat1}" d="{where}"/>'
    return f'<path class="ground tile" fill="{palette.tile}" d="{where}"/>'


def shape(seat: int, where: str, palette: Palette, kind: str = "part") -> str:
    """An area of a seat's colour."""
    colour = palette.seat1 if seat == 1 else palette.seat2
    return f'<path class="{kind} seat{seat}" fill="{colour}" d="{where}"/>'


def part(one: Part, at: Spot, palette: Palette) -> str:
    """One tip or bridge with its inlay."""
    return shape(one.seat, one.shape(at), palette) + (inlay(one.inlay(at), palette) if one.seat == 1 else "")


def inlay(where: str, palette: Palette) -> str:
    """The line that runs through the shapes of seat 1."""
    return _line("inlay", palette.inlay, INLAY, where)


def joints(where: str, palette: Palette) -> str:
    """The lines between tiles."""
    return _line("joint", palette.joint, 1.2, where, 'stroke-opacity=".4" ')


VEIL = 0.62
"""How opaque a veil is."""


def veil(where: str, palette: Palette) -> str:
    """The veil that fades the tiles when one group stands out."""
    return f'<path class="veil" fill="{palette.page}" fill-opacity="{VEIL}" d="{where}"/>'


def last(at: Spot, palette: Palette, auto: bool = False) -> str:
    """The mark of a tile of the last turn; `auto`: the fainter mark of an automatic tile."""
    where = hexagon(at, 0.87)
    if auto:
        return (
            f'<g class="last auto">{_line("rim", palette.ink, 4, where)}'
            f"{_line('line', palette.last, 1.6, where, _DASHES)}</g>"
        )
    return f'<g class="last">{_line("rim", palette.ink, 6, where)}{_line("line", palette.last, 2.8, where)}</g>'


_DASHES = 'stroke-dasharray="6 5" '


def null(at: Spot, palette: Palette) -> str:
    """A cell where nothing ever fits: a dash on a grey cell."""
    x, y = point(at)
    return (
        f'<g class="null"><path class="dead" fill="{palette.faint}" fill-opacity=".18" d="{hexagon(at, 0.9)}"/>'
        f"{_line('dash', palette.faint, 4, f'M{short(x - 9)} {short(y)}h18')}</g>"
    )


def number(cell: int) -> str:
    """A cell's number, in its middle; its class names the cell."""
    text, (x, y) = str(cell), point(middle(axial(cell)))
    size = number_size(text)
    return digits(text, x - glyphs.width(text, size) / 2, y + size / 2, size)


def digits(text: str, x: float, y: float, size: float) -> str:
    """The strokes of a number that begins at x on the baseline y."""
    return f'<path class="c{text}" d="{glyphs.path(text, x, y, size)}"/>'


def numbers(drawn: Iterable[str], palette: Palette) -> str:
    """Numbers in their colour."""
    return f'<g class="number" {_pen(palette.faint, NUMBER_PEN)}>{"".join(drawn)}</g>'


def number_size(text: str) -> float:
    """How high a cell's number is: 4 digits have the width of 3."""
    return NUMBER if len(text) < 4 else NUMBER * 3 / len(text)


def captions(shown: Scene, palette: Palette) -> Iterator[str]:
    """The seats with their colours above the board, the letters of the tiles below it."""
    left, top, width, height = shown.box
    for i, text in enumerate(shown.captions):
        yield _moved(name(text, i + 1, palette), left + MARGIN, top + MARGIN + LINE * (i + 0.5))
    yield _moved(legend(shown.tileset, palette), left + width / 2, top + height - FOOT / 2)


def _moved(drawn: str, x: float, y: float) -> str:
    return f'<g class="caption" transform="translate({short(x)} {short(y)})">{drawn}</g>'


@lru_cache(maxsize=256)
def name(text: str, seat: int, palette: Palette) -> str:
    """A line of text after a sample of a seat's colour. It begins at 0 and has its middle there."""
    strokes = glyphs.path(text, LINE, NAME / 2, NAME)
    return chip(seat, 10, 0, palette) + _line("name", palette.ink, 2.5, strokes)


@lru_cache(maxsize=32)
def legend(tileset: str, palette: Palette) -> str:
    """All tiles side by side with their letters, round the point 0 0."""
    tiles = TILESETS[tileset]
    x, y = -STEP * (len(tiles) - 1) / 2, 0.0
    drawn = []
    for tile in tiles:
        strokes = glyphs.path(tile.letter, x - glyphs.width(tile.letter, 14) / 2, y + 23, 14)
        drawn.append(
            f'<g class="letter" transform="translate({short(x)} {short(y - 15)}) scale({SMALL})">'
            f"{edge(hexagon((0, 0)), palette)}{''.join(face(tile, tileset, palette))}</g>"
            f"{_line('name', palette.ink, 2.2, strokes)}"
        )
        x += STEP
    return "".join(drawn)


def chip(seat: int, x: float, y: float, palette: Palette) -> str:
    """A round sample of a seat's colour."""
    colour = palette.seat1 if seat == 1 else palette.seat2
    where = f'cx="{short(x)}" cy="{short(y)}"'
    ring = f'<circle class="inlay" {where} r="5" fill="none" stroke="{palette.inlay}" stroke-width="{INLAY}"/>'
    return f'<circle class="seat{seat}" {where} r="10" fill="{colour}"/>{ring if seat == 1 else ""}'


def face(tile: Tile, tileset: str, palette: Palette, marks: bool = True) -> Iterator[str]:
    """The ground and shapes of one tile, its middle at 0 0; with `marks` also inlay and joints."""
    yield ground(hexagon((0, 0)), tileset, palette)
    yield from (shape(part.seat, part.shape((0, 0)), palette) for part in parts(tile))
    if marks:
        yield inlay("".join(part.inlay((0, 0)) for part in parts(tile) if part.seat == 1), palette)
        yield joints(hexagon((0, 0)), palette)


def _filled(group: Group, laid: Sequence[tuple[Part, Spot]], palette: Palette) -> str:
    return shape(group.seat, _area(laid), palette, f"group size{group.bridges}")


def _inlay(group: Group, laid: Sequence[tuple[Part, Spot]], palette: Palette) -> str:
    return inlay("".join(part.inlay(at) for part, at in laid), palette) if group.seat == 1 else ""


def _area(laid: Sequence[tuple[Part, Spot]]) -> str:
    return "".join(part.shape(at) for part, at in laid)


def _laid(shown: Scene) -> list[list[tuple[Part, Spot]]]:
    """For each group its tips and bridges, and the middles of the cells on which they lie."""
    of = {corner: i for i, group in enumerate(shown.groups) for corner in group.corners}
    laid: list[list[tuple[Part, Spot]]] = [[] for _ in shown.groups]
    for tile, cell in shown.tiles:
        for part in parts(tile):
            laid[of[part.corner(cell)]].append((part, middle(cell)))
    return laid


def _line(kind: str, colour: str, width: float, where: str, more: str = "") -> str:
    return f'<path class="{kind}" {_pen(colour, width)} {more}d="{where}"/>'


def _pen(colour: str, width: float) -> str:
    return f'fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round"'


_PAINTED: dict[str, Iterable[str]] = {
    "page": ("fill:.page", "fill:.veil"),
    "tile": ("fill:.tile",),
    "seat1": ("fill:.seat1",),
    "seat2": ("fill:.seat2",),
    "inlay": ("stroke:.inlay",),
    "joint": ("stroke:.joint",),
    "ink": ("stroke:.edge", "stroke:.halo", "stroke:.rim", "stroke:.name"),
    "faint": ("stroke:.number", "stroke:.free", "stroke:.dash", "fill:.dead"),
    "last": ("stroke:.line",),
}
"""What each colour paints: property and class."""


def _rules(palette: Palette) -> str:
    return "".join(
        f".board {where}{{{what}:var(--{field.name},{getattr(palette, field.name)})}}"
        for field in fields(palette)
        for what, where in (painted.split(":") for painted in _PAINTED[field.name])
    )


def style_sheet(palette: Palette = DAY) -> str:
    """The rules for every drawing with this palette. A page may set the variables --seat1, --seat2, --page, --tile,
    --inlay, --joint, --ink, --faint and --last on any element round a drawing."""
    dark = f"@media (prefers-color-scheme:dark){{{_rules(NIGHT)}}}" if palette == DAY else ""
    return f"@media all{{{_rules(palette)}}}{dark}"
