"""How strong the computer player is: matches between two ways to search, colours alternating, openings varied.

`python bench/arena.py [GAMES [NAME ...]]` plays the matches of `MATCHES` (or those whose name contains a NAME) with so
many games each, and prints each share with its 95 % Wilson interval beside the goal. Run it from the top folder, with
PYTHONPATH=. if the engine is not installed. Every opening is played twice, once with each colour.

`python bench/arena.py --against FOLDER OURS THEIRS GAMES [NAME ...]` plays this checkout against another one, for
example a git worktree of an older commit. Each side is a process of its own (`mover.py`) and stops its playouts after
OURS or THEIRS seconds of its own CPU time. What follows the playouts is not stopped, so choose the two numbers so that
the CPU time of a turn, which is printed, is the same for both.
"""

import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from engine.hex.notation import write_move
from engine.hex.position import Position, apply, legal_moves, replay, start
from engine.hex.variants import parse
from engine.search import LEVELS, Level, evaluate, think
from engine.search.tree import FULL, PLAIN

FOLDER = str(Path(__file__).parents[1] / ".pytest_cache" / "numba")
RANDOM = Level(0, 0)
"""Plays any legal move."""
BEGINNER = Level(0, 1)
"""Plays any legal move, but sees what wins in one turn: for both players, if one of some 40 turns prevents it."""
LOOK = Level(0, 2)
"""Finds every win in one turn."""
OPENING = {"lambo": 2, "palago": 2, "mambo": 4}
"""Random turns at the beginning."""
FIRST_LOOK = 500
SECOND_LOOK = 300_000
"""Playouts that must find an opening even, and that must not prove it: half of all even ones are decided."""


Mover = subprocess.Popen[str]


class Match(NamedTuple):
    """`wanted`: the share of games the first should win."""

    name: str
    game: str
    first: Level
    second: Level
    wanted: float


def level(playouts: int, tuning: tuple[float, ...] = FULL) -> Level:
    """A way to search."""
    return Level(0, playouts, tuning)


MATCHES = [
    *(Match("plain", game, level(1500), level(1500, PLAIN), 0.8) for game in ("lambo", "mambo")),
    *(Match("quarter", game, level(4000), level(1000), 0.75) for game in ("lambo", "mambo")),
    *(
        Match(f"level {one.number} against {other.number}", game, one, other, 0.75)
        for game in ("lambo", "mambo")
        for other, one in pairwise(LEVELS)
    ),
    *(Match("random", game, LEVELS[0], RANDOM, 1.0) for game in ("lambo", "mambo")),
    *(Match("a beginner against level 1", game, BEGINNER, LEVELS[0], 0.5) for game in ("lambo", "mambo")),
]


def even(game: str, moves: list[str]) -> bool:
    """Whether neither side is clearly better off, and no search proves that one wins."""
    rules = parse(game)
    if not 0.4 < evaluate(rules, moves, FIRST_LOOK, 1, FOLDER).winning < 0.6:
        return False
    return evaluate(rules, moves, SECOND_LOOK, 1, FOLDER).proven == 0


@cache
def opening(game: str, seed: int) -> list[str]:
    """Some random turns after which neither side is clearly better off, the same for both games of a pair."""
    rng = random.Random(f"{game} {seed}")
    while True:
        at, moves = start(parse(game)), []
        for _ in range(OPENING[game]):
            moves.append(write_move(rng.choice(list(legal_moves(at)))))
            at = apply(at, moves[-1])
            if at.outcome:
                break
        else:
            if even(game, moves):
                return list(moves)


