"""Who takes part: entering, and leaving before the start."""

from dataclasses import replace

from mailbot.core.caps import moment
from mailbot.core.contests import Entry, Stages, Tournament
from mailbot.core.effects import Drop, Effect, Forbidden, NotAllowed, Put, Unreadable
from mailbot.core.hosting import powers, standing
from mailbot.core.hosting.standing import Standing, noted, userid
from mailbot.core.model import DAY
from mailbot.core.players import bots, limits
from mailbot.core.ratings import terms
from mailbot.core.ratings.fold import PAIR_DAYS
from mailbot.core.tournaments import ladder
from mailbot.core.tournaments.field import EVER, MOST
from mailbot.core.world import World

BACK_DAYS = 7
"""Days in which a player who has withdrawn may come back."""
AT_ONCE = 10
"""Tournaments that a player may be in."""
ENTERED, A_DAY = "tournaments entered", 20
"""The tally of how often a player has entered one, and how often within a day: the log has a line for each."""


def find(word: str, world: World) -> Tournament:
    """The tournament with this number. Raises Unreadable."""
    number = int(word.lstrip("#"))
    found = world.tournament(number)
    if found is None:
        raise Unreadable(f"There is no tournament {number}; to see those there are, send: tournaments")
    return found


def require_entry(tournament: Tournament, player: int, world: World) -> Entry:
    """The player's entry. Raises NotAllowed."""
    found = world.entry(tournament.id, player)
    if found is None:
        raise NotAllowed(f"You have not entered tournament {tournament.id}, {tournament.title}")
    return found


def require_rating(tournament: Tournament, player: int, now: int, world: World) -> None:
    """Forbidden for a player with a rating that the tournament does not take."""
    if tournament.rating and not terms.within(tournament.rating, player, tournament.rules, now, world):
        raise Forbidden(f"{tournament.title} takes players with a rating of {tournament.rating} (help ratings)")


def joined(tournament: Tournament, player: int, now: int, world: World, *, always: bool = False) -> list[Effect]:
    """The player takes part. Raises Forbidden, with the rule and until when."""
    state = standing.load(tournament, world)
    endless = state.format.endless
    own = next((entry for entry in state.entries if entry.player == player), None)
    if own and own.stopped is not None:
        require_may_return(tournament, own, world)
        how = how_back(state, player, now, world).replace("\n", " ")
        raise Forbidden(f"You have withdrawn from {tournament.title}. {how}".strip())
    if own and always and not own.always and tournament.stage in Stages.AHEAD:
        return [Put(replace(own, always=1))]
    begun = "; for another edition: tournaments" if tournament.every and tournament.stage not in Stages.AHEAD else ""
    if own:
        raise Forbidden(f"You have entered {tournament.title} already, on {moment(own.joined)}{begun}")
    if bots.is_bot(player):
        raise Forbidden("Computer players take no part in tournaments")
    running = tournament.stage == Stages.RUNNING
    if tournament.stage == Stages.DRAFT:
        raise Forbidden(f"Entry for {tournament.title} is not open")
    if running and not endless:
        raise Forbidden(f"You are too late for {tournament.title}: entry ended on {moment(tournament.until)}{begun}")
    if tournament.stage not in Stages.OPEN:
        raise Forbidden(f"{tournament.title} is {tournament.stage}{begun}")
    if tournament.director == player and powers.has_ruled(tournament, player, 0, world):
        raise NotAllowed(f"You have directed {tournament.title}, so you cannot enter it")
    if len(state.entries) >= (EVER if endless else MOST):
        raise Forbidden(f"{tournament.title} is full: it takes {tournament.most} players")
    require_place(state, player, now, world)
    count = limits.one_more(world.tally(player, ENTERED), player, ENTERED, A_DAY, DAY, now)
    if count is None:
        raise Forbidden(f"You have entered tournaments {A_DAY} times within a day, which is the most; go on tomorrow")
    seat = max((entry.seat for entry in state.entries), default=0) + 1 if running else 0
    entry = Entry(tournament.id, player, now, seat, always=int(always))
    full = tournament.stage == Stages.ENTRY and begins_with(state, len(state.there) + 1)
    begins = [Put(replace(tournament, due=now))] if full else []
    foot = [Put(ladder.at_the_foot(tournament.id, seat, state.rungs))] if running else []
    look = [Put(looked_at(tournament, now))] if running else []
    return [Put(count), Put(entry), *begins, *foot, *look, noted(tournament, "joined", now, world, player=player)]


