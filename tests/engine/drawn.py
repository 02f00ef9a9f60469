"""Positions for the tests of drawings, and drawings as pixels."""

import io
import random
import re
from typing import Any

import pytest

from engine.errors import Forbidden
from engine.hex import hexes, svg
from engine.hex.position import Position, apply, fits, replay, start
from engine.hex.scene import Look
from engine.hex.variants import parse

VARIANTS = [
    "lambo",
    "palago",
    "lambo -anywhere -eat_enemy=2",
    "lambo -must_contain",
    "mambo",
    "mambo -mamboa",
    "mambo -mamba",
    "mambo -mambogo",
    "mambo -auto=none -no_kill",
]


def played(rules: str, seed: int, turns: int = 200) -> Position:
    """A game of random turns."""
    rng = random.Random(f"{rules} {seed}")
    position = start(parse(rules))
    while position.outcome is None and position.ply < turns:
        found = {cell: letters for cell, letters in fits(position).items() if letters}
        cell = rng.choice(list(found))
        move = f"{rng.choice(found[cell])}{cell}"
        if position.owed == 2:
            beside = rng.choice(hexes.neighbours(hexes.axial(cell)))
            move += f",{rng.choice('abc')}{hexes.spiral(beside)}"
        try:
            position = apply(position, move)
        except Forbidden:
            continue
    return position


def full(rules: str, seed: int) -> Position:
    """A position of 48 tiles or a few more, with tiles left in the pool and the game not over: as large a picture as a
    usual game has."""
    for attempt in range(seed * 1000, seed * 1000 + 1000):
        position = played(f"{rules} -size=60", attempt)
        moves = [turn.move for turn in position.turns]
        while moves and position.outcome:
            moves.pop()
            position = replay(position.rules, moves)
        if len(position.tiles) >= 48:
            while len(replay(position.rules, moves[:-1]).tiles) >= 48:
                moves.pop()
            return replay(position.rules, moves)
    raise AssertionError(rules)


def pixels(position: Position, look: Look, zoom: float = 1) -> Any:
    """The SVG as an RGB image of Pillow, drawn by resvg."""
    resvg = pytest.importorskip("resvg_py")
    image = pytest.importorskip("PIL.Image")
    drawing = svg.draw(position, look)
    width, height = (round(zoom * int(n)) for n in re.findall(r' (?:width|height)="(\d+)"', drawing)[:2])
    octets = bytes(resvg.svg_to_bytes(svg_string=drawing, width=width, height=height, skip_system_fonts=True))
    return image.open(io.BytesIO(octets)).convert("RGB")
