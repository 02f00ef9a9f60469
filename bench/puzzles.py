"""Make the puzzles: positions in which one turn forces a win in two turns.

    python bench/puzzles.py SEED AMOUNT

Prints one puzzle a line as it is found, for mailbot/core/puzzles/table.py: rules, moves, solutions, answer and winning
turn of the line, and how many turns there are. First come the two danger patterns of the lessons, which are the same
from two or three sides and so have as many solutions. All others have one. Their positions come from the lessons of the
help pages and from games of the computer against itself. `engine.search.forcing` tries every turn against every answer.
The line shows an answer that leaves few winning turns.
"""

import sys
from collections.abc import Iterator, Sequence

from engine.hex.board import LAID, Board
from engine.hex.notation import Move, Placement, parse_move, write_move
from engine.hex.play import Play
from engine.hex.rules import Rules
from engine.hex.variants import parse
from engine.search.compiled import longs
from engine.search.forcing import forced
from engine.search.kernel import MOVER, drop, lift
from engine.search.thinking import LEVELS, Level, Search, think
from engine.search.threats import Scratch
from mailbot.core.letters.lessons import LESSONS

GAMES = ("lambo", "palago", "mambo")
PATTERNS = ("three tips", "triskelion")
FIRST, LAST = 5, 24
"""The plies after which positions are looked at: later boards are too large to look at for fun."""
OPPONENTS = Level(0, 120)


def played(rules: Rules, moves: Sequence[str]) -> Play:
    """The board after these moves."""
    play = Play(rules)
    for move in moves:
        play.move(parse_move(move))
    return play


def solution(play: Play, folder: str | None = None) -> Move | None:
    """The one turn that forces a win in two turns. None if there is none, if there are more, or if a turn wins at
    once."""
    search = Search(play, LEVELS[0]._replace(playouts=1), 1, folder)
    found = longs([-1] * 4)
    if int(search.run["forcing"](search.board, search.how, search.scratch, int(search.begin[MOVER]), found)) != 1:
        return None
    tile, cell, second, other = map(int, found)
    first = Placement(play.letters[tile], cell)
    return (first,) if other < 0 else (first, Placement(play.letters[second], other))


def solutions(play: Play) -> list[Move]:
    """Every turn that forces a win in two turns, if none wins at once. Slow: it tries them one by one."""
    search, seat, found = Search(play, LEVELS[0], 1, None), play.mover, list[Move]()
    board = Board(*(field.tolist() for field in search.board))
    scratch = Scratch(*(field.tolist() for field in search.scratch))
    how, laid = search.how.tolist(), board.n[LAID]
    for move, winner in results(play):
        if winner is None:
            for letter, cell in move:
                drop(board, how, seat, cell, play.index[letter])
            if forced(board, how, scratch, seat):
                found.append(move)
            lift(board, laid)
    return found


def results(play: Play) -> Iterator[tuple[Move, int | None]]:
    """Every legal turn, each set of tiles once, and the seat that it makes win; None if the game goes on."""
    seen: set[frozenset[Placement]] = set()
    owed, start = play.owed, play.board.n[0]
    for cell in play.cells():
        for tile in play.fitting(cell):
            first = Placement(play.letters[tile], cell)
            play.lay(cell, tile)
            if play.verdict or owed == 1:
                yield (first,), play.verdict.seat if play.verdict else None
            else:
                half = play.board.n[0]
                for other in play.seconds(cell):
                    for also in play.fitting(other):
                        move = (first, Placement(play.letters[also], other))
                        if frozenset(move) not in seen:
                            seen.add(frozenset(move))
                            play.lay(other, also)
                            yield move, play.verdict.seat if play.verdict else None
                            play.unlay(half)
            play.unlay(start)


def defence(rules: Rules, moves: Sequence[str], answers: int = 400) -> tuple[str, str]:
    """An answer to the solution, which is the last of these moves, and the turn that wins then. The answer leaves the
    fewest winning turns of those that are looked at: first those beside the tiles of the solution."""
    near = {cell for _, cell in parse_move(moves[-1])}
    play = played(rules, moves)
    b = play.board
    close = {cell for place in near for cell in b.near[6 * place : 6 * place + 6]}
    open_ = [move for move, seat in results(play) if seat is None]
    open_.sort(key=lambda move: -sum(cell in close for _, cell in move))
    best: tuple[int, str, str] | None = None
    for move in open_[:answers]:
        after = played(rules, [*moves, write_move(move)])
        wins = [turn for turn, seat in results(after) if seat == after.mover]
        if best is None or len(wins) < best[0]:
            best = len(wins), write_move(move), write_move(wins[0])
        if best[0] == 1:
            break
    if best is None:
        raise ValueError("every answer loses at once")
    return best[1:]


def row(name: str, moves: Sequence[str], folder: str | None = None) -> str:
    """The puzzle after these moves as a line, or "" if there is none."""
    play = played(parse(name), moves)
    found = None if play.verdict else solution(play, folder)
    return line(name, moves, [found]) if found else ""


def line(name: str, moves: Sequence[str], found: Sequence[Move]) -> str:
    """The puzzle with these solutions; "" if every answer to the first one loses at once."""
    solved = [write_move(one) for one in found]
    try:
        answer, win = defence(parse(name), [*moves, solved[0]], 60)
    except ValueError:
        return ""
    turns = sum(1 for _ in results(played(parse(name), moves)))
    return "; ".join((name, " ".join(moves), " ".join(solved), answer, win, str(turns)))


def positions(seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Lessons, then games without end, of each kind in turn."""
    for name, moves in LESSONS.values():
        if name in GAMES:
            yield from ((name, moves[:ply]) for ply in range(3, len(moves) + 1))
    while True:
        for name in GAMES:
            played_: list[str] = []
            while len(played_) <= LAST and not played(parse(name), played_).verdict:
                if len(played_) >= FIRST:
                    yield name, tuple(played_)
                seed += 1
                played_.append(think(parse(name), played_, OPPONENTS, seed).move)


def main(seed: int, amount: int) -> None:
    """Print so many puzzles, as many of each game as of the others, and at most one of a game that is played."""
    for pattern in PATTERNS:
        rules, moves = LESSONS[pattern][0], LESSONS[pattern][1][:2]
        print(line(rules, moves, solutions(played(parse(rules), moves))), flush=True)
    most, counts, last = -(-amount // len(GAMES)), dict.fromkeys(GAMES, 0), ("", ())
    for name, moves in positions(seed):
        if sum(counts.values()) == amount:
            return
        fresh = last[0] != name or tuple(moves[: len(last[1])]) != last[1]
        if counts[name] < most and fresh and (found := row(name, moves)):
            counts[name] += 1
            last = name, tuple(moves)
            print(found, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