def begins_with(state: Standing, players: int) -> bool:
    """Whether a tournament in entry begins as soon as it has so many players, and does not wait for the end of
    entry."""
    tournament, endless = state.tournament, state.format.endless
    waits = (endless and tournament.until) or tournament.not_before
    return not waits and players >= (tournament.least if endless else tournament.most)


def require_place(state: Standing, player: int, now: int, world: World) -> None:
    """Forbidden if the tournament has no place for the player, or the player may not be in one more."""
    tournament = state.tournament
    if len(state.there) >= tournament.most:
        raise Forbidden(f"{tournament.title} is full: it takes {tournament.most} players")
    require_rating(tournament, player, now, world)
    require_one_of_a_mailbox(state, player, now, world)
    if sum(one.stopped is None for one in world.entered(player)) >= AT_ONCE:
        raise Forbidden(f"You are in {AT_ONCE} tournaments, which is the most; you can enter when one of them is over")
    limits.require_room(player, world)


def looked_at(tournament: Tournament, now: int) -> Tournament:
    """The ladder, on which somebody has begun to stand who may idle one day."""
    at = ladder.idling_next(now, 0, now)
    return replace(tournament, due=min(at, tournament.due or at))


def left(
    tournament: Tournament,
    entry: Entry,
    now: int,
    world: World,
    *,
    what: str = "dropped",
    by: int = 0,
    why: str = "",
) -> list[Effect]:
    """The player leaves before the start. A tournament that was full, and about to begin for that, waits again. `what`:
    a key of contests.LOGGED. Raises Forbidden."""
    if tournament.stage not in Stages.AHEAD:
        raise Forbidden(f"{tournament.title} has begun; to give its games up: withdraw {tournament.id} NAME PASSWORD")
    state = standing.load(tournament, world)
    waits = tournament.stage == Stages.ENTRY and not begins_with(state, len(state.entries) - 1)
    again = [Put(replace(tournament, due=tournament.until or None))] if waits else []
    return [Drop(entry), *again, noted(tournament, what, now, world, by=by, player=entry.player, why=why)]


def require_one_of_a_mailbox(state: Standing, player: int, now: int, world: World) -> None:
    """Forbidden for a second player of one mailbox: the one could lose to the other."""
    for other in of_its_mailbox(state, player, now, world):
        who, title = userid(other, world), state.tournament.title
        had = f"has yours, or had it within {PAIR_DAYS} days, and"
        raise Forbidden(f"An address enters a tournament once, and {who} {had} is in {title} already")


def of_its_mailbox(state: Standing, player: int, now: int, world: World) -> list[int]:
    """The other players of the player's mailbox who take part."""
    mates = world.mates(player, now) - {player}
    return [entry.player for entry in state.there if entry.player in mates]


def how_back(state: Standing, player: int, now: int, world: World) -> str:
    """How a player who withdraws now comes back, with the command on a line of its own; nothing for who has done so
    already."""
    back = f"return {state.tournament.id} {userid(player, world)} PASSWORD"
    last = last_return(state.tournament, player, world)
    if state.format.endless:
        at = last + BACK_DAYS * DAY
        return f"To come back at its foot{f', from {moment(at)} on' if last and now < at else ''}:\n{back}"
    if last:
        return ""
    title = state.tournament.title
    until = f"Until new games are paired or {title} ends, and for {BACK_DAYS} days at most, you can come back"
    return f"{until}; your clocks run on meanwhile:\n{back}"


def last_return(tournament: Tournament, player: int, world: World) -> int:
    """When the player came back to the tournament, 0 for never."""
    return max((line.at for line in world.logged(tournament.id, "returned", player=player)), default=0)


def require_may_return(tournament: Tournament, entry: Entry, world: World) -> None:
    """NotAllowed for a player whom the director has withdrawn, and for a director who has ruled on others since."""
    if tournament.director == entry.player and powers.has_ruled(tournament, entry.player, entry.left, world):
        raise NotAllowed(f"You have directed {tournament.title} since you withdrew, so you cannot come back")
    out = standing.withdrawal(entry, world)
    if out and out.by != entry.player:
        raise NotAllowed(f"The director has withdrawn you from {tournament.title}, so you cannot come back by yourself")
