"""The drawing of a position as a PNG, and of a whole game as a moving one. Needs the extra `pictures`.

Theory of operation. A rasteriser takes a tenth of a second for a whole board. So it draws each kind of element once, by
itself, as a small picture with a transparent ground (a sprite); a board is sprites pasted side by side, in the order of
the drawing's elements. A tile's sprite is a little larger than the tile, so that no ground shows between two of them:
lines meet an edge at a right angle and go on straight.

The board is then reduced to a fixed table of 16 colours, those of the palette and the steps between two that meet, and
written as a PNG with half an octet a pixel. So two rows of tiles fit into the window of the compression, which finds
the tiles of the upper row again in the lower row.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import add
from typing import NamedTuple

import resvg_py
from PIL import Image, ImageChops, ImageFile

from engine.hex import glyphs, scene, svg
from engine.hex.hexes import Cell, axial
from engine.hex.notation import Move
from engine.hex.position import Position, apply, start
from engine.hex.rules import Rules
from engine.hex.scene import FOOT, LINE, MARGIN, NAME, Look, Palette, Scene
from engine.hex.shapes import EDGE, Part, hexagon, middle, parts, point
from engine.hex.tiles import TILESETS, Tile

ZOOM = 2
"""Pixels of a picture to a pixel of the drawing."""
FILM = 200_000
"""Octets of a film, at most."""


class Sprite(NamedTuple):
    """A small picture: its colours, how opaque they are, and the pixel that lies on the point where it is pasted."""

    colours: Image.Image
    mask: Image.Image
    x: int
    y: int


def picture(position: Position, look: Look | None = None) -> bytes:
    """The PNG of what `svg.draw` draws, twice as large."""
    look = look or Look()
    shown = scene.scene(position, look)
    kinds = (DECIDED if shown.decided else RUNNING,)
    return _still(_flat(_painted(shown, look), look.palette, shown.tileset, kinds))


# ---- painting


def _painted(shown: Scene, look: Look) -> Image.Image:
    palette, scale = look.palette, ZOOM * look.edge / EDGE
    left, top, width, height = shown.box
    board = Image.new("RGB", (round(scale * width), round(scale * height)), palette.page)

    def paste(sprite: Sprite, x: float, y: float, whole: int = 1) -> None:
        across = whole * round(
            (scale * (x - left) - sprite.x) / whole
        )  # in whole octets, equal digits have equal octets
        board.paste(sprite.colours, (across, round(scale * (y - top)) - sprite.y), sprite.mask)

    def each(sprite: Sprite, cells: Iterable[Cell]) -> None:
        for cell in cells:
            paste(sprite, *point(middle(cell)))

    cells = [cell for _, cell in shown.tiles]
    free, nulls = [axial(cell) for cell in shown.free], [axial(cell) for cell in shown.nulls]
    each(_cell("free", palette, scale), free)
    if look.marks:
        each(_cell("edge", palette, scale), cells)
    decided = frozenset(corner for group in shown.decided for corner in group.corners)
    for tile, cell in shown.tiles:
        bold = frozenset(part for part in parts(tile) if part.corner(cell) in decided)
        each(_tile(tile, shown.tileset, look.marks, bool(decided), bold, palette, scale), [cell])
    each(_cell("last", palette, scale), shown.last)
    each(_cell("auto", palette, scale), shown.auto)
    each(_cell("null", palette, scale), nulls)
    for number, cell in zip(shown.free, free, strict=True):
        text = str(number)
        size = svg.number_size(text)
        x, y = point(middle(cell))
        x -= glyphs.width(text, size) / 2
        for digit in text:
            paste(_digit(digit, size, palette, scale), x, y, 2)  # in whole octets equal digits have equal octets
            x += glyphs.step(digit, size)
    for i, caption in enumerate(shown.captions):
        paste(_name(caption, i + 1, palette, scale), left + MARGIN, top + MARGIN + LINE * (i + 0.5))
    if shown.captions:
        paste(_legend(shown.tileset, palette, scale), left + width / 2, top + height - FOOT / 2)
    return board


@lru_cache(maxsize=64)
def _cell(kind: str, palette: Palette, scale: float) -> Sprite:
    origin = (0, 0)
    drawn = {
        "free": svg.free([origin], palette),
        "edge": svg.edge(hexagon(origin), palette),
        "last": svg.last(origin, palette),
        "auto": svg.last(origin, palette, auto=True),
        "null": svg.null(origin, palette),
    }
    return _sprite(drawn[kind], *_ROUND_A_CELL, scale)


_ROUND_A_CELL = (-EDGE - 4, -EDGE - 2, 2 * EDGE + 8, 2 * EDGE + 4)


@lru_cache(maxsize=512)
def _tile(
    tile: Tile, tileset: str, marks: bool, veiled: bool, bold: frozenset[Part], palette: Palette, scale: float
) -> Sprite:
    """One tile. `veiled`: on a board where a group stands out. `bold`: the tile's parts in that group."""
    origin, whole = (0, 0), hexagon((0, 0))
    drawn = "".join(svg.face(tile, tileset, palette, marks))
    top = ""
    if veiled:
        drawn += svg.veil(whole, palette) + "".join(svg.halo(part.shape(origin), palette) for part in sorted(bold))
        top = "".join(svg.part(part, origin, palette) for part in sorted(bold))
    clipped = f'<clipPath id="tile"><path d="{whole}"/></clipPath><g clip-path="url(#tile)">{drawn}</g>'
    larger = f'<g transform="scale({1 + 1 / (scale * EDGE * 0.866):.4f})">'
    return _sprite(f"{larger}{clipped}</g>{clipped}{larger}{top}</g>{top}", *_ROUND_A_CELL, scale)


