"""Pictures: they show what the SVG shows, are small, and the same every time; films turn by turn."""

import io
import struct
import time
import zlib
from dataclasses import replace
from typing import Any

import pytest

from engine.hex import scene
from engine.hex.notation import write_move
from engine.hex.position import Position, replay, start
from engine.hex.scene import DAY, NIGHT, PLAIN, PRINT, Look
from engine.hex.variants import parse
from tests.engine.drawn import VARIANTS, full, pixels, played
from tests.engine.test_svg import counted, seen

pytest.importorskip("resvg_py")
Image = pytest.importorskip("PIL.Image")
ImageFilter = pytest.importorskip("PIL.ImageFilter")
ImageChops = pytest.importorskip("PIL.ImageChops")
png = pytest.importorskip("engine.hex.png")


def opened(octets: bytes) -> Any:
    image = Image.open(io.BytesIO(octets))
    image.load()
    return image


def strange(picture: Any, drawing: Any, reach: int = 28) -> float:
    """The share of pixels of a picture that differ from the drawing by more than `reach` in a colour, when the drawing
    may be moved by a pixel."""
    low, high = drawing.filter(ImageFilter.MinFilter(3)), drawing.filter(ImageFilter.MaxFilter(3))
    below, above = ImageChops.subtract(low, picture), ImageChops.subtract(picture, high)
    worst = ImageChops.lighter(below, above)
    most = ImageChops.lighter(ImageChops.lighter(*worst.split()[:2]), worst.split()[2])
    return sum(most.histogram()[reach + 1 :]) / (picture.width * picture.height)


CASES = [
    ("lambo", 1, 6, Look()),
    ("lambo", 4, 200, Look(names=("ann", "bob_7"))),
    ("palago", 2, 200, Look(NIGHT)),
    ("lambo -anywhere -eat_enemy=2", 3, 200, Look()),
    ("mambo", 1, 12, Look(NIGHT, since=1)),
    ("mambo", 2, 200, Look(PRINT)),
    ("mambo -auto=none -no_kill", 3, 40, Look()),
    ("mambo -mambogo", 1, 200, Look(edge=26 / 3)),
    ("mambo -mamba", 1, 60, PLAIN),
    ("lambo", 2, 30, PLAIN),
]


@pytest.mark.parametrize(("rules", "seed", "turns", "look"), CASES)
def test_the_picture_is_the_drawing(rules: str, seed: int, turns: int, look: Look) -> None:
    position = played(rules, seed, turns)
    picture, drawing = opened(png.picture(position, look)).convert("RGB"), pixels(position, look, 2)
    assert picture.size == drawing.size
    assert strange(picture, drawing) < 0.004


def test_another_picture_is_strange() -> None:
    position = played("mambo", 1, 12)
    other = replay(position.rules, [turn.move for turn in position.turns[:-1]])
    look = replace(Look(), captions=False)
    picture, drawing = opened(png.picture(position, look)).convert("RGB"), pixels(other, look, 2)
    assert strange(picture, drawing.resize(picture.size)) > 0.02
    unmarked = pixels(position, replace(look, marks=False), 2)
    assert strange(picture, unmarked) > 0.01


