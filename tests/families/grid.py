"""A second family for tests: three in a row on nine squares. It knows nothing of the server, nor the server of it."""

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import Forbidden, Unreadable
from engine.families import CATALOGUE
from engine.family import Drawing, Family, Game, Outcome, Position, Turn

SQUARES = [f"{column}{row}" for row in (1, 2, 3) for column in "abc"]
LINES = [SQUARES[at : at + 3] for at in (0, 3, 6)] + [SQUARES[at::3] for at in (0, 1, 2)]
LINES += [SQUARES[::4], SQUARES[2:7:2]]


class Grid(Family):
    games = ("grid",)

    def move(self, rules: str, text: str) -> str:
        move = text.strip().lower()
        if move not in SQUARES:
            raise Unreadable(f"{move[:20]} is not a square: write one of a1 to c3")
        return move

    def replay(self, rules: str, moves: Sequence[str], known: int = 0) -> Position:
        outcome = None
        for ply, move in enumerate(moves):
            own = {*moves[ply % 2 : ply + 1 : 2]}
            if outcome or move in moves[:ply]:
                raise Forbidden("the game is over" if outcome else f"{move} is taken; choose a free square")
            if any(own.issuperset(line) for line in LINES):
                outcome = Outcome(ply % 2 + 1, f"{move} made three in a row")
            elif ply == len(SQUARES) - 1:
                outcome = Outcome(0, "the grid is full")
        turns = [Turn(move) for move in moves]
        return Position(turns, len(moves) % 2 + 1, outcome, f"Free squares: {len(SQUARES) - len(moves)} of 9.")

    def draw(self, rules: str, moves: Sequence[str], most: int) -> Drawing:
        now = self.replay(rules, moves)
        shown = [" XO"[1 + moves.index(square) % 2] if square in moves else square for square in SQUARES]
        picture = "\n---+----+---\n".join(" | ".join(f"{at:2}" for at in shown[row : row + 3]) for row in (0, 3, 6))
        free = [] if now.outcome else [square for square in SQUARES if square not in moves]
        return Drawing(now, picture, ("X", "O"), "a1 to c3 are free squares", example=free[0] if free else "")

    def describe(self, rules: str, moves: Sequence[str], *, hints: bool) -> Sequence[str]:
        names = (f"{'XO'[n]}: {', '.join(moves[n::2]) or 'nothing yet'}." for n in (0, 1))
        return [f"Grid, after {len(moves)} turns.", *names]


GRID = Game("grid", "Grid", ("X", "O"), "one square a turn; three in a row win")
WITH_GRID = replace(CATALOGUE, games=(*CATALOGUE.games, GRID), families=(Grid(),))
