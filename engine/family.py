"""The face of a kind of games: all that core, store and shell ask of a game. Rules and moves are texts on both sides.

A family reads them, plays them and draws what comes of them. Nobody else knows what a board, a tile or a cell is. The
games of hexagonal tiles are the built-in family (`engine.hex.hexgames`); `engine.families` finds the family of given
rules.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import Forbidden, Unreadable, clip

if TYPE_CHECKING:
    from engine.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Game:
    """A game that players can name. `seats`: the two sides' names, the first mover's first."""

    name: str
    title: str
    seats: tuple[str, str]
    description: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. `winner`: player number, 0 for a draw. `reason`: one clause, no capital and no full stop
    except names."""

    winner: int
    reason: str


class Turn(NamedTuple):
    """A turn as it was played, in canonical texts: the move, the moves that followed by themselves, and the part of the
    move that was left out because the game had ended before it."""

    move: str
    auto: str = ""
    dropped: str = ""


class Position(NamedTuple):
    """`to_move`: the player, 1 or 2, whose turn it is, or would be were the game not over. `left`: a sentence on what
    is left to play with, or nothing."""

    turns: Sequence[Turn]
    to_move: int
    outcome: Outcome | None
    left: str = ""


Onward = Callable[[str], tuple[Turn, int, Outcome | None]]
"""Plays one more move at each call (`Family.onward`)."""


class Drawing(NamedTuple):
    """A position as a letter shows it to both players. `picture`: empty if it is too large. `marks`: how the
    pieces of player 1 and 2 look in it; `free`: how a free place looks. `legend`: lines on what else the picture shows.
    `hints`: lines on what can be played, `example`: a legal move, `also`: a sentence on another kind of answer; all
    three are empty when the game is over."""

    position: Position
    picture: str
    marks: tuple[str, str]
    free: str
    legend: Sequence[str] = ()
    hints: Sequence[str] = ()
    example: str = ""
    also: str = ""


class Place(NamedTuple):
    """A place of a board. `name`: how a move writes it, behind a letter. `x`, `y`: its middle in the drawing. `fits`:
    the letters of the pieces that can be laid there, or could have been. `letter`: the piece that lies there, or ""."""

    name: str
    x: float
    y: float
    fits: str
    letter: str = ""


class Board(NamedTuple):
    """A position as a page shows it to somebody who lays the pieces of a turn one after another.

    `svg`: the drawing, one element without a style sheet; `box`: its left, top, width and height; `reach`: from the
    middle of a place to its edge. `laid`: the pieces of the turn so far. `places`: where the next piece may go; none if
    the turn takes no more, or the game is over. `pieces`: what each letter looks like, as the content of a drawing with
    its middle at 0 0. `owed`: pieces that the turn still takes, unless one of them ends the game. `swap`: whether the
    turn may be a swap instead. `marks`: the colours of player 1 and 2, each as the content of a drawing round 0 0."""

    svg: str
    box: tuple[float, float, float, float]
    reach: float
    laid: Sequence[Place]
    places: Sequence[Place]
    pieces: Mapping[str, str]
    owed: int
    swap: bool = False
    marks: tuple[str, str] = ("", "")


class Option(NamedTuple):
    """A row of the help: how an option is written, what it does, and what holds when nothing is said: `*` for an option
    that holds itself, a value, or nothing."""

    spelling: str
    help: str
    held: str


NOTATION = r"[a-z]\d{1,9}(?:,[a-z]\d{1,9})*"
"""How a move is written in every family: letters with numbers, joined by commas; or the one word `swap`. The server has
to tell a move from a comment, and from a password, before it knows which board it is for."""
ALIKE = str.maketrans(
    # a c e o p x, A B C E H K M O P T X of Cyrillic; a o, A B E H K M O P T X of Greek
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0410\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425"
    "\u03b1\u03bf\u0391\u0392\u0395\u0397\u039a\u039c\u039f\u03a1\u03a4\u03a7",
    "aceopxABCEHKMOPTXaoABEHKMOPTX",
)
"""Letters of other keyboards that look like those of moves."""


