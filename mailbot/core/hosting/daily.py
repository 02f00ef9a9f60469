"""One letter a day: what a player is told of a tournament besides its games, and what of that can wait.

Theory of operation. A letter that must not wait (docs/tournaments.md 10) goes out at once, and takes along what waits
for its reader. Any other waits until a day after the last letter that its reader had of the tournament; all that has
gathered by then is one letter. Words of somebody whom the reader has blocked meanwhile are left out.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mailbot.core.contests import Later, Tournament
from mailbot.core.effects import Drop, Effect, Kinds, Letter, Post, Put
from mailbot.core.hosting import letters
from mailbot.core.model import DAY
from mailbot.core.world import World


def may_wait(tournament: Tournament, posts: Iterable[Post], now: int, world: World, by: int = 0) -> list[Effect]:
    """Letters of which each goes at once only if its reader has had none of the tournament for a day. `by`: the player
    whose words they bring."""
    due = {row.player: row.due for row in world.waiting(tournament.id)}
    effects: list[Effect] = []
    for post in posts:
        at = due.get(post.player) or world.last_letter(letters.thread(tournament), post.player, now - DAY) + DAY
        if at <= now:
            effects.append(post)
            continue
        facts = json.dumps(dict(post.letter.facts))
        effects.append(Put(Later(world.fresh("later"), tournament.id, post.player, at, post.letter.subject, facts, by)))
    return effects


def at_once(tournament: Tournament, posts: Iterable[Post], world: World) -> list[Effect]:
    """Letters that must not wait, with all that waits for their readers."""
    waits: defaultdict[int, list[Later]] = defaultdict(list)
    for row in world.waiting(tournament.id):
        waits[row.player].append(row)
    effects: list[Effect] = []
    for post in posts:
        rows = waits.pop(post.player, [])
        letter = _joined(tournament, post.letter.subject, [post.letter, *_letters(rows, world)])
        effects += [*map(Drop, rows), Post(post.player, letter, post.kind)]
    return effects


def due(row: Later, world: World) -> list[Effect]:
    """The letter of the day, with all that waits for this reader."""
    tournament = world.tournament(row.tournament)
    assert tournament
    rows = [one for one in world.waiting(row.tournament) if one.player == row.player]
    found = _letters(rows, world)
    subject = found[0].subject if len(found) == 1 else letters.titled(tournament, "news")
    posts = [Post(row.player, _joined(tournament, subject, found), Kinds.EVENT)] if found else []
    return [*map(Drop, rows), *posts]


def _letters(rows: Iterable[Later], world: World) -> list[Letter]:
    """What waits for a reader, without the words of somebody whom the reader has blocked meanwhile."""
    heard = [row for row in rows if not (row.by and world.blocks(row.player, row.by))]
    return [Letter(letters.TEMPLATE, row.subject, json.loads(row.facts)) for row in heard]


def _joined(tournament: Tournament, subject: str, told: Sequence[Letter]) -> Letter:
    if len(told) == 1:
        return Letter(told[0].template, subject, told[0].facts, thread=letters.thread(tournament))
    parts = [{"template": one.template, "facts": one.facts, "line": ""} for one in told]
    return Letter("several", subject, {"parts": parts}, thread=letters.thread(tournament))
