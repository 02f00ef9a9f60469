"""The table of players by games won. It asks for no rating, so that games by any rules count."""

from typing import NamedTuple

PAIR_WINS = 10
"""Wins against the same opponent that count for the order. Else a player with a second account would lead the table."""


class Standing(NamedTuple):
    """A player's results in games that are over. `counted`: the wins, but only PAIR_WINS of those against the same
    opponent."""

    userid: str
    won: int
    lost: int
    drawn: int
    counted: int
