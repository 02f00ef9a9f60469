"""A position for a page on which somebody lays the tiles of a turn one after another (`family.Board`)."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from engine import svg, words
from engine.errors import Unreadable, clip
from engine.family import Board, Place
from engine.hexes import axial, neighbours, spiral
from engine.notation import parse_move, write_move
from engine.position import Position, begin, fits
from engine.scene import DAY, Look, scene
from engine.shapes import EDGE, middle, point
from engine.tiles import TILESETS
from engine.variants import GAMES


def board(position: Position, begun: str = "", names: tuple[str, str] | None = None) -> Board:
    """The position; `begun` is the first tile of the turn, if it lies there already. Raises Unreadable or Forbidden."""
    playable = {cell: letters for cell, letters in fits(position).items() if letters}
    room = [*playable]
    if position.owed == 2:  # the drawing stays where it is when the first tile is laid
        room += [spiral(cell) for free in playable for cell in neighbours(axial(free))]
    shown, owed, told = position, position.owed, words.describe(position)
    if begun:
        first, *more = parse_move(begun) or [None]
        if first is None or more:
            raise Unreadable(f'"{clip(begun)}" is not one tile: write a letter and a cell number, like a1')
        shown, playable = begin(position, first)
        owed = 1 if playable else 0
        told = [_begun(position, shown, owed), *words.describe(shown)[2:]]
    look = Look(captions=False, names=names, style=False, free=tuple(playable), room=tuple(room))
    places = (Place(str(cell), *point(middle(axial(cell))), letters) for cell, letters in playable.items())
    return Board(
        svg.draw(shown, look, told),
        scene(shown, look).box,
        EDGE,
        tuple(places),
        pieces(position.rules.tileset),
        owed,
        position.may_swap and not begun,
    )


def _begun(position: Position, shown: Position, owed: int) -> str:
    game = GAMES[position.rules.game]
    mover = game.seats[position.seat_of(position.to_move) - 1]
    laid = write_move(shown.turns[-1].move)
    then = "is to lay another tile" if owed else "has laid the whole turn"
    return f"{game.title}, ply {position.ply + 1}: {mover} has laid {laid} and {then}. Nothing has been played yet."


@cache
def pieces(tileset: str) -> Mapping[str, str]:
    """Each tile of a set, its middle at 0 0."""
    return MappingProxyType({tile.letter: "".join(svg.face(tile, tileset, DAY)) for tile in TILESETS[tileset]})
