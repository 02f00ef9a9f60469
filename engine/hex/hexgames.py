"""The built-in family: games of hexagonal tiles. Texts in, texts out; the values in between stay here."""

from collections.abc import Sequence
from functools import lru_cache

from engine import family
from engine.catalogue import Catalogue
from engine.extent import rectangle
from engine.family import Drawing, Family, Option, Outcome, Turn
from engine.hex import ascii as board
from engine.hex import page, position, rules, svg, variants, words
from engine.hex.notation import parse_move, write_move
from engine.hex.play import possible
from engine.hex.position import fits, walk
from engine.hex.scene import EDGES, Look
from engine.hex.tiles import TILESETS
from engine.hex.variants import GAMES
from engine.search import affordable

LARGEST = 300
"""Tiles of a position that is still drawn as SVG; that takes 25 milliseconds."""


class Hexes(Family):
    """Lambo, Palago and Mambo."""

    games = frozenset(GAMES)
    pictures = True

    def read(self, text: str, catalogue: Catalogue) -> str:
        """The canonical text without the server's own variants, so that a board outlives them."""
        return variants.write(variants.parse(text, catalogue))

    def write(self, rules: str, catalogue: Catalogue) -> str:
        return variants.write(variants.parse(rules), catalogue)

    def move(self, rules: str, text: str) -> str:
        return _move(rules, text)

    def replay(self, rules: str, moves: Sequence[str], known: int = 0) -> family.Position:
        if known:
            return _seen(position.go_on(_after(rules, tuple(moves[:known])), moves[known:]))
        return _seen(position.replay(variants.parse(rules), moves))

    def onward(self, rules: str, played: Sequence[str]) -> family.Onward:
        play = position.onward(variants.parse(rules), played)

        def one_more(move: str) -> tuple[Turn, int, Outcome | None]:
            turn, to_move, outcome = play(parse_move(move))
            return _turn(turn), to_move, outcome

        return one_more

    def draw(self, rules: str, moves: Sequence[str], most: int) -> Drawing:
        now = _after(rules, tuple(moves))
        play = walk(now)
        found = fits(now, play)
        marks = GAMES[now.rules.game].marks
        letters = {tile.letter for tile in TILESETS[now.rules.tileset]}
        all_fit = all(set(fit) == letters for fit in found.values())
        example = next(play.moves(), None) if now.outcome is None else None
        small = rectangle(cell for _, cell in now.tiles) <= most
        one, two = (f"'{mark}'" if mark.strip() else "blank corners" for mark in marks)
        return Drawing(
            _seen(now),
            board.draw(now, mark=True, found=found, newest=board.last_cells(now)) if small else "",
            (two, one) if now.swapped else (one, two),
            "a number is a free cell",
            board.legend(now, found).split("\n") if now.turns else (),
            () if all_fit or now.outcome else words.fitting(now, 78, found),
            write_move(example) if example is not None else "",
            "Or answer `swap`: you change seats, and the tiles stay as they are." if now.may_swap else "",
        )

    def board(self, rules: str, moves: Sequence[str], turn: str = "") -> family.Board:
        return page.board(position.replay(variants.parse(rules), moves, len(moves)), turn)

    def art(self, rules: str, moves: Sequence[str]) -> str:
        return page.art(position.replay(variants.parse(rules), moves, len(moves)))

    def describe(self, rules: str, moves: Sequence[str], *, hints: bool) -> Sequence[str]:
        now = _after(rules, tuple(moves))
        return words.describe(now, hints=True) if hints else _words(now)

    def svg(self, rules: str, moves: Sequence[str], names: tuple[str, str], *, style: bool = False) -> str:
        now = _after(rules, tuple(moves))
        look = Look(names=names, edge=EDGES[0], style=style)
        return svg.draw(now, look, _words(now)) if len(now.tiles) <= LARGEST else ""

    def sides(self, game: family.Game, moves: Sequence[str]) -> tuple[str, str]:
        one, two = game.seats
        return (two, one) if "swap" in moves else (one, two)

    def options(self, game: str) -> Sequence[Option]:
        return [Option(row.spelling, row.help, _held(row, GAMES[game].rules)) for row in rules.options(game)]

    def require_computer(self, rules: str) -> None:
        affordable(variants.parse(rules))


HEXES = Hexes()


@lru_cache(maxsize=4096)
def _move(rules: str, text: str) -> str:
    move = parse_move(text)
    possible(variants.parse(rules), move)
    return write_move(move)


@lru_cache(maxsize=16)
def _after(rules: str, moves: tuple[str, ...]) -> position.Position:
    """The position after these moves, which were played before. Cached: a page asks for it in several forms, and a mail
    for several moves ahead."""
    return position.replay(variants.parse(rules), moves, len(moves))


@lru_cache(maxsize=4)
def _words(now: position.Position) -> Sequence[str]:
    """The position in words, without hints. Cached, because a page shows them and the drawing has them, too."""
    return tuple(words.describe(now))


def _seen(now: position.Position) -> family.Position:
    left = f"Tiles left: {now.left} of {now.rules.size}."
    return family.Position(tuple(map(_turn, now.turns)), now.to_move, now.outcome, left)


def _turn(turn: position.Turn) -> Turn:
    auto, dropped = turn.auto, turn.dropped
    return Turn(write_move(turn.move), write_move(auto) if auto else "", write_move(dropped) if dropped else "")


def _held(option: rules.Option, default: rules.Rules) -> str:
    value = getattr(default, option.field)
    if option.value is not None:
        return "*" if option.value == value else ""
    return "off" if value == 0 else str(value)
