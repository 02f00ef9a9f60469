"""A position for a page on which somebody lays the tiles of a turn one after another (`family.Board`)."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from engine.family import Board, Place
from engine.hex import svg, words
from engine.hex.hexes import axial, neighbours, spiral
from engine.hex.notation import SWAP, parse_move, write_move
from engine.hex.position import Position, apply, begin, fits
from engine.hex.scene import DAY, EDGES, Look, scene
from engine.hex.shapes import EDGE, hexagon, middle, point
from engine.hex.tiles import TILESETS
from engine.hex.variants import GAMES


def board(position: Position, turn: str = "") -> Board:
    """The position with a turn under way: all of it, or only its first tile. Raises Unreadable or Forbidden."""
    playable = {cell: letters for cell, letters in fits(position).items() if letters}
    move = parse_move(turn) if turn else None
    around = {spiral(cell) for free in playable for cell in neighbours(axial(free))}
    room = (*playable, *around)  # so the drawing stays where it is while the tiles are laid
    shown, free, owed, told = position, playable, position.owed, words.describe(position)
    laid: list[Place] = []
    if move:
        first = begin(position, move[0])
        laid = [_place(move[0].cell, playable[move[0].cell], move[0].letter)]
        shown, free, owed = *first, 1 if first[1] else 0
    if move and len(move) > 1:
        shown, free, owed = apply(position, move), {}, 0
        laid += [_place(cell, first[1][cell], letter) for letter, cell in shown.turns[-1].move[1:]]
    elif move == SWAP:
        shown, free, owed = apply(position, SWAP), {}, 0
    elif move and not owed:
        shown = apply(position, move)
    if move is not None:
        told = [_under_way(position, shown, owed), *words.describe(shown)[2:]]
    look = Look(captions=False, edge=EDGES[0], style=False, free=tuple(free), room=room)
    return Board(
        svg.draw(shown, look, told),
        scene(shown, look).box,
        EDGE,
        laid,
        [_place(cell, letters) for cell, letters in free.items()],
        pieces(position.rules.tileset),
        owed,
        position.may_swap and move is None,
        (svg.chip(shown.seat_of(1), 0, 0, DAY), svg.chip(shown.seat_of(2), 0, 0, DAY)),
    )


def art(position: Position) -> str:
    """The tiles alone, with a style sheet."""
    return svg.draw(position, Look(numbers=False, captions=False, edge=EDGES[0], since=len(position.turns) + 1))


def _place(cell: int, letters: str, letter: str = "") -> Place:
    return Place(str(cell), *point(middle(axial(cell))), letters, letter)


def _under_way(position: Position, shown: Position, owed: int) -> str:
    game = GAMES[position.rules.game]
    mover = game.seats[position.seat_of(position.to_move) - 1]
    then = " and is to lay another tile" if owed else ""
    return f"{game.title}, ply {shown.ply}: {mover} tries {write_move(shown.turns[-1].move)}{then}."


@cache
def pieces(tileset: str) -> Mapping[str, str]:
    """Each tile of a set, its middle at 0 0."""
    edge = svg.edge(hexagon((0, 0)), DAY)
    return MappingProxyType({tile.letter: "".join([edge, *svg.face(tile, tileset, DAY)]) for tile in TILESETS[tileset]})
