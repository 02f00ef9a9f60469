"""docs/rules.md says what the engine does: the test plays its games, draws its boards, counts its figures again and
compares its tables."""

import re
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.figures import letters
from engine.hex import hexes, tiles, variants
from engine.hex.ascii import draw, draw_tiles
from engine.hex.hexes import BR, CORNER_NAMES, TR, L
from engine.hex.notation import write_move
from engine.hex.position import Position, apply, replay
from engine.hex.record import parse as parse_record
from engine.hex.rules import OPTIONS, Option
from engine.hex.variants import GAMES, VARIANTS
from tests import naive

PAGE = (Path(__file__).parents[1] / "docs/rules.md").read_text()
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for of, text in BLOCKS if of == kind]


def rows(first: str, after: str = "") -> list[list[str]]:
    """The cells of the table whose first heading is `first`, the first one behind the text `after`."""
    begin = PAGE.index(f"\n| {first} |", PAGE.index(after))
    lines = PAGE[begin + 1 :].partition("\n\n")[0].split("\n")[2:]
    return [[cell.replace("\\|", "|") for cell in re.split(r" *(?<!\\)\| *", line)[1:-1]] for line in lines]


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    assert {kind for kind, _ in BLOCKS} == {"game", "figure", "letters"}
    assert len(blocks("game")) > 8
    assert len(blocks("figure")) > 4


# ---- games


def claim(position: Position) -> str:
    """How a game stands, as the page says it."""
    seats = GAMES[position.rules.game].seats
    if position.outcome is None:
        return f"running: {seats[position.seat_of(position.to_move) - 1]} is to move"
    if position.outcome.winner == 0:
        return f"draw: {position.outcome.reason}"
    return f"{seats[position.seat_of(position.outcome.winner) - 1]} wins: {position.outcome.reason}"


@pytest.mark.parametrize("block", blocks("game"))
def test_game(block: str) -> None:
    record, said, _, *board = block.split("\n")
    rules, moves = parse_record(record)
    position = replay(rules, [write_move(move) for move in moves])
    move, refused, why = said.partition(" is refused: ")
    if refused:
        with pytest.raises(EngineError) as error:
            apply(position, move)
        assert str(error.value) == why
    else:
        assert claim(position) == said
    assert "\n".join(board) == draw(position)


# ---- figures

_SAYS = re.compile(r"(\w+) has (\d+) bridges?, (\d+) loops?, (?:(closed|dead)|worth (\d+))")


@pytest.mark.parametrize("block", blocks("figure"))
def test_figure(block: str) -> None:
    """The drawing is the engine's; what stands about a group is true of one group, counted by the naive judge."""
    head, _, drawing = block.partition("\n\n")
    first, *says = head.split("\n")
    game, _, words = first.partition(": ")
    marked = [word.partition("=") for word in words.split() if "=" in word]
    labels = {int(cell): text or cell for cell, _, text in marked}
    placed = [(word[0], int(word[1:])) for word in words.split() if "=" not in word]
    assert drawing == draw_tiles(tiles.TILESETS[game], placed, labels)
    seen = naive.look(game, placed)
    for line in says:
        match = _SAYS.fullmatch(line)
        assert match, line
        seat, bridges, loops, state, worth = match.groups()
        found = [
            group
            for group in seen.groups
            if group.colour == GAMES[game].seats.index(seat) + 1
            and group.size == int(bridges)
            and len(seen.loops(group)) == int(loops)
            and (state != "closed" or seen.closed(group))
            and (state != "dead" or (seen.dead(group) and not seen.closed(group)))
            and (worth is None or seen.territory(group) == int(worth))
        ]
        assert len(found) == 1, line


@pytest.mark.parametrize("block", blocks("letters"))
def test_letters(block: str) -> None:
    game, _, drawing = block.partition("\n\n")
    assert drawing == letters(game)


# ---- tables


def test_corners() -> None:
    """Class by class, and the numbers in the figure run round cell 0 from the north."""
    names = {number: set(re.findall(r"\((\w+)\)", corners)) for number, corners in rows("class")}
    assert names == {
        "1": {CORNER_NAMES[corner] for corner in hexes.CLASS_1},
        "2": {CORNER_NAMES[corner] for corner in hexes.CLASS_2},
    }


def test_lambo_letters() -> None:
    told = rows("letter", "## 2 ")
    assert told == [[tile.letter, CORNER_NAMES[tile.tip1], CORNER_NAMES[tile.tip2]] for tile in tiles.LAMBO]


def test_mambo_letters() -> None:
    told = rows("letter", "## 3 ")
    name = dict(enumerate(GAMES["mambo"].seats, 1))
    assert told == [
        [tile.letter, name[tile.colours[tile.tip1]], name[tile.bridge1], CORNER_NAMES[tile.tip1]]
        for tile in tiles.MAMBO
    ]


DECIDED = {
    "none (the first tile)": (0, 0, 0),
    "one": (1, 0, 0),
    "two, different": (1, 2, 0),
    "two, alike": (2, 2, 0),
    "three, mixed": (1, 2, 2),
    "three, alike": (1, 1, 1),
}


def test_how_many_letters_fit() -> None:
    told = {words: int(number) for words, number in rows("decided corners")}
    assert told.keys() == DECIDED.keys()
    for words, colours in DECIDED.items():
        for turn in range(3):
            there = dict(zip((L, TR, BR), colours[turn:] + colours[:turn], strict=True))
            fitting = [t for t in tiles.MAMBO if all(c in (0, t.colours[corner]) for corner, c in there.items())]
            assert len(fitting) == told[words]


def test_winning_in_the_family_of_mambo() -> None:
    for game, auto, wins, empty in rows("game"):
        rules = variants.parse(game.strip("`"))
        ways = ["an enemy group is dead"] * rules.kill + [f"a group has {rules.loops} loops"] * bool(rules.loops)
        assert auto == rules.auto
        assert wins == (", or ".join(ways) or "nothing")
        assert empty == ("territory" if rules.territory else f"the largest group {rules.largest}")
    assert len(rows("game")) == 1 + len([row for row in VARIANTS if row.game == "mambo"])


def ranges(option: Option) -> set[str]:
    """The numbers a row of the table has to name."""
    numbers = {str(option.low), str(option.high)} if option.high else set()
    return numbers | ({str(option.bare)} if option.bare is not None else set())


def test_options() -> None:
    told = {spelling.strip("`"): (games, meaning) for spelling, games, meaning in rows("option")}
    assert list(told) == [option.spelling for option in OPTIONS]
    for option in OPTIONS:
        games, meaning = told[option.spelling]
        assert games == (", ".join(option.games) or "all")
        assert ranges(option) <= set(re.findall(r"\d+", meaning))
        if option.value is not None:
            held = {getattr(GAMES[name].rules, option.field) for name in option.games or GAMES}
            assert ("default" in meaning) == (held == {option.value})


def test_variants() -> None:
    told = [(name.strip("`"), options.strip("`")) for name, options in rows("variant")]
    assert told == [(f"{row.game} -{row.name}", row.options) for row in VARIANTS]
