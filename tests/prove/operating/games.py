"""Games that people play by answering letters."""

import random
import re
from collections.abc import Callable
from email.message import EmailMessage

from engine.hex import notation, variants
from engine.hex.position import apply, legal_moves, start
from tests.prove.operating import programs
from tests.prove.operating.internet import Person
from tests.prove.operating.trial import Play, Trial

Way = Callable[[Person, EmailMessage, str], None]

SEED = 36
"""Of a game of Lambo with nine plies and a winner."""


def sign_up(one: Person) -> None:
    one.write(f"signup {one.playing} {one.password}")
    one.answer(one.next(f"Confirm {one.playing}"), "yes")
    one.next(f"Welcome, {one.playing}")


def moves_of(seed: int) -> list[str]:
    chance, position = random.Random(seed), start(variants.parse("lambo"))
    moves = []
    while position.outcome is None:
        position = apply(position, chance.choice(list(legal_moves(position))))
        moves.append(notation.write_move(position.turns[-1].move))
    return moves


def begin_game(trial: Trial, first: Person, second: Person, seed: int) -> Play:
    for one in (first, second):
        one.up_to_date()
    first.write(f"lambo challenge {first.playing} {second.playing} {first.password}")
    offer = second.next("challenge")
    second.answer(offer, "accept")
    letter = first.next("YOUR TURN")
    found = re.search(r"Lambo (\d+):", str(letter["Subject"]))
    assert found, letter["Subject"]
    first.read -= 1
    trial.plays.append(Play(int(found[1]), (first, second), moves_of(seed)))
    return trial.plays[-1]


def turn(trial: Trial, ply: int, way: Way = programs.plain, game: Play | None = None) -> EmailMessage:
    """The player whose turn it is answers the letter about it; the letter that tells the other one."""
    game = game or trial.plays[-1]
    mover, other = game.pair[ply % 2], game.pair[1 - ply % 2]
    way(mover, mover.next(rf"YOUR TURN: ply {ply + 1}\b"), game.moves[ply])
    told = other.next(rf"{mover.playing} played {re.escape(game.moves[ply])}")
    other.read -= 1
    return told
