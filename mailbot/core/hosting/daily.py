"""One letter a day: what a player is told of a tournament besides its games, and what of that can wait.

Theory of operation. A letter that must not wait (docs/tournaments.md 10) goes out at once, and takes along what waits
for its reader. Any other waits until a day after the last letter that its reader had of the tournament; all that has
gathered by then is one letter.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mailbot.core.contests import Later, Tournament
from mailbot.core.effects import Drop, Effect, Kinds, Letter, Post, Put
from mailbot.core.hosting import letters
from mailbot.core.model import DAY
from mailbot.core.world import World


def may_wait(tournament: Tournament, posts: Iterable[Post], now: int, world: World) -> list[Effect]:
    """Letters of which each goes at once only if its reader has had none of the tournament for a day."""
    due = {row.player: row.due for row in world.waiting(tournament.id)}
    effects: list[Effect] = []
    for post in posts:
        at = due.get(post.player) or world.last_letter(letters.thread(tournament), post.player, now - DAY) + DAY
        if at <= now:
            effects.append(post)
            continue
        facts = json.dumps(dict(post.letter.facts))
        effects.append(Put(Later(world.fresh("later"), tournament.id, post.player, at, post.letter.subject, facts)))
    return effects


def at_once(tournament: Tournament, posts: Iterable[Post], world: World) -> list[Effect]:
    """Letters that must not wait, with all that waits for their readers."""
    waits: defaultdict[int, list[Later]] = defaultdict(list)
    for row in world.waiting(tournament.id):
        waits[row.player].append(row)
    effects: list[Effect] = []
    for post in posts:
        rows = waits.pop(post.player, [])
        letter = _joined(tournament, post.letter.subject, [post.letter, *map(_letter, rows)])
        effects += [*map(Drop, rows), Post(post.player, letter, post.kind)]
    return effects


def due(row: Later, world: World) -> list[Effect]:
    """The letter of the day, with all that waits for this reader."""
    tournament = world.tournament(row.tournament)
    assert tournament
    rows = [one for one in world.waiting(row.tournament) if one.player == row.player]
    subject = row.subject if len(rows) == 1 else letters.titled(tournament, "news")
    letter = _joined(tournament, subject, [_letter(one) for one in rows])
    return [*map(Drop, rows), Post(row.player, letter, Kinds.EVENT)]


def _letter(row: Later) -> Letter:
    return Letter(letters.TEMPLATE, row.subject, json.loads(row.facts))


def _joined(tournament: Tournament, subject: str, told: Sequence[Letter]) -> Letter:
    if len(told) == 1:
        return Letter(told[0].template, subject, told[0].facts, thread=letters.thread(tournament))
    parts = [{"template": one.template, "facts": one.facts, "line": ""} for one in told]
    return Letter("several", subject, {"parts": parts}, thread=letters.thread(tournament))
