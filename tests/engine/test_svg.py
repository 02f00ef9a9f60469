"""The drawing: its groups are the engine's, it is well formed and small, and its colours can be told apart."""

import re
from collections.abc import Iterator
from dataclasses import astuple, replace
from itertools import combinations
from xml.etree import ElementTree

import pytest

from engine.hex import scene, svg
from engine.hex.groups import groups
from engine.hex.position import Position, apply, replay, start
from engine.hex.scene import DAY, NIGHT, PLAIN, PRINT, Look, Palette
from engine.hex.variants import parse
from tests import naive
from tests.engine.drawn import VARIANTS, full, pixels, played

SVG = "{http://www.w3.org/2000/svg}"
CASES = [(rules, seed) for rules in VARIANTS for seed in range(2)]

# ---- groups


def blots(image: object) -> tuple[list[int], int, dict[int, int]]:
    """For each pixel the blot it belongs to, 0 for none; the width; the colour of each blot: 1 for red, 2 for blue.
    Only full colours count, so pixels on a border belong to nothing."""
    width, height = image.size  # type: ignore[attr-defined]
    data = image.tobytes()  # type: ignore[attr-defined]
    full_colours = {b"\xff\0\0": 1, b"\0\0\xff": 2}
    colours = [full_colours.get(data[i : i + 3], 0) for i in range(0, len(data), 3)]
    of, found = [0] * (width * height), dict[int, int]()
    for begin, colour in enumerate(colours):
        if not colour or of[begin]:
            continue
        number = len(found) + 1
        found[number] = colour
        of[begin], todo = number, [begin]
        while todo:
            at = todo.pop()
            for to in (at - width, at - 1, at + 1, at + width):
                if 0 <= to < len(of) and not of[to] and colours[to] == colour:
                    of[to] = number
                    todo.append(to)
    return of, width, found


Seen = set[tuple[int, frozenset[naive.Point]]]


def seen(position: Position, image: object, zoom: float) -> Seen:
    """Colour and corners of each blot of a plain drawing. A corner is looked up a little inside of each of its tiles,
    and has to be of one blot in all of them."""
    of, width, colours = blots(image)
    left, top = map(float, re.findall(r'viewBox="(\S+) (\S+)', svg.draw(position, PLAIN))[0])
    found: dict[int, set[naive.Point]] = {number: set() for number in colours}
    blot_of: dict[naive.Point, int] = {}
    for letter, cell in position.tiles:
        middle = naive.middle(cell)
        for corner, _ in naive.parts(position.rules.tileset, letter, middle)[0]:
            x, y = (0.8 * c + 0.2 * m for c, m in zip(corner, middle, strict=True))
            blot = of[round(zoom * (34.641 * y - top)) * width + round(zoom * (20 * x - left))]
            assert blot == blot_of.setdefault(corner, blot)
            found[blot].add(corner)
    return {(colours[number], frozenset(corners)) for number, corners in found.items()}


def counted(position: Position) -> Seen:
    """The same from the naive judge, which is held against the engine here."""
    found = naive.look(position.rules.tileset, list(position.tiles)).groups
    ours = sorted((group.seat, group.bridges, len(group.corners)) for group in groups(position))
    assert ours == sorted((group.colour, group.size, len(group.corners)) for group in found)
    return {(group.colour, group.corners) for group in found}


@pytest.mark.parametrize(("rules", "seed"), CASES)
def test_the_groups_of_the_drawing(rules: str, seed: int) -> None:
    position = played(rules, seed)
    assert seen(position, pixels(position, PLAIN, 0.5), 0.5) == counted(position)


def test_a_wrong_drawing_is_noticed() -> None:
    position = played("mambo -auto=none -no_kill", 0, 20)
    other = replay(position.rules, [turn.move for turn in position.turns[:-1]])
    assert counted(other) != counted(position) == seen(position, pixels(position, PLAIN, 0.5), 0.5)


@pytest.mark.parametrize("rules", ["lambo", "mambo"])
def test_the_plain_drawing(rules: str) -> None:
    """Red, blue and white and nothing else; 40 units to an edge; seat 1 has the ground in Lambo."""
    drawing = svg.draw(played(rules, 1, 6), PLAIN)
    assert set(re.findall(r"#\w+", drawing)) == {"#ff0000", "#0000ff", "#ffffff"}
    assert "stroke" not in drawing
    one = ElementTree.fromstring(svg.draw(start(parse("lambo")), PLAIN))
    hexagon = next(path for path in one.iter(f"{SVG}path") if path.get("class") == "ground seat1").get("d")
    assert hexagon == "M40 0l-20 34.641h-40l-20-34.641 20-34.641h40z"
    assert one.get("width") == one.get("viewBox", "").split()[2]


# ---- form


LOOKS = [
    Look(),
    PLAIN,
    Look(NIGHT, names=("ann", "<b>&amp;\"bob'"), since=1),
    Look(PRINT, numbers=False, marks=False, style=False, edge=5),
]


def positions() -> Iterator[Position]:
    yield from (played(rules, 5, turns) for rules in VARIANTS for turns in (0, 1, 7, 200))


@pytest.mark.parametrize("look", LOOKS, ids=range(len(LOOKS)))
def test_form(look: Look) -> None:
    """XML, self-contained, without scripts; a class on every element; literal colours outside of the style sheet."""
    for position in positions():
        drawing = svg.draw(position, look)
        root = ElementTree.fromstring(drawing)
        assert not re.search(r"href|url\(|script|NaN|inf\b|<text|\bid=", drawing.partition("</desc>")[2])
        for element in root.iter():
            kind = element.tag.removeprefix(SVG)
            assert kind in {"svg", "title", "desc", "style", "g", "path", "rect", "circle"}
            assert kind in {"title", "desc", "style"} or element.get("class")
            assert all(re.fullmatch("none|#[0-9a-f]{6}", element.get(name) or "none") for name in ("fill", "stroke"))
        assert (root.find(f"{SVG}style") is not None) == look.style
        title, told = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert title is not None
        assert told is not None
        assert title.text
        assert told.text


