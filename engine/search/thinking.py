"""The search's interface: from a game's moves to the move that the computer would play."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engine.errors import Forbidden
from engine.hex import hexes
from engine.hex.board import new, place
from engine.hex.notation import Placement, parse_move, write_move
from engine.hex.play import Play
from engine.hex.rules import Rules
from engine.hex.tables import MAX_RINGS
from engine.hex.variants import GAMES
from engine.search import openings, tree, weights
from engine.search.compiled import arrays, compiled, integers, longs
from engine.search.kernel import MOVER, NONE, RANDOM, RESULT, restore_table, rules_in_numbers, state_in_numbers
from engine.search.threats import Scratch

MAX_TILES = MAX_RINGS
"""A larger pool could reach past the largest board."""
MAX_EATEN = 60
"""The same for games with -eat_enemy, where every pair of tiles is judged by all groups: larger ones take minutes, in
which the search looks at no clock."""
MAX_ANYWHERE = 32
"""The same for -anywhere in games in which no win is near: palago, and with -must_contain. A turn then takes half a
minute at worst, with 48 tiles several."""
_MARGIN = 10
"""Rings round the tiles on which the search lays tiles; a playout that leaves them counts as a draw."""
_FIRST_SLICE, _SLICE = 10, 250
"""Playouts before the first call of `stop`, and between two later ones at most: by some rules a playout takes a hundred
times as long as by others."""
_CHECKS = 8
"""Turns that are looked at before one is played, at most."""
_TOLD = 8
"""Visits that a node needs to become part of the expected line."""


Stop = Callable[[], bool] | None


class Level(NamedTuple):
    """How well the computer plays. `playouts`: for each placement; `tuning`: places and values, named in `tree`;
    `checked`: playouts that try to refute a turn before it is played; `book`: whether it knows the opening book."""

    number: int
    playouts: int
    tuning: tuple[float, ...] = tree.FULL
    checked: int = 0
    book: bool = False


LEVELS: tuple[Level, ...] = (
    Level(1, 50, tree.BLIND),
    Level(2, 20),
    Level(3, 500),
    Level(4, 10000, book=True),
    Level(5, 240000, tree.LEARNED, 40000, book=True),
)


@dataclass(frozen=True, slots=True)
class Thought:
    """The result of thinking. `move`: canonical; `winning`: the mover's chance, 0 to 1, where a draw is half a win;
    `proven`: 1 won, -1 lost, 0 unknown; `line`: the moves expected from here, this one first."""

    move: str
    winning: float
    proven: int
    playouts: int
    line: tuple[str, ...]


def affordable(rules: Rules) -> None:
    """Raises Forbidden if the computer cannot play by these rules: the pool is too large for its memory, or a turn has
    so many pairs of tiles, each judged by all groups, that one thought takes minutes and more."""
    if rules.size > MAX_TILES:
        raise Forbidden(f"the computer plays with up to {MAX_TILES} tiles, not {rules.size}: choose a smaller -size")
    if rules.eat_enemy and rules.size > MAX_EATEN:
        raise Forbidden(
            f"the computer plays -eat_enemy with up to {MAX_EATEN} tiles, not {rules.size}: choose a smaller -size"
        )
    slow = rules.anywhere and (rules.must_contain or rules.game == "palago")
    if slow and rules.size > MAX_ANYWHERE:
        raise Forbidden(
            f"the computer plays these rules with -anywhere with up to {MAX_ANYWHERE} tiles, not {rules.size}: choose a"
            " smaller -size"
        )
    if rules.anywhere and rules.eat_enemy:
        raise Forbidden("the computer does not play -anywhere with -eat_enemy: it would think for hours")


def think(
    rules: Rules,
    moves: Sequence[str],
    level: Level | int,
    seed: int,
    stop: Stop = None,
    folder: str | None = None,
    soon: Stop = None,
) -> Thought:
    """The computer's move after these moves, which must be legal.

    The same arguments give the same answer, unless `stop`, which is called between slices of playouts, returns True.
    `soon` returns True when `stop` will soon: then the turn is chosen, and the time that is left is for the check.
    `folder`: where compiled code is kept (`compiled`). Raises Forbidden if the game is over or not `affordable`.
    """
    strength = level_of(level) if isinstance(level, int) else level
    affordable(rules)
    play = _played(rules, moves)
    if play.may_swap:
        return _perhaps_swap(play, strength, seed, folder, stop)
    if rules.swap and play.ply == 0:
        return _fair_beginning(play, strength, seed, folder, stop)
    if strength.book and (known := openings.turns(play)):
        return _from_book(known, seed)
    return Search(play, strength, seed, folder).turn(stop, soon)


def evaluate(
    rules: Rules, moves: Sequence[str], playouts: int, seed: int, folder: str | None = None, stop: Stop = None
) -> Thought:
    """An analysis of the position after these moves, with so many playouts for each placement of the next turn."""
    return think(rules, moves, Level(0, playouts), seed, stop, folder)


def level_of(number: int) -> Level:
    """The level with that number. Raises Forbidden."""
    for level in LEVELS:
        if level.number == number:
            return level
    raise Forbidden(f"there is no level {number} of the computer: the levels are 1 to {LEVELS[-1].number}")


def warm(folder: str | None = None) -> None:
    """Compile everything, or load it from the folder, so that the first move is not late."""
    think(GAMES["lambo"].rules, (), Level(0, 2), 1, folder=folder)


def _played(rules: Rules, moves: Sequence[str]) -> Play:
    play = Play(rules)
    for move in moves:
        play.move(parse_move(move))
    if play.verdict:
        raise Forbidden(f"the game is over: {play.verdict.reason}")
    return play


def _from_book(known: Sequence[openings.Turn], seed: int) -> Thought:
    """One of the turns that the opening book has for this position."""
    turn = known[seed % len(known)]
    text = write_move(turn.move)
    return Thought(text, turn.chance, 0, 0, (text,))


def _perhaps_swap(play: Play, *how: Any) -> Thought:
    """Swap if the other seat is better; a swap changes neither the tiles nor who lays the next one."""
    stay = Search(play, *how[:-1]).turn(how[-1])
    if stay.winning >= 0.5:
        return stay
    return Thought("swap", 1 - stay.winning, -stay.proven, stay.playouts, ("swap", *stay.line))


def _fair_beginning(play: Play, level: Level, seed: int, folder: str | None, stop: Stop) -> Thought:
    """The first move after which the two seats' chances are most even."""
    found: list[tuple[float, int, Thought]] = []
    moves = list(play.moves())
    share = level._replace(playouts=max(20, level.playouts // len(moves)))
    for move in moves:
        after = Play(play.rules)
        after.move(move)
        text = write_move(move)
        answer = Thought("", 0.0, 0, 0, ()) if after.verdict else Search(after, share, seed, folder).turn(stop)
        winning = min(answer.winning, 1 - answer.winning)
        found.append((-winning, len(found), Thought(text, winning, 0, answer.playouts, (text, *answer.line))))
        if stop and stop():
            break
    best = min(found)[2]
    return replace(best, playouts=sum(thought.playouts for _, _, thought in found))


class Choice(NamedTuple):
    """A turn that is laid. `child`: the node after it, 0 if the game is over or the turn wins. `winning`, `proven`: as
    in a thought."""

    placements: tuple[Placement, ...]
    child: int
    winning: float
    proven: int
    playouts: int


class Search:
    """One tree over one position, and the state of the game at its root."""

    def __init__(self, play: Play, level: Level, seed: int, folder: str | None) -> None:
        self.level = level
        self.letters = play.letters
        self.run = compiled(folder)
        tiles = play.placements()
        outermost = max((hexes.ring(hexes.axial(cell)) for _, cell in tiles), default=0)
        rings = min(max(play.rules.size - 1, 1), MAX_RINGS, outermost + _MARGIN)
        flat = new(play.tiles, play.rules.auto, rings)
        for letter, cell in tiles:
            place(flat, cell, play.index[letter])
        self.board, self.saved = arrays(flat), arrays(flat)
        self.how = longs(rules_in_numbers(play.rules))
        self.begin = longs([*state_in_numbers(play, seed), 0, 0, 0])
        self.reach = longs(restore_table(rings))
        learned = weights.table(self.how.tolist())
        sizes = (6000 + 3 * level.playouts, 200_000 + 120 * min(level.playouts, 50_000), len(flat.tile))
        self.tree = tree.new_tree(*sizes, tree.tuning(learned or (0.0,)))
        corners = len(flat.filled)
        self.scratch = Scratch(*(integers([0] * size) for size in (5, corners + 1, corners, corners, corners)))
        prior = bool(level.tuning[tree.PRIOR])
        self.tuning = tree.tuning(tree.FULL if prior and not learned else level.tuning)

    def turn(self, stop: Stop, soon: Stop = None) -> Thought:
        """Think about the whole turn. A turn is played only if a search for the opponent does not refute it at once;
        if it does, the next best one is looked at."""
        mover = int(self.begin[MOVER])
        begin, before = self.begin.copy(), [field.copy() for field in self.board]
        choice = self.chosen(soon or stop, self.level.playouts)
        playouts = choice.playouts
        for _ in range(_CHECKS if self.level.checked else 0):
            if not choice.child or choice.proven or (stop and stop()):
                break
            playouts += self.grow(stop, self.level.checked)[0]
            winning, proven = self.worth(mover)
            if proven > 0:
                choice = choice._replace(winning=winning, proven=proven)
            if proven >= 0:  # not lost
                break
            self.begin[:RANDOM] = begin[:RANDOM]
            self.set_board(before)
            choice = self.chosen(stop, self.level.checked)
            playouts += choice.playouts
        text = write_move(choice.placements)
        line = self.expected(choice.child) if choice.child else []
        return Thought(text, choice.winning, choice.proven, playouts, (text, *line))

    def chosen(self, stop: Stop, budget: int) -> Choice:
        """Think about each placement of the turn in its place, and lay it."""
        mover = int(self.begin[MOVER])
        placements: list[Placement] = []
        playouts, winning, proven, edge = 0, 0.5, 0, 0
        while self.begin[RESULT] == NONE and self.begin[MOVER] == mover:
            done, wins = self.grow(stop, budget >> len(placements))
            playouts += done
            now = self.worth(mover)
            if not placements or now[1] > 0:  # a turn that wins is worth as much before its first placement
                winning, proven = now
            if wins:
                cell, tile, other, second = (int(number) for number in self.scratch.found[:4])
                placements.append(Placement(self.letters[tile], cell))
                if other >= 0:
                    placements.append(Placement(self.letters[second], other))
                return Choice(tuple(placements), 0, winning, proven, playouts)
            edge = self.best(int(self.tree.n[tree.ROOT]), mover)
            move = int(self.tree.move[edge])
            placements.append(Placement(self.letters[move & 7], move >> 3))
            self.forward(move)
        child = int(self.tree.child[edge]) if self.begin[RESULT] == NONE else 0
        return Choice(tuple(placements), child, winning, proven, playouts)

    def grow(self, stop: Stop, budget: int) -> tuple[int, bool]:
        """Search from the root; returns the playouts done, and whether the turn wins as `scratch.found` says."""
        g = self.begin.copy()
        search, done = self.run["search"], 0
        board = (self.board, self.saved, self.how, g, self.begin, self.reach)
        while True:
            amount = min(_SLICE, max(_FIRST_SLICE, done), budget - done)
            did = int(search(*board, self.tree, self.scratch, self.tuning, amount, done == 0))
            if did < 0:
                return 0, True
            done += did
            if did < amount or done == budget or (stop and stop()):
                break
        self.begin[RANDOM] = g[RANDOM]
        return done, False

    def forward(self, move: int) -> None:
        """Lay a tile and make the new position the root."""
        self.run["follow"](self.board, self.how, self.begin, move)
        self.set_board(self.board)

    def set_board(self, board: Sequence[Any]) -> None:
        """Make this the position at the root, together with `begin`."""
        for field, now, saved in zip(board, self.board, self.saved, strict=True):
            now[:] = saved[:] = field

    def worth(self, mover: int) -> tuple[float, int]:
        """The mover's chances at the root, and whether they are proved."""
        t, root = self.tree, int(self.tree.n[tree.ROOT])
        proof = int(t.proof[root])
        if proof:
            return (0.5, 0) if proof == tree.DRAW else (float(proof == mover), 1 if proof == mover else -1)
        share = float(t.wins[root]) / int(t.visits[root]) if t.visits[root] else 0.5
        return (share if mover == 1 else 1 - share), 0

    def best(self, node: int, mover: int) -> int:
        """The edge to play: one that is proved won, else the most tried one that is not proved lost, else one that does
        not lose at once, because the opponent may overlook the win."""
        t = self.tree

        def rank(edge: int) -> tuple[int, int, float]:
            child = int(t.child[edge])
            proof = int(t.proof[child])
            share = float(t.wins[child]) / max(1, int(t.visits[child]))
            return (
                3 if proof == mover else 2 if proof != 3 - mover else int(child >= tree.ENDS),
                int(t.tried[edge]),
                share if mover == 1 else -share,
            )

        first = int(t.first[node])
        return max(range(first, first + int(t.count[node])), key=rank)

    def expected(self, node: int) -> list[str]:
        """The most tried whole turns from a node, whose position is on the board. The board is useless afterwards."""
        t, g, turns = self.tree, self.begin, []
        placements: list[Placement] = []
        while node and g[RESULT] == NONE and t.first[node] >= 0 and t.visits[node] >= _TOLD:
            mover = int(g[MOVER])
            edge = self.best(node, mover)
            move = int(t.move[edge])
            placements.append(Placement(self.letters[move & 7], move >> 3))
            self.run["follow"](self.board, self.how, g, move)
            if g[RESULT] != NONE or g[MOVER] != mover:
                turns.append(write_move(tuple(placements)))
                placements = []
            node = int(t.child[edge])
        return turns
