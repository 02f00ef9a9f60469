"""The digest: one letter a day with every board that waits for a player. First comes the one with the least time left,
or else the one that has waited longest.

A letter has one Reply-To. So the digest can be answered like any letter if one board waits. If several boards wait, it
cannot, because a bare move might be played on the wrong board: then it shows the password form for each board, and
`show N` brings a separate letter that can be answered.
"""

from dataclasses import replace
from datetime import timedelta
from math import inf
from typing import Any

from engine.family import name_of
from mailbot.core.effects import Drop, Effect, Kinds, Letter, Post, Put
from mailbot.core.games import boards, timing, vacations
from mailbot.core.model import DAY, Deferred, Game, Player, Preference, States
from mailbot.core.players.preferences import DIGEST_DUE, value
from mailbot.core.ratings import ended, terms
from mailbot.core.world import World
from mailbot.core.zones import Zone

DRAWN = 10
"""Boards drawn in one digest; the others are listed."""

WORDS, ALL_WORDS = 4_000, 20_000
"""Characters of words that wait for one reader's digest: from one player, and from all together."""

MORE = "[There was more.]"

MAX_BOARDS, MAX_WRITERS, MAX_AWAY = 20, 50, 50
"""How many boards of one player's letters, how many players, and how many vacations one digest names."""


def next_due(hour: int, now: int, zone: Zone) -> int:
    """The next time at this hour of the zone, unix seconds."""
    today = zone.local(now).replace(hour=hour, minute=0, second=0)
    at = zone.moment(today)
    return at if at > now else zone.moment(today + timedelta(days=1))


def waiting(player: int, world: World) -> list[Game]:
    """The boards on which the player has to move or to answer a question: first those on which the player's
    time ends first, then the longest waiting."""
    found = [game for game in world.games_of(player, (States.OFFERED, States.RUNNING)) if _waits(game, player)]
    return sorted(found, key=lambda game: (_ends(game, player), game.changed, game.id))


def _ends(game: Game, player: int) -> float:
    """When the player's time on this board ends; never, where it does not run."""
    return game.flag_at if game.flag_at is not None and game.to_move == game.number_of(player) else inf


def _waits(game: Game, player: int) -> bool:
    number = game.number_of(player)
    if game.state == States.OFFERED:
        return bool(game.agreed) and not game.agreed & number
    return game.to_move == number or asked(game, player)


def asked(game: Game, player: int) -> bool:
    """Whether the opponent has asked the player for something."""
    return bool(game.asks) and game.asks_by != game.number_of(player)


def deferred(post: Post, by: int, now: int, world: World) -> list[Put]:
    """Keeps the contents of a letter beyond a cap for the reader's next digest; sets that digest's day if it has none.
    `by`: the player who caused the letter, 0 for nobody."""
    rows = world.deferred(post.player)
    row = next((row for row in rows if row.by == by), None) or Deferred(post.player, by, now, 0, "", "")
    facts = post.letter.facts
    numbers = row.boards.split()
    if "board" in facts and str(facts["board"]) not in numbers:
        numbers = [*numbers, str(facts["board"])][-MAX_BOARDS:]
    said = str(facts.get("comment") or "").strip()
    words = row.words
    if said and by and not words.endswith(MORE):
        longer = f"{words}\n\n{said}".strip()
        room = min(WORDS, ALL_WORDS - sum(len(other.words) for other in rows if other.by != by))
        words = longer if len(longer) <= room else f"{words}\n\n{MORE}".strip()
    kept = [Put(replace(row, count=row.count + 1, boards=" ".join(numbers), words=words))]
    if not world.preferences(post.player).get(DIGEST_DUE):
        kept.append(Put(Preference(post.player, DIGEST_DUE, str(now + DAY))))
    return kept


def due(player: Player, now: int, world: World) -> list[Effect]:
    """The digest, if it is due, and when the next one is due. After a delay there is only one."""
    at = world.preferences(player.id).get(DIGEST_DUE, "")
    return at_once(player, now, world) if at and now >= int(at) else []