@lru_cache(maxsize=64)
def _digit(digit: str, size: float, palette: Palette, scale: float) -> Sprite:
    drawn = svg.numbers([svg.digits(digit, 0, size / 2, size)], palette)
    return _sprite(drawn, -4, -size / 2 - 4, size + 8, size + 8, scale)


@lru_cache(maxsize=256)
def _name(text: str, seat: int, palette: Palette, scale: float) -> Sprite:
    width = glyphs.width(text, NAME) + LINE + 4
    return _sprite(svg.name(text, seat, palette), -2, -LINE / 2, width, LINE, scale)


@lru_cache(maxsize=16)
def _legend(tileset: str, palette: Palette, scale: float) -> Sprite:
    width = scene.legend_width(tileset)
    return _sprite(svg.legend(tileset, palette), -width / 2, -FOOT / 2, width, FOOT, scale)


def _sprite(drawn: str, left: float, top: float, width: float, height: float, scale: float) -> Sprite:
    """The sprite of what is drawn in this box of the drawing; the point 0 0 is the point where it is pasted."""
    x, y = round(-left * scale), round(-top * scale)
    across, down = round(width * scale), round(height * scale)
    box = f"{-x / scale:.4f} {-y / scale:.4f} {across / scale:.4f} {down / scale:.4f}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}" viewBox="{box}">'
    parser = ImageFile.Parser()
    parser.feed(bytes(resvg_py.svg_to_bytes(svg_string=f"{head}{drawn}</svg>", skip_system_fonts=True)))
    drawn_image = parser.close().convert("RGBA")
    return Sprite(drawn_image.convert("RGB"), drawn_image.getchannel("A"), x, y)


# ---- colours

Colour = tuple[int, int, int]
RUNNING, DECIDED = "running", "decided"
"""The two tables of colours: for a board without and with a group that stands out."""
_MOST = 16


def _flat(image: Image.Image, palette: Palette, tileset: str, kinds: tuple[str, ...]) -> Image.Image:
    """The image in the colours of these tables."""
    return image.quantize(palette=_table(palette, tileset, kinds), dither=Image.Dither.NONE)


@lru_cache(maxsize=32)
def _table(palette: Palette, tileset: str, kinds: tuple[str, ...]) -> Image.Image:
    colours = dict.fromkeys(colour for kind in kinds for colour in _colours(palette, tileset, kind)[:_MOST])
    image = Image.new("P", (1, 1))
    image.putpalette([value for colour in colours for value in colour])
    return image


def _colours(palette: Palette, tileset: str, kind: str) -> list[Colour]:
    """The colours of a board, most needed first: those of the palette, then the steps between two that meet."""
    page, tile, seat1, seat2 = map(_rgb, (palette.page, palette.tile, palette.seat1, palette.seat2))
    inlay, joint, ink, faint = map(_rgb, (palette.inlay, palette.joint, palette.ink, palette.faint))
    neutral = not TILESETS[tileset][0].bridge2
    found = [page, seat1, seat2, inlay, ink, *([tile] if neutral else [])]
    if kind == DECIDED:
        far = [_mixed(colour, page, svg.VEIL) for colour in (seat1, seat2, inlay, tile)]
        found += [*far[: 3 + neutral], _mixed(ink, page), _mixed(seat1, ink), _mixed(seat1, inlay)]
        if neutral:
            found += [_mixed(far[0], far[3]), _mixed(far[1], far[3]), faint, _mixed(seat2, ink)]
        else:
            found += [_mixed(far[0], far[1]), _mixed(seat2, ink), _mixed(far[1], joint, 0.4), _mixed(ink, far[0])]
    else:
        found += [faint, _mixed(ink, page), _mixed(faint, page), _mixed(page, faint, 0.18)]
        if neutral:
            found += [_mixed(seat1, tile), _mixed(seat2, tile)]
        else:
            found += [_mixed(seat1, seat2, 0.3), _mixed(seat1, seat2, 0.7), _mixed(ink, seat1)]
        found += [_mixed(seat1, inlay), _mixed(seat2, joint, 0.4), _mixed(seat1, joint, 0.4)]
    return list(dict.fromkeys(found))


