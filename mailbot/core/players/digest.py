"""The digest: one letter a day with every board that waits for a player, the one that has waited longest first.

A letter has one Reply-To. So the digest can be answered like any letter where one board waits; where there are more it
cannot, for a bare move would be played on a board the player did not mean: there it shows the password form for each
board, and `show N` brings a letter of its own that can be answered.
"""

from typing import Any

from engine import variants
from mailbot.core.effects import Effect, Letter, Post, Put
from mailbot.core.games import boards
from mailbot.core.model import DAY, Game, Player, Preference
from mailbot.core.players.preferences import DIGEST_DUE, value
from mailbot.core.world import World

HOUR = 3600
DRAWN = 10
"""Boards drawn in one digest; the others are listed."""


def next_due(hour: int, now: int) -> int:
    """When the clock strikes this hour (UTC) the next time, unix seconds."""
    return now + DAY - (now - hour * HOUR) % DAY


def waiting(player: int, world: World) -> list[Game]:
    """The boards on which the player has to move, or to say yes or no; the longest waiting first."""
    found = [game for game in world.games_of(player, ("offered", "running")) if _waits(game, player)]
    return sorted(found, key=lambda game: (game.changed, game.id))


def _waits(game: Game, player: int) -> bool:
    number = game.number_of(player)
    if game.state == "offered":
        return bool(game.agreed) and not game.agreed & number
    return game.to_move == number or asked(game, player)


def asked(game: Game, player: int) -> bool:
    """Whether the opponent has asked the player for something."""
    return bool(game.asks) and game.asks_by != game.number_of(player)


def due(player: Player, now: int, world: World) -> list[Effect]:
    """The digest, if its time has come, and when the next one is due. One that is late comes once."""
    preferences = world.preferences(player.id)
    at, hour = preferences.get(DIGEST_DUE, ""), value(preferences, "digest")
    if not at or not hour.isdigit() or now < int(at):
        return []
    effects: list[Effect] = [Put(Preference(player.id, DIGEST_DUE, str(next_due(int(hour), now))))]
    waits = waiting(player.id, world)
    ended = [game for game in world.games_of(player.id, ("over",)) if game.changed > int(at) - DAY]
    if waits or ended:
        effects.append(Post(player.id, _letter(player, waits, ended, now, world), "digest"))
    return effects


def _letter(player: Player, waits: list[Game], ended: list[Game], now: int, world: World) -> Letter:
    parts = []
    for game in waits[:DRAWN]:
        number = game.number_of(player.id)
        if game.state == "offered":
            parts.append(boards.offer(game, boards.names(game, world), number, "", 3 - number))
            continue
        moves = world.moves(game.id)
        last: dict[str, Any] = {"event": "digest", "by": 3 - number, "comment": ""}
        if moves and moves[-1].player != player.id:
            last["comment"] = boards.heard(moves[-1].comment, game, 3 - number, world)
        parts.append(
            boards.news("board", game, [move.text for move in moves], boards.names(game, world), number, **last)
        )
    rows = [_row(game, player, now, world) for game in waits]
    one = parts[0] if len(waits) == 1 else None
    count = f"{len(waits)} boards wait" if len(waits) != 1 else f"Board {waits[0].id} waits"
    return Letter(
        "digest",
        f"{count} for you" if waits else "Games that have ended",
        {
            "userid": player.userid,
            "table": "waiting",
            "rows": rows,
            "ended": [_row(game, player, now, world) for game in ended],
            "parts": [{"template": letter.template, "facts": letter.facts, "line": ""} for letter in parts],
        },
        one.token if one else None,
        thread="digest",
    )


def _row(game: Game, player: Player, now: int, world: World) -> dict[str, Any]:
    number = game.number_of(player.id)
    names = boards.names(game, world)
    return {
        "board": game.id,
        "title": variants.GAMES[variants.parse(game.rules).game].title,
        "opponent": names[2 - number],
        "waited": max(0, now - game.changed),
        "asks": game.asks if asked(game, player.id) else "",
        "offered": game.state == "offered",
        "your_turn": game.to_move == number,
        "won": game.winner == number,
        "drawn": game.winner == 0,
        "annulled": game.state == "over" and game.winner is None,
        "reason": game.reason,
    }
