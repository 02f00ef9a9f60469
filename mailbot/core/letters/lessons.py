"""The positions of the pages on how to play well: rules and moves, the first turn first.

A page draws a position after some of these turns, so each can be tried by `preview` on a new board.
tests/test_strategy.py checks with the engine what the pages say of them.
"""

from collections.abc import Mapping

LESSONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "must reply": ("lambo", ("a1", "a4,b5", "b2,c10", "a6,c18")),
    "reply": ("lambo", ("a1", "a4,b5", "c6,a18")),
    "three tips": ("lambo", ("a1", "a4,c13", "b2,c10", "a3,a12", "b8,b9")),
    "anywhere": ("lambo -anywhere", ("a1", "a4,c13", "b2,c10", "b3,a8")),
    "triskelion": ("lambo", ("b1", "c2,a8", "a6,a18", "a4,a5", "c7,b20")),
    "seki": ("lambo", ("c1", "b8,c7", "b4,c5", "b9,b22", "b3,b12", "a23,a24", "c11,b10", "b6,c18", "a15,a16", "a2")),
    "two holes": ("lambo", ("c1", "b5,a14", "c3,a10", "a13,c12", "c8,a9")),
    "known point": ("mambo", ("d0", "f6", "d4", "a5", "b13", "b15")),
    "stray wedge": ("mambo", ("e0", "a1", "f5", "a14", "d16", "d18")),
    "two wedges": ("mambo", ("b0", "c4", "a6", "b16", "a2", "d1", "c17")),
    "cold front": ("mambo", ("c0", "c5", "f16", "e15", "a3", "f4", "a13")),
    "ladder": ("mambo", ("f0", "d3", "a4", "d12", "c13", "f14", "a29", "d28", "c50", "f51", "a78")),
    "limited": ("mambo", ("f0", "c4", "e2", "f10", "a12")),
    "full": ("mambo -auto=full", ("f0", "c4", "e2", "f10", "a12")),
    "one loop": ("mambo -mambogo", ("b0", "b3", "a10", "c1")),
    "two loops": ("mambo -mambogo", ("b0", "a6", "c17", "b16", "f14", "f7", "c3", "b10", "b8")),
}