def at_once(player: Player, now: int, world: World) -> list[Effect]:
    """The digest as of now, if there is anything to tell, and when the next one is due."""
    preferences = world.preferences(player.id)
    at, hour = preferences.get(DIGEST_DUE, ""), value(preferences, "digest")
    timer = Preference(
        player.id, DIGEST_DUE, str(next_due(int(hour), now, world.zone(player.id))) if hour.isdigit() else at
    )
    late = world.deferred(player.id)
    effects: list[Effect] = [Put(timer) if hour.isdigit() else Drop(timer), *map(Drop, late)]
    waits = waiting(player.id, world)
    zone, until = world.zone(player.id), int(at or now)
    since = zone.moment(zone.local(until) - timedelta(days=1))
    ended = world.games_of(player.id, (States.OVER,), since=since)
    away = vacations.between(player.id, since, until, world)[:MAX_AWAY]
    if late or (hour.isdigit() and (waits or ended or away)):
        letter = _letter(player, waits, ended, late, now, world)
        facts = {**letter.facts, "away": away, "now": now}
        effects.append(Post(player.id, letter._replace(facts=facts), Kinds.DIGEST))
    return effects


def _letter(
    player: Player, waits: list[Game], ended: list[Game], late: list[Deferred], now: int, world: World
) -> Letter:
    parts = []
    for game in waits[:DRAWN]:
        number = game.number_of(player.id)
        if game.state == States.OFFERED:
            told = terms.facts(game, now, world)
            parts.append(boards.offer(game, boards.names(game, world), number, "", 3 - number, **told))
            continue
        moves = world.moves(game.id)
        last: dict[str, Any] = {"event": "digest", "by": 3 - number, "comment": "", **timing.facts(game, now, world)}
        if moves and moves[-1].player != player.id:
            last["comment"] = boards.heard(moves[-1].comment, game, 3 - number, world)
        parts.append(
            boards.news("board", game, [move.text for move in moves], boards.names(game, world), number, **last)
        )
    rows = [row(game, player, now, world) for game in waits]
    one = parts[0] if len(waits) == 1 else None
    count = f"{len(waits)} boards wait" if len(waits) != 1 else f"Board {waits[0].id} waits"
    return Letter(
        "digest",
        f"{count} for you" if waits else "Games that have ended" if ended else "News of the day",
        {
            "userid": player.userid,
            "table": "waiting",
            "rows": rows,
            "ended": [row(game, player, now, world) for game in ended],
            "late": [_late(one, world) for one in late[:MAX_WRITERS]],
            "others": len(late[MAX_WRITERS:]),
            "chosen": value(world.preferences(player.id), "digest") != "off",
            "parts": [{"template": letter.template, "facts": letter.facts, "line": ""} for letter in parts],
        },
        one.token if one else None,
        thread="digest",
    )


def _late(late: Deferred, world: World) -> dict[str, Any]:
    """One player's letters beyond the caps; `who` is empty for letters that nobody else caused."""
    other = world.player(late.by) if late.by else None
    words = "" if world.blocks(late.player, late.by) else late.words
    return {"who": other.userid if other else "", "count": late.count, "boards": late.boards.split(), "words": words}


def _rating(game: Game, player: int, world: World) -> dict[str, str]:
    """What the end of the game has done to the player's rating, as a part of a row; nothing if it is not rated."""
    kept = world.rated(game.id) if game.place else None
    return {"rating": ended.told_to(player, kept)} if kept and not kept.unrated else {}


def row(game: Game, player: Player, now: int, world: World) -> dict[str, Any]:
    """A board that waits for the player, or is over, as a row of the table `waiting`."""
    number = game.number_of(player.id)
    names = boards.names(game, world)
    return {
        "board": game.id,
        "title": world.catalogue.game(name_of(game.rules)).title,
        "opponent": names[2 - number],
        "waited": max(0, now - game.changed),
        "asks": game.asks if asked(game, player.id) else "",
        "offered": game.state == States.OFFERED,
        "your_turn": game.to_move == number,
        "won": game.winner == number,
        "drawn": game.winner == 0,
        "annulled": game.state == States.OVER and game.winner is None,
        "reason": game.reason,
        **_rating(game, player.id, world),
        **(timing.column(game, now, world) if game.to_move == number else {}),
    }
