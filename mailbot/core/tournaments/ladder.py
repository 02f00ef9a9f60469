"""Ladder: whoever stands below may challenge somebody a few places above, and takes the place by winning. Never ends.

A challenge is for the place. If somebody takes it meanwhile by a later challenge, it is for the place of whoever has it
now (`Fixture.stake`). Else two friends could hold a place for ever: whenever one of them is about to lose it, the other
takes it. More friends always have an earlier challenge among themselves. So between two players who have met, the last
game decides: whoever has won it passes the other by such a challenge, and is not passed.

Nothing is paired here: `challenge` says whether a challenge is allowed, and the table follows from the games in the
order of their rounds, which a ladder counts game by game. A result without an opponent is a place lost for want of
games.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

from mailbot.core.contests import Fixture, Rung
from mailbot.core.effects import Forbidden
from mailbot.core.model import DAY
from mailbot.core.tournaments.field import WAIT, Decision, Field, Option, Row

Name = TypeVar("Name")
"""What names a player: a name, or a seat."""

OPTIONS: Mapping[str, Option] = {}
REACH = 5
"""Places above one's own that may be challenged."""
OPEN = 3
"""Open games that a player may have begun."""
REST = 7 * DAY
"""Seconds until the same two may meet again."""
IDLE, WEEK, GONE = 60 * DAY, 7 * DAY, 180 * DAY
"""Without a game for so long: one place down each week after `IDLE`, off the ladder after `GONE`. A player is told of
each a week before."""


class Met(NamedTuple):
    """A game on the ladder. `ended`: unix seconds, None while it is played."""

    challenger: str
    challenged: str
    ended: int | None = None


def challenge(
    order: Sequence[str], games: Iterable[Met], challenger: str, challenged: str, now: int, away: Mapping[str, int]
) -> None:
    """Raises Forbidden, with the rule and until when, if this challenge is not allowed. `away`: until when players are
    on vacation."""
    if challenger == challenged:
        raise Forbidden("You cannot challenge yourself")
    for name in (challenger, challenged):
        if name not in order:
            raise Forbidden(f"{name} is not on this ladder")
    above = order.index(challenger) - order.index(challenged)
    if above < 0:
        raise Forbidden(f"{challenged} stands below you; you can challenge players above you")
    if above > REACH:
        raise Forbidden(f"{challenged} stands {above} places above you; you can challenge up to {REACH} places")
    both = {challenger, challenged}
    met = [game for game in games if {game.challenger, game.challenged} == both]
    if any(game.ended is None for game in met):
        raise Forbidden(f"You play {challenged} already; you can challenge {challenged} again after that game")
    if sum(game.ended is None and game.challenger == challenger for game in games) >= OPEN:
        raise Forbidden(f"You have {OPEN} open games that you began; you can challenge again when one of them is over")
    if again := max(
        (game.ended + REST for game in met if game.ended is not None and game.ended + REST > now), default=0
    ):
        raise Waits(f"You met {challenged} less than {REST // DAY} days ago", again)
    if away.get(challenged, 0) > now:
        raise Waits(f"{challenged} is on vacation", away[challenged])


class Waits(Forbidden):
    """A refusal that ends by itself. `until`: unix seconds."""

    def __init__(self, sentence: str, until: int) -> None:
        super().__init__(sentence)
        self.until = until


def won(order: Sequence[Name], winner: Name, loser: Name) -> list[Name]:
    """The ladder after a game: a winner from below takes the loser's place, and those between go down one."""
    new = list(order)
    if new.index(winner) > new.index(loser):
        new.remove(winner)
        new.insert(new.index(loser), winner)
    return new


def drop(order: Sequence[str], name: str) -> list[str]:
    """The ladder with this player one place down."""
    new = list(order)
    place = new.index(name)
    new[place : place + 2] = reversed(new[place : place + 2])
    return new


Idling = Literal["", "told of drops", "drop", "told of the end", "off", "hides"]


def idling(last: int, told: int, dropped: int, now: int) -> Idling:
    """What happens now to a player whose last game ended at `last`. `told`: when the player was last told what is to
    come; `dropped`: when the player last lost a place for want of games; 0 for never. Nothing happens untold."""
    if now >= last + GONE - WEEK:
        if told < last + GONE - WEEK:
            return "told of the end"
        if now >= max(last + GONE, told + WEEK):
            return "off"
    elif now >= last + IDLE - WEEK and told < last + IDLE - WEEK:
        return "told of drops"
    week = last + IDLE + (now - last - IDLE) // WEEK * WEEK
    return "drop" if week >= last + IDLE and max(told, dropped) < week else ""


def hiding(told: int, dropped: int, now: int) -> Idling:
    """What happens now to a player whom nobody can challenge (`idling` has the other terms): one place down each week
    from when it was seen first (`told`), whether the player plays or not. Without this the first could stay the first
    for ever."""
    since = max(told, dropped)
    return "hides" if since + 2 * WEEK <= now else "drop" if since + WEEK <= now else ""


