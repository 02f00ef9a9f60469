"""A position as a value: the rules, the turns so far, whose move it is, and how it ended.

Players are numbers: 1 is userid1, 2 is userid2. Seats are colours: seat 1 moves first. Player 1 sits on seat 1 unless
the seats have been swapped.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine import family
from engine.errors import EngineError, Forbidden
from engine.hex.board import LAID, NULLS
from engine.hex.notation import SWAP, Move, Placement, parse_move
from engine.hex.play import Play
from engine.hex.rules import Rules


@dataclass(frozen=True, slots=True)
class Outcome(family.Outcome):
    """`cells`: the tiles of the deciding groups, ascending; empty if no group decided."""

    cells: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it was played: the placements; the automatic moves they caused, in order; and the second placement, if
    it was not played because the first ended the game. A swap has the move `SWAP`."""

    move: Move
    auto: Move = ()
    dropped: Move = ()


@dataclass(frozen=True, slots=True)
class Position:
    """`to_move`: the player whose turn it is, or would be if the game were not over. `left`: tiles in the pool.
    `tiles`: in the order they were laid, the start tile and automatic moves included."""

    rules: Rules
    turns: tuple[Turn, ...]
    to_move: int
    left: int
    outcome: Outcome | None
    tiles: tuple[Placement, ...]
    swapped: bool = False

    @property
    def ply(self) -> int:
        """Turns played."""
        return len(self.turns)

    @property
    def owed(self) -> int:
        """Tiles that the turn takes if the first does not end the game; 0 when the game is over."""
        if self.outcome:
            return 0
        return 1 if not self.turns else min(self.rules.placements, self.left)

    @property
    def may_swap(self) -> bool:
        """Whether `swap` is a legal move now."""
        return self.rules.swap and len(self.turns) == 1 and self.outcome is None

    def seat_of(self, player: int) -> int:
        """The seat, 1 or 2, of a player. The same function turns a seat into its player."""
        return 3 - player if self.swapped else player


def start(rules: Rules) -> Position:
    """The position before the first turn."""
    return _seen(Play(rules), ())


def replay(rules: Rules, moves: Sequence[str | Move], known: int = 0) -> Position:
    """The position after these moves, all played on one board. The first `known` moves were judged when they were
    played; only the last of them is judged again, as it may have ended the game.

    Raises Unreadable or Forbidden; `index` says which move was refused.
    """
    play, last = Play(rules), max(0, known - 1)
    play.room_for(placement for move in moves[:known] for placement in _parsed(move))
    play.judging = False
    turns = _more(play, (), moves[:last])
    play.judging = True
    return _seen(play, _more(play, turns, moves[last:]))


def go_on(position: Position, moves: Sequence[str]) -> Position:
    """The position after more moves. Raises as `replay` does; `index` counts from the first move of the game."""
    if not moves:
        return position
    if position.outcome:
        over = Forbidden(f"the game is over: {position.outcome.reason}")
        over.index = len(position.turns)
        raise over
    play = walk(position)
    return _seen(play, _more(play, position.turns, moves))


def apply(position: Position, move: str | Move) -> Position:
    """The position after one more move. Raises Unreadable or Forbidden with one sentence."""
    if position.outcome:
        raise Forbidden(f"the game is over: {position.outcome.reason}")
    play = walk(position)
    turn = _turn(play, _parsed(move))
    return _seen(play, (*position.turns, turn))


def onward(rules: Rules, played: Sequence[str]) -> Callable[[Move], tuple[Turn, int, Outcome | None]]:
    """Plays on after these moves, which were judged when they were played and did not end the game; they are laid
    without judging them again. Each call plays one more move on the same board. It returns the last turn, `to_move` and
    `outcome` of the position that `apply` would give: the move as it is played, who is to move next, and how the game
    ended, if it did. It raises as `apply` does; after that, or after the end, it must not be called again."""
    if rules.auto != "none":  # the automatic moves must be computed again
        play = walk(replay(rules, played, len(played)))
    else:
        play = Play(rules)
        moves = [parse_move(text) for text in played]
        swaps = moves.count(SWAP)
        tiles = [placement for one in moves for placement in one]
        play.load(tiles, len(moves), 1 + (len(moves) - swaps) % 2, bool(swaps))

    def one_more(move: Move) -> tuple[Turn, int, Outcome | None]:
        turn = _turn(play, move)
        return turn, play.to_move, _outcome(play)

    return one_more


def begin(position: Position, first: Placement) -> tuple[Position, dict[int, str]]:
    """The position with the first tile of a turn on the board, still the same player's turn, and the letters that fit
    each cell where the second tile may go; none if there is to be none. Raises Unreadable or Forbidden."""
    if position.outcome:
        raise Forbidden(f"the game is over: {position.outcome.reason}")
    play = walk(position)
    owed = play.owed
    turn = Turn((first,), play.begin(first))
    cells = play.seconds(first.cell) if owed == 2 and not play.verdict else []
    fitting = {cell: "".join(play.letters[i] for i in play.fitting(cell)) for cell in cells}
    return _seen(play, (*position.turns, turn)), fitting


def legal_moves(position: Position) -> Iterator[Move]:
    """Every legal move once, a pair of tiles in both orders; a first placement that ends the game is listed alone."""
    if position.outcome is None:
        yield from walk(position).moves()


