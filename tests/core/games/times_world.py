"""A world in which the judge of time can be asked: players 1 and 2, one game, and nothing else."""

from types import SimpleNamespace
from typing import Any, cast

from mailbot.core.model import Game, Pulse
from mailbot.core.world import World
from mailbot.core.zones import UTC

NOW = 1_772_366_400
"""Sunday 1 March 2026, 12:00 UTC."""


def world(game: Game, **more: Any) -> World:
    """Answers what is asked about a game without moves, plans or words."""
    names = {1: "ann", 2: "bob", -5: "uct5"}
    answers: dict[str, Any] = {
        "player": lambda player: SimpleNamespace(id=player, userid=names[player], state="active"),
        "game": lambda board: game,
        "moves": lambda board: [],
        "texts": lambda board: [],
        "plan": lambda board, player: None,
        "submitted": lambda board, player: None,
        "preferences": lambda player: {"autovacation": "off"},
        "stretches": lambda players, since: [],
        "vacations": lambda player, since: [],
        "pulse": Pulse,
        "zone": lambda player: UTC,
        **more,
    }
    return cast(World, SimpleNamespace(**answers))