def idling_next(last: int, told: int, now: int) -> int:
    """When to ask `idling` or `hiding` again: after a week at most."""
    week = last + IDLE + max(0, (now - last - IDLE) // WEEK + 1) * WEEK
    times = (last + IDLE - WEEK, week, last + GONE - WEEK, max(last + GONE, told + WEEK), now + WEEK)
    return min(at for at in times if at > now)


# -- a ladder that runs on the server: a row for each seat, in order -------------------------------------------------

Rungs = Mapping[int, Rung]
"""By seat, from the top."""


def begun(tournament: int, seats: Iterable[int]) -> Rungs:
    """The rungs of a ladder that begins: in the order of the seats."""
    return {seat: Rung(tournament, seat, seat) for seat in seats}


def played(rungs: Rungs, fixture: Fixture, winner: int, at: int) -> Rungs:
    """The rungs after this game. `winner`: 1, 2, or 0 for a draw; `at`: when it ended."""
    first, second = fixture.first, fixture.second
    new = {**rungs, **{seat: replace(rungs[seat], played=at) for seat in (first, second)}}
    if not winner:
        return new
    won_by = first if winner == 1 else second
    new[won_by] = replace(new[won_by], wins=new[won_by].wins + 1)
    places = [rung.place for rung in rungs.values()]
    order = won([*rungs], won_by, _aim(rungs, fixture, winner))
    return {seat: replace(new[seat], place=place) for seat, place in zip(order, places, strict=True)}


def _aim(rungs: Rungs, fixture: Fixture, winner: int) -> int:
    """The seat whose place this winner takes, if it is above the winner's own."""
    return next(seat for seat in rungs if seat in (fixture.second, fixture.stake)) if winner == 1 else fixture.first


def staked(
    before: Rungs, fixture: Fixture, winner: int, running: Iterable[Fixture], beats: Callable[[int, int], bool]
) -> list[Fixture]:
    """The challenges, of those that run, that are for another place after this game. `before`: the rungs before it.
    `beats`: whether the first of two seats has won the last game between them."""
    order = [*before]
    won_by, aim = (fixture.first if winner == 1 else fixture.second), _aim(before, fixture, winner)
    if not winner or order.index(won_by) < order.index(aim):
        return []
    new = []
    for one in running:
        follows = one.number < fixture.number or beats(one.first, won_by)
        if follows and aim == (one.stake or one.second) and won_by != one.first:
            new.append(replace(one, stake=won_by))
        elif one.stake == won_by:
            new.append(replace(one, stake=0))  # that place is free for whoever wins against `second`
    return new


def fallen(rungs: Rungs, seat: int, below: int, at: int) -> Rungs:
    """The rungs when this seat has lost its place to the one below, for want of games."""
    one, other = rungs[seat], rungs[below]
    new = {**rungs, seat: replace(one, place=other.place, dropped=at), below: replace(other, place=one.place)}
    return dict(sorted(new.items(), key=lambda item: item[1].place))


def at_the_foot(tournament: int, seat: int, rungs: Rungs) -> Rung:
    """The rung of somebody who comes onto the ladder, or back onto it: below everybody else."""
    foot = max((rung.place for rung in rungs.values()), default=0) + 1
    return replace(rungs.get(seat) or Rung(tournament, seat, foot), place=foot)


def changed(before: Rungs, after: Rungs) -> list[Rung]:
    """The rungs that are not as they were."""
    return [rung for seat, rung in after.items() if before.get(seat) != rung]


# -- the format ----------------------------------------------------------------


def pairings(field: Field) -> Decision:
    """Waits for challenges; it only sees that the results make sense."""
    _order(field)
    return Decision(WAIT)


def _order(field: Field) -> list[str]:
    order = list(field.names)
    seen: set[int] = set()
    for result in sorted(field.results, key=lambda result: result.round):
        if result.round in seen:
            raise field.refusal(result, f"two games are number {result.round}; a ladder counts its games as rounds")
        for name in (result.first, result.second):
            if name is not None and not field.plays(name, result.round):
                raise field.refusal(result, f"{name} withdrew before round {result.round}")
        seen.add(result.round)
        if result.second is None:
            order = drop(order, result.first)
        elif result.score == 1:
            order = won(order, result.first, result.second)
        elif result.score == 0:
            order = won(order, result.second, result.first)
    return order


def table(field: Field) -> list[Row]:
    """The ladder from the top; at the start it stands by rating. Who has withdrawn is off it."""
    order = [name for name in _order(field) if name not in field.withdrawn]
    wins = dict.fromkeys(order, 0)
    for result in field.results:
        winner = {1: result.first, 0: result.second}.get(int(result.score)) if result.score != 0.5 else None
        if result.second and winner in wins:
            wins[winner] += 1
    return [
        Row(place, name, float(wins[name]), {}, "ladder" if place < len(order) else None, 1, len(order))
        for place, name in enumerate(order, 1)
    ]
