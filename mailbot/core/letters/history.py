"""The history of a game in a letter: when each turn was played, and how long it took."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from engine.family import Turn
from mailbot.core import zones
from mailbot.core.letters.tables import Column, draw, exact
from mailbot.core.model import States
from mailbot.core.zones import UTC

PLAYED = "played (UTC)"
HISTORY = (
    Column("ply", 4, number=True),
    Column("player", 20),
    Column(PLAYED, 16),
    Column("time used", 11),
    Column("move", 19),
)


def history(facts: Mapping[str, Any], turns: Sequence[Turn]) -> list[str]:
    """Every ply with its time. `times`: when each was played, `began`: when the game began to run, unix seconds."""
    zone = zones.of(facts)
    columns = [one if one.head != PLAYED or zone == UTC else one._replace(head="played (local)") for one in HISTORY]
    return draw(columns, rows(facts, turns), marked=True) if turns else []


def rows(facts: Mapping[str, Any], turns: Sequence[Turn]) -> list[tuple[str, ...]]:
    """The cells of the table `HISTORY`, a row for each ply."""
    played_at, players, by = facts["times"], facts["players"], facts["by_ply"]
    zone = zones.of(facts)
    found: list[tuple[str, ...]] = []
    for ply, (turn, used) in enumerate(zip(turns, _used(facts), strict=True), 1):
        auto = f" +{turn.auto}" if turn.auto else ""
        at = f"{zone.local(played_at[ply - 1]):%Y-%m-%d %H:%M}"
        text = f"{turn.move}{auto}".replace(",", ", ") if turn.auto else turn.move
        found.append((str(ply), players[by[ply - 1] - 1], at, exact(used), text))
    return found


def used(facts: Mapping[str, Any]) -> list[str]:
    """A sentence a player: how long all turns took together, on average, and the longest."""
    said = []
    for number, name in enumerate(facts["players"], 1):
        own = [(used, ply) for ply, used in enumerate(_used(facts), 1) if facts["by_ply"][ply - 1] == number]
        if own:
            longest, ply = max(own, key=lambda one: one[0])
            total = sum(used for used, _ in own)
            turns = f"{len(own)} turns" if len(own) > 1 else "1 turn"
            average = f", {exact(total // len(own))} on average, the longest {exact(longest)} (ply {ply})"
            said.append(f"{name}: {exact(total)} for {turns}{average if len(own) > 1 else ''}.")
        else:
            said.append(f"{name}: no turn yet.")
    if facts["state"] == States.RUNNING:
        last = facts["times"][-1] if facts["times"] else facts["began"]
        mover = facts["players"][facts["to_move"] - 1]
        using = facts.get("using", facts["now"] - last)
        said.append(f"{mover} has had the turn for {exact(max(0, using))}.")
    return [line for text in said for line in wrap(text, 78, subsequent_indent="  ", break_on_hyphens=False)]


def _used(facts: Mapping[str, Any]) -> list[int]:
    """Seconds for each ply: as the clock has counted them, or, without a clock, from the ply before, the first from the
    beginning of the game."""
    if "used" in facts:
        return list(facts["used"])
    played_at = facts["times"]
    return [max(0, at - before) for at, before in zip(played_at, [facts["began"], *played_at], strict=False)]
