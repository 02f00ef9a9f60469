"""A game as one line of text, and back: `lambo -size=40: a1 b2,c9 …`. Automatic moves are computed, not written."""

from collections.abc import Iterable

from engine.catalogue import Catalogue
from engine.errors import Unreadable, clip
from engine.hex.notation import Move, parse_move, write_move
from engine.hex.position import Turn
from engine.hex.rules import Rules
from engine.hex.variants import CATALOGUE
from engine.hex.variants import parse as parse_rules
from engine.hex.variants import write as write_rules


def write(rules: Rules, turns: Iterable[Turn | Move], catalogue: Catalogue = CATALOGUE) -> str:
    """The canonical record; `parse` reads it back."""
    moves = (turn.move if isinstance(turn, Turn) else turn for turn in turns)
    return " ".join([f"{write_rules(rules, catalogue)}:", *map(write_move, moves)])


def parse(text: str, catalogue: Catalogue = CATALOGUE) -> tuple[Rules, tuple[Move, ...]]:
    """Rules and moves of a record; case, line breaks and blanks round commas do not matter. `position.replay` decides
    whether the moves are legal.

    Raises Unreadable or Forbidden; `index` says which move cannot be read, if it was one.
    """
    head, colon, moves = text.partition(":")
    if not colon:
        raise Unreadable(f'"{clip(text)}" is not a record: write the game, a colon and the moves, like lambo: a1 b2,c9')
    rules = parse_rules(head, catalogue)
    read: list[Move] = []
    for word in ",".join(part.strip() for part in moves.split(",")).split():
        try:
            read.append(parse_move(word))
        except Unreadable as error:
            error.index = len(read)
            raise
    return rules, tuple(read)
