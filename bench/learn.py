"""The learned prior of the computer player: games against itself, then a regression on what its searches tried.

`python bench/learn.py SECONDS [GAME ...]` does two rounds for each game (lambo, mambo). A round plays on two processes
for so many seconds with the weights of `engine/search/learned.py`, or without where there are none, fits new weights to
the positions of all rounds and writes them there.

What it prints is about positions it has not learned from: the loss (in nats; the uniform choice and the entropy of the
shares are the bounds), and how often the placement that the search tried most is the first of the prior, or among the
first three or eight.

A sample is a position of a search that has proved nothing: the marks of each placement that is not dubious, and the
share of the tries that it got.
"""

import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.hex.board import Board
from engine.hex.notation import Placement
from engine.hex.play import Play
from engine.hex.variants import parse
from engine.search import Level, prior, tree
from engine.search.kernel import MOVER, NONE, RESULT, rules_in_numbers
from engine.search.learned import TABLES
from engine.search.thinking import Search
from engine.search.weights import kind

TOP = Path(__file__).parents[1]
FOLDER = str(TOP / ".pytest_cache" / "numba")
GAMES = ("lambo", "mambo")
ROUNDS = 2
PROCESSES = 2
PLAYOUTS = {"lambo": 1500, "mambo": 6000}
"""For each placement. In Mambo, fewer taught nothing that a longer search does not see."""
LEAST_TRIES = 100
STRAY = 0.35
"""How often a placement is drawn by its share of tries, instead of being the best one."""
HELD_OUT = 0.1
EPOCHS, BATCH, RATE, DECAY = 30, 256, 0.03, 1e-4

Array = Any


class Sample(NamedTuple):
    """`marks`: a row for each placement, filled up with `prior.TABLE`; `tries`: of each."""

    marks: Array
    tries: Array


def games(game: str, begin: int, seconds: float) -> list[Sample]:
    """What so many seconds of games teach; `begin`: the seed of the first."""
    until, found, seed = time.monotonic() + seconds, list[Sample](), begin
    while time.monotonic() < until:
        found += one_game(game, seed)
        seed += 1
    return found


