"""The ASCII board: the figures of docs/rules.md character for character, and every drawing reads back."""

import random
import re
from collections.abc import Iterable
from textwrap import dedent

import pytest

from engine.errors import Unreadable
from engine.hex import ascii
from engine.hex.hexes import Cell, axial, corner, neighbours, spiral
from engine.hex.position import Position, apply, fits, legal_moves, replay, start
from engine.hex.tiles import LAMBO, MAMBO, TILESETS, Tile
from engine.hex.variants import parse
from tests import naive

Tiles = tuple[tuple[str, int], ...]

# --- the figures -----------------------------------------------------------------------------------------------------

LAMBO_LETTERS = r"""
  .--oo      .--oo      .--oo
 o   oo\    /    oo    / ooo \
ooo  oo )  oooo    )  oooo    )
 o   oo/    \ ooo /    \    oo
  `--oo      `--oo      `--oo
"""
MAMBO_LETTERS = r"""
  .--oo      .--xx      .--oo      .--xx      .--oo      .--xx
 x   oo\    /    xx    / ooo \    o   xx\    /    oo    / xxx \
xxx  oo )  oooo    )  oooo    )  ooo  xx )  xxxx    )  xxxx    )
 x   oo/    \ ooo /    \    xx    o   xx/    \ xxx /    \    oo
  `--oo      `--oo      `--xx      `--xx      `--xx      `--oo
"""
WON = r"""
                    .--oo
                   /    oo
              .--ooooo    `--oo
             / ooo   ooo   ooo \
        .--ooooo    .  ooooo    `--oo
       o   oo     oo    oo    oo   oo\
      ooo  oo .  ooooo    .  oooo  oo `--oo
       o   oo     oo ooo o   ooo   oo     oo
        )  ooooo    .  oooo  oo .  ooooo    )
       o   oo  ooo   ooo o   ooo   oo  ooo /
      ooo  oo .  ooooo    .  oooo  oo .--oo
       o   oo  ooo      oo    oo   oo/
        `--ooooo    .--ooooo    .--oo
             \    oo     \ ooo /
              `--oo       `--oo
"""
# Column by column as in docs/rules.md 4; the line of each column's first tile is read off the figure.
WON_COLUMNS = [(4, "aa"), (2, "cbc"), (0, "bbc"), (2, "cab"), (4, "aa"), (6, "b")]


def figure(text: str) -> str:
    return dedent(text).strip("\n")


def slices(letters: str, text: str) -> list[tuple[str, str]]:
    """The single tiles of a row of them, 11 characters apart."""
    lines = text.strip("\n").split("\n")
    return [(c, "\n".join(line[11 * i : 11 * i + 10].rstrip() for line in lines)) for i, c in enumerate(letters)]


