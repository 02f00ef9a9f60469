"""Who takes part: entering, leaving before the start, withdrawing after it, and coming back."""

from collections.abc import Sequence
from dataclasses import replace

from mailbot.core.caps import moment
from mailbot.core.contests import Entry, Fixture, Stages, Tournament
from mailbot.core.effects import Drop, Effect, Forbidden, Kinds, NotAllowed, Post, Put, Unreadable
from mailbot.core.games import boards, clocks, course, plans, timing
from mailbot.core.hosting import letters, powers, standing
from mailbot.core.hosting.log import noted
from mailbot.core.hosting.standing import Standing, userid
from mailbot.core.model import DAY, Game, States
from mailbot.core.players import bots, limits
from mailbot.core.ratings import terms
from mailbot.core.ratings.fold import PAIR_DAYS
from mailbot.core.tournaments import ladder
from mailbot.core.tournaments.field import EVER, MOST
from mailbot.core.world import World

DECIDED = "the director decided so"
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
        _require_may_return(tournament, own, world)
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
    _require_place(state, player, now, world)
    count = limits.one_more(world.tally(player, ENTERED), player, ENTERED, A_DAY, DAY, now)
    if count is None:
        raise Forbidden(f"You have entered tournaments {A_DAY} times within a day, which is the most; go on tomorrow")
    seat = max((entry.seat for entry in state.entries), default=0) + 1 if running else 0
    entry = Entry(tournament.id, player, now, seat, always=int(always))
    full = tournament.stage == Stages.ENTRY and begins_with(state, len(state.there) + 1)
    begins = [Put(replace(tournament, due=now))] if full else []
    foot = [Put(ladder.at_the_foot(tournament.id, seat, state.rungs))] if running else []
    looked_at = [Put(_looked_at(tournament, now))] if running else []
    return [Put(count), Put(entry), *begins, *foot, *looked_at, noted(tournament, "joined", now, world, player=player)]


def begins_with(state: Standing, players: int) -> bool:
    """Whether a tournament in entry begins as soon as it has so many players, and does not wait for the end of
    entry."""
    tournament, endless = state.tournament, state.format.endless
    waits = (endless and tournament.until) or tournament.not_before
    return not waits and players >= (tournament.least if endless else tournament.most)


def _require_place(state: Standing, player: int, now: int, world: World) -> None:
    """Forbidden if the tournament has no place for the player, or the player may not be in one more."""
    tournament = state.tournament
    if len(state.there) >= tournament.most:
        raise Forbidden(f"{tournament.title} is full: it takes {tournament.most} players")
    require_rating(tournament, player, now, world)
    require_one_of_a_mailbox(state, player, now, world)
    if sum(one.stopped is None for one in world.entered(player)) >= AT_ONCE:
        raise Forbidden(f"You are in {AT_ONCE} tournaments, which is the most; you can enter when one of them is over")
    limits.require_room(player, world)


