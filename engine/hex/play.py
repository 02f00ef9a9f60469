"""One board that moves forward and back: what a move must be, and what it does (docs/rules.md 2 and 3).

`Play` is the mutable board behind the values of `position`. It replays, enumerates and counts moves without building
a board each time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from engine.errors import Forbidden, Unreadable, clip
from engine.hex import board as hot
from engine.hex.board import CELLS, CLOSED, EMPTY, FITTED, FRONTIER, LAID, NULL, PENDING, Board
from engine.hex.endings import run_out
from engine.hex.goals import Verdict, Wins, judge, picked
from engine.hex.hexes import BR, TR, L
from engine.hex.notation import SWAP, Move, Placement
from engine.hex.rules import Rules
from engine.hex.tiles import TILESETS, Tile
from engine.hex.variants import GAMES, Game


@lru_cache(maxsize=256)
def _known(rules: Rules) -> tuple[Game, tuple[Tile, ...], str, Mapping[str, int], Wins]:
    """The tables that every board with these rules shares."""
    game, tiles = GAMES[rules.game], TILESETS[rules.tileset]
    index = {tile.letter: i for i, tile in enumerate(tiles)}
    return game, tiles, "".join(index), index, picked(rules, game.seats)


def possible(rules: Rules, move: Move) -> None:
    """Raises Unreadable or Forbidden for a move that no position of these rules allows."""
    game, _, letters, index, _ = _known(rules)
    for placement in move:
        if placement.letter not in index:
            said = f"{', '.join(letters[:-1])} and {letters[-1]}"
            raise Unreadable(f"{game.title} has no tile {clip(placement.letter)}; its letters are {said}")
    if len(move) > rules.placements:
        raise Forbidden(f"a turn of {game.title} is one tile: write just one placement, like {_text(move[0])}")


_WHICH = ((L, "left"), (TR, "upper right"), (BR, "lower right"))


class Play:
    """A game in progress. `ply`: turns played, with swaps; `mover`: the seat to move; `verdict`: None until the end.
    While not `judging`, moves are known not to end the game."""

    __slots__ = (
        "board",
        "game",
        "index",
        "judging",
        "letters",
        "mover",
        "ply",
        "rules",
        "swapped",
        "tiles",
        "verdict",
        "wins",
    )

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.game, self.tiles, self.letters, self.index, self.wins = _known(rules)
        self.board: Board = hot.new(self.tiles, rules.auto)
        self.ply = 0
        self.mover = 1
        self.swapped = False
        self.verdict: Verdict | None = None
        self.judging = True
        if rules.started:
            hot.place(self.board, 0, 0)

    def load(self, tiles: Sequence[Placement], ply: int, mover: int, swapped: bool) -> None:
        """Lay the tiles of a valid position, of a game that is not over, without judging them. The board already holds
        the start tile."""
        b, index = self.room_for(tiles), self.index
        for letter, cell in tiles:
            hot.place(b, cell, index[letter])
        self.ply, self.mover, self.swapped = ply, mover, swapped

    @property
    def to_move(self) -> int:
        """The player whose seat is to move."""
        return 3 - self.mover if self.swapped else self.mover

    @property
    def left(self) -> int:
        """Tiles in the pool."""
        return self.rules.size - self.board.n[LAID]

    @property
    def owed(self) -> int:
        """Tiles that this turn takes if the first does not end the game."""
        return 1 if self.ply == 0 or self.left == 1 else self.rules.placements

    @property
    def may_swap(self) -> bool:
        """Whether `swap` is a legal answer now."""
        return self.rules.swap and self.ply == 1 and self.verdict is None

    def move(self, move: Move) -> tuple[Move, Move]:
        """Play a move; returns the automatic moves it caused, and the second placement if it is left out because the
        first ended the game. Raises Unreadable or Forbidden and then changes nothing."""
        if self.verdict:
            raise Forbidden(f"the game is over: {self.verdict.reason}")
        if move == SWAP:
            self._check_swap()
            self.swapped = not self.swapped
            self.ply += 1
            return (), ()
        possible(self.rules, move)
        if len(move) > 1 and self.ply == 0:
            raise Forbidden(f"the first turn is one tile: write just one placement, like {_text(move[0])}")
        first, *rest = move
        self._check_cell(first)
        laid, owed = self.board.n[LAID], self.owed
        auto = self.lay(first.cell, self.index[first.letter])
        dropped: Move = ()
        if self.verdict:
            dropped = tuple(rest)
        elif owed == 2:
            try:
                self._check_second(first, rest)
            except Forbidden:
                self.unlay(laid)
                raise
            auto += self.lay(rest[0].cell, self.index[rest[0].letter])
        self.turn_over()
        return auto, dropped

    def begin(self, first: Placement) -> Move:
        """Lay the first tile of a turn that may take another; returns the automatic moves. Raises Unreadable or
        Forbidden and then changes nothing."""
        if self.verdict:
            raise Forbidden(f"the game is over: {self.verdict.reason}")
        possible(self.rules, (first,))
        self._check_cell(first)
        laid, owed = self.board.n[LAID], self.owed
        auto = self.lay(first.cell, self.index[first.letter])
        if not self.verdict and owed == 2 and not self.seconds(first.cell):
            try:
                self._check_second(first, [])
            finally:
                self.unlay(laid)
        return auto

    def lay(self, cell: int, tile: int) -> Move:
        """Lay one tile, which the caller has checked, and its automatic moves; judge. Returns the automatic moves."""
        b = self._room(cell)
        n = b.n
        laid, closed, pending = n[LAID], n[CLOSED], n[PENDING]
        hot.place(b, cell, tile)
        auto: list[Placement] = []
        if n[PENDING] > pending:
            cell = hot.due(b, pending)
            while cell >= 0 and n[LAID] < self.rules.size:
                tile = b.forced[hot.state(b, cell)]
                auto.append(Placement(self.letters[tile], cell))
                b = self._room(cell)
                n = b.n
                hot.place(b, cell, tile)
                cell = hot.due(b, pending)
        if self.judging and (n[CLOSED] > closed or not self.wins.by_closing):
            self.verdict = judge(b, self.wins, laid, closed, self.mover)
        if self.verdict is None and n[LAID] == self.rules.size:
            self.verdict = run_out(b, self.rules, self.game.seats)
        return tuple(auto)

    def unlay(self, laid: int) -> None:
        """Take tiles off until `laid` are left; the game is then not over."""
        while self.board.n[LAID] > laid:
            hot.undo(self.board)
        self.verdict = None

    def turn_over(self) -> None:
        """Pass the turn to the other seat."""
        self.ply += 1
        self.mover = 3 - self.mover

    def turn_back(self) -> None:
        """Undo `turn_over`."""
        self.ply -= 1
        self.mover = 3 - self.mover

    def cells(self) -> list[int]:
        """The playable cells, ascending."""
        b = self.board
        return sorted(b.frontier[: b.n[FRONTIER]])

    def seconds(self, first: int) -> list[int]:
        """The cells where the second tile may go when the first is on cell `first`, ascending."""
        b = self.board
        if self.rules.anywhere:
            return self.cells()
        return sorted(cell for cell in b.near[6 * first : 6 * first + 6] if b.where[cell] >= 0)

    def fitting(self, cell: int) -> list[int]:
        """The tiles that fit a cell."""
        fits = self.board.fits[hot.state(self.board, cell)]
        return [i for i in range(len(self.tiles)) if fits >> i & 1]

    def moves(self) -> Iterator[Move]:
        """Every legal move, ordered by cell and letter of the first placement, then of the second; `swap` last. The
        iterator uses the board until it is exhausted."""
        if self.verdict:
            return
        owed, laid = self.owed, self.board.n[LAID]
        for cell in self.cells():
            for tile in self.fitting(cell):
                first = Placement(self.letters[tile], cell)
                if owed == 1:
                    yield (first,)
                    continue
                self.lay(cell, tile)
                if self.verdict:
                    yield (first,)
                else:
                    for other in self.seconds(cell):
                        for second in self.fitting(other):
                            yield first, Placement(self.letters[second], other)
                self.unlay(laid)
        if self.may_swap:
            yield SWAP

    def placements(self, since: int = 0) -> Move:
        """The tiles on the board in the order they were laid."""
        b = self.board
        return tuple(Placement(self.letters[b.tile[cell]], cell) for cell in b.laid[since : b.n[LAID]])

    def group_cells(self, roots: tuple[int, ...]) -> tuple[int, ...]:
        """The filled cells that have a corner in one of these groups, ascending."""
        b = self.board
        found: set[int] = set()
        for corner in b.decided[: b.n[hot.DECIDED]]:
            if hot.find(b, corner) in roots:
                found.update(cell for cell in b.around[3 * corner : 3 * corner + 3] if b.tile[cell] >= 0)
        return tuple(sorted(found))

    def room_for(self, tiles: Iterable[Placement]) -> Board:
        """The board, made large enough for all these tiles at once."""
        return self._room(max([cell for _, cell in tiles], default=0))

    def _room(self, cell: int) -> Board:
        if cell >= self.board.n[CELLS]:
            self.board = hot.grown(self.board, self.tiles, self.rules.auto, cell)
        return self.board

    def _check_swap(self) -> None:
        if not self.rules.swap:
            raise Forbidden("this game is played without -swap: lay a tile instead")
        if self.ply != 1:
            raise Forbidden("swap is possible only as the answer to the first move: lay a tile instead")

    def _check_cell(self, placement: Placement) -> None:
        """Raise Forbidden unless the cell is empty and next to a tile, and the letter fits it."""
        b, cell, tile = self.board, placement.cell, self.index[placement.letter]
        if 0 <= cell < len(b.where) and b.where[cell] >= 0:
            if not b.n[FITTED] or b.fits[hot.state(b, cell)] >> tile & 1:
                return
            raise Forbidden(self._clash(placement, tile))
        if b.n[LAID] == 0:
            raise Forbidden(f"the first tile goes on cell 0, like {placement.letter}0, not on {cell}")
        there = b.tile[cell] if 0 <= cell < len(b.tile) else EMPTY
        if there == NULL:
            raise Forbidden(
                f"cell {cell} is a null point: its three decided corners are of one colour, so nothing fits; "
                "choose a cell that shows its number"
            )
        if there != EMPTY:
            raise Forbidden(f"cell {cell} is taken; choose an empty cell next to a tile")
        raise Forbidden(f"cell {cell} is not next to any tile; choose a cell that shows its number on the board")

    def _clash(self, placement: Placement, tile: int) -> str:
        b, cell = self.board, placement.cell
        clashes = []
        for which, name in _WHICH:
            there, here = b.colour[b.corner[6 * cell + which]], self.tiles[tile].colours[which]
            if there and there != here:
                clashes.append(f"the {name} corner would be {self._name(here)} and has to be {self._name(there)}")
        letters = " or ".join(self.letters[i] for i in self.fitting(cell))
        return f"{_text(placement)} does not fit: {' and '.join(clashes)}; {letters} would fit there"

    def _check_second(self, first: Placement, rest: list[Placement]) -> None:
        """A second placement is owed: raise Forbidden unless it is there, possible, and in the right place."""
        b = self.board
        near = b.near[6 * first.cell : 6 * first.cell + 6]
        if rest and (rest[0].cell in near or self.rules.anywhere) and rest[0].cell != first.cell:
            cell = rest[0].cell
            if cell < len(b.where) and b.where[cell] >= 0:
                self._check_cell(rest[0])
                return
        places = self.seconds(first.cell)
        if not places:
            raise Forbidden(
                f"cell {first.cell} is a hole and {_text(first)} does not end the game, so the second tile could not "
                "go next to it; begin somewhere else"
            )
        if not rest:
            raise Forbidden(
                f"you must play two tiles, as {_text(first)} does not end the game; add a second one, "
                f"like {_text(first)},{self.letters[0]}{places[0]}"
            )
        second = rest[0]
        if second.cell == first.cell:
            raise Forbidden(f"both tiles cannot go on cell {first.cell}; {_onto(places)}")
        if second.cell not in near and not self.rules.anywhere:
            raise Forbidden(f"cell {second.cell} is not next to cell {first.cell}; {_onto(places)}")
        self._check_cell(second)

    def _name(self, seat: int) -> str:
        return self.game.seats[seat - 1]


def _text(placement: Placement) -> str:
    return f"{placement.letter}{placement.cell}"


def _onto(places: list[int]) -> str:
    if len(places) == 1:
        return f"the second tile can only go on cell {places[0]}"
    if len(places) > 6:
        return "the second tile goes on a cell that shows its number"
    return f"the second tile can go on cell {', '.join(map(str, places[:-1]))} or {places[-1]}"
