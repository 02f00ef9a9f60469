"""The letter that a tournament is open for entry, to those who want to hear of it; once for each tournament."""

from collections.abc import Container

from mailbot.core.contests import Stages, Tournament
from mailbot.core.effects import Effect, Kinds, Post
from mailbot.core.hosting import letters
from mailbot.core.hosting.log import noted
from mailbot.core.model import Player
from mailbot.core.ratings import terms
from mailbot.core.world import World

NEWS = ("news", "on")
"""The setting of those who hear of every tournament."""


def announced(tournament: Tournament, now: int, world: World, entered: Container[int] = ()) -> list[Effect]:
    """Announces a tournament that is open, if that has not been done: to all who want news, and to those who played in
    the edition before. `entered`: players who are in it already. Whoever has blocked the director, or has not the
    rating for it, hears nothing."""
    if tournament.stage != Stages.ENTRY or any(line.what == "announced" for line in world.logged(tournament.id)):
        return []
    wanted = {player.id: player for player in world.who_prefer(*NEWS)}
    before = [entry.player for entry in world.entries(tournament.previous) if entry.stopped is None]
    readers = {**{found.id: found for one in before if (found := world.player(one))}, **wanted}
    posts = [
        _post(tournament, reader, asked=reader.id in wanted)
        for reader in readers.values()
        if reader.id != tournament.director
        and reader.id not in entered
        and reader.state == "active"
        and not world.blocks(reader.id, tournament.director)
        and (not tournament.rating or terms.within(tournament.rating, reader.id, tournament.rules, world))
    ]
    return [*posts, noted(tournament, "announced", now, world)]


def _post(tournament: Tournament, reader: Player, *, asked: bool) -> Post:
    why = (
        f"To hear of no further tournaments: set {reader.userid} PASSWORD news off"
        if asked
        else "You get this letter because you played in the edition before."
    )
    said = [
        f"Entry is open for {tournament.title}: {letters.format_said(tournament)}. Each game:"
        f" {letters.terms(tournament)}. {letters.begins(tournament)}",
        " ".join([*letters.limits(tournament), *letters.order(tournament)]),
        f"To enter: join {tournament.id} {reader.userid} PASSWORD",
        why,
    ]
    one = letters.letter(tournament, "open for entry", [part for part in said if part], comment=tournament.words)
    return Post(reader.id, one, Kinds.BROADCAST)
