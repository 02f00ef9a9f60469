"""What goes on for ever: the editions of a tournament that is held again and again, and places on ladders that idle."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from mailbot.core.contests import Entry, Fixture, Stages, Tournament
from mailbot.core.effects import Effect, Kinds, Post, Put
from mailbot.core.hosting import entries, letters
from mailbot.core.hosting.log import noted
from mailbot.core.hosting.standing import Standing
from mailbot.core.model import States
from mailbot.core.tournaments import ladder
from mailbot.core.world import World

MONTHS: Mapping[str, int] = {"month": 1, "quarter": 3}
"""What -every takes, in months."""


def later(at: int, months: int) -> int:
    """The same time of day so many months later, on the 28th at the latest."""
    then = datetime.fromtimestamp(at, UTC)
    month = then.month - 1 + months
    return int(then.replace(year=then.year + month // 12, month=month % 12 + 1, day=min(then.day, 28)).timestamp())


def next_of(tournament: Tournament, seats: Sequence[Entry], now: int, world: World) -> list[Effect]:
    """The next edition opens when this one begins or would have begun, with whoever wants to be in every edition."""
    if not tournament.every:
        return []
    until = later(now, MONTHS[tournament.every])
    fresh = replace(
        tournament,
        id=world.fresh("tournament"),
        stage=Stages.ENTRY,
        until=until,
        due=until,
        created=now,
        seed=tournament.seed + 1,
        edition=tournament.edition + 1,
    )
    again = [Entry(fresh.id, entry.player, now, always=1) for entry in seats if entry.always]
    said = [f"You are entered for {fresh.title}, as you wished. To leave it: leave {fresh.id} NAME PASSWORD"]
    told = letters.letter(fresh, "entry", said)
    posts = [Post(entry.player, told, Kinds.EVENT) for entry in again]
    return [Put(fresh), *map(Put, again), noted(fresh, "created", now, world), *posts]


# -- ladders ----------------------------------------------------------------------------------------------------------


def _last_game(state: Standing, entry: Entry) -> int:
    """When the player last finished a game; before the first one, when the player came onto the ladder, or when the
    ladder began (`until`)."""
    ends = [game.changed for game in state.games.values() if game.state == States.OVER and game.number_of(entry.player)]
    return max([entry.joined, state.tournament.until, *ends])


def _lost(state: Standing, entry: Entry, since: int) -> int:
    """How many places the player has lost since then for want of games."""
    return sum(not one.game and one.first == entry.seat and one.at > since for one in state.fixtures)


def idle_at(state: Standing, now: int) -> int | None:
    """When the next player loses a place for want of games."""
    times = []
    for entry in state.there:
        last = _last_game(state, entry)
        times.append(last + min(ladder.IDLE + _lost(state, entry, last) * ladder.WEEK, ladder.GONE))
    return max(now + 1, min(times)) if times else None


def idle(state: Standing, now: int, world: World) -> list[Effect]:
    """Whoever has not played for long goes down one place a week, and at last leaves the ladder; each is told."""
    effects: list[Effect] = []
    fixtures = list(state.fixtures)
    gone: list[Entry] = []
    for entry in state.there:
        last = _last_game(state, entry)
        drops = ladder.idle_drops(last, now)
        if drops is None:
            gone.append(entry)
            continue
        for _ in range(drops - _lost(state, entry, last)):
            fixture = Fixture(state.tournament.id, len(fixtures) + 1, state.round + 1, entry.seat, 0, 0, now)
            fixtures.append(fixture)
            said = [
                f"You have not finished a game on this ladder for {(now - last) // 86400} days, so you have gone down a"
                " place. Without a game it is one place a week."
            ]
            told = letters.letter(state.tournament, "a place lost", said)
            line = noted(state.tournament, "idle", now, world, player=entry.player)
            effects += [Put(fixture), line, Post(entry.player, told, Kinds.EVENT)]
    left = Standing(state.tournament, state.entries, fixtures, state.games)
    for entry in gone:
        effects += entries.withdrawn(left, entry, now, world, what="idle")
    there = [entry for entry in state.entries if entry not in gone]
    at = idle_at(Standing(state.tournament, there, fixtures, state.games), now)
    return [*effects, Put(replace(state.tournament, due=at))]
