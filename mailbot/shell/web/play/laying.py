"""A turn that is laid piece by piece: from the fields of a form to a board, the result of the turn, or a refusal.

Theory of operation. All that has been laid stands in the address, so a page can be reloaded, sent on and gone back
from, and the server keeps nothing. The fields: `move`, what lies; `cell` and `tile`, the next piece; `typed`, a whole
move in letters, for a turn that fits no choice; `do=back` takes the last piece up again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.errors import EngineError, Unreadable
from engine.families import family_of
from engine.family import Board, Family, name_of, unguarded
from mailbot.core.handle import sentence
from mailbot.core.letters.pieces import Block
from mailbot.shell.web.rooms import Rooms

LONGEST: Final = 60
"""Characters of a move."""
FIELDS: Final = ("move", "cell", "tile", "typed", "do")


@dataclass(frozen=True, slots=True)
class Laying:
    """`move`: what lies, as a move; `whole`: it is a whole turn. `refused`: why the next piece was not laid. `result`:
    what the whole turn would do, in sentences. `board`: None from a family that cannot be drawn. `picture`: the board
    in letters, for such a family. `typed`: what was typed, if it was refused. `hits`: the places of the drawing that
    can be clicked. `sides`: the seats of player 1 and 2."""

    move: str
    whole: bool
    board: Board | None
    picture: str
    refused: str = ""
    result: Sequence[str] = ()
    typed: str = ""
    swap: bool = False
    hits: Sequence["Hit"] = ()
    sides: Sequence[str] = ()


class Hit(NamedTuple):
    """A place to click. `letter`: the piece that lies there, "" for none. A piece that is laid there, or turned, makes
    the move `before`, piece, `after`."""

    name: str
    x: float
    y: float
    fits: str
    letter: str
    before: str
    after: str


class Refused(Exception):
    """The turn cannot be played; the sentence says why."""


def lay(
    rooms: Rooms,
    rules: str,
    moves: Sequence[str],
    fields: Mapping[str, str],
    outcome: Callable[[str], Sequence[str]],
    *,
    refused: str = "",
) -> Laying:
    """The turn as the fields say, after these moves, which are known to be legal. `outcome` gives the result of a whole
    turn, or raises Refused. `refused`: why it was not played."""
    family = family_of(rules, rooms.catalogue)
    before = fields.get("move", "")[:LONGEST]
    typed = " ".join(fields.get("typed", "").split())[:LONGEST]
    try:
        move = _canonical(family, rules, _said(before, fields, typed))
        board = family.board(rules, moves, move)
        whole = bool(move) and (board is None or not board.owed)
        result = outcome(move) if whole else ()
    except (EngineError, Refused) as error:
        refused = sentence(str(error))
        move, whole, result = _kept(family, rules, moves, before), False, ()
        board = family.board(rules, moves, move)
    picture = "" if board else family.draw(rules, [*moves, move] if whole else moves, 1 << 16).picture
    swap = board.swap if board else False
    hits = _hits(family, rules, moves, move, board) if board else ()
    sides = family.sides(rooms.catalogue.game(name_of(rules)), [*moves, move])
    return Laying(move, whole, board, picture, refused, result, typed if refused else "", swap, hits, sides)


def _hits(family: Family, rules: str, moves: Sequence[str], move: str, board: Board) -> list[Hit]:
    """A piece of the turn turns when it is clicked. A free place takes the next piece or, if none can lie there, the
    piece that was laid last."""
    texts = [f"{place.letter}{place.name}" for place in board.laid]
    hits = [
        Hit(place.name, place.x, place.y, place.fits, place.letter, ",".join(texts[:at]), ",".join(texts[at + 1 :]))
        for at, place in enumerate(board.laid)
    ]
    hits += [Hit(place.name, place.x, place.y, place.fits, "", move, "") for place in board.places]
    if board.laid:
        before = ",".join(texts[:-1])
        other = family.board(rules, moves, before)
        there = {hit.name for hit in hits}
        places = [place for place in other.places if place.name not in there] if other else []
        hits += [Hit(place.name, place.x, place.y, place.fits, "", before, "") for place in places]
    return hits


def _said(before: str, fields: Mapping[str, str], typed: str) -> str:
    """The move so far, with what the form adds."""
    if fields.get("do") == "back":
        return before.rpartition(",")[0]
    if fields.get("do") == "typed" or (typed and fields.get("do") != "lay"):
        return typed
    cell, tile = fields.get("cell", "").strip()[:10], fields.get("tile", "").strip()[:2]
    if fields.get("do") == "lay" and not (cell and tile):
        raise Unreadable("choose a tile and a cell for it")
    return ",".join(filter(None, [before, f"{tile}{cell}"]))


def _canonical(family: Family, rules: str, said: str) -> str:
    return family.move(rules, unguarded(said)[0]) if said else ""


def _kept(family: Family, rules: str, moves: Sequence[str], before: str) -> str:
    """What lies after a refusal: what lay before it, if that was a turn under way."""
    try:
        move = _canonical(family, rules, before)
        board = family.board(rules, moves, move)
    except EngineError:
        return ""
    return move if board and board.owed else ""


def news(rooms: Rooms, template: str, facts: Mapping[str, Any]) -> list[Block]:
    """What the letter with these facts has to tell first. In it, what a player has said is a block of its own."""
    return [block for block in rooms.blocks(template, facts) if block.kind == "news"]


def told(rooms: Rooms, template: str, facts: Mapping[str, Any]) -> list[str]:
    """The same as sentences, for a letter that repeats nothing of a player's."""
    return [line for block in news(rooms, template, facts) for one in block.inside for line in one.lines]


def facts(laid: Laying, **more: Any) -> dict[str, Any]:
    """What `_turn_form.html` needs. `here`: the address of the page; `play`: where the whole turn is sent; `keep`:
    other fields of the address; `shared`: whether a script may show the address of each step; `names`: of player 1 and
    2; `to_move`: whose turn it is."""
    usual = {"play": "", "keep": {}, "field": "move", "sep": ",", "shared": False, "names": ("", ""), "to_move": 0}
    return {"lay": laid, "todo": todo(laid), **usual, **more}


def todo(laid: Laying) -> str:
    """What to do next."""
    if laid.board and laid.move:
        return "Lay the second tile."
    return f"Lay {'two tiles' if laid.board and laid.board.owed == 2 else 'a tile'}{', or swap' if laid.swap else ''}."