_WORK = 300_000
"""How much work `winning` does: tiles laid, automatic ones too, times the tiles on the board, as drawing them takes as
long."""
_EATING = 8
"""Under rules of eating, a tile costs one more for each so many tiles on the board, because all groups are judged, and
the cells around each. A try that empties the pool also judges what was eaten, or the territory: one more for each tile
on the board."""


def winning(position: Position, seat: int) -> list[Move] | None:
    """The turns with which this seat would win at once if it were to move: single placements first. Each pair of tiles
    is listed in one order only, and only if the win needs both tiles. None if there are too many turns to try: under
    `-anywhere` the second tile may lie on any cell."""
    if position.outcome:
        return []
    play = walk(position)
    play.mover = seat
    laid, owed, rules = play.board.n[LAID], play.owed, position.rules
    tile_costs = 1 + laid // _EATING if rules.eat_enemy else 1
    end_costs = laid if rules.eat_enemy or rules.territory else 0
    left = _WORK // (laid + 1)

    def lay(cell: int, tile: int) -> int:
        """Lays it; what that cost."""
        before = play.board.n[LAID]
        play.lay(cell, tile)
        return (play.board.n[LAID] - before) * tile_costs + (0 if play.left else end_costs)

    single: dict[Placement, None] = {}
    pairs: list[tuple[Placement, Placement]] = []
    for cell in play.cells():
        for tile in play.fitting(cell):
            first = Placement(play.letters[tile], cell)
            left -= lay(cell, tile)
            if play.verdict:
                if play.verdict.seat == seat:
                    single[first] = None
            elif owed == 2:
                between = play.board.n[LAID]
                for other in play.seconds(cell):
                    for second in play.fitting(other):
                        left -= lay(other, second)
                        if play.verdict and play.verdict.seat == seat:
                            pairs.append((first, Placement(play.letters[second], other)))
                        play.unlay(between)
                    if left < 0:
                        return None
            play.unlay(laid)
            if left < 0:
                return None
    needed = {frozenset(pair): pair for pair in reversed(pairs) if pair[1] not in single}
    return [*((placement,) for placement in single), *reversed(needed.values())]


def fits(position: Position, play: Play | None = None) -> dict[int, str]:
    """The letters that fit each playable cell, ascending, and an empty text for each null point. A game that is over
    has only its null points. `play`: a board that already holds the position."""
    play = play or walk(position)
    b = play.board
    found = dict.fromkeys(b.nulls[: b.n[NULLS]], "")
    if position.outcome is None:
        for cell in play.cells():
            found[cell] = "".join(play.letters[i] for i in play.fitting(cell))
    return dict(sorted(found.items()))


def perft(position: Position, depth: int) -> list[int]:
    """The number of legal move sequences of length 1, 2, … `depth` from here."""
    totals = [0] * depth
    if depth and position.outcome is None:
        _count(walk(position), totals, 0)
    return totals


def walk(position: Position) -> Play:
    """A board that holds this position, for many questions in a row."""
    play = Play(position.rules)
    play.load(
        position.tiles[int(position.rules.started) :],
        len(position.turns),
        position.seat_of(position.to_move),
        position.swapped,
    )
    return play


def _more(play: Play, turns: tuple[Turn, ...], moves: Sequence[str | Move]) -> tuple[Turn, ...]:
    """These turns of the game, and those of the moves, which are played. `index` of what is raised: see `replay`."""
    played = list(turns)
    for move in moves:
        try:
            played.append(_turn(play, _parsed(move)))
        except EngineError as error:
            error.index = len(played)
            raise
    return tuple(played)


def _parsed(move: str | Move) -> Move:
    return parse_move(move) if isinstance(move, str) else move


def _turn(play: Play, move: Move) -> Turn:
    auto, dropped = play.move(move)
    return Turn(move[: len(move) - len(dropped)], auto, dropped)


def _seen(play: Play, turns: tuple[Turn, ...]) -> Position:
    outcome = _outcome(play)
    return Position(play.rules, turns, play.to_move, play.left, outcome, play.placements(), play.swapped)


def _outcome(play: Play) -> Outcome | None:
    if play.verdict is None:
        return None
    seat, reason, roots = play.verdict
    winner = 3 - seat if seat and play.swapped else seat
    return Outcome(winner, reason, play.group_cells(roots))


def _count(play: Play, totals: list[int], depth: int) -> None:
    """Count moves level by level. On the last level, second placements are counted without laying them."""
    last = depth + 1 == len(totals)
    laid = play.board.n[LAID]
    if play.may_swap:
        totals[depth] += 1
        if not last:
            play.swapped = not play.swapped
            play.ply += 1
            _count(play, totals, depth + 1)
            play.ply -= 1
            play.swapped = not play.swapped
    owed = play.owed
    if last and owed == 1:
        totals[depth] += sum(len(play.fitting(cell)) for cell in play.cells())
        return
    for cell in play.cells():
        for tile in play.fitting(cell):
            play.lay(cell, tile)
            if play.verdict:
                totals[depth] += 1
            elif owed == 1:
                totals[depth] += 1
                _deeper(play, totals, depth)
            else:
                between = play.board.n[LAID]
                for other in play.seconds(cell):
                    fitting = play.fitting(other)
                    totals[depth] += len(fitting)
                    for second in () if last else fitting:
                        play.lay(other, second)
                        if not play.verdict:
                            _deeper(play, totals, depth)
                        play.unlay(between)
            play.unlay(laid)


def _deeper(play: Play, totals: list[int], depth: int) -> None:
    play.turn_over()
    _count(play, totals, depth + 1)
    play.turn_back()