def _rgb(colour: str) -> Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _mixed(one: Colour, other: Colour, part: float = 0.5) -> Colour:
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(one, other, strict=True))
    return red, green, blue


# ---- octets

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _still(flat: Image.Image) -> bytes:
    return b"".join((_SIGNATURE, *_head(flat, 4), _chunk(b"IDAT", _rows(flat, 4)), _chunk(b"IEND", b"")))


def _head(flat: Image.Image, bits: int) -> Iterator[bytes]:
    """The size, and the table of colours."""
    yield _chunk(b"IHDR", struct.pack(">IIBBBBB", *flat.size, bits, 3, 0, 0, 0))
    yield _chunk(b"PLTE", bytes(flat.getpalette() or ())[: 3 << bits])


def _rows(flat: Image.Image, bits: int) -> bytes:
    """The pixels, `bits` each."""
    first = 8 // bits  # an octet of zeros before each row says that the row is not filtered
    wider = Image.new("P", (flat.width + first, flat.height), 0)
    wider.paste(flat, (first, 0))
    return zlib.compress(wider.tobytes() if bits == 8 else wider.tobytes("raw", f"P;{bits}"), 6)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# ---- films

_CLEAR = 2 * _MOST
"""In a film, the colour of pixels that do not change."""
_TURN, _END = 100, 400
"""How long a turn and the end are shown, in hundredths of a second."""


def film(rules: Rules, moves: Sequence[Move | str], look: Look | None = None) -> bytes:
    """A moving PNG of the game turn by turn, in the largest scale that stays within `FILM` octets. A program that shows
    no moving pictures shows the last position. Raises Unreadable or Forbidden."""
    positions = [start(rules)]
    for move in moves:
        positions.append(apply(positions[-1], move))
    look = scene.fitted(positions[-1], replace(look or Look(), numbers=False))
    for edge in (edge for edge in scene.EDGES if edge <= look.edge):
        made = _film(positions, replace(look, edge=edge))
        if len(made) <= FILM:
            break
    return made


def _film(positions: Sequence[Position], look: Look) -> bytes:
    scenes = [scene.scene(position, look) for position in positions]
    lefts, tops, widths, heights = zip(*(shown.box for shown in scenes), strict=True)
    left, top = min(lefts), min(tops)
    box = (left, top, max(map(add, lefts, widths)) - left, max(map(add, tops, heights)) - top)
    frames = [_painted(replace(shown, box=box), look) for shown in scenes]
    flats = [_flat(frame, look.palette, scenes[0].tileset, (RUNNING, DECIDED)) for frame in frames]
    parts = [
        *_head(flats[-1], 8),
        _chunk(b"tRNS", b"\xff" * _CLEAR + b"\0"),
        _chunk(b"acTL", struct.pack(">II", len(frames), 0)),
        _chunk(b"IDAT", _rows(flats[-1], 8)),
    ]
    for i, flat in enumerate(flats):
        changed = _changed(flat, flats[i - 1]) if i else Image.new("L", flat.size, 255)
        area = changed.getbbox() or (0, 0, 1, 1)
        fresh = Image.new("P", flat.size, _CLEAR)
        fresh.paste(flat, (0, 0), changed)
        fresh = fresh.crop(area)
        shown = _END if flat is flats[-1] else _TURN
        control = struct.pack(">IIIIIHHBB", 2 * i, *fresh.size, *area[:2], shown, 100, 0, 1)
        parts += [_chunk(b"fcTL", control), _chunk(b"fdAT", struct.pack(">I", 2 * i + 1) + _rows(fresh, 8))]
    return b"".join((_SIGNATURE, *parts, _chunk(b"IEND", b"")))


def _changed(one: Image.Image, other: Image.Image) -> Image.Image:
    """255 where the colours of two pictures differ."""
    difference = ImageChops.difference(_indexes(one), _indexes(other))
    return difference.point([0, *[255] * 255])


def _indexes(flat: Image.Image) -> Image.Image:
    return Image.frombytes("L", flat.size, flat.tobytes())
