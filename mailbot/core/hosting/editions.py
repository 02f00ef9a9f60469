"""What goes on for ever: the editions of a tournament that is held again and again, and ladders."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from mailbot.core.caps import moment
from mailbot.core.contests import Entry, Fixture, Stages, Tournament
from mailbot.core.effects import Drop, Effect, Kinds, Post, Put
from mailbot.core.games import course
from mailbot.core.hosting import daily, entries, letters, standing, withdrawals
from mailbot.core.hosting.standing import Standing, noted, userid
from mailbot.core.model import DAY, Game, States
from mailbot.core.players import limits, seen
from mailbot.core.ratings import terms
from mailbot.core.tournaments import ladder
from mailbot.core.world import World

MONTHS: Mapping[str, int] = {"month": 1, "quarter": 3}
"""What -every takes, in months."""


def later(at: int, months: int) -> int:
    """The same time of day so many months later, on the 28th at the latest."""
    then = datetime.fromtimestamp(at, UTC)
    month = then.month - 1 + months
    return int(then.replace(year=then.year + month // 12, month=month % 12 + 1, day=min(then.day, 28)).timestamp())


def next_of(
    tournament: Tournament, seats: Sequence[Entry], now: int, world: World, out: Collection[int] = ()
) -> list[Effect]:
    """The next edition opens when this one begins or would have begun, with whoever wants to be in every edition.
    `out`: players who take no part in this one after all, and need not hear of the next."""
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
        previous=tournament.id,
    )
    again = [Entry(fresh.id, entry.player, now, always=1) for entry in seats if entry.always]
    said = [f"You are entered for {fresh.title}, as you wished. To leave it: leave {fresh.id} NAME PASSWORD"]
    told = letters.letter(fresh, "entry", said)
    posts = [Post(entry.player, told, Kinds.EVENT) for entry in again]
    line = noted(fresh, "created", now, world)
    heard = letters.announced(fresh, now, world, {*out, *(entry.player for entry in again)})
    return [Put(fresh), *map(Put, again), line, *posts, *heard]


ABSENT = 30 * DAY
"""Who has lost on time in the last edition and has not been here for so long is in no further one unasked."""


class Out(NamedTuple):
    """Why somebody whom the server has entered does not take part after all. `said`: in words for this player; `ends`:
    whether that holds for further editions, too."""

    said: str
    ends: bool


def out(tournament: Tournament, entry: Entry, late: Set[int], now: int, world: World) -> Out | None:
    """Whether a player takes no part whom the server has entered as one who wants to be in every edition. `late`: who
    has lost on time in the edition before."""
    player = world.player(entry.player)
    if not (entry.always and tournament.previous and entry.joined == tournament.created and player):
        return None
    if sum(one.stopped is None for one in world.entered(player.id)) > entries.AT_ONCE:
        return Out(f"You are in {entries.AT_ONCE} other tournaments, which is the most", ends=False)
    if limits.full(player.id, world):
        return Out("You have as many games as you may have at once", ends=False)
    if tournament.rating and not terms.within(tournament.rating, player.id, tournament.rules, now, world):
        return Out(f"It takes players with a rating of {tournament.rating}", ends=False)
    if not limits.hears(player.id, world):
        return Out("You get no letters at the moment, so you would not hear of your games", ends=False)
    if player.id in late and now - seen.last(player, world) >= ABSENT:
        days = ABSENT // DAY
        return Out(f"You have lost on time in the last edition, and no command of yours has come for {days} days", True)
    return None


def _can_play(entry: Entry, world: World) -> bool:
    player = world.player(entry.player)
    return player is not None and player.state == "active"


AWAY = Out("At the moment you cannot play", ends=False)


def _is_away(entry: Entry, world: World) -> bool:
    """Whether the player is signed off or locked, and may be there again for the next edition."""
    player = world.player(entry.player)
    return player is not None and player.state in ("off", "locked")


def present(state: Standing, now: int, world: World) -> Mapping[Entry, Out | None]:
    """Those who have entered and can play, or want to be in every edition; each with a reason for which this one leaves
    the player out, or None."""
    able = [entry for entry in state.entries if _can_play(entry, world)]
    away = [entry for entry in state.entries if entry.always and _is_away(entry, world)]
    previous = state.tournament.previous
    late = {
        game.player(3 - game.winner)
        for game in (world.games_in(previous) if previous else ())
        if game.winner and game.state == States.OVER and course.OUT_OF_TIME in game.reason
    }
    return {entry: out(state.tournament, entry, late, now, world) for entry in able} | dict.fromkeys(away, AWAY)


def left_out(tournament: Tournament, found: Sequence[tuple[Entry, Out]], now: int, world: World) -> list[Effect]:
    """These players take no part, and are told."""
    effects: list[Effect] = []
    for entry, why in found:
        again = f" To be in each further edition again: join N {userid(entry.player, world)} PASSWORD -always"
        said = f"{why.said}, so you are not in {tournament.title}.{again if why.ends else ''}"
        effects += [Drop(entry), noted(tournament, "skipped", now, world, player=entry.player)]
        effects.append(Post(entry.player, letters.letter(tournament, "you are not in it", [said]), Kinds.EVENT))
    return effects


# -- ladders ----------------------------------------------------------------------------------------------------------


def _last_game(state: Standing, entry: Entry, now: int) -> int:
    """When the player last played: now, while a game runs; else when the last one ended. Before the first one, when the
    player came onto the ladder, or when the ladder began (`until`)."""
    if state.playing(entry.seat):
        return now
    return max(entry.joined, state.tournament.until, state.rungs[entry.seat].played)


def idle_at(state: Standing, now: int) -> int | None:
    """When the next player is told of lost places, or loses one, for want of games."""
    times = [ladder.idling_next(_last_game(state, entry, now), entry.told, now) for entry in state.there]
    return min(times, default=None)


def climbed(state: Standing, games: Iterable[Game], now: int, world: World) -> list[Effect]:
    """What follows on a ladder from the end of these games: the new order, and who is withdrawn for losses on time."""
    effects: list[Effect] = []
    began, order, waiting = state.rungs, dict(state.rungs), [*games]
    stopped: set[int] = set()
    stakes: dict[int, Fixture] = {}

    def beats(one: int, other: int) -> bool:
        return _won(state.tournament.id, one, other, world) == one

    while waiting:
        game = waiting.pop(0)
        fixture = world.fixture_of(game.id)
        assert fixture
        fixture = stakes.pop(fixture.number, fixture)
        if fixture.stake and beats(fixture.stake, fixture.first):
            fixture = replace(fixture, stake=0)
        before, winner = order, game.winner or 0
        order = {**ladder.played(order, fixture, winner, game.changed)}
        running = [stakes.get(one.number, one) for one in state.fixtures if one.number != fixture.number]
        stakes |= {one.number: one for one in ladder.staked(before, fixture, winner, running, beats)}
        if course.OUT_OF_TIME not in game.reason or not game.winner:
            continue
        seat = fixture.second if game.winner == 1 else fixture.first
        order[seat] = replace(order[seat], late=game.began)
        entry = state.by_seat[seat]
        since = before[seat].late
        if entry.stopped is None and seat not in stopped and since and not standing.moved(entry, since, world):
            stopped.add(seat)
            more = withdrawals.withdrawn(state, entry, now, world, what="late")
            effects += more
            waiting += standing.ended(more)
            over_ = {one.id for one in standing.ended(more)}
            state = replace(state, fixtures=[one for one in state.fixtures if one.game not in over_])
    there = [entry for entry in state.entries if entry.seat not in stopped]
    at = idle_at(replace(state, entries=there, rungs=order), now)
    due = state.tournament.due
    changed = [Put(replace(state.tournament, due=at))] if due is None or (at is not None and at < due) else []
    return [*map(Put, ladder.changed(began, order)), *map(Put, stakes.values()), *effects, *changed]


def _won(tournament: int, one: int, other: int, world: World) -> int:
    """The seat that has won the last game of these two on a ladder; 0 if nobody has."""
    met = [(game, two) for two in world.paired(tournament, one, other) if (game := world.game(two.game))]
    won = [
        (game.changed, two.number, two.first if game.winner == 1 else two.second)
        for game, two in met
        if game.state == States.OVER and game.winner
    ]
    return max(won)[-1] if won else 0


def idle(state: Standing, now: int, world: World) -> list[Effect]:
    """Whoever has not played for long, or is signed off (or was lately), goes down one place a week past the others,
    and who has not played for very long leaves the ladder; each is told before. Nothing is said where nothing changes,
    nor to a player who has signed off."""
    tournament = state.tournament
    effects: list[Effect] = []
    entries_ = {entry.seat: entry for entry in state.entries}
    order_ = state.rungs
    order = [entry for _, entry in state.table]
    last = {entry.player: _last_game(state, entry, now) for entry in order}
    hidden = {entry.player for entry in order if limits.off_lately(entry.player, now, world)}
    gone: list[Entry] = []
    posts: list[Post] = []
    for entry in order[::-1]:
        dropped = order_[entry.seat].dropped
        told_at = entry.told if limits.has_heard(entry.player, entry.told, world) else 0
        what = ladder.idling(last[entry.player], told_at, dropped, now)
        if entry.player in hidden and what not in ("told of the end", "off"):
            what = ladder.hiding(entry.told, dropped, now)
        if what == "off":
            gone.append(entry)
        elif what == "drop":
            place = order.index(entry)
            below = order[place + 1] if place + 1 < len(order) else None
            if below is None or below.player in hidden or now - last[below.player] >= ladder.IDLE:
                continue
            order[place : place + 2] = below, entry
            order_ = ladder.fallen(order_, entry.seat, below.seat, now)
            why = "hidden" if entry.player in hidden else "idle"
            effects.append(noted(tournament, why, now, world, player=entry.player))
            if why == "idle":
                said = _fallen((now - last[entry.player]) // DAY, userid(below.player, world))
                told = letters.letter(tournament, "a place lost", [said])
                posts.append(Post(entry.player, told, Kinds.EVENT))
        elif what == "hides":
            entries_[entry.seat] = replace(entry, told=now)
            effects.append(Put(entries_[entry.seat]))
        elif what:
            entries_[entry.seat] = replace(entry, told=now)
            told = letters.letter(tournament, "you have not played", [_ahead(what, last[entry.player], now)])
            effects.append(Put(entries_[entry.seat]))
            posts.append(Post(entry.player, told, Kinds.EVENT))
    effects += map(Put, ladder.changed(state.rungs, order_))
    for entry in gone:
        effects += withdrawals.withdrawn(state, entry, now, world, what="idle")
    there = [entry for seat, entry in entries_.items() if seat not in {one.seat for one in gone}]
    at = idle_at(replace(state, entries=there, rungs=order_), now)
    return [*effects, *daily.may_wait(tournament, posts, now, world), Put(replace(tournament, due=at))]


def _fallen(days: int, below: str) -> str:
    return (
        f"You have not finished a game on this ladder for {days} days, so {below} stands before you now. Without a game"
        " you go down one place a week, past those who play."
    )


def _ahead(what: ladder.Idling, last: int, now: int) -> str:
    """What is to come for a player who has not played since `last`."""
    begins = "You have not finished a game on this ladder for"
    days = (now - last) // DAY
    if what == "told of drops":
        return (
            f"{begins} {days} days. From {moment(max(last + ladder.IDLE, now))} on you go down one place a week, past"
            " those who play, until you play again."
        )
    return (
        f"{begins} {days} days. If you play none until {moment(max(last + ladder.GONE, now + ladder.WEEK))}, you are no"
        " longer on the ladder."
    )