@pytest.mark.parametrize("rules", VARIANTS)
def test_size(rules: str) -> None:
    for seed in range(3):
        assert len(svg.draw(full(rules, seed), Look(names=("a" * 30, "b" * 30))).encode()) < 60_000


def test_what_is_marked() -> None:
    position = replay(parse("lambo"), ["c1", "a2,a3"])
    drawing = svg.draw(position)
    assert drawing.count('class="last"') == 2
    assert len(re.findall('class="c[0-9]+"', drawing)) == len(naive.around({naive.middle(n): "a" for n in range(4)}))
    assert svg.draw(position, Look(since=1)).count('class="last"') == 3
    assert 'class="halo"' not in drawing
    over = svg.draw(replay(position.rules, ["c1", "a2,a3", "b8,c20", "b4"]))
    assert over.count('class="halo"') == 1
    assert 'class="number"' not in over
    null = svg.draw(replay(parse("mambo"), ["c0", "d2", "a6", "c8"]))
    assert null.count('class="null"') == 1


def test_automatic_tiles_are_marked_otherwise() -> None:
    position = played("mambo -auto=full -no_kill -territory", 2, 20)
    while not position.turns[-1].auto:
        position = replay(position.rules, [turn.move for turn in position.turns[:-1]])
    turn, drawing = position.turns[-1], svg.draw(position)
    assert drawing.count('class="last"') == len(turn.move)
    assert drawing.count('class="last auto"') == len(turn.auto)


def test_names_stand_beside_the_seats() -> None:
    position = apply(replay(parse("lambo -swap"), ["a1"]), "swap")
    captions = [scene.caption(position, seat, ("ann", "bob")) for seat in (1, 2)]
    assert captions == ["Light · bob", "Dark · ann · to move"]
    over = replay(parse("lambo"), ["c1", "a2,a3", "b8,c20", "b4"])
    assert [scene.caption(over, seat, None) for seat in (1, 2)] == ["Light", "Dark · won"]
    draw = replay(parse("palago -size=4"), ["b2", "c3,b10"])
    assert scene.caption(draw, 1, None) == "Light · draw"


def test_a_large_board_gets_a_smaller_scale() -> None:
    far = start(parse("mambo -auto=none -no_kill -size=200"))
    for letter, cell in zip("adadadadadadadad", (0, *[3 * k * (k - 1) + 1 for k in range(1, 16)]), strict=True):
        try:
            far = apply(far, f"{letter}{cell}")
        except ValueError:
            far = apply(far, f"{'d' if letter == 'a' else 'a'}{cell}")
    assert scene.fitted(start(far.rules)).edge == scene.EDGES[0]
    look = scene.fitted(far)
    assert look.edge < scene.EDGES[0]
    assert max(scene.scene(far, look).box[2:]) * look.edge / 40 <= scene.WIDEST + 1


# ---- colours


def luminance(colour: str) -> float:
    values = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [DAY, NIGHT, PRINT], ids=["day", "night", "print"])
def test_contrast(palette: Palette) -> None:
    for ground in (palette.page, palette.tile):
        for one, other in combinations((palette.seat1, palette.seat2, ground), 2):
            assert contrast(one, other) >= 3
    assert contrast(palette.ink, palette.page) >= 7
    assert contrast(palette.faint, palette.page) >= 4.5
    assert contrast(palette.last, palette.ink) >= 7
    assert contrast(palette.inlay, palette.seat1) >= 1.5
    assert contrast(palette.seat1, palette.inlay) < contrast(palette.seat1, palette.seat2)


def test_contrast_of_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_print_is_grey() -> None:
    assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in astuple(PRINT))


def test_every_variable_falls_back_on_the_colour_of_the_element() -> None:
    """A renderer that reads the style sheet and one that does not show the same."""
    for palette in (DAY, NIGHT, PRINT):
        style = svg.style_sheet(palette)
        always = style.partition("@media (")[0]
        rules = re.findall(r"\.board \.(\w+)\{(fill|stroke):var\(--\w+,(#\w+)\)\}", always)
        assert len(rules) == always.count("var(")
        wanted = {(name, what): colour for name, what, colour in rules}
        position = replay(parse("mambo"), ["c0", "d2", "a6", "c8"])
        for drawn in (position, played("lambo", 3)):
            for element in ElementTree.fromstring(svg.draw(drawn, Look(palette))).iter():
                for name in (element.get("class") or "").split():
                    for what in ("fill", "stroke"):
                        if (name, what) in wanted and element.tag.endswith(("path", "rect", "circle")):
                            assert element.get(what) == wanted[name, what], (name, what)


def test_the_style_sheet_has_no_rule_outside_of_media() -> None:
    style = svg.style_sheet()
    assert re.fullmatch(r"(@media [^{]+\{(\.board \.\w+\{[^{}]+\})+\})+", style)
    assert "prefers-color-scheme:dark" in style
    assert "prefers-color-scheme" not in svg.style_sheet(PRINT)


def test_without_the_style_sheet_a_renderer_shows_the_same() -> None:
    position = played("mambo", 1)
    one, other = (pixels(position, replace(Look(), style=style)) for style in (True, False))
    assert one.tobytes() == other.tobytes()
