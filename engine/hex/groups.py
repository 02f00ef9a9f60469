"""The groups of a position as values, for code that draws or describes them (docs/rules.md 2 and 3)."""

from typing import NamedTuple

from engine.hex.board import DECIDED, find
from engine.hex.canvas import Corner
from engine.hex.hexes import axial
from engine.hex.play import Play
from engine.hex.position import Position, walk


class Group(NamedTuple):
    """Corners of one seat's colour that bridges connect. `cells`: the filled cells round its corners; `open`: the empty
    ones without null points; both ascending. A group with no open cell is closed, or dead."""

    seat: int
    bridges: int
    corners: frozenset[Corner]
    cells: tuple[int, ...]
    open: tuple[int, ...]


def groups(position: Position, play: Play | None = None) -> tuple[Group, ...]:
    """All groups: seat 1's first, the largest first. `play`: a board that already holds the position."""
    b = (play or walk(position)).board
    corners: dict[int, list[int]] = {}
    for corner in b.decided[: b.n[DECIDED]]:
        corners.setdefault(find(b, corner), []).append(corner)
    found = []
    for root, own in corners.items():
        round_it = {cell for corner in own for cell in b.around[3 * corner : 3 * corner + 3]}
        found.append(
            Group(
                b.colour[root],
                b.bridges[root],
                frozenset((axial(corner >> 1), 1 + (corner & 1)) for corner in own),
                tuple(sorted(cell for cell in round_it if b.tile[cell] >= 0)),
                tuple(sorted(cell for cell in round_it if b.where[cell] >= 0)),
            )
        )
    return tuple(sorted(found, key=lambda group: (group.seat, -group.bridges, group.cells, group.open)))


def deciding(position: Position, among: tuple[Group, ...] | None = None) -> tuple[Group, ...]:
    """The groups that decided the game: those that touch exactly the tiles the outcome names. `among`: all groups."""
    if position.outcome is None or not position.outcome.cells:
        return ()
    return tuple(group for group in among or groups(position) if group.cells == position.outcome.cells)
