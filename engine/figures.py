"""Drawings that help pages show: boards after some moves, tiles that lie anywhere, the letters of a set of tiles."""

from collections.abc import Mapping, Sequence

from engine.hex import ascii as board
from engine.hex import hexes, variants
from engine.hex.position import replay
from engine.hex.tiles import TILESETS, Tile


def after(rules: str, moves: Sequence[str], mark: bool = False) -> str:
    """The board after these moves. Raises Unreadable or Forbidden when one of them is not legal."""
    return board.draw(replay(variants.parse(rules), moves), mark=mark)


def tiles(game: str, placed: Sequence[str], labels: Mapping[int, str]) -> str:
    """Tiles lying anywhere (`a0`, `b12`), with texts in empty cells."""
    return board.draw_tiles(_tileset(game), [(word[0], int(word[1:])) for word in placed], labels)


def letters(game: str) -> str:
    """Every tile of a game, side by side, with its letter below."""
    tileset = _tileset(game)
    places = [hexes.spiral((2 * i, -i)) for i in range(len(tileset))]
    picture = board.draw_tiles(tileset, [(tile.letter, at) for tile, at in zip(tileset, places, strict=True)])
    return picture + "\n" + "".join(f"    {tile.letter:8}" for tile in tileset).rstrip()


def _tileset(game: str) -> Sequence[Tile]:
    return TILESETS[variants.GAMES[game].tileset]