class Family:
    """What a family must do stands first; the rest has a plain answer here. Rules are canonical texts, as `read` gives
    them, but in `read`; moves are as `move` gives them. `games`: the names of its games. `pictures`: whether
    `mailbot.shell.post.painter` can draw them."""

    games: Collection[str] = ()
    pictures: bool = False

    def move(self, rules: str, text: str) -> str:
        """The canonical text of a move, in the common NOTATION and in lower case. Raises Unreadable or Forbidden
        for what is never a move by these rules; whether it is legal now is for `follow` to say."""
        raise NotImplementedError

    def replay(self, rules: str, moves: Sequence[str], known: int = 0) -> Position:
        """The position after these moves. The first `known` were played before, so they need not be checked again.
        Raises Unreadable or Forbidden."""
        raise NotImplementedError

    def draw(self, rules: str, moves: Sequence[str], most: int) -> Drawing:
        """The position after these moves for a letter, without a picture if it has more than `most` characters."""
        raise NotImplementedError

    def read(self, text: str, catalogue: "Catalogue") -> str:
        """The canonical text of rules: the game's name first, then options. Raises Unreadable or Forbidden."""
        name, *options = text.lower().split()
        if options:
            raise Forbidden(f"{catalogue.game(name).title} has no options: write just {name}")
        return name

    def write(self, rules: str, catalogue: "Catalogue") -> str:
        """The rules as players write them here, with the server's own variants."""
        return rules

    def onward(self, rules: str, played: Sequence[str]) -> Onward:
        """Plays on after these moves, which were legal and did not end the game. Each call plays one more move. It says
        how the move is played, who is to move after it, and how it ends the game. It raises Unreadable or Forbidden for
        its move alone; after that, or after the end, it must not be called again."""
        moves = [*played]

        def one_more(move: str) -> tuple[Turn, int, Outcome | None]:
            moves.append(move)
            after = self.replay(rules, moves)
            return after.turns[-1], after.to_move, after.outcome

        return one_more

    def follow(self, rules: str, played: Sequence[str], move: str) -> tuple[Turn, int, Outcome | None]:
        """The same for one move."""
        return self.onward(rules, played)(move)

    def board(self, rules: str, moves: Sequence[str], turn: str = "") -> Board | None:
        """The position after these moves, which are known to be legal, for a page. `turn`: the move under way, all of
        it or only its first piece, which lies on the board already. None from a family that cannot be drawn. Raises
        Unreadable or Forbidden for `turn` alone."""
        return None

    def art(self, rules: str, moves: Sequence[str]) -> str:
        """The pieces alone as an SVG document, for a picture to keep; empty from a family that cannot be drawn."""
        return ""

    def describe(self, rules: str, moves: Sequence[str], *, hints: bool) -> Sequence[str]:
        """The position as sentences, one a line, for who listens. `hints`: with the moves that would end the game."""
        raise NotImplementedError

    def svg(self, rules: str, moves: Sequence[str], names: tuple[str, str], *, style: bool = False) -> str:
        """The position as one SVG element, with the names of player 1 and 2; empty if there is no such drawing or it
        would be too large. `style`: with its own style sheet, for a file that stands alone."""
        return ""

    def sides(self, game: Game, moves: Sequence[str]) -> tuple[str, str]:
        """The seats that player 1 and 2 have after these moves."""
        return game.seats

    def options(self, game: str) -> Sequence[Option]:
        """The options of a game, in the order in which the help shows them."""
        return ()

    def require_computer(self, rules: str) -> None:
        """Raises Forbidden if the computer cannot play by these rules."""
        raise Forbidden("the computer does not play this game")

    def has_computer(self, rules: str) -> bool:
        """Whether the computer can play by these rules."""
        try:
            self.require_computer(rules)
        except Forbidden:
            return False
        return True


_PLY = re.compile(r"[0-9]{1,6}")


def unguarded(text: str) -> tuple[str, int | None]:
    """A move as its player wrote it, and the ply it is meant for, if the text says (`#7` behind the move). Raises
    Unreadable."""
    move, guard, ply = text.partition("#")
    if not guard:
        return text, None
    if not _PLY.fullmatch(ply.strip()):
        raise Unreadable(f'"{clip(text)}" has no number behind its #: write the ply there, like a1,c12#7')
    return move, int(ply)


def name_of(rules: str) -> str:
    """The name of the game whose rules these are."""
    return rules.partition(" ")[0]
