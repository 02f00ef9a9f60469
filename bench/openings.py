"""Grow the opening book: searches of the computer player against itself, from the first turn on.

    python bench/openings.py SECONDS [GAME ...]

Writes `engine/search/book.py`. For each game (lambo, palago, mambo) it searches for so many seconds the position
that is most likely to come, with PLAYOUTS for each placement as level 5 does. The turns that the search tried share the
likelihood of their position as they shared its tries; each leads to a position that may be searched next. A position
that is proved, or is too late for the book, has no line. A turn that was tried half as often as the best one, and is
hardly worse, is another one to choose from.
"""

import sys
import time
from collections.abc import Iterator
from heapq import heappop, heappush
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from engine.hex.notation import Move, Placement, parse_move, write_move
from engine.hex.play import Play
from engine.hex.variants import GAMES
from engine.search import openings, tree
from engine.search.book import BOOK
from engine.search.kernel import MOVER
from engine.search.thinking import LEVELS, Search

TOP = Path(__file__).parents[1]
WRITTEN = TOP / "engine" / "search" / "book.py"
HEAD = '''"""The opening book, as `openings` reads it. `bench/openings.py` writes this file."""

BOOK: dict[str, str] = {
'''
WIDTH = 108
FOLDER = str(TOP / ".pytest_cache" / "numba")
PLAYOUTS = 200_000
HALF, HARDLY = 0.5, 0.02
"""Of the tries of the best turn, and below its chances: what makes another one as good."""
MOST = 3
POSITIONS = 200
"""Of a game, the proved ones included."""


class Tried(NamedTuple):
    """A turn: its share of the tries, and the mover's chances after it."""

    move: Move
    share: float
    chance: float


def edges(search: Search, node: int) -> list[tuple[int, float]]:
    """The edges of a node that the search has tried and not proved lost, each with its share of the tries."""
    t, mover = search.tree, int(search.begin[MOVER])
    first = int(t.first[node])
    found = [
        (edge, int(t.tried[edge]))
        for edge in range(first, first + int(t.count[node]))
        if t.tried[edge] and int(t.child[edge]) >= tree.ENDS and int(t.proof[int(t.child[edge])]) != 3 - mover
    ]
    total = sum(tries for _, tries in found)
    return [(edge, tries / total) for edge, tries in found]


def tried(play: Play) -> list[Tried]:
    """The turns that a search tries in a position, the most tried one first; none if it proves who wins."""
    search = Search(play, LEVELS[-1]._replace(playouts=PLAYOUTS), 1, FOLDER)
    t, mover = search.tree, int(search.begin[MOVER])
    _, wins = search.grow(None, PLAYOUTS)
    root = int(t.n[tree.ROOT])
    if wins or t.proof[root]:
        return []

    def placement(edge: int) -> Placement:
        return Placement(search.letters[int(t.move[edge]) & 7], int(t.move[edge]) >> 3)

    def chance(edge: int) -> float:
        child = int(t.child[edge])
        share = float(t.wins[child]) / max(1, int(t.visits[child]))
        return share if mover == 1 else 1 - share

    found: dict[frozenset[Placement], Tried] = {}
    for one, share in edges(search, root):
        rest: list[tuple[int | None, float]] = [(None, 1.0)]
        if play.ply and play.rules.placements > 1:
            child = int(t.child[one])
            rest = list(edges(search, child)) if t.first[child] >= 0 else []
        for other, part in rest:
            move = (placement(one),) if other is None else (placement(one), placement(other))
            turn = Tried(move, share * part, chance(one if other is None else other))
            same = found.get(frozenset(move), turn._replace(share=0.0))
            best = max(turn, same, key=lambda each: each.share)
            found[frozenset(move)] = best._replace(share=turn.share + same.share)
    return sorted(found.values(), key=lambda turn: -turn.share)


def good(turns: list[Tried]) -> list[Tried]:
    """The turns to choose from."""
    best = turns[0]
    return [one for one in turns if one.share >= HALF * best.share and one.chance >= best.chance - HARDLY][:MOST]


def grown(name: str, seconds: float) -> Iterator[str]:
    """The positions of a game's book with their turns, the likeliest first; POSITIONS at most."""
    end = time.monotonic() + seconds
    weights: dict[Any, float] = {}
    done: set[Any] = set()
    waiting: list[tuple[float, tuple[str, ...]]] = [(-1.0, ())]
    while waiting and len(done) < POSITIONS and time.monotonic() < end:
        weight, moves = heappop(waiting)
        play = Play(GAMES[name].rules)
        for move in moves:
            play.move(parse_move(move))
        form = (play.mover, openings.formed(play.placements())[0])
        if form in done or play.verdict:
            continue
        done.add(form)
        turns = tried(play)
        if not turns:
            continue
        said = " ".join(f"{write_move(one.move)}={100 * one.chance:.0f}" for one in good(turns))
        yield f"{' '.join(moves)}: {said}"
        if len(moves) == openings.PLIES:
            continue
        for one in turns:
            after = (*moves, write_move(one.move))
            play = Play(GAMES[name].rules)
            for move in after:
                play.move(parse_move(move))
            form = (play.mover, openings.formed(play.placements())[0])
            weights[form] = weights.get(form, 0.0) - weight * one.share
            heappush(waiting, (-weights[form], after))


def written(book: dict[str, str]) -> str:
    """The module with this book."""
    texts = {name: wrap(text, WIDTH, break_on_hyphens=False) for name, text in book.items()}
    pieces = {name: "".join(f'        "{line} "\n' for line in lines) for name, lines in texts.items()}
    return HEAD + "".join(f'    "{name}": (\n{text}    ),\n' for name, text in pieces.items()) + "}\n"


def main() -> None:
    seconds, games = float(sys.argv[1]), sys.argv[2:] or [*BOOK]
    book = {**BOOK}
    for name in games:
        found = []
        for position in grown(name, seconds):
            print(name, position, flush=True)
            found.append(position)
        book[name] = "; ".join(found)
    WRITTEN.write_text(written(book))


if __name__ == "__main__":
    main()
