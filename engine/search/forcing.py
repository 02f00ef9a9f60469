"""Whether a turn forces a win in the next one, by trying everything. Hot code.

Theory of operation. A turn forces a win in two turns if after it the game goes on, and after every legal answer its
seat has won or can win in one turn. Nothing is pruned but by `turn_win`, which is exact, and by a first answer without
such a win, which ends the look at that turn. An order of placements is not told from another: the tiles that two orders
lay are one turn.
"""

from engine.hex.board import FRONTIER, LAID, Board, state
from engine.search.kernel import ANYWHERE, LETTERS, NONE, PLACEMENTS, SIZE, drop, lift
from engine.search.threats import Scratch, survey, turn_win


def forcing(b: Board, how: list[int], s: Scratch, seat: int, found: list[int]) -> int:
    """How many turns of the seat force a win in two turns: 0, 1, or 2 for more. -1 if a turn wins at once, or the rules
    are with -anywhere, which this does not know. `found`: the tile and cell, twice, of the last such turn."""
    survey(b, s)
    owed = min(how[PLACEMENTS], how[SIZE] - b.n[LAID])
    if how[ANYWHERE] != 0 or turn_win(b, how, s, seat, owed, NONE, True):
        return -1
    found[1] = NONE
    amount, laid = 0, b.n[LAID]
    for i in range(b.n[FRONTIER]):
        cell = b.frontier[i]
        fits = b.fits[state(b, cell)]
        for tile in range(how[LETTERS]):
            if fits >> tile & 1 == 0:
                continue
            result = drop(b, how, seat, cell, tile)
            if result == NONE and owed == 1 and forced(b, how, s, seat):
                amount += 1
                found[0], found[1], found[2], found[3] = tile, cell, NONE, NONE
            elif result == NONE and owed == 2:
                half = b.n[LAID]
                for k in range(6 * cell, 6 * cell + 6):
                    other = b.near[k]
                    if b.where[other] < 0:
                        continue
                    also = b.fits[state(b, other)]
                    for second in range(how[LETTERS]):
                        if also >> second & 1 and not (
                            found[0] == second and found[1] == other and found[2] == tile and found[3] == cell
                        ):
                            after = drop(b, how, seat, other, second)
                            if after == NONE and forced(b, how, s, seat):
                                amount += 1
                                found[0], found[1], found[2], found[3] = tile, cell, second, other
                            lift(b, half)
                            if amount > 1:
                                lift(b, laid)
                                return amount
            lift(b, laid)
            if amount > 1:
                return amount
    return amount


def forced(b: Board, how: list[int], s: Scratch, seat: int) -> bool:
    """Whether the seat wins in its next turn whatever the other one, who is to move, plays now."""
    mover = 3 - seat
    owed = min(how[PLACEMENTS], how[SIZE] - b.n[LAID])
    survey(b, s)
    if turn_win(b, how, s, mover, owed, NONE, True):
        return False
    laid, answers = b.n[LAID], 0
    for i in range(b.n[FRONTIER]):
        cell = b.frontier[i]
        fits = b.fits[state(b, cell)]
        for tile in range(how[LETTERS]):
            if fits >> tile & 1 == 0:
                continue
            result = drop(b, how, mover, cell, tile)
            holds = True
            if result != NONE or owed == 1:
                answers += 1
                holds = won_or_wins(b, how, s, seat, result)
            else:
                half = b.n[LAID]
                for k in range(6 * cell, 6 * cell + 6):
                    other = b.near[k]
                    if b.where[other] < 0:
                        continue
                    also = b.fits[state(b, other)]
                    for second in range(how[LETTERS]):
                        if also >> second & 1 and holds:
                            answers += 1
                            after = drop(b, how, mover, other, second)
                            holds = won_or_wins(b, how, s, seat, after)
                            lift(b, half)
            lift(b, laid)
            if not holds:
                return False
    return answers > 0


def won_or_wins(b: Board, how: list[int], s: Scratch, seat: int, result: int) -> bool:
    """Whether the seat has won with this result of a tile, or the game goes on and it wins in one turn."""
    if result != NONE:
        return result == seat
    survey(b, s)
    return turn_win(b, how, s, seat, min(how[PLACEMENTS], how[SIZE] - b.n[LAID]), NONE, True)