def played(match: Match, index: int) -> float:
    """The first one's share of the game with this number: 1, 0, or a half for a draw."""
    moves = list(opening(match.game, index // 2))
    at = start(parse(match.game))
    for move in moves:
        at = apply(at, move)
    rng = random.Random(index)
    seat = 1 + index % 2
    while not at.outcome:
        moves.append(turn(match.first if at.to_move == seat else match.second, at, moves, index, rng))
        at = apply(at, moves[-1])
    return 0.5 if at.outcome.winner == 0 else float(at.outcome.winner == seat)


def turn(strength: Level, at: Position, moves: list[str], index: int, rng: random.Random) -> str:
    """What a player of this strength plays in the game with this number."""
    if strength not in (RANDOM, BEGINNER):
        return think(at.rules, moves, strength, index + 1, folder=FOLDER).move
    legal = list(legal_moves(at))
    if strength == RANDOM:
        return write_move(rng.choice(legal))
    look = think(at.rules, moves, LOOK, 1, folder=FOLDER)
    if look.proven > 0:
        return look.move
    tries = [write_move(rng.choice(legal)) for _ in range(40)]
    return next((move for move in tries if not gives(at, moves, move)), tries[0])


def gives(at: Position, moves: list[str], move: str) -> bool:
    """Whether a turn ends the game or lets the opponent win in one turn."""
    if apply(at, move).outcome:
        return True
    return evaluate(at.rules, [*moves, move], LOOK.playouts, 1, FOLDER).proven > 0


def wilson(share: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    z = 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return middle - half, middle + half


def run(match: Match, games: int, pool: ProcessPoolExecutor) -> float:
    """Play a match, print its line, return the share."""
    begun = time.monotonic()
    results = list(pool.map(played, [match] * games, range(games)))
    share = sum(results) / games
    low, high = wilson(share, games)
    said = "met" if share >= match.wanted else "MISSED"
    print(
        f"{match.game}: {match.name} ({match.first.playouts} against {match.second.playouts} playouts): "
        f"{100 * share:.1f} % [{100 * low:.0f}, {100 * high:.0f}] of {games} games, "
        f"{results.count(0.5)} drawn; wanted {100 * match.wanted:.0f} %: {said}; {time.monotonic() - begun:.0f} s",
        flush=True,
    )
    return share


def mover(folder: Path) -> Mover:
    """A computer player of another checkout, as a process."""
    command = [sys.executable, str(Path(__file__).with_name("mover.py")), str(folder / ".pytest_cache" / "numba")]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
    )


def asked(player: Mover, **question: object) -> dict[str, float | str]:
    """The other process's answer."""
    assert player.stdin is not None
    assert player.stdout is not None
    player.stdin.write(json.dumps(question) + "\n")
    player.stdin.flush()
    answer: dict[str, float | str] = json.loads(player.stdout.readline())
    return answer


def against(folder: Path, seconds: tuple[float, float], games: int, game: str) -> None:
    """Play a match against another checkout and print its line, with the CPU time that a turn took each side."""
    players = [mover(Path(__file__).parents[1]), mover(folder)]
    for player in players:
        asked(player, game=game, moves=opening(game, 0), playouts=2, seed=1)
    results: list[float] = []
    spent = [[0.0], [0.0]]
    for index in range(games):
        moves = list(opening(game, index // 2))
        at = replay(parse(game), moves)
        while not at.outcome:
            side = (at.to_move + index) % 2
            answer = asked(
                players[side], game=game, moves=moves, playouts=240_000, seconds=seconds[side], seed=index + 1
            )
            spent[side].append(float(answer["cpu"]))
            moves.append(str(answer["move"]))
            at = apply(at, moves[-1])
        results.append(0.5 if at.outcome.winner == 0 else float((at.outcome.winner + index) % 2 == 0))
        share, (low, high) = sum(results) / len(results), wilson(sum(results) / len(results), len(results))
        costs = " and ".join(f"{sum(times) / len(times):.3f}" for times in spent)
        print(
            f"{game}: {100 * share:.1f} % [{100 * low:.0f}, {100 * high:.0f}] of {len(results)} games, "
            f"{results.count(0.5)} drawn; {costs} s of CPU a turn",
            end="\n" if index + 1 == games else "\r",
            flush=True,
        )
    for player in players:
        player.communicate()


def main() -> None:
    """Print one line a match."""
    if sys.argv[1:2] == ["--against"]:
        folder, seconds, count = Path(sys.argv[2]).resolve(), (float(sys.argv[3]), float(sys.argv[4])), int(sys.argv[5])
        for game in sys.argv[6:] or OPENING:
            against(folder, seconds, count, game)
        return
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    names = sys.argv[2:]
    with ProcessPoolExecutor(2) as pool:
        for match in MATCHES:
            if not names or any(name in f"{match.name} {match.game}" for name in names):
                run(match, games, pool)


if __name__ == "__main__":
    main()