@pytest.mark.parametrize("rules", VARIANTS)
def test_the_groups_of_the_picture(rules: str) -> None:
    position = played(rules, 3)
    picture = opened(png.picture(position, PLAIN)).convert("RGB")
    small = picture.resize((picture.width // 4, picture.height // 4), Image.Resampling.NEAREST)
    assert seen(position, small, 0.5) == counted(position)


@pytest.mark.parametrize("rules", VARIANTS)
def test_size(rules: str) -> None:
    """docs/drawing.md: at most 25 KB with 48 tiles."""
    for seed in range(3):
        position = full(rules, seed)
        assert len(position.tiles) >= 48
        assert len(png.picture(position, Look(names=("a" * 20, "b" * 20)))) <= 25_000
        assert len(png.picture(played(rules, seed))) <= 25_000
        look = scene.fitted(position)
        picture = png.picture(position, look)
        assert len(picture) <= 25_000
        assert max(opened(picture).size) <= 2 * scene.WIDEST


def test_the_form_of_a_picture() -> None:
    """16 colours; each chunk's sum is right; the same position gives the same octets."""
    position = played("lambo", 1)
    octets = png.picture(position)
    at, kinds = 8, []
    while at < len(octets):
        length, kind = struct.unpack(">I4s", octets[at : at + 8])
        body, (summed,) = (
            octets[at + 4 : at + 8 + length],
            struct.unpack(">I", octets[at + 8 + length : at + 12 + length]),
        )
        assert zlib.crc32(body) == summed
        kinds.append(kind)
        at += 12 + length
    assert kinds == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert len(opened(octets).getcolors()) <= 16
    for cached in (png._tile, png._cell, png._digit, png._name, png._legend, png._table):
        cached.cache_clear()
    assert png.picture(position) == octets


def test_the_first_colours_are_those_of_the_palette() -> None:
    for rules in ("lambo", "mambo"):
        colours = {colour for _, colour in opened(png.picture(played(rules, 1, 9))).convert("RGB").getcolors()}
        for wanted in (DAY.page, DAY.seat1, DAY.seat2, DAY.ink, DAY.inlay):
            assert tuple(bytes.fromhex(wanted[1:])) in colours


def test_a_board_without_tiles() -> None:
    assert opened(png.picture(start(parse("mambo")))).width > 100


# ---- films


def frames(octets: bytes) -> list[Any]:
    """The default image first, if it is not part of the film."""
    image = opened(octets)
    found = []
    for i in range(image.n_frames):
        image.seek(i)
        found.append(image.convert("RGB"))
    return found


def content(image: Any) -> tuple[int, int, int, int]:
    """Where the board of a picture without captions is."""
    page = Image.new("RGB", image.size, image.getpixel((0, 0)))
    found = ImageChops.difference(image, page).getbbox()
    assert found
    return tuple(found)


def moves(position: Position) -> list[str]:
    return [write_move(turn.move) for turn in position.turns]


@pytest.mark.parametrize("rules", ["lambo", "mambo", "mambo -mamba -swap"])
def test_a_film(rules: str) -> None:
    """A frame for each ply, from the start; the last one stands alone, too, and is the picture of the position."""
    position = played(rules, 1, 12)
    look = scene.fitted(position, Look(numbers=False, captions=False))
    shown, *turns = frames(png.film(position.rules, moves(position), look))
    assert len(turns) == position.ply + 1
    assert shown.tobytes() == turns[-1].tobytes()
    picture = opened(png.picture(position, look)).convert("RGB")
    board, drawn = shown.crop(content(shown)), picture.crop(content(picture))
    assert board.size == drawn.size
    assert strange(board, drawn) < 0.001
    assert len({frame.tobytes() for frame in turns}) == len(turns)


@pytest.mark.parametrize("rules", VARIANTS)
def test_the_size_of_a_film(rules: str) -> None:
    """docs/drawing.md: at most 200 KB."""
    position = played(rules, 1)
    assert len(png.film(position.rules, moves(position))) <= 200_000


def test_a_long_film_is_smaller() -> None:
    position = played("mambo -auto=none -no_kill -size=120", 1)
    assert position.ply == 120
    film = png.film(position.rules, moves(position))
    assert len(film) <= 200_000
    fitting = scene.fitted(position, Look(numbers=False))
    assert opened(film).width < 2 * fitting.edge / 40 * scene.scene(position, fitting).box[2]


# ---- cost


@pytest.mark.nightly
@pytest.mark.parametrize("rules", VARIANTS)
def test_cost(rules: str) -> None:
    """docs/drawing.md: at most 20 ms of processor time for 48 tiles, once all sprites are drawn."""
    position = full(rules, 1)
    png.picture(position)
    spent = []
    for _ in range(10):
        begun = time.process_time()
        png.picture(position)
        spent.append(time.process_time() - begun)
    assert min(spent) <= 0.020