def _looked_at(tournament: Tournament, now: int) -> Tournament:
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
    a key of hosting.log.SAID. Raises Forbidden."""
    if tournament.stage not in Stages.AHEAD:
        raise Forbidden(f"{tournament.title} has begun; to give its games up: withdraw {tournament.id} NAME PASSWORD")
    state = standing.load(tournament, world)
    waits = tournament.stage == Stages.ENTRY and not begins_with(state, len(state.entries) - 1)
    again = [Put(replace(tournament, due=tournament.until or None))] if waits else []
    return [Drop(entry), *again, noted(tournament, what, now, world, by=by, player=entry.player, why=why)]


def withdrawn(
    state: Standing,
    entry: Entry,
    now: int,
    world: World,
    *,
    what: str = "withdrew",
    by: int = 0,
    why: str = "",
    forever: bool = False,
) -> list[Effect]:
    """The player plays no more: the running games end, and the format says what they are worth. Everybody whose game
    ends is told, and so is the player, unless it was the player's own wish. `what`: a key of hosting.log.SAID. A game
    that a director or the operator (`by`) ends so is unrated. One that ends because of losses on time is another.
    `forever`: the player leaves the server."""
    tournament = state.tournament
    name = userid(entry.player, world)
    ruled = what == "withdrew" and by != entry.player
    reason = f"{'was withdrawn' if ruled else 'withdrew'} from the tournament" if what != "late" else course.WITHDRAWN
    effects: list[Effect] = [Put(replace(entry, stopped=state.round, left=now))]
    stays_out = forever or ruled or state.format.endless or _last_return(tournament, entry.player, world)
    for fixture, game in state.playing(entry.seat):
        over = unrated(game) if ruled else game
        effects += _ended(state, fixture, over, entry, f"{name} {reason}", "" if stays_out else name, now, world)
    effects.append(noted(tournament, what, now, world, by=by, player=entry.player, why=why))
    if what == "late":
        lost = f"You have lost two games of {tournament.title} on time without a move in between"
        said = [f"{lost}, so you are withdrawn from it. {how_back(state, entry.player, now, world)}".strip()]
    elif what == "idle":
        idle = "You have not played a game on this ladder for half a year, so you are no longer on it."
        said = [f"{idle} {how_back(state, entry.player, now, world)}"]
    elif by != entry.player:
        said = [f"You are withdrawn from {tournament.title}."]
    else:
        return effects
    told = letters.letter(
        tournament, "withdrawn", said, **letters.words(why, by, world), **({"ruled": 1} if ruled else {})
    )
    return [*effects, Post(entry.player, told, Kinds.EVENT)]


def unrated(game: Game) -> Game:
    """A game that a ruling ends."""
    return game._replace(unrated=game.unrated or DECIDED)


def _ended(
    state: Standing, fixture: Fixture, game: Game, entry: Entry, reason: str, back: str, now: int, world: World
) -> list[Effect]:
    """A game without its player: the opponent has won it, and hears so. `back`: the player's name if the player may
    come back, so that the game goes on; else nothing."""
    number = game.number_of(entry.player)
    over = course.over(game, 3 - number, reason, now, timing.of(game, now, world))
    drops, notes = plans.cleared(game, "the game is over", world)
    until = moment(now + BACK_DAYS * DAY, world.zone(game.player(3 - number)))
    may = f"If {back} comes back by {until}, this game goes on." if back else ""
    more = {"event": "left", "by": number, "comment": "", "notes": notes[3 - number], "back": may}
    told = boards.news("board", over, world.texts(game.id), boards.names(game, world), 3 - number, **more)
    void = int(not state.format.endless)  # on a ladder a challenge that is given up is lost
    return [*drops, Put(replace(fixture, void=void)), Put(over), Post(game.player(3 - number), told)]


def how_back(state: Standing, player: int, now: int, world: World) -> str:
    """How a player who withdraws now comes back, with the command on a line of its own; nothing for who has done so
    already."""
    back = f"return {state.tournament.id} {userid(player, world)} PASSWORD"
    last = _last_return(state.tournament, player, world)
    if state.format.endless:
        at = last + BACK_DAYS * DAY
        return f"To come back at its foot{f', from {moment(at)} on' if last and now < at else ''}:\n{back}"
    if last:
        return ""
    title = state.tournament.title
    until = f"Until new games are paired or {title} ends, and for {BACK_DAYS} days at most, you can come back"
    return f"{until}; your clocks run on meanwhile:\n{back}"


def _last_return(tournament: Tournament, player: int, world: World) -> int:
    """When the player came back to the tournament, 0 for never."""
    return max((line.at for line in world.logged(tournament.id, "returned", player=player)), default=0)


def how_it_goes_on(state: Standing, lost: Sequence[int]) -> str:
    """What a player who comes back is told of the games. `lost`: the boards that stay lost."""
    if state.format.endless:
        return "You stand at its foot"
    which = f"board {lost[0]}" if len(lost) == 1 else f"boards {', '.join(map(str, lost))}"
    more = f", except {which}: your time there has run out meanwhile" if lost else ""
    return f"Your games that ended with the withdrawal run again{more}"


def returned(
    state: Standing, entry: Entry, now: int, world: World, *, ruled: bool = False
) -> tuple[list[Effect], list[int]]:
    """The player is back, and the games that ended with the withdrawal run again. The player's clock has run on
    meanwhile, or a withdrawal would be a week to think about every board; the boards on which it has run out stay lost,
    and are returned. `ruled`: the operator takes a withdrawal back; then no clock has run. Raises Forbidden."""
    tournament = state.tournament
    if entry.stopped is None:
        raise Forbidden(f"You have not withdrawn from {tournament.title}")
    if tournament.stage != Stages.RUNNING:
        raise Forbidden(f"{tournament.title} is {tournament.stage}")
    if not ruled:
        _require_may_return(tournament, entry, world)
    last = _last_return(tournament, entry.player, world)
    if state.format.endless:
        if now < last + BACK_DAYS * DAY and not ruled:
            again = moment(last + BACK_DAYS * DAY)
            raise Forbidden(
                f"You came back to {tournament.title} on {moment(last)}; you can do so again from {again} on"
            )
        _require_place(state, entry.player, now, world)
        return _at_the_foot(state, entry, now, world), []
    if now >= entry.left + BACK_DAYS * DAY:
        until = moment(entry.left + BACK_DAYS * DAY)
        raise Forbidden(f"You withdrew on {moment(entry.left)}; you could come back until {until}")
    if last and not ruled:
        raise Forbidden(f"You have come back to {tournament.title} once already; nobody does so twice")
    require_unpaired(state, entry, "you", "you cannot come back")
    effects: list[Effect] = [Put(replace(entry, stopped=None, left=0))]
    gone = {one.seat for one in state.entries if one.stopped is not None and one.seat != entry.seat}
    runs = waits = False
    lost: list[int] = []
    for fixture in state.fixtures:
        if fixture.void and entry.seat in (fixture.first, fixture.second):
            if out := gone & {fixture.first, fixture.second}:
                game, other = state.games.get(fixture.game), state.by_seat[min(out)]
                if game and game.winner != game.number_of(entry.player):  # now it is the other one who has lost it
                    why = f"{userid(other.player, world)} withdrew from the tournament"
                    effects += _ended(state, fixture, game, other, why, "", now, world)
                continue
            if not fixture.game:  # its board is made now
                effects.append(Put(replace(fixture, void=0)))
                waits = True
                continue
            effects.append(Put(replace(fixture, void=0)))
            if live := _runs_again(state.games[fixture.game], entry, now, world, ruled=ruled):
                runs = True
                effects += live
            else:
                lost.append(fixture.game)
    if waits:
        effects.append(Put(replace(tournament, due=now + 1)))
    elif runs:
        effects.append(Put(replace(tournament, due=now + DAY if state.format.weekly else None)))
    return [*effects, noted(tournament, "returned", now, world, player=entry.player)], lost


def _require_may_return(tournament: Tournament, entry: Entry, world: World) -> None:
    """NotAllowed for a player whom the director has withdrawn, and for a director who has ruled on others since."""
    if tournament.director == entry.player and powers.has_ruled(tournament, entry.player, entry.left, world):
        raise NotAllowed(f"You have directed {tournament.title} since you withdrew, so you cannot come back")
    out = next(reversed(world.logged(tournament.id, "withdrew", player=entry.player)), None)
    if out and out.at == entry.left and out.by != entry.player:
        raise NotAllowed(f"The director has withdrawn you from {tournament.title}, so you cannot come back by yourself")


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


def require_unpaired(state: Standing, entry: Entry, whom: str, so: str) -> None:
    """Forbidden if the player has withdrawn and games have been paired without this player since."""
    if entry.stopped is None or state.format.endless:
        return
    others = [one for one in state.fixtures if entry.seat not in (one.first, one.second)]
    if state.round > entry.stopped or any(one.at >= entry.left for one in others):
        raise Forbidden(f"The next games have been paired without {whom}, so {so}")


def moved(entry: Entry, since: int, world: World) -> bool:
    """Whether the player has moved in a game of the tournament since then."""
    mine = world.games_of(entry.player, (States.RUNNING, States.OVER), since=since)
    return any(
        move.player == entry.player and move.at >= since
        for one in mine
        if one.event == entry.tournament
        for move in world.moves(one.id)
    )


def _at_the_foot(state: Standing, entry: Entry, now: int, world: World) -> list[Effect]:
    """Who comes back to a ladder stands below everybody else."""
    line = noted(state.tournament, "returned", now, world, player=entry.player)
    foot = Put(ladder.at_the_foot(state.tournament.id, entry.seat, state.rungs))
    return [Put(replace(entry, stopped=None, left=0, joined=now)), foot, Put(_looked_at(state.tournament, now)), line]


def _runs_again(game: Game, entry: Entry, now: int, world: World, *, ruled: bool) -> list[Effect]:
    """The game runs again; nothing if the time of the player who comes back has run out since it ended."""
    if ruled and game.unrated == DECIDED:
        game = game._replace(unrated="")
    moves, number = world.moves(game.id), game.number_of(entry.player)
    # The opponent was told of a win, and must have time to notice; the player who comes back has chosen the moment.
    least = (0, course.LEAST) if number == 1 else (course.LEAST, 0)
    back, drops = boards.rewound(game, moves, game.ply, now, world, least)
    if back.to_move == number and game.clock != "none" and not ruled:
        stands = timing.of(game, now, world)
        since = max(game.began, entry.left)  # the game may have ended before, when the opponent withdrew
        spent = clocks.used(since, now, stands.stands[number - 1], timing.terms(game).noweekends)
        rest = timing.left(game, now, stands)[number - 1] - spent
        if rest <= 0:
            return []
        back = course.given(back, number, rest, now, stands)
    told = {"event": "returned", "by": number, "comment": "", **timing.facts(back, now, world)}
    players, texts = boards.names(game, world), [move.text for move in moves]
    posts = [Post(game.player(n), boards.news("board", back, texts, players, n, **told)) for n in (1, 2)]
    return [*drops, Put(back), *posts]


def runs_again_until(game: Game, now: int, world: World) -> int:
    """Until when a game that is over may run again because its players come back; 0 if it cannot."""
    tournament = world.tournament(game.event) if game.event else None
    fixture = world.fixture_of(game.id)
    if tournament is None or fixture is None or not fixture.void:
        return 0
    if tournament.stage not in {Stages.RUNNING, Stages.CANCELLED}:  # the operator can resume a cancelled one
        return 0
    seats = (fixture.first, fixture.second)
    gone = [entry for entry in world.entries(tournament.id) if entry.seat in seats and entry.stopped is not None]
    stays = any(one.left + BACK_DAYS * DAY <= now for one in gone)
    return max(one.left for one in gone) + BACK_DAYS * DAY if gone and not stays else 0


def gone(player: int, now: int, world: World) -> list[Effect]:
    """A player leaves the server: out of every tournament, and somebody else directs the player's own ones."""
    effects = without_director(player, now, world, forgotten=True)
    rows = [effect.row for effect in effects if isinstance(effect, Put)]
    own = {row.id: row for row in rows if isinstance(row, Tournament)}
    for entry in world.entered(player):
        tournament = own.get(entry.tournament) or world.tournament(entry.tournament)
        assert tournament
        if tournament.stage in Stages.AHEAD:
            effects += left(tournament, entry, now, world)
        elif entry.stopped is None:
            effects += withdrawn(standing.load(tournament, world), entry, now, world, by=player, forever=True)
    return effects


def without_director(player: int, now: int, world: World, *, forgotten: bool = False) -> list[Effect]:
    """The tournaments of a director who can no longer act go on; the operator is asked to name somebody else.
    `forgotten`: nothing that the director has written is kept."""
    effects: list[Effect] = []
    for tournament in world.directed(player):
        said = [
            f"The director of {tournament.title} is no longer here. The tournament goes on by itself. To name somebody"
            f" else: mailbot admin tournament director {tournament.id} PLAYER"
        ]
        effects.append(Put(replace(tournament, director=0, words="" if forgotten else tournament.words)))
        effects.append(Post(0, letters.letter(tournament, "it needs a director", said), Kinds.OPERATOR))
    return effects