def one_game(game: str, seed: int) -> list[Sample]:
    """A game with some random turns at the beginning, until a search proves who wins."""
    rng = random.Random(f"{game} {seed}")
    play, found = Play(parse(game)), list[Sample]()
    for _ in range(rng.randrange(14 // play.rules.placements)):
        play.move(rng.choice(list(play.moves())))
        if play.verdict:
            return found
    while not play.verdict:
        search = Search(play, Level(0, PLAYOUTS[game], tree.LEARNED), seed, FOLDER)
        mover, placements = int(search.begin[MOVER]), list[Placement]()
        while search.begin[RESULT] == NONE and search.begin[MOVER] == mover:
            _, wins = search.grow(None, PLAYOUTS[game])
            if wins or search.worth(mover)[1]:
                return found
            edges, tries = tried(search)
            if sum(tries) < LEAST_TRIES:
                return found
            found.append(Sample(marks(search, edges), np.array(tries)))
            best = search.best(int(search.tree.n[tree.ROOT]), mover)
            move = int(search.tree.move[rng.choices(edges, tries)[0] if rng.random() < STRAY else best])
            placements.append(Placement(search.letters[move & 7], move >> 3))
            search.forward(move)
        play.move(tuple(placements))
    return found


def tried(search: Search) -> tuple[list[int], list[int]]:
    """The edges of the root that are not dubious, and how often each was tried; one that is proved lost counts 0."""
    t, root = search.tree, int(search.tree.n[tree.ROOT])
    first = int(t.first[root])
    edges = [e for e in range(first, first + int(t.count[root])) if t.bias[e] > tree.DUBIOUS]
    lost = 3 - int(search.begin[MOVER])
    return edges, [0 if t.proof[t.child[e]] == lost else int(t.tried[e]) for e in edges]


def marks(search: Search, edges: Sequence[int]) -> Array:
    """The marks of each of these placements at the root."""
    board, t = Board(*(field.tolist() for field in search.board)), search.tree
    prior.liberties(board, t)
    rows = np.full((len(edges), len(t.marks)), prior.TABLE, np.int16)
    last = -1
    for row, e in zip(rows, edges, strict=True):
        cell, tile = int(t.move[e]) >> 3, int(t.move[e]) & 7
        if cell != last:
            prior.surround(board, t, cell)
            last = cell
        height = prior.describe(board, t, search.begin, cell, tile)
        row[:height] = t.marks[:height]
    return rows


class Positions(NamedTuple):
    """Samples, end to end. `begins`: where each one begins; `of`: edge -> its position; `shares`: of the tries."""

    marks: Array
    shares: Array
    begins: Array
    of: Array


def joined(samples: Sequence[Sample]) -> Positions:
    """The samples as one."""
    sizes = [len(sample.tries) for sample in samples]
    return Positions(
        np.concatenate([sample.marks for sample in samples]),
        np.concatenate([sample.tries / sample.tries.sum() for sample in samples]),
        np.cumsum([0, *sizes[:-1]]),
        np.repeat(np.arange(len(samples)), sizes),
    )


def logarithms(weights: Array, at: Positions) -> Array:
    """The logarithm of each placement's share in the prior."""
    scores = weights[at.marks].sum(1)
    scores -= np.maximum.reduceat(scores, at.begins)[at.of]
    return scores - np.log(np.add.reduceat(np.exp(scores), at.begins))[at.of]


def fitted(samples: Sequence[Sample]) -> Array:
    """The weights of least loss (Adam, with a falling rate), as the prior orders them."""
    rng = np.random.default_rng(1)
    weights, slope, square = (np.zeros(prior.TABLE + 1) for _ in range(3))
    batches = [joined(samples[i : i + BATCH]) for i in range(0, len(samples), BATCH)]
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        for i in rng.permutation(len(batches)):
            at, step = batches[i], step + 1
            wrong = (np.exp(logarithms(weights, at)) - at.shares) / len(at.begins)
            change = np.bincount(at.marks.ravel(), np.repeat(wrong, at.marks.shape[1]), prior.TABLE + 1)
            change += DECAY * weights
            change[-1] = 0  # stands for no mark
            slope += 0.1 * (change - slope)
            square += 0.001 * (change * change - square)
            weights -= rate * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-7)
    return weights[:-1]


def report(weights: Array, samples: Sequence[Sample]) -> str:
    """How well the weights foretell what these searches tried."""
    at = joined(samples)
    found = logarithms(np.append(weights, 0.0), at)
    loss = -(at.shares * found).sum() / len(samples)
    entropy = -(at.shares * np.log(np.maximum(at.shares, 1e-12))).sum() / len(samples)
    uniform = np.mean([np.log(len(sample.tries)) for sample in samples])
    ranks = []
    for begin, sample in zip(at.begins, samples, strict=True):
        here = found[begin : begin + len(sample.tries)]
        ranks.append(int((here > here[sample.tries.argmax()]).sum()))
    first, three, eight = (100 * sum(rank < n for rank in ranks) / len(ranks) for n in (1, 3, 8))
    return (
        f"loss {loss:.2f} (uniform {uniform:.2f}, entropy {entropy:.2f}); the most tried is first {first:.0f} %, among "
        f"three {three:.0f} %, among eight {eight:.0f} %; {len(samples)} held out"
    )


def written(tables: dict[tuple[int, ...], str]) -> str:
    """The text of `engine/search/learned.py`."""
    lines = [
        '"""The learned weights, in hundredths, by `weights.kind`. `bench/learn.py` writes this file."""',
        "",
        "TABLES: dict[tuple[int, ...], str] = {",
    ]
    for key, text in sorted(tables.items()):
        words = text.split()
        lines += [
            f"    {key}: (",
            *(f'        "{" ".join(words[i : i + 20])} "' for i in range(0, len(words), 20)),
            "    ),",
        ]
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Learn each game's weights and write them."""
    seconds, chosen = float(sys.argv[1]), sys.argv[2:] or GAMES
    tables = dict(TABLES)
    for game in chosen:
        key = kind(rules_in_numbers(parse(game)))
        lessons, tests = list[Sample](), list[Sample]()
        for turn in range(ROUNDS):
            (TOP / "engine" / "search" / "learned.py").write_text(written(tables))
            begins = [1_000_000 * (turn * PROCESSES + i) for i in range(PROCESSES)]
            with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:  # a fresh process reads the new weights
                for found in pool.map(games, repeat(game), begins, repeat(seconds)):
                    cut = int(HELD_OUT * len(found))
                    tests += found[:cut]
                    lessons += found[cut:]
            random.Random(turn).shuffle(lessons)
            weights = fitted(lessons)
            tables[key] = " ".join(str(round(100 * weight)) for weight in weights)
            print(f"{game}, round {turn + 1}: {len(lessons)} positions; {report(weights, tests)}", flush=True)
        (TOP / "engine" / "search" / "learned.py").write_text(written(tables))


if __name__ == "__main__":
    main()