def won() -> dict[Cell, str]:
    return {
        (q, (top + 4 * i - 2 * q) // 4): c for q, (top, column) in enumerate(WON_COLUMNS) for i, c in enumerate(column)
    }


def numbered(tiles: dict[Cell, str], at: Cell = (0, 0)) -> Tiles:
    """As the reader gives tiles: by cell number, moved so that cell `at` becomes cell 0."""
    moved = [(letter, spiral((q - at[0], r - at[1]))) for (q, r), letter in tiles.items()]
    return tuple(sorted(moved, key=lambda tile: tile[1]))


@pytest.mark.parametrize(("game", "letter", "drawing"), [
    *(("lambo", *row) for row in slices("abc", LAMBO_LETTERS)),
    *(("mambo", *row) for row in slices("abcdef", MAMBO_LETTERS)),
])  # fmt: skip
def test_letters(game: str, letter: str, drawing: str) -> None:
    assert ascii.draw_tiles(TILESETS[game], [(letter, 0)]) == drawing
    assert ascii.read(drawing, TILESETS[game]) == ((letter, 0),)


def test_the_won_game() -> None:
    tiles = numbered(won(), min(won()))
    assert ascii.draw_tiles(LAMBO, tiles) == figure(WON)
    assert ascii.read(WON, LAMBO) == tiles
    assert ascii.width(figure(WON)) == max(map(len, figure(WON).split("\n")))


def test_blanks_round_a_board_do_not_matter() -> None:
    loose = "\n\n" + "\n".join("    " + line + "   " for line in WON.split("\n")) + "\n \n"
    assert ascii.read(loose, LAMBO) == ascii.read(WON, LAMBO)


# --- marks -----------------------------------------------------------------------------------------------------------


def marks_of(tiles: Tiles, corners: Iterable[tuple[Cell, int]]) -> str:
    return ascii.draw_tiles(LAMBO, tiles, {}, frozenset(corners))


def test_marks_dark() -> None:
    tip = corner((0, 0), 5)  # TR
    assert marks_of((("a", 0),), [tip, corner((0, 0), 1)]).split("\n") == [
        "  .--OO",
        " o   OO\\",
        "ooo  OO )",
        " o   OO/",
        "  `--OO",
    ]
    assert marks_of((("b", 0),), [tip]).split("\n") == [
        "  .--OO",
        " /    OO",
        "oooo    )",
        " \\ ooo /",
        "  `--oo",
    ]


@pytest.mark.parametrize(("letter", "which", "drawing"), [
    ("a", (4, 2), r"""
  *--oo
 o * oo\
ooo *oo )
 o * oo/
  *--oo
"""),
    ("a", (0,), r"""
  .--oo
 o   oo\
ooo  oo *
 o   oo/
  `--oo
"""),
    ("b", (4, 0), r"""
  *--oo
 / ** oo
oooo ** *
 \ ooo /
  `--oo
"""),
    ("c", (0, 2), r"""
  .--oo
 / ooo \
oooo ** *
 \ ** oo
  *--oo
"""),
])  # fmt: skip
def test_marks_light(letter: str, which: tuple[int, ...], drawing: str) -> None:
    marked = marks_of(((letter, 0),), [corner((0, 0), c) for c in which])
    assert marked == drawing.strip("\n")
    assert ascii.read(marked, LAMBO) == ((letter, 0),)


# --- every drawing reads back ----------------------------------------------------------------------------------------


def playable(tiles: Tiles) -> list[int]:
    cells = {axial(n) for _, n in tiles}
    return sorted({spiral(n) for cell in cells for n in neighbours(cell)} - {n for _, n in tiles})


def corners_of(tiles: Tiles) -> list[tuple[Cell, int]]:
    return sorted({corner(axial(n), c) for _, n in tiles for c in range(6)})


@pytest.mark.parametrize("game", ["lambo", "mambo"])
@pytest.mark.parametrize("seed", range(60))
def test_random_boards_read_back(game: str, seed: int) -> None:
    rng = random.Random(seed)
    tileset: tuple[Tile, ...] = TILESETS[game]
    tiles = tuple(sorted(naive.blob(game, rng.randint(1, 48), rng), key=lambda tile: tile[1]))
    labels = {n: str(n) if rng.random() < 0.8 else "-" for n in playable(tiles)}
    cells = {axial(n): letter for letter, n in tiles}

    bare = ascii.draw_tiles(tileset, tiles)
    assert ascii.read(bare, tileset) == numbered(cells, min(cells))
    full = ascii.draw_tiles(tileset, tiles, labels)
    assert ascii.read(full, tileset) == tiles
    for marked in (rng.sample(corners_of(tiles), 3), corners_of(tiles)):
        assert ascii.read(ascii.draw_tiles(tileset, tiles, labels, frozenset(marked)), tileset) == tiles

    for drawing in (bare, full):
        lines = drawing.split("\n")
        assert all(line == line.rstrip() for line in lines)
        assert any(line and line[0] != " " for line in lines)
        assert lines[0]
        assert lines[-1]


@pytest.mark.parametrize("tileset", [LAMBO, MAMBO], ids=["lambo", "mambo"])
def test_no_two_pairs_look_alike(tileset: tuple[Tile, ...]) -> None:
    """Two tiles, side by side in each of six directions or apart: different tiles, different drawings."""
    fit = naive.mambo_placements if tileset is MAMBO else naive.lambo_placements
    pairs: dict[str, Tiles] = {}
    for number in (*range(1, 7), 8, 10, 12, 13):
        cells = {(0, 0), axial(number)}
        for one in tileset:
            for other in tileset:
                if number <= 6 and (other.letter, number) not in fit([(one.letter, 0)]):
                    continue
                tiles = numbered({(0, 0): one.letter, axial(number): other.letter}, min(cells))
                pairs.setdefault(ascii.draw_tiles(tileset, tiles), tiles)
                assert pairs[ascii.draw_tiles(tileset, tiles)] == tiles
                assert ascii.read(ascii.draw_tiles(tileset, tiles), tileset) == tiles


@pytest.mark.parametrize("step", range(6))
def test_a_long_arm(step: int) -> None:
    tiles = []
    cell = (0, 0)
    for i in range(200):
        tiles.append(("abc"[i % 3], spiral(cell)))
        cell = neighbours(cell)[step]
    labels = {n: str(n) for n in playable(tuple(tiles))}
    assert ascii.read(ascii.draw_tiles(LAMBO, tiles, labels), LAMBO) == tuple(tiles)


NUMBERED = r"""
          1

  1234  .--oo  123
       o   oo\
      ooo  oo )
       o   oo/
    -   `--oo 12345

         17
"""


def test_numbers_stand_in_the_middle() -> None:
    """docs/rules.md 4: character 4 of line 2. A number of even length stands half a character to the left of that."""
    labels = {1: "1", 2: "123", 3: "12345", 4: "17", 5: "-", 6: "1234"}
    assert ascii.draw_tiles(LAMBO, [("a", 0)], labels) == figure(NUMBERED)


# --- what is no board ------------------------------------------------------------------------------------------------


def damaged() -> str:
    lines = figure(WON).split("\n")
    lines[7] = lines[7].replace("ooo o", "oooo ")
    return "\n".join(lines)


@pytest.mark.parametrize(("text", "part"), [
    ("", "no board"),
    ("hello", "no board"),
    ("a1,c12", "no board"),
    ("12", "no board"),
    ("oooo", "no board"),
    (damaged(), "line 5"),
    (figure(WON).replace("`--oo", ".--oo", 1), "line 3"),
    (figure(WON) + "\nno board", "line 16"),
    ("\n".join(figure(WON).split("\n")[:-2]), "line 11"),
    (ascii.draw_tiles(LAMBO, [("a", 0)], {1: "1", 4: "3"}), "do not agree"),
    ("1" * 5000, "at most 7 digits"),
    (ascii.draw_tiles(MAMBO, [("a", 0)]), "no board"),
])  # fmt: skip
def test_no_board(text: str, part: str) -> None:
    with pytest.raises(Unreadable, match=part):
        ascii.read(text, LAMBO)


def test_damage_is_noticed() -> None:
    """Any one character replaced by what no board has."""
    drawing = figure(WON)
    rng = random.Random(1)
    for at in rng.sample([i for i, c in enumerate(drawing) if c not in " \n"], 60):
        with pytest.raises(Unreadable):
            ascii.read(drawing[:at] + "#" + drawing[at + 1 :], LAMBO)


def test_the_empty_board() -> None:
    assert ascii.draw_tiles(MAMBO, [], {0: "0"}) == "0"
    assert ascii.read("0", MAMBO) == ()
    assert ascii.draw_tiles(MAMBO, []) == ""


# --- positions -------------------------------------------------------------------------------------------------------

WON_MOVES = "a1 c3,b2 c8,b21 b9,c10 b24,a23 a43,b68 c22,a42"
"""A game that ends in the figure of docs/rules.md 4."""
WON_MARKED = r"""
              .--oo
             /    oo
        .--ooooo    `--oo
       / ooo   ooo   ooo \
  .--ooooo    .  ooooo    `--oo
 o   oo     oo    oo    OO   oo\
ooo  oo .  ooooo    .  OOOO  oo `--oo
 o   oo     oo ooo o   OOO   oo     oo
  )  ooooo    .  oooo  OO .  ooooo    )
 o   oo  ooo   ooo o   OOO   oo  ooo /
ooo  oo .  ooooo    .  OOOO  oo .--oo
 o   oo  ooo      oo    OO   oo/
  `--ooooo    .--ooooo    .--oo
       \    oo     \ ooo /
        `--oo       `--oo
"""
START = r"""
          1

    6   .--oo   2
       o   oo\
      ooo  oo )
       o   oo/
    5   `--oo   3

          4
"""


def at(rules: str, moves: str) -> Position:
    return replay(parse(rules), moves.split())


def test_the_start() -> None:
    assert ascii.draw(at("lambo", "")) == figure(START)
    assert ascii.draw(at("mambo", "")) == "0"


def test_a_finished_game() -> None:
    """No numbers, and the group that decided it if asked."""
    over = at("lambo", WON_MOVES)
    assert ascii.draw(over) == figure(WON)
    assert ascii.draw(over, mark=True) == figure(WON_MARKED)
    assert ascii.legend(over).split("\n") == [
        "Ply 7, marked '*': c22, a42.",
        "The group that decided the game is drawn with O.",
    ]
    assert ascii.read(ascii.draw(over, mark=True), LAMBO) == ascii.read(WON, LAMBO)


def test_nothing_to_mark() -> None:
    going = at("lambo", "a1")
    assert ascii.draw(going, mark=True) == ascii.draw(going)
    assert "decided" not in ascii.legend(going)


@pytest.mark.parametrize(
    "rules", ["lambo", "palago -anywhere", "mambo -auto=none -no_kill", "mambo -mamboa", "mambo -mamba"]
)
def test_positions_read_back(rules: str) -> None:
    """Along random games: the drawing gives the tiles, and its labels are the playable cells."""
    for seed in range(4):
        rng = random.Random(seed)
        position = start(parse(rules))
        for _ in range(15):
            if position.outcome:
                break
            drawing = ascii.draw(position)
            assert ascii.read(drawing, TILESETS[position.rules.tileset]) == tuple(
                sorted(position.tiles, key=lambda t: t[1])
            )
            shown = [int(n) for n in re.findall(r"[0-9]+", drawing)]
            letters = fits(position)
            assert sorted(shown) == sorted(cell for cell in letters if letters[cell])
            assert len(re.findall(r"(?<!-)-(?!-)", drawing)) == list(letters.values()).count("")
            position = apply(position, rng.choice(list(legal_moves(position))))


NULL_BOARD = r"""
                  20

             7   .--oo  21
                / ooo \
      18       oooo    )
                \    xx
17   .--oo   -   )  xx   9
    x   oo\     o   xx\
   xxx  oo `--oooo  xx )
    x   oo  ooo o   xx/
16   `--ooooo    .--xx  10
          \    xx
       5   `--xx   3

             4
"""


@pytest.mark.parametrize("rules", ["lambo", "lambo -eat_enemy=1", "mambo", "mambo -auto=full -no_kill -loops=1"])
def test_the_deciding_group_is_marked(rules: str) -> None:
    """Of whatever colour and size: what is marked touches the tiles the outcome names, and still reads back."""
    ended = 0
    for seed in range(6):
        rng = random.Random(seed)
        position = start(parse(f"{rules} -size=20"))
        while not position.outcome:
            position = apply(position, rng.choice(list(legal_moves(position))[:40]))
        marked = ascii.draw(position, mark=True)
        plain = ascii.draw(position)
        changed = {c for one, other in zip(marked, plain, strict=True) if one != other for c in one}
        assert bool(changed) == bool(position.outcome.cells)
        assert changed <= ({"*", "O"} if rules.startswith("lambo") else {"O", "X"})
        assert all(f" {c}" in ascii.legend(position) for c in changed)
        tileset = TILESETS[position.rules.tileset]
        assert ascii.read(marked, tileset) == ascii.read(plain, tileset)
        ended += bool(changed)
    assert ended


@pytest.mark.parametrize("rules", ["lambo", "mambo", "mambo -auto=full"])
def test_the_last_turn_is_marked(rules: str) -> None:
    """One mark in each tile of the turn, automatic ones too; the drawing still reads back."""
    rng = random.Random(5)
    position = start(parse(f"{rules} -size=20"))
    while not position.outcome:
        position = apply(position, rng.choice(list(legal_moves(position))[:40]))
        cells = ascii.last_cells(position)
        turn = position.turns[-1]
        marked = ascii.draw(position, newest=cells)
        assert marked.count("*") == len(cells)
        assert len(cells) == len(turn.move) + len(turn.auto) or "with *" in ascii.legend(position)
        tileset = TILESETS[position.rules.tileset]
        assert ascii.read(marked, tileset) == ascii.read(ascii.draw(position), tileset)
        assert all(f"{letter}{cell}" in ascii.legend(position) for letter, cell in turn.move)


def test_the_legend_explains_a_null_point() -> None:
    assert "'-' is a null point" in ascii.legend(at("mambo", "c0 d2 a6 c8"))
    assert "'-'" not in ascii.legend(at("mambo", "c0 d2"))


def test_a_null_point_is_drawn() -> None:
    position = at("mambo", "c0 d2 a6 c8")
    assert ascii.draw(position) == figure(NULL_BOARD)
